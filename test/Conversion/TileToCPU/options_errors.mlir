// RUN: tile-opt %s --verify-diagnostics --split-input-file --convert-tile-to-cpu=target=avx51
// RUN: tile-opt %s --verify-diagnostics --split-input-file --tile-prefetch-blocks=target=avx51

// expected-error @below {{unknown target 'avx51'; known CPU targets: x86-64-v3, avx512, neon, generic; closest match: avx512}}
module {
}
