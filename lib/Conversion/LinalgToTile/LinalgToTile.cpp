//===- LinalgToTile.cpp - which tensors are stored, by which kernels ------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Approximate.h"
#include "Kernels.h"
#include "NameExtents.h"
#include "Parameters.h"
#include "Tile/Conversion/LinalgToTile/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_CONVERTLINALGTOTILEPASS
#include "Tile/Conversion/LinalgToTile/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
/// What a kernel computes; its result, or that of the chain's end, is stored.
struct PlannedKernel {
  PlannedKernel() = default;
  explicit PlannedKernel(Operation *computed) : computed(computed) {}

  Operation *computed = nullptr;
  Chain chain;
  std::optional<Contraction> contraction;
  std::optional<RowGroup> rows;
};

/// The kernels of one block of a function.
class BlockPlan {
public:
  explicit BlockPlan(Block &block) : block(block) {}
  void run();
  /// The kernels, by the ops whose results they store.
  DenseMap<Operation *, PlannedKernel> kernels;

private:
  Operation *getUser(OpOperand &use) const;
  bool isEscaping(Operation *op) const;
  void planContractions();
  void planRows();
  /// The ops of a group, and operands of its last op that do not count.
  struct GroupSearch {
    DenseSet<Operation *> inside;
    DenseSet<OpOperand *> foreign;
    /// Where the kernel will be, if it may have further results.
    Operation *root = nullptr;
  };
  bool isInGroup(Operation *op, const GroupSearch &search) const;
  bool canStoreRows(Operation *op, const GroupSearch &search,
                    SmallVector<Operation *> &moved) const;
  void findGroup(RowGroup &group, GroupSearch &search) const;
  void planAttention();
  SmallVector<SmallVector<unsigned>> getRowChoices(linalg::LinalgOp last) const;
  bool isAloneInWindow(const RowGroup &group) const;
  void planElements();
  bool isStored(Operation *op) const;
  unsigned getCost(Value value);
  void add(PlannedKernel kernel);
  Chain findFreeChain(Operation *computed) const;

  Block &block;
  /// Whether a kernel stores the result.
  bool hasBuffer(Operation *op) const {
    return kernels.contains(op) || rowResults.contains(op);
  }
  /// Ops that some kernel computes, or takes into its own.
  DenseSet<Operation *> claimed;
  /// Those whose results a kernel stores beside its own.
  DenseSet<Operation *> rowResults;
  DenseMap<Value, unsigned> costs;
};
} // namespace

/// Whether a kernel can be written for the op, or for those that read it.
static bool hasForm(Operation *op) {
  std::string ignored;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return isElementwise(op) || (linalgOp && hasElementForm(linalgOp, ignored));
}

/// Whether host code takes one element, which it computes where the tensor is
/// not stored.
static bool isHostRead(Operation *op) {
  auto extract = dyn_cast<tensor::ExtractOp>(op);
  Operation *source = extract ? extract.getTensor().getDefiningOp() : nullptr;
  return source && source->getBlock() == op->getBlock() &&
         isElementwise(source);
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

/// The op of the block that a use belongs to, null where it is outside.
Operation *BlockPlan::getUser(OpOperand &use) const {
  return block.findAncestorOpInBlock(*use.getOwner());
}

/// Whether something else than kernels reads a result.
bool BlockPlan::isEscaping(Operation *op) const {
  for (OpOperand &use : op->getUses()) {
    if (isa<tensor::DimOp>(use.getOwner()) || isHostRead(use.getOwner()))
      continue;
    Operation *user = getUser(use);
    bool isBody = user && user != use.getOwner();
    if (!user || !hasForm(user) || (isBody && !isa<linalg::LinalgOp>(user)))
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

void BlockPlan::add(PlannedKernel kernel) {
  claimed.insert(kernel.computed);
  claimed.insert_range(kernel.chain);
  Operation *root =
      kernel.chain.empty() ? kernel.computed : kernel.chain.back();
  kernels[root] = std::move(kernel);
}

/// The chain up to what another kernel computes.
Chain BlockPlan::findFreeChain(Operation *computed) const {
  Chain chain = findChain(computed->getResult(0));
  auto *taken = llvm::find_if(
      chain, [&](Operation *next) { return claimed.contains(next); });
  chain.erase(taken, chain.end());
  return chain;
}

void BlockPlan::planContractions() {
  for (auto op : block.getOps<linalg::LinalgOp>())
    if (claimed.contains(op))
      continue;
    else if (std::optional<Contraction> contraction = matchContraction(op)) {
      PlannedKernel kernel(op);
      kernel.chain = findFreeChain(op);
      kernel.contraction = std::move(contraction);
      add(std::move(kernel));
    }
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Whether all that reads the op is in the group.
bool BlockPlan::isInGroup(Operation *op, const GroupSearch &search) const {
  bool isRead = false;
  for (OpOperand &use : op->getUses()) {
    if (isa<tensor::DimOp>(use.getOwner()))
      continue;
    Operation *user = getUser(use);
    if (!user || user != use.getOwner() || !search.inside.contains(user) ||
        search.foreign.contains(&use))
      return false;
    isRead = true;
  }
  return isRead;
}

/// Whether a kernel at the root may store the op for those that are not in the
/// group. Element-wise ops in front of the root may have to be moved.
bool BlockPlan::canStoreRows(Operation *op, const GroupSearch &search,
                             SmallVector<Operation *> &moved) const {
  // A fill is a constant for all that read it.
  if (!search.root || !isa<linalg::LinalgOp>(op) || isa<linalg::FillOp>(op))
    return false;
  bool isRead = false;
  auto isBehind = [&](OpOperand &use) {
    Operation *user = getUser(use);
    return user && search.root->isBeforeInBlock(user);
  };
  for (OpOperand &use : op->getUses()) {
    Operation *user = getUser(use);
    if (isa<tensor::DimOp>(use.getOwner()) || isBehind(use))
      continue;
    if (user == use.getOwner() && search.inside.contains(user)) {
      isRead = true;
      continue;
    }
    if (!user || !isElementwise(user) || claimed.contains(user) ||
        !llvm::all_of(user->getUses(), isBehind))
      return false;
    moved.push_back(user);
  }
  return isRead;
}

/// The loops of `op` that are those in `table` of the ops that read it: -1
/// where there is none or where they differ.
static SmallVector<int>
followUses(Operation *op, size_t count,
           const DenseMap<Operation *, SmallVector<int>> &table) {
  SmallVector<int> loops(count, -1);
  auto producer = dyn_cast<linalg::LinalgOp>(op);
  if (!producer)
    return loops;
  AffineMap result =
      producer.getMatchingIndexingMap(producer.getDpsInitOperand(0));
  bool isFirst = true;
  for (OpOperand &use : op->getUses()) {
    SmallVector<int> found(count, -1);
    auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
    auto known = table.find(use.getOwner());
    if (known == table.end())
      continue;
    if (user) {
      AffineMap map = user.getMatchingIndexingMap(&use);
      for (auto [i, loop] : llvm::enumerate(known->second))
        if (loop >= 0)
          if (auto place = map.getResultPosition(
                  getAffineDimExpr(loop, map.getContext())))
            found[i] = result.getDimPosition(*place);
    }
    for (size_t i = 0; i < count; ++i)
      loops[i] = isFirst || loops[i] == found[i] ? found[i] : -1;
    isFirst = false;
  }
  return loops;
}

/// Whether the loops are these, in any order.
static bool isPermutationOf(ArrayRef<unsigned> loops, ArrayRef<int> others) {
  return loops.size() == others.size() &&
         llvm::all_of(loops, [&](unsigned loop) {
           return llvm::is_contained(others, int(loop));
         });
}

/// Takes a reduction or a product into the group if its loops are the group's.
static bool addToGroup(linalg::LinalgOp op, RowGroup &group) {
  ArrayRef<int> rows = group.rows.find(op.getOperation())->second;
  if (llvm::is_contained(rows, -1))
    return false;
  auto last = group.columns.find(group.last);
  bool hasColumns = last != group.columns.end();
  std::optional<Contraction> product;
  if (hasColumns)
    product = matchContraction(op);
  if (product) {
    ArrayRef<int> columns = group.columns.find(op.getOperation())->second;
    if (llvm::is_contained(columns, -1) || rows.empty())
      return false;
    if (!product->keepRow(rows.back())) {
      product->swapSides();
      product->keepRow(rows.back());
    }
    bool fits = isPermutationOf(product->m, rows.take_back()) &&
                isPermutationOf(product->batch, rows.drop_back()) &&
                ArrayRef(product->n) ==
                    ArrayRef<unsigned>(SmallVector<unsigned>(columns));
    if (fits)
      group.products.push_back(std::move(*product));
    return fits;
  }
  std::optional<Reduction> reduction = matchReduction(op);
  if (!reduction || op.getNumParallelLoops() != rows.size() ||
      (hasColumns && op.getNumReductionLoops() != last->second.size()))
    return false;
  if (hasColumns) {
    SmallVector<unsigned> columns;
    op.getReductionDims(columns);
    for (auto [loop, other] : llvm::zip_equal(columns, last->second))
      if (op.getStaticLoopRanges()[loop] !=
          group.last.getStaticLoopRanges()[other])
        return false;
    group.columns[op].assign(columns.begin(), columns.end());
  }
  group.reductions.push_back(std::move(*reduction));
  return true;
}

/// Adds the ops that can be computed with `group.last`, whose rows and perhaps
/// columns are given.
void BlockPlan::findGroup(RowGroup &group, GroupSearch &search) const {
  linalg::LinalgOp last = group.last;
  search.inside = {last};
  bool hasColumns = group.columns.contains(last);
  size_t rows = group.rows[last].size();
  size_t columns = hasColumns ? group.columns[last].size() : 0;
  if (!hasColumns)
    if (auto reduction = matchReduction(last))
      group.reductions.push_back(*reduction);
  for (Operation *op = last->getPrevNode(); op; op = op->getPrevNode()) {
    SmallVector<Operation *> moved;
    if (claimed.contains(op) || op->getNumResults() != 1 || !hasForm(op))
      continue;
    bool isStored = !isInGroup(op, search);
    if (isStored && !canStoreRows(op, search, moved))
      continue;
    group.rows[op] = followUses(op, rows, group.rows);
    if (isStored && (cast<linalg::LinalgOp>(op).getNumParallelLoops() != rows ||
                     llvm::is_contained(group.rows[op], -1))) {
      group.rows.erase(op);
      continue;
    }
    if (hasColumns)
      group.columns[op] = followUses(op, columns, group.columns);
    size_t products = group.products.size();
    if (!isElementwise(op) && !addToGroup(cast<linalg::LinalgOp>(op), group)) {
      group.rows.erase(op);
      group.columns.erase(op);
      continue;
    }
    // What a product reads is computed before: its loops are others.
    if (group.products.size() > products)
      for (OpOperand &operand : op->getOpOperands())
        search.foreign.insert(&operand);
    search.inside.insert(op);
    if (isStored) {
      group.stored.push_back(cast<linalg::LinalgOp>(op));
      group.moved.append(moved);
    }
  }
  std::reverse(group.reductions.begin(), group.reductions.end());
  std::reverse(group.products.begin(), group.products.end());
}

/// The sets of loops that may be the rows of a group.
SmallVector<SmallVector<unsigned>>
BlockPlan::getRowChoices(linalg::LinalgOp last) const {
  SmallVector<SmallVector<unsigned>> choices;
  if (last.getNumReductionLoops() != 0) {
    if (matchReduction(last))
      last.getParallelDims(choices.emplace_back());
    return choices;
  }
  // Of an element-wise op, those by which it, or an op that it reads, takes the
  // result of a reduction.
  std::function<void(linalg::LinalgOp, AffineMap)> visit =
      [&](linalg::LinalgOp op, AffineMap ivs) {
        for (OpOperand *operand : op.getDpsInputOperands()) {
          auto source = operand->get().getDefiningOp<linalg::LinalgOp>();
          if (!source || source->getBlock() != &block ||
              claimed.contains(source) || source->getNumResults() != 1 ||
              choices.size() >= 4)
            continue;
          AffineMap map = op.getMatchingIndexingMap(operand).compose(ivs);
          if (source.getNumReductionLoops() == 0) {
            if (!isElementwise(source))
              continue;
            AffineMap result =
                source.getMatchingIndexingMap(source.getDpsInitOperand(0));
            visit(source, inversePermutation(result).compose(map));
            continue;
          }
          if (!matchReduction(source) || !map.isProjectedPermutation())
            continue;
          SmallVector<unsigned> rows;
          for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
            if (map.isFunctionOfDim(loop))
              rows.push_back(loop);
          if (!llvm::is_contained(choices, rows))
            choices.push_back(rows);
        }
      };
  visit(last, AffineMap::getMultiDimIdentityMap(last.getNumLoops(),
                                                last->getContext()));
  return choices;
}

/// A product whose left operand comes from reductions over rows of another
/// product.
void BlockPlan::planAttention() {
  for (auto op : block.getOps<linalg::LinalgOp>()) {
    std::optional<Contraction> contraction = matchContraction(op);
    for (int side = 0; contraction && side < 2; ++side) {
      Contraction c = *contraction;
      if (side == 1)
        c.swapSides();
      c.keepRow(c.m.back());
      RowGroup group;
      GroupSearch search;
      group.last = op;
      SmallVector<int> &rows = group.rows[op];
      rows.assign(c.batch.begin(), c.batch.end());
      rows.push_back(c.m.front());
      group.columns[op].assign(c.k.begin(), c.k.end());
      for (OpOperand *operand : op.getDpsInputOperands())
        if (!c.readsOnLeft(*operand))
          search.foreign.insert(operand);
      for (OpOperand &init : op.getDpsInitsMutable())
        search.foreign.insert(&init);
      findGroup(group, search);
      if (group.products.empty() || group.reductions.empty())
        continue;
      claimed.insert_range(search.inside);
      PlannedKernel kernel(op);
      kernel.chain = findFreeChain(op);
      kernel.contraction = std::move(c);
      kernel.rows = std::move(group);
      add(std::move(kernel));
      break;
    }
  }
}

/// Whether a thread can reduce what an element of the result needs: a few
/// elements, while its neighbour reads those next to them.
static bool isSmallWindow(linalg::LinalgOp op) {
  int64_t count = 1;
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  for (unsigned loop : reduced) {
    int64_t range = op.getStaticLoopRanges()[loop];
    if (ShapedType::isDynamic(range) || range > kUnrolled)
      return false;
    count *= range;
  }
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (count > kUnrolled || result.getNumResults() == 0)
    return false;
  AffineExpr inner = result.getResults().back();
  if (!isa<AffineDimExpr>(inner))
    return false;
  unsigned loop = cast<AffineDimExpr>(inner).getPosition();
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    return !map.isFunctionOfDim(loop) || map.getResults().back() == inner;
  });
}

/// Whether all that the group computes is a small window and what is behind it.
bool BlockPlan::isAloneInWindow(const RowGroup &group) const {
  if (group.reductions.size() != 1 || !group.stored.empty() ||
      !isSmallWindow(group.reductions.front().op))
    return false;
  Operation *op = group.reductions.front().op;
  linalg::LinalgOp last = group.last;
  return op == last || llvm::is_contained(findFreeChain(op), last);
}

void BlockPlan::planRows() {
  for (Operation &op : llvm::reverse(block)) {
    auto last = dyn_cast<linalg::LinalgOp>(op);
    if (!last || claimed.contains(last) || !hasForm(last) ||
        last->getNumResults() != 1 || last->use_empty())
      continue;
    std::optional<RowGroup> best;
    DenseSet<Operation *> members;
    Chain chain = findFreeChain(last);
    for (ArrayRef<unsigned> rows : getRowChoices(last)) {
      GroupSearch search;
      search.root = chain.empty() ? &op : chain.back();
      RowGroup group;
      group.last = last;
      group.rows[last].assign(rows.begin(), rows.end());
      findGroup(group, search);
      if (group.reductions.size() > (best ? best->reductions.size() : 0)) {
        best = std::move(group);
        members = std::move(search.inside);
      }
    }
    if (!best || isAloneInWindow(*best))
      continue;
    claimed.insert_range(members);
    PlannedKernel kernel(last);
    kernel.chain = std::move(chain);
    for (linalg::LinalgOp stored : best->stored)
      rowResults.insert(stored);
    for (Operation *user : best->moved)
      user->moveAfter(kernel.chain.empty() ? &op : kernel.chain.back());
    kernel.rows = std::move(best);
    add(std::move(kernel));
  }
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Operations for one element; functions count ten times.
unsigned BlockPlan::getCost(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || hasBuffer(op) || !isElementwise(op) || isa<tensor::EmptyOp>(op))
    return 0;
  auto [it, isNew] = costs.try_emplace(value, 0);
  if (!isNew)
    return it->second;
  unsigned cost = 0;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    for (Operation &inner : linalgOp.getBlock()->without_terminator()) {
      if (isa_and_nonnull<math::MathDialect>(inner.getDialect()))
        cost += 10;
      else if (isa<arith::DivFOp, arith::DivSIOp, arith::RemSIOp>(inner))
        cost += 4;
      else if (!isa<linalg::IndexOp, arith::ConstantOp>(inner))
        cost += 1;
    }
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      cost = std::min(cost + getCost(operand), 1000u);
  return costs[value] = cost;
}

bool BlockPlan::isStored(Operation *op) const {
  if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op))
    return isEscaping(op);
  // A reshape of what is in memory is a view.
  Operation *source = op->getOperand(0).getDefiningOp();
  return isEscaping(op) && source && isElementwise(source) &&
         !hasBuffer(source);
}

void BlockPlan::planElements() {
  for (Operation &op : block) {
    if (claimed.contains(&op) || !hasForm(&op) || op.use_empty() ||
        isa<tensor::EmptyOp>(op))
      continue;
    bool stored = !isElementwise(&op) || isStored(&op);
    if (!stored && isa<linalg::LinalgOp>(op)) {
      DenseSet<Operation *> users;
      bool isReread = false;
      for (OpOperand &use : op.getUses()) {
        Operation *user = getUser(use);
        if (isa<tensor::DimOp>(use.getOwner()))
          continue;
        users.insert(user);
        auto linalgOp = dyn_cast<linalg::LinalgOp>(use.getOwner());
        isReread |= linalgOp && linalgOp.getNumReductionLoops() != 0 &&
                    !linalgOp.getMatchingIndexingMap(&use).isPermutation();
      }
      stored = (users.size() > 1 || isReread) && getCost(op.getResult(0)) > 4;
    }
    if (!stored)
      continue;
    PlannedKernel kernel(&op);
    if (op.getNumResults() == 1 && !isElementwise(&op))
      kernel.chain = findFreeChain(&op);
    add(std::move(kernel));
  }
}

void BlockPlan::run() {
  planAttention();
  planContractions();
  planRows();
  planElements();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Each result becomes an argument, so no two may be one buffer.
static void separateResults(func::FuncOp function) {
  function.walk([](func::ReturnOp op) {
    DenseSet<Value> known;
    for (OpOperand &operand : op->getOpOperands()) {
      Value tensor = operand.get();
      if (!isa<RankedTensorType>(tensor.getType()))
        continue;
      while (Operation *inner = tensor.getDefiningOp()) {
        if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                 tensor::CastOp>(inner))
          break;
        tensor = inner->getOperand(0);
      }
      if (known.insert(tensor).second)
        continue;
      OpBuilder b(op);
      operand.set(bufferization::AllocTensorOp::create(
          b, op.getLoc(), cast<RankedTensorType>(operand.get().getType()),
          ValueRange(), operand.get()));
    }
  });
}

/// What a caller passes is only read, unless it says otherwise: bufferization
/// would write results of host code to arguments.
static void keepArguments(func::FuncOp function) {
  StringRef name = bufferization::BufferizationDialect::kWritableAttrName;
  if (!function.isPublic())
    return;
  for (BlockArgument argument : function.getArguments())
    if (unsigned i = argument.getArgNumber();
        isa<TensorType>(argument.getType()) && !function.getArgAttr(i, name))
      function.setArgAttr(i, name, BoolAttr::get(function.getContext(), false));
}

namespace {
struct ConvertLinalgToTile
    : mlir::tile::impl::ConvertLinalgToTilePassBase<ConvertLinalgToTile> {
  using ConvertLinalgToTilePassBase::ConvertLinalgToTilePassBase;

  void runOnOperation() override {
    KernelParameters parameters(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      nameExtents(function);
      keepArguments(function);
      // Bufferization makes arguments of results, without their attributes.
      if (ArrayAttr attrs = function.getAllResultAttrs())
        function->setAttr(kResultAttrsName, attrs);
      function.walk([](Operation *op) { explain(op); });
      if (approximate)
        function.walk([](linalg::GenericOp op) { allowApproximations(op); });
      simplifyExponentials(function);
      SmallVector<Block *> blocks;
      function.walk([&](Block *block) {
        if (!isa<linalg::LinalgOp>(block->getParentOp()))
          blocks.push_back(block);
      });
      for (Block *block : blocks)
        convert(*block, parameters);
      separateResults(function);
    }
    getOperation().walk([](KernelOp kernel) { compareIndices(kernel); });
    if (approximate)
      getOperation().walk([](KernelOp kernel) {
        allowApproximations(kernel);
        keepWide(kernel);
      });
  }

private:
  void convert(Block &block, KernelParameters &parameters);
  static void explain(Operation *op);
};
} // namespace

/// Says of what stays why, and what is dropped.
void ConvertLinalgToTile::explain(Operation *op) {
  auto options = [](StringRef name) {
    return remark::RemarkOpts::name(name).category("convert-linalg-to-tile");
  };
  std::string reason;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
      linalgOp && !hasElementForm(linalgOp, reason))
    remark::missed(op->getLoc(), options("NoKernel"))
        << remark::metric("op", op->getName().getStringRef())
        << remark::reason("{0}", reason);
  if (isa<cf::AssertOp>(op) && isa<linalg::LinalgOp>(op->getParentOp()))
    remark::passed(op->getLoc(), options("DroppedAssertion"))
        << remark::reason("what is read outside of a tensor is 0");
}

void ConvertLinalgToTile::convert(Block &block, KernelParameters &parameters) {
  BlockPlan plan(block);
  plan.run();
  SmallVector<Operation *> roots;
  for (Operation &op : block)
    if (plan.kernels.contains(&op))
      roots.push_back(&op);
  for (Operation *root : roots) {
    const PlannedKernel &kernel = plan.kernels.find(root)->second;
    if (kernel.contraction && !kernel.rows &&
        (emitMatrixProduct(*kernel.contraction, kernel.chain, tf32,
                           parameters) ||
         emitWindowProduct(*kernel.contraction, kernel.chain, parameters)))
      continue;
    if (kernel.contraction)
      emitContraction(*kernel.contraction,
                      kernel.rows ? &*kernel.rows : nullptr, kernel.chain, tf32,
                      parameters);
    else if (kernel.rows)
      emitRows(*kernel.rows, kernel.chain);
    else
      emitElements(kernel.computed, kernel.chain);
  }
  for (auto extract :
       llvm::make_early_inc_range(block.getOps<tensor::ExtractOp>())) {
    if (!isHostRead(extract))
      continue;
    OpBuilder b(extract);
    ElementBuilder elements(extract);
    extract.replaceAllUsesWith(elements.get(
        b, extract.getLoc(), extract.getTensor(), extract.getIndices()));
    extract.erase();
  }
  // What kernels compute is left without a use.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (hasForm(&op) && op.use_empty())
      op.erase();
}
