// RUN: tile-opt %s --tile-insert-barriers | FileCheck %s
// RUN: tile-opt %s --tile-insert-barriers --tile-verify-schedule -o /dev/null

// Global memory that the kernel writes and reads is ordered as shared memory is.

// CHECK-LABEL: func.func @read_after_write
// CHECK: memref.store
// CHECK: tile.barrier{{$}}
// CHECK-NEXT: tile.parallel
// CHECK: memref.load
// CHECK-NOT: tile.barrier
func.func @read_after_write(%x: memref<128xf32>, %y: memref<128xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (128) {
      %v = memref.load %x[%i] : memref<128xf32>
      memref.store %v, %y[%i] : memref<128xf32>
    }
    tile.parallel (%i) in (128) {
      %j = affine.apply affine_map<(i) -> (127 - i)>(%i)
      %v = memref.load %y[%j] : memref<128xf32>
      tile.print %v, "v" : f32
    }
  }
  return
}

// Two arguments do not overlap; parts of one may be known not to; each thread reads what it wrote itself.
// CHECK-LABEL: func.func @disjoint
// CHECK-NOT: tile.barrier
// CHECK: return
func.func @disjoint(%x: memref<128xf32>, %y: memref<128xf32>, %z: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) attributes {layout = #tile.layout<[64: 2 warp, 32 lane]>} {
      %v = memref.load %x[%i] : memref<128xf32>
      memref.store %v, %y[%i] : memref<128xf32>
    }
    tile.parallel (%i) in (64) attributes {layout = #tile.layout<[64: 2 warp, 32 lane]>} {
      %v = memref.load %y[%i] : memref<128xf32>
      memref.store %v, %y[%i] : memref<128xf32>
    }
    tile.parallel (%i) in (64) {
      %j = affine.apply affine_map<(i) -> (i + 64)>(%i)
      %v = memref.load %x[%i] : memref<128xf32>
      memref.store %v, %y[%j] : memref<128xf32>
    }
    tile.parallel (%i) in (64) {
      %v = memref.load %x[%i] : memref<128xf32>
      memref.store %v, %z[%i] : memref<128xf32>
    }
  }
  return
}

// All threads read an element before the first thread writes it for the block; it may write it twice.
// CHECK-LABEL: func.func @once
// CHECK: memref.load
// CHECK-NEXT: tile.barrier{{$}}
// CHECK-NEXT: memref.store
// CHECK-NEXT: memref.store
// CHECK-NEXT: tile.barrier{{$}}
// CHECK-NEXT: memref.load
func.func @once(%y: memref<8xi32>, %n: i32) {
  tile.kernel (%b) in (8) {
    %v = memref.load %y[%b] : memref<8xi32>
    memref.store %n, %y[%b] : memref<8xi32>
    memref.store %n, %y[%b] : memref<8xi32>
    %w = memref.load %y[%b] : memref<8xi32>
    tile.print %w, "w" : i32
  }
  return
}

// What a step of a loop writes, the next one reads.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK-NEXT: arith.subi
// CHECK-NEXT: tile.barrier{{$}}
// CHECK-NEXT: tile.parallel
// CHECK-NOT: tile.barrier
// CHECK: return
func.func @loop(%y: memref<?x128xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    scf.for %t = %c1 to %n step %c1 {
      %before = arith.subi %t, %c1 : index
      tile.parallel (%i) in (128) {
        %j = affine.apply affine_map<(i) -> (127 - i)>(%i)
        %v = memref.load %y[%before, %j] : memref<?x128xf32>
        memref.store %v, %y[%t, %i] : memref<?x128xf32>
      }
    }
  }
  return
}

// Both regions of a loop that a condition ends.
// CHECK-LABEL: func.func @while
// CHECK: scf.while
// CHECK: tile.barrier{{$}}
// CHECK-NEXT: memref.load
// CHECK: } do {
// CHECK: tile.barrier{{$}}
// CHECK-NEXT: tile.fill
func.func @while(%y: memref<64xi32>, %n: i32) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    scf.while : () -> () {
      %v = memref.load %y[%c0] : memref<64xi32>
      %go = arith.cmpi slt, %v, %n : i32
      scf.condition(%go)
    } do {
      tile.fill %y, %n : memref<64xi32>
      scf.yield
    }
  }
  return
}

// Points of a persistent loop are as independent as blocks.
// CHECK-LABEL: func.func @persistent
// CHECK: tile.persistent
// CHECK-NEXT: memref.load
// CHECK-NEXT: tile.barrier{{$}}
// CHECK-NEXT: memref.store
// CHECK-NOT: tile.barrier
// CHECK: return
func.func @persistent(%y: memref<64xi32>, %n: i32) {
  tile.kernel (%b) in (4) {
    tile.persistent (%p) in (64) {
      %v = memref.load %y[%p] : memref<64xi32>
      memref.store %n, %y[%p] : memref<64xi32>
    }
  }
  return
}

// Asynchronous copies of threads read their source later.
// CHECK-LABEL: func.func @cp_async
// CHECK: tile.copy
// CHECK-NEXT: tile.async_commit
// CHECK-NEXT: tile.async_wait pending(0)
// CHECK-NEXT: tile.barrier{{$}}
// CHECK-NEXT: tile.fill
func.func @cp_async(%y: memref<128xf32>, %f: f32) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<128xf32, #tile.shared>
    tile.copy %y, %s {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<128xf32>, memref<128xf32, #tile.shared>
    tile.fill %y, %f : memref<128xf32>
  }
  return
}

// Tensor stores have written only after a complete wait, and know of threads' writes only through a fence.
// CHECK-LABEL: func.func @tensor_store
// CHECK: tile.fill
// CHECK-NEXT: tile.fill
// CHECK-NEXT: tile.barrier async global
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.store_wait pending(0) complete
// CHECK-NEXT: tile.barrier{{$}}
// CHECK-NEXT: tile.parallel
func.func @tensor_store(%y: memref<64x64xf32>, %z: memref<64xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<64x64xf32, #tile.shared>
    tile.fill %y, %f : memref<64x64xf32>
    tile.fill %s, %f : memref<64x64xf32, #tile.shared>
    tile.copy %s, %y {instruction = #tile.transfer<tma>} : memref<64x64xf32, #tile.shared>, memref<64x64xf32>
    tile.parallel (%i) in (64) {
      %v = memref.load %y[%i, %c0] : memref<64x64xf32>
      memref.store %v, %z[%i] : memref<64xf32>
    }
  }
  return
}
