//===- SpreadRows.cpp - rows over the blocks of a cluster -----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpreadRows.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Transforms/LaunchGrid.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tile;

static bool isTile(Value buffer) {
  return buffer.getDefiningOp<AllocOp>() != nullptr;
}

namespace {
/// An element that a statement of a `tile.parallel` reads or writes.
struct Element {
  Value buffer;
  OperandRange indices;
  bool isWritten;
};
} // namespace

/// Nothing: the op is no access of one element.
static std::optional<Element> getElement(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return Element{load.getMemRef(), load.getIndices(), false};
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return Element{store.getMemRef(), store.getIndices(), true};
  return std::nullopt;
}

/// The number of the iteration variable that the value is.
static std::optional<unsigned> getVariable(ParallelOp loop, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &loop.getBody().front())
    return std::nullopt;
  return argument.getArgNumber();
}

//===----------------------------------------------------------------------===//
// Which tiles have columns
//===----------------------------------------------------------------------===//

std::optional<unsigned> RowSpreader::getColumns(Value buffer) const {
  auto it = tiles.find(buffer);
  return it == tiles.end() ? std::nullopt : std::optional(it->second);
}

/// Whether it was not marked before.
bool RowSpreader::mark(Value buffer, unsigned dim) {
  auto [it, isNew] = tiles.insert({buffer, dim});
  if (it->second != dim && conflict.empty())
    conflict = "a tile has columns along two dimensions";
  return isNew;
}

/// The variables of a loop that go along columns.
static llvm::SmallSetVector<unsigned, 2>
findColumnVariables(ParallelOp loop,
                    const llvm::MapVector<Value, unsigned> &tiles) {
  llvm::SmallSetVector<unsigned, 2> found;
  loop.walk([&](Operation *op) {
    std::optional<Element> element = getElement(op);
    auto it = element ? tiles.find(element->buffer) : tiles.end();
    if (it == tiles.end())
      return;
    if (auto variable = getVariable(loop, element->indices[it->second]))
      found.insert(*variable);
  });
  return found;
}

/// Tiles whose elements are computed or copied from each other have the same
/// columns. Whether there are more than before.
bool RowSpreader::propagate() {
  bool changed = false;
  kernel.walk([&](Operation *op) {
    if (auto copy = dyn_cast<CopyOp>(op)) {
      Value source = copy.getSource(), target = copy.getTarget();
      if (!isTile(source) || !isTile(target) ||
          copy.getSourceRegion().sizes != copy.getTargetRegion().sizes)
        return;
      if (auto dim = getColumns(source))
        changed |= mark(target, *dim);
      if (auto dim = getColumns(target))
        changed |= mark(source, *dim);
    }
    auto loop = dyn_cast<ParallelOp>(op);
    if (!loop)
      return;
    auto variables = findColumnVariables(loop, tiles);
    loop.walk([&](Operation *inner) {
      std::optional<Element> element = getElement(inner);
      if (!element || !isTile(element->buffer))
        return;
      for (auto [dim, index] : llvm::enumerate(element->indices))
        if (auto variable = getVariable(loop, index))
          if (variables.contains(*variable))
            changed |= mark(element->buffer, dim);
    });
  });
  return changed;
}

std::string RowSpreader::markReduced() {
  for (auto reduce : kernel.getBody().getOps<ReduceOp>())
    if (isTile(reduce.getSource()))
      mark(reduce.getSource(), reduce.getDim());
  if (tiles.empty())
    return "no tile is reduced";
  while (propagate())
    ;
  return conflict;
}

//===----------------------------------------------------------------------===//
// Which kernels can be divided
//===----------------------------------------------------------------------===//

/// The dimension of the other side of a copy that is dimension `dim` of a whole
/// tile.
static std::optional<unsigned> matchDim(const BufferRegion &tile, unsigned dim,
                                        const BufferRegion &other) {
  if (tile.sizes == other.sizes)
    return dim;
  // Extents of 1 are left out.
  int64_t before = llvm::count_if(ArrayRef(tile.sizes).take_front(dim),
                                  [](int64_t size) { return size != 1; });
  for (auto [i, size] : llvm::enumerate(other.sizes))
    if (size != 1 && before-- == 0)
      return i;
  return std::nullopt;
}

/// Copies between tiles, and those of whole tiles to and from global memory.
std::string RowSpreader::checkCopy(CopyOp copy) {
  BufferRegion source = copy.getSourceRegion(), target = copy.getTargetRegion();
  if (copy.getInstructionAttr() || copy.getSignal())
    return "a copy is planned already";
  if (!isTile(source.buffer) && !isTile(target.buffer))
    return "global memory is copied to global memory";
  auto from = getColumns(source.buffer), to = getColumns(target.buffer);
  if ((from && !isWhole(source)) || (to && !isWhole(target)))
    return "a copy takes a part of a tile";
  if (isTile(source.buffer) && isTile(target.buffer))
    return from == to ? "" : "a copy changes the shape of a tile";
  if (!from && !to)
    return "";
  return (from ? matchDim(source, *from, target)
               : matchDim(target, *to, source))
             ? ""
             : "rows have one column";
}

std::string RowSpreader::checkParallel(ParallelOp loop) {
  auto variables = findColumnVariables(loop, tiles);
  std::string obstacle;
  loop.walk([&](Operation *op) {
    if (op == loop || !obstacle.empty())
      return;
    std::optional<Element> element = getElement(op);
    if (!element) {
      if (op->getNumRegions() == 0 && !isMemoryEffectFree(op))
        obstacle = "a loop does more than to read and write elements";
      return;
    }
    if (auto dim = getColumns(element->buffer)) {
      auto variable = getVariable(loop, element->indices[*dim]);
      int64_t extent =
          cast<MemRefType>(element->buffer.getType()).getDimSize(*dim);
      if (!variable)
        obstacle = "an element is read in another column";
      else if (loop.getStaticExtents()[*variable] != extent)
        obstacle = "a loop goes over a part of the columns";
      else if (llvm::count(element->indices, element->indices[*dim]) != 1)
        obstacle = "a diagonal is read";
    } else if (element->isWritten && variables.empty() &&
               !isTile(element->buffer)) {
      obstacle = "a loop without columns writes global memory";
    } else if (element->isWritten && !variables.empty() &&
               isTile(element->buffer)) {
      obstacle = "a loop over columns writes a tile without columns";
    }
  });
  return obstacle;
}

std::string RowSpreader::checkOp(Operation *op) {
  if (auto alloc = dyn_cast<AllocOp>(op))
    return getColumns(alloc.getBuffer()) &&
                   (alloc.getLayoutAttr() || alloc.getOffset())
               ? "a tile has a layout of its own"
               : "";
  if (auto copy = dyn_cast<CopyOp>(op))
    return checkCopy(copy);
  if (auto loop = dyn_cast<ParallelOp>(op))
    return loop.getLayoutAttr() ? "a loop has a layout of its own"
                                : checkParallel(loop);
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    auto dim = getColumns(reduce.getSource());
    return (!dim || *dim == reduce.getDim()) && !getColumns(reduce.getTarget())
               ? ""
               : "a tile is reduced along two dimensions";
  }
  if (isa<FillOp>(op))
    return isTile(op->getOperand(0)) ? "" : "global memory is filled";
  bool usesTile = llvm::any_of(op->getOperands(), [&](Value operand) {
    return getColumns(operand).has_value();
  });
  if (isa<PaddingValueOp>(op) || op->hasTrait<OpTrait::IsTerminator>() ||
      (!usesTile && op->getNumRegions() == 0 && isMemoryEffectFree(op)))
    return "";
  return ("'" + op->getName().getStringRef() + "' is not divided").str();
}

/// Blocks must not read what others write: global memory that the kernel reads
/// and writes is, both times, that of the same columns.
std::string RowSpreader::checkGlobal() {
  struct Touched {
    Value base;
    bool isWritten;
    std::optional<BufferRegion> columns;
  };
  SmallVector<Touched> touched;
  auto add = [&](Value buffer, bool isWritten,
                 std::optional<BufferRegion> columns = std::nullopt) {
    if (getMemorySpace(buffer) == MemorySpace::Global)
      touched.push_back({getBaseBuffer(buffer), isWritten, columns});
  };
  kernel.walk([&](Operation *op) {
    if (std::optional<Element> element = getElement(op))
      return add(element->buffer, element->isWritten);
    auto copy = dyn_cast<CopyOp>(op);
    if (!copy)
      return;
    BufferRegion source = copy.getSourceRegion(),
                 target = copy.getTargetRegion();
    bool isDivided = getColumns(source.buffer) || getColumns(target.buffer);
    add(source.buffer, false, isDivided ? std::optional(source) : std::nullopt);
    add(target.buffer, true, isDivided ? std::optional(target) : std::nullopt);
  });
  auto isSame = [](const BufferRegion &a, const BufferRegion &b) {
    return a.buffer == b.buffer && a.map == b.map && a.operands == b.operands &&
           a.sizes == b.sizes;
  };
  for (const Touched &written : touched)
    for (const Touched &other : touched)
      if (written.isWritten && !other.isWritten && written.base == other.base &&
          !(written.columns && other.columns &&
            isSame(*written.columns, *other.columns)))
        return "global memory is read and written";
  return "";
}

std::string RowSpreader::findObstacle(const ::tile::target::GPUSpec &gpu) {
  std::string obstacle = markReduced();
  // The grid gets one more dimension.
  if (kernel.getCluster() || kernel.getStaticGrid().size() > 2)
    return "the grid has clusters or three dimensions";
  // Clusters of a flattened grid would be no neighbours.
  if (flattensGrid(kernel, gpu))
    return "the grid is too long along y";
  if (kernel.getFacts() || kernel.getSharedBytes())
    return "the kernel is planned already";
  for (Operation &op : kernel.getBody().front())
    if (obstacle.empty())
      obstacle = checkOp(&op);
  return obstacle.empty() ? checkGlobal() : obstacle;
}

int64_t RowSpreader::countReductions() {
  return llvm::count_if(kernel.getBody().getOps<ReduceOp>(),
                        [&](ReduceOp reduce) {
                          return getColumns(reduce.getSource()).has_value();
                        });
}

bool RowSpreader::divides(int64_t blocks, int64_t vectorBytes) const {
  return llvm::all_of(tiles, [&](const auto &tile) {
    auto type = cast<MemRefType>(tile.first.getType());
    int64_t extent = type.getDimSize(tile.second);
    int64_t elements = 8 * vectorBytes / getElementBits(type);
    return extent % (blocks * std::max<int64_t>(elements, 1)) == 0;
  });
}

//===----------------------------------------------------------------------===//
// Dividing
//===----------------------------------------------------------------------===//

/// The index of a column of the whole row.
Value RowSpreader::offsetBy(OpBuilder &b, Location loc, Value index,
                            int64_t part) {
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  return affine::AffineApplyOp::create(
      b, loc, AffineMap::get(2, 0, d0 + d1 * part), ValueRange{index, rank});
}

/// The side in global memory begins at the columns of the block. Copies of
/// results that all blocks have are those of the first one.
void RowSpreader::spreadCopy(CopyOp copy) {
  BufferRegion source = copy.getSourceRegion(), target = copy.getTargetRegion();
  bool isLoad = getColumns(target.buffer).has_value();
  if (!isLoad && !getColumns(source.buffer)) {
    if (isTile(target.buffer))
      return;
    OpBuilder b(copy);
    Value zero = arith::ConstantIndexOp::create(b, copy.getLoc(), 0);
    Value isFirst = arith::CmpIOp::create(b, copy.getLoc(),
                                          arith::CmpIPredicate::eq, rank, zero);
    auto branch = scf::IfOp::create(b, copy.getLoc(), isFirst);
    copy->moveBefore(branch.thenYield());
    return;
  }
  if (isTile(source.buffer) && isTile(target.buffer))
    return;
  BufferRegion &tile = isLoad ? target : source;
  BufferRegion &global = isLoad ? source : target;
  unsigned dim = *getColumns(tile.buffer);
  unsigned own = *matchDim(tile, dim, global);
  int64_t part = global.sizes[own] / blocks;
  MLIRContext *context = copy.getContext();
  AffineMap map = global.map;
  if (!map)
    map = AffineMap::get(
        0, 0,
        SmallVector<AffineExpr>(global.sizes.size(),
                                getAffineConstantExpr(0, context)),
        context);
  // The number of the block is one more dimension of the map.
  SmallVector<AffineExpr> offsets(map.getResults());
  offsets[own] =
      offsets[own] + getAffineDimExpr(map.getNumDims(), context) * part;
  map = AffineMap::get(map.getNumDims() + 1, map.getNumSymbols(), offsets,
                       context);
  SmallVector<Value> operands(global.operands);
  operands.insert(operands.begin() + map.getNumDims() - 1, rank);
  global.sizes[own] = part;
  auto sizes = DenseI64ArrayAttr::get(context, global.sizes);
  if (isLoad) {
    copy.getSourceIndicesMutable().assign(operands);
    copy.setSourceMapAttr(AffineMapAttr::get(map));
    copy.setSourceSizesAttr(sizes);
    copy.removeTargetSizesAttr();
  } else {
    copy.getTargetIndicesMutable().assign(operands);
    copy.setTargetMapAttr(AffineMapAttr::get(map));
    copy.setTargetSizesAttr(sizes);
    copy.removeSourceSizesAttr();
  }
}

/// Tiles are indexed by the columns of the block, all else by those of the row.
void RowSpreader::spreadParallel(ParallelOp loop) {
  auto variables = findColumnVariables(loop, tiles);
  SmallVector<int64_t> extents(loop.getStaticExtents());
  OpBuilder b = OpBuilder::atBlockBegin(&loop.getBody().front());
  for (unsigned variable : variables) {
    int64_t part = extents[variable] / blocks;
    extents[variable] = part;
    Value own = loop.getBody().getArgument(variable);
    Value whole = offsetBy(b, loop.getLoc(), own, part);
    own.replaceUsesWithIf(whole, [&](OpOperand &use) {
      Operation *user = use.getOwner();
      std::optional<Element> element = getElement(user);
      return user != whole.getDefiningOp() &&
             !(element && getColumns(element->buffer));
    });
    if (whole.use_empty())
      whole.getDefiningOp()->erase();
  }
  loop.setStaticExtents(extents);
}

void RowSpreader::spread(int64_t count, int64_t threads) {
  blocks = count;
  SmallVector<int64_t> grid(kernel.getStaticGrid());
  SmallVector<int64_t> cluster(grid.size(), 1);
  grid.push_back(blocks);
  cluster.push_back(blocks);
  rank = kernel.getBody().addArgument(IndexType::get(kernel.getContext()),
                                      kernel.getLoc());
  kernel.setStaticGrid(grid);
  kernel.setCluster(ArrayRef<int64_t>(cluster));
  kernel.setThreads(threads);
  auto number = Builder(kernel.getContext()).getI64IntegerAttr(blocks);
  for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front())) {
    if (auto copy = dyn_cast<CopyOp>(op))
      spreadCopy(copy);
    else if (auto loop = dyn_cast<ParallelOp>(op))
      spreadParallel(loop);
    else if (isa<ReduceOp>(op) && getColumns(op.getOperand(0)))
      op.setAttr(kSpreadAttrName, number);
  }
  for (auto [buffer, dim] : tiles) {
    auto type = cast<MemRefType>(buffer.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] /= blocks;
    Value(buffer).setType(MemRefType::Builder(type).setShape(shape));
  }
}
