// RUN: tile-opt %s --split-input-file --tile-to-gpu-pipeline=chip=sm_80 | FileCheck %s --check-prefix=MMA
// RUN: tile-opt %s --split-input-file --tile-to-gpu-pipeline=chip=sm_90a | FileCheck %s --check-prefix=WGMMA

// 64 x 64 x 64 in instructions of 16 x 8 x 16 by 4 warps: 32 of each warp. By warpgroups: 4 instructions, both operands by
// descriptors, behind a fence of what threads wrote. The first one overwrites, in the place of the fill.
// MMA-LABEL: gpu.func @shared_0(
// MMA: gpu.barrier
// MMA-COUNT-32: llvm.inline_asm has_side_effects asm_dialect = att "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};"
// MMA-NOT: mma.sync
// MMA: gpu.return
// WGMMA-LABEL: gpu.func @shared_0(
// WGMMA: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>
// WGMMA-NEXT: gpu.barrier
// WGMMA: llvm.ptrtoint
// WGMMA: nvvm.wgmma.fence.aligned
// WGMMA: "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, $64, $65, $66, 1, 1, 0, 1;"
// WGMMA-COUNT-3: "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, $64, $65, 1, 1, 1, 0, 1;"
// WGMMA-NOT: wgmma.mma_async
// WGMMA: nvvm.wgmma.commit.group.sync.aligned
// WGMMA: wgmma.wait_group.sync.aligned 0;
func.func @shared(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%i) in (1) {
    %x = tile.alloc : memref<64x64xf16, #tile.shared>
    %y = tile.alloc : memref<64x64xf16, #tile.shared>
    %z = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %z, %zero : memref<64x64xf32, #tile.fragment>
    tile.copy %a, %x : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
    tile.copy %b, %y : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
    tile.gemm %x, %y, %z : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %z, %c : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
  }
  return
}

// -----

// The first operand from registers, as attention has it.
// MMA-LABEL: gpu.func @registers_0(
// MMA-COUNT-32: mma.sync.aligned.m16n8k16
// WGMMA-LABEL: gpu.func @registers_0(
// WGMMA: "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, {$64, $65, $66, $67}, $68, $69, 1, 1, 1;"
// WGMMA-COUNT-3: "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, {$64, $65, $66, $67}, $68, 1, 1, 1, 1;"
func.func @registers(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  tile.kernel (%i) in (1) {
    %x = tile.alloc : memref<64x64xf16, #tile.fragment>
    %y = tile.alloc : memref<64x64xf16, #tile.shared>
    %z = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %a, %x : memref<64x64xf16>, memref<64x64xf16, #tile.fragment>
    tile.copy %b, %y : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
    tile.gemm %x, %y, %z {clear} : memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %z, %c : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
  }
  return
}

// -----

// Without an instruction for the types each thread multiplies and adds along K.
// MMA-LABEL: gpu.func @multiply_add_0(
// MMA: scf.for
// MMA: math.fma
// MMA-NOT: mma.sync
// WGMMA-LABEL: gpu.func @multiply_add_0(
// WGMMA: scf.for
// WGMMA: math.fma
// WGMMA-NOT: wgmma
func.func @multiply_add(%a: memref<24x12xf32>, %b: memref<12x20xf32>, %c: memref<24x20xf32>) {
  tile.kernel (%i) in (1) {
    %x = tile.alloc : memref<24x12xf32, #tile.shared>
    %y = tile.alloc : memref<12x20xf32, #tile.shared>
    %z = tile.alloc : memref<24x20xf32, #tile.fragment>
    tile.copy %a, %x : memref<24x12xf32>, memref<24x12xf32, #tile.shared>
    tile.copy %b, %y : memref<12x20xf32>, memref<12x20xf32, #tile.shared>
    tile.gemm %x, %y, %z {clear} : memref<24x12xf32, #tile.shared>, memref<12x20xf32, #tile.shared>, memref<24x20xf32, #tile.fragment>
    tile.copy %z, %c : memref<24x20xf32, #tile.fragment>, memref<24x20xf32>
  }
  return
}

// -----

// 12 warps, of which 8 share the tile: the others have no part of it.
!i = memref<128x32xi8, #tile.shared>
!j = memref<32x128xi8, #tile.shared>
!s = memref<128x128xi32, #tile.fragment>

// MMA-LABEL: gpu.func @warps_beyond_0
// MMA: %[[HAS:.*]] = arith.cmpi ult, %{{.*}}, %c8_i32 : i32
// MMA: scf.if %[[HAS]] {
// MMA-COUNT-16: mma.sync.aligned.m16n8k32
// MMA-NOT: mma.sync
func.func @warps_beyond(%a: memref<128x32xi8>, %b: memref<32x128xi8>, %c: memref<128x128xi32>) {
  tile.kernel (%x) in (1) threads(384) {
    %at = tile.alloc : !i
    %bt = tile.alloc : !j
    %ct = tile.alloc : !s
    tile.copy %a, %at : memref<128x32xi8>, !i
    tile.copy %b, %bt : memref<32x128xi8>, !j
    tile.gemm %at, %bt, %ct {clear} : !i, !j, !s
    tile.copy %ct, %c : !s, memref<128x128xi32>
  }
  return
}
