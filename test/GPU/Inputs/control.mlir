// Atomic updates, pipelines of few iterations, and copies under uniform conditions.

// Every element adds to its bin in shared memory, and the bins of all blocks to those in global memory. 229 elements do
// not share out evenly; the last block has fewer.
func.func @histogram(%x: memref<?xi32> {tile.shape = "N", tile.init = "integers(0,15)"},
    %bins: memref<16xi32> {tile.init = "zeros", tile.result})
    attributes {tile.reference = @histogram_reference, tile.cases = ["N=1000", "N=229", "N=1", "N=0"]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = memref.dim %x, %c0 : memref<?xi32>
  %blocks = affine.apply affine_map<(n) -> (n ceildiv 229)>(%n)
  tile.kernel (%b) in (%blocks) threads(96) {
    %own = tile.alloc : memref<16xi32, #tile.shared>
    tile.fill %own, %zero : memref<16xi32, #tile.shared>
    tile.parallel (%i) in (229) {
      %p = affine.apply affine_map<(b, i) -> (b * 229 + i)>(%b, %i)
      %inside = arith.cmpi slt, %p, %n : index
      scf.if %inside {
        %v = memref.load %x[%p] : memref<?xi32>
        %bin = arith.index_cast %v : i32 to index
        tile.atomic add %one, %own[%bin] : i32, memref<16xi32, #tile.shared>
      }
    }
    tile.atomic add %own, %bins : memref<16xi32, #tile.shared>, memref<16xi32>
  }
  return
}
func.func @histogram_reference(%x: memref<?xi32>, %bins: memref<16xi32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %n = memref.dim %x, %c0 : memref<?xi32>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi32>
    %bin = arith.index_cast %v : i32 to index
    %old = memref.load %bins[%bin] : memref<16xi32>
    %new = arith.addi %old, %one : i32
    memref.store %new, %bins[%bin] : memref<16xi32>
  }
  return
}

// Tiles of floats: sums and maxima over blocks, of f32, f16 and bf16.
func.func @atomic_floats(%x: memref<?x65xf32> {tile.shape = "Rx65", tile.init = "integers(-3,3)"},
    %f: memref<65xf32> {tile.init = "integers(-9,9)", tile.result},
    %h: memref<65xf16> {tile.init = "integers(-9,9)", tile.result},
    %g: memref<65xbf16> {tile.init = "integers(-9,9)", tile.result},
    %m: memref<65xf32> {tile.init = "integers(-9,1)", tile.result},
    %l: memref<65xf32> {tile.init = "integers(-1,9)", tile.result})
    attributes {tile.reference = @atomic_floats_reference, tile.atol = 0.0, tile.rtol = 0.0, tile.cases = ["R=20", "R=1"]} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x65xf32>
  tile.kernel (%b) in (%n) threads(128) {
    %row = tile.alloc : memref<65xf32, #tile.fragment>
    %row16 = tile.alloc : memref<65xf16, #tile.fragment>
    %rowb = tile.alloc : memref<65xbf16, #tile.fragment>
    tile.copy %x[%b, 0] [1, 65], %row : memref<?x65xf32>, memref<65xf32, #tile.fragment>
    tile.copy %row, %row16 : memref<65xf32, #tile.fragment>, memref<65xf16, #tile.fragment>
    tile.copy %row, %rowb : memref<65xf32, #tile.fragment>, memref<65xbf16, #tile.fragment>
    tile.atomic add %row, %f : memref<65xf32, #tile.fragment>, memref<65xf32>
    tile.atomic add %row16, %h : memref<65xf16, #tile.fragment>, memref<65xf16>
    tile.atomic add %rowb, %g : memref<65xbf16, #tile.fragment>, memref<65xbf16>
    tile.atomic max %row, %m : memref<65xf32, #tile.fragment>, memref<65xf32>
    tile.atomic min %row, %l : memref<65xf32, #tile.fragment>, memref<65xf32>
  }
  return
}
func.func @atomic_floats_reference(%x: memref<?x65xf32>, %f: memref<65xf32>, %h: memref<65xf16>, %g: memref<65xbf16>,
                                   %m: memref<65xf32>, %l: memref<65xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x65xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 65 {
      %v = affine.load %x[%i, %j] : memref<?x65xf32>
      %v16 = arith.truncf %v : f32 to f16
      %vb = arith.truncf %v : f32 to bf16
      %f0 = affine.load %f[%j] : memref<65xf32>
      %h0 = affine.load %h[%j] : memref<65xf16>
      %g0 = affine.load %g[%j] : memref<65xbf16>
      %m0 = affine.load %m[%j] : memref<65xf32>
      %l0 = affine.load %l[%j] : memref<65xf32>
      %f1 = arith.addf %f0, %v : f32
      %h1 = arith.addf %h0, %v16 : f16
      %g1 = arith.addf %g0, %vb : bf16
      %m1 = arith.maximumf %m0, %v : f32
      %l1 = arith.minimumf %l0, %v : f32
      affine.store %f1, %f[%j] : memref<65xf32>
      affine.store %h1, %h[%j] : memref<65xf16>
      affine.store %g1, %g[%j] : memref<65xbf16>
      affine.store %m1, %m[%j] : memref<65xf32>
      affine.store %l1, %l[%j] : memref<65xf32>
    }
  }
  return
}

// Integers of 32 and 64 bits, and the old value: every update gets a ticket, and each ticket is marked once.
func.func @tickets(%x: memref<?xi64> {tile.shape = "N", tile.init = "integers(-1000,1000)"},
    %next: memref<1xi32> {tile.init = "zeros", tile.result}, %marks: memref<?xi32> {tile.shape = "N", tile.init = "zeros", tile.result},
    %max: memref<1xi64> {tile.init = "zeros", tile.result}, %bits: memref<1xi64> {tile.init = "zeros", tile.result})
    attributes {tile.reference = @tickets_reference, tile.cases = ["N=600", "N=1", "N=257"]} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %n = memref.dim %x, %c0 : memref<?xi64>
  %blocks = affine.apply affine_map<(n) -> (n ceildiv 100)>(%n)
  tile.kernel (%b) in (%blocks) threads(160) {
    tile.parallel (%i) in (100) {
      %p = affine.apply affine_map<(b, i) -> (b * 100 + i)>(%b, %i)
      %inside = arith.cmpi slt, %p, %n : index
      scf.if %inside {
        %v = memref.load %x[%p] : memref<?xi64>
        %ticket = tile.atomic add %one, %next[%c0] : i32, memref<1xi32> -> i32
        %at = arith.index_cast %ticket : i32 to index
        tile.atomic max %v, %max[%c0] : i64, memref<1xi64>
        tile.atomic or %v, %bits[%c0] : i64, memref<1xi64>
        tile.atomic max %one, %marks[%at] : i32, memref<?xi32>
      }
    }
  }
  return
}
func.func @tickets_reference(%x: memref<?xi64>, %next: memref<1xi32>, %marks: memref<?xi32>, %max: memref<1xi64>,
                             %bits: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %n = memref.dim %x, %c0 : memref<?xi64>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi64>
    %t = affine.load %next[0] : memref<1xi32>
    %t1 = arith.addi %t, %one : i32
    affine.store %t1, %next[0] : memref<1xi32>
    %m = affine.load %max[0] : memref<1xi64>
    %m1 = arith.maxsi %m, %v : i64
    affine.store %m1, %max[0] : memref<1xi64>
    %o = affine.load %bits[0] : memref<1xi64>
    %o1 = arith.ori %o, %v : i64
    affine.store %o1, %bits[0] : memref<1xi64>
    %mark = affine.load %marks[%i] : memref<?xi32>
    %mark1 = arith.maxsi %mark, %one : i32
    affine.store %mark1, %marks[%i] : memref<?xi32>
  }
  return
}

// Loops of 0, 1, 2 and more iterations than stages, in a loop, and copies that only some blocks or iterations do. Block
// b sums b chunks of a row, those with an odd number twice.
func.func @few_iterations(%x: memref<7x600xf32> {tile.init = "integers(-9,9)"}, %y: memref<7x100xf32> {tile.result})
    attributes {tile.reference = @few_iterations_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (7) threads(128) {
    %t = tile.alloc : memref<100xf32, #tile.shared>
    %u = tile.alloc : memref<100xf32, #tile.shared>
    %sum = tile.alloc : memref<100xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<100xf32, #tile.fragment>
    tile.fill %u, %zero : memref<100xf32, #tile.shared>
    tile.pipelined %k = 0 to %b stages(4) {
      tile.copy %x[%b, %k * 100] [1, 100], %t : memref<7x600xf32>, memref<100xf32, #tile.shared>
      %rest = arith.remui %k, %c2 : index
      %odd = arith.cmpi eq, %rest, %c1 : index
      scf.if %odd {
        tile.copy %t, %u : memref<100xf32, #tile.shared>, memref<100xf32, #tile.shared>
      } else {
        tile.fill %u, %zero : memref<100xf32, #tile.shared>
      }
      tile.parallel (%i) in (100) {
        %old = memref.load %sum[%i] : memref<100xf32, #tile.fragment>
        %v = memref.load %t[%i] : memref<100xf32, #tile.shared>
        %w = memref.load %u[%i] : memref<100xf32, #tile.shared>
        %vw = arith.addf %v, %w : f32
        %new = arith.addf %old, %vw : f32
        memref.store %new, %sum[%i] : memref<100xf32, #tile.fragment>
      }
    }
    tile.copy %sum, %y[%b, 0] [1, 100] : memref<100xf32, #tile.fragment>, memref<7x100xf32>
  }
  return
}
func.func @few_iterations_reference(%x: memref<7x600xf32>, %y: memref<7x100xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %b = 0 to 7 {
    affine.for %i = 0 to 100 {
      %sum = affine.for %k = 0 to affine_map<(b) -> (b)>(%b) iter_args(%old = %zero) -> f32 {
        %v = affine.load %x[%b, %k * 100 + %i] : memref<7x600xf32>
        %next = arith.addf %old, %v : f32
        affine.yield %next : f32
      }
      %twice = affine.for %k = 0 to affine_map<(b) -> (b floordiv 2)>(%b) iter_args(%old = %sum) -> f32 {
        %v = affine.load %x[%b, %k * 200 + 100 + %i] : memref<7x600xf32>
        %next = arith.addf %old, %v : f32
        affine.yield %next : f32
      }
      affine.store %twice, %y[%b, %i] : memref<7x100xf32>
    }
  }
  return
}

// A pipeline in a condition that is the same for all threads of a block, and another in its else.
func.func @guarded(%x: memref<5x300xf16> {tile.init = "integers(-9,9)"}, %y: memref<5x64xf32> {tile.result})
    attributes {tile.reference = @guarded_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (5) threads(64) {
    %t = tile.alloc : memref<4x64xf16, #tile.shared>
    %w = tile.alloc : memref<4x64xf32, #tile.fragment>
    %sum = tile.alloc : memref<64xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<64xf32, #tile.fragment>
    %rest = arith.remui %b, %c2 : index
    %even = arith.cmpi eq, %rest, %c0 : index
    scf.if %even {
      tile.pipelined %k = 0 to 300 step 64 stages(3) {
        tile.copy %x[%b, %k], %t : memref<5x300xf16>, memref<4x64xf16, #tile.shared>
        tile.copy %t, %w : memref<4x64xf16, #tile.shared>, memref<4x64xf32, #tile.fragment>
        tile.reduce sum %w, %sum dim(0) {combine} : memref<4x64xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
      }
    } else {
      tile.pipelined %k = 0 to 1 stages(3) {
        tile.copy %x[%b, %k * 64], %t : memref<5x300xf16>, memref<4x64xf16, #tile.shared>
        tile.copy %t, %w : memref<4x64xf16, #tile.shared>, memref<4x64xf32, #tile.fragment>
        tile.reduce max %w, %sum dim(0) {combine} : memref<4x64xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
      }
    }
    tile.copy %sum, %y[%b, 0] [1, 64] : memref<64xf32, #tile.fragment>, memref<5x64xf32>
  }
  return
}
func.func @guarded_reference(%x: memref<5x300xf16>, %y: memref<5x64xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %b = 0 to 5 {
    affine.for %i = 0 to 64 {
      %result = affine.if affine_set<(b) : (b mod 2 == 0)>(%b) -> f32 {
        %sum = affine.for %k = 0 to 5 iter_args(%old = %zero) -> f32 {
          %column = affine.for %r = 0 to min affine_map<(b) -> (4, 5 - b)>(%b) iter_args(%o = %old) -> f32 {
            %v = affine.if affine_set<(k, i) : (299 - k * 64 - i >= 0)>(%k, %i) -> f32 {
              %e = affine.load %x[%b + %r, %k * 64 + %i] : memref<5x300xf16>
              %ew = arith.extf %e : f16 to f32
              affine.yield %ew : f32
            } else {
              affine.yield %zero : f32
            }
            %next = arith.addf %o, %v : f32
            affine.yield %next : f32
          }
          affine.yield %column : f32
        }
        affine.yield %sum : f32
      } else {
        %max = affine.for %r = 0 to min affine_map<(b) -> (4, 5 - b)>(%b) iter_args(%o = %zero) -> f32 {
          %e = affine.load %x[%b + %r, %i] : memref<5x300xf16>
          %ew = arith.extf %e : f16 to f32
          %next = arith.maximumf %o, %ew : f32
          affine.yield %next : f32
        }
        affine.yield %max : f32
      }
      affine.store %result, %y[%b, %i] : memref<5x64xf32>
    }
  }
  return
}
