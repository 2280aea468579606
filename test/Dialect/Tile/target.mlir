// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func private @targets
// CHECK-SAME: #tile.target<"sm_80">, #tile.target<"sm_90a">, #tile.target<"gfx942">, #tile.target<"910B">, #tile.target<"910C">, #tile.target<"x86-64-v3">
func.func private @targets() attributes {targets = [
  #tile.target<"sm_80">, #tile.target<"sm_90a">, #tile.target<"gfx942">, #tile.target<"910B">, #tile.target<"910C">,
  #tile.target<"x86-64-v3">]}
