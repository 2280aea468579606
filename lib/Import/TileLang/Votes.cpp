//===- Votes.cpp - what threads tell one another --------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each thread contributes is an element of a tile of warps and lanes; a
// tile.reduce makes the ballot of each warp, or its count. A thread reads the
// result where the program uses the vote; of a shuffle, or a reduction of the
// warp, the elements of other lanes. Warps are the 32 threads of NVIDIA's.
//
//===----------------------------------------------------------------------===//

#include "Votes.h"
#include "Operands.h"
#include "Reducers.h"
#include "Refusals.h"
#include "Threads.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::tilelang;

/// The shuffle that a call is, by CUDA's name; TVM's own have one argument
/// more, the number of lanes of a warp.
static StringRef getShuffle(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Case("tvm_warp_shuffle", "shfl_sync")
      .Case("tvm_warp_shuffle_up", "shfl_up_sync")
      .Case("tvm_warp_shuffle_down", "shfl_down_sync")
      .Cases({"shfl_sync", "shfl_xor_sync", "shfl_up_sync", "shfl_down_sync"},
             name)
      .Default("");
}
static bool isShuffle(StringRef name) { return !getShuffle(name).empty(); }

bool tilelang::isVote(Node call) {
  static const llvm::StringSet<> names = {
      "any_sync",        "all_sync",           "ballot_sync",
      "ballot",          "activemask",         "syncthreads_count",
      "syncthreads_and", "syncthreads_or",     "match_any_sync",
      "match_all_sync",  "warp_reduce_sum",    "warp_reduce_max",
      "warp_reduce_min", "warp_reduce_bitand", "warp_reduce_bitor"};
  return call.is("Call") &&
         (names.contains(getCallee(call)) || isShuffle(getCallee(call)));
}

bool tilelang::isThreadNumber(Node call) {
  static const llvm::StringSet<> names = {
      "get_lane_idx", "get_warp_idx", "get_warp_idx_sync", "get_warp_group_idx",
      "tl_shuffle_elect"};
  return call.is("Call") && names.contains(getCallee(call));
}

bool tilelang::holdsVote(Node statement) {
  return statement.isAny("Bind", "BufferStore", "Evaluate") &&
         anyNode(statement, isVote);
}

static int64_t countThreads(Importer &importer) {
  int64_t count = 1;
  for (int64_t extent : importer.threads.extents)
    count *= extent;
  return count;
}

/// The number of the thread at hand in its block.
static Value getThreadNumber(Importer &importer, Node at) {
  AffineExpr x, y, z;
  bindDims(importer.context, x, y, z);
  ArrayRef<int64_t> extents = importer.threads.extents;
  return importer.makeIndex(at, x + (y + z * extents[1]) * extents[0],
                            importer.thread);
}

Value Importer::evaluateThreadNumber(Node call) {
  Type type = getType(call);
  StringRef name = getCallee(call);
  SmallVector<int64_t> sizes;
  for (Node arg : call.getElementsOf("args"))
    sizes.push_back(getConstant(arg).value_or(-1));
  if (!inThreads || llvm::any_of(sizes, [](int64_t size) { return size < 0; }))
    return refuse(call, type, getConstruct(name), getWayOut(name));
  Value number = getThreadNumber(*this, call);
  AffineExpr thread = builder.getAffineDimExpr(0);
  auto size = [&](size_t i, int64_t usual) {
    return i < sizes.size() && sizes[i] > 0 ? sizes[i] : usual;
  };
  if (name == "tl_shuffle_elect") {
    // Of 0 threads: of the block.
    Value place =
        makeIndex(call, thread % size(0, ::countThreads(*this)), {number});
    return arith::CmpIOp::create(builder, getLoc(call),
                                 arith::CmpIPredicate::eq, place,
                                 constantIndex(0));
  }
  int64_t warp = size(0, kWarpSize);
  AffineExpr result = thread.floorDiv(warp);
  if (name == "get_lane_idx")
    result = thread % warp;
  else if (name == "get_warp_group_idx")
    result = thread.floorDiv(warp * size(1, 4));
  Value index = makeIndex(call, result, {number});
  return arith::IndexCastOp::create(builder, getLoc(call), type, index);
}

static bool isWarpReduction(StringRef name) {
  return name.starts_with("warp_reduce_");
}

/// How the elements that threads give are combined for the warp; nothing if
/// threads read them as they are.
static std::optional<ReduceKind> getCombination(StringRef name) {
  if (name.starts_with("match_") || isShuffle(name))
    return std::nullopt;
  // Each bit of a ballot is of one lane: the sum is their union.
  return isWarpReduction(name) ? getReduceKind(name.substr(12))
                               : ReduceKind::Sum;
}

/// The operand of a vote, behind the mask of those that take part; a shuffle
/// has the place and the number of lanes behind it.
static Node getContribution(Node call) {
  NodeList args = call.getElementsOf("args");
  StringRef name = getCallee(call);
  size_t count = isShuffle(name)           ? (name.starts_with("tvm_") ? 5 : 4)
                 : name.ends_with("_sync") ? 2
                                           : 1;
  if (args.size() != count)
    return {};
  return args[count == 1 ? 0 : 1];
}

/// The lanes among which a shuffle moves elements, a power of 2.
static std::optional<int64_t> getWidth(Importer &importer, Node call) {
  NodeList args = call.getElementsOf("args");
  std::optional<int64_t> width = importer.getConstant(args[3]);
  if (args.size() == 5 && importer.getConstant(args[4]) != kWarpSize)
    return std::nullopt;
  if (!width || *width < 1 || *width > kWarpSize || (*width & (*width - 1)))
    return std::nullopt;
  return width;
}

void Importer::collectVote(Node call) {
  StringRef name = getCallee(call);
  NodeList args = call.getElementsOf("args");
  bool hasMask = name.ends_with("_sync") || isShuffle(name);
  Node lanes = hasMask && !args.empty() ? args.front() : Node();
  while (lanes.is("Cast"))
    lanes = lanes.get("value");
  std::optional<int64_t> mask = lanes ? getConstant(lanes) : -1;
  bool matches = name.starts_with("match_");
  std::optional<ReduceKind> kind = getCombination(name);
  Node contribution = getContribution(call);
  // In a branch of single warps, the others give nothing.
  bool ofBlock = name.starts_with("syncthreads");
  bool isUniform = llvm::all_of(partitions, [&](auto &partition) {
    return !ofBlock && isUniformInWarps(partition.first, threads, scope.lets);
  });
  if (inParallel || !isUniform || !mask || uint32_t(*mask) != ~uint32_t(0) ||
      !contribution || DataType(contribution.getString("dtype")).lanes != 1 ||
      (isShuffle(name) && !getWidth(*this, call)) ||
      (matches && !llvm::is_contained(
                      {"int32", "uint32"},
                      DataType(contribution.getString("dtype")).element))) {
    refuse(call, getConstruct(name), getWayOut(name));
    return;
  }
  Location loc = getLoc(call);
  bool givesValue = !kind || isWarpReduction(name);
  DataType given(contribution.getString("dtype"));
  Type i32 = builder.getI32Type();
  Type type = givesValue ? getType(contribution) : i32;
  int64_t count = ::countThreads(*this);
  int64_t warps = llvm::divideCeil(count, kWarpSize);
  Value terms =
      makeTile(*this, call, {warps, kWarpSize}, type, MemorySpace::Shared);
  if (count % kWarpSize || !partitions.empty())
    FillOp::create(builder, loc, terms, constant(type, int64_t(0)));
  inThreadLoop(call, [&] {
    Value number = getThreadNumber(*this, call);
    AffineExpr thread = builder.getAffineDimExpr(0);
    SmallVector<Value> place = {
        makeIndex(call, thread.floorDiv(kWarpSize), {number}),
        makeIndex(call, thread % kWarpSize, {number})};
    Value term;
    if (givesValue) {
      term = getMatching(contribution, type);
    } else {
      Value one = constant(i32, int64_t(1));
      if (!name.starts_with("syncthreads")) {
        Value lane = arith::IndexCastOp::create(builder, loc, i32, place[1]);
        one = arith::ShLIOp::create(builder, loc, one, lane);
      }
      Value holds =
          convert(call, getValue(contribution),
                  DataType(contribution.getString("dtype")), DataType("bool"));
      Value zero = constant(i32, int64_t(0));
      term = arith::SelectOp::create(builder, loc, holds, one, zero);
    }
    memref::StoreOp::create(builder, loc, term, terms, place);
  });
  Value result = terms;
  if (kind) {
    result = makeTile(*this, call, {warps}, type, MemorySpace::Shared);
    ReduceOp::create(builder, loc, *kind, terms, result, 1,
                     /*combine=*/false, /*propagate_nan=*/false,
                     givesValue && !given.isFloat() && given.isUnsigned());
  }
  scope.votes[call.getId()] = result;
}

namespace {
/// The result of a vote for the thread at hand.
struct VoteResult {
  VoteResult(Importer &importer, Node call, Value collected);

  Value loadCollected(ArrayRef<Value> place) {
    return memref::LoadOp::create(builder, loc, collected, place);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  /// The lanes that the warp has.
  Value getLanes();
  Value sumOverWarps();
  Value match();
  Value shuffle();
  Value get();

  Importer &importer;
  OpBuilder &builder;
  Node call;
  Location loc;
  Value collected, number, warp;
  Type i32;
  int64_t count;
};
} // namespace

VoteResult::VoteResult(Importer &importer, Node call, Value collected)
    : importer(importer), builder(importer.builder), call(call),
      loc(importer.getLoc(call)), collected(collected),
      i32(builder.getI32Type()), count(::countThreads(importer)) {
  number = getThreadNumber(importer, call);
  warp = importer.makeIndex(
      call, builder.getAffineDimExpr(0).floorDiv(kWarpSize), {number});
}

Value VoteResult::getLanes() {
  Value all = importer.constant(i32, int64_t(-1));
  if (count % kWarpSize == 0)
    return all;
  Value some = importer.constant(i32, (int64_t(1) << (count % kWarpSize)) - 1);
  Value isLast = compare(arith::CmpIPredicate::eq, warp,
                         importer.constantIndex(count / kWarpSize));
  return arith::SelectOp::create(builder, loc, isLast, some, all);
}

Value VoteResult::sumOverWarps() {
  Value sum;
  for (int64_t i = 0; i * kWarpSize < count; ++i) {
    Value part = loadCollected(importer.constantIndex(i));
    sum = sum ? Value(arith::AddIOp::create(builder, loc, sum, part)) : part;
  }
  return sum;
}

Value VoteResult::match() {
  Value place = importer.makeIndex(
      call, builder.getAffineDimExpr(0) % kWarpSize, {number});
  Value own = loadCollected({warp, place});
  Value same = importer.constant(i32, int64_t(0));
  for (int64_t lane = 0; lane < kWarpSize; ++lane) {
    Value other = loadCollected({warp, importer.constantIndex(lane)});
    Value isSame = compare(arith::CmpIPredicate::eq, own, other);
    Value bit = importer.constant(i32, int64_t(int32_t(1u << lane)));
    Value zero = importer.constant(i32, int64_t(0));
    bit = arith::SelectOp::create(builder, loc, isSame, bit, zero);
    same = arith::OrIOp::create(builder, loc, same, bit);
  }
  return arith::AndIOp::create(builder, loc, same, getLanes());
}

/// The element of another lane, or the thread's own where there is none.
Value VoteResult::shuffle() {
  StringRef name = getShuffle(getCallee(call));
  int64_t width = *getWidth(importer, call);
  // Distances count modulo the lanes of a warp.
  Value distance =
      importer.makeIndex(call, builder.getAffineDimExpr(0) % kWarpSize,
                         {importer.getIndex(call.getElementsOf("args")[2])});
  AffineExpr thread, other;
  bindDims(importer.context, thread, other);
  auto compute = [&](AffineExpr expression) {
    return importer.makeIndex(call, expression, {number, distance});
  };
  AffineExpr lane = thread % kWarpSize, begin = lane - lane % width;
  Value own = compute(lane), first = compute(begin);
  Value last = compute(begin + (width - 1));
  Value place;
  if (name == "shfl_sync")
    place = compute(begin + other % width);
  else if (name == "shfl_up_sync")
    place = compute(lane - other);
  else if (name == "shfl_down_sync")
    place = compute(lane + other);
  else
    place = arith::XOrIOp::create(builder, loc, own, distance);
  Value isThere = compare(arith::CmpIPredicate::sle, place, last);
  if (name == "shfl_up_sync")
    isThere = compare(arith::CmpIPredicate::sge, place, first);
  place = arith::SelectOp::create(builder, loc, isThere, place, own);
  return loadCollected({warp, place});
}

Value VoteResult::get() {
  StringRef name = getCallee(call);
  if (isShuffle(name))
    return shuffle();
  if (isWarpReduction(name))
    return loadCollected(warp);
  auto toNumber = [&](Value truth) -> Value {
    return arith::ExtUIOp::create(builder, loc, i32, truth);
  };
  Value zero = importer.constant(i32, int64_t(0));
  if (name.starts_with("match_")) {
    Value same = match();
    if (name == "match_any_sync")
      return same;
    Value isAll = compare(arith::CmpIPredicate::eq, same, getLanes());
    return arith::SelectOp::create(builder, loc, isAll, same, zero);
  }
  if (name.starts_with("syncthreads_")) {
    Value sum = sumOverWarps();
    if (name == "syncthreads_count")
      return sum;
    if (name == "syncthreads_or")
      return toNumber(compare(arith::CmpIPredicate::ne, sum, zero));
    return toNumber(
        compare(arith::CmpIPredicate::eq, sum, importer.constant(i32, count)));
  }
  Value ballot = name == "activemask" ? getLanes() : loadCollected(warp);
  if (name == "any_sync")
    return toNumber(compare(arith::CmpIPredicate::ne, ballot, zero));
  if (name == "all_sync")
    return toNumber(compare(arith::CmpIPredicate::eq, ballot, getLanes()));
  return arith::ExtUIOp::create(builder, loc, builder.getI64Type(), ballot);
}

Value Importer::evaluateVote(Node call) {
  Value collected = scope.votes.lookup(call.getId());
  if (!inThreads || (!collected && getCallee(call) != "activemask"))
    return refuse(call, getType(call), getConstruct(getCallee(call)),
                  getWayOut(getCallee(call)));
  Value result = VoteResult(*this, call, collected).get();
  Type type = getType(call);
  return result.getType() == type ? result
                                  : Value(arith::TruncIOp::create(
                                        builder, getLoc(call), type, result));
}

/// Whether an expression reads memory that may change before it is used again.
static bool readsMemory(Node expression) {
  if (isShuffle(getCallee(expression)))
    return readsMemory(expression.getElementsOf("args")[2]);
  if (isVote(expression))
    return false;
  if (expression.is("BufferLoad") ||
      (expression.is("Call") && getCallee(expression).contains("atomic")))
    return true;
  return llvm::any_of(expression.getChildren(), readsMemory);
}

void Importer::translateVote(Node statement) {
  SmallVector<Node> calls;
  (void)anyNode(statement, [&](Node node) {
    if (isVote(node) && getCallee(node) != "activemask")
      calls.push_back(node);
    return false;
  });
  // The inner ones first: they are operands of the others.
  for (Node call : llvm::reverse(calls))
    collectVote(call);
  if (!statement.is("Bind"))
    return inThreadLoop(statement, [&] { translateOne(statement); });
  if (readsMemory(statement.get("value")))
    return refuse(statement, "a vote in an expression that reads memory",
                  "give the vote a variable of its own");
  scope.lets[statement.get("var").getId()] = statement.get("value");
}
