// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions --tile-infer-layout | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions --tile-infer-layout --remarks-filter='tile-infer-layout' 2>&1 | FileCheck %s --check-prefix=REMARK

!t = memref<8x64xf32, #tile.shared>

// REMARK: remark: {{.*}}Placement{{.*}}Remark="reads the global memory that the tile is a copy of"

// A list in registers steers the block.
// CHECK-LABEL: func @list(
func.func @list(%list: memref<4x8xi32>, %y: memref<8xi32>) {
  tile.kernel (%b) in (4) threads(128) {
    // CHECK-NOT: tile.alloc
    // CHECK-NOT: tile.copy
    %f = tile.alloc : memref<8xi32, #tile.fragment>
    tile.copy %list[%b, 0] [1, 8], %f : memref<4x8xi32>, memref<8xi32, #tile.fragment>
    tile.pipelined %k = 0 to 8 {
      // CHECK: %[[N:.*]] = memref.load %{{.*}}[%bx, %k] : memref<4x8xi32>
      // CHECK: memref.store %[[N]]
      %n = memref.load %f[%k] : memref<8xi32, #tile.fragment>
      memref.store %n, %y[%k] : memref<8xi32>
    }
  }
  return
}

// The fragment has a second use, which keeps the copy; dimensions of one
// element are dropped.
// CHECK-LABEL: func @kept(
func.func @kept(%list: memref<8x1xi32>, %y: memref<8xi32>) {
  tile.kernel (%b) in (1) threads(128) {
    // CHECK: tile.copy %{{.*}}[4, 0] [4, 1], %[[F:.*]] {
    %f = tile.alloc : memref<4xi32, #tile.fragment>
    tile.copy %list[4, 0] [4, 1], %f : memref<8x1xi32>, memref<4xi32, #tile.fragment>
    tile.pipelined %k = 0 to 4 {
      // CHECK: %[[I:.*]] = affine.apply #{{.*}}(%k)
      // CHECK: memref.load %{{.*}}[%[[I]], %c0{{.*}}] : memref<8x1xi32>
      %n = memref.load %f[%k] : memref<4xi32, #tile.fragment>
      memref.store %n, %y[%k] : memref<8xi32>
    }
    // CHECK: tile.copy %[[F]],
    tile.copy %f, %y[4] : memref<4xi32, #tile.fragment>, memref<8xi32>
  }
  return
}

// The kernel writes the list; it may reach past its end; a loop fills the
// fragment again behind the load.
// CHECK-LABEL: func @written(
func.func @written(%list: memref<8xi32>) {
  tile.kernel (%b) in (1) threads(128) {
    // CHECK: tile.copy
    %f = tile.alloc : memref<8xi32, #tile.fragment>
    tile.copy %list, %f : memref<8xi32>, memref<8xi32, #tile.fragment>
    tile.pipelined %k = 0 to 8 {
      // CHECK: memref.load %{{.*}} : memref<8xi32, #tile.shared>
      %n = memref.load %f[%k] : memref<8xi32, #tile.fragment>
      memref.store %n, %list[%k] : memref<8xi32>
    }
  }
  return
}
// CHECK-LABEL: func @tail(
func.func @tail(%list: memref<?xi32>, %y: memref<8xi32>) {
  tile.kernel (%b) in (1) threads(128) {
    %f = tile.alloc : memref<8xi32, #tile.fragment>
    tile.copy %list[%b * 8], %f : memref<?xi32>, memref<8xi32, #tile.fragment>
    tile.pipelined %k = 0 to 8 {
      // CHECK: memref.load %{{.*}} : memref<8xi32, #tile.shared>
      %n = memref.load %f[%k] : memref<8xi32, #tile.fragment>
      memref.store %n, %y[%k] : memref<8xi32>
    }
  }
  return
}
// CHECK-LABEL: func @later(
func.func @later(%list: memref<64xi32>, %y: memref<8xi32>) {
  tile.kernel (%b) in (1) threads(128) {
    %zero = arith.constant 0 : index
    %f = tile.alloc : memref<8xi32, #tile.fragment>
    tile.pipelined %k = 0 to 8 {
      // CHECK: memref.load %{{.*}} : memref<8xi32, #tile.shared>
      %n = memref.load %f[%zero] : memref<8xi32, #tile.fragment>
      memref.store %n, %y[%k] : memref<8xi32>
      tile.copy %list[%k * 8], %f : memref<64xi32>, memref<8xi32, #tile.fragment>
    }
  }
  return
}

// Each element is read once, and widened: registers hold it as well.
// CHECK-LABEL: func @once(
func.func @once(%x: memref<16x8x64xbf16>, %y: memref<16x64xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.constant 8 : index
  tile.kernel (%b) in (16) threads(64) {
    // CHECK-NOT: #tile.shared
    %t = tile.alloc : !t
    %sum = tile.alloc : memref<64xf32, #tile.fragment>
    tile.copy %x[%b, 0, 0] [1, 8, 64], %t : memref<16x8x64xbf16>, !t
    scf.for %i = %zero to %rows step %one {
      tile.parallel (%j) in (64) {
        %s = memref.load %sum[%j] : memref<64xf32, #tile.fragment>
        // CHECK: %[[N:.*]] = memref.load %{{.*}}[%bx, %{{.*}}, %{{.*}}] : memref<16x8x64xbf16>
        // CHECK: arith.extf %[[N]] : bf16 to f32
        %v = memref.load %t[%i, %j] : !t
        %a = arith.addf %s, %v : f32
        memref.store %a, %sum[%j] : memref<64xf32, #tile.fragment>
      }
    }
    tile.copy %sum, %y[%b, 0] : memref<64xf32, #tile.fragment>, memref<16x64xf32>
  }
  return
}

// Read by all rows; along rows of another thread's elements; by two ops; where
// the copy narrows.
// CHECK-LABEL: func @shared(
func.func @shared(%x: memref<8x64xf32>, %h: memref<8x64xf16>, %y: memref<8x64xf32>, %z: memref<8x64xf16>) {
  tile.kernel (%b) in (1) threads(64) {
    // CHECK-COUNT-4: tile.copy
    %again = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %x[0, 0] [1, 64], %again : memref<8x64xf32>, memref<64xf32, #tile.shared>
    %across = tile.alloc : memref<64x8xf32, #tile.shared>
    tile.copy %y[0, 0] [8, 8], %across[0, 0] [8, 8] : memref<8x64xf32>, memref<64x8xf32, #tile.shared>
    %twice = tile.alloc : !t
    tile.copy %x, %twice : memref<8x64xf32>, !t
    %narrow = tile.alloc : memref<8x64xf16, #tile.shared>
    tile.copy %x, %narrow : memref<8x64xf32>, memref<8x64xf16, #tile.shared>
    tile.parallel (%i, %j) in (8, 64) {
      // CHECK-COUNT-4: memref.load %{{.*}} : memref<{{.*}}, #tile.shared>
      %v0 = memref.load %again[%j] : memref<64xf32, #tile.shared>
      %v1 = memref.load %across[%j, %i] : memref<64x8xf32, #tile.shared>
      %v2 = memref.load %twice[%i, %j] : !t
      %v3 = memref.load %narrow[%i, %j] : memref<8x64xf16, #tile.shared>
      %s0 = arith.addf %v0, %v1 : f32
      %s1 = arith.addf %s0, %v2 : f32
      memref.store %s1, %y[%i, %j] : memref<8x64xf32>
      memref.store %v3, %z[%i, %j] : memref<8x64xf16>
    }
    tile.copy %twice, %y : !t, memref<8x64xf32>
  }
  return
}

// A loop around the reads has them all again.
// CHECK-LABEL: func @repeated(
func.func @repeated(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.constant 8 : index
  tile.kernel (%b) in (1) threads(64) {
    %t = tile.alloc : !t
    %sum = tile.alloc : memref<8x64xf32, #tile.fragment>
    tile.copy %x, %t : memref<8x64xf32>, !t
    scf.for %n = %zero to %rows step %one {
      tile.parallel (%i, %j) in (8, 64) {
        %s = memref.load %sum[%i, %j] : memref<8x64xf32, #tile.fragment>
        // CHECK: memref.load %{{.*}} : memref<8x64xf32, #tile.shared>
        %v = memref.load %t[%i, %j] : !t
        %a = arith.addf %s, %v : f32
        memref.store %a, %sum[%i, %j] : memref<8x64xf32, #tile.fragment>
      }
    }
    tile.copy %sum, %y : memref<8x64xf32, #tile.fragment>, memref<8x64xf32>
  }
  return
}
