// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-simt --canonicalize --cse | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --convert-tile-to-simt --canonicalize --cse | FileCheck %s --check-prefix=SCALAR

// SCALAR-NOT: red.relaxed

#two = #tile.layout<[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]>
#three = #tile.layout<[32: 32 lane][3: 3 reg]>

// Two neighbours in registers are one update; both are inside or neither.
// CHECK-LABEL: gpu.func @registers_0
// CHECK: arith.cmpi ult
// CHECK: scf.if
// CHECK: "red.relaxed.gpu.global.add.v2.f32 [$0], {$1, $2};", "l,f,f,~{memory}"
// CHECK-NOT: atomicrmw
// SCALAR-LABEL: gpu.func @registers_0
// SCALAR: llvm.atomicrmw fadd
func.func @registers(%a: memref<?x8xf32>) {
  tile.kernel (%b) in (1) threads(32) {
    %f = tile.alloc {layout = #two} : memref<16x8xf32, #tile.fragment>
    tile.atomic add %f, %a[%b * 16, 0] : memref<16x8xf32, #tile.fragment>, memref<?x8xf32>
  }
  return
}

// Of shared memory four: threads are free to take neighbours.
// CHECK-LABEL: gpu.func @shared_0
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: "red.relaxed.gpu.global.add.v4.f32 [$0], {$1, $2, $3, $4};"
// CHECK-NOT: atomicrmw
func.func @shared(%a: memref<64x32xf32>) {
  tile.kernel (%b) in (1) threads(32) {
    %s = tile.alloc : memref<16x32xf32, #tile.shared>
    tile.atomic add %s, %a[%b * 16, 0] : memref<16x32xf32, #tile.shared>, memref<64x32xf32>
  }
  return
}

// One element at a time: odd rows, offsets that are not known to be even, a
// row of three, maxima, integers, and shared targets.
// CHECK-LABEL: gpu.func @scalars_0
// CHECK-NOT: red.relaxed
// CHECK: gpu.return
func.func @scalars(%odd: memref<64x33xf32>, %even: memref<64x32xf32>, %i32: memref<64x32xi32>, %at: index) {
  tile.kernel (%b) in (1) threads(32) {
    %f = tile.alloc {layout = #two} : memref<16x8xf32, #tile.fragment>
    %g = tile.alloc {layout = #three} : memref<32x3xf32, #tile.fragment>
    %i = tile.alloc {layout = #two} : memref<16x8xi32, #tile.fragment>
    %s = tile.alloc : memref<16x8xf32, #tile.shared>
    tile.atomic add %f, %odd[0, 0] : memref<16x8xf32, #tile.fragment>, memref<64x33xf32>
    tile.atomic add %f, %even[0, %at] : memref<16x8xf32, #tile.fragment>, memref<64x32xf32>
    tile.atomic add %g, %even[0, 0] : memref<32x3xf32, #tile.fragment>, memref<64x32xf32>
    tile.atomic max %f, %even[0, 0] : memref<16x8xf32, #tile.fragment>, memref<64x32xf32>
    tile.atomic add %i, %i32[0, 0] : memref<16x8xi32, #tile.fragment>, memref<64x32xi32>
    tile.atomic add %f, %s[0, 0] : memref<16x8xf32, #tile.fragment>, memref<16x8xf32, #tile.shared>
  }
  return
}
