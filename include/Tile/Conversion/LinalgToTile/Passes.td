//===- Passes.td - from linalg on tensors to kernels -------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_LINALGTOTILE_PASSES
#define TILE_CONVERSION_LINALGTOTILE_PASSES

include "mlir/Pass/PassBase.td"

def FuseLinalgPass : Pass<"tile-fuse-linalg", "::mlir::func::FuncOp"> {
  let summary = "fuses element-wise linalg ops with those that read them";
  let description = [{
    Upstream's `linalg-fuse-elementwise-ops` with another opinion of matrix products. An operand of a product is read once for
    each tile of the other side, and from a matrix in memory by the copies of the chip. So what computes an operand is not fused
    into the product: it becomes the epilogue of the kernel in front of it. The image of a convolution is such an operand. Fused are

    - what reads fewer bits than it yields, such as a dequantisation;
    - transposes, broadcasts and reshapes, if what is read is still a matrix: rows or columns, and what is summed over, are
      neighbouring dimensions each.

    A convolution whose window is one pixel becomes a generic op, which is a product of matrices once its unit dimensions are gone.

    In front of this, `linalg.softmax`, `linalg.pack` and `linalg.unpack` are replaced by the ops that they consist of. A reshape to
    computed extents (`tensor.reshape`) becomes a collapse and an expansion, and extents that bodies ask for (`tensor.dim`) are
    computed in front of their ops.

    **Example.** The activation stays an op of its own:
    ```mlir
    func.func @activation(%x: tensor<256x128xf32>, %w: tensor<128x512xf32>) -> tensor<256x512xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<256x128xf32>
      %y = linalg.exp ins(%x : tensor<256x128xf32>) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
      %c = tensor.empty() : tensor<256x512xf32>
      %z = linalg.fill ins(%zero : f32) outs(%c : tensor<256x512xf32>) -> tensor<256x512xf32>
      %r = linalg.matmul ins(%y, %w : tensor<256x128xf32>, tensor<128x512xf32>) outs(%z : tensor<256x512xf32>) -> tensor<256x512xf32>
      return %r : tensor<256x512xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ConvertLinalgToTilePass : Pass<"convert-linalg-to-tile", "::mlir::ModuleOp"> {
  let summary = "makes kernels of linalg ops on tensors";
  let description = [{
    Chooses which tensors of a function are stored, and writes one `tile.kernel` for each of them; all other tensors exist
    as the scalar code of one element inside of the kernels that read them. That code is found by walking from an element to
    the elements that it is made of: through ops without a reduction, reshapes, slices, pads, concatenations and gathers
    (`tensor.extract` in a body), with any permutation and any rank. So what moves data and what computes on single elements
    becomes the prologue or the epilogue of another kernel.

    Stored are the results of reductions, what other code uses (a `return`, a loop, an op that this pass does not know), and
    values that are costly to compute and read several times. There are four kinds of kernels:

    - a matrix product, named, generic or a convolution, with any number of batch, row, column and reduction dimensions: a tile
      of the result for each block and `tile.gemm`. If both operands are matrices in memory, they are copied as tiles, and the
      kernel has parameters (`tile.param`): `@product0_rows`, `@product0_columns`, `@product0_depth`, `@product0_stages` and
      `@product0_threads`, with the defaults of `benchmarks/tuning`, or smaller ones if there were too few blocks for the smallest
      chip of a family. Products of the same sizes share them. If the left operand is an image in memory, channels innermost, and
      its elements have at most 16 bits, the pixels of a block are a rectangle of the result, and for each place in the window a
      rectangle of the image is copied; strides divide its extents. The result leaves as a rectangle, too. Where a pixel has at most
      16 bytes, a kernel in front writes, for each pixel of the result along the last axis, the row of the window that it reads,
      and another one the filter in this order, both with zeros up to 32, 64 or 128 bytes: a convolution along the other axes is
      left. All other operands are gathered, for blocks of 64 × 64;
    - attention: a matrix product whose left operand is computed, by reductions over its rows, from another product. A block
      computes a tile of that product, its scores, and what becomes of them, and needs no more memory than that. Rows that are longer
      than a tile of 64 are a softmax in one pass, if the left operand and the sums are linear in one exponential of the scores minus
      a function of their maximum: sums and accumulator are multiplied by what the exponential loses when the maximum grows.
      Heads of 16 bits have parameters: `@attention0_queries`, `@attention0_keys`, `@attention0_stages`, `@attention0_threads`.
      The loop ends at the diagonal of a causal mask: comparisons of positions that hide all keys behind `query + n`, `n` not
      negative, by minus infinity, or by a number below -1e30 if the scores are products that are but scaled. A hidden key has no
      weight, also if its value is not finite.
      Anything else (two exponentials, a variance) computes the scores anew for each reduction and for the product, which a remark
      says. Masks by position, by tensors, and shared keys (GQA) need no rule of their own;
    - rows: reductions over the same rows, with the element-wise ops between and behind them, such as a softmax or a layer
      normalisation: `tile.parallel` and `tile.reduce` over tiles, if the row fits. Values of a row that others read, too, are
      stored by the same kernel;
    - one element for each iteration of `tile.parallel`, with loops over the dimensions that are reduced: also windows of at most 16
      elements, such as those of pooling, whose neighbours in memory belong to neighbouring results.

    Sums of f16 and bf16 are computed in f32 and rounded once, as by `tile.gemm`, whatever type the accumulator of the op has.

    Stored tensors are new buffers (`bufferization.to_tensor` of a `memref.alloc`), so that nothing is overwritten, and
    one-shot bufferization finds no conflict. An element that host code takes (`tensor.extract`) of a tensor that is not stored is
    computed there. Extents may be dynamic. An op without a form stays as it is; a remark says which
    and why. Assertions in the bodies of ops are dropped, with a remark: the element that they guard is padding.

    Positions that a mask compares as integers are compared as indices, so that a loop can be split where the mask ends. Dynamic
    extents of arguments and results that linalg ops want to be equal get one name in `tile.shape`, which a launch checks.

    `tf32` rounds the f32 operands of matrix products to tf32. `approximate` sets fast-math flags in kernels: `afn` on functions such
    as exponentials, which become an instruction of the chip that has fewer digits, where it has one; `contract` on sums and
    products, and `arcp` on divisions, so that one by a constant becomes a product. What is extended again in the same kernel is not
    rounded to 16 bits. In a softmax, a constant scale of the scores and log2(e) become one factor of the difference to the maximum, which
    is then that of the scores without scale. In attention whose scores are scaled products, hidden by minus infinity or not at all,
    the product of factor and maximum is rounded on its own: weights are right for scores up to 10^8. The same follows from such flags on
    the ops of a program without the option.

    **Example.** The sum of two tensors, of which only the last is stored:
    ```mlir
    #map = affine_map<(i) -> (i)>
    func.func @scaled_sum(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
      %e = tensor.empty() : tensor<1000xf32>
      %s = linalg.add ins(%x, %y : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) -> tensor<1000xf32>
      %r = linalg.mul ins(%s, %s : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) -> tensor<1000xf32>
      return %r : tensor<1000xf32>
    }
    ```
  }];
  let options = [
    Option<"tf32", "tf32", "bool", "false", "round the f32 operands of matrix products to tf32">,
    Option<"approximate", "approximate", "bool", "false", "use instructions with fewer digits for functions, contract products and sums, divide by constants as products, keep 16-bit floats wide">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::tile::TileDialect"];
}

def PlaceWorkspacesPass : Pass<"tile-place-workspaces", "::mlir::func::FuncOp"> {
  let summary = "makes workspaces of the intermediate buffers of a host function";
  let description = [{
    Behind bufferization, intermediate buffers are `memref.alloc`. Those of static shape in the function itself become
    `tile.alloc`, which every target allocates and frees with the function; all others are freed before the function returns.
    Two workspaces of one type whose kernels do not overlap in time become one.
    A buffer whose reshape is a result is that result.

    Arguments that the function writes are marked `tile.result`.

    With `workspace-arguments`, workspaces of static shape are further arguments behind the results, for callers that plan memory
    themselves. NVIDIA's tensor copies need it: they read and write arguments alone.
  }];
  let options = [Option<"workspaceArguments", "workspace-arguments", "bool", "false",
                        "make arguments of workspaces of static shape">];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::tile::TileDialect"];
}

#endif // TILE_CONVERSION_LINALGTOTILE_PASSES
