//===- ThreadMap.h - elements of a thread -----------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout says where an element lives; a thread asks the other way round:
// which element is in my register r? The digits of the layout answer both. The
// coordinate of an element is the sum of a part that the register decides, a
// number, and a part that lane and warp decide, which is computed once.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TILETOSIMT_THREADMAP_H
#define TILE_CONVERSION_TILETOSIMT_THREADMAP_H

#include "Tile/Layout/Layout.h"

#include "mlir/IR/Builders.h"

namespace mlir::tile::simt {

/// The threads that run a piece of code, numbered from 0.
struct ThreadGroup {
  int64_t lanes = 1; // of a warp
  int64_t warps = 1;
  Value lane, warp, thread; // i32; null before the kernel's prologue
  int64_t barrier = 0;      // the hardware barrier at which they meet

  int64_t size() const { return lanes * warps; }
};

class ThreadMap {
public:
  ThreadMap(const ::tile::layout::Layout &layout, const ThreadGroup &threads);

  int64_t rank() const { return shape.size(); }
  ArrayRef<int64_t> getShape() const { return shape; }
  /// How many registers each thread has; some may hold nothing.
  int64_t numRegisters() const { return registers; }

  /// The part of the coordinates that the register decides; none if the
  /// register holds no element or a second copy of one.
  std::optional<SmallVector<int64_t>> getRegisterPart(int64_t reg) const;
  /// The element in a register of a thread, if there is one.
  std::optional<SmallVector<int64_t>> getElement(int64_t lane, int64_t warp,
                                                 int64_t reg) const;

  /// The largest power of two of registers that are neighbours along the last
  /// dimension, in every run of as many.
  int64_t getRun() const;

  /// Every register of every thread holds an element or the copy of one.
  bool isExact() const;

  /// Emits the parts that lane and warp decide. Must come before the functions
  /// below; values are i32.
  void materialize(OpBuilder &b, Location loc);
  Value getLanePart(int64_t dim) const { return lanePart[dim]; }
  Value getWarpPart(int64_t dim) const { return warpPart[dim]; }
  Value getThreadPart(int64_t dim) const { return threadPart[dim]; }
  /// The element's coordinates.
  SmallVector<Value> getCoordinates(OpBuilder &b, Location loc,
                                    ArrayRef<int64_t> registerPart) const;
  /// Whether this thread has an element there; null if every thread does.
  Value getExistence(OpBuilder &b, Location loc,
                     ArrayRef<int64_t> registerPart) const;
  /// The element in a register whose number is known at run time; `exists` is
  /// null if there always is one.
  struct Element {
    SmallVector<Value> coordinates;
    Value exists;
  };
  Element getElement(OpBuilder &b, Location loc, Value reg) const;
  /// Whether this thread has elements at all, wherever they lie; null if every
  /// thread does.
  Value getThreadGuard() const { return exists; }
  /// Whether this thread has the first of an element's copies; null if there
  /// are no copies.
  Value getFirstCopy() const { return firstCopy; }

private:
  struct Digit {
    int dim; // -1: a copy
    int64_t weight, extent, stride;
    bool top;     // nothing lies above it on its axis
    int64_t span; // values below the digit above; those from `extent` are holes
  };
  using Digits = SmallVector<Digit>;

  static SmallVector<int64_t> split(const Digits &digits, int64_t &position);
  static SmallVector<Value> emitSplit(OpBuilder &b, Location loc,
                                      const Digits &digits, Value &position);
  bool decode(const Digits &digits, int64_t position,
              MutableArrayRef<int64_t> coord, bool &copy) const;
  void emitDigits(OpBuilder &b, Location loc, const Digits &digits,
                  int64_t count, Value position, SmallVectorImpl<Value> &part);
  static void require(OpBuilder &b, Location loc, Value condition, Value &all);

  SmallVector<int64_t> shape;
  SmallVector<int64_t> threadSpan; // largest thread part of each dimension
  int64_t registers = 1;
  ThreadGroup threads;
  Digits reg, lane, warp;
  SmallVector<Value> lanePart, warpPart, threadPart;
  Value exists, firstCopy;
};

} // namespace mlir::tile::simt

#endif // TILE_CONVERSION_TILETOSIMT_THREADMAP_H
