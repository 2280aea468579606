//===- NameExtents.cpp - extents of arguments that must be the same -------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NameExtents.h"
#include "Tile/Dialect/Tile/IR/Arguments.h"
#include "Tile/Dialect/Tile/IR/Verification.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/StringSet.h"

#include <map>

using namespace mlir;
using namespace mlir::tile;

static constexpr llvm::StringLiteral kShapeName = "tile.shape";

namespace {
/// An extent of a tensor; of a number, dimension 0.
using Extent = std::pair<void *, unsigned>;

/// The extents that linalg ops of a function want to be equal.
class Extents {
public:
  explicit Extents(func::FuncOp function);
  /// Gives arguments and results `tile.shape`, with one name for what is equal.
  void name();

private:
  Extent get(Value tensor, unsigned dim);
  Extent get(OpFoldResult number);
  /// Calls back with each argument and result, and its `tile.shape`.
  void forTensors(function_ref<void(Value, StringAttr)> callback);
  StringAttr getShape(Value tensor, StringAttr given);
  void readNames(Value tensor, StringAttr given);

  func::FuncOp function;
  func::ReturnOp end;
  llvm::EquivalenceClasses<Extent> equal;
  std::map<Extent, std::string> names;
  llvm::StringSet<> taken, read;
  bool isAnyShared = false;
  unsigned count = 0;
};
} // namespace

/// The number without conversions.
static Value stripCasts(Value number) {
  while (auto cast = number.getDefiningOp<arith::IndexCastOp>())
    number = cast.getIn();
  return number;
}

Extent Extents::get(OpFoldResult number) {
  auto value = dyn_cast<Value>(number);
  if (!value)
    return {nullptr, 0};
  value = stripCasts(value);
  if (auto dim = value.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> index = dim.getConstantIndex())
      return get(dim.getSource(), *index);
  return {value.getAsOpaquePointer(), 0};
}

Extent Extents::get(Value tensor, unsigned dim) {
  Operation *op = tensor.getDefiningOp();
  if (auto cast = dyn_cast_or_null<tensor::CastOp>(op))
    return get(cast.getSource(), dim);
  if (!cast<RankedTensorType>(tensor.getType()).isDynamicDim(dim))
    return {nullptr, 0};
  if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(op))
    return get(empty.getMixedSizes()[dim]);
  if (auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op))
    return get(linalgOp.getTiedOpOperand(cast<OpResult>(tensor))->get(), dim);
  return {tensor.getAsOpaquePointer(), dim};
}

Extents::Extents(func::FuncOp function) : function(function) {
  end = cast<func::ReturnOp>(function.front().getTerminator());
  function.walk([&](linalg::LinalgOp op) {
    SmallVector<Extent> loops(op.getNumLoops());
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type)
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [dim, place] : llvm::enumerate(map.getResults())) {
        auto loop = dyn_cast<AffineDimExpr>(place);
        Extent extent = get(operand.get(), dim);
        if (!loop || !extent.first)
          continue;
        Extent &known = loops[loop.getPosition()];
        if (known.first)
          equal.unionSets(known, extent);
        known = extent;
      }
    }
  });
}

void Extents::readNames(Value tensor, StringAttr given) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || !given)
    return;
  for (auto [dim, text] : llvm::enumerate(splitShape(given.getValue()))) {
    FailureOr<StatedExtent> part = parseExtent(text);
    if (failed(part) || part->formula || !isLaunchSymbolName(part->name) ||
        dim >= size_t(type.getRank()))
      continue;
    taken.insert(part->name);
    Extent extent = get(tensor, dim);
    if (extent.first)
      names.try_emplace(equal.getOrInsertLeaderValue(extent), part->name);
  }
}

StringAttr Extents::getShape(Value tensor, StringAttr given) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || type.hasStaticShape())
    return given;
  SmallVector<StringRef> parts;
  if (given)
    parts = splitShape(given.getValue());
  parts.resize(type.getRank());
  std::string shape;
  for (auto [dim, part] : llvm::enumerate(parts)) {
    shape += dim ? "x" : "";
    Extent extent = get(tensor, dim);
    FailureOr<StatedExtent> stated = parseExtent(part);
    bool isFormula = succeeded(stated) && stated->formula;
    if (!type.isDynamicDim(dim) || !extent.first || isFormula) {
      shape += part.empty() ? std::to_string(type.getDimSize(dim)) : part.str();
      continue;
    }
    std::string &name = names[equal.getOrInsertLeaderValue(extent)];
    while (name.empty())
      if (std::string next = "n" + std::to_string(count++);
          !taken.contains(next))
        name = next;
    isAnyShared |= !read.insert(name).second;
    shape += name + part.substr(part.find('%')).str();
  }
  return StringAttr::get(function.getContext(), shape);
}

void Extents::forTensors(function_ref<void(Value, StringAttr)> callback) {
  for (auto [i, argument] : llvm::enumerate(function.getArguments()))
    callback(argument, function.getArgAttrOfType<StringAttr>(i, kShapeName));
  for (auto [i, result] : llvm::enumerate(end.getOperands()))
    callback(result, function.getResultAttrOfType<StringAttr>(i, kShapeName));
}

void Extents::name() {
  forTensors([&](Value tensor, StringAttr given) { readNames(tensor, given); });
  SmallVector<StringAttr> before, after;
  forTensors([&](Value tensor, StringAttr given) {
    before.push_back(given);
    after.push_back(getShape(tensor, given));
  });
  if (!isAnyShared)
    return;
  unsigned arguments = function.getNumArguments();
  for (auto [i, shape] : llvm::enumerate(after)) {
    if (!shape || shape == before[i])
      continue;
    if (i < arguments)
      function.setArgAttr(i, kShapeName, shape);
    else
      function.setResultAttr(i - arguments, kShapeName, shape);
  }
}

void tile::nameExtents(func::FuncOp function) {
  if (!function.isExternal() && function.getBody().hasOneBlock())
    Extents(function).name();
}
