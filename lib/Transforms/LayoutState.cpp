//===- LayoutState.cpp - the layouts of a kernel's tiles ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Transforms/LayoutState.h"

#include "LayoutModels.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::tile::layout;

#include "Tile/Transforms/LayoutOpInterface.cpp.inc"

StringRef mlir::tile::stringifyLayoutLevel(LayoutLevel level) {
  switch (level) {
  case LayoutLevel::Strict:
    return "strict";
  case LayoutLevel::Common:
    return "common";
  case LayoutLevel::Free:
    return "free";
  case LayoutLevel::Default:
    return "default";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// The views from `buffer` to its base, the last one first.
static SmallVector<Operation *> getViews(Value buffer) {
  SmallVector<Operation *> views;
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    views.push_back(view);
    buffer = view.getViewSource();
  }
  return views;
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

Threads mlir::tile::getThreads(KernelOp kernel,
                               const ::tile::target::Target &target) {
  int64_t lanes = target.getGPU()->warpSize;
  int64_t threads = kernel.getThreads();
  return {lanes, (threads + lanes - 1) / lanes};
}

int64_t mlir::tile::getScratchBytes(KernelOp kernel,
                                    const ::tile::target::Target &target) {
  LayoutState state(kernel, target);
  int64_t bytes = 0;
  kernel.walk([&](TileLayoutOpInterface op) {
    bytes = std::max(bytes, op.getScratchBytes(state));
  });
  // It begins with a row of banks.
  const ::tile::target::GPUSpec &gpu = *target.getGPU();
  int64_t row = gpu.sharedBanks * gpu.sharedBankBytes;
  return (bytes + row - 1) / row * row;
}

LayoutState::LayoutState(KernelOp kernel, const ::tile::target::Target &target)
    : kernel(kernel), target(target),
      threads(mlir::tile::getThreads(kernel, target)) {
  kernel.walk([&](Operation *op) {
    if (auto alloc = dyn_cast<AllocOp>(op); alloc && alloc.getLayoutAttr())
      propose(alloc, getTileLayout(alloc.getLayoutAttr()), alloc,
              LayoutLevel::Strict);
    if (auto loop = dyn_cast<ParallelOp>(op); loop && loop.getLayoutAttr())
      setLoop(loop, getTileLayout(loop.getLayoutAttr()));
  });
}

bool LayoutState::isTracked(Value buffer) const {
  auto alloc = getBaseBuffer(buffer).getDefiningOp<AllocOp>();
  if (!alloc)
    return false;
  MemorySpace space = getMemorySpace(alloc.getBuffer());
  return space == MemorySpace::Shared || space == MemorySpace::Fragment;
}

std::optional<Layout> LayoutState::get(Value buffer) const {
  auto entry = buffers.find(getBaseBuffer(buffer));
  if (entry == buffers.end())
    return std::nullopt;
  return getLayoutOfView(buffer, entry->second.layout);
}

bool LayoutState::propose(Value buffer, const Layout &layout, Operation *by,
                          LayoutLevel level) {
  Value base = getBaseBuffer(buffer);
  if (!isTracked(buffer) || buffers.contains(base))
    return false;
  std::optional<Layout> source = layout;
  for (Operation *view : getViews(buffer)) {
    auto model = dyn_cast<TileViewLayoutInterface>(view);
    source = model ? model.getSourceLayout(*source) : std::nullopt;
    if (!source)
      return false;
  }
  buffers.insert({base, {*source, {by, level}}});
  changed.push_back(base);
  return true;
}

std::optional<Layout> LayoutState::getLoop(ParallelOp loop) const {
  auto found = loops.find(loop);
  return found == loops.end() ? std::nullopt
                              : std::optional<Layout>(found->second);
}

void LayoutState::setLoop(ParallelOp loop, const Layout &layout) {
  loops.insert({loop, layout});
}

std::optional<LayoutState::Origin> LayoutState::getOrigin(Value buffer) const {
  auto entry = buffers.find(getBaseBuffer(buffer));
  return entry == buffers.end() ? std::nullopt
                                : std::optional<Origin>(entry->second.origin);
}

SmallVector<Value> LayoutState::takeChanged() {
  return std::exchange(changed, {});
}
