//===- MatrixAccess.cpp - ldmatrix and stmatrix ---------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixAccess.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvidia;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;
using ::tile::layout::Dim;
using ::tile::layout::fail;
using ::tile::layout::Layout;
using ::tile::layout::Result;

static constexpr int64_t kRows = 8;     // of a matrix
static constexpr int64_t kWordBytes = 4; // of a lane's part

/// The most matrices that one instruction of the target moves; 0: there is
/// none.
static int findMaxCount(const ::tile::target::Target &target, bool isStore) {
  using ::tile::target::Space;
  for (int count : {4, 2, 1})
    for (const ::tile::target::CopyRow *row : ::tile::target::findCopies(
             target, isStore ? Space::Register : Space::Shared,
             isStore ? Space::Shared : Space::Register, count * kWordBytes))
      if (row->family == ::tile::target::CopyFamily::LdMatrix &&
          row->instruction.ends_with(".m8n8"))
        return count;
  return 0;
}

Result<MatrixTile> nvidia::matchMatrixTile(const Layout &registers,
                                         const Layout &memory, Type element,
                                         bool isStore, KernelLowering &l) {
  int maxCount = findMaxCount(l.getTarget(), isStore);
  if (maxCount == 0)
    return fail(l.getTarget().name.str(), " has no ",
                isStore ? "stmatrix" : "ldmatrix");
  int64_t bits = getStorageType(element).getIntOrFloatBitWidth();
  auto access =
      ::tile::layout::matchMatrixAccess(registers, memory, bits, maxCount);
  if (!access)
    return access.failure();
  if (access->rows.extent(0) != l.threads().warps)
    return fail("expected a fragment of all ", l.threads().warps,
                " warps, got one of ", access->rows.extent(0));
  return MatrixTile{*access, 32 / bits};
}

/// Which lane supplies which row: register r of the result is the r-th
/// instruction. Lanes that supply none repeat the address of another.
static Layout getSuppliers(const ::tile::layout::MatrixAccess &access) {
  int64_t warps = access.rows.extent(0), words = access.rows.extent(1);
  int64_t count = access.count;
  std::vector<Dim> dims;
  if (warps > 1)
    dims.push_back({warps, {{warps, Axis::Warp, 1}}});
  if (words > 1)
    dims.push_back({words,
                    {{words / count, Axis::Reg, 1},
                     {count, Axis::Lane, kRows}}});
  dims.push_back({kRows, {{kRows, Axis::Lane, 1}}});
  std::vector<::tile::layout::Digit> copies;
  if (count < 4)
    copies.push_back({4 / count, Axis::Lane, kRows * count});
  auto layout = Layout::get(dims, copies);
  assert(layout && "digits cover the extents");
  return *layout;
}

static Buffer getRows(const MatrixTile &tile, Type element, Value base) {
  Buffer rows;
  rows.space = MemorySpace::Shared;
  rows.element = element;
  for (int64_t extent : tile.access.rows.shape())
    rows.shape.push_back(extent);
  rows.base = base;
  rows.layout = tile.access.rows;
  return rows;
}

MatrixMover::MatrixMover(KernelLowering &l, Location loc,
                         const MatrixTile &tile, Type element, Value base)
    : l(l), loc(loc), tile(tile), rows(getRows(tile, element, base)),
      map(getSuppliers(tile.access), l.threads()) {
  BufferRegion whole;
  SmallVector<AffineExpr> zeros(
      3, getAffineConstantExpr(0, l.builder().getContext()));
  whole.map = AffineMap::get(0, 0, zeros, l.builder().getContext());
  whole.sizes = rows.shape;
  region.emplace(l, loc, rows, whole, SmallVector<bool>(3, true));
  map.materialize(l.builder(), loc);
  region->bind(map);
}

Value MatrixMover::getAddress(int64_t group) {
  return l.getAddress(loc, rows,
                      region->getOffset(*map.getRegisterPart(group)));
}

static NVVM::MMALayout getForm(const MatrixTile &tile) {
  return tile.access.trans ? NVVM::MMALayout::col : NVVM::MMALayout::row;
}

Value MatrixMover::load(int64_t word) {
  Value &known = words[word];
  if (known)
    return known;
  OpBuilder &b = l.builder();
  int64_t count = tile.access.count, group = word / count;
  SmallVector<Type> types(count, b.getI32Type());
  Type type = count == 1 ? types.front()
                         : LLVM::LLVMStructType::getLiteral(b.getContext(),
                                                            types);
  Value loaded = NVVM::LdMatrixOp::create(
      b, loc, type, getAddress(group), count, getForm(tile),
      NVVM::LdStMatrixShapeAttr::get(b.getContext(), kRows, kRows),
      NVVM::LdStMatrixEltType::B16);
  for (int64_t i = 0; i < count; ++i)
    words[group * count + i] =
        count == 1 ? loaded
                   : Value(LLVM::ExtractValueOp::create(b, loc, loaded, i));
  return words[word];
}

void MatrixMover::store(ArrayRef<Value> values) {
  OpBuilder &b = l.builder();
  int64_t count = tile.access.count;
  for (int64_t group = 0; group * count < int64_t(values.size()); ++group)
    NVVM::StMatrixOp::create(
        b, loc, getAddress(group), values.slice(group * count, count),
        getForm(tile),
        NVVM::LdStMatrixShapeAttr::get(b.getContext(), kRows, kRows),
        NVVM::LdStMatrixEltType::B16);
}
