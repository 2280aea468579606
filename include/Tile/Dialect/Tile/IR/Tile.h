//===- Tile.h - the tile dialect --------------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect, its attributes, interfaces and ops. What each op means is written in the td files.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TILE_H
#define TILE_DIALECT_TILE_IR_TILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "Tile/Dialect/Tile/IR/TileEnums.h.inc"

#include "Tile/Dialect/Tile/IR/TileDialect.h.inc"

#include "Tile/Dialect/Tile/IR/TileAttrInterfaces.h.inc"

namespace mlir::tile::detail {
struct LayoutAttrStorage;
} // namespace mlir::tile::detail

#define GET_ATTRDEF_CLASSES
#include "Tile/Dialect/Tile/IR/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "Tile/Dialect/Tile/IR/TileTypes.h.inc"

namespace mlir::tile {

/// A rectangular part of a buffer. Offsets are `map` applied to `operands`, one result for each dimension; a null map means
/// that the region begins at 0 everywhere. `sizes` has one extent for each dimension; kDynamic where only the run time
/// knows (whole global buffers).
struct BufferRegion {
  Value buffer;
  AffineMap map;
  SmallVector<Value> operands;
  SmallVector<int64_t> sizes;

  MemRefType getType() const { return cast<MemRefType>(buffer.getType()); }
  /// The extents that are not 1: what two regions of different rank are matched by.
  SmallVector<int64_t> getMatchedSizes() const;
};

/// The region that is all of `buffer`.
BufferRegion getWholeRegion(Value buffer);

enum class AccessKind { Read, Write, Atomic };

struct Access {
  AccessKind kind;
  BufferRegion region;
  OpOperand *operand;
  /// A condition decides whether the op does it, as for a sum that a product
  /// may clear instead.
  bool isOptional = false;
};

/// The memory space of a memref type: `Global` when it has none. A foreign memory space counts as global.
MemorySpace getMemorySpace(MemRefType type);
inline MemorySpace getMemorySpace(Value buffer) {
  return getMemorySpace(cast<MemRefType>(buffer.getType()));
}

/// Of a kernel or loop: the parameter in the place of a number, `{stages = @S}`.
constexpr StringLiteral kParametersAttrName = "tile.parameters";
/// Of a parameter: defaults on chips with a matrix instruction, `{wgmma = 256}`.
constexpr StringLiteral kDefaultsAttrName = "tile.defaults";
/// Of a module: the values that parameters are to have, `{S = 3}`.
constexpr StringLiteral kBindingsAttrName = "tile.bindings";

/// Whether the buffer is a tile with extents that are not known before
/// parameters have their values (`tile-bind-parameters`).
bool isUnbound(MemRefType type);

/// Whether two shapes are equal where both are known.
bool mayBeEqual(ArrayRef<int64_t> a, ArrayRef<int64_t> b);

/// An error where parameters are left, or tiles that depend on them.
LogicalResult verifyParametersBound(Operation *root);

/// Whether the instruction computes a gemm; the others copy.
bool isGemmInstruction(Instruction instruction);

/// "64x32", for diagnostics.
std::string formatShape(ArrayRef<int64_t> shape);

/// Whether an optional layout has this shape and goes to registers of threads,
/// or to offsets of a memory.
LogicalResult verifyLayout(Operation *op, LayoutAttr layout,
                           ArrayRef<int64_t> shape, bool onThreads);

/// Whether no two elements, or iterations, share a place of the layout.
LogicalResult verifyPlaces(Operation *op, LayoutAttr layout);

/// The buffer that a chain of views and casts starts from.
Value getBaseBuffer(Value buffer);

LogicalResult verifyCollective(Operation *op);

/// All threads of the block reach the op together: it is not allowed in
/// `tile.parallel`.
template <typename ConcreteType>
class Collective : public OpTrait::TraitBase<ConcreteType, Collective> {
public:
  static LogicalResult verifyTrait(Operation *op) { return verifyCollective(op); }
};

/// Memory effects as they follow from the op's accesses.
void addAccessEffects(Operation *op, SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects);

} // namespace mlir::tile

#include "Tile/Dialect/Tile/IR/TileInterfaces.h.inc"

#define GET_OP_CLASSES
#include "Tile/Dialect/Tile/IR/TileOps.h.inc"

#endif // TILE_DIALECT_TILE_IR_TILE_H
