//===- OnlineSoftmax.cpp - attention in one pass over the keys ------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnlineSoftmax.h"

#include "Approximate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

namespace {
/// Looks at the values in the bodies of a group's ops.
class Matcher {
public:
  Matcher(const RowGroup &group, const Contraction &last)
      : group(group), last(last) {
    for (const Reduction &r : group.reductions)
      reductions.insert(r.op);
  }
  std::optional<OnlineSoftmax> run();

private:
  using Ops = llvm::SmallSetVector<Operation *, 4>;
  void collect(Value tensor, Ops &found) const;
  Ops collect(linalg::LinalgOp op, Value value) const;
  bool isRowOnly(linalg::LinalgOp op, Value value) const;
  linalg::LinalgOp getProducer(linalg::LinalgOp op, Value value) const;
  bool addStep(linalg::LinalgOp op, Operation *inner, unsigned operand,
               SmallVector<LinearStep> &path);
  bool follow(linalg::LinalgOp op, Value value, SmallVector<LinearStep> &path);
  bool matchExponential(linalg::LinalgOp op, Operation *exp);
  bool matchMaximum();

  const RowGroup &group;
  const Contraction &last;
  DenseSet<Operation *> reductions;
  OnlineSoftmax online;
};
} // namespace

/// The reductions of the group that an element of the tensor depends on.
void Matcher::collect(Value tensor, Ops &found) const {
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return;
  if (reductions.contains(op)) {
    found.insert(op);
    return;
  }
  if (!isElementwise(op))
    return;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        collect(operand, found);
  });
}

Matcher::Ops Matcher::collect(linalg::LinalgOp op, Value value) const {
  Ops found;
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (isa<RankedTensorType>(next.getType())) {
      collect(next, found);
    } else if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() == op.getBlock())
        collect(op.getMatchingOpOperand(argument)->get(), found);
    } else if (next.getDefiningOp()->getBlock() == op.getBlock()) {
      llvm::append_range(open, next.getDefiningOp()->getOperands());
    }
  }
  return found;
}

/// Whether the value is the same in all columns.
bool Matcher::isRowOnly(linalg::LinalgOp op, Value value) const {
  llvm::SmallBitVector loops(op.getNumLoops());
  auto columns = group.columns.find(op);
  if (!collectLoops(op, value, loops) || columns == group.columns.end())
    return false;
  return llvm::none_of(columns->second,
                       [&](int loop) { return loop >= 0 && loops.test(loop); });
}

/// The element-wise op of the group that yields what a body reads.
linalg::LinalgOp Matcher::getProducer(linalg::LinalgOp op, Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock())
    return {};
  auto source = op.getMatchingOpOperand(argument)
                    ->get()
                    .getDefiningOp<linalg::LinalgOp>();
  if (!source || !isElementwise(source) || !group.rows.contains(source) ||
      source->getNumResults() != 1)
    return {};
  auto isUnknown = [](int loop) { return loop < 0; };
  return llvm::any_of(group.rows.find(source)->second, isUnknown) ||
                 llvm::any_of(group.columns.find(source)->second, isUnknown)
             ? linalg::LinalgOp()
             : source;
}

bool Matcher::addStep(linalg::LinalgOp op, Operation *inner, unsigned operand,
                      SmallVector<LinearStep> &path) {
  bool isLate = false;
  for (auto [i, other] : llvm::enumerate(inner->getOperands()))
    isLate |= i != operand && !collect(op, other).empty();
  for (auto [i, other] : llvm::enumerate(inner->getOperands()))
    if (isLate && i != operand && !isRowOnly(op, other))
      return false;
  path.push_back({op, inner, operand, isLate});
  return true;
}

/// Goes from a value to the exponential, which must be the only one.
bool Matcher::follow(linalg::LinalgOp op, Value value,
                     SmallVector<LinearStep> &path) {
  if (linalg::LinalgOp source = getProducer(op, value))
    return follow(source, source.getBlock()->getTerminator()->getOperand(0),
                  path);
  Operation *inner = value.getDefiningOp();
  if (!inner || inner->getBlock() != op.getBlock())
    return false;
  if (isa<math::ExpOp, math::Exp2Op>(inner))
    return matchExponential(op, inner);
  SmallVector<unsigned> operands;
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::DivFOp>(inner))
    operands = {0};
  else if (isa<arith::MulFOp>(inner))
    operands = {0, 1};
  else if (auto select = dyn_cast<arith::SelectOp>(inner)) {
    if (matchPattern(select.getFalseValue(), m_AnyZeroFloat()))
      operands = {1};
    else if (matchPattern(select.getTrueValue(), m_AnyZeroFloat()))
      operands = {2};
  }
  for (unsigned operand : operands) {
    size_t length = path.size();
    if (follow(op, inner->getOperand(operand), path))
      return addStep(op, inner, operand, path);
    path.truncate(length);
  }
  return false;
}

/// exp(score - shift), or one whose exponent has a constant factor.
bool Matcher::matchExponential(linalg::LinalgOp op, Operation *exp) {
  if (!online.exponential.empty())
    return online.exponential.back() == exp;
  SmallVector<Operation *> chain{exp};
  for (;;) {
    Value operand = chain.back()->getOperand(0);
    auto times = dyn_cast<arith::MulFOp>(chain.back());
    if (times && !matchPattern(times.getRhs(), m_Constant()))
      return false;
    Operation *inner = operand.getDefiningOp();
    if (!inner || inner->getBlock() != op.getBlock())
      return false;
    chain.push_back(inner);
    if (auto difference = dyn_cast<arith::SubFOp>(inner)) {
      online.op = op;
      online.score = difference.getLhs();
      online.shift = difference.getRhs();
      std::reverse(chain.begin(), chain.end());
      online.exponential = std::move(chain);
      return true;
    }
    if (!isa<arith::MulFOp>(inner))
      return false;
  }
}

/// Without the conversions of a float.
static Value stripConversions(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The tensor whose element a value in the body is.
static Value getReadTensor(linalg::LinalgOp op, Value value) {
  auto argument = dyn_cast<BlockArgument>(stripConversions(value));
  if (!argument || argument.getOwner() != op.getBlock())
    return {};
  return op.getMatchingOpOperand(argument)->get();
}

/// Whether the shift is known from the maximum of the scores alone.
bool Matcher::matchMaximum() {
  Ops found = collect(online.op, online.shift);
  if (found.size() != 1 || !isRowOnly(online.op, online.shift) ||
      !collect(online.op, online.score).empty())
    return false;
  for (const Reduction &r : group.reductions) {
    if (r.op != found.front())
      continue;
    online.max = &r;
    Value scores = getReadTensor(online.op, online.score);
    return r.kind == ReduceKind::Max && isa<FloatType>(r.value.getType()) &&
           scores && scores == getReadTensor(r.op, r.value);
  }
  return false;
}

std::optional<OnlineSoftmax> Matcher::run() {
  if (!follow(last.op, last.lhs, online.left) || !matchMaximum())
    return std::nullopt;
  for (const Reduction &r : group.reductions) {
    Ops inits;
    linalg::LinalgOp op = r.op;
    collect(op.getDpsInits().front(), inits);
    if (!inits.empty())
      return std::nullopt;
    if (collect(op, r.value).empty())
      continue;
    SmallVector<LinearStep> path;
    if (r.kind != ReduceKind::Sum || !follow(op, r.value, path) ||
        llvm::any_of(path, [](const LinearStep &step) { return step.isLate; }))
      return std::nullopt;
    online.sums[op] = std::move(path);
  }
  return std::move(online);
}

std::optional<OnlineSoftmax> tile::matchOnlineSoftmax(const RowGroup &group,
                                                      const Contraction &last) {
  return Matcher(group, last).run();
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

namespace {
/// A product that gives scores.
struct ScoreProduct {
  const Contraction *product;
  ProductEmitter emitter;
  Value tile;
  ProductEmitter::Side left, right; ///< with tiles if the sum is one step
};

class OnlineEmitter {
public:
  OnlineEmitter(const OnlineSoftmax &online, RowStages &stages,
                ProductEmitter &last, ArrayRef<Value> offsets,
                Value accumulator, const Choice &stageCount)
      : online(online), stages(stages), elements(stages.getElements()),
        group(stages.getGroup()), last(last), offsets(offsets),
        accumulator(accumulator), loc(group.last->getLoc()), rows(last.tileM),
        width(last.tileK), stageCount(stageCount) {}
  void run(OpBuilder &b);

private:
  void addProducts(OpBuilder &b);
  void multiply(OpBuilder &b, ScoreProduct &scores, Value offset);
  bool readsScores() const;
  void createTiles(OpBuilder &b);
  Value getNumber(OpBuilder &b, Type type, double value);
  Value getExponential(OpBuilder &b, Value score, Value shift);
  Value follow(OpBuilder &b, ArrayRef<LinearStep> path, Value value,
               Value column);
  void combineScores(OpBuilder &b, Value offset);
  void fade(OpBuilder &b);
  void weigh(OpBuilder &b);
  void fadeTile(OpBuilder &b, Value tile, ArrayRef<Choice> shape);
  void addSum(OpBuilder &b, const Reduction &r, Value offset);
  void makeLeft(OpBuilder &b, Value offset);
  void finish(OpBuilder &b);
  bool isFree(const Reduction &r) const { return !online.sums.contains(r.op); }
  Value getTarget(const Reduction &r) { return targets[r.op]; }

  const OnlineSoftmax &online;
  RowStages &stages;
  ElementBuilder &elements;
  const RowGroup &group;
  ProductEmitter &last;
  ArrayRef<Value> offsets;
  Value accumulator;
  Location loc;
  Choice rows, width, stageCount;

  SmallVector<ScoreProduct, 1> products;
  DenseMap<Operation *, Value> targets, tiles; ///< of the reductions
  Value weights;                               ///< the exponentials
  Value before, shifts, fades;
  ProductEmitter::Side right;
  Value left;
};
} // namespace

void OnlineEmitter::addProducts(OpBuilder &b) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  for (const Contraction &product : group.products) {
    ScoreProduct scores{&product,
                        ProductEmitter(product, elements, stages.useTF32()),
                        {},
                        {},
                        {}};
    ProductEmitter &emitter = scores.emitter;
    emitter.tileM = rows;
    emitter.tileN = width;
    scores.tile =
        createTile(b, loc, {rows, width}, product.sum, MemorySpace::Fragment);
    std::optional<int64_t> sum = getConstantIntValue(emitter.volumeK);
    if (sum && *sum <= kWholeSum) {
      emitter.tileK = chooseExtent(emitter.volumeK, kWholeSum);
      scores.left = emitter.getLeft();
      scores.right = emitter.getRight();
      emitter.allocate(b, scores.left);
      emitter.allocate(b, scores.right);
      emitter.load(b, scores.left, stages.getOffsets(product, zero), zero);
    }
    stages.bindProduct(product, scores.tile);
    products.push_back(std::move(scores));
  }
}

void OnlineEmitter::multiply(OpBuilder &b, ScoreProduct &scores, Value offset) {
  ProductEmitter &emitter = scores.emitter;
  if (scores.left.tile)
    emitter.multiply(b, scores.left, scores.right, scores.tile,
                     /*clear=*/true);
  else
    emitter.emit(b, stages.getOffsets(*scores.product, offset), scores.tile);
}

Value OnlineEmitter::getNumber(OpBuilder &b, Type type, double value) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

Value OnlineEmitter::getExponential(OpBuilder &b, Value score, Value shift) {
  Value value;
  ArrayRef<Operation *> chain = online.exponential;
  auto clone = [&](Operation *op, ValueRange operands) {
    Operation *copy = b.clone(*op);
    for (auto [i, operand] : llvm::enumerate(operands))
      copy->setOperand(i, operand);
    for (OpOperand &operand : copy->getOpOperands())
      if (Operation *inner = operand.get().getDefiningOp();
          inner && inner->getBlock() == op->getBlock())
        operand.set(OpBuilder(copy).clone(*inner)->getResult(0)); // a constant
    return copy->getResult(0);
  };
  auto contracts = [](Operation *op) {
    return hasFastMath(op, arith::FastMathFlags::contract);
  };
  // (score - shift) * factor as score * factor - shift * factor, of which the
  // second is known for a row. Its rounding would not do for numbers that hide.
  if (chain.size() > 2 && areScaledProducts(*online.max) &&
      isa<arith::MulFOp>(chain[1]) &&
      llvm::all_of(chain.take_front(2), contracts)) {
    Value scaled = clone(chain[1], {shift});
    Value factor = scaled.getDefiningOp()->getOperand(1);
    Value negated = arith::NegFOp::create(b, loc, scaled);
    value = math::FmaOp::create(b, loc, score, factor, negated);
    chain = chain.drop_front(2);
  } else {
    value = clone(chain.front(), {score, shift});
    chain = chain.drop_front();
  }
  for (Operation *op : chain)
    value = clone(op, {value});
  return value;
}

/// What becomes of an exponential in the columns, without the late steps.
Value OnlineEmitter::follow(OpBuilder &b, ArrayRef<LinearStep> path,
                            Value value, Value column) {
  for (const LinearStep &step : path) {
    if (step.isLate)
      continue;
    IRMapping known;
    SmallVector<Value> ivs = stages.getIvs(b, step.op, column), operands;
    for (auto [i, operand] : llvm::enumerate(step.inner->getOperands()))
      operands.push_back(i == step.operand
                             ? value
                             : elements.getInBody(b, step.op, operand, ivs,
                                                  known, /*widened=*/false));
    Operation *copy = b.clone(*step.inner);
    copy->setOperands(operands);
    value = copy->getResult(0);
  }
  return value;
}

/// The running maximum, and what else needs no exponential.
void OnlineEmitter::combineScores(OpBuilder &b, Value offset) {
  CopyOp::create(b, loc, getTarget(*online.max), ValueRange(), before,
                 ValueRange(), AffineMapAttr(), DenseI64ArrayAttr(),
                 AffineMapAttr(), DenseI64ArrayAttr(), /*is_unsigned=*/false,
                 /*saturate=*/false, InstructionAttr(), IntegerAttr(),
                 TransferAttr(), Value());
  for (const Reduction &r : group.reductions)
    if (isFree(r))
      stages.combine(b, r, tiles[r.op], getTarget(r), offset);
}

/// By how much what was summed counts less, now that the maximum has grown.
void OnlineEmitter::fade(OpBuilder &b) {
  createParallel(b, loc, {rows}, [&](OpBuilder &b, ValueRange local) {
    stages.setPlace(b, local[0], Value());
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    SmallVector<Value> ivs = stages.getIvs(b, online.op, zero);
    auto getShift = [&](Value tile) {
      stages.bindReduction(*online.max, tile);
      IRMapping known;
      return elements.getInBody(b, online.op, online.shift, ivs, known,
                                /*widened=*/false);
    };
    Value old = getShift(before), now = getShift(getTarget(*online.max));
    Type type = now.getType();
    double infinity = std::numeric_limits<double>::infinity();
    // Rows without a score have nothing to lose, and no infinity to subtract.
    Value lowest = getNumber(b, type, -infinity);
    Value none =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, now, lowest);
    now = arith::SelectOp::create(b, loc, none, getNumber(b, type, 0), now);
    Value factor = getExponential(b, old, now);
    Value most = memref::LoadOp::create(b, loc, before, local[0]);
    Value isFirst =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, most,
                              getNumber(b, most.getType(), -infinity));
    factor = arith::SelectOp::create(b, loc, isFirst,
                                     getNumber(b, factor.getType(), 0), factor);
    memref::StoreOp::create(b, loc, now, shifts, local[0]);
    memref::StoreOp::create(
        b, loc, convertFloat(b, loc, factor, getElementTypeOrSelf(fades)),
        fades, local[0]);
  });
}

/// The exponentials of a tile. Columns past the end have the lowest score.
void OnlineEmitter::weigh(OpBuilder &b) {
  Type type = online.score.getType();
  createParallel(b, loc, {rows, width}, [&](OpBuilder &b, ValueRange local) {
    Value score = memref::LoadOp::create(b, loc, tiles[online.max->op], local);
    Value shift = memref::LoadOp::create(b, loc, shifts, local[0]);
    Value weight = getExponential(b, convertFloat(b, loc, score, type), shift);
    memref::StoreOp::create(b, loc, weight, weights, local);
  });
}

void OnlineEmitter::fadeTile(OpBuilder &b, Value tile, ArrayRef<Choice> shape) {
  Type type = getElementTypeOrSelf(tile);
  createParallel(b, loc, shape, [&](OpBuilder &b, ValueRange local) {
    Value value = memref::LoadOp::create(b, loc, tile, local);
    Value factor = memref::LoadOp::create(b, loc, fades, local[0]);
    factor = convertFloat(b, loc, factor, type);
    value = arith::MulFOp::create(b, loc, value, factor);
    memref::StoreOp::create(b, loc, value, tile, local);
  });
}

void OnlineEmitter::addSum(OpBuilder &b, const Reduction &r, Value offset) {
  Value target = getTarget(r), tile = tiles[r.op];
  fadeTile(b, target, {rows});
  if (tile != weights)
    createParallel(b, loc, {rows, width}, [&](OpBuilder &b, ValueRange local) {
      stages.setPlace(b, local[0], local[1]);
      Value column = addIndex(b, loc, offset, OpFoldResult(local[1]));
      Value value = memref::LoadOp::create(b, loc, weights, local);
      value = follow(b, online.sums.find(r.op)->second, value, column);
      memref::StoreOp::create(
          b, loc, convertFloat(b, loc, value, getElementTypeOrSelf(tile)), tile,
          local);
    });
  ReduceOp::create(b, loc, ReduceKind::Sum, tile, target, /*dim=*/1,
                   /*combine=*/true, /*propagate_nan=*/false,
                   /*is_unsigned=*/false);
}

/// The left operand of the last product, without what is known at the end.
void OnlineEmitter::makeLeft(OpBuilder &b, Value offset) {
  createParallel(b, loc, {rows, width}, [&](OpBuilder &b, ValueRange local) {
    stages.setPlace(b, local[0], local[1]);
    Value column = addIndex(b, loc, offset, OpFoldResult(local[1]));
    Value value = memref::LoadOp::create(b, loc, weights, local);
    value = follow(b, online.left, value, column);
    memref::StoreOp::create(
        b, loc, convertFloat(b, loc, value, getElementTypeOrSelf(left)), left,
        local);
  });
}

/// The late steps, as one factor of each row.
void OnlineEmitter::finish(OpBuilder &b) {
  for (const Reduction &r : group.reductions) {
    stages.bindReduction(r, getTarget(r));
    if (&r != online.max)
      stages.combineInit(b, r, getTarget(r));
  }
  Type type = getElementTypeOrSelf(accumulator);
  createParallel(b, loc, {rows}, [&](OpBuilder &b, ValueRange local) {
    stages.setPlace(b, local[0], Value());
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value factor = getNumber(b, type, 1);
    for (const LinearStep &step : online.left) {
      if (!step.isLate)
        continue;
      SmallVector<Value> ivs = stages.getIvs(b, step.op, zero);
      auto get = [&](unsigned operand) {
        IRMapping known;
        return elements.getInBody(b, step.op, step.inner->getOperand(operand),
                                  ivs, known, /*widened=*/false);
      };
      if (isa<arith::SelectOp>(step.inner)) {
        Value none = getNumber(b, type, 0);
        factor = arith::SelectOp::create(b, loc, get(0),
                                         step.operand == 1 ? factor : none,
                                         step.operand == 1 ? none : factor);
        continue;
      }
      Value other = convertFloat(b, loc, get(1 - step.operand), type);
      if (isa<arith::DivFOp>(step.inner))
        factor = arith::DivFOp::create(b, loc, factor, other);
      else
        factor = arith::MulFOp::create(b, loc, factor, other);
    }
    // The mean of nothing is not computed: the product has no term.
    if (!getConstantIntValue(last.volumeK)) {
      Value none = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                         asValue(b, loc, last.volumeK), zero);
      factor =
          arith::SelectOp::create(b, loc, none, getNumber(b, type, 1), factor);
    }
    memref::StoreOp::create(
        b, loc, convertFloat(b, loc, factor, getElementTypeOrSelf(fades)),
        fades, local[0]);
  });
  fadeTile(b, accumulator, {rows, last.tileN});
}

/// Whether an element depends on a product of the group.
static bool dependsOnProduct(const RowGroup &group, linalg::LinalgOp op,
                             Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != op.getBlock())
      return false;
    Operation *source =
        op.getMatchingOpOperand(argument)->get().getDefiningOp();
    if (llvm::any_of(group.products, [&](const Contraction &product) {
          return product.op == source;
        }))
      return true;
    auto producer = dyn_cast_or_null<linalg::LinalgOp>(source);
    if (!source || !isElementwise(source))
      return false;
    // A reshape or slice of a score may be anywhere.
    if (!producer)
      return true;
    return llvm::any_of(producer.getBlock()->getTerminator()->getOperands(),
                        [&](Value yielded) {
                          return dependsOnProduct(group, producer, yielded);
                        });
  }
  Operation *inner = value.getDefiningOp();
  return inner->getBlock() == op.getBlock() &&
         llvm::any_of(inner->getOperands(), [&](Value operand) {
           return !isa<RankedTensorType>(operand.getType()) &&
                  dependsOnProduct(group, op, operand);
         });
}

/// Whether a step behind the exponential needs a score.
bool OnlineEmitter::readsScores() const {
  auto reads = [&](const LinearStep &step) {
    for (auto [i, operand] : llvm::enumerate(step.inner->getOperands()))
      if (i != step.operand && dependsOnProduct(group, step.op, operand))
        return true;
    return false;
  };
  return llvm::any_of(online.left, reads) ||
         llvm::any_of(online.sums, [&](const auto &entry) {
           return llvm::any_of(entry.second, reads);
         });
}

void OnlineEmitter::createTiles(OpBuilder &b) {
  auto makeTile = [&](ArrayRef<Choice> shape, Type type) {
    return createTile(b, loc, shape, type, MemorySpace::Fragment);
  };
  Type weight = online.exponential.back()->getResult(0).getType();
  before = makeTile({rows}, RowStages::getTileType(*online.max));
  shifts = makeTile({rows}, online.shift.getType());
  fades = makeTile({rows}, getElementTypeOrSelf(accumulator));
  // What hides or scales a score stands where the product was.
  bool isAlone = products.size() == 1 &&
                 llvm::count_if(group.reductions, [&](const Reduction &r) {
                   return isFree(r);
                 }) == 1;
  if (isAlone && !readsScores() &&
      getElementTypeOrSelf(products.front().tile) ==
          RowStages::getTileType(*online.max))
    tiles[online.max->op] = products.front().tile;
  for (const Reduction &r : group.reductions) {
    targets[r.op] = stages.createTarget(b, r);
    if (isFree(r) && !tiles.contains(r.op))
      tiles[r.op] = makeTile({rows, width}, RowStages::getTileType(r));
  }
  // An exponential is where its score was.
  weights = tiles[online.max->op];
  if (getElementTypeOrSelf(weights) != weight)
    weights = makeTile({rows, width}, weight);
  for (const auto &[op, path] : online.sums) {
    Type type = getElementTypeOrSelf(targets[op]);
    tiles[op] = path.empty() && type == weight ? weights
                                               : makeTile({rows, width}, type);
  }
  right = last.getRight();
  last.allocate(b, right);
  Type operand = getElementTypeOrSelf(right.tile);
  // Instructions that have a narrow left operand take it from registers.
  left = createTile(b, loc, {rows, width}, operand,
                    operand.getIntOrFloatBitWidth() < 32 ? MemorySpace::Fragment
                                                         : MemorySpace::Shared);
  FillOp::create(b, loc, accumulator,
                 getNumber(b, getElementTypeOrSelf(accumulator), 0));
}

void OnlineEmitter::run(OpBuilder &b) {
  stages.addColumns(online.op);
  for (const LinearStep &step : online.left)
    stages.addColumns(step.op);
  for (const auto &[op, path] : online.sums)
    for (const LinearStep &step : path)
      stages.addColumns(step.op);
  addProducts(b);
  createTiles(b);
  stages.combineInit(b, *online.max, getTarget(*online.max));
  bool isCopied = right.copied;
  for (const ScoreProduct &scores : products)
    isCopied &= scores.right.copied;
  // Tiles behind the diagonal of a causal mask have no weight.
  Value end;
  if (std::optional<int64_t> shift = matchCausalMask(group, *online.max)) {
    AffineExpr past = b.getAffineDimExpr(0) + b.getAffineSymbolExpr(0) + *shift;
    end = affine::AffineApplyOp::create(
        b, loc, AffineMap::get(1, 1, past),
        ValueRange{offsets[offsets.size() - 2], rows.get(b, loc)});
  }
  createPipelined(
      b, elements.getHost(), loc, last.volumeK, width,
      isCopied ? stageCount : Choice(1),
      [&](OpBuilder &b, Value offset) {
        for (ScoreProduct &scores : products)
          if (scores.right.tile)
            scores.emitter.load(b, scores.right,
                                stages.getOffsets(*scores.product, offset),
                                arith::ConstantIndexOp::create(b, loc, 0));
        last.load(b, right, offsets, offset);
        for (ScoreProduct &scores : products)
          multiply(b, scores, offset);
        combineScores(b, offset);
        fade(b);
        weigh(b);
        for (const Reduction &r : group.reductions)
          if (!isFree(r))
            addSum(b, r, offset);
        makeLeft(b, offset);
        fadeTile(b, accumulator, {rows, last.tileN});
        ProductEmitter::Side weighted = last.getLeft();
        weighted.tile = left;
        last.multiply(b, weighted, right, accumulator, /*clear=*/false);
      },
      end);
  finish(b);
}

void tile::emitOnlineSoftmax(OpBuilder &b, const OnlineSoftmax &online,
                             RowStages &stages, ProductEmitter &last,
                             ArrayRef<Value> offsets, Value accumulator,
                             const Choice &stageCount) {
  OnlineEmitter(online, stages, last, offsets, accumulator, stageCount).run(b);
}
