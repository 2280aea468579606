// Heads that share keys, which a frontend has repeated for each (jnp.repeat): attention is one kernel, and keys are not copied.

// RUN: tile-run %s | FileCheck %s
// RUN: tile-opt --tile-from-linalg %s | FileCheck %s --check-prefix=IR
// CHECK: {{^}}1 passed, 0 failed{{$}}

// IR-LABEL: func.func @repeated(
// IR-NOT: memref.alloc
// IR-NOT: tile.alloc : memref<{{[^#]*$}}
// IR-COUNT-1: tile.kernel
// IR-NOT: tile.kernel
// IR-LABEL: func.func @repeated_reference
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>
#mask = affine_map<(h, i, j) -> (i, j)>
#one = affine_map<(g, r, j, d) -> (g, j, d)>
#repeat = affine_map<(g, r, j, d) -> (g, r, j, d)>
#swap = affine_map<(h, d, j) -> (h, j, d)>
func.func @repeated(%q: tensor<6x20x16xf32>, %k: tensor<2x24x16xf32>, %v: tensor<2x24x16xf32>, %m: tensor<20x24xf32>)
    -> tensor<6x20x16xf32> attributes {tile.reference = @repeated_reference, tile.atol = 1.0e-5, tile.rtol = 1.0e-5} {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %er = tensor.empty() : tensor<2x3x24x16xf32>
  %kr = linalg.generic {indexing_maps = [#one, #repeat], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%k : tensor<2x24x16xf32>) outs(%er : tensor<2x3x24x16xf32>) {
  ^bb0(%a: f32, %old: f32):
    linalg.yield %a : f32
  } -> tensor<2x3x24x16xf32>
  %vr = linalg.generic {indexing_maps = [#one, #repeat], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v : tensor<2x24x16xf32>) outs(%er : tensor<2x3x24x16xf32>) {
  ^bb0(%a: f32, %old: f32):
    linalg.yield %a : f32
  } -> tensor<2x3x24x16xf32>
  %kc = tensor.collapse_shape %kr [[0, 1], [2], [3]] : tensor<2x3x24x16xf32> into tensor<6x24x16xf32>
  %vc = tensor.collapse_shape %vr [[0, 1], [2], [3]] : tensor<2x3x24x16xf32> into tensor<6x24x16xf32>
  %et = tensor.empty() : tensor<6x16x24xf32>
  %kt = linalg.generic {indexing_maps = [#swap, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%kc : tensor<6x24x16xf32>) outs(%et : tensor<6x16x24xf32>) {
  ^bb0(%a: f32, %old: f32):
    linalg.yield %a : f32
  } -> tensor<6x16x24xf32>
  %es = tensor.empty() : tensor<6x20x24xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<6x20x24xf32>) -> tensor<6x20x24xf32>
  %s = linalg.batch_matmul ins(%q, %kt : tensor<6x20x16xf32>, tensor<6x16x24xf32>) outs(%fs : tensor<6x20x24xf32>) -> tensor<6x20x24xf32>
  %masked = linalg.generic {indexing_maps = [#all, #mask, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %m : tensor<6x20x24xf32>, tensor<20x24xf32>) outs(%es : tensor<6x20x24xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %c = arith.mulf %a, %scale : f32
    %d = arith.addf %c, %b : f32
    linalg.yield %d : f32
  } -> tensor<6x20x24xf32>
  %e2 = tensor.empty() : tensor<6x20xf32>
  %f2 = linalg.fill ins(%lowest : f32) outs(%e2 : tensor<6x20xf32>) -> tensor<6x20xf32>
  %max = linalg.reduce {arith.maximumf} ins(%masked : tensor<6x20x24xf32>) outs(%f2 : tensor<6x20xf32>) dimensions = [2]
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%masked, %max : tensor<6x20x24xf32>, tensor<6x20xf32>) outs(%es : tensor<6x20x24xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %c = arith.subf %a, %b : f32
    %d = math.exp %c : f32
    linalg.yield %d : f32
  } -> tensor<6x20x24xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<6x20xf32>) -> tensor<6x20xf32>
  %sum = linalg.reduce {arith.addf} ins(%p : tensor<6x20x24xf32>) outs(%f3 : tensor<6x20xf32>) dimensions = [2]
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %sum : tensor<6x20x24xf32>, tensor<6x20xf32>) outs(%es : tensor<6x20x24xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %c = arith.divf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<6x20x24xf32>
  %eo = tensor.empty() : tensor<6x20x16xf32>
  %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<6x20x16xf32>) -> tensor<6x20x16xf32>
  %o = linalg.batch_matmul ins(%w, %vc : tensor<6x20x24xf32>, tensor<6x24x16xf32>) outs(%fo : tensor<6x20x16xf32>) -> tensor<6x20x16xf32>
  return %o : tensor<6x20x16xf32>
}
func.func @repeated_reference(%q: memref<6x20x16xf32>, %k: memref<2x24x16xf32>, %v: memref<2x24x16xf32>, %m: memref<20x24xf32>,
                              %o: memref<6x20x16xf32>) {
  %zero = arith.constant 0.0 : f64
  %scale = arith.constant 0.25 : f64
  affine.for %h = 0 to 6 {
    affine.for %i = 0 to 20 {
      affine.for %d = 0 to 16 {
        // Scores are small: no maximum is needed.
        %top, %bottom = affine.for %j = 0 to 24 iter_args(%t = %zero, %b = %zero) -> (f64, f64) {
          %dot = affine.for %e = 0 to 16 iter_args(%acc = %zero) -> f64 {
            %x = affine.load %q[%h, %i, %e] : memref<6x20x16xf32>
            %y = affine.load %k[%h floordiv 3, %j, %e] : memref<2x24x16xf32>
            %xw = arith.extf %x : f32 to f64
            %yw = arith.extf %y : f32 to f64
            %xy = arith.mulf %xw, %yw : f64
            %next = arith.addf %acc, %xy : f64
            affine.yield %next : f64
          }
          %bias = affine.load %m[%i, %j] : memref<20x24xf32>
          %biasw = arith.extf %bias : f32 to f64
          %scaled = arith.mulf %dot, %scale : f64
          %score = arith.addf %scaled, %biasw : f64
          %p = math.exp %score : f64
          %z = affine.load %v[%h floordiv 3, %j, %d] : memref<2x24x16xf32>
          %zw = arith.extf %z : f32 to f64
          %pz = arith.mulf %p, %zw : f64
          %tn = arith.addf %t, %pz : f64
          %bn = arith.addf %b, %p : f64
          affine.yield %tn, %bn : f64, f64
        }
        %ratio = arith.divf %top, %bottom : f64
        %r = arith.truncf %ratio : f64 to f32
        affine.store %r, %o[%h, %i, %d] : memref<6x20x16xf32>
      }
    }
  }
  return
}
