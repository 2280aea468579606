//===- HostPasses.td - passes over the code around kernels --*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_HOSTPASSES
#define TILE_TRANSFORMS_HOSTPASSES

include "mlir/Pass/PassBase.td"

def UnrollLaunchesPass : Pass<"tile-unroll-launches"> {
  let summary = "unrolls loops of host code around kernels";
  let description = [{
    Repeats the body of each `scf.for` of host code that launches kernels, once for each iteration: a GPU is given a list of
    launches. The bounds are constants, and at most 64 kernels are launched; the kernel of each iteration is compiled for
    itself. The CPU and Ascend run such loops as they are.

    **Errors.** `launches kernels a number of times that is not a constant; call a function with the body of the loop from a
    loop of the caller`; `launches more than 64 kernels; call a function with the body of the loop from a loop of the caller`.

    **Example.** Two kernels become of
    ```mlir
    func.func @twice(%a: memref<64xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      scf.for %k = %c0 to %c2 step %c1 {
        tile.kernel (%b) in (1) {
          tile.parallel (%i) in (64) {
            %v = memref.load %a[%i] : memref<64xf32>
            %w = arith.addf %v, %v : f32
            memref.store %w, %a[%i] : memref<64xf32>
          }
        }
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SinkLoadsPass : Pass<"tile-sink-loads"> {
  let summary = "moves loads and assertions of host code into kernels";
  let description = [{
    A GPU is given a list of launches, and no host reads its buffers in between. A number that host code loads from a buffer
    is loaded by the kernels that use it instead, together with what is computed from it there, and what host code asserts
    (`cf.assert`) is asserted by the kernel behind it (`tile.device_assert`). The CPU and Ascend run host code as it is.

    A kernel must find what the host would have read: nothing between the load and the end of the kernel writes the buffer.
    The extents of a grid cannot be loaded; they follow from the arguments of the function.

    **Errors.** `cannot be moved into the kernel that uses its result: the buffer is written before the kernel ends; copy the
    number to a buffer of its own first`.

    **Example.** `%v` is loaded in the kernel of
    ```mlir
    func.func @scale(%a: memref<64xf32>, %factor: memref<f32>) {
      %v = memref.load %factor[] : memref<f32>
      tile.kernel (%b) in (1) {
        tile.parallel (%i) in (64) {
          %x = memref.load %a[%i] : memref<64xf32>
          %y = arith.mulf %x, %v : f32
          memref.store %y, %a[%i] : memref<64xf32>
        }
      }
      return
    }
    ```
  }];
}

#endif // TILE_TRANSFORMS_HOSTPASSES
