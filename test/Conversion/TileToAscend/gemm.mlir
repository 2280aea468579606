// RUN: tile-opt %s --ascend-infer-memory --convert-tile-to-ascend --canonicalize | FileCheck %s

// Matrix products on the cube.

// A product of zeros clears the accumulator; the loop loads tiles to L1 and from there to L0A and L0B.
// CHECK-LABEL: func.func @gemm
// CHECK-DAG:     %[[A:.*]] = tile.alloc : memref<64x32xf16, #tile.l1>
// CHECK-DAG:     %[[W:.*]] = tile.alloc : memref<32x64xf16, #tile.l1>
// CHECK-DAG:     %[[C:.*]] = tile.alloc : memref<64x64xf32, #tile.l0c>
// CHECK:         ascend.fill_l0a %[[L:.*]], %{{.*}} : memref<64x16xf16, #tile.l0a>
// CHECK-NEXT:    ascend.fill_l0b %[[R:.*]], %{{.*}} : memref<16x64xf16, #tile.l0b>
// CHECK-NEXT:    ascend.mmad %[[C]], %[[L]], %[[R]] init(%true)
// CHECK-NEXT:    scf.for
// CHECK:           ascend.copy_gm_to_l1 %[[A]],
// CHECK:           ascend.copy_gm_to_l1 %[[W]],
// CHECK-NEXT:      ascend.load_l0a %[[L:.*]], %[[A]]
// CHECK-NEXT:      ascend.load_l0b %[[R:.*]], %[[W]]
// CHECK-NEXT:      ascend.mmad %[[C]], %[[L]], %[[R]] init(%false)
// CHECK-NEXT:    } {ascend.stages = 2 : i64}
// CHECK:         ascend.fixpipe %{{.*}}, %[[C]]
func.func @gemm(%a: memref<64x128xf16>, %w: memref<128x64xf16>, %o: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64x32xf16, #tile.shared>
    %y = tile.alloc : memref<32x64xf16, #tile.shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %c, %zero : memref<64x64xf32, #tile.fragment>
    tile.pipelined %k = 0 to 4 stages(2) {
      tile.copy %a[0, %k * 32], %x : memref<64x128xf16>, memref<64x32xf16, #tile.shared>
      tile.copy %w[%k * 32, 0], %y : memref<128x64xf16>, memref<32x64xf16, #tile.shared>
      tile.gemm %x, %y, %c : memref<64x32xf16, #tile.shared>, memref<32x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    }
    tile.copy %c, %o : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
  }
  return
}

// More than L0A and L0B hold: parts of K, in two buffers each. The first part overwrites the accumulator.
// CHECK-LABEL: func.func @parts
// CHECK:         %[[A:.*]] = tile.alloc : memref<128x256xf16, #tile.l1>
// CHECK:         %[[W:.*]] = tile.alloc : memref<256x256xf16, #tile.l1>
// CHECK:         %[[AK:.*]] = memref.subview %[[A]][0, 0] [128, 64]
// CHECK-NEXT:    ascend.load_l0a %[[L0:.*]], %[[AK]]
// CHECK-NEXT:    %[[WK:.*]] = memref.subview %[[W]][0, 0] [256, 64]
// CHECK-NEXT:    ascend.load_l0b %[[R0:.*]], %[[WK]] {transpose}
// CHECK-NEXT:    ascend.mmad %[[C:.*]], %[[L0]], %[[R0]] init(%true)
// CHECK:         %[[AK:.*]] = memref.subview %[[A]][0, 64] [128, 64]
// CHECK-NEXT:    ascend.load_l0a %[[L1:.*]], %[[AK]]
// CHECK:         ascend.load_l0b %[[R1:.*]], %{{.*}} {transpose}
// CHECK-NEXT:    ascend.mmad %[[C]], %[[L1]], %[[R1]] init(%false)
// CHECK:         ascend.load_l0a %[[L0]],
// CHECK:         ascend.mmad %[[C]], %[[L0]], %[[R0]] init(%false)
// CHECK:         ascend.load_l0a %[[L1]],
// CHECK:         ascend.mmad %[[C]], %[[L1]], %[[R1]] init(%false)
func.func @parts(%a: memref<128x256xf16>, %w: memref<256x256xf16>, %o: memref<128x256xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<128x256xf16, #tile.shared>
    %y = tile.alloc : memref<256x256xf16, #tile.shared>
    %c = tile.alloc : memref<128x256xf32, #tile.fragment>
    tile.copy %a, %x : memref<128x256xf16>, memref<128x256xf16, #tile.shared>
    tile.copy %w, %y : memref<256x256xf16>, memref<256x256xf16, #tile.shared>
    tile.gemm %x, %y, %c {clear, transpose_b} : memref<128x256xf16, #tile.shared>, memref<256x256xf16, #tile.shared>, memref<128x256xf32, #tile.fragment>
    tile.copy %c, %o : memref<128x256xf32, #tile.fragment>, memref<128x256xf32>
  }
  return
}
