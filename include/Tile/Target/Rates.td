//===- Rates.td - how fast chips are -----------------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the cost model (docs/cost-model.md) knows of a chip beside its sizes, which are in the records of Targets.td. A "unit" is
// what runs blocks: an SM, a compute unit, an AI core, a core of a CPU. Rates are per clock of the whole chip for memories that
// all units share, and of one unit otherwise; bandwidths are those that programs reach, not those of a data sheet, where both
// are known. "(estimate)" marks a figure that no source states.
//
// Sources:
//   [h200]     TileSight's micro-benchmarks of an H200 (1.73 GHz, L2 11.2 TB/s, shared memory 27.2 TB/s), and
//              docs/performance-log.md: copies at 4.2 TB/s, launches of 2.5 us, mma.sync at about 0.6 of wgmma
//   [tuning]   fitted to the training half of benchmarks/tuning/measured.csv
//   [h100]     "NVIDIA H100 Tensor Core GPU Architecture": 4096 dense 16-bit operations a clock and SM; L2 of 50 MB
//   [a100]     "NVIDIA A100 Tensor Core GPU Architecture": 1024 16-bit multiply-adds a clock and SM, L2 of 40 MB, 5120 bytes a
//              clock; 80 GB of HBM2e at 2.0 TB/s
//   [tune]     CUDA C++ programming guide, "Throughput of native arithmetic instructions"
//   [mi300]    "AMD CDNA 3 architecture" white paper: 2.1 GHz, 2048 16-bit matrix operations a clock and CU, 128 bytes of LDS
//              a clock and CU, Infinity Cache of 256 MB at 17.2 TB/s, HBM3 at 5.3 TB/s
//   [ascend]   Programming guide of Ascend C: cube of 16 x 16 x 16 f16, L1 to L0A 256 bytes a clock, vectors of 256 bytes;
//              data sheets of Atlas A2: 1.8 GHz, HBM2e at 1.6 TB/s, L2 of 192 MB
//   [950]      Huawei Connect 2025: 1 PFLOP/s of 8-bit floats, 1.6 TB/s (950PR)
//   [cpu]      docs/performance-log.md: 70 GFLOP/s and 14 GB/s a core, of a virtual machine with Sapphire Rapids
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGET_RATES
#define TILE_TARGET_RATES

include "llvm/TableGen/SearchableTable.td"

class Rates<string name> {
  string Chip = name;
  bits<32> Units = 0;             // 0: as in the chip's record
  bits<32> MHz = ?;               // under load
  bits<32> DramBytes = ?;         // per clock
  bits<32> CacheBytes = ?;        // per clock, of the last cache that all units share
  bits<32> CacheSize = ?;         // in KiB
  bits<32> UnitCacheBytes = ?;    // per clock, what one unit takes from that cache at most
  // Hundredths of a clock that each contiguous row of a copy costs beside its bytes: the unit, and where all units copy.
  bits<32> RowCentiClocks = ?;
  bits<32> CacheRowCentiClocks = ?;
  bits<32> SharedBytes = ?;       // per clock, of shared memory or what stands for it
  bits<32> Lanes = ?;             // f32 multiply-adds a clock
  bits<32> SpecialLanes = ?;      // exponentials, roots, divisions
  bits<32> ConvertLanes = ?;      // conversions between types, integers
  bits<32> DramLatency = ?;       // clocks
  bits<32> StepLatency = ?;       // clocks from one dependent step of a block to the next: a barrier, a matrix instruction's result
  bits<32> ShuffleLatency = ?;    // clocks of one step of a reduction between lanes
  bits<32> BlockLatency = ?;      // clocks until a block that starts does something
  bits<32> LaunchNs = ?;
  bits<32> TensorPercent = 100;   // of the peak that power leaves
}

def RatesTable : GenericTable {
  let FilterClass = "Rates";
  let CppTypeName = "Rates";
  let Fields = ["Chip", "Units", "MHz", "DramBytes", "CacheBytes", "CacheSize", "UnitCacheBytes", "RowCentiClocks", "CacheRowCentiClocks", "SharedBytes", "Lanes",
                "SpecialLanes", "ConvertLanes", "DramLatency", "StepLatency", "ShuffleLatency", "BlockLatency", "LaunchNs", "TensorPercent"];
}

// Dense operations (a multiply-add is two) a clock and unit of a family of matrix instructions, by the bits of its operands.
class MatrixRate<string name, string instructions, int bits_, int operations> {
  string Chip = name;
  string Family = instructions;
  bits<32> Bits = bits_;
  bits<32> Operations = operations;
}

def MatrixRatesTable : GenericTable {
  let FilterClass = "MatrixRate";
  let CppTypeName = "MatrixRate";
  let Fields = ["Chip", "Family", "Bits", "Operations"];
}

//===----------------------------------------------------------------------===//
// NVIDIA
//===----------------------------------------------------------------------===//

def : Rates<"sm_80"> {        // [a100], [tune]
  let MHz = 1410;
  let DramBytes = 1280;       // 1.8 of 2.04 TB/s
  let CacheBytes = 3600;      // of 5120 (estimate)
  let CacheSize = 40960;
  let UnitCacheBytes = 64;
  let RowCentiClocks = 50;    // (estimate)
  let CacheRowCentiClocks = 100;  // (estimate)
  let SharedBytes = 128;
  let Lanes = 64;
  let SpecialLanes = 16;
  let ConvertLanes = 64;
  let DramLatency = 600;
  let StepLatency = 40;
  let ShuffleLatency = 25;
  let BlockLatency = 500;     // (estimate)
  let LaunchNs = 3000;
  let TensorPercent = 85;
}
foreach rate = [[4, 8192], [8, 4096], [16, 2048], [32, 1024], [64, 128]] in
  def : MatrixRate<"sm_80", "mma", rate[0], rate[1]>;

def : Rates<"sm_90a"> {       // [h200], [h100], [tune]
  let MHz = 1730;
  let DramBytes = 2430;       // 4.2 TB/s
  let CacheBytes = 10500;     // [tuning]
  let CacheSize = 51200;
  let UnitCacheBytes = 70;    // [tuning]
  let RowCentiClocks = 50;    // [tuning]
  let CacheRowCentiClocks = 120;  // [tuning]
  let SharedBytes = 128;
  let Lanes = 128;
  let SpecialLanes = 16;
  let ConvertLanes = 64;
  let DramLatency = 1000;     // of a tensor copy
  let StepLatency = 40;
  let ShuffleLatency = 25;
  let BlockLatency = 700;     // [tuning]
  let LaunchNs = 2500;
  let TensorPercent = 86;     // [tuning]
}
foreach rate = [[8, 8192], [16, 4096], [32, 2048]] in
  def : MatrixRate<"sm_90a", "wgmma", rate[0], rate[1]>;
foreach rate = [[8, 5120], [16, 2560], [32, 1280], [64, 256]] in
  def : MatrixRate<"sm_90a", "mma", rate[0], rate[1]>;

//===----------------------------------------------------------------------===//
// AMD
//===----------------------------------------------------------------------===//

def : Rates<"gfx942"> {       // [mi300]
  let MHz = 2100;
  let DramBytes = 2050;       // 4.3 of 5.3 TB/s
  let CacheBytes = 8190;
  let CacheSize = 262144;
  let UnitCacheBytes = 64;
  let RowCentiClocks = 50;    // (estimate)
  let CacheRowCentiClocks = 100;  // (estimate)
  let SharedBytes = 128;
  let Lanes = 128;
  let SpecialLanes = 16;
  let ConvertLanes = 64;
  let DramLatency = 1500;
  let StepLatency = 60;
  let ShuffleLatency = 30;
  let BlockLatency = 500;     // (estimate)
  let LaunchNs = 5000;        // (estimate)
  let TensorPercent = 60;     // (estimate)
}
foreach rate = [[8, 4096], [16, 2048], [32, 256], [64, 256]] in
  def : MatrixRate<"gfx942", "mfma", rate[0], rate[1]>;

//===----------------------------------------------------------------------===//
// Ascend
//===----------------------------------------------------------------------===//

def : Rates<"910B"> {         // [ascend]
  let MHz = 1800;
  let DramBytes = 800;        // 1.4 of 1.6 TB/s (estimate)
  let CacheBytes = 2400;      // (estimate)
  let CacheSize = 196608;
  let UnitCacheBytes = 128;   // (estimate)
  let RowCentiClocks = 50;    // (estimate)
  let CacheRowCentiClocks = 100;  // (estimate)
  let SharedBytes = 384;      // L1 to L0A and L0B together
  let Lanes = 128;            // of the two vector cores
  let SpecialLanes = 32;      // (estimate)
  let ConvertLanes = 128;
  let DramLatency = 900;      // (estimate)
  let StepLatency = 60;       // (estimate)
  let ShuffleLatency = 30;    // (estimate)
  let BlockLatency = 500;     // (estimate)
  let LaunchNs = 10000;       // (estimate)
}
foreach rate = [[4, 32768], [8, 16384], [16, 8192], [32, 2048]] in
  def : MatrixRate<"910B", "cube", rate[0], rate[1]>;

def : Rates<"950"> {          // [950]; what is not stated is as of 910B
  let MHz = 1800;
  let DramBytes = 800;
  let CacheBytes = 2400;
  let CacheSize = 131072;     // (estimate)
  let UnitCacheBytes = 128;
  let RowCentiClocks = 50;    // (estimate)
  let CacheRowCentiClocks = 100;  // (estimate)
  let SharedBytes = 384;
  let Lanes = 128;
  let SpecialLanes = 32;
  let ConvertLanes = 128;
  let DramLatency = 900;
  let StepLatency = 60;
  let ShuffleLatency = 30;
  let BlockLatency = 500;     // (estimate)
  let LaunchNs = 10000;
}
foreach rate = [[8, 17360], [16, 8680], [32, 2170]] in
  def : MatrixRate<"950", "cube", rate[0], rate[1]>;

//===----------------------------------------------------------------------===//
// CPUs: one core, two of them
//===----------------------------------------------------------------------===//

class CoreRates<string name, int lanes> : Rates<name> {
  let Units = 2;
  let MHz = 2600;             // (estimate)
  let DramBytes = 11;
  let CacheBytes = 40;        // (estimate)
  let CacheSize = 32768;      // (estimate)
  let UnitCacheBytes = 20;
  let RowCentiClocks = 50;    // (estimate)
  let CacheRowCentiClocks = 100;  // (estimate)
  let SharedBytes = 128;      // the cache of the first level
  let Lanes = lanes;
  let SpecialLanes = 2;
  let ConvertLanes = lanes;
  let DramLatency = 250;
  let StepLatency = 10;
  let ShuffleLatency = 5;
  let BlockLatency = 500;     // (estimate)
  let LaunchNs = 2000;
}
def : CoreRates<"avx512", 14>;
def : CoreRates<"x86-64-v3", 10>;
def : CoreRates<"neon", 8>;   // (estimate)
def : CoreRates<"generic", 3>;

#endif // TILE_TARGET_RATES
