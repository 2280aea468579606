// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-schedule | FileCheck %s
// RUN: tile-opt %s --pass-pipeline="builtin.module(tile-set-target{chip=sm_90a},tile-schedule,tile-insert-barriers,tile-plan-shared,tile-verify-schedule)" -o /dev/null
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-schedule --remarks-filter='tile-schedule' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// One pipeline for both operands of the gemm; the stages keep the swizzle. Two
// warpgroups with 128 registers of accumulators take registers from the producer.
// CHECK-LABEL: func.func @gemm
// CHECK: tile.kernel (%[[X:.*]], %[[Y:.*]]) in
// CHECK-DAG: %[[A:.*]] = tile.alloc {layout = #tile.layout<[4: 4 offset*8192][128: 128 offset*64][64: 64 offset] swizzle(3, 3, 3)>} : memref<4x128x64xf16, #tile.shared>
// CHECK-DAG: %[[B:.*]] = tile.alloc {layout = #tile.layout<[4: 4 offset*16384][64: 64 offset*64][256: 4 offset*4096, 64 offset] swizzle(3, 3, 3)>} : memref<4x64x256xf16, #tile.shared>
// CHECK-DAG: %[[PIPELINE:.*]] = tile.create_pipeline : !tile.pipeline<4>
// CHECK: tile.warp_specialize attributes {consumer_registers = 232 : i64, producer_registers = 40 : i64} producer {
// CHECK-NEXT: tile.pipelined %[[K:.*]] = 0 to %{{.*}} {
// CHECK-NEXT: %[[I:.*]] = tile.producer_acquire %[[PIPELINE]] bytes(49152)
// CHECK-NEXT: %[[AS:.*]] = tile.stage %[[A]][%[[I]]]
// CHECK-NEXT: %[[BS:.*]] = tile.stage %[[B]][%[[I]]]
// CHECK-NEXT: tile.copy %{{.*}}[%[[Y]] * 128, %[[K]] * 64], %[[AS]] signal(%[[PIPELINE]] : !tile.pipeline<4>) {instruction = #tile.transfer<tma>}
// CHECK-NEXT: tile.copy %{{.*}}[%[[K]] * 64, %[[X]] * 256], %[[BS]] signal(%[[PIPELINE]] : !tile.pipeline<4>) {instruction = #tile.transfer<tma>}
// CHECK-NEXT: tile.producer_commit %[[PIPELINE]]
// CHECK-NEXT: {{^ *[}]$}}
// CHECK-NEXT: } consumer {
// CHECK-NEXT: tile.fill
// CHECK-NEXT: tile.pipelined
// CHECK-NEXT: %[[I:.*]] = tile.consumer_wait %[[PIPELINE]]
// CHECK-NEXT: %[[AS:.*]] = tile.stage %[[A]][%[[I]]]
// CHECK-NEXT: %[[BS:.*]] = tile.stage %[[B]][%[[I]]]
// CHECK-NEXT: tile.gemm %[[AS]], %[[BS]], %{{.*}} {instruction
// CHECK-NEXT: tile.consumer_release %[[PIPELINE]]
// CHECK-NEXT: {{^ *[}]$}}
// CHECK-NEXT: tile.copy
// CHECK-NEXT: {{^ *[}]$}}
// REMARK: [Passed] WarpSpecialization | Category:tile-schedule | consumer_registers=232, copies=2, pipelines=1, producer_registers=40
#a = #tile.layout<[128: 128 offset*64][64: 64 offset] swizzle(3, 3, 3)>
#b = #tile.layout<[64: 64 offset*64][256: 4 offset*4096, 64 offset] swizzle(3, 3, 3)>
#c = #tile.layout<[128: 2 warp*4, 4 warp, 2 reg*2, 8 lane*4][256: 32 reg*4, 4 lane, 2 reg]>
#wgmma = #tile.mma<wgmma, m = 64, n = 256, k = 16, warps_m = 8, warps_n = 1>
func.func @gemm(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : memref<?x?xf16>
  %k = memref.dim %a, %c1 : memref<?x?xf16>
  %n = memref.dim %b, %c1 : memref<?x?xf16>
  %gm = affine.apply affine_map<()[s] -> (s ceildiv 128)>()[%m]
  %gn = affine.apply affine_map<()[s] -> (s ceildiv 256)>()[%n]
  %kt = affine.apply affine_map<()[s] -> (s ceildiv 64)>()[%k]
  tile.kernel (%bx, %by) in (%gn, %gm) threads(256) {
    %as = tile.alloc {layout = #a} : memref<128x64xf16, #tile.shared>
    %bs = tile.alloc {layout = #b} : memref<64x256xf16, #tile.shared>
    %cf = tile.alloc {layout = #c} : memref<128x256xf32, #tile.fragment>
    tile.fill %cf, %zero : memref<128x256xf32, #tile.fragment>
    tile.pipelined %i = 0 to %kt stages(4) {
      tile.copy %a[%by * 128, %i * 64], %as {instruction = #tile.transfer<tma>} : memref<?x?xf16>, memref<128x64xf16, #tile.shared>
      tile.copy %b[%i * 64, %bx * 256], %bs {instruction = #tile.transfer<tma>} : memref<?x?xf16>, memref<64x256xf16, #tile.shared>
      tile.gemm %as, %bs, %cf {instruction = #wgmma}
        : memref<128x64xf16, #tile.shared>, memref<64x256xf16, #tile.shared>, memref<128x256xf32, #tile.fragment>
    }
    tile.copy %cf, %c[%by * 128, %bx * 256] : memref<128x256xf32, #tile.fragment>, memref<?x?xf32>
  }
  return
}

// K and V have a pipeline each, so that the first gemm waits for K alone; Q has one
// stage. The trips come from a global buffer that nobody writes.
// CHECK-LABEL: func.func @attention
// CHECK-DAG: %[[N:.*]] = affine.apply
// CHECK-DAG: %[[RQ:.*]] = tile.create_pipeline : !tile.pipeline<1>
// CHECK: tile.warp_specialize producer {
// CHECK-NEXT: tile.producer_acquire %[[RQ]] bytes(8192)
// CHECK: tile.producer_commit %[[RQ]]
// CHECK-NEXT: tile.pipelined %{{.*}} = 0 to %[[N]] {
// CHECK-NEXT: tile.producer_acquire %[[RK:.*]] bytes(8192)
// CHECK: tile.producer_commit %[[RK]]
// CHECK-NEXT: tile.producer_acquire %[[RV:.*]] bytes(8192)
// CHECK: tile.producer_commit %[[RV]]
// CHECK: } consumer {
// CHECK: tile.consumer_wait %[[RQ]]
// CHECK: tile.pipelined
// CHECK-NEXT: tile.consumer_wait %[[RK]]
// CHECK: tile.gemm
// CHECK-NEXT: tile.consumer_release %[[RK]]
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.consumer_wait %[[RV]]
// CHECK: tile.gemm
// CHECK-NEXT: tile.consumer_release %[[RV]]
// CHECK: tile.consumer_release %[[RQ]]
// REMARK: [Passed] WarpSpecialization | Category:tile-schedule | consumer_registers=0, copies=3, pipelines=3, producer_registers=0
func.func @attention(%q: memref<8x1024x64xf16>, %k: memref<8x1024x64xf16>, %v: memref<8x1024x64xf16>, %o: memref<8x1024x64xf16>, %lens: memref<8xi32>) {
  %zero = arith.constant 0.0 : f32
  %cst = arith.constant 0.125 : f32
  tile.kernel (%bx, %h) in (16, 8) threads(128) {
    %qs = tile.alloc : memref<64x64xf16, #tile.shared>
    %ks = tile.alloc : memref<64x64xf16, #tile.shared>
    %vs = tile.alloc : memref<64x64xf16, #tile.shared>
    %s = tile.alloc : memref<64x64xf32, #tile.fragment>
    %p = tile.alloc : memref<64x64xf16, #tile.fragment>
    %of = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %of, %zero : memref<64x64xf32, #tile.fragment>
    tile.copy %q[%h, %bx * 64, 0], %qs {instruction = #tile.transfer<tma>} : memref<8x1024x64xf16>, memref<64x64xf16, #tile.shared>
    %l32 = memref.load %lens[%h] : memref<8xi32>
    %l = arith.index_cast %l32 : i32 to index
    %n = affine.apply affine_map<(d) -> (d ceildiv 64)>(%l)
    tile.pipelined %i = 0 to %n stages(2) {
      tile.copy %k[%h, %i * 64, 0], %ks {instruction = #tile.transfer<tma>} : memref<8x1024x64xf16>, memref<64x64xf16, #tile.shared>
      tile.copy %v[%h, %i * 64, 0], %vs {instruction = #tile.transfer<tma>} : memref<8x1024x64xf16>, memref<64x64xf16, #tile.shared>
      tile.gemm %qs, %ks, %s {clear, transpose_b} : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
      tile.copy %s, %p : memref<64x64xf32, #tile.fragment>, memref<64x64xf16, #tile.fragment>
      tile.gemm %p, %vs, %of : memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    }
    tile.copy %of, %o[%h, %bx * 64, 0] : memref<64x64xf32, #tile.fragment>, memref<8x1024x64xf16>
  }
  return
}

// A domain of tiles, a branch and a loop around the copies; a view of the tile,
// and a vector of scales that stays with the consumer.
// CHECK-LABEL: func.func @nested
// CHECK: tile.warp_specialize producer {
// CHECK-NEXT: tile.persistent (%[[M:.*]], %{{.*}}) in (8, 8) {
// CHECK: arith.cmpi
// CHECK: scf.if
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.pipelined
// CHECK-NEXT: tile.producer_acquire
// CHECK: } consumer {
// CHECK-NEXT: tile.persistent
// CHECK: scf.for
// CHECK: tile.copy %{{.*}} : memref<64xf32>, memref<64xf32, #tile.shared>
// CHECK-NEXT: tile.consumer_wait
// CHECK-NEXT: %[[S:.*]] = tile.stage
// CHECK-NEXT: %[[V:.*]] = tile.reshape %[[S]]
// CHECK-NEXT: tile.copy %[[V]]
// CHECK-NEXT: tile.consumer_release
func.func @nested(%a: memref<512x512xf32>, %s: memref<64xf32>, %c: i1) {
  tile.kernel (%p) in (132) threads(128) {
    %t = tile.alloc : memref<64x64xf32, #tile.shared>
    %r = tile.reshape %t : memref<64x64xf32, #tile.shared> to memref<4096xf32, #tile.shared>
    %v = tile.alloc : memref<64xf32, #tile.shared>
    %f = tile.alloc : memref<4096xf32, #tile.fragment>
    tile.persistent (%m, %n) in (8, 8) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %first = arith.cmpi eq, %m, %c0 : index
      scf.if %first {
        scf.for %j = %c0 to %c4 step %c1 {
          tile.pipelined %k = 0 to 8 stages(3) {
            tile.copy %a[%m * 64, %k * 64], %t {instruction = #tile.transfer<tma>} : memref<512x512xf32>, memref<64x64xf32, #tile.shared>
            tile.copy %s, %v : memref<64xf32>, memref<64xf32, #tile.shared>
            tile.copy %r, %f : memref<4096xf32, #tile.shared>, memref<4096xf32, #tile.fragment>
          }
        }
      }
    }
  }
  return
}

// A schedule by hand that says the same as three stages.
// CHECK-LABEL: func.func @by_hand
// CHECK: tile.create_pipeline : !tile.pipeline<3>
func.func @by_hand(%a: memref<64x1024xf32>, %s: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %tile = tile.alloc : memref<64x128xf32, #tile.shared>
    %acc = tile.alloc : memref<64xf32, #tile.fragment>
    tile.pipelined %k = 0 to 8 attributes {order = array<i64: 0, 1>, stage = array<i64: 0, 2>} {
      tile.copy %a[0, %k * 128], %tile {instruction = #tile.transfer<tma>}
          : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
      tile.reduce sum %tile, %acc dim(1) {combine} : memref<64x128xf32, #tile.shared>, memref<64xf32, #tile.fragment>
    }
    tile.copy %acc, %s : memref<64xf32, #tile.fragment>, memref<64xf32>
  }
  return
}

// Eight stages of 64 KiB, their barriers, and 512 bytes for the sums of 128 rows do not fit; with three stages they do.
// CHECK-LABEL: func.func @fewer_stages
// CHECK: tile.create_pipeline : !tile.pipeline<3>
// REMARK: [Missed] Stages | Category:tile-schedule | Reason="524928 bytes do not fit into 232448; 7 stages are left"
func.func @fewer_stages(%a: memref<128x1024xf32>, %s: memref<128xf32>) {
  tile.kernel (%b) in (1) {
    %tile = tile.alloc : memref<128x128xf32, #tile.shared>
    %acc = tile.alloc : memref<128xf32, #tile.fragment>
    tile.pipelined %k = 0 to 8 stages(8) {
      tile.copy %a[0, %k * 128], %tile {instruction = #tile.transfer<tma>}
          : memref<128x1024xf32>, memref<128x128xf32, #tile.shared>
      tile.reduce sum %tile, %acc dim(1) {combine} : memref<128x128xf32, #tile.shared>, memref<128xf32, #tile.fragment>
    }
    tile.copy %acc, %s : memref<128xf32, #tile.fragment>, memref<128xf32>
  }
  return
}

// Consecutive loops that fill the same tile keep one pipeline.
// CHECK-LABEL: func.func @consecutive
// CHECK-COUNT-1: tile.create_pipeline : !tile.pipeline<3>
// CHECK-NOT: tile.create_pipeline
// CHECK: producer {
// CHECK: tile.pipelined
// CHECK-NEXT: tile.producer_acquire %[[PIPELINE:.*]] bytes(32768)
// CHECK: tile.producer_commit %[[PIPELINE]]
// CHECK: tile.pipelined
// CHECK-NEXT: tile.producer_acquire %[[PIPELINE]] bytes(32768)
// CHECK: tile.producer_commit %[[PIPELINE]]
// CHECK: } consumer {
// CHECK: tile.pipelined
// CHECK-NEXT: tile.consumer_wait %[[PIPELINE]]
// CHECK: tile.consumer_release %[[PIPELINE]]
// CHECK: tile.pipelined
// CHECK-NEXT: tile.consumer_wait %[[PIPELINE]]
// CHECK: tile.consumer_release %[[PIPELINE]]
func.func @consecutive(%a: memref<64x1024xf32>, %n: index, %s: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64x128xf32, #tile.shared>
    %sum = tile.alloc : memref<64xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<64xf32, #tile.fragment>
    tile.pipelined %k = 0 to %n stages(2) {
      tile.copy %a[0, %k * 128], %t {instruction = #tile.transfer<tma>} : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
      tile.reduce sum %t, %sum dim(1) {combine} : memref<64x128xf32, #tile.shared>, memref<64xf32, #tile.fragment>
    }
    tile.pipelined %k = %n to 8 stages(3) {
      tile.copy %a[0, %k * 128], %t {instruction = #tile.transfer<tma>} : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
      tile.reduce max %t, %sum dim(1) {combine} : memref<64x128xf32, #tile.shared>, memref<64xf32, #tile.fragment>
    }
    tile.copy %sum, %s : memref<64xf32, #tile.fragment>, memref<64xf32>
  }
  return
}

// The two branches of a condition fill it, too.
// CHECK-LABEL: func.func @branches
// CHECK-COUNT-1: tile.create_pipeline
// CHECK-NOT: tile.create_pipeline
// CHECK: return
func.func @branches(%a: memref<64x1024xf32>, %c: i1, %s: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64x128xf32, #tile.shared>
    %sum = tile.alloc : memref<64xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<64xf32, #tile.fragment>
    tile.pipelined %k = 0 to 8 stages(2) {
      scf.if %c {
        tile.copy %a[0, %k * 128], %t {instruction = #tile.transfer<tma>} : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
        tile.reduce sum %t, %sum dim(1) {combine} : memref<64x128xf32, #tile.shared>, memref<64xf32, #tile.fragment>
      } else {
        tile.copy %a[0, %k * 64], %t {instruction = #tile.transfer<tma>} : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
        tile.reduce max %t, %sum dim(1) {combine} : memref<64x128xf32, #tile.shared>, memref<64xf32, #tile.fragment>
      }
    }
    tile.copy %sum, %s : memref<64xf32, #tile.fragment>, memref<64xf32>
  }
  return
}

// A tile that is filled in another shape.
// CHECK-LABEL: func.func @through_shape
// CHECK: producer
// CHECK: %[[STAGE:.*]] = tile.stage
// CHECK: %[[SHAPE:.*]] = tile.reshape %[[STAGE]]
// CHECK: tile.copy %{{.*}}[0, %{{.*}} * 128], %[[SHAPE]] signal
// CHECK: consumer
// CHECK: %[[READ:.*]] = tile.stage
// CHECK: tile.copy %[[READ]], %{{.*}} : memref<64x128xf32, #tile.shared>
func.func @through_shape(%a: memref<64x1024xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64x128xf32, #tile.shared>
    %f = tile.alloc : memref<64x128xf32, #tile.fragment>
    %w = tile.reshape %t : memref<64x128xf32, #tile.shared> to memref<1x64x128xf32, #tile.shared>
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %a[0, %k * 128], %w {instruction = #tile.transfer<tma>} : memref<64x1024xf32>, memref<1x64x128xf32, #tile.shared>
      tile.copy %t, %f : memref<64x128xf32, #tile.shared>, memref<64x128xf32, #tile.fragment>
    }
  }
  return
}
