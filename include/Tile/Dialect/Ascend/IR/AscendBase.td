//===- AscendBase.td - the dialect, its enumerations and op classes -*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_ASCEND_IR_ASCENDBASE
#define TILE_DIALECT_ASCEND_IR_ASCENDBASE

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "Tile/Dialect/Ascend/IR/AscendInterfaces.td"
include "Tile/Dialect/Tile/IR/TileInterfaces.td"

def Ascend_Dialect : Dialect {
  let name = "ascend";
  let cppNamespace = "::mlir::tile::ascend";
  let summary = "instructions of Huawei's Ascend NPUs";
  let description = [{
    One op for each family of instructions of an AI core, on memrefs in the memories of the core: `#tile.ub` of a vector
    core (AIV), `#tile.l1`, `#tile.l0a`, `#tile.l0b`, `#tile.l0c` and `#tile.bt` of the cube core (AIC); a memref without a
    memory space lies in GM. Scalar code around them (`arith`, `scf`, `memref.subview`) runs on the scalar unit, which
    issues instructions in program order into one queue for each *pipe*. What two pipes do is unordered until a flag, a
    barrier or a cross-core flag orders it.

    **Buffers.** `tile.alloc` makes them; after `ascend-plan-memory` its attribute `ascend.address` is the byte address.
    Buffers of the cube are named by their logical shape; the order of their elements is the memory's: blocks of 16 rows
    and 32 bytes, in L1 and L0C column of blocks after column (Nz; elements of 4 bytes in L1 row after row, Zz, but on
    950), in L0A rows of blocks (Zz; Nz on 950), in L0B blocks that are themselves transposed (Zn). Buffers of UB are row-major; a row begins at a multiple of 32 bytes.

    **Operands.** The first operand is what an instruction writes, as in Ascend C. Vector instructions take matrices of
    rows and columns; a buffer of one dimension is one row.

    **Meaning.** Without regard to time, ops take effect in program order. An op that is ordered after the ops that it
    depends on, by the rules of `ascend-verify-sync`, computes just that on hardware.

    **Target.** The chip is the nearest `tile.target` attribute around an op, by default "910B". No op has a chip constant
    of its own.
  }];
  let dependentDialects = ["::mlir::tile::TileDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    std::optional<ParseOpHook> getParseOperationHook(StringRef name) const override;
    /// On `tile.alloc`: the byte address in its memory.
    static constexpr ::llvm::StringLiteral kAddressAttr = "ascend.address";
    /// On flags and barriers: those with the same number order one dependence.
    static constexpr ::llvm::StringLiteral kGroupAttr = "ascend.group";
    /// On cross-core flags: the number of the exchange that they belong to.
    static constexpr ::llvm::StringLiteral kCrossCoreTransferAttr = "ascend.cross_core_transfer";
    /// On `tile.alloc`: one of so many buffers that a loop takes in turns.
    static constexpr ::llvm::StringLiteral kMultiBufferAttr = "ascend.multi_buffer";
    /// On what one of the cores does, until the kernel is divided between them.
    static constexpr ::llvm::StringLiteral kCoreAttr = "ascend.core";
    /// On loops: how many iterations may be in flight.
    static constexpr ::llvm::StringLiteral kStagesAttr = "ascend.stages";
    /// On tile ops: each vector core does its half of the rows.
    static constexpr ::llvm::StringLiteral kSubBlockTiledAttr = "ascend.sub_block_tiled";
  }];
}

class Ascend_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::tile::ascend";
  let genSpecializedAttr = 0;
}
class Ascend_EnumAttr<EnumAttrInfo info, string mnemonic> : EnumAttr<Ascend_Dialect, info, mnemonic> {
  let assemblyFormat = "$value";
}

def Ascend_Pipe : Ascend_Enum<"Pipe", "a queue of instructions of a core", [
    I32EnumAttrCase<"S", 0, "s">,        // scalar unit
    I32EnumAttrCase<"V", 1, "v">,        // vector unit
    I32EnumAttrCase<"M", 2, "m">,        // cube
    I32EnumAttrCase<"MTE1", 3, "mte1">,  // L1 to L0A, L0B, BT
    I32EnumAttrCase<"MTE2", 4, "mte2">,  // GM to UB, L1
    I32EnumAttrCase<"MTE3", 5, "mte3">,  // UB to GM, and to L1 on 950
    I32EnumAttrCase<"FIX", 6, "fix">,    // L0C to GM, L1, and to UB on 950
    I32EnumAttrCase<"All", 7, "all">     // of a barrier: every pipe of the core
  ]>;
def Ascend_PipeAttr : Ascend_EnumAttr<Ascend_Pipe, "pipe">;

def Ascend_Core : Ascend_Enum<"Core", "a kind of core", [
    I32EnumAttrCase<"Cube", 0, "cube">,
    I32EnumAttrCase<"Vector", 1, "vector">
  ]>;
def Ascend_CoreAttr : Ascend_EnumAttr<Ascend_Core, "core">;

def Ascend_BinaryKind : Ascend_Enum<"BinaryKind", "instructions of two vectors", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Sub", 1, "sub">, I32EnumAttrCase<"Mul", 2, "mul">,
    I32EnumAttrCase<"Div", 3, "div">, I32EnumAttrCase<"Max", 4, "max">, I32EnumAttrCase<"Min", 5, "min">,
    I32EnumAttrCase<"And", 6, "and">, I32EnumAttrCase<"Or", 7, "or">
  ]>;
def Ascend_BinaryKindAttr : Ascend_EnumAttr<Ascend_BinaryKind, "binary_kind">;

def Ascend_ScalarKind : Ascend_Enum<"ScalarKind", "instructions of a vector and a scalar", [
    I32EnumAttrCase<"Adds", 0, "adds">, I32EnumAttrCase<"Muls", 1, "muls">, I32EnumAttrCase<"Maxs", 2, "maxs">,
    I32EnumAttrCase<"Mins", 3, "mins">,
    I32EnumAttrCase<"Shl", 4, "shl">,
    I32EnumAttrCase<"Shrs", 5, "shrs">,  // of signed numbers: copies of the sign come in
    I32EnumAttrCase<"Shru", 6, "shru">   // of unsigned numbers: zeros come in
  ]>;
def Ascend_ScalarKindAttr : Ascend_EnumAttr<Ascend_ScalarKind, "scalar_kind">;

def Ascend_UnaryKind : Ascend_Enum<"UnaryKind", "instructions of one vector", [
    I32EnumAttrCase<"Exp", 0, "exp">, I32EnumAttrCase<"Ln", 1, "ln">, I32EnumAttrCase<"Abs", 2, "abs">,
    I32EnumAttrCase<"Sqrt", 3, "sqrt">, I32EnumAttrCase<"Rsqrt", 4, "rsqrt">,
    I32EnumAttrCase<"Reciprocal", 5, "reciprocal">, I32EnumAttrCase<"Relu", 6, "relu">, I32EnumAttrCase<"Not", 7, "not">
  ]>;
def Ascend_UnaryKindAttr : Ascend_EnumAttr<Ascend_UnaryKind, "unary_kind">;

def Ascend_ReduceKind : Ascend_Enum<"ReduceKind", "what a reduction instruction computes", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">, I32EnumAttrCase<"Min", 2, "min">
  ]>;
def Ascend_ReduceKindAttr : Ascend_EnumAttr<Ascend_ReduceKind, "reduce_kind">;

def Ascend_CompareMode : Ascend_Enum<"CompareMode", "a comparison", [
    I32EnumAttrCase<"LT", 0, "lt">, I32EnumAttrCase<"GT", 1, "gt">, I32EnumAttrCase<"EQ", 2, "eq">,
    I32EnumAttrCase<"LE", 3, "le">, I32EnumAttrCase<"GE", 4, "ge">, I32EnumAttrCase<"NE", 5, "ne">
  ]>;
def Ascend_CompareModeAttr : Ascend_EnumAttr<Ascend_CompareMode, "compare_mode">;

def Ascend_RoundMode : Ascend_Enum<"RoundMode", "how a cast rounds", [
    I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"RInt", 1, "rint">, I32EnumAttrCase<"Floor", 2, "floor">,
    I32EnumAttrCase<"Ceil", 3, "ceil">, I32EnumAttrCase<"Round", 4, "round">, I32EnumAttrCase<"Trunc", 5, "trunc">
  ]>;
def Ascend_RoundModeAttr : Ascend_EnumAttr<Ascend_RoundMode, "round_mode">;

def Ascend_GatherPattern : Ascend_Enum<"GatherPattern", "which elements are packed", [
    I32EnumAttrCase<"Even", 1, "even">, I32EnumAttrCase<"Odd", 2, "odd">
  ]>;
def Ascend_GatherPatternAttr : Ascend_EnumAttr<Ascend_GatherPattern, "gather_pattern">;

// What an operand of a binary instruction is repeated along.
def Ascend_Broadcast : Ascend_Enum<"Broadcast", "how an operand is repeated", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Row", 1, "row">,       // one row, for all rows
    I32EnumAttrCase<"Column", 2, "column">  // a block of 32 equal bytes for each row, as ascend.brcb makes them
  ]>;
def Ascend_BroadcastAttr : Ascend_EnumAttr<Ascend_Broadcast, "broadcast">;

class Ascend_Op<string mnemonic, list<Trait> traits = []> : Op<Ascend_Dialect, mnemonic, traits> {
  // By name: see BytecodeProperties.h.
  let useCustomPropertiesEncoding = 1;
}

// An instruction. Its first operand is written; `combines` says that it is read as well. All other buffers are read.
// `expands` says that it may take several calls.
class Ascend_InstructionOp<string mnemonic, string pipe, string core, list<Trait> traits = [], bit combines = 0,
                           bit expands = 0>
    : Ascend_Op<mnemonic, traits # [
        DeclareOpInterfaceMethods<Ascend_InstructionOpInterface>, DeclareOpInterfaceMethods<Tile_AccessOpInterface>,
        DeclareOpInterfaceMethods<Ascend_CallOpInterface, !if(expands, ["isSingleCall"], []<string>)>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let hasVerifier = 1;
  let extraClassDefinition = [{
    Pipe $cppClass::getPipe() { return Pipe::}] # pipe # [{; }
    Core $cppClass::getCore() { return Core::}] # core # [{; }
    void $cppClass::getAccesses(SmallVectorImpl<Access> &accesses) {
      addInstructionAccesses(getOperation(), }] # !if(combines, "true", "false") # [{, accesses);
    }
    void $cppClass::getEffects(
        SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
      addAccessEffects(getOperation(), effects);
    }
  }];
}

#endif // TILE_DIALECT_ASCEND_IR_ASCENDBASE
