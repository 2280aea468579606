//===- AscendVectorOps.td - the vector unit ----------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_ASCEND_IR_ASCENDVECTOROPS
#define TILE_DIALECT_ASCEND_IR_ASCENDVECTOROPS

include "Tile/Dialect/Ascend/IR/AscendBase.td"

// An instruction of the vector unit, on matrices in UB.
class Ascend_VectorOp<string mnemonic, bit expands = 0, list<Trait> traits = [], bit combines = 0>
    : Ascend_InstructionOp<mnemonic, "V", "Vector", traits, combines, expands>;
class Ascend_ElementwiseOp<string mnemonic, list<string> methods = [], bit combines = 0>
    : Ascend_VectorOp<mnemonic, /*expands=*/1, [DeclareOpInterfaceMethods<Ascend_ElementwiseOpInterface, methods>],
                      combines>;

def Ascend_BinaryOp : Ascend_ElementwiseOp<"binary", ["getBroadcast"]> {
  let summary = "an instruction of two vectors";
  let description = [{
    `target = lhs ∘ rhs`, element by element, with `add`, `sub`, `mul`, `div`, `max`, `min`, `and` or `or`. An operand may
    be repeated: `row` has one row for all rows of the target; `column` has, for each row of the target, 32 bytes of equal
    elements, as `ascend.brcb` makes them. The target may be one of the operands. `and` and `or` are of the bits of integers
    and floats of 16 and 32 bits, as integers of 16. With `contract`, a product and a sum may become one `ascend.mul_add`.

    **Constraints.**
    - (C1) all buffers lie in UB;
    - (C2) all have one or two dimensions, static shapes and the same element type;
    - (C3) the innermost stride of all is 1, and rows begin at multiples of 32 bytes;
    - (C4) operands have the target's shape; a `row` operand has one row of the target's columns, a `column` operand one
      block of 32 bytes for each row;
    - (C5) the chip has the instruction for the element type, or for the integer that its bits are moved as.

    **Targets.** Ascend, a vector core, pipe V.

    **Errors.** `expected the target in 'ub', got 'l1'`; `expected 16x64 elements in 'rhs', got 16x32`; `910B has no Add
    for 'bf16'; it has i16, f16, i32, f32`.

    **Example.**
    ```mlir
    func.func @binary() {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<16x64xf32, #tile.ub>
        %r = tile.alloc : memref<64xf32, #tile.ub>
        ascend.binary add %x, %x, %r rhs(row)
          : memref<16x64xf32, #tile.ub>, memref<16x64xf32, #tile.ub>, memref<64xf32, #tile.ub>
      }
      return
    }
    ```
  }];
  let arguments = (ins
    Ascend_BinaryKindAttr:$kind, AnyMemRef:$target, AnyMemRef:$lhs, AnyMemRef:$rhs,
    DefaultValuedAttr<Ascend_BroadcastAttr, "::mlir::tile::ascend::Broadcast::None">:$lhs_broadcast,
    DefaultValuedAttr<Ascend_BroadcastAttr, "::mlir::tile::ascend::Broadcast::None">:$rhs_broadcast,
    UnitAttr:$contract);
  let assemblyFormat = [{
    $kind $target `,` $lhs `,` $rhs (`lhs` `(` $lhs_broadcast^ `)`)? (`rhs` `(` $rhs_broadcast^ `)`)?
    attr-dict `:` type($target) `,` type($lhs) `,` type($rhs)
  }];
  let extraClassDeclaration = [{
    /// The element type that the instruction is told.
    Type getMovedType();
  }];
}

def Ascend_MulAddOp : Ascend_ElementwiseOp<"mul_add", ["getBroadcast"], /*combines=*/1> {
  let summary = "a product and a sum in place (FusedMulAdd)";
  let description = [{
    `target = factor * target + addend`, element by element. Operands may be repeated as those of `ascend.binary`. Whether
    the product is rounded is up to the chip.

    **Constraints.**
    - (C1) all buffers lie in UB;
    - (C2) all have one or two dimensions, static shapes and the same element type;
    - (C3) the innermost stride of all is 1, and rows begin at multiples of 32 bytes;
    - (C4) operands have the target's shape, or that of a `row` or `column` operand of `ascend.binary`;
    - (C5) the chip has the instruction for the element type.

    **Targets.** Ascend, a vector core, pipe V.

    **Errors.** `expected the target in 'ub', got 'l1'`; `expected 16x64 elements in 'factor', got 16x32`; `910B has no
    FusedMulAdd for 'i32'; it has f16, f32`.

    **Example.**
    ```mlir
    func.func @mul_add() {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<16x64xf32, #tile.ub>
        %y = tile.alloc : memref<16x64xf32, #tile.ub>
        %f = tile.alloc : memref<16x8xf32, #tile.ub>
        ascend.mul_add %x, %f, %y factor(column)
          : memref<16x64xf32, #tile.ub>, memref<16x8xf32, #tile.ub>, memref<16x64xf32, #tile.ub>
      }
      return
    }
    ```
  }];
  let arguments = (ins
    AnyMemRef:$target, AnyMemRef:$factor, AnyMemRef:$addend,
    DefaultValuedAttr<Ascend_BroadcastAttr, "::mlir::tile::ascend::Broadcast::None">:$factor_broadcast,
    DefaultValuedAttr<Ascend_BroadcastAttr, "::mlir::tile::ascend::Broadcast::None">:$addend_broadcast);
  let assemblyFormat = [{
    $target `,` $factor `,` $addend (`factor` `(` $factor_broadcast^ `)`)? (`addend` `(` $addend_broadcast^ `)`)?
    attr-dict `:` type($target) `,` type($factor) `,` type($addend)
  }];
}

def Ascend_ScalarOp : Ascend_ElementwiseOp<"scalar"> {
  let summary = "an instruction of a vector and a scalar";
  let description = [{
    `target = source ∘ value`, element by element, with `adds`, `muls`, `maxs`, `mins`, or a shift of bits by `value`: `shl` to the
    left, `shrs` to the right with copies of the sign, `shru` to the right with zeros. The target may be the source.

    **Constraints.**
    - (C1) both buffers lie in UB;
    - (C2) both have one or two dimensions, static shapes and the same element type, which is the value's;
    - (C3) the innermost stride of both is 1, and rows begin at multiples of 32 bytes;
    - (C4) both have the same shape;
    - (C5) the chip has the instruction for the element type;
    - (C6) a constant shift is not negative and at most the width of an element.

    **Targets.** Ascend, a vector core, pipe V.

    **Errors.** `expected the source in 'ub', got 'l1'`; `expected 16x64 elements in 'source', got 16x32`; `910B has no
    Muls for 'bf16'; it has i16, f16, i32, f32`; `expected a shift of 0 to 16, got 17`.

    **Example.**
    ```mlir
    func.func @scalar(%a: f32) {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<16x64xf32, #tile.ub>
        ascend.scalar muls %x, %x, %a : memref<16x64xf32, #tile.ub>, memref<16x64xf32, #tile.ub>, f32
      }
      return
    }
    ```
  }];
  let arguments = (ins Ascend_ScalarKindAttr:$kind, AnyMemRef:$target, AnyMemRef:$source, AnyType:$value);
  let assemblyFormat = "$kind $target `,` $source `,` $value attr-dict `:` type($target) `,` type($source) `,` type($value)";
}

def Ascend_UnaryOp : Ascend_ElementwiseOp<"unary"> {
  let summary = "an instruction of one vector";
  let description = [{
    `target = f(source)`, element by element, with `exp`, `ln`, `abs`, `sqrt`, `rsqrt`, `reciprocal`, `relu` or `not`. The
    target may be the source. `rsqrt` and `reciprocal` are approximations; `not` moves integers of 32 bits as pairs of 16.

    **Constraints.**
    - (C1) both buffers lie in UB;
    - (C2) both have one or two dimensions, static shapes and the same element type;
    - (C3) the innermost stride of both is 1, and rows begin at multiples of 32 bytes;
    - (C4) both have the same shape;
    - (C5) the chip has the instruction for the element type.

    **Targets.** Ascend, a vector core, pipe V.

    **Errors.** `expected the source in 'ub', got 'l1'`; `expected 16x64 elements in 'source', got 16x32`; `910B has no Exp
    for 'i32'; it has f16, f32`.

    **Example.**
    ```mlir
    func.func @unary() {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<16x64xf32, #tile.ub>
        ascend.unary exp %x, %x : memref<16x64xf32, #tile.ub>, memref<16x64xf32, #tile.ub>
      }
      return
    }
    ```
  }];
  let arguments = (ins Ascend_UnaryKindAttr:$kind, AnyMemRef:$target, AnyMemRef:$source);
  let assemblyFormat = "$kind $target `,` $source attr-dict `:` type($target) `,` type($source)";
  let extraClassDeclaration = [{
    /// The element type that the instruction is told.
    Type getMovedType();
  }];
}

def Ascend_CastOp : Ascend_ElementwiseOp<"cast"> {
  let summary = "conversion of the element type (Cast)";
  let description = [{
    `target = source`, element by element, rounded by `none` (where nothing is lost), `rint` (to nearest even), `floor`,
    `ceil`, `round` (to nearest, away from zero) or `trunc`. Overflow saturates.

    **Constraints.**
    - (C1) both buffers lie in UB;
    - (C2) both have one or two dimensions and static shapes;
    - (C3) the innermost stride of both is 1, and rows begin at multiples of 32 bytes;
    - (C4) both have the same shape;
    - (C5) the chip has the conversion.

    **Targets.** Ascend, a vector core, pipe V.

    **Errors.** `expected the source in 'ub', got 'l1'`; `expected 16x64 elements in 'source', got 16x32`; `910B has no Cast
    from 'bf16' to 'f16'; from there it goes to i32, f32`.

    **Example.**
    ```mlir
    func.func @cast() {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<16x64xf32, #tile.ub>
        %h = tile.alloc : memref<16x64xf16, #tile.ub>
        ascend.cast rint %h, %x : memref<16x64xf16, #tile.ub>, memref<16x64xf32, #tile.ub>
      }
      return
    }
    ```
  }];
  let arguments = (ins Ascend_RoundModeAttr:$mode, AnyMemRef:$target, AnyMemRef:$source);
  let assemblyFormat = "$mode $target `,` $source attr-dict `:` type($target) `,` type($source)";
}

def Ascend_DuplicateOp : Ascend_ElementwiseOp<"duplicate"> {
  let summary = "one value for all elements (Duplicate)";
  let description = [{
    Sets every element of a buffer in UB.

    **Constraints.**
    - (C1) the buffer lies in UB;
    - (C2) it has one or two dimensions, a static shape and the value's element type;
    - (C3) its innermost stride is 1, and rows begin at multiples of 32 bytes;
    - (C4) the chip has the instruction for the element type.

    **Targets.** Ascend, a vector core, pipe V.

    **Errors.** `expected the target in 'ub', got 'l1'`; `expected a value of type 'f16', got 'f32'`; `910B has no Duplicate
    for 'i8'; it has i16, ui16, f16, bf16, i32, ui32, f32`.

    **Example.**
    ```mlir
    func.func @duplicate(%a: f32) {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<16x64xf32, #tile.ub>
        ascend.duplicate %x, %a : memref<16x64xf32, #tile.ub>, f32
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$target, AnyType:$value);
  let assemblyFormat = "$target `,` $value attr-dict `:` type($target) `,` type($value)";
}

def Ascend_CopyUbOp : Ascend_ElementwiseOp<"copy_ub", ["takesCount"]> {
  let summary = "UB to UB (Copy)";
  let description = [{
    Copies a matrix inside of UB. Between element types of one width it copies the bits.

    **Constraints.**
    - (C1) both buffers lie in UB;
    - (C2) both have one or two dimensions, static shapes and element types of one width;
    - (C3) the innermost stride of both is 1, and rows begin at multiples of 32 bytes;
    - (C4) both have the same shape;
    - (C5) the chip has the instruction for the target's element type, which has 16 or 32 bits.

    **Targets.** Ascend, a vector core, pipe V.

    **Errors.** `expected the source in 'ub', got 'l1'`; `expected 16x64 elements in 'source', got 16x32`; `expected a source
    of 32 bits like the target, got 'f16'`; `expected elements of 16 or 32 bits, got 'i8'`; `910B has no Copy for 'i64'; it has i16, ui16, f16, bf16, i32, ui32, f32`.

    **Example.**
    ```mlir
    func.func @copy_ub() {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<16x64xf32, #tile.ub>
        %y = tile.alloc : memref<16x64xf32, #tile.ub>
        ascend.copy_ub %y, %x : memref<16x64xf32, #tile.ub>, memref<16x64xf32, #tile.ub>
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$target, AnyMemRef:$source);
  let assemblyFormat = "$target `,` $source attr-dict `:` type($target) `,` type($source)";
}

def Ascend_ReduceOp : Ascend_VectorOp<"reduce", /*expands=*/1> {
  let summary = "one value for each row (WholeReduceSum, WholeReduceMax, WholeReduceMin)";
  let description = [{
    Combines the elements of each row with `sum`, `max` or `min`; the target has one element for each row. The order of a
    sum is undefined. A row is at most what the vector unit takes at once; longer rows are folded by `ascend.binary` first.

    **Constraints.**
    - (C1) both buffers lie in UB;
    - (C2) the source has one or two dimensions, the target one, both static shapes and the same element type;
    - (C3) the innermost stride of both is 1, and rows begin at multiples of 32 bytes;
    - (C4) the target has one element for each row;
    - (C5) a row has at most as many bytes as one repeat;
    - (C6) the chip has the instruction for the element type.

    **Targets.** Ascend, a vector core, pipe V.

    **Errors.** `expected the source in 'ub', got 'l1'`; `expected 16 elements in 'target', got 8`; `expected rows of at most
    64 elements, got 128`; `910B has no WholeReduceMax for 'i32'; it has f16, f32`.

    **Example.**
    ```mlir
    func.func @reduce() {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<16x64xf32, #tile.ub>
        %m = tile.alloc : memref<16xf32, #tile.ub>
        ascend.reduce max %m, %x : memref<16xf32, #tile.ub>, memref<16x64xf32, #tile.ub>
      }
      return
    }
    ```
  }];
  let arguments = (ins Ascend_ReduceKindAttr:$kind, AnyMemRef:$target, AnyMemRef:$source);
  let assemblyFormat = "$kind $target `,` $source attr-dict `:` type($target) `,` type($source)";
}

def Ascend_BrcbOp : Ascend_VectorOp<"brcb", /*expands=*/1> {
  let summary = "a block of 32 bytes for each element (Brcb)";
  let description = [{
    Row `i` of the target, 32 bytes, takes element `i` of the source everywhere. The instruction takes eight elements at
    once: rows of the target up to the next multiple of eight take values that are undefined.

    **Constraints.**
    - (C1) both buffers lie in UB;
    - (C2) the source has one dimension, the target two, both static shapes and the same element type;
    - (C3) a row of the target has 32 bytes, and rows follow one another;
    - (C4) the target has the source's number of elements, rounded up to a multiple of eight, for its rows;
    - (C5) the chip has the instruction for the element type.

    **Targets.** Ascend, a vector core, pipe V.

    **Errors.** `expected the source in 'ub', got 'l1'`; `expected 16x8 elements in 'target', got 16x16`; `910B has no Brcb
    for 'i64'; it has i16, ui16, f16, bf16, i32, ui32, f32`.

    **Example.**
    ```mlir
    func.func @brcb() {
      tile.kernel (%b) in (1) {
        %m = tile.alloc : memref<16xf32, #tile.ub>
        %c = tile.alloc : memref<16x8xf32, #tile.ub>
        ascend.brcb %c, %m : memref<16x8xf32, #tile.ub>, memref<16xf32, #tile.ub>
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$target, AnyMemRef:$source);
  let assemblyFormat = "$target `,` $source attr-dict `:` type($target) `,` type($source)";
}

def Ascend_CompareOp : Ascend_VectorOp<"compare"> {
  let summary = "a bit for each element: a comparison (Compare, CompareScalar)";
  let description = [{
    Bit `i` of the target, from the least significant one on, says whether element `i` of the source compares with the
    value, a scalar or a matrix of the same shape, as `mode` says: `lt`, `gt`, `eq`, `le`, `ge`, `ne`. Rows of the source follow one another, and so do the bits.
    The instruction takes multiples of 256 bytes: buffers reach as far.

    **Constraints.**
    - (C1) both buffers lie in UB;
    - (C2) the source has the value's type and is contiguous; the target has bytes, one for each eight elements;
    - (C3) the source is a multiple of 256 bytes long;
    - (C4) the chip has the instruction for the element type; integers are compared with `eq` alone.

    **Targets.** Ascend, a vector core, pipe V.

    **Errors.** `expected the source in 'ub', got 'l1'`; `expected 128 elements in 'target', got 64`; `expected a multiple of
    256 bytes, got 64`; `910B has no Compare for 'i16'; it has f16, i32, f32`; `expected 'eq' for 'i32', got 'lt'`.

    **Example.**
    ```mlir
    func.func @compare(%a: f32) {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<16x64xf32, #tile.ub>
        %m = tile.alloc : memref<128xi8, #tile.ub>
        ascend.compare lt %m, %x, %a : memref<128xi8, #tile.ub>, memref<16x64xf32, #tile.ub>, f32
      }
      return
    }
    ```
  }];
  let arguments = (ins Ascend_CompareModeAttr:$mode, AnyMemRef:$target, AnyMemRef:$source, AnyType:$value);
  let assemblyFormat = "$mode $target `,` $source `,` $value attr-dict `:` type($target) `,` type($source) `,` type($value)";
}

def Ascend_SelectOp : Ascend_VectorOp<"select"> {
  let summary = "one of two vectors by a bit (Select)";
  let description = [{
    `target = bit ? lhs : rhs`, element by element, with the bits of `ascend.compare`; `rhs` is a matrix or one float.
    Integers of 16 and 32 bits are moved as floats of that width. Kernels with this op keep the end of UB free that the
    instruction uses for itself.

    **Constraints.**
    - (C1) all buffers lie in UB;
    - (C2) target, `lhs` and `rhs` have the same element type, a float where `rhs` is no matrix, and are contiguous; the mask
      has bytes, one for each eight elements;
    - (C3) all have the same shape, a multiple of 256 bytes;
    - (C4) the chip has the instruction for the element type, or for the float of its width.

    **Targets.** Ascend, a vector core, pipe V.

    **Errors.** `expected the mask in 'ub', got 'l1'`; `expected 16x64 elements in 'rhs', got 16x32`; `910B has no Select for
    'bf16'; it has f16, f32`.

    **Example.**
    ```mlir
    func.func @select(%a: f32) {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<16x64xf32, #tile.ub>
        %m = tile.alloc : memref<128xi8, #tile.ub>
        ascend.select %x, %m, %x, %x : memref<16x64xf32, #tile.ub>, memref<128xi8, #tile.ub>, memref<16x64xf32, #tile.ub>,
          memref<16x64xf32, #tile.ub>
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$target, AnyMemRef:$mask, AnyMemRef:$lhs, AnyType:$rhs);
  let assemblyFormat = [{
    $target `,` $mask `,` $lhs `,` $rhs attr-dict `:` type($target) `,` type($mask) `,` type($lhs) `,` type($rhs)
  }];
  let extraClassDeclaration = [{
    /// The element type that the instruction is told.
    Type getMovedType();
  }];
}

#endif // TILE_DIALECT_ASCEND_IR_ASCENDVECTOROPS
