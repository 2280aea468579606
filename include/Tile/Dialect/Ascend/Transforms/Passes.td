//===- Passes.td - passes over the ascend dialect ----------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_ASCEND_TRANSFORMS_PASSES
#define TILE_DIALECT_ASCEND_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def AscendPlanMemoryPass : Pass<"ascend-plan-memory"> {
  let summary = "gives buffers of Ascend cores their addresses";
  let description = [{
    Sets `ascend.address` on each `tile.alloc` of a kernel that has none. A buffer is alive from its first use to its last;
    where a loop carries its content from one iteration to the next, throughout the loop. Buffers whose lifetimes do not
    meet may share bytes: each takes the lowest place that is free, in the order in which they begin.

    The end of UB that selections use stays free in kernels that have any.

    An address that is given stays. Buffers whose addresses are given may share bytes where planned ones may, and nowhere else.

    **Errors.** `'memref<64xf32, #tile.ub>' has bytes 128 to 383 of 'ub', of which another buffer has bytes 0 to 255 while both
    are alive`; `does not fit 'ub': 262144 bytes are alive at once, 196352 are there`, with a note for each buffer that is
    alive; `the chip has no memory 'shared'; run ascend-infer-memory first`.
  }];
}

def AscendInsertSyncPass : Pass<"ascend-insert-sync"> {
  let summary = "orders dependent instructions by flags and barriers";
  let description = [{
    Runs the code of each core on sets of completed instructions (see `ascend-verify-sync`), and where an instruction
    touches bytes that an earlier one wrote, or writes bytes that an earlier one read, without being ordered after it, adds
    what is missing:

    - within a pipe, a barrier before the second one;
    - between pipes, a flag that is raised behind the first one and taken before the second one, in the innermost block
      around both, so that every path raises and takes it alike; where the first one is the last of a branch of one pipe,
      as in the filling of a tail, and the second one is the next of its pipe behind it, both in the branch;
    - between iterations of a loop, such a flag in the loop's body, raised once before the loop and taken once behind it,
      which is right for any number of iterations.

    Ids are the lowest ones that are free in the text between. Where all of them are taken there, the flag is raised where it
    is taken; where the chip has no such flag, or all ids are taken even there, a barrier of all pipes stands in; a remark
    says so. What is there already, written by hand, counts and stays.

    A kernel that is not divided into sections yet has the code of both cores in one order, in which flags between the cores
    precede their waits and carry what is complete; what is added says by `ascend.core` whose it is.

    Each op that belongs together has the same `ascend.group`.
  }];
}

def AscendPruneSyncPass : Pass<"ascend-prune-sync"> {
  let summary = "removes flags and barriers that others make redundant";
  let description = [{
    Takes away each group of flags, or barrier, without which the rules of `ascend-verify-sync` still hold, one after
    another; in a kernel that is not divided yet, flags between the cores first, those of an exchange of tiles that say that a slot is
    free above all. What is written by hand (without `ascend.group` or `ascend.ring`) stays.
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

def AscendVerifySyncPass : Pass<"ascend-verify-sync"> {
  let summary = "proves that dependent instructions are ordered";
  let description = [{
    Instructions of a pipe begin in order but need not complete in order. What is known to be complete when an instruction
    begins follows from flags and barriers alone: a flag carries what its source pipe had been given and had waited for, a
    barrier what its pipe had been given. Loops run zero, one and two times, branches are taken and not; what is known
    where paths meet is what all of them know.

    A wait for another core teaches the pipe that it names, or all of them on chips where it holds the whole core.

    Two instructions that touch the same bytes, or the same global buffer in regions that cannot be told apart, must be
    ordered if one of them writes. Different global buffers are taken to be apart.

    The cores of a kernel with sections of both are run together: what one reads from GM, or from its own memory that the
    other core reaches, must be ordered after what the other wrote there, by cross-core flags too; each is raised as often as it is taken, never more often than it can count
    to, and no core waits for ever. Loops run up to four times, and what decides the path of both (the same computation of
    the same values) decides it alike for both.

    **Errors.** `nothing orders this instruction of pipe 'v' after one of pipe 'mte2': read after write`; `nothing orders
    this instruction of pipe 'mte2' after one of pipe 'fix' of the other core: read after write`; `the flag is not
    raised before`; `the flag is raised already`; `the flag is still raised at the end of the kernel`; `a flag is
    raised or taken on one path alone`; `the other core does not raise the flag so often`; `the flag of the other core is
    still raised at the end of the kernel`; `the flag of the other core may be raised more often than it can count`; `the vector
    core has no barrier of 'm'`; `the cube core has no flags from 'mte2' to 'v'`; `the cube core has no pipe 'v'`; `the kernel has
    no code of the other core`, of a flag between the cores.
  }];
}

#endif // TILE_DIALECT_ASCEND_TRANSFORMS_PASSES
