// RUN: tile-opt %s --tile-verify-semantics --verify-diagnostics

// A column of scales, a row of which is copied: what its author meant says the offset.
func.func @column(%scales: memref<?x?xf32>, %y: memref<?x?xf32>, %z: memref<?x?x?xf32>) {
  tile.kernel (%b, %k) in (ceildiv(dim(%scales, 0), 16), dim(%scales, 1)) {
    %t = tile.alloc : memref<16xf32, #tile.shared>
    // expected-warning @below {{'tile.copy' takes [1, 16] of 'memref<?x?xf32>', but its offset in dimension 0 counts tiles of 16}}
    // expected-note @below {{give sizes: [16, 1] are those of dimension 0, [1, 16] what it takes now}}
    tile.copy %scales[%b * 16, %k], %t
    // Sizes say it.
    tile.copy %scales[%b * 16, %k] [16, 1], %t
    tile.copy %scales[%b * 16, %k] [1, 16], %t
    // expected-warning @below {{'tile.copy' takes [1, 1, 16] of 'memref<?x?x?xf32>', but its offset in dimension 1 counts tiles of 16}}
    // expected-note @below {{give sizes: [1, 16, 1] are those of dimension 1, [1, 1, 16] what it takes now}}
    tile.copy %t, %z[%k, %b * 32 + 16, 3]
    // expected-warning @below {{'tile.atomic' takes [1, 16] of 'memref<?x?xf32>', but its offset in dimension 0 counts tiles of 16}}
    // expected-note @below {{give sizes: [16, 1] are those of dimension 0, [1, 16] what it takes now}}
    tile.atomic add %t, %y[%b * 16, %k]
  }
  return
}

// Rows, heads, experts; both count tiles; tiles of one element.
func.func @innermost(%q: memref<?x?x64xf16>, %x: memref<?x?xf32>) {
  tile.kernel (%b, %h) in (4, ceildiv(dim(%q, 0), 4)) {
    %qs = tile.alloc : memref<32x64xf16, #tile.shared>
    %t = tile.alloc : memref<16xf32, #tile.shared>
    %one = tile.alloc : memref<1xf32, #tile.shared>
    tile.copy %q[%h, %b * 32, 0], %qs
    tile.copy %q[%h * 4, %b * 32, 0], %qs
    tile.copy %x[%b * 16, %h * 16], %t
    tile.copy %x[%b * 16, %h], %one
  }
  return
}

// Through an op that computes the offset.
func.func @composed(%x: memref<?x?xf32>, %n: index) {
  tile.kernel (%b) in (4) {
    %t = tile.alloc : memref<16xf32, #tile.shared>
    %at = affine.apply affine_map<(d0) -> (d0 * 16)>(%b)
    // expected-warning @below {{'tile.copy' takes [1, 16] of 'memref<?x?xf32>', but its offset in dimension 0 counts tiles of 16}}
    // expected-note @below {{give sizes}}
    tile.copy %x[%at, %n], %t
  }
  return
}

// Offsets that another op makes: a loop by tiles, a product of two numbers; a constant counts none.
func.func @opaque(%x: memref<?x?xf32>, %n: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  tile.kernel (%b) in (4) {
    %t = tile.alloc : memref<16xf32, #tile.shared>
    scf.for %i = %c0 to %n step %c16 {
      // expected-warning @below {{'tile.copy' takes [1, 16] of 'memref<?x?xf32>', but its offset in dimension 0 counts tiles of 16}}
      // expected-note @below {{give sizes: [16, 1] are those of dimension 0, [1, 16] what it takes now}}
      tile.copy %x[%i, %k], %t
      tile.copy %x[%i, %i], %t
      tile.copy %x[%i, %k] [1, 16], %t
    }
    %first = arith.muli %b, %c16 : index
    // expected-warning @below {{'tile.copy' takes [1, 16] of 'memref<?x?xf32>', but its offset in dimension 0 counts tiles of 16}}
    // expected-note @below {{give sizes}}
    tile.copy %x[%first + 32, %k], %t
    scf.for %i = %c0 to %n step %c24 {
      // expected-warning @below {{'tile.copy' takes [1, 16] of 'memref<?x?xf32>', where its offsets fit [16, 1] as well; give sizes}}
      tile.copy %x[%i, %k], %t
    }
    // expected-warning @below {{'tile.copy' takes [1, 16] of 'memref<?x?xf32>', where its offsets fit [16, 1] as well; give sizes}}
    tile.copy %x[%c16, %k], %t
  }
  return
}

// Offsets that are just numbers tell a row from a column where only one of them fits, or a row begins at a tile.
func.func @numbers(%x: memref<?x?xf32>, %few: memref<8x?xf32>, %z: memref<?x4x?xf32>, %i: index, %k: index) {
  tile.kernel (%b, %h) in (4, 4) {
    %t = tile.alloc : memref<16xf32, #tile.shared>
    // expected-warning @below {{'tile.copy' takes [1, 16] of 'memref<?x?xf32>', where its offsets fit [16, 1] as well; give sizes}}
    tile.copy %x[%i, %k], %t
    // expected-warning @below {{'tile.copy' takes [1, 16] of 'memref<?x?xf32>', where its offsets fit [16, 1] as well; give sizes}}
    tile.copy %x[%b * 8, %h], %t
    // expected-warning @below {{'tile.copy' takes [1, 16] of 'memref<?x?xf32>', where its offsets fit [16, 1] as well; give sizes}}
    tile.copy %x[32, %h], %t
    // expected-warning @below {{'tile.atomic' takes [1, 16] of 'memref<?x?xf32>', where its offsets fit [16, 1] as well; give sizes}}
    tile.atomic add %t, %x[%i, %k]
    // expected-warning @below {{'tile.copy' takes [1, 1, 16] of 'memref<?x4x?xf32>', where its offsets fit [16, 1, 1] as well; give sizes}}
    tile.copy %t, %z[%i, %h, %k]
    tile.copy %few[%i, %k], %t
    tile.copy %x[%i, 0], %t
    tile.copy %x[%i, 48], %t
    tile.copy %x[%i, %k] [1, 16], %t
    tile.copy %x[%i, %k] [16, 1], %t
  }
  return
}

// A parameter that has been bound is a constant operand.
func.func @bound(%x: memref<?x?xf32>) {
  %c16 = arith.constant 16 : index
  tile.kernel (%b, %h) in (4, 4) {
    %t = tile.alloc : memref<16xf32, #tile.shared>
    tile.copy %x[%h, %b * symbol(%c16)], %t
    tile.atomic add %t, %x[%h, %b * symbol(%c16)]
  }
  return
}
