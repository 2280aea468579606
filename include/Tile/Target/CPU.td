//===- CPU.td - CPUs ---------------------------------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the choice of vector lengths and the movement of memory need. Sources: x86-64 psABI, "Micro-architecture levels"; Intel
// 64 and IA-32 Architectures Software Developer's Manual, volume 1, "Programming with Intel AVX-512"; Procedure Call Standard
// for the Arm 64-bit Architecture, "SIMD and floating-point registers". The figures of movement are measured, on the machine
// that docs/performance-log.md names, and stand for all until another one is measured.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGET_CPU
#define TILE_TARGET_CPU

include "Tile/Target/TargetSpec.td"

class CPUVectors<int bytes, int registers, bit fused, bit scales> : CPUSpec {
  let vectorBytes = bytes;
  let vectorRegisters = registers;
  let fma = fused;
  let ldexp = scales;
  let lineBytes = 64;
  let rowBytes = 2048;
  let streamBytes = 33554432;
  let prefetchLines = 8;
  let maxPrefetchLines = 64;
  let prefetchBytes = 131072;
}
def VectorsV3 : CPUVectors<32, 16, 1, 0>;
def VectorsAVX512 : CPUVectors<64, 32, 1, 1>;
def VectorsNeon : CPUVectors<16, 32, 1, 0>;
def VectorsGeneric : CPUVectors<16, 16, 0, 0>;

// `arch` is a name of LLVM's -mcpu.
class CPUTarget<string chip, string llvmName, string examples, CPUVectors vectors> : Target {
  let name = chip;
  let vendor = CPU;
  let arch = llvmName;
  let products = examples;
  let features = [Ranks, FreeAssertions];
  let cpu = vectors;
}

def X86V3 : CPUTarget<"x86-64-v3", "x86-64-v3", "with AVX2 and FMA", VectorsV3>;
def AVX512 : CPUTarget<"avx512", "x86-64-v4", "with AVX-512 F, BW, CD, DQ, VL", VectorsAVX512>;
def Neon : CPUTarget<"neon", "generic", "AArch64", VectorsNeon>;
def Generic : CPUTarget<"generic", "generic", "any with vectors of 16 bytes, such as SSE2", VectorsGeneric>;

#endif // TILE_TARGET_CPU
