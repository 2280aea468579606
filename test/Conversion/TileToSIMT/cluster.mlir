// RUN: tile-opt %s --tile-set-target=chip=sm_80 --convert-tile-to-gpu --remarks-filter='convert-tile-to-gpu' 2>&1 | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=gfx942 --convert-tile-to-gpu | FileCheck %s --check-prefix=AMD

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
