//===- TileAttrs.td - attributes ---------------------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TILEATTRS
#define TILE_DIALECT_TILE_IR_TILEATTRS

include "mlir/IR/AttrTypeBase.td"
include "Tile/Dialect/Tile/IR/TileEnums.td"

def Tile_MemorySpaceAttr : AttrDef<Tile_Dialect, "MemorySpace"> {
  let mnemonic = "space";
  let summary = "the memory space of a buffer";
  let description = [{
    Written by its name alone: `#tile.shared`, `#tile.fragment`, `#tile.local`, `#tile.tmem`, and the Ascend spaces
    `#tile.l1`, `#tile.ub`, `#tile.l0a`, `#tile.l0b`, `#tile.l0c`, `#tile.bt`. A memref without a memory space, or with
    `#tile.global`, lies in global memory.
  }];
  let parameters = (ins EnumParameter<Tile_MemorySpace>:$value);
  let assemblyFormat = "`<` $value `>`";
}

def Tile_LayoutAttr : AttrDef<Tile_Dialect, "Layout"> {
  let mnemonic = "layout";
  let summary = "where every element of a tile lives";
  let description = [{
    Sends each element of a tile to a register of a lane of a warp, or to an offset of a memory. The text is the one that
    `Tile/Layout/Layout.h` explains. The attribute holds the canonical form of the layout, so that two layouts are the same
    attribute exactly when they are the same function.

    ```mlir
    func.func private @layouts() attributes {examples = [
      #tile.layout<[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]>,
      #tile.layout<[8: 8 offset*64][64: 64 offset] swizzle(3, 3, 3)>
    ]}
    ```
  }];
  // LayoutAttrStorage.h; TileAttrs.h has the accessors.
  let parameters = (ins "::tile::layout::Layout":$layout);
  let genStorageClass = 0;
  let genAccessors = 0;
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    using Base::get;
    using Base::getImpl;
    StringRef getText() const;
  }];
}

def Tile_TargetAttr : AttrDef<Tile_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "the chip that code is made for";
  let description = [{
    Names a record of `include/Tile/Target`; `docs/targets.md` lists them.

    ```mlir
    func.func private @target() attributes {example = #tile.target<"sm_90a">}
    ```
  }];
  let parameters = (ins StringRefParameter<"name or alias of the record">:$chip);
  let assemblyFormat = "`<` $chip `>`";
  let genVerifyDecl = 1;
}

def Tile_FactAttr : AttrDef<Tile_Dialect, "Fact"> {
  let mnemonic = "fact";
  let summary = "what holds of a number of an argument";
  let description = [{
    A size, a stride in elements, or the address of a buffer that the function takes is at least `min` and a multiple of
    `multiple`. A launch can decide it from its arguments. Of an address only the multiple is stated, a power of two.

    ```mlir
    func.func private @facts() attributes {examples = [
      #tile.fact<size, argument = 0, dim = 1, min = 1, multiple = 8>,
      #tile.fact<address, argument = 0, multiple = 16>
    ]}
    ```
  }];
  let parameters = (ins EnumParameter<Tile_FactKind>:$kind, "int64_t":$argument,
    DefaultValuedParameter<"int64_t", "0">:$dim, DefaultValuedParameter<"int64_t", "0">:$min,
    DefaultValuedParameter<"int64_t", "1">:$multiple);
  let assemblyFormat = "`<` $kind `,` struct($argument, $dim, $min, $multiple) `>`";
  let genVerifyDecl = 1;
}

def Tile_FactArrayAttr : TypedArrayAttrBase<Tile_FactAttr, "facts about arguments">;

def Tile_MmaAttr : AttrDef<Tile_Dialect, "Mma", [DeclareAttrInterfaceMethods<Tile_InstructionAttrInterface>]> {
  let mnemonic = "mma";
  let summary = "the matrix instruction of a gemm and how the warps share the tile";
  let description = [{
    The instruction family, the extents of one instruction, and how many warps stand along M and along N (of `wgmma`, a
    multiple of four along M). `fma` is no instruction of a table: m = n = k = 1 and the layout of `c` is free.

    ```mlir
    func.func private @mma() attributes {examples = [
      #tile.mma<wgmma, m = 64, n = 128, k = 16, warps_m = 8, warps_n = 1>,
      #tile.mma<fma, m = 1, n = 1, k = 1, warps_m = 4, warps_n = 1>
    ]}
    ```
  }];
  let parameters = (ins EnumParameter<Tile_Instruction>:$family, "int64_t":$m, "int64_t":$n, "int64_t":$k,
    "int64_t":$warps_m, "int64_t":$warps_n);
  let assemblyFormat = "`<` $family `,` struct($m, $n, $k, $warps_m, $warps_n) `>`";
  let extraClassDeclaration = [{
    /// The operands in registers have the layout of the instruction's fragments. Without, any thread may compute any element.
    bool hasFragments() const;
  }];
  let genVerifyDecl = 1;
}

def Tile_TransferAttr : AttrDef<Tile_Dialect, "Transfer", [DeclareAttrInterfaceMethods<Tile_InstructionAttrInterface>]> {
  let mnemonic = "transfer";
  let summary = "the instruction of a copy";
  let description = [{
    The instruction family and the bytes that one instruction of one thread moves; 0 where the family has no such number.

    ```mlir
    func.func private @transfer() attributes {examples = [
      #tile.transfer<tma>,
      #tile.transfer<cp_async, bytes = 16>
    ]}
    ```
  }];
  let parameters = (ins EnumParameter<Tile_Instruction>:$family, DefaultValuedParameter<"int64_t", "0">:$bytes);
  let assemblyFormat = "`<` $family (`,` `bytes` `=` $bytes^)? `>`";
  let extraClassDeclaration = [{
    /// Moves a box of the tensor that a tensor map, a parameter of the kernel, describes.
    bool usesTensorMap() const;
  }];
  let genVerifyDecl = 1;
}

def Tile_PipelineType : TypeDef<Tile_Dialect, "Pipeline"> {
  let mnemonic = "pipeline";
  let summary = "a multi-stage pipeline from a producer to a consumer";
  let description = [{
    `!tile.pipeline<3>`: three stages, made by `tile.create_pipeline`. One partition fills stages, another one reads them,
    each in order and with its own pipeline state.
  }];
  let parameters = (ins "int64_t":$stages);
  let assemblyFormat = "`<` $stages `>`";
  let genVerifyDecl = 1;
}

#endif // TILE_DIALECT_TILE_IR_TILEATTRS
