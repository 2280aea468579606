// Products of matrices in memory have parameters; what would compute an operand is the epilogue of the kernel in front.

// RUN: tile-opt --split-input-file --tile-from-linalg %s | FileCheck %s
// RUN: tile-run %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --param=product0_rows=128 --param=product0_columns=256 --param=product0_threads=256 --param=product0_stages=2 \
// RUN:   | FileCheck %s --check-prefix=RIGHT
// RUN: not tile-run %s --param=product0_rows=256 --param=product0_columns=256 2>&1 | FileCheck %s --check-prefix=SUMS

// RIGHT: 2 passed, 0 failed
// SUMS: error: 'tile.require' op the parameters do not meet this requirement: a thread has at most 128 sums

// Both products are of one size and share their parameters. The projection is stored as the next kernel wants it, and rows of the
// two sequences are one dimension. Results are rounded to bf16 (2^-8), and so is
// each tanh: 256 products by 0.8 in the mean, 2^-9 each.
// CHECK-DAG: tile.param @product0_rows = 64 in [64, 128, 256] on(mfma = 64, mma = 64, wgmma = 64)
// CHECK-DAG: tile.param @product0_threads = 128 in [128, 256]
// CHECK-NOT: tile.param @product1
// CHECK-LABEL: func.func @mlp
// CHECK: tile.kernel (%bx, %by) in (%{{.*}}, %{{.*}}) threads(@product0_threads)
// CHECK-COUNT-2: tile.copy {{.*}}#tile.shared
// CHECK: tile.gemm
// CHECK: math.tanh
// CHECK: tile.copy {{.*}} : memref<?x?xf32, #tile.fragment>, memref<300x256xbf16>
// CHECK: tile.kernel
// CHECK-COUNT-2: tile.copy {{.*}}#tile.shared
// CHECK: tile.gemm
// CHECK-NOT: tile.kernel
// CHECK: return
#act = affine_map<(b, s, j, k) -> (b, s, k)>
#weight = affine_map<(b, s, j, k) -> (k, j)>
#sum = affine_map<(b, s, j, k) -> (b, s, j)>
#id = affine_map<(b, s, j) -> (b, s, j)>
#bias = affine_map<(b, s, j) -> (j)>
func.func @mlp(%x: tensor<2x150x256xbf16>, %w: tensor<256x256xbf16>, %v: tensor<256x256xbf16>, %b: tensor<256xbf16>) -> tensor<2x150x256xbf16>
    attributes {tile.reference = @mlp_reference, tile.cases = ["", ""], tile.atol = 4.0e-1, tile.rtol = 3.90625e-3} {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<2x150x256xbf16>
  %z = linalg.fill ins(%zero : bf16) outs(%e : tensor<2x150x256xbf16>) -> tensor<2x150x256xbf16>
  %h = linalg.generic {indexing_maps = [#act, #weight, #sum], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<2x150x256xbf16>, tensor<256x256xbf16>) outs(%z : tensor<2x150x256xbf16>) {
  ^bb0(%p: bf16, %q: bf16, %acc: bf16):
    %t = arith.mulf %p, %q : bf16
    %u = arith.addf %acc, %t : bf16
    linalg.yield %u : bf16
  } -> tensor<2x150x256xbf16>
  %a = linalg.generic {indexing_maps = [#id, #bias, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%h, %b : tensor<2x150x256xbf16>, tensor<256xbf16>) outs(%e : tensor<2x150x256xbf16>) {
  ^bb0(%p: bf16, %q: bf16, %old: bf16):
    %t = arith.addf %p, %q : bf16
    %u = math.tanh %t : bf16
    linalg.yield %u : bf16
  } -> tensor<2x150x256xbf16>
  %r = linalg.generic {indexing_maps = [#act, #weight, #sum], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %v : tensor<2x150x256xbf16>, tensor<256x256xbf16>) outs(%z : tensor<2x150x256xbf16>) {
  ^bb0(%p: bf16, %q: bf16, %acc: bf16):
    %t = arith.mulf %p, %q : bf16
    %u = arith.addf %acc, %t : bf16
    linalg.yield %u : bf16
  } -> tensor<2x150x256xbf16>
  return %r : tensor<2x150x256xbf16>
}

func.func @mlp_reference(%x: memref<2x150x256xbf16>, %w: memref<256x256xbf16>, %v: memref<256x256xbf16>, %b: memref<256xbf16>,
                         %r: memref<2x150x256xbf16>) {
  %zero = arith.constant 0.0 : f32
  %h = memref.alloca() : memref<256xf32>
  affine.for %i = 0 to 2 {
    affine.for %s = 0 to 150 {
      affine.for %j = 0 to 256 {
        %sum = affine.for %k = 0 to 256 iter_args(%acc = %zero) -> f32 {
          %p = affine.load %x[%i, %s, %k] : memref<2x150x256xbf16>
          %q = affine.load %w[%k, %j] : memref<256x256xbf16>
          %pf = arith.extf %p : bf16 to f32
          %qf = arith.extf %q : bf16 to f32
          %t = arith.mulf %pf, %qf : f32
          %u = arith.addf %acc, %t : f32
          affine.yield %u : f32
        }
        %c = affine.load %b[%j] : memref<256xbf16>
        %cf = arith.extf %c : bf16 to f32
        %t = arith.addf %sum, %cf : f32
        %u = math.tanh %t : f32
        affine.store %u, %h[%j] : memref<256xf32>
      }
      affine.for %j = 0 to 256 {
        %sum = affine.for %k = 0 to 256 iter_args(%acc = %zero) -> f32 {
          %p = affine.load %h[%k] : memref<256xf32>
          %q = affine.load %v[%k, %j] : memref<256x256xbf16>
          %qf = arith.extf %q : bf16 to f32
          %t = arith.mulf %p, %qf : f32
          %u = arith.addf %acc, %t : f32
          affine.yield %u : f32
        }
        %o = arith.truncf %sum : f32 to bf16
        affine.store %o, %r[%i, %s, %j] : memref<2x150x256xbf16>
      }
    }
  }
  return
}
