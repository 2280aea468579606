// Vectors of integers of 4 bits are taken apart in words, by shifts: no vector of them is left that LLVM would take through memory.

// RUN: tile-opt %s --tile-lower-rocdl-math | FileCheck %s

// CHECK-LABEL: func.func @signed
// CHECK:         %[[WORDS:.*]] = llvm.bitcast %{{.*}} : {{.*}} to vector<1xi32>
// CHECK:         %[[RAISED:.*]] = arith.shli %[[WORDS]], %{{.*}} : vector<1xi32>
// CHECK:         arith.shrsi %[[RAISED]], %{{.*}} : vector<1xi32>
// CHECK:         arith.sitofp %{{.*}} : vector<8xi32> to vector<8xf16>
// CHECK-NOT:     arith.sitofp %{{.*}} : vector<8xi4>
func.func @signed(%x: i32) -> vector<8xf16> {
  %v = llvm.bitcast %x : i32 to vector<8xi4>
  %r = arith.sitofp %v : vector<8xi4> to vector<8xf16>
  return %r : vector<8xf16>
}
// CHECK-LABEL: func.func @unsigned
// CHECK:         arith.shrui
// CHECK:         arith.trunci %{{.*}} : vector<16xi32> to vector<16xi8>
func.func @unsigned(%x: i64) -> vector<16xi8> {
  %v = llvm.bitcast %x : i64 to vector<16xi4>
  %r = arith.extui %v : vector<16xi4> to vector<16xi8>
  return %r : vector<16xi8>
}
