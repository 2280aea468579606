// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @atomic_c1(%v: f32, %a: memref<64xf32>) {
  // expected-error @below {{'tile.atomic' op expected 1 offset for 'memref<64xf32>', got 0}}
  tile.atomic add %v, %a : f32, memref<64xf32>
  return
}

// -----

func.func @atomic_c1_rank(%v: f32, %a: memref<8x8xf32>) {
  // expected-error @below {{'tile.atomic' op expected 2 offsets for 'memref<8x8xf32>', got 1}}
  tile.atomic add %v, %a[0] : f32, memref<8x8xf32>
  return
}

// -----

func.func @atomic_c1_operands(%v: f32, %a: memref<64xf32>, %i: index) {
  // expected-error @below {{'tile.atomic' op expected 0 index operands, got 1}}
  "tile.atomic"(%v, %a, %i) <{kind = #tile<atomic_kind add>, targetMap = affine_map<() -> (0)>}>
      : (f32, memref<64xf32>, index) -> ()
  return
}

// -----

func.func @atomic_c1_divisor(%v: f32, %a: memref<64xf32>, %i: index) {
  // expected-error @below {{'tile.atomic' op expected divisors of at least 1, got 0}}
  tile.atomic add %v, %a[%i mod (4 - 4)] : f32, memref<64xf32>
  return
}

// -----

func.func @atomic_c1_negative_divisor(%v: f32, %a: memref<64xf32>, %i: index) {
  // expected-error @below {{'tile.atomic' op expected divisors of at least 1, got -3}}
  "tile.atomic"(%v, %a, %i) <{kind = #tile<atomic_kind add>, targetMap = affine_map<(d0) -> (d0 floordiv (2 - 5) + 1)>}>
      : (f32, memref<64xf32>, index) -> ()
  return
}

// -----

func.func @atomic_c1_sizes(%v: f32, %a: memref<64xf32>) {
  // expected-error @below {{'tile.atomic' op expected no sizes for the update of one element}}
  tile.atomic add %v, %a[0] [8] : f32, memref<64xf32>
  return
}

// -----

func.func @atomic_c1_tile(%v: memref<8xf32, #tile.shared>, %a: memref<64xf32>) {
  // expected-error @below {{'tile.atomic' op expected offsets for a tile of 8 in 'memref<64xf32>'}}
  tile.atomic add %v, %a : memref<8xf32, #tile.shared>, memref<64xf32>
  return
}

// -----

func.func @atomic_c1_tile_sizes(%v: memref<8xf32, #tile.shared>, %a: memref<8x8xf32>) {
  // expected-error @below {{'tile.atomic' op expected 2 sizes for 'memref<8x8xf32>', got 1}}
  tile.atomic add %v, %a[0, 0] [8] : memref<8xf32, #tile.shared>, memref<8x8xf32>
  return
}

// -----

func.func @atomic_c2(%v: f16, %a: memref<64xf32>) {
  // expected-error @below {{'tile.atomic' op expected a value of 'f32' as in the target, got 'f16'}}
  tile.atomic add %v, %a[0] : f16, memref<64xf32>
  return
}

// -----

func.func @atomic_c2_vector(%v: vector<4xf32>, %a: memref<64xf32>) {
  // expected-error @below {{'tile.atomic' op expected a value of 'f32' as in the target, got 'vector<4xf32>'}}
  tile.atomic add %v, %a[0] : vector<4xf32>, memref<64xf32>
  return
}

// -----

func.func @atomic_c2_tile(%v: memref<8xf16, #tile.shared>, %a: memref<64xf32>) {
  // expected-error @below {{'tile.atomic' op expected a value of 'f32' as in the target, got 'f16'}}
  tile.atomic add %v, %a[0] : memref<8xf16, #tile.shared>, memref<64xf32>
  return
}

// -----

func.func @atomic_c2_type(%v: i8, %a: memref<64xi8>) {
  // expected-error @below {{'tile.atomic' op expected f16, bf16, f32, f64, i32 or i64, got 'i8'}}
  tile.atomic add %v, %a[0] : i8, memref<64xi8>
  return
}

// -----

func.func @atomic_c3(%v: f32, %a: memref<64xf32>) {
  // expected-error @below {{'tile.atomic' op 'or' needs integers, got 'f32'}}
  tile.atomic or %v, %a[0] : f32, memref<64xf32>
  return
}

// -----

func.func @atomic_c3_unsigned(%v: f32, %a: memref<64xf32>) {
  // expected-error @below {{'tile.atomic' op 'is_unsigned' needs integers, got 'f32'}}
  tile.atomic add %v, %a[0] {is_unsigned} : f32, memref<64xf32>
  return
}

// -----

func.func @atomic_c4(%v: f32, %a: memref<64xf32, #tile.fragment>) {
  // expected-error @below {{'tile.atomic' op expected a target in global or shared memory, got 'fragment'}}
  tile.atomic add %v, %a[0] : f32, memref<64xf32, #tile.fragment>
  return
}

// -----

func.func @atomic_c4_static(%v: memref<?xf32>, %a: memref<64xf32>) {
  // expected-error @below {{'tile.atomic' op expected buffers of static shape, got 'memref<?xf32>'}}
  tile.atomic add %v, %a[0] : memref<?xf32>, memref<64xf32>
  return
}

// -----

func.func @atomic_c4_rank(%v: memref<8x8xf32, #tile.shared>, %a: memref<64xf32>) {
  // expected-error @below {{'tile.atomic' op expected a tile of at most 1 dimensions for 'memref<64xf32>', got 8x8}}
  tile.atomic add %v, %a[0] : memref<8x8xf32, #tile.shared>, memref<64xf32>
  return
}

// -----

func.func @atomic_c4_sizes(%v: memref<8xf32, #tile.shared>, %a: memref<8x8xf32>) {
  // expected-error @below {{'tile.atomic' op expected a region of 8, got 1x4}}
  tile.atomic add %v, %a[0, 0] [1, 4] : memref<8xf32, #tile.shared>, memref<8x8xf32>
  return
}

// -----

func.func @atomic_c5(%v: memref<8xf32, #tile.shared>, %a: memref<64xf32>) {
  // expected-error @below {{'tile.atomic' op the tile form cannot return the old value}}
  %old = tile.atomic add %v, %a[0] : memref<8xf32, #tile.shared>, memref<64xf32> -> f32
  return
}

// -----

func.func @atomic_c5_result(%v: f32, %a: memref<64xf32>) {
  // expected-error @below {{'tile.atomic' op expected a result of 'f32', got 'i32'}}
  %old = tile.atomic add %v, %a[0] : f32, memref<64xf32> -> i32
  return
}

// -----

func.func @atomic_c5_parallel(%v: memref<8xf32, #tile.shared>, %a: memref<64xf32>) {
  // expected-note @below {{the loop is here}}
  tile.parallel (%i) in (8) {
    // expected-error @below {{'tile.atomic' op works on whole tiles and is not allowed in 'tile.parallel'; move it out of the loop}}
    tile.atomic add %v, %a[0] : memref<8xf32, #tile.shared>, memref<64xf32>
  }
  return
}

// -----

func.func @atomic_c6(%a: memref<64xf32>, %v: f32) {
  // expected-error @below {{'tile.atomic' op expected a tile in shared memory and a target in global memory for 'instruction'}}
  tile.atomic add %v, %a[0] {instruction = #tile.transfer<tma>}
  return
}
