//===- Passes.td - from tile to Ascend instructions --------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TILETOASCEND_PASSES
#define TILE_CONVERSION_TILETOASCEND_PASSES

include "mlir/Pass/PassBase.td"

def AscendConvertAffineLoopsPass : Pass<"ascend-convert-affine-loops"> {
  let summary = "makes scf loops of affine ones";
  let description = [{
    `affine.for` in a kernel becomes `scf.for`, whose bounds are `affine.apply`, `affine.max` and `affine.min`: later passes know
    loops of the scf dialect.

    **Example.**
    ```mlir
    func.func @rows(%x: memref<?x64xf32>) {
      %c0 = arith.constant 0 : index
      %n = memref.dim %x, %c0 : memref<?x64xf32>
      tile.kernel (%b) in (1) {
        %t = tile.alloc : memref<64xf32, #tile.shared>
        affine.for %i = 0 to min affine_map<()[n] -> (n, 8)>()[%n] step 2 {
          tile.copy %x[%i, 0], %t
          tile.copy %t, %x[%i, 0]
        }
      }
      return
    }
    ```
    The upper bound becomes `affine.min`.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def AscendWidenBitsPass : Pass<"ascend-widen-bits", "::mlir::ModuleOp"> {
  let summary = "makes bytes of the truth values in buffers";
  let description = [{
    Buffers of `i1`, arguments too, become buffers of `i8`, in which truth values are 0 and 1, as they are in memory: what is
    loaded is compared with 0, and what is stored is widened. A constant of these (`memref.global`) gets a copy of bytes.

    `tile.any_of` and `tile.all_of` become reductions over the dimensions of their tile, the first one first, by bits (`or`; `and`
    of `i1`) or to the smallest unsigned number, and a comparison of the element that is left with 0.

    **Example.**
    ```mlir
    func.func @choose(%c: memref<64xi1>, %x: memref<64xf32>) {
      tile.kernel (%b) in (1) {
        tile.parallel (%i) in (64) do %x[%i] = select(%c[%i], %x[%i], 0.0)
      }
      return
    }
    ```
    The argument is a `memref<64xi8>`, and `arith.cmpi ne` makes the condition.

    No unit of the chips has `f64`: ops in kernels that have such operands or results are refused here.

    **Errors.** `on Ascend, no unit computes with 'f64'; use f32, or keep high and low parts in two of f32`;
    `on Ascend, 'tile.atomic' of elements of type 'i1' is a reduction by bits alone; use tiles of i8`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AscendBoundExtentsPass : Pass<"ascend-bound-extents"> {
  let summary = "divides loops of dynamic extents into static parts";
  let description = [{
    A vector has a number of elements that is known. A dynamic extent of `tile.parallel` becomes a loop around it: over single
    iterations, and where it is the last extent, over as many as one vector instruction has bytes, with a guard of the body for the
    rest. `ascend-fold-guards` drops guards that are the bounds of buffers.

    **Example.**
    ```mlir
    func.func @scale(%x: memref<?x?xf32>) {
      tile.kernel (%b) in (dim(%x, 0)) {
        tile.parallel (%j) in (dim(%x, 1)) do %x[%b, %j] = %x[%b, %j] * 3.0
      }
      return
    }
    ```
    The loop has 256 iterations, in an `scf.for` of this step, and stores to `%x[%b, %first + %j]`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def AscendFoldGuardsPass : Pass<"ascend-fold-guards"> {
  let summary = "drops guards that the bounds of a global buffer imply";
  let description = [{
    `tile-legalize-accesses` guards scalar accesses of global buffers by `scf.if`. Copies between GM and UB stop at the end of a
    buffer by themselves, and a whole `tile.parallel` becomes few of them. This pass undoes a guard whose condition is proven to
    hold wherever the element is in bounds, and whose other branch yields the value that a read out of bounds has (of
    `tile.padding_value`, or 0) or, of a store, does nothing: by rule 1 of the dialect, the access alone means the same.
    Guards that a program has itself, `%i < %n` for the tail of a buffer of `%n` elements, are such guards, too. Of a conjunction
    around a store, the conditions that are not implied stay.

    **Example.**
    ```mlir
    func.func @tail(%x: memref<?xf32>, %n: index) {
      %c0 = arith.constant 0 : index
      %size = memref.dim %x, %c0 : memref<?xf32>
      tile.kernel (%b) in (4) {
        %t = tile.alloc : memref<256xf32, #tile.shared>
        tile.parallel (%i) in (256) {
          %p = affine.apply affine_map<(b, i) -> (b * 256 + i)>(%b, %i)
          %inside = arith.cmpi slt, %p, %size : index
          %v = memref.load %t[%i] : memref<256xf32, #tile.shared>
          scf.if %inside {
            memref.store %v, %x[%p] : memref<?xf32>
          }
        }
      }
      return
    }
    ```
    The store loses its guard.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AscendMergeBranchesPass : Pass<"ascend-merge-branches"> {
  let summary = "leaves guards of single stores of the branches in loops";
  let description = [{
    Vector code computes both sides of a branch in `tile.parallel`. What a branch whose condition differs between iterations
    computes and loads goes before it; where elements are outside of a tile, or before a buffer, unless the condition holds, the
    first element is loaded instead, and not used. A tile of which a loop of the scalar unit so loads what nothing has written begins
    with zeros. Where both sides store to one element, one store of one of two values
    is left; of other stores, each has a guard of its own, which `ascend-fold-guards` may drop. Branches with loops,
    updates and loads of what they have stored stay as they are.

    **Example.**
    ```mlir
    func.func @leaky(%x: memref<256xf32>, %y: memref<256xf32>) {
      tile.kernel (%b) in (4) {
        tile.parallel (%i) in (64) do {
          if %x[%b * 64 + %i] > 0.0 {
            %y[%b * 64 + %i] = %x[%b * 64 + %i]
          } else {
            %y[%b * 64 + %i] = %x[%b * 64 + %i] * 0.1
          }
        }
      }
      return
    }
    ```
    The loop has one store, of an `arith.select`, and no branch.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def AscendExpandColumnsPass : Pass<"ascend-expand-columns"> {
  let summary = "copies elements that are apart in global memory one by one";
  let description = [{
    A copy moves rows whose elements are neighbours. Of other regions, such as a column or the real parts of pairs, each element
    is loaded or stored by an iteration of a `tile.parallel`, under a guard where it may be outside of the buffer, and
    converted as the copy says.

    **Example.**
    ```mlir
    func.func @real_parts(%x: memref<?x64x2xf32>, %y: memref<?x64xf32>) {
      tile.kernel (%b) in (ceildiv(dim(%x, 0), 16)) {
        %t = tile.alloc : memref<16x64xf32, #tile.shared>
        tile.copy %x[%b * 16, 0, 0] [16, 64, 1], %t
        tile.copy %t, %y[%b * 16, 0]
      }
      return
    }
    ```
    The first copy becomes `tile.parallel (%i, %j) in (16, 64)`, which loads `%x[%b * 16 + %i, %j, 0]` or takes 0.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def AscendUnpackCodesPass : Pass<"ascend-unpack-codes"> {
  let summary = "unpacks codes of 4 bits by operations on bytes";
  let description = [{
    No instruction of the vector unit reads 4-bit elements that a `tile.view` makes of a tile of bytes. A `tile.copy` of a whole
    view that has the rows of its tile, and converts to elements of at least 8 bits, becomes a `tile.parallel` over the bytes:
    shifts extract the code of either half. What copies a part of a view, or a view of other rows, is refused later.

    **Example.**
    ```mlir
    func.func @unpack(%q: memref<64x32xi8>, %w: memref<64x64xf16>) {
      tile.kernel (%b) in (1) {
        %s = tile.alloc : memref<64x32xi8, #tile.shared>
        %t = tile.alloc : memref<64x64xf16, #tile.shared>
        tile.copy %q, %s
        %codes = tile.view %s : memref<64x32xi8, #tile.shared> to memref<64x64xi4, #tile.shared>
        tile.copy %codes, %t
        tile.copy %t, %w
      }
      return
    }
    ```
    The second copy becomes `tile.parallel (%i, %j) in (64, 32)`, which writes `%t[%i, %j * 2]` and `%t[%i, %j * 2 + 1]`.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect"];
}

def AscendInferMemoryPass : Pass<"ascend-infer-memory"> {
  let summary = "places tiles in the memories of an Ascend core";
  let description = [{
    Assigns buffers in `shared`, `fragment` and `local` to the memories of the chip: UB if only the vector unit and copies
    access them, L1 for operands of gemms, L0C for accumulators.

    A tile that both cores access is in UB, and so is an operand that is loaded from a region that may begin before its
    buffer, which copies to UB alone pad. Each gemm reads a copy of it in L1, or adds to its own accumulator in L0C, which is
    copied back after the outermost loop that accesses the tile in no other way. (The order of additions may change.)
  }];
}

def AscendTileSubBlocksPass : Pass<"ascend-tile-sub-blocks"> {
  let summary = "tiles rows over the two vector cores of a block";
  let description = [{
    Each block of a mix kernel has one cube core and two vector cores. A tile in UB that is accessed row by row is halved
    along its rows, the first dimension that is not 1: each vector core holds its half, which begins at a multiple of
    `ascend.sub_block`. Copies, fills, reductions along rows and `tile.parallel` over the rows do half the work, and each
    core transfers its half to and from the cube core. Of an odd number of rows, the first core has one more.

    Ops that mix rows (a reduction over them, an index that is not the iteration variable, an op that is not known to
    keep rows independent) keep whole tiles, and so do all tiles that they access: both cores compute them, and one core
    stores them. A remark gives the reason. Tiles also stay whole if one core stores rows of a global buffer that the
    other one stores or loads, because nothing orders the two cores. If both cores would have to read what the first one
    stores, the kernel is rejected.

    The blocks of a kernel without gemms are single vector cores; nothing is halved.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tile::ascend::AscendDialect"
  ];
}

def AscendSplitParallelPass : Pass<"ascend-split-parallel"> {
  let summary = "makes the loops of a kernel vector code";
  let description = [{
    `convert-tile-to-ascend` makes vectors of the body of `tile.parallel`, op by op. This pass leaves bodies without branches
    and loops, of as many iterations as fit UB. Iterations are independent, so that a loop can be divided anywhere.

    - What is the same for all iterations is moved out of the loop.
    - A branch whose condition differs between iterations becomes selections: both sides are computed, and a store to a tile
      keeps the old value. An element outside of its tile is not read. If the branch stores to global memory, the dimensions
      that its condition depends on become loops around (remark `SerialIterations`), and so do those of the bounds of a loop.
    - A branch or a loop that is the same for all iterations comes to stand around loops of its ops. Values that go from one
      to the next, and those that the loop carries, are tiles in UB.
    - If the values of all iterations that are alive at once cannot fit UB, the iterations are divided (remark
      `DividedIterations`).
    - `tile.transpose` becomes a loop; so do a store and a `tile.atomic` of one element of global memory outside of loops,
      which the scalar unit does not have. Functions of scalars (`math.exp`) are computed by the vector unit. What
      `scf.for` carries outside of `tile.parallel` is kept in UB.
    - Reductions and scans of 64-bit integers are loops of the scalar unit (remark `ScalarElements`).

    **Errors.** `a value of type 'index' cannot pass a branch or a loop of 'tile.parallel'; use i32`; `the bounds of a loop in
    'tile.parallel' are read from what the iterations write; put the loop outside`.

    **Example.**
    ```mlir
    func.func @powers(%x: memref<64xf32>, %y: memref<64xf32>) {
      %one = arith.constant 1.0 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      tile.kernel (%b) in (1) {
        tile.parallel (%i) in (64) {
          %v = memref.load %x[%i] : memref<64xf32>
          %p = scf.for %k = %c0 to %c3 step %c1 iter_args(%q = %one) -> f32 {
            %r = arith.mulf %q, %v : f32
            scf.yield %r : f32
          }
          memref.store %p, %y[%i] : memref<64xf32>
        }
      }
      return
    }
    ```
    The loop comes to stand around a `tile.parallel` that multiplies two tiles.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tile::ascend::AscendDialect"
  ];
}

def AscendPipelineLoopsPass : Pass<"ascend-pipeline-loops"> {
  let summary = "overlaps the iterations of pipelined loops";
  let description = [{
    Unrolls a loop with `ascend.stages = n` by n and multi-buffers it: each of the n iterations has its own buffers for
    tiles loaded from and stored to GM. If the trip count is not known to be a multiple of n, guarded code after the loop
    executes the remaining iterations, from the first buffer on, so that any trip count is correct.

    In a mix kernel, the body is split where the core changes, and where a tile of the other core is copied from a workspace.
    Each step of the new loop, of which four (or eight, for more than four stages) stand in the body, runs each part for an
    iteration of its own: as far back as the part is behind the first one. A part is three steps behind the one of the cube core
    whose tile it takes, and one behind that of a vector core, so that both cores work on several iterations at the same time.
    Instructions are guarded where there is no such iteration, cross-core flags are not: as many as a part is behind are set
    before the loop and waited for after it. A buffer that parts share has as many copies as they are steps apart, a workspace
    of a cross-core transfer as many tiles as there are steps in the body. Instructions whose result no earlier part uses are
    delayed to the part that uses it. Parts that depend on later parts of earlier iterations are not split.

    If the memories do not hold the buffers, fewer are used: the remark has the number of stages.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tile::ascend::AscendDialect"
  ];
}

def AscendSplitMixKernelsPass : Pass<"ascend-split-mix-kernels"> {
  let summary = "splits mix kernels into the code of the cube core and of the vector cores";
  let description = [{
    A kernel with instructions of both cores becomes two sections (`ascend.section`), each with the scalar code and with the
    instructions and cross-core flags of its core. Later passes remove empty loops. If rows are halved between the vector
    cores (`ascend-tile-sub-blocks`) and nothing is left for the cube core, its section is empty, and the kernel stays on both.

    **Errors.** `one core writes a global buffer that the other core uses; nothing orders the two`.
  }];
  let dependentDialects = ["::mlir::tile::ascend::AscendDialect"];
}

def ConvertTileToAscendPass : Pass<"convert-tile-to-ascend"> {
  let summary = "lowers tile ops to Ascend instructions";
  let description = [{
    Lowers the tile ops of a kernel, whose buffers have memories, to ops of the `ascend` dialect. `tile.kernel` and
    `tile.alloc` are kept; loops become `scf.for`.

    A buffer in UB becomes a matrix whose rows are aligned to blocks of 32 bytes. A tile that reaches past the end of a
    global buffer is filled with the padding value before the part that is inside is copied; stores are clipped. Element
    types that an instruction does not support are converted, according to the tables of the target.

    `tile.parallel` is vectorised over its last two dimensions that are not 1: each value is a matrix, or a row, a column or
    a scalar if it does not depend on both dimensions. Comparisons of indices are comparisons with a sequence in f32.

    A `memref.get_global` moves in front of the kernel, to which host code gives a copy of the constant.

    A copy from L0C to UB, or from UB to L1, is a cross-core transfer through a workspace in GM, with one flag for a full
    and one for a free stage.

    **Errors.** An error names each op or access that has no instruction, with the reason.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tile::ascend::AscendDialect"
  ];
}

#endif // TILE_CONVERSION_TILETOASCEND_PASSES
