//===- Algebra.cpp - Making layouts out of layouts ------------------------===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//

#include "Tile/Layout/Algebra.h"

#include "Detail.h"

#include <algorithm>
#include <numeric>

using namespace tile::layout;
using namespace tile::layout::detail;

static Status checkDim(const Layout &layout, int dim, int end) {
  if (dim < 0 || dim >= end)
    return fail("expected a dimension below ", end, " of a layout of rank ",
                layout.rank(), ", got ", dim);
  return Success{};
}

//===----------------------------------------------------------------------===//
// Permuting, inserting, broadcasting
//===----------------------------------------------------------------------===//

Result<Layout> tile::layout::permute(const Layout &layout,
                                     const std::vector<int> &order) {
  std::vector<int> sorted = order, identity(layout.rank());
  std::sort(sorted.begin(), sorted.end());
  std::iota(identity.begin(), identity.end(), 0);
  if (sorted != identity)
    return fail("expected a permutation of ", layout.rank(),
                " dimensions, got ",
                coordStr(Coord(order.begin(), order.end())));
  std::vector<Dim> dims;
  for (int d : order)
    dims.push_back(layout.dims()[d]);
  return Layout::get(std::move(dims), layout.copies(), layout.swizzle());
}

Result<Layout> tile::layout::insertDim(const Layout &layout, int dim) {
  if (Status ok = checkDim(layout, dim, layout.rank() + 1); !ok)
    return ok.failure();
  std::vector<Dim> dims = layout.dims();
  dims.insert(dims.begin() + dim, Dim{1, {}});
  return Layout::get(std::move(dims), layout.copies(), layout.swizzle());
}

Result<Layout> tile::layout::broadcast(const Layout &layout, int dim,
                                       int64_t extent) {
  if (Status ok = checkDim(layout, dim, layout.rank()); !ok)
    return ok.failure();
  if (layout.extent(dim) != 1)
    return fail("expected dimension ", dim, " to have extent 1, got ",
                layout.extent(dim));
  std::vector<Dim> dims = layout.dims();
  dims[dim] = Dim{extent, {{extent, Axis::Reg, 0}}};
  return Layout::get(std::move(dims), layout.copies(), layout.swizzle());
}

//===----------------------------------------------------------------------===//
// Reshape, divide
//===----------------------------------------------------------------------===//

/// The digits of dims [first, last) as one dimension. All but the first must be
/// covered exactly: where digits are cut short, row-major order skips.
static Result<Dim> flattenDims(const std::vector<Dim> &dims, size_t first,
                               size_t last) {
  Dim flat{1, {}};
  for (size_t d = first; d < last; ++d) {
    Dim dim = coalesceDim(dims[d]);
    int64_t covered = 1;
    for (const Digit &digit : dim.digits)
      covered *= digit.extent;
    if (flat.extent > 1 && covered != dim.extent)
      return fail("expected the digits of dimension ", d, " to cover exactly ",
                  dim.extent, ", got ", covered);
    flat.extent *= dim.extent;
    flat.digits.insert(flat.digits.end(), dim.digits.begin(), dim.digits.end());
  }
  return coalesceDim(flat);
}

/// Moves the lowest digits of `rest`, `extent` elements of them, to a dimension
/// of their own. `extent` divides that of `rest`, so the leading digit of
/// `rest` never runs out; and one that is cut short is never split, because
/// then the digits below it do not divide the extent.
static Result<Dim> takeLowest(Dim &rest, int64_t extent) {
  Dim taken{extent, {}};
  if (extent == rest.extent) {
    std::swap(taken, rest);
    rest = Dim{1, {}};
    return taken;
  }
  for (int64_t need = extent; need > 1;) {
    Digit low = rest.digits.back();
    rest.digits.pop_back();
    if (need % low.extent == 0) {
      need /= low.extent;
    } else if (low.extent % need == 0) {
      rest.digits.push_back({low.extent / need, low.axis, low.stride * need});
      low.extent = need;
      need = 1;
    } else {
      return fail("expected a digit boundary ", need,
                  " elements into the digit '", low.extent, " ",
                  axisName(low.axis), "*", low.stride, "', got none");
    }
    taken.digits.insert(taken.digits.begin(), low);
  }
  rest.extent /= extent;
  return taken;
}

Result<Layout> tile::layout::reshape(const Layout &layout,
                                     const std::vector<int64_t> &shape) {
  Result<int64_t> count = countElements(shape);
  if (!count)
    return count.failure();
  if (*count != layout.numElements())
    return fail("expected a shape of ", layout.numElements(), " elements, got ",
                *count);
  // Dimensions are grouped where the two shapes have a common boundary, so that
  // only what really changes is flattened.
  const std::vector<Dim> &old = layout.dims();
  std::vector<Dim> dims;
  for (size_t o = 0, n = 0; o < old.size() || n < shape.size();) {
    size_t firstOld = o, firstNew = n;
    int64_t oldCount = o < old.size() ? old[o++].extent : 1;
    int64_t newCount = n < shape.size() ? shape[n++] : 1;
    while (oldCount != newCount) {
      if (oldCount < newCount)
        oldCount *= old[o++].extent;
      else
        newCount *= shape[n++];
    }
    Result<Dim> flat = flattenDims(old, firstOld, o);
    if (!flat)
      return flat.failure();
    std::vector<Dim> group;
    for (size_t d = n; d-- > firstNew;) {
      Result<Dim> dim = takeLowest(*flat, shape[d]);
      if (!dim)
        return fail("dimension ", d, ": ", dim.reason());
      group.push_back(*dim);
    }
    dims.insert(dims.end(), group.rbegin(), group.rend());
  }
  return Layout::get(std::move(dims), layout.copies(), layout.swizzle());
}

/// Elements of `ratio` parts each as these parts.
static Result<Layout> splitElements(const Layout &layout, int64_t ratio,
                                    int log2) {
  std::vector<Dim> dims = layout.dims();
  if (dims.empty())
    dims.push_back({1, {}});
  for (Dim &dim : dims)
    for (Digit &digit : dim.digits)
      digit.stride *= ratio;
  dims.back().extent *= ratio;
  dims.back().digits.push_back({ratio, Axis::Offset, 1});
  Swizzle swizzle = layout.swizzle();
  if (!swizzle.isIdentity())
    swizzle.base += log2;
  return Layout::get(std::move(dims), {}, swizzle);
}

/// `ratio` neighbours of the last dimension, which has no more, as one.
static Result<Layout> joinElements(const Layout &layout, int64_t ratio,
                                   int log2) {
  std::vector<Dim> dims = layout.dims();
  Coord coord(dims.size(), 0);
  for (int64_t i = 0; i < ratio; ++i) {
    coord.back() = i;
    if (int64_t at = layout.sum(coord)[Axis::Offset]; at != i)
      return fail("expected ", ratio, " neighbours that become one element at "
                  "consecutive offsets, got number ", i, " at ", at,
                  " behind the first");
  }
  dims.pop_back();
  for (Dim &dim : dims)
    for (Digit &digit : dim.digits) {
      if (digit.stride % ratio != 0)
        return fail("expected strides that are multiples of ", ratio,
                    ", got ", digit.stride);
      digit.stride /= ratio;
    }
  Swizzle swizzle = layout.swizzle();
  if (!swizzle.isIdentity() && (swizzle.base -= log2) < 0)
    return fail("expected a swizzle that moves ", ratio,
                " neighbours together, got one from bit ",
                layout.swizzle().base, " on");
  return Layout::get(std::move(dims), {}, swizzle);
}

Result<Layout> tile::layout::reinterpret(const Layout &layout, int64_t from,
                                         int64_t to,
                                         const std::vector<int64_t> &shape) {
  int64_t ratio = from > to ? from / std::max<int64_t>(1, to)
                            : to / std::max<int64_t>(1, from);
  int log2 = 0;
  while (log2 < 10 && (int64_t(1) << log2) < ratio)
    ++log2;
  if (from < 1 || to < 1 || (int64_t(1) << log2) != ratio ||
      std::max(from, to) != ratio * std::min(from, to))
    return fail("expected bits of elements whose ratio is a power of two up to "
                "1024, got ", from, " and ", to);
  if ((layout.axes() & ~axisBit(Axis::Offset)) || !layout.copies().empty())
    return fail("expected a layout of memory, got '", layout.str(), "'");
  if (from >= to) {
    Result<Layout> parts =
        ratio == 1 ? Result<Layout>(layout) : splitElements(layout, ratio, log2);
    return parts ? reshape(*parts, shape) : parts;
  }
  std::vector<int64_t> parts = shape;
  parts.push_back(ratio);
  Result<Layout> neighbours = reshape(layout, parts);
  return neighbours ? joinElements(*neighbours, ratio, log2) : neighbours;
}

Result<Layout> tile::layout::divide(const Layout &layout,
                                    const std::vector<int64_t> &tile) {
  int rank = layout.rank();
  if (tile.size() != static_cast<size_t>(rank))
    return fail("expected a tile of rank ", rank, ", got ", tile.size());
  if (2 * rank > kMaxRank)
    return fail("expected rank at most ", kMaxRank / 2, ", got ", rank);
  std::vector<int64_t> split;
  std::vector<int> order(2 * rank);
  for (int d = 0; d < rank; ++d) {
    if (tile[d] < 1 || layout.extent(d) % tile[d] != 0)
      return fail("expected a tile that divides the extent ", layout.extent(d),
                  " of dimension ", d, ", got ", tile[d]);
    split.push_back(layout.extent(d) / tile[d]);
    split.push_back(tile[d]);
    order[d] = 2 * d;
    order[rank + d] = 2 * d + 1;
  }
  Result<Layout> pairs = reshape(layout, split);
  return pairs ? permute(*pairs, order) : pairs;
}

//===----------------------------------------------------------------------===//
// Compose
//===----------------------------------------------------------------------===//

namespace {
/// A digit of the outer layout, seen along its row-major index.
struct FlatDigit {
  Digit digit;
  int64_t weight;
  int64_t used; // the largest value that the inner digits can add up to
};
} // namespace

static bool isLead(size_t index, const std::vector<FlatDigit> &flat) {
  return index + 1 == flat.size();
}

/// What the outer layout makes of `extent` indices `stride` apart: one digit
/// for each outer digit they run through. False when they do not fit its
/// digits.
static bool throughDigits(std::vector<FlatDigit> &flat, int64_t extent,
                          int64_t stride, std::vector<Digit> &lowFirst) {
  size_t j = 0;
  while (j + 1 < flat.size() && flat[j + 1].weight <= stride)
    ++j;
  for (; extent > 1; ++j) {
    if (j == flat.size() || stride % flat[j].weight != 0)
      return false;
    int64_t step = stride / flat[j].weight;
    const Digit &digit = flat[j].digit;
    int64_t take = extent;
    if (!isLead(j, flat) && step * extent > digit.extent) {
      // If this does not reach the end of the digit, the next one is missed.
      take = digit.extent / step;
      if (extent % take != 0)
        return false;
    }
    flat[j].used += (take - 1) * step;
    if (!isLead(j, flat) && flat[j].used >= digit.extent)
      return false; // a sum of indices would carry into the next digit
    lowFirst.push_back({take, digit.axis, digit.stride * step});
    extent /= take;
    stride *= take;
  }
  return true;
}

/// The composition by digits alone; nothing when carries get in the way.
static std::optional<std::vector<Dim>> composeDigits(const Layout &outer,
                                                     const Layout &inner) {
  Result<Dim> whole = flattenDims(outer.dims(), 0, outer.dims().size());
  if (!whole || !inner.swizzle().isIdentity())
    return std::nullopt;
  std::vector<FlatDigit> flat;
  int64_t weight = 1;
  for (size_t i = whole->digits.size(); i-- > 0;) {
    flat.push_back({whole->digits[i], weight, 0});
    weight *= whole->digits[i].extent;
  }
  std::vector<Dim> dims;
  for (const Dim &dim : inner.dims()) {
    std::vector<Digit> lowFirst;
    for (size_t i = dim.digits.size(); i-- > 0;) {
      const Digit &digit = dim.digits[i];
      if (digit.stride == 0)
        lowFirst.push_back(digit);
      else if (!throughDigits(flat, digit.extent, digit.stride, lowFirst))
        return std::nullopt;
    }
    dims.push_back({dim.extent, {lowFirst.rbegin(), lowFirst.rend()}});
  }
  return dims;
}

Result<Layout> tile::layout::compose(const Layout &outer, const Layout &inner) {
  if (inner.axes() & ~axisBit(Axis::Offset))
    return fail("expected an inner layout on offset alone, got '", inner.str(),
                "'");
  if (inner.numCopies() != 1)
    return fail("expected an inner layout without replication, got ",
                inner.numCopies(), " copies");
  int64_t reach = inner.axisSize(Axis::Offset);
  if (reach > outer.numElements())
    return fail("expected inner offsets below ", outer.numElements(), ", got ",
                reach - 1);
  if (std::optional<std::vector<Dim>> dims = composeDigits(outer, inner))
    return Layout::get(std::move(*dims), outer.copies(), outer.swizzle());
  // Not by digits: look at the elements, which also finds a swizzle.
  return Layout::fromFunction(
      inner.shape(),
      [&](const Coord &coord) {
        int64_t index = inner.at(coord)[Axis::Offset];
        return outer.at(unflatten(outer.shape(), index));
      },
      outer.copies());
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

Result<Part> tile::layout::slice(const Layout &layout, int dim, int64_t index) {
  if (Status ok = checkDim(layout, dim, layout.rank()); !ok)
    return ok.failure();
  if (index < 0 || index >= layout.extent(dim))
    return fail("expected an index below ", layout.extent(dim),
                " in dimension ", dim, ", got ", index);
  std::vector<Dim> dims = layout.dims();
  Position base = sumInDim(dims[dim], index);
  dims.erase(dims.begin() + dim);
  Result<Layout> rest =
      Layout::get(std::move(dims), layout.copies(), layout.swizzle());
  if (!rest)
    return rest.failure();
  return Part{base, *rest};
}

/// The elements offset .. offset + size of one dimension.
static Result<Dim> sliceDim(const Dim &dim, int64_t offset, int64_t size) {
  if (offset == 0 && size == dim.extent)
    return dim;
  if (Status ok = checkEnumerable(size); !ok)
    return ok.failure();
  Position base = sumInDim(dim, offset);
  std::vector<Position> table;
  for (int64_t c = offset; c < offset + size; ++c) {
    Position position = sumInDim(dim, c);
    for (int a = 0; a < kNumAxes; ++a)
      position[static_cast<Axis>(a)] -= base[static_cast<Axis>(a)];
    table.push_back(position);
  }
  return dimFromTable(table);
}

Result<Part> tile::layout::subtile(const Layout &layout,
                                   const std::vector<int64_t> &offset,
                                   const std::vector<int64_t> &size) {
  size_t rank = layout.dims().size();
  if (offset.size() != rank || size.size() != rank)
    return fail("expected ", rank, " offsets and sizes, got ", offset.size(),
                " and ", size.size());
  Part part;
  std::vector<Dim> dims;
  for (size_t d = 0; d < rank; ++d) {
    int64_t extent = layout.dims()[d].extent;
    if (offset[d] < 0 || size[d] < 1 || size[d] > extent ||
        offset[d] > extent - size[d])
      return fail("expected a region inside the extent ", extent,
                  " of dimension ", d, ", got ", size[d], " elements at ",
                  offset[d]);
    Result<Dim> dim = sliceDim(layout.dims()[d], offset[d], size[d]);
    if (!dim)
      return fail("dimension ", d, ": ", dim.reason());
    dims.push_back(*dim);
    part.base = part.base + sumInDim(layout.dims()[d], offset[d]);
  }
  Result<Layout> inside =
      Layout::get(std::move(dims), layout.copies(), layout.swizzle());
  if (!inside)
    return inside.failure();
  part.layout = *inside;
  return part;
}

//===----------------------------------------------------------------------===//
// Product, replication, reduction
//===----------------------------------------------------------------------===//

/// Digits of `from` with their strides multiplied by the sizes of `inner`.
static Result<std::vector<Digit>> scaled(const std::vector<Digit> &from,
                                         const Layout &inner) {
  std::vector<Digit> result = from;
  for (Digit &digit : result) {
    std::optional<int64_t> stride =
        boundedProduct(digit.stride, inner.axisSize(digit.axis));
    if (!stride)
      return fail("expected strides up to ", kMaxPositions, ", got ",
                  digit.stride, " * ", inner.axisSize(digit.axis));
    digit.stride = *stride;
  }
  return result;
}

static Status checkProductSwizzle(const Layout &inner, const Layout &outer) {
  if (!outer.swizzle().isIdentity())
    return fail("expected an outer layout without swizzle, got '", outer.str(),
                "'");
  const Swizzle &s = inner.swizzle();
  int64_t period = int64_t(1) << (s.bits + s.base + s.shift);
  int64_t size = inner.axisSize(Axis::Offset);
  bool moves = outer.axes() & axisBit(Axis::Offset);
  if (!s.isIdentity() && moves && size % period != 0)
    return fail("expected an inner size that is a multiple of the swizzle "
                "period ",
                period, ", got ", size);
  return Success{};
}

Result<Layout> tile::layout::product(const Layout &inner, const Layout &outer) {
  if (inner.rank() != outer.rank())
    return fail("expected layouts of one rank, got ", inner.rank(), " and ",
                outer.rank());
  if (Status ok = checkProductSwizzle(inner, outer); !ok)
    return ok.failure();
  std::vector<Dim> dims;
  for (int d = 0; d < inner.rank(); ++d) {
    Dim low = coalesceDim(inner.dims()[d]);
    int64_t covered = 1;
    for (const Digit &digit : low.digits)
      covered *= digit.extent;
    if (outer.extent(d) > 1 && covered != low.extent)
      return fail("expected the digits of inner dimension ", d,
                  " to cover exactly ", low.extent, ", got ", covered);
    std::optional<int64_t> extent = boundedProduct(low.extent, outer.extent(d));
    Result<std::vector<Digit>> digits = scaled(outer.dims()[d].digits, inner);
    if (!extent)
      return fail("expected at most ", kMaxPositions, " elements, got ",
                  low.extent, " * ", outer.extent(d));
    if (!digits)
      return digits.failure();
    digits->insert(digits->end(), low.digits.begin(), low.digits.end());
    dims.push_back({*extent, *digits});
  }
  Result<std::vector<Digit>> copies = scaled(outer.copies(), inner);
  if (!copies)
    return copies.failure();
  copies->insert(copies->end(), inner.copies().begin(), inner.copies().end());
  return Layout::get(std::move(dims), *copies, inner.swizzle());
}

Result<Layout> tile::layout::replicate(const Layout &layout, int64_t extent,
                                       Axis axis, int64_t stride) {
  std::vector<Digit> copies = layout.copies();
  copies.insert(copies.begin(), {extent, axis, stride});
  return Layout::get(layout.dims(), std::move(copies), layout.swizzle());
}

Result<Layout> tile::layout::reduceDim(const Layout &layout, int dim) {
  if (Status ok = checkDim(layout, dim, layout.rank()); !ok)
    return ok.failure();
  std::vector<Dim> dims = layout.dims();
  std::vector<Digit> copies = layout.copies();
  for (const Digit &digit : coalesceDim(dims[dim]).digits) {
    if (digit.stride > 0 && (axisBit(digit.axis) & kThreadAxes))
      copies.push_back(digit);
  }
  dims.erase(dims.begin() + dim);
  Result<Layout> result =
      Layout::get(std::move(dims), coalesceCopies(copies), layout.swizzle());
  return result ? compact(*result, Axis::Reg) : result;
}

Result<Layout> tile::layout::compact(const Layout &layout, Axis axis) {
  if (axis == Axis::Offset && !layout.swizzle().isIdentity())
    return fail("expected no swizzle on the offset to compact, got '",
                layout.str(), "'");
  std::vector<Dim> dims = layout.dims();
  std::vector<Digit> copies = layout.copies();
  std::vector<Digit *> onAxis;
  auto collect = [&](std::vector<Digit> &digits) {
    for (Digit &digit : digits) {
      if (digit.axis == axis && digit.stride > 0)
        onAxis.push_back(&digit);
    }
  };
  for (Dim &dim : dims)
    collect(dim.digits);
  collect(copies);
  std::stable_sort(
      onAxis.begin(), onAxis.end(),
      [](const Digit *a, const Digit *b) { return a->stride < b->stride; });
  int64_t next = 1, reach = 0;
  for (Digit *digit : onAxis) {
    if (digit->extent > 1 && digit->stride <= reach)
      return fail("expected a stride above ", reach, " on ", axisName(axis),
                  ", got ", digit->stride);
    reach += (digit->extent - 1) * digit->stride;
    digit->stride = next;
    next *= digit->extent;
  }
  return Layout::get(std::move(dims), std::move(copies), layout.swizzle());
}

Result<Layout> tile::layout::withSwizzle(const Layout &layout,
                                         Swizzle swizzle) {
  return Layout::get(layout.dims(), layout.copies(), swizzle);
}
