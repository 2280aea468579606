// What `approximate` allows in a softmax: log2(e) and the scale of the scores are one factor, behind the maximum of what is not scaled.

// RUN: tile-opt --split-input-file --tile-from-linalg=approximate %s | FileCheck %s
// RUN: tile-opt --tile-from-linalg=approximate %s | tile-run - | FileCheck %s --check-prefix=RIGHT
// RUN: %if nvidia %{ tile-opt --tile-from-linalg=approximate %s | tile-run - --func=masked --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=MODEL %}
// RIGHT: {{^}}7 passed, 0 failed{{$}}
// MODEL: 3 passed, 0 failed

#q = affine_map<(g, i, j, d) -> (g, i, d)>
#k = affine_map<(g, i, j, d) -> (g, j, d)>
#s = affine_map<(g, i, j, d) -> (g, i, j)>
#v = affine_map<(g, i, d, j) -> (g, j, d)>
#p = affine_map<(g, i, d, j) -> (g, i, j)>
#o = affine_map<(g, i, d, j) -> (g, i, d)>
#id = affine_map<(g, i, j) -> (g, i, j)>
#row = affine_map<(g, i, j) -> (g, i)>
#r = affine_map<(i, j) -> (i, j)>
#first = affine_map<(i, j) -> (i)>

// The scale is a quotient, log2(e) / 5 = 0.288539; hidden scores are minus infinity. Positions are compared as indices, so that
// iterations behind no diagonal can lose the mask.
// CHECK-LABEL: func.func @masked(
// CHECK: tile.pipelined
// CHECK: %[[SEEN:.*]] = arith.cmpi sge, %{{.*}}, %{{.*}} : index
// CHECK-NEXT: %[[SCORE:.*]] = memref.load
// CHECK-NEXT: arith.select %[[SEEN]], %[[SCORE]], %{{.*}} : f32
// CHECK: tile.reduce max
// The old maximum, then the scores.
// CHECK-COUNT-2: math.fma %{{.*}}, %[[FACTOR:[a-z0-9_]+]], %{{.*}} : f32
// CHECK: math.exp2 %{{.*}} fastmath<afn> : f32
// CHECK: tile.reduce sum
// CHECK: return
func.func @masked(
    %q: tensor<2x?x32xbf16> {tile.shape = "2xMx32"}, %k: tensor<2x?x32xbf16> {tile.shape = "2xNx32"},
    %v: tensor<2x?x32xbf16> {tile.shape = "2xNx32"}) -> (tensor<2x?x32xbf16> {tile.shape = "2xMx32"})
    attributes {tile.reference = @masked_reference,
                // Weights and results are rounded to bf16.
                tile.atol = 8.0e-3, tile.rtol = 7.8125e-3, tile.cases = ["M=150 N=200", "M=64 N=128", "M=3 N=1"]} {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : bf16
  %lowest = arith.constant 0xFF800000 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 5.0 : f32
  %m = tensor.dim %q, %c1 : tensor<2x?x32xbf16>
  %n = tensor.dim %k, %c1 : tensor<2x?x32xbf16>
  %e = tensor.empty(%m, %n) : tensor<2x?x?xf32>
  %e16 = tensor.empty(%m, %n) : tensor<2x?x?xbf16>
  %r = tensor.empty(%m) : tensor<2x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x?x32xbf16>, tensor<2x?x32xbf16>) outs(%f : tensor<2x?x?xf32>) {
  ^bb0(%x: bf16, %y: bf16, %sum: f32):
    %xw = arith.extf %x : bf16 to f32
    %yw = arith.extf %y : bf16 to f32
    %p = arith.mulf %xw, %yw : f32
    %t = arith.addf %sum, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x?x?xf32>
  %masked = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x?x?xf32>) outs(%e : tensor<2x?x?xf32>) {
  ^bb0(%x: f32, %old: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %row = arith.index_cast %i : index to i64
    %column = arith.index_cast %j : index to i64
    %seen = arith.cmpi sge, %row, %column : i64
    %scaled = arith.divf %x, %scale : f32
    %t = arith.select %seen, %scaled, %hidden : f32
    linalg.yield %t : f32
  } -> tensor<2x?x?xf32>
  %f0 = linalg.fill ins(%lowest : f32) outs(%r : tensor<2x?xf32>) -> tensor<2x?xf32>
  %max = linalg.reduce { arith.maximumf } ins(%masked : tensor<2x?x?xf32>) outs(%f0 : tensor<2x?xf32>) dimensions = [2]
  %exp = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%masked, %max : tensor<2x?x?xf32>, tensor<2x?xf32>) outs(%e : tensor<2x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %d = arith.subf %x, %y : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<2x?x?xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%r : tensor<2x?xf32>) -> tensor<2x?xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<2x?x?xf32>) outs(%f1 : tensor<2x?xf32>) dimensions = [2]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%exp, %sum : tensor<2x?x?xf32>, tensor<2x?xf32>) outs(%e16 : tensor<2x?x?xbf16>) {
  ^bb0(%x: f32, %y: f32, %old: bf16):
    %w = arith.divf %x, %y : f32
    %t = arith.truncf %w : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x?x?xbf16>
  %eo = tensor.empty(%m) : tensor<2x?x32xbf16>
  %fo = linalg.fill ins(%zero16 : bf16) outs(%eo : tensor<2x?x32xbf16>) -> tensor<2x?x32xbf16>
  %o = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x?x?xbf16>, tensor<2x?x32xbf16>) outs(%fo : tensor<2x?x32xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %old: bf16):
    %t = arith.mulf %x, %y : bf16
    %u = arith.addf %old, %t : bf16
    linalg.yield %u : bf16
  } -> tensor<2x?x32xbf16>
  return %o : tensor<2x?x32xbf16>
}

func.func @masked_reference(%q: memref<2x?x32xbf16>, %k: memref<2x?x32xbf16>, %v: memref<2x?x32xbf16>, %o: memref<2x?x32xbf16>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %scale = arith.constant 5.0 : f64
  %m = memref.dim %q, %c1 : memref<2x?x32xbf16>
  %n = memref.dim %k, %c1 : memref<2x?x32xbf16>
  affine.for %g = 0 to 2 {
    affine.for %i = 0 to %m {
      affine.for %d = 0 to 32 {
        %num, %den = affine.for %j = 0 to min affine_map<(i)[n] -> (n, i + 1)>(%i)[%n]
            iter_args(%a = %zero, %b = %zero) -> (f64, f64) {
          %s = affine.for %l = 0 to 32 iter_args(%sum = %zero) -> f64 {
            %x = affine.load %q[%g, %i, %l] : memref<2x?x32xbf16>
            %y = affine.load %k[%g, %j, %l] : memref<2x?x32xbf16>
            %xd = arith.extf %x : bf16 to f64
            %yd = arith.extf %y : bf16 to f64
            %p = arith.mulf %xd, %yd : f64
            %t = arith.addf %sum, %p : f64
            affine.yield %t : f64
          }
          %scaled = arith.divf %s, %scale : f64
          %w = math.exp %scaled : f64
          %z = affine.load %v[%g, %j, %d] : memref<2x?x32xbf16>
          %zd = arith.extf %z : bf16 to f64
          %wz = arith.mulf %w, %zd : f64
          %a1 = arith.addf %a, %wz : f64
          %b1 = arith.addf %b, %w : f64
          affine.yield %a1, %b1 : f64, f64
        }
        %ratio = arith.divf %num, %den : f64
        %result = arith.truncf %ratio : f64 to bf16
        affine.store %result, %o[%g, %i, %d] : memref<2x?x32xbf16>
      }
    }
  }
  return
}

// The lowest finite number, divided by the scale, would not be finite. The first row has such numbers alone, and equal weights: the
// difference is formed before it is scaled.
// CHECK-LABEL: func.func @low(
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[LOW:[a-z0-9_]+]] : f32
// CHECK: tile.reduce max
// CHECK-NOT: math.fma
// CHECK: arith.subf
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: math.exp2
// CHECK: return
func.func @low(
    %q: tensor<2x?x32xbf16> {tile.shape = "2xMx32"}, %k: tensor<2x?x32xbf16> {tile.shape = "2xNx32"},
    %v: tensor<2x?x32xbf16> {tile.shape = "2xNx32"}) -> (tensor<2x?x32xbf16> {tile.shape = "2xMx32"})
    attributes {tile.reference = @low_reference,
                // Weights and results are rounded to bf16.
                tile.atol = 8.0e-3, tile.rtol = 7.8125e-3, tile.cases = ["M=150 N=200", "M=64 N=128", "M=3 N=1", "M=1 N=70"]} {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : bf16
  %lowest = arith.constant 0xFF800000 : f32
  %hidden = arith.constant 0xFF7FFFFF : f32
  %scale = arith.constant 0.2 : f32
  %m = tensor.dim %q, %c1 : tensor<2x?x32xbf16>
  %n = tensor.dim %k, %c1 : tensor<2x?x32xbf16>
  %e = tensor.empty(%m, %n) : tensor<2x?x?xf32>
  %e16 = tensor.empty(%m, %n) : tensor<2x?x?xbf16>
  %r = tensor.empty(%m) : tensor<2x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x?x32xbf16>, tensor<2x?x32xbf16>) outs(%f : tensor<2x?x?xf32>) {
  ^bb0(%x: bf16, %y: bf16, %sum: f32):
    %xw = arith.extf %x : bf16 to f32
    %yw = arith.extf %y : bf16 to f32
    %p = arith.mulf %xw, %yw : f32
    %t = arith.addf %sum, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x?x?xf32>
  %masked = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x?x?xf32>) outs(%e : tensor<2x?x?xf32>) {
  ^bb0(%x: f32, %old: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %row = arith.index_cast %i : index to i64
    %column = arith.index_cast %j : index to i64
    %seen = arith.cmpi sgt, %row, %column : i64
    %scaled = arith.mulf %x, %scale : f32
    %t = arith.select %seen, %scaled, %hidden : f32
    linalg.yield %t : f32
  } -> tensor<2x?x?xf32>
  %f0 = linalg.fill ins(%lowest : f32) outs(%r : tensor<2x?xf32>) -> tensor<2x?xf32>
  %max = linalg.reduce { arith.maximumf } ins(%masked : tensor<2x?x?xf32>) outs(%f0 : tensor<2x?xf32>) dimensions = [2]
  %exp = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%masked, %max : tensor<2x?x?xf32>, tensor<2x?xf32>) outs(%e : tensor<2x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %d = arith.subf %x, %y : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<2x?x?xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%r : tensor<2x?xf32>) -> tensor<2x?xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<2x?x?xf32>) outs(%f1 : tensor<2x?xf32>) dimensions = [2]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%exp, %sum : tensor<2x?x?xf32>, tensor<2x?xf32>) outs(%e16 : tensor<2x?x?xbf16>) {
  ^bb0(%x: f32, %y: f32, %old: bf16):
    %w = arith.divf %x, %y : f32
    %t = arith.truncf %w : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x?x?xbf16>
  %eo = tensor.empty(%m) : tensor<2x?x32xbf16>
  %fo = linalg.fill ins(%zero16 : bf16) outs(%eo : tensor<2x?x32xbf16>) -> tensor<2x?x32xbf16>
  %o = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x?x?xbf16>, tensor<2x?x32xbf16>) outs(%fo : tensor<2x?x32xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %old: bf16):
    %t = arith.mulf %x, %y : bf16
    %u = arith.addf %old, %t : bf16
    linalg.yield %u : bf16
  } -> tensor<2x?x32xbf16>
  return %o : tensor<2x?x32xbf16>
}

func.func @low_reference(%q: memref<2x?x32xbf16>, %k: memref<2x?x32xbf16>, %v: memref<2x?x32xbf16>, %o: memref<2x?x32xbf16>) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %scale = arith.constant 0.2 : f64
  %m = memref.dim %q, %c1 : memref<2x?x32xbf16>
  %n = memref.dim %k, %c1 : memref<2x?x32xbf16>
  affine.for %g = 0 to 2 {
    affine.for %i = 0 to %m {
      affine.for %d = 0 to 32 {
        %isFirst = arith.cmpi eq, %i, %c0 : index
        %num, %den = affine.for %j = 0 to %n iter_args(%a = %zero, %b = %zero) -> (f64, f64) {
          %s = affine.for %l = 0 to 32 iter_args(%sum = %zero) -> f64 {
            %x = affine.load %q[%g, %i, %l] : memref<2x?x32xbf16>
            %y = affine.load %k[%g, %j, %l] : memref<2x?x32xbf16>
            %xd = arith.extf %x : bf16 to f64
            %yd = arith.extf %y : bf16 to f64
            %p = arith.mulf %xd, %yd : f64
            %t = arith.addf %sum, %p : f64
            affine.yield %t : f64
          }
          %scaled = arith.mulf %s, %scale : f64
          %e = math.exp %scaled : f64
          %sees = arith.cmpi slt, %j, %i : index
          %seen = arith.select %sees, %e, %zero : f64
          %w = arith.select %isFirst, %one, %seen : f64
          %z = affine.load %v[%g, %j, %d] : memref<2x?x32xbf16>
          %zd = arith.extf %z : bf16 to f64
          %wz = arith.mulf %w, %zd : f64
          %a1 = arith.addf %a, %wz : f64
          %b1 = arith.addf %b, %w : f64
          affine.yield %a1, %b1 : f64, f64
        }
        %ratio = arith.divf %num, %den : f64
        %result = arith.truncf %ratio : f64 to bf16
        affine.store %result, %o[%g, %i, %d] : memref<2x?x32xbf16>
      }
    }
  }
  return
}

// A negative scale makes the maximum a minimum, and stays where it is.
// CHECK-LABEL: func.func @negative(
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : f32
// CHECK: tile.reduce max
// CHECK: return
func.func @negative(%x: tensor<8x256xf32> {tile.shape = "8x256"}) -> tensor<8x256xf32> {
  %scale = arith.constant -0.5 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<8x256xf32>
  %r = tensor.empty() : tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#r, #r], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x256xf32>) outs(%e : tensor<8x256xf32>) {
  ^bb0(%p: f32, %old: f32):
    %t = arith.mulf %p, %scale : f32
    linalg.yield %t : f32
  } -> tensor<8x256xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %max = linalg.reduce { arith.maximumf } ins(%s : tensor<8x256xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
  %w = linalg.generic {indexing_maps = [#r, #first, #r], iterator_types = ["parallel", "parallel"]}
      ins(%s, %max : tensor<8x256xf32>, tensor<8xf32>) outs(%e : tensor<8x256xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %d = arith.subf %p, %q : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<8x256xf32>
  return %w : tensor<8x256xf32>
}

// The maximum is a result, and is that of the scaled scores.
// CHECK-LABEL: func.func @read(
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : f32
// CHECK: tile.reduce max
// CHECK: return
func.func @read(%x: tensor<8x256xf32> {tile.shape = "8x256"}) -> (tensor<8x256xf32>, tensor<8xf32>) {
  %scale = arith.constant 0.5 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<8x256xf32>
  %r = tensor.empty() : tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#r, #r], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x256xf32>) outs(%e : tensor<8x256xf32>) {
  ^bb0(%p: f32, %old: f32):
    %t = arith.mulf %p, %scale : f32
    linalg.yield %t : f32
  } -> tensor<8x256xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %max = linalg.reduce { arith.maximumf } ins(%s : tensor<8x256xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
  %w = linalg.generic {indexing_maps = [#r, #first, #r], iterator_types = ["parallel", "parallel"]}
      ins(%s, %max : tensor<8x256xf32>, tensor<8xf32>) outs(%e : tensor<8x256xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %d = arith.subf %p, %q : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<8x256xf32>
  return %w, %max : tensor<8x256xf32>, tensor<8xf32>
}
