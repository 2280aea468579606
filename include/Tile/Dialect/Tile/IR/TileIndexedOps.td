//===- TileIndexedOps.td - rows by a list, positions of extrema -*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Their classes stand in Indexed.h, not in Tile.h: few passes need them.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TILEINDEXEDOPS
#define TILE_DIALECT_TILE_IR_TILEINDEXEDOPS

include "Tile/Dialect/Tile/IR/TileAttrs.td"

class Tile_RowCopyOp<string mnemonic>
    : Tile_AccessOp<mnemonic, [AttrSizedOperandSegments]> {
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_GatherOp : Tile_RowCopyOp<"gather"> {
  let summary = "copies the rows that a list names to a tile";
  let description = [{
    Copies rows of a global buffer to a tile: row `j` of the tile is the row of the source whose position is entry `j` of a list.
    Paged key-value caches, sparse attention, embeddings and the permutation of a mixture of experts are such copies.

    The region of the source is written as in `tile.copy`, `%buffer[offsets]` or `%buffer[offsets] [sizes]`; without sizes it has
    the shape of the tile, whose rank is then that of the source. Its dimension `dim`, 0 if none is given, is the one that the
    list replaces: the size there, `R`, is the number of rows, and the position of row `j` is entry `j` plus the offset in
    `dim`. Regions are matched after unit dimensions are dropped, as in `tile.copy`. `by %list[offsets]` takes `R` entries along
    the last dimension of the list.

    An entry that is negative, such as -1, names no row, and neither does a position outside of the source or an entry past the
    end of a global list: such a row of the tile is the padding value of the source (`tile.padding_value`, else 0). So are
    elements that lie outside of the source in other dimensions. No entry is an error; `tile.device_assert` checks lists where
    one should be.

    The list may be global, or a shared tile that the kernel has written. In a `tile.pipelined` loop with a global list that the
    kernel does not write, the rows of later iterations are under way while earlier ones are computed on, where the chip has
    asynchronous copies of threads (`cp_async`).

    With `signal` the gather fills a stage of that pipeline, between `tile.producer_acquire` and `tile.producer_commit`, as a
    `tile.copy` with `signal` does. All threads of the producer share its rows, and it adds nothing to the bytes of the stage.

    **Syntax.** `tile.gather %source[offsets] [sizes] by %list[offsets] dim(1), %tile`. `signal(%pipeline : type)` may follow.

    **Constraints.**
    - (C1) the source is global, the target is not and has a static shape; both have one element type, a float or a signless
      integer;
    - (C2) the list is global or shared and has at least one dimension, its elements are i32 or i64; the entries of a shared one
      with constant offsets lie inside of it;
    - (C3) the number of offsets and of sizes is the rank of their buffer, and sizes are positive; without sizes, source and
      target have one rank;
    - (C4) `dim` is a dimension of the source;
    - (C5) region and tile are of equal size after unit dimensions are dropped;
    - (C6) with `signal`, the target is shared, and the list global.

    **Targets.** All. The CPU and an Ascend copy row by row, an Ascend as many as its scalar unit issues; a GPU divides the tile
    among all threads. On Ascend, rows of one dimension are copied.

    **Errors.** `expected a source in global memory, got 'shared'`; `expected a tile, got a target in global memory`;
    `expected element type 'f16' as in the source, got 'f32'; gather first and convert with 'tile.copy'`; `expected a list of i32
    or i64 in global or shared memory, got 'memref<64xf32>'`; `expected 2 offsets for 'memref<64x64xf16>', got 1`; `expected sizes
    for 'memref<4x64x32xf16>', as the tile has 2 dimensions`; `expected 'dim' below the rank 2 of the source, got 2`;
    `expected regions of equal size, got 64x32 and 32x64`; `expected a shared target and a global list with 'signal'`.

    **Example.**
    ```mlir
    func.func @embed(%table: memref<?x256xf16>, %tokens: memref<?xi32>, %out: memref<?x256xf16>) {
      tile.kernel (%b) in (ceildiv(dim(%tokens, 0), 64)) {
        %t = tile.alloc : memref<64x256xf16, #tile.shared>
        tile.gather %table[0, 0] by %tokens[%b * 64], %t
        tile.copy %t, %out[%b * 64, 0]
      }
      return
    }
    ```
  }];
  let arguments = (ins
    AnyMemRef:$source, Variadic<Index>:$sourceIndices,
    AnyMemRef:$list, Variadic<Index>:$listIndices, AnyMemRef:$target,
    Optional<Tile_PipelineType>:$signal,
    AffineMapAttr:$sourceMap, OptionalAttr<DenseI64ArrayAttr>:$sourceSizes,
    AffineMapAttr:$listMap, DefaultValuedAttr<I64Attr, "0">:$dim,
    OptionalAttr<Tile_TransferAttr>:$instruction);
  let extraClassDeclaration = [{
    /// The source, with the number of rows as size of `dim`.
    BufferRegion getSourceRegion();
    /// The entries of the list.
    BufferRegion getListRegion();
  }];
}

def Tile_ScatterOp : Tile_RowCopyOp<"scatter"> {
  let summary = "copies the rows of a tile to where a list says";
  let description = [{
    Copies rows of a tile to a global buffer: row `j` of the tile goes to the row of the target whose position is entry `j` of a
    list. It is the reverse of `tile.gather`, which explains the region, `dim` and the list.

    A row whose entry is negative, such as -1, or names a position outside of the target, is not copied, nor is one whose
    entry lies past the end of a global list; of the others, elements that lie outside of the target in other dimensions are not
    written. If two entries of one scatter name the same row, each element of that row is one of the two, and which one is
    undefined.

    **Syntax.** `tile.scatter %tile, %target[offsets] [sizes] by %list[offsets] dim(1)`.

    **Constraints.**
    - (C1) the target is global, the source is not and has a static shape; both have one element type, a float or a signless
      integer of whole bytes;
    - (C2) the list is global or shared and has at least one dimension, its elements are i32 or i64; the entries of a shared one
      with constant offsets lie inside of it;
    - (C3) the number of offsets and of sizes is the rank of their buffer, and sizes are positive; without sizes, source and
      target have one rank;
    - (C4) `dim` is a dimension of the target;
    - (C5) region and tile are of equal size after unit dimensions are dropped.

    **Targets.** All, as `tile.gather`.

    **Errors.** `expected a target in global memory, got 'shared'`; `expected a tile, got a source in global memory`;
    `expected elements of whole bytes, got 'i4'; widen them with 'tile.copy'`; `expected a list of i32 or i64 in global or shared
    memory, got 'memref<64xf32>'`; `expected 2 offsets for 'memref<64x64xf16>', got 1`; `expected 'dim' below the rank 2 of the
    target, got 2`; `expected regions of equal size, got 64x32 and 32x64`.

    **Example.**
    ```mlir
    func.func @unpermute(%x: memref<?x256xf16>, %place: memref<?xi32>, %out: memref<?x256xf16>) {
      tile.kernel (%b) in (ceildiv(dim(%x, 0), 64)) {
        %t = tile.alloc : memref<64x256xf16, #tile.shared>
        tile.copy %x[%b * 64, 0], %t
        tile.scatter %t, %out[0, 0] by %place[%b * 64]
      }
      return
    }
    ```
  }];
  let arguments = (ins
    AnyMemRef:$source, AnyMemRef:$target, Variadic<Index>:$targetIndices,
    AnyMemRef:$list, Variadic<Index>:$listIndices,
    AffineMapAttr:$targetMap, OptionalAttr<DenseI64ArrayAttr>:$targetSizes,
    AffineMapAttr:$listMap, DefaultValuedAttr<I64Attr, "0">:$dim);
  let extraClassDeclaration = [{
    /// The target, with the number of rows as size of `dim`.
    BufferRegion getTargetRegion();
    /// The entries of the list.
    BufferRegion getListRegion();
  }];
}

def Tile_ArgReduceOp : Tile_AccessOp<"arg_reduce"> {
  let summary = "the extremum of one dimension of a tile, and where it is";
  let description = [{
    For each position of the other dimensions, writes the largest (`max`) or smallest (`min`) element along `dim` to `values` and
    its index along `dim`, plus `base`, to `indices`. Of equal elements the lowest index wins; -0 and 0 are equal, and which of
    the two is written to `values` is undefined. A NaN counts only where there are no numbers: the value is NaN then, the index
    that of the first one. With `combine`, the pair in the targets competes, too, so that long rows can be processed in parts; it
    wins over equal elements of the source. Integers are signed unless `is_unsigned` is set. `base` is an expression
    (`tile.parallel`).

    **Constraints.**
    - (C1) `dim` is a dimension of the source;
    - (C2) the shapes are static; those of `values` and `indices` are the source's without `dim`; a source of one dimension
      reduces to `[1]`; the extent of `dim` is positive;
    - (C3) the kind is `max` or `min`; source and values have one element type, a float or a signless integer, and `indices` are
      i32;
    - (C4) `is_unsigned` goes with integers;
    - (C5) the buffers are three, and none is global.

    **Targets.** All. GPUs and Ascend find the extremum and then the lowest index that has it (`tile-expand-indexed`), so that the
    source is read twice.

    **Errors.** `expected 'dim' below the rank 2 of the source, got 2`; `expected 'values' to be 64 (64x32 without dimension 1),
    got 32`; `expected 'max' or 'min', got 'sum'`; `expected element type 'f32' as in the source, got 'f16'`; `expected 'indices'
    of i32, got 'i64'`; `'is_unsigned' needs integers, got 'f32'`; `expected a tile, got 'source' in global memory; copy it to
    shared memory or a fragment first`.

    **Example.**
    ```mlir
    func.func @argmax(%x: memref<?x1024xf32>, %v: memref<?xf32>, %p: memref<?xi32>) {
      tile.kernel (%b) in (ceildiv(dim(%x, 0), 16)) {
        %t = tile.alloc : memref<16x1024xf32, #tile.fragment>
        %best = tile.alloc : memref<16xf32, #tile.fragment>
        %at = tile.alloc : memref<16xi32, #tile.fragment>
        tile.copy %x[%b * 16, 0], %t
        tile.arg_reduce max %t, %best, %at dim(1)
        tile.copy %best, %v[%b * 16]
        tile.copy %at, %p[%b * 16]
      }
      return
    }
    ```
  }];
  let arguments = (ins
    Tile_ReduceKindAttr:$kind, AnyMemRef:$source, AnyMemRef:$values, AnyMemRef:$indices, Optional<Index>:$base,
    I64Attr:$dim, UnitAttr:$combine, UnitAttr:$is_unsigned);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // TILE_DIALECT_TILE_IR_TILEINDEXEDOPS
