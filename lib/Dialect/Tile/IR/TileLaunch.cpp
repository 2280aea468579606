//===- TileLaunch.cpp - how a kernel is launched --------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Dialect/Tile/IR/Verification.h"
#include "Tile/Target/Target.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

using EmitError = function_ref<InFlightDiagnostic()>;

/// Expressions use the first `count` symbols only, and none divides by 0.
/// Sizes and strides that may be anything have no expression.
static LogicalResult verifySymbols(EmitError emitError,
                                   ArrayRef<AffineExpr> expressions,
                                   size_t count, const Twine &owner,
                                   bool optional = false) {
  for (AffineExpr expression : expressions) {
    if (!expression && optional)
      continue;
    if (!expression)
      return emitError() << owner << ": expected an expression, got '?'";
    int64_t largest = -1;
    expression.walk([&](AffineExpr part) {
      if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
        largest = std::max<int64_t>(largest, symbol.getPosition());
    });
    if (largest >= int64_t(count))
      return emitError() << owner << ": expected an expression of " << count
                         << " symbols, got s" << largest;
    if (std::optional<int64_t> divisor = findWrongDivisor(expression))
      return emitError() << owner << ": expected divisors of at least 1, got "
                         << *divisor;
  }
  return success();
}

/// -1 stands for none.
static LogicalResult verifyIndex(EmitError emitError, int64_t index,
                                 size_t count, StringRef kind,
                                 const Twine &owner) {
  if (index >= -1 && index < int64_t(count))
    return success();
  return emitError() << owner << ": expected one of " << count << " " << kind
                     << ", got index " << index;
}

/// Up to three extents of threads or blocks, at most `limit` together.
static LogicalResult verifyExtents(EmitError emitError,
                                   ArrayRef<int64_t> extents, StringRef owner,
                                   int64_t limit, StringRef chip) {
  if (extents.size() > 3)
    return emitError() << "expected a " << owner
                       << " of at most 3 dimensions, got " << extents.size();
  int64_t product = 1;
  for (int64_t extent : extents) {
    if (extent < 1)
      return emitError() << owner << ": expected extents of at least 1, got "
                         << extent;
    if (llvm::MulOverflow(product, extent, product))
      product = std::numeric_limits<int64_t>::max();
  }
  if (limit && product > limit)
    return emitError() << owner << ": expected at most " << limit << " on "
                       << chip << ", got " << product;
  return success();
}

/// The expressions of a grid, and that clusters divide it.
static LogicalResult verifyGrid(EmitError emitError, ArrayRef<AffineExpr> grid,
                                ArrayRef<int64_t> cluster, size_t symbols) {
  if (grid.size() > 3)
    return emitError() << "expected a grid of at most 3 dimensions, got "
                       << grid.size();
  for (auto [dim, extent] : llvm::enumerate(cluster)) {
    AffineExpr blocks =
        dim < grid.size() ? grid[dim] : AffineExpr();
    auto constant = dyn_cast_or_null<AffineConstantExpr>(blocks);
    int64_t count = constant ? constant.getValue() : 1;
    if ((constant || dim >= grid.size()) && count % extent != 0)
      return emitError() << "cluster: expected extents that divide the grid, "
                            "got "
                         << extent << " for " << count;
  }
  return verifySymbols(emitError, grid, symbols, "grid");
}

/// Block, cluster and shared memory, within the limits of a chip of which there
/// is a record.
static LogicalResult verifyResources(EmitError emitError, StringRef chip,
                                     ArrayRef<int64_t> block,
                                     ArrayRef<int64_t> cluster,
                                     int64_t shared) {
  const ::tile::target::Target *target = ::tile::target::lookupTarget(chip);
  const ::tile::target::GPUSpec *gpu = target ? target->getGPU() : nullptr;
  if (failed(verifyExtents(emitError, block, "block",
                           gpu ? gpu->maxThreadsPerBlock : 0, chip)) ||
      failed(verifyExtents(emitError, cluster, "cluster",
                           gpu ? gpu->maxClusterSize : 0, chip)))
    return failure();
  if (shared < 0)
    return emitError() << "expected at least 0 bytes of shared memory, got "
                       << shared;
  if (gpu && shared > gpu->sharedBytesPerBlock)
    return emitError() << "expected at most " << gpu->sharedBytesPerBlock
                       << " bytes of shared memory on " << chip << ", got "
                       << shared;
  return success();
}

bool mlir::tile::isLaunchSymbolName(StringRef name) {
  if (name.empty() || !(llvm::isAlpha(name.front()) || name.front() == '_') ||
      llvm::is_contained({"min", "max", "mod", "ceildiv", "floordiv"}, name))
    return false;
  return llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.';
  });
}

/// That `index` and `dim` name a dimension of a memref, or with `dim` -1 an
/// argument that is one or, unless `isMemRef`, a scalar.
static LogicalResult verifyPlace(EmitError emitError, int64_t index,
                                 int64_t dim, bool hasDim, bool isMemRef,
                                 ArrayRef<LaunchArgumentAttr> arguments,
                                 const Twine &owner) {
  if (index < 0)
    return emitError() << owner << ": expected an argument";
  Type type = arguments[index].getType();
  auto memref = dyn_cast<MemRefType>(type);
  if (isMemRef != bool(memref))
    return emitError() << owner << ": expected argument " << index << " to be "
                       << (isMemRef ? "a memref" : "a scalar") << ", got "
                       << type;
  if (!hasDim && dim != -1)
    return emitError() << owner << ": expected no dimension, got " << dim;
  if (hasDim && (dim < 0 || dim >= memref.getRank()))
    return emitError() << owner << ": expected one of " << memref.getRank()
                       << " dimensions, got " << dim;
  return success();
}

static LogicalResult verifySymbol(EmitError emitError, LaunchSymbolAttr symbol,
                                  ArrayRef<LaunchArgumentAttr> arguments,
                                  const Twine &owner) {
  LaunchSymbolKind kind = symbol.getKind();
  bool combines =
      kind == LaunchSymbolKind::Min || kind == LaunchSymbolKind::Max;
  // The runtime sees combinations where they are used, without their names.
  if (!combines && !isLaunchSymbolName(symbol.getName()))
    return emitError() << owner
                       << ": expected a name of letters, digits, '_' and '.' "
                          "that is no operator, got '"
                       << symbol.getName() << "'";
  if (symbol.getMultiple() < 1)
    return emitError() << owner << ": expected a multiple of at least 1, got "
                       << symbol.getMultiple();
  if (combines == symbol.getValues().empty())
    return emitError() << owner << ": expected "
                       << (combines ? "values" : "no values") << " of '"
                       << stringifyLaunchSymbolKind(kind) << "', got "
                       << symbol.getValues().size();
  if (combines || kind == LaunchSymbolKind::Multiprocessors) {
    if (symbol.getArgument() == -1 && symbol.getDim() == -1)
      return success();
    return emitError() << owner << ": expected no argument of '"
                       << stringifyLaunchSymbolKind(kind) << "'";
  }
  bool isScalar = kind == LaunchSymbolKind::Scalar;
  if (failed(verifyPlace(emitError, symbol.getArgument(), symbol.getDim(),
                         !isScalar, !isScalar, arguments, owner)))
    return failure();
  Type type = arguments[symbol.getArgument()].getType();
  if (isScalar && !type.isIntOrIndex())
    return emitError() << owner << ": expected argument "
                       << symbol.getArgument() << " to be an integer, got "
                       << type;
  return success();
}

static LogicalResult verifyParameter(EmitError emitError,
                                     LaunchParameterAttr parameter,
                                     ArrayRef<LaunchArgumentAttr> arguments,
                                     ArrayRef<TensorMapAttr> maps,
                                     const Twine &owner) {
  LaunchParameterKind kind = parameter.getKind();
  StringRef spelling = stringifyLaunchParameterKind(kind);
  bool isNumber = kind == LaunchParameterKind::Value;
  bool isValue = isNumber || kind == LaunchParameterKind::Workspace;
  bool isMap = kind == LaunchParameterKind::TensorMap;
  // A map of an argument has none.
  bool ofWorkspace = isMap && parameter.getMap() >= 0 &&
                     maps[parameter.getMap()].getArgument() < 0;
  bool hasDim = kind == LaunchParameterKind::Size ||
                kind == LaunchParameterKind::Stride;
  auto expect = [&](bool has, bool expected, StringRef what) {
    if (has == expected)
      return success();
    return failure(failed(emitError() << owner << ": expected "
                                      << (expected ? "a" : "no") << " " << what
                                      << " of '" << spelling << "'"));
  };
  if (failed(expect(bool(parameter.getValue()), isValue || ofWorkspace,
                    "value")) ||
      failed(expect(parameter.getMap() >= 0, isMap, "map")))
    return failure();
  if (isValue || isMap) {
    if (failed(expect(parameter.getArgument() >= 0, false, "argument")) ||
        failed(expect(parameter.getDim() >= 0, false, "dim")))
      return failure();
  } else if (failed(verifyPlace(emitError, parameter.getArgument(),
                                parameter.getDim(), hasDim,
                                kind != LaunchParameterKind::Scalar, arguments,
                                owner))) {
    return failure();
  }
  Type type = parameter.getType();
  if (!type || ((isNumber || hasDim) &&
                (type.isSignlessInteger(32) || type.isSignlessInteger(64))))
    return success();
  return emitError() << owner << ": expected "
                     << (isNumber || hasDim ? "i32 or i64" : "no type")
                     << ", got " << type;
}

static LogicalResult verifyTensorMap(EmitError emitError, TensorMapAttr map,
                                     ArrayRef<LaunchArgumentAttr> arguments,
                                     StringRef chip, const Twine &owner) {
  if (!map.getElement().isIntOrFloat())
    return emitError() << owner << ": expected integers or floats, got "
                       << map.getElement();
  // Of a tensor in the workspace otherwise.
  if (map.getArgument() >= 0 &&
      failed(verifyPlace(emitError, map.getArgument(), /*dim=*/-1,
                         /*hasDim=*/false, /*isMemRef=*/true, arguments,
                         owner)))
    return failure();
  size_t rank = map.getSizes().size();
  if (rank == 0 || map.getBox().size() != rank ||
      map.getStrides().size() != rank - 1)
    return emitError() << owner
                       << ": expected as many extents of the box as sizes, and "
                          "one stride fewer, got "
                       << map.getBox().size() << ", " << rank << " and "
                       << map.getStrides().size();
  const ::tile::target::Target *target = ::tile::target::lookupTarget(chip);
  const ::tile::target::TMASpec *tma =
      target && target->getGPU() ? target->getGPU()->tma : nullptr;
  if (target && !tma)
    return emitError() << owner << ": " << chip << " has no tensor copies";
  if (tma && int64_t(rank) > tma->maxRank)
    return emitError() << owner << ": expected at most " << tma->maxRank
                       << " dimensions on " << chip << ", got " << rank;
  for (int64_t extent : map.getBox())
    if (extent < 1 || (tma && extent > tma->maxBox))
      return emitError() << owner << ": expected a box with extents from 1"
                         << (tma ? " to " + std::to_string(tma->maxBox) : "")
                         << ", got " << extent;
  if (map.getSwizzle() < 0 ||
      (tma && map.getSwizzle() != 0 &&
       !llvm::is_contained(tma->swizzleSpans, map.getSwizzle())))
    return emitError() << owner << ": expected a swizzle of 0"
                       << (tma ? " or a span that " + chip.str() + " has" : "")
                       << ", got " << map.getSwizzle();
  if (map.getL2Promotion() < 0)
    return emitError() << owner
                       << ": expected an l2_promotion of at least 0, got "
                       << map.getL2Promotion();
  return success();
}

static LogicalResult verifyArgument(EmitError emitError,
                                    LaunchArgumentAttr argument,
                                    size_t symbols, const Twine &owner) {
  auto type = dyn_cast<MemRefType>(argument.getType());
  size_t rank = type ? type.getRank() : 0;
  for (ArrayRef<AffineExpr> numbers :
       {argument.getShape(), argument.getStrides()})
    if (!numbers.empty() && numbers.size() != rank)
      return emitError() << owner << ": expected " << rank
                         << " sizes and strides, got " << numbers.size();
  if (!type && !argument.getType().isIntOrIndexOrFloat())
    return emitError() << owner << ": expected a memref or a scalar, got "
                       << argument.getType();
  if (argument.getAlign() < 1 || !llvm::isPowerOf2_64(argument.getAlign()))
    return emitError() << owner
                       << ": expected a power of two as alignment, got "
                       << argument.getAlign();
  for (auto [dim, size] : llvm::enumerate(argument.getShape())) {
    auto constant = dyn_cast_or_null<AffineConstantExpr>(size);
    int64_t known = type.getDimSize(dim);
    if (constant && (constant.getValue() < 0 ||
                     (!ShapedType::isDynamic(known) &&
                      known != constant.getValue())))
      return emitError() << owner << ": expected a size of dimension " << dim
                         << " that " << type << " can have, got "
                         << constant.getValue();
  }
  return failure(failed(verifySymbols(emitError, argument.getShape(), symbols,
                                      owner, /*optional=*/true)) ||
                 failed(verifySymbols(emitError, argument.getStrides(),
                                      symbols, owner, /*optional=*/true)));
}

/// A version has a general form and conditions about arguments.
static LogicalResult verifyConditions(EmitError emitError, StringRef kernel,
                                      StringRef general,
                                      ArrayRef<FactAttr> conditions,
                                      ArrayRef<LaunchArgumentAttr> arguments) {
  if (general.empty() != conditions.empty())
    return emitError() << "expected conditions of a version, and of nothing "
                          "else, got "
                       << conditions.size() << " and "
                       << (general.empty() ? "no" : "a") << " general form";
  if (!general.empty() && general == kernel)
    return emitError() << "expected the general form to be another kernel, "
                          "got '"
                       << general << "'";
  for (auto [i, fact] : llvm::enumerate(conditions)) {
    std::string owner = "condition " + std::to_string(i);
    if (failed(verifyIndex(emitError, fact.getArgument(), arguments.size(),
                           "arguments", owner)))
      return failure();
    auto type =
        dyn_cast<MemRefType>(arguments[fact.getArgument()].getType());
    if (!type)
      return emitError() << owner << ": expected a buffer, got argument "
                         << fact.getArgument();
    if (fact.getKind() != FactKind::Address && fact.getDim() >= type.getRank())
      return emitError() << owner << ": expected a dimension below "
                         << type.getRank() << ", got " << fact.getDim();
  }
  return success();
}

LogicalResult FactAttr::verify(EmitError emitError, FactKind kind,
                               int64_t argument, int64_t dim, int64_t min,
                               int64_t multiple) {
  if (argument < 0 || dim < 0)
    return emitError() << "expected an argument and a dimension of at least "
                          "0, got "
                       << std::min(argument, dim);
  if (multiple < 1)
    return emitError() << "expected a multiple of at least 1, got "
                       << multiple;
  if (kind != FactKind::Address)
    return success();
  if (min != 0 || dim != 0)
    return emitError() << "expected no dimension and no minimum of an address";
  if (!llvm::isPowerOf2_64(multiple))
    return emitError() << "expected a power of two for an address, got "
                       << multiple;
  return success();
}

LogicalResult LaunchAttr::verify(
    EmitError emitError, StringRef kernel, StringRef, StringRef, StringRef chip,
    ArrayRef<LaunchSymbolAttr> symbols, ArrayRef<LaunchArgumentAttr> arguments,
    ArrayRef<TensorMapAttr> maps, ArrayRef<LaunchParameterAttr> parameters,
    ArrayRef<AffineExpr> grid, ArrayRef<int64_t> block,
    ArrayRef<int64_t> cluster, int64_t shared, AffineExpr workspace,
    StringRef general, ArrayRef<FactAttr> conditions) {
  size_t count = symbols.size();
  auto verifyArgumentIndex = [&](int64_t index, const Twine &owner) {
    return verifyIndex(emitError, index, arguments.size(), "arguments", owner);
  };
  if (kernel.empty())
    return emitError() << "expected the name of the kernel";
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (failed(verifyArgument(emitError, argument, count,
                              "argument " + Twine(i))))
      return failure();
  llvm::StringSet<> names;
  for (auto [i, symbol] : llvm::enumerate(symbols)) {
    std::string owner = "symbol " + std::to_string(i);
    if (failed(verifySymbols(emitError, symbol.getValues(), i, owner)) ||
        failed(verifyArgumentIndex(symbol.getArgument(), owner)) ||
        failed(verifySymbol(emitError, symbol, arguments, owner)))
      return failure();
    if (!symbol.getName().empty() && !names.insert(symbol.getName()).second)
      return emitError() << owner << ": expected a name of its own, got '"
                         << symbol.getName() << "' again";
  }
  for (auto [i, map] : llvm::enumerate(maps)) {
    std::string owner = "tensor map " + std::to_string(i);
    if (failed(verifyArgumentIndex(map.getArgument(), owner)) ||
        failed(verifySymbols(emitError, map.getSizes(), count, owner)) ||
        failed(verifySymbols(emitError, map.getStrides(), count, owner)) ||
        failed(verifyTensorMap(emitError, map, arguments, chip, owner)))
      return failure();
  }
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    std::string owner = "parameter " + std::to_string(i);
    if (failed(verifyArgumentIndex(parameter.getArgument(), owner)) ||
        failed(verifyIndex(emitError, parameter.getMap(), maps.size(),
                           "tensor maps", owner)) ||
        failed(verifySymbols(emitError, parameter.getValue(), count, owner,
                             /*optional=*/true)) ||
        failed(verifyParameter(emitError, parameter, arguments, maps, owner)))
      return failure();
    if (parameter.getKind() != LaunchParameterKind::Value &&
        parameter.getValue() && !workspace)
      return emitError() << owner << ": expected a workspace of the kernel";
  }
  if (failed(verifyConditions(emitError, kernel, general, conditions,
                              arguments)) ||
      failed(verifySymbols(emitError, workspace, count, "workspace",
                           /*optional=*/true)) ||
      failed(verifyResources(emitError, chip, block, cluster, shared)))
    return failure();
  return verifyGrid(emitError, grid, cluster, count);
}
