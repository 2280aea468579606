//===- AscendDialect.cpp - dialect and shared helpers ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include "Tile/Dialect/Ascend/IR/VectorCores.h"
#include "Tile/Dialect/BytecodeProperties.h"
#include "Tile/Dialect/BytecodeVersion.h"
#include "Tile/Dialect/InlineAnywhere.h"
#include "Tile/Dialect/RenamedNames.h"
#include "Tile/Dialect/Tile/IR/TileAttrs.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace ascend = mlir::tile::ascend;
using mlir::tile::Access;
using mlir::tile::AccessKind;
using mlir::tile::AllocOp;
using mlir::tile::MemorySpace;
namespace target = ::tile::target;

#include "Tile/Dialect/Ascend/IR/AscendDialect.cpp.inc"
#include "Tile/Dialect/Ascend/IR/AscendEnums.cpp.inc"
#include "Tile/Dialect/Ascend/IR/AscendInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Tile/Dialect/Ascend/IR/AscendAttrs.cpp.inc"

void AscendDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Tile/Dialect/Ascend/IR/AscendAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Tile/Dialect/Ascend/IR/AscendOps.cpp.inc"
      >();
  addInterfaces<mlir::tile::InlineAnywhereInterface,
                mlir::tile::BytecodeVersionInterface<1>>();
}

std::optional<Dialect::ParseOpHook>
AscendDialect::getParseOperationHook(StringRef name) const {
  return mlir::tile::getRenamedOpHook(name);
}

//===----------------------------------------------------------------------===//
// The chip
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kDefaultChip = "910B";

const target::Target *ascend::getChip(Operation *op) {
  const target::Target *chip = mlir::tile::lookupTarget(op);
  if (!chip)
    return target::lookupTarget(kDefaultChip);
  return chip->getAscend() ? chip : nullptr;
}

const target::AscendSpec &ascend::getSpec(Operation *op) {
  const target::Target *chip = getChip(op);
  return *(chip ? chip : target::lookupTarget(kDefaultChip))->getAscend();
}

bool ascend::hasPath(Operation *op, MemorySpace from, MemorySpace to) {
  const target::Target *chip = getChip(op);
  target::Space source = mlir::tile::getTargetSpace(from),
                destination = mlir::tile::getTargetSpace(to);
  return chip && llvm::any_of(chip->copies, [&](const target::CopyRow &row) {
           return row.from == source && row.to == destination;
         });
}

std::optional<Core> ascend::getOwner(MemorySpace space) {
  const target::AscendMemory *memory =
      target::lookupTarget(kDefaultChip)
          ->getAscend()
          ->findMemory(mlir::tile::getTargetSpace(space));
  if (!memory)
    return std::nullopt;
  return memory->core == target::Core::AIC ? Core::Cube : Core::Vector;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

LogicalResult AscendDialect::verifyOperationAttribute(Operation *op,
                                                      NamedAttribute attr) {
  StringRef name = attr.getName().getValue();
  if ((name == kCoreAttr && isa<CoreAttr>(attr.getValue())) ||
      (name == kSubBlockTiledAttr && isa<UnitAttr>(attr.getValue())))
    return success();
  auto number = dyn_cast<IntegerAttr>(attr.getValue());
  if (name == kGroupAttr || name == kCrossCoreTransferAttr)
    return number ? success()
                  : op->emitError()
                        << "expected '" << name << "' to be an integer";
  if (name == kVectorCoresAttr)
    return number && isa<KernelOp>(op) && number.getInt() >= 1 &&
                   number.getInt() <= getSpec(op).vectorCores
               ? success()
               : op->emitError()
                     << "expected '" << name << "' to be an integer between 1 "
                     << "and " << getSpec(op).vectorCores
                     << " on a 'tile.kernel'";
  if (name == kMultiBufferAttr || name == kStagesAttr)
    return number && number.getInt() >= 1 && number.getInt() <= 16
               ? success()
               : op->emitError() << "expected '" << name
                                 << "' to be an integer between 1 and 16";
  if (StringRef now =
          mlir::tile::lookupRenamed(mlir::tile::RenamedKind::ATTRIBUTE, name);
      !now.empty())
    return op->emitError() << "'" << name << "' is now '" << now << "'";
  if (name != kAddressAttr)
    return op->emitError() << "unknown attribute '" << name << "'; expected "
                           << kAddressAttr << " or " << kGroupAttr;
  auto alloc = dyn_cast<AllocOp>(op);
  auto address = dyn_cast<IntegerAttr>(attr.getValue());
  if (!alloc || !address)
    return op->emitError() << "expected '" << name
                           << "' to be an integer on a 'tile.alloc'";
  auto type = cast<MemRefType>(alloc.getBuffer().getType());
  MemorySpace space = mlir::tile::getMemorySpace(type);
  const target::AscendMemory *memory =
      getSpec(op).findMemory(mlir::tile::getTargetSpace(space));
  if (!memory)
    return op->emitError() << "has an address, but the chip has no memory '"
                           << mlir::tile::stringifyMemorySpace(space) << "'";
  int64_t begin = address.getInt();
  // A buffer in L0C is a destination of Mmad.
  int64_t align = space == MemorySpace::L0C
                      ? std::max(memory->align, getSpec(op).mmadAlign)
                      : memory->align;
  if (begin < 0 || begin % align != 0)
    return op->emitError() << "expected '" << name << "' to be a multiple of "
                           << align << ", got " << begin;
  int64_t end = begin + getAllocatedBytes(type);
  if (end > memory->userBytes)
    return op->emitError() << "ends at byte " << end << " of '"
                           << mlir::tile::stringifyMemorySpace(space)
                           << "', of which programs have " << memory->userBytes;
  return success();
}

int64_t ascend::getNumVectorCores(Operation *op) {
  auto kernel = dyn_cast<KernelOp>(op);
  if (!kernel)
    kernel = op->getParentOfType<KernelOp>();
  auto number = kernel->getAttrOfType<IntegerAttr>(kVectorCoresAttr);
  return number ? number.getInt() : getSpec(op).vectorCores;
}

int64_t ascend::getSquare(const target::AscendSpec &spec, int64_t bytes) {
  return std::max(spec.accumulatorFractal, spec.blockBytes / bytes);
}

static bool hasCopy(const target::Target &chip, StringRef instruction) {
  return llvm::any_of(chip.copies, [&](const target::CopyRow &row) {
    return row.instruction == instruction;
  });
}

target::Format ascend::getL1Format(const target::Target &chip, int64_t bytes) {
  return bytes == 4 && hasCopy(chip, "LoadDataWithTranspose")
             ? target::Format::Zz
             : target::Format::Nz;
}

bool ascend::loadsWholeMatrices(const target::Target &chip) {
  return hasCopy(chip, "LoadData(LoadData2DParamsV2)");
}

FailureOr<std::pair<int64_t, int64_t>> ascend::getCubeOffsets(Value view) {
  std::pair<int64_t, int64_t> offsets(0, 0);
  while (auto part = view.getDefiningOp<memref::SubViewOp>()) {
    if (part.getSourceType().getRank() != 2 || part.getType().getRank() != 2 ||
        llvm::any_of(part.getStaticOffsets(), ShapedType::isDynamic) ||
        llvm::any_of(part.getStaticStrides(),
                     [](int64_t stride) { return stride != 1; }))
      return failure();
    offsets.first += part.getStaticOffset(0);
    offsets.second += part.getStaticOffset(1);
    view = part.getSource();
  }
  if (view != mlir::tile::getBaseBuffer(view))
    return failure();
  return offsets;
}

/// The extents of a matrix of the cube, in whole fractals or squares of them.
static int64_t roundToFractals(MemRefType type, const target::AscendSpec &spec,
                               int64_t bytes) {
  int64_t side = mlir::tile::getMemorySpace(type) == MemorySpace::L0C
                     ? spec.accumulatorFractal
                     : getSquare(spec, bytes);
  return llvm::alignTo(type.getDimSize(0), side) *
         llvm::alignTo(type.getDimSize(1), side);
}

int64_t ascend::getAllocatedBytes(MemRefType type) {
  const target::AscendSpec &spec =
      *target::lookupTarget(kDefaultChip)->getAscend();
  int64_t bits = type.getElementType().getIntOrFloatBitWidth();
  MemorySpace space = mlir::tile::getMemorySpace(type);
  bool isCube = space != MemorySpace::UB && space != MemorySpace::BT;
  if (isCube && type.getRank() == 2 && bits % 8 == 0)
    return roundToFractals(type, spec, bits / 8) * bits / 8;
  int64_t bytes = llvm::divideCeil(type.getNumElements() * bits, 8);
  return llvm::alignTo(bytes, spec.repeatBytes);
}

/// Whether a type is of fractals that an operand of the cube has, in the order
/// of the memory.
static bool areFractals(MemRefType type) {
  MemorySpace space = mlir::tile::getMemorySpace(type);
  return (space == MemorySpace::L0A || space == MemorySpace::L0B) &&
         type.getRank() == 3;
}

/// The first byte of a view in its base, and past its last; the whole base
/// where that is not known.
static std::pair<int64_t, int64_t> getExtent(MemRefType type, MemRefType base) {
  std::pair<int64_t, int64_t> whole(0, getAllocatedBytes(base));
  SmallVector<int64_t> strides;
  int64_t offset;
  // Columns of an accumulator lie together.
  if (mlir::tile::getMemorySpace(type) == MemorySpace::L0C &&
      type.getRank() == 2 && base.getRank() == 2 && type.hasStaticShape() &&
      type.getDimSize(0) == base.getDimSize(0) &&
      succeeded(type.getStridesAndOffset(strides, offset)) &&
      !ShapedType::isDynamic(offset) && offset < base.getDimSize(1)) {
    auto columns = [&](int64_t count) {
      return getAllocatedBytes(
          MemRefType::get({base.getDimSize(0), count}, base.getElementType(),
                          AffineMap(), base.getMemorySpace()));
    };
    return {columns(offset), columns(offset + type.getDimSize(1))};
  }
  // Of one dimension, views of memories of the cube are in their order.
  bool isRowMajor = mlir::tile::getMemorySpace(type) == MemorySpace::UB ||
                    type.getRank() == 1 || areFractals(type);
  if (!isRowMajor || failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(offset) || !type.hasStaticShape())
    return whole;
  int64_t last = offset;
  for (auto [extent, stride] : llvm::zip(type.getShape(), strides)) {
    if (ShapedType::isDynamic(stride))
      return whole;
    last += (extent - 1) * stride;
  }
  int64_t bytes = type.getElementType().getIntOrFloatBitWidth() / 8;
  if (bytes == 0)
    return whole;
  return {offset * bytes, std::min((last + 1) * bytes, whole.second)};
}

/// Fractals may lie apart.
static void setPeriod(ByteRange &range, MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!areFractals(type) || !type.hasStaticShape() ||
      failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::any_of(strides, ShapedType::isDynamic) || strides[2] != 1 ||
      strides[1] != type.getDimSize(2))
    return;
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  range.period = strides[0] * bytes;
  range.length = type.getDimSize(1) * strides[1] * bytes;
}

ByteRange ascend::getByteRange(Value buffer) {
  Value base = mlir::tile::getBaseBuffer(buffer);
  auto type = cast<MemRefType>(buffer.getType());
  ByteRange range{base, mlir::tile::getMemorySpace(type), 0, 0};
  auto alloc = base.getDefiningOp<AllocOp>();
  if (!alloc || range.space == MemorySpace::Global)
    return range;
  std::tie(range.begin, range.end) =
      getExtent(type, cast<MemRefType>(base.getType()));
  setPeriod(range, type);
  auto address = alloc->getAttrOfType<IntegerAttr>(AscendDialect::kAddressAttr);
  if (!address)
    return range;
  range.base = Value();
  range.begin += address.getInt();
  range.end += address.getInt();
  return range;
}

bool ascend::mayOverlap(const ByteRange &a, const ByteRange &b) {
  if (a.space != b.space || a.base != b.base)
    return false;
  if (a.space == MemorySpace::Global)
    return true;
  if (a.begin >= b.end || b.begin >= a.end)
    return false;
  // Of the same period, they are apart if they are in one.
  if (a.period == 0 || a.period != b.period)
    return true;
  int64_t distance = (b.begin - a.begin) % a.period;
  distance += distance < 0 ? a.period : 0;
  return distance < a.length || distance + b.length > a.period;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

void ascend::addInstructionAccesses(Operation *op, bool combines,
                                    SmallVectorImpl<Access> &accesses) {
  auto add = [&](AccessKind kind, OpOperand &operand) {
    accesses.push_back(
        {kind, mlir::tile::getWholeRegion(operand.get()), &operand});
  };
  OpOperand &target = op->getOpOperand(0);
  for (OpOperand &operand : op->getOpOperands().drop_front())
    if (isa<MemRefType>(operand.get().getType()))
      add(AccessKind::Read, operand);
  // An operand or a mode may say that the old content does not count.
  auto product = dyn_cast<MmadOp>(op);
  bool isNew = product && matchPattern(product.getInit(), m_One());
  if (combines && !isNew) {
    add(AccessKind::Read, target);
    accesses.back().isOptional = true;
  }
  add(AccessKind::Write, target);
}

FailureOr<Matrix> ascend::getMatrix(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (type.getRank() < 1 || type.getRank() > 2 || !type.hasStaticShape() ||
      failed(type.getStridesAndOffset(strides, offset)) ||
      (strides.back() != 1 && type.getShape().back() != 1))
    return failure();
  if (type.getRank() == 1)
    return Matrix{1, type.getDimSize(0), type.getDimSize(0)};
  if (ShapedType::isDynamic(strides[0]))
    return failure();
  return Matrix{type.getDimSize(0), type.getDimSize(1), strides[0]};
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult ascend::expectSpace(Operation *op, Role role, MemorySpace space) {
  MemorySpace got = mlir::tile::getMemorySpace(role.getType());
  if (got == space)
    return success();
  return op->emitOpError() << "expected the " << role.name << " in '"
                           << mlir::tile::stringifyMemorySpace(space)
                           << "', got '"
                           << mlir::tile::stringifyMemorySpace(got) << "'";
}

LogicalResult ascend::expectRank(Operation *op, Role role, int64_t least,
                                 int64_t most) {
  int64_t rank = role.getType().getRank();
  if (rank >= least && rank <= most)
    return success();
  static constexpr const char *names[] = {"", "one", "two"};
  InFlightDiagnostic diag = op->emitOpError() << "expected " << names[least];
  if (least != most)
    diag << " or " << names[most];
  return diag << (most == 1 ? " dimension" : " dimensions") << ", got " << rank;
}

LogicalResult ascend::expectRows(Operation *op, Role role) {
  if (failed(expectRank(op, role, 1, 2)))
    return failure();
  MemRefType type = role.getType();
  if (!type.getElementType().isIntOrFloat())
    return op->emitOpError() << "expected integers or floats in '" << role.name
                             << "', got " << type;
  FailureOr<Matrix> matrix = getMatrix(type);
  if (failed(matrix))
    return op->emitOpError() << "expected a static shape and an innermost "
                                "stride of 1 in '"
                             << role.name << "', got " << type;
  int64_t bytes = type.getElementType().getIntOrFloatBitWidth() / 8;
  int64_t block = getSpec(op).blockBytes;
  if (matrix->rows == 1 || matrix->pitch * bytes % block == 0)
    return success();
  return op->emitOpError() << "expected rows to begin at multiples of " << block
                           << " bytes, got a row of " << matrix->pitch * bytes;
}

LogicalResult ascend::expectBlocks(Operation *op, Role role) {
  if (failed(expectRank(op, role, 2, 2)) || failed(expectRows(op, role)))
    return failure();
  int64_t bytes = role.getType().getDimSize(1) *
                  role.getType().getElementTypeBitWidth() / 8;
  int64_t block = getSpec(op).blockBytes;
  if (bytes % block == 0)
    return success();
  return op->emitOpError() << "expected rows of whole blocks of " << block
                           << " bytes, got " << bytes;
}

LogicalResult ascend::expectPath(Operation *op, MemorySpace from,
                                 MemorySpace to) {
  const target::Target *chip = getChip(op);
  if (!chip || hasPath(op, from, to))
    return success();
  return op->emitOpError() << chip->name << " has no path from '"
                           << mlir::tile::stringifyMemorySpace(from) << "' to '"
                           << mlir::tile::stringifyMemorySpace(to)
                           << "'; go through global memory";
}

LogicalResult ascend::expectSameElement(Operation *op, Role a, Role b) {
  Type ta = a.getType().getElementType(), tb = b.getType().getElementType();
  if (ta == tb)
    return success();
  return op->emitOpError() << "expected elements of type " << ta << " in '"
                           << b.name << "', got " << tb;
}

LogicalResult ascend::expectElementType(Operation *op, Type value, Type element,
                                        StringRef what) {
  if (value == element)
    return success();
  return op->emitOpError() << "expected " << what << " of type " << element
                           << ", got " << value;
}

LogicalResult ascend::expectWithin(Operation *op, Role inner, Role outer) {
  MemRefType in = inner.getType(), out = outer.getType();
  if (in.getRank() != out.getRank())
    return op->emitOpError() << "expected '" << inner.name << "' of rank "
                             << out.getRank() << ", got " << in.getRank();
  for (auto [dim, a, b] : llvm::enumerate(in.getShape(), out.getShape()))
    if (!ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a > b)
      return op->emitOpError()
             << "expected at most " << b << " elements in dimension " << dim
             << ", got " << a;
  return success();
}

LogicalResult ascend::expectShape(Operation *op, Role role,
                                  ArrayRef<int64_t> shape) {
  if (role.getType().getShape() == shape)
    return success();
  return op->emitOpError() << "expected " << mlir::tile::formatShape(shape)
                           << " elements in '" << role.name << "', got "
                           << mlir::tile::formatShape(
                                  role.getType().getShape());
}

LogicalResult ascend::expectWhole(Operation *op, Role role) {
  if (mlir::tile::getBaseBuffer(role.buffer) == role.buffer)
    return success();
  return op->emitOpError("expected a whole buffer");
}

LogicalResult ascend::expectColumns(Operation *op, Role role) {
  MemRefType type = role.getType();
  auto base =
      cast<MemRefType>(mlir::tile::getBaseBuffer(role.buffer).getType());
  auto offsets = getCubeOffsets(role.buffer);
  int64_t unit = getSpec(op).blockBytes * 8 / type.getElementTypeBitWidth();
  if (type.hasStaticShape() && succeeded(offsets) &&
      type.getDimSize(0) == base.getDimSize(0) && offsets->second % unit == 0)
    return success();
  return op->emitOpError("expected a whole buffer, or whole columns of blocks "
                         "of one");
}

Type ascend::getMovedAs(Type element) {
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8
             ? IntegerType::get(element.getContext(), 8)
             : element;
}

bool ascend::hasAtomic(Type element, ReduceKind kind) {
  return element.isF32() || element.isF16() || element.isInteger(32) ||
         element.isInteger(16) || element.isInteger(8) ||
         (element.isBF16() && kind == ReduceKind::Sum);
}

LogicalResult ascend::expectAtomic(Operation *op, Type element,
                                   ReduceKind kind) {
  if (hasAtomic(element, kind))
    return success();
  return op->emitOpError() << "expected an element type with atomic "
                           << (kind == ReduceKind::Sum ? "addition"
                                                       : stringifyEnum(kind))
                           << ", got " << element;
}

std::string ascend::formatTypes(ArrayRef<target::ElementType> types) {
  return llvm::join(llvm::map_range(types,
                                    [](target::ElementType type) {
                                      return target::stringify(type).str();
                                    }),
                    ", ");
}

LogicalResult ascend::expectInstruction(Operation *op, StringRef name,
                                        Type element) {
  const target::Target *chip = getChip(op);
  if (!chip)
    return success();
  const target::AscendSpec &spec = *chip->getAscend();
  std::optional<target::ElementType> type = mlir::tile::getElementType(element);
  if (type && spec.supports(name, *type))
    return success();
  InFlightDiagnostic diag = op->emitOpError() << chip->name << " has no "
                                              << name << " for " << element;
  for (const target::AscendVectorOp &row : spec.vectorOps)
    if (row.name == name)
      return diag << "; it has " << formatTypes(row.types);
  return diag;
}

LogicalResult ascend::expectWidth(Operation *op, Type element,
                                  ArrayRef<int64_t> widths, StringRef text) {
  if (element.isIntOrFloat() &&
      llvm::is_contained(widths, element.getIntOrFloatBitWidth() / 8) &&
      element.getIntOrFloatBitWidth() % 8 == 0)
    return success();
  return op->emitOpError() << "expected elements of " << text << " bytes, got "
                           << element;
}

LogicalResult ascend::expectZeroBytes(Operation *op, Value value) {
  if (value.getType().getIntOrFloatBitWidth() != 8 ||
      matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat()))
    return success();
  return op->emitOpError() << "expected the constant 0 for elements of type "
                           << value.getType();
}

/// `none`, or `add(f32)` and the like.
static ParseResult parseAtomicMode(OpAsmParser &parser, ReduceKindAttr &kind,
                                   TypeAttr &type) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&name, {"none", "add", "max", "min"})))
    return parser.emitError(
        loc, "expected 'none', or 'add', 'max' or 'min' of a type");
  if (name == "none")
    return success();
  Type element;
  if (parser.parseLParen() || parser.parseType(element) || parser.parseRParen())
    return failure();
  type = TypeAttr::get(element);
  if (name != "add")
    kind = ReduceKindAttr::get(parser.getContext(), *symbolizeReduceKind(name));
  return success();
}

static void printAtomicMode(OpAsmPrinter &printer, SetAtomicOp,
                            ReduceKindAttr kind, TypeAttr type) {
  if (!type)
    printer << "none";
  else
    printer << (kind ? stringifyEnum(kind.getValue()) : "add") << "(" << type
            << ")";
}

#define GET_OP_CLASSES
#include "Tile/Dialect/Ascend/IR/AscendOps.cpp.inc"
#include "Tile/Dialect/Ascend/IR/AscendOpsBytecode.cpp.inc"
