// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @end_of_name(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (8) do {
      if %i < 4 {
        %v = %a[%i]
      }
      // expected-error @below {{use of value '%v' before its definition}}
      %a[%i] = %v
    }
  }
  return
}

// -----

func.func @name_of_loop(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (8) do {
      // expected-error @below {{redefinition of value '%i'}}
      for %i = 0 to 4 {
      }
    }
  }
  return
}

// -----

func.func @name_of_sum(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{redefinition of value '%i'}}
    tile.parallel (%i) in (8) do %a[%i] = sum(%i = 0 to 4, %a[%i])
  }
  return
}

// -----

func.func @condition(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (8) do {
      // expected-error @below {{expected a value of 'i1', got 'f32'; convert it: i1(…)}}
      if %a[%i] {
      }
    }
  }
  return
}

// -----

func.func @bound(%a: memref<8xf32>, %n: i32) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (8) do {
      // expected-error @below {{expected a value of 'index', got 'i32'; convert it: index(…)}}
      for %l = 0 to %n {
      }
    }
  }
  return
}

// -----

func.func @no_braces(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected '{'}}
    tile.parallel (%i) in (8) do if %i < 4 %a[%i] = 0.0
  }
  return
}

// -----

func.func @no_number(%a: memref<8xvector<4xf32>>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'sum' takes numbers, got 'vector<4xf32>'}}
    tile.parallel (%i) in (8) do %a[%i] = sum(%l = 0 to 4, %a[%l])
  }
  return
}

// -----

func.func @unknown_type(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (8) do {
      // expected-error @below {{cannot tell the type of the number; write it as f32(…)}}
      %v = sum(%l = 0 to 4, 1.0)
    }
  }
  return
}

// -----

func.func @sum_of_host(%n: index) {
  // expected-error @below {{expected no loop here; 'sum' is for the bodies of 'tile.parallel'}}
  tile.kernel (%b) in (sum(%l = 0 to %n, %l)) {
  }
  return
}

// -----

func.func @nested(%a: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected statements nested up to 256 times}}
    tile.parallel (%i) in (8) do if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{if %i<1{
  }
  return
}
