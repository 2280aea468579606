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
