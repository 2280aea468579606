//===- AscendSort.cpp - sorting and gathering as Ascend C text ------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AscendWriter.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile::ascend;

static int64_t getLength(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getNumElements();
}

/// The buffer from an element on.
std::string AscendWriter::getTensorAt(Value buffer, int64_t element) {
  View view = views.lookup(buffer);
  Expr offset = add({view.offset}, {std::to_string(element)});
  return offset.text == "0" ? view.tensor
                            : view.tensor + "[" + offset.text + "]";
}

LogicalResult AscendWriter::writeSort32(Sort32Op op) {
  int64_t group = spec->sortGroup, most = spec->maxRepeat * group;
  int64_t count = getLength(op.getKeys());
  for (int64_t at = 0; at < count; at += most)
    line() << "Sort32(" << getTensorAt(op.getTarget(), 2 * at) << ", "
           << getTensorAt(op.getKeys(), at) << ", "
           << getTensorAt(op.getIndices(), at)
           << ".ReinterpretCast<uint32_t>(), "
           << std::min(count - at, most) / group << ");\n";
  return success();
}

LogicalResult AscendWriter::writeMergeSort(MergeSortOp op) {
  ArrayRef<int64_t> lengths = op.getLengths();
  std::string info = "merge" + std::to_string(nextName++);
  line() << "MrgSort4Info " << info << ";\n";
  for (auto [i, length] : llvm::enumerate(lengths))
    line() << info << ".elementLengths[" << i << "] = " << length << ";\n";
  line() << info << ".validBit = " << (1 << lengths.size()) - 1 << ";\n";
  line() << info << ".repeatTimes = "
         << getLength(op.getTarget()) / 2 / op.getMergedLength() << ";\n";
  line() << "MrgSort(" << getTensor(op.getTarget())
         << ", MrgSortSrcList<float>(";
  // Lists that do not take part are named too.
  int64_t next = 0;
  for (size_t i = 0; i < 4; ++i) {
    bool exists = i < lengths.size();
    int64_t record = !exists           ? 0
                     : op.getOffsets() ? (*op.getOffsets())[i]
                                       : next;
    next += exists ? lengths[i] : 0;
    os << (i ? ", " : "") << getTensorAt(op.getSource(), 2 * record);
  }
  os << "), " << info << ");\n";
  return success();
}

LogicalResult AscendWriter::writeGatherMask(GatherMaskOp op) {
  auto from = cast<MemRefType>(op.getSource().getType()),
       to = cast<MemRefType>(op.getTarget().getType());
  std::string source = getTensor(op.getSource());
  if (from.getElementType() != to.getElementType()) {
    FailureOr<std::string> element = getTypeName(op, to.getElementType());
    if (failed(element))
      return failure();
    source += ".ReinterpretCast<" + *element + ">()";
  }
  // How many elements there are is known.
  std::string kept = "kept" + std::to_string(nextName++);
  line() << "uint64_t " << kept << " = 0;\n";
  line() << "GatherMask(" << getTensor(op.getTarget()) << ", " << source
         << ", uint8_t(" << unsigned(op.getPattern()) << "), true, "
         << from.getNumElements() << ", GatherMaskParams{1, 1, "
         << spec->repeatBytes / spec->blockBytes << ", 0}, " << kept << ");\n";
  return success();
}

LogicalResult AscendWriter::writeGather(GatherOp op) {
  line() << "Gather(" << getTensor(op.getTarget()) << ", "
         << getTensor(op.getSource()) << ", " << getTensor(op.getOffsets())
         << ".ReinterpretCast<uint32_t>(), 0, " << getLength(op.getTarget())
         << ");\n";
  return success();
}

LogicalResult AscendWriter::writeSorting(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<Sort32Op>([&](auto sort) { return writeSort32(sort); })
      .Case<MergeSortOp>([&](auto merge) { return writeMergeSort(merge); })
      .Case<GatherMaskOp>([&](auto gather) { return writeGatherMask(gather); })
      .Case<GatherOp>([&](auto gather) { return writeGather(gather); })
      .Default([&](Operation *) { return writeCube(op); });
}
