// RUN: tile-opt %s --verify-diagnostics --convert-tile-to-cpu=vector-bytes=3
// RUN: tile-opt %s --verify-diagnostics --convert-tile-to-cpu=vector-bytes=4
// RUN: tile-opt %s --verify-diagnostics --convert-tile-to-cpu=vector-bytes=512
// RUN: tile-opt %s --verify-diagnostics --convert-tile-to-cpu=vector-registers=7

// expected-error-re @below {{expected 'vector-bytes' to be a power of two between 8 and 256 and 'vector-registers' to be at least 8, got {{[0-9]+ and [0-9]+}}}}
module {
}
