// What a kernel asks for and does not get is said in a line each, on stderr, once for each reason.
// REQUIRES: tile-translate
// RUN: tile-translate --tile-to-ptx --chip=sm_90a %s -o /dev/null 2>&1 | FileCheck %s
// RUN: tile-translate --tile-to-ptx --chip=sm_90a --notes=false %s 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: tile-translate --tile-to-ptx --chip=sm_90a --remarks-filter=tile-schedule %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARKS
// OFF-NOT: note:
// REMARKS-NOT: {{^}}note:
// REMARKS: remark: [Missed] Pipeline
// REMARKS-NOT: {{^}}note:

!a = memref<256x?xf32>
!at = memref<64x36xf32, #tile.shared>
!b = memref<36x64xf32, #tile.shared>
!c = memref<64x64xf32, #tile.fragment>
func.func @product(%a: memref<?x?xi8>, %w: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (1) threads(128) {
    %s = tile.alloc : memref<64x64xi8, #tile.shared>
    %t = tile.alloc : !at
    %u = tile.alloc : !b
    %c = tile.alloc : !c
    tile.fill %c, %zero : !c
    tile.fill %t, %zero : !at
    tile.fill %u, %zero : !b
    // CHECK:     note: {{.*}}notes.mlir:[[#@LINE + 2]]: no matrix instruction: no wgmma: {{.*}}; no mma:
    // CHECK-NOT: note:
    tile.gemm %t, %u, %c : !at, !b, !c
    tile.copy %c, %w : !c, memref<64x64xf32>
    // CHECK:     note: {{.*}}notes.mlir:[[#@LINE + 2]]: no pipeline: it has no asynchronous copy to shared memory
    // CHECK-NOT: note:
    tile.pipelined %k = 0 to 4 stages(2) {
      tile.parallel (%i, %j) in (64, 64) {
        %v = memref.load %a[%i, %j] : memref<?x?xi8>
        memref.store %v, %s[%i, %j] : memref<64x64xi8, #tile.shared>
      }
    }
  }
  return
}
