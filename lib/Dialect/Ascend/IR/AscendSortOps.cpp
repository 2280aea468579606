//===- AscendSortOps.cpp - verifiers of sorting and gathering -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tile::ascend;
using mlir::tile::MemorySpace;

static int64_t getLength(Role role) { return role.getType().getNumElements(); }

static LogicalResult expectElements(Operation *op, Role role, Type element) {
  Type got = role.getType().getElementType();
  if (got == element)
    return success();
  return op->emitOpError() << "expected elements of type " << element << " in '"
                           << role.name << "', got " << got;
}

/// A vector in UB whose elements follow one another.
static LogicalResult verifyVector(Operation *op, Role role) {
  if (failed(expectSpace(op, role, MemorySpace::UB)) ||
      failed(expectRank(op, role, 1, 1)))
    return failure();
  return expectRows(op, role);
}

LogicalResult Sort32Op::verify() {
  Role target{getTarget(), "target"}, keys{getKeys(), "keys"},
      indices{getIndices(), "indices"};
  Builder b(getContext());
  // ascend.sort32 C1, C2
  if (failed(verifyVector(*this, keys)) ||
      failed(verifyVector(*this, indices)) ||
      failed(verifyVector(*this, target)) ||
      failed(expectElements(*this, keys, b.getF32Type())) ||
      failed(expectElements(*this, indices, b.getI32Type())) ||
      failed(expectElements(*this, target, b.getF32Type())))
    return failure();
  // ascend.sort32 C3
  int64_t count = getLength(keys), group = getSpec(*this).sortGroup;
  if (count == 0 || count % group != 0)
    return emitOpError() << "expected a multiple of " << group << " keys, got "
                         << count;
  if (failed(expectShape(*this, indices, {count})))
    return failure();
  // ascend.sort32 C4
  if (failed(expectShape(*this, target, {2 * count})))
    return failure();
  // ascend.sort32 C5
  return expectInstruction(*this, getInstructionName(*this), b.getF32Type());
}

int64_t MergeSortOp::getMergedLength() {
  return std::accumulate(getLengths().begin(), getLengths().end(), int64_t(0));
}

/// ascend.merge_sort C3
static LogicalResult verifyOffsets(MergeSortOp op, int64_t records) {
  ArrayRef<int64_t> lengths = op.getLengths(), offsets = *op.getOffsets();
  if (offsets.size() != lengths.size())
    return op.emitOpError() << "expected " << lengths.size() << " offsets, got "
                            << offsets.size();
  for (auto [offset, length] : llvm::zip_equal(offsets, lengths))
    if (offset < 0 || offset > records - length)
      return op.emitOpError()
             << "expected the list at record " << offset << " to end within "
             << records << " records, got " << offset + length;
  return success();
}

LogicalResult MergeSortOp::verify() {
  Role target{getTarget(), "target"}, source{getSource(), "source"};
  Type element = Float32Type::get(getContext());
  // ascend.merge_sort C1
  if (failed(verifyVector(*this, source)) ||
      failed(verifyVector(*this, target)) ||
      failed(expectElements(*this, source, element)) ||
      failed(expectElements(*this, target, element)))
    return failure();
  // ascend.merge_sort C2
  ArrayRef<int64_t> lengths = getLengths();
  if (lengths.size() < 2 || lengths.size() > 4)
    return emitOpError() << "expected two to four lists, got "
                         << lengths.size();
  int64_t most = getSpec(*this).mergeMaxLength;
  for (int64_t length : lengths)
    if (length < 1 || length > most)
      return emitOpError() << "expected lists of 1 to " << most
                           << " records, got " << length;
  // ascend.merge_sort C3
  int64_t records = getLength(source) / 2, merged = getMergedLength();
  if (getOffsets()) {
    if (failed(verifyOffsets(*this, records)))
      return failure();
    records = merged;
  }
  // ascend.merge_sort C4
  bool isUniform = lengths.size() == 4 && llvm::all_equal(lengths);
  if (records == 0 || records % merged != 0 || (records > merged && !isUniform))
    return emitOpError() << "expected the source to hold whole groups of "
                         << merged << " records, got " << records;
  if (failed(expectShape(*this, target, {2 * records})))
    return failure();
  // ascend.merge_sort C5
  if (getTarget() == getSource())
    return emitOpError("expected source and target to be different");
  return expectInstruction(*this, getInstructionName(*this), element);
}

LogicalResult GatherMaskOp::verify() {
  Role target{getTarget(), "target"}, source{getSource(), "source"};
  // ascend.gather_mask C1, C2
  if (failed(verifyVector(*this, source)) ||
      failed(verifyVector(*this, target)) ||
      failed(expectWidth(*this, source.getType().getElementType(), {4}, "4")) ||
      failed(expectWidth(*this, target.getType().getElementType(), {4}, "4")))
    return failure();
  // ascend.gather_mask C3
  if (failed(expectShape(*this, source, {2 * getLength(target)})))
    return failure();
  // ascend.gather_mask C4
  return expectInstruction(*this, getInstructionName(*this),
                           target.getType().getElementType());
}

LogicalResult GatherOp::verify() {
  Role target{getTarget(), "target"}, source{getSource(), "source"},
      offsets{getOffsets(), "offsets"};
  // ascend.gather C1, C3
  for (Role role : {target, source, offsets}) {
    if (failed(expectSpace(*this, role, MemorySpace::UB)) ||
        failed(expectRows(*this, role)))
      return failure();
    if (!getMatrix(role.getType())->isContiguous())
      return emitOpError() << "expected '" << role.name
                           << "' to be contiguous, got " << role.getType();
  }
  // ascend.gather C2
  Type element = target.getType().getElementType();
  if (failed(expectElements(*this, source, element)) ||
      failed(
          expectElements(*this, offsets, IntegerType::get(getContext(), 32))))
    return failure();
  if (failed(expectShape(*this, offsets, target.getType().getShape())))
    return failure();
  // ascend.gather C4
  return expectInstruction(*this, getInstructionName(*this), element);
}
