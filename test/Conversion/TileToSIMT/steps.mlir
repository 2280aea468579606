// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-simt --canonicalize --cse | FileCheck %s

// Iterations of a thread in lockstep: what may be a vector of 16 bytes.

#rows = #tile.layout<[16: 4 reg*8, 4 lane*8][64: 8 lane, 8 reg]>

// Neighbours in a swizzled tile are one access, and are converted in pairs.
// CHECK-LABEL: gpu.func @tile_0
// CHECK-COUNT-8: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf16>
// CHECK-NOT: llvm.load {{.*}} !llvm.ptr<3>
// CHECK: arith.truncf {{.*}} : vector<2xf32> to vector<2xf16>
// CHECK-NOT: arith.truncf {{.*}} : f32 to f16
// CHECK: gpu.return
func.func @tile() {
  tile.kernel (%b) in (1) threads(32) {
    %x = arith.constant 0.5 : f32
    %s = tile.alloc {layout = #tile.layout<[16: 16 offset*64][64: 64 offset] swizzle(3, 3, 3)>} : memref<16x64xf16, #tile.shared>
    %f = tile.alloc {layout = #rows} : memref<16x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (16, 64) attributes {layout = #rows} {
      %h = memref.load %s[%i, %j] : memref<16x64xf16, #tile.shared>
      %w = arith.extf %h : f16 to f32
      %p = arith.mulf %w, %x : f32
      memref.store %p, %f[%i, %j] : memref<16x64xf32, #tile.fragment>
      %n = arith.truncf %p : f32 to f16
      memref.store %n, %s[%i, %j] : memref<16x64xf16, #tile.shared>
    }
  }
  return
}

// One branch for the elements of a row, whose loads are one. The other rows have their own.
// CHECK-LABEL: gpu.func @guarded_0
// CHECK-COUNT-4: scf.if {{.*}} -> (f32, f32, f32, f32)
// CHECK-NOT: scf.if
// CHECK: gpu.return
func.func @guarded(%a: memref<100x64xf32>, %list: memref<16xi32>) {
  tile.kernel (%b) in (1) threads(64) {
    %s = tile.alloc : memref<16x64xf32, #tile.shared>
    tile.parallel (%i, %j) in (16, 64) attributes {layout = #tile.layout<[16: 4 reg*4, 2 warp, 2 lane*16][64: 16 lane, 4 reg]>} {
      %c0 = arith.constant 0 : i32
      %zero = arith.constant 0.0 : f32
      %k = memref.load %list[%i] : memref<16xi32>
      %ok = arith.cmpi sge, %k, %c0 : i32
      %v = scf.if %ok -> f32 {
        %row = arith.index_cast %k : i32 to index
        %x = memref.load %a[%row, %j] : memref<100x64xf32>
        scf.yield %x : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %v, %s[%i, %j] : memref<16x64xf32, #tile.shared>
    }
  }
  return
}

// More steps than are written out are a loop, over vectors.
// CHECK-LABEL: gpu.func @loop_0
// CHECK: scf.for
// CHECK-COUNT-8: llvm.store {{.*}} : vector<8xf16>, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: gpu.return
func.func @loop(%x: f16) {
  tile.kernel (%b) in (1) threads(32) {
    %s = tile.alloc : memref<64x128xf16, #tile.shared>
    tile.parallel (%i, %j) in (64, 128) attributes {layout = #tile.layout<[64: 32 reg*8, 2 lane*16][128: 16 lane, 8 reg]>} {
      memref.store %x, %s[%i, %j] : memref<64x128xf16, #tile.shared>
    }
  }
  return
}

// A serial loop over neighbours is in lockstep, and one access: the quotient is that of a multiple of four.
// CHECK-LABEL: gpu.func @serial_0
// CHECK-NOT: scf.for
// CHECK: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<4xi8>
// CHECK-NOT: llvm.load
// CHECK: llvm.store {{.*}} {alignment = 4 : i64} : vector<4xi8>, !llvm.ptr<3>
// CHECK: gpu.return
func.func @serial() {
  tile.kernel (%b) in (1) threads(32) {
    %s = tile.alloc : memref<4x32xi8, #tile.shared>
    %t = tile.alloc : memref<4x32xi8, #tile.shared>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    tile.parallel (%tx) in (32) {
      scf.for %v = %c0 to %c4 step %c1 {
        %at = affine.apply affine_map<(t, v) -> (t * 4 + v)>(%tx, %v)
        %i = affine.apply affine_map<(a) -> (a floordiv 32)>(%at)
        %j = affine.apply affine_map<(a) -> (a mod 32)>(%at)
        %x = memref.load %s[%i, %j] : memref<4x32xi8, #tile.shared>
        memref.store %x, %t[%i, %j] : memref<4x32xi8, #tile.shared>
      }
    }
  }
  return
}

// Several vectors of a loop are under way at once. What a thread keeps is in registers: a loop that indexes it is written out.
// CHECK-LABEL: gpu.func @kept_0
// CHECK-NOT: scf.for
// CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<1> -> vector<8xf16>
// CHECK-NOT: scf.for
// CHECK-COUNT-8: scf.if
// CHECK-NOT: scf.
// CHECK: gpu.return
func.func @kept(%x: memref<32x32xf16>, %y: memref<32x8xf16>) {
  tile.kernel (%b) in (1) threads(32) {
    %own = tile.alloc : memref<32xf16, #tile.local>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f16
    tile.parallel (%tx) in (32) {
      scf.for %v = %c0 to %c32 step %c1 {
        %a = memref.load %x[%tx, %v] : memref<32x32xf16>
        memref.store %a, %own[%v] : memref<32xf16, #tile.local>
      }
      scf.for %g = %c0 to %c8 step %c1 {
        %at = affine.apply affine_map<(g) -> (g * 4)>(%g)
        %a = memref.load %own[%at] : memref<32xf16, #tile.local>
        %some = arith.cmpf une, %a, %zero : f16
        scf.if %some {
          memref.store %a, %y[%tx, %g] : memref<32x8xf16>
        }
      }
    }
  }
  return
}

// What the next iteration reads is written first.
// CHECK-LABEL: gpu.func @chained_0
// CHECK: scf.for
// CHECK: gpu.return
func.func @chained() {
  tile.kernel (%b) in (1) threads(32) {
    %s = tile.alloc : memref<32x5xi32, #tile.shared>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    tile.parallel (%tx) in (32) {
      scf.for %v = %c0 to %c4 step %c1 {
        %next = arith.addi %v, %c1 : index
        %x = memref.load %s[%tx, %v] : memref<32x5xi32, #tile.shared>
        memref.store %x, %s[%tx, %next] : memref<32x5xi32, #tile.shared>
      }
    }
  }
  return
}

// The last 64 of 256 elements are those of one warp: a pair is one access, and one branch.
// CHECK-LABEL: gpu.func @tail_0(
func.func @tail(%x: memref<256xf16>, %y: memref<256xf32>) {
  tile.kernel (%b) in (1) threads(96) {
    // CHECK: llvm.load %{{.*}} : !llvm.ptr<1> -> vector<2xf16>
    // CHECK: scf.if
    // CHECK-NEXT: arith.index_castui
    // CHECK: llvm.load %{{.*}} : !llvm.ptr<1> -> vector<2xf16>
    // CHECK: llvm.store %{{.*}} : vector<2xf32>
    // CHECK-NOT: scf.if
    tile.parallel (%i) in (256) attributes {layout = #tile.layout<[256: 2 reg*2, 3 warp, 32 lane, 2 reg]>} {
      %v = memref.load %x[%i] : memref<256xf16>
      %w = arith.extf %v : f16 to f32
      memref.store %w, %y[%i] : memref<256xf32>
    }
  }
  return
}
