//===- Lowering.h - what the parts of the conversion share ------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_LOWERING_H
#define TILE_LIB_CONVERSION_TILETOASCEND_LOWERING_H

#include "Tile/Dialect/Ascend/IR/Ascend.h"
#include "Tile/Target/Target.h"

#include "mlir/IR/Builders.h"

namespace mlir::tile::ascend {

class KernelLowering;

/// When an op is lowered: loops after what stands in them, as bounds of regions
/// are proven from them; buffers when nothing uses them any more, views first.
enum class LoweringPhase { Instructions, Control, Buffers };

} // namespace mlir::tile::ascend

#include "Tile/Conversion/TileToAscend/AscendLoweringInterface.h.inc"

namespace mlir::tile::ascend {

/// Part of a buffer in GM: offsets and extents in elements.
struct GlobalRegion {
  Value buffer;
  SmallVector<Value> offsets;
  SmallVector<int64_t> sizes;
};

/// Lowers the tile ops of one kernel, whose buffers have their memories, to
/// instructions. Every buffer of UB becomes a matrix: its extents of 1 are
/// dropped, all but the last dimension are one, and rows begin at whole blocks.
class KernelLowering {
public:
  explicit KernelLowering(KernelOp kernel);
  LogicalResult run();

  // Buffers.cpp
  /// A new buffer in UB; a view where rows are padded. No rows: one dimension.
  Value createMatrix(Location loc, std::optional<int64_t> rows,
                     int64_t columns, Type element);
  /// A new matrix of the shape of another one.
  Value createLike(Location loc, Value matrix, Type element);
  /// The matrix of a buffer in UB; null, with an error at `op`, if it has none.
  Value getMatrixOf(Operation *op, Value buffer);
  /// Part of a matrix; `rowOffset` and `columnOffset` are indices.
  Value createPart(Location loc, Value matrix, OpFoldResult rowOffset,
                   OpFoldResult columnOffset, int64_t rows, int64_t columns);
  /// Converts element by element, in as many steps as the chip needs. Integers
  /// that become narrower wrap, unless all of them are known to fit.
  LogicalResult createCast(Operation *op, Value target, Value source,
                           bool fits = false);
  /// The low bits of integers, as signed numbers.
  Value createWrap(Location loc, Value matrix, unsigned bits);
  /// One value for all elements.
  LogicalResult createFill(Operation *op, Value matrix, Value value);
  /// Copies a matrix of the same shape, converting the elements.
  LogicalResult createCopy(Operation *op, Value target, Value source);
  /// The element type that the vector unit computes in for `element`.
  Type getComputeType(StringRef instruction, Type element) const;
  bool supports(StringRef instruction, Type element) const {
    return getComputeType(instruction, element) == element;
  }

  // Copy.cpp
  LogicalResult lowerCopy(CopyOp op);
  LogicalResult lowerFill(FillOp op);
  LogicalResult lowerAtomic(AtomicOp op);
  /// GM to a matrix in UB or L1; elements outside of the buffer become its safe
  /// value.
  bool endsInBlock(Value matrix) const;
  LogicalResult createLoad(Operation *op, Value matrix,
                           const GlobalRegion &region);
  /// A matrix in UB or L0C to GM; elements outside of the buffer are dropped.
  LogicalResult createStore(Operation *op, const GlobalRegion &region,
                            Value matrix, bool atomic = false);

  // Reduce.cpp
  LogicalResult lowerReduce(tile::ReduceOp op);

  // Scan.cpp
  LogicalResult lowerScan(ScanOp op);

  // TopK.cpp
  LogicalResult lowerTopK(TopKOp op);
  /// 0, 1, 2, … in i32, made once at the beginning of the kernel.
  Value createIndexSequence(Location loc, int64_t count);
  /// One row of a matrix, or all of a vector.
  Value createRow(Location loc, Value matrix, OpFoldResult row);

  // Im2Col.cpp
  LogicalResult lowerIm2Col(Im2ColOp op);

  // Scalars.cpp
  LogicalResult lowerLoad(memref::LoadOp load);
  LogicalResult lowerStore(memref::StoreOp store);
  /// Where an element of a tile is in its matrix.
  FailureOr<SmallVector<Value>> getMatrixIndices(Operation *op, Value buffer,
                                                 ValueRange indices,
                                                 Value &matrix);
  /// An element of GM, or the safe value where it is outside. `op` tells what is
  /// known of the indices.
  Value createGlobalRead(Operation *op, Value buffer, ValueRange indices);

  // Cube.cpp
  LogicalResult lowerGemm(GemmOp op);
  LogicalResult lowerCubeFill(FillOp op);
  Value createZeros(int64_t rows, int64_t columns, Type element);

  // Vectorize.cpp
  LogicalResult lowerParallel(ParallelOp op);

  // Models.cpp
  LogicalResult lowerPipelined(PipelinedOp op);
  LogicalResult lowerPersistent(PersistentOp op);

  /// Whether the kernel writes to a buffer.
  bool isWritten(Value buffer) const;

  Value constantIndex(Location loc, int64_t value);
  /// A constant of the element type, at the insertion point.
  Value constantOf(Location loc, Type element, double value);

  KernelOp kernel;
  const ::tile::target::Target &chip;
  const ::tile::target::AscendSpec &spec;
  OpBuilder b;

private:
  bool hasCast(Type from, Type to) const;
  LogicalResult createCastSteps(Operation *op, Value target, Value source);
  LogicalResult lowerPhase(LoweringPhase phase);
  bool isSplit(Operation *op) const;
  Value getSafeValue(Operation *op, Value buffer);
  void createPixelCopies(Im2ColOp op, Value matrix);
  /// The part of GM that is inside of the buffer.
  struct Clipped {
    Value view;            // of two dimensions or one
    SmallVector<Value> sizes; // null where all of it is inside
    bool isWhole = true;
  };
  FailureOr<Clipped> clip(Operation *op, const GlobalRegion &region,
                          unsigned rank);
  bool isDeep(Value matrix, const GlobalRegion &region) const;
  LogicalResult
  createEach(Operation *op, Value matrix, GlobalRegion region,
             function_ref<LogicalResult(Value, const GlobalRegion &)> create);
  LogicalResult fillOutside(Operation *op, Value matrix, const Clipped &part,
                            Value safe);
  LogicalResult createMatrixLoad(Operation *op, Value matrix,
                                 const Clipped &part, Value safe);

  bool isMixed = false; // both vector cores of a block run the kernel
  DenseSet<Value> written; // buffers, before anything is lowered
  DenseMap<Value, Value> matrices;
  DenseMap<Value, Value> safeValues;
  DenseMap<int64_t, Value> sequences;
  DenseMap<std::tuple<int64_t, int64_t, Type>, Value> zeros;
};

/// Makes the ops of the tile dialect lowerable.
void attachLoweringModels(MLIRContext *context);

/// Whether blocks of a tile in L1 have rows behind its last one that products
/// may take part of.
bool hasOpenRows(Operation *op, MemRefType type);

/// The extents that are not 1; one extent of 1 if there is no other.
SmallVector<int64_t> dropUnits(ArrayRef<int64_t> shape);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_LOWERING_H
