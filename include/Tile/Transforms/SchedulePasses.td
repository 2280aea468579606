//===- SchedulePasses.td - passes over scheduled kernels ---*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_SCHEDULEPASSES
#define TILE_TRANSFORMS_SCHEDULEPASSES

include "mlir/Pass/PassBase.td"

def PersistentPass : Pass<"tile-persistent"> {
  let summary = "makes kernels persistent and rasterises their grid";
  let description = [{
    If the chip supports warp specialisation (`tile-schedule`), a kernel with pipelined tensor copies and more blocks than
    the chip has processors, or with a dynamic grid, becomes persistent: its body moves into a `tile.persistent` over the
    former grid, and `persistent_grid` tells the launch to start as many blocks as can run at the same time, at most
    one for each tile. Block coordinates become the variables of the domain; allocations stay outside. The rasterisation is
    that of `tile.rasterize`. Without it, groups have 8 tiles along y if some tensor copies are the same for all blocks
    along x and others for all blocks along y, as in a GEMM; otherwise the order is that of the grid.

    **Longest first.** A kernel whose pipelined loops take more iterations in some blocks than in others, as causal attention
    does, is not made persistent: the processors take the next block when they are free. Blocks that take longest start
    first. If the iterations grow with a coordinate of the grid, that coordinate is counted down. Without `tile.rasterize`,
    blocks run in groups along the other of the first two dimensions, for each coordinate all blocks of the group before
    the next: as many as read, in loops, tensors that fill half of the L2 cache of the chip, or 16 if sizes are dynamic.
    Written by hand, this is `tile.rasterize` and a subtraction from the extent of the grid. If the iterations depend on
    data, or on a coordinate in both directions, the order stays; only the former keeps a kernel from being persistent.

    **Stores side by side.** Memory takes stores best where blocks that run together write the rest of each other's rows. If all that
    a kernel without loops, but `tile.parallel`, writes to global memory has rows along y, and none along x, as a transpose has that
    reads along x, blocks along y start one after the other: written by hand, `tile.rasterize group(1) order(column)`. Rows of a
    block that are less than a fourth of what a warp writes at a time leave the order alone. A `tile.rasterize` of the program is
    kept; `group(1)` is the order of the grid.

    In kernels that are not persistent, `tile.rasterize` becomes arithmetic on the block coordinates: the block with number
    `x + y * extent(x)` processes the tile of that number in an order that goes through groups of `group` tiles along y
    (`order(row)`) or x (`order(column)`), along the short side of the group first. The last group may be narrower.

    A kernel is not made persistent either if two stages of its loops fit into shared memory only where the tiles behind the loops lie
    in their place (`tile-plan-shared`): the producer of a persistent kernel fills them for the next tile meanwhile.

    **Clusters.** Pipelined tensor copies of tiles that all blocks of a kernel's cluster need get `tile.multicast`, the number of these
    blocks: each block copies as many rows of the tile to all of them. The cluster has several blocks along one dimension, on which
    neither the offsets nor the trips of the loop around depend; the tile has a multiple of 8 rows for each block, and no more than a box
    holds. A kernel with clusters is persistent only if these are of two blocks along the dimension of its groups, and points that follow
    each other are whole clusters: the extent is static, and it and the groups are even.

    Remarks report which kernels are persistent and why others are not. `always` skips all conditions other than those of
    correctness: the kernel has no domain or partitions of its own, and its order keeps clusters together.

    **Example.** For `sm_90a`
    ```mlir
    func.func @copy_tiles(%a: memref<8192x8192xf32>, %s: memref<8192x64xf32>) {
      tile.kernel (%x, %y) in (64, 64) {
        %t = tile.alloc : memref<128x32xf32, #tile.shared>
        %f = tile.alloc : memref<128x32xf32, #tile.fragment>
        tile.pipelined %k = 0 to 4 stages(2) {
          tile.copy %a[%y * 128, %x * 128 + %k * 32], %t {instruction = #tile.transfer<tma>}
              : memref<8192x8192xf32>, memref<128x32xf32, #tile.shared>
          tile.copy %t, %f : memref<128x32xf32, #tile.shared>, memref<128x32xf32, #tile.fragment>
        }
        tile.copy %f, %s[%y * 128, 0] : memref<128x32xf32, #tile.fragment>, memref<8192x64xf32>
      }
      return
    }
    ```
    becomes
    ```
    tile.kernel (%x, %y) in (64, 64) attributes {persistent_grid} {
      …
      tile.persistent (%m, %n) in (64, 64) group(1) {
        tile.pipelined …
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tile::TileDialect"];
  let options = [
    Option<"always", "always", "bool", /*default=*/"false",
           "make every kernel persistent that can be">];
}

def SpecializeMasksPass : Pass<"tile-specialize-masks"> {
  let summary = "masks only the tiles that a mask crosses";
  let description = [{
    A mask in a `tile.parallel`, such as that of causal attention, matters for few tiles: those that cross the diagonal, the
    edge of a window or the end of the data. So do the guards that keep accesses of global memory in bounds. The others are
    processed without conditions, and their neighbouring accesses may be those of vectors; a `tile.parallel` that does
    nothing else than masking disappears from them.

    **Split loops.** If all masks are bounds of the loop variable, the loop is split where tiles begin and cease to be
    inside of all of them: at most one loop of masked iterations before, one of iterations without masks, one of masked
    iterations behind. Any of them may have no iterations. Only loops of at least 2 stages and step 1 whose copies from
    global memory are `tma` are split: their pipelines run on through consecutive loops.

    **Branches.** In other loops, whether all conditions have a known value in the whole tile is computed before the
    `tile.parallel`, which becomes `scf.if`.

    A condition is the operand of an `arith.select` in the body of the `tile.parallel`, or of an `scf.if` around nothing but
    loads or stores of global memory: order comparisons of sums and
    multiples of the iteration variables, of the loop variable, and of any values that the loop does not compute, dynamic
    ones too, and their `arith.andi` and `arith.ori`. Inside is the operand of `arith.select` that the loop computes, where
    the other one is a constant or comes from outside. Unsigned comparisons also need operands that are not negative, which
    the branch checks; they split a loop if it is known. Arithmetic is assumed not to overflow. If the decision is known at
    compile time, no branch remains.

    A remark reports each loop or mask that was specialised, or the select whose condition is not understood.

    **Example.** In
    ```mlir
    func.func @causal(%s: memref<256x4096xf32>, %r: memref<256xf32>) {
      %lowest = arith.constant 0xFF800000 : f32
      tile.kernel (%x) in (2) {
        %t = tile.alloc : memref<128x64xf32, #tile.fragment>
        %max = tile.alloc : memref<128xf32, #tile.fragment>
        tile.fill %max, %lowest : memref<128xf32, #tile.fragment>
        tile.pipelined %k = 0 to 64 {
          tile.copy %s[%x * 128, %k * 64], %t : memref<256x4096xf32>, memref<128x64xf32, #tile.fragment>
          tile.parallel (%i, %j) in (128, 64) {
            %query = affine.apply affine_map<(x, i) -> (x * 128 + i)>(%x, %i)
            %key = affine.apply affine_map<(k, j) -> (k * 64 + j)>(%k, %j)
            %visible = arith.cmpi sle, %key, %query : index
            %score = memref.load %t[%i, %j] : memref<128x64xf32, #tile.fragment>
            %masked = arith.select %visible, %score, %lowest : f32
            memref.store %masked, %t[%i, %j] : memref<128x64xf32, #tile.fragment>
          }
          tile.reduce max %t, %max dim(1) {combine} : memref<128x64xf32, #tile.fragment>, memref<128xf32, #tile.fragment>
        }
        tile.copy %max, %r[%x * 128] : memref<128xf32, #tile.fragment>, memref<256xf32>
      }
      return
    }
    ```
    whose copies are not `tma`, the mask becomes
    ```
    %inside = arith.cmpi sle, %last_key, %first_query : index
    %crosses = arith.xori %inside, %true : i1
    scf.if %crosses {
      tile.parallel (%i, %j) in (128, 64) {
        …
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
}

def VerifySchedulePass : Pass<"tile-verify-schedule"> {
  let summary = "rejects schedules that deadlock or read data too early";
  let description = [{
    Verifies schedules, automatic ones and those written by hand, without changing them.

    **Barriers.** `tile-insert-barriers` would have to insert none.

    **Pipelines.** Both partitions are run, step by step, with loops of 0, 1, `stages - 1`, `stages` and `stages + 1`
    trips, all alike and mixed, and branches both ways; loops and branches whose bounds and conditions are computed in
    the same way in both partitions do the same. Each `tile.producer_acquire` is followed by its `tile.producer_commit`,
    each `tile.consumer_wait` by its `tile.consumer_release`; both sides take the same number of steps; nobody waits
    forever; stages are touched only in between; and the copies bring as many bytes as the acquire announced.

    **Stages.** Buffers that a pipeline fills are accessed through `tile.stage` only, and are filled from buffers that the
    kernel does not write: nothing orders a producer that runs ahead and such a write.

    **Gemms.** The buffers of a gemm with `async` are not accessed until a `tile.gemm_wait` has completed it, in any
    iteration: its accumulator (except by gemms that add to it one after the other), its operands, and their stages. A
    wait names the accumulators of the gemms that it completes, and no gemm is in flight at the end of the kernel or
    partition.

    **Ping-pong.** Each `tile.order_wait` is followed by its `tile.order_arrive`; no execution of the warpgroups and the
    producer deadlocks.

    **Consumers.** With `tile.consumers` on a `tile.warp_specialize`, each team runs the steps of its points and passes over the
    stages of the others'. No team waits for a stage whose former content another one may not have waited for. The kernel has one
    warpgroup of threads and no clusters, both partitions are one `tile.persistent`, all points take as many stages, and shared
    buffers of the consumer that no pipeline fills have `tile.consumers`, too, so that each team has its own.

    **Errors.** `expected 'tile.barrier' between … and …`; `expected 'tile.async_wait' and 'tile.barrier' between … and …`;
    `expected 'tile.store_wait' between … and …`; `expected 'tile.store_wait' and 'tile.barrier' between … and …`; `expected 'tile.store_wait' complete and
    'tile.barrier' between … and …`; `expected 'tile.barrier async global' between … and …`; `brings a buffer that the
    kernel writes, too, into a pipeline; copy it without 'signal', or write it in a kernel of its own`; `expected
    'tile.gemm_wait' before: a gemm whose operands or accumulator it accesses is in flight`; `expected 'tile.gemm_wait'
    before its end: a gemm is in flight`; `expected the accumulators of the 2 gemms that end here, got 1`; `expected 'tile.order_arrive' before the next
    'tile.order_wait'`; `expected 'tile.order_wait' before`; `expected 'tile.order_arrive' after it`; `waits forever`; `expected as many stages to be released as
    are committed, got 2 and 3`; `expected 'tile.consumer_release' before the next 'tile.consumer_wait'`; `expected
    'tile.producer_acquire' before`; `accesses a stage that is not acquired`; `expected copies of 16384 bytes before the
    commit, got 8192`; `accesses a multi-stage buffer that a pipeline fills; use 'tile.stage'`;
    `expected 'tile.order_wait' before: the stage may be filled for another consumer, which has not waited for it`; `cannot have
    2 consumers: …`; `expected 'tile.consumers' on the 'tile.warp_specialize' of the kernel, too, got a buffer for each of 2 and one
    consumer`.

    **Example.** Rejected, because the consumer releases no stage: the third acquire waits forever.
    ```mlir
    func.func @hangs(%a: memref<1024xf32>) {
      tile.kernel (%b) in (1) {
        %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
        %pipeline = tile.create_pipeline : !tile.pipeline<2>
        tile.warp_specialize producer {
          tile.pipelined %k = 0 to 8 {
            %i = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<2>
            %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
            tile.copy %a[%k * 128], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
                : memref<1024xf32>, memref<128xf32, #tile.shared>
            tile.producer_commit %pipeline : !tile.pipeline<2>
          }
        } consumer {
        }
      }
      return
    }
    ```
  }];
}

def InsertBarriersPass : Pass<"tile-insert-barriers"> {
  let summary = "synchronises conflicting accesses of shared and global memory";
  let description = [{
    Inserts a `tile.barrier` between two conflicting accesses of shared or global memory by different threads or engines of
    a block: read after write, write after read, and write after write, in straight-line code and across the iterations of
    a loop. It is `tile.barrier async` if the first access is a write by threads and the second one is made by an
    asynchronous engine (tensor copies, `wgmma`), `tile.barrier async global` if that is in global memory.
    `tile.async_wait` precedes it if the first access is a `cp_async` copy that nothing waited for, and `tile.async_commit`
    if that copy belongs to no group yet; `tile.store_wait` if it is a tensor store, and a complete one for what that
    wrote. Before a `tile.consumer_release`, a `tile.store_wait` is enough (`StoreWait`): each warp gives the stage back when its
    own threads have waited. A gemm with `async` reads its operands until `tile.gemm_wait`.

    No redundant barriers are inserted. Accesses of stages are ordered by their pipeline. Two `tile.parallel` with the
    same layout that access the same elements one by one do so in the same thread, and so do scalar stores and atomics of
    the block. On targets without instructions that copy matrices, a copy between a fragment and all of a shared tile is
    like a loop over that tile with the fragment's layout, and one stage of a tile, or a tile in the place of another, is
    like the other one. A barrier for an access before a loop is inserted before the loop, unless the loop needs its own barrier
    there. A write to what a tensor store may still read gets no barrier of its own if another one stands between them, and
    no loop behind that: the store is waited for there. Affine regions are compared exactly, so that the stages of a pipeline do not conflict. Global memory that the
    kernel only reads needs no barrier, different arguments do not overlap (`tile.kernel`), and points of
    `tile.persistent` are as independent as blocks.

    Threads divide an asynchronous copy without bounds to check, of vectors of the chip's width, in one way. Where each then reads what it
    has copied itself, in a loop, or to a fragment with longer runs than an instruction for matrices gives a lane, it waits for its own
    copies: `tile.async_wait` without a barrier (`OwnCopies`).

    This is sufficient for lowerings with these properties:
    - an op is complete for a thread when the next op begins, except for the `cp_async` copies of groups, gemms with
      `async` until `tile.gemm_wait`, and tensor stores until `tile.store_wait`;
    - a copy by `tma` into shared memory without `signal` is made by the threads, as one by `sync` is;
    - a scalar store or atomic outside of `tile.parallel` is made by the first thread of the block or partition;
    - an op in which threads exchange data through scratch memory (fragments of different layouts, reductions across warps,
      scans, votes) synchronises the accesses of the scratch itself;
    - `tile.warp_specialize` begins and ends with a barrier of the block.

    In a persistent kernel whose accumulator gives each warpgroup of the consumer whole rows, what stores a result through a
    shared tile gets `tile.warpgroups`: the copy to the tile, the tensor store, and the barriers in front of both, if these
    order nothing else. Each warpgroup then copies, meets and stores without the others (`WarpgroupStore`).

    A remark for each barrier names the two accesses.

    **Example.**
    ```mlir
    func.func @reverse(%a: memref<4x128xf32>) {
      tile.kernel (%b) in (1) {
        %s = tile.alloc : memref<128xf32, #tile.shared>
        tile.pipelined %k = 0 to 4 {
          tile.copy %a[%k, 0], %s : memref<4x128xf32>, memref<128xf32, #tile.shared>
          tile.parallel (%i) in (128) {
            %j = affine.apply affine_map<(d) -> (127 - d)>(%i)
            %v = memref.load %s[%j] : memref<128xf32, #tile.shared>
            memref.store %v, %a[%k, %i] : memref<4x128xf32>
          }
        }
      }
      return
    }
    ```
    gets two barriers: one before the loop over `%i`, and one before the copy, which would overwrite elements that threads
    still read in the previous iteration.
  }];
  let dependentDialects = ["::mlir::tile::TileDialect"];
}

def SchedulePass : Pass<"tile-schedule"> {
  let summary = "software pipelining and warp specialisation of pipelined loops";
  let description = [{
    Overlaps the copies of `tile.pipelined` loops with more than one stage with their computation, by the means of the
    chip. A kernel that already has `tile.warp_specialize` or `tile.create_pipeline` is left unchanged.

    **Warp specialisation.** If the chip has transaction-count barriers, the copies with `instruction =
    #tile.transfer<tma>` move to a producer. The kernel becomes allocations, pipelines, and a `tile.warp_specialize`: the producer has
    the loops, branches and index computations around the copies, the consumer everything else. A buffer becomes a buffer
    of `stages` stages, each a multiple of the period of the widest swizzle. Copies whose stages are first and last used
    by the same ops share a pipeline; K and V of an attention get one each. Consecutive loops, or the branches of a
    condition, that fill the same buffers share its pipeline, with the largest number of stages among them, whose index and
    phase run on from one to the next. Tensor copies outside of pipelined loops get
    pipelines of one stage. Pipelines support any trip counts, nested loops and sequences of loops.

    Gathers with `instruction = #tile.transfer<cp_async>` move to a producer, too, if the kernel has one for tensor copies or a gemm that
    runs asynchronously reads their rows. All threads of a warpgroup then are the producer and share the rows; one of them starts the
    tensor copies.

    A copy can move to the producer if the kernel does not write its source; if its offsets and the loops around it depend
    only on block coordinates, loop variables and global memory that the kernel does not write; and if its target is
    written by such copies only, and read after them in the same loop body or branch, of which none contains another. Tensor copies that cannot move, or that no
    pipelined loop can hide, become ordinary copies, which is an error if `prefer(tma)` asked for them.

    With two or more consumer warpgroups, `producer_registers` and `consumer_registers` redistribute the registers of the
    processor if the fragments need more than an even share.

    **Overlap of gemms.** A consumer loop whose last gemm depends on an earlier gemm of the same iteration, with other
    computation in between, leaves the tensor cores idle meanwhile, as attention does (softmax). If the first gemm of the
    next iteration does not depend on the last one, and the registers hold both accumulators, the loop is rotated: the last
    gemm runs with `async` under the beginning of the next iteration, whose first gemm is issued before it. The beginning of
    the first iteration is peeled off as a prologue, and the last gemm completes in an epilogue. `tile.gemm_wait` precedes
    the first op that needs a result. The beginning may be several gemms that add to the same sums, and the end several that
    follow each other. Where the beginning waits for a stage of a pipeline whose stage before the end gives back, two stages are held:
    of the waits in the loop, those with `tile.ahead = 1` are for the stage behind the one that is held, and those with `tile.ahead = 0`
    only give the number of that one. Such a pipeline needs three stages; two do if not all of the last gemms are late, since the others
    run while the stage is loaded. Several warpgroups are scheduled in ping-pong (`tile.order_wait`): one computes
    while the gemms of the other run. The decision depends on the accesses of the ops; a remark reports it, with its
    reason.

    In another loop of a consumer with two or more gemms, as in the backward pass of attention, each runs with `async` until
    an op needs its sums or writes an operand. Stages are given back behind the last gemm that reads them. The remark
    `AsyncGemms` counts them. A loop in which any gemm is `async` already is left as it is.

    If threads add up the sums of each gemm of such a loop themselves, as with scales of blocks, tensor cores would wait
    for the additions of its last gemm. Eight or four iterations become one then, and the first gemm of the next one starts
    as soon as the sums of the first have been read, in front of the additions of the last. All gemms of the loop have to
    be `clear` and read by `tile.parallel` only, nothing but gemms, stages, loads and `tile.parallel` may stand in the
    loop, each partition has one loop, and the number of iterations is a known multiple of that. `tile.unroll` on the
    `tile.pipelined` chooses another number, or 1, which keeps each iteration as it is: 16 gain 1 to 2 % with scales
    of blocks and take three times as long to compile, 32 are slower than 8. The remark is
    `UnrolledGemms`; written by hand, it is a loop of both partitions with such an order.

    In other loops so many iterations follow each other only if `tile.unroll` says so, which is done last of all. Where their number is a
    multiple of the stages', stages and barriers have constant addresses then: the loop of packed weights of 4 bits takes 132
    instructions for an iteration in place of 160, and as many times more to assemble.

    Before that, one gemm of such a loop may become late, if neither it nor what follows from it has to do with the stages or
    with the gemms at the head of the loop, and if the registers hold all fragments: it starts behind the head of the next
    iteration, and what follows from it, as the atomic sums of gradients of queries, comes behind the next gemm there.
    Prologue and epilogue are as above. The remark `LateGemm` reports it.

    A loop of one such gemm has nothing to run beside its additions. Two of its iterations become one before all this, each with
    stages and sums of its own, and the loop has half of its stages. Its tiles have to come by tensor copies in front of the gemm,
    threads may write nothing but fragments behind it, it has four stages at least, a known multiple of eight iterations, and
    registers for a second fragment of sums. The remark is `PairedGemms`; written by hand, it is a loop of two gemms.

    Factors of rows that threads read from a stage to add up the sums of such gemms, as scales of blocks, take a few registers:
    they are read in front of the gemm whose sums they are for, and their stage is given back there, so that neither shared
    memory nor the fence of the release stands behind the wait for the sums. At most four registers of a thread for a tile are
    read so, where nothing but loads use the stage and the producer has two stages of each pipeline at least. The remark is
    `EarlyReads`; written by hand, it is a `tile.parallel` that copies the factors to a fragment in front of the gemm.

    **Sums of rows.** A column that begins with zeros, and that loops only multiply by factors of its rows and add rows to
    (`tile.reduce sum … {combine}`), is needed behind the loops. If warps share the rows, each thread adds up what it has of
    them until then, and the parts are added up in front of the first other use of the column: an iteration needs no exchange
    between warps, and the parts are as few registers as the column. An infinite factor makes NaN of a sum of which a part is
    0. The remark is `DeferredSums`; written by hand, the parts are a tile with a dimension for each digit of the layout that
    chooses a thread, and the columns of a thread are added up through a `tile.reshape` of the rows.

    **Constants, read early.** A loop behind a reduction over a cluster (`tile.spread`) waits for the other blocks. What it
    reads of global memory that the kernel does not write, as the weights of a norm, is read in front of the reduction, if
    that is not the first one, which would delay the rows themselves, and half of the registers of a thread hold it beside
    other fragments. The remark is `EarlyConstants`; written by hand, it is a `tile.parallel` that copies the elements to a
    fragment.

    **Asynchronous groups.** In other loops, the copies with `instruction = #tile.transfer<cp_async>` run `stages - 1`
    iterations ahead: a prologue fills the first stages; each iteration waits for its own stage, synchronises at a
    barrier, and issues the copies for `stages - 1` iterations later. Guards make any trip count correct. Each prologue
    copy and each iteration commits one group. The conditions above apply to these copies, which also have to be
    directly in the loop.

    On AMD GPUs, where these copies are loads to LDS, a loop runs so if all its copies to shared memory are `cp_async`, or
    one of them by `prefer`. A wait for a group is a wait for a number of loads, which the kernel counts as it runs.

    **Register prefetching.** If the chip has no asynchronous copies, or the loop has others, all copies from global to shared memory that meet
    these conditions are split: the tile of the next iteration is loaded into fragments before the current iteration
    computes, and stored after it to the other one of two stages, or, if shared memory holds one stage only, to the
    stage that was read. The first load precedes the loop, with a guard unless the loop is known to have an iteration;
    the last iteration loads its own tile again, so that the loop has no branch. More than two stages are treated as
    two. A loop whose fragments would exhaust the registers stays serial.

    Remarks name loops that remain serial, with the reason. If the stages do not fit into shared memory, fewer are used
    (a remark).

    `order` and `stage` given by hand: copies in stage 0 and all other ops, in program order, in one later stage `n` mean
    `n + 1` stages.

    **Errors.** `cannot follow 'order' and 'stage': expected the copies to shared memory in stage 0 and all other ops in one
    later stage, in the order of the program`; `cannot use a tensor copy: …`.

    **Example.** For `sm_90a`
    ```mlir
    func.func @sum_tiles(%a: memref<64x1024xf32>, %s: memref<64xf32>) {
      %zero = arith.constant 0.0 : f32
      tile.kernel (%b) in (1) {
        %tile = tile.alloc : memref<64x128xf32, #tile.shared>
        %acc = tile.alloc : memref<64xf32, #tile.fragment>
        tile.fill %acc, %zero : memref<64xf32, #tile.fragment>
        tile.pipelined %k = 0 to 8 stages(2) {
          tile.copy %a[0, %k * 128], %tile {instruction = #tile.transfer<tma>}
              : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
          tile.reduce sum %tile, %acc dim(1) {combine} : memref<64x128xf32, #tile.shared>, memref<64xf32, #tile.fragment>
        }
        tile.copy %acc, %s : memref<64xf32, #tile.fragment>, memref<64xf32>
      }
      return
    }
    ```
    becomes the example of `tile.warp_specialize`.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::tile::TileDialect"];
  let options = [
    Option<"scratchBytes", "scratch-bytes", "int64_t", /*default=*/"0",
           "bytes of the arena that the lowering needs for itself">];
}

def PlanSharedPass : Pass<"tile-plan-shared"> {
  let summary = "allocates shared memory by live ranges";
  let description = [{
    Sets `offset` on every `tile.alloc` in shared memory and on every `tile.create_pipeline`, and `shared_bytes`, the
    size of the arena, on the kernel. Buffers with disjoint live ranges share bytes: a buffer is live from its first to
    its last access, throughout a loop, and from the beginning of `tile.warp_specialize` if the producer fills it: to the end of
    the last loop or op of the consumer that reads it, or, in a persistent kernel, to its own end. Only if that does not fit, buffers that each iteration overwrites first share bytes within the loop. Buffers below 1 KiB are
    never shared. Where sharing introduces conflicts, barriers are inserted as by `tile-insert-barriers`, which runs
    before.

    The size of a buffer follows from its layout. Buffers that asynchronous engines access, and swizzled ones, are aligned
    to eight times the widest swizzle of the chip, others to 16 bytes. A pipeline has two barriers of 8 bytes for each
    stage. `scratch-bytes` are reserved for the lowering.

    In kernels without products, scans, selections, loops of an element and partitions of warps, `tile.resident_blocks` becomes the
    number of blocks that share a processor as shared memory, threads, and the registers of fragments and 32 more (at least 48)
    allow, where that is above 1 and no number is given. Fragments that a loop writes and nothing but reductions reads take none, and
    those of which a thread has 32 bits are among the 32. NVIDIA's assembler bounds the registers of a thread by it; on AMD GPUs
    nothing follows from it.

    A remark reports the size of the arena and how much sharing saved, another one that number.

    **Errors.** `needs 262144 bytes of shared memory, but sm_90a has 232448 for a block`, with a note for each of the buffers
    that are live together, and one for what exchanges between threads take.

    **Example.** In
    ```mlir
    func.func @two_steps(%a: memref<64x64xf32>) {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<64x64xf32, #tile.shared>
        %y = tile.alloc : memref<64x64xf32, #tile.shared>
        %f = tile.alloc : memref<64x64xf32, #tile.fragment>
        tile.copy %a, %x : memref<64x64xf32>, memref<64x64xf32, #tile.shared>
        tile.barrier
        tile.copy %x, %f : memref<64x64xf32, #tile.shared>, memref<64x64xf32, #tile.fragment>
        tile.copy %f, %y : memref<64x64xf32, #tile.fragment>, memref<64x64xf32, #tile.shared>
        tile.barrier
        tile.copy %y, %a : memref<64x64xf32, #tile.shared>, memref<64x64xf32>
      }
      return
    }
    ```
    both buffers get the offset 0, and a barrier before `%y` is written.
  }];
  let dependentDialects = ["::mlir::tile::TileDialect"];
  let options = [
    Option<"scratchBytes", "scratch-bytes", "int64_t", /*default=*/"0",
           "bytes of the arena that the lowering needs for itself">];
}

#endif // TILE_TRANSFORMS_SCHEDULEPASSES
