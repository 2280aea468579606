//===- Passes.td - estimates of kernels --------------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COSTMODEL_PASSES
#define TILE_COSTMODEL_PASSES

include "mlir/Pass/PassBase.td"

def EstimatePass : Pass<"tile-estimate", "::mlir::ModuleOp"> {
  let summary = "prints how long kernels will take";
  let description = [{
    Prints the estimate of the cost model ([cost-model.md](../cost-model.md)) for each kernel on the standard output: its time,
    what binds it, for how long each resource is busy, blocks, waves, shared memory, registers and the point of the roofline. It
    takes programs before any pass has run on them, with parameters in them or not, and changes nothing; it has no place in a
    pipeline.

    Numbers that depend on sizes need them: `sizes` names each size of `tile.shape`, and `argN.D` is dimension D of an argument
    without names. By default they are those of the first of `tile.cases`. Parameters have the values of `tile.bindings`, or
    their defaults. A branch counts as taken, and a loop without a count as one iteration.

    **Errors.** `expected a chip to estimate for (…)`; `nothing is known of how fast sm_120a is; there are figures of …`;
    `expected the size 'M' in '…'; give all sizes: M=…`; `expected sizes NAME=NUMBER of at least 0, each once, got '…'`; `cannot
    be estimated: its trip count is not computed from sizes and parameters`; `expected the format 'text' or 'json', got 'xml'`.

    **Example.** `tile-opt --tile-estimate="chip=sm_90a sizes=N=1048576"` of
    ```mlir
    func.func @negate(%x: memref<?xf32> {tile.shape = "N"}, %y: memref<?xf32> {tile.shape = "N"}) {
      tile.kernel (%b) in (ceildiv(dim(%x, 0), 1024)) threads(128) {
        %t = tile.alloc : memref<1024xf32, #tile.fragment>
        tile.copy %x[%b * 1024], %t
        tile.parallel (%i) in (1024) do %t[%i] = -%t[%i]
        tile.copy %t, %y[%b * 1024]
      }
      return
    }
    ```
    says that memory binds it.
  }];
  let options = [
    Option<"chip", "chip", "std::string", "", "the chip; by default that of the module">,
    Option<"sizes", "sizes", "std::string", "", "sizes of arguments: NAME=NUMBER, separated by spaces or commas">,
    Option<"format", "format", "std::string", "\"text\"", "text or json">
  ];
}

def ApplyTuningPass : Pass<"tile-apply-tuning", "::mlir::ModuleOp"> {
  let summary = "gives parameters the values that a tuner found";
  let description = [{
    Reads the record of `tile-tune` ([tuning.md](../tuning.md)) and binds the parameters of the module (`tile.bindings`) as it says for
    the functions with kernels and these sizes, by default those of the first of `tile.cases`. Parameters that are bound already
    keep their values. It belongs before `tile-bind-parameters`.

    Sizes that the record does not have are a remark, and the defaults stay.

    **Errors.** `cannot use the tuning record 'f.json': it is of another version of '@f'; tune again`; `…: it is for gfx942, not for
    sm_90a`; `…: expected a record of tile-tune`; `…: expected version 1 of the format, got 2`; `…: the record is incomplete or
    damaged; tune again`; `expected sizes NAME=NUMBER of at least 0, each once, got '…'`.

    **Example.** `tile-opt --tile-apply-tuning="file=f.tune.json chip=sm_90a sizes=M=4096,N=4096" --tile-bind-parameters`
  }];
  let options = [
    Option<"file", "file", "std::string", "", "the record">,
    Option<"chip", "chip", "std::string", "", "the chip; by default that of the module">,
    Option<"sizes", "sizes", "std::string", "", "sizes of arguments: NAME=NUMBER, separated by spaces or commas">
  ];
}

#endif // TILE_COSTMODEL_PASSES
