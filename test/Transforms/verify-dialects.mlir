// RUN: tile-opt %s --allow-unregistered-dialect --tile-verify-dialects --split-input-file --verify-diagnostics

// Upstream's conversions and its inliner ask each op for its dialect: nothing behind this pass meets an op that has none.
func.func @in_kernel(%x: memref<32xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (32) {
      // expected-error @below {{no registered dialect has an op 'foo.number'; lower it, or register its dialect and give it a lowering}}
      %v = "foo.number"() : () -> f32
      memref.store %v, %x[%i] : memref<32xf32>
    }
  }
  return
}

// -----

func.func @around_kernel(%x: memref<32xf32>) {
  // expected-error @below {{no registered dialect has an op 'foo.region'}}
  "foo.region"() ({
  ^bb0(%n: index):
    tile.kernel (%b) in (%n) {
    }
  }) : () -> ()
  return
}

// -----

func.func @branches(%x: memref<32xf32>, %v: f32) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (32) {
      %w = scf.execute_region -> f32 {
        // expected-error @below {{no registered dialect has an op 'foo.branch'}}
        "foo.branch"()[^bb1, ^bb2] : () -> ()
      ^bb1:
        scf.yield %v : f32
      ^bb2:
        scf.yield %v : f32
      }
      memref.store %w, %x[%i] : memref<32xf32>
    }
  }
  return
}

// -----

func.func @ends(%x: memref<32xf32>) {
  // expected-error @below {{no registered dialect has an op 'foo.return'}}
  "foo.return"() : () -> ()
}

// -----

// expected-error @below {{no registered dialect has an op 'foo.module'}}
"foo.module"() ({
  func.func @inside(%x: memref<32xf32>) {
    return
  }
}) : () -> ()

// -----

func.func private @called(%i: index) -> f32 {
  // expected-error @below {{no registered dialect has an op 'foo.number'}}
  %v = "foo.number"(%i) : (index) -> f32
  return %v : f32
}
func.func @calls(%x: memref<32xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (32) {
      %v = func.call @called(%i) : (index) -> f32
      memref.store %v, %x[%i] : memref<32xf32>
    }
  }
  return
}

// -----

// expected-error @below {{'func.func' has a value of type 'tuple<!foo.thing>', which no registered dialect has}}
func.func @argument(%x: memref<32xf32>, %y: tuple<!foo.thing>) {
  return
}

// -----

func.func @result(%x: memref<32xf32>) {
  %none = arith.constant 0 : i64
  // expected-error @below {{'builtin.unrealized_conversion_cast' has a value of type '!foo.thing', which no registered dialect has}}
  %y = builtin.unrealized_conversion_cast %none : i64 to !foo.thing
  return
}

// -----

// Attributes that nobody knows say nothing.
module attributes {foo.origin = #foo.file<"x">} {
  func.func @attributes(%x: memref<32xf32>) attributes {foo.kind} {
    tile.kernel (%b) in (1) {
      tile.parallel (%i) in (32) {
        %v = arith.constant {foo.known = !foo.type} 1.0 : f32
        memref.store %v, %x[%i] {foo.hint = #foo.streaming} : memref<32xf32>
      }
    }
    return
  }
}

// -----

func.func @misspelt(%x: memref<32xf32>) {
  // An attribute of another dialect stays.
  tile.kernel (%b) in (1) attributes {foo.origin = 3 : i32} {
    %t = tile.alloc : memref<32xf32, #tile.fragment>
    tile.copy %x, %t {foo.note}
    // expected-error @below {{'tile.scan' has no attribute 'exclusive'; its attributes are dim, is_unsigned, kind, reverse}}
    tile.scan sum %t, %t dim(0) {exclusive}
    // expected-error @below {{'tile.fill' has no attribute 'volatile'}}
    tile.fill %t, 0.0 {volatile}
    tile.copy %t, %x
  }
  return
}
