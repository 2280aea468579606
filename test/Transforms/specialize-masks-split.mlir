// RUN: tile-opt %s --tile-specialize-masks --canonicalize --cse | FileCheck %s
// RUN: tile-opt %s --tile-specialize-masks --remarks-filter='tile-specialize-masks' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-opt %s --pass-pipeline="builtin.module(tile-set-target{chip=sm_90a},tile-specialize-masks,tile-schedule,tile-insert-barriers,tile-plan-shared,tile-verify-schedule)" -o /dev/null

!keys = memref<64x64xf32, #tile.shared>
!tile = memref<128x64xf32, #tile.fragment>

// Keys k * 64 + 63 <= x * 128: the tile k is inside below 2 * x.
// CHECK-LABEL: func.func @causal
// CHECK: tile.kernel (%[[X:.*]]) in
// CHECK: %[[N:.*]] = affine.apply #{{.*}}(%[[X]])
// CHECK: %[[END:.*]] = arith.addi %{{.*}}, %c1
// CHECK: %[[LOW:.*]] = arith.minsi %[[END]], %[[N]]
// CHECK: %[[BEGIN:.*]] = arith.maxsi %[[LOW]], %c0
// CHECK: tile.pipelined %{{.*}} = 0 to %[[BEGIN]] stages(2) {
// CHECK-NOT: arith.select
// CHECK: tile.pipelined %{{.*}} = %[[BEGIN]] to %[[N]] stages(2) {
// CHECK: arith.select
// REMARK: [Passed] Mask | Category:tile-specialize-masks | Reason="only iterations that it crosses are masked", loops=2
func.func @causal(%k: memref<4096x64xf32>, %s: !tile) {
  %lowest = arith.constant 0xFF800000 : f32
  tile.kernel (%x) in (32) {
    %ks = tile.alloc : !keys
    %max = tile.alloc : memref<64xf32, #tile.fragment>
    %n = affine.apply affine_map<(x) -> (x * 2 + 2)>(%x)
    tile.pipelined %t = 0 to %n stages(2) {
      tile.copy %k[%t * 64, 0], %ks {instruction = #tile.transfer<tma>} : memref<4096x64xf32>, !keys
      tile.reduce max %ks, %max dim(1) {combine} : !keys, memref<64xf32, #tile.fragment>
      tile.parallel (%i, %j) in (128, 64) {
        %query = affine.apply affine_map<(x, i) -> (x * 128 + i)>(%x, %i)
        %key = affine.apply affine_map<(k, j) -> (k * 64 + j)>(%t, %j)
        %visible = arith.cmpi sle, %key, %query : index
        %score = memref.load %s[%i, %j] : !tile
        %masked = arith.select %visible, %score, %lowest : f32
        memref.store %masked, %s[%i, %j] : !tile
      }
    }
  }
  return
}

// A window of 256 keys and a dynamic length: masks before and behind, a bound
// from below and a loop that begins somewhere.
// CHECK-LABEL: func.func @window
// CHECK-SAME: %[[LENGTH:[a-z0-9]*]]: index, %[[FROM:[a-z0-9]*]]: index, %[[TO:[a-z0-9]*]]: index
// CHECK: arith.ceildivsi
// CHECK: arith.floordivsi
// CHECK: tile.pipelined %{{.*}} = %[[FROM]] to %[[FIRST:.*]] stages(3) {
// CHECK: arith.select
// CHECK: tile.pipelined %{{.*}} = %[[FIRST]] to %[[END:.*]] stages(3) {
// CHECK-NOT: arith.select
// CHECK: arith.mulf
// CHECK: tile.pipelined %{{.*}} = %[[END]] to %[[TO]] stages(3) {
// CHECK: arith.select
// REMARK: [Passed] Mask | Category:tile-specialize-masks | Reason="only iterations that it crosses are masked", loops=3
func.func @window(%k: memref<4096x64xf32>, %s: !tile, %length: index, %from: index, %to: index, %scale: f32) {
  %lowest = arith.constant 0xFF800000 : f32
  tile.kernel (%x) in (32) {
    %ks = tile.alloc : !keys
    %max = tile.alloc : memref<64xf32, #tile.fragment>
    tile.pipelined %t = %from to %to stages(3) {
      tile.copy %k[%t * 64, 0], %ks {instruction = #tile.transfer<tma>} : memref<4096x64xf32>, !keys
      tile.reduce max %ks, %max dim(1) {combine} : !keys, memref<64xf32, #tile.fragment>
      %base = affine.apply affine_map<(k) -> (k * 64)>(%t)
      tile.parallel (%i, %j) in (128, 64) {
        %first = affine.apply affine_map<(x, i) -> (x * 128 + i - 256)>(%x, %i)
        %key = arith.addi %base, %j : index
        %before = arith.cmpi slt, %key, %first : index
        %behind = arith.cmpi sge, %key, %length : index
        %hidden = arith.ori %before, %behind : i1
        %score = memref.load %s[%i, %j] : !tile
        %scaled = arith.mulf %score, %scale : f32
        %masked = arith.select %hidden, %lowest, %scaled : f32
        memref.store %masked, %s[%i, %j] : !tile
      }
    }
  }
  return
}

// Not of the loop variable, or of it in another way: a branch. So is a loop
// without tensor copies, or with other ones.
// CHECK-LABEL: func.func @branches
// CHECK-COUNT-3: scf.if
// REMARK-COUNT-3: [Passed] Mask | Category:tile-specialize-masks | Reason="only tiles that it crosses are masked"
func.func @branches(%k: memref<4096x64xf32>, %s: !tile, %n: index) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (32) {
    %ks = tile.alloc : !keys
    %max = tile.alloc : memref<64xf32, #tile.fragment>
    tile.pipelined %t = 0 to 64 stages(2) {
      tile.copy %k[%t * 64, 0], %ks {instruction = #tile.transfer<tma>} : memref<4096x64xf32>, !keys
      tile.reduce max %ks, %max dim(1) {combine} : !keys, memref<64xf32, #tile.fragment>
      tile.parallel (%i, %j) in (128, 64) {
        %visible = arith.cmpi slt, %j, %n : index
        %score = memref.load %s[%i, %j] : !tile
        %masked = arith.select %visible, %score, %zero : f32
        memref.store %masked, %s[%i, %j] : !tile
      }
      tile.parallel (%i, %j) in (128, 64) {
        %key = affine.apply affine_map<(k, j) -> (k floordiv 2 + j)>(%t, %j)
        %visible = arith.cmpi slt, %key, %n : index
        %score = memref.load %s[%i, %j] : !tile
        %masked = arith.select %visible, %score, %zero : f32
        memref.store %masked, %s[%i, %j] : !tile
      }
    }
    tile.pipelined %t = 0 to 64 stages(2) {
      tile.copy %k[%t * 64, 0], %ks {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<4096x64xf32>, !keys
      tile.reduce max %ks, %max dim(1) {combine} : !keys, memref<64xf32, #tile.fragment>
      tile.parallel (%i, %j) in (128, 64) {
        %key = affine.apply affine_map<(k, j) -> (k * 64 + j)>(%t, %j)
        %visible = arith.cmpi slt, %key, %n : index
        %score = memref.load %s[%i, %j] : !tile
        %masked = arith.select %visible, %score, %zero : f32
        memref.store %masked, %s[%i, %j] : !tile
      }
    }
  }
  return
}

// Unsigned numbers that are never negative are ordered as signed ones: a length
// and the keys of a loop from 0; from an unknown number it is a branch.
// CHECK-LABEL: func.func @unsigned
// CHECK: tile.pipelined %{{.*}} = 0 to %[[END:.*]] stages(2) {
// CHECK-NOT: arith.select
// CHECK: tile.pipelined %{{.*}} = %[[END]] to %{{.*}} stages(2) {
// CHECK: arith.select
// CHECK: tile.pipelined
// CHECK: scf.if
// REMARK: [Passed] Mask | Category:tile-specialize-masks | Reason="only iterations that it crosses are masked", loops=2
// REMARK: [Passed] Mask | Category:tile-specialize-masks | Reason="only tiles that it crosses are masked"
func.func @unsigned(%k: memref<?x64xf32>, %s: !tile, %from: index) {
  %lowest = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %length = memref.dim %k, %c0 : memref<?x64xf32>
  %n = affine.apply affine_map<(s) -> (s ceildiv 64)>(%length)
  tile.kernel (%x) in (32) {
    %ks = tile.alloc : !keys
    %max = tile.alloc : memref<64xf32, #tile.fragment>
    tile.pipelined %t = 0 to %n stages(2) {
      tile.copy %k[%t * 64, 0], %ks {instruction = #tile.transfer<tma>} : memref<?x64xf32>, !keys
      tile.reduce max %ks, %max dim(1) {combine} : !keys, memref<64xf32, #tile.fragment>
      tile.parallel (%i, %j) in (128, 64) {
        %key = affine.apply affine_map<(k, j) -> (k * 64 + j)>(%t, %j)
        %visible = arith.cmpi ult, %key, %length : index
        %score = memref.load %s[%i, %j] : !tile
        %masked = arith.select %visible, %score, %lowest : f32
        memref.store %masked, %s[%i, %j] : !tile
      }
    }
    tile.pipelined %t = %from to %n stages(2) {
      tile.copy %k[%t * 64, 0], %ks {instruction = #tile.transfer<tma>} : memref<?x64xf32>, !keys
      tile.reduce max %ks, %max dim(1) {combine} : !keys, memref<64xf32, #tile.fragment>
      tile.parallel (%i, %j) in (128, 64) {
        %key = affine.apply affine_map<(k, j) -> (k * 64 + j)>(%t, %j)
        %visible = arith.cmpi ult, %key, %length : index
        %score = memref.load %s[%i, %j] : !tile
        %masked = arith.select %visible, %score, %lowest : f32
        memref.store %masked, %s[%i, %j] : !tile
      }
    }
  }
  return
}
