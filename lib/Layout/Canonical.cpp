//===- Canonical.cpp - One spelling for one function ----------------------===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//

#include "Detail.h"

#include <algorithm>

using namespace tile::layout;
using namespace tile::layout::detail;

//===----------------------------------------------------------------------===//
// Merging digits
//===----------------------------------------------------------------------===//

/// Whether `upper` goes on where `lower` ends.
static bool continues(const Digit &upper, const Digit &lower) {
  return upper.axis == lower.axis &&
         upper.stride == lower.extent * lower.stride;
}

Dim detail::coalesceDim(const Dim &dim) {
  std::vector<Digit> merged; // least significant first
  for (size_t i = dim.digits.size(); i-- > 0;) {
    const Digit &digit = dim.digits[i];
    if (digit.extent == 1)
      continue;
    if (!merged.empty() && continues(digit, merged.back()))
      merged.back().extent *= digit.extent;
    else
      merged.push_back(digit);
  }
  if (!merged.empty()) {
    int64_t below = 1;
    for (size_t i = 0; i + 1 < merged.size(); ++i)
      below *= merged[i].extent;
    merged.back().extent = ceilDiv(dim.extent, below);
  }
  return Dim{dim.extent, {merged.rbegin(), merged.rend()}};
}

std::vector<Digit> detail::coalesceCopies(std::vector<Digit> copies) {
  std::sort(copies.begin(), copies.end(), [](const Digit &a, const Digit &b) {
    return std::make_pair(a.axis, a.stride) < std::make_pair(b.axis, b.stride);
  });
  std::vector<Digit> merged;
  for (const Digit &digit : copies) {
    if (digit.extent == 1)
      continue;
    if (!merged.empty() && continues(digit, merged.back()))
      merged.back().extent *= digit.extent;
    else
      merged.push_back(digit);
  }
  return merged;
}

//===----------------------------------------------------------------------===//
// Reading digits off a table
//===----------------------------------------------------------------------===//

/// The digit whose step is `step`, if that moves along one axis only.
static Result<Digit> digitOfStep(const Position &step) {
  Digit digit{0, Axis::Reg, 0};
  for (int a = 0; a < kNumAxes; ++a) {
    Axis axis = static_cast<Axis>(a);
    if (step[axis] == 0)
      continue;
    if (step[axis] < 0)
      return fail("expected a stride of at least 0, got ", step[axis], " on ",
                  axisName(axis));
    if (digit.stride != 0)
      return fail("expected a step along one axis, got ", step.str());
    digit.axis = axis;
    digit.stride = step[axis];
  }
  return digit;
}

Result<Dim> detail::dimFromTable(const std::vector<Position> &table) {
  Dim dim{static_cast<int64_t>(table.size()), {}};
  if (table[0] != Position{})
    return fail("expected coordinate 0 at position 0, got ", table[0].str());
  std::vector<Digit> digits; // least significant first
  for (int64_t weight = 1; weight < dim.extent;) {
    Result<Digit> digit = digitOfStep(table[weight]);
    if (!digit)
      return digit.failure();
    Position next;
    int64_t run = 0;
    while (run * weight < dim.extent && table[run * weight] == next) {
      next[digit->axis] += digit->stride;
      ++run;
    }
    digits.push_back({run, digit->axis, digit->stride});
    weight *= run;
  }
  dim.digits.assign(digits.rbegin(), digits.rend());
  for (int64_t c = 0; c < dim.extent; ++c) {
    Position got = table[c], expected = sumInDim(dim, c);
    if (got != expected)
      return fail("expected coordinate ", c, " at ", expected.str(),
                  " (the sum of its digits), got ", got.str());
  }
  return dim;
}

/// `table` with every offset swizzled, as a sum of digits.
static Result<Layout> sumFromTable(const std::vector<int64_t> &shape,
                                   const std::vector<Position> &table,
                                   const std::vector<Digit> &copies,
                                   Swizzle swizzle) {
  auto valueAt = [&](int64_t index) {
    Position value = table[index];
    value[Axis::Offset] = swizzle.apply(value[Axis::Offset]);
    return value;
  };
  std::vector<Dim> dims(shape.size());
  std::vector<std::vector<Position>> parts(shape.size());
  int64_t weight = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    for (int64_t c = 0; c < shape[d]; ++c)
      parts[d].push_back(valueAt(c * weight));
    weight *= shape[d];
    Result<Dim> dim = dimFromTable(parts[d]);
    if (!dim)
      return fail("dimension ", d, ": ", dim.reason());
    dims[d] = *dim;
  }
  Coord coord(shape.size(), 0);
  int64_t index = 0;
  do {
    Position expected;
    for (size_t d = 0; d < shape.size(); ++d)
      expected = expected + parts[d][coord[d]];
    Position got = valueAt(index++);
    if (got != expected)
      return fail("expected element ", coordStr(coord), " at ", expected.str(),
                  " (the sum over its dimensions), got ", got.str());
  } while (nextCoord(shape, coord));
  return Layout::get(std::move(dims), copies, swizzle);
}

Result<Layout> detail::layoutFromTable(const std::vector<int64_t> &shape,
                                       const std::vector<Position> &table,
                                       std::vector<Digit> copies, int maxBits) {
  copies = coalesceCopies(std::move(copies));
  int64_t last = 0;
  for (const Position &position : table) {
    if (position[Axis::Offset] < 0)
      return fail("expected an offset of at least 0, got ",
                  position[Axis::Offset]);
    last = std::max(last, position[Axis::Offset]);
  }
  Result<Layout> plain = sumFromTable(shape, table, copies, {});
  if (plain)
    return plain;
  int length = 0;
  while (length < 48 && last >> length)
    ++length;
  for (int bits = 1; bits <= maxBits; ++bits) {
    for (int base = 0; base + 2 * bits <= length; ++base) {
      for (int shift = bits; base + shift + bits <= length; ++shift) {
        Swizzle swizzle{bits, base, shift};
        if (Result<Layout> found = sumFromTable(shape, table, copies, swizzle))
          return found;
      }
    }
  }
  return plain;
}

//===----------------------------------------------------------------------===//
// Layout members
//===----------------------------------------------------------------------===//

/// The values of `function` at every coordinate, last dimension fastest.
static std::vector<Position>
tabulate(const std::vector<int64_t> &shape,
         const std::function<Position(const Coord &)> &function) {
  std::vector<Position> table;
  forEachCoord(shape, [&](const Coord &coord) {
    table.push_back(function(coord));
    return true;
  });
  return table;
}

Result<Layout>
Layout::fromFunction(const std::vector<int64_t> &shape,
                     const std::function<Position(const Coord &)> &function,
                     std::vector<Digit> copies) {
  constexpr int kMaxSwizzleBits = 8;
  Result<int64_t> count = countElements(shape);
  if (!count)
    return count.failure();
  if (Status ok = checkEnumerable(*count); !ok)
    return ok.failure();
  // A layout with these copies must exist before its digits are looked for.
  if (Result<Layout> empty = get({}, copies); !empty)
    return empty.failure();
  return layoutFromTable(shape, tabulate(shape, function), std::move(copies),
                         kMaxSwizzleBits);
}

/// One more than the highest bit that `swizzle` reads, as a power of two: it
/// commutes with adding a multiple of that.
static int64_t getPeriod(Swizzle swizzle) {
  return swizzle.isIdentity()
             ? 1
             : int64_t(1) << (swizzle.base + swizzle.shift + swizzle.bits);
}

static bool isMultipleOf(const Digit &digit, int64_t period) {
  return digit.axis != Axis::Offset || digit.stride % period == 0;
}

/// Whether coordinates take all values of all digits.
static bool isFull(const Dim &dim) {
  int64_t places = 1;
  for (const Digit &digit : dim.digits)
    places *= digit.extent;
  return places == dim.extent;
}

/// Moves the leading digits of `dim` that add multiples of `period` away from
/// it.
static std::vector<Digit> splitMultiples(Dim &dim, int64_t period) {
  std::vector<Digit> multiples;
  if (!isFull(dim))
    return multiples;
  size_t count = 0;
  while (count < dim.digits.size() && isMultipleOf(dim.digits[count], period))
    multiples.push_back(dim.digits[count++]);
  dim.digits.erase(dim.digits.begin(), dim.digits.begin() + count);
  if (!dim.digits.empty()) {
    Digit &first = dim.digits.front();
    int64_t below = period / first.stride;
    if (period % first.stride == 0 && first.extent % below == 0 &&
        first.extent > below) {
      multiples.push_back({first.extent / below, Axis::Offset, period});
      first.extent = below;
    }
  }
  for (const Digit &digit : multiples)
    dim.extent /= digit.extent;
  return multiples;
}

Result<Layout> Layout::canonical() const {
  Layout result;
  result.copies_ = coalesceCopies(copies_);
  for (const Dim &dim : dims_)
    result.dims_.push_back(coalesceDim(dim));
  if (swizzle_.isIdentity())
    return result;
  // The table is of what the swizzle sees: stages and groups of rows add up.
  auto searchTable = [&](const Layout &layout) -> Result<Layout> {
    if (Status ok = checkEnumerable(layout.numElements()); !ok)
      return ok.failure();
    auto function = [&](const Coord &coord) { return layout.at(coord); };
    return layoutFromTable(layout.shape(), tabulate(layout.shape(), function),
                           copies_, swizzle_.bits);
  };
  Layout seen = result;
  seen.swizzle_ = swizzle_;
  std::vector<std::vector<Digit>> multiples;
  for (Dim &dim : seen.dims_)
    multiples.push_back(splitMultiples(dim, getPeriod(swizzle_)));
  Result<Layout> found = searchTable(seen);
  if (!found)
    return found;
  int64_t period = getPeriod(found->swizzle_);
  for (size_t d = 0; d < multiples.size(); ++d) {
    std::vector<Digit> &digits = multiples[d];
    const Dim &rest = found->dims_[d];
    if (digits.empty()) {
      result.dims_[d] = rest;
      continue;
    }
    if (!isFull(rest) ||
        !std::all_of(digits.begin(), digits.end(), [&](const Digit &digit) {
          return isMultipleOf(digit, period);
        }))
      return searchTable(*this);
    digits.insert(digits.end(), rest.digits.begin(), rest.digits.end());
    result.dims_[d] = coalesceDim({result.dims_[d].extent, digits});
  }
  result.swizzle_ = found->swizzle_;
  return result;
}

Result<bool> tile::layout::equivalent(const Layout &a, const Layout &b) {
  if (a.shape() != b.shape())
    return false;
  // The same swizzle on both sides is a bijection and can be left out, which
  // keeps large tiles decidable without looking at their elements.
  if (a.swizzle() == b.swizzle()) {
    auto same = [](const Dim &x, const Dim &y) {
      return coalesceDim(x) == coalesceDim(y);
    };
    return std::equal(a.dims().begin(), a.dims().end(), b.dims().begin(),
                      same) &&
           coalesceCopies(a.copies()) == coalesceCopies(b.copies());
  }
  Result<Layout> x = a.canonical(), y = b.canonical();
  if (!x)
    return x.failure();
  if (!y)
    return y.failure();
  return *x == *y;
}
