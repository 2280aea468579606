//===- Reducers.cpp - accumulators that iterations share ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Iterations of tile.parallel are independent. Those of T.Parallel may update
// an element of a reducer together: here each of them writes a term of its own,
// and a tile.reduce behind the loop combines them.
//
//===----------------------------------------------------------------------===//

#include "Reducers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::tilelang;

std::optional<ReduceKind> tilelang::getReduceKind(StringRef name) {
  return symbolizeReduceKind(llvm::StringSwitch<StringRef>(name)
                                 .Case("bitand", "and")
                                 .Case("bitor", "or")
                                 .Case("bitxor", "xor")
                                 .Default(name));
}

static Value getIdentity(Importer &importer, ReduceKind kind, Type type,
                         bool isUnsigned) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bool isMax = kind == ReduceKind::Max;
  if (kind == ReduceKind::And)
    return importer.constant(type, int64_t(-1));
  if (!isMax && kind != ReduceKind::Min)
    return importer.constant(type, int64_t(0));
  if (isa<FloatType>(type))
    return importer.constant(type, isMax ? -infinity : infinity);
  unsigned width = type.getIntOrFloatBitWidth();
  APInt least = isUnsigned ? APInt::getMinValue(width)
                           : APInt::getSignedMinValue(width);
  APInt most = isUnsigned ? APInt::getMaxValue(width)
                          : APInt::getSignedMaxValue(width);
  return importer.constant(type, (isMax ? least : most).getSExtValue());
}

static Value combine(Importer &importer, Node at, ReduceKind kind, Value a,
                     Value b, bool isUnsigned) {
  bool isFloat = isa<FloatType>(a.getType());
  using K = arith::AtomicRMWKind;
  K how;
  switch (kind) {
  case ReduceKind::Max:
    how = isFloat ? K::maxnumf : isUnsigned ? K::maxu : K::maxs;
    break;
  case ReduceKind::Min:
    how = isFloat ? K::minnumf : isUnsigned ? K::minu : K::mins;
    break;
  case ReduceKind::And:
    how = K::andi;
    break;
  case ReduceKind::Or:
    how = K::ori;
    break;
  case ReduceKind::Xor:
    return arith::XOrIOp::create(importer.builder, importer.getLoc(at), a, b);
  default:
    how = isFloat ? K::addf : K::addi;
  }
  return arith::getReductionOp(how, importer.builder, importer.getLoc(at), a, b);
}

void Importer::addReducers(Node block, Node table) {
  for (auto [data, info] : table.getEntries()) {
    std::optional<ReduceKind> kind = getReduceKind(info.lookup("op").asString());
    if (kind && *kind != ReduceKind::AbsSum && *kind != ReduceKind::AbsMax)
      reducers[data.getId()].kind = *kind;
    else
      refuse(block, "a reducer of kind '" + info.lookup("op").asString() + "'",
             "use sum, max, min or a bitwise one");
  }
}

void Importer::beginTerms(Node loop, ArrayRef<Node> vars,
                          ArrayRef<OpFoldResult> extents) {
  parallelVars.assign(vars.begin(), vars.end());
  std::optional<SmallVector<int64_t>> shape = getConstantIntValues(extents);
  (void)anyNode(loop, [&](Node node) {
    if (!node.is("Buffer"))
      return false;
    auto it = reducers.find(node.get("data").getId());
    if (it == reducers.end() || it->second.terms)
      return false;
    Reducer &reducer = it->second;
    // Whatever only reads one gets no terms: those show at the first update.
    bool updates = anyNode(loop, [&](Node user) {
      return (user.is("BufferStore") && user.get("buffer") == node) ||
             (getCallee(user) == "reducer_update" &&
              !user.getElementsOf("args").empty() &&
              user.getElementsOf("args")[0].get("buffer") == node);
    });
    if (!updates)
      return false;
    if (!shape) {
      refuse(loop, "a T.Parallel of dynamic extents that updates a reducer",
             "make the extents constant, and mask what is too much");
      return false;
    }
    MemRefType type = getBuffer(node).getType();
    Location loc = getNamedLoc(node, node.getString("name"));
    reducer.terms = AllocOp::create(
        builder, loc,
        MemRefType::get(*shape, type.getElementType(),
                        MemRefLayoutAttrInterface(),
                        MemorySpaceAttr::get(context, MemorySpace::Fragment)),
        LayoutAttr(), IntegerAttr());
    reducer.buffer = node;
    reducer.kept.reset();
    // A float plus -0 is itself; plus 0 it need not be.
    bool isFloatSum = reducer.kind == ReduceKind::Sum &&
                      isa<FloatType>(type.getElementType());
    Value identity =
        isFloatSum ? constant(type.getElementType(), -0.0)
                   : getIdentity(*this, reducer.kind, type.getElementType(),
                                 DataType(node.getString("dtype")).isUnsigned());
    FillOp::create(builder, loc, reducer.terms, identity);
    return false;
  });
}

/// What a statement adds to a reducer: "x" of `r[i] = r[i] + x`.
static Node getTerm(Node value, Node buffer) {
  if (!value.isAny("Add", "Max", "Min"))
    return {};
  for (auto [self, term] : {std::pair("a", "b"), {"b", "a"}})
    if (value.get(self).is("BufferLoad") &&
        value.get(self).get("buffer") == buffer)
      return value.get(term);
  return {};
}

bool Importer::updateReducer(Node at, Node buffer, ArrayRef<Node> indices,
                             Node value) {
  auto it = reducers.find(buffer.get("data").getId());
  if (it == reducers.end() || !it->second.terms)
    return false;
  Node term = getTerm(value, buffer);
  if (!term)
    return false;
  addTerm(at, it->second, indices, term);
  return true;
}

void Importer::addTerm(Node at, Reducer &reducer, ArrayRef<Node> indices,
                       Node term) {
  SmallVector<unsigned> kept;
  for (unsigned i = 0; i < parallelVars.size(); ++i)
    if (llvm::any_of(indices, [&](Node index) {
          return anyNode(index,
                         [&](Node node) { return node == parallelVars[i]; });
        }))
      kept.push_back(i);
  if (reducer.kept && reducer.indices != indices)
    return refuse(at, "two updates of a reducer at different indices",
                  "write a T.Parallel for each");
  reducer.kept = kept;
  reducer.indices.assign(indices.begin(), indices.end());
  SmallVector<Value> ivs(enclosing.getBody().getArguments());
  DataType type(reducer.buffer.getString("dtype"));
  Location loc = getLoc(at);
  Value value = convert(at, getValue(term), DataType(term.getString("dtype")),
                        type);
  Value old = memref::LoadOp::create(builder, loc, reducer.terms, ivs);
  value = combine(*this, at, reducer.kind, old, value, type.isUnsigned());
  memref::StoreOp::create(builder, loc, value, reducer.terms, ivs);
}

/// Reduces the dimensions that do not index the reducer, and combines what is
/// left with its elements.
void Importer::combineTerms(Node loop, Reducer &reducer, Value terms) {
  Location loc = getLoc(loop);
  auto type = cast<MemRefType>(terms.getType());
  bool isUnsigned = !isa<FloatType>(type.getElementType()) &&
                    DataType(reducer.buffer.getString("dtype")).isUnsigned();
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
    if (llvm::is_contained(*reducer.kept, unsigned(dim)))
      continue;
    shape.erase(shape.begin() + dim);
    if (shape.empty())
      shape.push_back(1);
    Value next =
        AllocOp::create(builder, loc,
                        MemRefType::get(shape, type.getElementType(),
                                        MemRefLayoutAttrInterface(),
                                        type.getMemorySpace()),
                        LayoutAttr(), IntegerAttr());
    ReduceOp::create(builder, loc, reducer.kind, terms, next, dim,
                     /*combine=*/false, /*propagate_nan=*/false, isUnsigned);
    terms = next;
  }
  SmallVector<Node> vars;
  for (unsigned dim : *reducer.kept)
    vars.push_back(parallelVars[dim]);
  SmallVector<OpFoldResult> extents;
  for (int64_t extent : shape)
    extents.push_back(builder.getIndexAttr(extent));
  Scope outer = scope;
  ParallelOp op = beginParallel(loc, vars, extents);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&op.getBody().front());
  SmallVector<Value> ivs(op.getBody().getArguments());
  Value part = memref::LoadOp::create(builder, loc, terms, ivs);
  Value old = load(reducer.buffer, reducer.indices);
  Value sum = combine(*this, loop, reducer.kind, old, part, isUnsigned);
  store(loop, reducer.buffer, reducer.indices, sum);
  scope = std::move(outer);
}

void Importer::endTerms(Node loop) {
  Location loc = getLoc(loop);
  for (auto &entry : reducers) {
    Reducer &reducer = entry.second;
    Value terms = std::exchange(reducer.terms, Value());
    if (!terms || !reducer.kept)
      continue;
    auto type = cast<MemRefType>(terms.getType());
    Buffer target = getBuffer(reducer.buffer);
    // The usual form is one reduction into the reducer itself.
    bool byVariables =
        reducer.indices.size() == 1 && type.getRank() == 2 &&
        reducer.kept->size() == 1 &&
        reducer.indices[0] == parallelVars[reducer.kept->front()] &&
        type.getDimSize(reducer.kept->front()) ==
            target.getType().getDimSize(0);
    if (!byVariables) {
      combineTerms(loop, reducer, terms);
      continue;
    }
    ReduceOp::create(builder, loc, reducer.kind, terms, target.value,
                     1 - reducer.kept->front(), /*combine=*/true,
                     /*propagate_nan=*/false,
                     !isa<FloatType>(type.getElementType()) &&
                         DataType(reducer.buffer.getString("dtype")).isUnsigned());
  }
}

/// What a commutative reducer of TIR does with its two operands.
static std::optional<ReduceKind> getReduceKind(Node reducer) {
  NodeList results = reducer.getElementsOf("result");
  if (results.size() != 1)
    return std::nullopt;
  return llvm::StringSwitch<std::optional<ReduceKind>>(results[0].getKind())
      .Case("Add", ReduceKind::Sum)
      .Case("Max", ReduceKind::Max)
      .Case("Min", ReduceKind::Min)
      .Default(std::nullopt);
}

/// A value of each thread goes to a tile, of which tile.reduce makes the
/// results, which go back to the threads.
bool Importer::reduceThreads(Node attribute) {
  std::optional<ReduceKind> kind = ::getReduceKind(attribute.get("node"));
  Node call = attribute.get("body").get("value");
  NodeList args = call.getElementsOf("args");
  if (!kind || inParallel || getCallee(call) != "tvm_thread_allreduce" ||
      args.size() < 5 || args[0].asInteger() != 1 || args[2].asInteger() != 1 ||
      !args[3].is("BufferLoad"))
    return false;
  SmallVector<int64_t> shape;
  SmallVector<unsigned> reduced;
  for (unsigned dim : {2, 1, 0}) {
    if (threads.extents[dim] == 1)
      continue;
    if (llvm::any_of(ArrayRef(args).drop_front(4), [&](Node var) {
          return threads.getDim(var) == dim;
        }))
      reduced.push_back(shape.size());
    shape.push_back(threads.extents[dim]);
  }
  if (reduced.size() != 1)
    return false;
  Location loc = getLoc(attribute);
  Type element = getType(args[1]);
  auto makeTile = [&](ArrayRef<int64_t> extents) -> Value {
    auto type = MemRefType::get(
        extents, element, MemRefLayoutAttrInterface(),
        MemorySpaceAttr::get(context, MemorySpace::Shared));
    return AllocOp::create(builder, loc, type, LayoutAttr(), IntegerAttr());
  };
  SmallVector<int64_t> rest = shape;
  rest.erase(rest.begin() + reduced[0]);
  Value terms = makeTile(shape);
  Value results = makeTile(rest.empty() ? ArrayRef<int64_t>(1) : rest);
  inThreadLoop(attribute, [&] {
    SmallVector<Value> place(enclosing.getBody().getArguments());
    Value value = getValue(args[1]);
    memref::StoreOp::create(builder, loc, value, terms, place);
  });
  ReduceOp::create(builder, loc, *kind, terms, results, reduced[0],
                   /*combine=*/false, /*propagate_nan=*/false,
                   isa<IntegerType>(element) &&
                       DataType(args[1].getString("dtype")).isUnsigned());
  inThreadLoop(attribute, [&] {
    SmallVector<Value> place(enclosing.getBody().getArguments());
    place.erase(place.begin() + reduced[0]);
    if (place.empty())
      place.push_back(constantIndex(0));
    Value value = memref::LoadOp::create(builder, loc, results, place);
    store(attribute, args[3].get("buffer"), args[3].getElementsOf("indices"),
          value);
  });
  return true;
}

void tilelang::initializeReducer(Importer &importer, Node call) {
  SmallVector<Node> args = call.getElementsOf("args");
  std::optional<Part> part =
      args.empty() ? std::nullopt : importer.getPart(args[0]);
  auto it = part ? importer.reducers.find(part->buffer.get("data").getId())
                 : importer.reducers.end();
  if (it == importer.reducers.end() || importer.inParallel)
    return importer.refuse(call, "T.reducer_init of something else",
                           "give it what T.alloc_reducer has made");
  Buffer buffer = importer.getBuffer(part->buffer);
  DataType type(part->buffer.getString("dtype"));
  Value value =
      args.size() > 1
          ? importer.convert(call, importer.getValue(args[1]),
                             DataType(args[1].getString("dtype")), type)
          : getIdentity(importer, it->second.kind,
                        buffer.getType().getElementType(), type.isUnsigned());
  FillOp::create(importer.builder, importer.getLoc(call), buffer.value, value);
}

void tilelang::updateReducerCall(Importer &importer, Node call) {
  SmallVector<Node> args = call.getElementsOf("args");
  Node target = args.size() < 2 ? Node() : args[0];
  auto it = importer.reducers.find(target.get("buffer").get("data").getId());
  if (!target.is("BufferLoad") || it == importer.reducers.end() ||
      !it->second.terms)
    return importer.refuse(call, "an update of a reducer outside of T.Parallel",
                           "write it in a T.Parallel");
  importer.addTerm(call, it->second, target.getElementsOf("indices"), args[1]);
}

void tilelang::finalizeReducer(Importer &importer, Node call) {
  SmallVector<Node> args = call.getElementsOf("args");
  std::optional<Part> from, to;
  if (args.size() > 1) {
    from = importer.getPart(args[0]);
    to = importer.getPart(args[1]);
  }
  if (!from || !to || !importer.isWhole(*from) || !importer.isWhole(*to) ||
      importer.getBuffer(from->buffer).getType().getShape() !=
          importer.getBuffer(to->buffer).getType().getShape())
    return importer.refuse(call, "T.finalize_reducer of parts",
                           "give it a whole tile of the reducer's shape");
  CopyOp::create(importer.builder, importer.getLoc(call),
                 importer.getBuffer(from->buffer).value, ValueRange(),
                 importer.getBuffer(to->buffer).value, ValueRange(),
                 AffineMapAttr(), DenseI64ArrayAttr(), AffineMapAttr(),
                 DenseI64ArrayAttr(), false, false, InstructionAttr(),
                 IntegerAttr(), TransferAttr(), Value());
}

//===----------------------------------------------------------------------===//
// More terms than registers
//===----------------------------------------------------------------------===//

// As many terms as a vector has elements become one; and a thread holds no more
// than this many along with the rest.
static constexpr int64_t kJoined = 8, kMostTerms = 128;

namespace {
/// A loop of two dimensions that adds to the terms, and their reduction.
struct Terms {
  ParallelOp loop;
  memref::StoreOp store;
  memref::LoadOp load;
  FillOp fill;
  ReduceOp reduce;
  AllocOp alloc;

  bool match();
  void join();

private:
  bool matchUsers();
};
} // namespace

bool Terms::matchUsers() {
  for (Operation *user : alloc.getBuffer().getUsers()) {
    if (auto op = dyn_cast<FillOp>(user); op && !fill)
      fill = op;
    else if (auto op = dyn_cast<ReduceOp>(user);
             op && !reduce && op.getSource() == alloc.getBuffer())
      reduce = op;
    else if (auto op = dyn_cast<memref::LoadOp>(user); op && !load)
      load = op;
    else if (user != store.getOperation())
      return false;
  }
  return fill && reduce && load && reduce.getDim() == 1 &&
         load->getParentOp() == loop && fill->getBlock() == loop->getBlock() &&
         fill->isBeforeInBlock(loop) && reduce->getBlock() == loop->getBlock() &&
         loop->isBeforeInBlock(reduce);
}

bool Terms::match() {
  ArrayRef<int64_t> extents = loop.getStaticExtents();
  if (extents.size() != 2 || ShapedType::isDynamicShape(extents) ||
      extents[1] % kJoined != 0)
    return false;
  int64_t threads = loop->getParentOfType<KernelOp>().getThreads();
  if (extents[0] * extents[1] <= kMostTerms * threads)
    return false;
  for (Operation &op : loop.getBody().front()) {
    auto other = dyn_cast<memref::StoreOp>(op);
    if (op.getNumRegions() != 0 || (other && store) ||
        (!other && !isa<memref::LoadOp>(op) && !isMemoryEffectFree(&op)))
      return false;
    if (other)
      store = other;
  }
  alloc = store ? store.getMemRef().getDefiningOp<AllocOp>() : AllocOp();
  if (!alloc || !matchUsers() ||
      getMemorySpace(alloc.getBuffer()) != MemorySpace::Fragment)
    return false;
  // Partial sums of shorter floats would be rounded once more.
  Value sum = store.getValueToStore();
  bool isFloat = sum.getType().isF32() || sum.getType().isF64();
  Operation *add = sum.getDefiningOp();
  bool adds = isFloat ? isa_and_nonnull<arith::AddFOp>(add) &&
                            matchPattern(fill.getValue(), m_AnyZeroFloat())
                      : isa_and_nonnull<arith::AddIOp>(add) &&
                            matchPattern(fill.getValue(), m_Zero());
  ValueRange coordinates(loop.getBody().getArguments());
  return adds && reduce.getKind() == ReduceKind::Sum &&
         add->getParentOp() == loop && sum.hasOneUse() &&
         load.getResult().hasOneUse() &&
         llvm::is_contained(add->getOperands(), load.getResult()) &&
         llvm::equal(load.getIndices(), coordinates) &&
         llvm::equal(store.getIndices(), coordinates);
}

/// Op by op for all of the neighbours, whose loads are one then.
void Terms::join() {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  auto type = cast<MemRefType>(alloc.getBuffer().getType());
  SmallVector<int64_t> shape{type.getDimSize(0), type.getDimSize(1) / kJoined};
  Value sums = AllocOp::create(
      b, alloc.getLoc(),
      MemRefType::get(shape, type.getElementType(), MemRefLayoutAttrInterface(),
                      type.getMemorySpace()),
      LayoutAttr(), IntegerAttr());
  auto joint = ParallelOp::create(b, loc, ValueRange(), shape, IntegerAttr(),
                                  LayoutAttr());
  Block &body = joint.getBody().emplaceBlock();
  Value row = body.addArgument(b.getIndexType(), loc);
  Value group = body.addArgument(b.getIndexType(), loc);
  b.setInsertionPointToStart(&body);
  SmallVector<IRMapping> steps(kJoined);
  for (auto [i, step] : llvm::enumerate(steps)) {
    AffineExpr column = b.getAffineDimExpr(0) * kJoined + int64_t(i);
    step.map(loop.getBody().getArguments(),
             ValueRange{row, affine::AffineApplyOp::create(
                                 b, loc, AffineMap::get(1, 0, column), group)});
  }
  Value sum = fill.getValue();
  for (Operation &op : loop.getBody().front()) {
    if (&op == load.getOperation() || &op == store.getOperation())
      continue;
    bool combines = &op == store.getValueToStore().getDefiningOp();
    for (IRMapping &step : steps) {
      if (combines)
        step.map(load.getResult(), sum);
      Operation *copy = b.clone(op, step);
      if (combines)
        sum = copy->getResult(0);
    }
  }
  memref::StoreOp::create(b, loc, sum, sums, ValueRange{row, group});
  reduce.getSourceMutable().assign(sums);
  fill.erase();
  loop.erase();
  alloc.erase();
}

void tilelang::joinTerms(Operation *root) {
  SmallVector<Terms> found;
  root->walk([&](ParallelOp loop) {
    Terms terms;
    terms.loop = loop;
    if (terms.match())
      found.push_back(terms);
  });
  for (Terms &terms : found)
    terms.join();
}
