//===- Importer.h - from a PrimFunc to the tile dialect ---------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over the statements builds the ops. What cannot be said is reported
// where it stands, once for each construct, and the walk goes on with a zero or
// without the statement, so that one run names all that a program needs; the
// module is thrown away then.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_IMPORT_TILELANG_IMPORTER_H
#define TILE_LIB_IMPORT_TILELANG_IMPORTER_H

#include "ObjectGraph.h"

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::tile::tilelang {

/// "float16x4": the type of one element, and how many there are.
struct DataType {
  explicit DataType(StringRef text);

  bool isUnsigned() const;
  bool isFloat() const;
  /// int32 and int64, in which indices are computed. That overflow of these is
  /// undefined lets them be `index`.
  bool isIndexLike() const { return element == "int32" || element == "int64"; }

  StringRef element;
  int64_t lanes = 1;
};

/// Part of a buffer: `tl.region`, or one element.
struct Part {
  Node buffer;
  SmallVector<Node> begin, extent; ///< extents of an element are nothing: 1
};

/// A buffer as the tile dialect has it.
struct Buffer {
  Value value;
  /// How many leading dimensions of the tile are threads, each of which has its
  /// own there.
  unsigned perThread = 0;

  MemRefType getType() const { return cast<MemRefType>(value.getType()); }
};

/// What holds inside of a region; left again with it.
struct Scope {
  llvm::DenseMap<unsigned, Value> vars;
  llvm::DenseMap<unsigned, Node> lets; ///< variables that stand for expressions
  llvm::DenseMap<unsigned, Node> sources; ///< expressions of those in `vars`
  llvm::DenseMap<unsigned, Buffer> buffers;
  llvm::DenseMap<unsigned, unsigned> storage; ///< data variable to buffer
  llvm::DenseMap<unsigned, Value> votes; ///< what threads gave, by call
};

/// What a kernel does with the numbers of its threads (Threads.cpp).
struct ThreadUse {
  /// Of x, y and z.
  SmallVector<int64_t> extents;
  /// The variables that are numbers of threads, and their dimensions.
  SmallVector<std::pair<Node, unsigned>> coordinates;

  /// The dimension of a variable.
  std::optional<unsigned> getDim(Node var) const;
  /// Whether the expression is such a variable of a dimension with one thread,
  /// which is 0.
  bool isZero(Node expression) const;
  /// Variables and buffers whose contents may differ between threads.
  llvm::DenseSet<unsigned> dependent;
  /// Of these the buffers that live on from one run of statements to another.
  llvm::DenseSet<unsigned> spread;
  /// Scalars that steer the whole block.
  llvm::DenseSet<unsigned> uniform;
};

struct Schedule;
struct Step;

class Importer {
public:
  Importer(ModuleOp module, Node root);

  /// A PrimFunc, or an IRModule of such.
  LogicalResult run();

  //===--------------------------------------------------------------------===//
  // Reports
  //===--------------------------------------------------------------------===//

  /// "cannot import CONSTRUCT: WAY_OUT" at the node, or at the statement around
  /// it, once for each construct.
  void refuse(Node at, const Twine &construct, StringRef wayOut);
  /// The same, for the value that is missing.
  Value refuse(Node at, Type type, const Twine &construct, StringRef wayOut);
  /// A remark about what is left out, or said in another way.
  void remarkDropped(Node at, const Twine &what);

  Location getLoc(Node at);
  Location getNamedLoc(Node at, StringRef name);

  //===--------------------------------------------------------------------===//
  // Types and buffers (Buffers.cpp)
  //===--------------------------------------------------------------------===//

  Type getElementType(Node at, StringRef dtype);
  /// The element type of an expression.
  Type getType(Node expression);
  StringRef getScope(Node buffer);
  MemRefType getBufferType(Node buffer);
  bool isTile(Node buffer) { return getScope(buffer) != "global"; }
  void allocate(Node buffer);
  /// The buffer, or a view of the one that shares its storage.
  Buffer getBuffer(Node buffer);
  Value reshapeMemory(Node buffer, MemRefType type, Value memory);
  /// An index that is below 0 counts from the end of its dimension.
  AffineExpr countFromEnd(AffineExpr index, SmallVector<Value> &operands,
                          Value buffer, unsigned dim);
  /// The indices of one element, those of threads included.
  SmallVector<Value> getIndices(Node buffer, ArrayRef<Node> indices);
  Value load(Node buffer, ArrayRef<Node> indices);
  void store(Node at, Node buffer, ArrayRef<Node> indices, Value value);
  std::optional<Part> getPart(Node node);
  /// The extents, if all are constant.
  std::optional<SmallVector<int64_t>> getExtents(const Part &part);
  bool isWhole(const Part &part);
  BufferRegion getRegion(const Part &part, ArrayRef<int64_t> extents);

  //===--------------------------------------------------------------------===//
  // Expressions (Expressions.cpp, Calls.cpp)
  //===--------------------------------------------------------------------===//

  Value constant(Type type, int64_t value);
  Value constant(Type type, double value);
  Value constantIndex(int64_t value);
  /// The value of an expression, of its own type.
  Value getValue(Node expression);
  /// The value as an index.
  Value getIndex(Node expression);
  /// The value of lane `i` of a vector.
  Value getLane(Node expression, int64_t i);
  /// As constant as substitution and affine arithmetic make it.
  std::optional<int64_t> getConstant(Node expression);
  /// Whether an integer is arithmetic on variables that are indices.
  bool computesIndex(Node expression);
  AffineExpr getAffine(Node expression, SmallVector<Value> &operands);
  Value makeIndex(Node at, AffineExpr expression, SmallVector<Value> operands);
  /// The value, which ought to have this type.
  Value getMatching(Node expression, Type type);
  Value convert(Node at, Value value, DataType from, DataType to);
  Value evaluateCall(Node call);
  /// `tir.if_then_else`, of which one side only is computed.
  Value chooseLazily(Node call);
  /// One of two values of the expression's type, of which one is computed.
  Value choose(Node at, Value condition, function_ref<Value()> yes,
               function_ref<Value()> no);
  Value compare(Node expression);
  /// The element that a pointer of TIR names, or one behind it.
  Value loadPointer(Node pointer, int64_t distance);
  /// The old value, if it is wanted (Atomics.cpp).
  Value updateAtomically(Node call, bool wantsOld);

  //===--------------------------------------------------------------------===//
  // Votes (Votes.cpp)
  //===--------------------------------------------------------------------===//

  /// The number of the thread's lane or warp.
  Value evaluateThreadNumber(Node call);
  /// Collects what the threads contribute to a vote.
  void collectVote(Node call);
  Value evaluateVote(Node call);
  void translateVote(Node statement);

  //===--------------------------------------------------------------------===//
  // Statements (Statements.cpp, Loops.cpp)
  //===--------------------------------------------------------------------===//

  void translate(Node statement);
  /// The statements of a list, whose runs of code for threads become one
  /// `tile.parallel` each.
  void translateList(ArrayRef<Node> statements);
  void translateOne(Node statement);
  void translateInto(Block *block, Node statement);
  void translateFor(Node loop);
  void translateKernel(Node loop);
  void translateGrid(Node loop, Node body, ArrayRef<Node> vars,
                     ArrayRef<OpFoldResult> grid, int64_t threadCount);
  void translateParallel(Node loop);
  void translateBlock(Node block);
  void translateBind(Node bind);
  void evaluate(Node call);
  void setPadding(Node block, Node data, Node value);
  void setCluster(Node block, Node dims);

  //===--------------------------------------------------------------------===//
  // Reducers (Reducers.cpp)
  //===--------------------------------------------------------------------===//

  struct Reducer;
  void addReducers(Node block, Node table);
  void beginTerms(Node loop, ArrayRef<Node> vars,
                  ArrayRef<OpFoldResult> extents);
  void combineTerms(Node loop, Reducer &reducer, Value terms);
  void addTerm(Node at, Reducer &reducer, ArrayRef<Node> indices, Node term);
  void endTerms(Node loop);
  /// Whether `tvm_thread_allreduce`, with what it reduces, could be translated.
  bool reduceThreads(Node attribute);
  /// Whether the store is an update of a reducer, which is then translated.
  bool updateReducer(Node at, Node buffer, ArrayRef<Node> indices, Node value);


  /// A tile.parallel over the threads of the block.
  void translateSkip(Node branch, ArrayRef<Node> rest);
  void inThreadLoop(Node at, function_ref<void()> body);
  void translatePartitions(Node branch);
  /// Partitions that wait for one another, in the order that was found.
  void translateSteps(ArrayRef<Step> steps);
  void translateJointLoop(const Step &joint);
  bool dependsOn(Node expression, unsigned dim);
  /// Of threads that write one element, lets the first one do so. False if
  /// there are none.
  bool guardSharedElement(Node at, Node buffer, ArrayRef<Node> indices);
  ParallelOp beginParallel(Location loc, ArrayRef<Node> vars,
                           ArrayRef<OpFoldResult> extents);

  /// Loops over the elements of a part with one thread or scalar code; the
  /// callback gets the distance from the beginning of the part.
  void forEach(Node at, ArrayRef<Node> extents,
               function_ref<void(ArrayRef<Value>)> body);

  MLIRContext *context;
  OpBuilder builder;
  Scope scope;

  /// Where statements are.
  bool inKernel = false, inParallel = false, inThreads = false;
  KernelOp kernel;
  ThreadUse threads;
  /// How partitions of warps that wait for one another take turns, if they do.
  const llvm::DenseMap<unsigned, Schedule> *schedules = nullptr;
  /// The list in the kernel that barriers over the grid part, if any, and the
  /// part that is translated: each is a kernel.
  Node gridList;
  unsigned gridPart = 0;
  /// The conditions around, and whether they hold: of the partition that is
  /// translated, and in code of threads.
  SmallVector<std::pair<Node, bool>> partitions;
  SmallVector<Node> branches;
  /// Where the loop at hand, or its iteration, can be left early: not 0 once
  /// it is.
  Value breakFlag;
  /// Whether the flag says that the iteration is left; else branches do.
  bool skipsByFlag = false;
  Value isRunning(Node at);
  void leaveLoop(Node at);
  /// Of the thread at hand, by dimension.
  SmallVector<Value> thread;
  /// What the thread at hand has written to an element that it shares with
  /// others, of which one writes for all: it reads that back.
  struct OwnWrite {
    Node buffer;
    SmallVector<Node> indices;
    Value value;
    Block *block;
  };
  SmallVector<OwnWrite> ownWrites;
  Value readBack(Node buffer, ArrayRef<Node> indices);
  /// The lane of vectors that is evaluated.
  int64_t lane = 0;
  /// The block's random numbers, if it has any (Random.cpp).
  struct Generator {
    /// Seed, subsequence, position, and which group of four `words` holds.
    Value state, words;
    /// In a parallel loop: seed, subsequence, and the position in front of it.
    Value seed, subsequence, position;
    /// How many numbers each iteration draws, and this one has drawn.
    int64_t perIteration = 0, drawn = 0;
  };
  Generator generator;
  /// Reducers of TileLang, by buffer (Reducers.cpp).
  struct Reducer {
    ReduceKind kind = ReduceKind::Sum;
    /// In the parallel loop at hand: the terms, one for each iteration, and
    /// the variables of the loop that index the reducer.
    Value terms;
    Node buffer;
    std::optional<SmallVector<unsigned>> kept;
    SmallVector<Node> indices;
  };
  llvm::MapVector<unsigned, Reducer> reducers;
  /// The parallel loop at hand, and its variables, outermost first.
  ParallelOp enclosing;
  SmallVector<Node> parallelVars;

private:
  AffineExpr getAffine(Node expression, bool expand,
                       function_ref<AffineExpr(Node)> leaf);
  Value getOpaqueIndex(Node expression);
  Value clampToFinite(Node at, Value value, FloatType type);
  LogicalResult importFunction(Node function, StringRef name);
  void nameExtents(func::FuncOp function, ArrayRef<Node> buffers);
  void solveExtent(Node extent, Value buffer, int64_t dim);

  ModuleOp module;
  Node root;
  /// The innermost statement with a place in the source.
  Node statement;
  llvm::StringSet<> refused;
  /// How many more nodes are evaluated, and how deep: no text takes forever.
  unsigned budget = 1u << 20;
  unsigned depth = 0;
  friend struct Descent;
};

/// Counts what is evaluated. False, after an error, when it is too much.
struct Descent {
  Descent(Importer &importer, Node at);
  ~Descent();
  explicit operator bool() const { return allowed; }
  Importer &importer;
  bool allowed;
};

/// Whether any node below fulfils the predicate; below nodes for which it is
/// false by `skip` it does not look.
bool anyNode(Node root, function_ref<bool(Node)> predicate);

/// The name of the op that a call calls, "copy" of `tl.tileop.copy`; that of
/// an external function is "call_extern".
StringRef getCallee(Node call);

} // namespace mlir::tile::tilelang

#endif // TILE_LIB_IMPORT_TILELANG_IMPORTER_H
