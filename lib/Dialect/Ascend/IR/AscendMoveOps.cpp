//===- AscendMoveOps.cpp - verifiers of data moves ------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace ascend = mlir::tile::ascend;
using mlir::tile::MemorySpace;

/// The side in GM of a copy to or from a memory of a core.
static LogicalResult verifyGlobalSide(Operation *op, Role role) {
  if (failed(expectSpace(op, role, MemorySpace::Global)))
    return failure();
  SmallVector<int64_t> strides;
  int64_t offset;
  MemRefType type = role.getType();
  if (succeeded(type.getStridesAndOffset(strides, offset)) &&
      (strides.empty() || strides.back() == 1 || type.getShape().back() == 1))
    return success();
  return op->emitOpError() << "expected an innermost stride of 1 in '"
                           << role.name << "', got " << type;
}

void CopyGmToUbOp::build(OpBuilder &, OperationState &state, Value target,
                         Value source, Value pad, bool checked, Value left) {
  state.addOperands({target, source});
  if (pad)
    state.addOperands(pad);
  if (left)
    state.addOperands(left);
  state.getOrAddProperties<Properties>().checked =
      checked ? UnitAttr::get(target.getContext()) : UnitAttr();
}

LogicalResult CopyGmToUbOp::verify() {
  Role target{getTarget(), "target"}, source{getSource(), "source"};
  Type element = target.getType().getElementType();
  // ascend.copy_gm_to_ub C1, C2, C3, C4
  if (failed(expectSpace(*this, target, MemorySpace::UB)) ||
      failed(expectRank(*this, source, 1, 2)) ||
      failed(verifyGlobalSide(*this, source)) ||
      failed(expectSameElement(*this, target, source)) ||
      failed(expectWidth(*this, element, {1, 2, 4, 8}, "1, 2, 4 or 8")) ||
      failed(expectRows(*this, target)) ||
      failed(expectWithin(*this, source, target)))
    return failure();
  // ascend.copy_gm_to_ub C5
  if (getPad() &&
      failed(expectElementType(*this, getPad().getType(), element, "'pad'")))
    return failure();
  size_t count = getPadding().size();
  if (count > 2 || (getLeft() && !getLeft().getType().isIndex()))
    return emitOpError() << "expected 'pad' to have a value and at most a "
                            "number of columns, got "
                         << count << " operands, the last of type "
                         << getPadding().back().getType();
  int64_t most = target.getType().getShape().back();
  std::optional<int64_t> left =
      getLeft() ? getConstantIntValue(getLeft()) : std::nullopt;
  return !left || (*left >= 0 && *left <= most)
             ? success()
             : emitOpError() << "expected 0 to " << most
                             << " columns in front, got " << *left;
}

LogicalResult CopyUbToGmOp::verify() {
  Role target{getTarget(), "target"}, source{getSource(), "source"};
  Type element = target.getType().getElementType();
  // ascend.copy_ub_to_gm C1, C2, C3, C4
  if (failed(expectSpace(*this, source, MemorySpace::UB)) ||
      failed(expectRank(*this, target, 1, 2)) ||
      failed(verifyGlobalSide(*this, target)) ||
      failed(expectSameElement(*this, target, source)) ||
      failed(expectWidth(*this, element, {1, 2, 4, 8}, "1, 2, 4 or 8")) ||
      failed(expectRows(*this, source)) ||
      failed(expectWithin(*this, target, source)))
    return failure();
  // ascend.copy_ub_to_gm C5, C6
  if (getKind() && !getAtomic())
    return emitOpError("'kind' needs 'atomic'");
  return getAtomic()
             ? expectAtomic(*this, element, getKind().value_or(ReduceKind::Sum))
             : success();
}

LogicalResult CopyGmToL1Op::verify() {
  Role target{getTarget(), "target"}, source{getSource(), "source"};
  // ascend.copy_gm_to_l1 C1, C2, C3, C4
  if (failed(expectSpace(*this, target, MemorySpace::L1)) ||
      failed(expectRank(*this, target, 2, 2)) ||
      failed(expectRank(*this, source, 2, 2)) ||
      failed(verifyGlobalSide(*this, source)) ||
      failed(expectSameElement(*this, target, source)) ||
      failed(expectWidth(*this, target.getType().getElementType(), {1, 2, 4},
                         "1, 2 or 4")) ||
      failed(expectWithin(*this, source, target)))
    return failure();
  // ascend.copy_gm_to_l1 C5
  const auto &spec = getSpec(*this);
  if (target.getType().getDimSize(0) > spec.nd2nzMaxRows)
    return emitOpError() << "expected at most " << spec.nd2nzMaxRows
                         << " rows, got " << target.getType().getDimSize(0);
  return success();
}

LogicalResult CopyUbToL1Op::verify() {
  Role target{getTarget(), "target"}, source{getSource(), "source"};
  // ascend.copy_ub_to_l1 C1, C2, C4
  if (failed(expectSpace(*this, target, MemorySpace::L1)) ||
      failed(expectSpace(*this, source, MemorySpace::UB)) ||
      failed(expectPath(*this, MemorySpace::UB, MemorySpace::L1)) ||
      failed(expectRank(*this, target, 2, 2)) ||
      failed(expectColumns(*this, target)) ||
      failed(expectSameElement(*this, target, source)) ||
      failed(expectWidth(*this, source.getType().getElementType(), {1, 2, 4},
                         "1, 2 or 4")) ||
      failed(expectBlocks(*this, source)))
    return failure();
  // ascend.copy_ub_to_l1 C3
  ArrayRef<int64_t> shape = source.getType().getShape();
  if (failed(expectShape(*this, target,
                         {shape[0] * (getHalves() ? 2 : 1), shape[1]})))
    return failure();
  // ascend.copy_ub_to_l1 C5
  int64_t most = getSpec(*this).maxBlockCount;
  if (shape[0] > most)
    return emitOpError() << "expected at most " << most << " rows, got "
                         << shape[0];
  return success();
}

LogicalResult FillL1Op::verify() {
  Role target{getTarget(), "target"};
  Type element = target.getType().getElementType();
  // ascend.fill_l1 C1, C2
  if (failed(expectSpace(*this, target, MemorySpace::L1)) ||
      failed(expectWhole(*this, target)) ||
      failed(expectWidth(*this, element, {1, 2, 4}, "1, 2 or 4")) ||
      failed(expectZeroBytes(*this, getValue())))
    return failure();
  // ascend.fill_l1 C3
  return expectElementType(*this, getValue().getType(), element, "a value");
}
