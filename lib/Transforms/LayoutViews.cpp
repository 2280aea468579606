//===- LayoutViews.cpp - layouts seen through views -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutModels.h"

#include "Tile/Transforms/TileParts.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tile;
using namespace ::tile::layout;

using View = std::optional<Layout>;

static View toOptional(const Result<Layout> &layout) {
  return layout ? View(*layout) : std::nullopt;
}

/// The bits of `from` under another name; nothing where an element of the other
/// type would not lie together.
static View reinterpretBits(const Layout &layout, Value from, Value to) {
  return toOptional(reinterpret(layout, getElementBits(from),
                                getElementBits(to), getShapeOf(to)));
}

/// Neither strides nor dimensions that are dropped.
static bool isStatic(memref::SubViewOp part) {
  return part.getOffsets().empty() && part.getSizes().empty() &&
         part.getStrides().empty() &&
         llvm::all_of(part.getStaticStrides(),
                      [](int64_t stride) { return stride == 1; }) &&
         part.getType().getRank() == part.getSourceType().getRank();
}

Result<Part> mlir::tile::findPartOfTile(memref::SubViewOp part,
                                        const Layout &tile) {
  if (!isStatic(part))
    return fail("expected a part of a tile at a known place, without strides");
  Result<Part> found =
      subtile(tile, part.getStaticOffsets().vec(), part.getStaticSizes().vec());
  if (!found)
    return found;
  Swizzle swizzle = tile.swizzle();
  int64_t period = int64_t(1) << (swizzle.bits + swizzle.base + swizzle.shift);
  int64_t start = found->base[Axis::Offset];
  if (!swizzle.isIdentity() && start % period != 0)
    return fail("expected a part that begins at a multiple of the ", period,
                " elements of a swizzle, got ", start);
  return found;
}

namespace {
struct ReshapeViewModel
    : TileViewLayoutInterface::ExternalModel<ReshapeViewModel, ReshapeOp> {
  View getViewLayout(Operation *op, const Layout &source) const {
    return toOptional(
        reshape(source, getShapeOf(cast<ReshapeOp>(op).getView())));
  }
  View getSourceLayout(Operation *op, const Layout &view) const {
    return toOptional(
        reshape(view, getShapeOf(cast<ReshapeOp>(op).getSource())));
  }
};

struct StageViewModel
    : TileViewLayoutInterface::ExternalModel<StageViewModel, StageOp> {
  View getViewLayout(Operation *, const Layout &source) const {
    Result<Part> stage = slice(source, 0, 0);
    return stage ? View(stage->layout) : std::nullopt;
  }
  View getSourceLayout(Operation *op, const Layout &view) const {
    return toOptional(
        stack(view, getShapeOf(cast<StageOp>(op).getSource()).front()));
  }
};

struct BitsViewModel
    : TileViewLayoutInterface::ExternalModel<BitsViewModel, ViewOp> {
  View getViewLayout(Operation *op, const Layout &source) const {
    auto bits = cast<ViewOp>(op);
    return reinterpretBits(source, bits.getSource(), bits.getView());
  }
  View getSourceLayout(Operation *op, const Layout &view) const {
    auto bits = cast<ViewOp>(op);
    return reinterpretBits(view, bits.getView(), bits.getSource());
  }
};

struct PartViewModel
    : TileViewLayoutInterface::ExternalModel<PartViewModel, memref::SubViewOp> {
  View getViewLayout(Operation *op, const Layout &source) const {
    Result<Part> part = findPartOfTile(cast<memref::SubViewOp>(op), source);
    return part ? View(part->layout) : std::nullopt;
  }
  /// The tile repeats what the part has up to where both can be cut.
  View getSourceLayout(Operation *op, const Layout &view) const {
    auto part = cast<memref::SubViewOp>(op);
    std::vector<int64_t> start(view.rank(), 0), size, counts;
    if (!isStatic(part))
      return std::nullopt;
    for (auto [offset, own, extent] :
         llvm::zip(part.getStaticOffsets(), part.getStaticSizes(),
                   part.getSourceType().getShape())) {
      size.push_back(std::gcd(std::gcd(offset, own), extent));
      counts.push_back(extent / size.back());
    }
    Result<Part> piece = subtile(view, start, size);
    Result<Layout> order = Layout::rowMajor(counts);
    return piece && order ? toOptional(product(piece->layout, *order))
                          : std::nullopt;
  }
};

struct CastViewModel
    : TileViewLayoutInterface::ExternalModel<CastViewModel, memref::CastOp> {
  View getViewLayout(Operation *, const Layout &source) const {
    return source;
  }
  View getSourceLayout(Operation *, const Layout &view) const { return view; }
};
} // namespace

View mlir::tile::getLayoutOfView(Value view, const Layout &base) {
  auto op = view.getDefiningOp<ViewLikeOpInterface>();
  if (!op)
    return base;
  View source = getLayoutOfView(op.getViewSource(), base);
  auto model = dyn_cast<TileViewLayoutInterface>(op.getOperation());
  return source && model ? model.getViewLayout(*source) : std::nullopt;
}

void mlir::tile::registerViewLayoutModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TileDialect *) {
    ReshapeOp::attachInterface<ReshapeViewModel>(*context);
    StageOp::attachInterface<StageViewModel>(*context);
    ViewOp::attachInterface<BitsViewModel>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, memref::MemRefDialect *) {
    memref::CastOp::attachInterface<CastViewModel>(*context);
    memref::SubViewOp::attachInterface<PartViewModel>(*context);
  });
}
