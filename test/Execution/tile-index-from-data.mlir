// An index of a tile that comes from data: elements outside of the tile read as 0, and writes to them are dropped. Ascend has no
// atomics on tiles.

// RUN: tile-run %s | FileCheck %s
// RUN: %if nvidia %{ tile-run --target=cuda --chip=sm_80 --device=model %s | FileCheck %s %}
// RUN: %if nvidia %{ tile-run --target=cuda --chip=sm_90a --device=model %s | FileCheck %s %}
// RUN: %if amd %{ tile-run --target=hip --chip=gfx942 --device=model %s | FileCheck %s %}
// RUN: %if ascend %{ tile-run --target=ascend --func=gather --func=scatter %s | FileCheck %s --check-prefix=GATHER %}
// RUN: %if ascend %{ tile-run --target=ascend --chip=950 --func=gather --func=scatter %s | FileCheck %s --check-prefix=GATHER %}
// GATHER: 2 passed, 0 failed
// REQUIRES: tile-run

// CHECK: gather {{.*}} 0 equal
// CHECK: histogram {{.*}} 0 equal
// CHECK: scatter {{.*}} 0 equal
// CHECK: 3 passed, 0 failed

func.func @gather(%x: memref<64xf32>, %at: memref<128xi32> {tile.init = "integers(-1000000,1000000)"},
                  %y: memref<128xf32> {tile.result}) attributes {tile.reference = @gather_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %x[0], %t
    tile.parallel (%i) in (128) {
      %v = memref.load %at[%i] : memref<128xi32>
      // Half of the indices are in the tile.
      %one = arith.constant 1 : i32
      %odd = arith.andi %v, %one : i32
      %zero = arith.constant 0 : i32
      %is = arith.cmpi eq, %odd, %zero : i32
      %mask = arith.constant 63 : i32
      %small = arith.andi %v, %mask : i32
      %p32 = arith.select %is, %small, %v : i32
      %p = arith.index_cast %p32 : i32 to index
      %e = memref.load %t[%p] : memref<64xf32, #tile.shared>
      memref.store %e, %y[%i] : memref<128xf32>
    }
  }
  return
}

func.func private @gather_reference(%x: memref<64xf32>, %at: memref<128xi32>, %y: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %f0 = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c128 step %c1 {
    %v = memref.load %at[%i] : memref<128xi32>
    %one = arith.constant 1 : i32
    %odd = arith.andi %v, %one : i32
    %zero = arith.constant 0 : i32
    %is = arith.cmpi eq, %odd, %zero : i32
    %mask = arith.constant 63 : i32
    %small = arith.andi %v, %mask : i32
    %p32 = arith.select %is, %small, %v : i32
    %p = arith.index_cast %p32 : i32 to index
    %low = arith.cmpi sge, %p, %c0 : index
    %high = arith.cmpi slt, %p, %c64 : index
    %in = arith.andi %low, %high : i1
    %e = scf.if %in -> f32 {
      %l = memref.load %x[%p] : memref<64xf32>
      scf.yield %l : f32
    } else {
      scf.yield %f0 : f32
    }
    memref.store %e, %y[%i] : memref<128xf32>
  }
  return
}

func.func @histogram(%at: memref<256xi32> {tile.init = "integers(-8,40)"}, %y: memref<16xi32> {tile.result})
    attributes {tile.reference = @histogram_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<16xi32, #tile.shared>
    tile.fill %t, 0
    %one = arith.constant 1 : i32
    tile.parallel (%i) in (256) {
      %v = memref.load %at[%i] : memref<256xi32>
      %p = arith.index_cast %v : i32 to index
      tile.atomic add %one, %t[%p] : i32, memref<16xi32, #tile.shared>
    }
    tile.copy %t, %y[0]
  }
  return
}

func.func private @histogram_reference(%at: memref<256xi32>, %y: memref<16xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  scf.for %k = %c0 to %c16 step %c1 {
    %key = arith.index_cast %k : index to i32
    %n = scf.for %i = %c0 to %c256 step %c1 iter_args(%sum = %i0) -> i32 {
      %v = memref.load %at[%i] : memref<256xi32>
      %is = arith.cmpi eq, %v, %key : i32
      %more = arith.addi %sum, %i1 : i32
      %next = arith.select %is, %more, %sum : i32
      scf.yield %next : i32
    }
    memref.store %n, %y[%k] : memref<16xi32>
  }
  return
}

// Every element in front of, in and behind the tile has one writer.
func.func @scatter(%y: memref<32xf32> {tile.result}, %shift: memref<1xi32> {tile.init = "integers(20,20)"})
    attributes {tile.reference = @scatter_reference} {
  tile.kernel (%b) in (1) threads(64) {
    %t = tile.alloc : memref<32xf32, #tile.shared>
    tile.fill %t, -1.0
    %c0 = arith.constant 0 : index
    %s = memref.load %shift[%c0] : memref<1xi32>
    tile.parallel (%i) in (64) {
      %k = arith.index_cast %i : index to i32
      %p32 = arith.subi %k, %s : i32
      %p = arith.index_cast %p32 : i32 to index
      %v = arith.sitofp %k : i32 to f32
      memref.store %v, %t[%p] : memref<32xf32, #tile.shared>
    }
    tile.copy %t, %y[0]
  }
  return
}

func.func private @scatter_reference(%y: memref<32xf32>, %shift: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %s = memref.load %shift[%c0] : memref<1xi32>
  scf.for %i = %c0 to %c32 step %c1 {
    %k = arith.index_cast %i : index to i32
    %v32 = arith.addi %k, %s : i32
    %v = arith.sitofp %v32 : i32 to f32
    memref.store %v, %y[%i] : memref<32xf32>
  }
  return
}
