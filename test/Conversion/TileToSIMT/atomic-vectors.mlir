// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-simt --canonicalize --cse | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --convert-tile-to-simt --canonicalize --cse | FileCheck %s --check-prefix=SCALAR

// SCALAR-NOT: red.relaxed.gpu.global.add.{{v|noftz.v|noftz.bf}}

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

// Of halves up to eight; pairs of f16 on any chip.
// CHECK-LABEL: gpu.func @halves_0
// CHECK: "red.relaxed.gpu.global.add.noftz.v4.bf16x2 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"
// CHECK: "red.relaxed.gpu.global.add.noftz.f16x2 [$0], $1;", "l,r,~{memory}"
// CHECK-NOT: atomicrmw
// SCALAR-LABEL: gpu.func @halves_0
// SCALAR: llvm.atomicrmw fadd {{.*}} bf16
// SCALAR: "red.relaxed.gpu.global.add.noftz.f16x2 [$0], $1;"
func.func @halves(%a: memref<64x32xbf16>, %h: memref<?x8xf16>) {
  tile.kernel (%b) in (1) threads(32) {
    %s = tile.alloc : memref<16x32xbf16, #tile.shared>
    tile.atomic add %s, %a[%b * 16, 0] : memref<16x32xbf16, #tile.shared>, memref<64x32xbf16>
    %f = tile.alloc {layout = #two} : memref<16x8xf16, #tile.fragment>
    tile.atomic add %f, %h[%b * 16, 0] : memref<16x8xf16, #tile.fragment>, memref<?x8xf16>
  }
  return
}

// Elements that a thread updates one right behind the other, under one condition: a row that data names.
// CHECK-LABEL: gpu.func @elements_0
// CHECK-COUNT-2: llvm.load {{.*}} i32
// CHECK-NOT: llvm.load {{.*}} i32
// CHECK: scf.if
// CHECK: "red.relaxed.gpu.global.add.noftz.bf16x2
// CHECK: scf.if
// CHECK: "red.relaxed.gpu.global.add.noftz.bf16x2
// CHECK-NOT: atomicrmw
// CHECK: gpu.return
func.func @elements(%list: memref<16xi32>, %a: memref<?x8xbf16>) {
  tile.kernel (%b) in (1) threads(32) {
    %f = tile.alloc {layout = #two} : memref<16x8xbf16, #tile.fragment>
    tile.parallel (%i, %j) in (16, 8) attributes {layout = #two} {
      %c0 = arith.constant 0 : i32
      %k = memref.load %list[%i] : memref<16xi32>
      %row = arith.index_cast %k : i32 to index
      %ok = arith.cmpi sge, %k, %c0 : i32
      scf.if %ok {
        %x = memref.load %f[%i, %j] : memref<16x8xbf16, #tile.fragment>
        tile.atomic add %x, %a[%row, %j] : bf16, memref<?x8xbf16>
      }
    }
  }
  return
}

// One by one: columns at a distance of two, a first one that is odd, two rows, old values that are used. LLVM would compare and
// swap words, unless it has to give the old value.
// CHECK-LABEL: gpu.func @apart_0
// CHECK-NOT: x2
// CHECK: "red.relaxed.gpu.global.add.noftz.bf16 [$0], $1;", "l,h,~{memory}"
// CHECK-NOT: x2
// CHECK: llvm.atomicrmw fadd
// CHECK-NOT: x2
// CHECK: gpu.return
func.func @apart(%a: memref<16x64xbf16>, %old: memref<16x8xbf16>) {
  tile.kernel (%b) in (1) threads(32) {
    %x = arith.constant 1.0 : bf16
    %c0 = arith.constant 0 : index
    tile.parallel (%i, %j) in (16, 8) attributes {layout = #two} {
      tile.atomic add %x, %a[%i, %j * 2] : bf16, memref<16x64xbf16>
      tile.atomic add %x, %a[%i, %j + 1] : bf16, memref<16x64xbf16>
      tile.atomic add %x, %a[%j, %i] : bf16, memref<16x64xbf16>
      %o = tile.atomic add %x, %a[%i, %j] : bf16, memref<16x64xbf16> -> bf16
      memref.store %o, %old[%i, %j] : memref<16x8xbf16>
    }
  }
  return
}
