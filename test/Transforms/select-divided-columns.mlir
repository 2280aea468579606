// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions --remarks-filter='tile-select-instructions' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions=async=false | FileCheck %s --check-prefix=SAME
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-select-instructions | FileCheck %s --check-prefix=SAME

!q = memref<4x64x576xbf16>
!kv = memref<4x4096x576xbf16>
!o = memref<4x64x512xbf16>
!tile = memref<64x512xbf16, #tile.shared>
!more = memref<64x64xbf16, #tile.shared>
!scores = memref<64x64xf32, #tile.fragment>
!sums = memref<64x512xf32, #tile.fragment>
!row = memref<64xf32, #tile.fragment>

// The rows of the tile are keys and values. The second half is loaded and multiplied last; what is not of the tile stays whole.
// CHECK-LABEL: func.func @keys_and_values
// CHECK-DAG: %[[K0:.*]] = tile.alloc : memref<64x256xbf16, #tile.shared>
// CHECK-NOT: memref<64x512xbf16, #tile.shared>
// CHECK: tile.copy %{{.*}}[%bx, 0, 0] [1, 64, 256], %[[Q0:.*]] {instruction
// CHECK-NEXT: tile.copy %{{.*}}[%bx, 0, 256] [1, 64, 256], %[[Q1:.*]] {instruction
// CHECK: tile.fill %[[S0:.*]], %{{.*}} : memref<64x256xf32, #tile.fragment>
// CHECK-NEXT: tile.fill %[[S1:.*]], %{{.*}} : memref<64x256xf32, #tile.fragment>
// CHECK: tile.pipelined
// CHECK-NEXT: tile.copy %[[KV:.*]][%bx, %k * 64, 0] [1, 64, 256], %[[T0:.*]] {instruction = #tile.transfer<tma>}
// CHECK-NEXT: tile.copy %[[KV]][%bx, %k * 64, 512], %[[R:.*]] {instruction = #tile.transfer<tma>}
// CHECK-NEXT: tile.copy %[[KV]][%bx, %k * 64, 256] [1, 64, 256], %[[T1:.*]] {instruction = #tile.transfer<tma>}
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %[[S:.*]] {clear, {{.*}}transpose_b}
// CHECK: tile.gemm %{{.*}}, %[[R]], %[[S]] {instruction = {{.*}}, transpose_b}
// CHECK-NEXT: tile.gemm %[[Q1]], %[[T1]], %[[S]] {instruction = {{.*}}, transpose_b}
// CHECK: tile.parallel (%{{.*}}, %{{.*}}) in (64, 256)
// CHECK: memref.store %{{.*}}, %[[S0]]
// CHECK: tile.parallel (%{{.*}}, %{{.*}}) in (64, 256)
// CHECK: memref.store %{{.*}}, %[[S1]]
// CHECK: tile.gemm %[[P:.*]], %[[T0]], %[[S0]] {instruction = #tile.mma<wgmma, m = 64, n = 128, k = 16, warps_m = 4, warps_n = 2>}
// CHECK-NEXT: tile.gemm %[[P]], %[[T1]], %[[S1]] {instruction = #tile.mma<wgmma, m = 64, n = 128, k = 16, warps_m = 4, warps_n = 2>}
// CHECK: tile.copy %[[S0]], %{{.*}}[%bx, 0, 0] [1, 64, 256]
// CHECK-NEXT: tile.copy %[[S1]], %{{.*}}[%bx, 0, 256] [1, 64, 256]
// REMARK: remark: [Passed] DividedColumns | Category:tile-select-instructions | Reason="the second half is multiplied late", columns=256
// SAME-LABEL: func.func @keys_and_values
// SAME-NOT: memref<64x256xf32
func.func @keys_and_values(%q: !q, %kv: !kv, %o: !o, %n: index) {
  tile.kernel (%b) in (4) threads(256) {
    %qs = tile.alloc : !tile
    %qr = tile.alloc : !more
    %ks = tile.alloc : !tile
    %kr = tile.alloc : !more
    %p = tile.alloc : !more
    %s = tile.alloc : !scores
    %acc = tile.alloc : !sums
    %all = tile.alloc : !scores
    %f = tile.alloc : !row
    tile.copy %q[%b, 0, 0], %qs
    tile.copy %q[%b, 0, 512], %qr
    tile.fill %acc, 0.0
    tile.fill %all, 0.0
    tile.pipelined %k = 0 to %n stages(2) {
      tile.copy %kv[%b, %k * 64, 0], %ks
      tile.copy %kv[%b, %k * 64, 512], %kr
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.gemm %qr, %kr, %s {transpose_b}
      tile.reduce max %s, %f dim(1)
      tile.parallel (%i, %j) in (64, 64) do %all[%i, %j] = %all[%i, %j] + %s[%i, %j]
      tile.copy %s, %p
      tile.parallel (%i, %j) in (64, 512) do %acc[%i, %j] = %acc[%i, %j] * %f[%i]
      tile.gemm %p, %ks, %acc
    }
    tile.reduce sum %all, %f dim(1)
    tile.parallel (%i, %j) in (64, 512) do %acc[%i, %j] = %acc[%i, %j] / %f[%i]
    tile.copy %acc, %o[%b, 0, 0]
  }
  return
}

// With three stages the whole gemm is late.
// CHECK-LABEL: func.func @three_stages
// CHECK-NOT: memref<64x256xf32
// REMARK-NOT: DividedColumns
// SAME-LABEL: func.func @three_stages
func.func @three_stages(%q: !q, %kv: !kv, %o: !o, %n: index) {
  tile.kernel (%b) in (4) threads(256) {
    %qs = tile.alloc : !tile
    %ks = tile.alloc : !tile
    %p = tile.alloc : !more
    %s = tile.alloc : !scores
    %acc = tile.alloc : !sums
    tile.copy %q[%b, 0, 0], %qs
    tile.fill %acc, 0.0
    tile.pipelined %k = 0 to %n stages(3) {
      tile.copy %kv[%b, %k * 64, 0], %ks
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.copy %s, %p
      tile.gemm %p, %ks, %acc
    }
    tile.copy %acc, %o[%b, 0, 0]
  }
  return
}

// A loop over the sums that asks for their column.
// CHECK-LABEL: func.func @column
// CHECK-NOT: memref<64x256xf32
// SAME-LABEL: func.func @column
func.func @column(%q: !q, %kv: !kv, %o: !o, %n: index, %w: memref<512xf32>) {
  tile.kernel (%b) in (4) threads(256) {
    %qs = tile.alloc : !tile
    %ks = tile.alloc : !tile
    %p = tile.alloc : !more
    %s = tile.alloc : !scores
    %acc = tile.alloc : !sums
    tile.copy %q[%b, 0, 0], %qs
    tile.fill %acc, 0.0
    tile.pipelined %k = 0 to %n stages(2) {
      tile.copy %kv[%b, %k * 64, 0], %ks
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.copy %s, %p
      tile.gemm %p, %ks, %acc
    }
    tile.parallel (%i, %j) in (64, 512) do %acc[%i, %j] = %acc[%i, %j] * %w[%j]
    tile.copy %acc, %o[%b, 0, 0]
  }
  return
}

// Rows that a list names.
// REMARK: :[[#@LINE+14]]:11: remark: [Passed] DividedColumns
// CHECK-LABEL: func.func @gather
// CHECK: tile.pipelined
// CHECK-NEXT: tile.gather %[[KV:.*]][0, 0] [64, 256] by %[[AT:.*]][%k * 64], %[[T0:.*]] {instruction = #tile.transfer<cp_async, bytes = 16>}
// CHECK-NEXT: tile.gather %[[KV]][0, 512] by %[[AT]][%k * 64], %[[R:.*]] {instruction
// CHECK-NEXT: tile.gather %[[KV]][0, 256] [64, 256] by %[[AT]][%k * 64], %[[T1:.*]] {instruction = #tile.transfer<cp_async, bytes = 16>}
// CHECK: tile.gemm %[[P:.*]], %[[T0]], %{{.*}} {instruction
// CHECK-NEXT: tile.gemm %[[P]], %[[T1]], %{{.*}} {instruction
// SAME-LABEL: func.func @gather
// SAME-NOT: memref<64x256xf32
func.func @gather(%q: !q, %kv: memref<4096x576xbf16>, %at: memref<4096xi32>, %o: !o, %n: index) {
  tile.kernel (%b) in (4) threads(256) {
    %qs = tile.alloc : !tile
    %qr = tile.alloc : !more
    %ks = tile.alloc : !tile
    %kr = tile.alloc : !more
    %p = tile.alloc : !more
    %s = tile.alloc : !scores
    %acc = tile.alloc : !sums
    tile.copy %q[%b, 0, 0], %qs
    tile.copy %q[%b, 0, 512], %qr
    tile.fill %acc, 0.0
    tile.pipelined %k = 0 to %n stages(2) {
      tile.gather %kv[0, 0] by %at[%k * 64], %ks
      tile.gather %kv[0, 512] by %at[%k * 64], %kr
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.gemm %qr, %kr, %s {transpose_b}
      tile.copy %s, %p
      tile.gemm %p, %ks, %acc
    }
    tile.copy %acc, %o[%b, 0, 0]
  }
  return
}

// With rows whose number is known at the launch, the producer has no registers for another gather.
// CHECK-LABEL: func.func @any_rows
// CHECK-NOT: memref<64x256xf32
func.func @any_rows(%q: !q, %kv: memref<?x576xbf16>, %at: memref<4096xi32>, %o: !o, %n: index) {
  tile.kernel (%b) in (4) threads(256) {
    %qs = tile.alloc : !tile
    %ks = tile.alloc : !tile
    %p = tile.alloc : !more
    %s = tile.alloc : !scores
    %acc = tile.alloc : !sums
    tile.copy %q[%b, 0, 0], %qs
    tile.fill %acc, 0.0
    tile.pipelined %k = 0 to %n stages(2) {
      tile.gather %kv[0, 0] by %at[%k * 64], %ks
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.copy %s, %p
      tile.gemm %p, %ks, %acc
    }
    tile.copy %acc, %o[%b, 0, 0]
  }
  return
}

// The sums leave through a shared tile, half by half.
// REMARK: :[[#@LINE+10]]:11: remark: [Passed] DividedColumns
// CHECK-LABEL: func.func @through
// CHECK: tile.copy %[[S0:.*]], %[[T:.*]][0, 0] [64, 256] {{.*}}: memref<64x256xf32, #tile.fragment>, memref<64x512xbf16, #tile.shared>
// CHECK-NEXT: tile.copy %[[S1:.*]], %[[T]][0, 256] [64, 256]
// CHECK-NEXT: tile.copy %[[T]], %{{.*}}[%bx, 0, 0]
// SAME-LABEL: func.func @through
// SAME-NOT: memref<64x256xf32
func.func @through(%q: !q, %kv: !kv, %o: !o, %n: index) {
  tile.kernel (%b) in (4) threads(256) {
    %qs = tile.alloc : !tile
    %ks = tile.alloc : !tile
    %p = tile.alloc : !more
    %os = tile.alloc : !tile
    %s = tile.alloc : !scores
    %acc = tile.alloc : !sums
    tile.copy %q[%b, 0, 0], %qs
    tile.fill %acc, 0.0
    tile.pipelined %k = 0 to %n stages(2) {
      tile.copy %kv[%b, %k * 64, 0], %ks
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.copy %s, %p
      tile.gemm %p, %ks, %acc
    }
    tile.copy %acc, %os
    tile.copy %os, %o[%b, 0, 0]
  }
  return
}
