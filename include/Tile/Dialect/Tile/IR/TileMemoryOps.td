//===- TileMemoryOps.td - buffers and data movement --------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TILEMEMORYOPS
#define TILE_DIALECT_TILE_IR_TILEMEMORYOPS

include "mlir/Interfaces/ViewLikeInterface.td"
include "Tile/Dialect/Tile/IR/TileAttrs.td"

def Tile_AllocOp : Tile_Op<"alloc"> {
  let summary = "allocates a buffer";
  let description = [{
    Allocates a buffer. In a kernel, its content is undefined before the first write, and its lifetime is that of the kernel,
    wherever in the body the op is. Outside of kernels, it allocates a global workspace that is freed when the function
    returns: what one kernel writes there, later ones read. On GPUs all workspaces of a function are one allocation, which the
    runtime keeps for the stream (docs/LaunchMetadata.md).

    `layout` maps each element to registers of lanes (fragments) or to offsets (other spaces); `tile-infer-layout` sets it if
    it is missing. `offset` is the byte offset of a shared buffer in the arena of the block; `tile-plan-shared` sets it.

    **Syntax.** `tile.alloc : type`, or `tile.alloc(extent, …) : type` with an expression (`tile.parallel`) for each `?`:
    `tile.alloc(@BM, %bk * 2) : memref<?x?xf16, #tile.shared>`.

    **Constraints.**
    - (C1) there is one extent in parentheses for each `?` of the shape; those of a tile are computed from parameters
      (`tile.param`), and `tile-bind-parameters` makes them static, those of a workspace are any numbers of the host; static
      extents are positive, and the bits of the buffer can be counted in 63 bits;
    - (C2) the layout of the memref is the identity, its elements are floats, signless integers or indices;
    - (C3) it is in a function, a buffer in the global space outside of kernels, all others inside, or in a private function
      that kernels call (`tile-inline-calls`);
    - (C4) a buffer in `#tile.tmem` has two dimensions;
    - (C5) `layout` has the shape of the buffer, goes to registers of threads for a fragment and to offsets for others;
    - (C6) `offset` goes with `#tile.shared` and is not negative;
    - (C7) `layout` gives each element a place of its own.

    **Targets.** `shared`, `fragment`, `local`, `global`: all. `tmem`: NVIDIA from sm_100 on. `l1`, `ub`, `l0a`, `l0b`,
    `l0c`, `bt`: Ascend. The CPU runs all of them.

    **Errors.** `expected 1 extent for 'memref<?xf32, #tile.shared>', got 0;
    an extent that is not a constant is computed from a 'tile.param'`; `expected positive extents, got 4x0`; `expected a buffer
    in global memory to be allocated outside of 'tile.kernel'`; `expected a buffer in 'shared' memory to be allocated
    inside of 'tile.kernel'`; `expected a layout of shape 64x32, got 32x64`; `expected a layout that goes to registers of
    threads, got …`; `expected a layout that gives each element a place of its own, got …`.

    **Example.**
    ```mlir
    func.func @alloc(%n: index) {
      %w = tile.alloc (%n) : memref<?x64xf32>
      tile.kernel (%b) in (1) {
        %s = tile.alloc : memref<64x32xf16, #tile.shared>
        %f = tile.alloc : memref<64x32xf32, #tile.fragment>
        %l = tile.alloc : memref<4xf32, #tile.local>
      }
      return
    }
    ```
  }];
  let arguments = (ins
    Variadic<Index>:$extents, OptionalAttr<Tile_LayoutAttr>:$layout, OptionalAttr<I64Attr>:$offset);
  let results = (outs Res<AnyMemRef, "", [MemAlloc<DefaultResource>]>:$buffer);
  let hasCustomAssemblyFormat = 1;
  let builders = [
    OpBuilder<(ins "Type":$type, "LayoutAttr":$layout, "IntegerAttr":$offset), [{
      build($_builder, $_state, type, ValueRange(), layout, offset);
    }]>];
  let hasVerifier = 1;
}

def Tile_CopyOp : Tile_AccessOp<"copy", [AttrSizedOperandSegments]> {
  let summary = "copies a region, converting the elements";
  let description = [{
    Copies a region of one buffer to a region of another. A region is written `%buffer`, the whole buffer (if its shape is
    dynamic: the region at the origin with the size of the other side); `%buffer[offsets]`, the region at these offsets with
    the size of the other side; or `%buffer[offsets] [sizes]`. Offsets are affine expressions of index values, in elements;
    sizes are static. Regions are matched after their unit dimensions are dropped: a tile of 64×32 fits a region of
    1×64×1×32. If the region has more dimensions than the tile, the tile's extents apply to the innermost ones; give the
    sizes if unit dimensions are between them, or to take others: `%x[%b * 16, %k] [16, 1]` is a part of a column.
    `tile-verify-semantics` warns where the offset in a dimension that is not taken counts tiles, and where the offsets do not
    tell which dimensions are meant.

    Elements are converted when the types differ (rule 4 of the dialect). Integers count as signed unless `is_unsigned` is
    set. `saturate` clamps to the finite range of a target type that is a float, infinities included; NaN stays. Elements
    outside of a global source read as its padding value, those outside of a global target are not written.

    `prefer` requires an instruction family and `coalesced_width` the vector width of a synchronous copy; it is an error if
    the target cannot use them. `prefer` may be `sync`, `cp_async`, `bulk`, `tma` or `ldmatrix`.
    `instruction` is the choice that the compiler made (`tile-select-instructions`).

    **Syntax.** Offsets are expressions (`tile.parallel`), `symbol(%v)` marks a value that does not change:
    ```
    tile.copy %a[%y * 128, %k * @BK], %as
    tile.copy %acc, %c[%y * 128, dim(%c, 1) - 64] [128, 64]
    ```

    With `signal` the copy is asynchronous: it fills a stage of that pipeline between `tile.producer_acquire` and
    `tile.producer_commit`, and the target may be read only after a wait for the stage.

    **Constraints.**
    - (C1) the number of offsets and of sizes is the rank of the buffer, and sizes are positive;
    - (C2) at least one side gives the size of the copy: a whole buffer of static shape, or sizes;
    - (C3) the sizes of both sides are equal after unit dimensions are dropped;
    - (C4) a region with constant offsets lies inside of a buffer that is not global;
    - (C5) the elements are floats or signless integers; an index is not converted;
    - (C6) source and target do not overlap; the verifier sees it for constant regions of one buffer;
    - (C7) `prefer` names a copy instruction; `coalesced_width` is a positive power of two.

    **Targets.** All.

    **Errors.** `expected 2 offsets for 'memref<64x64xf16>', got 1`; `cannot tell the size of the copy: give sizes to
    one of the regions`; `expected regions of equal size, got 64x32 and 32x64`; `region exceeds dimension 1 of the
    target (offset 32 + size 64 > 64)`; `expected source and target not to overlap`; `expected 'prefer' to name a copy
    instruction (sync, cp_async, bulk, tma, ldmatrix), got 'wgmma'`.

    **Example.**
    ```mlir
    func.func @copy(%a: memref<?x?xf16>, %c: memref<2x64x4x32xf32>) {
      tile.kernel (%bx, %by) in (2, 4) {
        %t = tile.alloc : memref<64x32xf16, #tile.shared>
        tile.copy %a[%bx * 64, max(%by * 32 - 16, 0)], %t
        tile.copy %t, %c[%bx, 0, %by, 0] [1, 64, 1, 32] : memref<64x32xf16, #tile.shared>, memref<2x64x4x32xf32>
      }
      return
    }
    ```
  }];
  let arguments = (ins
    AnyMemRef:$source, Variadic<Index>:$sourceIndices,
    AnyMemRef:$target, Variadic<Index>:$targetIndices,
    OptionalAttr<AffineMapAttr>:$sourceMap, OptionalAttr<DenseI64ArrayAttr>:$sourceSizes,
    OptionalAttr<AffineMapAttr>:$targetMap, OptionalAttr<DenseI64ArrayAttr>:$targetSizes,
    UnitAttr:$is_unsigned, UnitAttr:$saturate,
    OptionalAttr<Tile_InstructionAttr>:$prefer,
    OptionalAttr<I64Attr>:$coalesced_width, OptionalAttr<Tile_TransferAttr>:$instruction,
    Optional<Tile_PipelineType>:$signal);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// The regions; sizes that were left out are filled in.
    BufferRegion getSourceRegion();
    BufferRegion getTargetRegion();
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_FillOp : Tile_AccessOp<"fill", [TypesMatchWith<"value type matches the element type of the buffer",
    "buffer", "value", "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">]> {
  let summary = "sets all elements of a buffer";
  let description = [{
    Writes one value to every element of a buffer.

    **Syntax.** The value is an expression of the element type: `tile.fill %max, -inf`.

    **Constraints.**
    - (C1) the value has the element type of the buffer (ODS);
    - (C2) the shape is static; a buffer of dynamic shape is filled through `tile.copy` from a tile;
    - (C3) the elements are floats or signless integers.

    **Targets.** All.

    **Errors.** `expected a buffer of static shape, got 'memref<?xf32>'`.

    **Example.**
    ```mlir
    func.func @fill(%c: memref<64xf32>, %d: memref<64xi32>) {
      %one = arith.constant 1.0 : f32
      tile.kernel (%b) in (1) {
        tile.fill %c, %one : memref<64xf32>
        tile.fill %d, -1
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$buffer, AnyType:$value);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_TransposeOp : Tile_AccessOp<"transpose"> {
  let summary = "transposes a matrix";
  let description = [{
    `target[j, i] = source[i, j]`.

    **Constraints.**
    - (C1) both buffers have two dimensions and static shapes, mirrored;
    - (C2) the element types are equal;
    - (C3) source and target are different buffers.

    **Targets.** All.

    **Errors.** `expected the target to be 32x64, the transposed source, got 64x32`.

    **Example.**
    ```mlir
    func.func @transpose(%a: memref<64x32xf16>, %b: memref<32x64xf16>) {
      tile.kernel (%k) in (1) {
        %s = tile.alloc : memref<64x32xf16, #tile.shared>
        %t = tile.alloc : memref<32x64xf16, #tile.shared>
        tile.copy %a, %s : memref<64x32xf16>, memref<64x32xf16, #tile.shared>
        tile.transpose %s, %t : memref<64x32xf16, #tile.shared>, memref<32x64xf16, #tile.shared>
        tile.copy %t, %b : memref<32x64xf16, #tile.shared>, memref<32x64xf16>
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$source, AnyMemRef:$target);
  let assemblyFormat = "$source `,` $target attr-dict `` custom<BufferTypes>(ref($source), type($source), ref($target), type($target))";
  let hasVerifier = 1;
}

class Tile_ViewLikeOp<string mnemonic>
    : Tile_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface, ["getViewDest"]>]> {
  let arguments = (ins AnyMemRef:$source);
  let results = (outs AnyMemRef:$view);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($view)";
  let extraClassDefinition = [{
    Value $cppClass::getViewDest() { return getView(); }
    Value $cppClass::getViewSource() { return getSource(); }
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ReshapeOp : Tile_ViewLikeOp<"reshape"> {
  let summary = "another shape for the same elements";
  let description = [{
    Another name for a buffer, of another shape. Elements keep their row-major order.

    **Constraints.**
    - (C1) element type and memory space are the same;
    - (C2) both shapes are static, have the same number of elements, and less than 2^63 bits;
    - (C3) both memrefs have the identity layout.

    **Targets.** All.

    **Errors.** `expected 2048 elements as in the source, got 1024`; `expected element type 'f16' as in the source, got
    'f32'; use 'tile.view' to reinterpret bits`.

    **Example.**
    ```mlir
    func.func @reshape(%a: memref<2048xf32>) {
      tile.kernel (%b) in (1) {
        %s = tile.alloc : memref<64x32xf32, #tile.shared>
        %r = tile.reshape %s : memref<64x32xf32, #tile.shared> to memref<2048xf32, #tile.shared>
        tile.copy %a, %r : memref<2048xf32>, memref<2048xf32, #tile.shared>
      }
      return
    }
    ```
  }];
}

def Tile_ViewOp : Tile_ViewLikeOp<"view"> {
  let summary = "another element type and shape for the same bits";
  let description = [{
    Another name for a buffer, of another element type and shape. The bits are those of the row-major order, little
    endian; elements of 4 bits are packed two to a byte, the low half first.

    **Constraints.**
    - (C1) the memory space is the same and is not `fragment`, `tmem`, `l0a`, `l0b` or `l0c`, whose elements have no
      addresses;
    - (C2) both shapes are static and have the same number of bits, less than 2^63;
    - (C3) both memrefs have the identity layout; the element types have widths of 4, 8, 16, 32 or 64 bits.

    **Targets.** All.

    **Errors.** `expected 16384 bits as in the source, got 8192`; `cannot reinterpret the bits of a buffer in 'fragment'
    memory`.

    **Example.**
    ```mlir
    func.func @view(%a: memref<64x32xf32>) {
      tile.kernel (%b) in (1) {
        %s = tile.alloc : memref<64x32xf32, #tile.shared>
        tile.copy %a, %s : memref<64x32xf32>, memref<64x32xf32, #tile.shared>
        %bits = tile.view %s : memref<64x32xf32, #tile.shared> to memref<64x64xi16, #tile.shared>
      }
      return
    }
    ```
  }];
}

def Tile_Im2ColOp : Tile_AccessOp<"im2col"> {
  let summary = "gathers the windows of a convolution into a matrix";
  let description = [{
    Gathers a tile of the matrix whose rows are output pixels and whose columns are the elements of their windows. For an
    image of shape `N×H×W×C`, row `p` is the output pixel `(n, oh, ow)` with `p = (n·OH + oh)·OW + ow`, column `q` the
    window element `(kh, kw, c)` with `q = (kh·KW + kw)·C + c`, and

    `target[i, j] = image[n, oh·stride − pad + kh·dilation, ow·stride − pad + kw·dilation, c]` at `p = %p + i`,
    `q = %q + j`; 0 where the window leaves the image or `p` or `q` leaves the matrix.

    `OH = (H + 2·pad − dilation·(KH − 1) − 1) / stride + 1`, and `OW` alike. `kernel(KH, KW)` has to be there; `stride` and
    `dilation` are 1, and `pad` is 0, where they are not. These clauses come in any order.

    **Constraints.**
    - (C1) the image has four dimensions; its H, W and C are static, N may be dynamic; its elements are floats or signless
      integers;
    - (C2) the target has two dimensions, a static shape, the image's element type, and is not global;
    - (C3) `kernel` has two positive entries; `stride` and `dilation` are positive, `pad` is not negative; all of them,
      and H, W and C, are below 2^31;
    - (C4) the window fits the padded image;
    - (C5) there are two offsets, expressions as in `tile.copy`: the first row and the first column.

    **Targets.** All.

    **Errors.** `expected an image of 4 dimensions (N, H, W, C), got 3`; `expected the window of 5x5 to fit the padded
    image of 4x4`; `expected the clause 'kernel'`; `expected 'pad' once, got it twice`.

    **Example.**
    ```mlir
    func.func @im2col(%img: memref<1x8x8x4xf32>, %out: memref<36x36xf32>) {
      tile.kernel (%b) in (1) {
        %t = tile.alloc : memref<36x36xf32, #tile.shared>
        tile.im2col %img[%b, 0], %t kernel(3, 3) : memref<1x8x8x4xf32>, memref<36x36xf32, #tile.shared>
        tile.copy %t, %out : memref<36x36xf32, #tile.shared>, memref<36x36xf32>
      }
      return
    }
    ```
  }];
  let arguments = (ins
    AnyMemRef:$image, Variadic<Index>:$imageIndices, AnyMemRef:$target,
    AffineMapAttr:$imageMap, DenseI64ArrayAttr:$kernel,
    DefaultValuedAttr<I64Attr, "1">:$stride,
    DefaultValuedAttr<I64Attr, "1">:$dilation,
    DefaultValuedAttr<I64Attr, "0">:$pad);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Output pixels along H (0) or W (1).
    int64_t getOutputExtent(unsigned dim);
  }];
  let hasVerifier = 1;
}

#endif // TILE_DIALECT_TILE_IR_TILEMEMORYOPS
