// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-simt --canonicalize --cse | FileCheck %s

// Each thread does its steps one after the other: 512 iterations of 128 threads.
// CHECK-LABEL: gpu.func @steps_0
// CHECK-NOT: scf.for
// CHECK-COUNT-4: llvm.store %{{.*}} : f32, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK-NOT: scf.if
// CHECK: gpu.return
func.func @steps(%a: memref<512xf32>, %x: f32) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (512) {
      memref.store %x, %a[%i] : memref<512xf32>
    }
  }
  return
}

// A tail is tested where a thread may be past it: in the second step of 229 iterations.
// CHECK-LABEL: gpu.func @tail_0
// CHECK-DAG: %[[C229:.*]] = arith.constant 229 : i32
// CHECK: %[[IN:.*]] = arith.cmpi ult, %{{.*}}, %[[C229]] : i32
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<1>
// CHECK: scf.if %[[IN]]
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: gpu.return
func.func @tail(%a: memref<229xf32>, %x: f32) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (229) {
      memref.store %x, %a[%i] : memref<229xf32>
    }
  }
  return
}

// Extents that are known at run time, and very many steps, are loops that stride by the threads.
// CHECK-LABEL: gpu.func @dynamic_0
// CHECK-DAG: %[[C128:.*]] = arith.constant 128 : index
// CHECK: %[[ALL:.*]] = arith.muli
// CHECK: scf.for %[[T:.*]] = %{{.*}} to %[[ALL]] step %[[C128]]
// CHECK: arith.remui %[[T]]
// CHECK: arith.divui %[[T]]
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<1>
func.func @dynamic(%a: memref<?x?xf32>, %n: index, %m: index, %x: f32) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i, %j) in (%n, %m) {
      memref.store %x, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// CHECK-LABEL: gpu.func @long_0
// CHECK: scf.for
// CHECK-COUNT-1: llvm.store
// CHECK-NOT: llvm.store
// CHECK: gpu.return
func.func @long(%a: memref<65536xf32>, %x: f32) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (65536) {
      memref.store %x, %a[%i] : memref<65536xf32>
    }
  }
  return
}

// Registers of fragments are chosen by the loop's layout, and threads that hold copies compute but do not write to memory.
// CHECK-LABEL: gpu.func @copies_0
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
// CHECK: %[[REGS:.*]] = llvm.alloca %{{.*}} x !llvm.array<2 x f32>
// CHECK: %[[COPY:.*]] = arith.remui %{{.*}}, %[[C2]] : i32
// CHECK: %[[FIRST:.*]] = arith.cmpi ult, %[[COPY]], %[[C1]] : i32
// CHECK: llvm.store %{{.*}}, %[[REGS]] : f32, !llvm.ptr
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[REGS]][1]
// CHECK: llvm.store %{{.*}}, %[[SECOND]]
// CHECK: scf.if %[[FIRST]]
// CHECK-COUNT-2: llvm.store %{{.*}} : f32, !llvm.ptr<1>
func.func @copies(%a: memref<32xf32>, %x: f32) {
  tile.kernel (%b) in (1) threads(32) {
    %f = tile.alloc {layout = #tile.layout<[32: 2 reg, 16 lane*2] rep(2 lane)>} : memref<32xf32, #tile.fragment>
    tile.parallel (%i) in (32) attributes {layout = #tile.layout<[32: 2 reg, 16 lane*2] rep(2 lane)>} {
      memref.store %x, %f[%i] : memref<32xf32, #tile.fragment>
      memref.store %x, %a[%i] : memref<32xf32>
    }
  }
  return
}

// Warps beyond the layout's do nothing.
// CHECK-LABEL: gpu.func @few_0
// CHECK: %[[WARP:.*]] = arith.divui
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[WARP]], %{{.*}} : i32
// CHECK: scf.if %[[IN]]
// CHECK: llvm.store
func.func @few(%a: memref<64xf32>, %x: f32) {
  tile.kernel (%b) in (1) threads(128) {
    tile.parallel (%i) in (64) {
      memref.store %x, %a[%i] : memref<64xf32>
    }
  }
  return
}

// Buffers of a thread keep indices that only run time knows.
// CHECK-LABEL: gpu.func @local_0
// CHECK: %[[OWN:.*]] = llvm.alloca %{{.*}} x !llvm.array<5 x f32>
// CHECK: llvm.getelementptr %[[OWN]][%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
func.func @local(%a: memref<32xf32>, %n: index) {
  tile.kernel (%b) in (1) threads(32) {
    %x = tile.alloc : memref<5xf32, #tile.local>
    tile.parallel (%i) in (32) {
      %v = memref.load %x[%n] : memref<5xf32, #tile.local>
      memref.store %v, %a[%i] : memref<32xf32>
    }
  }
  return
}

// Of a few elements the right one is chosen, so that they may be registers.
// CHECK-LABEL: gpu.func @chosen_0
// CHECK: %[[OWN:.*]] = llvm.alloca %{{.*}} x !llvm.array<2 x f32>
// CHECK-NOT: llvm.getelementptr %[[OWN]][%
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[N:.*]], %c0
// CHECK: arith.select %[[FIRST]], %[[V:[^,]*]], %{{.*}} : f32
// CHECK: %[[SECOND:.*]] = arith.cmpi eq, %[[N]], %c1
// CHECK: arith.select %[[SECOND]], %[[V]], %{{.*}} : f32
// CHECK: %[[THERE:.*]] = llvm.load
// CHECK: %[[LOADED:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
func.func @chosen(%a: memref<32xf32>, %n: index) {
  tile.kernel (%b) in (1) threads(32) {
    %x = tile.alloc : memref<2xf32, #tile.local>
    tile.parallel (%i) in (32) {
      %v = memref.load %a[%i] : memref<32xf32>
      memref.store %v, %x[%n] : memref<2xf32, #tile.local>
      %w = memref.load %x[%n] : memref<2xf32, #tile.local>
      memref.store %w, %a[%i] : memref<32xf32>
    }
  }
  return
}

// A partition of many steps that touches no register is a loop over them; neighbours are one store.
// CHECK-LABEL: gpu.func @partition_0
// CHECK: scf.for %[[I:.*]] = %c0_i32 to %c48_i32 step %c8_i32
// CHECK-COUNT-8: llvm.store %{{.*}} : vector<2xf32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
func.func @partition(%a: memref<96x64xf32>, %x: f32) {
  tile.kernel (%b) in (1) threads(64) {
    tile.parallel (%i, %j) in (96, 64) attributes {layout = #tile.layout<[96: 48 reg*2, 2 warp][64: 32 lane, 2 reg]>} {
      memref.store %x, %a[%i, %j] : memref<96x64xf32>
    }
  }
  return
}
