// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-simt --canonicalize --cse | FileCheck %s

// The row goes to shared memory with its places; each thread counts for its elements how many come before.
// CHECK-LABEL: gpu.func @best_0
// CHECK: gpu.barrier
// A NaN is the lowest.
// CHECK: arith.maxnumf
// CHECK: gpu.barrier
// CHECK: scf.for {{.*}} to %c40
// CHECK: %[[PLACE:.*]] = scf.for %{{.*}} to %c40 {{.*}} iter_args(%{{.*}}) -> (i32)
// CHECK-DAG: arith.cmpf ogt
// CHECK-DAG: arith.cmpf oeq
// CHECK-DAG: arith.cmpi ult
// CHECK: scf.yield
// CHECK: %[[AT:.*]] = arith.index_cast{{.*}} %[[PLACE]]
// CHECK: %[[CHOSEN:.*]] = arith.cmpi ult, %[[AT]], %c8
// CHECK: scf.if %[[CHOSEN]]
// CHECK-COUNT-2: llvm.store %{{.*}}, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: gpu.return
func.func @best() {
  tile.kernel (%b) in (1) threads(64) {
    %x = tile.alloc : memref<40xf32, #tile.shared>
    %v = tile.alloc : memref<8xf32, #tile.shared>
    %p = tile.alloc : memref<8xi32, #tile.shared>
    tile.topk %x, %v, %p : memref<40xf32, #tile.shared>, memref<8xf32, #tile.shared>, memref<8xi32, #tile.shared>
  }
  return
}

// The old content stands before the row: eight more to compare with. What is taken stays in registers.
// CHECK-LABEL: gpu.func @combine_0
// CHECK: scf.for {{.*}} to %c96
// CHECK: scf.for %{{.*}} to %c48 {{.*}} iter_args
// CHECK: arith.cmpi ult, %{{.*}}, %c8
// CHECK: gpu.barrier
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK-NOT: llvm.store {{.*}} f16, !llvm.ptr<3>
// CHECK: gpu.return
func.func @combine() {
  tile.kernel (%b) in (1) threads(64) {
    %x = tile.alloc : memref<2x40xf16, #tile.shared>
    %v = tile.alloc {layout = #tile.layout<[2: 2 warp][8: 8 lane] rep(4 lane*8)>} : memref<2x8xf16, #tile.fragment>
    %p = tile.alloc {layout = #tile.layout<[2: 2 warp][8: 8 lane] rep(4 lane*8)>} : memref<2x8xi32, #tile.fragment>
    tile.topk %x, %v, %p {combine}
        : memref<2x40xf16, #tile.shared>, memref<2x8xf16, #tile.fragment>, memref<2x8xi32, #tile.fragment>
  }
  return
}

// A long row: counts of the upper 11 bits, the bin that matters, a loop over further digits. Then a thread marks which of its elements
// are candidates, a warp gets places for all of its own at once, and each thread walks over its marks. Positions are looked at where the
// digits of the number do not tell enough elements apart.
// CHECK-LABEL: gpu.func @long_0
// CHECK: llvm.atomicrmw add %{{.*}}, %{{.*}} monotonic : !llvm.ptr<3>, i32
// CHECK: scf.while
// CHECK: arith.cmpi ugt, %{{.*}}, %c256
// CHECK: arith.shrui %{{.*}} : i64
// CHECK: scf.yield
// CHECK: arith.cmpf oge
// CHECK: arith.shli
// CHECK: llvm.intr.ctpop
// CHECK: gpu.shuffle up
// CHECK: llvm.atomicrmw add
// CHECK: gpu.shuffle idx
// CHECK: scf.while
// CHECK: llvm.intr.cttz
// CHECK-NOT: llvm.atomicrmw
// CHECK: } else {
// CHECK: arith.cmpi ule, %{{.*}}, %{{.*}} : i32
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<2xi64>
// CHECK: gpu.return
func.func @long() {
  tile.kernel (%b) in (1) threads(64) {
    %x = tile.alloc : memref<600xf32, #tile.shared>
    %v = tile.alloc : memref<8xf32, #tile.shared>
    %p = tile.alloc : memref<8xi32, #tile.shared>
    tile.topk %x, %v, %p : memref<600xf32, #tile.shared>, memref<8xf32, #tile.shared>, memref<8xi32, #tile.shared>
  }
  return
}

// What is larger than the lowest of the old content is tried first; only where that is too much, bins are counted.
// CHECK-LABEL: gpu.func @long_combine_0
// CHECK: llvm.atomicrmw umin
// CHECK: arith.cmpi ugt, %{{.*}}, %{{.*}} : i32
// CHECK: %[[TOO_MUCH:.*]] = arith.cmpi ugt, %{{.*}}, %c256_i32
// CHECK: scf.if %[[TOO_MUCH]]
// CHECK: scf.while
func.func @long_combine() {
  tile.kernel (%b) in (1) threads(64) {
    %x = tile.alloc : memref<600xf32, #tile.shared>
    %v = tile.alloc : memref<8xf32, #tile.shared>
    %p = tile.alloc : memref<8xi32, #tile.shared>
    tile.topk %x, %v, %p {combine}
        : memref<600xf32, #tile.shared>, memref<8xf32, #tile.shared>, memref<8xi32, #tile.shared>
  }
  return
}

// Many candidates: they are counted in parts of their range, sorted by them, and compared within a part alone. Each thread keeps its own,
// ten here, in a loop, and the results go to their places in shared memory at once.
// CHECK-LABEL: gpu.func @many_0
// CHECK-DAG: %[[ORDERS:.*]] = llvm.alloca %{{.*}} x !llvm.array<10 x i64>
// CHECK-DAG: %[[PLACES:.*]] = llvm.alloca %{{.*}} x !llvm.array<10 x i32>
// CHECK: scf.while
// CHECK: gpu.shuffle xor
// CHECK: llvm.atomicrmw umin
// CHECK: llvm.atomicrmw umax
// CHECK: scf.for %{{.*}} = %c0_i32 to %c10_i32
// CHECK: arith.fptoui
// CHECK: llvm.atomicrmw add
// CHECK: gpu.barrier
// CHECK: gpu.shuffle up
// CHECK-NOT: llvm.atomicrmw
// CHECK: scf.for %{{.*}} = %c0_i32 to %c10_i32
// CHECK: gpu.barrier
// CHECK: scf.for %{{.*}} = %c0_i32 to %c10_i32
// CHECK: %[[PLACE:.*]] = scf.for {{.*}} iter_args(%{{.*}}) -> (i32)
// CHECK: arith.cmpi ult, %[[PLACE]], %c300_i32
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @many() {
  tile.kernel (%b) in (1) threads(64) {
    %x = tile.alloc : memref<2000xf32, #tile.shared>
    %v = tile.alloc : memref<300xf32, #tile.shared>
    %p = tile.alloc : memref<300xi32, #tile.shared>
    tile.topk %x, %v, %p : memref<2000xf32, #tile.shared>, memref<300xf32, #tile.shared>, memref<300xi32, #tile.shared>
  }
  return
}
