//===- TileControlOps.td - kernels and loops ---------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TILECONTROLOPS
#define TILE_DIALECT_TILE_IR_TILECONTROLOPS

include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/ValueBoundsOpInterface.td"
include "Tile/Dialect/Tile/IR/TileAttrs.td"

// An op with one block whose leading arguments are induction variables.
class Tile_RegionOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, traits # [
        SingleBlock, NoTerminator, RecursiveMemoryEffects,
        DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
        DeclareOpInterfaceMethods<ValueBoundsOpInterface, ["populateBoundsForIndexValue"]>]> {
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
}

def Tile_KernelOp : Tile_RegionOp<"kernel"> {
  let summary = "a kernel, executed by a grid of blocks";
  let description = [{
    Executes the body once for every point of a grid of one to three dimensions. The blocks run in any order and in parallel;
    they may communicate through atomics only. The arguments of the region are the block coordinates, of which the first one
    varies fastest. The function around the kernel is host code: several kernels in it run one after another.

    A block executes its body op after op. What an op writes, to any memory, later ops of the block see; what it reads, later
    ops do not change. Scalar ops outside of `tile.parallel` (loads, stores, `tile.atomic`) happen once for the block, and their
    results are the same everywhere in it: they may steer `scf.if`, `scf.for` and `scf.while`. Targets insert the barriers
    that this takes and no others; they rest on the following rule.

    Two different arguments of the function do not overlap in memory, unless the function writes through neither of them.
    Elements that two ops must share are reached through one argument, or through views of it.

    `threads` is the number of threads of a block (a target may add threads for partitions of its own). `cluster` groups
    neighbouring blocks on targets that support clusters. Neither affects the result.

    `shared_bytes` is the size of the kernel's arena in shared memory (`tile-plan-shared`). With `persistent_grid`, only as
    many blocks are launched as can run at the same time (`tile-persistent`).

    **Versions.** `facts` (`tile-version-kernels`) are what the kernel may assume about the arguments of the function. Kernels
    with facts are versions of the next kernel of the block whose list is empty: they compute the same, and of all of them one
    runs, the first whose facts hold. A kernel without the list is the only version; it assumes that buffers begin where the
    widest access of a thread may, which a launch checks.

    **Syntax.** An extent is a number or an expression, such as `dim(%a, 0)`, extent 0 of a buffer, or `ceildiv(…, 128)`:
    ```
    tile.kernel (%x, %y) in (ceildiv(dim(%b, 1), 128), ceildiv(dim(%a, 0), 128)) threads(256) { … }
    ```
    The grammar is with `tile.parallel`. What may stand there is host code: it reads no elements.

    **Constraints.**
    - (C1) the grid has 1, 2 or 3 dimensions, as many as the region has arguments;
    - (C2) no static grid extent is negative (an extent of 0 runs nothing, and so does a dynamic one below 0);
    - (C3) `threads` is between 1 and 1024;
    - (C4) `cluster`, when given, has as many entries as the grid, all positive, and divides the static grid extents;
    - (C5) a kernel stands neither in a kernel nor in `tile.parallel`;
    - (C6) `shared_bytes` is not negative (ODS);
    - (C7) `facts` are about buffers that the function around takes, and about dimensions that they have;
    - (C8) a kernel with facts is followed by a version with other facts, or by the one with none.

    **Targets.** All. `cluster` is used from sm_90 on.

    **Errors.** `expected a grid of 1 to 3 dimensions, got 4`; `expected 'threads' between 1 and 1024, got 0`;
    `expected cluster extent 3 to divide grid extent 8 in dimension 0`; `is nested in another kernel`; `expected facts about a
    buffer that the function takes, got argument 3`; `expected a dimension below 2 of argument 0, got 2`; `expected the kernel of
    which this is a version behind it`.

    **Example.**
    ```mlir
    func.func @scale(%x: memref<?xf32>, %y: memref<?xf32>) {
      tile.kernel (%b) in (ceildiv(dim(%x, 0), 256)) threads(128) {
        tile.parallel (%i) in (256) do %y[%b * 256 + %i] = %x[%b * 256 + %i] * 2.0
      }
      return
    }
    ```
  }];
  let arguments = (ins
    Variadic<Index>:$dynamicGrid,
    DenseI64ArrayAttr:$staticGrid,
    DefaultValuedAttr<I64Attr, "128">:$threads,
    OptionalAttr<DenseI64ArrayAttr>:$cluster,
    OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$shared_bytes,
    UnitAttr:$persistent_grid,
    OptionalAttr<Tile_FactArrayAttr>:$facts);
  let extraClassDeclaration = [{
    /// The grid extents, outermost argument first.
    SmallVector<OpFoldResult> getMixedGrid();
    /// Whether it runs only where its facts hold.
    bool isConditional() { return getFacts() && !getFacts()->empty(); }
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_ParallelOp : Tile_RegionOp<"parallel"> {
  let summary = "independent iterations, distributed over the threads of a block";
  let description = [{
    Executes the body for every point of an iteration space. The iterations are independent and their order is undefined; the
    extents need not be multiples of the number of threads. The body is ordinary MLIR on scalars: `memref.load` and
    `memref.store` on buffers of any space, `arith`, `math`, `scf.if`, `scf.for`. A `#tile.local` buffer is private to each
    iteration. An integer divided by 0, and the smallest one by -1, give some number and nothing worse: what is read past the end
    of a buffer is 0. `arith.fptosi` and `arith.fptoui` saturate, and make 0 of a NaN (rule 4 of the dialect); the amount of a
    shift counts modulo the bits of the type. On Ascend, shifts by more bits give some number.

    `coalesced_width` is the number of consecutive innermost iterations of one thread. `layout` maps iterations to threads
    and to steps of a thread (registers); `tile-infer-layout` sets it if it is missing.

    **Syntax.** Behind `do` the body is one statement, or several in braces, instead of a region:
    ```
    tile.parallel (%i, %j) in (128, 64) do %c[%i, %j] = max(%c[%i, %j] + %bias[%x * 64 + %j], 0.0)
    tile.parallel (%i, %j) in (128, 64) do {
      %e = exp2(%s[%i, %j] - %max[%i])
      %s[%i, %j] = %e
      %o[%i, %j] = f16(%e)
    }

    body       ::= `do` (`fastmath` `<` flags `>`)? (statement | `{` statement* `}`)
    statement  ::= value-id (`[` indices `]`)? `=` expression
                 | `if` expression `{` statement* `}` (`else` `{` statement* `}`)?
                 | `for` value-id `=` expression `to` expression `{` statement* `}`
                 | (value-id `=`)? `tile.atomic` kind expression `,` value-id `[` indices `]` attributes?
                 | `tile.device_assert` expression `,` string | `tile.print` expression (`,` string)?
    expression ::= sum ((`==` | `<>` | `<` | `<=` | `>` | `>=`) sum)?
    sum        ::= product ((`+` | `-`) product)*
    product    ::= unary ((`*` | `/` | `floordiv` | `ceildiv` | `mod`) unary)*
    unary      ::= `-` unary | number | `inf` | `nan` | value-id (`[` indices `]`)? | `(` expression `)`
                 | `dim` `(` value-id `,` number `)` | symbol-id | function `(` expression (`,` expression)* `)`
                 | `sum` `(` value-id `=` expression `to` expression `,` expression `)`
    indices    ::= (expression (`,` expression)*)?
    ```
    The same expressions, but for elements of buffers and sums, stand in the place of other operands: of bounds and extents, of offsets
    in regions, of values (`tile.fill`) and conditions (`tile.assume`).

    The parser makes the ops that the statements stand for, in the order in which they are read: `memref.load` and
    `memref.store` of elements, `arith` and `math` ops, one `affine.apply` for the arithmetic of an index, `scf.if` and `scf.for`. A
    name that a statement defines holds to the end of the braces around. An id takes a `-` that follows it at once, so `-` stands
    between spaces.

    - Both operands of an operator have one type, and nothing is converted silently: `f16(…)`, `bf16(…)`, `f32(…)`, `f64(…)`,
      `i1(…)` to `i64(…)` and `index(…)` convert, with integers as signed ones and `i1` as 0 or 1; `i1(…)` is true of all but
      zero. A number takes the type of what it is combined with, or of the element that is written.
    - `/` divides floats and signed integers. Indices have `floordiv`, `ceildiv` and `mod`, and products of two; `ceildiv(a, b)` is
      `a ceildiv b`. They are divided by numbers above 0; another divisor, such as an extent, counts as 1 where it is below 1.
    - `do fastmath<afn>` gives the flags to all ops of the body that take them: functions and divisions are those of the chip,
      with the accuracy that it documents, in the place of exact ones.
    - `sum(%l = 0 to %n, %x[%i + %l])` is the sum of the terms for `0, 1, …` below `%n`, added to 0 in this order.
    - `dim(%a, 0)` is an extent of a buffer, `@BM` the value of a parameter (`tile.param`). Both are indices.
    - Comparisons are ordered (`<>` is true of a NaN) and signed.
    - `select(c, a, b)`; for floats and signed integers `max`, `min`, `abs`, `rem`; for floats `maxnum`, `minnum`, `exp`, `exp2`,
      `expm1`, `log`, `log2`, `log1p`, `sqrt`, `rsqrt`, `sin`, `cos`, `tanh`, `erf`, `floor`, `ceil`, `round`, `pow`, `fma`; for
      integers `and`, `or`, `xor`, `shl`, `shr`, `ushr`, `umax`, `umin`, `udiv`, `urem`.

    `tile-opt --print-short-form` prints this form where reading it gives back the same body, and the region elsewhere: around
    `if`, `for`, `sum`, `tile.atomic` and divisions by what is no number.

    **Constraints.**
    - (C1) at least one dimension, as many as region arguments;
    - (C2) no static extent is negative, and the product of the static ones is less than 2^31;
    - (C3) `coalesced_width` is positive and divides the innermost extent when that is static;
    - (C4) no `tile.parallel`, no `tile.kernel` and no collective tile op in the body;
    - (C5) `layout` has the shape of the iteration space, which is static then, goes to steps of threads, and gives each
      iteration a place of its own;
    - (C6) no two iterations touch the same element of a buffer with a write among the two (checked by
      `tile-verify-semantics` where indices are affine). Combine through `tile.atomic` or `tile.reduce` instead.

    **Targets.** All.

    **Errors.** `expected at least one iteration dimension`; `expected less than 2^31 iterations, got extents 65536x65536; divide
    them among blocks`; `is nested in another 'tile.parallel'; merge the two into one
    iteration space`; `two iterations write the same element of the buffer` (`tile-verify-semantics`).

    **Example.**
    ```mlir
    func.func @outer_sum(%a: memref<128xf32>, %b: memref<64xf32>, %c: memref<128x64xf32>, %d: memref<128x64xf32>) {
      tile.kernel (%bx) in (1) {
        tile.parallel (%i, %j) in (128, 64) {
          %x = memref.load %a[%i] : memref<128xf32>
          %y = memref.load %b[%j] : memref<64xf32>
          %s = arith.addf %x, %y : f32
          memref.store %s, %c[%i, %j] : memref<128x64xf32>
        }
        // The same in short.
        tile.parallel (%i, %j) in (dim(%d, 0), dim(%d, 1)) do %d[%i, %j] = %a[%i] + %b[%j]
      }
      return
    }
    ```
  }];
  let arguments = (ins
    Variadic<Index>:$dynamicExtents,
    DenseI64ArrayAttr:$staticExtents,
    OptionalAttr<I64Attr>:$coalesced_width, OptionalAttr<Tile_LayoutAttr>:$layout);
  let extraClassDeclaration = [{
    SmallVector<OpFoldResult> getMixedExtents();
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_PipelinedOp : Tile_RegionOp<"pipelined", [
    DeclareOpInterfaceMethods<LoopLikeOpInterface, [
      "getLoopInductionVars", "getLoopLowerBounds", "getLoopUpperBounds", "getLoopSteps"]>]> {
  let summary = "a serial loop whose iterations may overlap";
  let description = [{
    Executes the body for `lb, lb + step, …` below `ub`, with the semantics of a serial loop. A target may overlap the copies
    of later iterations with the computation of earlier ones (software pipelining); `stages` is the number of iterations
    that may be in flight (1: no overlap). Any trip count is legal, including 0, 1 and fewer than `stages`.

    `order` and `stage` specify the schedule by hand, with one entry for each top-level op of the body that accesses memory:
    its position in the steady state, and by how many iterations it is delayed.

    **Syntax.** Bounds and step are numbers or expressions (`tile.parallel`); a step of 1 is left out:
    ```
    tile.pipelined %k = 0 to ceildiv(dim(%a, 1), 64) stages(3) { … }
    tile.pipelined %k = 0 to %x * 2 + 2 { … }
    ```

    **Constraints.**
    - (C1) there are three bounds, and a static step is positive;
    - (C2) `stages` is between 1 and 16;
    - (C3) `order` and `stage` are given together, have one entry for each schedulable op, `order` is a permutation of
      0, 1, …, and the entries of `stage` are not negative;
    - (C4) not inside `tile.parallel`.

    **Targets.** All; the CPU runs it serially.

    **Errors.** `expected a positive step, got 0`; `expected 'stages' between 1 and 16, got 0`;
    `expected 3 entries in 'order', one for each schedulable op, got 2`.

    **Example.**
    ```mlir
    func.func @row_sum(%a: memref<64x?xf32>, %s: memref<64xf32>) {
      tile.kernel (%b) in (4) {
        %t = tile.alloc : memref<16x128xf32, #tile.shared>
        %acc = tile.alloc : memref<16xf32, #tile.fragment>
        tile.fill %acc, 0.0
        tile.pipelined %k = 0 to ceildiv(dim(%a, 1), 128) stages(2) {
          tile.copy %a[%b * 16, %k * 128], %t
          tile.reduce sum %t, %acc dim(1) {combine}
        }
        tile.copy %acc, %s[%b * 16]
      }
      return
    }
    ```
  }];
  let arguments = (ins
    Variadic<Index>:$dynamicBounds,
    DenseI64ArrayAttr:$staticBounds,
    DefaultValuedAttr<I64Attr, "1">:$stages,
    OptionalAttr<DenseI64ArrayAttr>:$order,
    OptionalAttr<DenseI64ArrayAttr>:$stage);
  let extraClassDeclaration = [{
    /// Lower bound, upper bound and step, in this order.
    SmallVector<OpFoldResult> getMixedBounds();
    /// The ops that `order` and `stage` speak of: top-level ops with memory effects.
    SmallVector<Operation *> getSchedulableOps();
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_PersistentOp : Tile_RegionOp<"persistent"> {
  let summary = "a static tile scheduler: a domain of tiles, distributed over the blocks of the grid";
  let description = [{
    Visits every tile of a domain of one to three dimensions exactly once over all blocks of the kernel: the block with
    linear number `p` of `P` processes the tiles `p, p + P, p + 2P, …` in rasterisation order. That order goes through
    groups of `group` tiles along the first dimension, so that neighbouring blocks share operands in the cache; it does not
    affect the result of a kernel without races between tiles.

    **Syntax.** As of `tile.kernel`: an extent is a number or an expression.

    **Constraints.**
    - (C1) the domain has 1, 2 or 3 dimensions, as many as region arguments;
    - (C2) no static extent is negative;
    - (C3) `group` is positive;
    - (C4) it is directly in the body of a `tile.kernel` or of one of its partitions: all blocks reach it.

    **Targets.** All.

    **Errors.** `expected a domain of 1 to 3 dimensions, got 0`; `expected a positive 'group', got 0`; `expected to be
    directly in the body of a 'tile.kernel'`.

    **Example.**
    ```mlir
    func.func @zero_tiles(%c: memref<512x?xf32>) {
      tile.kernel (%p) in (3) {
        %t = tile.alloc : memref<128x128xf32, #tile.fragment>
        tile.fill %t, 0.0
        tile.persistent (%m, %n) in (4, ceildiv(dim(%c, 1), 128)) group(2) {
          tile.copy %t, %c[%m * 128, %n * 128]
        }
      }
      return
    }
    ```
  }];
  let arguments = (ins
    Variadic<Index>:$dynamicDomain,
    DenseI64ArrayAttr:$staticDomain,
    DefaultValuedAttr<I64Attr, "8">:$group);
  let extraClassDeclaration = [{
    SmallVector<OpFoldResult> getMixedDomain();
  }];
  let hasVerifier = 1;
}

#endif // TILE_DIALECT_TILE_IR_TILECONTROLOPS
