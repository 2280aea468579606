//===- ThreadMap.cpp - elements of a thread -------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/TileToSIMT/ThreadMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;
using ::tile::layout::Layout;

ThreadMap::ThreadMap(const Layout &layout, const ThreadGroup &threads)
    : registers(std::max<int64_t>(1, layout.axisSize(Axis::Reg))),
      threads(threads) {
  auto add = [&](const ::tile::layout::Digit &digit, int dim, int64_t weight) {
    if (digit.extent == 1 || digit.stride == 0)
      return;
    Digits &list = digit.axis == Axis::Reg    ? reg
                   : digit.axis == Axis::Lane ? lane
                                              : warp;
    list.push_back({dim, weight, digit.extent, digit.stride, true, 0});
  };
  for (int dim = 0; dim < layout.rank(); ++dim) {
    shape.push_back(layout.extent(dim));
    int64_t weight = 1, span = 0;
    for (const auto &digit : llvm::reverse(layout.dims()[dim].digits)) {
      add(digit, dim, weight);
      if (digit.axis != Axis::Reg)
        span += (digit.extent - 1) * weight;
      weight *= digit.extent;
    }
    threadSpan.push_back(span);
  }
  for (const auto &digit : layout.copies())
    add(digit, -1, 0);
  for (Digits *digits : {&reg, &lane, &warp}) {
    llvm::stable_sort(*digits, [](const Digit &x, const Digit &y) {
      return x.stride < y.stride;
    });
    for (size_t i = 0; i + 1 < digits->size(); ++i) {
      (*digits)[i].top = false;
      (*digits)[i].span =
          llvm::divideCeil((*digits)[i + 1].stride, (*digits)[i].stride);
    }
  }
}

/// The values of the digits at a position, which becomes what is left below the
/// lowest. From the top down: strides of layouts with holes need not divide
/// those above (16, 3 and 1, where 9 of 16 lanes have elements).
SmallVector<int64_t> ThreadMap::split(const Digits &digits,
                                      int64_t &position) {
  SmallVector<int64_t> values(digits.size());
  for (size_t i = digits.size(); i-- > 0; position %= digits[i].stride)
    values[i] = position / digits[i].stride;
  return values;
}

bool ThreadMap::decode(const Digits &digits, int64_t position,
                       MutableArrayRef<int64_t> coord, bool &copy) const {
  SmallVector<int64_t> values = split(digits, position);
  if (position != 0)
    return false;
  for (auto [digit, value] : llvm::zip(digits, values)) {
    if (value >= digit.extent)
      return false;
    if (digit.dim >= 0)
      coord[digit.dim] += value * digit.weight;
    else
      copy |= value != 0;
  }
  return true;
}

std::optional<SmallVector<int64_t>>
ThreadMap::getRegisterPart(int64_t position) const {
  SmallVector<int64_t> coord(rank(), 0);
  bool copy = false;
  if (!decode(reg, position, coord, copy) || copy)
    return std::nullopt;
  for (auto [value, extent] : llvm::zip(coord, shape))
    if (value >= extent)
      return std::nullopt;
  return coord;
}

std::optional<SmallVector<int64_t>>
ThreadMap::getElement(int64_t lanePosition, int64_t warpPosition,
                      int64_t position) const {
  SmallVector<int64_t> coord(rank(), 0);
  bool copy = false;
  // A thread beyond the last lane or warp has no element, as `empty` says for
  // position 0 only; a layout without lanes lives in lane 0.
  if (!decode(reg, position, coord, copy) ||
      !decode(lane, lanePosition, coord, copy) ||
      !decode(warp, warpPosition, coord, copy))
    return std::nullopt;
  for (auto [value, extent] : llvm::zip(coord, shape))
    if (value >= extent)
      return std::nullopt;
  return coord;
}

int64_t ThreadMap::getRun() const {
  auto walksLastDim = [&](int64_t run) {
    for (int64_t r = 0; r < registers; ++r) {
      auto part = getRegisterPart(r), first = getRegisterPart(r - r % run);
      if (!part || !first)
        return false;
      first->back() += r % run;
      if (*part != *first)
        return false;
    }
    return true;
  };
  int64_t run = 1;
  while (registers % (2 * run) == 0 && walksLastDim(2 * run))
    run *= 2;
  return run;
}

bool ThreadMap::isExact() const {
  for (int64_t r = 0; r < registers; ++r)
    for (int64_t w = 0; w < threads.warps; ++w)
      for (int64_t l = 0; l < threads.lanes; ++l)
        if (!getElement(l, w, r))
          return false;
  return true;
}

static Value constant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}

void ThreadMap::require(OpBuilder &b, Location loc, Value condition,
                        Value &all) {
  all = all ? b.createOrFold<arith::AndIOp>(loc, all, condition) : condition;
}

SmallVector<Value> ThreadMap::emitSplit(OpBuilder &b, Location loc,
                                        const Digits &digits,
                                        Value &position) {
  auto divide = [&](Value v, int64_t by) {
    return by == 1 ? v
                   : b.createOrFold<arith::DivUIOp>(loc, v,
                                                    constant(b, loc, by));
  };
  auto remainder = [&](Value v, int64_t by) {
    return b.createOrFold<arith::RemUIOp>(loc, v, constant(b, loc, by));
  };
  SmallVector<Value> values(digits.size());
  bool divides = true;
  for (size_t i = 0; i + 1 < digits.size(); ++i)
    divides &= digits[i + 1].stride % digits[i].stride == 0;
  if (!divides) {
    for (size_t i = digits.size(); i-- > 0;) {
      values[i] = divide(position, digits[i].stride);
      position = remainder(position, digits[i].stride);
    }
    return values;
  }
  // The values are independent of each other.
  for (size_t i = 0; i < digits.size(); ++i) {
    values[i] = divide(position, digits[i].stride);
    if (!digits[i].top)
      values[i] = remainder(values[i], digits[i].span);
  }
  if (!digits.empty() && digits.front().stride != 1)
    position = remainder(position, digits.front().stride);
  return values;
}

void ThreadMap::emitDigits(OpBuilder &b, Location loc, const Digits &digits,
                           int64_t count, Value position,
                           SmallVectorImpl<Value> &part) {
  int64_t covered =
      digits.empty() ? 1 : digits.back().stride * digits.back().extent;
  auto less = [&](Value v, int64_t bound) {
    return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, v,
                                         constant(b, loc, bound));
  };
  if (covered < count)
    require(b, loc, less(position, covered), exists);
  SmallVector<Value> values = emitSplit(b, loc, digits, position);
  if (!digits.empty() && digits.front().stride != 1)
    require(b, loc, less(position, 1), exists);
  for (auto [digit, value] : llvm::zip(digits, values)) {
    if (!digit.top && digit.span != digit.extent)
      require(b, loc, less(value, digit.extent), exists);
    if (digit.dim < 0) {
      require(b, loc, less(value, 1), firstCopy);
      continue;
    }
    if (digit.weight != 1)
      value = b.createOrFold<arith::MulIOp>(loc, value,
                                            constant(b, loc, digit.weight));
    Value &sum = part[digit.dim];
    sum = sum ? b.createOrFold<arith::AddIOp>(loc, sum, value) : value;
  }
}

void ThreadMap::materialize(OpBuilder &b, Location loc) {
  lanePart.assign(rank(), {});
  warpPart.assign(rank(), {});
  exists = firstCopy = {};
  emitDigits(b, loc, lane, threads.lanes, threads.lane, lanePart);
  emitDigits(b, loc, warp, threads.warps, threads.warp, warpPart);
  threadPart.clear();
  for (int64_t dim = 0; dim < rank(); ++dim) {
    for (Value *part : {&lanePart[dim], &warpPart[dim]})
      if (!*part)
        *part = constant(b, loc, 0);
    threadPart.push_back(b.createOrFold<arith::AddIOp>(loc, lanePart[dim],
                                                       warpPart[dim]));
  }
}

SmallVector<Value>
ThreadMap::getCoordinates(OpBuilder &b, Location loc,
                          ArrayRef<int64_t> registerPart) const {
  SmallVector<Value> coordinates;
  for (auto [dim, part] : llvm::enumerate(registerPart))
    coordinates.push_back(
        part == 0 ? threadPart[dim]
                  : b.createOrFold<arith::AddIOp>(loc, threadPart[dim],
                                                  constant(b, loc, part)));
  return coordinates;
}

ThreadMap::Element ThreadMap::getElement(OpBuilder &b, Location loc,
                                         Value position) const {
  ThreadMap here = *this;
  here.firstCopy = {};
  SmallVector<Value> part(rank());
  here.emitDigits(b, loc, reg, registers, position, part);
  if (here.firstCopy)
    require(b, loc, here.firstCopy, here.exists);
  SmallVector<int64_t> span = threadSpan;
  for (const Digit &digit : reg)
    if (digit.dim >= 0)
      span[digit.dim] += (digit.extent - 1) * digit.weight;
  Element element;
  for (int64_t dim = 0; dim < rank(); ++dim) {
    Value coordinate = threadPart[dim];
    if (part[dim])
      coordinate = b.createOrFold<arith::AddIOp>(loc, coordinate, part[dim]);
    element.coordinates.push_back(coordinate);
    if (span[dim] < shape[dim])
      continue;
    require(b, loc,
            b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult,
                                          coordinate,
                                          constant(b, loc, shape[dim])),
            here.exists);
  }
  element.exists = here.exists;
  return element;
}

Value ThreadMap::getExistence(OpBuilder &b, Location loc,
                              ArrayRef<int64_t> registerPart) const {
  Value all = exists;
  for (auto [dim, part] : llvm::enumerate(registerPart)) {
    if (part + threadSpan[dim] < shape[dim])
      continue;
    Value coordinate = b.createOrFold<arith::AddIOp>(
        loc, threadPart[dim], constant(b, loc, part));
    Value inside = b.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::ult, coordinate,
        constant(b, loc, shape[dim]));
    all = all ? b.createOrFold<arith::AndIOp>(loc, all, inside) : inside;
  }
  return all;
}
