// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @element_in_bound(%n: memref<8xindex>) {
  // expected-error @below {{expected no element of a buffer here; load it in a line before, with 'memref.load'}}
  tile.kernel (%b) in (%n[0]) {
  }
  return
}

// -----

func.func @element_in_offset(%a: memref<8xf32>, %n: memref<8xindex>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<8xf32, #tile.shared>
    // expected-error @below {{expected no element of a buffer here; load it in a line before, with 'memref.load'}}
    tile.copy %a[%b + %n[0]], %t
  }
  return
}

// -----

func.func @dim_of_number(%n: index) {
  // expected-error @below {{expected a buffer, got a value of 'index'}}
  tile.kernel (%b) in (dim(%n, 0)) {
  }
  return
}

// -----

func.func @dim_beyond_rank(%a: memref<8x?xf32>) {
  // expected-error @below {{expected a dimension below 2 of 'memref<8x?xf32>', got 2}}
  tile.kernel (%b) in (dim(%a, 2)) {
  }
  return
}

// -----

func.func @dim_negative(%a: memref<8x?xf32>) {
  // expected-error @below {{expected the number of a dimension, got -1}}
  tile.kernel (%b) in (dim(%a, -1)) {
  }
  return
}

// -----

func.func @dim_before_definition() {
  // expected-error @below {{use of value '%a' before its definition}}
  tile.kernel (%b) in (dim(%a, 0)) {
  }
  %a = memref.alloc() : memref<8xf32>
  return
}

// -----

func.func @undefined_in_bound(%n: index) {
  // expected-error @below {{use of value '%k' before its definition}}
  tile.kernel (%b) in (%k + 1) {
  }
  return
}

// -----

func.func @undefined_in_offset(%a: memref<?xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<8xf32, #tile.shared>
    // expected-error @below {{use of value '%k' before its definition}}
    tile.copy %a[max(%b, 0) + %k], %t
    %k = arith.constant 0 : index
  }
  return
}

// -----

func.func @float_in_bound(%x: f32) {
  // expected-error @below {{expected a value of 'index', got 'f32'; convert it: index(…)}}
  tile.kernel (%b) in (%x + 1.0) {
  }
  return
}

// -----

func.func @fraction_in_bound(%n: index) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected a value of 'index', got a number with a fraction}}
    tile.pipelined %k = 0 to %n + 0.5 {
    }
  }
  return
}

// -----

func.func @division_in_bound(%n: index) {
  // expected-error @below {{expected 'floordiv' or 'ceildiv' as the division of indices}}
  tile.kernel (%b) in (%n / 2) {
  }
  return
}

// -----

func.func @divisor_of_bound(%n: index) {
  %none = arith.constant -1 : index
  // expected-error @below {{expected a positive divisor of an index, got -1}}
  tile.kernel (%b) in (ceildiv(%n, %none)) {
  }
  return
}

// -----

func.func @integer_divisor(%n: i32, %m: i32) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<8xi32, #tile.shared>
    tile.fill %t, %n / 2
    // expected-error @below {{expected a positive number as the divisor of an integer here; divide in a line before}}
    tile.fill %t, %n / %m
  }
  return
}

// -----

func.func @remainder_of_index(%n: index, %m: index) {
  // expected-error @below {{expected a positive number as the divisor of an integer here; divide in a line before}}
  tile.kernel (%b) in (rem(%n, %m)) {
  }
  return
}

// -----

func.func @no_parameter(%n: index) {
  // expected-error @below {{'tile.get_param' op expected the name of a 'tile.param', got '@P'}}
  tile.kernel (%b) in (ceildiv(%n, @P)) {
  }
  return
}

// -----

tile.param @P = 8 in [8]
func.func @parameter_without_value() {
  // expected-error @below {{expected an expression with a value in it; outside of a kernel, write '%value = tile.get_param …' or '%value = arith.constant …' in a line before}}
  tile.kernel (%b) in (@P) {
  }
  return
}

// -----

func.func @symbol_in_bound(%n: index) {
  // expected-error @below {{unknown function 'symbol'}}
  tile.kernel (%b) in (symbol(%n)) {
  }
  return
}

// -----

func.func @hexadecimal() {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<8xf32, #tile.shared>
    // expected-error @below {{expected a decimal number, inf or nan as a value of 'f32'}}
    tile.fill %t, 0xFF800000
  }
  return
}

// -----

func.func @filled_with_index(%n: index) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<8xf32, #tile.shared>
    // expected-error @below {{expected a value of 'f32', got 'index'}}
    tile.fill %t, %n + 1
  }
  return
}

// -----

func.func @filled_number(%n: index) {
  // expected-error @below {{'buffer' must be memref of any type values, but got 'index'}}
  tile.fill %n, 1.0
  return
}

// -----

func.func @no_condition(%n: index) {
  // expected-error @below {{expected a value of 'i1', got 'index'}}
  tile.assume %n + 1
  return
}

// -----

func.func @atomic_on_number(%n: index) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected a buffer, got a value of 'index'}}
    tile.atomic add 1, %n[0]
  }
  return
}

// -----

func.func @atomic_value_undefined(%a: memref<8xi32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{use of value '%v' before its definition}}
    tile.atomic add %v, %a[0]
  }
  return
}

// -----

func.func @nested(%n: index) {
  // expected-error @below {{expected expressions nested up to 256 times; give a part of this one a name}}
  tile.kernel (%b) in (((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((%n))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))) {
  }
  return
}

// -----

func.func @flags_unknown(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected '<'}}
    tile.parallel (%i) in (8) do fastmath %a[%i] = 1.0
  }
  return
}

// -----

func.func @statement(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected an assignment, if, for, tile.atomic, tile.device_assert or tile.print, got 'tile.fill'; a body of other ops is a region, without 'do'}}
    tile.parallel (%i) in (8) do tile.fill %a, 0.0
  }
  return
}

// -----

func.func @atomic_indices(%a: memref<8x8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected 2 indices for 'memref<8x8xf32>', got 1}}
    tile.parallel (%i) in (8) do tile.atomic add 1.0, %a[%i]
  }
  return
}

// -----

func.func @atomic_value(%a: memref<8xi32>, %f: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected a value of 'i32', got 'f32'; convert it: i32(…)}}
    tile.parallel (%i) in (8) do tile.atomic max %f[%i], %a[%i]
  }
  return
}

// -----

func.func @atomic_of_tile(%a: memref<8xi32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<8xi32, #tile.shared>
    // expected-error @below {{expected indices behind the buffer '%t'}}
    tile.parallel (%i) in (8) do tile.atomic add %t, %a[0]
  }
  return
}

// -----

func.func @atomic_type(%a: memref<8xi8>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected f16, bf16, f32, f64, i32 or i64, got 'i8'}}
    tile.parallel (%i) in (8) do tile.atomic add 1, %a[%i]
  }
  return
}

// -----

func.func @assertion(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected a value of 'i1', got 'f32'; convert it: i1(…)}}
    tile.parallel (%i) in (8) do tile.device_assert %a[%i], "not zero"
  }
  return
}
