// The operand of a gemm that comes from registers goes to others where shared
// memory has no room for it, as the exchange is there for %sc anyway.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model --check=cpu --no-notes '--arg=0:integers(-1,1)' '--arg=1:integers(-1,1)' '--arg=2:integers(-1,1)' \
// RUN:   | FileCheck %s
// CHECK: {{^}}1 passed, 0 failed{{$}}

// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a -o /dev/null --remarks-filter='tile-infer-layout' 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: :[[#@LINE+6]]:{{[0-9]+}}: remark: [Passed] TileInRegisters
// REMARK-NOT: TileInRegisters

func.func @exchanged(%Q: memref<64x64xf16>, %K: memref<64x96xf16>, %V: memref<384x256xf16>, %O: memref<64x256xf32>, %T: memref<64x32xf16>) {
  %two = arith.constant 2.0 : f32
  tile.kernel (%b) in (1) threads(256) {
    %sp = tile.alloc : memref<64x64xf16, #tile.shared>
    %q = tile.alloc : memref<64x64xf16, #tile.shared>
    %k = tile.alloc : memref<64x64xf16, #tile.shared>
    %t = tile.alloc : memref<64x32xf16, #tile.shared>
    %v0 = tile.alloc : memref<64x256xf16, #tile.shared>
    %v1 = tile.alloc : memref<64x256xf16, #tile.shared>
    %v2 = tile.alloc : memref<64x256xf16, #tile.shared>
    %v3 = tile.alloc : memref<64x256xf16, #tile.shared>
    %v4 = tile.alloc : memref<64x256xf16, #tile.shared>
    %v5 = tile.alloc : memref<64x256xf16, #tile.shared>
    %s = tile.alloc : memref<64x64xf32, #tile.fragment>
    %s2 = tile.alloc : memref<64x64xf16, #tile.fragment>
    %sc = tile.alloc : memref<64x64xf16, #tile.fragment>
    %o = tile.alloc : memref<64x256xf32, #tile.fragment>
    tile.copy %Q[0, 0], %q : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
    tile.copy %K[0, 0], %k : memref<64x96xf16>, memref<64x64xf16, #tile.shared>
    tile.copy %K[0, 64], %t : memref<64x96xf16>, memref<64x32xf16, #tile.shared>
    tile.copy %V[0, 0], %v0 : memref<384x256xf16>, memref<64x256xf16, #tile.shared>
    tile.copy %V[64, 0], %v1 : memref<384x256xf16>, memref<64x256xf16, #tile.shared>
    tile.copy %V[128, 0], %v2 : memref<384x256xf16>, memref<64x256xf16, #tile.shared>
    tile.copy %V[192, 0], %v3 : memref<384x256xf16>, memref<64x256xf16, #tile.shared>
    tile.copy %V[256, 0], %v4 : memref<384x256xf16>, memref<64x256xf16, #tile.shared>
    tile.copy %V[320, 0], %v5 : memref<384x256xf16>, memref<64x256xf16, #tile.shared>
    tile.fill %o, 0.0 : memref<64x256xf32, #tile.fragment>
    tile.gemm %q, %k, %s {clear, transpose_b} : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %s, %sc : memref<64x64xf32, #tile.fragment>, memref<64x64xf16, #tile.fragment>
    tile.gemm %sc, %v0, %o : memref<64x64xf16, #tile.fragment>, memref<64x256xf16, #tile.shared>, memref<64x256xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) {
      %0 = memref.load %s[%i, %j] : memref<64x64xf32, #tile.fragment>
      %1 = arith.mulf %0, %two : f32
      %2 = arith.truncf %1 : f32 to f16
      memref.store %2, %s2[%i, %j] : memref<64x64xf16, #tile.fragment>
    }
    tile.copy %s2, %sp : memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #tile.shared>
    tile.gemm %sp, %v1, %o : memref<64x64xf16, #tile.shared>, memref<64x256xf16, #tile.shared>, memref<64x256xf32, #tile.fragment>
    tile.gemm %sp, %v2, %o : memref<64x64xf16, #tile.shared>, memref<64x256xf16, #tile.shared>, memref<64x256xf32, #tile.fragment>
    tile.gemm %sc, %v3, %o : memref<64x64xf16, #tile.fragment>, memref<64x256xf16, #tile.shared>, memref<64x256xf32, #tile.fragment>
    tile.gemm %q, %v4, %o : memref<64x64xf16, #tile.shared>, memref<64x256xf16, #tile.shared>, memref<64x256xf32, #tile.fragment>
    tile.gemm %k, %v5, %o : memref<64x64xf16, #tile.shared>, memref<64x256xf16, #tile.shared>, memref<64x256xf32, #tile.fragment>
    tile.gemm %sc, %v0, %o : memref<64x64xf16, #tile.fragment>, memref<64x256xf16, #tile.shared>, memref<64x256xf32, #tile.fragment>
    tile.copy %o, %O[0, 0] : memref<64x256xf32, #tile.fragment>, memref<64x256xf32>
    tile.copy %t, %T[0, 0] : memref<64x32xf16, #tile.shared>, memref<64x32xf16>
  }
  return
}
