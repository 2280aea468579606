//===- AscendSortOps.td - sorting and gathering ------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_ASCEND_IR_ASCENDSORTOPS
#define TILE_DIALECT_ASCEND_IR_ASCENDSORTOPS

include "Tile/Dialect/Ascend/IR/AscendVectorOps.td"

def Ascend_Sort32Op : Ascend_VectorOp<"sort32", /*expands=*/1> {
  let summary = "sorts each 32 keys with their indices (Sort32)";
  let description = [{
    Each 32 neighbouring keys, with the indices beside them, become a list of 32 records in descending order. A record is a
    key and then its index, 8 bytes, two elements of the target. Equal keys keep their order; the place of a NaN is
    undefined.

    **Constraints.**
    - (C1) all buffers lie in UB;
    - (C2) all have one dimension and static shapes; keys and target are f32, the indices i32;
    - (C3) the number of keys is a multiple of 32, and there are as many indices;
    - (C4) the target has two elements for each key;
    - (C5) the chip has the instruction (all do).

    **Targets.** Ascend, a vector core, pipe V.

    **Errors.** `expected the keys in 'ub', got 'l1'`; `expected one dimension, got 2`; `expected elements of type 'f32' in
    'keys', got 'f16'`; `expected a multiple of 32 keys, got 40`; `expected 64 elements in 'indices', got 32`; `expected 128
    elements in 'target', got 64`.

    **Example.**
    ```mlir
    func.func @sort32() {
      tile.kernel (%b) in (1) {
        %k = tile.alloc : memref<64xf32, #tile.ub>
        %i = tile.alloc : memref<64xi32, #tile.ub>
        %r = tile.alloc : memref<128xf32, #tile.ub>
        ascend.sort32 %r, %k, %i : memref<128xf32, #tile.ub>, memref<64xf32, #tile.ub>, memref<64xi32, #tile.ub>
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$target, AnyMemRef:$keys, AnyMemRef:$indices);
  let assemblyFormat = "$target `,` $keys `,` $indices attr-dict `:` type($target) `,` type($keys) `,` type($indices)";
}

def Ascend_MergeSortOp : Ascend_VectorOp<"merge_sort"> {
  let summary = "merges sorted lists of records (MrgSort)";
  let description = [{
    Merges two to four lists of records in descending order, as `ascend.sort32` makes them, into one. `lengths` has their
    records, `offsets` the record that each begins at; without it they follow one another, and where all four are of one
    length, the source may hold several such groups, each of which becomes a list of the target. Of equal keys, those of
    the earlier list come first.

    **Constraints.**
    - (C1) both buffers lie in UB, have one dimension, static shapes and elements of f32;
    - (C2) there are two to four lists, none of them empty or longer than the instruction takes;
    - (C3) there are as many offsets as lists, each list within the source;
    - (C4) the target has the records of all lists; without offsets the source too, and several groups are of four lists
      of one length;
    - (C5) source and target are different, and the chip has the instruction.

    **Targets.** Ascend, a vector core, pipe V.

    **Errors.** `expected the source in 'ub', got 'l1'`; `expected two to four lists, got 5`; `expected lists of 1 to 4095
    records, got 5000`; `expected 2 offsets, got 1`; `expected the list at record 40 to end within 64 records, got 72`;
    `expected 128 elements in 'target', got 64`; `expected the source to hold whole groups of 96 records, got 128`.

    **Example.**
    ```mlir
    func.func @merge_sort() {
      tile.kernel (%b) in (1) {
        %r = tile.alloc : memref<512xf32, #tile.ub>
        %m = tile.alloc : memref<512xf32, #tile.ub>
        ascend.merge_sort %m, %r lengths [32, 32, 32, 32] : memref<512xf32, #tile.ub>, memref<512xf32, #tile.ub>
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$target, AnyMemRef:$source, DenseI64ArrayAttr:$lengths,
                       OptionalAttr<DenseI64ArrayAttr>:$offsets);
  let assemblyFormat = [{
    $target `,` $source `lengths` $lengths (`offsets` $offsets^)?
    attr-dict `:` type($target) `,` type($source)
  }];
  let extraClassDeclaration = [{
    /// The records of all lists together.
    int64_t getMergedLength();
  }];
}

def Ascend_GatherMaskOp : Ascend_VectorOp<"gather_mask"> {
  let summary = "packs every other element (GatherMask)";
  let description = [{
    `target[i] = source[2 i]` with `even`, `source[2 i + 1]` with `odd`. The bits are taken as they are: the types of the
    elements may differ.

    **Constraints.**
    - (C1) both buffers lie in UB and have one dimension and static shapes;
    - (C2) their elements have 4 bytes;
    - (C3) the source has two elements for each one of the target;
    - (C4) the chip has the instruction (all do).

    **Targets.** Ascend, a vector core, pipe V.

    **Errors.** `expected the source in 'ub', got 'l1'`; `expected elements of 4 bytes, got 'f16'`; `expected 64 elements in
    'source', got 32`.

    **Example.**
    ```mlir
    func.func @gather_mask() {
      tile.kernel (%b) in (1) {
        %r = tile.alloc : memref<128xf32, #tile.ub>
        %i = tile.alloc : memref<64xi32, #tile.ub>
        ascend.gather_mask odd %i, %r : memref<64xi32, #tile.ub>, memref<128xf32, #tile.ub>
      }
      return
    }
    ```
  }];
  let arguments = (ins Ascend_GatherPatternAttr:$pattern, AnyMemRef:$target, AnyMemRef:$source);
  let assemblyFormat = "$pattern $target `,` $source attr-dict `:` type($target) `,` type($source)";
}

def Ascend_GatherOp : Ascend_VectorOp<"gather"> {
  let summary = "elements at positions that a vector holds (Gather)";
  let description = [{
    `target[i] = source[offsets[i]]`, where an offset is in bytes from the beginning of the source. What lies at an offset
    past its end is undefined.

    **Constraints.**
    - (C1) all buffers lie in UB;
    - (C2) target and source have the same element type, the offsets are i32;
    - (C3) all are contiguous, of one or two dimensions and static shapes; target and offsets have one shape;
    - (C4) the chip has the instruction for the element type.

    **Targets.** Ascend, a vector core, pipe V.

    **Errors.** `expected the source in 'ub', got 'l1'`; `expected elements of type 'f32' in 'source', got 'f16'`; `expected
    elements of type 'i32' in 'offsets', got 'i16'`; `expected 64 elements in 'offsets', got 32`; `910B has no Gather for
    'i8'; it has i16, ui16, f16, bf16, i32, ui32, f32`.

    **Example.**
    ```mlir
    func.func @gather() {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<100xf32, #tile.ub>
        %o = tile.alloc : memref<64xi32, #tile.ub>
        %y = tile.alloc : memref<64xf32, #tile.ub>
        ascend.gather %y, %x, %o : memref<64xf32, #tile.ub>, memref<100xf32, #tile.ub>, memref<64xi32, #tile.ub>
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$target, AnyMemRef:$source, AnyMemRef:$offsets);
  let assemblyFormat = "$target `,` $source `,` $offsets attr-dict `:` type($target) `,` type($source) `,` type($offsets)";
}

#endif // TILE_DIALECT_ASCEND_IR_ASCENDSORTOPS
