// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --param=attention0_queries=128 --param=attention0_keys=128 --param=attention0_threads=256 --param=attention0_stages=3 \
// RUN:   | FileCheck %s
// RUN: tile-run %s --func=shifted --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=MODEL
// Unsigned, the first rows end below 0, and see all keys.
// RUN: sed -e 's/%last = arith.addi/%last = arith.subi/' -e 's/cmpi sge, %last/cmpi uge, %last/' %s \
// RUN:   | tile-opt --tile-from-linalg | FileCheck %s --check-prefix=UNSIGNED
// RUN: not tile-run %s --param=attention0_threads=256 2>&1 | FileCheck %s --check-prefix=WARPS
// RUN: tile-opt --tile-from-linalg %s | FileCheck %s --check-prefix=IR
// CHECK: {{^}}8 passed, 0 failed{{$}}
// MODEL: 4 passed, 0 failed
// UNSIGNED-LABEL: func.func @shifted(
// UNSIGNED-NOT: arith.minsi
// UNSIGNED: tile.pipelined
// WARPS: error: 'tile.require' op the parameters do not meet this requirement: a warp has at least 16 queries

// A query sees three keys more than those before it. Hidden scores are low numbers: scaled products are never as low, so that keys behind
// the diagonal need not be read.
// IR-DAG: tile.param @attention0_keys = 64 in [64, 128] on(wgmma = 128)
// IR-LABEL: func.func @shifted(
// IR: tile.kernel (%{{.*}}, %{{.*}}) in (%{{.*}}, 2) threads(@attention0_threads)
// IR: %[[END:.*]] = arith.minsi
// IR: tile.pipelined %{{.*}} = 0 to %[[END]] stages(@attention0_stages)
// The store is a copy.
// IR: tile.copy %{{.*}}, %{{.*}} : memref<?x32xf32, #tile.fragment>, memref<?x32xbf16, strided<[32, 1], offset: ?>>
#q = affine_map<(g, i, j, d) -> (g, i, d)>
#k = affine_map<(g, i, j, d) -> (g, j, d)>
#s = affine_map<(g, i, j, d) -> (g, i, j)>
#v = affine_map<(g, i, d, j) -> (g, j, d)>
#p = affine_map<(g, i, d, j) -> (g, i, j)>
#o = affine_map<(g, i, d, j) -> (g, i, d)>
#id = affine_map<(g, i, j) -> (g, i, j)>
#ij = affine_map<(g, i, j) -> (i, j)>
#row = affine_map<(g, i, j) -> (g, i)>
func.func @shifted(
    %q: tensor<2x?x32xbf16> {tile.shape = "2xMx32"}, %k: tensor<2x?x32xbf16> {tile.shape = "2xNx32"},
    %v: tensor<2x?x32xbf16> {tile.shape = "2xNx32"}) -> (tensor<2x?x32xbf16> {tile.shape = "2xMx32"})
    attributes {tile.reference = @shifted_reference,
                // Weights and results are rounded to bf16.
                tile.atol = 8.0e-3, tile.rtol = 7.8125e-3,
                tile.cases = ["M=150 N=200", "M=200 N=150", "M=64 N=128", "M=3 N=1"]} {
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i32
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : bf16
  %lowest = arith.constant 0xFF800000 : f32
  %hidden = arith.constant -1.0e30 : f32
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
    %row = arith.index_cast %i : index to i32
    %column = arith.index_cast %j : index to i32
    %last = arith.addi %row, %three : i32
    %seen = arith.cmpi sge, %last, %column : i32
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

// In f64 and without a maximum: the scores are small.
func.func @shifted_reference(%q: memref<2x?x32xbf16>, %k: memref<2x?x32xbf16>, %v: memref<2x?x32xbf16>, %o: memref<2x?x32xbf16>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %scale = arith.constant 0.2 : f64
  %m = memref.dim %q, %c1 : memref<2x?x32xbf16>
  %n = memref.dim %k, %c1 : memref<2x?x32xbf16>
  affine.for %g = 0 to 2 {
    affine.for %i = 0 to %m {
      affine.for %d = 0 to 32 {
        %num, %den = affine.for %j = 0 to min affine_map<(i)[n] -> (n, i + 4)>(%i)[%n]
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
          %scaled = arith.mulf %s, %scale : f64
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

// With a bias, a score may be as low as a hidden one, and then all keys count.
// IR-LABEL: func.func @biased(
// IR-NOT: arith.minsi
// IR: tile.pipelined
// IR: return
func.func @biased(
    %q: tensor<2x?x32xbf16> {tile.shape = "2xMx32"}, %k: tensor<2x?x32xbf16> {tile.shape = "2xNx32"},
    %v: tensor<2x?x32xbf16> {tile.shape = "2xNx32"}, %bias: tensor<?x?xf32> {tile.shape = "MxN"}) -> (tensor<2x?x32xbf16> {tile.shape = "2xMx32"})
    attributes {tile.reference = @biased_reference,
                // Weights and results are rounded to bf16.
                tile.atol = 8.0e-3, tile.rtol = 7.8125e-3,
                tile.cases = ["M=150 N=200", "M=200 N=150", "M=64 N=128", "M=3 N=1"]} {
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i32
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : bf16
  %lowest = arith.constant 0xFF800000 : f32
  %hidden = arith.constant -1.0e30 : f32
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
  %masked = linalg.generic {indexing_maps = [#id, #ij, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %bias : tensor<2x?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<2x?x?xf32>) {
  ^bb0(%x: f32, %add: f32, %old: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %row = arith.index_cast %i : index to i32
    %column = arith.index_cast %j : index to i32
    %last = arith.addi %row, %three : i32
    %seen = arith.cmpi sge, %last, %column : i32
    %scaled = arith.mulf %x, %scale : f32
    %biased = arith.addf %scaled, %add : f32
    %t = arith.select %seen, %biased, %hidden : f32
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

// In f64 and without a maximum: the scores are small.
func.func @biased_reference(%q: memref<2x?x32xbf16>, %k: memref<2x?x32xbf16>, %v: memref<2x?x32xbf16>, %bias: memref<?x?xf32>, %o: memref<2x?x32xbf16>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %scale = arith.constant 0.2 : f64
  %m = memref.dim %q, %c1 : memref<2x?x32xbf16>
  %n = memref.dim %k, %c1 : memref<2x?x32xbf16>
  affine.for %g = 0 to 2 {
    affine.for %i = 0 to %m {
      affine.for %d = 0 to 32 {
        %num, %den = affine.for %j = 0 to min affine_map<(i)[n] -> (n, i + 4)>(%i)[%n]
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
          %scaled = arith.mulf %s, %scale : f64
            %add = affine.load %bias[%i, %j] : memref<?x?xf32>
            %addd = arith.extf %add : f32 to f64
            %exponent = arith.addf %scaled, %addd : f64
          %w = math.exp %exponent : f64
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
