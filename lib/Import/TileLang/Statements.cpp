//===- Statements.cpp - statements but loops ------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopExits.h"
#include "Partitions.h"
#include "Random.h"
#include "Refusals.h"
#include "Threads.h"
#include "Votes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::tilelang;

void Importer::translate(Node node) {
  Descent descent(*this, node);
  if (!descent)
    return;
  SmallVector<Node> list;
  flatten(node, list);
  if (gridList && node == gridList)
    list = getGridPart(list, gridPart);
  translateList(list);
}

void Importer::translateInto(Block *block, Node node) {
  OpBuilder::InsertionGuard guard(builder);
  Scope outer = scope;
  builder.setInsertionPointToEnd(block);
  translate(node);
  scope = std::move(outer);
}

void Importer::translateList(ArrayRef<Node> statements) {
  // Behind a statement that may leave the loop, the rest happens if it has not.
  auto place = llvm::find_if(statements, breaks);
  if (place != statements.end() && isSkip(*place) && !skipsByFlag &&
      (inParallel || !mentions(place->get("condition"), threads.dependent)) &&
      !isAlwaysTaken(*this, *place)) {
    size_t count = place - statements.begin();
    translateList(statements.take_front(count));
    return translateSkip(*place, statements.drop_front(count + 1));
  }
  if (place != statements.end() && std::next(place) != statements.end() &&
      breakFlag) {
    size_t count = std::next(place) - statements.begin();
    translateList(statements.take_front(count));
    auto rest = scf::IfOp::create(builder, getLoc(*place), isRunning(*place),
                                  /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(rest.thenBlock());
    translateList(statements.drop_front(count));
    return;
  }
  if (!inKernel || inParallel) {
    for (Node s : statements)
      translateOne(s);
    return;
  }
  for (auto [i, s] : llvm::enumerate(statements)) {
    if (!schedules || !partitions.empty() || !schedules->contains(s.getId()))
      continue;
    const Schedule &schedule = schedules->at(s.getId());
    translateList(statements.take_front(i));
    remarkDropped(s, "partitions of warps that wait for one another: all "
                     "threads do the work of each, in one of the orders that "
                     "the barriers allow");
    translateSteps(schedule.steps);
    return translateList(statements.drop_front(i + schedule.count));
  }
  splitRuns(
      statements, threads,
      [&](ArrayRef<Node> run) {
        inThreadLoop(run.front(), [&] {
          for (Node s : run)
            translateOne(s);
        });
      },
      [&](Node s) {
        if (isThreadLet(s, threads))
          scope.lets[s.get("var").getId()] = s.get("value");
        else if (holdsVote(s))
          translateVote(s);
        else
          translateOne(s);
      });
}

/// An `if` that ends the iteration: the rest is done where it is not taken.
void Importer::translateSkip(Node s, ArrayRef<Node> rest) {
  Value condition = getMatching(s.get("condition"), builder.getI1Type());
  auto choice = scf::IfOp::create(builder, getLoc(s), TypeRange(), condition,
                                  /*withElseRegion=*/true);
  SmallVector<Node> taken, others;
  flatten(s.get("then_case"), taken);
  taken.pop_back();
  if (Node otherwise = s.get("else_case"))
    flatten(otherwise, others);
  llvm::append_range(others, rest);
  branches.push_back(s.get("condition"));
  for (auto [block, list] : {std::pair(choice.thenBlock(), ArrayRef(taken)),
                             {choice.elseBlock(), ArrayRef(others)}}) {
    Scope outer = scope;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(block->getTerminator());
    translateList(list);
    scope = std::move(outer);
  }
  branches.pop_back();
}

void Importer::inThreadLoop(Node at, function_ref<void()> body) {
  SmallVector<Node> vars;
  SmallVector<OpFoldResult> extents;
  Scope outer = scope;
  for (unsigned dim : {2, 1, 0}) {
    if (threads.extents[dim] == 1)
      continue;
    auto named = llvm::find_if(threads.coordinates, [&](auto &coordinate) {
      return coordinate.second == dim;
    });
    vars.push_back(named == threads.coordinates.end() ? Node() : named->first);
    extents.push_back(builder.getIndexAttr(threads.extents[dim]));
  }
  if (extents.empty())
    extents.push_back(builder.getIndexAttr(1));
  ParallelOp loop = beginParallel(getLoc(at), vars, extents);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&loop.getBody().front());
    thread.assign(3, constantIndex(0));
    for (unsigned dim = 3, i = 0; dim-- > 0;)
      if (threads.extents[dim] > 1)
        thread[dim] = loop.getBody().getArgument(i++);
    for (auto [var, dim] : threads.coordinates)
      scope.vars[var.getId()] = thread[dim];
    llvm::SaveAndRestore parallel(inParallel, true);
    llvm::SaveAndRestore ofThreads(inThreads, true);
    llvm::SaveAndRestore around(enclosing, loop);
    // Where only some of the threads are.
    for (auto [condition, holds] : partitions) {
      Value truth = getMatching(condition, builder.getI1Type());
      auto choice = scf::IfOp::create(builder, getLoc(condition), TypeRange(),
                                      truth, /*withElseRegion=*/!holds);
      Block *block = holds ? choice.thenBlock() : choice.elseBlock();
      builder.setInsertionPointToStart(block);
    }
    body();
    thread.clear();
    ownWrites.clear();
  }
  scope = std::move(outer);
}

/// A branch on the number of a thread that holds tile ops: two groups of warps
/// with work of their own. As they do not wait for one another, the whole block
/// may do the work of both, one after the other.
void Importer::translatePartitions(Node s) {
  Node condition = s.get("condition"), otherwise = s.get("else_case");
  std::optional<int64_t> count =
      countThreads(condition, threads, scope.lets);
  bool waits = anyNode(s, [](Node node) {
    StringRef name = getCallee(node);
    return name.contains("barrier") || name.contains("wait") ||
           name.contains("arrive");
  });
  if (!count || (waits && !schedules) || !kernel) {
    refuse(s, "partitions of warps that wait for one another",
           "write T.Pipelined and T.copy; stages, barriers and partitions of "
           "warps are the compiler's");
    // For the sake of further errors.
    count = 1;
  }
  remarkDropped(s, "partitions of warps: all threads do the work of each");
  if (*count > 0) {
    partitions.emplace_back(condition, true);
    translate(s.get("then_case"));
    partitions.pop_back();
  }
  if (otherwise && (!kernel || *count < int64_t(kernel.getThreads()))) {
    partitions.emplace_back(condition, false);
    translate(otherwise);
    partitions.pop_back();
  }
}

void Importer::translateJointLoop(const Step &joint) {
  Node loop = joint.loops.front();
  Location loc = getLoc(loop);
  SmallVector<Value> operands;
  AffineExpr first = getAffine(loop.get("min"), operands);
  AffineExpr count = getAffine(loop.get("extent"), operands);
  Value low = makeIndex(loop, first, operands);
  Value high = makeIndex(loop, first + count, operands);
  Value one = constantIndex(1);
  auto op = scf::ForOp::create(builder, loc, low, high, one);
  Scope outer = scope;
  for (Node each : joint.loops) {
    Node var = each.get("loop_var");
    op.getInductionVar().setLoc(getNamedLoc(var, var.getString("name")));
    scope.vars[var.getId()] = op.getInductionVar();
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.getBody());
  translateSteps(joint.body);
  scope = std::move(outer);
}

void Importer::translateSteps(ArrayRef<Step> steps) {
  while (!steps.empty()) {
    const Step &step = steps.front();
    if (!step.statement) {
      translateJointLoop(step);
      steps = steps.drop_front();
      continue;
    }
    // Neighbours of one partition are one list.
    SmallVector<Node> list;
    for (; !steps.empty() && steps.front().statement &&
           steps.front().partition == step.partition &&
           steps.front().guards == step.guards;
         steps = steps.drop_front())
      list.push_back(steps.front().statement);
    llvm::SaveAndRestore around(partitions, step.partition);
    OpBuilder::InsertionGuard guard(builder);
    for (auto [condition, holds] : step.guards) {
      Value truth = getMatching(condition, builder.getI1Type());
      auto choice = scf::IfOp::create(builder, getLoc(condition), TypeRange(),
                                      truth, /*withElseRegion=*/!holds);
      builder.setInsertionPointToStart(holds ? choice.thenBlock()
                                             : choice.elseBlock());
    }
    translateList(list);
  }
}

static void translateIf(Importer &importer, Node s) {
  OpBuilder &builder = importer.builder;
  if (!importer.inParallel &&
      mentions(s.get("condition"), importer.threads.dependent))
    return importer.translatePartitions(s);
  if (isAlwaysTaken(importer, s))
    return importer.translate(s.get("then_case"));
  Value condition = importer.getMatching(s.get("condition"),
                                         builder.getI1Type());
  Node otherwise = s.get("else_case");
  auto choice = scf::IfOp::create(builder, importer.getLoc(s), TypeRange(),
                                  condition, bool(otherwise));
  // In front of the terminators that the op has made.
  for (auto [block, part] :
       {std::pair(choice.thenBlock(), s.get("then_case")),
        {otherwise ? choice.elseBlock() : nullptr, otherwise}}) {
    if (!block)
      continue;
    if (!block->empty())
      block->back().erase();
    importer.branches.push_back(s.get("condition"));
    importer.translateInto(block, part);
    importer.branches.pop_back();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    scf::YieldOp::create(builder, importer.getLoc(s));
  }
}

static void translateWhile(Importer &importer, Node s) {
  OpBuilder &builder = importer.builder;
  Location loc = importer.getLoc(s);
  // What was written in front is of the first iteration.
  importer.ownWrites.clear();
  LoopExits exits(importer, s);
  auto loop = scf::WhileOp::create(builder, loc, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  Block *before = builder.createBlock(&loop.getBefore());
  Value condition;
  if (exits.leaves) {
    // Behind a break, the condition is not asked.
    exits.beginIteration();
    Value running = importer.isRunning(s);
    auto choice = scf::IfOp::create(builder, loc, builder.getI1Type(), running,
                                    /*withElseRegion=*/true);
    builder.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(builder, loc, running);
    builder.setInsertionPointToStart(choice.thenBlock());
    condition = importer.getMatching(s.get("condition"), builder.getI1Type());
    scf::YieldOp::create(builder, loc, condition);
    builder.setInsertionPointToEnd(before);
    condition = choice.getResult(0);
  } else {
    condition = importer.getMatching(s.get("condition"), builder.getI1Type());
  }
  scf::ConditionOp::create(builder, loc, condition, ValueRange());
  Block *body = builder.createBlock(&loop.getAfter());
  if (!exits.leaves)
    exits.beginIteration();
  importer.branches.push_back(s.get("condition"));
  importer.translateInto(body, s.get("body"));
  importer.branches.pop_back();
  builder.setInsertionPointToEnd(body);
  scf::YieldOp::create(builder, loc);
}

static void translateStore(Importer &importer, Node s) {
  Node buffer = s.get("buffer"), value = s.get("value");
  SmallVector<Node> indices = s.getElementsOf("indices");
  if (importer.updateReducer(s, buffer, indices, value))
    return;
  int64_t lanes = DataType(value.getString("dtype")).lanes;
  Type element = importer.getBuffer(buffer).getType().getElementType();
  DataType from(value.getString("dtype")), to(buffer.getString("dtype"));
  if (lanes > 64) {
    importer.refuse(s, "a vector of " + Twine(lanes) + " elements",
                    "write a loop");
    return;
  }
  // All lanes are read before any is written.
  SmallVector<Value> values;
  for (int64_t i = 0; i < lanes; ++i) {
    Value lane = importer.getLane(value, i);
    if (lane.getType() != element)
      lane = importer.convert(s, lane, from, to);
    values.push_back(lane);
  }
  int64_t before = importer.lane;
  OpBuilder::InsertionGuard guard(importer.builder);
  // An element that is written again is another one.
  llvm::erase_if(importer.ownWrites, [&](const Importer::OwnWrite &own) {
    return own.buffer.get("data") == buffer.get("data");
  });
  Block *block = importer.builder.getInsertionBlock();
  bool readsMemory = llvm::any_of(indices, [](Node index) {
    return anyNode(index, [](Node node) { return node.is("BufferLoad"); });
  });
  if (importer.guardSharedElement(s, buffer, indices) && lanes == 1 &&
      !readsMemory)
    importer.ownWrites.push_back({buffer, indices, values.front(), block});
  for (int64_t i = 0; i < lanes; ++i) {
    importer.lane = i;
    importer.store(s, buffer, indices, values[i]);
  }
  importer.lane = before;
}

bool Importer::dependsOn(Node expression, unsigned dim) {
  Descent descent(*this, expression);
  return descent && anyNode(expression, [&](Node node) {
    if (std::optional<unsigned> found = threads.getDim(node))
      return *found == dim;
    if (node.is("Buffer"))
      return threads.dependent.contains(node.getId());
    if (!node.is("Var"))
      return false;
    Node value = scope.lets.lookup(node.getId());
    if (!value)
      value = scope.sources.lookup(node.getId());
    return value ? dependsOn(value, dim)
                 : threads.dependent.contains(node.getId());
  });
}

/// Collects for how many threads in a row, counted from 0, parts of an
/// expression are the same; false if it depends on a thread in another way.
static bool collectSizes(AffineExpr e, AffineExpr thread,
                         SmallVector<int64_t> &sizes) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(e);
  if (!binary)
    return e != thread;
  auto size = dyn_cast<AffineConstantExpr>(binary.getRHS());
  auto begin = dyn_cast<AffineConstantExpr>(binary.getLHS() - thread);
  if (e.getKind() == AffineExprKind::FloorDiv && size && begin &&
      size.getValue() > 1 && begin.getValue() % size.getValue() == 0) {
    sizes.push_back(size.getValue());
    return true;
  }
  return collectSizes(binary.getLHS(), thread, sizes) &&
         collectSizes(binary.getRHS(), thread, sizes);
}

/// Whether a value is a number of the thread, or is computed for none alone.
static bool isUniform(Value value, ParallelOp threads) {
  Operation *op = value.getDefiningOp();
  if (op)
    return op->hasTrait<OpTrait::ConstantLike>() || !threads->isAncestor(op);
  Operation *parent = cast<BlockArgument>(value).getOwner()->getParentOp();
  if (!threads->isProperAncestor(parent))
    return true;
  auto loop = dyn_cast<scf::ForOp>(parent);
  return loop && isUniform(loop.getLowerBound(), threads) &&
         isUniform(loop.getUpperBound(), threads) &&
         isUniform(loop.getStep(), threads);
}

/// How many threads in a row along a dimension write one element; nothing if
/// each writes its own, or that is not known.
static std::optional<int64_t> findGroup(Importer &importer, unsigned dim,
                                        ArrayRef<Node> indices) {
  auto depends = [&](Node node) { return importer.dependsOn(node, dim); };
  SmallVector<int64_t> sizes;
  for (Node index : indices) {
    if (!depends(index))
      continue;
    SmallVector<Value> operands;
    AffineExpr expression = importer.getAffine(index, operands);
    auto map =
        AffineMap::get(operands.size(), 0, expression, importer.context);
    affine::fullyComposeAffineMapAndOperands(&map, &operands);
    affine::canonicalizeMapAndOperands(&map, &operands);
    auto place = llvm::find(operands, importer.thread[dim]);
    bool isKnown = llvm::all_of(operands, [&](Value operand) {
      return isUniform(operand, importer.enclosing);
    });
    // A variable of a loop that some threads run is the same for them.
    if (isKnown && place == operands.end())
      continue;
    if (!isKnown ||
        !collectSizes(map.getResult(0),
                      importer.builder.getAffineDimExpr(place -
                                                        operands.begin()),
                      sizes))
      return std::nullopt;
  }
  if (!llvm::all_equal(sizes))
    return std::nullopt;
  return sizes.empty() ? importer.threads.extents[dim] : sizes.front();
}

/// Threads that write one element race, and any of them may win: the first.
bool Importer::guardSharedElement(Node at, Node buffer,
                                  ArrayRef<Node> indices) {
  if (!inThreads || getScope(buffer).starts_with("local"))
    return false;
  // The first thread may have left a loop that others are still in.
  if (breakFlag && getMemorySpace(breakFlag) == MemorySpace::Local)
    return false;
  bool isShared = false;
  SmallVector<Node> conditions(branches);
  for (auto &partition : partitions)
    conditions.push_back(partition.first);
  for (unsigned dim = 0; dim < threads.extents.size(); ++dim) {
    auto depends = [&](Node node) { return dependsOn(node, dim); };
    std::optional<int64_t> group;
    if (threads.extents[dim] > 1)
      group = findGroup(*this, dim, indices);
    // The first of a group is there where the others are.
    bool isThere = group && llvm::none_of(conditions, [&](Node condition) {
      return depends(condition) &&
             !isUniformInGroups(condition, threads, scope.lets, dim, *group);
    });
    if (!isThere)
      continue;
    Location loc = getLoc(at);
    AffineExpr number = builder.getAffineDimExpr(0);
    Value place = thread[dim];
    if (*group < threads.extents[dim])
      place = makeIndex(at, number % *group, {place});
    Value first = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, place, constantIndex(0));
    auto choice = scf::IfOp::create(builder, loc, first, false);
    builder.setInsertionPointToStart(choice.thenBlock());
    isShared = true;
  }
  return isShared;
}

Value Importer::readBack(Node buffer, ArrayRef<Node> indices) {
  for (const OwnWrite &own : llvm::reverse(ownWrites)) {
    bool isIt = own.buffer == buffer && own.indices.size() == indices.size() &&
                own.block->getParent()->isAncestor(
                    builder.getInsertionBlock()->getParent()) &&
                llvm::all_of(llvm::zip(own.indices, indices), [](auto pair) {
                  return isSame(std::get<0>(pair), std::get<1>(pair));
                });
    if (isIt)
      return own.value;
  }
  return {};
}

static void translateAssert(Importer &importer, Node s) {
  Value condition = importer.getMatching(s.get("condition"),
                                         importer.builder.getI1Type());
  DeviceAssertOp::create(importer.builder, importer.getLoc(s), condition,
                         "an assertion does not hold");
  if (Node body = s.get("body"))
    importer.translate(body);
}

void Importer::translateBind(Node s) {
  Node var = s.get("var"), value = s.get("value");
  if (getCallee(value) == "launch_thread_idx")
    return;
  if (DataType(var.getString("dtype")).element == "handle") {
    refuse(s, "'" + var.getString("name") + "', a variable that is a pointer",
           "name the element of a buffer");
    return;
  }
  // TileLang binds with variables of loops further down: the expression is
  // computed where it is used.
  bool isBound = !anyNode(value, [&](Node node) {
    return node.is("Var") && !scope.vars.count(node.getId()) &&
           !scope.storage.count(node.getId()) &&
           DataType(node.getString("dtype")).element != "handle";
  });
  bool isPure = !anyNode(value, [](Node node) {
    return node.is("Call") && getCallee(node).starts_with("atomic");
  });
  if (!isBound && isPure) {
    scope.lets[var.getId()] = value;
    return;
  }
  Value result = computesIndex(value) ? getIndex(value) : getValue(value);
  if (Operation *op = result.getDefiningOp())
    if (!isa<NameLoc>(op->getLoc()) && !op->hasTrait<OpTrait::ConstantLike>())
      op->setLoc(getNamedLoc(s, var.getString("name")));
  scope.vars[var.getId()] = result;
  scope.sources[var.getId()] = value;
}

/// What stands in the attributes of a block, by name.
static void translateAnnotation(Importer &importer, Node block, StringRef name,
                                Node value) {
  if (name == "pragma_import_c" || name == "code_block_source") {
    importer.refuse(block, "foreign code (T.import_source)", "write it with T");
  } else if (name.starts_with("reducer_info")) {
    importer.addReducers(block, value);
  } else if (name == "safe_value_map") {
    for (auto [data, padding] : value.getEntries())
      importer.setPadding(block, data, padding);
  } else if (name == "layout_map") {
    importer.remarkDropped(block, "T.annotate_layout: layouts are inferred");
  } else if (name == "cluster_dims") {
    importer.setCluster(block, value);
  } else if (name != "tl.launch_threads" && name != "barrier_init") {
    importer.remarkDropped(block, "the hint '" + name + "'");
  }
}

void Importer::translateBlock(Node block) {
  if (!block.getElementsOf("match_buffers").empty())
    refuse(block, "a buffer that is matched with a part of another",
           "name the part where it is used");
  SmallVector<std::pair<Node, Node>> annotations =
      block.get("annotations").getEntries();
  // Allocations want to know which of them are reducers.
  for (auto [key, value] : annotations)
    if (key.asString().starts_with("reducer_info"))
      translateAnnotation(*this, block, key.asString(), value);
  for (Node buffer : block.getElementsOf("alloc_buffers"))
    allocate(buffer);
  for (auto [key, value] : annotations)
    if (!key.asString().starts_with("reducer_info"))
      translateAnnotation(*this, block, key.asString(), value);
  translate(block.get("body"));
}

static void translateAttribute(Importer &importer, Node s) {
  StringRef key = s.getString("attr_key");
  SmallVector<Node> args = s.get("value").getElementsOf("args");
  if (key == "threadblock_swizzle_pattern" && args.size() >= 2 &&
      importer.kernel && importer.kernel.getStaticGrid().size() > 1) {
    std::optional<int64_t> group = importer.getConstant(args[1]);
    bool byRow = args[0].asString().contains_insensitive("row");
    if (group.value_or(0) > 0)
      RasterizeOp::create(importer.builder, importer.getLoc(s), *group,
                          byRow ? RasterOrder::Row : RasterOrder::Column);
  } else if (key.contains_insensitive("warp_special")) {
    if (importer.partitions.empty())
      importer.refuse(s, "code for one partition of warps",
                      "write it in a branch on the number of a thread");
  } else if (key == "reduce_scope" && importer.reduceThreads(s)) {
    return;
  } else if (key.contains("import_c")) {
    importer.refuse(s, "foreign code (T.import_source)", "write it with T");
  } else {
    importer.remarkDropped(s, "the hint '" + key + "'");
  }
  importer.translate(s.get("body"));
}

namespace {
using Translate = void (*)(Importer &, Node);
} // namespace

void Importer::translateOne(Node s) {
  Node outer = statement;
  if (s.get("span"))
    statement = s;
  llvm::scope_exit restore([&] { statement = outer; });
  auto known =
      llvm::StringSwitch<Translate>(s.getKind())
          .Case("IfThenElse", translateIf)
          .Case("While", translateWhile)
          .Case("BufferStore", translateStore)
          .Case("AssertStmt", translateAssert)
          .Case("AttrStmt", translateAttribute)
          .Case("For", [](Importer &importer, Node s) {
            importer.translateFor(s);
          })
          .Case("Bind", [](Importer &importer, Node s) {
            importer.translateBind(s);
          })
          .Case("Evaluate", [](Importer &importer, Node s) {
            if (s.get("value").is("Call"))
              importer.evaluate(s.get("value"));
          })
          .Cases({"SBlockRealize", "BlockRealize"},
                 [](Importer &importer, Node s) {
                   importer.translateBlock(s.get("block"));
                 })
          .Case("LetStmt", [](Importer &importer, Node s) {
            importer.translateBind(s);
            importer.translate(s.get("body"));
          })
          .Cases({"AllocBuffer", "DeclBuffer"},
                 [](Importer &importer, Node s) {
                   if (s.is("AllocBuffer"))
                     importer.allocate(s.get("buffer"));
                   if (Node body = s.get("body"))
                     importer.translate(body);
                 })
          .Default(nullptr);
  if (known)
    known(*this, s);
  else
    refuse(s, s ? "the statement '" + s.getKind() + "'"
                : Twine("a statement that is not there"),
           "write the file with tvm.ir.save_json");
}
