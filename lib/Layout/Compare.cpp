//===- Compare.cpp - Inverses, containment, conversions -------------------===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//

#include "Tile/Layout/Algebra.h"

#include "Detail.h"

#include <algorithm>
#include <map>
#include <set>

using namespace tile::layout;
using namespace tile::layout::detail;

//===----------------------------------------------------------------------===//
// Invert
//===----------------------------------------------------------------------===//

static constexpr Axis kInverseOrder[] = {
    Axis::Device, Axis::Block, Axis::Warp, Axis::Lane, Axis::Reg, Axis::Offset};

/// The inverse of a bijective layout by digits: on each axis they tile the
/// positions, so that in order each stride is the product of the extents before
/// it. Nothing when a digit is cut short or a swizzle is in the way.
static std::optional<Layout> invertDigits(const Layout &layout,
                                          const std::vector<Axis> &axes) {
  if (!layout.swizzle().isIdentity())
    return std::nullopt;
  // Of each digit, its stride becomes the order and its weight the stride.
  std::map<Axis, std::vector<std::pair<int64_t, Digit>>> byAxis;
  int64_t dimWeight = 1;
  for (size_t d = layout.dims().size(); d-- > 0;) {
    int64_t weight = 1;
    const std::vector<Digit> &digits = layout.dims()[d].digits;
    for (size_t i = digits.size(); i-- > 0;) {
      byAxis[digits[i].axis].push_back(
          {digits[i].stride,
           {digits[i].extent, Axis::Offset, weight * dimWeight}});
      weight *= digits[i].extent;
    }
    if (weight != layout.dims()[d].extent)
      return std::nullopt;
    dimWeight *= weight;
  }
  for (const Digit &digit : layout.copies())
    byAxis[digit.axis].push_back({digit.stride, {digit.extent, Axis::Reg, 0}});
  std::vector<Dim> dims;
  for (Axis axis : axes) {
    auto &digits = byAxis[axis];
    std::sort(digits.begin(), digits.end(),
              [](const auto &a, const auto &b) { return a.first > b.first; });
    Dim dim{1, {}};
    for (size_t i = digits.size(); i-- > 0;) {
      if (digits[i].second.extent == 1)
        continue;
      dim.extent *= digits[i].second.extent;
      dim.digits.insert(dim.digits.begin(), digits[i].second);
    }
    dims.push_back(coalesceDim(dim));
  }
  Result<Layout> result = Layout::get(std::move(dims));
  return result ? std::optional<Layout>(*result) : std::nullopt;
}

/// The row-major index of a position in a box of the axes' sizes.
static int64_t boxIndex(const Position &position, const std::vector<Axis> &axes,
                        const std::vector<int64_t> &sizes) {
  int64_t index = 0;
  for (size_t i = 0; i < axes.size(); ++i)
    index = index * sizes[i] + position[axes[i]];
  return index;
}

Result<Inverse> tile::layout::invert(const Layout &layout) {
  Result<bool> bijective = layout.isBijective();
  if (!bijective)
    return bijective.failure();
  if (!*bijective)
    return fail("expected a bijective layout, got '", layout.str(), "'");
  Inverse inverse;
  std::vector<int64_t> sizes;
  for (Axis axis : kInverseOrder) {
    if (!(layout.axes() & axisBit(axis)))
      continue;
    inverse.axes.push_back(axis);
    // Exact: taking the swizzle off a bijective layout keeps its offsets.
    sizes.push_back(withSwizzle(layout, {})->axisSize(axis));
  }
  if (std::optional<Layout> digits = invertDigits(layout, inverse.axes)) {
    inverse.layout = *digits;
    return inverse;
  }
  int64_t places = layout.numElements() * layout.numCopies();
  if (Status ok = checkEnumerable(places); !ok)
    return ok.failure();
  std::vector<Position> table(places);
  int64_t element = 0;
  forEachCoord(layout.shape(), [&](const Coord &coord) {
    for (const Position &position : layout.allAt(coord))
      table[boxIndex(position, inverse.axes, sizes)][Axis::Offset] = element;
    ++element;
    return true;
  });
  Result<Layout> found =
      layoutFromTable(sizes, table, {}, layout.swizzle().bits);
  if (!found)
    return fail("expected the inverse to be a layout: ", found.reason());
  inverse.layout = *found;
  return inverse;
}

//===----------------------------------------------------------------------===//
// Contains
//===----------------------------------------------------------------------===//

/// The sums of the replication digits on one axis.
static std::set<int64_t> copiesOn(const Layout &layout, Axis axis) {
  std::set<int64_t> sums{0};
  for (const Digit &digit : layout.copies()) {
    if (digit.axis != axis)
      continue;
    std::set<int64_t> next;
    for (int64_t sum : sums) {
      for (int64_t i = 0; i < digit.extent; ++i)
        next.insert(sum + i * digit.stride);
    }
    sums = std::move(next);
  }
  return sums;
}

/// Both layouts are sums over dimensions, so the distance between an element's
/// two bases is one too: the set of distances on an axis grows dimension by
/// dimension, and stays within the owner's copies or the answer is no.
static Status containsOnAxis(const Layout &owner, const Layout &reader,
                             Axis axis) {
  std::set<int64_t> has = copiesOn(owner, axis), needs = copiesOn(reader, axis);
  std::map<int64_t, Coord> distances{{0, Coord(owner.rank(), 0)}};
  auto check = [&](int64_t distance, const Coord &coord) -> Status {
    for (int64_t copy : needs) {
      if (has.count(distance + copy))
        continue;
      int64_t held = owner.sum(coord)[axis];
      return fail("expected element ", coordStr(coord), " at ", axisName(axis),
                  " ", held + distance + copy, ", got it at ", axisName(axis),
                  " ", held,
                  has.size() > 1 ? " and " + std::to_string(has.size() - 1) +
                                       " other places"
                                 : "");
    }
    return Success{};
  };
  if (Status ok = check(0, distances[0]); !ok)
    return ok;
  for (int d = 0; d < owner.rank(); ++d) {
    std::map<int64_t, int64_t> steps; // distance in this dimension -> witness
    for (int64_t c = 0; c < owner.extent(d); ++c)
      steps.emplace(sumInDim(reader.dims()[d], c)[axis] -
                        sumInDim(owner.dims()[d], c)[axis],
                    c);
    std::map<int64_t, Coord> next;
    for (const auto &[distance, coord] : distances) {
      for (const auto &[step, c] : steps) {
        auto [it, isNew] = next.emplace(distance + step, coord);
        if (!isNew)
          continue;
        it->second[d] = c;
        if (Status ok = check(distance + step, it->second); !ok)
          return ok;
      }
    }
    distances = std::move(next);
  }
  return Success{};
}

/// Offsets under different swizzles: compares every element's positions.
static Status containsSwizzled(const Layout &owner, const Layout &reader) {
  if (Status ok = checkEnumerable(owner.numElements()); !ok)
    return ok;
  std::string reason;
  forEachCoord(owner.shape(), [&](const Coord &coord) {
    std::set<int64_t> has;
    for (const Position &position : owner.allAt(coord))
      has.insert(position[Axis::Offset]);
    for (const Position &position : reader.allAt(coord)) {
      int64_t offset = position[Axis::Offset];
      if (!has.count(offset))
        reason = fail("expected element ", coordStr(coord), " at offset ",
                      offset, ", got it at offset ", *has.begin())
                     .reason;
    }
    return reason.empty();
  });
  if (!reason.empty())
    return fail(reason);
  return Success{};
}

Status tile::layout::contains(const Layout &owner, const Layout &reader,
                              AxisSet axes) {
  if (owner.shape() != reader.shape())
    return fail("expected layouts of one shape, got ", coordStr(owner.shape()),
                " and ", coordStr(reader.shape()));
  for (int64_t extent : owner.shape()) {
    if (Status ok = checkEnumerable(extent); !ok)
      return ok;
  }
  for (int a = 0; a < kNumAxes; ++a) {
    Axis axis = static_cast<Axis>(a);
    if (!(axes & axisBit(axis)))
      continue;
    bool swizzles =
        axis == Axis::Offset && !(owner.swizzle() == reader.swizzle());
    Status ok = swizzles ? containsSwizzled(owner, reader)
                         : containsOnAxis(owner, reader, axis);
    if (!ok)
      return ok;
  }
  return Success{};
}

/// The part of a coordinate that the registers of a thread decide.
static int64_t getRegisterPart(const Dim &dim, int64_t coordinate) {
  int64_t part = 0, weight = 1;
  for (size_t i = dim.digits.size(); i-- > 0;) {
    const Digit &digit = dim.digits[i];
    int64_t rest = coordinate / weight;
    if (digit.axis == Axis::Reg)
      part += (i == 0 ? rest : rest % digit.extent) * weight;
    weight *= digit.extent;
  }
  return part;
}

Status tile::layout::containsInRegisters(const Layout &owner,
                                         const Layout &reader) {
  if (Status ok = contains(owner, reader, kThreadAxes); !ok)
    return ok;
  for (int d = 0; d < owner.rank(); ++d)
    for (int64_t c = 0; c < owner.extent(d); ++c) {
      int64_t part = getRegisterPart(reader.dims()[d], c);
      int64_t has = sumInDim(owner.dims()[d], c)[Axis::Reg];
      int64_t expected = sumInDim(owner.dims()[d], part)[Axis::Reg];
      if (has == expected)
        continue;
      Coord first(owner.rank(), 0), second(owner.rank(), 0);
      first[d] = part;
      second[d] = c;
      return fail("expected elements ", coordStr(first), " and ",
                  coordStr(second),
                  " in one register of their threads, got reg ", expected,
                  " and reg ", has);
    }
  return Success{};
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

std::string_view tile::layout::conversionName(Conversion conversion) {
  switch (conversion) {
  case Conversion::Identity:
    return "identity";
  case Conversion::RegisterPermute:
    return "register permutation";
  case Conversion::WarpShuffle:
    return "shuffle inside the warp";
  case Conversion::SharedMemory:
    return "through shared memory";
  case Conversion::ClusterMemory:
    return "through cluster memory";
  case Conversion::DeviceExchange:
    return "between devices";
  }
  return "";
}

Result<Conversion> tile::layout::classifyConversion(const Layout &from,
                                                    const Layout &to) {
  if (from.shape() != to.shape())
    return fail("expected layouts of one shape, got ", coordStr(from.shape()),
                " and ", coordStr(to.shape()));
  for (const Layout *layout : {&from, &to}) {
    if (layout->axes() & axisBit(Axis::Offset))
      return fail("expected a layout of registers, got '", layout->str(), "'");
  }
  for (int64_t extent : from.shape()) {
    if (Status ok = checkEnumerable(extent); !ok)
      return ok.failure();
  }
  const std::pair<AxisSet, Conversion> levels[] = {
      {kRegisterAxes, Conversion::Identity},
      {kThreadAxes, Conversion::RegisterPermute},
      {kThreadAxes & ~axisBit(Axis::Lane), Conversion::WarpShuffle},
      {axisBit(Axis::Block) | axisBit(Axis::Device), Conversion::SharedMemory},
      {axisBit(Axis::Device), Conversion::ClusterMemory},
  };
  for (const auto &[axes, conversion] : levels) {
    if (contains(from, to, axes))
      return conversion;
  }
  return Conversion::DeviceExchange;
}
