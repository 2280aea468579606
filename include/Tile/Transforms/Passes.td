//===- Passes.td - passes over the tile dialect ------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_PASSES
#define TILE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"
include "Tile/Transforms/SchedulePasses.td"
include "Tile/Transforms/HostPasses.td"
include "Tile/Transforms/ViewPasses.td"

def VerifyDialectsPass : Pass<"tile-verify-dialects"> {
  let summary = "rejects ops and types of dialects that are not registered, and misspelt attributes";
  let description = [{
    Contexts may take ops of dialects that nobody registered (`--allow-unregistered-dialect`, `allowUnregisteredDialects`).
    Nothing can lower them, and upstream's conversions and its inliner ask for their dialect. This pass stands first in every
    pipeline and rejects them, in host code and kernels alike. Attributes of unknown dialects mean nothing here and stay;
    one without the name of a dialect that is none of a tile, world or ascend op is rejected, as it would be ignored.

    **Errors.** `no registered dialect has an op 'foo.bar'; lower it, or register its dialect and give it a lowering`;
    `'func.func' has a value of type '!foo.thing', which no registered dialect has`; `'tile.scan' has no attribute 'exclusive'; its
    attributes are dim, is_unsigned, kind, reverse`.

    **Example.** Unchanged, since the `func`, `tile`, `arith` and `memref` dialects are registered; with an op
    `"foo.number"() : () -> f32` in the place of the constant, an error:
    ```mlir
    func.func @ones(%x: memref<32xf32>) attributes {foo.origin = "a frontend"} {
      tile.kernel (%b) in (1) {
        tile.parallel (%i) in (32) {
          %v = arith.constant 1.0 : f32
          memref.store %v, %x[%i] : memref<32xf32>
        }
      }
      return
    }
    ```
  }];
}

def SetTargetPass : Pass<"tile-set-target", "::mlir::ModuleOp"> {
  let summary = "resolves the target of a module";
  let description = [{
    Writes the target on the module as `tile.target`, where all other passes read it. It is the one that the option `chip` names,
    or that the attribute `tile.target` of the module or of an op in it names, or else the one of the option `default`. A module
    is compiled for one target: whatever names another one is an error.

    This pass, `tile-inline-calls`, `tile-bind-parameters`, `tile-verify-semantics`, `tile-legalize-accesses` and
    `tile-fold-views` stand at the head of every pipeline. The pipelines have the option `chip`; the passes behind have none.

    `family` restricts the targets to those of a pipeline: `GPU`, or a vendor as in docs/targets.md.

    **Errors.** `'tile.target' names 'sm_80', but the option 'chip' names 'sm_90a'; leave one of them out`; `'tile.target' names
    'sm_80', but another one names '910B'; a module is compiled for one target`; `expected an NVIDIA target, got '910B'; known
    NVIDIA targets: …`; `expected a target; give the option 'chip' or the module the attribute 'tile.target'`.

    **Example.** `tile-set-target{chip=sm_90a}` makes of a module without a target
    ```mlir
    module attributes {tile.target = #tile.target<"sm_90a">} {
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"", "the target: a name of docs/targets.md">,
    Option<"defaultChip", "default", "std::string", /*default=*/"", "the target where nothing names one">,
    Option<"family", "family", "std::string", /*default=*/"", "the targets that are taken: GPU or a vendor">
  ];
  let dependentDialects = ["::mlir::tile::TileDialect"];
}

def InlineCallsPass : Pass<"tile-inline-calls", "::mlir::ModuleOp"> {
  let summary = "inlines the functions that kernels call, and those that launch kernels";
  let description = [{
    Replaces each `func.call` in a kernel by the body of the function, and the calls in that body likewise: no device code of
    this compiler has calls. Such a function is ordinary code without a kernel of its own; it may take tiles of any memory
    space and, if it is private, allocate tiles (`tile.alloc`), which are new ones for each call. It has one block, so branches
    are written as `scf.if`. The ops of a body have to be legal where the call is; they keep their location and that of the
    call.

    In host code, a call of a function that launches kernels is replaced, too, so that a function may be made of several; one that
    calls itself or has several blocks stays, and runs on the CPU alone. Other calls in host code stay.

    A private function that was inlined everywhere is removed, and so is one with tiles that nobody calls.

    A remark tells how many calls of a kernel were inlined.

    **Errors.** `calls '@f', which calls itself; write the recursion as a loop`; `calls '@f', which has no body; kernels call
    functions of their module`; `calls '@f', which has a 'tile.kernel' of its own; call it from host code`; `calls '@f', whose
    body has 2 blocks; write its branches as 'scf.if' and its loops as 'scf.for'`; `is an indirect call; kernels call functions
    by their names`; `makes more than 1024 calls in one kernel; write repeated calls as a loop`; `makes more than 1024 kernels of one function;
    write repeated calls as a loop`; `allocates a buffer in 'shared'
    memory, but the function around it is called outside of kernels`.

    **Example.** A part of a softmax that several kernels share:
    ```mlir
    func.func private @scale_rows(%x: memref<64x32xf32, #tile.fragment>, %by: memref<64xf32, #tile.fragment>) {
      tile.parallel (%i, %j) in (64, 32) {
        %v = memref.load %x[%i, %j] : memref<64x32xf32, #tile.fragment>
        %s = memref.load %by[%i] : memref<64xf32, #tile.fragment>
        %r = arith.mulf %v, %s : f32
        memref.store %r, %x[%i, %j] : memref<64x32xf32, #tile.fragment>
      }
      return
    }
    func.func @row_shares(%a: memref<64x32xf32>, %s: memref<64xf32>, %b: memref<64x32xf32>) {
      tile.kernel (%k) in (1) {
        %x = tile.alloc : memref<64x32xf32, #tile.fragment>
        %f = tile.alloc : memref<64xf32, #tile.fragment>
        tile.copy %a, %x : memref<64x32xf32>, memref<64x32xf32, #tile.fragment>
        tile.copy %s, %f : memref<64xf32>, memref<64xf32, #tile.fragment>
        func.call @scale_rows(%x, %f) : (memref<64x32xf32, #tile.fragment>, memref<64xf32, #tile.fragment>) -> ()
        tile.copy %x, %b : memref<64x32xf32, #tile.fragment>, memref<64x32xf32>
      }
      return
    }
    ```
  }];
}

def BindParametersPass : Pass<"tile-bind-parameters", "::mlir::ModuleOp"> {
  let summary = "gives the parameters of kernels their values";
  let description = [{
    Replaces each `tile.get_param` by the value of its `tile.param` and removes the parameters. The value is the one that the
    option `bindings` gives (`"BM=64 BK=32"`) or else the attribute `tile.bindings = {BM = 64, BK = 32}` of the module, or else
    the default. Tiles whose extents are computed from parameters get static shapes, clauses such as `stages(@p)` get their
    numbers, and `tile.require` is checked.

    Later passes see static tiles only: a tile whose extents are computed from anything else is an error, in a kernel or as the
    argument of a function that is left.

    A remark names the values.

    **Errors.** `cannot bind '@BX'; the parameters are @BK, @BM`; `cannot bind '@BM' to 96; expected one of 64, 128`;
    `expected bindings NAME=VALUE, got 'BM'`; `binds '@BM' twice`; `the parameters do not meet this requirement: …`; `expected a
    condition of parameters and constants`; `expected extents of parameters and constants in a tile of 'memref<?xf32,
    #tile.shared>'`; `expected positive extents, got 0x16`; `needs a tile of static shape, got 'memref<?xf32, #tile.shared>'`.

    **Example.** `tile-bind-parameters{bindings=BM=64}` makes of
    ```mlir
    tile.param @BM = 128 in [64, 128, 256]
    func.func @clear() {
      %bm = tile.get_param @BM
      %zero = arith.constant 0.0 : f32
      tile.kernel (%b) in (1) {
        %t = tile.alloc(%bm) : memref<?x16xf32, #tile.shared>
        tile.fill %t, %zero : memref<?x16xf32, #tile.shared>
      }
      return
    }
    ```
    a kernel with a tile of `memref<64x16xf32, #tile.shared>`.
  }];
  let options = [Option<"bindings", "bindings", "std::string", /*default=*/"",
                        "values of parameters: NAME=VALUE, separated by spaces or commas">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LegalizeAccessesPass : Pass<"tile-legalize-accesses"> {
  let summary = "makes out-of-bounds accesses of single elements explicit";
  let description = [{
    A scalar read outside of a global buffer yields the buffer's padding value, a write outside of it is dropped (rule 1
    of the dialect). The ops of `memref`, `affine` and `vector` do not follow this rule. The pass makes it explicit, so
    that later passes and targets see ordinary accesses that are in bounds.

    In kernels, each scalar access of a global buffer is wrapped in an `scf.if` whose condition is the conjunction of the
    bounds that cannot be proven. Bounds that are known to hold need no condition, and an access that is known to be in
    bounds, by loop ranges, by affine guards around it or by `tile.assume`, is unchanged. The other branch yields the value
    of `tile.padding_value`, or 0. Atomics are handled in the same way; the old value that they return is then the
    padding value. Accesses of one-dimensional vectors become masked. Index arithmetic is assumed not to overflow.

    So are elements of tiles whose index comes from data: `tile-verify-semantics` has refused what leaves a tile for certain,
    and what cannot be proven to stay in it is guarded here. The ranges of types, masks and remainders count as proofs: an
    index from an i4, or from `arith.andi %v, %c15`, needs no guard in a table of 16.

    Unchanged are tile ops, whose semantics include the rule, accesses outside of kernels, masked and indirect vector
    accesses, and `vector.transfer_read` and `vector.transfer_write`, which define out-of-bounds accesses themselves.

    On GPUs, where a branch of the program yields what it reads, or else the same as the guard, the two become one branch.

    A remark reports how many accesses of each kernel are guarded and how many are proven to be in bounds.

    **Errors.** `a vector of 2 dimensions may leave the bounds of the global buffer; access it in vectors of 1 dimension`,
    the same of a tile;
    `no padding value for elements of 'complex<f32>'; give one with 'tile.padding_value'`.

    **Example.**
    ```mlir
    func.func @legalize(%x: memref<?xf32>, %y: memref<1024xf32>) {
      tile.kernel (%b) in (4) {
        tile.parallel (%i) in (256) {
          %p = affine.apply affine_map<(b, i) -> (b * 256 + i)>(%b, %i)
          %v = memref.load %x[%p] : memref<?xf32>
          memref.store %v, %y[%p] : memref<1024xf32>
        }
      }
      return
    }
    ```
    The store is in bounds. The load becomes
    ```
    %n = memref.dim %x, %c0 : memref<?xf32>
    %inside = arith.cmpi slt, %p, %n : index
    %v = scf.if %inside -> (f32) {
      %l = memref.load %x[%p] : memref<?xf32>
      scf.yield %l : f32
    } else {
      scf.yield %zero : f32
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def VerifySemanticsPass : Pass<"tile-verify-semantics"> {
  let summary = "rejects races, out-of-bounds tiles, divergent collective ops and reads of unwritten tiles";
  let description = [{
    The verifier of an op checks that op. This pass checks the program around it and rejects errors that a device would not
    report. It changes nothing, runs on any op, and is part of the beginning of every pipeline. It reports an error only if
    the error is *proven*; a remark tells where nothing could be proven.

    **Names.** Functions and device modules have names that are identifiers of C: they become names in the code of every target.

    **Divisors.** The maps of an op divide by numbers of at least 1.

    **Depths.** Analyses are recursive: indices, integers and buffers are computed by at most 1024 ops in a row, ops lie in at
    most 128 regions, and a chain of `affine.apply` makes an expression of at most 4096 terms.

    **Spaces.** A kernel accesses only its own tiles; tiles are allocated by `tile.alloc`; a buffer in `#tile.local`, which
    is private to each iteration, is not indexed by the iteration.

    **Bounds.** An index or region exceeds a tile in some execution. Loop ranges, affine guards and `tile.assume` are taken
    into account. Under a guard that is not affine, only accesses that are never in bounds are reported. Global buffers may
    be exceeded (rule 1 of the dialect).

    **Control flow.** Collective ops, and loops over tiles, under a condition or loop whose operands may differ between the
    threads of a block: values computed from thread or lane ids, or read from `#tile.local`.

    **Races of iterations.** Two iterations of a `tile.parallel` access the same element of a buffer, at least one of them
    by a write; two atomics do not conflict. Indices and guards are affine expressions of iteration variables, inner loops,
    block coordinates and loop-invariant values; accesses through views are compared in the underlying buffer. The decision
    is exact. If it depends on unknown values, a race is reported if it exists for all of them, with dynamic extents of at
    least 2.

    **Races of blocks.** Two blocks of a kernel write the same element of a global buffer, decided in the same way.

    **Reads.** A tile is read before anything is written to it: each of its writes comes behind the read in the program, the
    first iteration of the loops around both included, or writes other elements. Reads of a part of which some elements are
    written are not reported, nor are values that an `arith.select` or a branch may leave aside. `tile-run` fills tiles with
    NaN, so that what cannot be proven is seen there.

    Buffers of different allocations or arguments are assumed not to alias, and index arithmetic not to overflow.

    **Errors.** `expected a name of letters, digits and '_' that does not begin with a digit, got 'my-kernel'`; `the
    name 'malloc' is one of those that compiled code uses itself; choose another one`; `has integers of more than 128 bits; split
    them into parts`; `expected divisors of at least 1, got 0`; `is computed by more than 1024 ops in a row; write them as a loop`; `lies in more than 128
    regions; put a part of them into a function`; `makes an expression of more than 4096 terms with the maps that it is applied
    to; compute a part of it with 'arith' ops`; `two iterations write the same element of the buffer: iterations (0, 0) and (0, 1) both touch [0]`;
    `one iteration writes what another one reads: …`; `one iteration updates atomically what another one reads: …` (or
    `writes`); `two blocks write the same element of the buffer: blocks (0) and (1) both touch [0, 0]`; `must be reached
    by all threads of the block, but the condition of 'scf.if' may differ between threads`; `has bounds that may differ
    between threads`; `index 128 exceeds dimension 1 of the buffer (128)`; `region of size 64 at offset 96 exceeds
    dimension 0 of the buffer (128)`; `index -1 falls below dimension 0 of the buffer (64)`; `uses a buffer in 'shared'
    memory that is not its own; allocate it in the kernel with 'tile.alloc'`; `cannot allocate a buffer in 'shared'
    memory; use 'tile.alloc'`; `indexes a buffer in 'local' memory by iteration variable 0, but each iteration has a
    buffer of its own; …`; `reads what nobody has written; write it before, as by 'tile.fill' or 'tile.copy'`.

    **Example.** Rejected, because all `%j` add to the same element:
    ```mlir
    func.func @row_sums() {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<64x64xf32, #tile.shared>
        %sum = tile.alloc : memref<64xf32, #tile.shared>
        tile.parallel (%i, %j) in (64, 64) {
          %old = memref.load %sum[%i] : memref<64xf32, #tile.shared>
          %v = memref.load %x[%i, %j] : memref<64x64xf32, #tile.shared>
          %new = arith.addf %old, %v : f32
          memref.store %new, %sum[%i] : memref<64xf32, #tile.shared>
        }
      }
      return
    }
    ```
  }];
}

def VersionKernelsPass : Pass<"tile-version-kernels"> {
  let summary = "makes versions of kernels for sizes that allow faster instructions";
  let description = [{
    Some instructions need facts that a dynamic size does not give: a tensor copy needs rows of a multiple of 16 bytes and a
    tensor that is not empty, an access of a vector needs rows that are multiples of the vector. Where such facts would change
    the instruction of a copy, the kernel becomes several, which the launch chooses from (`facts` of `tile.kernel`).

    For the widest access of a thread of the chip (`vectorBytes` of its record) the candidates are: each dynamic extent of a
    buffer of the function is at least 1, rows are multiples of it, and buffers begin at one. A candidate without which all
    copies have the same instructions is dropped; that buffers begin at one is also asked of those of which single elements
    are read, since neighbours may become vectors. Sizes that `tile.shape` gives one name are one number, and what `tile.shape`
    and `tile.align` state is no candidate. Where stores alone need multiples of vectors and loads have tensor copies, a second
    version leaves those out. The last version assumes nothing.

    **Padded operands.** What a `tile.gemm` in a loop with stages multiplies, or what becomes its operand there, as codes and their
    scales do, is loaded from buffers that several blocks share. Those of two or three dimensions have a version for rows of any
    length: a kernel before this one copies each such buffer to a workspace of whole tiles, with zeros behind what there is, and the
    version reads that, by tensor copies where the chip has them. Sums must have 128 terms, since shorter ones take less time
    than another kernel takes to start. Where rows of the buffers have lengths of their own, there are versions in which one
    that is aligned is read as it is, and the others are copied: first that of the fewest bits, since weights are larger than
    what they are multiplied by, then that of the largest tile. The kernel that copies has the numbers of the arguments as
    `tile.pads`, the facts of the versions that read its copies, and versions with an empty grid for where another version
    runs. The kernel must not write the buffers, whose padding value is 0. The workspace is as large as they are, and each call
    that needs copies fills it. A kernel has at most four versions, the last one counted: of those that copy a part of the operands,
    the later ones are left out.

    Other kernels have a version for the widest vectors that the chip copies asynchronously and that are not the widest of all,
    if there are any, so that odd sizes have a pipeline, too.

    Kernels whose buffers have static shapes stay as they are.

    A remark names the facts of each version.

    **Example.** For `sm_90a`
    ```mlir
    func.func @columns(%a: memref<?x64xf16> {tile.shape = "Nx64"}) {
      tile.kernel (%b) in (1) {
        %t = tile.alloc : memref<64x64xf16, #tile.shared>
        tile.pipelined %k = 0 to 4 stages(2) {
          tile.copy %a[%k * 64, 0], %t : memref<?x64xf16>, memref<64x64xf16, #tile.shared>
        }
      }
      return
    }
    ```
    becomes
    ```
    tile.kernel (%b) in (1) attributes {facts = [#tile.fact<size, argument = 0, min = 1>,
                                                 #tile.fact<address, argument = 0, multiple = 16>]} {
      …
    }
    tile.kernel (%b) in (1) attributes {facts = []} {
      …
    ```
  }];
}

def SelectInstructionsPass : Pass<"tile-select-instructions"> {
  let summary = "chooses the instructions of gemms and copies for a chip";
  let description = [{
    Sets `instruction` on every `tile.gemm` of the kernels: the first family of the chip that covers the tile exactly. On
    NVIDIA these are `wgmma` (whole warpgroups; `b` and `a` in shared memory, or `a` in a fragment; M contiguous or N
    contiguous for 16-bit elements only; no rounding to tf32), `mma`, and `fma`, which takes everything. The tables of the
    chip list the types and sizes (`docs/targets.md`). Floating-point accumulation is in f32 (f64) whatever the type of `c`.

    `policy` distributes the warps over the tile: `square` so that they read as little of `a` and `b` as possible,
    `full_row` and `full_col` with as many warps as fit along M or N. Warpgroups are placed along M first unless the policy
    is `full_col`. Surplus warps compute the same as others.

    A gemm that accumulates to a tile that the op before filled with zeros gets `clear` instead of the fill.

    **Few rows.** A gemm whose tile has fewer rows than the fastest instructions of the target, or no multiple of them, is
    computed as its transpose if that fits: operands are swapped, and so are the dimensions of its f32 accumulator in all
    gemms, `tile.fill` and `tile.parallel` that use it. Copies of the accumulator to global f16, bf16 or f32 become a
    `tile.parallel`. An accumulator with other uses stays. The remark is `SwappedOperands`; written by hand, it is the
    transposed gemm.

    The pass also sets `instruction` on every `tile.copy`. Directly in a `tile.pipelined` loop of at least 2 stages, copies
    from global to shared memory become `tma` if the chip has it, both element types are the same, the whole tile is filled,
    and the rows of the tensor are known to be multiples of 16 bytes, by their type or from `tile.assume`; or else `cp_async`
    in vectors of 16, 8 or 4 bytes that are known to be aligned. A tensor copy reads zeros outside of the tensor, so it is not
    used with another `tile.padding_value`; a tile of which `cp_async` would read outside is copied element by element.
    On AMD GPUs, `cp_async` is a load to LDS (`global_load_lds`): 4 bytes of a lane on gfx942 and, which makes it the
    default there, 4 or 16 on gfx950; elsewhere registers are wider, and `prefer(cp_async)` asks for it. Its lanes write
    side by side, so the layout has to fill shared memory without gaps; a swizzle decides which element a lane reads, and
    vectors outside of the buffer are stored by the threads. Where
    a loop of the kernel has such a copy by `tma`, or such a gather, copies of tiles directly in the kernel are `tma` under the
    same conditions, so that its producer fills them too, ahead of the loop. Where it only gathers, a tile that the kernel
    fills again behind the loop is another tile from there: a producer loads no tile that others write. In a kernel without
    pipelined loops, copies directly in it to shared memory are `cp_async` where vectors have the full width, if registers on
    their way would be half of those that a thread of a full processor has. All other copies are
    `sync`; `bytes` is the widest vector that the buffers in memory are known to allow. Buffers of kernels begin at multiples of
    16 bytes, which a launch checks, unless
    `tile.align` or the `facts` of the kernel say otherwise.

    **Epilogue.** If the chip has tensor copies and `stmatrix`, a copy of an accumulator of matrix instructions to a global
    f16 or bf16 buffer is staged through a shared tile, which a tensor store empties while the block continues. The copy has
    to be directly in the kernel, the only access of that buffer in it, and meet the conditions of `tma` above; and the tile
    has to fit into shared memory without taking a third stage from any loop. Where rows are not known to be multiples of 16
    bytes, the threads empty the tile, row by row, in vectors that are shifted if a row begins between two of them.

    **Atomic sums.** On such a chip, a `tile.atomic add` of an f32 accumulator of matrix instructions to global memory in a loop
    goes through a shared tile, too, which the copy engine adds to what there is (`instruction = #tile.transfer<tma>`), under the
    same conditions. The remark `StagedAtomic` says so, or why not.

    **Halves of columns.** The rows of a tile may be keys and values: one gemm of a loop adds up their columns, and the last one of the
    iteration has them as columns of its sums. If the loop has two stages, a tensor copy or a gather of whole rows (`cp_async`, of
    a buffer and by a list of known sizes) fills the tile, and nothing else reads it, the tile becomes two of half the columns, with copies and gemms of their own, and so do the sums and what the rows are
    multiplied with: `tile-schedule` gives each its stages, and lets the gemm of the second half run beside the beginning of the next
    iteration, while the first half is loaded. The sums may be filled, read and written element by element where the column does
    not matter, and copied to global memory or to a shared tile; each half must have whole blocks of the swizzled tile for each group of warps, the registers must
    hold all fragments and 28 others, and a block has to be alone on its processor. The remark is `DividedColumns`; written by hand, it
    is a program with two tiles and two sums.

    **Rows in registers.** Instructions of several warps read both operands from shared memory, A as often as B where they have at
    most 64 columns. If the gemms of a loop have an A that the loop does not change, or if several gemms of an iteration have the
    same one, its rows are loaded to a fragment, in front of the loop or of the first of the gemms. K has to be contiguous, copies
    and gathers have to fill the tile as a whole, nothing else may write to it, a thread needs registers for its rows beside
    all other fragments, and a block has to be alone on its processor: several hide each other's waits, and registers bound how many
    there are. Where registers are left for a part of the columns alone, at least those of one block of the swizzled tile (64 of
    16 bits), and K of B is contiguous, too, the gemm becomes one of these columns and one of the rest, which stays in shared memory;
    both take `memref.subview`s of B. A gemm beside another one that adds more products to the same sums is left alone.
    The remark is `RegisterOperand`, with `columns` for a part; written by hand, it is a `tile.copy` to a fragment.

    With `async=false`, asynchronous copies are chosen only by `prefer`, and no operand goes to registers.

    `prefer` is binding: if the family cannot be used, this is an error, and so is a `coalesced_width` that is not known to
    be aligned. An existing `instruction` is kept.

    A remark names the choice, another one the reason why a faster family was not chosen.

    **Errors.** `cannot use 'wgmma' on sm_90a: expected a multiple of 4 warps, got 2`; `cannot use 'tma' on sm_80: sm_80 has
    no tma`; `cannot use vectors of 8 elements: they are known to be aligned to 2`; `expected a target; run
    'tile-set-target' first or give the module the attribute 'tile.target'`; `expected a GPU target, got 'generic'; …`.

    **Example.** For `sm_90a`, a gemm of 128x128x32 halves on 128 threads gets
    ```
    tile.gemm %as, %bs, %acc {instruction = #tile.mma<wgmma, m = 64, n = 128, k = 16, warps_m = 4, warps_n = 1>} : …
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tile::TileDialect"];
  let options = [Option<"async", "async", "bool", /*default=*/"true",
                        "choose asynchronous copies in pipelined loops, which 'tile-schedule' completes">];
}

def InferLayoutPass : Pass<"tile-infer-layout"> {
  let summary = "assigns layouts to shared tiles, fragments and loops";
  let description = [{
    Sets `layout` on every `tile.alloc` of shared memory and fragments, and on every `tile.parallel` of static extents. The
    gemms have their instructions (`tile-select-instructions`). Ops take part through `TileLayoutOpInterface`:

    1. *strict*: layouts that instructions require; `tile.annotate_layout` precedes them;
    2. *common*: layouts that follow from known ones. The result of a reduction is held by the threads that hold its
       operands; both fragments of a copy have the same layout; a loop executes each iteration in the thread that holds its
       element of a fragment, of a written one rather than of one that is read; other fragments of the loop follow;
    3. *free*: otherwise, neighbouring lanes hold neighbouring vectors of up to 16 bytes, and warps are distributed over the
       outer dimensions; reductions stay inside of warps if possible. Where rows are reduced that come
       from global memory and return there without shared memory, these are bytes of the widest of those elements: eight
       neighbours of f32 that are bf16 in memory. Small tiles are replicated, so that all threads have a
       value. Any extents and thread counts are supported; threads are rounded up to whole warps.

    The first layout of a buffer is kept. An op that needs another one gets a second buffer and copies around it, and a
    remark reports both layouts and the cost of the conversion. In the same way, operands are moved to a memory that the op
    supports (reductions work on fragments, gemms accumulate in them). If an index of a fragment is not a variable of the
    loop, the element may belong to another thread and is accessed through shared memory.

    Where a tile is a copy of global memory that the kernel does not write, some elements are read there and not in the tile:
    those of a fragment that the block reads, outside of `tile.parallel`, and those of a shared tile that is no asynchronous
    copy, if each is read once and beside its neighbours. A copy that nothing else uses is removed. A loop whose iterations name
    the elements `i + c` of fragments, with a `c` of the block, goes over the elements instead.

    Where the shared memory of the chip has no room for all tiles, some move to registers, with a remark (`TileInRegisters`):
    operands of gemms whose instruction takes them from registers, tiles that loops of one layout compute with, and fragments
    on their way to global memory, if copies and gathers fill them as a whole, and a thread has registers for more. A tile that
    only these fill is a fragment for each layout in which it is read. If that is not enough, gemms of several warps get an
    instruction of one warp, which takes both operands from registers.

    Shared tiles that matrix instructions read have columns of 128 bytes (64 or 32) under the swizzle of that width.

    The result is checked: each thread of a loop owns the elements of fragments that it touches.

    **Errors.** `expected an instruction; run 'tile-select-instructions' first`; `asks for the layout …, but the buffer has
    …`; `needs the layout …, but it is …` (an annotation against an instruction); `cuts through the parts that threads have
    of the fragment, …` (a reshape).

    **Example.** With 128 threads
    ```mlir
    func.func @row_max(%a: memref<64x32xf32>, %m: memref<64xf32>) {
      tile.kernel (%b) in (1) threads(128) {
        %x = tile.alloc : memref<64x32xf32, #tile.fragment>
        %r = tile.alloc : memref<64xf32, #tile.fragment>
        tile.copy %a, %x : memref<64x32xf32>, memref<64x32xf32, #tile.fragment>
        tile.reduce max %x, %r dim(1) : memref<64x32xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
        tile.copy %r, %m : memref<64xf32, #tile.fragment>, memref<64xf32>
      }
      return
    }
    ```
    gives `%x` the layout `[64: 4 reg*4, 4 warp, 4 lane*8][32: 8 lane, 4 reg]` and `%r` `[64: 4 reg, 4 warp, 4 lane*8]
    rep(8 lane)`.
  }];
}

#endif // TILE_TRANSFORMS_PASSES
