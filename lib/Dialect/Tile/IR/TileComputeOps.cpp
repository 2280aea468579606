//===- TileComputeOps.cpp - matrix products, reductions, scans ------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AssemblyFormat.h"
#include "Offsets.h"
#include "ProductTypes.h"

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tile;

static void read(SmallVectorImpl<Access> &accesses, OpOperand &operand) {
  accesses.push_back(
      {AccessKind::Read, getWholeRegion(operand.get()), &operand});
}

static void write(SmallVectorImpl<Access> &accesses, OpOperand &operand) {
  accesses.push_back(
      {AccessKind::Write, getWholeRegion(operand.get()), &operand});
}

static MemRefType typeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

/// Tiles may depend on parameters that have no values yet.
static LogicalResult verifyStatic(Operation *op, ValueRange buffers) {
  for (Value buffer : buffers)
    if (!typeOf(buffer).hasStaticShape() && !isUnbound(typeOf(buffer)))
      return op->emitOpError() << "expected buffers of static shape, got "
                               << buffer.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// GemmOp
//===----------------------------------------------------------------------===//

static int64_t extent(Value matrix, unsigned dim, bool transposed) {
  return typeOf(matrix).getDimSize(transposed ? 1 - dim : dim);
}

int64_t GemmOp::getM() { return typeOf(getC()).getDimSize(0); }
int64_t GemmOp::getN() { return typeOf(getC()).getDimSize(1); }
int64_t GemmOp::getK() { return extent(getA(), 1, getTransposeA()); }

static bool isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type, Float8E4M3FNUZType,
             Float8E5M2FNUZType>(type);
}

SmallVector<Type> mlir::tile::getAccumulatorTypes(Type a, Type b) {
  Builder builder(a.getContext());
  if (isFloat8(a) && isFloat8(b))
    return {builder.getF32Type(), builder.getF16Type()};
  if (a != b)
    return {};
  if (a.isF16())
    return {builder.getF32Type(), a};
  if (a.isBF16())
    return {builder.getF32Type(), a};
  if (a.isF32() || a.isF64())
    return {a};
  if (a.isSignlessInteger(8) || a.isSignlessInteger(4))
    return {builder.getI32Type()};
  return {};
}

/// tile.gemm C3, C4
static LogicalResult verifyElementTypes(GemmOp op) {
  return verifyProductTypes(
      op,
      getAccumulatorTypes(typeOf(op.getA()).getElementType(),
                          typeOf(op.getB()).getElementType()),
      "f16, bf16, f32, f64, i8 or i4 twice, or two f8 types");
}

/// tile.gemm C2
static LogicalResult verifyExtents(GemmOp op) {
  struct {
    const char *name;
    Value left, right;
    const char *leftName, *rightName;
    int64_t leftExtent, rightExtent;
  } checks[] = {
      {"K", op.getA(), op.getB(), "a", "b", op.getK(),
       extent(op.getB(), 0, op.getTransposeB())},
      {"M", op.getA(), op.getC(), "a", "c",
       extent(op.getA(), 0, op.getTransposeA()), op.getM()},
      {"N", op.getB(), op.getC(), "b", "c",
       extent(op.getB(), 1, op.getTransposeB()), op.getN()}};
  for (const auto &check : checks)
    if (!mayBeEqual(check.leftExtent, check.rightExtent))
      return op.emitOpError()
             << "expected " << check.name << " to agree: " << check.leftExtent
             << " in '" << check.leftName << "' ("
             << formatShape(typeOf(check.left).getShape()) << "), "
             << check.rightExtent << " in '" << check.rightName << "' ("
             << formatShape(typeOf(check.right).getShape()) << ")";
  return success();
}

/// `name(keyword)`, where it is present.
template <typename AttrT>
static ParseResult parseKeywordClause(OpAsmParser &parser, StringRef name,
                                      AttrT &attr) {
  if (failed(parser.parseOptionalKeyword(name)))
    return success();
  return failure(parser.parseLParen() || parseKeyword(parser, attr) ||
                 parser.parseRParen());
}

ParseResult GemmOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &props = result.getOrAddProperties<Properties>();
  SmallVector<Operand> tiles(3);
  SmallVector<Type> types(3);
  SmallVector<Value> condition;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperand(tiles[0]) || parser.parseComma() ||
      parser.parseOperand(tiles[1]) || parser.parseComma() ||
      parser.parseOperand(tiles[2]))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("clear_if"))) {
    ValueText text;
    if (parser.parseLParen() || parseValue(parser, text) ||
        resolveValue(parser, text, parser.getBuilder().getI1Type(), tiles,
                     condition) ||
        parser.parseRParen())
      return failure();
  }
  if (parseKeywordClause(parser, "policy", props.policy) ||
      parseKeywordClause(parser, "precision", props.precision) ||
      parseKeywordClause(parser, "prefer", props.prefer) ||
      parseAttributes(parser, result) ||
      parseTypesOf(parser, tiles, {&types[0], &types[1], &types[2]}) ||
      parser.resolveOperands(tiles, types, loc, result.operands))
    return failure();
  result.addOperands(condition);
  return success();
}

void GemmOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getA() << ", " << getB() << ", " << getC();
  if (Value condition = getClearIf())
    printer << " clear_if(" << condition << ")";
  if (getPolicy() != WarpPolicy::Square)
    printer << " policy(" << stringifyEnum(getPolicy()) << ")";
  if (getPrecision() != Precision::IEEE)
    printer << " precision(" << stringifyEnum(getPrecision()) << ")";
  if (std::optional<Instruction> prefer = getPrefer())
    printer << " prefer(" << stringifyEnum(*prefer) << ")";
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"policy", "precision", "prefer"});
  printTypesOf(printer, *this, {getA(), getB(), getC()});
}

LogicalResult GemmOp::verify() {
  // tile.gemm C1
  for (Value buffer : {getA(), getB(), getC()})
    if (typeOf(buffer).getRank() != 2)
      return emitOpError() << "expected buffers of 2 dimensions, got "
                           << buffer.getType();
  if (failed(verifyStatic(*this, {getA(), getB(), getC()})) ||
      failed(verifyExtents(*this)) || failed(verifyElementTypes(*this)))
    return failure();
  // tile.gemm C5
  for (auto [buffer, name] :
       {std::pair(getA(), "a"), {getB(), "b"}, {getC(), "c"}})
    if (getMemorySpace(buffer) == MemorySpace::Global)
      return emitOpError()
             << "expected tiles, got '" << name
             << "' in global memory; copy it to shared memory or a fragment "
                "first";
  if (getC() == getA() || getC() == getB())
    return emitOpError("expected 'c' to be another buffer than 'a' and 'b'");
  // tile.gemm C6
  if (getClear() && getClearIf())
    return emitOpError("expected not both 'clear' and 'clear_if'");
  if (std::optional<Instruction> prefer = getPrefer())
    if (!isGemmInstruction(*prefer))
      return emitOpError()
             << "expected 'prefer' to name a gemm instruction (fma, mma, "
                "wgmma, tcgen05, mfma, wmma, cube), got '"
             << stringifyInstruction(*prefer) << "'";
  // tile.gemm C7
  if (getAsync()) {
    MmaAttr choice = getInstructionAttr();
    Type c = typeOf(getC()).getElementType();
    if (!choice || !choice.isAsynchronous() ||
        !(c.isF32() || c.isInteger(32)))
      return emitOpError("expected 'async' to come with a wgmma instruction "
                         "and an accumulator of its type");
  }
  return success();
}

void GemmOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  read(accesses, getAMutable());
  read(accesses, getBMutable());
  if (!getClear()) {
    read(accesses, getCMutable());
    accesses.back().isOptional = bool(getClearIf());
  }
  write(accesses, getCMutable());
}

LogicalResult GemmOp::canonicalize(GemmOp op, PatternRewriter &rewriter) {
  APInt value;
  if (!op.getClearIf() ||
      !matchPattern(op.getClearIf(), m_ConstantInt(&value)))
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    op.getClearIfMutable().clear();
    op.setClear(value.isOne());
  });
  return success();
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyDim(Operation *op, int64_t dim, Value source) {
  int64_t rank = typeOf(source).getRank();
  if (dim < 0)
    return op->emitOpError() << "expected 'dim' not to be negative, got "
                             << dim;
  if (dim < rank)
    return success();
  return op->emitOpError() << "expected 'dim' below the rank " << rank
                           << " of the source, got " << dim;
}

/// tile.reduce C2
static LogicalResult verifyReducedShape(ReduceOp op) {
  ArrayRef<int64_t> shape = typeOf(op.getSource()).getShape();
  ArrayRef<int64_t> target = typeOf(op.getTarget()).getShape();
  SmallVector<int64_t> kept(shape), dropped(shape);
  kept[op.getDim()] = 1;
  dropped.erase(dropped.begin() + op.getDim());
  if (mayBeEqual(target, kept) || mayBeEqual(target, dropped))
    return success();
  return op.emitOpError() << "expected the target to be "
                          << formatShape(dropped) << " ("
                          << formatShape(shape) << " without dimension "
                          << op.getDim() << "), got " << formatShape(target);
}

/// tile.reduce C3, C4
static LogicalResult verifyReducedType(ReduceOp op) {
  Type from = typeOf(op.getSource()).getElementType();
  Type to = typeOf(op.getTarget()).getElementType();
  ReduceKind kind = op.getKind();
  StringRef name = stringifyReduceKind(kind);
  if (!from.isSignlessIntOrFloat())
    return op.emitOpError() << "expected floats or signless integers, got "
                            << from;
  bool sums = kind == ReduceKind::Sum || kind == ReduceKind::AbsSum;
  bool widens = sums && isa<FloatType>(from) && to.isF32() &&
                from.getIntOrFloatBitWidth() < 32;
  if (from != to && !widens)
    return op.emitOpError() << "expected element type " << from
                            << " as in the source, got " << to;
  bool logical = kind == ReduceKind::And || kind == ReduceKind::Or ||
                 kind == ReduceKind::Xor;
  if (logical && !isa<IntegerType>(from))
    return op.emitOpError() << "'" << name << "' needs integers, got " << from;
  if (op.getPropagateNan() && (sums || logical || !isa<FloatType>(from)))
    return op.emitOpError() << "'propagate_nan' goes with max, min and absmax "
                               "of floats, got '"
                            << name << "' of " << from;
  if (op.getIsUnsigned() && !isa<IntegerType>(from))
    return op.emitOpError() << "'is_unsigned' needs integers, got " << from;
  return success();
}

LogicalResult ReduceOp::verify() {
  // tile.reduce C1
  if (failed(verifyDim(*this, getDim(), getSource())) ||
      failed(verifyStatic(*this, {getSource(), getTarget()})) ||
      failed(verifyReducedShape(*this)) || failed(verifyReducedType(*this)))
    return failure();
  // tile.reduce C5
  if (getSource() == getTarget())
    return emitOpError("expected source and target to be different buffers");
  return success();
}

void ReduceOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  read(accesses, getSourceMutable());
  if (getCombine())
    read(accesses, getTargetMutable());
  write(accesses, getTargetMutable());
}

//===----------------------------------------------------------------------===//
// ScanOp
//===----------------------------------------------------------------------===//

LogicalResult ScanOp::verify() {
  MemRefType source = typeOf(getSource()), target = typeOf(getTarget());
  // tile.scan C1
  if (failed(verifyDim(*this, getDim(), getSource())) ||
      failed(verifyStatic(*this, {getSource(), getTarget()})))
    return failure();
  // tile.scan C2
  if (!mayBeEqual(source.getShape(), target.getShape()))
    return emitOpError() << "expected the target to be "
                         << formatShape(source.getShape())
                         << " like the source, got "
                         << formatShape(target.getShape());
  if (!source.getElementType().isSignlessIntOrFloat())
    return emitOpError() << "expected floats or signless integers, got "
                         << source.getElementType();
  if (source.getElementType() != target.getElementType())
    return emitOpError() << "expected element type " << source.getElementType()
                         << " as in the source, got "
                         << target.getElementType();
  // tile.scan C3
  if (getIsUnsigned() && !isa<IntegerType>(source.getElementType()))
    return emitOpError() << "'is_unsigned' needs integers, got "
                         << source.getElementType();
  return success();
}

void ScanOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  read(accesses, getSourceMutable());
  write(accesses, getTargetMutable());
}

//===----------------------------------------------------------------------===//
// TopKOp
//===----------------------------------------------------------------------===//

ParseResult TopKOp::parse(OpAsmParser &parser, OperationState &result) {
  Operand source, values, indices;
  if (parser.parseOperand(source) || parser.parseComma() ||
      parser.parseOperand(values) || parser.parseComma() ||
      parser.parseOperand(indices))
    return failure();
  return parseBaseAndTypes(parser, {source, values, indices}, result);
}

void TopKOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getSource() << ", " << getValues() << ", " << getIndices();
  if (getBase())
    printer << " base(" << getBase() << ")";
  printer.printOptionalAttrDict((*this)->getAttrs());
  printTypesOf(printer, *this, {getSource(), getValues(), getIndices()});
}

int64_t TopKOp::getCount() { return typeOf(getValues()).getShape().back(); }
int64_t TopKOp::getRowLength() { return typeOf(getSource()).getShape().back(); }

/// tile.topk C1, C2
static LogicalResult verifyShapes(TopKOp op) {
  MemRefType source = typeOf(op.getSource()), values = typeOf(op.getValues()),
             indices = typeOf(op.getIndices());
  if (failed(verifyStatic(op, {op.getSource(), op.getValues(),
                               op.getIndices()})))
    return failure();
  if (source.getRank() == 0 || values.getRank() != source.getRank() ||
      !mayBeEqual(values.getShape().drop_back(),
                  source.getShape().drop_back()))
    return op.emitOpError()
           << "expected the extents of 'values' to be those of the source ("
           << formatShape(source.getShape()) << ") up to the last one, got "
           << formatShape(values.getShape());
  if (!mayBeEqual(indices.getShape(), values.getShape()))
    return op.emitOpError() << "expected 'indices' to be "
                            << formatShape(values.getShape())
                            << " like 'values', got "
                            << formatShape(indices.getShape());
  if (llvm::is_contained(source.getShape(), 0) ||
      llvm::is_contained(values.getShape(), 0))
    return op.emitOpError() << "expected rows of one element or more, got "
                            << formatShape(source.getShape()) << " and "
                            << formatShape(values.getShape());
  if (!op.getCombine() && !ShapedType::isDynamic(op.getRowLength()) &&
      op.getCount() > op.getRowLength())
    return op.emitOpError() << "expected at most the " << op.getRowLength()
                            << " elements of a row, got " << op.getCount();
  return success();
}

LogicalResult TopKOp::verify() {
  if (failed(verifyShapes(*this)))
    return failure();
  // tile.topk C3
  Type element = typeOf(getSource()).getElementType();
  if (!element.isF32() && !element.isF16() && !element.isBF16())
    return emitOpError() << "expected elements of f32, f16 or bf16, got "
                         << element;
  Type value = typeOf(getValues()).getElementType();
  if (value != element)
    return emitOpError() << "expected element type " << element
                         << " as in the source, got " << value;
  Type index = typeOf(getIndices()).getElementType();
  if (!index.isSignlessInteger(32))
    return emitOpError() << "expected 'indices' of i32, got " << index;
  // tile.topk C4
  for (auto [name, buffer] : {std::pair("source", getSource()),
                              std::pair("values", getValues()),
                              std::pair("indices", getIndices())})
    if (getMemorySpace(buffer) == MemorySpace::Global)
      return emitOpError() << "expected a tile, got '" << name
                           << "' in global memory; copy it to shared memory "
                              "or a fragment first";
  if (getSource() == getValues())
    return emitOpError("expected source and values to be different buffers");
  return success();
}

void TopKOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  read(accesses, getSourceMutable());
  if (getCombine()) {
    read(accesses, getValuesMutable());
    read(accesses, getIndicesMutable());
  }
  write(accesses, getValuesMutable());
  write(accesses, getIndicesMutable());
}

//===----------------------------------------------------------------------===//
// AnyOfOp and AllOfOp
//===----------------------------------------------------------------------===//

/// tile.any_of C1
/// tile.all_of C1
static LogicalResult verifyVote(Operation *op, Value source) {
  if (failed(verifyStatic(op, source)))
    return failure();
  if (!typeOf(source).getElementType().isSignlessInteger())
    return op->emitOpError() << "expected integer elements, got "
                             << typeOf(source).getElementType();
  if (getMemorySpace(source) == MemorySpace::Global)
    return op->emitOpError("expected a tile, got a buffer in global memory; "
                           "copy it to shared memory or a fragment first");
  return success();
}

LogicalResult AnyOfOp::verify() { return verifyVote(*this, getSource()); }
LogicalResult AllOfOp::verify() { return verifyVote(*this, getSource()); }

void AnyOfOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  read(accesses, getSourceMutable());
}

void AllOfOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  read(accesses, getSourceMutable());
}

//===----------------------------------------------------------------------===//
// AtomicOp
//===----------------------------------------------------------------------===//

/// `: value, buffer -> old`, or nothing: types then are those of what is
/// defined further up, and of the elements.
static ParseResult parseAtomicTypes(OpAsmParser &parser, const ValueText &value,
                                    const Operand &target, Type &valueType,
                                    Type &targetType, OperationState &result) {
  Type old;
  if (succeeded(parser.parseOptionalColon())) {
    if (parser.parseType(valueType) || parser.parseComma() ||
        parser.parseType(targetType))
      return failure();
    if (succeeded(parser.parseOptionalArrow())) {
      if (parser.parseType(old))
        return failure();
      result.addTypes(old);
    }
    return success();
  }
  FailureOr<Definition> definition = lookupDefinition(parser, target);
  if (failed(definition))
    return failure();
  targetType = definition->value.getType();
  auto memref = dyn_cast<MemRefType>(targetType);
  if (!memref)
    return parser.emitError(target.location)
           << "expected a buffer, got a value of " << targetType;
  valueType = memref.getElementType();
  if (parser.getNumResults() == 1)
    result.addTypes(valueType);
  if (value.expression)
    return success();
  // It may be a tile.
  FailureOr<Definition> named = lookupDefinition(parser, value.name);
  if (failed(named))
    return failure();
  valueType = named->value.getType();
  return success();
}

ParseResult AtomicOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &props = result.getOrAddProperties<Properties>();
  ValueText value;
  RegionText target;
  Type valueType, targetType;
  if (parseKeyword(parser, props.kind) || parseValue(parser, value) ||
      parser.parseComma() || parseRegion(parser, target) ||
      parseAttributes(parser, result) ||
      parseAtomicTypes(parser, value, target.buffer, valueType, targetType,
                       result) ||
      resolveValue(parser, value, valueType, {target.buffer},
                   result.operands) ||
      resolveRegion(parser, target, targetType, result))
    return failure();
  props.targetMap = target.map;
  props.targetSizes = target.sizes;
  return success();
}

void AtomicOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyEnum(getKind()) << ' ' << getValue() << ", ";
  printRegion(printer, getTarget(), getTargetIndices(), getTargetMapAttr(),
              getTargetSizesAttr());
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"kind", "targetMap", "targetSizes"});
  // The type of a result that goes without the others is that of the elements.
  if (typesFollow(*this, {getValue(), getTarget()}))
    return;
  printer << " : " << getValue().getType() << ", " << getTarget().getType();
  if (getOld())
    printer << " -> " << getOld().getType();
}

BufferRegion AtomicOp::getTargetRegion() {
  BufferRegion region = getWholeRegion(getTarget());
  if (!getTargetMap() && !isTileForm())
    return region;
  if (getTargetMap())
    region.map = *getTargetMap();
  region.operands = llvm::to_vector(getTargetIndices());
  region.sizes.assign(region.getType().getRank(), 1);
  if (std::optional<ArrayRef<int64_t>> sizes = getTargetSizes())
    region.sizes.assign(sizes->begin(), sizes->end());
  else if (isTileForm())
    llvm::copy(llvm::reverse(typeOf(getValue()).getShape()),
               region.sizes.rbegin());
  return region;
}

/// tile.atomic C4
static LogicalResult verifyTileForm(AtomicOp op) {
  MemRefType tile = typeOf(op.getValue()), target = typeOf(op.getTarget());
  if (failed(verifyStatic(op, op.getValue())))
    return failure();
  if (tile.getRank() > target.getRank())
    return op.emitOpError() << "expected a tile of at most "
                            << target.getRank() << " dimensions for " << target
                            << ", got " << formatShape(tile.getShape());
  if (!op.getTargetMap() && !mayBeEqual(tile.getShape(), target.getShape()))
    return op.emitOpError() << "expected offsets for a tile of "
                            << formatShape(tile.getShape()) << " in " << target;
  if (std::optional<ArrayRef<int64_t>> sizes = op.getTargetSizes())
    if (sizes->size() != static_cast<size_t>(target.getRank()))
      return op.emitOpError() << "expected " << target.getRank()
                              << " sizes for " << target << ", got "
                              << sizes->size();
  BufferRegion region = op.getTargetRegion();
  if (!isUnbound(tile) &&
      region.getMatchedSizes() !=
      getWholeRegion(op.getValue()).getMatchedSizes())
    return op.emitOpError() << "expected a region of "
                            << formatShape(tile.getShape()) << ", got "
                            << formatShape(region.sizes);
  // tile.atomic C5
  if (op.getOld())
    return op.emitOpError("the tile form cannot return the old value");
  return verifyCollective(op);
}

LogicalResult AtomicOp::verify() {
  MemRefType target = typeOf(getTarget());
  Type element = target.getElementType();
  // tile.atomic C1
  if (getTargetMap() ? getTargetMap()->getNumResults() != target.getRank()
                     : (!isTileForm() && target.getRank() != 0))
    return emitOpError() << "expected " << target.getRank() << " offset"
                         << (target.getRank() == 1 ? "" : "s") << " for "
                         << target << ", got "
                         << (getTargetMap() ? getTargetMap()->getNumResults()
                                            : 0);
  if (getTargetMap() &&
      getTargetMap()->getNumInputs() != getTargetIndices().size())
    return emitOpError() << "expected " << getTargetMap()->getNumInputs()
                         << " index operands, got "
                         << getTargetIndices().size();
  if (failed(verifyOffsetMap(*this, getTargetMap().value_or(AffineMap()))))
    return failure();
  // tile.atomic C2
  Type value = isTileForm() ? typeOf(getValue()).getElementType()
                            : getValue().getType();
  if (value != element)
    return emitOpError() << "expected a value of " << element
                         << " as in the target, got " << value;
  if (!element.isF16() && !element.isBF16() && !element.isF32() &&
      !element.isF64() && !element.isSignlessInteger(32) &&
      !element.isSignlessInteger(64))
    return emitOpError()
           << "expected f16, bf16, f32, f64, i32 or i64, got " << element;
  // tile.atomic C3
  if (getKind() == AtomicKind::Or && !isa<IntegerType>(element))
    return emitOpError() << "'or' needs integers, got " << element;
  if (getIsUnsigned() && !isa<IntegerType>(element))
    return emitOpError() << "'is_unsigned' needs integers, got " << element;
  // tile.atomic C4
  MemorySpace space = getMemorySpace(target);
  bool isOfCore = space == MemorySpace::UB && !isTileForm();
  if (space != MemorySpace::Global && space != MemorySpace::Shared && !isOfCore)
    return emitOpError()
           << "expected a target in global or shared memory, got '"
           << stringifyMemorySpace(space) << "'";
  // tile.atomic C6
  if (getInstruction() &&
      (space != MemorySpace::Global || !isTileForm() ||
       getMemorySpace(getValue()) != MemorySpace::Shared))
    return emitOpError("expected a tile in shared memory and a target in "
                       "global memory for 'instruction'");
  if (getOld() && getOld().getType() != element)
    return emitOpError() << "expected a result of " << element << ", got "
                         << getOld().getType();
  if (isTileForm())
    return verifyTileForm(*this);
  if (getTargetSizes())
    return emitOpError("expected no sizes for the update of one element");
  return success();
}

void AtomicOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  if (isTileForm())
    read(accesses, getValueMutable());
  accesses.push_back(
      {AccessKind::Atomic, getTargetRegion(), &getTargetMutable()});
}
