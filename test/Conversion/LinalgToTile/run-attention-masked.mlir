// RUN: tile-run %s | FileCheck %s
// RUN: tile-opt --tile-from-linalg %s | FileCheck %s --check-prefix=IR
// RUN: tile-opt --tile-from-linalg %s --remark-policy=all --remarks-filter=convert-linalg-to-tile -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// CHECK: {{^}}10 passed, 0 failed{{$}}

// Attention in one pass over the keys: a bias, a mask of which rows may be empty, keys that lie across, a softmax to the base of 2, and
// what PyTorch does with rows that see nothing.
// IR-LABEL: func.func @masked(
// IR: tile.kernel
// IR: tile.pipelined %{{.*}} stages(@attention0_stages)
// IR: tile.gemm {{.*}} {clear} : memref<?x64xf16, #tile.shared>, memref<64x?xf16, #tile.shared>
// IR: tile.reduce max {{.*}} dim(1) {combine}
// IR: tile.reduce and {{.*}} dim(1) {combine}
// IR: math.exp2
// IR: tile.reduce sum {{.*}} dim(1) {combine}
// IR: tile.gemm {{.*}} : memref<?x?xf16, #tile.fragment>, memref<?x32xf16, #tile.shared>
// IR-NOT: tile.kernel
// IR: return
#qk = affine_map<(g, i, j, d) -> (g, i, d)>
#kk = affine_map<(g, i, j, d) -> (g, d, j)>
#s4 = affine_map<(g, i, j, d) -> (g, i, j)>
#vv = affine_map<(g, i, d, j) -> (g, j, d)>
#p4 = affine_map<(g, i, d, j) -> (g, i, j)>
#o4 = affine_map<(g, i, d, j) -> (g, i, d)>
#id = affine_map<(g, i, j) -> (g, i, j)>
#ij = affine_map<(g, i, j) -> (i, j)>
#row = affine_map<(g, i, j) -> (g, i)>
func.func @masked(
    %q: tensor<2x?x40xf16> {tile.shape = "2xMx40"}, %k: tensor<2x40x?xf16> {tile.shape = "2x40xN"},
    %v: tensor<2x?x24xf16> {tile.shape = "2xNx24"}, %bias: tensor<?x?xf32> {tile.shape = "MxN"},
    %mask: tensor<?x?xi8> {tile.shape = "MxN", tile.init = "integers(0,1)"})
    -> (tensor<2x?x24xf16> {tile.shape = "2xMx24"})
    attributes {tile.reference = @masked_reference,
                // Weights and results are rounded to f16.
                tile.atol = 2.0e-3, tile.rtol = 2.0e-3,
                tile.cases = ["M=150 N=200", "M=64 N=128", "M=70 N=65", "M=3 N=1", "M=5 N=0", "M=0 N=3"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i8
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : f16
  %true = arith.constant true
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.158 : f32
  %log2e = arith.constant 1.44269504 : f32
  %m = tensor.dim %bias, %c0 : tensor<?x?xf32>
  %n = tensor.dim %bias, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<2x?x?xf32>
  %e16 = tensor.empty(%m, %n) : tensor<2x?x?xf16>
  %r = tensor.empty(%m) : tensor<2x?xf32>
  %r1 = tensor.empty(%m) : tensor<2x?xi1>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %s = linalg.generic {indexing_maps = [#qk, #kk, #s4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x?x40xf16>, tensor<2x40x?xf16>) outs(%f : tensor<2x?x?xf32>) {
  ^bb0(%x: f16, %y: f16, %sum: f32):
    %xw = arith.extf %x : f16 to f32
    %yw = arith.extf %y : f16 to f32
    %p = arith.mulf %xw, %yw : f32
    %t = arith.addf %sum, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x?x?xf32>
  %masked = linalg.generic {indexing_maps = [#id, #ij, #ij, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %bias, %mask : tensor<2x?x?xf32>, tensor<?x?xf32>, tensor<?x?xi8>) outs(%e : tensor<2x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %w: i8, %old: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %later = arith.cmpi uge, %j, %i : index
    %given = arith.cmpi ne, %w, %none : i8
    %seen = arith.andi %later, %given : i1
    %scaled = arith.mulf %x, %scale : f32
    %biased = arith.addf %scaled, %y : f32
    %t = arith.select %seen, %biased, %lowest : f32
    linalg.yield %t : f32
  } -> tensor<2x?x?xf32>
  %f0 = linalg.fill ins(%lowest : f32) outs(%r : tensor<2x?xf32>) -> tensor<2x?xf32>
  %max = linalg.reduce { arith.maxnumf } ins(%masked : tensor<2x?x?xf32>) outs(%f0 : tensor<2x?xf32>) dimensions = [2]
  %f1 = linalg.fill ins(%true : i1) outs(%r1 : tensor<2x?xi1>) -> tensor<2x?xi1>
  %blind = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%masked : tensor<2x?x?xf32>) outs(%f1 : tensor<2x?xi1>) {
  ^bb0(%x: f32, %all: i1):
    %out = arith.cmpf oeq, %x, %lowest : f32
    %t = arith.andi %all, %out : i1
    linalg.yield %t : i1
  } -> tensor<2x?xi1>
  %exp = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%masked, %max : tensor<2x?x?xf32>, tensor<2x?xf32>) outs(%e : tensor<2x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %d = arith.subf %x, %y : f32
    %b = arith.mulf %d, %log2e : f32
    %t = math.exp2 %b : f32
    linalg.yield %t : f32
  } -> tensor<2x?x?xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%r : tensor<2x?xf32>) -> tensor<2x?xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<2x?x?xf32>) outs(%f2 : tensor<2x?xf32>) dimensions = [2]
  %p = linalg.generic {indexing_maps = [#id, #row, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%exp, %sum, %blind : tensor<2x?x?xf32>, tensor<2x?xf32>, tensor<2x?xi1>) outs(%e16 : tensor<2x?x?xf16>) {
  ^bb0(%x: f32, %y: f32, %empty: i1, %old: f16):
    %w = arith.divf %x, %y : f32
    %t = arith.select %empty, %zero, %w : f32
    %h = arith.truncf %t : f32 to f16
    linalg.yield %h : f16
  } -> tensor<2x?x?xf16>
  %eo = tensor.empty(%m) : tensor<2x?x24xf16>
  %fo = linalg.fill ins(%zero16 : f16) outs(%eo : tensor<2x?x24xf16>) -> tensor<2x?x24xf16>
  %o = linalg.generic {indexing_maps = [#p4, #vv, #o4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x?x?xf16>, tensor<2x?x24xf16>) outs(%fo : tensor<2x?x24xf16>) {
  ^bb0(%x: f16, %y: f16, %old: f16):
    %t = arith.mulf %x, %y : f16
    %u = arith.addf %old, %t : f16
    linalg.yield %u : f16
  } -> tensor<2x?x24xf16>
  return %o : tensor<2x?x24xf16>
}

// In f64 and without a maximum: the scores are small.
func.func @masked_reference(%q: memref<2x?x40xf16>, %k: memref<2x40x?xf16>, %v: memref<2x?x24xf16>, %bias: memref<?x?xf32>,
                            %mask: memref<?x?xi8>, %o: memref<2x?x24xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i8
  %zero = arith.constant 0.0 : f64
  %scale = arith.constant 0.158 : f64
  %m = memref.dim %bias, %c0 : memref<?x?xf32>
  %n = memref.dim %bias, %c1 : memref<?x?xf32>
  affine.for %g = 0 to 2 {
    affine.for %i = 0 to %m {
      affine.for %d = 0 to 24 {
        %num, %den = affine.for %j = 0 to %n iter_args(%a = %zero, %b = %zero) -> (f64, f64) {
          %s = affine.for %l = 0 to 40 iter_args(%sum = %zero) -> f64 {
            %x = affine.load %q[%g, %i, %l] : memref<2x?x40xf16>
            %y = affine.load %k[%g, %l, %j] : memref<2x40x?xf16>
            %xd = arith.extf %x : f16 to f64
            %yd = arith.extf %y : f16 to f64
            %p = arith.mulf %xd, %yd : f64
            %t = arith.addf %sum, %p : f64
            affine.yield %t : f64
          }
          %scaled = arith.mulf %s, %scale : f64
          %add = affine.load %bias[%i, %j] : memref<?x?xf32>
          %addd = arith.extf %add : f32 to f64
          %biased = arith.addf %scaled, %addd : f64
          %e = math.exp %biased : f64
          %later = arith.cmpi uge, %j, %i : index
          %w = affine.load %mask[%i, %j] : memref<?x?xi8>
          %given = arith.cmpi ne, %w, %none : i8
          %seen = arith.andi %later, %given : i1
          %weight = arith.select %seen, %e, %zero : f64
          %z = affine.load %v[%g, %j, %d] : memref<2x?x24xf16>
          %zd = arith.extf %z : f16 to f64
          %wz = arith.mulf %weight, %zd : f64
          %a1 = arith.addf %a, %wz : f64
          %b1 = arith.addf %b, %weight : f64
          affine.yield %a1, %b1 : f64, f64
        }
        %empty = arith.cmpf oeq, %den, %zero : f64
        %ratio = arith.divf %num, %den : f64
        %mean = arith.select %empty, %zero, %ratio : f64
        %result = arith.truncf %mean : f64 to f16
        affine.store %result, %o[%g, %i, %d] : memref<2x?x24xf16>
      }
    }
  }
  return
}

// A norm of the scores is no softmax: they are computed once more for the second product.
// REMARK: RecomputedScores{{.*}}what is between the products is no softmax of the scores, which are computed anew for each reduction
// REMARK-NOT: RecomputedScores
// IR-LABEL: func.func @normed(
// IR: tile.kernel
// IR-NOT: tile.kernel
// IR: return
#mk = affine_map<(i, j, d) -> (i, d)>
#nk = affine_map<(i, j, d) -> (j, d)>
#mn = affine_map<(i, j, d) -> (i, j)>
#kn = affine_map<(i, j, d) -> (d, j)>
#id2 = affine_map<(i, j) -> (i, j)>
#row2 = affine_map<(i, j) -> (i)>
func.func @normed(%q: tensor<?x16xf32> {tile.shape = "Mx16"}, %k: tensor<?x16xf32> {tile.shape = "Nx16"},
                  %v: tensor<?x8xf32> {tile.shape = "Nx8"}) -> (tensor<?x8xf32> {tile.shape = "Mx8"})
    attributes {tile.reference = @normed_reference, tile.atol = 1.0e-4, tile.rtol = 1.0e-4,
                tile.cases = ["M=65 N=130", "M=2 N=64", "M=1 N=1", "M=0 N=2"]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %q, %c0 : tensor<?x16xf32>
  %n = tensor.dim %k, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x16xf32>, tensor<?x16xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %sum, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  %norm = linalg.generic {indexing_maps = [#id2, #row2], iterator_types = ["parallel", "reduction"]}
      ins(%s : tensor<?x?xf32>) outs(%f1 : tensor<?xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %a = math.absf %x : f32
    %t = arith.addf %sum, %a : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %p = linalg.generic {indexing_maps = [#id2, #row2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%s, %norm : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %t = arith.divf %x, %y : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %eo = tensor.empty(%m) : tensor<?x8xf32>
  %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x8xf32>) -> tensor<?x8xf32>
  %o = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<?x?xf32>, tensor<?x8xf32>) outs(%fo : tensor<?x8xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %t = arith.mulf %x, %y : f32
    %u = arith.addf %old, %t : f32
    linalg.yield %u : f32
  } -> tensor<?x8xf32>
  return %o : tensor<?x8xf32>
}

func.func @normed_reference(%q: memref<?x16xf32>, %k: memref<?x16xf32>, %v: memref<?x8xf32>, %o: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %m = memref.dim %q, %c0 : memref<?x16xf32>
  %n = memref.dim %k, %c0 : memref<?x16xf32>
  affine.for %i = 0 to %m {
    affine.for %d = 0 to 8 {
      %num, %den = affine.for %j = 0 to %n iter_args(%a = %zero, %b = %zero) -> (f64, f64) {
        %s = affine.for %l = 0 to 16 iter_args(%sum = %zero) -> f64 {
          %x = affine.load %q[%i, %l] : memref<?x16xf32>
          %y = affine.load %k[%j, %l] : memref<?x16xf32>
          %xd = arith.extf %x : f32 to f64
          %yd = arith.extf %y : f32 to f64
          %p = arith.mulf %xd, %yd : f64
          %t = arith.addf %sum, %p : f64
          affine.yield %t : f64
        }
        %z = affine.load %v[%j, %d] : memref<?x8xf32>
        %zd = arith.extf %z : f32 to f64
        %sz = arith.mulf %s, %zd : f64
        %size = math.absf %s : f64
        %a1 = arith.addf %a, %sz : f64
        %b1 = arith.addf %b, %size : f64
        affine.yield %a1, %b1 : f64, f64
      }
      %mean = arith.divf %num, %den : f64
      %result = arith.truncf %mean : f64 to f32
      affine.store %result, %o[%i, %d] : memref<?x8xf32>
    }
  }
  return
}
