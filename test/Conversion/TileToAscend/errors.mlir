// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics --convert-tile-to-ascend

func.func @view() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x15xf32, #tile.ub>
    %r = tile.view %x : memref<16x15xf32, #tile.ub> to memref<16x15xi32, #tile.ub>
    %z = arith.constant 0 : i32
    // expected-error@+1 {{cannot show 'memref<16x15xf32, #tile.ub>' as 'memref<16x15xi32, #tile.ub>': rows of 60 bytes begin at multiples of 32 bytes in 'ub'; make them as long, or take bits apart by 'arith.bitcast'}}
    tile.fill %r, %z : memref<16x15xi32, #tile.ub>
  }
  return
}

// -----

func.func @bits() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xi4, #tile.ub>
    %z = arith.constant 0 : i4
    // expected-error@+1 {{elements of type 'i4' have no place in 'ub'; widen them to i8}}
    tile.fill %x, %z : memref<16x16xi4, #tile.ub>
  }
  return
}

// -----

func.func @abstract() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.shared>
    %z = arith.constant 0.0 : f32
    // expected-error@+1 {{expected a buffer of this kernel in 'ub', got 'memref<16x16xf32, #tile.shared>'}}
    tile.fill %x, %z : memref<16x16xf32, #tile.shared>
  }
  return
}

// -----

func.func @wraps() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xi64, #tile.ub>
    %y = tile.alloc : memref<16x16xi16, #tile.ub>
    // expected-error@+1 {{a conversion from 'i64' to 'i16' wraps, but the vector unit saturates}}
    tile.copy %x, %y : memref<16x16xi64, #tile.ub>, memref<16x16xi16, #tile.ub>
  }
  return
}

// -----

func.func @no_conversion() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf64, #tile.ub>
    %y = tile.alloc : memref<16x16xf16, #tile.ub>
    // expected-error@+1 {{910B has no conversion from 'f64' to 'f16'; of 'f64' it makes nothing, and 'f16' of 'f32', 'i8', 'i16'}}
    tile.copy %x, %y : memref<16x16xf64, #tile.ub>, memref<16x16xf16, #tile.ub>
  }
  return
}

// -----

func.func @inside() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<32x32xf32, #tile.l0c>
    %y = tile.alloc : memref<16x32xf32, #tile.ub>
    // expected-error@+1 {{a part of a tile of 32x32 cannot be copied on Ascend; copy all of it}}
    tile.copy %x[16, 0] [16, 32], %y : memref<32x32xf32, #tile.l0c>, memref<16x32xf32, #tile.ub>
  }
  return
}

// -----

func.func @shapes() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16xf32, #tile.ub>
    %y = tile.alloc : memref<16x16xf32, #tile.ub>
    // expected-error@+1 {{cannot copy 1x16 to 16 inside of 'ub'}}
    tile.copy %y[3, 0] [1, 16], %x : memref<16x16xf32, #tile.ub>, memref<16xf32, #tile.ub>
  }
  return
}

// -----

func.func @neighbours(%a: memref<64x4xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.ub>
    // expected-error@+1 {{the elements of a row of the region are not neighbours in 'memref<64x4xf32>'; copy whole rows}}
    tile.copy %a[0, 1] [64, 1], %x : memref<64x4xf32>, memref<64xf32, #tile.ub>
  }
  return
}

// -----

func.func @to_l1(%a: memref<16x16xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf16, #tile.l1>
    // expected-error@+1 {{expected elements of type 'f16' for 'l1', got 'f32'; the path has no conversion}}
    tile.copy %a, %x : memref<16x16xf32>, memref<16x16xf16, #tile.l1>
  }
  return
}

// -----

func.func @prefer(%a: memref<16x16xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.ub>
    // expected-error@+1 {{Ascend has no copy instruction 'tma'}}
    tile.copy %a, %x prefer(tma) : memref<16x16xf32>, memref<16x16xf32, #tile.ub>
  }
  return
}

// -----

func.func @global_global(%a: memref<16x16xf32>, %o: memref<16x16xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{expected a tile on one side of the copy on Ascend; copy to a shared tile and from there}}
    tile.copy %a, %o : memref<16x16xf32>, memref<16x16xf32>
  }
  return
}

// -----

func.func @path() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.l0c>
    %y = tile.alloc : memref<16x16xf16, #tile.l1>
    // expected-error@+1 {{910B has no path from 'l0c' to 'l1'}}
    tile.copy %x, %y : memref<16x16xf32, #tile.l0c>, memref<16x16xf16, #tile.l1>
  }
  return
}

// -----

func.func @exchange_rank() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<2x3x16xf16, #tile.ub>
    %y = tile.alloc : memref<2x3x16xf16, #tile.l1>
    // expected-error@+1 {{expected both sides of a tile that goes from core to core to have the same extents, got 6x16 and 2x3x16}}
    tile.copy %x, %y : memref<2x3x16xf16, #tile.ub>, memref<2x3x16xf16, #tile.l1>
  }
  return
}

// -----

func.func @exchange_element() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.ub>
    %y = tile.alloc : memref<16x16xf16, #tile.l1>
    // expected-error@+1 {{expected elements of type 'f16' for 'l1', got 'f32'}}
    tile.copy %x, %y : memref<16x16xf32, #tile.ub>, memref<16x16xf16, #tile.l1>
  }
  return
}

// -----

func.func @exchange_many() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf16, #tile.ub>
    %y = tile.alloc : memref<16x16xf16, #tile.l1>
    tile.copy %x, %y : memref<16x16xf16, #tile.ub>, memref<16x16xf16, #tile.l1>
    tile.copy %x, %y : memref<16x16xf16, #tile.ub>, memref<16x16xf16, #tile.l1>
    tile.copy %x, %y : memref<16x16xf16, #tile.ub>, memref<16x16xf16, #tile.l1>
    tile.copy %x, %y : memref<16x16xf16, #tile.ub>, memref<16x16xf16, #tile.l1>
    tile.copy %x, %y : memref<16x16xf16, #tile.ub>, memref<16x16xf16, #tile.l1>
    tile.copy %x, %y : memref<16x16xf16, #tile.ub>, memref<16x16xf16, #tile.l1>
    tile.copy %x, %y : memref<16x16xf16, #tile.ub>, memref<16x16xf16, #tile.l1>
    tile.copy %x, %y : memref<16x16xf16, #tile.ub>, memref<16x16xf16, #tile.l1>
    // expected-error@+1 {{expected at most 8 tiles to go from core to core}}
    tile.copy %x, %y : memref<16x16xf16, #tile.ub>, memref<16x16xf16, #tile.l1>
  }
  return
}

// -----

func.func @fill_global(%a: memref<16x16xf32>) {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{a buffer in global memory cannot be filled on Ascend; fill a tile and copy it}}
    tile.fill %a, %z : memref<16x16xf32>
  }
  return
}

// -----

func.func @fill_wide(%v: f64) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x32xf64, #tile.ub>
    // expected-error@+1 {{910B has no Duplicate for 'f64'; only a constant of 32 bits can be converted}}
    tile.fill %x, %v : memref<16x32xf64, #tile.ub>
  }
  return
}

// -----

func.func @copy_wide() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x32xf64, #tile.ub>
    %y = tile.alloc : memref<16x32xf64, #tile.ub>
    // expected-error@+1 {{910B has no Copy for 'f64'}}
    tile.copy %x, %y : memref<16x32xf64, #tile.ub>, memref<16x32xf64, #tile.ub>
  }
  return
}

// -----

func.func @store_l1(%o: memref<16x32xf16>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x32xf16, #tile.l1>
    // expected-error@+1 {{910B has no path from 'l1' to 'global'; copy it from where it was loaded}}
    tile.copy %x, %o : memref<16x32xf16, #tile.l1>, memref<16x32xf16>
  }
  return
}

// -----

func.func @gemm_memory() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<32x32xf16, #tile.ub>
    %y = tile.alloc : memref<32x32xf16, #tile.l1>
    %c = tile.alloc : memref<32x32xf32, #tile.l0c>
    // expected-error@+1 {{expected an operand in 'l1', got 'ub'}}
    tile.gemm %x, %y, %c : memref<32x32xf16, #tile.ub>, memref<32x32xf16, #tile.l1>, memref<32x32xf32, #tile.l0c>
  }
  return
}

// -----

func.func @gemm_prefer() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<32x32xf16, #tile.l1>
    %y = tile.alloc : memref<32x32xf16, #tile.l1>
    %c = tile.alloc : memref<32x32xf32, #tile.l0c>
    // expected-error@+1 {{Ascend has no gemm instruction 'wgmma'}}
    tile.gemm %x, %y, %c prefer(wgmma) : memref<32x32xf16, #tile.l1>, memref<32x32xf16, #tile.l1>, memref<32x32xf32, #tile.l0c>
  }
  return
}

// -----

func.func @gemm_unsigned() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<32x32xi8, #tile.l1>
    %y = tile.alloc : memref<32x32xi8, #tile.l1>
    %c = tile.alloc : memref<32x32xi32, #tile.l0c>
    // expected-error@+1 {{the cube has no unsigned operands and no tf32; copy unsigned ones to tiles of f16, and leave 'precision' out}}
    tile.gemm %x, %y, %c {a_unsigned} : memref<32x32xi8, #tile.l1>, memref<32x32xi8, #tile.l1>, memref<32x32xi32, #tile.l0c>
  }
  return
}

// -----

func.func @gemm_large() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<4096x32xf16, #tile.l1>
    %y = tile.alloc : memref<32x32xf16, #tile.l1>
    %c = tile.alloc : memref<4096x32xf32, #tile.l0c>
    // expected-error@+1 {{4096 rows and 16 columns of the left operand are more than 'l0a' has room for; use fewer rows}}
    tile.gemm %x, %y, %c : memref<4096x32xf16, #tile.l1>, memref<32x32xf16, #tile.l1>, memref<4096x32xf32, #tile.l0c>
  }
  return
}

// -----

func.func @fill_accumulator() {
  %one = arith.constant 1.0 : f32
  tile.kernel (%b) in (1) {
    %c = tile.alloc : memref<32x32xf32, #tile.l0c>
    // expected-error@+1 {{an accumulator of the cube is filled with the constant 0 alone; add other values later}}
    tile.fill %c, %one : memref<32x32xf32, #tile.l0c>
  }
  return
}

// -----

func.func @fill_accumulator_type() {
  %z = arith.constant 0.0 : f16
  tile.kernel (%b) in (1) {
    %c = tile.alloc : memref<32x32xf16, #tile.l0c>
    // expected-error@+1 {{expected an accumulator of 'f32' or 'i32', got 'f16'}}
    tile.fill %c, %z : memref<32x32xf16, #tile.l0c>
  }
  return
}

// -----

func.func @reduce_kind() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xi64, #tile.ub>
    %y = tile.alloc : memref<16xi64, #tile.ub>
    // expected-error@+1 {{the vector unit has no reduction 'and' of 'i64'; it reduces floats of at most 32 bits, i8, i16 and i32}}
    tile.reduce and %x, %y dim(1) : memref<16x16xi64, #tile.ub>, memref<16xi64, #tile.ub>
  }
  return
}

// -----

func.func @reduce_wide() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xi64, #tile.ub>
    %y = tile.alloc : memref<16xi64, #tile.ub>
    // expected-error@+1 {{the vector unit has no reduction 'sum' of 'i64'}}
    tile.reduce sum %x, %y dim(1) : memref<16x16xi64, #tile.ub>, memref<16xi64, #tile.ub>
  }
  return
}

// -----

func.func @scan() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.ub>
    %y = tile.alloc : memref<16x16xf32, #tile.ub>
    // expected-error@+1 {{'tile.transpose' cannot be lowered to Ascend}}
    tile.transpose %x, %y : memref<16x16xf32, #tile.ub>, memref<16x16xf32, #tile.ub>
  }
  return
}

// -----

// expected-error@+3 {{expected 'tile.target' to be an Ascend chip}}
module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @chip() {
  tile.kernel (%b) in (1) {
  }
  return
}
}

// -----

// The copy to L1 writes zeros behind the part that is there.
func.func @padding_value(%g: memref<?x?xf16>, %k: index) {
  %one = arith.constant 1.0 : f16
  tile.kernel (%b) in (4) {
    tile.padding_value %g, %one : memref<?x?xf16>
    %x = tile.alloc : memref<32x32xf16, #tile.l1>
    // expected-error@+1 {{a tile of the cube that leaves its buffer is filled with 0; load it to the vector unit for another 'tile.padding_value'}}
    tile.copy %g[0, %b * 32], %x : memref<?x?xf16>, memref<32x32xf16, #tile.l1>
  }
  return
}

// -----

func.func @store_i8(%c: memref<32x32xi8>) {
  tile.kernel (%b) in (1) {
    %acc = tile.alloc : memref<32x32xi32, #tile.l0c>
    // expected-error@+1 {{an accumulator of 'i32' is not stored as 'i8'; convert it in 'tile.parallel'}}
    tile.copy %acc, %c : memref<32x32xi32, #tile.l0c>, memref<32x32xi8>
  }
  return
}

// -----

func.func @cast() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.ub>
    %r = memref.cast %x : memref<16x16xf32, #tile.ub> to memref<16x16xf32, strided<[16, 1]>, #tile.ub>
    %z = arith.constant 0.0 : f32
    // expected-error@+1 {{'memref.cast' of a buffer in 'ub' cannot be lowered to Ascend}}
    tile.fill %r, %z : memref<16x16xf32, strided<[16, 1]>, #tile.ub>
  }
  return
}
