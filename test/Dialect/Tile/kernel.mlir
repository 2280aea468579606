// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @one_dimension
func.func @one_dimension() {
  // 128 threads are the default and are not printed.
  // CHECK: tile.kernel (%{{.*}}) in (8) {
  tile.kernel (%b) in (8) threads(128) {
  }
  return
}

// CHECK-LABEL: func @threads_and_cluster
func.func @threads_and_cluster() {
  // CHECK: tile.kernel (%{{.*}}, %{{.*}}) in (8, 6) threads(256) cluster(2, 3) {
  tile.kernel (%x, %y) in (8, 6) threads(256) cluster(2, 3) {
  }
  return
}

// CHECK-LABEL: func @dynamic_grid
// CHECK-SAME: (%[[N:.*]]: index, %[[M:.*]]: index)
func.func @dynamic_grid(%n: index, %m: index) {
  // A cluster may divide an extent that only the run time knows.
  // CHECK: tile.kernel (%{{.*}}, %{{.*}}, %{{.*}}) in (%[[N]], 4, %[[M]]) cluster(3, 2, 1) {
  tile.kernel (%x, %y, %z) in (%n, 4, %m) cluster(3, 2, 1) {
  }
  return
}

// CHECK-LABEL: func @empty_grid
func.func @empty_grid() {
  // CHECK: tile.kernel (%{{.*}}) in (0) {
  tile.kernel (%b) in (0) {
  }
  return
}

// CHECK-LABEL: func @discardable_attribute
func.func @discardable_attribute() {
  // CHECK: tile.kernel (%{{.*}}) in (2) threads(64) attributes {note = "kept"} {
  tile.kernel (%b) in (2) threads(64) attributes {note = "kept"} {
  }
  return
}

// CHECK-LABEL: func @coordinates
// CHECK-SAME: (%[[OUT:.*]]: memref<8x4xindex>)
func.func @coordinates(%out: memref<8x4xindex>) {
  // CHECK: tile.kernel (%[[X:.*]], %[[Y:.*]]) in (4, 8)
  // CHECK-NEXT: memref.store %[[X]], %[[OUT]][%[[Y]], %[[X]]]
  tile.kernel (%x, %y) in (4, 8) {
    memref.store %x, %out[%y, %x] : memref<8x4xindex>
  }
  return
}

// CHECK-LABEL: func @two_kernels
func.func @two_kernels() {
  // CHECK-COUNT-2: tile.kernel
  tile.kernel (%b) in (1) {
  }
  tile.kernel (%b) in (1) {
  }
  return
}

// CHECK-LABEL: func @planned
func.func @planned() {
  // CHECK: tile.kernel (%{{.*}}) in (1) attributes {persistent_grid, shared_bytes = 4096 : i64} {
  tile.kernel (%b) in (1) attributes {shared_bytes = 4096 : i64, persistent_grid} {
  }
  return
}

// CHECK-LABEL: func @versions
// CHECK:         tile.kernel {{.*}} attributes {facts = [#tile.fact<size, argument = 0, dim = 1, min = 1, multiple = 8>, #tile.fact<address, argument = 0, multiple = 16>]}
// CHECK:         tile.kernel {{.*}} attributes {facts = [#tile.fact<stride, argument = 0, multiple = 2>]}
// CHECK:         tile.kernel {{.*}} attributes {facts = []}
func.func @versions(%a: memref<?x?xf32>) {
  tile.kernel (%b) in (1) attributes {facts = [#tile.fact<size, argument = 0, dim = 1, min = 1, multiple = 8>,
                                               #tile.fact<address, argument = 0, multiple = 16>]} {
  }
  tile.kernel (%b) in (1) attributes {facts = [#tile.fact<stride, argument = 0, multiple = 2>]} {
  }
  tile.kernel (%b) in (1) attributes {facts = []} {
  }
  return
}
