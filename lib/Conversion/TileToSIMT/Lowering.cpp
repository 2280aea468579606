//===- Lowering.cpp - state of the SIMT lowering --------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpaqueThreads.h"

#include "Tile/Conversion/TileToSIMT/SIMTTarget.h"
#include "Tile/Conversion/TileToSIMT/Teams.h"

#include "Tile/Layout/Distribute.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::layout::Layout;

#include "Tile/Conversion/TileToSIMT/SIMTLoweringInterface.cpp.inc"

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

Type simt::getStorageType(Type element) {
  if (element.isIndex())
    return IntegerType::get(element.getContext(), 64);
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type, IntegerType>(
          element))
    return element;
  return IntegerType::get(element.getContext(),
                          element.getIntOrFloatBitWidth());
}

static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

Value simt::fromStorage(OpBuilder &b, Location loc, Value value, Type element) {
  Type type = withElement(value.getType(), element);
  if (type == value.getType())
    return value;
  if (element.isIndex())
    return arith::IndexCastOp::create(b, loc, type, value);
  return arith::BitcastOp::create(b, loc, type, value);
}

Value simt::toStorage(OpBuilder &b, Location loc, Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  Type type = withElement(value.getType(), getStorageType(element));
  if (type == value.getType())
    return value;
  if (element.isIndex())
    return arith::IndexCastOp::create(b, loc, type, value);
  return arith::BitcastOp::create(b, loc, type, value);
}

SmallVector<Value> simt::emitAsm(OpBuilder &b, Location loc, const Twine &text,
                                 TypeRange results, StringRef constraints,
                                 ValueRange operands) {
  Type type = results.empty() ? Type(LLVM::LLVMVoidType::get(b.getContext()))
              : results.size() == 1
                  ? results.front()
                  : Type(LLVM::LLVMStructType::getLiteral(
                        b.getContext(), llvm::to_vector(results)));
  auto op = LLVM::InlineAsmOp::create(
      b, loc, results.empty() ? TypeRange() : TypeRange(type), operands,
      b.getStringAttr(text.str()), b.getStringAttr(constraints),
      /*has_side_effects=*/b.getUnitAttr(), /*is_align_stack=*/UnitAttr(),
      LLVM::TailCallKindAttr::get(b.getContext(),
                                  LLVM::tailcallkind::TailCallKind::None),
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
  if (results.empty())
    return {};
  if (results.size() == 1)
    return {op.getResult(0)};
  SmallVector<Value> values;
  for (size_t i = 0; i < results.size(); ++i)
    values.push_back(LLVM::ExtractValueOp::create(b, loc, op.getResult(0), i));
  return values;
}

static int64_t bitsOf(const Buffer &buffer) {
  return getElementBits(buffer.element);
}

/// Of an element of a vector in memory: LLVM packs others than whole bytes.
static Type getMemoryType(const Buffer &buffer) {
  Type storage = getStorageType(buffer.element);
  return storage.getIntOrFloatBitWidth() == bitsOf(buffer)
             ? storage
             : IntegerType::get(storage.getContext(), bitsOf(buffer));
}

static int64_t bytesOf(Type storage) {
  return llvm::divideCeil(storage.getIntOrFloatBitWidth(), 8);
}

//===----------------------------------------------------------------------===//
// Walking the kernel
//===----------------------------------------------------------------------===//

KernelLowering::KernelLowering(KernelOp kernel, gpu::GPUFuncOp function,
                               const ::tile::target::Target &target,
                               const SIMTTarget &simt, Value arena,
                               int64_t arenaBytes, LaunchBuilder &launch)
    : kernel(kernel), function(function), target(target), simt(simt),
      b(function.getContext()), arena(arena), launch(launch),
      arenaBytes(arenaBytes) {}

LogicalResult KernelLowering::lower(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(lower(&op)))
      return failure();
  return success();
}

LogicalResult KernelLowering::lower(Operation *op) {
  if (auto lowerable = dyn_cast<SIMTLoweringOpInterface>(op)) {
    b.setInsertionPoint(op);
    if (failed(lowerable.lowerToThreads(*this)))
      return failure();
    if (op->use_empty())
      op->erase();
    else
      deferred.push_back(op);
    return success();
  }
  if (isa_and_nonnull<TileDialect>(op->getDialect()))
    return op->emitOpError("cannot be lowered to threads of a GPU");
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(lower(block)))
        return failure();
  return success();
}

void KernelLowering::eraseDeferred() {
  // One that something unknown still uses stays, and is reported.
  for (Operation *op : llvm::reverse(deferred))
    if (op->use_empty())
      op->erase();
  deferred.clear();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value KernelLowering::i32(Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}

Value KernelLowering::toI32(Location loc, Value value) {
  return value.getType().isIndex()
             ? b.createOrFold<arith::IndexCastOp>(loc, b.getI32Type(), value)
             : value;
}

Value KernelLowering::toIndex(Location loc, Value value) {
  // Coordinates of tiles are not negative.
  return value.getType().isIndex()
             ? value
             : b.createOrFold<arith::IndexCastUIOp>(loc, b.getIndexType(),
                                                    value);
}

void KernelLowering::inIf(Location loc, Value condition,
                          function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

void KernelLowering::forEachRegister(Location loc, int64_t count,
                                     function_ref<void(Value)> body) {
  int64_t together = 8;
  while (count % together != 0)
    --together;
  auto loop = scf::ForOp::create(b, loc, i32(loc, 0), i32(loc, count),
                                 i32(loc, together));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  for (int64_t i = 0; i < together; ++i)
    body(b.createOrFold<arith::AddIOp>(loc, loop.getInductionVar(),
                                       i32(loc, i)));
}

void KernelLowering::barrier(Location loc) {
  if (Value barrier = getMeetingBarrier(*this, loc))
    simt.partialBarrier(*this, loc, barrier, group.size());
  else
    gpu::BarrierOp::create(b, loc);
}

Value simt::getMeetingBarrier(KernelLowering &l, Location loc) {
  if (l.threads().barrier == 0)
    return {};
  Value barrier = l.i32(loc, l.threads().barrier);
  Value team = l.getState<Teams>().number;
  return team ? Value(arith::AddIOp::create(l.builder(), loc, barrier, team))
              : barrier;
}

void KernelLowering::inFirstThread(Location loc, function_ref<void()> body) {
  Value first = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                      group.thread, i32(loc, 0));
  inIf(loc, first, body);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

void KernelLowering::setBuffer(Value memref, Buffer buffer) {
  buffers[memref] = std::move(buffer);
}

void KernelLowering::setPaddingValue(Value memref, Value value) {
  auto it = buffers.find(memref);
  if (it != buffers.end())
    it->second.paddingValue = value;
}

const Buffer *KernelLowering::getBuffer(Operation *op, Value memref) {
  auto it = buffers.find(memref);
  if (it != buffers.end())
    return &it->second;
  InFlightDiagnostic diag =
      op->emitOpError("uses a buffer that has no place on a GPU; expected an "
                      "argument of the function, a 'tile.alloc' or a view of "
                      "one of them");
  diag.attachNote(memref.getLoc()) << "the buffer comes from here";
  return nullptr;
}

Value KernelLowering::createRegisters(Location loc, Type element,
                                      int64_t count) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.getBody().front());
  return LLVM::AllocaOp::create(
      b, loc,
      LLVM::LLVMPointerType::get(b.getContext(), simt.getPrivateAddressSpace()),
      LLVM::LLVMArrayType::get(getStorageType(element), count),
      i32(loc, 1), /*alignment=*/16);
}

static Value getRegisterAddress(OpBuilder &b, Location loc,
                                const Buffer &buffer, int64_t reg) {
  return LLVM::GEPOp::create(b, loc, buffer.base.getType(),
                             getStorageType(buffer.element), buffer.base,
                             ArrayRef<LLVM::GEPArg>{int32_t(reg)});
}

Value KernelLowering::loadRegister(Location loc, const Buffer &buffer,
                                   int64_t reg) {
  Value address = getRegisterAddress(b, loc, buffer, reg);
  Value value = LLVM::LoadOp::create(b, loc, getStorageType(buffer.element),
                                     address);
  return fromStorage(b, loc, value, buffer.element);
}

void KernelLowering::storeRegister(Location loc, Value value,
                                   const Buffer &buffer, int64_t reg) {
  Value address = getRegisterAddress(b, loc, buffer, reg);
  LLVM::StoreOp::create(b, loc, toStorage(b, loc, value), address);
}

Buffer KernelLowering::getStaging(Location loc, Type element, int64_t count) {
  Type storage = getStorageType(element);
  int64_t bytes = count * bytesOf(storage);
  if (!staging)
    staging = createRegisters(loc, b.getI8Type(), bytes)
                  .getDefiningOp<LLVM::AllocaOp>();
  auto type = cast<LLVM::LLVMArrayType>(staging.getElemType());
  if (int64_t(type.getNumElements()) < bytes)
    staging.setElemType(LLVM::LLVMArrayType::get(b.getI8Type(), bytes));
  Buffer buffer;
  buffer.space = MemorySpace::Local;
  buffer.element = element;
  buffer.shape = {count};
  buffer.base = staging;
  return buffer;
}

Value KernelLowering::getStaged(Location loc, const Buffer &staging,
                                Value index) {
  return LLVM::GEPOp::create(b, loc, staging.base.getType(),
                             getStorageType(staging.element), staging.base,
                             ArrayRef<LLVM::GEPArg>{index});
}

/// Whether registers are accessed as a vector: LLVM packs others than bytes.
static bool areNeighbours(const Buffer &buffer, ArrayRef<int64_t> registers) {
  if (getStorageType(buffer.element).getIntOrFloatBitWidth() % 8 != 0)
    return false;
  for (auto [i, reg] : llvm::enumerate(registers))
    if (reg != registers.front() + int64_t(i))
      return false;
  return true;
}

Value KernelLowering::loadRegisters(Location loc, const Buffer &buffer,
                                    ArrayRef<int64_t> registers) {
  int64_t count = registers.size();
  Type storage = getStorageType(buffer.element);
  if (areNeighbours(buffer, registers)) {
    Value address = getRegisterAddress(b, loc, buffer, registers.front());
    Value vector =
        LLVM::LoadOp::create(b, loc, VectorType::get(count, storage), address,
                             unsigned(bytesOf(storage)));
    return fromStorage(b, loc, vector, buffer.element);
  }
  SmallVector<Value> elements;
  for (int64_t reg : registers)
    elements.push_back(loadRegister(loc, buffer, reg));
  return vector::FromElementsOp::create(
      b, loc, VectorType::get(count, buffer.element), elements);
}

void KernelLowering::storeRegisters(Location loc, Value vector,
                                    const Buffer &buffer,
                                    ArrayRef<int64_t> registers) {
  if (areNeighbours(buffer, registers)) {
    Value address = getRegisterAddress(b, loc, buffer, registers.front());
    LLVM::StoreOp::create(b, loc, toStorage(b, loc, vector), address,
                          unsigned(bytesOf(getStorageType(buffer.element))));
    return;
  }
  for (auto [i, reg] : llvm::enumerate(registers))
    storeRegister(loc,
                  vector::ExtractOp::create(b, loc, vector,
                                            ArrayRef<int64_t>{int64_t(i)}),
                  buffer, reg);
}

/// Digits of a coordinate, each times its stride, in i32.
static Value getLayoutOffset(KernelLowering &l, Location loc,
                             const Layout &layout, ValueRange coordinates) {
  OpBuilder &b = l.builder();
  Value sum = l.i32(loc, 0);
  for (int dim = 0; dim < layout.rank(); ++dim) {
    Value coordinate = l.toI32(loc, coordinates[dim]);
    int64_t weight = 1;
    const auto &digits = layout.dims()[dim].digits;
    for (size_t i = digits.size(); i-- > 0;) {
      Value value = coordinate;
      if (weight != 1)
        value = b.createOrFold<arith::DivUIOp>(loc, value, l.i32(loc, weight));
      if (i != 0)
        value = b.createOrFold<arith::RemUIOp>(loc, value,
                                               l.i32(loc, digits[i].extent));
      weight *= digits[i].extent;
      if (digits[i].stride == 0)
        continue;
      value = b.createOrFold<arith::MulIOp>(loc, value,
                                            l.i32(loc, digits[i].stride));
      sum = b.createOrFold<arith::AddIOp>(loc, sum, value);
    }
  }
  ::tile::layout::Swizzle swizzle = layout.swizzle();
  if (swizzle.isIdentity())
    return sum;
  int64_t mask = ((int64_t(1) << swizzle.bits) - 1) << swizzle.base;
  Value high =
      b.createOrFold<arith::ShRUIOp>(loc, sum, l.i32(loc, swizzle.shift));
  high = b.createOrFold<arith::AndIOp>(loc, high, l.i32(loc, mask));
  return b.createOrFold<arith::XOrIOp>(loc, sum, high);
}

Value KernelLowering::getOffset(Location loc, const Buffer &buffer,
                                ValueRange coordinates) {
  if (buffer.space == MemorySpace::Shared)
    return getLayoutOffset(*this, loc, buffer.layout, coordinates);
  Value sum = constantIndex(b, loc, 0);
  for (auto [coordinate, stride] : llvm::zip(coordinates, buffer.strides)) {
    Value value = b.createOrFold<arith::MulIOp>(
        loc, toIndex(loc, coordinate),
        getValueOrCreateConstantIndexOp(b, loc, stride));
    sum = b.createOrFold<arith::AddIOp>(loc, sum, value);
  }
  return sum;
}

/// The byte of an element of 4 bits. An even number that is added stays outside
/// of the division, and is then part of the instruction; what it is added to
/// may be negative.
static Value getByteOffset(OpBuilder &b, Location loc, Value offset) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(offset.getType(), value));
  };
  auto sum = offset.getDefiningOp<arith::AddIOp>();
  std::optional<int64_t> added =
      sum ? getConstantIntValue(sum.getRhs()) : std::nullopt;
  if (!added || *added % 2 != 0)
    return b.createOrFold<arith::DivUIOp>(loc, offset, number(2));
  Value bytes =
      b.createOrFold<arith::ShRSIOp>(loc, sum.getLhs(), number(1));
  return b.createOrFold<arith::AddIOp>(loc, bytes, number(*added / 2));
}

Value KernelLowering::getAddress(Location loc, const Buffer &buffer,
                                 Value offset) {
  Type storage = getStorageType(buffer.element);
  if (bitsOf(buffer) == 4) {
    offset = getByteOffset(b, loc, offset);
    storage = b.getI8Type();
  }
  if (offset.getType().isIndex())
    offset =
        b.createOrFold<arith::IndexCastOp>(loc, b.getI64Type(), offset);
  if (storage.isInteger(1))
    storage = b.getI8Type();
  return LLVM::GEPOp::create(b, loc, buffer.base.getType(), storage,
                             buffer.base, ArrayRef<LLVM::GEPArg>{offset});
}

/// The half of a byte in which an element of 4 bits lies.
static Value selectHalf(KernelLowering &l, Location loc, Value byte,
                        Value offset) {
  OpBuilder &b = l.builder();
  Value odd = b.createOrFold<arith::TruncIOp>(loc, b.getI1Type(),
                                              l.toI32(loc, offset));
  Value high = arith::ShRUIOp::create(
      b, loc, byte, arith::ConstantIntOp::create(b, loc, 4, 8));
  Value half = arith::SelectOp::create(b, loc, odd, high, byte);
  return arith::TruncIOp::create(b, loc, b.getIntegerType(4), half);
}

Value KernelLowering::load(Location loc, const Buffer &buffer, Value offset,
                           int64_t count) {
  Type storage = getStorageType(buffer.element);
  Value address = getAddress(loc, buffer, offset);
  if (bitsOf(buffer) == 4 && count == 1) {
    auto byte = LLVM::LoadOp::create(b, loc, b.getI8Type(), address, 1);
    halves[unsigned(buffer.space)].loads.push_back(byte);
    return fromStorage(b, loc, selectHalf(*this, loc, byte, offset),
                       buffer.element);
  }
  if (count == 1)
    return fromStorage(b, loc, LLVM::LoadOp::create(b, loc, storage, address),
                       buffer.element);
  Type type = VectorType::get(count, storage);
  int64_t align = llvm::divideCeil(count * bitsOf(buffer), 8);
  // LLVM packs vectors of i4; what it loads is an integer of the same bits.
  if (bitsOf(buffer) == 4) {
    Value bits =
        LLVM::LoadOp::create(b, loc, b.getIntegerType(4 * count), address,
                             unsigned(align));
    return fromStorage(b, loc, LLVM::BitcastOp::create(b, loc, type, bits),
                       buffer.element);
  }
  Type memory = VectorType::get(count, getMemoryType(buffer));
  Value loaded = LLVM::LoadOp::create(b, loc, memory, address, unsigned(align));
  if (memory != type)
    loaded = arith::TruncIOp::create(b, loc, type, loaded);
  return fromStorage(b, loc, loaded, buffer.element);
}

/// Both halves of a byte may be written at a time: clears the half, then sets
/// it, in the word around it, which other threads update in the same way.
void KernelLowering::storeHalf(Location loc, Value value, const Buffer &buffer,
                               Value offset) {
  halves[unsigned(buffer.space)].areStored = true;
  if (buffer.owner)
    halfStores.insert(*buffer.owner);
  Value byte = getAddress(loc, buffer, offset);
  Value place = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), byte);
  place = arith::AndIOp::create(
      b, loc, place, arith::ConstantIntOp::create(b, loc, kAtomicBytes - 1, 64));
  Value back = arith::SubIOp::create(
      b, loc, arith::ConstantIntOp::create(b, loc, 0, 64), place);
  Value word = LLVM::GEPOp::create(b, loc, byte.getType(), b.getI8Type(), byte,
                                   ArrayRef<LLVM::GEPArg>{back});
  Value odd = b.createOrFold<arith::AndIOp>(loc, toI32(loc, offset),
                                            i32(loc, 1));
  Value half = arith::TruncIOp::create(b, loc, b.getI32Type(), place);
  Value shift = arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, half, i32(loc, 8)),
      arith::MulIOp::create(b, loc, odd, i32(loc, 4)));
  Value mask = arith::ShLIOp::create(b, loc, i32(loc, 0xF), shift);
  Value others = arith::XOrIOp::create(b, loc, mask, i32(loc, -1));
  Value bits = arith::ShLIOp::create(
      b, loc, arith::ExtUIOp::create(b, loc, b.getI32Type(), value), shift);
  LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::_and, word, others,
                            LLVM::AtomicOrdering::monotonic);
  LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::_or, word, bits,
                            LLVM::AtomicOrdering::monotonic);
}

void KernelLowering::orderHalfLoads() {
  for (auto &[space, accesses] : halves)
    if (accesses.areStored)
      for (LLVM::LoadOp load : accesses.loads)
        load.setOrdering(LLVM::AtomicOrdering::monotonic);
}

void KernelLowering::store(Location loc, Value value, const Buffer &buffer,
                           Value offset, int64_t count) {
  value = toStorage(b, loc, value);
  if (bitsOf(buffer) == 4 && count == 1)
    return storeHalf(loc, value, buffer, offset);
  Value address = getAddress(loc, buffer, offset);
  unsigned align = count == 1 ? bytesOf(getStorageType(buffer.element))
                              : llvm::divideCeil(count * bitsOf(buffer), 8);
  if (bitsOf(buffer) == 4)
    value = LLVM::BitcastOp::create(b, loc, b.getIntegerType(4 * count), value);
  else if (Type memory = getMemoryType(buffer);
           count > 1 && memory != getElementTypeOrSelf(value.getType()))
    value = arith::ExtUIOp::create(b, loc, VectorType::get(count, memory),
                                   value);
  LLVM::StoreOp::create(b, loc, value, address, align);
}

Value KernelLowering::getArena(Location loc, int64_t offset) {
  return LLVM::GEPOp::create(b, loc, arena.getType(), b.getI8Type(), arena,
                             ArrayRef<LLVM::GEPArg>{int32_t(offset)});
}

int64_t KernelLowering::extendArena(Location loc, int64_t bytes,
                                    int64_t alignment) {
  getState<Teams>().exchange = loc;
  int64_t begin = llvm::alignTo(arenaBytes, alignment);
  arenaBytes = begin + bytes;
  return begin;
}

Value KernelLowering::getScratch(Location loc, int64_t bytes) {
  getState<Teams>().exchange = loc;
  // A row of banks.
  int64_t alignment = getGPU().sharedBanks * getGPU().sharedBankBytes;
  int64_t begin = llvm::alignTo(arenaBytes, alignment);
  scratchBytes = std::max(scratchBytes, begin - arenaBytes + bytes);
  return getArena(loc, begin);
}

BufferRegion simt::withOffsets(BufferRegion region) {
  if (region.map)
    return region;
  MLIRContext *context = region.buffer.getContext();
  SmallVector<AffineExpr> zeros(region.sizes.size(),
                                getAffineConstantExpr(0, context));
  region.map = AffineMap::get(0, 0, zeros, context);
  return region;
}

SmallVector<Value> simt::expandMap(OpBuilder &b, Location loc, AffineMap map,
                                   ValueRange operands) {
  SmallVector<Value> values;
  for (AffineExpr expr : map.getResults())
    values.push_back(
        affine::expandAffineExpr(b, loc, expr,
                                 operands.take_front(map.getNumDims()),
                                 operands.drop_front(map.getNumDims())));
  return values;
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

Layout simt::getCoalescedLayout(ArrayRef<int64_t> shape, int64_t run,
                                const ThreadGroup &threads) {
  return ::tile::layout::partition({shape.begin(), shape.end()}, run,
                                   {threads.lanes, threads.warps});
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

ThreadGroup simt::makeThreadsOpaque(KernelLowering &l, Location loc) {
  OpBuilder &b = l.builder();
  ThreadGroup group = l.threads();
  auto hide = [&](Value &number, int64_t count) {
    Value hidden = l.getSIMT().makeThreadOpaque(l, loc, number);
    if (hidden == number)
      return;
    Value bits = l.i32(loc, llvm::PowerOf2Ceil(count) - 1);
    number = arith::AndIOp::create(b, loc, hidden, bits);
  };
  hide(group.lane, group.lanes);
  hide(group.warp, group.warps);
  return group;
}
