//===- Scalars.cpp - scalar code on symbols -------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::ascend;

/// What is loaded from a core's memory changes. (GM that decides where a kernel
/// goes is not written by it.)
static SymbolicExprs::Identity identify(Operation *op) {
  auto load = dyn_cast<memref::LoadOp>(op);
  if (load && getMemorySpace(load.getMemRef()) != MemorySpace::Global)
    return SymbolicExprs::Identity::None;
  return isPure(op) || load ? SymbolicExprs::Identity::Computation
                            : SymbolicExprs::Identity::Operation;
}

Scalars::Scalars(MLIRContext *context) : SymbolicExprs(context, identify) {}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// The largest parts of an expression that are neither sums nor multiples, and
/// whether the expression falls with them.
static void collectTerms(AffineExpr expr, bool falls,
                         SmallVectorImpl<std::pair<AffineExpr, bool>> &terms) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  auto factor = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS())
                       : AffineConstantExpr();
  if (binary && expr.getKind() == AffineExprKind::Add) {
    collectTerms(binary.getLHS(), falls, terms);
    collectTerms(binary.getRHS(), falls, terms);
  } else if (factor && expr.getKind() == AffineExprKind::Mul) {
    collectTerms(binary.getLHS(), falls != (factor.getValue() < 0), terms);
  } else if (!isa<AffineConstantExpr>(expr)) {
    terms.push_back({expr, falls});
  }
}

std::optional<int64_t> Scalars::decide(AffineExpr expr, int64_t count,
                                       int64_t step) {
  expr = simplify(expr);
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return number.getValue();
  SmallVector<std::pair<AffineExpr, bool>> terms;
  collectTerms(expr, /*falls=*/false, terms);
  for (auto [term, falls] : terms) {
    if (!chosen.insert(term).second)
      continue;
    assign(term, 0);
    // What is decided later is tried less often, so that the whole stays small.
    int64_t left = std::max<int64_t>(2, count - int64_t(choices.size()));
    Choice choice{term, {}};
    for (int64_t value = 0; value < left; ++value) {
      choice.values.push_back(falls ? value : value * step);
      // One more than whole steps, of which the last one is cut off.
      if (step > 1 && !falls)
        choice.values.push_back(value * step + 1);
    }
    if (step > 1 && falls)
      choice.values.truncate(2);
    choices.push_back(std::move(choice));
  }
  voided = true;
  return std::nullopt;
}

void Scalars::restart() {
  voided = false;
  SymbolicExprs::restart();
}

bool Scalars::next() {
  while (!choices.empty()) {
    Choice &last = choices.back();
    if (++last.at < last.values.size()) {
      assign(last.term, last.values[last.at]);
      restart();
      return true;
    }
    chosen.erase(last.term);
    unassign(last.term);
    choices.pop_back();
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Regions of GM
//===----------------------------------------------------------------------===//

GlobalPart mlir::tile::ascend::getGlobalPart(Operation *op, Value view,
                                             Scalars &scalars) {
  auto type = cast<MemRefType>(view.getType());
  bool isLocal = getMemorySpace(type) != MemorySpace::Global;
  SmallVector<memref::SubViewOp> views;
  while (Operation *def = view.getDefiningOp()) {
    if (auto cast = dyn_cast<memref::CastOp>(def)) {
      view = cast.getSource();
    } else if (auto by = dyn_cast<memref::SubViewOp>(def)) {
      if (!by.hasUnitStride())
        return {};
      views.push_back(by);
      view = by.getSource();
    } else if (isa<ViewLikeOpInterface>(def)) {
      return {};
    } else {
      break;
    }
  }
  constexpr int64_t unknown = std::numeric_limits<int32_t>::max();
  MLIRContext *context = op->getContext();
  GlobalPart part;
  SmallVector<unsigned> dims; // of the buffer, for each of the view
  for (int64_t extent : cast<MemRefType>(view.getType()).getShape()) {
    dims.push_back(dims.size());
    part.push_back({getAffineConstantExpr(0, context),
                    ShapedType::isDynamic(extent) ? unknown : extent});
  }
  for (memref::SubViewOp step : llvm::reverse(views)) {
    llvm::SmallBitVector dropped = step.getDroppedDims();
    SmallVector<unsigned> kept;
    for (auto [i, dim] : llvm::enumerate(dims)) {
      auto &[offset, size] = part[dim];
      OpFoldResult by = step.getMixedOffsets()[i];
      auto number = getConstantIntValue(by);
      offset = offset + (number ? getAffineConstantExpr(*number, context)
                                : scalars.get(cast<Value>(by)));
      size = getConstantIntValue(step.getMixedSizes()[i]).value_or(unknown);
      if (!dropped.test(i))
        kept.push_back(dim);
    }
    dims = kept;
  }
  // Copies fill the last block of 32 bytes of a row.
  if (isLocal && !dims.empty() && part[dims.back()].second != unknown) {
    int64_t &size = part[dims.back()].second;
    size = llvm::alignTo(size, 256 / type.getElementTypeBitWidth());
  }
  ValueRange indices;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    indices = load.getIndices();
  if (auto store = dyn_cast<memref::StoreOp>(op))
    indices = store.getIndices();
  for (auto [dim, index] : llvm::zip(dims, indices)) {
    part[dim].first = part[dim].first + scalars.get(index);
    part[dim].second = 1;
  }
  for (Value operand : op->getOperands()) {
    auto local = dyn_cast<MemRefType>(operand.getType());
    if (isLocal || !local ||
        getMemorySpace(local) == MemorySpace::Global ||
        local.getRank() != int64_t(dims.size()))
      continue;
    for (auto [dim, extent] : llvm::zip(dims, local.getShape()))
      part[dim].second = std::min(part[dim].second, extent);
  }
  return part;
}

bool mlir::tile::ascend::isApart(const GlobalPart &a, const GlobalPart &c,
                                 const Scalars &scalars) {
  return llvm::any_of(llvm::zip(a, c), [&](auto dims) {
    auto &[x, y] = dims;
    auto distance = scalars.getDifference(x.first, y.first);
    return distance && (*distance >= y.second || -*distance >= x.second);
  });
}
