//===- TileDialect.cpp - the dialect and what its ops share ---------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;

#include "Tile/Dialect/Tile/IR/TileDialect.cpp.inc"
#include "Tile/Dialect/Tile/IR/TileEnums.cpp.inc"
#include "Tile/Dialect/Tile/IR/TileInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Tile/Dialect/Tile/IR/TileAttrs.cpp.inc"

namespace {
/// Kernels may stand in functions that are inlined, and functions may be inlined into kernels.
struct TileInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void TileDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "Tile/Dialect/Tile/IR/TileOps.cpp.inc"
      >();
  addInterfaces<TileInlinerInterface>();
}

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Tile/Dialect/Tile/IR/TileAttrs.cpp.inc"
      >();
}

/// A memory space is written by its name alone, `#tile.shared`; everything else as declared.
Attribute TileDialect::parseAttribute(DialectAsmParser &parser,
                                      Type type) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  Attribute attr;
  OptionalParseResult result =
      generatedAttributeParser(parser, &mnemonic, type, attr);
  if (result.has_value())
    return attr;
  if (std::optional<MemorySpace> space = symbolizeMemorySpace(mnemonic))
    return MemorySpaceAttr::get(getContext(), *space);
  SmallVector<StringRef> spaces;
  for (uint64_t i = 0; i <= getMaxEnumValForMemorySpace(); ++i)
    spaces.push_back(stringifyMemorySpace(static_cast<MemorySpace>(i)));
  parser.emitError(loc) << "unknown attribute '" << mnemonic
                        << "' in dialect 'tile'; memory spaces are "
                        << llvm::join(spaces, ", ");
  return {};
}

void TileDialect::printAttribute(Attribute attr,
                                 DialectAsmPrinter &printer) const {
  if (auto space = dyn_cast<MemorySpaceAttr>(attr)) {
    printer << stringifyMemorySpace(space.getValue());
    return;
  }
  (void)generatedAttributePrinter(attr, printer);
}

//===----------------------------------------------------------------------===//
// Buffers and regions
//===----------------------------------------------------------------------===//

MemorySpace tile::getMemorySpace(MemRefType type) {
  auto space = dyn_cast_or_null<MemorySpaceAttr>(type.getMemorySpace());
  return space ? space.getValue() : MemorySpace::Global;
}

std::string tile::formatShape(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "a scalar";
  return llvm::join(llvm::map_range(shape,
                                    [](int64_t extent) {
                                      return ShapedType::isDynamic(extent)
                                                 ? std::string("?")
                                                 : std::to_string(extent);
                                    }),
                    "x");
}

Value tile::getBaseBuffer(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view)
      break;
    buffer = view.getViewSource();
  }
  return buffer;
}

SmallVector<int64_t> BufferRegion::getMatchedSizes() const {
  SmallVector<int64_t> matched;
  llvm::copy_if(sizes, std::back_inserter(matched),
                [](int64_t size) { return size != 1; });
  return matched;
}

BufferRegion tile::getWholeRegion(Value buffer) {
  BufferRegion region;
  region.buffer = buffer;
  region.sizes = llvm::to_vector(region.getType().getShape());
  return region;
}

void tile::addAccessEffects(
    Operation *op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  SmallVector<Access> accesses;
  cast<TileAccessOpInterface>(op).getAccesses(accesses);
  for (const Access &access : accesses) {
    if (access.kind != AccessKind::Write)
      effects.emplace_back(MemoryEffects::Read::get(), access.operand);
    if (access.kind != AccessKind::Read)
      effects.emplace_back(MemoryEffects::Write::get(), access.operand);
  }
}

LogicalResult tile::verifyCollective(Operation *op) {
  // Scalar forms are not collective.
  if (auto atomic = dyn_cast<AtomicOp>(op))
    if (!atomic.isTileForm())
      return success();
  auto parallel = op->getParentOfType<ParallelOp>();
  if (!parallel)
    return success();
  InFlightDiagnostic diag =
      op->emitOpError("works on whole tiles and cannot stand in "
                      "'tile.parallel'; move it out of the loop");
  diag.attachNote(parallel.getLoc()) << "the loop is here";
  return diag;
}
