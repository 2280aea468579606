// Fragments that two ops want in different layouts, and shared tiles of more than two dimensions.
!x3 = memref<32x4x4xf32>
!t3 = memref<32x4x4xf32, #tile.fragment>
!s2 = memref<32x4xf32, #tile.fragment>

// One buffer holds sums over the last dimension, then over the middle one.
func.func @two_sums(%x: !x3 {tile.init = "integers(-3,3)"}, %y: !x3 {tile.result})
    attributes {tile.reference = @two_sums_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : !t3
    %s = tile.alloc : !s2
    tile.copy %x, %t : !x3, !t3
    tile.reduce sum %t, %s dim(2) : !t3, !s2
    tile.parallel (%i, %j, %k) in (32, 4, 4) {
      %v = memref.load %t[%i, %j, %k] : !t3
      %n = memref.load %s[%i, %j] : !s2
      %r = arith.addf %v, %n : f32
      memref.store %r, %t[%i, %j, %k] : !t3
    }
    tile.reduce sum %t, %s dim(1) : !t3, !s2
    tile.parallel (%i, %j, %k) in (32, 4, 4) {
      %v = memref.load %t[%i, %j, %k] : !t3
      %n = memref.load %s[%i, %k] : !s2
      %r = arith.addf %v, %n : f32
      memref.store %r, %t[%i, %j, %k] : !t3
    }
    tile.copy %t, %y : !t3, !x3
  }
  return
}
func.func @two_sums_reference(%x: !x3, %y: !x3) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 4 {
      %sum = affine.for %k = 0 to 4 iter_args(%acc = %zero) -> f32 {
        %v = affine.load %x[%i, %j, %k] : !x3
        %n = arith.addf %acc, %v : f32
        affine.yield %n : f32
      }
      affine.for %k = 0 to 4 {
        %v = affine.load %x[%i, %j, %k] : !x3
        %n = arith.addf %v, %sum : f32
        affine.store %n, %y[%i, %j, %k] : !x3
      }
    }
    affine.for %k = 0 to 4 {
      %sum = affine.for %j = 0 to 4 iter_args(%acc = %zero) -> f32 {
        %v = affine.load %y[%i, %j, %k] : !x3
        %n = arith.addf %acc, %v : f32
        affine.yield %n : f32
      }
      affine.for %j = 0 to 4 {
        %v = affine.load %y[%i, %j, %k] : !x3
        %n = arith.addf %v, %sum : f32
        affine.store %n, %y[%i, %j, %k] : !x3
      }
    }
  }
  return
}

// The same in a loop, whose first iteration skips the first half.
func.func @two_sums_in_loop(%x: !x3 {tile.init = "integers(-3,3)"}, %y: !x3 {tile.result})
    attributes {tile.reference = @two_sums_in_loop_reference} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h = arith.constant 0.5 : f32
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : !t3
    %s = tile.alloc : !s2
    tile.copy %x, %t : !x3, !t3
    scf.for %r = %c0 to %c2 step %c1 {
      %again = arith.cmpi sgt, %r, %c0 : index
      scf.if %again {
        tile.reduce sum %t, %s dim(2) : !t3, !s2
        tile.parallel (%i, %j, %k) in (32, 4, 4) {
          %v = memref.load %t[%i, %j, %k] : !t3
          %n = memref.load %s[%i, %j] : !s2
          %m = arith.mulf %n, %h : f32
          %q = arith.subf %v, %m : f32
          memref.store %q, %t[%i, %j, %k] : !t3
        }
      }
      tile.reduce sum %t, %s dim(1) : !t3, !s2
      tile.parallel (%i, %j, %k) in (32, 4, 4) {
        %v = memref.load %t[%i, %j, %k] : !t3
        %n = memref.load %s[%i, %k] : !s2
        %m = arith.mulf %n, %h : f32
        %q = arith.subf %v, %m : f32
        memref.store %q, %t[%i, %j, %k] : !t3
      }
    }
    tile.copy %t, %y : !t3, !x3
  }
  return
}
func.func @two_sums_in_loop_reference(%x: !x3, %y: !x3) {
  %zero = arith.constant 0.0 : f32
  %h = arith.constant 0.5 : f32
  memref.copy %x, %y : !x3 to !x3
  affine.for %i = 0 to 32 {
    affine.for %r = 0 to 2 {
      affine.if affine_set<(r) : (r - 1 >= 0)>(%r) {
        affine.for %j = 0 to 4 {
          %sum = affine.for %k = 0 to 4 iter_args(%acc = %zero) -> f32 {
            %v = affine.load %y[%i, %j, %k] : !x3
            %n = arith.addf %acc, %v : f32
            affine.yield %n : f32
          }
          %m = arith.mulf %sum, %h : f32
          affine.for %k = 0 to 4 {
            %v = affine.load %y[%i, %j, %k] : !x3
            %q = arith.subf %v, %m : f32
            affine.store %q, %y[%i, %j, %k] : !x3
          }
        }
      }
      affine.for %k = 0 to 4 {
        %sum = affine.for %j = 0 to 4 iter_args(%acc = %zero) -> f32 {
          %v = affine.load %y[%i, %j, %k] : !x3
          %n = arith.addf %acc, %v : f32
          affine.yield %n : f32
        }
        %m = arith.mulf %sum, %h : f32
        affine.for %j = 0 to 4 {
          %v = affine.load %y[%i, %j, %k] : !x3
          %q = arith.subf %v, %m : f32
          affine.store %q, %y[%i, %j, %k] : !x3
        }
      }
    }
  }
  return
}

// A vector that follows from rows meets columns: of a square tile, r[i] = sum over j of x[i, j], then y = x - r by columns.
func.func @rows_as_columns(%x: memref<24x24xf32> {tile.init = "integers(-3,3)"}, %y: memref<24x24xf32> {tile.result})
    attributes {tile.reference = @rows_as_columns_reference} {
  tile.kernel (%b) in (1) threads(64) {
    %t = tile.alloc : memref<24x24xf32, #tile.fragment>
    %r = tile.alloc : memref<24xf32, #tile.fragment>
    tile.copy %x, %t : memref<24x24xf32>, memref<24x24xf32, #tile.fragment>
    tile.reduce sum %t, %r dim(1) : memref<24x24xf32, #tile.fragment>, memref<24xf32, #tile.fragment>
    tile.parallel (%i, %j) in (24, 24) {
      %v = memref.load %t[%i, %j] : memref<24x24xf32, #tile.fragment>
      %n = memref.load %r[%j] : memref<24xf32, #tile.fragment>
      %q = arith.subf %v, %n : f32
      memref.store %q, %t[%i, %j] : memref<24x24xf32, #tile.fragment>
    }
    tile.copy %t, %y : memref<24x24xf32, #tile.fragment>, memref<24x24xf32>
  }
  return
}
func.func @rows_as_columns_reference(%x: memref<24x24xf32>, %y: memref<24x24xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %j = 0 to 24 {
    %sum = affine.for %k = 0 to 24 iter_args(%acc = %zero) -> f32 {
      %v = affine.load %x[%j, %k] : memref<24x24xf32>
      %n = arith.addf %acc, %v : f32
      affine.yield %n : f32
    }
    affine.for %i = 0 to 24 {
      %v = affine.load %x[%i, %j] : memref<24x24xf32>
      %q = arith.subf %v, %sum : f32
      affine.store %q, %y[%i, %j] : memref<24x24xf32>
    }
  }
  return
}

// Rows of a fragment the other way round, and one of its columns for all.
func.func @fragment_reverse(%x: memref<32x64xf32> {tile.init = "integers(-9,9)"}, %y: memref<32x64xf32> {tile.result})
    attributes {tile.reference = @fragment_reverse_reference} {
  %c5 = arith.constant 5 : index
  tile.kernel (%b) in (1) threads(128) {
    %f = tile.alloc : memref<32x64xf32, #tile.fragment>
    tile.copy %x, %f : memref<32x64xf32>, memref<32x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (32, 64) {
      %k = affine.apply affine_map<(j) -> (63 - j)>(%j)
      %v = memref.load %f[%i, %k] : memref<32x64xf32, #tile.fragment>
      %w = memref.load %f[%i, %c5] : memref<32x64xf32, #tile.fragment>
      %s = arith.addf %v, %w : f32
      memref.store %s, %y[%i, %j] : memref<32x64xf32>
    }
  }
  return
}
func.func @fragment_reverse_reference(%x: memref<32x64xf32>, %y: memref<32x64xf32>) {
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 64 {
      %v = affine.load %x[%i, 63 - %j] : memref<32x64xf32>
      %w = affine.load %x[%i, 5] : memref<32x64xf32>
      %s = arith.addf %v, %w : f32
      affine.store %s, %y[%i, %j] : memref<32x64xf32>
    }
  }
  return
}

// An element of a fragment that the block reads and writes.
func.func @fragment_element(%x: memref<70xf32> {tile.init = "integers(-9,9)"}, %y: memref<70xf32> {tile.result})
    attributes {tile.reference = @fragment_element_reference} {
  %c3 = arith.constant 3 : index
  %c66 = arith.constant 66 : index
  tile.kernel (%b) in (1) threads(64) {
    %f = tile.alloc : memref<70xf32, #tile.fragment>
    tile.copy %x, %f : memref<70xf32>, memref<70xf32, #tile.fragment>
    %v = memref.load %f[%c66] : memref<70xf32, #tile.fragment>
    memref.store %v, %f[%c3] : memref<70xf32, #tile.fragment>
    tile.copy %f, %y : memref<70xf32, #tile.fragment>, memref<70xf32>
  }
  return
}
func.func @fragment_element_reference(%x: memref<70xf32>, %y: memref<70xf32>) {
  memref.copy %x, %y : memref<70xf32> to memref<70xf32>
  %v = affine.load %x[66] : memref<70xf32>
  affine.store %v, %y[3] : memref<70xf32>
  return
}

// Tiles of three dimensions in a pipeline, both ways; the third block reaches past the end.
func.func @tiles_of_three_dimensions(%x: memref<2x10x16x32xf16> {tile.init = "integers(-9,9)"},
    %y: memref<2x10x16x32xf16> {tile.result}) attributes {tile.reference = @tiles_of_three_dimensions_reference} {
  tile.kernel (%b, %i) in (3, 2) threads(128) {
    %p = tile.alloc : memref<4x8x32xf16, #tile.shared>
    tile.pipelined %t = 0 to 2 stages(2) {
      tile.copy %x[%i, %b * 4, %t * 8, 0] [1, 4, 8, 32], %p : memref<2x10x16x32xf16>, memref<4x8x32xf16, #tile.shared>
      tile.copy %p, %y[%i, %b * 4, %t * 8, 0] [1, 4, 8, 32] : memref<4x8x32xf16, #tile.shared>, memref<2x10x16x32xf16>
    }
  }
  return
}
func.func @tiles_of_three_dimensions_reference(%x: memref<2x10x16x32xf16>, %y: memref<2x10x16x32xf16>) {
  memref.copy %x, %y : memref<2x10x16x32xf16> to memref<2x10x16x32xf16>
  return
}

// The same with sums over the first dimension, of rows wider than the span of a swizzle.
func.func @sums_of_tiles(%x: memref<4x6x160xf32> {tile.init = "integers(-9,9)"}, %y: memref<6x160xf32> {tile.result})
    attributes {tile.reference = @sums_of_tiles_reference} {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) threads(128) {
    %p = tile.alloc : memref<2x6x160xf32, #tile.shared>
    %s = tile.alloc : memref<6x160xf32, #tile.fragment>
    tile.fill %s, %zero : memref<6x160xf32, #tile.fragment>
    tile.pipelined %t = 0 to 2 stages(2) {
      tile.copy %x[%t * 2, 0, 0], %p : memref<4x6x160xf32>, memref<2x6x160xf32, #tile.shared>
      tile.parallel (%i, %j) in (6, 160) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %a = memref.load %p[%c0, %i, %j] : memref<2x6x160xf32, #tile.shared>
        %c = memref.load %p[%c1, %i, %j] : memref<2x6x160xf32, #tile.shared>
        %d = memref.load %s[%i, %j] : memref<6x160xf32, #tile.fragment>
        %e = arith.addf %a, %c : f32
        %f = arith.addf %d, %e : f32
        memref.store %f, %s[%i, %j] : memref<6x160xf32, #tile.fragment>
      }
    }
    tile.copy %s, %y : memref<6x160xf32, #tile.fragment>, memref<6x160xf32>
  }
  return
}
func.func @sums_of_tiles_reference(%x: memref<4x6x160xf32>, %y: memref<6x160xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 160 {
      %sum = affine.for %k = 0 to 4 iter_args(%acc = %zero) -> f32 {
        %v = affine.load %x[%k, %i, %j] : memref<4x6x160xf32>
        %n = arith.addf %acc, %v : f32
        affine.yield %n : f32
      }
      affine.store %sum, %y[%i, %j] : memref<6x160xf32>
    }
  }
  return
}

// A tile of 512 bytes a row, and of a reshaped argument, in pipelines.
func.func @wide_rows(%x: memref<256x1x512xf8E4M3FN> {tile.init = "integers(-3,3)"}, %y: memref<64x512xf32> {tile.result})
    attributes {tile.reference = @wide_rows_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %s = tile.alloc : memref<64x512xf8E4M3FN, #tile.shared>
    %t = tile.alloc : memref<64x512xf32, #tile.fragment>
    tile.pipelined %k = 0 to 4 stages(2) {
      tile.copy %x[%k * 64, 0, 0] [64, 1, 512], %s : memref<256x1x512xf8E4M3FN>, memref<64x512xf8E4M3FN, #tile.shared>
      tile.copy %s, %t : memref<64x512xf8E4M3FN, #tile.shared>, memref<64x512xf32, #tile.fragment>
    }
    tile.copy %t, %y : memref<64x512xf32, #tile.fragment>, memref<64x512xf32>
  }
  return
}
func.func @wide_rows_reference(%x: memref<256x1x512xf8E4M3FN>, %y: memref<64x512xf32>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 512 {
      %v = affine.load %x[%i + 192, 0, %j] : memref<256x1x512xf8E4M3FN>
      %w = arith.extf %v : f8E4M3FN to f32
      affine.store %w, %y[%i, %j] : memref<64x512xf32>
    }
  }
  return
}

func.func @reshaped_argument(%x: memref<4x32x64xf16> {tile.init = "integers(-9,9)"}, %y: memref<128x64xf16> {tile.result})
    attributes {tile.reference = @reshaped_argument_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %r = tile.reshape %x : memref<4x32x64xf16> to memref<128x64xf16>
    %s = tile.alloc : memref<16x64xf16, #tile.shared>
    tile.pipelined %k = 0 to 8 stages(3) {
      tile.copy %r[%k * 16, 0], %s : memref<128x64xf16>, memref<16x64xf16, #tile.shared>
      tile.copy %s, %y[%k * 16, 0] : memref<16x64xf16, #tile.shared>, memref<128x64xf16>
    }
  }
  return
}
func.func @reshaped_argument_reference(%x: memref<4x32x64xf16>, %y: memref<128x64xf16>) {
  affine.for %i = 0 to 128 {
    affine.for %j = 0 to 64 {
      %v = affine.load %x[%i floordiv 32, %i mod 32, %j] : memref<4x32x64xf16>
      affine.store %v, %y[%i, %j] : memref<128x64xf16>
    }
  }
  return
}
