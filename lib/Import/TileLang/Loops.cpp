//===- Loops.cpp - kernels and loops --------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopExits.h"
#include "Partitions.h"
#include "Random.h"
#include "Threads.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::tilelang;

static bool isBlockIndex(Node loop) {
  return loop.is("For") && loop.getInteger("kind") == kThreadBinding &&
         loop.get("thread_binding").getString("thread_tag").starts_with(
             "blockIdx");
}

/// A constant extent as an attribute.
static OpFoldResult getExtent(Importer &importer, Node extent) {
  if (std::optional<int64_t> number = importer.getConstant(extent)) {
    if (*number >= 0)
      return importer.builder.getIndexAttr(*number);
    importer.refuse(extent, "a negative extent", "give a positive one");
    return importer.builder.getIndexAttr(1);
  }
  return importer.getIndex(extent);
}

/// The only block of an op whose leading arguments are indices.
static Block *addBody(Importer &importer, Region &region, ArrayRef<Node> vars,
                      size_t count) {
  OpBuilder::InsertionGuard guard(importer.builder);
  Block *block = importer.builder.createBlock(&region);
  for (size_t i = 0; i < count; ++i) {
    Node var = i < vars.size() ? vars[i] : Node();
    Value argument = block->addArgument(
        importer.builder.getIndexType(),
        importer.getNamedLoc(var, var ? var.getString("name") : "i"));
    if (var)
      importer.scope.vars[var.getId()] = argument;
  }
  return block;
}

void Importer::translateKernel(Node loop) {
  if (inKernel) {
    refuse(loop, "a T.Kernel in a T.Kernel", "write them one after another");
    return;
  }
  SmallVector<Node> vars;
  SmallVector<OpFoldResult> grid;
  Node body = loop;
  while (isBlockIndex(body)) {
    vars.push_back(body.get("loop_var"));
    grid.push_back(getExtent(*this, body.get("extent")));
    body = body.get("body");
  }
  if (grid.empty())
    grid.push_back(builder.getIndexAttr(1));
  if (grid.size() > 3) {
    refuse(loop, "a grid of " + Twine(grid.size()) + " dimensions",
           "use at most 3");
    return;
  }
  threads = analyzeThreads(body);
  int64_t count = 1;
  for (int64_t &extent : threads.extents) {
    if (extent < 1 || extent > 1024)
      refuse(loop, "a block whose number of threads is not 1 to 1024",
             "write a constant");
    extent = std::clamp<int64_t>(extent, 1, 1024);
    count *= extent;
  }
  if (count > 1024) {
    refuse(loop, "a block of " + Twine(count) + " threads", "use at most 1024");
    count = 1024;
  }
  Scheduling scheduling = schedulePartitions(body, threads);
  if (!scheduling.reason.empty())
    refuse(scheduling.failedAt,
           "partitions of warps that wait for one another, with " +
               scheduling.reason,
           "write T.Pipelined and T.copy; stages, barriers and partitions of "
           "warps are the compiler's");
  else if (scheduling.waits)
    schedules = &scheduling.schedules;
  translateGrid(loop, body, vars, grid, count);
  schedules = nullptr;
  threads = ThreadUse();
}

/// One kernel, or one for each part between barriers over the grid.
void Importer::translateGrid(Node loop, Node body, ArrayRef<Node> vars,
                             ArrayRef<OpFoldResult> grid,
                             int64_t threadCount) {
  SmallVector<Value> dynamic;
  SmallVector<int64_t> constants;
  dispatchIndexOpFoldResults(grid, dynamic, constants);
  SmallVector<Node> list;
  gridList = findGridList(body);
  if (gridList)
    flatten(gridList, list);
  if (keepsTiles(list))
    refuse(loop, "a tile that is used on both sides of a barrier over the grid",
           "keep what it holds in a T.Tensor");
  unsigned parts = 1 + llvm::count_if(list, [](Node s) {
    return getCallee(s.get("value")) == "sync_grid";
  });
  if (parts > 1)
    remarkDropped(loop, "a barrier over the grid: what is behind it is another "
                        "kernel");
  for (gridPart = 0; gridPart < parts; ++gridPart) {
    Scope outer = scope;
    kernel = KernelOp::create(builder, getLoc(loop), dynamic, constants,
                              threadCount, nullptr, nullptr, false, nullptr);
    Block *block = addBody(*this, kernel.getBody(), vars, grid.size());
    inKernel = true;
    translateInto(block, body);
    inKernel = false;
    kernel = KernelOp();
    generator = Generator();
    reducers.clear();
    scope = std::move(outer);
  }
  gridList = Node();
}

ParallelOp Importer::beginParallel(Location loc, ArrayRef<Node> vars,
                                   ArrayRef<OpFoldResult> extents) {
  SmallVector<Value> dynamic;
  SmallVector<int64_t> constants;
  dispatchIndexOpFoldResults(extents, dynamic, constants);
  auto loop = ParallelOp::create(builder, loc, dynamic, constants,
                                 IntegerAttr(), LayoutAttr());
  addBody(*this, loop.getBody(), vars, extents.size());
  return loop;
}

void Importer::translateParallel(Node loop) {
  if (inParallel) {
    refuse(loop, "a T.Parallel in a T.Parallel with statements between them",
           "write one T.Parallel over all dimensions");
    return;
  }
  if (!inKernel) {
    refuse(loop, "a T.Parallel outside of T.Kernel", "write it in a T.Kernel");
    return;
  }
  SmallVector<Node> vars, binds;
  SmallVector<OpFoldResult> extents;
  Node body = loop;
  Location loc = getLoc(loop);
  while (true) {
    if (getConstant(body.get("min")) != 0)
      refuse(body, "a T.Parallel that does not begin at 0",
             "add the beginning to the index");
    for (auto [key, value] : body.get("annotations").getEntries())
      remarkDropped(body, "the hint '" + key.asString() + "'");
    vars.push_back(body.get("loop_var"));
    extents.push_back(getExtent(*this, body.get("extent")));
    // Definitions may stand between the loops of one T.Parallel.
    SmallVector<Node> inner;
    flatten(body.get("body"), inner);
    Node last = inner.empty() ? Node() : inner.back();
    bool onlyBinds = llvm::all_of(
        ArrayRef(inner).drop_back(inner.empty() ? 0 : 1),
        [](Node node) { return node.is("Bind"); });
    if (!last.is("For") || last.getInteger("kind") != kParallelLoop ||
        !onlyBinds)
      break;
    binds.append(inner.begin(), std::prev(inner.end()));
    body = last;
  }
  Scope outer = scope;
  beginTerms(loop, vars, extents);
  ParallelOp op = beginParallel(loc, vars, extents);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&op.getBody().front());
    llvm::SaveAndRestore parallel(inParallel, true);
    llvm::SaveAndRestore around(enclosing, op);
    LoopExits exits(*this, body);
    if (exits.leaves)
      refuse(loop, "a break out of a T.Parallel",
             "write an if around what the iterations do");
    exits.beginIteration();
    for (Node bind : binds)
      translateOne(bind);
    translate(body.get("body"));
  }
  endTerms(loop);
  scope = std::move(outer);
}

//===----------------------------------------------------------------------===//
// Other loops
//===----------------------------------------------------------------------===//

/// Whether a loop loads tiles into shared memory: the loads of later iterations
/// can be hidden, whether or not the program says so.
static bool loadsTiles(Importer &importer, Node body) {
  SmallVector<Node> list;
  flatten(body, list);
  return llvm::any_of(list, [&](Node s) {
    if (s.is("IfThenElse"))
      return loadsTiles(importer, s.get("then_case")) ||
             loadsTiles(importer, s.get("else_case"));
    Node call = s.is("Evaluate") ? s.get("value") : Node();
    if (!call || getCallee(call) != "copy")
      return false;
    SmallVector<Node> args = call.getElementsOf("args");
    std::optional<Part> from = importer.getPart(args[0]);
    std::optional<Part> to = importer.getPart(args[1]);
    return from && to && !importer.isTile(from->buffer) &&
           importer.getScope(to->buffer).starts_with("shared");
  });
}

/// False for a loop whose iterations are done in order, as they draw numbers.
static bool translateInParallel(Importer &importer, Node loop) {
  if (!importer.inParallel && drawsNumbers(loop))
    return drawInParallel(importer, loop);
  importer.translateParallel(loop);
  return true;
}

void Importer::translateFor(Node loop) {
  std::optional<int64_t> kind = loop.getInteger("kind");
  if (isBlockIndex(loop))
    return translateKernel(loop);
  if (kind == kThreadBinding)
    return translate(loop.get("body"));
  if (kind == kParallelLoop && translateInParallel(*this, loop))
    return;
  // What was written in front is of the first iteration.
  ownWrites.clear();
  if (kind == kVectorLoop || kind == kUnrolledLoop)
    remarkDropped(loop, kind == kVectorLoop
                            ? "T.vectorized: the loop is a serial one"
                            : "T.unroll: the loop is a serial one");
  std::optional<int64_t> stages;
  for (auto [key, value] : loop.get("annotations").getEntries()) {
    if (key.asString() == "num_stages")
      stages = value.asInteger();
    else
      remarkDropped(loop, "the hint '" + key.asString() + "'");
  }
  SmallVector<Value> operands;
  AffineExpr first = getAffine(loop.get("min"), operands);
  AffineExpr count = getAffine(loop.get("extent"), operands);
  int64_t step = 1;
  if (Node given = loop.get("step")) {
    step = getConstant(given).value_or(0);
    if (step < 1) {
      refuse(loop, "a loop whose step is not a positive constant",
             "compute the index from one that counts up by 1");
      return;
    }
  }
  Node var = loop.get("loop_var");
  Scope outer = scope;
  // The trips that are left do nothing.
  LoopExits exits(*this, loop);
  if (inKernel && !inParallel && stages.value_or(0) < 2 &&
      loadsTiles(*this, loop.get("body")))
    stages = 2;
  if (stages.value_or(0) > 0 && inKernel && !inParallel && !breakFlag) {
    SmallVector<OpFoldResult> bounds = {
        affine::makeComposedFoldedAffineApply(builder, getLoc(loop), first,
                                              getAsOpFoldResult(operands)),
        affine::makeComposedFoldedAffineApply(builder, getLoc(loop),
                                              first + count,
                                              getAsOpFoldResult(operands)),
        builder.getIndexAttr(step)};
    SmallVector<Value> dynamic;
    SmallVector<int64_t> constants;
    dispatchIndexOpFoldResults(bounds, dynamic, constants);
    auto op = PipelinedOp::create(builder, getLoc(loop), dynamic, constants,
                                  std::min<int64_t>(*stages, 16), nullptr,
                                  nullptr);
    translateInto(addBody(*this, op.getBody(), var, 1), loop.get("body"));
  } else {
    Value low = makeIndex(loop, first, operands);
    Value high = makeIndex(loop, first + count, operands);
    Value by = constantIndex(step);
    auto op = scf::ForOp::create(builder, getLoc(loop), low, high, by);
    op.getInductionVar().setLoc(getNamedLoc(var, var.getString("name")));
    scope.vars[var.getId()] = op.getInductionVar();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(op.getBody()->getTerminator());
    Block *body = op.getBody();
    exits.beginIteration();
    if (exits.leaves)
      body = scf::IfOp::create(builder, getLoc(loop), isRunning(loop), false)
                 .thenBlock();
    body->back().erase();
    // Threads may differ in how often they are here.
    branches.append({loop.get("min"), loop.get("extent")});
    translateInto(body, loop.get("body"));
    branches.pop_back_n(2);
    builder.setInsertionPointToEnd(body);
    scf::YieldOp::create(builder, getLoc(loop));
  }
  scope = std::move(outer);
}

void Importer::forEach(Node at, ArrayRef<Node> extents,
                       function_ref<void(ArrayRef<Value>)> body) {
  SmallVector<OpFoldResult> counts;
  for (Node extent : extents)
    counts.push_back(extent ? getExtent(*this, extent)
                            : OpFoldResult(builder.getIndexAttr(1)));
  OpBuilder::InsertionGuard guard(builder);
  Location loc = getLoc(at);
  if (!inParallel) {
    ParallelOp loop = beginParallel(loc, {}, counts);
    builder.setInsertionPointToEnd(&loop.getBody().front());
    llvm::SaveAndRestore parallel(inParallel, true);
    llvm::SaveAndRestore around(enclosing, loop);
    SmallVector<Value> ivs(loop.getBody().getArguments());
    return body(ivs);
  }
  SmallVector<Value> ivs;
  Value zero = constantIndex(0), one = constantIndex(1);
  for (OpFoldResult count : counts) {
    if (isConstantIntValue(count, 1)) {
      ivs.push_back(zero);
      continue;
    }
    Value end = getValueOrCreateConstantIndexOp(builder, loc, count);
    auto loop = scf::ForOp::create(builder, loc, zero, end, one);
    builder.setInsertionPointToStart(loop.getBody());
    ivs.push_back(loop.getInductionVar());
  }
  body(ivs);
}
