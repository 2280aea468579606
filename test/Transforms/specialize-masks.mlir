// RUN: tile-opt %s --tile-specialize-masks | FileCheck %s
// RUN: tile-opt %s --tile-specialize-masks --remarks-filter='tile-specialize-masks' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-opt %s --tile-specialize-masks --canonicalize | FileCheck %s --check-prefix=FOLDED

!tile = memref<128x64xf32, #tile.fragment>
!column = memref<128xf32, #tile.fragment>

// The last key of the tile against its first query; inside, nothing is done.
// CHECK-LABEL: func.func @causal
// CHECK: tile.pipelined %[[K:.*]] =
// CHECK: %[[KEYS:.*]] = arith.muli %[[K]], %c64
// CHECK: %[[LAST_KEY:.*]] = arith.addi %[[KEYS]], %c63
// CHECK: %[[FIRST_QUERY:.*]] = arith.muli %{{.*}}, %c128
// CHECK: %[[INSIDE:.*]] = arith.cmpi sle, %[[LAST_KEY]], %[[FIRST_QUERY]] : index
// CHECK: %[[CROSSES:.*]] = arith.xori %[[INSIDE]], %true
// CHECK-NEXT: scf.if %[[CROSSES]] {
// CHECK-NEXT: tile.parallel
// CHECK: arith.select
// CHECK: memref.store
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// REMARK: [Passed] Mask | Category:tile-specialize-masks | Reason="only tiles that it crosses are masked"
func.func @causal(%s: !tile) {
  %lowest = arith.constant 0xFF800000 : f32
  tile.kernel (%x) in (2) {
    tile.pipelined %k = 0 to 64 {
      tile.parallel (%i, %j) in (128, 64) {
        %query = affine.apply affine_map<(x, i) -> (x * 128 + i)>(%x, %i)
        %key = affine.apply affine_map<(k, j) -> (k * 64 + j)>(%k, %j)
        %visible = arith.cmpi sle, %key, %query : index
        %score = memref.load %s[%i, %j] : !tile
        %masked = arith.select %visible, %score, %lowest : f32
        memref.store %masked, %s[%i, %j] : !tile
      }
    }
  }
  return
}

// A window has two edges, a sequence has a length; the constant comes first.
// CHECK-LABEL: func.func @window
// CHECK-SAME: %[[LENGTH:[a-z0-9]*]]: index,
// CHECK: arith.cmpi sge
// CHECK: arith.cmpi slt, %{{.*}}, %[[LENGTH]]
// CHECK: arith.andi
// CHECK: scf.if
// CHECK: tile.parallel
// CHECK: } else {
// CHECK: tile.parallel
// CHECK-NOT: arith.select
// CHECK: arith.mulf
// REMARK: [Passed] Mask
func.func @window(%s: !tile, %length: index, %scale: f32) {
  %lowest = arith.constant 0xFF800000 : f32
  tile.kernel (%x) in (2) {
    tile.pipelined %k = 0 to 64 {
      tile.parallel (%i, %j) in (128, 64) {
        %first = affine.apply affine_map<(x, i) -> (x * 128 + i - 256)>(%x, %i)
        %key = affine.apply affine_map<(k, j) -> (k * 64 + j)>(%k, %j)
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

// Unsigned comparisons hold for the signed bounds where nothing is negative;
// i32 is as good as index.
// CHECK-LABEL: func.func @unsigned
// CHECK-SAME: %[[LAST:[a-z0-9]*]]: i32
// CHECK-DAG: arith.cmpi uge, %[[LAST]], %c63_i32 : i32
// CHECK-DAG: arith.cmpi sge, %[[LAST]], %c0_i32 : i32
// CHECK: scf.if
// REMARK: [Passed] Mask
func.func @unsigned(%s: !tile, %last: i32) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (2) {
    tile.pipelined %k = 0 to 64 {
      tile.parallel (%i, %j) in (128, 64) {
        %jj = arith.index_cast %j : index to i32
        %visible = arith.cmpi ule, %jj, %last : i32
        %score = memref.load %s[%i, %j] : !tile
        %masked = arith.select %visible, %score, %zero : f32
        memref.store %masked, %s[%i, %j] : !tile
      }
    }
  }
  return
}

// What is known needs no branch: the first mask hides nothing, the second one
// crosses every tile.
// FOLDED-LABEL: func.func @known
// FOLDED-NOT: scf.if
// FOLDED: tile.parallel
// FOLDED: arith.cmpi slt, %{{.*}}, %c63
// FOLDED-NOT: tile.parallel
// FOLDED: return
func.func @known(%s: !tile) {
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (2) {
    tile.pipelined %k = 0 to 64 {
      tile.parallel (%i, %j) in (128, 64) {
        %visible = arith.cmpi slt, %j, %c64 : index
        %score = memref.load %s[%i, %j] : !tile
        %masked = arith.select %visible, %score, %zero : f32
        memref.store %masked, %s[%i, %j] : !tile
      }
      tile.parallel (%i, %j) in (128, 64) {
        %visible = arith.cmpi slt, %j, %c63 : index
        %score = memref.load %s[%i, %j] : !tile
        %masked = arith.select %visible, %score, %zero : f32
        memref.store %masked, %s[%i, %j] : !tile
      }
    }
  }
  return
}

// Two stores to one tile are not a copy of it to itself, and a select between
// two computed values takes the first one inside.
// CHECK-LABEL: func.func @keeps_stores
// CHECK: } else {
// CHECK: tile.parallel
// CHECK: memref.store
// CHECK: memref.store
// CHECK: }
func.func @keeps_stores(%s: !tile, %n: index) {
  tile.kernel (%x) in (2) {
    tile.pipelined %k = 0 to 64 {
      tile.parallel (%i, %j) in (128, 64) {
        %visible = arith.cmpi slt, %j, %n : index
        %score = memref.load %s[%i, %j] : !tile
        %negated = arith.negf %score : f32
        %masked = arith.select %visible, %score, %negated : f32
        memref.store %negated, %s[%i, %j] : !tile
        memref.store %masked, %s[%i, %j] : !tile
      }
    }
  }
  return
}

// A diagonal modulo something.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: scf.if
// REMARK: [Missed] Mask | Category:tile-specialize-masks | Reason="nothing is known of its condition for a whole tile"
// REMARK-NOT: Mask
func.func @stays(%s: !tile, %n: index) {
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (2) {
    tile.pipelined %k = 0 to 64 {
      tile.parallel (%i, %j) in (128, 64) {
        %rest = arith.remui %j, %c4 : index
        %visible = arith.cmpi slt, %rest, %n : index
        %score = memref.load %s[%i, %j] : !tile
        %masked = arith.select %visible, %score, %zero : f32
        memref.store %masked, %s[%i, %j] : !tile
      }
    }
  }
  return
}

// Guards of global memory, and a mask outside of pipelined loops: the tiles of
// the interior have neither. What the guard of a table needs, nobody knows.
// CHECK-LABEL: func.func @guards
// CHECK: %[[LAST:.*]] = arith.addi %{{.*}}, %c127
// CHECK: %[[N:.*]] = memref.dim
// CHECK: arith.cmpi slt, %[[LAST]], %[[N]] : index
// CHECK: arith.cmpi slt, %{{.*}}, %arg3 : index
// CHECK: scf.if
// CHECK: arith.select
// CHECK: } else {
// CHECK-NEXT: tile.parallel
// CHECK-NOT: {{scf.if|arith.select}}
// CHECK: memref.store
// CHECK: memref.load %{{.*}} : memref<128xindex, #tile.shared>
// CHECK: scf.if
// REMARK: [Passed] Mask | Category:tile-specialize-masks | Reason="only tiles that it crosses are masked"
// REMARK: [Missed] Mask | Category:tile-specialize-masks | Reason="nothing is known of its condition for a whole tile"
func.func @guards(%x: memref<?xf32>, %y: memref<?xf32>, %table: memref<128xindex, #tile.shared>, %k: index) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (4) {
    tile.parallel (%i) in (128) {
      %c0 = arith.constant 0 : index
      %at = affine.apply affine_map<(b, i) -> (b * 128 + i)>(%b, %i)
      %n = memref.dim %x, %c0 : memref<?xf32>
      %inside = arith.cmpi slt, %at, %n : index
      %v = scf.if %inside -> f32 {
        %loaded = memref.load %x[%at] : memref<?xf32>
        scf.yield %loaded : f32
      } else {
        scf.yield %zero : f32
      }
      %visible = arith.cmpi slt, %at, %k : index
      %masked = arith.select %visible, %v, %zero : f32
      scf.if %inside {
        memref.store %masked, %y[%at] : memref<?xf32>
      }
    }
    tile.parallel (%i) in (128) {
      %c0 = arith.constant 0 : index
      %at = memref.load %table[%i] : memref<128xindex, #tile.shared>
      %n = memref.dim %x, %c0 : memref<?xf32>
      %inside = arith.cmpi slt, %at, %n : index
      scf.if %inside {
        memref.store %zero, %y[%at] : memref<?xf32>
      }
    }
  }
  return
}
