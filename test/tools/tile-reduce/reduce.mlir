// A file is shrunk as long as a script finds it interesting: here, as long as it has a gemm.

// RUN: tile-reduce %s --reduction-tree='traversal-mode=0 test=%S/Inputs/has-gemm.sh' | FileCheck %s

// CHECK-NOT: func.func @bystander
// CHECK: func.func @culprit
// CHECK: tile.gemm
// CHECK-NOT: func.func @second_bystander

func.func @bystander() {
  return
}

func.func @culprit() {
  tile.kernel (%b) in (4) threads(32) {
    %a = tile.alloc : memref<16x16xf32, #tile.shared>
    %c = tile.alloc : memref<16x16xf32, #tile.fragment>
    tile.gemm %a, %a, %c : memref<16x16xf32, #tile.shared>, memref<16x16xf32, #tile.shared>, memref<16x16xf32, #tile.fragment>
  }
  return
}

func.func @second_bystander(%x: memref<4xf32>) {
  return
}
