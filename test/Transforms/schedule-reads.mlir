// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-schedule | FileCheck %s
// RUN: tile-opt %s --pass-pipeline="builtin.module(tile-set-target{chip=sm_90a},tile-schedule,tile-insert-barriers,tile-plan-shared,tile-verify-schedule)" -o /dev/null
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-schedule --remarks-filter='tile-schedule' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: EarlyReads {{.*}}reads=2
// REMARK: EarlyReads {{.*}}reads=1
// REMARK-NOT: EarlyReads

#s = #tile.layout<[128: 2 warp*4, 4 warp, 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]>
#tile = #tile.layout<[128: 128 offset*64][64: 64 offset] swizzle(3, 3, 3)>
#right = #tile.layout<[64: 64 offset*64][64: 64 offset] swizzle(3, 3, 3)>
#line = #tile.layout<[128: 128 offset]>
#short = #tile.layout<[64: 64 offset]>
#mma = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 8, warps_n = 1>

!a = memref<128x2048xf16>
!b = memref<64x2048xf16>
!f = memref<12x128xf32>
!tile_a = memref<128x64xf16, #tile.shared>
!tile_b = memref<64x64xf16, #tile.shared>
!line = memref<128xf32, #tile.shared>
!short = memref<64xf32, #tile.shared>
!sums = memref<128x64xf32, #tile.fragment>

// The factors of a row are in registers before the gemm starts whose sums they are for, and their stage is given back before the
// last gemm starts: the loops behind the waits read registers alone.
// CHECK-LABEL: func.func @rows
// CHECK-DAG: %[[F0:.*]] = tile.alloc {layout = #tile.layout<[128: 8 warp, 2 reg, 8 lane*4] rep(4 lane)>} : memref<128xf32, #tile.fragment>
// CHECK-DAG: %[[F1:.*]] = tile.alloc {layout = #tile.layout<[128: 8 warp, 2 reg, 8 lane*4] rep(4 lane)>} : memref<128xf32, #tile.fragment>
// CHECK: } consumer {
// CHECK: tile.consumer_wait
// CHECK: %[[STAGE:.*]] = tile.consumer_wait %[[FACTORS:.*]] :
// CHECK: %[[ROWS:.*]] = tile.stage %{{.*}}[%[[STAGE]]] : memref<2x128xf32, #tile.shared>
// CHECK: tile.parallel
// CHECK-NEXT: memref.load %[[ROWS]]
// CHECK-NEXT: memref.store %{{.*}}, %[[A:.*]][
// CHECK: tile.gemm %{{.*}} {async, clear
// CHECK: tile.parallel
// CHECK-NEXT: memref.load
// CHECK-NEXT: memref.store %{{.*}}, %[[B:.*]][
// CHECK-NEXT: }
// CHECK-NEXT: tile.consumer_release %[[FACTORS]]
// CHECK-NEXT: tile.gemm %{{.*}} {async, clear
// CHECK-NEXT: tile.gemm_wait
// CHECK: tile.parallel
// CHECK: memref.load %[[A]][
// CHECK: tile.gemm_wait
// CHECK: tile.parallel
// CHECK: memref.load %[[B]][
// CHECK-NOT: tile.consumer_release %[[FACTORS]]
// CHECK: return
func.func @rows(%x: !a, %y: !b, %f: !f, %r: memref<128x64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%i) in (1) threads(256) {
    %as = tile.alloc {layout = #tile} : !tile_a
    %bs = tile.alloc {layout = #right} : !tile_b
    %at = tile.alloc {layout = #tile} : !tile_a
    %bt = tile.alloc {layout = #right} : !tile_b
    %fs = tile.alloc {layout = #line} : !line
    %ft = tile.alloc {layout = #line} : !line
    %p = tile.alloc {layout = #s} : !sums
    %q = tile.alloc {layout = #s} : !sums
    %sum = tile.alloc {layout = #s} : !sums
    tile.fill %sum, %zero : !sums
    tile.pipelined %k = 0 to 6 stages(2) {
      tile.copy %x[0, %k * 128], %as {instruction = #tile.transfer<tma>} : !a, !tile_a
      tile.copy %y[0, %k * 128], %bs {instruction = #tile.transfer<tma>} : !b, !tile_b
      tile.copy %x[0, %k * 128 + 64], %at {instruction = #tile.transfer<tma>} : !a, !tile_a
      tile.copy %y[0, %k * 128 + 64], %bt {instruction = #tile.transfer<tma>} : !b, !tile_b
      tile.copy %f[%k * 2, 0], %fs {instruction = #tile.transfer<tma>} : !f, !line
      tile.copy %f[%k * 2 + 1, 0], %ft {instruction = #tile.transfer<tma>} : !f, !line
      tile.gemm %as, %bs, %p {clear, transpose_b, instruction = #mma} : !tile_a, !tile_b, !sums
      tile.gemm %at, %bt, %q {clear, transpose_b, instruction = #mma} : !tile_a, !tile_b, !sums
      tile.parallel (%u, %v) in (128, 64) attributes {layout = #s} {
        %0 = memref.load %sum[%u, %v] : !sums
        %1 = memref.load %p[%u, %v] : !sums
        %2 = memref.load %fs[%u] : !line
        %3 = math.fma %1, %2, %0 : f32
        memref.store %3, %sum[%u, %v] : !sums
      }
      tile.parallel (%u, %v) in (128, 64) attributes {layout = #s} {
        %0 = memref.load %sum[%u, %v] : !sums
        %1 = memref.load %q[%u, %v] : !sums
        %2 = memref.load %ft[%u] : !line
        %3 = math.fma %1, %2, %0 : f32
        memref.store %3, %sum[%u, %v] : !sums
      }
    }
    tile.copy %sum, %r[0, 0] : !sums, memref<128x64xf32>
  }
  return
}

// Those of columns are sixteen registers of a thread, and stay where they are.
// CHECK-LABEL: func.func @columns
// CHECK: } consumer {
// CHECK: tile.gemm_wait
// CHECK: memref.load %{{.*}} : memref<64xf32, #tile.shared>
// CHECK: return
func.func @columns(%x: !a, %y: !b, %f: memref<6x64xf32>, %r: memref<128x64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%i) in (1) threads(256) {
    %as = tile.alloc {layout = #tile} : !tile_a
    %bs = tile.alloc {layout = #right} : !tile_b
    %fs = tile.alloc {layout = #short} : !short
    %p = tile.alloc {layout = #s} : !sums
    %q = tile.alloc {layout = #s} : !sums
    %sum = tile.alloc {layout = #s} : !sums
    tile.fill %sum, %zero : !sums
    tile.pipelined %k = 0 to 6 stages(2) {
      tile.copy %x[0, %k * 64], %as {instruction = #tile.transfer<tma>} : !a, !tile_a
      tile.copy %y[0, %k * 64], %bs {instruction = #tile.transfer<tma>} : !b, !tile_b
      tile.copy %f[%k, 0], %fs {instruction = #tile.transfer<tma>} : memref<6x64xf32>, !short
      tile.gemm %as, %bs, %p {clear, transpose_b, instruction = #mma} : !tile_a, !tile_b, !sums
      tile.gemm %as, %bs, %q {clear, transpose_b, instruction = #mma} : !tile_a, !tile_b, !sums
      tile.parallel (%u, %v) in (128, 64) attributes {layout = #s} {
        %0 = memref.load %p[%u, %v] : !sums
        %1 = memref.load %q[%u, %v] : !sums
        %2 = memref.load %fs[%v] : !short
        %3 = math.fma %0, %2, %1 : f32
        memref.store %3, %sum[%u, %v] : !sums
      }
    }
    tile.copy %sum, %r[0, 0] : !sums, memref<128x64xf32>
  }
  return
}

// A stage that a view of it is read from later is given back behind that, not behind what reads the stage itself.
// CHECK-LABEL: func.func @viewed
// CHECK: } consumer {
// CHECK: tile.consumer_wait
// CHECK: %[[STAGE:.*]] = tile.consumer_wait %[[FACTORS:.*]] :
// CHECK-NEXT: tile.stage %{{.*}}[%[[STAGE]]] : memref<2x128xf32, #tile.shared>
// CHECK: %[[LINE:.*]] = tile.stage %{{.*}}[%[[STAGE]]] : memref<2x128xf32, #tile.shared>
// CHECK-NEXT: %[[WORDS:.*]] = tile.view %[[LINE]] : memref<128xf32, #tile.shared> to memref<128xi32, #tile.shared>
// CHECK: memref.load %[[LINE]][
// CHECK-NOT: tile.consumer_release %[[FACTORS]]
// CHECK: memref.load %[[WORDS]][
// CHECK: tile.consumer_release %[[FACTORS]]
// CHECK: return
func.func @viewed(%x: !a, %y: !b, %f: !f, %r: memref<128x64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%i) in (1) threads(256) {
    %as = tile.alloc {layout = #tile} : !tile_a
    %bs = tile.alloc {layout = #right} : !tile_b
    %at = tile.alloc {layout = #tile} : !tile_a
    %bt = tile.alloc {layout = #right} : !tile_b
    %fs = tile.alloc {layout = #line} : !line
    %gs = tile.alloc {layout = #line} : !line
    %p = tile.alloc {layout = #s} : !sums
    %q = tile.alloc {layout = #s} : !sums
    %sum = tile.alloc {layout = #s} : !sums
    tile.fill %sum, %zero : !sums
    tile.pipelined %k = 0 to 6 stages(2) {
      tile.copy %x[0, %k * 128], %as {instruction = #tile.transfer<tma>} : !a, !tile_a
      tile.copy %y[0, %k * 128], %bs {instruction = #tile.transfer<tma>} : !b, !tile_b
      tile.copy %x[0, %k * 128 + 64], %at {instruction = #tile.transfer<tma>} : !a, !tile_a
      tile.copy %y[0, %k * 128 + 64], %bt {instruction = #tile.transfer<tma>} : !b, !tile_b
      tile.copy %f[%k * 2, 0], %fs {instruction = #tile.transfer<tma>} : !f, !line
      tile.copy %f[%k * 2 + 1, 0], %gs {instruction = #tile.transfer<tma>} : !f, !line
      %bits = tile.view %gs : !line to memref<128xi32, #tile.shared>
      tile.gemm %as, %bs, %p {clear, transpose_b, instruction = #mma} : !tile_a, !tile_b, !sums
      tile.gemm %at, %bt, %q {clear, transpose_b, instruction = #mma} : !tile_a, !tile_b, !sums
      tile.parallel (%u, %v) in (128, 64) attributes {layout = #s} {
        %0 = memref.load %sum[%u, %v] : !sums
        %1 = memref.load %p[%u, %v] : !sums
        %2 = memref.load %fs[%u] : !line
        %3 = memref.load %gs[%u] : !line
        %4 = math.fma %1, %2, %0 : f32
        %5 = arith.addf %4, %3 : f32
        memref.store %5, %sum[%u, %v] : !sums
      }
      tile.parallel (%u, %v) in (128, 64) attributes {layout = #s} {
        %0 = memref.load %sum[%u, %v] : !sums
        %1 = memref.load %q[%u, %v] : !sums
        %2 = memref.load %bits[%u] : memref<128xi32, #tile.shared>
        %3 = arith.sitofp %2 : i32 to f32
        %4 = math.fma %1, %3, %0 : f32
        memref.store %4, %sum[%u, %v] : !sums
      }
    }
    tile.copy %sum, %r[0, 0] : !sums, memref<128x64xf32>
  }
  return
}

// A loop that scales what another one has just converted out of the same stage reads its factor there: reading it before the first
// gemm would give nothing back, and the release stands behind both.
// CHECK-LABEL: func.func @converted
// CHECK: } consumer {
// CHECK: tile.gemm %{{.*}} {async
// CHECK: arith.sitofp
// CHECK-NOT: tile.consumer_release
// CHECK: %[[V:.*]] = memref.load %{{.*}} : memref<128x64xbf16, #tile.fragment>
// CHECK-NEXT: memref.load %{{.*}} : memref<128xf32, #tile.shared>
// CHECK: tile.gemm %{{.*}} {async
#codes = #tile.layout<[128: 128 offset*32][32: 32 offset]>
#w = #tile.layout<[128: 2 warp*4, 4 warp, 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]>
!q = memref<128x32xi8, #tile.shared>
!codes = memref<128x64xi4, #tile.shared>
!w = memref<128x64xbf16, #tile.fragment>
!tile_y = memref<64x64xbf16, #tile.shared>
func.func @converted(%x: memref<128x1024xi8>, %y: memref<64x2048xbf16>, %f: !f, %r: memref<128x64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%i) in (1) threads(256) {
    %qs = tile.alloc {layout = #codes} : !q
    %qt = tile.alloc {layout = #codes} : !q
    %bs = tile.alloc {layout = #right} : !tile_y
    %bt = tile.alloc {layout = #right} : !tile_y
    %fs = tile.alloc {layout = #line} : !line
    %ft = tile.alloc {layout = #line} : !line
    %ws = tile.alloc {layout = #w} : !w
    %wt = tile.alloc {layout = #w} : !w
    %sum = tile.alloc {layout = #s} : !sums
    tile.fill %sum, %zero : !sums
    tile.pipelined %k = 0 to 6 stages(2) {
      tile.copy %x[0, %k * 64], %qs {instruction = #tile.transfer<tma>} : memref<128x1024xi8>, !q
      tile.copy %x[0, %k * 64 + 32], %qt {instruction = #tile.transfer<tma>} : memref<128x1024xi8>, !q
      tile.copy %y[0, %k * 128], %bs {instruction = #tile.transfer<tma>} : memref<64x2048xbf16>, !tile_y
      tile.copy %y[0, %k * 128 + 64], %bt {instruction = #tile.transfer<tma>} : memref<64x2048xbf16>, !tile_y
      tile.copy %f[%k * 2, 0], %fs {instruction = #tile.transfer<tma>} : !f, !line
      tile.copy %f[%k * 2 + 1, 0], %ft {instruction = #tile.transfer<tma>} : !f, !line
      %cs = tile.view %qs : !q to !codes
      %ct = tile.view %qt : !q to !codes
      tile.parallel (%u, %v) in (128, 64) attributes {layout = #w} {
        %0 = memref.load %cs[%u, %v] : !codes
        %1 = arith.sitofp %0 : i4 to bf16
        memref.store %1, %ws[%u, %v] : !w
      }
      tile.parallel (%u, %v) in (128, 64) attributes {layout = #w} {
        %0 = memref.load %ws[%u, %v] : !w
        %1 = memref.load %fs[%u] : !line
        %2 = arith.truncf %1 : f32 to bf16
        %3 = arith.mulf %0, %2 : bf16
        memref.store %3, %ws[%u, %v] : !w
      }
      tile.gemm %ws, %bs, %sum {transpose_b, instruction = #mma} : !w, !tile_y, !sums
      tile.parallel (%u, %v) in (128, 64) attributes {layout = #w} {
        %0 = memref.load %ct[%u, %v] : !codes
        %1 = arith.sitofp %0 : i4 to bf16
        memref.store %1, %wt[%u, %v] : !w
      }
      tile.parallel (%u, %v) in (128, 64) attributes {layout = #w} {
        %0 = memref.load %wt[%u, %v] : !w
        %1 = memref.load %ft[%u] : !line
        %2 = arith.truncf %1 : f32 to bf16
        %3 = arith.mulf %0, %2 : bf16
        memref.store %3, %wt[%u, %v] : !w
      }
      tile.gemm %wt, %bt, %sum {transpose_b, instruction = #mma} : !w, !tile_y, !sums
    }
    tile.copy %sum, %r[0, 0] : !sums, memref<128x64xf32>
  }
  return
}
