//===- TileComputeOps.td - matrix products, reductions, scans -*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TILECOMPUTEOPS
#define TILE_DIALECT_TILE_IR_TILECOMPUTEOPS

include "Tile/Dialect/Tile/IR/TileAttrs.td"

def Tile_GemmOp : Tile_AccessOp<"gemm"> {
  let summary = "multiplies two tiles and accumulates";
  let description = [{
    `c[m, n] += Σ_k a[m, k] · b[k, n]`, where `a` is stored as K×M if `transpose_a` is set and `b` as N×K if `transpose_b`
    is set. With `clear`, or where `clear_if` is true, `c` is overwritten instead of accumulated to. The condition is a value
    or an expression, as in `clear_if(%k == 0)`. The clauses follow the tiles in the order `clear_if`, `policy`, `precision`,
    `prefer`.

    Floats are accumulated in f32 (f64 for f64) in an undefined order and rounded once to the type of `c`; integers are
    accumulated in i32 and wrap. `a_unsigned` and `b_unsigned` mark unsigned integer operands. `precision(tf32)` rounds f32
    operands to tf32 first.

    `policy` is the distribution of the tile over the warps. `prefer` requires an instruction family (`fma`, `mma`, `wgmma`,
    `tcgen05`, `mfma`, `wmma`, `cube`); it is an error if the target cannot use it. `instruction` is the choice of the
    compiler (`tile-select-instructions`).

    With `async` the op only issues the gemm, and a later `tile.gemm_wait` completes it (`tile-schedule` inserts both). Until
    then nothing may read or write `c` or write `a` and `b`, and their stages are not released.

    **Constraints.**
    - (C1) all three buffers have two dimensions and static shapes;
    - (C2) the extents M, N and K agree;
    - (C3) the element types are a row of: `f16, f16 → f32 or f16`; `bf16, bf16 → f32 or bf16`; `f8, f8 → f32 or f16`,
      where the two f8 types (E4M3FN, E5M2, E4M3FNUZ, E5M2FNUZ) may differ; `f32, f32 → f32`; `f64, f64 → f64`;
      `i8, i8 → i32`; `i4, i4 → i32`;
    - (C4) `precision(tf32)` goes with f32 operands; `a_unsigned` and `b_unsigned` with integers;
    - (C5) `c` is not `a` or `b`, and not global; `a` and `b` are not global;
    - (C6) not both `clear` and `clear_if`; `prefer` names a gemm instruction;
    - (C7) `async` goes with an `instruction` of the family `wgmma`, and with a `c` of the type of the sums.

    **Targets.** All.

    **Errors.** `expected K to agree: 32 in 'a' (64x32), 16 in 'b' (16x64)`; `unsupported operand types 'f16' and
    'bf16'; expected …`; `unsupported element types 'bf16', 'bf16' -> 'f16'; expected 'f32' or 'bf16' for 'c'`;
    `expected tiles, got 'a' in global memory; copy it to shared memory or a fragment first`; `expected 'async' to come
    with a wgmma instruction and an accumulator of its type`.

    **Example.**
    ```mlir
    func.func @gemm(%a: memref<64x32xf16>, %b: memref<64x32xf16>, %c: memref<64x64xf32>) {
      tile.kernel (%k) in (1) {
        %as = tile.alloc : memref<64x32xf16, #tile.shared>
        %bs = tile.alloc : memref<64x32xf16, #tile.shared>
        %cf = tile.alloc : memref<64x64xf32, #tile.fragment>
        tile.copy %a, %as : memref<64x32xf16>, memref<64x32xf16, #tile.shared>
        tile.copy %b, %bs : memref<64x32xf16>, memref<64x32xf16, #tile.shared>
        tile.gemm %as, %bs, %cf policy(full_row) {clear, transpose_b}
            : memref<64x32xf16, #tile.shared>, memref<64x32xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
        tile.copy %cf, %c : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
      }
      return
    }
    ```
  }];
  let arguments = (ins
    AnyMemRef:$a, AnyMemRef:$b, AnyMemRef:$c, Optional<I1>:$clear_if,
    UnitAttr:$transpose_a, UnitAttr:$transpose_b, UnitAttr:$clear,
    UnitAttr:$a_unsigned, UnitAttr:$b_unsigned, UnitAttr:$async,
    DefaultValuedAttr<Tile_WarpPolicyAttr, "::mlir::tile::WarpPolicy::Square">:$policy,
    DefaultValuedAttr<Tile_PrecisionAttr, "::mlir::tile::Precision::IEEE">:$precision,
    OptionalAttr<Tile_InstructionAttr>:$prefer, OptionalAttr<Tile_MmaAttr>:$instruction);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    int64_t getM();
    int64_t getN();
    int64_t getK();
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_ReduceOp : Tile_AccessOp<"reduce"> {
  let summary = "reduces one dimension of a tile";
  let description = [{
    Combines the elements along `dim` and writes one result for each position of the other dimensions; with `combine`, the
    old content of the target is combined, too. Kinds: `sum`, `max`, `min`, `abssum` (Σ|x|), `absmax` (max |x|), `and`, `or`,
    `xor`. The old content is used without its absolute value: in `absmax`, negative old content has no effect.

    Sums of floats are computed in f32 (f64 for f64) in an undefined order and rounded once; integers wrap. `max`, `min`
    and `absmax` of floats ignore NaN where there is a number, and yield NaN on any NaN with `propagate_nan`. Integers are
    signed unless `is_unsigned` is set.

    **Constraints.**
    - (C1) `dim` is a dimension of the source;
    - (C2) the target's shape is the source's without `dim`, or with an extent of 1 there; a source of one dimension may
      reduce to `[1]`;
    - (C3) both shapes are static, the elements floats or signless integers of equal type; a float `sum` or `abssum` may
      widen to f32;
    - (C4) `and`, `or`, `xor` take integers; `propagate_nan` goes with `max`, `min`, `absmax` of floats; `is_unsigned` with
      integers;
    - (C5) source and target are different buffers.

    **Targets.** All.

    **Errors.** `expected 'dim' below the rank 2 of the source, got 2`; `expected the target to be 64 (64x32 without
    dimension 1), got 32`; `'and' needs integers, got 'f32'`.

    **Example.**
    ```mlir
    func.func @row_max(%a: memref<64x32xf32>, %m: memref<64xf32>) {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<64x32xf32, #tile.fragment>
        %r = tile.alloc : memref<64xf32, #tile.fragment>
        tile.copy %a, %x : memref<64x32xf32>, memref<64x32xf32, #tile.fragment>
        tile.reduce max %x, %r dim(1) : memref<64x32xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
        tile.copy %r, %m : memref<64xf32, #tile.fragment>, memref<64xf32>
      }
      return
    }
    ```
  }];
  let arguments = (ins
    Tile_ReduceKindAttr:$kind, AnyMemRef:$source, AnyMemRef:$target, I64Attr:$dim,
    UnitAttr:$combine, UnitAttr:$propagate_nan, UnitAttr:$is_unsigned);
  let assemblyFormat = [{
    custom<Keyword>($kind) $source `,` $target `dim` `(` $dim `)` attr-dict `` custom<BufferTypes>(ref($source), type($source), ref($target), type($target))
  }];
  let hasVerifier = 1;
}

def Tile_ScanOp : Tile_AccessOp<"scan"> {
  let summary = "running sum or maximum along one dimension of a tile";
  let description = [{
    Writes at each position the combination (`sum` or `max`) of the source's elements from the first one along `dim` up
    to and including this one; with `reverse`, from the last one down. Source and target may be the same buffer. Floats
    are summed in f32 (f64 for f64) and each result is rounded once; a maximum of floats ignores NaN where there is a
    number; integers wrap and are signed unless `is_unsigned`.

    **Constraints.**
    - (C1) `dim` is a dimension of the source;
    - (C2) both shapes are static and equal, and the element types too: floats or signless integers;
    - (C3) `is_unsigned` goes with integers.

    **Targets.** All.

    **Errors.** `expected 'dim' below the rank 1 of the source, got 1`; `expected the target to be 64x32 like the source,
    got 64x16`.

    **Example.**
    ```mlir
    func.func @cumsum(%a: memref<4x64xf32>) {
      tile.kernel (%b) in (1) {
        %s = tile.alloc : memref<4x64xf32, #tile.shared>
        tile.copy %a, %s : memref<4x64xf32>, memref<4x64xf32, #tile.shared>
        tile.scan sum %s, %s dim(1) {reverse} : memref<4x64xf32, #tile.shared>, memref<4x64xf32, #tile.shared>
        tile.copy %s, %a : memref<4x64xf32, #tile.shared>, memref<4x64xf32>
      }
      return
    }
    ```
  }];
  let arguments = (ins
    Tile_ScanKindAttr:$kind, AnyMemRef:$source, AnyMemRef:$target, I64Attr:$dim,
    UnitAttr:$reverse, UnitAttr:$is_unsigned);
  let assemblyFormat = [{
    custom<Keyword>($kind) $source `,` $target `dim` `(` $dim `)` attr-dict `` custom<BufferTypes>(ref($source), type($source), ref($target), type($target))
  }];
  let hasVerifier = 1;
}

def Tile_TopKOp : Tile_AccessOp<"topk"> {
  let summary = "the largest elements of each row of a tile, sorted, with their indices";
  let description = [{
    Selects the `K` largest elements of each row of the source, its last dimension, where `K` is the last extent of `values`
    and `indices`. Writes them to `values` in descending order, and their positions to `indices`: `base + j` for element `j`
    of a row, in 32 bits. With `combine`, the pairs in the targets compete, too, in any order, so that long rows can be
    processed in parts. If `K` is the length of the row, the row is sorted. `base` is an expression (`tile.parallel`).

    The order is the same on all targets. Elements compare as numbers; a NaN compares as -∞ and is written as such. Of equal
    elements the old content precedes the source, and then the leftmost one comes first: if parts are processed from left to
    right, the lower index wins.

    **Constraints.**
    - (C1) all three buffers have static shapes of one rank, at least 1, that agree in all but the last extent, which is the
      same in `values` and `indices`, and no extent is 0;
    - (C2) without `combine`, `K` is not above the last extent of the source;
    - (C3) the source has elements of f32, f16 or bf16, `values` too, and `indices` i32;
    - (C4) the buffers are three, and none is global.

    **Targets.** All. The CPU inserts one element after the other, and passes by those that are too small; an Ascend sorts
    in UB with its own instructions; a GPU compares all elements of a short row with each other; of a long one a radix
    select leaves about `K`, which are compared with each other if they are few, and sorted by parts of their range otherwise.

    **Errors.** `expected the extents of 'values' to be those of the source (4x64) up to the last one, got 2x8`; `expected
    'indices' to be 4x8 like 'values', got 4x16`; `expected at most the 64 elements of a row, got 100`; `expected elements of
    f32, f16 or bf16, got 'i32'`; `expected 'indices' of i32, got 'i64'`; `expected a tile, got 'source' in global
    memory; copy it to shared memory or a fragment first`.

    **Example.**
    ```mlir
    func.func @best(%x: memref<1024xf32>, %v: memref<32xf32>, %p: memref<32xi32>) {
      tile.kernel (%b) in (1) {
        %part = tile.alloc : memref<128xf32, #tile.shared>
        %best = tile.alloc : memref<32xf32, #tile.shared>
        %at = tile.alloc : memref<32xi32, #tile.shared>
        tile.fill %best, -inf
        tile.fill %at, -1
        tile.pipelined %t = 0 to 8 {
          tile.copy %x[%t * 128], %part
          tile.topk %part, %best, %at base(%t * 128) {combine}
        }
        tile.copy %best, %v
        tile.copy %at, %p
      }
      return
    }
    ```
  }];
  let arguments = (ins
    AnyMemRef:$source, AnyMemRef:$values, AnyMemRef:$indices, Optional<Index>:$base, UnitAttr:$combine);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// How many elements of each row are taken.
    int64_t getCount();
    /// The elements of a row of the source.
    int64_t getRowLength();
  }];
  let hasVerifier = 1;
}

class Tile_VoteOp<string mnemonic> : Tile_AccessOp<mnemonic> {
  let arguments = (ins AnyMemRef:$source);
  let results = (outs I1:$result);
  let assemblyFormat = "$source attr-dict `` custom<BufferTypes>(ref($source), type($source))";
  let hasVerifier = 1;
}

def Tile_AnyOfOp : Tile_VoteOp<"any_of"> {
  let summary = "whether any element of a tile is not zero";
  let description = [{
    True for all threads of the block if at least one element is not zero.

    **Constraints.**
    - (C1) the buffer has a static shape, integer elements, and is not global.

    **Targets.** All.

    **Errors.** `expected integer elements, got 'f32'`.

    **Example.**
    ```mlir
    func.func @any_of(%mask: memref<64xi8>, %out: memref<1xi32>) {
      %one = arith.constant 1 : i32
      tile.kernel (%b) in (1) {
        %m = tile.alloc : memref<64xi8, #tile.shared>
        tile.copy %mask, %m : memref<64xi8>, memref<64xi8, #tile.shared>
        %any = tile.any_of %m : memref<64xi8, #tile.shared>
        scf.if %any {
          tile.fill %out, %one : memref<1xi32>
        }
      }
      return
    }
    ```
  }];
}

def Tile_AllOfOp : Tile_VoteOp<"all_of"> {
  let summary = "whether all elements of a tile are not zero";
  let description = [{
    True for all threads of the block if no element is zero.

    **Constraints.**
    - (C1) the buffer has a static shape, integer elements, and is not global.

    **Targets.** All.

    **Errors.** `expected integer elements, got 'f32'`.

    **Example.**
    ```mlir
    func.func @all_of(%mask: memref<8x8xi32>, %out: memref<1xi32>) {
      tile.kernel (%b) in (1) {
        %m = tile.alloc : memref<8x8xi32, #tile.fragment>
        tile.copy %mask, %m : memref<8x8xi32>, memref<8x8xi32, #tile.fragment>
        %all = tile.all_of %m : memref<8x8xi32, #tile.fragment>
        %v = arith.extui %all : i1 to i32
        tile.fill %out, %v : memref<1xi32>
      }
      return
    }
    ```
  }];
}

def Tile_AtomicOp : Tile_Op<"atomic", [
    DeclareOpInterfaceMethods<Tile_AccessOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "atomic update of one element or of a region";
  let description = [{
    `target ∘= value`, atomically for each element, with `add`, `max`, `min` or `or`. The scalar form updates the element
    at the offsets and may return its old value; it is used in scalar code, such as the body of `tile.parallel`. The tile
    form combines a whole tile into the region at the offsets, matched as in `tile.copy`; it is collective.
    Elements outside of a global target are not updated (the old value is then the padding value).

    **Syntax.** A scalar value and the offsets are expressions (`tile.parallel`), and the types may be left out; a result then has
    the type of the elements: `%old = tile.atomic add 1, %counter[0]`. Behind `do` of a `tile.parallel` it is a statement, whose
    value and indices may read elements: `tile.atomic add %w[%i], %bins[index(%x[%i])]`.

    Updates are ordered with respect to each other only through the element they touch. `max` and `min` of floats ignore
    NaN.

    `instruction` is the choice that the compiler made (`tile-select-instructions`): the copy engine combines a shared tile.

    **Constraints.**
    - (C1) the number of offsets is the rank of the target; the tile form may leave them out where the shapes are equal,
      and only the tile form has sizes;
    - (C2) the value is a scalar or a tile of the target's element type: f16, bf16, f32, f64, i32 or i64;
    - (C3) `or` and `is_unsigned` go with integers;
    - (C4) the target is global or shared, or of the scalar form in `ub`; the tile is static and its extents match the target's trailing dimensions, or
      the sizes;
    - (C5) only the scalar form returns the old value, of the element type; the tile form is not allowed in
      `tile.parallel`;
    - (C6) `instruction` goes with a tile in shared memory and a target in global memory.

    **Targets.** All.

    **Errors.** `expected 1 offset for 'memref<64xf32>', got 0`; `'or' needs integers, got 'f32'`; `expected a target in
    global or shared memory, got 'fragment'`; `the tile form cannot return the old value`; `expected a tile in shared
    memory and a target in global memory for 'instruction'`.

    **Example.**
    ```mlir
    func.func @histogram(%x: memref<1024xi32>, %bins: memref<16xi32>) {
      %mask = arith.constant 15 : i32
      tile.kernel (%b) in (4) {
        tile.parallel (%i) in (256) {
          %p = affine.apply affine_map<(b, i) -> (b * 256 + i)>(%b, %i)
          %v = memref.load %x[%p] : memref<1024xi32>
          %m = arith.andi %v, %mask : i32
          %bin = arith.index_cast %m : i32 to index
          tile.atomic add 1, %bins[%bin]
        }
      }
      return
    }
    ```
  }];
  let arguments = (ins
    Tile_AtomicKindAttr:$kind, AnyType:$value, AnyMemRef:$target, Variadic<Index>:$targetIndices,
    OptionalAttr<AffineMapAttr>:$targetMap, OptionalAttr<DenseI64ArrayAttr>:$targetSizes,
    UnitAttr:$is_unsigned, OptionalAttr<Tile_TransferAttr>:$instruction);
  let results = (outs Optional<AnyType>:$old);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Whether the value is a tile.
    bool isTileForm() { return ::llvm::isa<MemRefType>(getValue().getType()); }
    BufferRegion getTargetRegion();
  }];
  let extraClassDefinition = [{
    void $cppClass::getEffects(
        SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
      addAccessEffects(getOperation(), effects);
    }
  }];
  let hasVerifier = 1;
}

#endif // TILE_DIALECT_TILE_IR_TILECOMPUTEOPS
