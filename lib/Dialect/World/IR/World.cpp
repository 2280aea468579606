//===- World.cpp - the world dialect --------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/World/IR/World.h"

#include "../../Tile/IR/AssemblyFormat.h"
#include "Tile/Dialect/BytecodeProperties.h"
#include "Tile/Dialect/BytecodeVersion.h"
#include "Tile/Dialect/InlineAnywhere.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::world;

#include "Tile/Dialect/World/IR/WorldDialect.cpp.inc"
#include "Tile/Dialect/World/IR/WorldEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Tile/Dialect/World/IR/WorldAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "Tile/Dialect/World/IR/WorldTypes.cpp.inc"

#define GET_OP_CLASSES
#include "Tile/Dialect/World/IR/WorldOps.cpp.inc"
#include "Tile/Dialect/World/IR/WorldOpsBytecode.cpp.inc"

void WorldDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Tile/Dialect/World/IR/WorldAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "Tile/Dialect/World/IR/WorldTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Tile/Dialect/World/IR/WorldOps.cpp.inc"
      >();
  addInterfaces<tile::InlineAnywhereInterface,
                tile::BytecodeVersionInterface<1>>();
}

//===----------------------------------------------------------------------===//
// References
//===----------------------------------------------------------------------===//

/// What a reference has in the place of an argument.
static Type getTypeOfAllRanks(Type type, ArrayRef<int64_t> world) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return type;
  SmallVector<int64_t> shape(world);
  llvm::append_range(shape, memref.getShape());
  return MemRefType::get(shape, memref.getElementType());
}

static FunctionType getTypeOfAllRanks(FunctionType type) {
  ArrayRef<int64_t> world;
  for (Type input : type.getInputs())
    if (auto ranks = dyn_cast<RanksType>(input))
      world = ranks.getShape();
  SmallVector<Type> inputs;
  for (Type input : type.getInputs())
    if (!isa<RanksType>(input))
      inputs.push_back(getTypeOfAllRanks(input, world));
  return FunctionType::get(type.getContext(), inputs, type.getResults());
}

/// Whether dynamic extents alone make the difference.
static bool mayAgree(FunctionType a, FunctionType b) {
  return a.getResults() == b.getResults() &&
         a.getNumInputs() == b.getNumInputs() &&
         llvm::all_of(llvm::zip(a.getInputs(), b.getInputs()), [](auto pair) {
           auto [x, y] = pair;
           auto p = dyn_cast<MemRefType>(x), q = dyn_cast<MemRefType>(y);
           return x == y || (p && q && p.getRank() == q.getRank() &&
                             p.getElementType() == q.getElementType() &&
                             tile::mayBeEqual(p.getShape(), q.getShape()));
         });
}

LogicalResult WorldDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attr) {
  if (attr.getName() == "world.copies")
    return isa<CopiesAttr>(attr.getValue())
               ? success()
               : op->emitError("expected 'world.copies' to be #world.copies");
  if (attr.getName() != "world.reference")
    return op->emitError() << "unknown attribute '" << attr.getName().getValue()
                           << "'; expected world.reference or world.copies";
  auto name = dyn_cast<FlatSymbolRefAttr>(attr.getValue());
  auto type = op->getAttrOfType<TypeAttr>("function_type");
  auto given = type ? dyn_cast<FunctionType>(type.getValue()) : FunctionType();
  if (!name || !given || llvm::none_of(given.getInputs(), [](Type input) {
        return isa<RanksType>(input);
      }))
    return op->emitError("expected 'world.reference' to be the name of a "
                         "function, on a function that takes !world.ranks");
  auto reference = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
      op->getParentOp(), name);
  if (!reference)
    return op->emitError() << "reference " << name << " does not exist";
  auto got = dyn_cast<FunctionType>(reference.getFunctionType());
  FunctionType expected = getTypeOfAllRanks(given);
  if (got && mayAgree(expected, got))
    return success();
  InFlightDiagnostic diag =
      op->emitError() << "expected the reference to have type " << expected
                      << ", got " << reference.getFunctionType();
  diag.attachNote(reference.getLoc()) << "the reference is here";
  return diag;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LogicalResult RanksType::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int64_t> shape) {
  if (shape.empty() || shape.size() > 2)
    return emitError() << "expected a world of 1 or 2 dimensions, got "
                       << shape.size();
  for (int64_t extent : shape)
    if (!ShapedType::isDynamic(extent) && extent < 1)
      return emitError() << "expected at least 1 rank in each dimension, got "
                         << extent;
  if (shape.size() == 2 && ShapedType::isDynamic(shape[0]))
    return emitError() << "expected a number as the first extent of a grid of "
                          "ranks; the other one follows from it";
  return success();
}

/// Without extents it is a row of any number of ranks.
Type RanksType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  if (failed(parser.parseOptionalLess()))
    shape.push_back(ShapedType::kDynamic);
  else if (parser.parseDimensionList(shape, /*allowDynamic=*/true,
                                     /*withTrailingX=*/false) ||
           parser.parseGreater())
    return {};
  return parser.getChecked<RanksType>(parser.getContext(), shape);
}

void RanksType::print(AsmPrinter &printer) const {
  if (getShape().size() == 1 && ShapedType::isDynamic(getShape()[0]))
    return;
  printer << '<';
  printer.printDimensionList(getShape());
  printer << '>';
}

bool tile::world::isReachable(MemRefType type) {
  return isa_and_nonnull<SymmetricAttr, PeerAttr>(type.getMemorySpace());
}

Type tile::world::getLaunchType(Type type) {
  if (!isa<RanksType>(type))
    return type;
  return MemRefType::get({ShapedType::kDynamic},
                         IntegerType::get(type.getContext(), 64));
}

/// The table of a rank.
static Type getTableType(MLIRContext *context) {
  return getLaunchType(RanksType::get(context, ShapedType::kDynamic));
}

Type tile::world::getPlainType(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || !isReachable(memref))
    return type;
  return MemRefType::get(memref.getShape(), memref.getElementType(),
                         memref.getLayout());
}

/// The distance to another rank's buffer is only known when it runs.
static MemRefType getPeerType(MemRefType buffer) {
  int64_t offset;
  SmallVector<int64_t> strides;
  if (failed(buffer.getStridesAndOffset(strides, offset)))
    return {};
  MLIRContext *context = buffer.getContext();
  auto layout = StridedLayoutAttr::get(context, ShapedType::kDynamic, strides);
  return MemRefType::get(buffer.getShape(), buffer.getElementType(), layout,
                         PeerAttr::get(context));
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

/// `%world`, with one result for each dimension.
static ParseResult parseQuery(OpAsmParser &parser, OperationState &result) {
  Operand world;
  Type type;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperand(world) || tile::parseAttributes(parser, result) ||
      tile::parseTypesOf(parser, {world}, {&type}) ||
      parser.resolveOperand(world, type, result.operands))
    return failure();
  auto ranks = dyn_cast<RanksType>(type);
  if (!ranks)
    return parser.emitError(loc)
           << "expected a value of type !world.ranks, got " << type;
  result.types.append(ranks.getShape().size(),
                      parser.getBuilder().getIndexType());
  return success();
}

static void printQuery(OpAsmPrinter &printer, Operation *op) {
  printer << ' ' << op->getOperand(0);
  printer.printOptionalAttrDict(op->getAttrs());
  tile::printTypesOf(printer, op, op->getOperands());
}

static LogicalResult verifyQuery(Operation *op) {
  auto type = cast<RanksType>(op->getOperand(0).getType());
  if (op->getNumResults() == type.getShape().size())
    return success();
  return op->emitOpError() << "expected " << type.getShape().size()
                           << " results for " << type << ", got "
                           << op->getNumResults();
}

ParseResult RankOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseQuery(parser, result);
}
void RankOp::print(OpAsmPrinter &printer) { printQuery(printer, *this); }
// world.rank C1
LogicalResult RankOp::verify() { return verifyQuery(*this); }

ParseResult SizeOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseQuery(parser, result);
}
void SizeOp::print(OpAsmPrinter &printer) { printQuery(printer, *this); }
// world.size C1
LogicalResult SizeOp::verify() { return verifyQuery(*this); }

/// `%buffer at %world[coordinates]`.
ParseResult PeerOp::parse(OpAsmParser &parser, OperationState &result) {
  Operand buffer, world;
  Type bufferType, worldType;
  SmallVector<Value> coordinates;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperand(buffer) || parser.parseKeyword("at") ||
      parser.parseOperand(world) ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&] {
            return tile::parseIndex(parser, {buffer, world}, coordinates);
          }) ||
      tile::parseAttributes(parser, result) ||
      tile::parseTypesOf(parser, {buffer, world}, {&bufferType, &worldType}) ||
      parser.resolveOperand(buffer, bufferType, result.operands) ||
      parser.resolveOperand(world, worldType, result.operands))
    return failure();
  result.addOperands(coordinates);
  auto memref = dyn_cast<MemRefType>(bufferType);
  MemRefType peer = memref ? getPeerType(memref) : MemRefType();
  if (!peer)
    return parser.emitError(loc)
           << "expected a buffer in #world.symmetric memory, got "
           << bufferType;
  result.addTypes(peer);
  return success();
}

void PeerOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getBuffer() << " at " << getWorld() << '['
          << getCoordinates() << ']';
  printer.printOptionalAttrDict((*this)->getAttrs());
  tile::printTypesOf(printer, *this, {getBuffer(), getWorld()});
}

LogicalResult PeerOp::verify() {
  auto type = cast<MemRefType>(getBuffer().getType());
  // world.peer C1
  if (!isa_and_nonnull<SymmetricAttr>(type.getMemorySpace()))
    return emitOpError() << "expected a buffer in #world.symmetric memory, got "
                         << type;
  if (getPeer().getType() != getPeerType(type))
    return emitOpError() << "expected a result of type " << getPeerType(type)
                         << ", got " << getPeer().getType();
  // world.peer C2
  size_t expected = getWorld().getType().getShape().size();
  if (getCoordinates().size() != expected)
    return emitOpError() << "expected " << expected << " coordinates for "
                         << getWorld().getType() << ", got "
                         << getCoordinates().size();
  // world.peer C3
  for (auto [d, coordinate] : llvm::enumerate(getCoordinates())) {
    int64_t extent = getWorld().getType().getShape()[d];
    std::optional<int64_t> known = getConstantIntValue(coordinate);
    if (known && *known < 0)
      return emitOpError() << "expected coordinate " << d
                           << " to be at least 0, got " << *known;
    if (known && !ShapedType::isDynamic(extent) && *known >= extent)
      return emitOpError() << "expected coordinate " << d << " to be below "
                           << extent << ", got " << *known;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// `%flags[index] how value`, of which the keywords are in `how`; the one that
/// stands there is returned.
static FailureOr<StringRef> parseFlag(OpAsmParser &parser,
                                      OperationState &result,
                                      ArrayRef<StringRef> how) {
  Operand flags;
  Type type;
  SmallVector<Value> index, value;
  tile::ValueText text;
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation(), keywordLoc;
  if (parser.parseOperand(flags) || parser.parseLSquare() ||
      tile::parseIndex(parser, {flags}, index) || parser.parseRSquare())
    return failure();
  keywordLoc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  if (!llvm::is_contained(how, keyword))
    return parser.emitError(keywordLoc)
           << "expected " << llvm::join(how, " or ") << ", got '" << keyword
           << "'";
  if (tile::parseValue(parser, text) || tile::parseAttributes(parser, result) ||
      tile::parseTypesOf(parser, {flags}, {&type}))
    return failure();
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return parser.emitError(loc) << "expected a buffer, got " << type;
  if (parser.resolveOperand(flags, type, result.operands) ||
      tile::resolveValue(parser, text, memref.getElementType(), {flags}, value))
    return failure();
  result.addOperands(index);
  result.addOperands(value);
  return keyword;
}

template <typename OpTy>
static void printFlag(OpAsmPrinter &printer, OpTy op, StringRef how) {
  printer << ' ' << op.getFlags() << '[' << op.getIndex() << "] " << how << ' '
          << op.getValue();
  printer.printOptionalAttrDict(
      op->getAttrs(), {"set", "condition", "operandSegmentSizes"});
  tile::printTypesOf(printer, op, {op.getFlags()});
}

template <typename OpTy>
static LogicalResult verifyFlag(OpTy op) {
  auto type = cast<MemRefType>(op.getFlags().getType());
  Type element = type.getElementType();
  // world.signal C1
  // world.wait C1
  if (type.getRank() != 1 ||
      !(element.isSignlessInteger(32) || element.isSignlessInteger(64)) ||
      tile::getMemorySpace(type) != tile::MemorySpace::Global)
    return op.emitOpError() << "expected a global buffer of one dimension of "
                               "i32 or i64, got "
                            << type;
  // world.signal C2
  // world.wait C2
  if (op.getValue().getType() != element)
    return op.emitOpError() << "expected a value of type " << element
                            << " as the elements of the flags, got "
                            << op.getValue().getType();
  // world.signal C4
  // world.wait C5
  std::optional<int64_t> index = getConstantIntValue(op.getIndex());
  if (index && *index < 0)
    return op.emitOpError() << "expected a flag of at least 0, got " << *index;
  if (index && !type.isDynamicDim(0) && *index >= type.getDimSize(0))
    return op.emitOpError() << "expected a flag below " << type.getDimSize(0)
                            << ", got " << *index;
  return success();
}

ParseResult SignalOp::parse(OpAsmParser &parser, OperationState &result) {
  FailureOr<StringRef> how = parseFlag(parser, result, {"add", "set"});
  if (failed(how))
    return failure();
  if (*how == "set")
    result.getOrAddProperties<Properties>().set =
        parser.getBuilder().getUnitAttr();
  auto &sizes = result.getOrAddProperties<Properties>().operandSegmentSizes;
  Operand world, deferred;
  Type type;
  bool isForAll = succeeded(parser.parseOptionalKeyword("on"));
  if (isForAll && (parser.parseOperand(world) ||
                   tile::parseTypesOf(parser, {world}, {&type}) ||
                   parser.resolveOperand(world, type, result.operands)))
    return failure();
  bool isDeferred = succeeded(parser.parseOptionalKeyword("deferred"));
  if (isDeferred &&
      (parser.parseOperand(deferred) ||
       parser.resolveOperand(
           deferred,
           DeferredType::get(parser.getContext(), cast<IntegerType>(
               result.operands[2].getType())),
           result.operands)))
    return failure();
  llvm::copy(ArrayRef<int32_t>{1, 1, 1, isForAll, isDeferred}, sizes.begin());
  return success();
}

void SignalOp::print(OpAsmPrinter &printer) {
  printFlag(printer, *this, getSet() ? "set" : "add");
  if (getWorld()) {
    printer << " on " << getWorld();
    tile::printTypesOf(printer, *this, {getWorld()});
  }
  if (getDeferred())
    printer << " deferred " << getDeferred();
}

/// world.signal C5
static LogicalResult verifyDeferred(SignalOp op) {
  if (op.getSet() || op.getWorld())
    return op.emitOpError(
        "is deferred and sets a flag, or is for all ranks; only what is added "
        "to one flag is sent later");
  if (op.getDeferred().getType().getElement() != op.getValue().getType())
    return op.emitOpError() << "expected room for a signal of "
                            << op.getValue().getType() << ", got "
                            << op.getDeferred().getType();
  for (Operation *user : op.getDeferred().getUsers())
    if (isa<SignalOp>(user) && user != op) {
      InFlightDiagnostic error = op.emitOpError(
          "expected room for one signal, but another one uses it");
      error.attachNote(user->getLoc()) << "the other one is here";
      return error;
    }
  SmallVector<Operation *> flushes = llvm::filter_to_vector(
      op.getDeferred().getUsers(), llvm::IsaPred<FlushOp>);
  auto isFlushed = [&](Operation *at, bool isAhead) {
    return llvm::any_of(flushes, [&](Operation *flush) {
      return flush->getBlock() == at->getBlock() &&
             flush->isBeforeInBlock(at) == isAhead;
    });
  };
  // What comes between the room and the signal, from the inside.
  Region *room = op.getDeferred().getParentRegion();
  bool isAhead = false;
  Operation *at = op;
  for (; at->getParentRegion() != room; at = at->getParentOp()) {
    isAhead |= isFlushed(at, true);
    if (isa<tile::WarpSpecializeOp>(at->getParentOp()))
      return op.emitOpError("expected room in the partition of the signal, "
                            "whose threads send it");
    if (!isa<LoopLikeOpInterface, tile::PersistentOp>(at->getParentOp()))
      continue;
    if (!isAhead)
      return op.emitOpError(
          "is deferred, but no 'world.flush' of its room stands in front of it "
          "in its loop, which sends that of the iteration before");
  }
  if (!isFlushed(at, false))
    return op.emitOpError("is deferred, but no 'world.flush' of its room "
                          "stands behind it, which sends the last one");
  return success();
}

LogicalResult SignalOp::verify() {
  if (failed(verifyFlag(*this)))
    return failure();
  // world.signal C3
  Type table = getTableType(getContext());
  if (getWorld() && !isa<RanksType>(getWorld().getType()) &&
      getWorld().getType() != table)
    return emitOpError() << "expected the world or the table of a rank, "
                         << table << ", got " << getWorld().getType();
  return getDeferred() ? verifyDeferred(*this) : success();
}

void SignalOp::getAccesses(SmallVectorImpl<tile::Access> &accesses) {
  accesses.push_back({tile::AccessKind::Atomic,
                      tile::getWholeRegion(getFlags()), &getFlagsMutable()});
}

void FlushOp::getAccesses(SmallVectorImpl<tile::Access> &accesses) {
  for (Operation *user : getDeferred().getUsers())
    if (auto signal = dyn_cast<SignalOp>(user))
      signal.getAccesses(accesses);
}

ParseResult WaitOp::parse(OpAsmParser &parser, OperationState &result) {
  FailureOr<StringRef> how = parseFlag(parser, result, {"ge", "eq"});
  if (failed(how))
    return failure();
  MLIRContext *context = parser.getContext();
  result.getOrAddProperties<Properties>().condition =
      SignalConditionAttr::get(context, *symbolizeSignalCondition(*how));
  result.addTypes(TokenType::get(context));
  Operand table;
  if (failed(parser.parseOptionalKeyword("report")))
    return success();
  return failure(
      parser.parseOperand(table) ||
      parser.resolveOperand(table, getTableType(context), result.operands));
}

void WaitOp::print(OpAsmPrinter &printer) {
  printFlag(printer, *this, stringifySignalCondition(getCondition()));
  if (getTable())
    printer << " report " << getTable();
}

LogicalResult WaitOp::verify() {
  if (failed(verifyFlag(*this)))
    return failure();
  // world.wait C4
  Type table = getTableType(getContext());
  if (getTable() && getTable().getType() != table)
    return emitOpError() << "expected the table of a rank, " << table
                         << ", got " << getTable().getType();
  // world.wait C3
  APInt value;
  if (getCondition() == SignalCondition::GE &&
      matchPattern(getValue(), m_ConstantInt(&value)) && value.slt(1))
    return emitOpError() << "expected a value of at least 1, which a flag has "
                            "only after a signal, got "
                         << value.getSExtValue();
  return success();
}

/// What it makes visible, other ranks have written.
void WaitOp::getAccesses(SmallVectorImpl<tile::Access> &accesses) {
  accesses.push_back({tile::AccessKind::Read, tile::getWholeRegion(getFlags()),
                      &getFlagsMutable()});
}

ParseResult world::BarrierOp::parse(OpAsmParser &parser,
                                    OperationState &result) {
  Operand world;
  Type type;
  if (parser.parseOperand(world) || tile::parseAttributes(parser, result) ||
      tile::parseTypesOf(parser, {world}, {&type}) ||
      parser.resolveOperand(world, type, result.operands))
    return failure();
  result.addTypes(TokenType::get(parser.getContext()));
  return success();
}

void world::BarrierOp::print(OpAsmPrinter &printer) {
  printQuery(printer, *this);
}

/// `%buffer after %token, …`.
ParseResult AcquireOp::parse(OpAsmParser &parser, OperationState &result) {
  Operand buffer;
  SmallVector<Operand> tokens;
  Type type;
  if (parser.parseOperand(buffer) || parser.parseKeyword("after") ||
      parser.parseOperandList(tokens) ||
      tile::parseAttributes(parser, result) ||
      tile::parseTypesOf(parser, {buffer}, {&type}) ||
      parser.resolveOperand(buffer, type, result.operands) ||
      parser.resolveOperands(tokens, TokenType::get(parser.getContext()),
                             result.operands))
    return failure();
  result.addTypes(getPlainType(type));
  return success();
}

void AcquireOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getBuffer() << " after " << getTokens();
  printer.printOptionalAttrDict((*this)->getAttrs());
  tile::printTypesOf(printer, *this, {getBuffer()});
}

LogicalResult AcquireOp::verify() {
  auto type = cast<MemRefType>(getBuffer().getType());
  // world.acquire C1
  if (!isReachable(type))
    return emitOpError() << "expected a buffer in #world.symmetric or "
                            "#world.peer memory, got "
                         << type;
  if (getPlain().getType() != getPlainType(type))
    return emitOpError() << "expected a result of type " << getPlainType(type)
                         << ", got " << getPlain().getType();
  // world.acquire C2
  if (getTokens().empty())
    return emitOpError("expected a token of 'world.wait' or 'world.barrier'");
  return success();
}
