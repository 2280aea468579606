// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-select-instructions | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions=async=false | FileCheck %s --check-prefix=SYNC

// SYNC-NOT: {instruction = #tile.transfer<tma>}

!t = memref<128x64xf16, #tile.shared>

// CHECK-LABEL: @static
func.func @static(%a: memref<1024x512xf16>, %f: memref<1024x512xf32>, %odd: memref<1024x516xf16>, %worse: memref<1024x511xf16>) {
  tile.kernel (%x) in (8) threads(128) {
    %t = tile.alloc : !t
    // Outside of a pipeline nothing overlaps, but the producer of the loop can fill it.
    // SM90: tile.copy %arg0{{.*}} {instruction = #tile.transfer<tma>}
    // SM80: tile.copy %arg0{{.*}} {instruction = #tile.transfer<sync, bytes = 16>}
    tile.copy %a[%x * 128, 0], %t : memref<1024x512xf16>, !t
    // SM80: tile.copy {{.*}} prefer(cp_async) {instruction = #tile.transfer<cp_async, bytes = 16>}
    tile.copy %a[%x * 128, 0], %t prefer(cp_async) : memref<1024x512xf16>, !t
    tile.pipelined %k = 0 to 8 stages(3) {
      // SM90: tile.copy {{.*}} {instruction = #tile.transfer<tma>}
      // SM80: tile.copy {{.*}} {instruction = #tile.transfer<cp_async, bytes = 16>}
      tile.copy %a[%x * 128, %k * 64], %t : memref<1024x512xf16>, !t
      // CHECK: tile.copy {{.*}} prefer(sync) {instruction = #tile.transfer<sync, bytes = 16>}
      tile.copy %a[%x * 128, %k * 64], %t prefer(sync) : memref<1024x512xf16>, !t
      // Converts.
      // CHECK: tile.copy %arg1{{.*}} {instruction = #tile.transfer<sync, bytes = 16>}
      tile.copy %f[%x * 128, %k * 64], %t : memref<1024x512xf32>, !t
      // Rows of 1032 bytes are multiples of 8.
      // CHECK: tile.copy %arg2{{.*}} {instruction = #tile.transfer<cp_async, bytes = 8>}
      tile.copy %odd[%x * 128, %k * 64], %t : memref<1024x516xf16>, !t
      // CHECK: tile.copy %arg3{{.*}} {instruction = #tile.transfer<sync, bytes = 2>}
      tile.copy %worse[%x * 128, %k * 64], %t : memref<1024x511xf16>, !t
      // A vector would begin at an odd element, and so would a box.
      // CHECK: tile.copy {{.*}} {instruction = #tile.transfer<sync, bytes = 2>}
      tile.copy %a[%x * 128, %k * 64 + 1], %t : memref<1024x512xf16>, !t
    }
    tile.pipelined %k = 0 to 8 {
      // CHECK: tile.copy %arg0{{.*}} {instruction = #tile.transfer<sync, bytes = 16>}
      tile.copy %a[%x * 128, %k * 64], %t : memref<1024x512xf16>, !t
    }
  }
  return
}

// A loop without tensor copies gives no producer.
// CHECK-LABEL: @no_producer
func.func @no_producer(%a: memref<1024x512xf16>, %odd: memref<1024x516xf16>) {
  tile.kernel (%x) in (8) threads(128) {
    %t = tile.alloc : !t
    %u = tile.alloc : !t
    // CHECK: tile.copy %arg0{{.*}} {instruction = #tile.transfer<sync, bytes = 16>}
    tile.copy %a[%x * 128, 0], %t : memref<1024x512xf16>, !t
    tile.pipelined %k = 0 to 8 stages(2) {
      // CHECK: tile.copy %arg1{{.*}} {instruction = #tile.transfer<cp_async, bytes = 8>}
      tile.copy %odd[%x * 128, %k * 64], %u : memref<1024x516xf16>, !t
    }
  }
  return
}

// CHECK-LABEL: @assumed
func.func @assumed(%a: memref<?x?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %n = memref.dim %a, %c1 : memref<?x?xf16>
  %rest = arith.remui %n, %c8 : index
  %ok = arith.cmpi eq, %rest, %c0 : index
  tile.assume %ok
  // Nor may it be empty, which a tensor map cannot say.
  %m = memref.dim %a, %c0 : memref<?x?xf16>
  %rows = arith.cmpi sgt, %m, %c0 : index
  %columns = arith.cmpi sgt, %n, %c0 : index
  tile.assume %rows
  tile.assume %columns
  tile.kernel (%x) in (8) threads(128) {
    %t = tile.alloc : !t
    tile.pipelined %k = 0 to 8 stages(2) {
      // SM90: tile.copy {{.*}} {instruction = #tile.transfer<tma>}
      // SM80: tile.copy {{.*}} {instruction = #tile.transfer<cp_async, bytes = 16>}
      tile.copy %a[%x * 128, %k * 64], %t : memref<?x?xf16>, !t
    }
  }
  return
}

// Zeros are not what is asked for: copies of threads write what is.
// CHECK-LABEL: @safe
func.func @safe(%a: memref<1024x512xf16>, %b: memref<1024x512xf16>) {
  %one = arith.constant 1.0 : f16
  %zero = arith.constant 0.0 : f16
  tile.kernel (%x) in (8) threads(128) {
    tile.padding_value %a, %one : memref<1024x512xf16>
    tile.padding_value %b, %zero : memref<1024x512xf16>
    %t = tile.alloc : !t
    tile.pipelined %k = 0 to 8 stages(2) {
      // CHECK: tile.copy %arg0{{.*}} {instruction = #tile.transfer<cp_async, bytes = 16>}
      tile.copy %a[%x * 128, %k * 64], %t : memref<1024x512xf16>, !t
      // SM90: tile.copy %arg1{{.*}} {instruction = #tile.transfer<tma>}
      // SM80: tile.copy %arg1{{.*}} {instruction = #tile.transfer<cp_async, bytes = 16>}
      tile.copy %b[%x * 128, %k * 64], %t : memref<1024x512xf16>, !t
    }
  }
  return
}

// A tensor of more dimensions; one of one dimension, which has no rows; stores.
// CHECK-LABEL: @shapes
func.func @shapes(%a: memref<4x8x1000x64xf16>, %v: memref<?xf32>, %c: memref<1024x512xf16>) {
  tile.kernel (%x) in (8) threads(128) {
    %t = tile.alloc : !t
    %w = tile.alloc : memref<256xf32, #tile.shared>
    %f = tile.alloc : memref<128x64xf16, #tile.fragment>
    tile.pipelined %k = 0 to 8 stages(2) {
      // SM90: tile.copy %arg0{{.*}} {instruction = #tile.transfer<tma>}
      // SM80: tile.copy %arg0{{.*}} {instruction = #tile.transfer<cp_async, bytes = 16>}
      tile.copy %a[%x, 0, %k * 128, 0], %t : memref<4x8x1000x64xf16>, !t
      // It may be empty, which a tensor map cannot say.
      // SM90: tile.copy %arg1{{.*}} {instruction = #tile.transfer<cp_async, bytes = 4>}
      // SM80: tile.copy %arg1{{.*}} {instruction = #tile.transfer<cp_async, bytes = 4>}
      tile.copy %v[%k * 256], %w : memref<?xf32>, memref<256xf32, #tile.shared>
      // SM90: tile.copy %{{.*}}, %arg2{{.*}} {instruction = #tile.transfer<tma>}
      // SM80: tile.copy %{{.*}}, %arg2{{.*}} {instruction = #tile.transfer<sync, bytes = 16>}
      tile.copy %t, %c[%x * 128, %k * 64] : !t, memref<1024x512xf16>
      // CHECK: tile.copy {{.*}} {instruction = #tile.transfer<sync, bytes = 16>}
      tile.copy %f, %c[%x * 128, %k * 64] : memref<128x64xf16, #tile.fragment>, memref<1024x512xf16>
    }
  }
  return
}

// Nothing else is under way: four vectors or more of a thread go past its registers, if all are as wide as vectors can be.
// CHECK-LABEL: @alone
func.func @alone(%a: memref<1024x512xf16>, %odd: memref<1024x516xf16>) {
  tile.kernel (%x) in (8) threads(256) {
    %t = tile.alloc : !t
    %u = tile.alloc : memref<64x64xf16, #tile.shared>
    // CHECK: tile.copy %arg0{{.*}} {instruction = #tile.transfer<cp_async, bytes = 16>}
    tile.copy %a[%x * 128, 0], %t : memref<1024x512xf16>, !t
    // CHECK: tile.copy %arg1{{.*}} {instruction = #tile.transfer<sync, bytes = 8>}
    tile.copy %odd[%x * 128, 0], %t : memref<1024x516xf16>, !t
    // CHECK: tile.copy %arg0{{.*}} {instruction = #tile.transfer<sync, bytes = 16>}
    tile.copy %a[%x * 128, 0], %u : memref<1024x512xf16>, memref<64x64xf16, #tile.shared>
  }
  return
}
