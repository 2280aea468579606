// Rows that begin anywhere: the vector of a thread is read where its elements are, unless none of them is in bounds. Where rows may
// begin before the buffer, the first element says nothing about the others.

// RUN: tile-opt %s --pass-pipeline='builtin.module(tile-to-gpu-pipeline{chip=sm_90a})' | FileCheck %s

// CHECK-LABEL: gpu.func @before_0_v1
// CHECK-DAG:   %[[THREE:.*]] = arith.constant 3 : index
// CHECK:       %[[INSIDE:.*]] = arith.cmpi ult
// CHECK-NEXT:  arith.addi
// CHECK-NEXT:  %[[BEHIND:.*]] = arith.addi %{{[0-9]+}}, %[[THREE]] : index
// CHECK-NEXT:  %[[ROOM:.*]] = arith.addi %{{[0-9]+}}, %[[THREE]] : index
// CHECK-NEXT:  %[[REACHES:.*]] = arith.cmpi ult, %[[BEHIND]], %[[ROOM]] : index
// CHECK-NEXT:  %[[ANY:.*]] = arith.andi %[[INSIDE]], %[[REACHES]] : i1
// CHECK-NEXT:  arith.select %[[ANY]], %{{.*}}, %{{.*}} : i64
func.func @before(%x: memref<?x?xf32> {tile.shape = "HxW"}, %y: memref<?x?xf32> {tile.shape = "HxW"}) {
  tile.kernel (%bx, %by) in (ceildiv(dim(%x, 1), 32), ceildiv(dim(%x, 0), 16)) threads(128) {
    %s = tile.alloc : memref<16x32xf32, #tile.shared>
    tile.copy %x[%by * 16, %bx * 32 - 2], %s
    tile.copy %s, %y[%by * 16, %bx * 32]
  }
  return
}

// CHECK-LABEL: gpu.func @behind_0_v1
// CHECK:       %[[ROW:.*]] = arith.cmpi ult
// CHECK-NEXT:  %[[AT:.*]] = arith.addi
// CHECK-NEXT:  %[[FIRST:.*]] = arith.cmpi ult, %[[AT]], %{{.*}} : index
// CHECK-NEXT:  %[[BOTH:.*]] = arith.andi %[[ROW]], %[[FIRST]] : i1
// CHECK-NEXT:  arith.select %[[BOTH]], %{{.*}}, %{{.*}} : i64
func.func @behind(%x: memref<?x?xf32> {tile.shape = "HxW"}, %y: memref<?x?xf32> {tile.shape = "HxW"}) {
  tile.kernel (%bx, %by) in (ceildiv(dim(%x, 1), 32), ceildiv(dim(%x, 0), 16)) threads(128) {
    %s = tile.alloc : memref<16x32xf32, #tile.shared>
    tile.copy %x[%by * 16, %bx * 32 + 2], %s
    tile.copy %s, %y[%by * 16, %bx * 32]
  }
  return
}

// More vectors than a thread has under way are a loop of four at a time, of which one branch has padding; stores of shared memory are a loop
// of one.
// CHECK-LABEL: gpu.func @tall_0(
// CHECK:          scf.for %{{.*}} = %c0_i32 to %c64_i32 step %c32_i32
// CHECK-COUNT-8:    llvm.load %{{.*}} : !llvm.ptr<1> -> vector<4xi32>
// CHECK:            %[[WORDS:.*]]:16 = scf.if
// CHECK:            } else {
// CHECK:              arith.select %{{.*}}, %c65535_i32, %c0_i32 : i32
// CHECK:              arith.andi %{{.*}} : i32
// CHECK-COUNT-4:    llvm.store %{{.*}} : vector<8xf16>, !llvm.ptr<3>
// CHECK:          } else {
// CHECK:            scf.for %{{.*}} = %c0_i32 to %c64_i32 step %c8_i32
// CHECK-COUNT-8:      llvm.load %{{.*}} : !llvm.ptr<1> -> f16
// CHECK:            llvm.store %{{.*}} : vector<8xf16>, !llvm.ptr<3>
// CHECK:        scf.for %{{.*}} = %c0_i32 to %c64_i32 step %c8_i32
// CHECK-NEXT:   arith.
// CHECK-COUNT-4:  gpu.shuffle down
// CHECK:          llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr<1>
// CHECK:          gpu.shuffle up
// CHECK:          scf.if
// CHECK-COUNT-8:      llvm.store %{{.*}} : f16, !llvm.ptr<1>
// CHECK-NOT:          llvm.store
func.func @tall(%x: memref<?x?xf16> {tile.shape = "HxW"}, %y: memref<?x?xf16> {tile.shape = "HxW"}) {
  tile.kernel (%bx, %by) in (ceildiv(dim(%x, 1), 128), ceildiv(dim(%x, 0), 64)) threads(128) attributes {facts = []} {
    %s = tile.alloc : memref<64x128xf16, #tile.shared>
    tile.copy %x[%by * 64, %bx * 128], %s
    tile.copy %s, %y[%by * 64, %bx * 128]
  }
  return
}
