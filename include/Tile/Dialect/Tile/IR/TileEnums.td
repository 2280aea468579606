//===- TileEnums.td - enumerations -------------------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TILEENUMS
#define TILE_DIALECT_TILE_IR_TILEENUMS

include "mlir/IR/EnumAttr.td"
include "Tile/Dialect/Tile/IR/TileBase.td"

class Tile_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::tile";
  let genSpecializedAttr = 0;
}

// Prints as the bare keyword where an op's assembly names it.
class Tile_EnumAttr<EnumAttrInfo info, string mnemonic>
    : EnumAttr<Tile_Dialect, info, mnemonic> {
  let assemblyFormat = "$value";
}

def Tile_MemorySpace : Tile_Enum<"MemorySpace", "where a buffer lives", [
    I32EnumAttrCase<"Global", 0, "global">,      // device memory; the default of a memref
    I32EnumAttrCase<"Shared", 1, "shared">,      // one per block: shared memory, LDS, or L1/UB on Ascend
    I32EnumAttrCase<"Fragment", 2, "fragment">,  // a logical tile spread over the registers of the block's threads
    I32EnumAttrCase<"Local", 3, "local">,        // one per thread
    I32EnumAttrCase<"Tmem", 4, "tmem">,          // tensor memory (NVIDIA, from sm_100 on)
    I32EnumAttrCase<"L1", 5, "l1">,              // Ascend, cube core
    I32EnumAttrCase<"UB", 6, "ub">,              // Ascend, unified buffer of a vector core
    I32EnumAttrCase<"L0A", 7, "l0a">,            // Ascend, left operand of the cube
    I32EnumAttrCase<"L0B", 8, "l0b">,            // Ascend, right operand of the cube
    I32EnumAttrCase<"L0C", 9, "l0c">,            // Ascend, accumulator of the cube
    I32EnumAttrCase<"BT", 10, "bt">              // Ascend, bias table
  ]>;

def Tile_ReduceKind : Tile_Enum<"ReduceKind", "how a reduction combines two values", [
    I32EnumAttrCase<"Sum", 0, "sum">,
    I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">,
    I32EnumAttrCase<"AbsSum", 3, "abssum">,
    I32EnumAttrCase<"AbsMax", 4, "absmax">,
    I32EnumAttrCase<"And", 5, "and">,
    I32EnumAttrCase<"Or", 6, "or">,
    I32EnumAttrCase<"Xor", 7, "xor">
  ]>;
def Tile_ReduceKindAttr : Tile_EnumAttr<Tile_ReduceKind, "reduce_kind">;

def Tile_ScanKind : Tile_Enum<"ScanKind", "how a scan combines two values", [
    I32EnumAttrCase<"Sum", 0, "sum">,
    I32EnumAttrCase<"Max", 1, "max">
  ]>;
def Tile_ScanKindAttr : Tile_EnumAttr<Tile_ScanKind, "scan_kind">;

def Tile_AtomicKind : Tile_Enum<"AtomicKind", "what an atomic update does", [
    I32EnumAttrCase<"Add", 0, "add">,
    I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">,
    I32EnumAttrCase<"Or", 3, "or">
  ]>;
def Tile_AtomicKindAttr : Tile_EnumAttr<Tile_AtomicKind, "atomic_kind">;

def Tile_WarpPolicy : Tile_Enum<"WarpPolicy", "how the warps of a block divide a gemm tile", [
    I32EnumAttrCase<"Square", 0, "square">,      // as square as the tile
    I32EnumAttrCase<"FullRow", 1, "full_row">,   // as many warps along M as fit
    I32EnumAttrCase<"FullCol", 2, "full_col">    // as many warps along N as fit
  ]>;
def Tile_WarpPolicyAttr : Tile_EnumAttr<Tile_WarpPolicy, "warp_policy">;

def Tile_Precision : Tile_Enum<"Precision", "how f32 operands enter a gemm", [
    I32EnumAttrCase<"IEEE", 0, "ieee">,          // as they are
    I32EnumAttrCase<"TF32", 1, "tf32">           // rounded to 10 bits of mantissa, to nearest, ties away from zero
  ]>;
def Tile_PrecisionAttr : Tile_EnumAttr<Tile_Precision, "precision">;

def Tile_Instruction : Tile_Enum<"Instruction", "an instruction family that a hint asks for", [
    I32EnumAttrCase<"Sync", 0, "sync">,          // copy: ordinary loads and stores
    I32EnumAttrCase<"CpAsync", 1, "cp_async">,   // copy: per-thread asynchronous copy
    I32EnumAttrCase<"Bulk", 2, "bulk">,          // copy: bulk copy of contiguous bytes
    I32EnumAttrCase<"TMA", 3, "tma">,            // copy: tensor copy engine
    I32EnumAttrCase<"LdMatrix", 4, "ldmatrix">,  // copy: ldmatrix / stmatrix
    I32EnumAttrCase<"FMA", 5, "fma">,            // gemm: ordinary multiply-add
    I32EnumAttrCase<"MMA", 6, "mma">,            // gemm: warp-wide mma.sync
    I32EnumAttrCase<"WGMMA", 7, "wgmma">,        // gemm: warpgroup mma
    I32EnumAttrCase<"TCGen05", 8, "tcgen05">,    // gemm: tensor-memory mma
    I32EnumAttrCase<"MFMA", 9, "mfma">,          // gemm: AMD matrix core
    I32EnumAttrCase<"WMMA", 10, "wmma">,         // gemm: AMD wave matrix
    I32EnumAttrCase<"Cube", 11, "cube">          // gemm: Ascend cube
  ]>;
def Tile_InstructionAttr : Tile_EnumAttr<Tile_Instruction, "instruction">;

def Tile_RasterOrder : Tile_Enum<"RasterOrder", "the order in which blocks walk over a group", [
    I32EnumAttrCase<"Row", 0, "row">,
    I32EnumAttrCase<"Column", 1, "column">
  ]>;
def Tile_RasterOrderAttr : Tile_EnumAttr<Tile_RasterOrder, "raster_order">;

def Tile_FactKind : Tile_Enum<"FactKind", "a number of an argument", [
    I32EnumAttrCase<"Size", 0, "size">,       // of a dimension
    I32EnumAttrCase<"Stride", 1, "stride">,   // likewise, in elements
    I32EnumAttrCase<"Address", 2, "address">  // of the first element, in bytes
  ]>;

#endif // TILE_DIALECT_TILE_IR_TILEENUMS
