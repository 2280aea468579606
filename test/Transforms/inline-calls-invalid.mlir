// RUN: tile-opt %s --split-input-file --tile-inline-calls --verify-diagnostics

// expected-note @below {{the function is here}}
func.func private @recursive(%x: f32) -> f32 {
  // expected-error @below {{'func.call' op calls '@recursive', which calls itself; write the recursion as a loop}}
  %r = func.call @recursive(%x) : (f32) -> f32
  return %r : f32
}
func.func @direct(%x: f32) {
  tile.kernel (%b) in (1) {
    %r = func.call @recursive(%x) : (f32) -> f32
  }
  return
}

// -----

// expected-note @below {{the function is here}}
func.func private @ping() {
  func.call @pong() : () -> ()
  return
}
func.func private @pong() {
  // expected-error @below {{calls '@ping', which calls itself}}
  func.call @ping() : () -> ()
  return
}
func.func @mutual() {
  tile.kernel (%b) in (1) {
    func.call @ping() : () -> ()
  }
  return
}

// -----

// expected-note @below {{the function is here}}
func.func private @external(f32) -> f32
func.func @no_body(%x: f32) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{calls '@external', which has no body; kernels call functions of their module}}
    %r = func.call @external(%x) : (f32) -> f32
  }
  return
}

// -----

// expected-note @below {{the function is here}}
func.func @launches() {
  tile.kernel (%b) in (1) {
  }
  return
}
func.func @kernel_in_kernel() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{calls '@launches', which has a 'tile.kernel' of its own; call it from host code}}
    func.call @launches() : () -> ()
  }
  return
}

// -----

// expected-note @below {{the function is here}}
func.func private @branches(%c: i1) {
  cf.cond_br %c, ^bb1, ^bb1
^bb1:
  return
}
func.func @blocks(%c: i1) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{calls '@branches', whose body has 2 blocks; write its branches as 'scf.if' and its loops as 'scf.for'}}
    func.call @branches(%c) : (i1) -> ()
  }
  return
}

// -----

func.func private @callee() {
  return
}
func.func @indirect() {
  %f = func.constant @callee : () -> ()
  tile.kernel (%b) in (1) {
    // expected-error @below {{'func.call_indirect' op is an indirect call; kernels call functions by their names}}
    func.call_indirect %f() : () -> ()
  }
  return
}

// -----

func.func private @l1(%c: i1) {
  tile.device_assert %c, "f"
  tile.device_assert %c, "f"
  return
}
func.func private @l2(%c: i1) {
  // expected-error @below {{'func.call' op makes more than 1024 calls in one kernel; write repeated calls as a loop}}
  func.call @l1(%c) : (i1) -> ()
  func.call @l1(%c) : (i1) -> ()
  func.call @l1(%c) : (i1) -> ()
  func.call @l1(%c) : (i1) -> ()
  func.call @l1(%c) : (i1) -> ()
  func.call @l1(%c) : (i1) -> ()
  func.call @l1(%c) : (i1) -> ()
  func.call @l1(%c) : (i1) -> ()
  func.call @l1(%c) : (i1) -> ()
  func.call @l1(%c) : (i1) -> ()
  return
}
func.func private @l3(%c: i1) {
  func.call @l2(%c) : (i1) -> ()
  func.call @l2(%c) : (i1) -> ()
  func.call @l2(%c) : (i1) -> ()
  func.call @l2(%c) : (i1) -> ()
  func.call @l2(%c) : (i1) -> ()
  func.call @l2(%c) : (i1) -> ()
  func.call @l2(%c) : (i1) -> ()
  func.call @l2(%c) : (i1) -> ()
  func.call @l2(%c) : (i1) -> ()
  func.call @l2(%c) : (i1) -> ()
  return
}
func.func private @l4(%c: i1) {
  func.call @l3(%c) : (i1) -> ()
  func.call @l3(%c) : (i1) -> ()
  func.call @l3(%c) : (i1) -> ()
  func.call @l3(%c) : (i1) -> ()
  func.call @l3(%c) : (i1) -> ()
  func.call @l3(%c) : (i1) -> ()
  func.call @l3(%c) : (i1) -> ()
  func.call @l3(%c) : (i1) -> ()
  func.call @l3(%c) : (i1) -> ()
  func.call @l3(%c) : (i1) -> ()
  return
}
func.func @too_many(%c: i1) {
  tile.kernel (%b) in (1) {
    func.call @l4(%c) : (i1) -> ()
  }
  return
}

// -----

func.func private @helper() {
  // expected-error @below {{'tile.alloc' op allocates a buffer in 'shared' memory, but the function around it is called outside of kernels}}
  %s = tile.alloc : memref<16xf32, #tile.shared>
  return
}
func.func @host() {
  func.call @helper() : () -> ()
  return
}

// -----

func.func private @f0(%x: memref<4xf32>) {
  tile.kernel (%b) in (1) {
  }
  return
}
func.func private @f1(%x: memref<4xf32>) {
  func.call @f0(%x) : (memref<4xf32>) -> ()
  func.call @f0(%x) : (memref<4xf32>) -> ()
  return
}
func.func private @f2(%x: memref<4xf32>) {
  func.call @f1(%x) : (memref<4xf32>) -> ()
  func.call @f1(%x) : (memref<4xf32>) -> ()
  return
}
func.func private @f3(%x: memref<4xf32>) {
  func.call @f2(%x) : (memref<4xf32>) -> ()
  func.call @f2(%x) : (memref<4xf32>) -> ()
  return
}
func.func private @f4(%x: memref<4xf32>) {
  func.call @f3(%x) : (memref<4xf32>) -> ()
  func.call @f3(%x) : (memref<4xf32>) -> ()
  return
}
func.func private @f5(%x: memref<4xf32>) {
  func.call @f4(%x) : (memref<4xf32>) -> ()
  func.call @f4(%x) : (memref<4xf32>) -> ()
  return
}
func.func private @f6(%x: memref<4xf32>) {
  func.call @f5(%x) : (memref<4xf32>) -> ()
  func.call @f5(%x) : (memref<4xf32>) -> ()
  return
}
func.func private @f7(%x: memref<4xf32>) {
  func.call @f6(%x) : (memref<4xf32>) -> ()
  func.call @f6(%x) : (memref<4xf32>) -> ()
  return
}
func.func private @f8(%x: memref<4xf32>) {
  func.call @f7(%x) : (memref<4xf32>) -> ()
  func.call @f7(%x) : (memref<4xf32>) -> ()
  return
}
func.func private @f9(%x: memref<4xf32>) {
  func.call @f8(%x) : (memref<4xf32>) -> ()
  func.call @f8(%x) : (memref<4xf32>) -> ()
  return
}
func.func private @f10(%x: memref<4xf32>) {
  func.call @f9(%x) : (memref<4xf32>) -> ()
  func.call @f9(%x) : (memref<4xf32>) -> ()
  return
}
func.func @f11(%x: memref<4xf32>) {
  func.call @f10(%x) : (memref<4xf32>) -> ()
  // expected-error @below {{makes more than 1024 kernels of one function; write repeated calls as a loop}}
  func.call @f10(%x) : (memref<4xf32>) -> ()
  return
}
