// Where gemms run asynchronously, a producer gathers rows for them: its threads share the rows, and the stage counts the bytes of
// tensor copies alone.

// RUN: tile-opt %s --split-input-file --tile-set-target=chip=sm_90a --tile-select-instructions --tile-infer-layout --tile-schedule --tile-insert-barriers --tile-plan-shared --tile-verify-schedule | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-set-target=chip=sm_90a --tile-select-instructions --tile-infer-layout --tile-schedule --remarks-filter=tile-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: func @mixed(
func.func @mixed(%q: memref<64x64xf16>, %k: memref<4096x64xf16>, %w: memref<4096xf32>, %list: memref<4096xi32>, %o: memref<64x4096xf32>) {
  tile.kernel (%b) in (1) threads(128) {
    %qs = tile.alloc : memref<64x64xf16, #tile.shared>
    %ks = tile.alloc : memref<64x64xf16, #tile.shared>
    %ws = tile.alloc : memref<64xf32, #tile.shared>
    %s = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %q, %qs
    // CHECK: tile.warp_specialize producer
    // CHECK: tile.producer_acquire %[[Q:.*]] bytes(8192) : !tile.pipeline<1>
    // CHECK: tile.pipelined
    // CHECK-DAG: tile.producer_acquire %[[P:.*]] bytes(0) : !tile.pipeline<3>
    // CHECK-DAG: tile.gather %{{.*}}[0, 0] by %{{.*}}[%{{.*}} * 64], %{{.*}} signal(%[[P]] : !tile.pipeline<3>) {instruction = #tile.transfer<cp_async, bytes = 16>}
    // CHECK-DAG: tile.producer_acquire %[[W:.*]] bytes(256) : !tile.pipeline<3>
    // CHECK-DAG: tile.copy %{{.*}} signal(%[[W]] : !tile.pipeline<3>) {instruction = #tile.transfer<tma>}
    // CHECK: consumer
    // CHECK-NOT: tile.gather
    tile.pipelined %i = 0 to 64 stages(3) {
      tile.gather %k[0, 0] by %list[%i * 64], %ks
      tile.copy %w[%i * 64], %ws
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.parallel (%h, %j) in (64, 64) do %s[%h, %j] = %s[%h, %j] * %ws[%j]
      tile.copy %s, %o[0, %i * 64]
    }
  }
  return
}

// -----

// Registers for what a thread of the producer has under way.
// CHECK-LABEL: func @alone(
func.func @alone(%q: memref<128x64xf16>, %k: memref<4096x64xf16>, %list: memref<4096xi32>, %o: memref<128x256xf32>) {
  tile.kernel (%b) in (1) threads(256) {
    %qs = tile.alloc : memref<128x64xf16, #tile.shared>
    %ks = tile.alloc : memref<256x64xf16, #tile.shared>
    %s = tile.alloc : memref<128x256xf32, #tile.fragment>
    tile.copy %q, %qs
    tile.fill %s, 0.0
    // CHECK: tile.warp_specialize attributes {consumer_registers = 208 : i64, producer_registers = 88 : i64}
    // CHECK: tile.producer_acquire %[[P:.*]] bytes(0)
    // CHECK: tile.gather {{.*}} signal(%[[P]]
    tile.pipelined %i = 0 to 16 stages(2) {
      tile.gather %k[0, 0] by %list[%i * 256], %ks
      tile.gemm %qs, %ks, %s {transpose_b}
    }
    tile.copy %s, %o
  }
  return
}

// -----

// Without such gemms, the threads gather ahead for themselves.
// CHECK-LABEL: func @by_themselves(
// CHECK-NOT: tile.warp_specialize
// CHECK: tile.async_commit
func.func @by_themselves(%a: memref<?x64xf16>, %list: memref<?xi32>, %o: memref<64xf16>, %n: index) {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<32x64xf16, #tile.shared>
    %m = tile.alloc : memref<64xf16, #tile.fragment>
    tile.fill %m, 0.0
    tile.pipelined %k = 0 to %n stages(2) {
      tile.gather %a[0, 0] by %list[%k * 32], %t
      tile.reduce max %t, %m dim(0) {combine}
    }
    tile.copy %m, %o
  }
  return
}

// -----

// A list that the kernel writes is not for a producer that runs ahead.
// CHECK-LABEL: func @written(
// CHECK: tile.copy {{.*}} signal(
// CHECK: tile.gather
// CHECK-NOT: signal(
// REMARK: [Missed] GatherProducer {{.*}}the kernel writes its source, too
func.func @written(%q: memref<64x64xf16>, %k: memref<4096x64xf16>, %v: memref<4096x64xf16>, %list: memref<4096xi32>, %o: memref<64x64xf32>) {
  tile.kernel (%b) in (1) threads(128) {
    %qs = tile.alloc : memref<64x64xf16, #tile.shared>
    %ks = tile.alloc : memref<64x64xf16, #tile.shared>
    %vs = tile.alloc : memref<64x64xf16, #tile.shared>
    %zero = tile.alloc : memref<64xi32, #tile.fragment>
    %s = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %q, %qs
    tile.fill %s, 0.0
    tile.fill %zero, 0
    tile.pipelined %i = 0 to 64 stages(2) {
      tile.copy %v[%i * 64, 0], %vs
      tile.gather %k[0, 0] by %list[%i * 64], %ks
      tile.gemm %qs, %ks, %s {transpose_b}
      tile.gemm %qs, %vs, %s
      tile.copy %zero, %list[%i * 64]
    }
    tile.copy %s, %o
  }
  return
}
