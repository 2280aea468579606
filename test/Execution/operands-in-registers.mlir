// Both operands of a gemm are in registers where shared memory has no room for
// the part of a tile that the instruction of a warpgroup would read there.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model --check=cpu --no-notes '--arg=0:integers(-1,1)' '--arg=1:integers(-1,1)' \
// RUN:   | FileCheck %s
// CHECK: {{^}}1 passed, 0 failed{{$}}

// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a -o /dev/null --remarks-filter='tile-infer-layout' 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: [Missed] GemmInstruction | Category:tile-infer-layout | Reason="{{[0-9]+}} bytes do not fit into 232448: operands of gemms go to registers"
// REMARK-COUNT-2: [Passed] TileInRegisters

func.func @parts(%a: memref<64x256xf16>, %x: memref<208x512xf16>, %y: memref<64x64xf32> {tile.result}) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  tile.kernel (%b) in (1) threads(128) {
    %as = tile.alloc : memref<64x256xf16, #tile.shared>
    %xs = tile.alloc : memref<208x512xf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %a, %as : memref<64x256xf16>, memref<64x256xf16, #tile.shared>
    tile.copy %x, %xs : memref<208x512xf16>, memref<208x512xf16, #tile.shared>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>
    scf.for %i = %c0 to %c3 step %c1 {
      %bs = tile.alloc : memref<64x256xf16, #tile.shared>
      tile.copy %xs[%i * 64, 256] [64, 256], %bs : memref<208x512xf16, #tile.shared>, memref<64x256xf16, #tile.shared>
      tile.gemm %as, %bs, %acc {transpose_b} : memref<64x256xf16, #tile.shared>, memref<64x256xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    }
    tile.copy %acc, %y : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
  }
  return
}
