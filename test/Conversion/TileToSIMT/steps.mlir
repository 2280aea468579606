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
