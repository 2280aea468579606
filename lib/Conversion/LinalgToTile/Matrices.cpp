//===- Matrices.cpp - products of matrices in memory
//------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If both operands are matrices in memory, dimensions of one group are
// collapsed into one, in host code, so that tiles of any size can be copied.
// Tiles have the sizes of parameters.
//
//===----------------------------------------------------------------------===//

#include "Parameters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

bool tile::isInMemory(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    tensor = op->getOperand(0);
    op = tensor.getDefiningOp();
  }
  return !op || (!isElementwise(op) && !matchPattern(op, m_Constant()));
}

/// Takes the loops from the front of the dimensions that are left, in the
/// order in which they stand there.
static bool takeGroup(ArrayRef<unsigned> &dims, unsigned &next,
                      SmallVector<unsigned> &loops, MatrixView &view) {
  if (dims.size() < loops.size())
    return false;
  SmallVector<unsigned> found(dims.take_front(loops.size()));
  if (!std::is_permutation(found.begin(), found.end(), loops.begin()))
    return false;
  loops = found;
  dims = dims.drop_front(loops.size());
  ReassociationIndices &group = view.groups.emplace_back();
  for (size_t i = 0; i < loops.size(); ++i)
    group.push_back(next++);
  return true;
}

/// The dimensions of an access, if they are the batch loops in their order and
/// then the two groups of a matrix. Orders the loops of the groups.
static bool matchView(AffineMap map, ArrayRef<unsigned> batch,
                      SmallVector<unsigned> &outer,
                      SmallVector<unsigned> &inner, MatrixView &view) {
  if (!map.isProjectedPermutation())
    return false;
  SmallVector<unsigned> loops;
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    loops.push_back(map.getDimPosition(i));
  ArrayRef<unsigned> dims = loops;
  unsigned next = 0;
  for (unsigned loop : batch) {
    if (dims.empty() || dims.front() != loop)
      return false;
    dims = dims.drop_front();
    view.groups.push_back({next++});
  }
  view.transposed = !dims.empty() && llvm::is_contained(inner, dims.front());
  return takeGroup(dims, next, view.transposed ? inner : outer, view) &&
         takeGroup(dims, next, view.transposed ? outer : inner, view) &&
         dims.empty();
}

bool tile::matchMatrix(linalg::LinalgOp op, Value value,
                       ArrayRef<unsigned> batch, SmallVector<unsigned> &outer,
                       SmallVector<unsigned> &inner, MatrixView &view) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock())
    return false;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  view.tensor = operand->get();
  return isa<RankedTensorType>(view.tensor.getType()) &&
         isInMemory(view.tensor) &&
         matchView(op.getMatchingIndexingMap(operand), batch, outer, inner,
                   view);
}

Value tile::getMatrixView(ElementBuilder &elements, Location loc,
                          const MatrixView &view) {
  Value buffer = elements.getBuffer(view.tensor);
  auto type = cast<MemRefType>(buffer.getType());
  if (int64_t(view.groups.size()) == type.getRank())
    return buffer;
  return memref::CollapseShapeOp::create(elements.getHost(), loc, buffer,
                                         view.groups);
}

bool tile::keepsOrder(const Chain &chain) {
  return llvm::all_of(chain, [](Operation *op) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp)
      return true;
    AffineMap result =
        linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0));
    // Of the chain, the operand; others may be anything.
    return llvm::all_of(linalgOp.getDpsInputOperands(), [&](OpOperand *use) {
      AffineMap map = linalgOp.getMatchingIndexingMap(use);
      return !map.isPermutation() || map == result;
    });
  });
}

Value ProductEmitter::finishTile(
    OpBuilder &b, const Chain &chain, Value sum, ArrayRef<Choice> shape,
    function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> getIvs) {
  if (startsAtZero(op) && llvm::all_of(chain, [](Operation *next) {
        return !isa<linalg::LinalgOp>(next);
      }))
    return sum;
  Operation *end = chain.empty() ? op.getOperation() : chain.back();
  Type element = getElementTypeOrSelf(end->getResult(0));
  // A float goes where its sum was; the copy rounds it, which has been done.
  bool isInPlace = element == c.sum || (isa<FloatType>(element) &&
                                        element.getIntOrFloatBitWidth() <
                                            c.sum.getIntOrFloatBitWidth());
  Value tile = isInPlace
                   ? sum
                   : createTile(b, loc, shape, element, MemorySpace::Fragment);
  createParallel(b, loc, shape, [&](OpBuilder &b, ValueRange local) {
    Value value = memref::LoadOp::create(b, loc, sum, local);
    SmallVector<Value> at;
    value = finish(b, chain, value, getIvs(b, local), at);
    if (isa<FloatType>(element))
      value = convertFloat(b, loc, convertFloat(b, loc, value, element),
                           isInPlace ? c.sum : element);
    memref::StoreOp::create(b, loc, value, tile, local);
  });
  return tile;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
class MatrixEmitter {
public:
  MatrixEmitter(const Contraction &c, const Chain &chain, bool tf32)
      : c(c), op(c.op), chain(chain), tf32(tf32), loc(op.getLoc()),
        root(chain.empty() ? op.getOperation() : chain.back()), elements(root) {
  }
  /// Whether there is such a kernel; orders the loops.
  bool match();
  void run(KernelParameters &parameters);

private:
  std::optional<Value> getResultView(const Outputs &outputs);
  KernelOp createKernel(OpBuilder &b);
  void copy(OpBuilder &b, Value from, Value to, Value buffer, Value row,
            Value column, const Choice &rows, const Choice &columns);
  void store(OpBuilder &b, const Outputs &outputs, std::optional<Value> matrix,
             Value sum);
  void require(OpBuilder &b);

  Contraction c;
  linalg::LinalgOp op;
  const Chain &chain;
  bool tf32;
  Location loc;
  Operation *root;
  ElementBuilder elements;
  std::optional<ProductEmitter> product;
  ProductChoices choices;
  MatrixView lhs, rhs, result;
  SmallVector<Value> batch; ///< of the block
  Value row, column;        ///< of the block, in tiles
};
} // namespace

bool MatrixEmitter::match() {
  SmallVector<unsigned> k = c.k;
  return matchMatrix(op, c.lhs, c.batch, c.m, k, lhs) &&
         (c.k = k, matchMatrix(op, c.rhs, c.batch, c.n, k, rhs)) && c.k == k;
}

/// The result as such a view, if the kernel can copy tiles to it.
std::optional<Value> MatrixEmitter::getResultView(const Outputs &outputs) {
  SmallVector<unsigned> m = c.m, n = c.n;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!matchView(map, c.batch, m, n, result) || m != c.m || n != c.n ||
      result.transposed || !keepsOrder(chain))
    return std::nullopt;
  Value buffer = outputs.getBuffer(0);
  auto type = cast<MemRefType>(buffer.getType());
  bool isReshaped = llvm::any_of(
      chain, [](Operation *next) { return !isa<linalg::LinalgOp>(next); });
  if (isReshaped) {
    auto given = cast<RankedTensorType>(op->getResult(0).getType());
    if (!given.hasStaticShape() || !type.hasStaticShape())
      return std::nullopt;
    SmallVector<int64_t> shape;
    for (const ReassociationIndices &group : result.groups) {
      shape.push_back(1);
      for (int64_t dim : group)
        shape.back() *= given.getDimSize(dim);
    }
    if (llvm::equal(shape, type.getShape()))
      return buffer;
    auto target = MemRefType::get(shape, type.getElementType());
    auto groups = getReassociationIndicesForReshape(type, target);
    if (!groups || type.getRank() <= target.getRank())
      return std::nullopt;
    result.groups = *groups;
  }
  if (int64_t(result.groups.size()) == type.getRank())
    return buffer;
  OpBuilder b(root);
  return memref::CollapseShapeOp::create(b, loc, buffer, result.groups)
      .getResult();
}

/// A kernel with blocks for columns, rows and batches.
KernelOp MatrixEmitter::createKernel(OpBuilder &b) {
  SmallVector<Value> grid;
  for (auto [volume, choice] : {std::pair(product->volumeN, choices.columns),
                                std::pair(product->volumeM, choices.rows)})
    grid.push_back(arith::CeilDivSIOp::create(b, loc, asValue(b, loc, volume),
                                              choice.get(b, loc)));
  if (!c.batch.empty())
    grid.push_back(
        asValue(b, loc, getVolume(b, loc, product->select(c.batch))));
  SmallVector<int64_t> extents(grid.size(), ShapedType::kDynamic);
  auto kernel = KernelOp::create(b, loc, grid, extents, /*threads=*/128,
                                 DenseI64ArrayAttr(), IntegerAttr(),
                                 /*persistent_grid=*/false, ArrayAttr());
  setChoice(kernel, kernel.getThreadsAttrName(), choices.threads);
  OpBuilder inner(b.getContext());
  Block *body = inner.createBlock(
      &kernel.getBody(), {}, SmallVector<Type>(grid.size(), b.getIndexType()),
      SmallVector<Location>(grid.size(), loc));
  column = body->getArgument(0);
  row = body->getArgument(1);
  if (!c.batch.empty())
    batch =
        delinearize(inner, loc, body->getArgument(2), product->select(c.batch));
  return kernel;
}

/// Copies between a tile and a tile of a matrix; `buffer` is the one in memory.
void MatrixEmitter::copy(OpBuilder &b, Value from, Value to, Value buffer,
                         Value row, Value column, const Choice &rows,
                         const Choice &columns) {
  unsigned count = batch.size();
  SmallVector<AffineExpr> offsets;
  for (unsigned i = 0; i < count; ++i)
    offsets.push_back(b.getAffineDimExpr(i));
  offsets.push_back(b.getAffineDimExpr(count) * b.getAffineSymbolExpr(0));
  offsets.push_back(b.getAffineDimExpr(count + 1) * b.getAffineSymbolExpr(1));
  auto map =
      AffineMapAttr::get(AffineMap::get(count + 2, 2, offsets, b.getContext()));
  SmallVector<Value> indices(batch);
  indices.append({row, column, rows.get(b, loc), columns.get(b, loc)});
  bool isLoad = buffer == from;
  CopyOp::create(b, loc, from, isLoad ? ValueRange(indices) : ValueRange(), to,
                 isLoad ? ValueRange() : ValueRange(indices),
                 isLoad ? map : AffineMapAttr(), DenseI64ArrayAttr(),
                 isLoad ? AffineMapAttr() : map, DenseI64ArrayAttr(),
                 /*is_unsigned=*/false, /*saturate=*/false, InstructionAttr(),
                 IntegerAttr(), TransferAttr(), Value());
}

void MatrixEmitter::store(OpBuilder &b, const Outputs &outputs,
                          std::optional<Value> matrix, Value sum) {
  SmallVector<Choice> shape{choices.rows, choices.columns};
  AffineExpr place =
      b.getAffineDimExpr(0) * b.getAffineSymbolExpr(0) + b.getAffineDimExpr(1);
  auto getIndex = [&](OpBuilder &b, Value block, Value index,
                      const Choice &choice) -> Value {
    return affine::AffineApplyOp::create(
        b, loc, AffineMap::get(2, 1, place),
        ValueRange{block, index, choice.get(b, loc)});
  };
  if (matrix) {
    Value tile = product->finishTile(
        b, chain, sum, shape, [&](OpBuilder &b, ValueRange local) {
          return product->getIvs(
              b, batch, getIndex(b, row, local[0], choices.rows),
              getIndex(b, column, local[1], choices.columns));
        });
    return copy(b, tile, *matrix, *matrix, row, column, choices.rows,
                choices.columns);
  }
  createParallel(b, loc, shape, [&](OpBuilder &b, ValueRange local) {
    Value m = getIndex(b, row, local[0], choices.rows);
    Value n = getIndex(b, column, local[1], choices.columns);
    Value value = memref::LoadOp::create(b, loc, sum, local);
    // Coordinates beyond the last one of a group would be those of another row.
    Value insideM = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, m,
                                          asValue(b, loc, product->volumeM));
    Value insideN = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, n,
                                          asValue(b, loc, product->volumeN));
    OpBuilder::InsertionGuard guard(b);
    auto branch = scf::IfOp::create(
        b, loc, arith::AndIOp::create(b, loc, insideM, insideN),
        /*withElse=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> at;
    value =
        product->finish(b, chain, value, product->getIvs(b, batch, m, n), at);
    outputs.store(b, loc, 0, value, at);
  });
}

/// What no chip can do, so that a tuner need not try it.
void MatrixEmitter::require(OpBuilder &b) {
  if (!choices.threads.parameter || choices.isShared)
    return;
  auto constant = [&](int64_t number) {
    return arith::ConstantIndexOp::create(b, loc, number);
  };
  Value threads = choices.threads.get(b, loc), rows = choices.rows.get(b, loc);
  Value elements =
      arith::MulIOp::create(b, loc, rows, choices.columns.get(b, loc));
  Value most = arith::MulIOp::create(b, loc, threads, constant(128));
  RequireOp::create(
      b, loc,
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, elements, most),
      "a thread has at most 128 sums");
  Value twice = arith::MulIOp::create(b, loc, rows, constant(2));
  RequireOp::create(
      b, loc,
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, twice, threads),
      "four warps have at least 64 rows");
}

void MatrixEmitter::run(KernelParameters &parameters) {
  OpBuilder b(root);
  Outputs outputs(b, root);
  product.emplace(c, elements, tf32);
  choices = parameters.get(
      *product, getVolume(b, loc, product->select(c.batch)), c.operand, tf32);
  std::optional<Value> matrix = getResultView(outputs);
  require(b);
  KernelOp kernel = createKernel(b);
  elements.moveHost(kernel);
  OpBuilder host(kernel),
      inner = OpBuilder::atBlockEnd(&kernel.getBody().front());
  Value from = getMatrixView(elements, loc, lhs),
        other = getMatrixView(elements, loc, rhs);
  Value steps = arith::CeilDivSIOp::create(host, loc,
                                           asValue(host, loc, product->volumeK),
                                           choices.depth.get(host, loc));
  ProductEmitter::Side left = product->getLeft(), right = product->getRight();
  left.transposed = lhs.transposed;
  right.transposed = rhs.transposed;
  auto allocate = [&](ProductEmitter::Side &side, const Choice &outer) {
    side.tile = side.transposed ? createTile(inner, loc, {choices.depth, outer},
                                             c.operand, MemorySpace::Shared)
                                : createTile(inner, loc, {outer, choices.depth},
                                             c.operand, MemorySpace::Shared);
  };
  allocate(left, choices.rows);
  allocate(right, choices.columns);
  Value sum = createTile(inner, loc, {choices.rows, choices.columns}, c.sum,
                         MemorySpace::Fragment);
  RasterizeOp::create(inner, loc, 8, RasterOrder::Row);
  FillOp::create(inner, loc, sum,
                 arith::ConstantOp::create(inner, loc, b.getZeroAttr(c.sum)));
  auto loop = PipelinedOp::create(
      inner, loc, steps, ArrayRef<int64_t>{0, ShapedType::kDynamic, 1},
      /*stages=*/3, DenseI64ArrayAttr(), DenseI64ArrayAttr());
  setChoice(loop, loop.getStagesAttrName(), choices.stages);
  OpBuilder step(b.getContext());
  Value k = step.createBlock(&loop.getBody(), {}, b.getIndexType(), loc)
                ->getArgument(0);
  auto load = [&](const ProductEmitter::Side &side, Value buffer, Value outer,
                  const Choice &extent) {
    if (side.transposed)
      copy(step, buffer, side.tile, buffer, k, outer, choices.depth, extent);
    else
      copy(step, buffer, side.tile, buffer, outer, k, extent, choices.depth);
  };
  load(left, from, row, choices.rows);
  load(right, other, column, choices.columns);
  product->multiply(step, left, right, sum, /*clear=*/false);
  inner.setInsertionPointAfter(loop);
  store(inner, outputs, matrix, sum);
  OpBuilder behind(root);
  outputs.finish(behind);
}

bool tile::emitMatrixProduct(const Contraction &contraction, const Chain &chain,
                             bool tf32, KernelParameters &parameters) {
  MatrixEmitter emitter(contraction, chain, tf32);
  if (!emitter.match())
    return false;
  emitter.run(parameters);
  return true;
}
