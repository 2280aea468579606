// Kernels of models, of any size, as somebody would write them who has read the documentation only: recurrences, losses, resampling,
// convolutions. References are plain loops.

// REQUIRES: tile-run, nvidia, amd, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx950 --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx1100 --device=model | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=950 | FileCheck %s
// CHECK: {{^}}15 passed, 0 failed{{$}}

// The recurrence of RWKV, one step after the other. Tolerance: two exponentials and a quotient in f32, over the steps.
func.func @rwkv(%w: memref<?xf32> {tile.init = "uniform(-2, 0)", tile.shape = "C"}, %u: memref<?xf32> {tile.shape = "C"}, %k: memref<?x?x?xf32> {tile.shape = "BxTxC"},
                %v: memref<?x?x?xf32> {tile.shape = "BxTxC"}, %y: memref<?x?x?xf32> {tile.result, tile.shape = "BxTxC"})
    attributes {tile.reference = @rwkv_reference, tile.atol = 1.0e-5, tile.rtol = 1.0e-4, tile.cases = ["B=2 T=9 C=70", "B=1 T=1 C=1", "B=1 T=0 C=7"]} {
  tile.kernel (%c, %b) in (ceildiv(dim(%w, 0), 64), dim(%k, 0)) threads(64) {
    %p = tile.alloc : memref<64xf32, #tile.fragment>
    %q = tile.alloc : memref<64xf32, #tile.fragment>
    %o = tile.alloc : memref<64xf32, #tile.fragment>
    tile.fill %p, 0.0
    tile.fill %q, 0.0
    tile.fill %o, -1.0e38
    tile.pipelined %t = 0 to dim(%k, 1) {
      tile.parallel (%i) in (64) do {
        %kk = %k[%b, %t, %c * 64 + %i]
        %vv = %v[%b, %t, %c * 64 + %i]
        %uk = %u[%c * 64 + %i] + %kk
        %no = max(%o[%i], %uk)
        %a = exp(%o[%i] - %no)
        %bb = exp(%uk - %no)
        %y[%b, %t, %c * 64 + %i] = (%a * %p[%i] + %bb * %vv) / (%a * %q[%i] + %bb)
        %wo = %w[%c * 64 + %i] + %o[%i]
        %n2 = max(%wo, %kk)
        %a2 = exp(%wo - %n2)
        %b2 = exp(%kk - %n2)
        %p[%i] = %a2 * %p[%i] + %b2 * %vv
        %q[%i] = %a2 * %q[%i] + %b2
        %o[%i] = %n2
      }
    }
  }
  return
}
func.func private @rwkv_reference(%w: memref<?xf32>, %u: memref<?xf32>, %k: memref<?x?x?xf32>, %v: memref<?x?x?xf32>, %y: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %batch = memref.dim %k, %c0 : memref<?x?x?xf32>
  %steps = memref.dim %k, %c1 : memref<?x?x?xf32>
  %channels = memref.dim %k, %c2 : memref<?x?x?xf32>
  affine.for %b = 0 to %batch {
    affine.for %c = 0 to %channels {
      %w0 = affine.load %w[%c] : memref<?xf32>
      %decay = arith.extf %w0 : f32 to f64
      %fade = math.exp %decay : f64
      %u0 = affine.load %u[%c] : memref<?xf32>
      %bonus = arith.extf %u0 : f32 to f64
      %more = math.exp %bonus : f64
      // Sums of exponentials without a maximum, which f64 holds.
      %r:2 = affine.for %t = 0 to %steps iter_args(%p = %zero, %q = %zero) -> (f64, f64) {
        %k0 = affine.load %k[%b, %t, %c] : memref<?x?x?xf32>
        %key = arith.extf %k0 : f32 to f64
        %e = math.exp %key : f64
        %v0 = affine.load %v[%b, %t, %c] : memref<?x?x?xf32>
        %value = arith.extf %v0 : f32 to f64
        %ev = arith.mulf %e, %value : f64
        %now = arith.mulf %more, %ev : f64
        %weight = arith.mulf %more, %e : f64
        %above = arith.addf %p, %now : f64
        %below = arith.addf %q, %weight : f64
        %o = arith.divf %above, %below : f64
        %o0 = arith.truncf %o : f64 to f32
        affine.store %o0, %y[%b, %t, %c] : memref<?x?x?xf32>
        %p1 = arith.mulf %p, %fade : f64
        %q1 = arith.mulf %q, %fade : f64
        %p2 = arith.addf %p1, %ev : f64
        %q2 = arith.addf %q1, %e : f64
        affine.yield %p2, %q2 : f64, f64
      }
    }
  }
  return
}

// A loss with its gradient; the rows of label 0 count for nothing. Tolerance: sums of up to 700 exponentials in f32.
func.func @cross_entropy(%x: memref<?x?xf32> {tile.shape = "NxV"}, %y: memref<?xi32> {tile.init = "integers(0, V - 1)", tile.shape = "N"}, %loss: memref<?xf32> {tile.result, tile.shape = "N"}, %g: memref<?x?xf32> {tile.result, tile.shape = "NxV"})
    attributes {tile.reference = @cross_entropy_reference, tile.atol = 1.0e-5, tile.rtol = 1.0e-4, tile.cases = ["N=9 V=700", "N=3 V=1", "N=5 V=129", "N=0 V=7"]} {
  tile.kernel (%n) in (dim(%x, 0)) threads(128) {
    tile.padding_value %x, -inf
    %t = tile.alloc : memref<512xf32, #tile.fragment>
    %max = tile.alloc : memref<1xf32, #tile.fragment>
    %old = tile.alloc : memref<1xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.fill %max, -inf
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to ceildiv(dim(%x, 1), 512) {
      tile.copy %x[%n, %k * 512], %t
      tile.copy %max, %old
      tile.reduce max %t, %max dim(0) {combine}
      tile.parallel (%i) in (1) do %sum[%i] = %sum[%i] * exp(%old[%i] - %max[%i])
      tile.parallel (%i) in (512) do %t[%i] = exp(%t[%i] - %max[0])
      tile.reduce sum %t, %sum dim(0) {combine}
    }
    tile.parallel (%i) in (1) do {
      %label = %y[%n]
      if %label == 0 {
        %loss[%n] = 0.0
      } else {
        %loss[%n] = log(%sum[0]) + %max[0] - %x[%n, index(%label)]
      }
    }
    tile.pipelined %k = 0 to ceildiv(dim(%x, 1), 512) {
      tile.parallel (%i) in (512) do {
        %p = exp(%x[%n, %k * 512 + %i] - %max[0]) / %sum[0]
        %d = select(%k * 512 + %i == index(%y[%n]), %p - 1.0, %p)
        %g[%n, %k * 512 + %i] = select(%y[%n] == 0, 0.0, %d)
      }
    }
  }
  return
}
func.func private @cross_entropy_reference(%x: memref<?x?xf32>, %y: memref<?xi32>, %loss: memref<?xf32>, %g: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %rows = memref.dim %x, %c0 : memref<?x?xf32>
  %words = memref.dim %x, %c1 : memref<?x?xf32>
  affine.for %n = 0 to %rows {
    %label = affine.load %y[%n] : memref<?xi32>
    %at = arith.index_cast %label : i32 to index
    %counts = arith.cmpi ne, %at, %c0 : index
    %factor = arith.select %counts, %one, %zero : f64
    %sum = affine.for %v = 0 to %words iter_args(%old = %zero) -> f64 {
      %a = affine.load %x[%n, %v] : memref<?x?xf32>
      %b = arith.extf %a : f32 to f64
      %e = math.exp %b : f64
      %new = arith.addf %old, %e : f64
      affine.yield %new : f64
    }
    %log = math.log %sum : f64
    %a = memref.load %x[%n, %at] : memref<?x?xf32>
    %b = arith.extf %a : f32 to f64
    %l = arith.subf %log, %b : f64
    %m = arith.mulf %l, %factor : f64
    %k = arith.truncf %m : f64 to f32
    affine.store %k, %loss[%n] : memref<?xf32>
    affine.for %v = 0 to %words {
      %c = affine.load %x[%n, %v] : memref<?x?xf32>
      %d = arith.extf %c : f32 to f64
      %e = math.exp %d : f64
      %p = arith.divf %e, %sum : f64
      %is = arith.cmpi eq, %v, %at : index
      %less = arith.subf %p, %one : f64
      %q = arith.select %is, %less, %p : f64
      %r = arith.mulf %q, %factor : f64
      %s = arith.truncf %r : f64 to f32
      affine.store %s, %g[%n, %v] : memref<?x?xf32>
    }
  }
  return
}

// The scan of Mamba. Tolerance: exponentials and sums of 16 products in f32, over the steps.
func.func @selective_scan(%x: memref<?x?x?xf32> {tile.shape = "BxTxD"}, %dt: memref<?x?x?xf32> {tile.init = "uniform(0, 1)", tile.shape = "BxTxD"}, %a: memref<?x16xf32> {tile.init = "uniform(-1, 0)", tile.shape = "Dx16"},
                          %bm: memref<?x?x16xf32> {tile.shape = "BxTx16"}, %cm: memref<?x?x16xf32> {tile.shape = "BxTx16"}, %y: memref<?x?x?xf32> {tile.result, tile.shape = "BxTxD"})
    attributes {tile.reference = @selective_scan_reference, tile.atol = 1.0e-4, tile.rtol = 1.0e-4, tile.cases = ["B=2 T=9 D=33", "B=1 T=1 D=1", "B=1 T=0 D=7"]} {
  tile.kernel (%d, %b) in (ceildiv(dim(%x, 2), 32), dim(%x, 0)) threads(128) {
    %h = tile.alloc : memref<32x16xf32, #tile.fragment>
    %p = tile.alloc : memref<32x16xf32, #tile.fragment>
    %as = tile.alloc : memref<32x16xf32, #tile.fragment>
    %o = tile.alloc : memref<32xf32, #tile.fragment>
    tile.fill %h, 0.0
    tile.copy %a[%d * 32, 0], %as
    tile.pipelined %t = 0 to dim(%x, 1) {
      tile.parallel (%i, %n) in (32, 16) do {
        %dd = %dt[%b, %t, %d * 32 + %i]
        %h[%i, %n] = exp(%dd * %as[%i, %n]) * %h[%i, %n] + %dd * %x[%b, %t, %d * 32 + %i] * %bm[%b, %t, %n]
        %p[%i, %n] = %h[%i, %n] * %cm[%b, %t, %n]
      }
      tile.reduce sum %p, %o dim(1)
      tile.copy %o, %y[%b, %t, %d * 32]
    }
  }
  return
}
func.func private @selective_scan_reference(%x: memref<?x?x?xf32>, %dt: memref<?x?x?xf32>, %a: memref<?x16xf32>, %bm: memref<?x?x16xf32>,
                                            %cm: memref<?x?x16xf32>, %y: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0.0 : f32
  %batch = memref.dim %x, %c0 : memref<?x?x?xf32>
  %steps = memref.dim %x, %c1 : memref<?x?x?xf32>
  %channels = memref.dim %x, %c2 : memref<?x?x?xf32>
  affine.for %b = 0 to %batch {
    affine.for %d = 0 to %channels {
      affine.for %t = 0 to %steps {
        affine.store %none, %y[%b, %t, %d] : memref<?x?x?xf32>
      }
      affine.for %n = 0 to 16 {
        %a0 = affine.load %a[%d, %n] : memref<?x16xf32>
        %rate = arith.extf %a0 : f32 to f64
        %last = affine.for %t = 0 to %steps iter_args(%h = %zero) -> f64 {
          %t0 = affine.load %dt[%b, %t, %d] : memref<?x?x?xf32>
          %time = arith.extf %t0 : f32 to f64
          %power = arith.mulf %time, %rate : f64
          %decay = math.exp %power : f64
          %kept = arith.mulf %decay, %h : f64
          %x0 = affine.load %x[%b, %t, %d] : memref<?x?x?xf32>
          %in = arith.extf %x0 : f32 to f64
          %b0 = affine.load %bm[%b, %t, %n] : memref<?x?x16xf32>
          %gate = arith.extf %b0 : f32 to f64
          %scaled = arith.mulf %time, %in : f64
          %added = arith.mulf %scaled, %gate : f64
          %next = arith.addf %kept, %added : f64
          %c = affine.load %cm[%b, %t, %n] : memref<?x?x16xf32>
          %out = arith.extf %c : f32 to f64
          %term = arith.mulf %next, %out : f64
          %y0 = affine.load %y[%b, %t, %d] : memref<?x?x?xf32>
          %y1 = arith.extf %y0 : f32 to f64
          %y2 = arith.addf %y1, %term : f64
          %y3 = arith.truncf %y2 : f64 to f32
          affine.store %y3, %y[%b, %t, %d] : memref<?x?x?xf32>
          affine.yield %next : f64
        }
      }
    }
  }
  return
}

// A convolution of volumes, 27 products. A tile begins before the volume, so it is copied to one of its own first. The numbers are exact.
func.func @conv3d(%x: memref<?x?x?x?xf16> {tile.init = "integers(-4, 4)", tile.shape = "DxHxWxC"}, %w: memref<3x3x3x?x?xf16> {tile.init = "integers(-4, 4)", tile.shape = "3x3x3xCxF"},
                  %y: memref<?x?x?x?xf32> {tile.result, tile.shape = "DxHxWxF"})
    attributes {tile.reference = @conv3d_reference, tile.cases = ["D=2 H=3 W=33 C=7 F=33", "D=1 H=1 W=1 C=1 F=1"]} {
  tile.kernel (%n, %i, %d) in (ceildiv(dim(%w, 4), 32), dim(%x, 1) * ceildiv(dim(%x, 2), 32), dim(%x, 0)) threads(128) {
    %xs = tile.alloc : memref<32x32xf16, #tile.shared>
    %halo = tile.alloc : memref<32x32xf16, #tile.shared>
    %ws = tile.alloc : memref<32x32xf16, #tile.shared>
    %acc = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %t = 0 to 27 * ceildiv(dim(%x, 3), 32) stages(2) {
      tile.copy %x[%d + %t mod 3 - 1, %i mod max(dim(%x, 1), 1) + (%t floordiv 3) mod 3 - 1, (%i floordiv max(dim(%x, 1), 1)) * 32 + (%t floordiv 9) mod 3 - 1, (%t floordiv 27) * 32] [1, 1, 32, 32], %halo
      tile.copy %halo, %xs
      tile.copy %w[%t mod 3, (%t floordiv 3) mod 3, (%t floordiv 9) mod 3, (%t floordiv 27) * 32, %n * 32] [1, 1, 1, 32, 32], %ws
      tile.gemm %xs, %ws, %acc
    }
    tile.copy %acc, %y[%d, %i mod max(dim(%x, 1), 1), (%i floordiv max(dim(%x, 1), 1)) * 32, %n * 32] [1, 1, 32, 32]
  }
  return
}
func.func private @conv3d_reference(%x: memref<?x?x?x?xf16>, %w: memref<3x3x3x?x?xf16>, %y: memref<?x?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %depth = memref.dim %x, %c0 : memref<?x?x?x?xf16>
  %height = memref.dim %x, %c1 : memref<?x?x?x?xf16>
  %width = memref.dim %x, %c2 : memref<?x?x?x?xf16>
  %channels = memref.dim %x, %c3 : memref<?x?x?x?xf16>
  %filters = memref.dim %y, %c3 : memref<?x?x?x?xf32>
  affine.parallel (%d, %h, %v, %f) = (0, 0, 0, 0) to (symbol(%depth), symbol(%height), symbol(%width), symbol(%filters)) {
    affine.store %zero, %y[%d, %h, %v, %f] : memref<?x?x?x?xf32>
    affine.for %i = 0 to 3 {
      affine.for %j = 0 to 3 {
        affine.for %k = 0 to 3 {
          affine.if affine_set<(d, h, v, i, j, k)[D, H, W] : (d + i - 1 >= 0, h + j - 1 >= 0, v + k - 1 >= 0, D - d - i >= 0, H - h - j >= 0,
                                                             W - v - k >= 0)>(%d, %h, %v, %i, %j, %k)[%depth, %height, %width] {
            affine.for %c = 0 to %channels {
              %a = affine.load %x[%d + %i - 1, %h + %j - 1, %v + %k - 1, %c] : memref<?x?x?x?xf16>
              %b = affine.load %w[%i, %j, %k, %c, %f] : memref<3x3x3x?x?xf16>
              %p = arith.extf %a : f16 to f32
              %q = arith.extf %b : f16 to f32
              %term = arith.mulf %p, %q : f32
              %old = affine.load %y[%d, %h, %v, %f] : memref<?x?x?x?xf32>
              %new = arith.addf %old, %term : f32
              affine.store %new, %y[%d, %h, %v, %f] : memref<?x?x?x?xf32>
            }
          }
        }
      }
    }
  }
  return
}

// Images resampled. Tolerance: positions in f32, whose rounding counts for a part of a pixel.
func.func @bilinear(%x: memref<?x?x?xf32> {tile.shape = "CxHxW"}, %y: memref<?x?x?xf32> {tile.result, tile.shape = "CxPxQ"})
    attributes {tile.reference = @bilinear_reference, tile.atol = 1.0e-4, tile.rtol = 1.0e-4, tile.cases = ["C=2 H=7 W=9 P=13 Q=70", "C=1 H=1 W=1 P=1 Q=1", "C=1 H=16 W=129 P=5 Q=40"]} {
  tile.kernel (%q, %p, %c) in (ceildiv(dim(%y, 2), 64), dim(%y, 1), dim(%y, 0)) threads(64) {
    tile.parallel (%j) in (64) do {
      %sy = f32(i32(dim(%x, 1))) / f32(i32(dim(%y, 1)))
      %sx = f32(i32(dim(%x, 2))) / f32(i32(dim(%y, 2)))
      %fy = max((f32(i32(%p)) + 0.5) * %sy - 0.5, 0.0)
      %fx = max((f32(i32(%q * 64 + %j)) + 0.5) * %sx - 0.5, 0.0)
      %y0 = min(index(i32(%fy)), dim(%x, 1) - 1)
      %x0 = min(index(i32(%fx)), dim(%x, 2) - 1)
      %y1 = min(%y0 + 1, dim(%x, 1) - 1)
      %x1 = min(%x0 + 1, dim(%x, 2) - 1)
      %wy = %fy - f32(i32(%y0))
      %wx = %fx - f32(i32(%x0))
      %top = %x[%c, %y0, %x0] * (1.0 - %wx) + %x[%c, %y0, %x1] * %wx
      %bot = %x[%c, %y1, %x0] * (1.0 - %wx) + %x[%c, %y1, %x1] * %wx
      %y[%c, %p, %q * 64 + %j] = %top * (1.0 - %wy) + %bot * %wy
    }
  }
  return
}
func.func private @bilinear_reference(%x: memref<?x?x?xf32>, %y: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %channels = memref.dim %x, %c0 : memref<?x?x?xf32>
  %none = arith.constant 0.0 : f32
  %height = memref.dim %x, %c1 : memref<?x?x?xf32>
  %width = memref.dim %x, %c2 : memref<?x?x?xf32>
  %rows = memref.dim %y, %c1 : memref<?x?x?xf32>
  %columns = memref.dim %y, %c2 : memref<?x?x?xf32>
  // A pixel weighs what is left of 1 by the distance of the position from it in each dimension.
  affine.parallel (%c, %p, %q) = (0, 0, 0) to (symbol(%channels), symbol(%rows), symbol(%columns)) {
    affine.store %none, %y[%c, %p, %q] : memref<?x?x?xf32>
    %fy = func.call @position(%p, %height, %rows) : (index, index, index) -> f64
    %fx = func.call @position(%q, %width, %columns) : (index, index, index) -> f64
    affine.for %i = 0 to %height {
      %wy = func.call @weight(%fy, %i) : (f64, index) -> f64
      affine.for %j = 0 to %width {
        %wx = func.call @weight(%fx, %j) : (f64, index) -> f64
        %v = affine.load %x[%c, %i, %j] : memref<?x?x?xf32>
        %w = arith.extf %v : f32 to f64
        %a = arith.mulf %w, %wy : f64
        %b = arith.mulf %a, %wx : f64
        %d = arith.truncf %b : f64 to f32
        %old = affine.load %y[%c, %p, %q] : memref<?x?x?xf32>
        %new = arith.addf %old, %d : f32
        affine.store %new, %y[%c, %p, %q] : memref<?x?x?xf32>
      }
    }
  }
  return
}
// (at + 1/2) * from / to - 1/2, within the pixels.
func.func private @position(%at: index, %from: index, %to: index) -> f64 {
  %zero = arith.constant 0.0 : f64
  %half = arith.constant 0.5 : f64
  %one = arith.constant 1.0 : f64
  %a = arith.index_cast %at : index to i64
  %b = arith.index_cast %from : index to i64
  %c = arith.index_cast %to : index to i64
  %x = arith.sitofp %a : i64 to f64
  %n = arith.sitofp %b : i64 to f64
  %m = arith.sitofp %c : i64 to f64
  %middle = arith.addf %x, %half : f64
  %product = arith.mulf %middle, %n : f64
  %quotient = arith.divf %product, %m : f64
  %position = arith.subf %quotient, %half : f64
  %last = arith.subf %n, %one : f64
  %least = arith.maximumf %position, %zero : f64
  %inside = arith.minimumf %least, %last : f64
  return %inside : f64
}
func.func private @weight(%position: f64, %pixel: index) -> f64 {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %a = arith.index_cast %pixel : index to i64
  %x = arith.sitofp %a : i64 to f64
  %distance = arith.subf %position, %x : f64
  %size = math.absf %distance : f64
  %rest = arith.subf %one, %size : f64
  %weight = arith.maximumf %rest, %zero : f64
  return %weight : f64
}
