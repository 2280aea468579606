//===- ScheduleUnroll.cpp - products in turns over several iterations -----===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where threads add up the sums of each product themselves, as they do where
// blocks have scales, the tensor cores wait at the end of an iteration: the
// additions of the last product have none beside them. A product cannot go on
// over the end of a loop's iteration without moves of its registers. So some
// iterations become one, in which the first product of the next one starts as
// soon as its sums have been read:
//
//     P0 P1 | add0 add1   becomes   P0 P1 | add0 P0 add1 P1 | add0 P0 add1 …
//
// A loop of one product has nothing to run beside its additions. Two of its
// iterations become one before, each with stages and sums of its own.
//
//===----------------------------------------------------------------------===//

#include "Occupancy.h"
#include "Schedule.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/LoopAttrs.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tile;

/// So many iterations become one if the program does not say, the most that the
/// loop's trips are a multiple of. With fewer, the last additions stay as large a
/// part as they were; more take longer to compile than they are worth.
static constexpr int64_t kIterations[] = {8, 4};

namespace {
/// The parts of an iteration: up to its first product, what comes before the
/// sums of that one have been read, and the rest.
struct Parts {
  SmallVector<Operation *> head, middle, rest;
};
} // namespace

/// Whether nothing but the order of accesses matters for the op.
static bool isPlain(Operation *op) {
  return isa<ViewLikeOpInterface, memref::LoadOp, GemmOp, ConsumerWaitOp,
             ConsumerReleaseOp, ParallelOp>(op) ||
         isMemoryEffectFree(op);
}

/// The pipeline whose stages an op waits for or gives back.
static Value getPipeline(Operation *op) {
  if (auto wait = dyn_cast<ConsumerWaitOp>(op))
    return wait.getPipeline();
  auto release = dyn_cast<ConsumerReleaseOp>(op);
  return release ? release.getPipeline() : Value();
}

/// Whether the order of the two does not matter.
static bool canSwap(Operation *a, Operation *b) {
  Value first = getPipeline(a), second = getPipeline(b);
  if (first || second)
    return first != second;
  return isa<ViewLikeOpInterface>(a) || isa<ViewLikeOpInterface>(b) ||
         isMemoryEffectFree(a) || isMemoryEffectFree(b) || !interfere(a, b);
}

/// The last op of the loop that touches the sums; null if others do, or if the
/// loop adds to them over its iterations.
static Operation *findLastUse(PipelinedOp loop, GemmOp gemm) {
  if (!gemm.getClear() || gemm.getAsync() || !isAsyncGemm(gemm))
    return nullptr;
  Operation *last = gemm;
  for (Operation *user : gemm.getC().getUsers()) {
    Operation *here = loop.getBody().front().findAncestorOpInBlock(*user);
    bool isOther = here && here != gemm.getOperation();
    if (!here || here->isBeforeInBlock(gemm) ||
        (isOther && !isa<ParallelOp>(here)))
      return nullptr;
    if (last->isBeforeInBlock(here))
      last = here;
  }
  return last == gemm ? nullptr : last;
}

static std::optional<Parts> findParts(PipelinedOp loop) {
  Block &body = loop.getBody().front();
  auto gemms = llvm::to_vector(body.getOps<GemmOp>());
  if (gemms.size() < 2 || loop.getOrder() ||
      !llvm::all_of(body, [](Operation &op) { return isPlain(&op); }))
    return std::nullopt;
  llvm::SmallDenseSet<Value> sums;
  for (GemmOp gemm : gemms)
    if (!findLastUse(loop, gemm) || !sums.insert(gemm.getC()).second)
      return std::nullopt;
  Operation *read = findLastUse(loop, gemms.front());
  if (read->isBeforeInBlock(gemms.back()) ||
      findLastUse(loop, gemms.back())->isBeforeInBlock(read))
    return std::nullopt;
  Parts parts;
  SmallVector<Operation *> *part = &parts.head;
  for (Operation &op : body) {
    part->push_back(&op);
    if (&op == gemms.front().getOperation())
      part = &parts.middle;
    else if (&op == read)
      part = &parts.rest;
  }
  for (Operation *op : parts.head)
    if (!llvm::all_of(parts.rest, [&](Operation *other) {
          return canSwap(op, other);
        }))
      return std::nullopt;
  return parts;
}

/// The loop of a partition, null if it has none or several.
static PipelinedOp findLoop(Region &partition) {
  SmallVector<PipelinedOp> loops;
  partition.walk([&](PipelinedOp loop) { loops.push_back(loop); });
  return loops.size() == 1 ? loops.front() : PipelinedOp();
}

/// How many iterations of the loop become one, as the program says or by rule.
static std::optional<int64_t> findCount(PipelinedOp loop) {
  SmallVector<int64_t> counts(std::begin(kIterations), std::end(kIterations));
  if (auto given = loop->getAttrOfType<IntegerAttr>(kUnrollAttrName))
    counts = {given.getInt()};
  auto bounds = getConstantIntValues(loop.getMixedBounds());
  if (!bounds || (*bounds)[1] <= (*bounds)[0])
    return std::nullopt;
  for (int64_t count : counts) {
    int64_t length, step;
    if (!llvm::SubOverflow((*bounds)[1], (*bounds)[0], length) &&
        !llvm::MulOverflow((*bounds)[2], count, step) && length % step == 0)
      return count;
  }
  return std::nullopt;
}

/// Tells why the program's choice is not followed.
static void reportChoice(PipelinedOp loop) {
  auto given = loop->getAttrOfType<IntegerAttr>(kUnrollAttrName);
  if (given.getInt() == 1)
    return;
  remark::missed(
      loop.getLoc(),
      remark::RemarkOpts::name("UnrolledGemms").category(kScheduleCategory))
      << remark::reason("expected a known multiple of {0} iterations",
                        given.getInt());
}

/// The loop with a body that is still empty, and maps of `count` iterations.
static PipelinedOp createUnrolled(PipelinedOp loop, int64_t count,
                                  SmallVector<IRMapping> &iterations) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  auto unrolled = cast<PipelinedOp>(b.insert(loop->cloneWithoutRegions()));
  SmallVector<int64_t> bounds(loop.getStaticBounds());
  int64_t step = bounds[2];
  bounds[2] *= count;
  unrolled.setStaticBounds(bounds);
  Block *body = b.createBlock(&unrolled.getBody(), {},
                              TypeRange{b.getIndexType()}, loc);
  Value number = body->getArgument(0);
  for (int64_t i = 0; i < count; ++i) {
    Value own = number;
    if (i > 0)
      own = affine::AffineApplyOp::create(
          b, loc, AffineMap::get(1, 0, b.getAffineDimExpr(0) + i * step),
          ValueRange(number));
    iterations.emplace_back();
    iterations.back().map(loop.getBody().front().getArgument(0), own);
  }
  return unrolled;
}

static void cloneAll(OpBuilder &b, ArrayRef<Operation *> ops,
                     IRMapping &mapping) {
  for (Operation *op : ops)
    b.clone(*op, mapping);
}

static void cloneBody(OpBuilder &b, PipelinedOp loop, IRMapping &mapping) {
  for (Operation &op : loop.getBody().front())
    b.clone(op, mapping);
}

/// Puts the loops in the place of those that they were made of.
static void replaceLoops(PipelinedOp producer, PipelinedOp fills,
                         PipelinedOp consumer, PipelinedOp uses,
                         int64_t count) {
  remark::passed(consumer.getLoc(), remark::RemarkOpts::name("UnrolledGemms")
                                        .category(kScheduleCategory))
      << remark::metric("iterations", count);
  for (PipelinedOp loop : {fills, uses})
    loop->removeAttr(kUnrollAttrName);
  producer.erase();
  consumer.erase();
}

void mlir::tile::unrollGemms(WarpSpecializeOp partitions) {
  PipelinedOp producer = findLoop(partitions.getProducer());
  PipelinedOp consumer = findLoop(partitions.getConsumer());
  if (!producer || !consumer ||
      producer.getMixedBounds() != consumer.getMixedBounds())
    return;
  std::optional<int64_t> count = findCount(consumer);
  std::optional<Parts> parts = findParts(consumer);
  if (!count || !parts || *count == 1)
    return;
  SmallVector<IRMapping> filled, used;
  PipelinedOp fills = createUnrolled(producer, *count, filled);
  OpBuilder b = OpBuilder::atBlockEnd(&fills.getBody().front());
  for (IRMapping &mapping : filled)
    cloneBody(b, producer, mapping);
  PipelinedOp uses = createUnrolled(consumer, *count, used);
  b.setInsertionPointToEnd(&uses.getBody().front());
  cloneAll(b, parts->head, used.front());
  for (size_t i = 0; i < used.size(); ++i) {
    cloneAll(b, parts->middle, used[i]);
    if (i + 1 < used.size())
      cloneAll(b, parts->head, used[i + 1]);
    cloneAll(b, parts->rest, used[i]);
  }
  replaceLoops(producer, fills, consumer, uses, *count);
}

void mlir::tile::unrollIterations(WarpSpecializeOp partitions) {
  PipelinedOp producer = findLoop(partitions.getProducer());
  PipelinedOp consumer = findLoop(partitions.getConsumer());
  if (!producer || !consumer || !consumer->hasAttr(kUnrollAttrName))
    return;
  std::optional<int64_t> count;
  if (producer.getMixedBounds() == consumer.getMixedBounds())
    count = findCount(consumer);
  if (!count || *count == 1)
    return reportChoice(consumer);
  SmallVector<IRMapping> filled, used;
  PipelinedOp fills = createUnrolled(producer, *count, filled);
  OpBuilder b = OpBuilder::atBlockEnd(&fills.getBody().front());
  for (IRMapping &mapping : filled)
    cloneBody(b, producer, mapping);
  PipelinedOp uses = createUnrolled(consumer, *count, used);
  b.setInsertionPointToEnd(&uses.getBody().front());
  for (IRMapping &mapping : used)
    cloneBody(b, consumer, mapping);
  replaceLoops(producer, fills, consumer, uses, *count);
}

//===----------------------------------------------------------------------===//
// Loops of one product
//===----------------------------------------------------------------------===//

namespace {
/// A loop whose iterations bring tiles, multiply them and add the sums up.
struct AddedProduct {
  SmallVector<Operation *> head, rest; // up to its product, and behind it
  GemmOp gemm;
  llvm::SetVector<AllocOp> buffers; // of one iteration alone
};
} // namespace

static bool isOfIteration(AllocOp alloc, PipelinedOp loop) {
  return alloc &&
         llvm::all_of(alloc.getBuffer().getUsers(),
                      [&](Operation *op) { return loop->isAncestor(op); });
}

/// Whether the op writes nothing but fragments that are not of one iteration.
static bool onlyAdds(Operation *op, const AddedProduct &product) {
  if (!isa<ParallelOp>(op))
    return isMemoryEffectFree(op);
  auto isHarmless = [&](Operation *inner) {
    auto store = dyn_cast<memref::StoreOp>(inner);
    if (!store)
      return inner == op || isa<memref::LoadOp>(inner) ||
             isMemoryEffectFree(inner);
    auto alloc = store.getMemref().getDefiningOp<AllocOp>();
    return alloc &&
           getMemorySpace(alloc.getBuffer()) == MemorySpace::Fragment &&
           !product.buffers.contains(alloc);
  };
  return !op->walk([&](Operation *inner) {
              return isHarmless(inner) ? WalkResult::advance()
                                       : WalkResult::interrupt();
            }).wasInterrupted();
}

static std::optional<AddedProduct> findAddedProduct(PipelinedOp loop) {
  AddedProduct product;
  for (Operation &op : loop.getBody().front()) {
    if (auto gemm = dyn_cast<GemmOp>(op)) {
      auto isBrought = [&](Value operand) {
        return product.buffers.contains(
            getBaseBuffer(operand).getDefiningOp<AllocOp>());
      };
      if (product.gemm || !isAsyncGemm(gemm) || !findLastUse(loop, gemm) ||
          !isBrought(gemm.getA()) || !isBrought(gemm.getB()))
        return std::nullopt;
      product.gemm = gemm;
      product.buffers.insert(gemm.getC().getDefiningOp<AllocOp>());
    }
    auto copy = dyn_cast<CopyOp>(op);
    if (copy) {
      TransferAttr choice = copy.getInstructionAttr();
      if (product.gemm || !choice || !choice.usesTensorMap() ||
          getMemorySpace(copy.getTarget()) != MemorySpace::Shared ||
          !product.buffers.insert(copy.getTarget().getDefiningOp<AllocOp>()))
        return std::nullopt;
    }
    bool isLoad = isa<memref::LoadOp>(op) &&
                  getMemorySpace(op.getOperand(0)) == MemorySpace::Global;
    bool isEarly = !product.gemm && isa<ParallelOp>(op);
    if (isEarly ||
        (!copy && !isLoad && !isa<GemmOp>(op) && !onlyAdds(&op, product)))
      return std::nullopt;
    bool isBehind = product.gemm && !isa<GemmOp>(op);
    (isBehind ? product.rest : product.head).push_back(&op);
  }
  if (!product.gemm || llvm::any_of(product.buffers, [&](AllocOp alloc) {
        return !isOfIteration(alloc, loop);
      }))
    return std::nullopt;
  return product;
}

/// Whether the loop's iterations can be two at a time, and then four times
/// that.
static bool hasPairs(PipelinedOp loop) {
  auto bounds = getConstantIntValues(loop.getMixedBounds());
  return bounds && !loop.getOrder() && loop.getStages() >= 4 &&
         (*bounds)[1] > (*bounds)[0] &&
         ((*bounds)[1] - (*bounds)[0]) % ((*bounds)[2] * 8) == 0;
}

void mlir::tile::pairProducts(KernelOp kernel,
                              const ::tile::target::Target &target) {
  // Addresses and temporary values beside the sums of both, at the least.
  constexpr int64_t kBesideSums = 32;
  SmallVector<PipelinedOp> loops;
  kernel.walk([&](PipelinedOp loop) { loops.push_back(loop); });
  if (loops.size() != 1 || !hasPairs(loops.front()))
    return;
  PipelinedOp loop = loops.front();
  std::optional<AddedProduct> product = findAddedProduct(loop);
  if (!product)
    return;
  Value sums = product->gemm.getC();
  int64_t registers = cast<MemRefType>(sums.getType()).getNumElements() *
                      getElementBits(sums) / (32 * kernel.getThreads());
  if (countFragmentRegisters(kernel) + registers + kBesideSums >
      getConsumerRegisters(kernel, target))
    return;
  SmallVector<IRMapping> halves;
  PipelinedOp pairs = createUnrolled(loop, 2, halves);
  pairs.setStages(loop.getStages() / 2);
  for (AllocOp alloc : product->buffers) {
    OpBuilder b(alloc);
    halves.back().map(alloc.getBuffer(),
                      cast<AllocOp>(b.clone(*alloc)).getBuffer());
  }
  OpBuilder b = OpBuilder::atBlockEnd(&pairs.getBody().front());
  for (ArrayRef<Operation *> part :
       {ArrayRef(product->head), ArrayRef(product->rest)})
    for (IRMapping &half : halves)
      cloneAll(b, part, half);
  remark::passed(
      loop.getLoc(),
      remark::RemarkOpts::name("PairedGemms").category(kScheduleCategory));
  loop.erase();
}
