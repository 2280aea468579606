//===- LayoutViews.cpp - layouts seen through views -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutModels.h"

#include "Tile/Layout/Algebra.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

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
  });
}
