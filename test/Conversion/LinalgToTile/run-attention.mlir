// RUN: tile-run %s | FileCheck %s
// RUN: tile-opt --tile-from-linalg %s | FileCheck %s --check-prefix=IR
// RUN: tile-opt --tile-from-linalg=approximate %s | FileCheck %s --check-prefix=APPROXIMATE
// RUN: tile-opt --tile-from-linalg=approximate %s | tile-run - | FileCheck %s
// CHECK: 5 passed, 0 failed
// APPROXIMATE-COUNT-2: math.exp2 %{{.*}} fastmath<afn> : f32

// Causal attention with two query heads for one of keys, of any length: one kernel that reads the keys once.
// IR-LABEL: func.func @attention(
// IR: tile.kernel
// IR: tile.copy %arg0
// The keys behind the diagonal are left out.
// IR: %[[END:.*]] = arith.minsi
// IR: tile.pipelined %{{.*}} = 0 to %[[END]]
// IR: tile.copy %arg1
// IR: tile.copy %arg2
// IR: tile.gemm
// IR: tile.reduce max
// IR: tile.reduce sum
// IR: tile.gemm
// IR-NOT: tile.gemm
// IR-NOT: tile.kernel
// IR: return
#qk = affine_map<(g, h, i, j, d) -> (g, h, i, d)>
#kk = affine_map<(g, h, i, j, d) -> (g, j, d)>
#vv = affine_map<(g, h, i, d, j) -> (g, j, d)>
#s5 = affine_map<(g, h, i, j, d) -> (g, h, i, j)>
#p5 = affine_map<(g, h, i, d, j) -> (g, h, i, j)>
#o5 = affine_map<(g, h, i, d, j) -> (g, h, i, d)>
#id = affine_map<(g, h, i, j) -> (g, h, i, j)>
#row = affine_map<(g, h, i, j) -> (g, h, i)>
func.func @attention(
    %q: tensor<3x2x?x16xf32> {tile.shape = "3x2xMx16"}, %k: tensor<3x?x16xf32> {tile.shape = "3xNx16"},
    %v: tensor<3x?x24xf32> {tile.shape = "3xNx24"}) -> (tensor<3x2x?x24xf32> {tile.shape = "3x2xMx24"})
    attributes {tile.reference = @attention_reference, tile.atol = 1.0e-5, tile.rtol = 1.0e-4,
                tile.cases = ["M=64 N=64", "M=70 N=200", "M=3 N=1", "M=1 N=65", "M=0 N=3"]} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %m = tensor.dim %q, %c2 : tensor<3x2x?x16xf32>
  %n = tensor.dim %k, %c1 : tensor<3x?x16xf32>
  %e = tensor.empty(%m, %n) : tensor<3x2x?x?xf32>
  %r = tensor.empty(%m) : tensor<3x2x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2x?x?xf32>) -> tensor<3x2x?x?xf32>
  %s = linalg.generic {indexing_maps = [#qk, #kk, #s5],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<3x2x?x16xf32>, tensor<3x?x16xf32>) outs(%f : tensor<3x2x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %sum, %p : f32
    linalg.yield %t : f32
  } -> tensor<3x2x?x?xf32>
  %masked = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s : tensor<3x2x?x?xf32>) outs(%e : tensor<3x2x?x?xf32>) {
  ^bb0(%x: f32, %old: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %seen = arith.cmpi ule, %j, %i : index
    %scaled = arith.mulf %x, %scale : f32
    %t = arith.select %seen, %scaled, %lowest : f32
    linalg.yield %t : f32
  } -> tensor<3x2x?x?xf32>
  %f0 = linalg.fill ins(%lowest : f32) outs(%r : tensor<3x2x?xf32>) -> tensor<3x2x?xf32>
  %max = linalg.reduce { arith.maximumf } ins(%masked : tensor<3x2x?x?xf32>) outs(%f0 : tensor<3x2x?xf32>) dimensions = [3]
  %exp = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%masked, %max : tensor<3x2x?x?xf32>, tensor<3x2x?xf32>) outs(%e : tensor<3x2x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %d = arith.subf %x, %y : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<3x2x?x?xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%r : tensor<3x2x?xf32>) -> tensor<3x2x?xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<3x2x?x?xf32>) outs(%f1 : tensor<3x2x?xf32>) dimensions = [3]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%exp, %sum : tensor<3x2x?x?xf32>, tensor<3x2x?xf32>) outs(%e : tensor<3x2x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %t = arith.divf %x, %y : f32
    linalg.yield %t : f32
  } -> tensor<3x2x?x?xf32>
  %eo = tensor.empty(%m) : tensor<3x2x?x24xf32>
  %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x2x?x24xf32>) -> tensor<3x2x?x24xf32>
  %o = linalg.generic {indexing_maps = [#p5, #vv, #o5],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<3x2x?x?xf32>, tensor<3x?x24xf32>) outs(%fo : tensor<3x2x?x24xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %t = arith.mulf %x, %y : f32
    %u = arith.addf %old, %t : f32
    linalg.yield %u : f32
  } -> tensor<3x2x?x24xf32>
  return %o : tensor<3x2x?x24xf32>
}

// In f64 and without a maximum: the scores are small.
func.func @attention_reference(%q: memref<3x2x?x16xf32>, %k: memref<3x?x16xf32>, %v: memref<3x?x24xf32>,
                               %o: memref<3x2x?x24xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %scale = arith.constant 0.25 : f64
  %m = memref.dim %q, %c2 : memref<3x2x?x16xf32>
  %n = memref.dim %k, %c1 : memref<3x?x16xf32>
  affine.for %g = 0 to 3 {
    affine.for %h = 0 to 2 {
      affine.for %i = 0 to %m {
        affine.for %d = 0 to 24 {
          %num, %den = affine.for %j = 0 to min affine_map<(i)[n] -> (n, i + 1)>(%i)[%n]
              iter_args(%a = %zero, %b = %zero) -> (f64, f64) {
            %s = affine.for %l = 0 to 16 iter_args(%sum = %zero) -> f64 {
              %x = affine.load %q[%g, %h, %i, %l] : memref<3x2x?x16xf32>
              %y = affine.load %k[%g, %j, %l] : memref<3x?x16xf32>
              %xd = arith.extf %x : f32 to f64
              %yd = arith.extf %y : f32 to f64
              %p = arith.mulf %xd, %yd : f64
              %t = arith.addf %sum, %p : f64
              affine.yield %t : f64
            }
            %scaled = arith.mulf %s, %scale : f64
            %w = math.exp %scaled : f64
            %z = affine.load %v[%g, %j, %d] : memref<3x?x24xf32>
            %zd = arith.extf %z : f32 to f64
            %wz = arith.mulf %w, %zd : f64
            %a1 = arith.addf %a, %wz : f64
            %b1 = arith.addf %b, %w : f64
            affine.yield %a1, %b1 : f64, f64
          }
          %ratio = arith.divf %num, %den : f64
          %result = arith.truncf %ratio : f64 to f32
          affine.store %result, %o[%g, %h, %i, %d] : memref<3x2x?x24xf32>
        }
      }
    }
  }
  return
}
