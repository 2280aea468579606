//===- Layout.cpp - Building, evaluating and inverting layouts ------------===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//

#include "Tile/Layout/Layout.h"

#include "Detail.h"

#include <algorithm>

using namespace tile::layout;
using namespace tile::layout::detail;

//===----------------------------------------------------------------------===//
// Axes, positions, coordinates
//===----------------------------------------------------------------------===//

static constexpr std::string_view kAxisNames[kNumAxes] = {
    "reg", "lane", "warp", "block", "device", "offset"};

std::string_view tile::layout::axisName(Axis axis) {
  return kAxisNames[static_cast<int>(axis)];
}

std::optional<Axis> tile::layout::axisNamed(std::string_view name) {
  for (int i = 0; i < kNumAxes; ++i) {
    if (kAxisNames[i] == name)
      return static_cast<Axis>(i);
  }
  return std::nullopt;
}

Position Position::operator+(const Position &other) const {
  Position result = *this;
  for (int i = 0; i < kNumAxes; ++i)
    result.value[i] += other.value[i];
  return result;
}

std::string Position::str() const {
  std::string text;
  for (int i = 0; i < kNumAxes; ++i) {
    if (value[i] == 0)
      continue;
    if (!text.empty())
      text += ", ";
    text += std::string(kAxisNames[i]) + " " + std::to_string(value[i]);
  }
  return text.empty() ? "position 0" : text;
}

std::string tile::layout::coordStr(const Coord &coord) {
  std::string text = "(";
  for (size_t i = 0; i < coord.size(); ++i)
    text += (i ? ", " : "") + std::to_string(coord[i]);
  return text + ")";
}

bool detail::nextCoord(const std::vector<int64_t> &shape, Coord &coord) {
  for (size_t d = shape.size(); d-- > 0;) {
    if (++coord[d] < shape[d])
      return true;
    coord[d] = 0;
  }
  return false;
}

Coord detail::unflatten(const std::vector<int64_t> &shape, int64_t index) {
  Coord coord(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    coord[d] = index % shape[d];
    index /= shape[d];
  }
  return coord;
}

bool tile::layout::forEachCoord(
    const std::vector<int64_t> &shape,
    const std::function<bool(const Coord &)> &visit) {
  if (std::any_of(shape.begin(), shape.end(),
                  [](int64_t extent) { return extent < 1; }))
    return true;
  Coord coord(shape.size(), 0);
  do {
    if (!visit(coord))
      return false;
  } while (nextCoord(shape, coord));
  return true;
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

std::optional<int64_t> detail::boundedProduct(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product) || product < 0 ||
      product > kMaxPositions)
    return std::nullopt;
  return product;
}

Result<int64_t> detail::countElements(const std::vector<int64_t> &shape) {
  if (shape.size() > static_cast<size_t>(kMaxRank))
    return fail("expected rank at most ", kMaxRank, ", got ", shape.size());
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (extent < 1)
      return fail("expected a positive extent, got ", extent);
    std::optional<int64_t> product = boundedProduct(count, extent);
    if (!product)
      return fail("expected at most ", kMaxPositions, " elements, got more");
    count = *product;
  }
  return count;
}

Status detail::checkEnumerable(int64_t elements) {
  if (elements > kMaxEnumeration)
    return fail("expected at most ", kMaxEnumeration,
                " elements to enumerate, got ", elements);
  return Success{};
}

/// Checks one digit and adds its reach to `span`, the largest position so far.
static Status checkDigit(const Digit &digit, int64_t &span) {
  if (digit.extent < 1)
    return fail("expected a positive digit extent, got ", digit.extent);
  if (digit.stride < 0 || digit.stride > kMaxPositions)
    return fail("expected a stride from 0 to ", kMaxPositions, ", got ",
                digit.stride);
  std::optional<int64_t> reach = boundedProduct(digit.extent - 1, digit.stride);
  if (!reach || span + *reach > kMaxPositions)
    return fail("expected positions up to ", kMaxPositions, " on ",
                axisName(digit.axis), ", got more");
  span += *reach;
  return Success{};
}

/// The digits must reach the extent, and no digit may be idle.
static Status checkCover(const Dim &dim, size_t index) {
  size_t lead = 0;
  while (lead < dim.digits.size() && dim.digits[lead].extent == 1)
    ++lead;
  int64_t below = 1, all = 1;
  for (size_t i = dim.digits.size(); i-- > lead;) {
    below = all;
    std::optional<int64_t> product = boundedProduct(all, dim.digits[i].extent);
    if (!product)
      return fail("expected the digits of dimension ", index, " to cover ",
                  dim.extent, ", got more than ", kMaxPositions);
    all = *product;
  }
  bool covered = lead == dim.digits.size()
                     ? dim.extent == 1
                     : dim.digits[lead].extent == ceilDiv(dim.extent, below) &&
                           dim.extent > below;
  if (!covered)
    return fail("expected the digits of dimension ", index, " to cover ",
                dim.extent, ", got ", all);
  return Success{};
}

static Status checkCopies(const std::vector<Digit> &copies, bool swizzled) {
  std::vector<Digit> sorted = copies;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Digit &a, const Digit &b) {
                     return std::make_pair(a.axis, a.stride) <
                            std::make_pair(b.axis, b.stride);
                   });
  int64_t count = 1;
  std::array<int64_t, kNumAxes> span{};
  for (const Digit &digit : sorted) {
    if (digit.extent <= 1)
      continue;
    if (digit.axis == Axis::Offset && swizzled)
      return fail("expected no replication on offset under a swizzle, got "
                  "extent ",
                  digit.extent);
    int64_t &reach = span[static_cast<int>(digit.axis)];
    if (digit.stride <= reach)
      return fail("expected a replication stride above ", reach, " on ",
                  axisName(digit.axis), ", got ", digit.stride);
    reach += (digit.extent - 1) * digit.stride;
    std::optional<int64_t> product = boundedProduct(count, digit.extent);
    if (!product || *product > kMaxCopies)
      return fail("expected at most ", kMaxCopies, " copies, got more");
    count = *product;
  }
  return Success{};
}

static Status checkSwizzle(const Swizzle &s) {
  if (s == Swizzle{})
    return Success{};
  // Each number is bounded before their sum is taken.
  bool small = s.bits <= 48 && s.base <= 48 && s.shift <= 48;
  if (s.bits < 1 || s.base < 0 || s.shift < s.bits || !small ||
      s.bits + s.base + s.shift > 48)
    return fail("expected a swizzle with 0 < bits <= shift and a sum of at "
                "most 48, got (",
                s.bits, ", ", s.base, ", ", s.shift, ")");
  return Success{};
}

Result<Layout> Layout::get(std::vector<Dim> dims, std::vector<Digit> copies,
                           Swizzle swizzle) {
  std::array<int64_t, kNumAxes> span{};
  std::vector<int64_t> shape;
  auto check = [&](Digit &digit) -> Status {
    if (digit.stride == 0)
      digit.axis = Axis::Reg;
    return checkDigit(digit, span[static_cast<int>(digit.axis)]);
  };
  for (size_t d = 0; d < dims.size(); ++d) {
    shape.push_back(dims[d].extent);
    for (Digit &digit : dims[d].digits) {
      if (Status ok = check(digit); !ok)
        return ok.failure();
    }
  }
  if (Result<int64_t> count = countElements(shape); !count)
    return count.failure();
  for (size_t d = 0; d < dims.size(); ++d) {
    if (Status ok = checkCover(dims[d], d); !ok)
      return ok.failure();
  }
  for (Digit &digit : copies) {
    if (Status ok = check(digit); !ok)
      return ok.failure();
  }
  if (Status ok = checkSwizzle(swizzle); !ok)
    return ok.failure();
  if (Status ok = checkCopies(copies, !swizzle.isIdentity()); !ok)
    return ok.failure();
  Layout layout;
  layout.dims_ = std::move(dims);
  layout.copies_ = std::move(copies);
  layout.swizzle_ = swizzle;
  return layout;
}

Result<Layout> Layout::rowMajor(const std::vector<int64_t> &shape) {
  Result<int64_t> count = countElements(shape);
  if (!count)
    return count.failure();
  std::vector<Dim> dims(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    dims[d].extent = shape[d];
    if (shape[d] > 1)
      dims[d].digits = {{shape[d], Axis::Offset, stride}};
    stride *= shape[d];
  }
  return get(std::move(dims));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

std::vector<int64_t> Layout::shape() const {
  std::vector<int64_t> result;
  for (const Dim &dim : dims_)
    result.push_back(dim.extent);
  return result;
}

int64_t Layout::numElements() const {
  int64_t count = 1;
  for (const Dim &dim : dims_)
    count *= dim.extent;
  return count;
}

int64_t Layout::numCopies() const {
  int64_t count = 1;
  for (const Digit &digit : copies_)
    count *= digit.extent;
  return count;
}

AxisSet Layout::axes() const {
  AxisSet set = 0;
  auto add = [&](const Digit &digit) {
    if (digit.extent > 1 && digit.stride > 0)
      set |= axisBit(digit.axis);
  };
  for (const Dim &dim : dims_)
    std::for_each(dim.digits.begin(), dim.digits.end(), add);
  std::for_each(copies_.begin(), copies_.end(), add);
  return set;
}

/// The largest position on `axis` over the coordinates of one dimension. With a
/// leading digit cut short it is not the sum of the largest digits: it is
/// reached at the last coordinate, or where one of its digits is lowered by one
/// and all below are full.
static int64_t reachInDim(const Dim &dim, Axis axis) {
  int64_t last = dim.extent - 1, full = 0, best = 0;
  std::vector<int64_t> value(dim.digits.size());
  for (size_t i = dim.digits.size(); i-- > 0;) {
    value[i] = last % dim.digits[i].extent;
    last /= dim.digits[i].extent;
  }
  auto strideOf = [&](const Digit &d) { return d.axis == axis ? d.stride : 0; };
  for (const Digit &digit : dim.digits)
    full += (digit.extent - 1) * strideOf(digit);
  int64_t prefix = 0;
  for (size_t i = 0; i < dim.digits.size(); ++i) {
    int64_t stride = strideOf(dim.digits[i]);
    full -= (dim.digits[i].extent - 1) * stride;
    if (value[i] > 0)
      best = std::max(best, prefix + (value[i] - 1) * stride + full);
    prefix += value[i] * stride;
  }
  return std::max(best, prefix);
}

/// The largest position on `axis` before the swizzle.
static int64_t reach(const Layout &layout, Axis axis) {
  int64_t result = 0;
  for (const Dim &dim : layout.dims())
    result += reachInDim(dim, axis);
  for (const Digit &digit : layout.copies())
    result += digit.axis == axis ? (digit.extent - 1) * digit.stride : 0;
  return result;
}

int64_t Layout::axisSize(Axis axis) const {
  int64_t last = reach(*this, axis);
  // A swizzle that does something stirs whole blocks of offsets.
  if (axis == Axis::Offset && last >> (swizzle_.base + swizzle_.shift))
    last |= (int64_t(1) << (swizzle_.base + swizzle_.bits)) - 1;
  return last + 1;
}

Position detail::sumInDim(const Dim &dim, int64_t c) {
  Position result;
  for (size_t i = dim.digits.size(); i-- > 0 && c > 0;) {
    const Digit &digit = dim.digits[i];
    result[digit.axis] += (i ? c % digit.extent : c) * digit.stride;
    c /= digit.extent;
  }
  return result;
}

Position Layout::sum(const Coord &coord) const {
  Position result;
  for (size_t d = 0; d < std::min(coord.size(), dims_.size()); ++d) {
    int64_t c = coord[d];
    for (size_t i = dims_[d].digits.size(); i-- > 0 && c > 0;) {
      const Digit &digit = dims_[d].digits[i];
      result[digit.axis] += (i ? c % digit.extent : c) * digit.stride;
      c /= digit.extent;
    }
  }
  return result;
}

Position Layout::at(const Coord &coord) const {
  Position result = sum(coord);
  result[Axis::Offset] = swizzle_.apply(result[Axis::Offset]);
  return result;
}

std::vector<Position> Layout::copySums() const {
  std::vector<Position> result(1);
  for (const Digit &digit : copies_) {
    std::vector<Position> next;
    next.reserve(result.size() * digit.extent);
    for (int64_t i = 0; i < digit.extent; ++i) {
      for (Position position : result) {
        position[digit.axis] += i * digit.stride;
        next.push_back(position);
      }
    }
    result = std::move(next);
  }
  return result;
}

std::vector<Position> Layout::allAt(const Coord &coord) const {
  Position base = sum(coord);
  std::vector<Position> result = copySums();
  for (Position &position : result) {
    position = position + base;
    position[Axis::Offset] = swizzle_.apply(position[Axis::Offset]);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Inverse evaluation
//===----------------------------------------------------------------------===//

namespace {
/// Finds digit values that add up to a position. The digits are taken by
/// falling stride; what the smaller ones can still add bounds each choice, so
/// digits that nest leave one choice and no search.
class PositionSolver {
public:
  PositionSolver(const Layout &layout) : layout(layout) {
    for (size_t d = 0; d < layout.dims().size(); ++d) {
      int64_t weight = 1;
      const std::vector<Digit> &digits = layout.dims()[d].digits;
      for (size_t i = digits.size(); i-- > 0;) {
        add(digits[i], static_cast<int>(d), weight);
        weight *= digits[i].extent;
      }
    }
    for (const Digit &digit : layout.copies())
      add(digit, -1, 0);
    std::stable_sort(items.begin(), items.end(),
                     [](const Item &a, const Item &b) {
                       return a.digit.stride > b.digit.stride;
                     });
    for (size_t i = items.size(); i-- > 0;) {
      const Digit &digit = items[i].digit;
      int64_t &room = total[static_cast<int>(digit.axis)];
      items[i].below = room;
      room += (digit.extent - 1) * digit.stride;
    }
  }

  Result<std::optional<Coord>> solve(Position position) {
    coord.assign(layout.dims().size(), 0);
    for (int a = 0; a < kNumAxes; ++a) {
      int64_t p = position[static_cast<Axis>(a)];
      if (p < 0 || p > total[a])
        return std::optional<Coord>();
    }
    bool found = search(0, position);
    if (steps > kMaxEnumeration)
      return fail("expected to find ", position.str(), " within ",
                  kMaxEnumeration, " steps, got no answer");
    return found ? std::optional<Coord>(coord) : std::nullopt;
  }

private:
  struct Item {
    Digit digit;
    int dim; // -1: replication
    int64_t weight;
    int64_t below; // what later items of the axis can add
  };

  void add(const Digit &digit, int dim, int64_t weight) {
    if (digit.extent > 1 && digit.stride > 0)
      items.push_back({digit, dim, weight, 0});
  }

  bool search(size_t index, Position rest) {
    if (index == items.size())
      return rest == Position{};
    if (++steps > kMaxEnumeration)
      return false;
    const Item &item = items[index];
    int64_t stride = item.digit.stride, left = rest[item.digit.axis];
    int64_t low = left > item.below ? ceilDiv(left - item.below, stride) : 0;
    int64_t high = std::min(item.digit.extent - 1, left / stride);
    for (int64_t value = high; value >= low; --value) {
      Position next = rest;
      next[item.digit.axis] = left - value * stride;
      if (item.dim < 0) {
        if (search(index + 1, next))
          return true;
        continue;
      }
      int64_t &c = coord[item.dim];
      int64_t step = value * item.weight;
      if (c + step >= layout.extent(item.dim))
        continue;
      c += step;
      if (search(index + 1, next))
        return true;
      c -= step;
    }
    return false;
  }

  const Layout &layout;
  std::vector<Item> items;
  std::array<int64_t, kNumAxes> total{};
  Coord coord;
  int64_t steps = 0;
};
} // namespace

Result<std::optional<Coord>>
Layout::coordinateOf(const Position &position) const {
  Position target = position;
  if (target[Axis::Offset] < 0)
    return std::optional<Coord>();
  target[Axis::Offset] = swizzle_.apply(target[Axis::Offset]);
  return PositionSolver(*this).solve(target);
}

//===----------------------------------------------------------------------===//
// Injective, bijective
//===----------------------------------------------------------------------===//

/// Whether on each axis every stride exceeds the span of the smaller ones, so
/// that a position spells its digits.
static bool digitsNest(const Layout &layout) {
  std::vector<Digit> digits = layout.copies();
  for (const Dim &dim : layout.dims())
    digits.insert(digits.end(), dim.digits.begin(), dim.digits.end());
  std::sort(digits.begin(), digits.end(),
            [](const Digit &a, const Digit &b) { return a.stride < b.stride; });
  std::array<int64_t, kNumAxes> span{};
  for (const Digit &digit : digits) {
    if (digit.extent == 1)
      continue;
    int64_t &reach = span[static_cast<int>(digit.axis)];
    if (digit.stride <= reach)
      return false;
    reach += (digit.extent - 1) * digit.stride;
  }
  return true;
}

Result<bool> Layout::isInjective() const {
  if (digitsNest(*this))
    return true;
  std::optional<int64_t> places = boundedProduct(numElements(), numCopies());
  if (!places)
    return fail("expected at most ", kMaxPositions, " positions, got more");
  if (Status ok = checkEnumerable(*places); !ok)
    return ok.failure();
  // The swizzle is a bijection: it can be left out.
  std::vector<Position> taken, copies = copySums();
  taken.reserve(*places);
  forEachCoord(shape(), [&](const Coord &coord) {
    for (const Position &copy : copies)
      taken.push_back(sum(coord) + copy);
    return true;
  });
  std::sort(taken.begin(), taken.end());
  return std::adjacent_find(taken.begin(), taken.end()) == taken.end();
}

/// Whether the swizzle maps the offsets below `size` to themselves. It does so
/// in whole blocks; in the last one it XORs one constant into every offset,
/// which keeps a range from 0 only if that ends at a multiple of twice the
/// constant's highest bit.
static bool swizzleKeeps(const Swizzle &swizzle, int64_t size) {
  int64_t block = int64_t(1) << (swizzle.bits + swizzle.base);
  int64_t first = size / block * block;
  int64_t constant = first ^ swizzle.apply(first);
  int64_t highest = 1;
  while (highest * 2 <= constant)
    highest *= 2;
  return constant == 0 || size % (2 * highest) == 0;
}

Result<bool> Layout::isBijective() const {
  int64_t box = 1;
  for (int a = 0; a < kNumAxes; ++a) {
    std::optional<int64_t> product =
        boundedProduct(box, reach(*this, static_cast<Axis>(a)) + 1);
    if (!product)
      return false; // more positions than there can be elements
    box = *product;
  }
  std::optional<int64_t> places = boundedProduct(numElements(), numCopies());
  if (!places || *places != box)
    return false;
  Result<bool> injective = isInjective();
  if (!injective || !*injective)
    return injective;
  return swizzleKeeps(swizzle_, reach(*this, Axis::Offset) + 1);
}
