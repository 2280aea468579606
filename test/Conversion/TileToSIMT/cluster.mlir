// RUN: tile-opt %s --convert-tile-to-gpu=target=sm_80 --remarks-filter='convert-tile-to-gpu' 2>&1 | FileCheck %s
// RUN: tile-opt %s --convert-tile-to-gpu=target=gfx942 | FileCheck %s --check-prefix=AMD

// Without clusters the kernel is the same.
// CHECK: [Missed] Cluster | Category:convert-tile-to-gpu | Reason="sm_80 has no clusters"
// CHECK: gpu.func @large_0(
// CHECK-NOT: cluster
// AMD: gpu.func @large_0(
// AMD-NOT: cluster
func.func @large(%a: memref<64xf32>, %x: f32) {
  tile.kernel (%b, %c) in (4, 4) cluster(4, 4) {
    tile.fill %a, %x : memref<64xf32>
  }
  return
}
