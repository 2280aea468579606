// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @undefined(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (8) do {
      // expected-error @below {{use of value '%x' before its definition}}
      %a[%i] = 1.0 + %x
    }
  }
  return
}

// -----

func.func @undefined_buffer(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{use of value '%s' before its definition}}
    tile.copy %a, %s
  }
  return
}

// -----

func.func @redefinition(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (8) do {
      %x = %a[%i]
      // expected-error @below {{redefinition of value '%x'}}
      %x = %a[%i] + 1.0
    }
  }
  return
}

// -----

func.func @no_expression(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected an expression}}
    tile.parallel (%i) in (8) do %a[%i] = 1.0 + * 2.0
  }
  return
}

// -----

func.func @no_end(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (8) do {
      // expected-error @below {{expected ')'}}
      %a[%i] = (1.0 + 2.0
    }
  }
  return
}

// -----

func.func @no_indices(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected indices behind the buffer '%a'}}
    tile.parallel (%i) in (8) do %a[%i] = %a + 1.0
  }
  return
}

// -----

func.func @no_buffer(%a: memref<8xf32>, %s: f32) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected a buffer, got a value of 'f32'}}
    tile.parallel (%i) in (8) do %a[%i] = %s[%i]
  }
  return
}

// -----

func.func @too_few_indices(%a: memref<8x8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected 2 indices for 'memref<8x8xf32>', got 1}}
    tile.parallel (%i) in (8) do %a[%i, %i] = %a[%i]
  }
  return
}

// -----

func.func @too_many_indices(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected 1 index for 'memref<8xf32>', got 2}}
    tile.parallel (%i) in (8) do %a[%i, %i] = 0.0
  }
  return
}

// -----

func.func @type_of_number(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (8) do {
      // expected-error @below {{cannot tell the type of the number; write it as f32(…)}}
      %x = 2.0 * 3.0
      %a[%i] = %x
    }
  }
  return
}

// -----

func.func @type_of_comparison(%a: memref<8xi1>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{cannot tell the type of the number}}
    tile.parallel (%i) in (8) do %a[%i] = 2.0 < 3.0
  }
  return
}

// -----

func.func @range_of_number(%a: memref<8xi8>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected a number of 'i8', got 256}}
    tile.parallel (%i) in (8) do %a[%i] = %a[%i] + 256
  }
  return
}

// -----

func.func @long_number(%a: memref<8xi64>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected a number of 64 bits}}
    tile.parallel (%i) in (8) do %a[%i] = 99999999999999999999999
  }
  return
}

// -----

func.func @fraction(%a: memref<8xi32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected a value of 'i32', got a number with a fraction}}
    tile.parallel (%i) in (8) do %a[%i] = %a[%i] + 0.5
  }
  return
}

// -----

func.func @number_for_vector(%a: memref<8xvector<4xf32>>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected a value of 'vector<4xf32>', got a number}}
    tile.parallel (%i) in (8) do %a[%i] = 1
  }
  return
}

// -----

func.func @vectors(%a: memref<8xvector<4xf32>>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected numbers as operands, got 'vector<4xf32>'}}
    tile.parallel (%i) in (8) do %a[%i] = %a[%i] + %a[%i]
  }
  return
}

// -----

func.func @comparison_of_vectors(%a: memref<8xvector<4xf32>>, %c: memref<8xi1>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected numbers as operands, got 'vector<4xf32>'}}
    tile.parallel (%i) in (8) do %c[%i] = %a[%i] < %a[%i]
  }
  return
}

// -----

func.func @function_of_vectors(%a: memref<8xvector<4xf32>>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'max' takes numbers, got 'vector<4xf32>'}}
    tile.parallel (%i) in (8) do %a[%i] = max(%a[%i], %a[%i])
  }
  return
}

// -----

func.func @mixed(%a: memref<8xf32>, %h: memref<8xf16>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected a value of 'f32', got 'f16'; convert it: f32(…)}}
    tile.parallel (%i) in (8) do %a[%i] = %a[%i] * %h[%i]
  }
  return
}

// -----

func.func @stored(%a: memref<8xf32>, %h: memref<8xf16>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected a value of 'f16', got 'f32'; convert it: f16(…)}}
    tile.parallel (%i) in (8) do %h[%i] = exp(%a[%i])
  }
  return
}

// -----

func.func @index_of_float(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected a value of 'index', got 'f32'; convert it: index(…)}}
    tile.parallel (%i) in (8) do %a[%a[%i]] = 0.0
  }
  return
}

// -----

func.func @affine_of_integer(%a: memref<8xf32>, %n: memref<8xi32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected an index, got 'i32'; convert it: index(…)}}
    tile.parallel (%i) in (8) do %a[%i + %n[%i]] = 0.0
  }
  return
}

// -----

func.func @division_of_indices(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected 'floordiv' or 'ceildiv' as the division of indices}}
    tile.parallel (%i) in (8) do %a[%i / 2] = 0.0
  }
  return
}

// -----

func.func @divisor_of_index(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected a positive divisor of an index, got 0}}
    tile.parallel (%i) in (8) do %a[%i mod 0] = 0.0
  }
  return
}

// -----

func.func @floordiv_of_floats(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected indices as operands, got 'f32'}}
    tile.parallel (%i) in (8) do %a[%i] = %a[%i] floordiv 2.0
  }
  return
}

// -----

func.func @mod_of_integers(%a: memref<8xi32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected indices as operands, got 'i32'; '/' and rem(…) divide integers}}
    tile.parallel (%i) in (8) do %a[%i] = %a[%i] mod 2
  }
  return
}

// -----

func.func @negated_integer(%a: memref<8xi32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected a float as the operand of '-', got 'i32'; write 0 - …}}
    tile.parallel (%i) in (8) do %a[%i] = -%a[%i]
  }
  return
}

// -----

func.func @unknown_function(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{unknown function 'gelu'; expected a type, select, ceildiv, dim, floordiv, mod, sum, abs, and, ceil, cos, erf, exp}}
    tile.parallel (%i) in (8) do %a[%i] = gelu(%a[%i])
  }
  return
}

// -----

func.func @number_of_operands(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected 2 operands of 'max', got 1}}
    tile.parallel (%i) in (8) do %a[%i] = max(%a[%i])
  }
  return
}

// -----

func.func @number_of_operands_conversion(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected 1 operand of 'f32', got 2}}
    tile.parallel (%i) in (8) do %a[%i] = f32(%a[%i], %a[%i])
  }
  return
}

// -----

func.func @floats_only(%a: memref<8xi32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'exp' takes floats, got 'i32'}}
    tile.parallel (%i) in (8) do %a[%i] = exp(%a[%i])
  }
  return
}

// -----

func.func @integers_only(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'and' takes integers, got 'f32'}}
    tile.parallel (%i) in (8) do %a[%i] = and(%a[%i], 1)
  }
  return
}

// -----

func.func @conversion_of_width(%a: memref<8xf16>, %b: memref<8xbf16>) {
  tile.kernel (%k) in (1) {
    // expected-error @below {{cannot convert 'bf16' to 'f16'; convert to f32 first}}
    tile.parallel (%i) in (8) do %a[%i] = f16(%b[%i])
  }
  return
}

// -----

func.func @argument_count(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected as many extents as induction variables, got 1 and 2}}
    tile.parallel (%i, %j) in (8) do %a[%i] = 0.0
  }
  return
}
