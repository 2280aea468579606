//===- Random.cpp - random numbers ----------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Philox4x32-10, as cuRAND has it, is a function of a key and a counter. The
// key is the seed, the upper half of the counter the subsequence, and the lower
// half counts groups of four numbers. What a block keeps is therefore the seed,
// the subsequence, how many numbers are behind it, and the group it is in, so
// that four numbers in turn are computed at once.
//
// Which thread draws which number of a T.Parallel is up to TileLang's layouts,
// unless there is one thread: it draws them one after the other. Where each
// iteration draws equally many it knows the places of its numbers, and they are
// independent: the T.Parallel is a parallel loop.
//
//===----------------------------------------------------------------------===//

#include "Random.h"

#include "Threads.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::tilelang;

static constexpr StringLiteral kPhilox = "curandStatePhilox4_32_10_t";
enum Field { Seed, Subsequence, Position, Group, NumFields };
static constexpr int64_t kGroupSize = 4;

/// A word of 64 bits, as C converts it.
static Value getWide(Importer &importer, Node e) {
  OpBuilder &b = importer.builder;
  Location loc = importer.getLoc(e);
  Type i64 = b.getI64Type();
  if (importer.computesIndex(e))
    return arith::IndexCastOp::create(b, loc, i64, importer.getIndex(e));
  Value value = importer.getValue(e);
  auto type = dyn_cast<IntegerType>(value.getType());
  if (!type || type.getWidth() > 64)
    return importer.refuse(e, i64, "a seed that is no integer", "cast it");
  if (type.getWidth() == 64)
    return value;
  if (DataType(e.getString("dtype")).isUnsigned())
    return arith::ExtUIOp::create(b, loc, i64, value);
  return arith::ExtSIOp::create(b, loc, i64, value);
}

void tilelang::beginNumbers(Importer &importer, Node call) {
  SmallVector<Node> args = call.getElementsOf("args");
  StringRef name = args.size() == 4 ? args[3].asString() : "";
  if (name != kPhilox)
    return importer.refuse(
        call, "random numbers of the generator '" + name + "'",
        "use curandStatePhilox4_32_10_t");
  if (!importer.inKernel || importer.inParallel ||
      llvm::any_of(importer.threads.extents, [](int64_t n) { return n != 1; }))
    return importer.refuse(call, "random numbers in a block of several threads",
                           "give the block one thread, or pass them as a "
                           "T.Tensor");
  OpBuilder &b = importer.builder;
  Location loc = importer.getLoc(call);
  Importer::Generator &generator = importer.generator;
  if (!generator.state) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&importer.kernel.getBody().front());
    auto allocate = [&](StringRef name, int64_t count, Type element) {
      auto type = MemRefType::get(
          {count}, element, MemRefLayoutAttrInterface(),
          MemorySpaceAttr::get(importer.context, MemorySpace::Local));
      return AllocOp::create(b, importer.getNamedLoc(call, name), type,
                             LayoutAttr(), IntegerAttr());
    };
    generator.state = allocate("generator", NumFields, b.getI64Type());
    generator.words = allocate("words", kGroupSize, b.getI32Type());
  }
  // No group is the last one that there is.
  Value none = importer.constant(b.getI64Type(), int64_t(-1));
  for (unsigned field = 0; field < NumFields; ++field)
    memref::StoreOp::create(b, loc,
                            field == Group ? none
                                           : getWide(importer, args[field]),
                            generator.state, importer.constantIndex(field));
}

namespace {
/// Arithmetic on words of 32 bits.
struct Words {
  Value constant(uint32_t value) {
    return importer.constant(b.getI32Type(), int64_t(value));
  }
  Value low(Value wide) {
    return arith::TruncIOp::create(b, loc, b.getI32Type(), wide);
  }
  Value high(Value wide) {
    Value by = importer.constant(b.getI64Type(), int64_t(32));
    return low(arith::ShRUIOp::create(b, loc, wide, by));
  }
  Value multiply(Value word, uint32_t factor) {
    Value wide = arith::ExtUIOp::create(b, loc, b.getI64Type(), word);
    return arith::MulIOp::create(
        b, loc, wide, importer.constant(b.getI64Type(), int64_t(factor)));
  }
  Value combine(Value x, Value y, Value z) {
    return arith::XOrIOp::create(b, loc, arith::XOrIOp::create(b, loc, x, y),
                                 z);
  }
  SmallVector<Value, 4> makePhilox(Value counter, Value subsequence,
                                   Value seed);

  Importer &importer;
  OpBuilder &b;
  Location loc;
};
} // namespace

/// Ten rounds on the counter; the key grows by constants.
SmallVector<Value, 4> Words::makePhilox(Value counter, Value subsequence,
                                        Value seed) {
  Value x = low(counter), y = high(counter);
  Value z = low(subsequence), w = high(subsequence);
  Value first = low(seed), second = high(seed);
  for (unsigned round = 0; round < 10; ++round) {
    Value one = multiply(x, 0xD2511F53), two = multiply(z, 0xCD9E8D57);
    x = combine(high(two), y, first);
    z = combine(high(one), w, second);
    y = low(two);
    w = low(one);
    first = arith::AddIOp::create(b, loc, first, constant(0x9E3779B9));
    second = arith::AddIOp::create(b, loc, second, constant(0xBB67AE85));
  }
  return {x, y, z, w};
}

namespace {
/// The numbers of a block, drawn at one place of the program.
struct Drawing {
  Drawing(Importer &importer, Node at)
      : importer(importer), b(importer.builder), loc(importer.getLoc(at)),
        generator(importer.generator) {}

  Value number(int64_t value) {
    return importer.constant(b.getI64Type(), value);
  }
  Value read(Field field) {
    return memref::LoadOp::create(b, loc, generator.state,
                                  importer.constantIndex(field));
  }
  void write(Field field, Value value) {
    memref::StoreOp::create(b, loc, value, generator.state,
                            importer.constantIndex(field));
  }
  SmallVector<Value, 4> makeGroup(Value group, Value subsequence, Value seed) {
    return Words{importer, b, loc}.makePhilox(group, subsequence, seed);
  }
  Value getGroup(Value position) {
    return arith::ShRUIOp::create(b, loc, position,
                                  number(llvm::Log2_64(kGroupSize)));
  }
  Value chooseWord(Value position, function_ref<Value(unsigned)> getWord);
  Value drawNext();
  Value drawOwn();
  Value getFirstOfIteration();

  Importer &importer;
  OpBuilder &b;
  Location loc;
  Importer::Generator &generator;
};
} // namespace

/// The word of its group that a position names.
Value Drawing::chooseWord(Value position, function_ref<Value(unsigned)> getWord) {
  Value place =
      arith::AndIOp::create(b, loc, position, number(kGroupSize - 1));
  Value word = getWord(kGroupSize - 1);
  for (unsigned i = kGroupSize - 1; i-- > 0;) {
    Value isHere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                         place, number(i));
    word = arith::SelectOp::create(b, loc, isHere, getWord(i), word);
  }
  return word;
}

/// The next number of the block, and the place behind it. A group is computed
/// for its first number.
Value Drawing::drawNext() {
  Value position = read(Position), group = getGroup(position);
  Value isOther = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                        read(Group), group);
  auto begin = scf::IfOp::create(b, loc, isOther, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(begin.thenBlock());
    for (auto [i, word] : llvm::enumerate(
             makeGroup(group, read(Subsequence), read(Seed))))
      memref::StoreOp::create(b, loc, word, generator.words,
                              importer.constantIndex(i));
    write(Group, group);
  }
  write(Position, arith::AddIOp::create(b, loc, position, number(1)));
  return chooseWord(position, [&](unsigned i) -> Value {
    return memref::LoadOp::create(b, loc, generator.words,
                                  importer.constantIndex(i));
  });
}

/// The position of the first number of an iteration, from the position in front
/// of the loop and how many iterations are in front of this one.
Value Drawing::getFirstOfIteration() {
  ParallelOp loop = importer.enclosing;
  AffineExpr count = b.getAffineConstantExpr(0);
  for (auto [dim, extent] : llvm::enumerate(loop.getStaticExtents()))
    count = count * extent + b.getAffineDimExpr(dim);
  SmallVector<Value> ivs(loop.getBody().getArguments());
  Value before = affine::AffineApplyOp::create(
      b, loc, AffineMap::get(ivs.size(), 0, count * generator.perIteration),
      ivs);
  return arith::AddIOp::create(
      b, loc, generator.position,
      arith::IndexCastOp::create(b, loc, b.getI64Type(), before));
}

/// The next number of an iteration.
Value Drawing::drawOwn() {
  Value position = arith::AddIOp::create(b, loc, getFirstOfIteration(),
                                         number(generator.drawn++));
  SmallVector<Value, 4> words =
      makeGroup(getGroup(position), generator.subsequence, generator.seed);
  return chooseWord(position, [&](unsigned i) { return words[i]; });
}

Value tilelang::drawNumber(Importer &importer, Node call) {
  Type type = importer.getType(call);
  SmallVector<Node> args = call.getElementsOf("args");
  bool isFloat = getCallee(call) == "rng_rand_float";
  StringRef distribution = isFloat && !args.empty() ? args[0].asString() : "";
  if (isFloat ? !type.isF32() || distribution != "uniform"
              : !type.isInteger(32))
    return importer.refuse(call, type,
                           "random numbers of " +
                               (isFloat
                                    ? "the distribution '" + distribution + "'"
                                    : Twine("another type")),
                           "draw words or uniform numbers of 32 bits");
  bool isInLoop = bool(importer.generator.position);
  if (!importer.generator.state || importer.inParallel != isInLoop)
    return importer.refuse(call, type,
                           "random numbers in a block of several threads",
                           "give the block one thread, or pass them as a "
                           "T.Tensor");
  Drawing drawing(importer, call);
  Value word = isInLoop ? drawing.drawOwn() : drawing.drawNext();
  if (!isFloat)
    return word;
  // From 2^-33 to 1.
  OpBuilder &b = importer.builder;
  Location loc = importer.getLoc(call);
  Value real = arith::UIToFPOp::create(b, loc, type, word);
  Value scaled =
      arith::MulFOp::create(b, loc, real, importer.constant(type, 0x1p-32));
  return arith::AddFOp::create(b, loc, scaled,
                               importer.constant(type, 0x1p-33));
}

bool tilelang::drawsNumbers(Node root) {
  return anyNode(root,
                 [](Node node) { return getCallee(node).starts_with("rng_"); });
}

//===----------------------------------------------------------------------===//
// Parallel loops
//===----------------------------------------------------------------------===//

namespace {
/// Counts what iterations draw.
class DrawCount {
public:
  explicit DrawCount(Importer &importer) : importer(importer) {}

  /// How many iterations a nest of T.Parallel has, and how many numbers each
  /// draws. Nothing if it depends on the iteration.
  std::optional<std::pair<int64_t, int64_t>> countNest(Node loop);

private:
  using Range = std::optional<std::pair<int64_t, int64_t>>;

  std::optional<int64_t> count(Node statement);
  std::optional<int64_t> countCalls(Node expression);
  bool holds(Node condition);
  Range getRange(Node expression);
  Range getRange(Value value);

  Importer &importer;
  llvm::DenseMap<unsigned, Range> ranges;
};
} // namespace

// Integers that are no larger have sums and products without overflow.
static constexpr int64_t kMaxCounted = int64_t(1) << 31;

std::optional<std::pair<int64_t, int64_t>> DrawCount::countNest(Node loop) {
  std::optional<int64_t> extent = importer.getConstant(loop.get("extent"));
  if (importer.getConstant(loop.get("min")) != 0 || !extent || *extent < 1 ||
      *extent > kMaxCounted)
    return std::nullopt;
  ranges[loop.get("loop_var").getId()] = {0, *extent - 1};
  SmallVector<Node> list;
  flatten(loop.get("body"), list);
  Node last = list.empty() ? Node() : list.back();
  if (last.is("For") && last.getInteger("kind") == kParallelLoop) {
    for (Node s : ArrayRef(list).drop_back())
      if (!s.is("Bind") || count(s) != 0)
        return std::nullopt;
    auto inner = countNest(last);
    if (!inner || inner->first > kMaxCounted / *extent)
      return std::nullopt;
    return std::pair(*extent * inner->first, inner->second);
  }
  std::optional<int64_t> numbers = count(loop.get("body"));
  return numbers ? std::optional(std::pair(*extent, *numbers)) : std::nullopt;
}

std::optional<int64_t> DrawCount::count(Node s) {
  SmallVector<Node> list;
  flatten(s, list);
  int64_t sum = 0;
  for (Node part : list) {
    std::optional<int64_t> drawn = 0;
    if (part.is("IfThenElse") && drawsNumbers(part))
      drawn = !drawsNumbers(part.get("condition")) &&
                      holds(part.get("condition"))
                  ? count(part.get("then_case"))
                  : std::nullopt;
    else if (part.isAny("Bind", "BufferStore", "Evaluate"))
      drawn = countCalls(part);
    else if (drawsNumbers(part))
      drawn = std::nullopt;
    if (!drawn)
      return std::nullopt;
    if (part.is("Bind"))
      ranges[part.get("var").getId()] = getRange(part.get("value"));
    sum += *drawn;
  }
  return sum;
}

std::optional<int64_t> DrawCount::countCalls(Node e) {
  if (!drawsNumbers(e))
    return 0;
  StringRef name = getCallee(e);
  if (name == "rng_rand" || name == "rng_rand_float")
    return 1;
  // Those that compute one side, or each lane of a vector.
  if (e.isAny("Select", "And", "Or", "Broadcast", "Ramp", "Shuffle") ||
      name == "if_then_else" || name == "rng_init")
    return std::nullopt;
  int64_t sum = 0;
  for (Node child : e.getChildren()) {
    std::optional<int64_t> drawn = countCalls(child);
    if (!drawn)
      return std::nullopt;
    sum += *drawn;
  }
  return sum;
}

bool DrawCount::holds(Node condition) {
  if (condition.is("And"))
    return holds(condition.get("a")) && holds(condition.get("b"));
  if (!condition.isAny("LT", "LE", "GT", "GE"))
    return false;
  Range a = getRange(condition.get("a")), b = getRange(condition.get("b"));
  if (!a || !b)
    return false;
  if (condition.isAny("GT", "GE"))
    std::swap(a, b);
  return condition.isAny("LT", "GT") ? a->second < b->first
                                     : a->second <= b->first;
}

DrawCount::Range DrawCount::getRange(Value value) {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return std::pair(*number, *number);
  auto argument = dyn_cast_or_null<BlockArgument>(value);
  auto kernel = argument ? dyn_cast<KernelOp>(argument.getOwner()->getParentOp())
                         : KernelOp();
  if (!kernel)
    return std::nullopt;
  std::optional<int64_t> extent =
      getConstantIntValue(kernel.getMixedGrid()[argument.getArgNumber()]);
  return extent ? Range(std::pair<int64_t, int64_t>(0, *extent - 1))
                : std::nullopt;
}

DrawCount::Range DrawCount::getRange(Node e) {
  if (std::optional<int64_t> number = e.asInteger())
    return std::pair(*number, *number);
  if (!DataType(e.getString("dtype")).isIndexLike())
    return std::nullopt;
  if (e.is("Var")) {
    if (importer.threads.isZero(e))
      return std::pair<int64_t, int64_t>(0, 0);
    auto known = ranges.find(e.getId());
    if (known != ranges.end())
      return known->second;
    if (Node let = importer.scope.lets.lookup(e.getId()))
      return getRange(let);
    return getRange(importer.scope.vars.lookup(e.getId()));
  }
  if (e.is("Cast"))
    return getRange(e.get("value"));
  if (!e.isAny("Add", "Sub", "Mul"))
    return std::nullopt;
  Range a = getRange(e.get("a")), b = getRange(e.get("b"));
  auto isSmall = [](const Range &range) {
    return range && range->first >= -kMaxCounted && range->second <= kMaxCounted;
  };
  if (!isSmall(a) || !isSmall(b))
    return std::nullopt;
  if (e.is("Add"))
    return std::pair(a->first + b->first, a->second + b->second);
  if (e.is("Sub"))
    return std::pair(a->first - b->second, a->second - b->first);
  auto [least, most] =
      std::minmax({a->first * b->first, a->first * b->second,
                   a->second * b->first, a->second * b->second});
  return std::pair(least, most);
}

bool tilelang::drawInParallel(Importer &importer, Node loop) {
  Importer::Generator &generator = importer.generator;
  if (!generator.state)
    return false;
  auto count = DrawCount(importer).countNest(loop);
  if (!count)
    return false;
  Drawing drawing(importer, loop);
  generator.seed = drawing.read(Seed);
  generator.subsequence = drawing.read(Subsequence);
  generator.position = drawing.read(Position);
  generator.perIteration = count->second;
  generator.drawn = 0;
  importer.translateParallel(loop);
  if (generator.drawn != count->second)
    // untested: what is counted is what is evaluated.
    importer.refuse(loop, "random numbers in such expressions",
                    "assign each to a variable");
  OpBuilder &b = importer.builder;
  drawing.write(Position,
                arith::AddIOp::create(
                    b, drawing.loc, generator.position,
                    drawing.number(count->first * count->second)));
  generator.seed = generator.subsequence = generator.position = Value();
  return true;
}

bool tilelang::isAlwaysTaken(Importer &importer, Node branch) {
  return importer.generator.position && drawsNumbers(branch);
}
