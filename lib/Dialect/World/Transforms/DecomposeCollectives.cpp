//===- DecomposeCollectives.cpp - collectives become kernels --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A collective is a program of the language, written here as such. Buffers are
// taken as rows of elements.
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Dialect/World/IR/World.h"
#include "Tile/Dialect/World/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/FormatVariadic.h"

namespace mlir::tile::world {
#define GEN_PASS_DEF_WORLDDECOMPOSECOLLECTIVESPASS
#include "Tile/Dialect/World/Transforms/Passes.h.inc"
} // namespace mlir::tile::world

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::world;

// $W is the type of the world, $T that of elements, $F that of sums, $B the
// number of blocks, $N that of their threads, $E that of the elements of a
// chunk, $X the memory of the source, $M that of the target, $G the parameter of
// flags, $C combines %sum[%i] and %one[%i]. Of the source of each rank, rank %r takes $SIZE elements, from
// %r * $STRIDE on.

static constexpr StringLiteral kHead = R"(
func.func private @collective(%w: $W, %x: memref<?x$T$X>, %y: memref<?x$T$M>, %root: index$G) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %chunk = arith.constant $E : index
  %blocks = arith.constant $B : index
  %sizeX = memref.dim %x, %c0 : memref<?x$T$X>
  %sizeY = memref.dim %y, %c0 : memref<?x$T$M>
  %n = world.size %w
)";

// What the sizes must be: numbers of the host, and behind $CHECK what the kernel
// asserts of them, since the host of a GPU does not know the number of ranks.

static constexpr StringLiteral kTargetIsAllSources = R"(
  %needed = arith.muli %n, %sizeX : index
$CHECK
    %fits = arith.cmpi eq, %sizeY, %needed : index
    tile.device_assert %fits, "a target of another size than the sources of all ranks"
)";

static constexpr StringLiteral kSourceIsAllTargets = R"(
  %needed = arith.muli %n, %sizeY : index
$CHECK
    %fits = arith.cmpi eq, %sizeX, %needed : index
    tile.device_assert %fits, "a source of another size than the targets of all ranks"
)";

static constexpr StringLiteral kSameSize = R"($CHECK
    %fits = arith.cmpi eq, %sizeY, %sizeX : index
    tile.device_assert %fits, "a target of another size than the source"
)";

static constexpr StringLiteral kSameSizeOfParts = R"(
  %size = arith.divui %sizeX, %n : index
  %needed = arith.muli %n, %size : index
$CHECK
    %divides = arith.cmpi eq, %sizeX, %needed : index
    tile.device_assert %divides, "a source that the ranks do not divide"
    %fits = arith.cmpi eq, %sizeY, %sizeX : index
    tile.device_assert %fits, "a target of another size than the source"
)";

// The kernels. Nobody goes on behind the last barrier to overwrite what another
// rank still reads.

/// What a rank takes of each other one goes to that one's part of the target.
/// Blocks share out the chunks of all parts, of all ranks in turn, the next one
/// first, and each block goes on to another rank.
static constexpr StringLiteral kExchange = R"(
  %chunks = arith.ceildivui $SIZE, %chunk : index
  %end = arith.muli %chunks, %n : index
  tile.kernel (%b) in ($B) threads($N) {
    $CHECK
    %r = world.rank %w
    %own = arith.muli %r, $STRIDE : index
    %t = tile.alloc : memref<$Ex$T, #tile.fragment>
    %all = world.barrier %w
    scf.for %k = %b to %end step %blocks {
      %c = arith.divui %k, %n : index
      %later = arith.addi %k, %c : index
      %behind = arith.addi %later, %c1 : index
      %turn = arith.remui %behind, %n : index
      %next = arith.addi %r, %turn : index
      %from = arith.remui %next, %n : index
      $ROW
      %begin = arith.muli %from, $SIZE : index
      %part = memref.subview %y[%begin] [$SIZE] [1] : memref<?x$T$M> to memref<?x$T, strided<[1], offset: ?>$M>
      tile.copy %row[%c * $E], %t
      tile.copy %t, %part[%c * $E]
    }
    %done = world.barrier %w
  }
  return
}
)";

/// What the device may copy in place of the kernel (#world.copies).
static constexpr StringLiteral kPut = R"(
  %end = arith.ceildivui $SIZE, %chunk : index
  tile.kernel (%b) in (1) {
    $CHECK
    %r = world.rank %w
    %own = arith.muli %r, $SIZE : index
    %t = tile.alloc : memref<$Ex$T, #tile.shared>
    scf.for %s = %c1 to %n step %c1 {
      %ahead = arith.addi %r, %n : index
      %before = arith.subi %ahead, %s : index
      %to = arith.remui %before, %n : index
      %peer = world.peer %y at %w[%to]
      %part = memref.subview %peer[%own] [$SIZE] [1]
        : memref<?x$T, strided<[1], offset: ?>, #world.peer> to memref<?x$T, strided<[1], offset: ?>, #world.peer>
      scf.for %c = %c0 to %end step %c1 {
        tile.copy %x[%c * $E], %t
        tile.copy %t, %part[%c * $E]
      }
      %flag = world.peer %flags at %w[%to]
      world.signal %flag[%r] set 1
    }
  }
  return
}
)";

static constexpr StringLiteral kBroadcast = R"(
  %end = arith.ceildivui $SIZE, %chunk : index
  tile.kernel (%b) in ($B) threads($N) {
    $CHECK
    %own = arith.constant 0 : index
    %t = tile.alloc : memref<$Ex$T, #tile.fragment>
    %all = world.barrier %w
    %from = arith.addi %root, %own : index
    $ROW
    scf.for %c = %b to %end step %blocks {
      tile.copy %row[%c * $E], %t
      tile.copy %t, %y[%c * $E]
    }
    %done = world.barrier %w
  }
  return
}
)";

static constexpr StringLiteral kCombine = R"(
  %end = arith.ceildivui $SIZE, %chunk : index
  tile.kernel (%b) in ($B) threads($N) {
    $CHECK
    %r = world.rank %w
    %own = arith.muli %r, $STRIDE : index
    $TILES
    %all = world.barrier %w
    scf.for %c = %b to %end step %blocks {
      $CHUNK
      tile.copy %sum, %y[%c * $E]
    }
    %done = world.barrier %w
  }
  return
}
)";

/// Chunk %c is combined by rank %c mod %n, which writes it to all.
static constexpr StringLiteral kCombineInTurns = R"(
  %end = arith.ceildivui $SIZE, %chunk : index
  tile.kernel (%b) in ($B) threads($N) {
    $CHECK
    %r = world.rank %w
    %own = arith.muli %r, $STRIDE : index
    %t = tile.alloc : memref<$Ex$T, #tile.fragment>
    $TILES
    %all = world.barrier %w
    %ahead = arith.muli %b, %n : index
    %first = arith.addi %ahead, %r : index
    %step = arith.muli %blocks, %n : index
    scf.for %c = %first to %end step %step {
      $CHUNK
      tile.copy %sum, %t
      scf.for %s = %c0 to %n step %c1 {
        %next = arith.addi %r, %s : index
        %to = arith.remui %next, %n : index
        %there = world.peer %y at %w[%to]
        tile.copy %t, %there[%c * $E]
      }
    }
    %done = world.barrier %w
  }
  return
}
)";

// Parts of several kernels.

/// What this rank takes of the source of rank %from.
static constexpr StringLiteral kRow = R"(
      %peer = world.peer %x at %w[%from]
      %source = world.acquire %peer after %all
      %row = memref.subview %source[%own] [$SIZE] [1]
        : memref<?x$T, strided<[1], offset: ?>> to memref<?x$T, strided<[1], offset: ?>>
)";

static constexpr StringLiteral kTiles = R"(
    %sum = tile.alloc : memref<$Ex$F, #tile.fragment>
    %one0 = tile.alloc : memref<$Ex$T, #tile.fragment>
    %one1 = tile.alloc : memref<$Ex$T, #tile.fragment>
    %one2 = tile.alloc : memref<$Ex$T, #tile.fragment>
    %one3 = tile.alloc : memref<$Ex$T, #tile.fragment>
)";

static void replaceAll(std::string &text, StringRef name, const Twine &value) {
  std::string with = value.str();
  for (size_t at = 0; (at = text.find(name.str(), at)) != std::string::npos;
       at += with.size())
    text.replace(at, name.size(), with);
}

/// Combines chunk %c of all ranks, in their order. A chunk of another rank takes
/// its time, so several are under way: 4 as long as there are as many ranks left,
/// then 2, then 1.
static std::string getChunk(StringRef combination, bool isNarrow) {
  std::string text, begin = "%c0";
  for (int64_t count : {4, 2, 1}) {
    std::string end = ("%end" + Twine(count)).str();
    text += llvm::formatv("%size{0} = arith.constant {0} : index\n"
                          "%left{0} = arith.remui %n, %size{0} : index\n"
                          "{1} = arith.subi %n, %left{0} : index\n"
                          "scf.for %from0 = {2} to {1} step %size{0} {{\n",
                          count, end, begin);
    for (int64_t k = 0; k < count; ++k) {
      std::string row = kRow.str();
      for (StringRef name : {"%peer", "%source", "%row", "%from"})
        replaceAll(row, name, name + Twine(k));
      if (k > 0)
        text += llvm::formatv("%next{0} = arith.constant {0} : index\n"
                              "%from{0} = arith.addi %from0, %next{0} : index\n",
                              k);
      text += row;
      text += llvm::formatv("tile.copy %row{0}[%c * $E], %one{0}\n", k);
    }
    for (int64_t k = 0; k < count; ++k) {
      std::string add = combination.str();
      std::string one = ("%one" + Twine(k) + "[%i]").str();
      replaceAll(add, "%one[%i]", isNarrow ? "f32(" + one + ")" : one);
      add = "tile.parallel (%i) in ($E) do %sum[%i] = " + add + "\n";
      if (k > 0)
        text += add;
      else
        text += "%begins = arith.cmpi eq, %from0, %c0 : index\n"
                "scf.if %begins { tile.copy %one0, %sum } else {\n" +
                add + "}\n";
    }
    text += "}\n";
    begin = end;
  }
  return text;
}

static StringRef getCombination(Combine combine) {
  switch (combine) {
  case Combine::Sum:
    return "%sum[%i] + %one[%i]";
  case Combine::Max:
    return "max(%sum[%i], %one[%i])";
  case Combine::Min:
    return "min(%sum[%i], %one[%i])";
  }
  llvm_unreachable("all kinds are handled");
}

namespace {
/// A collective as text, and what goes into it.
struct Program {
  StringRef sizes, kernel;
  StringRef size, stride;
  StringRef combination = "";
  Value root = {};
};

constexpr int64_t kThreads = 256;

/// Elements of a chunk: a thread has an access of 16 bytes of each of the ranks
/// that are combined at the same time, and two otherwise.
int64_t getChunkSize(Type element, const Program &program) {
  constexpr int64_t kBytes = 16;
  int64_t bits = std::max<int64_t>(element.getIntOrFloatBitWidth(), 8);
  return kThreads * kBytes * 8 / bits * (program.combination.empty() ? 2 : 1);
}

std::optional<Program> getProgram(Operation *op) {
  if (auto gather = dyn_cast<AllGatherOp>(op))
    return Program{kTargetIsAllSources,
                   gather.getFlags() ? StringRef(kPut) : StringRef(kExchange),
                   "%sizeX", "%c0"};
  if (isa<AllToAllOp>(op))
    return Program{kSameSizeOfParts, kExchange, "%size", "%size"};
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return Program{kSameSize, kBroadcast, "%sizeX",
                   "%c0",     "",         broadcast.getRoot()};
  if (auto scatter = dyn_cast<ReduceScatterOp>(op))
    return Program{kSourceIsAllTargets, kCombine, "%sizeY", "%sizeY",
                   getCombination(scatter.getCombine())};
  if (auto reduce = dyn_cast<AllReduceOp>(op))
    return Program{kSameSize,
                   reduce.getAlgorithm() == Algorithm::OneShot
                       ? StringRef(kCombine)
                       : StringRef(kCombineInTurns),
                   "%sizeX", "%c0", getCombination(reduce.getCombine())};
  return std::nullopt;
}

struct WorldDecomposeCollectives
    : world::impl::WorldDecomposeCollectivesPassBase<
          WorldDecomposeCollectives> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (getProgram(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (failed(decompose(op, *getProgram(op))))
        return signalPassFailure();
  }

  LogicalResult decompose(Operation *op, const Program &program) {
    Value source = op->getOperand(0), target = op->getOperand(1),
          world = op->getOperand(2);
    OpBuilder b(op);
    Type element = cast<MemRefType>(source.getType()).getElementType();
    auto blocks = op->getAttrOfType<IntegerAttr>("blocks");
    auto [numbers, checks] = program.sizes.split("$CHECK");
    std::string text = (kHead + numbers + program.kernel).str();
    replaceAll(text, "$CHECK", checks);
    bool isNarrow =
        isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
    auto getSpace = [](Value buffer) {
      return isa_and_nonnull<SymmetricAttr>(
                 cast<MemRefType>(buffer.getType()).getMemorySpace())
                 ? ", #world.symmetric"
                 : "";
    };
    replaceAll(text, "$CHUNK", getChunk(program.combination, isNarrow));
    replaceAll(text, "$TILES", kTiles);
    replaceAll(text, "$ROW", kRow);
    replaceAll(text, "$N", Twine(kThreads));
    replaceAll(text, "$E", Twine(getChunkSize(element, program)));
    replaceAll(text, "$SIZE", program.size);
    replaceAll(text, "$STRIDE", program.stride);
    replaceAll(text, "$W", print(world.getType()));
    replaceAll(text, "$T", print(element));
    replaceAll(text, "$F", isNarrow ? "f32" : print(element));
    replaceAll(text, "$B", blocks ? Twine(blocks.getInt()) : Twine(16));
    replaceAll(text, "$X", getSpace(source));
    replaceAll(text, "$M", getSpace(target));
    Value root = program.root;
    if (!root)
      root = arith::ConstantIndexOp::create(b, op->getLoc(), 0);
    SmallVector<Value> arguments{world, makeRow(b, source), makeRow(b, target),
                                 root};
    CopiesAttr copies;
    if (auto gather = dyn_cast<AllGatherOp>(op); gather && gather.getFlags()) {
      if (failed(describeCopies(gather, copies)))
        return failure();
      arguments.push_back(gather.getFlags());
    }
    replaceAll(text, "$G",
               copies ? ", %flags: " + print(arguments.back().getType()) : "");
    if (failed(insert(b, text, op->getLoc(), arguments, copies)))
      // untested: the text is ours
      return op->emitOpError("cannot be decomposed");
    op->erase();
    return success();
  }

  static std::string print(Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  }

  /// The arguments that the launch of the function copies.
  LogicalResult describeCopies(AllGatherOp op, CopiesAttr &copies) {
    auto function = dyn_cast<func::FuncOp>(op->getParentOp());
    SmallVector<int64_t> numbers;
    for (Value value : {op.getSource(), op.getTarget(), op.getFlags()})
      if (auto argument = dyn_cast<BlockArgument>(value);
          argument && function && argument.getOwner()->isEntryBlock())
        numbers.push_back(argument.getArgNumber());
    WalkResult calls = getOperation().walk([&](CallOpInterface call) {
      return call.resolveCallable() == function ? WalkResult::interrupt()
                                                : WalkResult::advance();
    });
    // world.all_gather C5
    if (numbers.size() != 3 || calls.wasInterrupted())
      return op.emitOpError("expected arguments of a function that no other "
                            "calls, whose launch copies them");
    copies = CopiesAttr::get(&getContext(), numbers[0], numbers[1], numbers[2]);
    return success();
  }

  /// Adds what the function of a text does with the arguments. What goes wrong
  /// in it goes wrong at `loc`.
  LogicalResult insert(OpBuilder &b, StringRef text, Location loc,
                       ValueRange arguments, CopiesAttr copies) {
    OwningOpRef<ModuleOp> parsed =
        parseSourceString<ModuleOp>(text, ParserConfig(&getContext()));
    if (!parsed)
      return failure();
    auto function = *parsed->getOps<func::FuncOp>().begin();
    function.walk([&](Operation *op) { op->setLoc(loc); });
    IRMapping inside;
    inside.map(function.getArguments(), arguments);
    for (Operation &op : function.getBody().front().without_terminator()) {
      Operation *clone = b.clone(op, inside);
      if (copies && isa<KernelOp>(clone))
        clone->setAttr("world.copies", copies);
    }
    return success();
  }

  /// A buffer as a row of its elements of dynamic length.
  static Value makeRow(OpBuilder &b, Value buffer) {
    Location loc = buffer.getLoc();
    auto type = cast<MemRefType>(buffer.getType());
    if (type.getRank() > 1) {
      ReassociationIndices all;
      llvm::append_range(all, llvm::seq<int64_t>(type.getRank()));
      buffer = memref::CollapseShapeOp::create(
          b, loc, buffer, ArrayRef<ReassociationIndices>(all));
    }
    auto row = MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                               MemRefLayoutAttrInterface(),
                               type.getMemorySpace());
    return buffer.getType() == row
               ? buffer
               : memref::CastOp::create(b, loc, row, buffer).getResult();
  }
};
} // namespace
