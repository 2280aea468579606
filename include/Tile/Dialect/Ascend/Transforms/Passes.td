//===- Passes.td - passes over the ascend dialect ----------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_ASCEND_TRANSFORMS_PASSES
#define TILE_DIALECT_ASCEND_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def AscendOrderVectorsPass : Pass<"ascend-order-vectors"> {
  let summary = "puts vector instructions that do not depend on one another between the same barriers";
  let description = [{
    On a chip whose vector unit needs a barrier between two instructions of which the second one depends on the first, a
    barrier waits for all instructions before it. The ops of a block between loops, branches and flags are sorted by the number
    of barriers that the longest chain of vector instructions in front of each one needs; ops with the same number keep their
    order. What depends on something stays behind it.

    If the memories do not hold the buffers in that order, the order is left alone.
  }];
}

def AscendPlanMemoryPass : Pass<"ascend-plan-memory"> {
  let summary = "allocates the memories of Ascend cores by live ranges";
  let description = [{
    Sets `ascend.address` on each `tile.alloc` of a kernel that has none. A buffer is live from its first use to its last
    one; if a loop carries its content from one iteration to the next, throughout the loop. Buffers with disjoint live
    ranges may share bytes (first fit, in the order in which live ranges begin).

    The end of UB, which selections use, stays free in kernels with selections.

    Given addresses are kept. Buffers with given addresses may share bytes only under the same condition.

    **Errors.** `'memref<64xf32, #tile.ub>' has bytes 128 to 383 of 'ub', of which another buffer has bytes 0 to 255 while both
    are alive`; `does not fit 'ub': 262144 bytes are alive at once, 196352 available`, with a note for each buffer that is
    alive; `the chip has no memory 'shared'; run ascend-infer-memory first`.
  }];
}

def AscendInsertSyncPass : Pass<"ascend-insert-sync"> {
  let summary = "orders dependent instructions by flags and barriers";
  let description = [{
    Interprets the code of each core on sets of completed instructions (see `ascend-verify-sync`). If an instruction
    accesses bytes that an earlier one wrote, or writes bytes that an earlier one read, without being ordered after it, the
    pass inserts:

    - within a pipe, a barrier before the second instruction;
    - between pipes, a flag that is set after the first instruction and waited for before the second one, in the innermost
      block around both, so that every path that sets it also waits for it; if the first instruction is the last one of a
      branch of one pipe, as in the filling of a tail, and the second one the next of its pipe after it, both ops are in
      the branch;
    - between iterations of a loop, such a flag in the body of the loop, set once before the loop and waited for once after
      it, which is correct for any trip count; around the loop around it, too, if the waiting pipe does nothing else there
      but in branches, so that it does not wait for the last iteration of the inner loop.

    Where some iterations of a loop take a branch that has one of the two instructions, as a remainder, and the other one is
    the neighbour of its pipe, both ops are in the branch: other iterations do not wait. A flag that is set before a loop in a
    loop comes before instructions of its pipe that do not use the bytes, since these may wait for something else.

    A flag is one bit: it may be set where its last wait is known to be over. Where the flag of an iteration is set again in
    the next one, the wait comes before the set by another flag in the other direction, unless one of the other dependences
    sees to it; a flag around a loop goes around the loops around it too.

    Flags and barriers without which everything is still in order are removed (`ascend-prune-sync`). The others get the lowest
    ids such that none is set where another flag of the id is set, or not known to be taken. Where ids run out, in this order:
    two flags next to each other become one; a flag in the other direction has an earlier wait come before the set; a barrier of
    all pipes takes the place of the flag. Each has a remark. Where the chip has no flag between two pipes, there is a barrier of
    all pipes, with a remark. Existing flags and barriers, written by hand, count and are kept.

    A kernel that is not divided into sections yet has the code of both cores in one order, in which cross-core flags
    precede their waits and carry the set of completed instructions; inserted ops name their core by `ascend.core`.

    Ops that order one dependence have the same `ascend.group`.
  }];
}

def AscendPruneSyncPass : Pass<"ascend-prune-sync"> {
  let summary = "removes redundant flags and barriers";
  let description = [{
    Removes, one after the other, each group of flags and each barrier without which the rules of `ascend-verify-sync` still
    hold. In a kernel that is not divided yet, cross-core flags come first, those of transfers that release a stage
    before the others. Ops written by hand (without `ascend.group` or `ascend.cross_core_transfer`) are kept.
  }];
}

def AscendExpandInstructionsPass : Pass<"ascend-expand-instructions"> {
  let summary = "replaces ops that take several calls of Ascend C by ops that take one each";
  let description = [{
    One call takes a limited number of rows, columns and blocks. Each op of more than that becomes several ops on views of
    its buffers: up to eight in a row, more of them in a loop (`ApiCallOpInterface`). What code generation prints afterwards
    is one call for each op.

    - Elementwise vector instructions whose rows do not follow one another take up to 256 bytes of columns and 255 rows;
      where rows lie further apart than a call can say, row by row.
    - Copies of regions whose extents are known at run time alone stand in a branch that is taken where there are elements,
      and have `checked`. Copies to L1 of rows of an unknown distance have two branches: all rows at once, or row by row.
    - Loads of the cube's operands become loads of fractals (`ascend.load_data`, `ascend.load_transposed`,
      `ascend.load_matrix`), with a barrier where squares of fractals reach into the next row of them.
    - Stores with `atomic` stand between two `ascend.set_atomic`.
    - The code of each core ends with a barrier of all pipes.

    It runs behind the insertion of flags, which order what ops do as a whole, and in front of `ascend-verify-sync`, which
    proves the order of the calls.

    **Example.**
    ```mlir
    func.func @rows() {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<300x72xf32, #tile.ub>
        %y = memref.subview %x[0, 0] [300, 64] [1, 1]
          : memref<300x72xf32, #tile.ub> to memref<300x64xf32, strided<[72, 1]>, #tile.ub>
        // Becomes two ops, of 255 rows and of 45.
        ascend.unary exp %y, %y
          : memref<300x64xf32, strided<[72, 1]>, #tile.ub>, memref<300x64xf32, strided<[72, 1]>, #tile.ub>
      }
      return
    }
    ```
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "memref::MemRefDialect", "scf::SCFDialect"];
}

def AscendHoistScalarsPass : Pass<"ascend-hoist-scalars"> {
  let summary = "moves scalars that do not change in a loop in front of it, those of branches as well";
  let description = [{
    A step of a pipelined loop is guarded, and computes in its branch where its tiles are. What depends on nothing in the loop
    has no effects and no undefined results, and is computed once in front of it, as loop-invariant code outside of branches
    is. Loads and instructions stay where they are.

    **Example.**
    ```mlir
    func.func @tiles(%x: memref<?xf32, #tile.ub>, %tile: index, %size: index, %n: index, %more: i1) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %n step %c1 {
        scf.if %more {
          %first = arith.muli %tile, %size : index  // moves in front of the loop
          %at = arith.addi %first, %i : index
          %zero = arith.constant 0.0 : f32
          memref.store %zero, %x[%at] : memref<?xf32, #tile.ub>
        }
      }
      return
    }
    ```
  }];
}

def AscendVerifySyncPass : Pass<"ascend-verify-sync"> {
  let summary = "proves that dependent instructions are ordered";
  let description = [{
    Instructions of a pipe begin in order but need not complete in order. The set of instructions that are known to be
    complete when an instruction begins follows from flags and barriers alone: a flag carries the instructions that had been
    issued to its source pipe and those that this pipe had waited for, a barrier those that had been issued to its pipe.
    Likewise for waits: a flag is one bit, and may be set where its last wait is known to be over.
    Loops run zero, one and two times, branches go both ways; where paths join, their sets are intersected.

    A wait for another core adds to the set of the pipe that it names, or of all pipes on chips where it holds the core.

    Two instructions that access the same bytes, or regions of the same global buffer that are not known to be disjoint,
    must be ordered if one of them writes. Different global buffers are assumed not to alias.

    Kernels with sections for both cores are executed as a whole: an access of GM, or of memory that the other core can
    access, must be ordered after the conflicting accesses of the other core, by cross-core flags if necessary. Each
    cross-core flag is set as often as it is waited for, and never more often than it can count; no core deadlocks. Loops and
    branches with such flags are taken in step where both sections have the same ones, as `ascend-split-mix-kernels` leaves
    them, which proves the order for any number of iterations. Where they differ, or that does not prove it, loops run up to
    four times, and branches that depend on the same computation of the same values go the same way on both cores; a remark
    says so, and if there are too many combinations, an error.

    **Errors.** `nothing orders this instruction of pipe 'v' after one of pipe 'mte2': read after write`; `nothing
    orders this instruction of pipe 'mte2' after one of pipe 'fix' of the other core: read after write`; `the flag is
    not set before`; `the flag is already set`; `the flag may still be set: nothing orders this set after the wait
    before`; `the flag is still set at the end of the kernel`; `a flag is set or waited for on one path only`; `the
    other core does not set the flag as often`; `the flag of the other core is still set at the end of the kernel`; `the
    flag of the other core may be set more often than it can count`; `the order of the two cores is not decided: ...`;
    `the vector core has no barrier of 'm'`; `the cube core has no flags from 'mte2' to 'v'`; `the cube core has no pipe
    'v'`; `the kernel has no code of the other core`, of a flag between the cores.
  }];
}

#endif // TILE_DIALECT_ASCEND_TRANSFORMS_PASSES
