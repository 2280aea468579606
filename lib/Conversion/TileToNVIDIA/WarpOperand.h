//===- WarpOperand.h - operands of mma.sync ------------------- -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETONVIDIA_WARPOPERAND_H
#define TILE_LIB_CONVERSION_TILETONVIDIA_WARPOPERAND_H

#include "Tile/Conversion/TileToSIMT/Mma.h"

#include "Tile/Layout/Distribute.h"

namespace mlir::tile {
class SparseGemmOp;
} // namespace mlir::tile

namespace mlir::tile::nvidia {

/// A product that instructions of single warps compute.
struct WarpProduct {
  explicit WarpProduct(GemmOp op);
  explicit WarpProduct(SparseGemmOp op);

  /// Of the stored elements of `a`, along K.
  int64_t getStoredK() const { return k / depthOfB; }

  Operation *op;
  MmaAttr instruction;
  Value a, b, c;
  Value metadata; // null: `a` is dense
  bool clear, transposeA, transposeB;
  Value clearIf; // may be null
  int64_t m, n, k;
  int64_t depthOfB; // fragments of B in one instruction, along K
};

/// An operand of a product, and the fragments in which the instruction takes it.
/// Coordinates are (row, k) for A and (k, column) for B. Of a sparse A, K counts
/// what is stored.
struct WarpOperand {
  WarpOperand(const WarpProduct &product,
              ::tile::layout::MatrixOperand partition,
              const simt::MmaInstruction &mma, const simt::Buffer &buffer,
              int64_t steps, int64_t together = 1);

  const WarpProduct &product;
  ::tile::layout::MatrixOperand partition;
  const simt::MmaInstruction &mma;
  const simt::Buffer &buffer;
  int64_t steps; // fragments along K, in one iteration
  int64_t together; // of these, those that share out K; see getStepsOfConversion
  ::tile::layout::Layout fragment; // of all instructions together
  int outer, depth; // the dimensions of M or N, and of K
  bool transposed;  // the buffer's dimensions are swapped

  Location getLoc() const { return product.op->getLoc(); }
  int64_t getOuterExtent() const;
  int64_t getDepthExtent() const;
  /// Where in the buffer an element is.
  ::tile::layout::Coord toBuffer(ArrayRef<int64_t> coordinate) const;
  /// Registers of a fragment that begins at (outer, k).
  SmallVector<int64_t> shifted(ArrayRef<int64_t> part, int64_t outerAt,
                               int64_t k) const;
  bool isTF32() const;
  /// The registers of one instruction among those of all together.
  SmallVector<Value> getStep(ArrayRef<Value> registers, int64_t step) const;
};

/// How the fragments of an operand come into registers.
class FragmentReader {
public:
  virtual ~FragmentReader();

  /// `k` is null where there is one iteration only.
  virtual void beginIteration(Value k) = 0;
  /// The registers, of 32 bits or f64, of the fragment at (outer, k0) of the
  /// iteration.
  virtual SmallVector<Value> read(int64_t outer, int64_t k0) = 0;
};

/// `warpPart` is where the accumulator of this warp begins along the outer
/// dimension. Chooses ldmatrix for shared memory, and says in a remark why not
/// otherwise.
std::unique_ptr<FragmentReader>
createReader(const WarpOperand &operand, const simt::Buffer &c,
             ArrayRef<simt::MmaInstance> instances, Value warpPart,
             simt::KernelLowering &l);

} // namespace mlir::tile::nvidia

#endif // TILE_LIB_CONVERSION_TILETONVIDIA_WARPOPERAND_H
