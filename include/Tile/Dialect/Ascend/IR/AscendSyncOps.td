//===- AscendSyncOps.td - flags, barriers and sections -----*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_ASCEND_IR_ASCENDSYNCOPS
#define TILE_DIALECT_ASCEND_IR_ASCENDSYNCOPS

include "Tile/Dialect/Ascend/IR/AscendBase.td"

// What orders instructions, or sets how they work; no pipe executes it.
class Ascend_ControlOp<string mnemonic> : Ascend_Op<mnemonic, [
    MemoryEffects<[MemWrite]>, DeclareOpInterfaceMethods<Ascend_CallOpInterface>]>;

class Ascend_FlagOp<string mnemonic> : Ascend_ControlOp<mnemonic> {
  let arguments = (ins Ascend_PipeAttr:$src, Ascend_PipeAttr:$dst, I64Attr:$id);
  let assemblyFormat = "$src `to` $dst `id` `(` $id `)` attr-dict";
  let hasVerifier = 1;
}

def Ascend_SetFlagOp : Ascend_FlagOp<"set_flag"> {
  let summary = "raises a flag when a pipe has come so far (SetFlag)";
  let description = [{
    Raises the flag (`src`, `dst`, `id`) when all instructions that were issued to `src` before are complete. A flag that is
    raised must be taken by `ascend.wait_flag` before it is raised again, and before the kernel ends.

    **Constraints.**
    - (C1) the chip has flags from `src` to `dst` on one of its cores;
    - (C2) the id is below the number of ids that programs may use.

    **Targets.** Ascend.

    **Errors.** `910B has no flags from 'm' to 'v'; from 'm' they go to mte1, mte2, fix`; `expected 'id' below 6, got 6`.

    **Example.**
    ```mlir
    func.func @set_flag() {
      tile.kernel (%b) in (1) {
        ascend.set_flag mte2 to v id(0)
        ascend.wait_flag mte2 to v id(0)
      }
      return
    }
    ```
  }];
}

def Ascend_WaitFlagOp : Ascend_FlagOp<"wait_flag"> {
  let summary = "holds a pipe until a flag is raised (WaitFlag)";
  let description = [{
    Instructions that are issued to `dst` afterwards begin when the flag (`src`, `dst`, `id`) is raised; the flag is taken
    down. Where `dst` is the scalar unit, all later instructions wait.

    **Constraints.**
    - (C1) the chip has flags from `src` to `dst` on one of its cores;
    - (C2) the id is below the number of ids that programs may use.

    **Targets.** Ascend.

    **Errors.** `910B has no flags from 'm' to 'v'; from 'm' they go to mte1, mte2, fix`; `expected 'id' below 6, got 6`.

    **Example.**
    ```mlir
    func.func @wait_flag() {
      tile.kernel (%b) in (1) {
        ascend.set_flag v to mte3 id(1)
        ascend.wait_flag v to mte3 id(1)
      }
      return
    }
    ```
  }];
}

def Ascend_PipeBarrierOp : Ascend_ControlOp<"pipe_barrier"> {
  let summary = "instructions of a pipe wait for the earlier ones (PipeBarrier)";
  let description = [{
    Instructions that are issued to the pipe afterwards begin when all that were issued to it before are complete. With
    `all`, this holds for every pipe of the core with respect to every other.

    **Constraints.**
    - (C1) the chip has a barrier of the pipe.

    **Targets.** Ascend.

    **Errors.** `910B has no barrier of 's'; it has m, mte1, mte2, mte3, fix, v, all`.

    **Example.**
    ```mlir
    func.func @pipe_barrier() {
      tile.kernel (%b) in (1) {
        ascend.pipe_barrier v
      }
      return
    }
    ```
  }];
  let arguments = (ins Ascend_PipeAttr:$pipe);
  let assemblyFormat = "$pipe attr-dict";
  let hasVerifier = 1;
}

def Ascend_CrossCoreSetFlagOp : Ascend_ControlOp<"cross_core_set_flag"> {
  let summary = "counts up a flag of the other cores (CrossCoreSetFlag)";
  let description = [{
    When the instructions that were issued to the pipe before are complete, counts up the flag of the other cores of the
    block: on the cube core that of both vector cores; on vector cores that of the cube core, when both have done so.

    **Constraints.**
    - (C1) the pipe may raise flags of other cores;
    - (C2) the id is below the number of ids that programs may use; that of a transfer between the cores, below the number of
      ids of the chip until `ascend-insert-sync` gives it one that programs may use: 15 is the largest one, then 10.

    **Targets.** Ascend.

    **Errors.** `910B raises no flag of other cores from 's'`; `expected 'id' below 11, got 11`.

    **Example.**
    ```mlir
    func.func @cross_core_set_flag() {
      tile.kernel (%b) in (1) {
        ascend.section cube {
          ascend.cross_core_set_flag fix id(0)
        }
        ascend.section vector {
          ascend.cross_core_wait_flag id(0)
        }
      }
      return
    }
    ```
  }];
  let arguments = (ins Ascend_PipeAttr:$pipe, I64Attr:$id);
  let assemblyFormat = "$pipe `id` `(` $id `)` attr-dict";
  let hasVerifier = 1;
}

def Ascend_CrossCoreWaitFlagOp : Ascend_ControlOp<"cross_core_wait_flag"> {
  let summary = "waits for a flag of this core and counts it down (CrossCoreWaitFlag)";
  let description = [{
    Holds all pipes of the core until the flag is above 0, and counts it down. On chips where it holds one pipe alone, that
    pipe is named: instructions of the other pipes do not wait. Nor does the order of flags depend on it: it must be right too
    if the wait held the whole core.

    **Constraints.**
    - (C1) the id is below the number of ids that programs may use, that of a transfer as for `ascend.cross_core_set_flag`;
    - (C2) a pipe is named where the chip holds one pipe alone, one of those that raise flags of other cores.

    **Targets.** Ascend; with a pipe on 950.

    **Errors.** `expected 'id' below 11, got 11`; `950 holds one pipe: name it, as in 'id(0) on mte2'`; `910B holds all pipes of a
    core; name none`; `950 holds no pipe 's'`.

    **Example.**
    ```mlir
    func.func @cross_core_wait_flag() {
      tile.kernel (%b) in (1) {
        ascend.section vector {
          ascend.cross_core_set_flag mte2 id(3)
        }
        ascend.section cube {
          ascend.cross_core_wait_flag id(3)
        }
      }
      return
    }
    ```
  }];
  let arguments = (ins I64Attr:$id, OptionalAttr<Ascend_PipeAttr>:$pipe);
  let assemblyFormat = "`id` `(` $id `)` (`on` $pipe^)? attr-dict";
  let hasVerifier = 1;
}

def Ascend_SetAtomicOp : Ascend_ControlOp<"set_atomic"> {
  let summary = "whether stores to GM combine with what is there (SetAtomicAdd, SetAtomicMax, SetAtomicMin, SetAtomicNone)";
  let description = [{
    With `add`, stores of the core to GM that are issued afterwards add elements of this type to those in GM, with `max` and
    `min` they keep the larger or the smaller ones; with `none`, they replace them again, as at the beginning of a kernel.
    `ascend-expand-instructions` puts the two around each store with `atomic`.

    **Constraints.**
    - (C1) the type has the atomic operation: f32, f16, i32, i16, i8 and, for `add`, bf16.

    **Targets.** Ascend.

    **Errors.** `expected an element type with atomic addition, got 'i64'`; `expected an element type with atomic max, got
    'bf16'`; `expected 'none', or 'add', 'max' or 'min' of a type`.

    **Example.**
    ```mlir
    func.func @set_atomic(%a: memref<64xf32>) {
      tile.kernel (%b) in (4) {
        %x = tile.alloc : memref<64xf32, #tile.ub>
        ascend.set_atomic add(f32)
        ascend.copy_ub_to_gm %a, %x {atomic} : memref<64xf32>, memref<64xf32, #tile.ub>
        ascend.set_atomic none
      }
      return
    }
    ```
  }];
  let arguments = (ins OptionalAttr<TypeAttr>:$type, OptionalAttr<Ascend_ReduceKindAttr>:$kind);
  let assemblyFormat = "custom<AtomicMode>($kind, $type) attr-dict";
  let hasVerifier = 1;
}

def Ascend_LeaveLoopOp : Ascend_Op<"leave_loop", [MemoryEffects<[MemWrite]>]> {
  let summary = "ends the loop around behind this iteration";
  let description = [{
    Where the condition is true, no further iteration of the loop follows this one. It stands in a loop whose number of
    iterations is not known before it: `scf.while` becomes an `scf.for` of as many iterations as there may be.

    **Constraints.**
    - (C1) it is in the body of an `scf.for`, and not in another op there.

    **Targets.** Ascend.

    **Errors.** `expected to be directly in an 'scf.for'`.

    **Example.**
    ```mlir
    func.func @leave_loop(%n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %most = arith.constant 1000 : index
      tile.kernel (%b) in (1) {
        scf.for %i = %c0 to %most step %c1 {
          ascend.pipe_barrier v
          %done = arith.cmpi sge, %i, %n : index
          ascend.leave_loop %done
        }
      }
      return
    }
    ```
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
  let hasVerifier = 1;
}

def Ascend_SubBlockOp : Ascend_Op<"sub_block", [Pure]> {
  let summary = "which of the vector cores of a block this is (GetSubBlockIdx)";
  let description = [{
    0 or 1 on the two vector cores that share a block with a cube core; 0 on the cube core, and in kernels that run on
    vector cores alone, whose blocks have one each.

    **Constraints.** None.

    **Targets.** Ascend.

    **Errors.** None.

    **Example.**
    ```mlir
    func.func @sub_block(%a: memref<32x64xf32>) {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<16x64xf32, #tile.ub>
        ascend.section vector {
          %sub = ascend.sub_block
          %first = affine.apply affine_map<(s) -> (s * 16)>(%sub)
          %half = memref.subview %a[%first, 0] [16, 64] [1, 1]
            : memref<32x64xf32> to memref<16x64xf32, strided<[64, 1], offset: ?>>
          ascend.copy_gm_to_ub %x, %half
            : memref<16x64xf32, #tile.ub>, memref<16x64xf32, strided<[64, 1], offset: ?>>
        }
      }
      return
    }
    ```
  }];
  let results = (outs Index:$index);
  let assemblyFormat = "attr-dict";
}

def Ascend_SectionOp : Ascend_Op<"section", [
    SingleBlock, NoTerminator, NoRegionArguments, RecursiveMemoryEffects]> {
  let summary = "code of one kind of core";
  let description = [{
    The body runs on the cube core or on the vector cores of a block. Without sections, all code of a kernel runs on one
    kind of core.

    **Constraints.**
    - (C1) it is directly in a `tile.kernel`;
    - (C2) its instructions are those of the core.

    **Targets.** Ascend.

    **Errors.** `expected to be directly in a 'tile.kernel'`; `is an instruction of the vector core, in a section of the
    cube core`.

    **Example.**
    ```mlir
    func.func @section() {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<64xf32, #tile.ub>
        ascend.section vector {
          ascend.unary exp %x, %x : memref<64xf32, #tile.ub>, memref<64xf32, #tile.ub>
        }
      }
      return
    }
    ```
  }];
  let arguments = (ins Ascend_CoreAttr:$core);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$core $body attr-dict";
  let hasRegionVerifier = 1;
}

#endif // TILE_DIALECT_ASCEND_IR_ASCENDSYNCOPS
