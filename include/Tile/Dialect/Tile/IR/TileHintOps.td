//===- TileHintOps.td - hints, assumptions and debugging ---*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TILEHINTOPS
#define TILE_DIALECT_TILE_IR_TILEHINTOPS

include "Tile/Dialect/Tile/IR/TileAttrs.td"

def Tile_AssumeOp : Tile_HintOp<"assume"> {
  let summary = "a fact that the compiler may use";
  let description = [{
    States that a condition holds whenever the op is reached; otherwise behaviour is undefined. `tile-run` and
    `convert-tile-to-cpu{check-assumptions}` check the condition instead. It is an expression (`tile.parallel`).

    **Targets.** All.

    **Example.**
    ```mlir
    func.func @assume(%a: memref<?xf32>) {
      tile.assume dim(%a, 0) >= 1
      return
    }
    ```
  }];
  let arguments = (ins I1:$condition);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_AnnotateLayoutOp : Tile_HintOp<"annotate_layout"> {
  let summary = "fixes the layout of a buffer";
  let description = [{
    Fixes the distribution of the elements of a tile over threads, registers and memory. Layout inference starts from it and
    reports an error if it cannot keep the layout. The CPU ignores it.

    **Constraints.**
    - (C1) the buffer has a static shape and is not global;
    - (C2) the layout has the shape of the buffer;
    - (C3) the layout gives each element a place of its own.

    **Targets.** NVIDIA, AMD, Ascend.

    **Errors.** `expected a layout of 8x32, got one of 32x8`; `expected a layout that gives each element a place of its own,
    got …`.

    **Example.**
    ```mlir
    func.func @annotate_layout() {
      tile.kernel (%b) in (1) {
        %s = tile.alloc : memref<8x32xf32, #tile.shared>
        tile.annotate_layout %s : memref<8x32xf32, #tile.shared> as #tile.layout<[8: 8 offset][32: 32 offset*8]>
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$buffer, Tile_LayoutAttr:$layout);
  let assemblyFormat = "$buffer `:` type($buffer) `as` qualified($layout) attr-dict";
  let hasVerifier = 1;
}

def Tile_PaddingValueOp : Tile_HintOp<"padding_value", [TypesMatchWith<
    "value type matches the element type of the buffer",
    "buffer", "value", "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">]> {
  let summary = "the value of reads outside of a global buffer";
  let description = [{
    In the enclosing kernel, reads of the buffer outside of its bounds yield this value instead of 0. The value is an expression
    (`tile.parallel`).

    **Constraints.**
    - (C1) the buffer is global;
    - (C2) it is directly in the body of a `tile.kernel`, once for each buffer;
    - (C3) the value is defined outside of the kernel or by a constant;
    - (C4) the value has the element type of the buffer (ODS).

    **Targets.** All.

    **Errors.** `expected a buffer in global memory, got 'shared'`; `the buffer has a padding value already`.

    **Example.**
    ```mlir
    func.func @padding_value(%a: memref<?xf32>, %m: memref<1xf32>) {
      tile.kernel (%b) in (1) {
        tile.padding_value %a, -inf
        %t = tile.alloc : memref<128xf32, #tile.fragment>
        %r = tile.alloc : memref<1xf32, #tile.fragment>
        tile.copy %a[0], %t : memref<?xf32>, memref<128xf32, #tile.fragment>
        tile.reduce max %t, %r dim(0) : memref<128xf32, #tile.fragment>, memref<1xf32, #tile.fragment>
        tile.copy %r, %m : memref<1xf32, #tile.fragment>, memref<1xf32>
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$buffer, AnyType:$value);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_RasterizeOp : Tile_HintOp<"rasterize"> {
  let summary = "the rasterisation order of the blocks";
  let description = [{
    Asks that the blocks of the enclosing kernel visit the grid in groups of `group` rows (or columns) of tiles, so that
    blocks that run at the same time share operands in the L2 cache (threadblock swizzle). It does not affect the result.

    **Constraints.**
    - (C1) `group` is positive;
    - (C2) it is directly in the body of a `tile.kernel` with a grid of two or three dimensions.

    **Targets.** NVIDIA, AMD, Ascend; the CPU ignores it.

    **Errors.** `expected a positive 'group', got 0`; `expected a grid of at least 2 dimensions, got 1`.

    **Example.**
    ```mlir
    func.func @rasterize() {
      tile.kernel (%x, %y) in (16, 16) {
        tile.rasterize group(8) order(column)
      }
      return
    }
    ```
  }];
  let arguments = (ins
    I64Attr:$group, DefaultValuedAttr<Tile_RasterOrderAttr, "::mlir::tile::RasterOrder::Row">:$order);
  let assemblyFormat = "`group` `(` $group `)` (`order` `(` custom<Keyword>($order)^ `)`)? attr-dict";
  let hasVerifier = 1;
}

def Tile_PrintOp : Tile_Op<"print", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "prints a scalar or a buffer";
  let description = [{
    Prints a message and a value: a number, or a whole buffer with its indices. Output of different blocks may interleave.
    Outside of `tile.parallel` a block prints once. GPUs print when the launch has ended, and lose what exceeds the buffer of
    the driver.

    **Constraints.**
    - (C1) the value is a number, an index, or a buffer of static shape.

    **Targets.** CPU, NVIDIA.

    **Errors.** `expected a number or a buffer of static shape, got 'vector<4xf32>'`.

    **Example.**
    ```mlir
    func.func @print(%x: f32) {
      tile.kernel (%b) in (1) {
        tile.print %x, "x" : f32
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyType:$value, DefaultValuedStrAttr<StrAttr, "">:$message);
  let assemblyFormat = "$value (`,` $message^)? attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Tile_DeviceAssertOp : Tile_Op<"device_assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "aborts the program if a condition does not hold";
  let description = [{
    Prints the message and aborts if the condition, an expression (`tile.parallel`), is false. On a GPU the launch fails, and so
    does everything after it in the process; AMD prints no message.

    **Targets.** CPU, NVIDIA, AMD.

    **Example.**
    ```mlir
    func.func @device_assert(%n: index) {
      tile.kernel (%b) in (1) {
        tile.device_assert %n >= 0, "n is negative"
      }
      return
    }
    ```
  }];
  let arguments = (ins I1:$condition, StrAttr:$message);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizeMethod = 1;
}

#endif // TILE_DIALECT_TILE_IR_TILEHINTOPS
