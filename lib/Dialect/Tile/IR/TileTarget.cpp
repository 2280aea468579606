//===- TileTarget.cpp - the target that an op is compiled for -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/TileTarget.h"

#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Dialect/Tile/IR/TileAttrs.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using ::tile::target::Target;

const Target *mlir::tile::lookupTarget(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto attr = op->getAttrOfType<TargetAttr>(kTargetAttrName))
      return &getTarget(attr);
  return nullptr;
}

bool mlir::tile::isInFamily(const Target &target, StringRef family) {
  if (family == "GPU")
    return target.getGPU() != nullptr;
  return family.empty() || family == ::tile::target::stringify(target.vendor);
}

InFlightDiagnostic mlir::tile::emitWrongFamily(Operation *op,
                                               const Target &target,
                                               StringRef family) {
  SmallVector<StringRef> known;
  for (const Target &other : ::tile::target::targets())
    if (isInFamily(other, family)) {
      known.push_back(other.name);
      llvm::append_range(known, other.aliases);
    }
  // As the names are spoken: an AMD target, an NVIDIA target, a GPU target.
  StringRef article = StringRef("AN").contains(family.front()) ? "an " : "a ";
  return op->emitError() << "expected " << article << family << " target, got '"
                         << target.name << "'; known " << family
                         << " targets: " << llvm::join(known, ", ");
}

const Target *mlir::tile::getTarget(Operation *op, StringRef family) {
  const Target *target = lookupTarget(op);
  if (target && isInFamily(*target, family))
    return target;
  if (target)
    emitWrongFamily(op, *target, family);
  else
    op->emitError() << "expected a target; run 'tile-set-target' first or give "
                       "the module the attribute '"
                    << kTargetAttrName << "'";
  return nullptr;
}

int64_t mlir::tile::getDefault(ParamOp param, const ::tile::target::Target *target) {
  auto value = static_cast<int64_t>(param.getDefaultValue());
  auto defaults = param->getAttrOfType<DictionaryAttr>(kDefaultsAttrName);
  if (!target || !defaults)
    return value;
  for (uint64_t i = 0; i <= getMaxEnumValForInstruction(); ++i) {
    auto family = Instruction(i);
    auto given = defaults.getAs<IntegerAttr>(stringifyInstruction(family));
    if (given && llvm::any_of(target->mmas, [&](const auto &row) {
          return row.family == getMmaFamily(family);
        }))
      value = given.getInt();
  }
  return value;
}
