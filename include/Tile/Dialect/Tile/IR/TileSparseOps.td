//===- TileSparseOps.td - products with a sparse operand -*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Their classes stand in Sparse.h, not in Tile.h: few passes need them.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TILESPARSEOPS
#define TILE_DIALECT_TILE_IR_TILESPARSEOPS

include "Tile/Dialect/Tile/IR/TileAttrs.td"

def Tile_SparseGemmOp : Tile_AccessOp<"sparse_gemm"> {
  let summary = "multiplies a 2:4 sparse tile by a dense one and accumulates";
  let description = [{
    `c[m, n] += Σ_k A[m, k] · b[k, n]`, as in `tile.gemm`, where of each four neighbours `A[m, 4g]` to `A[m, 4g + 3]` two are
    stored in `a`, at columns `2g` and `2g + 1`, and the others are 0. Of elements of 32 bits, one of each two neighbours is
    stored. `a` is M×K/2, or K/2×M if `transpose_a` is set; `b` is K×N, or N×K if `transpose_b` is set. With `clear`, `c` is
    overwritten instead of accumulated to.

    `metadata` says where stored elements belong, in four bits for each group, which follow each other along K from the low bits
    of the first word on: the place of the first element, 0 to 3, in the low two bits, that of the second one in the high two.
    It is M×W, or W×M if `transpose_metadata` is set, where W words hold the bits of all groups of a row. Of elements of 32 bits
    the four bits are 0100 where the first one of the two is stored, and 1110 where it is the second one.

    Places ascend: the first one is below the second one. What a row of `c` holds is undefined where the metadata of this row says
    otherwise, and nothing else is; the models of GPUs report it.

    An element of `b` that is infinite or NaN and meets what `a` does not store makes the sum NaN where the zeros are written
    out, and counts as nothing where sparse tensor cores multiply.

    Sums and roundings are those of `tile.gemm`, as are `policy`, `precision`, `a_unsigned` and `b_unsigned`. `instruction` is the
    choice of the compiler (`tile-expand-sparse`).

    **Constraints.**
    - (C1) all four buffers have two dimensions and static shapes;
    - (C2) the extents M, N and K agree, K being twice that of `a`, and the metadata has four bits for each group of a row, and no
      more;
    - (C3) the element types are a row of: `f16, f16 → f32 or f16`; `bf16, bf16 → f32 or bf16`; `f8, f8 → f32 or f16`, where the
      two f8 types (E4M3FN, E5M2, E4M3FNUZ, E5M2FNUZ) may differ; `f32, f32 → f32`; `i8, i8 → i32`;
    - (C4) the metadata are i8, i16 or i32;
    - (C5) `precision(tf32)` goes with f32 operands; `a_unsigned` and `b_unsigned` with integers;
    - (C6) no buffer is global, and `c` is none of the others.

    **Targets.** All. NVIDIA GPUs multiply with sparse tensor cores (`mma.sp`, from sm_80 on) f16, bf16, i8, f32 under
    `precision(tf32)`, and from sm_89 on E4M3FN and E5M2, where M is a multiple of 16, N of 8, and K of 32 (f16, bf16), 16 (f32)
    or 64 (elements of 8 bits). On sm_90a warpgroups do (`wgmma.mma_async.sp`) where they compute the dense product of `a`: M is a
    multiple of 64, there are whole warpgroups, the operands lie in shared memory, with K contiguous where elements have 8 bits,
    and are not f32. Elsewhere `tile-expand-sparse` writes the zeros to a tile in shared memory and multiplies that.

    **Errors.** `expected K to agree: twice 32 in 'a' (64x32), 32 in 'b' (32x8)`; `expected metadata of 4 bits for each
    of 16 groups of 64 rows, in whole words, got 64x2 of 'i16'`; `expected metadata of i8, i16 or i32, got 'i64'`; `unsupported operand types 'f64' and 'f64'; expected
    f16, bf16, f32 or i8 twice, or two f8 types`; `expected tiles, got 'metadata' in global memory; copy it to shared memory
    or a fragment first`.

    **Example.**
    ```mlir
    func.func @sparse(%a: memref<64x32xf16>, %e: memref<64x4xi16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
      tile.kernel (%k) in (1) {
        %as = tile.alloc : memref<64x32xf16, #tile.shared>
        %es = tile.alloc : memref<64x4xi16, #tile.shared>
        %bs = tile.alloc : memref<64x64xf16, #tile.shared>
        %cf = tile.alloc : memref<64x64xf32, #tile.fragment>
        tile.copy %a, %as
        tile.copy %e, %es
        tile.copy %b, %bs
        tile.sparse_gemm %as by %es, %bs, %cf {clear}
        tile.copy %cf, %c
      }
      return
    }
    ```
  }];
  let arguments = (ins
    AnyMemRef:$a, AnyMemRef:$metadata, AnyMemRef:$b, AnyMemRef:$c,
    UnitAttr:$transpose_a, UnitAttr:$transpose_metadata, UnitAttr:$transpose_b, UnitAttr:$clear,
    UnitAttr:$a_unsigned, UnitAttr:$b_unsigned,
    DefaultValuedAttr<Tile_WarpPolicyAttr, "::mlir::tile::WarpPolicy::Square">:$policy,
    DefaultValuedAttr<Tile_PrecisionAttr, "::mlir::tile::Precision::IEEE">:$precision,
    OptionalAttr<Tile_MmaAttr>:$instruction);
  let assemblyFormat = [{
    $a `by` $metadata `,` $b `,` $c (`policy` `(` custom<Keyword>($policy)^ `)`)?
    (`precision` `(` custom<Keyword>($precision)^ `)`)? attr-dict `` custom<BufferTypes>(
      ref($a), type($a), ref($metadata), type($metadata), ref($b), type($b), ref($c), type($c))
  }];
  let extraClassDeclaration = [{
    int64_t getM();
    int64_t getN();
    /// Of the product; `a` stores one half.
    int64_t getK();
    /// The neighbours along K of which one half is stored: 4, or 2 where elements have 32 bits.
    int64_t getGroup();
  }];
  let hasVerifier = 1;
}

#endif // TILE_DIALECT_TILE_IR_TILESPARSEOPS
