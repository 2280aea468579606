// RUN: tile-opt %s --tile-expand-sparse | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-expand-sparse | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=gfx942 --tile-expand-sparse | FileCheck %s

// A product in no kernel has no threads: it stays as it is.
// CHECK-LABEL: func.func @part
// CHECK-NEXT: tile.sparse_gemm %{{.*}} by %{{.*}}, %{{.*}}, %{{.*}} :
// CHECK-NEXT: return
func.func @part(%a: memref<16x16xf16, #tile.shared>, %e: memref<16x2xi16, #tile.shared>, %b: memref<32x8xf16, #tile.shared>,
                %c: memref<16x8xf32, #tile.fragment>) {
  tile.sparse_gemm %a by %e, %b, %c
  return
}
