//===- TileMemoryOps.cpp - buffers and data movement ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AssemblyFormat.h"
#include "Offsets.h"
#include "Signal.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

static bool isNumber(Type type) { return type.isSignlessIntOrFloat(); }

static LogicalResult verifyStatic(Operation *op, MemRefType type) {
  if (type.hasStaticShape())
    return success();
  return op->emitOpError() << "expected a buffer of static shape, got " << type;
}

static LogicalResult verifyStaticOrUnbound(Operation *op, MemRefType type) {
  return isUnbound(type) ? success() : verifyStatic(op, type);
}

/// The bits of a static buffer without padding; nothing if an int64_t cannot hold them. What is not an integer or a float
/// counts as 64 bits.
static std::optional<int64_t> getNumBits(MemRefType type) {
  int64_t bits = getElementBits(type);
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  for (int64_t extent : type.getShape())
    if (llvm::MulOverflow(bits, extent, bits))
      return std::nullopt;
  return bits;
}

static LogicalResult verifySize(Operation *op, MemRefType type) {
  if (getNumBits(type))
    return success();
  return op->emitOpError() << "expected a buffer of less than 2^63 bits, got "
                           << type;
}

//===----------------------------------------------------------------------===//
// AllocOp
//===----------------------------------------------------------------------===//

ParseResult AllocOp::parse(OpAsmParser &parser, OperationState &result) {
  MemRefType type;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::OptionalParen,
          [&] { return parseIndex(parser, {}, result.operands); }) ||
      parseAttributes(parser, result) || parser.parseColonType(type))
    return failure();
  result.addTypes(type);
  return success();
}

void AllocOp::print(OpAsmPrinter &printer) {
  if (!getExtents().empty())
    printer << "(" << getExtents() << ")";
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getBuffer().getType();
}

LogicalResult AllocOp::verify() {
  auto type = cast<MemRefType>(getBuffer().getType());
  MemorySpace space = getMemorySpace(type);
  // tile.alloc C1
  int64_t numUnbound = type.getNumDynamicDims(), given = getExtents().size();
  if (numUnbound != given)
    return emitOpError() << "expected " << numUnbound << " extent"
                         << (numUnbound == 1 ? "" : "s") << " for " << type
                         << ", got " << given
                         << (space == MemorySpace::Global
                                 ? ""
                                 : "; an extent that is not a constant is "
                                   "computed from a 'tile.param'");
  if (llvm::is_contained(type.getShape(), 0))
    return emitOpError() << "expected positive extents, got "
                         << formatShape(type.getShape());
  // tile.alloc C2
  if (!type.getLayout().isIdentity())
    return emitOpError() << "expected the identity layout, got " << type
                         << "; use 'tile.annotate_layout' for a layout";
  if (!isNumber(type.getElementType()) && !type.getElementType().isIndex())
    return emitOpError()
           << "expected floats, signless integers or indices, got "
           << type.getElementType();
  if (type.hasStaticShape() && failed(verifySize(*this, type)))
    return failure();
  // tile.alloc C3
  bool inKernel = (*this)->getParentOfType<KernelOp>() != nullptr;
  bool isGlobal = space == MemorySpace::Global;
  // A private function may be one that kernels call.
  auto function = (*this)->getParentOfType<FunctionOpInterface>();
  bool mayBeInlined = function && !isGlobal && function.isPrivate();
  if (inKernel == isGlobal && !mayBeInlined)
    return emitOpError() << "expected a buffer in "
                         << (inKernel ? "global memory"
                                      : "'" + stringifyMemorySpace(space).str() +
                                            "' memory")
                         << " to be allocated "
                         << (inKernel ? "outside" : "inside")
                         << " of 'tile.kernel'";
  if (!function)
    return emitOpError("expected a function around the buffer, which lives as "
                       "long as a call of it");
  // tile.alloc C4
  if (space == MemorySpace::Tmem && type.getRank() != 2)
    return emitOpError() << "expected a buffer in 'tmem' memory to have 2 "
                            "dimensions, got "
                         << type.getRank();
  // tile.alloc C6
  if (std::optional<uint64_t> offset = getOffset();
      offset && (space != MemorySpace::Shared || int64_t(*offset) < 0))
    return emitOpError() << "expected 'offset' to go with shared memory and "
                            "not to be negative, got "
                         << int64_t(*offset) << " in '"
                         << stringifyMemorySpace(space) << "' memory";
  // tile.alloc C5
  // tile.alloc C7
  return verifyLayout(*this, getLayoutAttr(), type.getShape(),
                      space == MemorySpace::Fragment);
}

//===----------------------------------------------------------------------===//
// CopyOp
//===----------------------------------------------------------------------===//

ParseResult CopyOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &props = result.getOrAddProperties<Properties>();
  RegionText source, target;
  std::optional<Operand> signal;
  Type sourceType, targetType, signalType;
  if (parseRegion(parser, source) || parser.parseComma() ||
      parseRegion(parser, target))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("prefer")) &&
      (parser.parseLParen() || parseKeyword(parser, props.prefer) ||
       parser.parseRParen()))
    return failure();
  if (parseSignal(parser, signal, signalType) ||
      parseAttributes(parser, result) ||
      parseTypesOf(parser, {source.buffer, target.buffer},
                   {&sourceType, &targetType}) ||
      resolveRegion(parser, source, sourceType, result) ||
      resolveRegion(parser, target, targetType, result) ||
      (signal && parser.resolveOperand(*signal, signalType, result.operands)))
    return failure();
  props.sourceMap = source.map;
  props.sourceSizes = source.sizes;
  props.targetMap = target.map;
  props.targetSizes = target.sizes;
  props.operandSegmentSizes = {1, int32_t(source.indices.size()), 1,
                               int32_t(target.indices.size()),
                               int32_t(signal.has_value())};
  return success();
}

void CopyOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printRegion(printer, getSource(), getSourceIndices(), getSourceMapAttr(),
              getSourceSizesAttr());
  printer << ", ";
  printRegion(printer, getTarget(), getTargetIndices(), getTargetMapAttr(),
              getTargetSizesAttr());
  if (getPreferAttr())
    printer << " prefer(" << stringifyEnum(*getPrefer()) << ")";
  printSignal(printer, getSignal());
  printer.printOptionalAttrDict(
      (*this)->getAttrs(), {"operandSegmentSizes", "sourceMap", "sourceSizes",
                            "targetMap", "targetSizes", "prefer"});
  printTypesOf(printer, *this, {getSource(), getTarget()});
}

namespace {
/// One side of a copy as it is written.
struct Side {
  StringRef name;
  Value buffer;
  AffineMapAttr map;
  ValueRange operands;
  DenseI64ArrayAttr sizes;

  MemRefType getType() const { return cast<MemRefType>(buffer.getType()); }
  /// Whether the text alone says how large the region is.
  bool givesSizes() const {
    return sizes ||
           (!map && (getType().hasStaticShape() || isUnbound(getType())));
  }
  ArrayRef<int64_t> getSizes() const {
    return sizes ? sizes.asArrayRef() : getType().getShape();
  }
};
} // namespace

static Side sourceSide(CopyOp op) {
  return {"source", op.getSource(), op.getSourceMapAttr(),
          op.getSourceIndices(), op.getSourceSizesAttr()};
}

static Side targetSide(CopyOp op) {
  return {"target", op.getTarget(), op.getTargetMapAttr(),
          op.getTargetIndices(), op.getTargetSizesAttr()};
}

/// `sizes` with unit extents added or removed in front until there are `rank`; nothing if other extents would go.
static std::optional<SmallVector<int64_t>> alignRight(ArrayRef<int64_t> sizes,
                                                      unsigned rank) {
  while (sizes.size() > rank && sizes.front() == 1)
    sizes = sizes.drop_front();
  if (sizes.size() > rank)
    return std::nullopt;
  SmallVector<int64_t> aligned(rank - sizes.size(), 1);
  aligned.append(sizes.begin(), sizes.end());
  return aligned;
}

static BufferRegion makeRegion(const Side &side, const Side &other) {
  BufferRegion region;
  region.buffer = side.buffer;
  if (side.map)
    region.map = side.map.getValue();
  region.operands = llvm::to_vector(side.operands);
  unsigned rank = side.getType().getRank();
  if (side.givesSizes())
    region.sizes = llvm::to_vector(side.getSizes());
  else if (auto aligned = alignRight(other.getSizes(), rank))
    region.sizes = *aligned;
  return region;
}

BufferRegion CopyOp::getSourceRegion() {
  return makeRegion(sourceSide(*this), targetSide(*this));
}

BufferRegion CopyOp::getTargetRegion() {
  return makeRegion(targetSide(*this), sourceSide(*this));
}

static LogicalResult verifySide(Operation *op, const Side &side) {
  MemRefType type = side.getType();
  int64_t rank = type.getRank();
  // tile.copy C1
  if (side.map && side.map.getValue().getNumResults() != rank)
    return op->emitOpError()
           << "expected " << rank << " offset" << (rank == 1 ? "" : "s")
           << " for " << type << ", got "
           << side.map.getValue().getNumResults();
  if (side.map && side.map.getValue().getNumInputs() != side.operands.size())
    return op->emitOpError()
           << "expected " << side.map.getValue().getNumInputs()
           << " index operands for the " << side.name << ", got "
           << side.operands.size();
  if (side.map && failed(verifyOffsetMap(op, side.map.getValue())))
    return failure();
  if (side.sizes && side.sizes.size() != rank)
    return op->emitOpError() << "expected " << rank << " sizes for " << type
                             << ", got " << side.sizes.size();
  if (side.sizes)
    for (int64_t size : side.sizes.asArrayRef())
      if (size < 1)
        return op->emitOpError() << "expected positive sizes, got " << size;
  // tile.copy C5
  if (!isNumber(type.getElementType()))
    return op->emitOpError() << "expected floats or signless integers, got "
                             << type.getElementType() << " in the "
                             << side.name;
  return success();
}

static std::optional<int64_t> getConstantOffset(const BufferRegion &region,
                                                unsigned dim) {
  if (!region.map)
    return 0;
  if (auto c = dyn_cast<AffineConstantExpr>(region.map.getResult(dim)))
    return c.getValue();
  return std::nullopt;
}

/// The first dimension in which a tile's region is known to leave the tile.
static std::optional<unsigned> findOutsideDim(const BufferRegion &region) {
  if (getMemorySpace(region.buffer) == MemorySpace::Global)
    return std::nullopt;
  ArrayRef<int64_t> shape = region.getType().getShape();
  for (auto [dim, size] : llvm::enumerate(region.sizes)) {
    std::optional<int64_t> offset = getConstantOffset(region, dim);
    if (!offset)
      continue;
    // Written so that nothing overflows: sizes are not negative.
    bool fits = ShapedType::isDynamic(shape[dim]) || *offset < 0 ||
                (size <= shape[dim] && *offset <= shape[dim] - size);
    if (*offset < 0 || !fits)
      return dim;
  }
  return std::nullopt;
}

/// tile.copy C4
static LogicalResult verifyInside(Operation *op, StringRef name,
                                  const BufferRegion &region) {
  std::optional<unsigned> dim = findOutsideDim(region);
  if (!dim)
    return success();
  int64_t offset = *getConstantOffset(region, *dim);
  InFlightDiagnostic diag = op->emitOpError() << "region exceeds dimension "
                                              << *dim << " of the " << name
                                              << " (offset " << offset;
  if (offset < 0)
    diag << " < 0)";
  else
    diag << " + size " << region.sizes[*dim] << " > "
         << region.getType().getDimSize(*dim) << ")";
  return diag;
}

/// Whether both regions have constant bounds that are known to be disjoint.
static bool areDisjoint(const BufferRegion &a, const BufferRegion &b) {
  // Whether `size` elements from `x` on end before `y`; unsigned differences cannot overflow.
  auto ends = [](int64_t x, int64_t size, int64_t y) {
    return y >= x && static_cast<uint64_t>(y) - static_cast<uint64_t>(x) >=
                         static_cast<uint64_t>(size);
  };
  for (unsigned dim = 0, e = a.sizes.size(); dim < e; ++dim) {
    std::optional<int64_t> x = getConstantOffset(a, dim);
    std::optional<int64_t> y = getConstantOffset(b, dim);
    if (x && y && (ends(*x, a.sizes[dim], *y) || ends(*y, b.sizes[dim], *x)))
      return true;
  }
  return false;
}

static bool isConstantRegion(const BufferRegion &region) {
  return !region.map || region.map.isConstant();
}

/// Whether two regions of one buffer are known to share elements.
static bool overlap(const BufferRegion &a, const BufferRegion &b) {
  return a.buffer == b.buffer && isConstantRegion(a) && isConstantRegion(b) &&
         !isUnbound(a.getType()) && !areDisjoint(a, b);
}

static LogicalResult verifyHints(CopyOp op) {
  // tile.copy C7
  InstructionAttr prefer = op.getPreferAttr();
  if (prefer && isGemmInstruction(prefer.getValue()))
    return op.emitOpError()
           << "expected 'prefer' to name a copy instruction (sync, cp_async, "
              "bulk, tma, ldmatrix), got '"
           << stringifyInstruction(prefer.getValue()) << "'";
  if (std::optional<int64_t> width = op.getCoalescedWidth())
    if (*width < 1 || (*width & (*width - 1)) != 0)
      return op.emitOpError()
             << "expected 'coalesced_width' to be a positive power of two, got "
             << *width;
  return success();
}

LogicalResult CopyOp::verify() {
  Side source = sourceSide(*this), target = targetSide(*this);
  if (failed(verifySide(*this, source)) || failed(verifySide(*this, target)))
    return failure();
  // tile.copy C2
  if (!source.givesSizes() && !target.givesSizes())
    return emitOpError("cannot tell the size of the copy: give sizes to one of "
                       "the regions");
  BufferRegion from = getSourceRegion(), to = getTargetRegion();
  // tile.copy C3
  for (auto [region, side, other] :
       {std::tuple(&from, &source, &target), {&to, &target, &source}})
    if (region->sizes.empty() && side->getType().getRank() != 0)
      return emitOpError() << "expected the " << side->name
                           << " to have room for " << formatShape(other->getSizes())
                           << ", got " << side->getType();
  bool areKnown = !ShapedType::isDynamicShape(from.sizes) &&
                  !ShapedType::isDynamicShape(to.sizes);
  if (areKnown && from.getMatchedSizes() != to.getMatchedSizes())
    return emitOpError() << "expected regions of equal size, got "
                         << formatShape(from.sizes) << " and "
                         << formatShape(to.sizes);
  if (failed(verifyInside(*this, "source", from)) ||
      failed(verifyInside(*this, "target", to)))
    return failure();
  // tile.copy C6
  if (overlap(from, to))
    return emitOpError("expected source and target not to overlap");
  return verifyHints(*this);
}

void CopyOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  accesses.push_back({AccessKind::Read, getSourceRegion(),
                      &getSourceMutable()});
  accesses.push_back({AccessKind::Write, getTargetRegion(),
                      &getTargetMutable()});
}

/// Composes a region's offsets with the affine.apply ops and constants behind them; true if that changed something.
static bool simplifyOffsets(AffineMapAttr &map,
                            SmallVectorImpl<Value> &operands) {
  if (!map)
    return false;
  AffineMap composed = map.getValue();
  SmallVector<Value> values(operands.begin(), operands.end());
  affine::fullyComposeAffineMapAndOperands(&composed, &values);
  affine::canonicalizeMapAndOperands(&composed, &values);
  // A divisor that turns out to be 0 is of code that never runs.
  if ((composed == map.getValue() && llvm::equal(values, operands)) ||
      findWrongDivisor(composed))
    return false;
  map = AffineMapAttr::get(composed);
  operands.assign(values.begin(), values.end());
  return true;
}

LogicalResult CopyOp::canonicalize(CopyOp op, PatternRewriter &rewriter) {
  AffineMapAttr sourceMap = op.getSourceMapAttr();
  AffineMapAttr targetMap = op.getTargetMapAttr();
  SmallVector<Value> sourceIndices(op.getSourceIndices());
  SmallVector<Value> targetIndices(op.getTargetIndices());
  bool changed = simplifyOffsets(sourceMap, sourceIndices);
  changed |= simplifyOffsets(targetMap, targetIndices);
  if (!changed)
    return failure();
  // Offsets that turn out to be constant may be wrong ones, in code that never runs. The op stays legal then.
  BufferRegion from = op.getSourceRegion(), to = op.getTargetRegion();
  if (sourceMap)
    from.map = sourceMap.getValue();
  if (targetMap)
    to.map = targetMap.getValue();
  if (findOutsideDim(from) || findOutsideDim(to) || overlap(from, to))
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    op.getSourceIndicesMutable().assign(sourceIndices);
    op.getTargetIndicesMutable().assign(targetIndices);
    if (sourceMap)
      op.setSourceMapAttr(sourceMap);
    if (targetMap)
      op.setTargetMapAttr(targetMap);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// FillOp
//===----------------------------------------------------------------------===//

ParseResult FillOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseBufferAndValue(parser, result);
}

void FillOp::print(OpAsmPrinter &printer) {
  printBufferAndValue(printer, *this);
}

LogicalResult FillOp::verify() {
  auto type = cast<MemRefType>(getBuffer().getType());
  // tile.fill C3
  if (!isNumber(type.getElementType()))
    return emitOpError() << "expected floats or signless integers, got "
                         << type.getElementType();
  // tile.fill C2
  return verifyStaticOrUnbound(*this, type);
}

void FillOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  accesses.push_back(
      {AccessKind::Write, getWholeRegion(getBuffer()), &getBufferMutable()});
}

//===----------------------------------------------------------------------===//
// TransposeOp
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto target = cast<MemRefType>(getTarget().getType());
  // tile.transpose C1
  for (MemRefType type : {source, target}) {
    if (type.getRank() != 2)
      return emitOpError() << "expected buffers of 2 dimensions, got " << type;
    if (failed(verifyStaticOrUnbound(*this, type)))
      return failure();
  }
  int64_t mirrored[] = {source.getDimSize(1), source.getDimSize(0)};
  if (!mayBeEqual(target.getShape(), mirrored))
    return emitOpError() << "expected the target to be "
                         << formatShape(mirrored)
                         << ", the transposed source, got "
                         << formatShape(target.getShape());
  // tile.transpose C2
  if (source.getElementType() != target.getElementType())
    return emitOpError() << "expected element type " << source.getElementType()
                         << " as in the source, got "
                         << target.getElementType();
  // tile.transpose C3
  if (getSource() == getTarget())
    return emitOpError("expected source and target to be different buffers");
  return success();
}

void TransposeOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  accesses.push_back(
      {AccessKind::Read, getWholeRegion(getSource()), &getSourceMutable()});
  accesses.push_back(
      {AccessKind::Write, getWholeRegion(getTarget()), &getTargetMutable()});
}

//===----------------------------------------------------------------------===//
// ReshapeOp and ViewOp
//===----------------------------------------------------------------------===//

/// The constraints that both kinds of view share.
static LogicalResult verifyViewTypes(Operation *op, MemRefType source,
                                     MemRefType view) {
  if (failed(verifyStatic(op, source)) || failed(verifyStatic(op, view)))
    return failure();
  for (MemRefType type : {source, view})
    if (!type.getLayout().isIdentity())
      return op->emitOpError()
             << "expected the identity layout, got " << type;
  if (failed(verifySize(op, source)) || failed(verifySize(op, view)))
    return failure();
  if (getMemorySpace(source) != getMemorySpace(view))
    return op->emitOpError()
           << "expected memory space '"
           << stringifyMemorySpace(getMemorySpace(source))
           << "' as in the source, got '"
           << stringifyMemorySpace(getMemorySpace(view)) << "'";
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto view = cast<MemRefType>(getView().getType());
  // tile.reshape C2, C3
  if (failed(verifyViewTypes(*this, source, view)))
    return failure();
  // tile.reshape C1
  if (source.getElementType() != view.getElementType())
    return emitOpError() << "expected element type " << source.getElementType()
                         << " as in the source, got " << view.getElementType()
                         << "; use 'tile.view' to reinterpret bits";
  if (source.getNumElements() != view.getNumElements())
    return emitOpError() << "expected " << source.getNumElements()
                         << " elements as in the source, got "
                         << view.getNumElements();
  return success();
}

LogicalResult ViewOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto view = cast<MemRefType>(getView().getType());
  if (failed(verifyViewTypes(*this, source, view)))
    return failure();
  // tile.view C1
  MemorySpace space = getMemorySpace(source);
  switch (space) {
  case MemorySpace::Fragment:
  case MemorySpace::Tmem:
  case MemorySpace::L0A:
  case MemorySpace::L0B:
  case MemorySpace::L0C:
    return emitOpError() << "cannot reinterpret the bits of a buffer in '"
                         << stringifyMemorySpace(space) << "' memory";
  default:
    break;
  }
  // tile.view C3
  for (MemRefType type : {source, view}) {
    Type element = type.getElementType();
    if (!isNumber(element) ||
        !llvm::is_contained({4u, 8u, 16u, 32u, 64u},
                            element.getIntOrFloatBitWidth()))
      return emitOpError()
             << "expected elements of 4, 8, 16, 32 or 64 bits, got " << element;
  }
  // tile.view C2
  int64_t expected = *getNumBits(source), got = *getNumBits(view);
  if (expected != got)
    return emitOpError() << "expected " << expected
                         << " bits as in the source, got " << got;
  return success();
}

/// A view of a view of the same kind is a view of the source; a view of equal type is the source.
template <typename OpTy> static OpFoldResult foldView(OpTy op) {
  if (op.getSource().getType() == op.getView().getType())
    return op.getSource();
  auto inner = op.getSource().template getDefiningOp<OpTy>();
  if (!inner)
    return {};
  op.getSourceMutable().assign(inner.getSource());
  return op.getView();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) { return foldView(*this); }
OpFoldResult ViewOp::fold(FoldAdaptor) { return foldView(*this); }

//===----------------------------------------------------------------------===//
// Im2ColOp
//===----------------------------------------------------------------------===//

/// The clauses `kernel(3, 3)`, which has to be there, `stride(1)`,
/// `dilation(1)` and `pad(0)`, in any order.
static ParseResult parseWindow(OpAsmParser &parser, OperationState &result,
                               Im2ColOp::Properties &props) {
  const std::pair<StringRef, IntegerAttr *> numbers[] = {
      {"stride", &props.stride},
      {"dilation", &props.dilation},
      {"pad", &props.pad}};
  llvm::SmallDenseSet<StringRef> seen;
  auto wasRead = [&](StringRef name, SMLoc loc) -> ParseResult {
    if (parser.getCurrentLocation() == loc || seen.insert(name).second)
      return success();
    return parser.emitError(loc)
           << "expected '" << name << "' once, got it twice";
  };
  SMLoc begin;
  do {
    begin = parser.getCurrentLocation();
    if ((succeeded(parser.parseOptionalKeyword("kernel")) &&
         parseExtents(parser, props.kernel)) ||
        wasRead("kernel", begin))
      return failure();
    for (auto [name, attr] : numbers) {
      SMLoc loc = parser.getCurrentLocation();
      std::optional<int64_t> value;
      if (parseOptionalClause(parser, result, name, value) ||
          wasRead(name, loc))
        return failure();
      if (value)
        *attr = parser.getBuilder().getI64IntegerAttr(*value);
    }
  } while (parser.getCurrentLocation() != begin);
  if (!props.kernel)
    return parser.emitError(begin, "expected the clause 'kernel'");
  return success();
}

ParseResult Im2ColOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &props = result.getOrAddProperties<Properties>();
  RegionText image;
  Operand target;
  Type imageType, targetType;
  SMLoc loc = parser.getCurrentLocation();
  if (parseRegion(parser, image))
    return failure();
  if (!image.map || image.sizes)
    return parser.emitError(loc, "expected offsets and no sizes");
  if (parser.parseComma() || parser.parseOperand(target) ||
      parseWindow(parser, result, props) || parseAttributes(parser, result) ||
      parseTypesOf(parser, {image.buffer, target}, {&imageType, &targetType}) ||
      resolveRegion(parser, image, imageType, result))
    return failure();
  props.imageMap = image.map;
  return parser.resolveOperand(target, targetType, result.operands);
}

void Im2ColOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printRegion(printer, getImage(), getImageIndices(), getImageMapAttr(), {});
  printer << ", " << getTarget() << " kernel";
  printExtents(printer, *this, getKernelAttr());
  printClause(printer, *this, "stride", getStride(), 1);
  printClause(printer, *this, "dilation", getDilation(), 1);
  printClause(printer, *this, "pad", getPad(), 0);
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {"imageMap", "kernel", "stride", "dilation", "pad", kParametersAttrName});
  printTypesOf(printer, *this, {getImage(), getTarget()});
}

int64_t Im2ColOp::getOutputExtent(unsigned dim) {
  int64_t extent = cast<MemRefType>(getImage().getType()).getDimSize(1 + dim);
  int64_t window = getDilation() * (getKernel()[dim] - 1) + 1;
  int64_t room = extent + 2 * getPad() - window;
  return room < 0 ? 0 : room / static_cast<int64_t>(getStride()) + 1;
}

LogicalResult Im2ColOp::verify() {
  auto image = cast<MemRefType>(getImage().getType());
  auto target = cast<MemRefType>(getTarget().getType());
  // tile.im2col C1
  if (image.getRank() != 4)
    return emitOpError()
           << "expected an image of 4 dimensions (N, H, W, C), got "
           << image.getRank();
  // What is computed from the extents below must not overflow.
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  for (unsigned dim = 1; dim < 4; ++dim)
    if (image.isDynamicDim(dim) || image.getDimSize(dim) > most)
      return emitOpError() << "expected H, W and C to be static and at most "
                           << most << ", got " << image;
  if (!isNumber(image.getElementType()))
    return emitOpError() << "expected floats or signless integers, got "
                         << image.getElementType();
  // tile.im2col C2
  if (target.getRank() != 2 || !target.hasStaticShape() ||
      target.getElementType() != image.getElementType() ||
      getMemorySpace(target) == MemorySpace::Global)
    return emitOpError() << "expected the target to be a static tile of 2 "
                            "dimensions and of "
                         << image.getElementType() << ", got " << target;
  // tile.im2col C5
  if (getImageMap().getNumResults() != 2)
    return emitOpError() << "expected 2 offsets, the first row and the first "
                            "column, got "
                         << getImageMap().getNumResults();
  if (getImageMap().getNumInputs() != getImageIndices().size())
    return emitOpError() << "expected " << getImageMap().getNumInputs()
                         << " index operands, got " << getImageIndices().size();
  if (failed(verifyOffsetMap(*this, getImageMap())))
    return failure();
  // tile.im2col C3
  if (getKernel().size() != 2)
    return emitOpError() << "expected 2 extents in 'kernel', got "
                         << getKernel().size();
  for (int64_t extent : getKernel())
    if (extent < 1 || extent > most)
      return emitOpError() << "expected the extents in 'kernel' to be between "
                              "1 and "
                           << most << ", got " << extent;
  for (auto [name, value, least] :
       {std::tuple("stride", static_cast<int64_t>(getStride()), 1),
        {"dilation", static_cast<int64_t>(getDilation()), 1},
        {"pad", static_cast<int64_t>(getPad()), 0}})
    if (value < least || value > most)
      return emitOpError() << "expected '" << name << "' to be between "
                           << least << " and " << most << ", got " << value;
  // tile.im2col C4
  int64_t padded[2], window[2];
  for (unsigned dim : {0u, 1u}) {
    padded[dim] = image.getDimSize(1 + dim) + 2 * getPad();
    window[dim] = getDilation() * (getKernel()[dim] - 1) + 1;
  }
  if (padded[0] < window[0] || padded[1] < window[1])
    return emitOpError() << "expected the window of " << formatShape(window)
                         << " to fit the padded image of "
                         << formatShape(padded);
  return success();
}

void Im2ColOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  accesses.push_back(
      {AccessKind::Read, getWholeRegion(getImage()), &getImageMutable()});
  accesses.push_back(
      {AccessKind::Write, getWholeRegion(getTarget()), &getTargetMutable()});
}
