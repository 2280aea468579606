// The short form is read into the ops of the long one, and printed where it is exact.
// RUN: tile-opt %s | FileCheck %s --check-prefix=LONG
// RUN: tile-opt %s --print-short-form | FileCheck %s --check-prefix=SHORT
// RUN: tile-opt %s --print-short-form | tile-opt --print-short-form | FileCheck %s --check-prefix=SHORT
// RUN: tile-opt %s --print-short-form | tile-opt | FileCheck %s --check-prefix=LONG

// LONG-LABEL:  func.func @types
// SHORT-LABEL: func.func @types
func.func @types(%a: memref<64x32xf16>, %v: f32, %i: memref<1x8x8x4xf32>, %w: f16) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<64x32xf16, #tile.shared>
    %t = tile.alloc : memref<32x64xf16, #tile.shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    %r = tile.alloc : memref<64xf32, #tile.fragment>
    %p = tile.alloc : memref<36x36xf32, #tile.shared>
    %k = tile.alloc : memref<64x8xf32, #tile.fragment>
    %x = tile.alloc : memref<64x8xi32, #tile.fragment>
    // LONG:  tile.padding_value %{{.*}}, %{{.*}} : memref<64x32xf16>
    // SHORT: tile.padding_value %{{.*}}, %{{[^ ]*$}}
    tile.padding_value %a, %w
    // LONG:  tile.copy %{{.*}}[%{{.*}} * 64, 0], %{{.*}} : memref<64x32xf16>, memref<64x32xf16, #tile.shared>
    // SHORT: tile.copy %{{.*}}[%{{.*}} * 64, 0], %{{[^ ]*$}}
    tile.copy %a[%b * 64, 0], %s
    // LONG:  tile.transpose %{{.*}}, %{{.*}} : memref<64x32xf16, #tile.shared>, memref<32x64xf16, #tile.shared>
    // SHORT: tile.transpose %{{.*}}, %{{[^ ]*$}}
    tile.transpose %s, %t
    // LONG:  tile.fill %{{.*}}, %{{.*}} : memref<64x64xf32, #tile.fragment>
    // SHORT: tile.fill %{{.*}}, %{{[^ ]*$}}
    tile.fill %c, %v
    // LONG:  tile.gemm %{{.*}}, %{{.*}}, %{{.*}} {clear} : memref<64x32xf16, #tile.shared>, memref<32x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    // SHORT: tile.gemm %{{.*}}, %{{.*}}, %{{.*}} {clear}{{$}}
    tile.gemm %s, %t, %c {clear}
    // LONG:  tile.reduce max %{{.*}}, %{{.*}} dim(1) : memref<64x64xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
    // SHORT: tile.reduce max %{{.*}}, %{{.*}} dim(1){{$}}
    tile.reduce max %c, %r dim(1)
    // LONG:  tile.scan sum %{{.*}}, %{{.*}} dim(0) : memref<64xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
    // SHORT: tile.scan sum %{{.*}}, %{{.*}} dim(0){{$}}
    tile.scan sum %r, %r dim(0)
    // LONG:  tile.im2col %{{.*}}[%{{.*}}, 0], %{{.*}} kernel(3, 3) : memref<1x8x8x4xf32>, memref<36x36xf32, #tile.shared>
    // SHORT: tile.im2col %{{.*}}[%{{.*}}, 0], %{{.*}} kernel(3, 3){{$}}
    tile.im2col %i[%b, 0], %p kernel(3, 3)
    // LONG:  tile.topk %{{.*}}, %{{.*}}, %{{.*}} : memref<64x64xf32, #tile.fragment>, memref<64x8xf32, #tile.fragment>, memref<64x8xi32, #tile.fragment>
    // SHORT: tile.topk %{{.*}}, %{{.*}}, %{{[^ ]*$}}
    tile.topk %c, %k, %x
    // LONG:  tile.any_of %{{.*}} : memref<64x8xi32, #tile.fragment>
    // SHORT: tile.any_of %{{[^ ]*$}}
    %any = tile.any_of %x
  }
  return
}

// One statement.
// LONG-LABEL:  func.func @one
// SHORT-LABEL: func.func @one
func.func @one(%bias: memref<?xf32>) {
  tile.kernel (%x) in (4) {
    %c = tile.alloc : memref<16x32xf32, #tile.fragment>
    // LONG:      tile.parallel (%[[I:.*]], %[[J:.*]]) in (16, 32) {
    // LONG-NEXT:   %[[C:.*]] = memref.load %{{.*}}[%[[I]], %[[J]]]
    // LONG-NEXT:   %[[P:.*]] = affine.apply #{{.*}}(%{{.*}}, %[[J]])
    // LONG-NEXT:   %[[B:.*]] = memref.load %{{.*}}[%[[P]]]
    // LONG-NEXT:   %[[S:.*]] = arith.addf %[[C]], %[[B]] : f32
    // LONG-NEXT:   %[[Z:.*]] = arith.constant 0.000000e+00 : f32
    // LONG-NEXT:   %[[R:.*]] = arith.maximumf %[[S]], %[[Z]] : f32
    // LONG-NEXT:   memref.store %[[R]], %{{.*}}[%[[I]], %[[J]]]
    // LONG-NEXT: }
    // SHORT:      tile.parallel (%[[I:.*]], %[[J:.*]]) in (16, 32) do %[[C:.*]][%[[I]], %[[J]]] = max(%[[C]][%[[I]], %[[J]]] + %{{.*}}[%{{.*}} * 32 + %[[J]]], 0.0)
    tile.parallel (%i, %j) in (16, 32) do %c[%i, %j] = max(%c[%i, %j] + %bias[%x * 32 + %j], 0.0)
  }
  return
}

// Each operator and kind of expression. A name is kept where it is used twice.
// LONG-LABEL:  func.func @operators
// SHORT-LABEL: func.func @operators
func.func @operators(%f: memref<8xf32>, %h: memref<8xf16>, %n: memref<8xi32>, %b: memref<8xi8>, %s: f32, %m: memref<f32>) {
  tile.kernel (%x) in (1) {
    // SHORT: do {
    tile.parallel (%i) in (8) coalesced_width(4) do {
      // SHORT-NEXT: %[[V:.*]] = %{{.*}}[%i] - (%{{.*}} - 1.5) * 2.0 / %{{.*}} - -%{{.*}}
      %v = %f[%i] - (%s - 1.5) * 2 / %s - -%s
      // SHORT-NEXT: %{{.*}}[%i] = exp2(%[[V]]) + fma(%[[V]], %{{.*}}, 1.0e-05)
      %f[%i] = exp2(%v) + fma(%v, %s, 1.0e-05)
      // SHORT-NEXT: %{{.*}}[%i] = f16(f32(%{{.*}}[%i]) + f32(%{{.*}}[%i]))
      %h[%i] = f16(f32(%h[%i]) + f32(%n[%i]))
      // SHORT-NEXT: %{{.*}}[%i] = i32(and(shr(%{{.*}}[%i], 4), 15)) - rem(%{{.*}}[7 - %i], 3) * -2
      %n[%i] = i32(and(shr(%b[%i], 4), 15)) - rem(%n[7 - %i], 3) * -2
      // SHORT-NEXT: %{{.*}}[(%i * 2 + %bx * 3) mod 8] = i8(%{{.*}}[%i floordiv 2 + %i ceildiv 4])
      %b[(%i * 2 + %x * 3) mod 8] = i8(%n[%i floordiv 2 + %i ceildiv 4])
      // SHORT-NEXT: %{{.*}}[index(%{{.*}}[%i])] = select(%{{.*}}[] < %{{.*}}, -inf, nan)
      %f[index(%n[%i])] = select(%m[] < %s, -inf, nan)
      // SHORT-NEXT: %{{.*}}[%i] = select(or(%i <= 3, %{{.*}}[%i] <> 0), i32(%{{.*}}[%i] >= 0.5), 300)
      %n[%i] = select(or(%i <= 3, %n[%i] <> 0), i32(%f[%i] >= 0.5), 300)
      // SHORT-NEXT: %{{.*}} = %{{.*}} == 1.0
      %unused = %s == 1.0
      // SHORT-NEXT: %[[C:.*]] = f32(0.1)
      %c = f32(0.1)
      // SHORT-NEXT: %{{.*}}[0] = %[[C]] + %[[C]]
      %f[0] = %c + %c
      // SHORT-NEXT: }
    }
  }
  return
}

// Flags are those of all ops that take them.
// LONG-LABEL:  func.func @flags
// SHORT-LABEL: func.func @flags
func.func @flags(%f: memref<8xf32>, %h: memref<8xf16>, %n: memref<8xi32>) {
  tile.kernel (%x) in (1) {
    // LONG:      memref.load
    // LONG:      arith.divf %{{.*}}, %{{.*}} fastmath<afn> : f32
    // LONG-NEXT: math.exp2 %{{.*}} fastmath<afn> : f32
    // SHORT:     tile.parallel (%i) in (8) do fastmath<afn> %{{.*}}[%i] = exp2(%{{.*}}[%i] / 3.0)
    tile.parallel (%i) in (8) do fastmath<afn> %f[%i] = exp2(%f[%i] / 3.0)
    // LONG:      arith.addf %{{.*}}, %{{.*}} fastmath<nnan,contract> : f32
    // LONG-NEXT: arith.constant
    // LONG-NEXT: arith.cmpf ogt, %{{.*}}, %{{.*}} fastmath<nnan,contract> : f32
    // LONG-NEXT: arith.extui
    // SHORT:      tile.parallel (%i) in (8) do fastmath<nnan,contract> {
    // SHORT-NEXT:   %[[V:.*]] = f32(%{{.*}}[%i]) + %{{.*}}[%i]
    // SHORT-NEXT:   %{{.*}}[%i] = i32(%[[V]] > 0.5)
    // SHORT-NEXT:   %{{.*}}[%i] = %[[V]]
    // SHORT-NEXT: }
    tile.parallel (%i) in (8) do fastmath<contract, nnan> {
      %v = f32(%h[%i]) + %f[%i]
      %n[%i] = i32(%v > 0.5)
      %f[%i] = %v
    }
    // SHORT: tile.parallel (%i) in (8) do %{{.*}}[%i] = %{{.*}}[%i] + 1
    tile.parallel (%i) in (8) do fastmath<none> %n[%i] = %n[%i] + 1
  }
  return
}

// What has no short form is printed in the long one, and so is what reading would give another order.
// SHORT-LABEL: func.func @long
func.func @long(%f: memref<8xf32>) {
  tile.kernel (%x) in (1) {
    // SHORT:      tile.parallel
    // SHORT-NEXT:   memref.load
    // SHORT-NEXT:   arith.addf %{{.*}} fastmath<fast>
    // SHORT-NEXT:   arith.mulf
    tile.parallel (%i) in (8) {
      %v = memref.load %f[%i] : memref<8xf32>
      %w = arith.addf %v, %v fastmath<fast> : f32
      %p = arith.mulf %w, %v : f32
      memref.store %p, %f[%i] : memref<8xf32>
    }
    // SHORT: tile.parallel (%i) in (8) {
    // SHORT-NEXT: }
    tile.parallel (%i) in (8) {
    }
    // SHORT: tile.parallel (%i) in (8) {
    // SHORT-NEXT: arith.constant
    // SHORT-NEXT: scf.if
    tile.parallel (%i) in (8) {
      %c = arith.constant true
      scf.if %c {
      }
    }
    // An order that the expression alone would not keep.
    // SHORT:      tile.parallel (%i) in (8) do {
    // SHORT-NEXT:   %[[A:.*]] = %{{.*}}[%i]
    // SHORT-NEXT:   %[[B:.*]] = %{{.*}}[7 - %i]
    // SHORT-NEXT:   %{{.*}}[%i] = %[[B]] - %[[A]]
    // SHORT-NEXT: }
    tile.parallel (%i) in (8) {
      %a = memref.load %f[%i] : memref<8xf32>
      %p = affine.apply affine_map<(d0) -> (-d0 + 7)>(%i)
      %b = memref.load %f[%p] : memref<8xf32>
      %d = arith.subf %b, %a : f32
      memref.store %d, %f[%i] : memref<8xf32>
    }
  }
  return
}

// A value that the text defines later, in a block that comes before: types are needed.
// SHORT-LABEL: func.func @blocks
func.func @blocks() {
  cf.br ^bb2
^bb1:
  // SHORT: tile.kernel
  // SHORT-NEXT: tile.copy %[[A:.*]], %{{.*}} : memref<4xf32>, memref<4xf32>
  tile.kernel (%x) in (1) {
    tile.copy %a, %b : memref<4xf32>, memref<4xf32>
  }
  return
^bb2:
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  cf.br ^bb1
}
