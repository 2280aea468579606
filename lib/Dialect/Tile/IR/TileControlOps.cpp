//===- TileControlOps.cpp - kernels and loops -----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpressionParser.h"

#include "Tile/Dialect/Tile/IR/ShortForm.h"
#include "Tile/Dialect/Tile/IR/TeamOps.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// What region ops share
//===----------------------------------------------------------------------===//

static SmallVector<OpFoldResult> mix(ArrayRef<int64_t> fixed,
                                     ValueRange dynamic, MLIRContext *context) {
  Builder b(context);
  return getMixedValues(fixed, dynamic, b);
}

/// Names %i, %j, … for the induction variables.
static void nameArguments(Region &region, StringRef names,
                          OpAsmSetValueNameFn setName) {
  for (auto [arg, name] : llvm::zip(region.getArguments(), names))
    setName(arg, StringRef(&name, 1));
}

/// Moves constant operands into the static bounds where the op stays legal: code with wrong constants may never run.
static bool
foldConstantBounds(MutableOperandRange dynamic, SmallVectorImpl<int64_t> &fixed,
                   llvm::function_ref<bool(unsigned, int64_t)> isLegal) {
  SmallVector<Value> kept;
  bool changed = false;
  unsigned next = 0;
  OperandRange operands = dynamic;
  for (auto [position, bound] : llvm::enumerate(fixed)) {
    if (!ShapedType::isDynamic(bound))
      continue;
    Value operand = operands[next++];
    std::optional<int64_t> value = getConstantIntValue(operand);
    if (value && !ShapedType::isDynamic(*value) && isLegal(position, *value)) {
      bound = *value;
      changed = true;
    } else {
      kept.push_back(operand);
    }
  }
  if (changed)
    dynamic.assign(kept);
  return changed;
}

static LogicalResult verifyExtents(Operation *op, ArrayRef<int64_t> extents,
                                   unsigned numDynamic, StringRef what) {
  unsigned expected = llvm::count_if(extents, ShapedType::isDynamic);
  if (expected != numDynamic)
    return op->emitOpError() << "expected " << expected << " dynamic " << what
                             << " operands, got " << numDynamic;
  for (auto [dim, extent] : llvm::enumerate(extents))
    if (!ShapedType::isDynamic(extent) && extent < 0)
      return op->emitOpError() << "expected " << what << " extent " << dim
                               << " not to be negative, got " << extent;
  return success();
}

static LogicalResult verifyArguments(Operation *op, size_t expected) {
  Block &body = op->getRegion(0).front();
  if (body.getNumArguments() != expected)
    return op->emitOpError() << "expected " << expected
                             << " induction variables, got "
                             << body.getNumArguments();
  for (BlockArgument arg : body.getArguments())
    if (!arg.getType().isIndex())
      return op->emitOpError() << "expected induction variable "
                               << arg.getArgNumber()
                               << " to be an index, got " << arg.getType();
  return success();
}

/// 0 <= iv < extent.
static void boundByExtents(Value value, ArrayRef<OpFoldResult> extents,
                           ValueBoundsConstraintSet &cstr) {
  auto arg = cast<BlockArgument>(value);
  cstr.bound(value) >= 0;
  cstr.bound(value) < cstr.getExpr(extents[arg.getArgNumber()]);
}

static ParseResult parseBody(OpAsmParser &parser, OperationState &result,
                             ArrayRef<OpAsmParser::Argument> args) {
  Region *body = result.addRegion();
  BodyScope scope(args);
  if (parser.parseRegion(*body, args))
    return failure();
  if (body->empty()) {
    Block &block = body->emplaceBlock();
    for (const OpAsmParser::Argument &arg : args)
      block.addArgument(arg.type, result.location);
  }
  return success();
}

/// The common tail: attributes, bounds that are operands, body. An attribute of
/// another type than the op's own would be dropped.
static ParseResult parseTail(OpAsmParser &parser, OperationState &result,
                             ArrayRef<OpAsmParser::Argument> args,
                             ArrayRef<Value> dynamic) {
  SMLoc loc = parser.getCurrentLocation();
  auto emitError = [&] {
    return parser.emitError(loc) << "'" << result.name << "' op ";
  };
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  if (auto duplicate = result.attributes.findDuplicate())
    return emitError() << "expected '" << duplicate->getName().getValue()
                       << "' once";
  if (failed(result.name.verifyInherentAttrs(result.attributes, emitError)))
    return failure();
  result.addOperands(dynamic);
  if (result.name.getStringRef() == ParallelOp::getOperationName() &&
      succeeded(parser.parseOptionalKeyword("do")))
    return parseStatements(parser, *result.addRegion(), args);
  return parseBody(parser, result, args);
}

static void printTail(OpAsmPrinter &printer, Operation *op,
                      ArrayRef<StringRef> elided) {
  // The clause has been printed.
  SmallVector<StringRef> hidden(elided);
  hidden.push_back(kParametersAttrName);
  printer.printOptionalAttrDictWithKeyword(op->getAttrs(), hidden);
  if (isa<ParallelOp>(op) && printsShortForm() &&
      printStatements(printer, op->getRegion(0)))
    return;
  printer << ' ';
  printer.printRegion(op->getRegion(0), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> args;
  SmallVector<Value> dynamic;
  SmallVector<int64_t> grid;
  std::optional<int64_t> threads;
  if (parseIterationSpace(parser, args, dynamic, grid) ||
      parseOptionalClause(parser, result, "threads", threads))
    return failure();
  auto &props = result.getOrAddProperties<Properties>();
  Builder &b = parser.getBuilder();
  props.staticGrid = b.getDenseI64ArrayAttr(grid);
  if (threads)
    props.threads = b.getI64IntegerAttr(*threads);
  if (succeeded(parser.parseOptionalKeyword("cluster")) &&
      parseExtents(parser, props.cluster))
    return failure();
  return parseTail(parser, result, args, dynamic);
}

void KernelOp::print(OpAsmPrinter &printer) {
  printIterationSpace(printer, &getBody().front(), getDynamicGrid(),
                      getStaticGrid());
  printClause(printer, *this, "threads", getThreads(), 128);
  if (getClusterAttr()) {
    printer << " cluster";
    printExtents(printer, *this, getClusterAttr());
  }
  printTail(printer, *this, {"staticGrid", "threads", "cluster"});
}

/// Facts are about arguments, and a version stands before what it is one of.
static LogicalResult verifyFacts(KernelOp kernel) {
  auto function = kernel->getParentOfType<FunctionOpInterface>();
  ArrayRef<Type> types =
      function ? function.getArgumentTypes() : ArrayRef<Type>();
  // tile.kernel C7
  for (FactAttr fact : kernel.getFactsAttr().getAsRange<FactAttr>()) {
    int64_t index = fact.getArgument();
    auto type = index < int64_t(types.size())
                    ? dyn_cast<MemRefType>(types[index])
                    : MemRefType();
    if (!type)
      return kernel.emitOpError()
             << "expected facts about a buffer that the function takes, got "
                "argument "
             << index;
    if (fact.getKind() != FactKind::Address && fact.getDim() >= type.getRank())
      return kernel.emitOpError()
             << "expected a dimension below " << type.getRank()
             << " of argument " << index << ", got " << fact.getDim();
  }
  // tile.kernel C8
  if (!kernel.isConditional())
    return success();
  for (Operation *op = kernel->getNextNode(); op; op = op->getNextNode())
    if (auto next = dyn_cast<KernelOp>(op)) {
      if (next.getFacts())
        return success();
      break;
    }
  return kernel.emitOpError(
      "expected the kernel of which this is a version behind it");
}

LogicalResult KernelOp::verify() {
  ArrayRef<int64_t> grid = getStaticGrid();
  // tile.kernel C1
  if (grid.empty() || grid.size() > 3)
    return emitOpError() << "expected a grid of 1 to 3 dimensions, got "
                         << grid.size();
  // tile.kernel C2
  if (failed(verifyExtents(*this, grid, getDynamicGrid().size(), "grid")))
    return failure();
  // tile.kernel C3
  // The accessors of integer attributes are unsigned; a negative value would pass for a large one.
  auto threads = static_cast<int64_t>(getThreads());
  if (threads < 1 || threads > 1024)
    return emitOpError() << "expected 'threads' between 1 and 1024, got "
                         << threads;
  // tile.kernel C5
  if (auto outer = (*this)->getParentOfType<KernelOp>()) {
    InFlightDiagnostic diag = emitOpError("is nested in another kernel");
    diag.attachNote(outer.getLoc()) << "the outer kernel is here";
    return diag;
  }
  if (auto parallel = (*this)->getParentOfType<ParallelOp>()) {
    InFlightDiagnostic diag = emitOpError("is not allowed in 'tile.parallel'");
    diag.attachNote(parallel.getLoc()) << "the loop is here";
    return diag;
  }
  if (getFacts() && failed(verifyFacts(*this)))
    return failure();
  // tile.kernel C4
  std::optional<ArrayRef<int64_t>> cluster = getCluster();
  if (!cluster)
    return success();
  if (cluster->size() != grid.size())
    return emitOpError() << "expected " << grid.size()
                         << " cluster extents, one for each grid dimension, got "
                         << cluster->size();
  for (auto [dim, extent] : llvm::enumerate(*cluster)) {
    if (extent < 1)
      return emitOpError() << "expected cluster extent " << dim
                           << " to be positive, got " << extent;
    if (!ShapedType::isDynamic(grid[dim]) && grid[dim] % extent != 0)
      return emitOpError() << "expected cluster extent " << extent
                           << " to divide grid extent " << grid[dim]
                           << " in dimension " << dim;
  }
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  return verifyArguments(*this, getStaticGrid().size());
}

LogicalResult KernelOp::canonicalize(KernelOp op, PatternRewriter &rewriter) {
  // A grid with an extent of 0 runs nothing, but another version might.
  if (llvm::is_contained(op.getStaticGrid(), 0) && !op.getFacts()) {
    rewriter.eraseOp(op);
    return success();
  }
  SmallVector<int64_t> grid(op.getStaticGrid());
  auto isLegal = [&](unsigned dim, int64_t extent) {
    std::optional<ArrayRef<int64_t>> cluster = op.getCluster();
    return extent >= 0 && (!cluster || extent % (*cluster)[dim] == 0);
  };
  if (!foldConstantBounds(op.getDynamicGridMutable(), grid, isLegal))
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.setStaticGrid(grid); });
  return success();
}

SmallVector<OpFoldResult> KernelOp::getMixedGrid() {
  return mix(getStaticGrid(), getDynamicGrid(), getContext());
}

void KernelOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  static constexpr StringLiteral names[] = {"bx", "by", "bz"};
  for (auto [arg, name] : llvm::zip(region.getArguments(), names))
    setName(arg, name);
}

void KernelOp::populateBoundsForIndexValue(Value value,
                                           ValueBoundsConstraintSet &cstr) {
  boundByExtents(value, getMixedGrid(), cstr);
}

//===----------------------------------------------------------------------===//
// ParallelOp
//===----------------------------------------------------------------------===//

ParseResult ParallelOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> args;
  SmallVector<Value> dynamic;
  SmallVector<int64_t> extents;
  std::optional<int64_t> width;
  if (parseIterationSpace(parser, args, dynamic, extents) ||
      parseOptionalClause(parser, result, "coalesced_width", width))
    return failure();
  auto &props = result.getOrAddProperties<Properties>();
  props.staticExtents = parser.getBuilder().getDenseI64ArrayAttr(extents);
  if (width)
    props.coalesced_width = parser.getBuilder().getI64IntegerAttr(*width);
  return parseTail(parser, result, args, dynamic);
}

void ParallelOp::print(OpAsmPrinter &printer) {
  printIterationSpace(printer, &getBody().front(), getDynamicExtents(),
                      getStaticExtents());
  // No width is the default, and no width is 0.
  printClause(printer, *this, "coalesced_width",
              getCoalescedWidth().value_or(0), 0);
  printTail(printer, *this, {"staticExtents", "coalesced_width"});
}

/// Of the extents that are known: 2^31 or more.
static bool hasTooManyIterations(ArrayRef<int64_t> extents) {
  int64_t iterations = 1;
  return llvm::any_of(extents, [&](int64_t extent) {
    return !ShapedType::isDynamic(extent) &&
           (llvm::MulOverflow(iterations, extent, iterations) ||
            iterations > std::numeric_limits<int32_t>::max());
  });
}

LogicalResult ParallelOp::verify() {
  ArrayRef<int64_t> extents = getStaticExtents();
  // tile.parallel C1
  if (extents.empty())
    return emitOpError("expected at least one iteration dimension");
  // tile.parallel C2
  if (failed(verifyExtents(*this, extents, getDynamicExtents().size(),
                           "iteration")))
    return failure();
  if (hasTooManyIterations(extents))
    return emitOpError() << "expected less than 2^31 iterations, got extents "
                         << formatShape(extents)
                         << "; divide them among blocks";
  // tile.parallel C3
  if (std::optional<int64_t> width = getCoalescedWidth()) {
    if (*width < 1)
      return emitOpError() << "expected a positive 'coalesced_width', got "
                           << *width;
    if (!ShapedType::isDynamic(extents.back()) && extents.back() % *width != 0)
      return emitOpError() << "expected 'coalesced_width' " << *width
                           << " to divide the innermost extent "
                           << extents.back();
  }
  // tile.parallel C4
  if (auto outer = (*this)->getParentOfType<ParallelOp>()) {
    InFlightDiagnostic diag =
        emitOpError("is nested in another 'tile.parallel'; merge the two into "
                    "one iteration space");
    diag.attachNote(outer.getLoc()) << "the outer loop is here";
    return diag;
  }
  // tile.parallel C5
  return verifyLayout(*this, getLayoutAttr(), extents, /*onThreads=*/true);
}

LogicalResult ParallelOp::verifyRegions() {
  return verifyArguments(*this, getStaticExtents().size());
}

LogicalResult ParallelOp::canonicalize(ParallelOp op,
                                       PatternRewriter &rewriter) {
  if (llvm::is_contained(op.getStaticExtents(), 0) ||
      op.getBody().front().empty()) {
    rewriter.eraseOp(op);
    return success();
  }
  SmallVector<int64_t> extents(op.getStaticExtents());
  auto isLegal = [&](unsigned dim, int64_t extent) {
    std::optional<int64_t> width = op.getCoalescedWidth();
    bool innermost = dim + 1 == extents.size();
    SmallVector<int64_t> all(extents);
    all[dim] = extent;
    return extent >= 0 && !hasTooManyIterations(all) &&
           (!width || !innermost || extent % *width == 0);
  };
  if (!foldConstantBounds(op.getDynamicExtentsMutable(), extents, isLegal))
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.setStaticExtents(extents); });
  return success();
}

SmallVector<OpFoldResult> ParallelOp::getMixedExtents() {
  return mix(getStaticExtents(), getDynamicExtents(), getContext());
}

void ParallelOp::getAsmBlockArgumentNames(Region &region,
                                          OpAsmSetValueNameFn setName) {
  nameArguments(region, "ijklmn", setName);
}

void ParallelOp::populateBoundsForIndexValue(Value value,
                                             ValueBoundsConstraintSet &cstr) {
  boundByExtents(value, getMixedExtents(), cstr);
}

//===----------------------------------------------------------------------===//
// PipelinedOp
//===----------------------------------------------------------------------===//

ParseResult PipelinedOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::Argument iv;
  SmallVector<Value> dynamic;
  SmallVector<int64_t> bounds;
  std::optional<int64_t> stages;
  if (parser.parseArgument(iv) || parser.parseEqual() ||
      parseBound(parser, dynamic, bounds) || parser.parseKeyword("to") ||
      parseBound(parser, dynamic, bounds))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("step"))) {
    if (parseBound(parser, dynamic, bounds))
      return failure();
  } else {
    bounds.push_back(1);
  }
  if (parseOptionalClause(parser, result, "stages", stages))
    return failure();
  Builder &b = parser.getBuilder();
  iv.type = b.getIndexType();
  auto &props = result.getOrAddProperties<Properties>();
  props.staticBounds = b.getDenseI64ArrayAttr(bounds);
  if (stages)
    props.stages = b.getI64IntegerAttr(*stages);
  if (succeeded(parser.parseOptionalKeyword("order")) &&
      parseExtents(parser, props.order))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("stage")) &&
      parseExtents(parser, props.stage))
    return failure();
  return parseTail(parser, result, iv, dynamic);
}

void PipelinedOp::print(OpAsmPrinter &printer) {
  SmallVector<OpFoldResult> bounds = getMixedBounds();
  auto print = [&](OpFoldResult bound) {
    if (auto value = dyn_cast<Value>(bound))
      printer << value;
    else
      printer << cast<IntegerAttr>(cast<Attribute>(bound)).getInt();
  };
  printer << ' ' << getBody().getArgument(0) << " = ";
  print(bounds[0]);
  printer << " to ";
  print(bounds[1]);
  if (!isConstantIntValue(bounds[2], 1) || isa<Value>(bounds[2])) {
    printer << " step ";
    print(bounds[2]);
  }
  printClause(printer, *this, "stages", getStages(), 1);
  if (getOrderAttr()) {
    printer << " order";
    printExtents(printer, *this, getOrderAttr());
  }
  if (getStageAttr()) {
    printer << " stage";
    printExtents(printer, *this, getStageAttr());
  }
  printTail(printer, *this, {"staticBounds", "stages", "order", "stage"});
}

LogicalResult PipelinedOp::verify() {
  if (getStaticBounds().size() != 3)
    return emitOpError() << "expected 3 bounds, got "
                         << getStaticBounds().size();
  unsigned expected = llvm::count_if(getStaticBounds(), ShapedType::isDynamic);
  if (expected != getDynamicBounds().size())
    return emitOpError() << "expected " << expected
                         << " dynamic bound operands, got "
                         << getDynamicBounds().size();
  // tile.pipelined C1
  // Constant operands are not looked at: folding must not make a legal op illegal.
  int64_t step = getStaticBounds()[2];
  if (!ShapedType::isDynamic(step) && step < 1)
    return emitOpError() << "expected a positive step, got " << step;
  // tile.pipelined C2
  auto stages = static_cast<int64_t>(getStages());
  if (stages < 1 || stages > 16)
    return emitOpError() << "expected 'stages' between 1 and 16, got "
                         << stages;
  // tile.pipelined C4
  if (auto parallel = (*this)->getParentOfType<ParallelOp>()) {
    InFlightDiagnostic diag = emitOpError(
        "is not allowed in 'tile.parallel'; use 'scf.for' for a scalar loop");
    diag.attachNote(parallel.getLoc()) << "the loop is here";
    return diag;
  }
  return success();
}

/// tile.pipelined C3
static LogicalResult verifySchedule(PipelinedOp op, ArrayRef<int64_t> order,
                                    ArrayRef<int64_t> stage) {
  size_t expected = op.getSchedulableOps().size();
  for (auto [name, entries] : {std::pair("order", order), {"stage", stage}})
    if (entries.size() != expected)
      return op.emitOpError() << "expected " << expected << " entries in '"
                              << name << "', one for each schedulable op, got "
                              << entries.size();
  SmallVector<bool> seen(expected, false);
  for (int64_t place : order) {
    if (place < 0 || place >= static_cast<int64_t>(expected) || seen[place])
      return op.emitOpError() << "expected 'order' to be a permutation of 0 to "
                              << expected - 1 << ", got entry " << place
                              << (place >= 0 &&
                                          place < static_cast<int64_t>(expected)
                                      ? " twice"
                                      : "");
    seen[place] = true;
  }
  for (int64_t entry : stage)
    if (entry < 0)
      return op.emitOpError()
             << "expected the entries of 'stage' not to be negative, got "
             << entry;
  return success();
}

LogicalResult PipelinedOp::verifyRegions() {
  if (failed(verifyArguments(*this, 1)))
    return failure();
  if (!getOrder() && !getStage())
    return success();
  if (!getOrder() || !getStage())
    return emitOpError("expected 'order' and 'stage' to be given together");
  return verifySchedule(*this, *getOrder(), *getStage());
}

LogicalResult PipelinedOp::canonicalize(PipelinedOp op,
                                        PatternRewriter &rewriter) {
  SmallVector<int64_t> bounds(op.getStaticBounds());
  if (!ShapedType::isDynamic(bounds[0]) && !ShapedType::isDynamic(bounds[1]) &&
      bounds[0] >= bounds[1]) {
    rewriter.eraseOp(op);
    return success();
  }
  auto isLegal = [](unsigned position, int64_t bound) {
    return position != 2 || bound >= 1;
  };
  if (!foldConstantBounds(op.getDynamicBoundsMutable(), bounds, isLegal))
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.setStaticBounds(bounds); });
  return success();
}

SmallVector<OpFoldResult> PipelinedOp::getMixedBounds() {
  return mix(getStaticBounds(), getDynamicBounds(), getContext());
}

SmallVector<Operation *> PipelinedOp::getSchedulableOps() {
  SmallVector<Operation *> ops;
  for (Operation &op : getBody().front())
    if (!isMemoryEffectFree(&op))
      ops.push_back(&op);
  return ops;
}

void PipelinedOp::getAsmBlockArgumentNames(Region &region,
                                           OpAsmSetValueNameFn setName) {
  nameArguments(region, "k", setName);
}

void PipelinedOp::populateBoundsForIndexValue(Value value,
                                              ValueBoundsConstraintSet &cstr) {
  SmallVector<OpFoldResult> bounds = getMixedBounds();
  cstr.bound(value) >= cstr.getExpr(bounds[0]);
  cstr.bound(value) < cstr.getExpr(bounds[1]);
}

SmallVector<Region *> PipelinedOp::getLoopRegions() { return {&getBody()}; }

std::optional<SmallVector<Value>> PipelinedOp::getLoopInductionVars() {
  return SmallVector<Value>{getBody().getArgument(0)};
}

std::optional<SmallVector<OpFoldResult>> PipelinedOp::getLoopLowerBounds() {
  return SmallVector<OpFoldResult>{getMixedBounds()[0]};
}

std::optional<SmallVector<OpFoldResult>> PipelinedOp::getLoopUpperBounds() {
  return SmallVector<OpFoldResult>{getMixedBounds()[1]};
}

std::optional<SmallVector<OpFoldResult>> PipelinedOp::getLoopSteps() {
  return SmallVector<OpFoldResult>{getMixedBounds()[2]};
}

//===----------------------------------------------------------------------===//
// PersistentOp
//===----------------------------------------------------------------------===//

ParseResult PersistentOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> args;
  SmallVector<Value> dynamic;
  SmallVector<int64_t> domain;
  std::optional<int64_t> group;
  if (parseIterationSpace(parser, args, dynamic, domain) ||
      parseOptionalClause(parser, result, "group", group))
    return failure();
  auto &props = result.getOrAddProperties<Properties>();
  props.staticDomain = parser.getBuilder().getDenseI64ArrayAttr(domain);
  if (group)
    props.group = parser.getBuilder().getI64IntegerAttr(*group);
  return parseTail(parser, result, args, dynamic);
}

void PersistentOp::print(OpAsmPrinter &printer) {
  printIterationSpace(printer, &getBody().front(), getDynamicDomain(),
                      getStaticDomain());
  printClause(printer, *this, "group", getGroup(), 8);
  printTail(printer, *this, {"staticDomain", "group"});
}

LogicalResult PersistentOp::verify() {
  ArrayRef<int64_t> domain = getStaticDomain();
  // tile.persistent C1
  if (domain.empty() || domain.size() > 3)
    return emitOpError() << "expected a domain of 1 to 3 dimensions, got "
                         << domain.size();
  // tile.persistent C2
  if (failed(verifyExtents(*this, domain, getDynamicDomain().size(), "domain")))
    return failure();
  // tile.persistent C3
  auto group = static_cast<int64_t>(getGroup());
  if (group < 1)
    return emitOpError() << "expected a positive 'group', got " << group;
  // tile.persistent C4
  if (!isa_and_nonnull<KernelOp, WarpSpecializeOp, TeamOp>(
          (*this)->getParentOp()))
    return emitOpError(
        "expected to be directly in the body of a 'tile.kernel'");
  return success();
}

LogicalResult PersistentOp::verifyRegions() {
  return verifyArguments(*this, getStaticDomain().size());
}

SmallVector<OpFoldResult> PersistentOp::getMixedDomain() {
  return mix(getStaticDomain(), getDynamicDomain(), getContext());
}

void PersistentOp::getAsmBlockArgumentNames(Region &region,
                                            OpAsmSetValueNameFn setName) {
  nameArguments(region, "mno", setName);
}

void PersistentOp::populateBoundsForIndexValue(Value value,
                                               ValueBoundsConstraintSet &cstr) {
  boundByExtents(value, getMixedDomain(), cstr);
}
