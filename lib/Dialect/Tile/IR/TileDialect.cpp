//===- TileDialect.cpp - dialect and shared helpers -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AssemblyFormat.h"
#include "LayoutAttrStorage.h"

#include "Tile/Dialect/BytecodeVersion.h"
#include "Tile/Dialect/InlineAnywhere.h"
#include "Tile/Dialect/RenamedNames.h"
#include "Tile/Dialect/Tile/IR/Arguments.h"
#include "Tile/Dialect/Tile/IR/Indexed.h"
#include "Tile/Dialect/Tile/IR/Consumers.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Dialect/Tile/IR/LoopAttrs.h"
#include "Tile/Dialect/Tile/IR/Sparse.h"
#include "Tile/Dialect/Tile/IR/Sync.h"
#include "Tile/Dialect/Tile/IR/TeamOps.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Target/Target.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;

#include "Tile/Dialect/Tile/IR/TileDialect.cpp.inc"
#include "Tile/Dialect/Tile/IR/TileEnums.cpp.inc"
#include "Tile/Dialect/Tile/IR/TileAttrInterfaces.cpp.inc"
#include "Tile/Dialect/Tile/IR/TileInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Tile/Dialect/Tile/IR/TileAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "Tile/Dialect/Tile/IR/TileTypes.cpp.inc"

void TileDialect::initialize() {
  registerAttributes();
  addTypes<
#define GET_TYPEDEF_LIST
#include "Tile/Dialect/Tile/IR/TileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Tile/Dialect/Tile/IR/TileOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Tile/Dialect/Tile/IR/TileIndexedOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Tile/Dialect/Tile/IR/TileSparseOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Tile/Dialect/Tile/IR/TileTeamOps.cpp.inc"
      >();
  attachSyncModels(*getContext());
  addInterfaces<InlineAnywhereInterface, BytecodeVersionInterface<1>>();
}

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Tile/Dialect/Tile/IR/TileAttrs.cpp.inc"
      >();
}

/// A memory space is written by its name alone, `#tile.shared`; everything else as declared.
Attribute TileDialect::parseAttribute(DialectAsmParser &parser,
                                      Type type) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  Attribute attr;
  OptionalParseResult result =
      generatedAttributeParser(parser, &mnemonic, type, attr);
  if (result.has_value())
    return attr;
  if (std::optional<MemorySpace> space = symbolizeMemorySpace(mnemonic))
    return MemorySpaceAttr::get(getContext(), *space);
  SmallVector<StringRef> spaces;
  for (uint64_t i = 0; i <= getMaxEnumValForMemorySpace(); ++i)
    spaces.push_back(stringifyMemorySpace(static_cast<MemorySpace>(i)));
  parser.emitError(loc) << "unknown attribute '" << mnemonic
                        << "' in dialect 'tile'; memory spaces are "
                        << llvm::join(spaces, ", ");
  return {};
}

void TileDialect::printAttribute(Attribute attr,
                                 DialectAsmPrinter &printer) const {
  if (auto space = dyn_cast<MemorySpaceAttr>(attr)) {
    printer << stringifyMemorySpace(space.getValue());
    return;
  }
  (void)generatedAttributePrinter(attr, printer);
}

Type TileDialect::parseType(DialectAsmParser &parser) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  Type type;
  if (generatedTypeParser(parser, &mnemonic, type).has_value())
    return type;
  StringRef now = lookupRenamed(RenamedKind::TYPE, ("tile." + mnemonic).str());
  if (now.empty())
    parser.emitError(loc) << "unknown type '" << mnemonic
                          << "' in dialect 'tile'";
  else
    parser.emitError(loc) << "'!tile." << mnemonic << "' is now '!" << now
                          << "'";
  return {};
}

void TileDialect::printType(Type type, DialectAsmPrinter &printer) const {
  (void)generatedTypePrinter(type, printer);
}

std::optional<Dialect::ParseOpHook>
TileDialect::getParseOperationHook(StringRef name) const {
  return getRenamedOpHook(name);
}

//===----------------------------------------------------------------------===//
// Discardable attributes
//===----------------------------------------------------------------------===//

/// A function type with buffers in place of tensors: results become arguments
/// (`tile-from-linalg`).
static Type getBufferForm(Type type) {
  auto function = dyn_cast<FunctionType>(type);
  if (!function)
    return type;
  SmallVector<Type> inputs, results;
  auto add = [](Type given, SmallVector<Type> &list) {
    if (auto tensor = dyn_cast<RankedTensorType>(given))
      given = MemRefType::get(tensor.getShape(), tensor.getElementType());
    list.push_back(given);
  };
  for (Type input : function.getInputs())
    add(input, inputs);
  for (Type result : function.getResults())
    add(result, isa<ShapedType>(result) ? inputs : results);
  return FunctionType::get(type.getContext(), inputs, results);
}

static LogicalResult verifyReference(Operation *op, Attribute value) {
  auto name = dyn_cast<FlatSymbolRefAttr>(value);
  if (!name)
    return op->emitError("expected 'tile.reference' to be the name of a "
                         "function");
  FunctionOpInterface reference;
  if (Operation *parent = op->getParentOp())
    reference = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
        parent, name);
  if (!reference)
    return op->emitError() << "reference " << name << " does not exist";
  // Neither function has been verified yet; one without a type is reported elsewhere.
  auto expected = op->getAttrOfType<TypeAttr>("function_type");
  auto got = reference->getAttrOfType<TypeAttr>("function_type");
  if (!expected || !got ||
      getBufferForm(expected.getValue()) == getBufferForm(got.getValue()))
    return success();
  InFlightDiagnostic diag = op->emitError()
                            << "expected the reference to have type "
                            << expected.getValue() << ", got "
                            << got.getValue();
  diag.attachNote(reference.getLoc()) << "the reference is here";
  return diag;
}

/// The parameter in the place of the number of the one clause that an op has.
static LogicalResult verifyParameters(Operation *op, Attribute value) {
  auto parameters = dyn_cast<DictionaryAttr>(value);
  StringRef clause = isa<KernelOp>(op)       ? "threads"
                     : isa<ParallelOp>(op)   ? "coalesced_width"
                     : isa<PipelinedOp>(op)  ? "stages"
                     : isa<PersistentOp>(op) ? "group"
                                             : "";
  if (clause.empty())
    return op->emitError() << "expected '" << kParametersAttrName
                           << "' to be on a kernel or loop";
  FlatSymbolRefAttr name;
  if (parameters && parameters.size() == 1)
    name = dyn_cast_or_null<FlatSymbolRefAttr>(parameters.get(clause));
  if (!name)
    return op->emitError() << "expected '" << kParametersAttrName
                           << "' to name the parameter of '" << clause << "'";
  if (SymbolTable::lookupNearestSymbolFrom<ParamOp>(op, name))
    return success();
  return op->emitError() << "expected the name of a 'tile.param' in '" << clause
                         << "', got '" << name << "'";
}

static bool hasNumbersOfI64(Attribute value) {
  auto numbers = dyn_cast<DictionaryAttr>(value);
  return numbers && llvm::all_of(numbers, [](NamedAttribute entry) {
           auto number = dyn_cast<IntegerAttr>(entry.getValue());
           return number && number.getType().isSignlessInteger(64);
         });
}

/// Families and values are checked with the parameter.
static LogicalResult verifyDefaults(Operation *op, Attribute value) {
  if (isa<ParamOp>(op) && hasNumbersOfI64(value))
    return success();
  return op->emitError() << "expected '" << kDefaultsAttrName
                         << "' to be on a 'tile.param' and to have numbers of "
                            "i64";
}

static LogicalResult verifyBindings(Operation *op, Attribute value) {
  if (isa<ModuleOp>(op) && hasNumbersOfI64(value))
    return success();
  return op->emitError() << "expected '" << kBindingsAttrName
                         << "' to be on a module and to have numbers of i64";
}

/// A launch is for the chip that its module is compiled for; where that is for
/// another kind of machine, kernels of GPUs are not compiled.
static LogicalResult verifyLaunch(Operation *op, Attribute value) {
  auto launch = dyn_cast<LaunchAttr>(value);
  if (!launch)
    return op->emitError("expected 'tile.launch' to be a #tile.launch");
  const ::tile::target::Target *target = lookupTarget(op);
  if (!target || !target->getGPU() || launch.getChip().empty() ||
      ::tile::target::lookupTarget(launch.getChip()) == target)
    return success();
  return op->emitError() << "expected a launch on '" << target->name
                         << "', the target of the module, got one on '"
                         << launch.getChip() << "'";
}

static LogicalResult verifyResidentBlocks(Operation *op, NamedAttribute attr) {
  auto blocks = dyn_cast<IntegerAttr>(attr.getValue());
  bool isNumber = blocks && blocks.getValue().isStrictlyPositive() &&
                  blocks.getValue().isSignedIntN(32);
  if (isNumber && isa<KernelOp, FunctionOpInterface>(op))
    return success();
  return op->emitError() << "expected '" << attr.getName().getValue()
                         << "' on a kernel to be a number of blocks of at "
                            "least 1, got "
                         << attr.getValue();
}

static LogicalResult verifyUnroll(Operation *op, NamedAttribute attr) {
  // Each is a copy of the body.
  constexpr int64_t kMost = 64;
  auto count = dyn_cast<IntegerAttr>(attr.getValue());
  if (isa<PipelinedOp>(op) && count && count.getValue().isStrictlyPositive() &&
      count.getValue().sle(kMost))
    return success();
  return op->emitError() << "expected '" << attr.getName().getValue()
                         << "' on a tile.pipelined to be a number of "
                            "iterations between 1 and "
                         << kMost << ", got " << attr.getValue();
}

static LogicalResult verifyClusterBlocks(Operation *op, NamedAttribute attr,
                                         bool isPlace, StringRef place) {
  auto blocks = dyn_cast<IntegerAttr>(attr.getValue());
  return isPlace && blocks && blocks.getInt() > 1
             ? success()
             : op->emitError()
                   << "expected '" << attr.getName().getValue() << "' on "
                   << place << " to be a number of blocks above 1, got "
                   << attr.getValue();
}

static LogicalResult verifyClusterRoom(Operation *op, NamedAttribute attr) {
  auto offset = dyn_cast<IntegerAttr>(attr.getValue());
  if (op->hasAttr(kClusterSumAttrName) && offset && offset.getInt() >= 0)
    return success();
  return op->emitError() << "expected '" << attr.getName().getValue()
                         << "' beside '" << kClusterSumAttrName
                         << "' to be an offset of bytes, got "
                         << attr.getValue();
}

/// A reduction along parts of rows is in a kernel with a cluster of these
/// blocks.
static LogicalResult verifySpread(Operation *op, NamedAttribute attr) {
  auto blocks = dyn_cast<IntegerAttr>(attr.getValue());
  bool isRows = attr.getName() == kSpreadRowsAttrName;
  if (!blocks || blocks.getInt() < (isRows ? 1 : 2) ||
      !(isRows ? isa<KernelOp>(op) : isa<ReduceOp>(op)))
    return op->emitError() << "expected '" << attr.getName().getValue()
                           << "' on a " << (isRows ? "kernel" : "reduction")
                           << " to be a number of blocks of at least "
                           << (isRows ? 1 : 2) << ", got " << attr.getValue();
  if (isRows)
    return success();
  auto kernel = op->getParentOfType<KernelOp>();
  std::optional<ArrayRef<int64_t>> cluster;
  if (kernel)
    cluster = kernel.getCluster();
  int64_t size = 1;
  for (int64_t extent : cluster.value_or(ArrayRef<int64_t>()))
    size *= extent;
  return !kernel || size == blocks.getInt()
             ? success()
             : op->emitError() << "expected a cluster of " << blocks.getInt()
                               << " blocks, which share a row, got " << size;
}

static LogicalResult verifyAhead(Operation *op, NamedAttribute attr) {
  auto stages = dyn_cast<IntegerAttr>(attr.getValue());
  if (isa<ConsumerWaitOp>(op) && stages &&
      (stages.getValue().isZero() || stages.getValue().isOne()))
    return success();
  return op->emitError() << "expected '" << attr.getName().getValue()
                         << "' on a tile.consumer_wait to be 0 or 1, got "
                         << attr.getValue();
}

static LogicalResult verifyPads(Operation *op, NamedAttribute attr) {
  auto arguments = dyn_cast<DenseI64ArrayAttr>(attr.getValue());
  return isa<KernelOp>(op) && arguments &&
                 llvm::none_of(arguments.asArrayRef(),
                               [](int64_t i) { return i < 0; })
             ? success()
             : op->emitError() << "expected '" << attr.getName().getValue()
                               << "' on a kernel to be numbers of arguments "
                                  "of its function, got "
                               << attr.getValue();
}

static LogicalResult verifyWarpgroups(Operation *op, NamedAttribute attr) {
  bool isPlace = isa<BarrierOp, CopyOp>(op) &&
                 op->getParentOfType<WarpSpecializeOp>();
  return isPlace && isa<UnitAttr>(attr.getValue())
             ? success()
             : op->emitError()
                   << "expected '" << attr.getName().getValue()
                   << "' on a barrier or a copy of a partition to have no "
                      "value";
}

static LogicalResult verifyConsumers(Operation *op, NamedAttribute attr) {
  auto alloc = dyn_cast<AllocOp>(op);
  bool isPlace =
      isa<WarpSpecializeOp>(op) ||
      (alloc && getMemorySpace(alloc.getBuffer()) == MemorySpace::Shared);
  auto count = dyn_cast<IntegerAttr>(attr.getValue());
  return isPlace && count && count.getType().isSignlessInteger(64) &&
                 count.getInt() > 1
             ? success()
             : op->emitError()
                   << "expected '" << attr.getName().getValue()
                   << "' on a tile.warp_specialize or a shared tile.alloc to "
                      "be an i64 of 2 or more, got "
                   << attr.getValue();
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attr) {
  StringRef name = attr.getName().getValue();
  if (name == "tile.target")
    return isa<TargetAttr>(attr.getValue())
               ? success()
               : op->emitError("expected 'tile.target' to be a #tile.target");
  if (name == kLaunchAttrName)
    return verifyLaunch(op, attr.getValue());
  if (name == kVersionsAttrName) {
    auto launches = dyn_cast<ArrayAttr>(attr.getValue());
    if (!launches || !op->hasAttr(kLaunchAttrName))
      return op->emitError() << "expected '" << name
                             << "' to be a list of #tile.launch beside "
                                "'tile.launch'";
    for (Attribute launch : launches)
      if (failed(verifyLaunch(op, launch)))
        return failure();
    return success();
  }
  if (name == kParametersAttrName)
    return verifyParameters(op, attr.getValue());
  if (name == kDefaultsAttrName)
    return verifyDefaults(op, attr.getValue());
  if (name == kBindingsAttrName)
    return verifyBindings(op, attr.getValue());
  if (name == kMulticastAttrName)
    return verifyClusterBlocks(op, attr, isa<CopyOp>(op), "a copy");
  if (name == kClusterSumAttrName)
    return verifyClusterBlocks(op, attr, isa<CopyOp, ParallelOp>(op),
                               "a copy or a tile.parallel");
  if (name == kClusterRoomAttrName)
    return verifyClusterRoom(op, attr);
  if (name == kAheadAttrName)
    return verifyAhead(op, attr);
  if (name == kConsumersAttrName)
    return verifyConsumers(op, attr);
  if (name == kWarpgroupsAttrName)
    return verifyWarpgroups(op, attr);
  if (name == kResidentBlocksAttrName)
    return verifyResidentBlocks(op, attr);
  if (name == kSpreadRowsAttrName || name == kSpreadAttrName)
    return verifySpread(op, attr);
  if (name == kUnrollAttrName)
    return verifyUnroll(op, attr);
  if (name == kPadsAttrName)
    return verifyPads(op, attr);
  bool known = llvm::is_contained(
      {"tile.reference", "tile.cases", "tile.atol", "tile.rtol"}, name);
  if (known && !isa<FunctionOpInterface>(op))
    return op->emitError() << "expected '" << name
                           << "' to be on a function";
  if (name == "tile.reference")
    return verifyReference(op, attr.getValue());
  if (name == "tile.atol" || name == "tile.rtol")
    return isa<FloatAttr>(attr.getValue())
               ? success()
               : op->emitError() << "expected '" << name << "' to be a float";
  if (name == "tile.cases") {
    auto cases = dyn_cast<ArrayAttr>(attr.getValue());
    if (cases && llvm::all_of(cases, llvm::IsaPred<StringAttr>))
      return success();
    return op->emitError("expected 'tile.cases' to be an array of strings "
                         "such as [\"M=64 N=100\", \"M=1 N=7\"]");
  }
  return op->emitError()
         << "unknown attribute '" << name
         << "'; expected tile.reference, tile.cases, tile.atol or tile.rtol "
            "on a function, tile.launch or tile.versions on a kernel of a "
            "device, tile.parameters on a kernel or loop, tile.pads, "
            "tile.resident_blocks or tile.spread_rows on a kernel, "
            "tile.multicast on a copy, tile.ahead on a tile.consumer_wait, "
            "tile.unroll on a tile.pipelined, "
            "tile.warpgroups on a barrier or a copy, "
            "tile.consumers on a tile.warp_specialize or a tile.alloc, "
            "tile.cluster_sum on a copy or a tile.parallel, tile.spread on a "
            "reduction, tile.defaults on a parameter, tile.bindings on a "
            "module, or tile.target";
}

/// "MxK%8" and "Nxceildiv(K, 2)": names with what they are multiples of, and
/// formulas of dynamic extents.
static LogicalResult verifyShape(Operation *op, NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  for (StringRef part :
       splitShape(cast<StringAttr>(attr.getValue()).getValue())) {
    FailureOr<StatedExtent> extent = parseExtent(part);
    if (failed(extent) && part.contains('%'))
      return op->emitError() << "expected a number of at least 1 behind '%' "
                                "in 'tile.shape', got '"
                             << part << "'";
    if (failed(extent))
      return op->emitError()
             << "expected a formula such as 'ceildiv(K, 2)', 'floordiv(K, 2)', "
                "'K * 2', 'K + 1' or 'K - 1' in 'tile.shape', got '"
             << part << "'";
    if (extent->formula && function &&
        !ArgumentExtents(function).find(extent->name))
      return op->emitError()
             << "expected '" << extent->name << "' of '" << part
             << "' in 'tile.shape' to be the name of a dynamic extent of an "
                "argument";
  }
  return success();
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned,
                                                    NamedAttribute attr) {
  StringRef name = attr.getName().getValue();
  if (name == "tile.shape" || name == "tile.init")
    return isa<StringAttr>(attr.getValue())
               ? name == "tile.shape" ? verifyShape(op, attr) : success()
               : op->emitError() << "expected '" << name << "' to be a string";
  if (name == "tile.align") {
    auto align = dyn_cast<IntegerAttr>(attr.getValue());
    if (align && align.getValue().isSignedIntN(64) &&
        align.getInt() > 0 && llvm::isPowerOf2_64(align.getInt()))
      return success();
    return op->emitError() << "expected 'tile.align' to be a power of two, got "
                           << attr.getValue();
  }
  if (name == "tile.result")
    return isa<UnitAttr>(attr.getValue())
               ? success()
               : op->emitError("expected 'tile.result' to have no value");
  return op->emitError() << "unknown argument attribute '" << name
                         << "'; expected tile.shape, tile.align, tile.init or "
                            "tile.result";
}

//===----------------------------------------------------------------------===//
// Buffers and regions
//===----------------------------------------------------------------------===//

MemorySpace mlir::tile::getMemorySpace(MemRefType type) {
  auto space = dyn_cast_or_null<MemorySpaceAttr>(type.getMemorySpace());
  return space ? space.getValue() : MemorySpace::Global;
}

std::string mlir::tile::formatShape(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "a scalar";
  return llvm::join(llvm::map_range(shape,
                                    [](int64_t extent) {
                                      return ShapedType::isDynamic(extent)
                                                 ? std::string("?")
                                                 : std::to_string(extent);
                                    }),
                    "x");
}

Value mlir::tile::getBaseBuffer(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view)
      break;
    buffer = view.getViewSource();
  }
  return buffer;
}

SmallVector<int64_t> BufferRegion::getMatchedSizes() const {
  SmallVector<int64_t> matched;
  llvm::copy_if(sizes, std::back_inserter(matched),
                [](int64_t size) { return size != 1; });
  return matched;
}

BufferRegion mlir::tile::getWholeRegion(Value buffer) {
  BufferRegion region;
  region.buffer = buffer;
  region.sizes = llvm::to_vector(region.getType().getShape());
  return region;
}

void mlir::tile::addAccessEffects(
    Operation *op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  SmallVector<Access> accesses;
  cast<TileAccessOpInterface>(op).getAccesses(accesses);
  for (const Access &access : accesses) {
    if (access.kind != AccessKind::Write)
      effects.emplace_back(MemoryEffects::Read::get(), access.operand);
    if (access.kind != AccessKind::Read)
      effects.emplace_back(MemoryEffects::Write::get(), access.operand);
  }
}

LogicalResult mlir::tile::verifyCollective(Operation *op) {
  // Scalar forms are not collective.
  if (auto atomic = dyn_cast<AtomicOp>(op))
    if (!atomic.isTileForm())
      return success();
  auto parallel = op->getParentOfType<ParallelOp>();
  if (!parallel)
    return success();
  InFlightDiagnostic diag =
      op->emitOpError("works on whole tiles and is not allowed in "
                      "'tile.parallel'; move it out of the loop");
  diag.attachNote(parallel.getLoc()) << "the loop is here";
  return diag;
}
