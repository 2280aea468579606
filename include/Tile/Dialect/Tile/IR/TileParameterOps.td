//===- TileParameterOps.td - parameters of kernels ---------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TILEPARAMETEROPS
#define TILE_DIALECT_TILE_IR_TILEPARAMETEROPS

include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "Tile/Dialect/Tile/IR/TileAttrs.td"

def Tile_ParamOp : Tile_Op<"param", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "a parameter of kernels: a number that is chosen when they are compiled";
  let description = [{
    Declares an index that the text leaves open, such as an extent of a tile, with the values that it may have (its
    candidates) and a default. `tile.get_param` is its value in code, and so is `@p` in an expression (`tile.parallel`). The
    clauses `threads(@p)`, `stages(@p)`, `group(@p)` and `coalesced_width(@p)` name a parameter in the place of a number.

    `tile-bind-parameters`, at the head of every pipeline, gives each parameter its value: the one that was asked for
    (`tile-run --param=NAME=VALUE`, `tile-translate --param=NAME=VALUE`, the option `parameters` of the C API), or the default.
    Behind it there are no parameters, and all tiles have static shapes.

    What is best depends on the matrix instructions of the chip more than on the chip: `on(wgmma = 256)` is the default where the
    chip has `wgmma`. If it has several of the families that are named, that of the last one in the list `mma`, `wgmma`,
    `tcgen05`, `mfma`, `wmma`, `cube` counts, and if it has none, the default behind `=`.

    **Constraints.**
    - (C1) it is directly in a module (ODS);
    - (C2) there are candidates, and no two are equal;
    - (C3) the default is a candidate, and so is each one behind `on`;
    - (C4) `on` names families of matrix instructions, each at most once.

    **Targets.** All.

    **Errors.** `expected candidates`; `expected different candidates, got 64 twice`; `expected the default 96 to be a
    candidate (64, 128)`; `expected a family of matrix instructions, got 'tma'; the families are mma, wgmma, …`.

    **Example.**
    ```mlir
    tile.param @BM = 128 in [64, 128, 256]
    tile.param @stages = 3 in [2, 3, 4] on(wgmma = 4)

    func.func @negate(%a: memref<?x64xf32>, %b: memref<?x64xf32>) {
      tile.kernel (%i) in (ceildiv(dim(%a, 0), @BM)) threads(128) {
        %s = tile.alloc(@BM) : memref<?x16xf32, #tile.shared>
        %t = tile.alloc(@BM) : memref<?x16xf32, #tile.fragment>
        tile.pipelined %k = 0 to 4 stages(@stages) {
          tile.copy %a[%i * @BM, %k * 16], %s
          tile.parallel (%x, %y) in (@BM, 16) do %t[%x, %y] = -%s[%x, %y]
          tile.copy %t, %b[%i * @BM, %k * 16]
        }
      }
      return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$default_value, DenseI64ArrayAttr:$candidates);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_GetParamOp : Tile_Op<"get_param", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the value of a parameter";
  let description = [{
    The value of a `tile.param`, in host code or in a kernel.

    **Constraints.**
    - (C1) there is a parameter of that name.

    **Targets.** All.

    **Errors.** `expected the name of a 'tile.param', got '@BX'`.

    **Example.** See `tile.param`.
    ```mlir
    tile.param @BM = 128 in [64, 128]
    func.func @get_param(%a: memref<256xf32>) {
      %bm = tile.get_param @BM
      %zero = arith.constant 0.0 : f32
      tile.kernel (%b) in (1) {
        %t = tile.alloc(%bm) : memref<?xf32, #tile.shared>
        tile.fill %t, %zero : memref<?xf32, #tile.shared>
        tile.copy %t, %a[0] : memref<?xf32, #tile.shared>, memref<256xf32>
      }
      return
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$param);
  let results = (outs Index:$value);
  let assemblyFormat = "$param attr-dict";
}

def Tile_RequireOp : Tile_HintOp<"require"> {
  let summary = "a condition that the values of parameters have to meet";
  let description = [{
    Rejects combinations of parameters. The condition is computed from parameters and constants when they are bound
    (`tile-bind-parameters`); if it is false, that is an error with the message. A tuner skips such combinations.

    **Syntax.** The condition is an expression (`tile.parallel`) with at least one value: `%bm * @BK <= 8192`.

    **Targets.** All.

    **Errors.** `the parameters do not meet this requirement: …` (`tile-bind-parameters`); `expected a condition of
    parameters and constants` (`tile-bind-parameters`).

    **Example.**
    ```mlir
    tile.param @BM = 128 in [64, 128, 256]
    tile.param @BK = 64 in [32, 64]
    func.func @require() {
      %bm = tile.get_param @BM
      tile.require %bm * @BK <= 8192, "the tile has more than 8192 elements"
      return
    }
    ```
  }];
  let arguments = (ins I1:$condition, StrAttr:$message);
  let hasCustomAssemblyFormat = 1;
}

#endif // TILE_DIALECT_TILE_IR_TILEPARAMETEROPS
