// Tiles for which shared memory has no room are in registers: an operand that
// two gemms read in two layouts, one outside of the loop, and sums on their
// way to global memory. 136 KB of tiles on a chip that has 64.

// REQUIRES: tile-run, amd
// RUN: tile-run %s N=100 --target=hip --chip=gfx942 --device=model --check=cpu --no-notes '--arg=0:integers(-1,1)' '--arg=1:integers(-1,1)' \
// RUN:   | FileCheck %s
// RUN: tile-run %s N=0 --target=hip --chip=gfx942 --device=model --check=cpu --no-notes '--arg=0:integers(-1,1)' '--arg=1:integers(-1,1)' \
// RUN:   | FileCheck %s
// CHECK: {{^}}1 passed, 0 failed{{$}}

// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=gfx942 -o /dev/null --remarks-filter='tile-infer-layout' 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: [Passed] TileInRegisters | Category:tile-infer-layout | Reason="{{[0-9]+}} bytes do not fit into 65536"
// A chip with room for all keeps them.
// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a -o /dev/null --remarks-filter='tile-infer-layout' 2>&1 | FileCheck %s --check-prefix=ROOM
// ROOM-NOT: TileInRegisters

func.func @scores(%q: memref<64x256xf16>, %kv: memref<?x256xf16> {tile.shape = "Nx256"}, %y: memref<64x256xf32> {tile.result}) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) threads(256) {
    %qs = tile.alloc : memref<64x256xf16, #tile.shared>
    %kvs = tile.alloc : memref<64x256xf16, #tile.shared>
    %ps = tile.alloc : memref<64x64xf16, #tile.shared>
    %ys = tile.alloc : memref<64x256xf32, #tile.shared>
    %s = tile.alloc : memref<64x64xf32, #tile.fragment>
    %o = tile.alloc : memref<64x256xf32, #tile.fragment>
    tile.fill %o, %zero : memref<64x256xf32, #tile.fragment>
    tile.copy %q, %qs : memref<64x256xf16>, memref<64x256xf16, #tile.shared>
    tile.pipelined %i = 0 to ceildiv(dim(%kv, 0), 64) stages(2) {
      tile.copy %kv[%i * 64, 0], %kvs : memref<?x256xf16>, memref<64x256xf16, #tile.shared>
      tile.gemm %qs, %kvs, %s {clear, transpose_b} : memref<64x256xf16, #tile.shared>, memref<64x256xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
      tile.copy %s, %ps : memref<64x64xf32, #tile.fragment>, memref<64x64xf16, #tile.shared>
      tile.gemm %ps, %kvs, %o : memref<64x64xf16, #tile.shared>, memref<64x256xf16, #tile.shared>, memref<64x256xf32, #tile.fragment>
    }
    tile.copy %o, %ys : memref<64x256xf32, #tile.fragment>, memref<64x256xf32, #tile.shared>
    tile.copy %ys, %y : memref<64x256xf32, #tile.shared>, memref<64x256xf32>
  }
  return
}
