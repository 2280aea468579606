//===- Target.cpp - chips as data -----------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Target/Register.h"

#include "Tile/Layout/MmaLayouts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <vector>

using namespace tile;
using namespace tile::target;

#define GET_TARGET_ENUM_DEFS
#define GET_TARGET_TABLES
#include "Tile/Target/Targets.inc"

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

static std::vector<Target> &getTable() {
  static std::vector<Target> table(std::begin(kTargets), std::end(kTargets));
  return table;
}

llvm::ArrayRef<Target> tile::target::targets() { return getTable(); }

void tile::target::registerTarget(const Target &target) {
  getTable().push_back(target);
}

const Target *tile::target::lookupTarget(llvm::StringRef name) {
  llvm::ArrayRef<Target> known = targets();
  const Target *found = llvm::find_if(known, [&](const Target &target) {
    return target.name == name || llvm::is_contained(target.aliases, name);
  });
  return found == known.end() ? nullptr : found;
}

/// Names of one vendor, or all of them, with aliases behind their targets.
static llvm::SmallVector<llvm::StringRef>
namesOf(std::optional<Vendor> vendor) {
  llvm::SmallVector<llvm::StringRef> names;
  for (const Target &target : targets()) {
    if (vendor && target.vendor != *vendor)
      continue;
    names.push_back(target.name);
    llvm::append_range(names, target.aliases);
  }
  return names;
}

static size_t commonPrefix(llvm::StringRef a, llvm::StringRef b) {
  return std::mismatch(a.begin(), a.begin() + std::min(a.size(), b.size()),
                       b.begin())
             .first -
         a.begin();
}

std::string tile::target::describeUnknownTarget(llvm::StringRef name) {
  // A longer common beginning means the nearer generation, which counts for
  // more than the number of typing errors: 'sm_99' is nearer to sm_90a than to
  // sm_89.
  std::string lower = name.lower();
  llvm::StringRef closest;
  size_t bestPrefix = 0;
  unsigned bestDistance = 3;
  for (llvm::StringRef known : namesOf(std::nullopt)) {
    std::string knownLower = known.lower();
    size_t prefix = commonPrefix(lower, knownLower);
    unsigned distance = llvm::StringRef(lower).edit_distance(knownLower);
    if (prefix < 2 && distance > 2)
      continue;
    if (closest.empty() || prefix > bestPrefix ||
        (prefix == bestPrefix && distance < bestDistance)) {
      closest = known;
      bestPrefix = prefix;
      bestDistance = distance;
    }
  }
  std::string text = "unknown target '" + name.str() + "'; known ";
  std::optional<Vendor> vendor;
  if (!closest.empty()) {
    vendor = lookupTarget(closest)->vendor;
    text += stringify(*vendor).str() + " ";
  }
  text += "targets: " + llvm::join(namesOf(vendor), ", ");
  if (!closest.empty())
    text += "; closest match: " + closest.str();
  return text;
}

bool Target::has(Feature feature) const {
  return llvm::is_contained(features, feature);
}

int64_t Target::getProducerThreads() const {
  return has(Feature::SetMaxNReg) ? gpu->groupThreads() : gpu->warpSize;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// The largest N of the row that divides `n`, or 0.
static int64_t largestN(const MmaRow &row, int64_t n) {
  for (int64_t candidate = row.nMax; candidate >= row.nMin;
       candidate -= row.nStep) {
    if (n % candidate == 0)
      return candidate;
  }
  return 0;
}

llvm::SmallVector<MmaChoice>
tile::target::findMma(const Target &target, const MmaTypes &types, int64_t m,
                      int64_t n, int64_t k, std::optional<MmaFamily> family) {
  llvm::SmallVector<MmaChoice> found;
  if (m < 1 || n < 1 || k < 1)
    return found;
  for (const MmaRow &row : target.mmas) {
    bool typesFit = llvm::is_contained(row.a, types.a) &&
                    llvm::is_contained(row.b, types.b) && row.c == types.c &&
                    row.scale == types.scale;
    if (!typesFit || (family && row.family != *family))
      continue;
    int64_t rowN = largestN(row, n);
    if (rowN && m % row.m == 0 && k % row.k == 0)
      found.push_back({&row, rowN});
  }
  llvm::stable_sort(found, [](const MmaChoice &x, const MmaChoice &y) {
    return x.row->m * x.n * x.row->k > y.row->m * y.n * y.row->k;
  });
  return found;
}

bool CopyRow::moves(int64_t bytes) const {
  if (granule)
    return bytes > 0 && bytes % granule == 0 &&
           (!maxBytes || bytes <= maxBytes);
  return llvm::is_contained(widths, bytes);
}

llvm::SmallVector<const CopyRow *>
tile::target::findCopies(const Target &target, Space from, Space to,
                         int64_t bytes) {
  llvm::SmallVector<const CopyRow *> found;
  for (const CopyRow &row : target.copies) {
    if (row.from == from && row.to == to && row.moves(bytes))
      found.push_back(&row);
  }
  return found;
}

layout::Result<layout::Layout>
tile::target::getFragment(const MmaChoice &choice, Operand operand) {
  const MmaRow &row = *choice.row;
  llvm::StringRef letter = operand == Operand::A   ? "a"
                           : operand == Operand::B ? "b"
                                                   : "c";
  bool fixed = operand == Operand::A
                   ? llvm::is_contained(row.aSpaces, Space::Register)
               : operand == Operand::B
                   ? row.bSpace == Space::Register
                   : row.cSpace == Space::Register || row.cSpace == Space::Tmem;
  if (!fixed)
    return layout::fail("operand ", letter.str(), " of ", row.instruction.str(),
                        " lies in a memory, not in a fragment");
  if (row.layout.empty())
    return layout::fail("the fragments of ", row.instruction.str(),
                        " are not written down");
  if (row.layout == "wgmma")
    return operand == Operand::C
               ? layout::wgmmaAccumulator(choice.n)
               : layout::wgmmaInputA(getBitWidth(row.a.front()));
  if (row.layout == "tmem")
    return layout::tmemAccumulator(choice.n);
  return layout::parseLayoutOrOperand((row.layout + ":" + letter).str());
}

//===----------------------------------------------------------------------===//
// Ascend
//===----------------------------------------------------------------------===//

const AscendMemory *AscendSpec::findMemory(Space space) const {
  const AscendMemory *found =
      llvm::find_if(memories, [&](const AscendMemory &memory) {
        return memory.space == space;
      });
  return found == memories.end() ? nullptr : found;
}

bool AscendSpec::hasFlag(Core core, Engine src, Engine dst) const {
  return llvm::any_of(flagPairs, [&](const AscendFlagPair &pair) {
    return pair.core == core && pair.src == src && pair.dst == dst;
  });
}

bool AscendSpec::hasBarrier(Core core, Engine engine) const {
  return llvm::any_of(barriers, [&](const AscendBarrier &barrier) {
    return barrier.core == core && llvm::is_contained(barrier.engines, engine);
  });
}

bool AscendSpec::isOrdered(Engine engine) const {
  return llvm::is_contained(orderedEngines, engine);
}

bool AscendSpec::supports(llvm::StringRef vectorOp, ElementType type) const {
  return llvm::any_of(vectorOps, [&](const AscendVectorOp &op) {
    return op.name == vectorOp && llvm::is_contained(op.types, type);
  });
}

static bool contains(llvm::ArrayRef<AscendCast> casts, ElementType from,
                     ElementType to) {
  return llvm::any_of(casts, [&](const AscendCast &cast) {
    return cast.from == from && llvm::is_contained(cast.to, to);
  });
}

bool AscendSpec::hasCast(ElementType from, ElementType to) const {
  return contains(casts, from, to);
}

bool AscendSpec::hasFixpipeCast(ElementType from, ElementType to) const {
  return contains(fixpipeCasts, from, to);
}
