//===- Contractions.cpp - matrix products and convolutions ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops of a contraction are grouped: those of both operands and the result
// (batch), of the left operand (rows), of the right one (columns), and those
// that are summed over. Each group is one index that runs through its loops in
// their order, so that a convolution is a product whose left operand is
// gathered.
//
//===----------------------------------------------------------------------===//

#include "OnlineSoftmax.h"
#include "Parameters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

bool tile::collectLoops(linalg::LinalgOp op, Value value,
                        llvm::SmallBitVector &loops) {
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == op.getBlock()) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (op.isDpsInit(operand))
      return false;
    AffineMap map = op.getMatchingIndexingMap(operand);
    for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
      if (map.isFunctionOfDim(loop))
        loops.set(loop);
    return true;
  }
  Operation *inner = value.getDefiningOp();
  if (!inner || inner->getBlock() != op.getBlock())
    return true;
  if (auto index = dyn_cast<linalg::IndexOp>(inner))
    loops.set(index.getDim());
  return llvm::all_of(inner->getOperands(), [&](Value operand) {
    return isa<RankedTensorType>(operand.getType()) ||
           collectLoops(op, operand, loops);
  });
}

/// What is added to the result by the body, if nothing else happens to it.
static Value getAddend(linalg::LinalgOp op) {
  if (op->getNumResults() != 1 || op.getNumDpsInits() != 1)
    return {};
  Value accumulator = op.getRegionOutputArgs().front();
  Operation *add =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add) ||
      !accumulator.hasOneUse())
    return {};
  if (add->getOperand(0) == accumulator)
    return add->getOperand(1);
  return add->getOperand(1) == accumulator ? add->getOperand(0) : Value();
}

/// The element types of tile.gemm for two factors; strips conversions that lose
/// nothing.
static bool chooseTypes(Contraction &c) {
  Type type = c.lhs.getType();
  if (isa<FloatType>(type)) {
    auto strip = [](Value value) {
      auto extend = value.getDefiningOp<arith::ExtFOp>();
      return extend ? extend.getIn() : value;
    };
    Value lhs = strip(c.lhs), rhs = strip(c.rhs);
    if (lhs.getType() == rhs.getType()) {
      c.lhs = lhs;
      c.rhs = rhs;
    }
    c.operand = c.lhs.getType();
    c.sum = c.operand.isF64() ? c.operand
                              : Float32Type::get(c.operand.getContext());
    return c.operand.isF16() || c.operand.isBF16() || c.operand.isF32() ||
           c.operand.isF64();
  }
  auto strip = [](Value value, bool &isUnsigned) -> Value {
    Operation *op = value.getDefiningOp();
    isUnsigned = isa_and_nonnull<arith::ExtUIOp>(op);
    return isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(op)
               ? op->getOperand(0)
               : Value();
  };
  Value lhs = strip(c.lhs, c.lhsUnsigned), rhs = strip(c.rhs, c.rhsUnsigned);
  if (!type.isInteger(32) || !lhs || !rhs || !lhs.getType().isInteger(8) ||
      !rhs.getType().isInteger(8))
    return false;
  c.lhs = lhs;
  c.rhs = rhs;
  c.operand = lhs.getType();
  c.sum = type;
  return true;
}

void Contraction::swapSides() {
  std::swap(lhs, rhs);
  std::swap(m, n);
  std::swap(lhsUnsigned, rhsUnsigned);
}

bool Contraction::keepRow(unsigned loop) {
  if (!llvm::is_contained(m, loop))
    return false;
  for (unsigned other : m)
    if (other != loop)
      batch.push_back(other);
  m = {loop};
  return true;
}

static bool dependsOn(Value value, BlockArgument argument) {
  if (value == argument)
    return true;
  Operation *inner = value.getDefiningOp();
  return inner && inner->getBlock() == argument.getOwner() &&
         llvm::any_of(inner->getOperands(), [&](Value operand) {
           return dependsOn(operand, argument);
         });
}

bool Contraction::readsOnLeft(OpOperand &operand) const {
  linalg::LinalgOp given = op;
  return dependsOn(lhs, given.getMatchingBlockArgument(&operand));
}

bool Contraction::isMatrix(AffineMap access, bool isLeft) const {
  if (!access.isProjectedPermutation())
    return false;
  auto areNeighbours = [&](ArrayRef<unsigned> loops) {
    unsigned first = access.getNumResults(), last = 0;
    for (unsigned loop : loops) {
      auto place =
          access.getResultPosition(getAffineDimExpr(loop, access.getContext()));
      if (!place)
        return false;
      first = std::min(first, *place);
      last = std::max(last, *place);
    }
    return last + 1 - first == loops.size();
  };
  return areNeighbours(isLeft ? m : n) && areNeighbours(k);
}

std::optional<Contraction> tile::matchContraction(linalg::LinalgOp op) {
  std::string ignored;
  if (!hasElementForm(op, ignored) || op.getNumReductionLoops() == 0)
    return std::nullopt;
  Value addend = getAddend(op);
  Operation *product = addend ? addend.getDefiningOp() : nullptr;
  // A product that is rounded is one of its factors' type.
  if (auto extend = dyn_cast_or_null<arith::ExtFOp>(product))
    product = extend.getIn().getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product))
    return std::nullopt;
  Contraction c;
  c.op = op;
  c.lhs = product->getOperand(0);
  c.rhs = product->getOperand(1);
  unsigned count = op.getNumLoops();
  llvm::SmallBitVector lhs(count), rhs(count);
  if (!collectLoops(op, c.lhs, lhs) || !collectLoops(op, c.rhs, rhs) ||
      !chooseTypes(c))
    return std::nullopt;
  auto result = getElementTypeOrSelf(op->getResult(0));
  if (isa<IntegerType>(c.sum) && result != c.sum)
    return std::nullopt;
  // The innermost dimension of the result is one of the columns.
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (map.getNumResults() != 0) {
    unsigned last = map.getDimPosition(map.getNumResults() - 1);
    if (lhs.test(last) && !rhs.test(last)) {
      std::swap(lhs, rhs);
      c.swapSides();
    }
  }
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool inBoth = lhs.test(loop) && rhs.test(loop);
    if (kind == utils::IteratorType::reduction) {
      if (!inBoth)
        return std::nullopt;
      c.k.push_back(loop);
    } else if (inBoth) {
      c.batch.push_back(loop);
    } else if (lhs.test(loop)) {
      c.m.push_back(loop);
    } else if (rhs.test(loop)) {
      c.n.push_back(loop);
    } else {
      return std::nullopt;
    }
  }
  if (c.m.empty() || c.n.empty())
    return std::nullopt;
  return c;
}

//===----------------------------------------------------------------------===//
// One tile
//===----------------------------------------------------------------------===//

int64_t tile::chooseExtent(OpFoldResult extent, int64_t most) {
  std::optional<int64_t> number = getConstantIntValue(extent);
  if (!number)
    return most;
  return std::clamp<int64_t>(
      int64_t(llvm::PowerOf2Ceil(uint64_t(std::max<int64_t>(*number, 1)))), 16,
      most);
}

ProductEmitter::ProductEmitter(const Contraction &c, ElementBuilder &elements,
                               bool tf32)
    : c(c), op(c.op), elements(elements), tf32(tf32), loc(op.getLoc()) {
  OpBuilder &host = elements.getHost();
  sizes = elements.getLoopSizes(op);
  volumeM = getVolume(host, loc, select(c.m));
  volumeN = getVolume(host, loc, select(c.n));
  volumeK = getVolume(host, loc, select(c.k));
  tileM = chooseExtent(volumeM, 64);
  tileN = chooseExtent(volumeN, 64);
  tileK = chooseExtent(volumeK, 32);
}

/// Sets the loops of a group that is at `index`.
void ProductEmitter::place(OpBuilder &b, ArrayRef<unsigned> loops, Value index,
                           SmallVector<Value> &ivs) const {
  for (auto [loop, iv] :
       llvm::zip(loops, delinearize(b, loc, index, select(loops))))
    ivs[loop] = iv;
}

SmallVector<Value> ProductEmitter::getBatchIvs(ArrayRef<Value> offsets) const {
  SmallVector<Value> ivs(sizes.size());
  for (auto [loop, offset] : llvm::zip(c.batch, offsets))
    ivs[loop] = offset;
  return ivs;
}

SmallVector<Value> ProductEmitter::getIvs(OpBuilder &b, ArrayRef<Value> offsets,
                                          Value m, Value n) const {
  SmallVector<Value> ivs = getBatchIvs(offsets);
  place(b, c.m, m, ivs);
  place(b, c.n, n, ivs);
  return ivs;
}

/// Goes from a tensor to one that differs in unit dimensions alone, and from
/// the map of an access to that of the other tensor.
static bool skipUnitDims(Value &tensor, AffineMap &map) {
  Operation *reshape = tensor.getDefiningOp();
  if (!isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(reshape))
    return false;
  bool isCollapse = isa<tensor::CollapseShapeOp>(reshape);
  Value source = reshape->getOperand(0);
  auto longer =
      cast<RankedTensorType>((isCollapse ? source : tensor).getType());
  auto groups =
      isCollapse
          ? cast<tensor::CollapseShapeOp>(reshape).getReassociationIndices()
          : cast<tensor::ExpandShapeOp>(reshape).getReassociationIndices();
  AffineExpr zero = getAffineConstantExpr(0, map.getContext());
  SmallVector<AffineExpr> results(
      cast<RankedTensorType>(source.getType()).getRank(), zero);
  for (auto [i, group] : llvm::enumerate(groups)) {
    int64_t kept = -1;
    for (int64_t dim : group) {
      if (longer.getDimSize(dim) == 1)
        continue;
      if (kept >= 0)
        return false;
      kept = dim;
    }
    if (kept >= 0)
      results[isCollapse ? kept : int64_t(i)] =
          map.getResult(isCollapse ? i : kept);
  }
  tensor = source;
  map = AffineMap::get(map.getNumDims(), 0, results, map.getContext());
  return true;
}

/// The tensor that one side is unchanged, and how it is indexed.
std::optional<std::pair<Value, AffineMap>>
ProductEmitter::getMatrix(const Side &side) {
  auto argument = dyn_cast<BlockArgument>(side.value);
  if (!argument || argument.getOwner() != op.getBlock())
    return std::nullopt;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  Value tensor = operand->get();
  AffineMap map = op.getMatchingIndexingMap(operand);
  if (!isa<RankedTensorType>(tensor.getType()))
    return std::nullopt;
  while (!elements.isBound(tensor) && skipUnitDims(tensor, map))
    ;
  return std::pair(tensor, map);
}

/// Whether a side is a matrix in memory, with the rows or columns in one
/// dimension and what is summed over in another. Says which comes first.
bool ProductEmitter::isCopied(Side &side) {
  auto matrix = getMatrix(side);
  if (!matrix || side.outer.size() != 1 || c.k.size() != 1 ||
      elements.isBound(matrix->first))
    return false;
  Operation *source = matrix->first.getDefiningOp();
  if (source && (isElementwise(source) || matchPattern(source, m_Constant())))
    return false;
  AffineMap map = matrix->second;
  if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
    return false;
  auto find = [&](unsigned loop) {
    return map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
  };
  auto outer = find(side.outer.front()), inner = find(c.k.front());
  if (!outer || !inner)
    return false;
  side.transposed = *outer > *inner;
  return true;
}

Value tile::getPart(OpBuilder &b, Location loc, Value buffer,
                    ArrayRef<Value> places, const llvm::SmallBitVector &kept) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<OpFoldResult> offsets, sizes,
      strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!kept.test(dim)) {
      offsets.push_back(getAsOpFoldResult(places[dim]));
      sizes.push_back(b.getIndexAttr(1));
      continue;
    }
    offsets.push_back(b.getIndexAttr(0));
    sizes.push_back(memref::getMixedSize(b, loc, buffer, dim));
    shape.push_back(type.getDimSize(dim));
  }
  auto part = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  return memref::SubViewOp::create(b, loc, part, buffer, offsets, sizes,
                                   strides);
}

void ProductEmitter::copy(OpBuilder &b, const Side &side,
                          SmallVector<Value> ivs, Value outerOffset,
                          Value kOffset) {
  auto [tensor, map] = *getMatrix(side);
  ivs[side.outer.front()] = outerOffset;
  ivs[c.k.front()] = kOffset;
  SmallVector<Value> offsets;
  SmallVector<int64_t> extents;
  llvm::SmallBitVector taken(map.getNumResults());
  for (AffineExpr result : map.getResults()) {
    if (!isa<AffineDimExpr>(result)) {
      offsets.push_back(arith::ConstantIndexOp::create(b, loc, 0));
      extents.push_back(1);
      continue;
    }
    unsigned loop = cast<AffineDimExpr>(result).getPosition();
    bool isOuter = loop == side.outer.front(), isSum = loop == c.k.front();
    taken[offsets.size()] = isOuter || isSum;
    offsets.push_back(ivs[loop]);
    extents.push_back(isOuter ? side.outerTile.number
                      : isSum ? tileK.number
                              : 1);
  }
  Value buffer = elements.getBuffer(tensor);
  DenseI64ArrayAttr sizes = b.getDenseI64ArrayAttr(extents);
  // Sizes are no parameters: the copy takes those of the tile, from a matrix.
  if (side.outerTile.parameter || tileK.parameter) {
    sizes = {};
    if (taken.find_first() + 2 != int(taken.size())) {
      buffer = getPart(b, loc, buffer, offsets, taken);
      SmallVector<Value> kept;
      for (unsigned dim : taken.set_bits())
        kept.push_back(offsets[dim]);
      offsets = std::move(kept);
    }
  }
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(offsets.size(), b.getContext());
  CopyOp::create(b, loc, buffer, offsets, side.tile, ValueRange(),
                 AffineMapAttr::get(identity), sizes, AffineMapAttr(),
                 DenseI64ArrayAttr(), /*is_unsigned=*/false,
                 /*saturate=*/false, InstructionAttr(), IntegerAttr(),
                 TransferAttr(), Value());
}

void ProductEmitter::gather(OpBuilder &b, const Side &side,
                            ArrayRef<Value> batch, Value outerOffset,
                            Value kOffset, const Hooks &hooks) {
  createParallel(
      b, loc, getTileShape(side), [&](OpBuilder &b, ValueRange local) {
        Value outer = local[side.transposed ? 1 : 0];
        Value inner = local[side.transposed ? 0 : 1];
        Value k = addIndex(b, loc, kOffset, OpFoldResult(inner));
        SmallVector<Value> ivs(batch);
        place(b, side.outer, addIndex(b, loc, outerOffset, OpFoldResult(outer)),
              ivs);
        place(b, c.k, k, ivs);
        if (hooks.place)
          hooks.place(b, outer, inner);
        IRMapping known;
        Value value = elements.getInBody(b, op, side.value, ivs, known,
                                         /*widened=*/false);
        // What is beyond the last product adds nothing.
        if (!tileK.divides(volumeK)) {
          Value inside = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::ult, k, asValue(b, loc, volumeK));
          Value zero =
              arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
          value = arith::SelectOp::create(b, loc, inside, value, zero);
        }
        memref::StoreOp::create(b, loc, value, side.tile, local);
      });
}

ProductEmitter::Side ProductEmitter::getLeft() {
  Side side{c.lhs, c.m, tileM, /*transposed=*/false, /*copied=*/false, {}};
  side.copied = isCopied(side);
  return side;
}

ProductEmitter::Side ProductEmitter::getRight() {
  Side side{c.rhs, c.n, tileN, /*transposed=*/true, /*copied=*/false, {}};
  side.copied = isCopied(side);
  return side;
}

SmallVector<Choice> ProductEmitter::getTileShape(const Side &side) const {
  if (side.transposed)
    return {tileK, side.outerTile};
  return {side.outerTile, tileK};
}

void ProductEmitter::allocate(OpBuilder &b, Side &side) {
  side.tile =
      createTile(b, loc, getTileShape(side), c.operand, MemorySpace::Shared);
}

void ProductEmitter::load(OpBuilder &b, const Side &side,
                          ArrayRef<Value> offsets, Value kOffset,
                          const Hooks &hooks) {
  size_t count = c.batch.size();
  SmallVector<Value> batch = getBatchIvs(offsets);
  Value outer = offsets[side.outer == ArrayRef(c.m) ? count : count + 1];
  if (side.copied)
    copy(b, side, batch, outer, kOffset);
  else
    gather(b, side, batch, outer, kOffset, hooks);
}

void ProductEmitter::multiply(OpBuilder &b, const Side &lhs, const Side &rhs,
                              Value accumulator, bool clear) {
  GemmOp::create(b, loc, lhs.tile, rhs.tile, accumulator, Value(),
                 lhs.transposed, /*transpose_b=*/!rhs.transposed, clear,
                 c.lhsUnsigned, c.rhsUnsigned,
                 /*async=*/false, WarpPolicy::Square,
                 tf32 && c.operand.isF32() ? Precision::TF32 : Precision::IEEE,
                 InstructionAttr(), MmaAttr());
}

void ProductEmitter::emit(OpBuilder &b, ArrayRef<Value> offsets,
                          Value accumulator, const Hooks &hooks) {
  Side lhs = getLeft(), rhs = getRight();
  allocate(b, lhs);
  allocate(b, rhs);
  FillOp::create(b, loc, accumulator,
                 arith::ConstantOp::create(b, loc, b.getZeroAttr(c.sum)));
  createPipelined(b, elements.getHost(), loc, volumeK, tileK,
                  lhs.copied && rhs.copied ? 3 : 1,
                  [&](OpBuilder &b, Value offset) {
                    if (hooks.prepare)
                      hooks.prepare(b, offset);
                    load(b, lhs, offsets, offset, hooks);
                    load(b, rhs, offsets, offset);
                    multiply(b, lhs, rhs, accumulator, /*clear=*/false);
                  });
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
/// Writes the kernel of one contraction.
class ContractionEmitter {
public:
  ContractionEmitter(const Contraction &c, const RowGroup *group,
                     const Chain &chain, bool tf32,
                     KernelParameters &parameters)
      : c(c), op(c.op), group(group), chain(chain), tf32(tf32),
        parameters(parameters), loc(op.getLoc()),
        root(chain.empty() ? op.getOperation() : chain.back()) {}
  void run();

private:
  void store(OpBuilder &b, ProductEmitter &product, const Outputs &outputs,
             Value accumulator, ArrayRef<Value> offsets);

  const Contraction &c;
  linalg::LinalgOp op;
  const RowGroup *group;
  bool copyResult(OpBuilder &b, const Outputs &outputs, Value accumulator,
                  ArrayRef<Value> offsets);
  void fitTiles(ProductEmitter &product, AttentionChoices &choices,
                ElementBuilder &elements);
  AttentionChoices chooseTiles(OpBuilder &b, ProductEmitter &product,
                               ElementBuilder &elements,
                               const std::optional<OnlineSoftmax> &online);

  const Chain &chain;
  bool tf32;
  KernelParameters &parameters;
  Location loc;
  Operation *root;
};
} // namespace

Value ProductEmitter::finish(OpBuilder &b, const Chain &chain, Value sum,
                             ValueRange ivs, SmallVector<Value> &at) {
  Value result = op->getResult(0);
  Type element = getElementTypeOrSelf(result);
  Value init = elements.getOperand(b, op, *op.getDpsInitOperand(0), ivs);
  if (isa<FloatType>(element)) {
    if (!matchPattern(init, m_AnyZeroFloat()))
      sum = arith::AddFOp::create(b, loc, sum,
                                  convertFloat(b, loc, init, sum.getType()));
    sum = convertFloat(b, loc, sum, element);
  } else if (!matchPattern(init, m_Zero())) {
    sum = arith::AddIOp::create(b, loc, sum, init);
  }
  at =
      applyMap(b, loc, op.getMatchingIndexingMap(op.getDpsInitOperand(0)), ivs);
  elements.bind(result, [=](OpBuilder &, Location, ValueRange) { return sum; });
  at = followChain(elements, b, loc, result, chain, at);
  Value end = chain.empty() ? result : chain.back()->getResult(0);
  return elements.get(b, loc, end, at);
}

bool tile::startsAtZero(linalg::LinalgOp op) {
  auto fill = op.getDpsInits().front().getDefiningOp<linalg::FillOp>();
  return fill && (matchPattern(fill.getInputs().front(), m_AnyZeroFloat()) ||
                  matchPattern(fill.getInputs().front(), m_Zero()));
}

/// The loops that index what the chain's end stores, if the chain moves
/// elements and does nothing else.
static std::optional<SmallVector<unsigned>> getStoredLoops(linalg::LinalgOp op,
                                                           const Chain &chain) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!map.isProjectedPermutation())
    return std::nullopt;
  SmallVector<unsigned> loops;
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
    loops.push_back(map.getDimPosition(dim));
  Value value = op->getResult(0);
  for (Operation *next : chain) {
    auto moving = dyn_cast<linalg::LinalgOp>(next);
    OpOperand &use = *value.use_begin();
    if (!moving || moving.getBlock()->getTerminator()->getOperand(0) !=
                       moving.getMatchingBlockArgument(&use))
      return std::nullopt;
    AffineMap from = moving.getMatchingIndexingMap(&use);
    SmallVector<unsigned> moved;
    for (AffineExpr loop :
         moving.getMatchingIndexingMap(moving.getDpsInitOperand(0))
             .getResults())
      moved.push_back(loops[*from.getResultPosition(loop)]);
    loops = std::move(moved);
    value = next->getResult(0);
  }
  return loops;
}

/// Copies the tile to the matrix that it is a part of, if the sum, converted,
/// is the result.
bool ContractionEmitter::copyResult(OpBuilder &b, const Outputs &outputs,
                                    Value accumulator,
                                    ArrayRef<Value> offsets) {
  std::optional<SmallVector<unsigned>> loops = getStoredLoops(op, chain);
  if (!loops || !startsAtZero(op) || c.m.size() != 1 || c.n.size() != 1)
    return false;
  size_t count = c.batch.size();
  SmallVector<Value> places;
  llvm::SmallBitVector kept(loops->size());
  for (auto [dim, loop] : llvm::enumerate(*loops)) {
    bool isRow = loop == c.m.front(), isColumn = loop == c.n.front();
    if (isRow && kept.any())
      return false;
    kept[dim] = isRow || isColumn;
    places.push_back(
        offsets[isRow      ? count
                : isColumn ? count + 1
                           : llvm::find(c.batch, loop) - c.batch.begin()]);
  }
  Value part = outputs.getBuffer(0);
  if (places.size() > 2)
    part = getPart(b, loc, part, places, kept);
  CopyOp::create(b, loc, accumulator, ValueRange(), part, offsets.take_back(2),
                 AffineMapAttr(), DenseI64ArrayAttr(),
                 AffineMapAttr::get(b.getMultiDimIdentityMap(2)),
                 DenseI64ArrayAttr(), /*is_unsigned=*/false,
                 /*saturate=*/false, InstructionAttr(), IntegerAttr(),
                 TransferAttr(), Value());
  return true;
}

void ContractionEmitter::store(OpBuilder &b, ProductEmitter &product,
                               const Outputs &outputs, Value accumulator,
                               ArrayRef<Value> offsets) {
  if (copyResult(b, outputs, accumulator, offsets))
    return;
  size_t count = c.batch.size();
  createParallel(
      b, loc, {product.tileM, product.tileN},
      [&](OpBuilder &b, ValueRange local) {
        Value m = addIndex(b, loc, offsets[count], OpFoldResult(local[0]));
        Value n = addIndex(b, loc, offsets[count + 1], OpFoldResult(local[1]));
        Value value = memref::LoadOp::create(b, loc, accumulator, local);
        // Coordinates beyond the last one of a group would be those of another
        // row.
        Value inside;
        for (auto [index, extent, tile] :
             {std::tuple(m, product.volumeM, product.tileM),
              std::tuple(n, product.volumeN, product.tileN)}) {
          if (tile.divides(extent))
            continue;
          Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                             index, asValue(b, loc, extent));
          inside = inside ? arith::AndIOp::create(b, loc, inside, fits) : fits;
        }
        OpBuilder::InsertionGuard guard(b);
        if (inside) {
          auto branch = scf::IfOp::create(b, loc, inside, /*withElse=*/false);
          b.setInsertionPointToStart(branch.thenBlock());
        }
        SmallVector<Value> at;
        value = product.finish(b, chain, value,
                               product.getIvs(b, offsets, m, n), at);
        outputs.store(b, loc, 0, value, at);
      });
}

/// Makes tiles smaller, of wide types and long heads, until those of one step
/// fit the shared memory.
void ContractionEmitter::fitTiles(ProductEmitter &product,
                                  AttentionChoices &choices,
                                  ElementBuilder &elements) {
  int64_t depth = 0;
  for (const Contraction &scores : group->products) {
    OpFoldResult sum = ProductEmitter(scores, elements, tf32).volumeK;
    std::optional<int64_t> extent = getConstantIntValue(sum);
    depth += extent && *extent <= kWholeSum ? chooseExtent(sum, kWholeSum) : 32;
  }
  int64_t rows = product.tileM.number, columns = product.tileK.number;
  int64_t bytes = c.operand.getIntOrFloatBitWidth() / 8;
  auto isLarge = [&] {
    return bytes * ((rows + columns) * depth + columns * product.tileN.number +
                    rows * columns) >
           parameters.getSharedBytes();
  };
  while (isLarge() && columns > 32)
    columns /= 2;
  while (isLarge() && rows > 16)
    rows /= 2;
  product.tileM = choices.queries = rows;
  product.tileK = choices.keys = columns;
}

/// The tiles of the product, and what else the kernel has to choose.
AttentionChoices
ContractionEmitter::chooseTiles(OpBuilder &b, ProductEmitter &product,
                                ElementBuilder &elements,
                                const std::optional<OnlineSoftmax> &online) {
  AttentionChoices choices{product.tileM, product.tileK, 2, 128};
  if (!group)
    return choices;
  product.tileN = chooseExtent(product.volumeN, 256);
  product.tileK = choices.keys = chooseExtent(product.volumeK, kColumnTile);
  if (online)
    fitTiles(product, choices, elements);
  std::optional<int64_t> keys = getConstantIntValue(product.volumeK);
  bool isNarrow = c.operand.getIntOrFloatBitWidth() == 16;
  if (!online || !isNarrow || group->products.size() != 1 ||
      (keys && *keys <= kColumnTile) || !product.getRight().copied)
    return choices;
  ProductEmitter scores(group->products.front(), elements, tf32);
  std::optional<int64_t> depth = getConstantIntValue(scores.volumeK);
  if (!depth || *depth > kWholeSum || !scores.getLeft().copied ||
      !scores.getRight().copied)
    return choices;
  OpFoldResult heads = getVolume(b, loc, product.select(c.batch));
  choices = parameters.getAttention(
      product, heads, std::max(*depth, product.tileN.number), c.operand);
  product.tileM = choices.queries;
  product.tileK = choices.keys;
  if (choices.threads.parameter && !choices.isShared)
    RequireOp::create(
        b, loc,
        arith::CmpIOp::create(
            b, loc, arith::CmpIPredicate::sle, choices.threads.get(b, loc),
            arith::MulIOp::create(b, loc, choices.queries.get(b, loc),
                                  arith::ConstantIndexOp::create(b, loc, 2))),
        "a warp has at least 16 queries");
  return choices;
}

void ContractionEmitter::run() {
  OpBuilder b(root);
  Outputs outputs(b, root);
  ElementBuilder elements(root);
  ProductEmitter product(c, elements, tf32);
  std::optional<RowStages> stages;
  std::optional<OnlineSoftmax> online;
  if (group)
    online = matchOnlineSoftmax(*group, c);
  AttentionChoices choices = chooseTiles(b, product, elements, online);
  SmallVector<OpFoldResult> shape = product.select(c.batch);
  SmallVector<Choice> tile(shape.size(), 1);
  shape.append({product.volumeM, product.volumeN});
  tile.append({product.tileM, product.tileN});
  TiledKernel tiled = createTiledKernel(b, loc, shape, tile, choices.threads);
  elements.moveHost(tiled.kernel);
  b = OpBuilder::atBlockEnd(&tiled.kernel.getBody().front());
  ProductEmitter::Hooks hooks;
  Value accumulator = createTile(b, loc, {product.tileM, product.tileN}, c.sum,
                                 MemorySpace::Fragment);
  if (group) {
    ArrayRef<Value> rows = ArrayRef(tiled.offsets).drop_back();
    stages.emplace(*group, elements, rows, product.tileM, tf32, product.tileK);
  }
  if (online && !stages->getColumns(op).isSingle) {
    emitOnlineSoftmax(b, *online, *stages, product, tiled.offsets, accumulator,
                      choices.stages);
  } else if (group) {
    if (!stages->getColumns(op).isSingle)
      remark::missed(loc, remark::RemarkOpts::name("RecomputedScores")
                              .category("convert-linalg-to-tile"))
          << remark::reason("what is between the products is no softmax of "
                            "the scores, which are computed anew for each "
                            "reduction");
    stages->emitReductions(b);
    hooks.prepare = [&](OpBuilder &b, Value offset) {
      stages->prepare(b, op, offset);
    };
    hooks.place = [&](OpBuilder &b, Value row, Value column) {
      stages->setPlace(b, row, column);
    };
    product.emit(b, tiled.offsets, accumulator, hooks);
  } else {
    product.emit(b, tiled.offsets, accumulator);
  }
  store(b, product, outputs, accumulator, tiled.offsets);
  OpBuilder behind(root);
  outputs.finish(behind);
}

void tile::emitContraction(const Contraction &contraction,
                           const RowGroup *group, const Chain &chain, bool tf32,
                           KernelParameters &parameters) {
  ContractionEmitter(contraction, group, chain, tf32, parameters).run();
}
