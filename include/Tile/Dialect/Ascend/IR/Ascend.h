//===- Ascend.h - the ascend dialect ----------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The dialect, its attributes, interfaces and ops. What each op means is written
// in the td files.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_ASCEND_IR_ASCEND_H
#define TILE_DIALECT_ASCEND_IR_ASCEND_H

#include "Tile/Dialect/Ascend/IR/CallPrinter.h"
#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Target/Target.h"

#include "Tile/Dialect/Ascend/IR/AscendEnums.h.inc"

#include "Tile/Dialect/Ascend/IR/AscendDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Tile/Dialect/Ascend/IR/AscendAttrs.h.inc"

namespace mlir::tile::ascend {

/// The chip that an op is for: the nearest `tile.target` around it, by default
/// 910B. Null if that is no Ascend chip.
const ::tile::target::Target *getChip(Operation *op);
/// Its record; that of the default chip where `tile.target` names another kind.
const ::tile::target::AscendSpec &getSpec(Operation *op);

/// Whether the chip copies from one memory of its cores to another.
bool hasPath(Operation *op, MemorySpace from, MemorySpace to);
/// The core that owns a memory; nothing for GM.
std::optional<Core> getOwner(MemorySpace space);

/// The accesses of an instruction: the first operand is written, and read too if
/// it `combines`; all other buffers are read.
void addInstructionAccesses(Operation *op, bool combines,
                            SmallVectorImpl<Access> &accesses);

/// Rows and columns of a buffer of one or two dimensions, and the elements from
/// one row to the next.
struct Matrix {
  int64_t rows, columns, pitch;
  bool isContiguous() const { return rows == 1 || pitch == columns; }
};
/// Fails where an extent or a stride is dynamic, or the innermost stride not 1.
FailureOr<Matrix> getMatrix(MemRefType type);

/// Bytes of a memory of a core. The base is the `tile.alloc`; without an address
/// yet, ranges of different bases are apart.
struct ByteRange {
  Value base;
  MemorySpace space;
  int64_t begin, end;
  /// Of each `period` bytes from the begin on, the first `length` alone; 0 for
  /// all of the range.
  int64_t period = 0, length = 0;
};
/// The bytes that a buffer or a view of one may touch; for GM, the base alone.
ByteRange getByteRange(Value buffer);
/// The bytes that a buffer takes, whole blocks of the cube and whole vectors
/// included.
int64_t getAllocatedBytes(MemRefType type);
/// Whether two ranges may share a byte.
bool mayOverlap(const ByteRange &a, const ByteRange &b);

/// Rows and columns of the squares that are transposed as one on the way from L1
/// to L0A and L0B; buffers there are whole squares.
int64_t getSquare(const ::tile::target::AscendSpec &spec, int64_t bytes);
/// The order of blocks in L1: rows of blocks (Zz) for elements of 4 bytes where
/// LoadDataWithTranspose takes two neighbours of a row as a square; columns of
/// blocks (Nz) otherwise.
::tile::target::Format getL1Format(const ::tile::target::Target &chip,
                                   int64_t bytes);
/// Whether one LoadData moves, or transposes, a whole matrix.
bool loadsWholeMatrices(const ::tile::target::Target &chip);
/// The first row and column in its buffer of a buffer of the cube or a view of
/// one; fails where they are not constants.
FailureOr<std::pair<int64_t, int64_t>> getCubeOffsets(Value view);

/// Whether stores to GM combine elements of the type.
bool hasAtomic(Type element, ReduceKind kind);

/// "Add", as Ascend C and the target's tables call the instruction.
StringRef getInstructionName(Operation *op);
/// The type that elements are filled and copied to and from UB as: floats of 8
/// bits are bytes there.
Type getMovedAs(Type element);

} // namespace mlir::tile::ascend

#include "Tile/Dialect/Ascend/IR/AscendInterfaces.h.inc"

#define GET_OP_CLASSES
#include "Tile/Dialect/Ascend/IR/AscendOps.h.inc"

namespace mlir::tile::ascend {

/// Elements of the widest operand that one repeat of a vector instruction takes.
int64_t getLanes(Operation *op);
/// Whether a call takes a mask and repeats: not of elements of one byte.
bool hasRepeats(Operation *op);
/// Blocks of 32 bytes from one repeat to the next, of a memref operand.
int64_t getRepeatStride(ElementwiseOpInterface op, unsigned operand);
/// Rows that one call reduces, rows that it makes of elements, keys that it
/// sorts.
int64_t getMaxReducedRows(Operation *op);
int64_t getMaxBlockRows(Operation *op);
int64_t getMaxSortedKeys(Operation *op);
/// Rows of GM that one call puts in L1.
int64_t getMaxNd2NzRows(CopyGmToL1Op op);
/// Whether the extents are known and positive.
bool hasElements(MemRefType type);

} // namespace mlir::tile::ascend

#endif // TILE_DIALECT_ASCEND_IR_ASCEND_H
