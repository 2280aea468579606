//===- Distribute.cpp - Tiles over threads and banks ----------------------===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//

#include "Tile/Layout/Distribute.h"

#include "Tile/Layout/Access.h"
#include "Tile/Layout/Algebra.h"

#include "Detail.h"

#include <algorithm>
#include <cassert>

using namespace tile::layout;
using namespace tile::layout::detail;

//===----------------------------------------------------------------------===//
// Spreading
//===----------------------------------------------------------------------===//

static bool isPowerOfTwo(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

static int64_t roundUpToPowerOfTwo(int64_t n) {
  int64_t power = 1;
  while (power < n)
    power *= 2;
  return power;
}

/// At most kMaxPositions.
static int64_t productOf(const std::vector<int64_t> &factors) {
  int64_t product = 1;
  for (int64_t factor : factors)
    product = boundedProduct(product, factor).value_or(kMaxPositions);
  return product;
}

Layout tile::layout::partition(const std::vector<int64_t> &shape, int64_t run,
                               Threads threads) {
  std::vector<Dim> dims;
  int64_t lanes = threads.lanes, warps = threads.warps;
  int64_t lane = 1, warp = 1, reg = run;
  // From the last dimension up: lanes, then warps, then registers. A digit that
  // does not divide its dimension ends the walk along that axis.
  auto take = [](int64_t left, int64_t free) {
    int64_t got = 1;
    for (int64_t f = 2; f <= free; ++f)
      if (left % f == 0 && free % f == 0)
        got = f;
    return got;
  };
  for (size_t i = shape.size(); i-- > 0;) {
    std::vector<Digit> digits; // least significant first
    int64_t left = shape[i];
    if (i + 1 == shape.size() && run > 1) {
      digits.push_back({run, Axis::Reg, 1});
      left /= run;
    }
    bool last = i == 0;
    int64_t l = last ? std::min(left, lanes / lane) : take(left, lanes / lane);
    if (l > 1)
      digits.push_back({l, Axis::Lane, lane});
    bool whole = left % l == 0;
    left = (left + l - 1) / l;
    lane *= l;
    int64_t w = last ? std::min(left, warps / warp) : take(left, warps / warp);
    if (w > 1 && (whole || last))
      digits.push_back({w, Axis::Warp, warp});
    else
      w = 1;
    left = (left + w - 1) / w;
    warp *= w;
    if (left > 1)
      digits.push_back({left, Axis::Reg, reg});
    reg *= left;
    std::reverse(digits.begin(), digits.end());
    dims.push_back({shape[i], digits});
  }
  std::reverse(dims.begin(), dims.end());
  Result<Layout> layout = Layout::get(dims);
  assert(layout && "digits cover the extents");
  return *layout;
}

static Status checkSpread(const std::vector<int64_t> &shape,
                          const Spread &parts, Threads threads) {
  if (parts.lanes.size() != shape.size() || parts.warps.size() != shape.size())
    return fail("expected lanes and warps for ", shape.size(),
                " dimensions, got ", parts.lanes.size(), " and ",
                parts.warps.size());
  for (const std::vector<int64_t> *list : {&parts.lanes, &parts.warps}) {
    for (int64_t part : *list) {
      if (part < 1)
        return fail("expected positive parts, got ", part);
    }
  }
  int64_t lanes = productOf(parts.lanes), warps = productOf(parts.warps);
  if (!isPowerOfTwo(lanes) || threads.lanes % lanes != 0)
    return fail("expected parts that divide ", threads.lanes, " lanes, got ",
                lanes);
  if (threads.warps % warps != 0)
    return fail("expected parts that divide ", threads.warps, " warps, got ",
                warps);
  return Success{};
}

/// Takes `digit` of what is left of a dimension, cut short at its end.
static void takeDigit(Dim &dim, int64_t &covered, Digit digit) {
  int64_t left = ceilDiv(dim.extent, covered);
  digit.extent = std::min(digit.extent, left);
  if (digit.extent <= 1)
    return;
  dim.digits.insert(dim.digits.begin(), digit);
  covered *= digit.extent;
}

Result<Layout> tile::layout::spread(const std::vector<int64_t> &shape,
                                    const Spread &parts, Threads threads,
                                    bool replicate) {
  if (Status ok = checkSpread(shape, parts, threads); !ok)
    return ok.failure();
  std::vector<Dim> dims(shape.size());
  int64_t lane = 1, warp = 1, reg = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    Dim &dim = dims[d];
    dim.extent = shape[d];
    int64_t covered = 1;
    if (d + 1 == shape.size()) {
      takeDigit(dim, covered, {parts.vector, Axis::Reg, 1});
      reg = covered;
    }
    takeDigit(dim, covered, {parts.lanes[d], Axis::Lane, lane});
    takeDigit(dim, covered, {parts.warps[d], Axis::Warp, warp});
    // Lanes keep powers of two as strides even where a digit is cut short.
    lane *= parts.lanes[d];
    warp *= parts.warps[d];
    int64_t left = ceilDiv(dim.extent, covered);
    takeDigit(dim, covered, {left, Axis::Reg, reg});
    reg *= left;
  }
  std::vector<Digit> copies;
  if (replicate && threads.warps > warp)
    copies.push_back({threads.warps / warp, Axis::Warp, warp});
  if (replicate && threads.lanes > lane)
    copies.push_back({threads.lanes / lane, Axis::Lane, lane});
  return Layout::get(std::move(dims), std::move(copies));
}

int64_t tile::layout::vectorWidth(const std::vector<int64_t> &shape,
                                  Threads threads, int64_t limit) {
  if (shape.empty())
    return 1;
  int64_t each = ceilDiv(productOf(shape), threads.count());
  int64_t width = 1;
  while (width * 2 <= std::min(limit, each) && shape.back() % (width * 2) == 0)
    width *= 2;
  return width;
}

/// The largest divisor of `n` up to `limit`.
static int64_t largestDivisor(int64_t n, int64_t limit) {
  for (int64_t divisor = std::min(n, limit); divisor > 1; --divisor) {
    if (n % divisor == 0)
      return divisor;
  }
  return 1;
}

Spread tile::layout::coalesced(const std::vector<int64_t> &shape,
                               int64_t vector, Threads threads, int within) {
  int rank = static_cast<int>(shape.size());
  Spread parts;
  parts.vector = vector;
  parts.lanes.assign(rank, 1);
  parts.warps.assign(rank, 1);
  std::vector<int64_t> units = shape;
  if (rank > 0)
    units.back() = ceilDiv(units.back(), vector);
  int64_t lanes = threads.lanes;
  for (int d = rank; d-- > 0 && lanes > 1;) {
    parts.lanes[d] = std::min(lanes, roundUpToPowerOfTwo(units[d]));
    lanes /= parts.lanes[d];
  }
  int64_t warps = threads.warps;
  auto deal = [&](int d) {
    parts.warps[d] = largestDivisor(warps, ceilDiv(units[d], parts.lanes[d]));
    warps /= parts.warps[d];
  };
  for (int d = 0; d < rank; ++d) {
    if (d != within)
      deal(d);
  }
  if (within >= 0 && within < rank)
    deal(within);
  return parts;
}

std::optional<Layout>
tile::layout::spreadForScan(const std::vector<int64_t> &shape, int dim,
                            Threads threads) {
  static constexpr int64_t maxElements = 64; // of a thread
  auto layout =
      spread(shape, coalesced(shape, /*vector=*/1, threads, dim), threads,
             /*replicate=*/false);
  if (!layout || layout->axisSize(Axis::Reg) > maxElements)
    return std::nullopt;
  return *layout;
}

ScanTotals tile::layout::scanTotals(const Layout &layout, int dim,
                                    Threads threads) {
  auto isLane = [](const Digit &digit) {
    return digit.axis == Axis::Lane && digit.extent > 1 && digit.stride != 0;
  };
  int64_t blocks = layout.axisSize(Axis::Reg), scanned = 0, all = 0;
  for (const Dim &d : layout.dims())
    all += std::count_if(d.digits.begin(), d.digits.end(), isLane);
  all += std::count_if(layout.copies().begin(), layout.copies().end(), isLane);
  const std::vector<Digit> &digits = layout.dims()[dim].digits;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    if (digit->extent == 1 || digit->stride == 0)
      continue;
    if (digit->axis == Axis::Reg)
      blocks /= digit->extent;
    else if (digit->axis == Axis::Lane)
      ++scanned;
    else if (digit->axis == Axis::Warp) {
      int64_t columns = scanned == all ? 1 : threads.lanes;
      return {columns, std::max<int64_t>(1, blocks) * threads.warps * columns};
    }
  }
  return {};
}

Spread tile::layout::outerProduct(const std::vector<int64_t> &shape,
                                  int64_t vector, Threads threads,
                                  int64_t warpsM, int64_t warpsN) {
  Spread parts;
  parts.vector = vector;
  int64_t lanesN = std::min<int64_t>(
      {8, threads.lanes, roundUpToPowerOfTwo(ceilDiv(shape[1], vector))});
  int64_t lanesM =
      std::min(threads.lanes / lanesN, roundUpToPowerOfTwo(shape[0]));
  parts.lanes = {lanesM, lanesN};
  parts.warps = {warpsM, warpsN};
  return parts;
}

Result<Layout> tile::layout::unreduceDim(const Layout &layout, int dim,
                                         int64_t extent, int64_t vector) {
  Result<Layout> wide = insertDim(layout, dim);
  if (!wide)
    return wide;
  Dim added{extent, {}};
  int64_t covered = 1;
  int64_t reg = layout.axisSize(Axis::Reg);
  takeDigit(added, covered, {vector, Axis::Reg, reg});
  reg *= covered;
  std::vector<Digit> copies = coalesceCopies(layout.copies());
  std::stable_sort(
      copies.begin(), copies.end(), [](const Digit &a, const Digit &b) {
        return a.axis != b.axis ? a.axis < b.axis : a.stride < b.stride;
      });
  std::vector<Digit> kept;
  for (const Digit &copy : copies) {
    int64_t take = largestDivisor(copy.extent, ceilDiv(extent, covered));
    takeDigit(added, covered, {take, copy.axis, copy.stride});
    if (take < copy.extent)
      kept.push_back({copy.extent / take, copy.axis, copy.stride * take});
  }
  takeDigit(added, covered, {ceilDiv(extent, covered), Axis::Reg, reg});
  std::vector<Dim> dims = wide->dims();
  dims[dim] = added;
  return Layout::get(std::move(dims), coalesceCopies(kept));
}

//===----------------------------------------------------------------------===//
// Matrix instructions
//===----------------------------------------------------------------------===//

/// How often a fragment is repeated along one dimension, in all and by each
/// warp.
struct Repeats {
  int64_t all, each;
};

static Result<Repeats> repeatsOf(int64_t extent, int64_t fragment,
                                 int64_t warps) {
  if (warps < 1 || extent % (fragment * warps) != 0)
    return fail("expected an extent that is a multiple of ", fragment, " x ",
                warps, " warps, got ", extent);
  return Repeats{extent / fragment, extent / fragment / warps};
}

Result<Layout> tile::layout::tileFragment(const Layout &fragment,
                                          MatrixOperand operand,
                                          const std::vector<int64_t> &shape,
                                          WarpGrid grid, int64_t warps) {
  if (fragment.rank() != 2 || shape.size() != 2)
    return fail("expected a fragment and a tile of rank 2, got ",
                fragment.rank(), " and ", shape.size());
  // Warps of one instruction are consecutive, and so they are along M.
  int64_t group =
      operand == MatrixOperand::B ? 1 : fragment.axisSize(Axis::Warp);
  int64_t groupsM = grid.warpsM / group;
  if (grid.warpsM % group != 0 || groupsM < 1 || grid.warpsN < 1)
    return fail("expected the warps along M to be a multiple of ", group,
                ", got ", grid.warpsM);
  if (grid.warpsM > warps || grid.warpsN > warps / grid.warpsM)
    return fail("expected a grid of at most ", warps, " warps, got ",
                grid.warpsM, " x ", grid.warpsN);
  bool splitsM = operand != MatrixOperand::B;
  bool splitsN = operand != MatrixOperand::A;
  Result<Repeats> rows =
      repeatsOf(shape[0], fragment.extent(0), splitsM ? groupsM : 1);
  if (!rows)
    return rows.failure();
  Result<Repeats> columns =
      repeatsOf(shape[1], fragment.extent(1), splitsN ? grid.warpsN : 1);
  if (!columns)
    return columns.failure();
  Dim m{rows->all, {{rows->each, Axis::Reg, columns->each}}};
  Dim n{columns->all, {{columns->each, Axis::Reg, 1}}};
  if (splitsM)
    m.digits.insert(m.digits.begin(), {groupsM, Axis::Warp, 1});
  if (splitsN)
    n.digits.insert(n.digits.begin(), {grid.warpsN, Axis::Warp, groupsM});
  std::vector<Digit> copies;
  if (!splitsM && groupsM > 1)
    copies.push_back({groupsM, Axis::Warp, 1});
  if (!splitsN && grid.warpsN > 1)
    copies.push_back({grid.warpsN, Axis::Warp, groupsM});
  // Warps beyond the grid have copies if those come out even, or nothing.
  int64_t used = groupsM * grid.warpsN, groups = warps / group;
  if (groups > used && groups % used == 0)
    copies.push_back({groups / used, Axis::Warp, used});
  Result<Layout> outer = Layout::get({m, n}, coalesceCopies(copies));
  return outer ? product(fragment, *outer) : outer;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

int64_t tile::layout::swizzleSpan(int64_t lastExtent, int64_t elementBits) {
  if (elementBits < 8 || elementBits > 64 || !isPowerOfTwo(elementBits))
    return 0;
  int64_t bytes = lastExtent * elementBits / 8;
  for (int64_t span : {128, 64, 32}) {
    if (bytes % span == 0)
      return span;
  }
  return 0;
}

Result<Layout> tile::layout::swizzledTile(const std::vector<int64_t> &shape,
                                          int64_t elementBits,
                                          int64_t bankRowBytes) {
  if (!isPowerOfTwo(bankRowBytes) || bankRowBytes < 128)
    return fail("expected rows of banks of 128 bytes times a power of two, got ",
                bankRowBytes);
  if (shape.empty())
    return Layout();
  int64_t span = swizzleSpan(shape.back(), elementBits);
  if (span == 0 || shape.size() < 2)
    return Layout::rowMajor(shape);
  TmaSwizzle mode = span == 128  ? TmaSwizzle::B128
                    : span == 64 ? TmaSwizzle::B64
                                 : TmaSwizzle::B32;
  Result<Swizzle> swizzle = swizzleOf(mode, elementBits);
  if (!swizzle)
    return swizzle.failure();
  for (int64_t row = 128; row < bankRowBytes; row *= 2)
    ++swizzle->shift;
  int64_t width = span * 8 / elementBits;
  int64_t rows = productOf(shape) / shape.back();
  int64_t columns = shape.back() / width;
  Result<Layout> matrix = Layout::get(
      {{rows, {{rows, Axis::Offset, width}}},
       {shape.back(),
        {{columns, Axis::Offset, rows * width}, {width, Axis::Offset, 1}}}},
      {}, *swizzle);
  return matrix ? reshape(*matrix, shape) : matrix;
}

Result<Layout> tile::layout::stack(const Layout &tile, int64_t count) {
  Result<Layout> plain = withSwizzle(tile, {});
  if (!plain)
    return plain;
  std::vector<Dim> dims = tile.dims();
  dims.insert(
      dims.begin(),
      Dim{count, {{count, Axis::Offset, plain->axisSize(Axis::Offset)}}});
  return Layout::get(std::move(dims), tile.copies(), tile.swizzle());
}

Result<Layout>
tile::layout::transposableTile(const std::vector<int64_t> &shape,
                               int64_t elementBits, int64_t vectorBytes) {
  Result<Layout> plain = Layout::rowMajor(shape);
  int64_t vector = elementBits > 0 ? vectorBytes * 8 / elementBits : 0;
  if (!plain || shape.size() != 2 || !isPowerOfTwo(shape[0]) ||
      !isPowerOfTwo(shape[1]) || !isPowerOfTwo(vector))
    return plain;
  auto log2 = [](int64_t n) {
    int bits = 0;
    for (; n > 1; n /= 2)
      ++bits;
    return bits;
  };
  // Eight vectors of 16 bytes are a row of banks.
  int bits = std::min({log2(shape[1] / vector), log2(shape[0] / vector), 3});
  int shift = log2(shape[1]);
  if (bits <= 0 || bits > shift)
    return plain;
  return withSwizzle(*plain, {bits, log2(vector), shift});
}
