// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-persistent | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-persistent --remarks-filter='tile-persistent' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-persistent | FileCheck %s --check-prefix=SM80
// RUN: tile-opt %s --pass-pipeline="builtin.module(tile-set-target{chip=sm_80},tile-persistent{always=true})" | FileCheck %s --check-prefix=ALWAYS

// The producer can run ahead into the next tile; groups are along y.
// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: (%{{.*}}, %{{.*}}, %[[GX:.*]]: index, %[[GY:.*]]: index)
// CHECK: tile.kernel (%{{.*}}, %{{.*}}) in (%[[GX]], %[[GY]]) attributes {persistent_grid} {
// CHECK-NEXT: tile.padding_value
// CHECK-NEXT: tile.alloc
// CHECK-NEXT: tile.alloc
// CHECK-NEXT: tile.persistent (%[[Y:.*]], %[[X:.*]]) in (%[[GY]], %[[GX]]) group(4) {
// CHECK-NEXT: tile.pipelined %[[K:.*]] = 0 to 4 stages(8)
// CHECK-NEXT: tile.copy %{{.*}}[%[[Y]] * 128, %[[X]] * 128 + %[[K]] * 32]
// CHECK-NOT: tile.rasterize
// CHECK: return
// REMARK: [Passed] Persistent | Category:tile-persistent | group=4
// On other chips, arithmetic on the coordinates does what the hint asks for.
// SM80-LABEL: func.func @dynamic
// SM80: tile.kernel (%[[X:.*]], %[[Y:.*]]) in (%[[GX:.*]], %{{.*}}) {
// SM80: %[[GROUP:.*]] = arith.constant 4 : index
// SM80-NEXT: %[[ROW:.*]] = arith.muli %[[Y]], %[[GX]]
// SM80-NEXT: %[[NUMBER:.*]] = arith.addi %[[X]], %[[ROW]]
// SM80-NEXT: %[[SIZE:.*]] = arith.muli %[[GROUP]], %[[GX]]
// SM80-NOT: tile.persistent
// SM80-NOT: tile.rasterize
// SM80: tile.pipelined
// ALWAYS-LABEL: func.func @dynamic
// ALWAYS: tile.persistent
func.func @dynamic(%a: memref<?x?xf32>, %s: memref<?x?xf32>, %gx: index, %gy: index) {
  %one = arith.constant 1.0 : f32
  tile.kernel (%x, %y) in (%gx, %gy) {
    tile.padding_value %a, %one : memref<?x?xf32>
    tile.rasterize group(4)
    %t = tile.alloc : memref<128x32xf32, #tile.shared>
    %f = tile.alloc : memref<128x32xf32, #tile.fragment>
    tile.pipelined %k = 0 to 4 stages(8) {
      tile.copy %a[%y * 128, %x * 128 + %k * 32], %t {instruction = #tile.transfer<tma>}
          : memref<?x?xf32>, memref<128x32xf32, #tile.shared>
      tile.copy %t, %f : memref<128x32xf32, #tile.shared>, memref<128x32xf32, #tile.fragment>
    }
    tile.copy %f, %s[%y * 128, %x * 32] : memref<128x32xf32, #tile.fragment>, memref<?x?xf32>
  }
  return
}

// Groups along x, and a third dimension that is walked last.
// CHECK-LABEL: func.func @column
// CHECK: tile.persistent (%{{.*}}, %{{.*}}, %{{.*}}) in (16, 32, 2) group(2) {
// SM80-LABEL: func.func @column
// ALWAYS-LABEL: func.func @column
func.func @column(%a: memref<2x4096x1024xf32>) {
  tile.kernel (%x, %y, %z) in (16, 32, 2) {
    tile.rasterize group(2) order(column)
    %t = tile.alloc : memref<128x32xf32, #tile.shared>
    %f = tile.alloc : memref<128x32xf32, #tile.fragment>
    tile.pipelined %k = 0 to 2 stages(8) {
      tile.copy %a[%z, %y * 128, %x * 64 + %k * 32], %t {instruction = #tile.transfer<tma>}
          : memref<2x4096x1024xf32>, memref<128x32xf32, #tile.shared>
      tile.copy %t, %f : memref<128x32xf32, #tile.shared>, memref<128x32xf32, #tile.fragment>
    }
  }
  return
}

// CHECK-LABEL: func.func @few_blocks
// CHECK-NOT: tile.persistent
// CHECK: return
// REMARK: [Missed] Persistent | Category:tile-persistent | Reason="16 blocks are not more than the 132 processors"
// ALWAYS-LABEL: func.func @few_blocks
// ALWAYS: tile.persistent (%{{.*}}) in (16) group(1) {
func.func @few_blocks(%a: memref<128x1024xf32>) {
  tile.kernel (%x) in (16) {
    %t = tile.alloc : memref<128x32xf32, #tile.shared>
    %f = tile.alloc : memref<128x32xf32, #tile.fragment>
    tile.pipelined %k = 0 to 2 stages(2) {
      tile.copy %a[0, %x * 64 + %k * 32], %t {instruction = #tile.transfer<tma>}
          : memref<128x1024xf32>, memref<128x32xf32, #tile.shared>
      tile.copy %t, %f : memref<128x32xf32, #tile.shared>, memref<128x32xf32, #tile.fragment>
    }
  }
  return
}

// Blocks of 12 KiB and few registers.
// CHECK-LABEL: func.func @small_blocks
// CHECK-NOT: tile.persistent
// CHECK: return
// REMARK: [Missed] Persistent | Category:tile-persistent | Reason="5 blocks share a processor"
func.func @small_blocks(%a: memref<32768x1024xf32>) {
  tile.kernel (%x) in (1024) {
    %t = tile.alloc : memref<32x32xf32, #tile.shared>
    %f = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.pipelined %k = 0 to 32 stages(3) {
      tile.copy %a[%x * 32, %k * 32], %t {instruction = #tile.transfer<tma>}
          : memref<32768x1024xf32>, memref<32x32xf32, #tile.shared>
      tile.copy %t, %f : memref<32x32xf32, #tile.shared>, memref<32x32xf32, #tile.fragment>
    }
  }
  return
}

// CHECK-LABEL: func.func @no_pipeline
// CHECK-NOT: tile.persistent
// CHECK: return
// REMARK: [Missed] Persistent | Category:tile-persistent | Reason="no pipelined tensor copies could run ahead into the next tile"
func.func @no_pipeline(%a: memref<?xf32>, %n: index) {
  tile.kernel (%x) in (%n) {
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    tile.copy %a[%x * 128], %f : memref<?xf32>, memref<128xf32, #tile.fragment>
  }
  return
}

// CHECK-LABEL: func.func @clusters
// CHECK-NOT: tile.persistent
// CHECK: return
// REMARK: [Missed] Persistent | Category:tile-persistent | Reason="the order of its tiles parts the blocks of its clusters"
// ALWAYS-LABEL: func.func @clusters
// ALWAYS-NOT: tile.persistent
// ALWAYS: return
func.func @clusters() {
  tile.kernel (%x) in (256) cluster(2) {
  }
  return
}

// CHECK-LABEL: func.func @by_hand
// CHECK-COUNT-1: tile.persistent
// CHECK-NOT: tile.persistent
// REMARK: [Missed] Persistent | Category:tile-persistent | Reason="it has a domain or partitions of its own"
func.func @by_hand() {
  tile.kernel (%x) in (256) {
    tile.persistent (%p) in (1000) {
    }
  }
  return
}

// Blocks along x share A, blocks along y share B: groups of 8.
// CHECK-LABEL: func.func @product
// CHECK: tile.persistent (%{{.*}}, %{{.*}}) in (32, 16) {
func.func @product(%a: memref<4096x4096xf16>, %b: memref<4096x4096xf16>) {
  tile.kernel (%x, %y) in (16, 32) {
    %as = tile.alloc : memref<128x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x256xf16, #tile.shared>
    %row = affine.apply affine_map<(y) -> (y * 128)>(%y)
    tile.pipelined %k = 0 to 64 stages(3) {
      tile.copy %a[%row, %k * 64], %as {instruction = #tile.transfer<tma>} : memref<4096x4096xf16>, memref<128x64xf16, #tile.shared>
      tile.copy %b[%k * 64, %x * 256], %bs {instruction = #tile.transfer<tma>} : memref<4096x4096xf16>, memref<64x256xf16, #tile.shared>
    }
  }
  return
}

// Keys are shared by the blocks along x alone, which follow each other already.
// CHECK-LABEL: func.func @attention
// CHECK: tile.persistent (%{{.*}}, %{{.*}}, %{{.*}}) in (8, 16, 4) group(1) {
func.func @attention(%k: memref<4x8x1024x64xf16>) {
  tile.kernel (%x, %h, %b) in (16, 8, 4) {
    %ks = tile.alloc : memref<128x64xf16, #tile.shared>
    tile.pipelined %t = 0 to 16 stages(8) {
      tile.copy %k[%b, %h, %t * 64, 0], %ks {instruction = #tile.transfer<tma>} : memref<4x8x1024x64xf16>, memref<128x64xf16, #tile.shared>
    }
  }
  return
}

// Later rows have longer loops. The blocks of heads that fit into the L2 cache
// with what they read (2 x 4 MB) follow each other, from the last row on.
// CHECK-LABEL: func.func @longest_first
// CHECK-NOT: tile.persistent
// CHECK: tile.kernel (%[[X:.*]], %[[H:.*]]) in (64, 16) {
// CHECK: %[[GROUP:.*]] = arith.constant 6 : index
// CHECK: %[[ROW:.*]] = arith.muli %[[H]], %{{.*}}
// CHECK: %[[NUMBER:.*]] = arith.addi %[[X]], %[[ROW]]
// CHECK: arith.minui
// CHECK: %[[HEAD:.*]] = arith.addi
// CHECK: %[[ACROSS:.*]] = arith.divui
// CHECK: %[[LAST:.*]] = affine.apply #{{.*}}(%[[ACROSS]])[%{{.*}}]
// CHECK: affine.apply #{{.*}}(%[[LAST]])
// CHECK: tile.copy %{{.*}}[%[[HEAD]], %{{.*}} * 128, 0]
// CHECK: return
// REMARK: [Missed] Persistent | Category:tile-persistent | Reason="its loops take more iterations in some blocks than in others"
// REMARK: [Passed] LongestFirst | Category:tile-persistent | dimension=0, reversed=true
// REMARK: [Passed] Swizzle | Category:tile-persistent | group=6
// ALWAYS-LABEL: func.func @longest_first
// ALWAYS: tile.persistent
func.func @longest_first(%k: memref<16x8192x256xf16>) {
  tile.kernel (%x, %h) in (64, 16) {
    %ks = tile.alloc : memref<128x256xf16, #tile.shared>
    %n = affine.apply affine_map<(x) -> (x + 1)>(%x)
    tile.pipelined %t = 0 to %n stages(2) {
      tile.copy %k[%h, %t * 128, 0], %ks {instruction = #tile.transfer<tma>} : memref<16x8192x256xf16>, memref<128x256xf16, #tile.shared>
    }
  }
  return
}

// Shorter along y, so that the order of the grid is right; a hint keeps its
// group. The sizes of the grid are dynamic.
// CHECK-LABEL: func.func @shorter
// CHECK-NOT: tile.persistent
// CHECK: arith.constant 4 : index
// CHECK-NOT: affine.apply
// CHECK: arith.subi %{{.*}}, %{{.*}} : index
// CHECK: tile.pipelined
// CHECK: return
// REMARK: [Passed] LongestFirst | Category:tile-persistent | dimension=1, reversed=false
// REMARK: [Passed] Swizzle | Category:tile-persistent | group=4
func.func @shorter(%k: memref<?x?xf32>, %gx: index, %gy: index) {
  tile.kernel (%x, %y) in (%gx, %gy) {
    tile.rasterize group(4) order(column)
    %ks = tile.alloc : memref<128x32xf32, #tile.shared>
    %n = arith.subi %gy, %y : index
    tile.pipelined %t = 0 to %n stages(2) {
      tile.copy %k[%x * 128, %t * 32], %ks {instruction = #tile.transfer<tma>} : memref<?x?xf32>, memref<128x32xf32, #tile.shared>
    }
  }
  return
}

// Lengths of sequences: nobody knows which blocks take longest.
// CHECK-LABEL: func.func @loaded
// CHECK-NOT: tile.persistent
// CHECK: return
// REMARK: [Missed] Persistent | Category:tile-persistent | Reason="the iterations of its loops depend on data"
// REMARK-NOT: LongestFirst
func.func @loaded(%k: memref<?x?xf32>, %lengths: memref<1024xindex>) {
  tile.kernel (%x) in (1024) {
    %ks = tile.alloc : memref<128x32xf32, #tile.shared>
    %n = memref.load %lengths[%x] : memref<1024xindex>
    tile.pipelined %t = 0 to %n stages(2) {
      tile.copy %k[%x * 128, %t * 32], %ks {instruction = #tile.transfer<tma>} : memref<?x?xf32>, memref<128x32xf32, #tile.shared>
    }
  }
  return
}

// The second loop goes on where the first one ends: together they grow.
// CHECK-LABEL: func.func @two_loops
// CHECK-NOT: tile.persistent
// CHECK: return
// REMARK: [Passed] LongestFirst | Category:tile-persistent | dimension=0, reversed=true
func.func @two_loops(%k: memref<16x8192x64xf16>) {
  tile.kernel (%x, %h) in (64, 16) {
    %ks = tile.alloc : memref<128x64xf16, #tile.shared>
    %m = affine.apply affine_map<(x) -> (x floordiv 2)>(%x)
    %n = affine.apply affine_map<(x) -> (x + 1)>(%x)
    tile.pipelined %t = 0 to %m stages(2) {
      tile.copy %k[%h, %t * 128, 0], %ks {instruction = #tile.transfer<tma>} : memref<16x8192x64xf16>, memref<128x64xf16, #tile.shared>
    }
    tile.pipelined %t = %m to %n stages(2) {
      tile.copy %k[%h, %t * 128, 0], %ks {instruction = #tile.transfer<tma>} : memref<16x8192x64xf16>, memref<128x64xf16, #tile.shared>
    }
  }
  return
}

// A window has as many keys everywhere but at its beginning.
// CHECK-LABEL: func.func @window
// CHECK: tile.persistent
func.func @window(%k: memref<16x8192x64xf16>) {
  tile.kernel (%x, %h) in (64, 16) {
    %ks = tile.alloc : memref<128x64xf16, #tile.shared>
    %m = affine.max affine_map<(x) -> (x - 4, 0)>(%x)
    %n = affine.apply affine_map<(x) -> (x + 1)>(%x)
    tile.pipelined %t = %m to %n stages(8) {
      tile.copy %k[%h, %t * 128, 0], %ks {instruction = #tile.transfer<tma>} : memref<16x8192x64xf16>, memref<128x64xf16, #tile.shared>
    }
  }
  return
}
