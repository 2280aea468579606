//===- SelectCopy.cpp - the instruction of a copy -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutModels.h"
#include "MissedRemark.h"
#include "SelectInstructions.h"

#include "Tile/Analysis/AccessSystem.h"
#include "Tile/Dialect/Tile/IR/Arguments.h"
#include "Tile/Layout/Access.h"
#include "Tile/Transforms/AsyncCopy.h"
#include "Tile/Transforms/TensorCopy.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::tile::target;
using namespace ::tile::layout;

static constexpr llvm::StringLiteral kCategory = "tile-select-instructions";

//===----------------------------------------------------------------------===//
// What is known of addresses
//===----------------------------------------------------------------------===//

/// Whether `expr` is a multiple of `factor` in all the executions.
static bool isMultiple(const AccessSystem &executions, AffineExpr expr,
                       int64_t factor) {
  if (!expr)
    return false;
  AccessSystem system = executions;
  AffineExpr quotient = system.addVariable(), rest = system.addVariable();
  system.addZero(expr - quotient * factor - rest);
  system.addNonNegative(rest - 1);
  system.addNonNegative(-rest + (factor - 1));
  return system.isEmpty();
}

/// Whether a dimension is never 0 where `op` runs.
static bool isPositive(Operation *op, Value buffer, unsigned dim) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim) > 0;
  AccessSystem system(op->getContext());
  system.addDomain(op, 0);
  AffineExpr extent = system.getExtent(buffer, dim);
  if (!extent)
    return false;
  system.addNonNegative(-extent);
  return system.isEmpty();
}

/// The largest power of two up to `limit` that divides the index of the first
/// element of the region and of all that are a row apart, so that vectors of
/// that many elements are aligned and lie in the buffer as a whole or not at
/// all.
static int64_t getAlignment(Operation *op, const BufferRegion &region,
                            int64_t limit) {
  MemRefType type = region.getType();
  unsigned rank = type.getRank();
  if (rank == 0)
    return 1;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.back() != 1)
    return 1;
  AccessSystem executions(op->getContext());
  executions.addDomain(op, 0);
  AffineExpr first =
      executions.getExpr(getOffset(region, rank - 1), region.operands, 0);
  AffineExpr extent = executions.getExtent(region.buffer, rank - 1);
  auto argument = dyn_cast<BlockArgument>(getBaseBuffer(region.buffer));
  auto kernel = op->getParentOfType<KernelOp>();
  bool isArgument = bool(getFunctionOf(argument)) && kernel;
  // Without facts, an argument is aligned for all vectors.
  int64_t bits = getElementBits(region.buffer), bytes = bits * limit / 8;
  if (isArgument)
    bytes = mlir::tile::getAlignment(kernel, argument, bytes);
  auto isStrideAligned = [&](unsigned dim, int64_t width) {
    if (!ShapedType::isDynamic(strides[dim]))
      return strides[dim] % width == 0;
    return argument == region.buffer && isArgument &&
           getStrideMultiple(kernel, argument, dim) % width == 0;
  };
  auto isAligned = [&](int64_t width) {
    if (width * bits > bytes * 8 || region.sizes.back() % width != 0 ||
        !isMultiple(executions, first, width) ||
        !isMultiple(executions, extent, width))
      return false;
    // Rows of the identity layout are as far apart as they are long.
    if (type.getLayout().isIdentity())
      return true;
    return llvm::all_of(llvm::seq<unsigned>(0, rank - 1),
                        [&](unsigned dim) {
                          return isStrideAligned(dim, width);
                        }) &&
           !ShapedType::isDynamic(offset) && offset % width == 0;
  };
  int64_t width = llvm::bit_floor<uint64_t>(std::max<int64_t>(limit, 1));
  while (width > 1 && !isAligned(width))
    width /= 2;
  return width;
}

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

/// What a chip has none of is no loss to a kernel.
static bool hasFamily(const Target &target, Instruction family) {
  if (family == Instruction::TMA)
    return target.getGPU()->tma;
  return hasAsyncCopies(target);
}

namespace {
class CopySelector {
public:
  CopySelector(CopyOp copy, const Target &target)
      : copy(copy), target(target), source(copy.getSourceRegion()),
        destination(copy.getTargetRegion()) {}

  Result<TransferAttr> select(Instruction family);
  /// The best one, with the reasons against the others in `slower`.
  TransferAttr choose(bool async, std::string &slower);
  /// Whether a tensor map could describe the target of a store that may go
  /// through a shared tile.
  bool hasTensor();
  /// Whether later iterations can be in flight while earlier ones compute.
  bool isPipelined(Instruction family);
  /// Whether the block has a producer beside the copy, because of a loop.
  bool hasProducer();
  /// Whether a thread would hold much of a tile in registers on its way, in a
  /// kernel of which nothing else is under way meanwhile.
  bool fillsRegisters();
  /// Whether a loop of the kernel has tensor copies that run ahead.
  bool hasTensorPipeline(KernelOp kernel);
  LogicalResult checkWidth();

private:
  MemorySpace sourceSpace() { return getMemorySpace(source.buffer); }
  MemorySpace targetSpace() { return getMemorySpace(destination.buffer); }
  Type typeOf(const BufferRegion &region) {
    return region.getType().getElementType();
  }
  TransferAttr build(Instruction family, int64_t bytes) {
    return TransferAttr::get(copy.getContext(), family, bytes);
  }
  /// Elements of a vector that both sides allow.
  int64_t getVector();
  Status checkFill();
  Status checkTensor(const BufferRegion &global, int64_t bits);
  Result<TransferAttr> selectSync();
  Result<TransferAttr> selectCpAsync();
  Result<TransferAttr> selectTma();
  Result<TransferAttr> selectMatrix();

  CopyOp copy;
  const Target &target;
  BufferRegion source, destination;
};
} // namespace

bool CopySelector::isPipelined(Instruction family) {
  Operation *parent = copy->getParentOp();
  // A producer takes the branches of a loop, too.
  while (family == Instruction::TMA && isa<scf::IfOp>(parent))
    parent = parent->getParentOp();
  auto loop = dyn_cast<PipelinedOp>(parent);
  return loop && loop.getStages() >= 2;
}

bool CopySelector::hasProducer() {
  auto kernel = dyn_cast<KernelOp>(copy->getParentOp());
  if (!kernel || targetSpace() != MemorySpace::Shared)
    return false;
  return kernel
             .walk([&](Operation *op) {
               return isPipelinedGather(op, target) ? WalkResult::interrupt()
                                                    : WalkResult::advance();
             })
             .wasInterrupted() ||
         hasTensorPipeline(kernel);
}

bool CopySelector::fillsRegisters() {
  // Half of the registers of a thread, if a processor has as many threads as
  // it can.
  constexpr int64_t kRegisterBytes = 4;
  const ::tile::target::GPUSpec &gpu = *target.getGPU();
  int64_t registers = gpu.registersPerSM / gpu.maxThreadsPerSM / 2;
  auto kernel = dyn_cast<KernelOp>(copy->getParentOp());
  if (!kernel || sourceSpace() != MemorySpace::Global ||
      targetSpace() != MemorySpace::Shared ||
      kernel.walk([](PipelinedOp) { return WalkResult::interrupt(); })
          .wasInterrupted())
    return false;
  int64_t bytes = getBufferBytes(destination.getType()) / kernel.getThreads();
  return bytes >= registers * kRegisterBytes;
}

bool CopySelector::hasTensorPipeline(KernelOp kernel) {
  return kernel
      .walk([&](CopyOp other) {
        return CopySelector(other, target).isPipelined(Instruction::TMA) &&
                       CopySelector(other, target).select(Instruction::TMA)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

int64_t CopySelector::getVector() {
  const GPUSpec &gpu = *target.getGPU();
  int64_t limit = getVectorLimit(8, gpu);
  for (const BufferRegion *region : {&source, &destination})
    limit =
        std::min(limit, getVectorLimit(getElementBits(region->buffer), gpu));
  for (const BufferRegion *region : {&source, &destination})
    if (getMemorySpace(region->buffer) != MemorySpace::Fragment)
      limit = getAlignment(copy, *region, limit);
  return limit;
}

/// Tensor copies fill with zeros what lies outside of their source.
Status CopySelector::checkFill() {
  auto kernel = copy->getParentOfType<KernelOp>();
  for (auto hint : kernel.getBody().getOps<PaddingValueOp>()) {
    if (hint.getBuffer() != source.buffer)
      continue;
    Attribute value;
    bool isZero = matchPattern(hint.getValue(), m_Constant(&value)) &&
                  (matchPattern(value, m_Zero()) ||
                   matchPattern(value, m_PosZeroFloat()));
    if (!isZero)
      return fail("expected the padding value 0, got another one");
  }
  return Success{};
}

Result<TransferAttr> CopySelector::selectSync() {
  int64_t bits = 8;
  for (const BufferRegion *region : {&source, &destination})
    if (getMemorySpace(region->buffer) != MemorySpace::Fragment)
      bits = std::max(bits, getElementBits(region->buffer));
  return build(Instruction::Sync, std::max<int64_t>(1, getVector() * bits / 8));
}

static Status checkTypes(CopyOp copy, Type from, Type to) {
  if (from != to) {
    std::string text;
    llvm::raw_string_ostream(text) << "'" << from << "' and '" << to << "'";
    return fail("expected one element type, got ", text);
  }
  if (!from.isIntOrFloat() || from.getIntOrFloatBitWidth() < 8)
    return fail("expected elements of whole bytes");
  if (copy.getSaturate())
    return fail("expected a copy without 'saturate'");
  return Success{};
}

Result<TransferAttr> CopySelector::selectCpAsync() {
  if (sourceSpace() != MemorySpace::Global ||
      targetSpace() != MemorySpace::Shared)
    return fail("expected a copy from global to shared memory, got one from '",
                stringifyMemorySpace(sourceSpace()).str(), "' to '",
                stringifyMemorySpace(targetSpace()).str(), "'");
  if (Status ok = checkTypes(copy, typeOf(source), typeOf(destination)); !ok)
    return ok.failure();
  if (!hasAsyncCopies(target))
    return fail(target.name.str(), " has no asynchronous copies of threads");
  int64_t element = getElementBits(source.buffer) / 8;
  int64_t vector = getVector() * element;
  for (int64_t bytes = vector; bytes >= element; bytes /= 2)
    for (const CopyRow *row :
         findCopies(target, Space::Global, Space::Shared, bytes))
      if (isAsyncCopy(*row))
        return build(Instruction::CpAsync, bytes);
  std::string widths;
  for (const CopyRow &row : target.copies)
    if (isAsyncCopy(row))
      for (int64_t width : row.widths)
        widths += (widths.empty()                  ? ""
                   : width == row.widths.back() ? " or "
                                                : ", ") +
                  std::to_string(width);
  return fail("expected vectors of ", widths,
              " bytes that are known to be aligned, got ", vector);
}

Result<TransferAttr> CopySelector::selectTma() {
  bool loads = sourceSpace() == MemorySpace::Global &&
               targetSpace() == MemorySpace::Shared;
  bool stores = sourceSpace() == MemorySpace::Shared &&
                targetSpace() == MemorySpace::Global;
  const TMASpec *tma = target.getGPU()->tma;
  if (!tma)
    return fail(target.name.str(), " has no tma");
  if (!loads && !stores)
    return fail("expected a copy between global and shared memory, got one "
                "from '",
                stringifyMemorySpace(sourceSpace()).str(), "' to '",
                stringifyMemorySpace(targetSpace()).str(), "'");
  if (Status ok = checkTypes(copy, typeOf(source), typeOf(destination)); !ok)
    return ok.failure();
  if (loads)
    if (Status ok = checkFill(); !ok)
      return ok.failure();
  const BufferRegion &global = loads ? source : destination;
  const BufferRegion &tile = loads ? destination : source;
  // A tensor map is made at launch, of what the launch gets.
  if (!getDescribedBuffer(global.buffer))
    return fail("expected an argument or a workspace of the function, or a "
                "reshape of one, got another view");
  MemRefType type = global.getType();
  if (type.getRank() < 1 || type.getRank() > tma->maxRank)
    return fail("expected a tensor of 1 to ", tma->maxRank, " dimensions, got ",
                type.getRank());
  int64_t bits = getElementBits(tile.buffer);
  if (Status ok = checkTensor(global, bits); !ok)
    return ok.failure();
  // The forms that inference gives to a shared tile.
  std::vector<int64_t> shape = getShapeOf(tile.buffer);
  std::string reason;
  for (const Result<Layout> &form :
       {swizzledTile(shape, bits), Layout::rowMajor(shape)}) {
    Result<TensorBoxes> boxes =
        form ? matchTensorCopy(copy, *form, *tma) : form.failure();
    if (boxes)
      return build(Instruction::TMA, 0);
    reason = boxes.reason();
  }
  return fail(reason);
}

/// What a launch needs to describe the tensor by a map.
Status CopySelector::checkTensor(const BufferRegion &global, int64_t bits) {
  const TMASpec *tma = target.getGPU()->tma;
  MemRefType type = global.getType();
  int64_t unit = tma->strideMultiple * 8 / bits;
  AccessSystem executions(copy->getContext());
  executions.addDomain(copy, 0);
  auto kernel = copy->getParentOfType<KernelOp>();
  auto argument = dyn_cast<BlockArgument>(getBaseBuffer(global.buffer));
  if (kernel && getFunctionOf(argument) &&
      mlir::tile::getAlignment(kernel, argument, tma->strideMultiple) %
              tma->strideMultiple !=
          0)
    return fail("expected a tensor that begins at a multiple of ",
                tma->strideMultiple,
                " bytes, got one of which this is not known; say so with "
                "'tile.align'");
  // A tensor of one dimension has no strides.
  if (type.getRank() > 1 &&
      (!type.getLayout().isIdentity() ||
       !isMultiple(executions,
                   executions.getExtent(global.buffer, type.getRank() - 1),
                   unit)))
    return fail("expected rows of a multiple of ", tma->strideMultiple,
                " bytes, got an extent that is not known to be a multiple "
                "of ",
                unit, "; say so with 'tile.assume'");
  unsigned last = type.getRank() - 1;
  if (!isMultiple(executions,
                  executions.getExpr(getOffset(global, last), global.operands,
                                     0),
                  unit))
    return fail("expected a region that begins at a multiple of ",
                tma->strideMultiple, " bytes in dimension ", last,
                ", got an offset that is not known to be a multiple of ", unit,
                "; say so with 'tile.assume'");
  // A tensor map cannot describe an empty tensor: no copy of one may be made.
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    if (!isPositive(copy, global.buffer, dim))
      return fail("expected a tensor that is known not to be empty, got a "
                  "dimension ",
                  dim, " that may be 0; say so with 'tile.assume'");
  return Success{};
}

/// Whether the layouts fit is known when they are.
Result<TransferAttr> CopySelector::selectMatrix() {
  bool loads = sourceSpace() == MemorySpace::Shared &&
               targetSpace() == MemorySpace::Fragment;
  bool stores = sourceSpace() == MemorySpace::Fragment &&
                targetSpace() == MemorySpace::Shared;
  if (!loads && !stores)
    return fail("expected a copy between a fragment and shared memory, got one "
                "from '",
                stringifyMemorySpace(sourceSpace()).str(), "' to '",
                stringifyMemorySpace(targetSpace()).str(), "'");
  constexpr int64_t kBytes = 16;
  for (const CopyRow *row :
       findCopies(target, loads ? Space::Shared : Space::Register,
                  loads ? Space::Register : Space::Shared, kBytes))
    if (row->family == CopyFamily::LdMatrix)
      return build(Instruction::LdMatrix, kBytes);
  return fail(target.name.str(), " has no ", loads ? "ldmatrix" : "stmatrix");
}

Result<TransferAttr> CopySelector::select(Instruction family) {
  switch (family) {
  case Instruction::Sync:
    return selectSync();
  case Instruction::CpAsync:
    return selectCpAsync();
  case Instruction::TMA:
    return selectTma();
  case Instruction::LdMatrix:
    return selectMatrix();
  default:
    return fail("expected sync, cp_async, tma or ldmatrix");
  }
}

TransferAttr CopySelector::choose(bool async, std::string &slower) {
  auto connects = [&](MemorySpace space) {
    return sourceSpace() == space || targetSpace() == space;
  };
  if (async && isPipelined(Instruction::TMA) && connects(MemorySpace::Global) &&
      connects(MemorySpace::Shared)) {
    for (Instruction family : {Instruction::TMA, Instruction::CpAsync}) {
      if (!hasFamily(target, family) || !isPipelined(family))
        continue;
      Result<TransferAttr> attr = select(family);
      if (attr && family == Instruction::CpAsync && !hasWideAsyncCopies(target))
        attr = fail("a lane moves ", attr->getBytes(), " bytes, and ",
                    target.getGPU()->vectorBytes,
                    " through registers; say so with 'prefer(cp_async)'");
      if (attr)
        return *attr;
      slower += (slower.empty() ? "no " : "; no ") +
                stringifyInstruction(family).str() + ": " + attr.reason();
    }
  } else if (async && hasProducer()) {
    if (Result<TransferAttr> attr = select(Instruction::TMA))
      return *attr;
  } else if (async && fillsRegisters() && hasWideAsyncCopies(target)) {
    Result<TransferAttr> attr = select(Instruction::CpAsync);
    if (attr && attr->getBytes() == target.getGPU()->vectorBytes)
      return *attr;
  }
  return *select(Instruction::Sync);
}

bool CopySelector::hasTensor() {
  return target.getGPU()->tma && targetSpace() == MemorySpace::Global &&
         destination.getType().getRank() > 0 &&
         isa<Float16Type, BFloat16Type>(typeOf(destination)) &&
         bool(checkTensor(destination, getElementBits(destination.buffer)));
}

LogicalResult CopySelector::checkWidth() {
  std::optional<uint64_t> width = copy.getCoalescedWidth();
  int64_t known = getVector();
  if (!width || int64_t(*width) <= known)
    return success();
  return copy.emitOpError()
         << "cannot use vectors of " << *width
         << " elements: they are known to be aligned to " << known;
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

CopyForm mlir::tile::getCopyForm(CopyOp copy, const Target &target) {
  CopySelector selector(copy, target);
  std::string ignored;
  if (copy.getPrefer())
    if (Result<TransferAttr> attr = selector.select(*copy.getPrefer()))
      return {*attr, false};
  // A copy outside of a pipeline may become one of a tensor: a store.
  return {selector.choose(/*async=*/true, ignored), selector.hasTensor()};
}

Status mlir::tile::selectTensorCopy(CopyOp copy, const Target &target) {
  Result<TransferAttr> attr =
      CopySelector(copy, target).select(Instruction::TMA);
  if (!attr)
    return attr.failure();
  copy.setInstructionAttr(*attr);
  return Success{};
}

TransferAttr mlir::tile::selectThreadCopy(CopyOp copy, const Target &target) {
  CopySelector selector(copy, target);
  if (copy.getPrefer() ||
      !selector.isPipelined(Instruction::CpAsync) ||
      !hasWideAsyncCopies(target))
    return {};
  Result<TransferAttr> attr = selector.select(Instruction::CpAsync);
  return attr ? *attr : TransferAttr();
}

bool mlir::tile::isLoadedBesideGathers(CopyOp copy, const Target &target) {
  CopySelector selector(copy, target);
  return !copy.getPrefer() && selector.hasProducer() &&
         !selector.hasTensorPipeline(copy->getParentOfType<KernelOp>()) &&
         bool(selector.select(Instruction::TMA));
}

LogicalResult mlir::tile::selectCopy(CopyOp copy, const Target &target,
                                     bool async) {
  CopySelector selector(copy, target);
  if (failed(selector.checkWidth()))
    return failure();
  auto opts = remark::RemarkOpts::name("CopyInstruction").category(kCategory);
  std::string slower;
  TransferAttr chosen;
  if (std::optional<Instruction> prefer = copy.getPrefer()) {
    Result<TransferAttr> attr = selector.select(*prefer);
    if (!attr)
      return copy.emitOpError()
             << "cannot use '" << stringifyInstruction(*prefer) << "' on "
             << target.name << ": " << attr.reason();
    chosen = *attr;
  } else {
    chosen = selector.choose(async, slower);
  }
  copy.setInstructionAttr(chosen);
  if (!slower.empty()) {
    bool isSync = chosen.getFamily() == Instruction::Sync;
    remarkMissed(copy, remark::RemarkOpts::name(isSync ? "AsyncCopy"
                                                       : "TensorCopy")
                           .category(kCategory))
        << remark::reason("{0}", slower);
  }
  std::string text = stringifyInstruction(chosen.getFamily()).str();
  if (chosen.getBytes())
    text += " of " + std::to_string(chosen.getBytes()) + " bytes";
  remark::passed(copy.getLoc(), opts) << text;
  return success();
}
