//===- LayoutState.h - the layouts of a kernel's tiles ----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known during layout inference, and the interface through which ops
// take part in it. A layout belongs to the buffer at the start of a chain of
// views; it is seen through reshapes and stages as the algebra says.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_LAYOUTSTATE_H
#define TILE_TRANSFORMS_LAYOUTSTATE_H

#include "Tile/Dialect/Tile/IR/TileAttrs.h"
#include "Tile/Layout/Distribute.h"

#include "llvm/ADT/MapVector.h"

namespace mlir::tile {

enum class LayoutLevel { Strict, Common, Free, Default };
StringRef stringifyLayoutLevel(LayoutLevel level);

/// An operand that an op can only use in one memory space.
struct OperandPlacement {
  OpOperand *operand;
  MemorySpace space;
};

/// What an op needs of the layout of a buffer.
struct LayoutRequirement {
  enum Kind {
    Exact,   // this function, registers and offsets included
    Readers, // every thread that reads an element owns it
    Writers, // and the owners of an element are the threads that write it
  };
  Value buffer;
  ::tile::layout::Layout layout;
  Kind kind;

  bool isMetBy(const std::optional<::tile::layout::Layout> &has) const;
};

class LayoutState {
public:
  using Layout = ::tile::layout::Layout;

  /// Starts from the layouts that the IR has: those of `tile.alloc` and
  /// `tile.parallel`, and `tile.annotate_layout`.
  LayoutState(KernelOp kernel, const ::tile::target::Target &target);

  KernelOp getKernel() const { return kernel; }
  const ::tile::target::Target &getTarget() const { return target; }
  ::tile::layout::Threads getThreads() const { return threads; }

  /// Whether the buffer is a shared tile or fragment of this kernel.
  bool isTracked(Value buffer) const;
  bool isFragment(Value buffer) const {
    return isTracked(buffer) && getMemorySpace(buffer) == MemorySpace::Fragment;
  }
  bool isShared(Value buffer) const {
    return isTracked(buffer) && getMemorySpace(buffer) == MemorySpace::Shared;
  }

  /// Nothing if the layout is not known yet, or cannot be seen through a view.
  std::optional<Layout> get(Value buffer) const;
  bool has(Value buffer) const { return get(buffer).has_value(); }

  /// Gives a layout to a tracked buffer that has none. False if it has one or
  /// if a view is in the way.
  bool propose(Value buffer, const Layout &layout, Operation *by,
               LayoutLevel level);
  bool propose(Value buffer, const ::tile::layout::Result<Layout> &layout,
               Operation *by, LayoutLevel level) {
    return layout && propose(buffer, *layout, by, level);
  }

  std::optional<Layout> getLoop(ParallelOp loop) const;
  void setLoop(ParallelOp loop, const Layout &layout);

  /// Who gave the buffer its layout.
  struct Origin {
    Operation *by;
    LayoutLevel level;
  };
  std::optional<Origin> getOrigin(Value buffer) const;

  /// The buffers whose layout was set since the last call.
  SmallVector<Value> takeChanged();

private:
  struct Entry {
    Layout layout;
    Origin origin;
  };
  KernelOp kernel;
  const ::tile::target::Target &target;
  ::tile::layout::Threads threads;
  DenseMap<Value, Entry> buffers;
  DenseMap<Operation *, Layout> loops;
  SmallVector<Value> changed;
};

/// Whether all ops of the kernel find their tiles laid out as they need them.
LogicalResult verifyLayouts(KernelOp kernel,
                            const ::tile::target::Target &target);

/// What all ops of the kernel need of shared memory beside its buffers: the same
/// bytes serve one op after the other.
int64_t getScratchBytes(KernelOp kernel, const ::tile::target::Target &target);

/// How many threads the kernel has on the target: whole warps.
::tile::layout::Threads getThreads(KernelOp kernel,
                                   const ::tile::target::Target &target);

} // namespace mlir::tile

#include "Tile/Transforms/LayoutOpInterface.h.inc"

#endif // TILE_TRANSFORMS_LAYOUTSTATE_H
