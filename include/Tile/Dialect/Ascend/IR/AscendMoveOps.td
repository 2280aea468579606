//===- AscendMoveOps.td - data moves -----------------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_ASCEND_IR_ASCENDMOVEOPS
#define TILE_DIALECT_ASCEND_IR_ASCENDMOVEOPS

include "Tile/Dialect/Ascend/IR/AscendBase.td"

// A move that may take several calls. `checked` says that one is enough: extents that are known at run time alone are
// positive and strides are within the limits of the call, as branches around the op have found.
class Ascend_MoveOp<string mnemonic, string pipe, string core>
    : Ascend_InstructionOp<mnemonic, pipe, core, [], /*combines=*/0, /*expands=*/1>;

def Ascend_CopyGmToUbOp : Ascend_MoveOp<"copy_gm_to_ub", "MTE2", "Vector"> {
  let summary = "rows of GM to UB (DataCopyPad)";
  let description = [{
    Copies the rows of a region of GM to the first rows and columns of a buffer in UB. A source without elements copies
    nothing. The rest of the last 32 bytes of each row takes the value of `pad`; without it, it is undefined. What lies
    behind is not touched. With `checked`, the source has elements: a branch around the op says so.

    `pad(%value, %left : f32, index)` leaves `%left` columns in front of the elements of each row. Whole blocks of 32 bytes of
    these are not touched, the others take the value. The columns of source and left are together not above the target's.

    **Constraints.**
    - (C1) the target lies in UB, the source in GM;
    - (C2) both have one or two dimensions and the same element type of 1, 2, 4 or 8 bytes;
    - (C3) the innermost stride of both is 1, and rows of the target begin at multiples of 32 bytes;
    - (C4) a static extent of the source is not above the target's;
    - (C5) `pad` has the element type, and behind it at most a number of columns; a constant one is not negative and has at
      most the target's columns.

    **Targets.** Ascend, a vector core, pipe MTE2.

    **Errors.** `expected the target in 'ub', got 'l1'`; `expected one or two dimensions, got 3`; `expected rows to begin
    at multiples of 32 bytes, got a row of 12`; `expected at most 16 elements in dimension 0, got 17`; `expected 'pad' of
    type 'f32', got 'f16'`; `expected 'pad' to have a value and at most a number of columns, got 2 operands, the last
    of type 'f32'`; `expected 0
    to 16 columns in front, got 17`.

    **Example.**
    ```mlir
    func.func @copy_gm_to_ub(%a: memref<16x100xf32>) {
      %zero = arith.constant 0.0 : f32
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<16x104xf32, #tile.ub>
        ascend.copy_gm_to_ub %x, %a pad(%zero : f32) : memref<16x104xf32, #tile.ub>, memref<16x100xf32>
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$target, AnyMemRef:$source, Variadic<AnyType>:$padding, UnitAttr:$checked);
  let builders = [OpBuilder<(ins "Value":$target, "Value":$source, "Value":$pad, CArg<"bool", "false">:$checked,
                                 CArg<"Value", "Value()">:$left)>];
  let assemblyFormat = "$target `,` $source (`pad` `(` $padding^ `:` type($padding) `)`)? attr-dict `:` type($target) `,` type($source)";
  let extraClassDeclaration = [{
    /// The value around the elements of a row; null if there is none.
    Value getPad() { return getPadding().empty() ? Value() : getPadding().front(); }
    /// The columns in front; null if there are none.
    Value getLeft() { return getPadding().size() < 2 ? Value() : getPadding()[1]; }
  }];
}

def Ascend_CopyUbToGmOp : Ascend_MoveOp<"copy_ub_to_gm", "MTE3", "Vector"> {
  let summary = "rows of UB to GM (DataCopyPad)";
  let description = [{
    Copies the first rows and columns of a buffer in UB to a region of GM, as many as that has. A target without elements
    copies nothing. With `atomic`, elements are added to those in GM, or with `kind` the larger or the smaller one of both is
    kept; what is kept of a NaN the manual does not say. With `checked`, the target has elements: a branch around the op says so.

    **Constraints.**
    - (C1) the target lies in GM, the source in UB;
    - (C2) both have one or two dimensions and the same element type of 1, 2, 4 or 8 bytes;
    - (C3) the innermost stride of both is 1, and rows of the source begin at multiples of 32 bytes;
    - (C4) a static extent of the target is not above the source's;
    - (C5) `atomic` goes with f32, f16, bf16, i32, i16 and i8;
    - (C6) `kind` goes with `atomic`; `max` and `min` do not take bf16, which has no Inf/NaN mode there.

    **Targets.** Ascend, a vector core, pipe MTE3.

    **Errors.** `expected the source in 'ub', got 'l1'`; `'kind' needs 'atomic'`;
    `expected an element type with atomic max, got 'bf16'`; `expected one or two dimensions, got 3`; `expected rows to begin
    at multiples of 32 bytes, got a row of 12`; `expected at most 16 elements in dimension 0, got 17`; `expected an
    element type with atomic addition, got 'i64'`.

    **Example.**
    ```mlir
    func.func @copy_ub_to_gm(%a: memref<16x100xf32>) {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<16x104xf32, #tile.ub>
        ascend.copy_ub_to_gm %a, %x : memref<16x100xf32>, memref<16x104xf32, #tile.ub>
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$target, AnyMemRef:$source, UnitAttr:$atomic, UnitAttr:$checked,
                       OptionalAttr<Ascend_ReduceKindAttr>:$kind);
  let assemblyFormat = "$target `,` $source attr-dict `:` type($target) `,` type($source)";
}

def Ascend_CopyUbToL1Op : Ascend_MoveOp<"copy_ub_to_l1", "MTE3", "Vector"> {
  let summary = "a matrix of a vector core to the cube core's L1, row-major to Nz (DataCopy)";
  let description = [{
    Copies all of a matrix in UB to a matrix in L1, one column of blocks of 32 bytes after the other. With `halves`, the first
    vector core writes the upper half of the rows of the target and the second one the lower half; without it, each vector
    core that executes the op writes all of them. Rows past the last one are not touched.

    **Constraints.**
    - (C1) the target is a buffer in L1, or all rows of whole blocks of its columns, the source lies in UB, and the chip
      has that path;
    - (C2) both have two dimensions, static shapes and the same element type of 1, 2 or 4 bytes;
    - (C3) the shapes are equal; with `halves`, the target has twice the rows of the source;
    - (C4) rows of the source begin at multiples of 32 bytes and have whole blocks of 32 bytes;
    - (C5) the source's rows are within the instruction's limits.

    **Targets.** Ascend 950, a vector core, pipe MTE3.

    **Errors.** `910B has no path from 'ub' to 'l1'; go through global memory`; `expected the target in 'l1', got 'ub'`;
    `expected 32x64 elements in 'target', got 16x64`; `expected rows of whole blocks of 32 bytes, got 40`; `expected at most 4095
    rows, got 4096`.

    **Example.**
    ```mlir
    module attributes {tile.target = #tile.target<"950">} {
      func.func @copy_ub_to_l1() {
        tile.kernel (%b) in (1) {
          %x = tile.alloc : memref<16x64xf16, #tile.ub>
          %p = tile.alloc : memref<32x64xf16, #tile.l1>
          ascend.copy_ub_to_l1 %p, %x {halves} : memref<32x64xf16, #tile.l1>, memref<16x64xf16, #tile.ub>
        }
        return
      }
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$target, AnyMemRef:$source, UnitAttr:$halves);
  let assemblyFormat = "$target `,` $source attr-dict `:` type($target) `,` type($source)";
}

def Ascend_CopyGmToL1Op : Ascend_MoveOp<"copy_gm_to_l1", "MTE2", "Cube"> {
  let summary = "a matrix of GM to L1, row-major to blocks (DataCopy with Nd2NzParams)";
  let description = [{
    Copies a region of GM to the upper left corner of a matrix in L1. A source without elements copies nothing. Columns up
    to the next multiple of 32 bytes become 0; rows past the last one are not touched. Elements of 4 bytes are copied 16
    rows at a time where the chip has them in the order Zz. With `checked`, the source has elements, and its rows are not
    further apart than the instruction can say: branches around the op say so.

    **Constraints.**
    - (C1) the target lies in L1, the source in GM;
    - (C2) both have two dimensions and the same element type of 1, 2 or 4 bytes;
    - (C3) the innermost stride of the source is 1;
    - (C4) a static extent of the source is not above the target's;
    - (C5) the target has at most as many rows as the instruction takes. Rows that begin further apart than it can say are
      copied one by one.

    **Targets.** Ascend, the cube core, pipe MTE2.

    **Errors.** `expected the target in 'l1', got 'ub'`; `expected two dimensions, got 1`; `expected at most 16 elements
    in dimension 0, got 17`; `expected at most 16384 rows, got 16400`.

    **Example.**
    ```mlir
    func.func @copy_gm_to_l1(%a: memref<30x100xf16>) {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<32x112xf16, #tile.l1>
        ascend.copy_gm_to_l1 %x, %a : memref<32x112xf16, #tile.l1>, memref<30x100xf16>
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$target, AnyMemRef:$source, UnitAttr:$checked);
  let assemblyFormat = "$target `,` $source attr-dict `:` type($target) `,` type($source)";
}

def Ascend_FillL1Op : Ascend_InstructionOp<"fill_l1", "MTE2", "Cube"> {
  let summary = "one value for all of a buffer in L1 (InitConstValue)";
  let description = [{
    Sets every element of a buffer in L1, the rest of its last blocks included.

    **Constraints.**
    - (C1) the target lies in L1 and is a whole buffer;
    - (C2) its elements have 2 or 4 bytes, or 1 where the value is the constant 0;
    - (C3) the value has the element type.

    **Targets.** Ascend, the cube core, pipe MTE2.

    **Errors.** `expected the target in 'l1', got 'ub'`; `expected the constant 0 for elements of type 'i8'`; `expected a value
    of type 'f16', got 'f32'`; `expected a whole buffer`.

    **Example.**
    ```mlir
    func.func @fill_l1() {
      %zero = arith.constant 0.0 : f16
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<32x112xf16, #tile.l1>
        ascend.fill_l1 %x, %zero : memref<32x112xf16, #tile.l1>, f16
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$target, AnyType:$value);
  let assemblyFormat = "$target `,` $value attr-dict `:` type($target) `,` type($value)";
}

#endif // TILE_DIALECT_ASCEND_IR_ASCENDMOVEOPS
