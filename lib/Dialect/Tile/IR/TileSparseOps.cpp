//===- TileSparseOps.cpp - products with a sparse operand -----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AssemblyFormat.h"
#include "ProductTypes.h"

#include "Tile/Dialect/BytecodeProperties.h"
#include "Tile/Dialect/Tile/IR/Sparse.h"

using namespace mlir;
using namespace mlir::tile;

#define GET_OP_CLASSES
#include "Tile/Dialect/Tile/IR/TileSparseOps.cpp.inc"
#include "Tile/Dialect/Tile/IR/TileSparseOpsBytecode.cpp.inc"

static MemRefType typeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

static int64_t getExtent(Value matrix, unsigned dim, bool transposed) {
  return typeOf(matrix).getDimSize(transposed ? 1 - dim : dim);
}

int64_t SparseGemmOp::getM() { return typeOf(getC()).getDimSize(0); }
int64_t SparseGemmOp::getN() { return typeOf(getC()).getDimSize(1); }
int64_t SparseGemmOp::getK() { return getExtent(getB(), 0, getTransposeB()); }
int64_t SparseGemmOp::getGroup() {
  return typeOf(getA()).getElementTypeBitWidth() == 32 ? 2 : 4;
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// tile.sparse_gemm C3, C4, C5
static LogicalResult verifyElementTypes(SparseGemmOp op) {
  Type a = typeOf(op.getA()).getElementType();
  SmallVector<Type> legal;
  // Four bits would be sparse by pairs, and f64 is not sparse anywhere.
  if (!a.isF64() && !a.isSignlessInteger(4))
    legal = getAccumulatorTypes(a, typeOf(op.getB()).getElementType());
  if (failed(verifyProductTypes(op, legal,
                                "f16, bf16, f32 or i8 twice, or two f8 types")))
    return failure();
  Type word = typeOf(op.getMetadata()).getElementType();
  if (word.isSignlessInteger(8) || word.isSignlessInteger(16) ||
      word.isSignlessInteger(32))
    return success();
  return op.emitOpError() << "expected metadata of i8, i16 or i32, got "
                          << word;
}

/// tile.sparse_gemm C2
static LogicalResult verifyExtents(SparseGemmOp op) {
  auto describe = [](Value buffer) {
    return formatShape(typeOf(buffer).getShape());
  };
  int64_t stored = getExtent(op.getA(), 1, op.getTransposeA());
  bool isBound =
      !ShapedType::isDynamic(stored) && !ShapedType::isDynamic(op.getK());
  // Half of an even number, so that nothing overflows.
  if (isBound && (op.getK() % 2 != 0 || op.getK() / 2 != stored))
    return op.emitOpError()
           << "expected K to agree: twice " << stored << " in 'a' ("
           << describe(op.getA()) << "), " << op.getK() << " in 'b' ("
           << describe(op.getB()) << ")";
  std::tuple<const char *, Value, const char *, int64_t, int64_t> sides[] = {
      {"M", op.getA(), "a", getExtent(op.getA(), 0, op.getTransposeA()),
       op.getM()},
      {"N", op.getB(), "b", getExtent(op.getB(), 1, op.getTransposeB()),
       op.getN()}};
  for (auto [name, buffer, letter, extent, expected] : sides)
    if (!mayBeEqual(extent, expected))
      return op.emitOpError()
             << "expected " << name << " to agree: " << extent << " in '"
             << letter << "' (" << describe(buffer) << "), " << expected
             << " in 'c' (" << describe(op.getC()) << ")";
  Value metadata = op.getMetadata();
  int64_t rows = getExtent(metadata, 0, op.getTransposeMetadata());
  int64_t words = getExtent(metadata, 1, op.getTransposeMetadata());
  int64_t bitsPerWord = typeOf(metadata).getElementTypeBitWidth();
  // Two bits for each stored element; four of 32-bit elements.
  int64_t storedPerWord = bitsPerWord / (op.getGroup() == 4 ? 2 : 4);
  if (!mayBeEqual(rows, op.getM()) ||
      (isBound && !ShapedType::isDynamic(words) &&
       (stored % storedPerWord != 0 || stored / storedPerWord != words)))
    return op.emitOpError()
           << "expected metadata of 4 bits for each of "
           << op.getK() / op.getGroup() << " groups of " << op.getM()
           << " rows, in whole words, got " << describe(metadata) << " of "
           << typeOf(metadata).getElementType();
  return success();
}

LogicalResult SparseGemmOp::verify() {
  // tile.sparse_gemm C1
  for (Value buffer : {getA(), getMetadata(), getB(), getC()}) {
    if (typeOf(buffer).getRank() != 2)
      return emitOpError() << "expected buffers of 2 dimensions, got "
                           << buffer.getType();
    if (!typeOf(buffer).hasStaticShape() && !isUnbound(typeOf(buffer)))
      return emitOpError() << "expected buffers of static shape, got "
                           << buffer.getType();
  }
  if (failed(verifyElementTypes(*this)) || failed(verifyExtents(*this)))
    return failure();
  // tile.sparse_gemm C6
  for (auto [buffer, name] : {std::pair(getA(), "a"),
                              {getMetadata(), "metadata"},
                              {getB(), "b"},
                              {getC(), "c"}})
    if (getMemorySpace(buffer) == MemorySpace::Global)
      return emitOpError()
             << "expected tiles, got '" << name
             << "' in global memory; copy it to shared memory or a fragment "
                "first";
  if (llvm::is_contained({getA(), getMetadata(), getB()}, getC()))
    return emitOpError("expected 'c' to be another buffer than the operands");
  return success();
}

void SparseGemmOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  auto add = [&](AccessKind kind, OpOperand &operand) {
    accesses.push_back({kind, getWholeRegion(operand.get()), &operand});
  };
  add(AccessKind::Read, getAMutable());
  add(AccessKind::Read, getMetadataMutable());
  add(AccessKind::Read, getBMutable());
  if (!getClear())
    add(AccessKind::Read, getCMutable());
  add(AccessKind::Write, getCMutable());
}
