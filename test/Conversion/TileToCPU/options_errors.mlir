// RUN: tile-opt %s --verify-diagnostics --split-input-file --tile-set-target=chip=avx51 --convert-tile-to-cpu
// RUN: tile-opt %s --verify-diagnostics --split-input-file --tile-set-target=chip=avx51 --tile-prefetch-blocks

// expected-error @below {{unknown target 'avx51'; known CPU targets: x86-64-v3, avx512, neon, generic; closest match: avx512}}
module {
}
