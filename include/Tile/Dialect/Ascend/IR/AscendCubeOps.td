//===- AscendCubeOps.td - the cube -------------------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_ASCEND_IR_ASCENDCUBEOPS
#define TILE_DIALECT_ASCEND_IR_ASCENDCUBEOPS

include "Tile/Dialect/Ascend/IR/AscendBase.td"

class Ascend_LoadL0Op<string side>
    : Ascend_InstructionOp<"load_l0" # side, "MTE1", "Cube", [], /*combines=*/0, /*expands=*/1> {
  let arguments = (ins AnyMemRef:$target, AnyMemRef:$source, UnitAttr:$transpose);
  let assemblyFormat = "$target `,` $source attr-dict `:` type($target) `,` type($source)";
}

def Ascend_LoadL0AOp : Ascend_LoadL0Op<"a"> {
  let summary = "blocks of L1 to L0A (LoadData)";
  let description = [{
    Copies a matrix in L1 to the left operand of the cube, block by block, into the order that L0A has on the chip. With
    `transpose`, the source is stored as K×M. Blocks are copied whole: what lies behind K up to 32 bytes takes part in
    products, and is 0 where `copy_gm_to_l1` or `fill_l1` wrote it.

    **Constraints.**
    - (C1) the target is a whole buffer in L0A, the source lies in L1;
    - (C2) both have two dimensions, static shapes and the same element type;
    - (C3) the extents are those of the target, swapped with `transpose`;
    - (C4) the source is a buffer, or a part at constant offsets: whole blocks of 16 rows and 32 bytes, or up to its end;
    - (C5) with `transpose`, blocks are squares of 16 elements, of 1 byte of 32.

    **Targets.** Ascend, the cube core, pipe MTE1.

    **Errors.** `expected the target in 'l0a', got 'l0b'`; `expected 32x64 elements in 'source', got 64x32`; `expected
    'source' to be whole blocks of 16x16 elements, got 8 in dimension 0 from 16 on`; `expected constant offsets and
    strides of 1 in 'source'`.

    **Example.**
    ```mlir
    func.func @load_l0a() {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<32x64xf16, #tile.l1>
        %a = tile.alloc : memref<32x64xf16, #tile.l0a>
        ascend.load_l0a %a, %x : memref<32x64xf16, #tile.l0a>, memref<32x64xf16, #tile.l1>
      }
      return
    }
    ```
  }];
}

def Ascend_LoadL0BOp : Ascend_LoadL0Op<"b"> {
  let summary = "blocks of L1 to L0B (LoadData)";
  let description = [{
    Copies a matrix in L1 to the right operand of the cube, block by block, into the order Zn. With `transpose`, the source
    is stored as N×K. Blocks are copied whole: what lies behind K up to 32 bytes takes part in products, and is 0 where
    `copy_gm_to_l1` or `fill_l1` wrote it.

    **Constraints.**
    - (C1) the target is a whole buffer in L0B, the source lies in L1;
    - (C2) both have two dimensions, static shapes and the same element type;
    - (C3) the extents are those of the target, swapped with `transpose`;
    - (C4) the source is a buffer, or a part at constant offsets: whole blocks of 16 rows and 32 bytes, or up to its end;
    - (C5) without `transpose`, blocks are transposed on the way; they are squares of 16 elements, of 1 byte of 32.

    **Targets.** Ascend, the cube core, pipe MTE1.

    **Errors.** `expected the target in 'l0b', got 'l0a'`; `expected 64x32 elements in 'source', got 32x64`; `expected
    'source' to be whole blocks of 16x16 elements, got 8 in dimension 0 from 16 on`; `expected constant offsets and
    strides of 1 in 'source'`.

    **Example.**
    ```mlir
    func.func @load_l0b() {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<64x32xf16, #tile.l1>
        %a = tile.alloc : memref<64x32xf16, #tile.l0b>
        ascend.load_l0b %a, %x : memref<64x32xf16, #tile.l0b>, memref<64x32xf16, #tile.l1>
      }
      return
    }
    ```
  }];
}

// One call of the loads above, on fractals of 512 bytes: the target is a view of a buffer in L0A or L0B in the order of the
// memory, of one dimension, or of three: fractals, their rows and what is in one.
class Ascend_LoadFractalsOp<string mnemonic> : Ascend_InstructionOp<mnemonic, "MTE1", "Cube">;

def Ascend_LoadDataOp : Ascend_LoadFractalsOp<"load_data"> {
  let summary = "fractals of L1 to L0A or L0B (LoadData with LoadData2DParams)";
  let description = [{
    Copies `repeat` fractals to the target from fractals of the source that begin `stride` fractals apart; with `transpose`,
    each fractal of 16 rows and columns is transposed. In a target of one dimension they lie one behind the other, in one of
    three whole fractals apart. `ascend-expand-instructions` makes it of `ascend.load_l0a` and `ascend.load_l0b`, along the
    longer side of the matrix.

    **Constraints.**
    - (C1) the target lies in L0A or L0B, the source in L1;
    - (C2) both have static shapes and the same element type of 1, 2 or 4 bytes; the source has one dimension, the target one
      or three;
    - (C3) the target has the elements of `repeat` fractals, of three dimensions `repeat` x 16 x those of 32 bytes, where each
      fractal is dense; the source has those from the first fractal to the last.

    **Targets.** Ascend, the cube core, pipe MTE1.

    **Errors.** `expected the source in 'l1', got 'ub'`; `expected one or three dimensions in 'target', got 2`;
    `expected 1024 elements in 'target', got 512`; `expected dense fractals, a multiple of 256 elements apart, in 'target'`.

    **Example.**
    ```mlir
    func.func @load_data() {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<2048xf16, #tile.l1>
        %a = tile.alloc : memref<1024xf16, #tile.l0a>
        %y = memref.subview %x[0] [1280] [1] : memref<2048xf16, #tile.l1> to memref<1280xf16, strided<[1]>, #tile.l1>
        %half = memref.subview %a[0] [512] [1] : memref<1024xf16, #tile.l0a> to memref<512xf16, strided<[1]>, #tile.l0a>
        ascend.load_data %half, %y repeat(2) stride(4)
          : memref<512xf16, strided<[1]>, #tile.l0a>, memref<1280xf16, strided<[1]>, #tile.l1>
        %odd = memref.reinterpret_cast %a to offset: [256], sizes: [2, 16, 16], strides: [512, 16, 1]
          : memref<1024xf16, #tile.l0a> to memref<2x16x16xf16, strided<[512, 16, 1], offset: 256>, #tile.l0a>
        ascend.load_data %odd, %y repeat(2) stride(4)
          : memref<2x16x16xf16, strided<[512, 16, 1], offset: 256>, #tile.l0a>, memref<1280xf16, strided<[1]>, #tile.l1>
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$target, AnyMemRef:$source, I64Attr:$repeat, I64Attr:$stride, UnitAttr:$transpose);
  let assemblyFormat = [{
    $target `,` $source `repeat` `(` $repeat `)` `stride` `(` $stride `)` attr-dict `:` type($target) `,` type($source)
  }];
  let extraClassDeclaration = [{
    /// Fractals of the target between one and the next.
    int64_t getGap();
  }];
}

def Ascend_LoadTransposedOp : Ascend_LoadFractalsOp<"load_transposed"> {
  let summary = "squares of fractals of L1 to L0A or L0B, transposed (LoadDataWithTranspose)";
  let description = [{
    Transposes `repeat` squares: of 16 columns and rows, of elements of 1 byte 32, which take two fractals where they have 1
    or 4 bytes. Squares begin `stride` squares apart in the source. The fractals of a square begin `block_gap` + 1 fractals
    apart in the target, and squares `gap` + 1 fractals. `ascend-expand-instructions` makes it of `ascend.load_l0a` and
    `ascend.load_l0b`.

    **Constraints.**
    - (C1) the target lies in L0A or L0B, the source in L1;
    - (C2) both have one dimension, static shapes and the same element type of 1, 2 or 4 bytes;
    - (C3) target and source have the elements from the first fractal to the last.

    **Targets.** Ascend 910B, 910C; the cube core, pipe MTE1.

    **Errors.** `expected the source in 'l1', got 'ub'`; `expected one dimension, got 2`; `expected 2048 elements in
    'target', got 512`.

    **Example.**
    ```mlir
    func.func @load_transposed() {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<2048xi8, #tile.l1>
        %a = tile.alloc : memref<2048xi8, #tile.l0b>
        ascend.load_transposed %a, %x repeat(2) stride(1) gap(1) block_gap(0)
          : memref<2048xi8, #tile.l0b>, memref<2048xi8, #tile.l1>
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$target, AnyMemRef:$source, I64Attr:$repeat, I64Attr:$stride, I64Attr:$gap,
                       I64Attr:$block_gap);
  let assemblyFormat = [{
    $target `,` $source `repeat` `(` $repeat `)` `stride` `(` $stride `)` `gap` `(` $gap `)`
    `block_gap` `(` $block_gap `)` attr-dict `:` type($target) `,` type($source)
  }];
}

def Ascend_LoadMatrixOp : Ascend_LoadFractalsOp<"load_matrix"> {
  let summary = "a matrix of fractals of L1 to L0A or L0B (LoadData with LoadData2DParamsV2)";
  let description = [{
    Copies or, with `transpose`, transposes a matrix of fractals of 16 rows and 32 bytes: `size` of them down and along, from
    row and column `at` of a buffer in L1 on. Columns of fractals are `strides` fractals apart, in the source and in the
    target. `ascend-expand-instructions` makes it of `ascend.load_l0a` and `ascend.load_l0b`.

    **Constraints.**
    - (C1) the target lies in L0A or L0B, the source is a whole buffer in L1;
    - (C2) the target has one dimension, the source two; both have static shapes and the same element type of 1, 2 or 4
      bytes;
    - (C3) the target has the elements from the first fractal to the last.

    **Targets.** Ascend 950; the cube core, pipe MTE1.

    **Errors.** `expected the source in 'l1', got 'ub'`; `expected one dimension, got 2`; `expected 2048 elements in
    'target', got 512`.

    **Example.**
    ```mlir
    module attributes {tile.target = #tile.target<"950">} {
      func.func @load_matrix() {
        tile.kernel (%b) in (1) {
          %x = tile.alloc : memref<32x32xf16, #tile.l1>
          %a = tile.alloc : memref<1024xf16, #tile.l0a>
          ascend.load_matrix %a, %x at [0, 0] size [2, 2] strides [2, 2] {transpose}
            : memref<1024xf16, #tile.l0a>, memref<32x32xf16, #tile.l1>
        }
        return
      }
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$target, AnyMemRef:$source, DenseI64ArrayAttr:$at, DenseI64ArrayAttr:$size,
                       DenseI64ArrayAttr:$strides, UnitAttr:$transpose);
  let assemblyFormat = [{
    $target `,` $source `at` $at `size` $size `strides` $strides attr-dict `:` type($target) `,` type($source)
  }];
}

class Ascend_FillL0Op<string side> : Ascend_InstructionOp<"fill_l0" # side, "MTE1", "Cube"> {
  let arguments = (ins AnyMemRef:$target, AnyType:$value);
  let assemblyFormat = "$target `,` $value attr-dict `:` type($target) `,` type($value)";
}

def Ascend_FillL0AOp : Ascend_FillL0Op<"a"> {
  let summary = "one value for all of a buffer in L0A (Fill)";
  let description = [{
    Sets every element of a buffer in L0A.

    **Constraints.**
    - (C1) the target is a whole buffer in L0A;
    - (C2) its elements have 2 or 4 bytes, or 1 where the value is the constant 0, which is of their type;
    - (C3) the chip fills L0A.

    **Targets.** Ascend 910B, 910C; the cube core, pipe MTE1.

    **Errors.** `expected the target in 'l0a', got 'l0b'`; `expected a value of type 'f16', got 'f32'`; `950 does not fill
    'l0a'; fill 'l1' and load from there`.

    **Example.**
    ```mlir
    func.func @fill_l0a() {
      %zero = arith.constant 0.0 : f16
      tile.kernel (%b) in (1) {
        %a = tile.alloc : memref<32x16xf16, #tile.l0a>
        ascend.fill_l0a %a, %zero : memref<32x16xf16, #tile.l0a>, f16
      }
      return
    }
    ```
  }];
}

def Ascend_FillL0BOp : Ascend_FillL0Op<"b"> {
  let summary = "one value for all of a buffer in L0B (Fill)";
  let description = [{
    Sets every element of a buffer in L0B.

    **Constraints.**
    - (C1) the target is a whole buffer in L0B;
    - (C2) its elements have 2 or 4 bytes, or 1 where the value is the constant 0, which is of their type;
    - (C3) the chip fills L0B.

    **Targets.** Ascend 910B, 910C; the cube core, pipe MTE1.

    **Errors.** `expected the target in 'l0b', got 'l0a'`; `expected a value of type 'f16', got 'f32'`; `950 does not fill
    'l0b'; fill 'l1' and load from there`.

    **Example.**
    ```mlir
    func.func @fill_l0b() {
      %zero = arith.constant 0.0 : f16
      tile.kernel (%b) in (1) {
        %a = tile.alloc : memref<16x32xf16, #tile.l0b>
        ascend.fill_l0b %a, %zero : memref<16x32xf16, #tile.l0b>, f16
      }
      return
    }
    ```
  }];
}

def Ascend_MmadOp : Ascend_InstructionOp<"mmad", "M", "Cube", [], /*combines=*/1> {
  let summary = "matrix multiplication on the cube (Mmad)";
  let description = [{
    `target += lhs · rhs`; where `init` is true, the old content of the target is not read. Sums are in the target's type.
    A product of one row is computed as one of two rows, as the instruction takes a single row for a plain vector: the
    second row in the blocks of `lhs` has been written.

    **Constraints.**
    - (C1) the target lies in L0C, `lhs` in L0A, `rhs` in L0B;
    - (C2) all have two dimensions and static shapes, and M, N and K agree;
    - (C3) the chip multiplies these element types;
    - (C4) M, N and K are within the instruction's limits;
    - (C5) the target is a buffer, or all rows of some columns: whole blocks of 16, or up to its end.

    **Targets.** Ascend, the cube core, pipe M.

    **Errors.** `expected the target in 'l0c', got 'ub'`; `expected K to agree: 64 in 'lhs' (32x64), 32 in 'rhs' (32x32)`;
    `910B has no Mmad of 'f16' and 'bf16' to 'f32'; convert both to one of f16, bf16, f32`; `expected 'm' between 1 and 4095, got 4096`;
    `expected all rows of the buffer in 'target', got 16`.

    **Example.**
    ```mlir
    func.func @mmad() {
      %true = arith.constant true
      tile.kernel (%b) in (1) {
        %a = tile.alloc : memref<32x64xf16, #tile.l0a>
        %x = tile.alloc : memref<64x32xf16, #tile.l0b>
        %c = tile.alloc : memref<32x32xf32, #tile.l0c>
        ascend.mmad %c, %a, %x init(%true)
          : memref<32x32xf32, #tile.l0c>, memref<32x64xf16, #tile.l0a>, memref<64x32xf16, #tile.l0b>
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$target, AnyMemRef:$lhs, AnyMemRef:$rhs, I1:$init);
  let assemblyFormat = [{
    $target `,` $lhs `,` $rhs `init` `(` $init `)` attr-dict `:` type($target) `,` type($lhs) `,` type($rhs)
  }];
}

def Ascend_FixpipeOp : Ascend_InstructionOp<"fixpipe", "FIX", "Cube", [], /*combines=*/0, /*expands=*/1> {
  let summary = "L0C to GM, L1 or UB, with a conversion (Fixpipe)";
  let description = [{
    Copies the upper left part of a matrix in L0C to a region of GM, as large as that is, or all of it to L1. A target
    without elements copies nothing. Elements are rounded to the target's type, to nearest even; with `relu`, negative ones
    become 0 before; with `atomic`, elements are added to those in GM.

    Where the chip has that path, the target may lie in UB, at the same place of both vector cores of the block. Both get the
    same part of the matrix; with `halves`, the first one gets the upper rows and the second one the rows behind them; with
    `sub_block`, one of them gets it.

    With `checked`, a region of GM whose extents are known at run time alone has elements: a branch around the op says so.

    **Constraints.**
    - (C1) the target lies in GM, L1 or, on chips with that path, UB; the source lies in L0C;
    - (C2) both have two dimensions, and the innermost stride of the target is 1;
    - (C3) a static extent of the target is not above the source's;
    - (C4) the chip has the conversion, and without scales: of f32 to f32, f16 and bf16, of i32 to i32;
    - (C5) in UB, the target's shape is static, its rows begin at multiples of 32 bytes and have whole blocks of 32 bytes;
    - (C6) `halves` and `sub_block`, of which there is one at most, go with a target in UB, `atomic` with one in GM;
    - (C7) with `halves`, the source has twice the target's rows; `sub_block` is 0 or 1.

    **Targets.** Ascend, the cube core, pipe FIX; UB on 950.

    **Errors.** `expected the source in 'l0c', got 'ub'`; `910B has no path from 'l0c' to 'ub'; go through global memory`;
    `expected at most 32 elements in dimension 0, got 33`; `expected 'f32', 'f16' or 'bf16' for a source of 'f32', got 'i8'`;
    `expected rows of whole blocks of 32 bytes, got 40`; `'halves' needs a target in 'ub', got 'global'`; `'halves' and
    'sub_block' exclude each other`; `'atomic' needs a target in 'global', got 'ub'`; `expected 'sub_block' below 2, got 2`.

    **Example.**
    ```mlir
    func.func @fixpipe(%o: memref<30x32xf16>) {
      tile.kernel (%b) in (1) {
        %c = tile.alloc : memref<32x32xf32, #tile.l0c>
        ascend.fixpipe %o, %c {relu} : memref<30x32xf16>, memref<32x32xf32, #tile.l0c>
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$target, AnyMemRef:$source, UnitAttr:$relu, UnitAttr:$atomic, UnitAttr:$halves,
                       OptionalAttr<I64Attr>:$sub_block, UnitAttr:$checked);
  let builders = [OpBuilder<(ins "Value":$target, "Value":$source, CArg<"bool", "false">:$relu,
                                 CArg<"bool", "false">:$atomic, CArg<"bool", "false">:$halves), [{
    build($_builder, $_state, target, source, relu, atomic, halves, IntegerAttr(), /*checked=*/false);
  }]>];
  let assemblyFormat = "$target `,` $source (`sub_block` `(` $sub_block^ `)`)? attr-dict `:` type($target) `,` type($source)";
}

#endif // TILE_DIALECT_ASCEND_IR_ASCENDCUBEOPS
