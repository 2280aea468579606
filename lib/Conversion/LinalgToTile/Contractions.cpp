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

#include "Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

/// The loops that a value in the body depends on; false where it depends on the
/// result.
static bool collectLoops(linalg::LinalgOp op, Value value,
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
      std::swap(c.lhs, c.rhs);
      std::swap(c.lhsUnsigned, c.rhsUnsigned);
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
// Code
//===----------------------------------------------------------------------===//

namespace {
/// Writes the kernel of one contraction.
class ContractionEmitter {
public:
  ContractionEmitter(const Contraction &c, const Chain &chain, bool tf32)
      : c(c), op(c.op), chain(chain), tf32(tf32), loc(op.getLoc()),
        root(chain.empty() ? op.getOperation() : chain.back()) {}
  void run();

private:
  struct Side {
    Value value;              ///< in the body
    ArrayRef<unsigned> outer; ///< rows or columns
    OpFoldResult outerExtent;
    Value outerOffset;
    int64_t outerTile;
  };

  SmallVector<OpFoldResult> select(ArrayRef<unsigned> loops) const {
    return llvm::map_to_vector(loops, [&](unsigned l) { return sizes[l]; });
  }
  /// Sets the loops of a group that is at `index`.
  void place(OpBuilder &b, ArrayRef<unsigned> loops, Value index,
             SmallVector<Value> &ivs) const {
    for (auto [loop, iv] :
         llvm::zip(loops, delinearize(b, loc, index, select(loops))))
      ivs[loop] = iv;
  }
  OpOperand *getMatrix(const Side &side);
  bool isCopied(const Side &side, bool &transposed);
  void load(OpBuilder &b, const Side &side, Value tile, bool transposed,
            bool copied, Value kOffset);
  void storeAccumulator(OpBuilder &b, const Outputs &outputs, Value accumulator,
                        ArrayRef<Value> offsets);

  const Contraction &c;
  linalg::LinalgOp op;
  const Chain &chain;
  bool tf32;
  Location loc;
  Operation *root;
  SmallVector<OpFoldResult> sizes;
  OpFoldResult volumeM, volumeN, volumeK;
  int64_t tileM, tileN, tileK;
  SmallVector<Value> batchIvs;
  ElementBuilder *elements = nullptr;
};
} // namespace

/// A tile for an extent: 64, or the next power of two that covers it.
static int64_t chooseExtent(OpFoldResult extent, int64_t most) {
  std::optional<int64_t> number = getConstantIntValue(extent);
  if (!number)
    return most;
  return std::clamp<int64_t>(
      int64_t(llvm::PowerOf2Ceil(uint64_t(std::max<int64_t>(*number, 1)))), 16,
      most);
}

/// The operand that one side is, unchanged.
OpOperand *ContractionEmitter::getMatrix(const Side &side) {
  auto argument = dyn_cast<BlockArgument>(side.value);
  if (!argument || argument.getOwner() != op.getBlock())
    return nullptr;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  return isa<RankedTensorType>(operand->get().getType()) ? operand : nullptr;
}

/// Whether a side is a matrix in memory, with the rows or columns in one
/// dimension and what is summed over in another.
bool ContractionEmitter::isCopied(const Side &side, bool &transposed) {
  OpOperand *operand = getMatrix(side);
  if (!operand || side.outer.size() != 1 || c.k.size() != 1)
    return false;
  Operation *source = operand->get().getDefiningOp();
  if (source && (isElementwise(source) || matchPattern(source, m_Constant())))
    return false;
  AffineMap map = op.getMatchingIndexingMap(operand);
  if (!map.isProjectedPermutation())
    return false;
  auto find = [&](unsigned loop) {
    return map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
  };
  auto outer = find(side.outer.front()), inner = find(c.k.front());
  if (!outer || !inner)
    return false;
  transposed = *outer > *inner;
  return true;
}

void ContractionEmitter::load(OpBuilder &b, const Side &side, Value tile,
                              bool transposed, bool copied, Value kOffset) {
  if (copied) {
    OpOperand *operand = getMatrix(side);
    AffineMap map = op.getMatchingIndexingMap(operand);
    SmallVector<Value> ivs(batchIvs), offsets;
    ivs[side.outer.front()] = side.outerOffset;
    ivs[c.k.front()] = kOffset;
    SmallVector<int64_t> extents;
    for (AffineExpr result : map.getResults()) {
      unsigned loop = cast<AffineDimExpr>(result).getPosition();
      offsets.push_back(ivs[loop]);
      extents.push_back(loop == side.outer.front() ? side.outerTile
                        : loop == c.k.front()      ? tileK
                                                   : 1);
    }
    AffineMap identity =
        AffineMap::getMultiDimIdentityMap(offsets.size(), b.getContext());
    CopyOp::create(b, loc, elements->getBuffer(operand->get()), offsets, tile,
                   ValueRange(), AffineMapAttr::get(identity),
                   b.getDenseI64ArrayAttr(extents), AffineMapAttr(),
                   DenseI64ArrayAttr(), /*is_unsigned=*/false,
                   /*saturate=*/false, InstructionAttr(), IntegerAttr(),
                   TransferAttr(), Value());
    return;
  }
  SmallVector<int64_t> shape{side.outerTile, tileK};
  if (transposed)
    std::swap(shape[0], shape[1]);
  createParallel(b, loc, shape, [&](OpBuilder &b, ValueRange local) {
    Value row = addIndex(b, loc, side.outerOffset,
                         OpFoldResult(local[transposed ? 1 : 0]));
    Value k = addIndex(b, loc, kOffset, OpFoldResult(local[transposed ? 0 : 1]));
    SmallVector<Value> ivs(batchIvs);
    place(b, side.outer, row, ivs);
    place(b, c.k, k, ivs);
    IRMapping known;
    Value value = elements->getInBody(b, op, side.value, ivs, known, false);
    // What is beyond the last product adds nothing.
    std::optional<int64_t> extent = getConstantIntValue(volumeK);
    if (!extent || *extent % tileK != 0) {
      Value inside =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, k,
                                asValue(b, loc, volumeK));
      Value zero =
          arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
      value = arith::SelectOp::create(b, loc, inside, value, zero);
    }
    memref::StoreOp::create(b, loc, value, tile, local);
  });
}

void ContractionEmitter::storeAccumulator(OpBuilder &b, const Outputs &outputs,
                                          Value accumulator,
                                          ArrayRef<Value> offsets) {
  Value result = op->getResult(0);
  Type element = getElementTypeOrSelf(result);
  createParallel(b, loc, {tileM, tileN}, [&](OpBuilder &b, ValueRange local) {
    SmallVector<Value> ivs(batchIvs);
    Value m = addIndex(b, loc, offsets[0], OpFoldResult(local[0]));
    Value n = addIndex(b, loc, offsets[1], OpFoldResult(local[1]));
    Value value = memref::LoadOp::create(b, loc, accumulator, local);
    // Coordinates beyond the last one of a group would be those of another row.
    Value inside;
    for (auto [index, extent, tile] :
         {std::tuple(m, volumeM, tileM), std::tuple(n, volumeN, tileN)}) {
      std::optional<int64_t> number = getConstantIntValue(extent);
      if (number && *number % tile == 0)
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
    place(b, c.m, m, ivs);
    place(b, c.n, n, ivs);
    Value init = elements->getOperand(b, op, *op.getDpsInitOperand(0), ivs);
    if (isa<FloatType>(element)) {
      if (!matchPattern(init, m_AnyZeroFloat()))
        value = arith::AddFOp::create(
            b, loc, value, convertFloat(b, loc, init, value.getType()));
      value = convertFloat(b, loc, value, element);
    } else if (!matchPattern(init, m_Zero())) {
      value = arith::AddIOp::create(b, loc, value, init);
    }
    SmallVector<Value> at = applyMap(
        b, loc, op.getMatchingIndexingMap(op.getDpsInitOperand(0)), ivs);
    elements->bind(result, [=](OpBuilder &, Location, ValueRange) {
      return value;
    });
    at = followChain(*elements, b, loc, result, chain, at);
    outputs.store(b, loc, 0,
                  elements->get(b, loc, root->getResult(0), at), at);
  });
}

void ContractionEmitter::run() {
  OpBuilder b(root);
  Outputs outputs(b, root);
  for (Range range : op.createLoopRanges(b, loc))
    sizes.push_back(range.size);
  volumeM = getVolume(b, loc, select(c.m));
  volumeN = getVolume(b, loc, select(c.n));
  volumeK = getVolume(b, loc, select(c.k));
  tileM = chooseExtent(volumeM, 64);
  tileN = chooseExtent(volumeN, 64);
  tileK = chooseExtent(volumeK, 32);

  SmallVector<OpFoldResult> shape = select(c.batch);
  SmallVector<int64_t> tile(shape.size(), 1);
  shape.append({volumeM, volumeN});
  tile.append({tileM, tileN});
  TiledKernel tiled = createTiledKernel(b, loc, shape, tile);
  ElementBuilder builder(tiled.kernel);
  elements = &builder;
  batchIvs.assign(sizes.size(), Value());
  for (auto [loop, offset] : llvm::zip(c.batch, tiled.offsets))
    batchIvs[loop] = offset;
  auto offsets = ArrayRef(tiled.offsets).take_back(2);

  Side lhs{c.lhs, c.m, volumeM, offsets[0], tileM};
  Side rhs{c.rhs, c.n, volumeN, offsets[1], tileN};
  // Gathered operands are K × N, M × K: as their elements are often stored.
  bool lhsTransposed = false, rhsTransposed = true;
  bool lhsCopied = isCopied(lhs, lhsTransposed);
  bool rhsCopied = isCopied(rhs, rhsTransposed);
  // isCopied says whether the sum comes first, which is the plain form of rhs.
  bool rhsPlain = rhsTransposed;
  b = OpBuilder::atBlockEnd(&tiled.kernel.getBody().front());
  auto extents = [](int64_t first, int64_t second, bool swap) {
    return swap ? SmallVector<int64_t>{second, first}
                : SmallVector<int64_t>{first, second};
  };
  Value a = createTile(b, loc, extents(tileM, tileK, lhsTransposed), c.operand,
                       MemorySpace::Shared);
  Value w = createTile(b, loc, extents(tileN, tileK, rhsPlain), c.operand,
                       MemorySpace::Shared);
  Value accumulator = createTile(b, loc, {tileM, tileN}, c.sum,
                                 MemorySpace::Fragment);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(c.sum));
  FillOp::create(b, loc, accumulator, zero);

  std::optional<int64_t> number = getConstantIntValue(volumeK);
  SmallVector<Value> dynamic;
  int64_t steps = ShapedType::kDynamic;
  if (number) {
    steps = llvm::divideCeil(*number, tileK);
  } else {
    OpBuilder host(tiled.kernel);
    dynamic.push_back(arith::CeilDivUIOp::create(
        host, loc, cast<Value>(volumeK),
        arith::ConstantIndexOp::create(host, loc, tileK)));
  }
  int64_t stages = lhsCopied && rhsCopied ? 3 : 1;
  auto loop = PipelinedOp::create(b, loc, dynamic,
                                  ArrayRef<int64_t>{0, steps, 1}, stages,
                                  DenseI64ArrayAttr(), DenseI64ArrayAttr());
  OpBuilder inner(b.getContext());
  Block *body = inner.createBlock(&loop.getBody(), {}, b.getIndexType(), loc);
  Value kOffset = mulIndex(inner, loc, body->getArgument(0),
                           b.getIndexAttr(tileK));
  load(inner, lhs, a, lhsTransposed, lhsCopied, kOffset);
  load(inner, rhs, w, rhsPlain, rhsCopied, kOffset);
  GemmOp::create(inner, loc, a, w, accumulator, Value(), lhsTransposed,
                 /*transpose_b=*/!rhsPlain, /*clear=*/false, c.lhsUnsigned,
                 c.rhsUnsigned, /*async=*/false, WarpPolicy::Square,
                 tf32 && c.operand.isF32() ? Precision::TF32 : Precision::IEEE,
                 InstructionAttr(), MmaAttr());
  storeAccumulator(b, outputs, accumulator, offsets);
  OpBuilder behind(root);
  outputs.finish(behind);
}

void tile::emitContraction(const Contraction &contraction, const Chain &chain,
                           bool tf32) {
  ContractionEmitter(contraction, chain, tf32).run();
}
