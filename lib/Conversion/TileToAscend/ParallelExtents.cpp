//===- ParallelExtents.cpp - iteration spaces that fit UB -----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParallelParts.h"

#include "Tile/Dialect/Tile/IR/TileAttrs.h"
#include "Tile/Target/Target.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

/// The dimensions that are vectors: the last two that are not 1.
static SmallVector<unsigned> getVectorDims(tl::ParallelOp op) {
  SmallVector<unsigned> dims;
  for (auto [dim, extent] : llvm::enumerate(op.getStaticExtents()))
    if (extent > 1)
      dims.push_back(dim);
  if (dims.size() > 2)
    dims.erase(dims.begin(), dims.end() - 2);
  return dims;
}

static int64_t getBytes(Type type) {
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() / 8 : 0;
}

/// Whether all iterations need an element of their own for the value: it
/// depends on `dims`, is no part of a tile, and does not go to one.
static bool isVector(Value value, tl::ParallelOp op,
                     ArrayRef<unsigned> dims) {
  auto load = value.getDefiningOp<memref::LoadOp>();
  if (load && tl::getMemorySpace(load.getMemRef()) != MemorySpace::Global)
    return false;
  if (llvm::all_of(value.getUsers(), [](Operation *user) {
        auto store = dyn_cast<memref::StoreOp>(user);
        return store &&
               tl::getMemorySpace(store.getMemRef()) != MemorySpace::Global;
      }))
    return false;
  DenseSet<Value> seen;
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    Operation *def = next.getDefiningOp();
    if (seen.insert(next).second && def && op->isAncestor(def))
      llvm::append_range(work, def->getOperands());
  }
  return llvm::all_of(dims, [&](unsigned dim) {
    return seen.contains(op.getBody().getArgument(dim));
  });
}

/// Bytes of an iteration that are alive at once, at least.
static int64_t getLiveBytes(tl::ParallelOp op, ArrayRef<unsigned> dims) {
  DenseMap<Operation *, int64_t> ending;
  int64_t live = 0, most = 0;
  for (Operation &inner : op.getBody().front()) {
    for (Value result : inner.getResults()) {
      int64_t bytes = getBytes(result.getType());
      if (bytes == 0 || result.use_empty() || !isVector(result, op, dims))
        continue;
      Operation *last = &inner;
      for (Operation *user : result.getUsers())
        if (last->isBeforeInBlock(user))
          last = user;
      live += bytes;
      ending[last] += bytes;
    }
    most = std::max(most, live);
    live -= ending.lookup(&inner);
  }
  return most;
}

/// Parts of `size` along a dimension, in a loop, and the rest behind it.
static SmallVector<tl::ParallelOp> cut(tl::ParallelOp op, unsigned dim,
                                       int64_t size) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  int64_t extent = op.getStaticExtents()[dim], whole = extent / size * size;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto place = [&](int64_t part, Value first) {
    auto own = cast<tl::ParallelOp>(b.clone(*op));
    SmallVector<int64_t> extents(own.getStaticExtents());
    extents[dim] = part;
    own.setStaticExtents(extents);
    own.removeLayoutAttr();
    own.removeCoalescedWidthAttr();
    BlockArgument iv = own.getBody().getArgument(dim);
    OpBuilder inside = OpBuilder::atBlockBegin(&own.getBody().front());
    auto index = arith::AddIOp::create(inside, loc, iv, first);
    iv.replaceAllUsesExcept(index, index);
    return own;
  };
  SmallVector<tl::ParallelOp> parts;
  auto loop = scf::ForOp::create(b, loc, constant(0), constant(whole),
                                 constant(size));
  if (whole < extent)
    parts.push_back(place(extent - whole, constant(whole)));
  b.setInsertionPointToStart(loop.getBody());
  parts.push_back(place(size, loop.getInductionVar()));
  op.erase();
  return parts;
}

/// Elements of a row of a matrix: whole blocks, and whole vectors where what is
/// compared or selected does not fill them otherwise (`getMaskExtents`).
static int64_t getPitch(tl::ParallelOp op,
                        const ::tile::target::AscendSpec &spec, int64_t rows,
                        int64_t columns) {
  int64_t block = spec.blockBytes / 4, vector = spec.repeatBytes / 4;
  if (rows == 1 || (columns % block == 0 && rows * columns % vector == 0))
    return columns;
  bool hasMasks = llvm::any_of(op.getBody().front(), [](Operation &inner) {
    return isa<arith::CmpFOp, arith::CmpIOp, arith::SelectOp>(inner);
  });
  return llvm::alignTo(columns, hasMasks ? vector : block);
}

void mlir::tile::ascend::cutToFit(tl::ParallelOp op) {
  if (!op.getDynamicExtents().empty())
    return;
  SmallVector<unsigned> dims = getVectorDims(op);
  const auto &spec = getSpec(op);
  const auto *memory =
      spec.findMemory(tl::getTargetSpace(MemorySpace::UB));
  if (dims.empty() || !memory)
    return;
  int64_t columns = op.getStaticExtents()[dims.back()];
  int64_t rows = dims.size() > 1 ? op.getStaticExtents()[dims.front()] : 1;
  // A generous estimate: conversions and functions have values of their own.
  int64_t values = 8;
  for (Operation &inner : op.getBody().front())
    for (Value result : inner.getResults())
      values += getBytes(result.getType()) != 0;
  // Rows that masks make longer are copied, and constants have such rows, too.
  int64_t capacity = memory->userBytes;
  int64_t pitch = getPitch(op, spec, rows, columns);
  int64_t bytes = pitch < 2 * columns ? getLiveBytes(op, dims) : values * 4;
  if (pitch * rows * bytes <= capacity)
    return;
  op->getParentOfType<tl::KernelOp>().walk([&](tl::AllocOp alloc) {
    auto type = cast<MemRefType>(alloc.getBuffer().getType());
    if (tl::getMemorySpace(type) == MemorySpace::UB)
      capacity -= type.getNumElements() *
                  std::max<int64_t>(getBytes(type.getElementType()), 1);
  });
  int64_t vector = spec.repeatBytes;
  int64_t most = std::max(capacity / (values * 4), vector);
  remark::passed(op.getLoc(), remark::RemarkOpts::name("DividedIterations")
                                  .category("ascend-split-parallel"))
      << remark::metric("iterations", int(rows * columns))
      << remark::metric("at once", int(most));
  SmallVector<tl::ParallelOp> parts{op};
  if (columns > most) {
    parts = cut(op, dims.back(), most / vector * vector);
    pitch = most;
  }
  int64_t height = std::max<int64_t>(most / pitch, 1);
  for (tl::ParallelOp part : parts)
    if (rows > height)
      cut(part, dims.front(), height);
}
