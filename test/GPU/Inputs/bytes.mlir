// Elements narrower than a byte: two of 4 bits share one, truth values have one each. Tiles reach past the end of buffers,
// and rows of tiles have odd lengths, so that neighbouring threads meet in a byte.

func.func @store_f4_tail(%x: memref<5x64xf32> {tile.init = "integers(-6,6)"}, %y: memref<5x64xf4E2M1FN> {tile.result})
    attributes {tile.reference = @store_f4_tail_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<16x64xf32, #tile.fragment>
    tile.copy %x[0, 0], %t : memref<5x64xf32>, memref<16x64xf32, #tile.fragment>
    tile.copy %t, %y[0, 0] {saturate} : memref<16x64xf32, #tile.fragment>, memref<5x64xf4E2M1FN>
  }
  return
}
func.func @store_f4_tail_reference(%x: memref<5x64xf32>, %y: memref<5x64xf4E2M1FN>) {
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 64 {
      %v = affine.load %x[%i, %j] : memref<5x64xf32>
      %w = arith.truncf %v : f32 to f4E2M1FN
      affine.store %w, %y[%i, %j] : memref<5x64xf4E2M1FN>
    }
  }
  return
}

func.func @load_f4_tail(%x: memref<5x64xf4E2M1FN> {tile.init = "integers(-6,6)"}, %y: memref<5x64xf32> {tile.result})
    attributes {tile.reference = @load_f4_tail_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %s = tile.alloc : memref<16x64xf4E2M1FN, #tile.shared>
    %t = tile.alloc : memref<16x64xf32, #tile.fragment>
    tile.copy %x[0, 0], %s : memref<5x64xf4E2M1FN>, memref<16x64xf4E2M1FN, #tile.shared>
    tile.copy %s, %t : memref<16x64xf4E2M1FN, #tile.shared>, memref<16x64xf32, #tile.fragment>
    tile.copy %t, %y[0, 0] : memref<16x64xf32, #tile.fragment>, memref<5x64xf32>
  }
  return
}
func.func @load_f4_tail_reference(%x: memref<5x64xf4E2M1FN>, %y: memref<5x64xf32>) {
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 64 {
      %v = affine.load %x[%i, %j] : memref<5x64xf4E2M1FN>
      %w = arith.extf %v : f4E2M1FN to f32
      affine.store %w, %y[%i, %j] : memref<5x64xf32>
    }
  }
  return
}

// Rows whose length is not known: 4-bit integers from global to global memory, by tiles of 8x32 elements.
func.func @copy_i4(%x: memref<?x?xi4> {tile.shape = "MxN", tile.init = "integers(-8,7)"},
    %y: memref<?x?xi4> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @copy_i4_reference, tile.cases = ["M=8,N=64", "M=9,N=34", "M=7,N=30", "M=1,N=2"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?xi4>
  %n = memref.dim %x, %c1 : memref<?x?xi4>
  %rows = affine.apply affine_map<(m) -> (m ceildiv 8)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 32)>(%n)
  tile.kernel (%b, %a) in (%columns, %rows) threads(64) {
    %s = tile.alloc : memref<8x32xi4, #tile.shared>
    tile.copy %x[%a * 8, %b * 32], %s : memref<?x?xi4>, memref<8x32xi4, #tile.shared>
    tile.copy %s, %y[%a * 8, %b * 32] : memref<8x32xi4, #tile.shared>, memref<?x?xi4>
  }
  return
}
func.func @copy_i4_reference(%x: memref<?x?xi4>, %y: memref<?x?xi4>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?xi4>
  %n = memref.dim %x, %c1 : memref<?x?xi4>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %v = affine.load %x[%i, %j] : memref<?x?xi4>
      affine.store %v, %y[%i, %j] : memref<?x?xi4>
    }
  }
  return
}

// Single elements: each iteration stores one of its own.
func.func @store_i4(%x: memref<8x30xi32> {tile.init = "integers(-8,7)"}, %y: memref<8x30xi4> {tile.result})
    attributes {tile.reference = @store_i4_reference} {
  tile.kernel (%b) in (8) threads(32) {
    tile.parallel (%j) in (30) {
      %v = memref.load %x[%b, %j] : memref<8x30xi32>
      %w = arith.trunci %v : i32 to i4
      memref.store %w, %y[%b, %j] : memref<8x30xi4>
    }
  }
  return
}
func.func @store_i4_reference(%x: memref<8x30xi32>, %y: memref<8x30xi4>) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 30 {
      %v = affine.load %x[%i, %j] : memref<8x30xi32>
      %w = arith.trunci %v : i32 to i4
      affine.store %w, %y[%i, %j] : memref<8x30xi4>
    }
  }
  return
}

// Every other element changes, in shared and then in global memory, and its neighbours stay.
func.func @change_half(%y: memref<4x22xi4> {tile.init = "integers(-8,7)", tile.result})
    attributes {tile.reference = @change_half_reference} {
  %three = arith.constant 3 : i4
  %minus = arith.constant -2 : i4
  tile.kernel (%b) in (1) threads(64) {
    %s = tile.alloc : memref<4x22xi4, #tile.shared>
    tile.copy %y, %s : memref<4x22xi4>, memref<4x22xi4, #tile.shared>
    tile.parallel (%i, %j) in (4, 11) {
      %k = affine.apply affine_map<(j) -> (j * 2 + 1)>(%j)
      memref.store %three, %s[%i, %k] : memref<4x22xi4, #tile.shared>
    }
    tile.copy %s, %y : memref<4x22xi4, #tile.shared>, memref<4x22xi4>
    tile.parallel (%i) in (4) {
      %k = affine.apply affine_map<(i) -> (i * 4)>(%i)
      memref.store %minus, %y[%i, %k] : memref<4x22xi4>
    }
  }
  return
}
func.func @change_half_reference(%y: memref<4x22xi4>) {
  %three = arith.constant 3 : i4
  %minus = arith.constant -2 : i4
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 11 {
      affine.store %three, %y[%i, %j * 2 + 1] : memref<4x22xi4>
    }
    affine.store %minus, %y[%i, %i * 4] : memref<4x22xi4>
  }
  return
}

// Fills and copies of odd rows, beside another tile: what is not copied stays.
func.func @odd_rows(%y: memref<4x6xi4> {tile.init = "integers(-8,7)", tile.result},
    %z: memref<4x6xi4> {tile.init = "integers(-8,7)", tile.result}) attributes {tile.reference = @odd_rows_reference} {
  %one = arith.constant 1 : i4
  %two = arith.constant 2 : i4
  tile.kernel (%b) in (1) threads(64) {
    %s = tile.alloc : memref<4x5xi4, #tile.shared>
    %t = tile.alloc : memref<4x5xi4, #tile.shared>
    tile.fill %s, %one : memref<4x5xi4, #tile.shared>
    tile.fill %t, %two : memref<4x5xi4, #tile.shared>
    tile.copy %s, %y[0, 1] : memref<4x5xi4, #tile.shared>, memref<4x6xi4>
    tile.copy %t, %z[0, 0] : memref<4x5xi4, #tile.shared>, memref<4x6xi4>
  }
  return
}
func.func @odd_rows_reference(%y: memref<4x6xi4>, %z: memref<4x6xi4>) {
  %one = arith.constant 1 : i4
  %two = arith.constant 2 : i4
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 5 {
      affine.store %one, %y[%i, %j + 1] : memref<4x6xi4>
      affine.store %two, %z[%i, %j] : memref<4x6xi4>
    }
  }
  return
}

// 4 bits on their way between fragments of different layouts.
func.func @transpose_i4(%x: memref<32x16xi4> {tile.init = "integers(-8,7)"}, %y: memref<16x32xi4> {tile.result})
    attributes {tile.reference = @transpose_i4_reference} {
  tile.kernel (%b) in (1) threads(64) {
    %s = tile.alloc : memref<32x16xi4, #tile.fragment>
    %t = tile.alloc : memref<16x32xi4, #tile.fragment>
    tile.copy %x, %s : memref<32x16xi4>, memref<32x16xi4, #tile.fragment>
    tile.transpose %s, %t : memref<32x16xi4, #tile.fragment>, memref<16x32xi4, #tile.fragment>
    tile.copy %t, %y : memref<16x32xi4, #tile.fragment>, memref<16x32xi4>
  }
  return
}
func.func @transpose_i4_reference(%x: memref<32x16xi4>, %y: memref<16x32xi4>) {
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 16 {
      %v = affine.load %x[%i, %j] : memref<32x16xi4>
      affine.store %v, %y[%j, %i] : memref<16x32xi4>
    }
  }
  return
}

// Truth values in shared memory, beside a tile that must not change; 96 of them in vectors and one by one.
func.func @truth_values(%x: memref<96xi32> {tile.init = "integers(-3,3)"}, %y: memref<96xi32> {tile.result},
    %z: memref<96xi32> {tile.result}) attributes {tile.reference = @truth_values_reference} {
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  tile.kernel (%b) in (1) threads(64) {
    %s = tile.alloc : memref<96xi1, #tile.shared>
    %u = tile.alloc : memref<96xi1, #tile.shared>
    %k = tile.alloc : memref<96xi32, #tile.shared>
    tile.fill %k, %seven : memref<96xi32, #tile.shared>
    tile.parallel (%i) in (96) {
      %v = memref.load %x[%i] : memref<96xi32>
      %p = arith.cmpi sgt, %v, %zero : i32
      memref.store %p, %s[%i] : memref<96xi1, #tile.shared>
    }
    tile.copy %s, %u : memref<96xi1, #tile.shared>, memref<96xi1, #tile.shared>
    tile.parallel (%i) in (96) {
      %j = affine.apply affine_map<(i) -> (95 - i)>(%i)
      %p = memref.load %u[%j] : memref<96xi1, #tile.shared>
      %q = arith.extui %p : i1 to i32
      memref.store %q, %y[%i] : memref<96xi32>
    }
    tile.copy %k, %z : memref<96xi32, #tile.shared>, memref<96xi32>
  }
  return
}
func.func @truth_values_reference(%x: memref<96xi32>, %y: memref<96xi32>, %z: memref<96xi32>) {
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  affine.for %i = 0 to 96 {
    %v = affine.load %x[95 - %i] : memref<96xi32>
    %p = arith.cmpi sgt, %v, %zero : i32
    %q = arith.extui %p : i1 to i32
    affine.store %q, %y[%i] : memref<96xi32>
    affine.store %seven, %z[%i] : memref<96xi32>
  }
  return
}
