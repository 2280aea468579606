// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @ring() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.ring' is now 'tile.create_pipeline'}}
    %ring = tile.ring : !tile.pipeline<2>
  }
  return
}

// -----

// expected-error @below {{'!tile.ring' is now '!tile.pipeline'}}
func.func private @ring_type(!tile.ring<2>)

// -----

// expected-error @below {{unknown type 'wheel' in dialect 'tile'}}
func.func private @no_type(!tile.wheel<2>)

// -----

func.func @slot(%s: memref<2x64xf32, #tile.shared>, %i: index) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.slot' is now 'tile.stage'}}
    %t = tile.slot %s[%i] : memref<2x64xf32, #tile.shared> to memref<64xf32, #tile.shared>
  }
  return
}

// -----

func.func @roles() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.roles' is now 'tile.warp_specialize'}}
    tile.roles producer {
    } consumer {
    }
  }
  return
}

// -----

func.func @take_turn() {
  // expected-error @below {{'tile.take_turn' is now 'tile.order_wait'}}
  tile.take_turn
  return
}

// -----

func.func @pass_turn() {
  // expected-error @below {{'tile.pass_turn' is now 'tile.order_arrive'}}
  tile.pass_turn
  return
}

// -----

func.func @safe_value(%a: memref<?xf32>, %x: f32) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.safe_value' is now 'tile.padding_value'}}
    tile.safe_value %a, %x : memref<?xf32>
  }
  return
}

// -----

func.func @use_swizzle() {
  tile.kernel (%x, %y) in (4, 4) {
    // expected-error @below {{'tile.use_swizzle' is now 'tile.rasterize'}}
    tile.use_swizzle panel(8)
  }
  return
}

// -----

func.func @panel() {
  tile.kernel (%x, %y) in (4, 4) {
    // expected-error @below {{expected 'group'}}
    tile.rasterize panel(8)
  }
  return
}

// -----

func.func @unknown() {
  // expected-error @below {{custom op 'tile.wheel' is unknown}}
  tile.wheel
  return
}
