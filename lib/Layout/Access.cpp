//===- Access.cpp - How registers meet memory -----------------------------===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//

#include "Tile/Layout/Access.h"

#include "Detail.h"

#include <algorithm>
#include <map>
#include <set>

using namespace tile::layout;
using namespace tile::layout::detail;

//===----------------------------------------------------------------------===//
// Who accesses what
//===----------------------------------------------------------------------===//

Result<AccessTable> tile::layout::accessTable(const Layout &registers,
                                              const Layout &memory) {
  if (registers.shape() != memory.shape())
    return fail("expected layouts of one shape, got ",
                coordStr(registers.shape()), " and ", coordStr(memory.shape()));
  if (registers.axes() & axisBit(Axis::Offset))
    return fail("expected a layout of registers, got '", registers.str(), "'");
  if ((memory.axes() & ~axisBit(Axis::Offset)) || memory.numCopies() != 1)
    return fail("expected a layout of memory, got '", memory.str(), "'");
  AccessTable table;
  int64_t blocks = registers.axisSize(Axis::Block);
  int64_t warps = registers.axisSize(Axis::Warp);
  table.lanes = registers.axisSize(Axis::Lane);
  table.regs = registers.axisSize(Axis::Reg);
  int64_t cells = 1;
  for (int64_t size : {registers.axisSize(Axis::Device), blocks, warps,
                       table.lanes, table.regs, registers.numCopies()}) {
    std::optional<int64_t> product = boundedProduct(cells, size);
    if (!product || *product > 16 * kMaxEnumeration)
      return fail("expected at most ", 16 * kMaxEnumeration,
                  " registers in all threads, got more");
    cells = *product;
  }
  if (Status ok = checkEnumerable(registers.numElements()); !ok)
    return ok.failure();
  table.warps = registers.axisSize(Axis::Device) * blocks * warps;
  table.offsets.assign(table.warps * table.lanes * table.regs, -1);
  std::string reason;
  std::vector<Position> copies = registers.copySums();
  forEachCoord(registers.shape(), [&](const Coord &coord) {
    int64_t offset = memory.at(coord)[Axis::Offset];
    Position base = registers.sum(coord);
    for (const Position &copy : copies) {
      Position p = base + copy;
      int64_t warp =
          (p[Axis::Device] * blocks + p[Axis::Block]) * warps + p[Axis::Warp];
      int64_t &cell =
          table.offsets[(warp * table.lanes + p[Axis::Lane]) * table.regs +
                        p[Axis::Reg]];
      if (cell >= 0)
        reason = fail("expected one element at ", p.str(), ", got ",
                      coordStr(coord), " and another")
                     .reason;
      cell = offset;
    }
    return reason.empty();
  });
  if (!reason.empty())
    return fail(reason);
  return table;
}

/// Whether registers first .. first + width - 1 are one aligned vector, or all
/// empty.
static bool isVector(const AccessTable &table, int64_t warp, int64_t lane,
                     int64_t first, int64_t width) {
  if (first + width > table.regs)
    return false;
  int64_t start = table.at(warp, lane, first);
  if (start >= 0 && start % width != 0)
    return false;
  for (int64_t i = 1; i < width; ++i) {
    int64_t offset = table.at(warp, lane, first + i);
    if (offset != (start < 0 ? -1 : start + i))
      return false;
  }
  return true;
}

static bool allVectors(const AccessTable &table, int64_t width) {
  for (int64_t warp = 0; warp < table.warps; ++warp) {
    for (int64_t lane = 0; lane < table.lanes; ++lane) {
      for (int64_t reg = 0; reg < table.regs; reg += width) {
        if (!isVector(table, warp, lane, reg, width))
          return false;
      }
    }
  }
  return true;
}

Result<int64_t> tile::layout::maxVectorWidth(const Layout &registers,
                                             const Layout &memory,
                                             int64_t limit) {
  if (limit < 1)
    return fail("expected a limit of at least 1, got ", limit);
  Result<AccessTable> table = accessTable(registers, memory);
  if (!table)
    return table.failure();
  int64_t width = 1;
  while (width * 2 <= std::min(limit, table->regs))
    width *= 2;
  while (width > 1 && !allVectors(*table, width))
    width /= 2;
  return width;
}

/// Whether the digits of each dimension cover just its extent.
static bool isExact(const std::vector<Dim> &dims) {
  for (const Dim &dim : dims) {
    int64_t count = 1;
    for (const Digit &digit : dim.digits)
      count *= digit.extent;
    if (count != dim.extent)
      return false;
  }
  return true;
}

std::optional<SharedWords>
tile::layout::findSharedWords(const Layout &registers, int64_t word,
                              int64_t most) {
  std::vector<Dim> dims = registers.dims();
  if (dims.empty() || !registers.copies().empty() || !isExact(dims) ||
      dims.back().digits.size() < 3)
    return std::nullopt;
  std::vector<Digit> &digits = dims.back().digits;
  Digit own = digits.back(), lanes = digits[digits.size() - 2];
  Digit &next = digits[digits.size() - 3];
  SharedWords words{registers, 0, own.extent, lanes.extent, lanes.stride};
  if (own.axis != Axis::Reg || own.stride != 1 || lanes.axis != Axis::Lane ||
      words.getWord() != word || next.axis != Axis::Reg)
    return std::nullopt;
  int64_t together = 1;
  while (next.extent % (2 * together) == 0 && 2 * together * word <= most)
    together *= 2;
  if (together == 1)
    return std::nullopt;
  words.width = together * word;
  next.extent /= together;
  digits.resize(digits.size() - 2);
  digits.push_back({words.width, Axis::Reg, 1});
  // Registers have new numbers.
  int64_t stride = words.width;
  for (Dim &dim : dims)
    for (Digit &digit : dim.digits) {
      if (digit.axis != Axis::Reg || &digit == &digits.back())
        continue;
      digit.stride = stride;
      stride *= digit.extent;
    }
  Result<Layout> wide =
      Layout::get(dims, {{words.lanes, Axis::Lane, words.laneStride}});
  if (!wide)
    return std::nullopt;
  words.layout = *wide;
  return words;
}

//===----------------------------------------------------------------------===//
// Banks
//===----------------------------------------------------------------------===//

static Status checkModel(const BankModel &model, int64_t bytes) {
  if (model.banks < 1 || model.bankBytes < 1 || model.phaseBytes < 1)
    return fail("expected positive numbers of banks and bytes, got ",
                model.banks, " banks of ", model.bankBytes, " bytes, ",
                model.phaseBytes, " bytes a phase");
  if (bytes < 1 || bytes > model.phaseBytes)
    return fail("expected an access of 1 to ", model.phaseBytes,
                " bytes a lane, got ", bytes);
  return Success{};
}

/// An access narrower than a bank still occupies it.
static int64_t lanesPerPhase(const BankModel &model, int64_t bytes) {
  return std::max<int64_t>(1,
                           model.phaseBytes / std::max(bytes, model.bankBytes));
}

/// The distinct words that the lanes first .. last - 1 want from each bank.
static std::map<int64_t, std::set<int64_t>>
wordsByBank(const std::vector<int64_t> &addresses, size_t first, size_t last,
            int64_t bytes, const BankModel &model) {
  std::map<int64_t, std::set<int64_t>> words;
  for (size_t lane = first; lane < last; ++lane) {
    if (addresses[lane] < 0)
      continue;
    int64_t end = (addresses[lane] + bytes - 1) / model.bankBytes;
    for (int64_t word = addresses[lane] / model.bankBytes; word <= end; ++word)
      words[word % model.banks].insert(word);
  }
  return words;
}

Result<BankReport>
tile::layout::countBankConflicts(const std::vector<int64_t> &addresses,
                                 int64_t bytes, const BankModel &model) {
  if (Status ok = checkModel(model, bytes); !ok)
    return ok.failure();
  for (int64_t address : addresses) {
    if (address > INT64_MAX - bytes)
      return fail("expected addresses up to ", INT64_MAX - bytes, ", got ",
                  address);
  }
  BankReport report;
  size_t step = lanesPerPhase(model, bytes);
  for (size_t first = 0; first < addresses.size(); first += step) {
    size_t last = std::min(first + step, addresses.size());
    int64_t degree = 0;
    for (const auto &[bank, words] :
         wordsByBank(addresses, first, last, bytes, model))
      degree = std::max<int64_t>(degree, words.size());
    report.phases += degree > 0;
    report.wavefronts += degree;
    report.worst = std::max(report.worst, degree);
  }
  return report;
}

/// Byte addresses of one vector register of every lane of a warp.
static std::vector<int64_t> addressesOf(const AccessTable &table, int64_t warp,
                                        int64_t reg, int64_t elementBits) {
  std::vector<int64_t> addresses;
  for (int64_t lane = 0; lane < table.lanes; ++lane) {
    int64_t offset = table.at(warp, lane, reg);
    addresses.push_back(offset < 0 ? -1 : offset * elementBits / 8);
  }
  return addresses;
}

/// The table of a copy with vectors of `width`, or why there is none.
static Result<AccessTable> vectorTable(const Layout &registers,
                                       const Layout &memory,
                                       int64_t elementBits, int64_t width,
                                       const BankModel &model) {
  if (width < 1 || width > 1024)
    return fail("expected vectors of 1 to 1024 elements, got ", width);
  if (elementBits < 1 || elementBits * width % 8 != 0 || elementBits > 1024 ||
      (elementBits > 8 && elementBits % 8 != 0))
    return fail("expected elements of whole bytes, got ", elementBits, " bits");
  if (Status ok = checkModel(model, elementBits * width / 8); !ok)
    return ok.failure();
  Result<AccessTable> table = accessTable(registers, memory);
  if (table && !allVectors(*table, width))
    return fail("expected registers in vectors of ", width,
                " consecutive offsets, got '", registers.str(), "' on '",
                memory.str(), "'");
  return table;
}

Result<BankReport> tile::layout::countBankConflicts(const Layout &registers,
                                                    const Layout &memory,
                                                    int64_t elementBits,
                                                    int64_t width,
                                                    const BankModel &model) {
  Result<AccessTable> table =
      vectorTable(registers, memory, elementBits, width, model);
  if (!table)
    return table.failure();
  BankReport total;
  for (int64_t warp = 0; warp < table->warps; ++warp) {
    for (int64_t reg = 0; reg < table->regs; reg += width) {
      Result<BankReport> one =
          countBankConflicts(addressesOf(*table, warp, reg, elementBits),
                             elementBits * width / 8, model);
      if (!one)
        return one.failure();
      total.phases += one->phases;
      total.wavefronts += one->wavefronts;
      total.worst = std::max(total.worst, one->worst);
    }
  }
  return total;
}

Result<std::vector<bool>>
tile::layout::conflictingElements(const Layout &registers, const Layout &memory,
                                  int64_t elementBits, int64_t width,
                                  const BankModel &model) {
  Result<AccessTable> table =
      vectorTable(registers, memory, elementBits, width, model);
  if (!table)
    return table.failure();
  int64_t bytes = elementBits * width / 8;
  std::set<int64_t> offsets; // of the colliding elements
  size_t step = lanesPerPhase(model, bytes);
  for (int64_t warp = 0; warp < table->warps; ++warp) {
    for (int64_t reg = 0; reg < table->regs; reg += width) {
      std::vector<int64_t> addresses =
          addressesOf(*table, warp, reg, elementBits);
      for (size_t first = 0; first < addresses.size(); first += step) {
        size_t last = std::min(first + step, addresses.size());
        auto words = wordsByBank(addresses, first, last, bytes, model);
        for (size_t lane = first; lane < last; ++lane) {
          for (int64_t i = 0; addresses[lane] >= 0 && i < width; ++i) {
            int64_t byte = addresses[lane] + i * elementBits / 8;
            int64_t bank = byte / model.bankBytes % model.banks;
            if (words[bank].size() > 1)
              offsets.insert(addresses[lane] * 8 / elementBits + i);
          }
        }
      }
    }
  }
  std::vector<bool> marks;
  forEachCoord(memory.shape(), [&](const Coord &coord) {
    marks.push_back(offsets.count(memory.at(coord)[Axis::Offset]) > 0);
    return true;
  });
  return marks;
}

//===----------------------------------------------------------------------===//
// Matrix loads and stores
//===----------------------------------------------------------------------===//

namespace {
constexpr int64_t kMatrixRows = 8;
constexpr int64_t kWordsPerRow = 4;
constexpr int64_t kMatrixLanes = kMatrixRows * kWordsPerRow;

/// Checks one matrix (32-bit register `reg32` of a warp) and finds its rows.
class MatrixReader {
public:
  MatrixReader(const AccessTable &table, int64_t perWord, bool trans)
      : table(table), perWord(perWord), trans(trans) {}

  Status read(int64_t warp, int64_t matrix, std::vector<int64_t> &rows) {
    for (int64_t row = 0; row < kMatrixRows; ++row) {
      int64_t start = elementAt(warp, matrix, row, 0);
      if (start < 0 || start % (kWordsPerRow * perWord) != 0)
        return fail("expected row ", row, " of matrix ", matrix,
                    " at a multiple of ", kWordsPerRow * perWord, ", got ",
                    start < 0 ? "nothing" : "offset " + std::to_string(start));
      for (int64_t i = 1; i < kWordsPerRow * perWord; ++i) {
        int64_t offset = elementAt(warp, matrix, row, i);
        if (offset != start + i)
          return fail("expected element ", i, " of row ", row, " of matrix ",
                      matrix, " at offset ", start + i, ", got ",
                      offset < 0 ? "nothing"
                                 : "offset " + std::to_string(offset));
      }
      rows.push_back(start);
    }
    return Success{};
  }

private:
  /// The offset of an element of a matrix, found where the instruction puts it.
  int64_t elementAt(int64_t warp, int64_t matrix, int64_t row, int64_t i) {
    int64_t across = trans ? row : i, along = trans ? i : row;
    int64_t lane = along * kWordsPerRow + across / perWord;
    return table.at(warp, lane, matrix * perWord + across % perWord);
  }

  const AccessTable &table;
  int64_t perWord;
  bool trans;
};
} // namespace

static Result<MatrixAccess> matchMatrices(const AccessTable &table,
                                          int64_t perWord, bool trans,
                                          int maxCount) {
  int64_t matrices = table.regs / perWord;
  std::vector<Position> starts;
  MatrixReader reader(table, perWord, trans);
  for (int64_t warp = 0; warp < table.warps; ++warp) {
    for (int64_t matrix = 0; matrix < matrices; ++matrix) {
      std::vector<int64_t> rows;
      if (Status ok = reader.read(warp, matrix, rows); !ok)
        return ok.failure();
      for (int64_t row : rows)
        starts.emplace_back()[Axis::Offset] = row;
    }
  }
  constexpr int kMaxSwizzleBits = 8;
  Result<Layout> rows = layoutFromTable({table.warps, matrices, kMatrixRows},
                                        starts, {}, kMaxSwizzleBits);
  if (!rows)
    return fail("expected the rows of the matrices to be a layout: ",
                rows.reason());
  MatrixAccess access{1, trans, *rows};
  while (access.count * 2 <= maxCount && matrices % (access.count * 2) == 0)
    access.count *= 2;
  return access;
}

Result<MatrixAccess> tile::layout::matchMatrixAccess(const Layout &registers,
                                                     const Layout &memory,
                                                     int64_t elementBits,
                                                     int maxCount) {
  if (maxCount != 1 && maxCount != 2 && maxCount != 4)
    return fail("expected at most 1, 2 or 4 matrices, got ", maxCount);
  if (elementBits != 8 && elementBits != 16 && elementBits != 32)
    return fail("expected elements of 8, 16 or 32 bits, got ", elementBits);
  Result<AccessTable> table = accessTable(registers, memory);
  if (!table)
    return table.failure();
  if (table->lanes != kMatrixLanes)
    return fail("expected ", kMatrixLanes, " lanes, got ", table->lanes);
  int64_t perWord = 32 / elementBits;
  if (table->regs % perWord != 0)
    return fail("expected registers in whole 32-bit words, got ", table->regs,
                " of ", elementBits, " bits");
  Result<MatrixAccess> plain = matchMatrices(*table, perWord, false, maxCount);
  if (plain || elementBits != 16)
    return plain;
  Result<MatrixAccess> trans = matchMatrices(*table, perWord, true, maxCount);
  if (trans)
    return trans;
  return fail(plain.reason(), "; transposed: ", trans.reason());
}

//===----------------------------------------------------------------------===//
// Tensor copies
//===----------------------------------------------------------------------===//

/// A mode with b bits permutes 16-byte chunks by the row of 128 bytes.
static constexpr int kChunkLog2 = 4, kRowShift = 3;

int64_t tile::layout::swizzleBytes(TmaSwizzle mode) {
  return mode == TmaSwizzle::None ? 0 : int64_t(16) << static_cast<int>(mode);
}

Result<Swizzle> tile::layout::swizzleOf(TmaSwizzle mode, int64_t elementBits) {
  int log2 = 0;
  while (log2 < 7 && (int64_t(1) << log2) < elementBits)
    ++log2;
  if ((int64_t(1) << log2) != elementBits)
    return fail("expected elements of 1 to 128 bits, a power of two, got ",
                elementBits);
  if (mode == TmaSwizzle::None)
    return Swizzle{};
  return Swizzle{static_cast<int>(mode), kChunkLog2 + 3 - log2, kRowShift};
}

Result<TmaSwizzle> tile::layout::tmaSwizzleOf(const Swizzle &swizzle,
                                              int64_t elementBits) {
  for (TmaSwizzle mode :
       {TmaSwizzle::None, TmaSwizzle::B32, TmaSwizzle::B64, TmaSwizzle::B128}) {
    Result<Swizzle> known = swizzleOf(mode, elementBits);
    if (!known)
      return known.failure();
    if (swizzle == *known)
      return mode;
  }
  return fail("expected the swizzle of 32, 64 or 128 bytes on elements of ",
              elementBits, " bits, got (", swizzle.bits, ", ", swizzle.base,
              ", ", swizzle.shift, ")");
}

/// The largest divisor of `a` and `b` up to `limit`.
static int64_t boxExtent(int64_t a, int64_t b, int64_t limit) {
  for (int64_t extent = std::min(a, limit); extent > 1; --extent) {
    if (a % extent == 0 && b % extent == 0)
      return extent;
  }
  return 1;
}

/// Fills `box` from the last dimension up: a dimension's lowest digit belongs
/// to the box when it starts where the box so far ends.
static void growBox(const Layout &memory, int64_t rowElements,
                    const TmaLimits &limits, std::vector<int64_t> &box) {
  int64_t packed = 1;
  box.assign(memory.rank(), 1);
  for (int d = memory.rank(); d-- > 0;) {
    Dim dim = coalesceDim(memory.dims()[d]);
    if (dim.digits.empty() || dim.digits.back().stride != packed)
      continue;
    bool inner = d == memory.rank() - 1;
    int64_t limit = inner && rowElements
                        ? std::min(rowElements, limits.maxBoxExtent)
                        : limits.maxBoxExtent;
    box[d] = boxExtent(dim.digits.back().extent, dim.extent, limit);
    packed *= box[d];
  }
}

/// Where the boxes start; each start must be aligned for the swizzle to mean in
/// the box what it means in the tile.
static Result<Layout> boxStarts(const Layout &memory,
                                const std::vector<int64_t> &box,
                                int64_t alignmentBits, int64_t elementBits) {
  std::vector<Dim> dims;
  for (int d = 0; d < memory.rank(); ++d) {
    std::vector<Position> table;
    for (int64_t c = 0; c < memory.extent(d); c += box[d])
      table.push_back(sumInDim(memory.dims()[d], c));
    Result<Dim> dim = dimFromTable(table);
    if (!dim)
      return dim.failure();
    for (const Digit &digit : dim->digits) {
      if (digit.stride * elementBits % alignmentBits != 0)
        return fail("expected boxes ", alignmentBits / 8,
                    " bytes aligned, got boxes ",
                    digit.stride * elementBits / 8, " bytes apart");
    }
    dims.push_back(*dim);
  }
  return Layout::get(std::move(dims));
}

Result<TmaBox> tile::layout::matchTmaBox(const Layout &memory,
                                         int64_t elementBits,
                                         const TmaLimits &limits) {
  if (limits.maxBoxExtent < 1 || limits.innerBytesMultiple < 1 ||
      limits.plainAlignment < 1)
    return fail("expected positive limits, got box extent ",
                limits.maxBoxExtent, ", inner bytes ",
                limits.innerBytesMultiple, ", alignment ",
                limits.plainAlignment);
  if (memory.rank() < 1 || memory.rank() > limits.maxRank)
    return fail("expected rank 1 to ", limits.maxRank, ", got ", memory.rank());
  if ((memory.axes() & ~axisBit(Axis::Offset)) || memory.numCopies() != 1)
    return fail("expected a layout of memory, got '", memory.str(), "'");
  for (int64_t extent : memory.shape()) {
    if (Status ok = checkEnumerable(extent); !ok)
      return ok.failure();
  }
  Result<bool> injective = memory.isInjective();
  if (!injective)
    return injective.failure();
  if (!*injective)
    return fail("expected an offset of its own for each element, got '",
                memory.str(), "'");
  Result<TmaSwizzle> mode = tmaSwizzleOf(memory.swizzle(), elementBits);
  if (!mode)
    return mode.failure();
  int64_t rowBytes = swizzleBytes(*mode);
  TmaBox match;
  match.swizzle = *mode;
  // The swizzle repeats after 8 rows of its own width.
  match.alignment = rowBytes ? 8 * rowBytes : limits.plainAlignment;
  growBox(memory, rowBytes * 8 / elementBits, limits, match.box);
  int64_t innerBits = match.box.back() * elementBits;
  if (innerBits % (limits.innerBytesMultiple * 8) != 0)
    return fail("expected inner rows of a multiple of ",
                limits.innerBytesMultiple, " bytes, got ", innerBits, " bits");
  if (rowBytes && innerBits != rowBytes * 8)
    return fail("expected inner rows of ", rowBytes,
                " bytes under this swizzle, got ", innerBits / 8);
  Result<Layout> boxes =
      boxStarts(memory, match.box, match.alignment * 8, elementBits);
  if (!boxes)
    return boxes.failure();
  match.boxes = *boxes;
  return match;
}
