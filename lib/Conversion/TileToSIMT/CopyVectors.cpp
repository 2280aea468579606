//===- CopyVectors.cpp - copies in vectors, without tests -----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCopy.h"

#include "Tile/Dialect/Tile/IR/KernelAttrs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

static int64_t getBits(const CopySide &side) {
  return getElementBits(side.buffer.element);
}

//===----------------------------------------------------------------------===//
// Width
//===----------------------------------------------------------------------===//

bool simt::walksLastDim(const ThreadMap &map, int64_t run) {
  if (map.numRegisters() % run != 0 || map.getShape().back() % run != 0)
    return false;
  for (int64_t reg = 0; reg < map.numRegisters(); ++reg) {
    auto part = map.getRegisterPart(reg);
    auto first = map.getRegisterPart(reg - reg % run);
    if (!part || !first)
      return false;
    first->back() += reg % run;
    if (*part != *first)
      return false;
  }
  return true;
}

int64_t simt::chooseRun(const TileCopy &copy, const ThreadMap &map) {
  int64_t bits = 0;
  for (const CopySide *side : {&copy.source, &copy.target})
    if (side->isMemory())
      bits = std::max(bits, getBits(*side));
  auto isContiguous = [&](const CopySide &side, int64_t run) {
    return !side.isMemory() || side.memory->isContiguous(run);
  };
  for (int64_t run = 8 * copy.l.getGPU().vectorBytes / bits; run > 1; run /= 2)
    if (walksLastDim(map, run) && isContiguous(copy.source, run) &&
        isContiguous(copy.target, run))
      return run;
  return 1;
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

/// Whether an instruction of the target moves `run` elements at a time.
static bool hasAsyncCopy(const TileCopy &copy, int64_t run) {
  const Buffer &source = copy.source.buffer, &target = copy.target.buffer;
  if (!copy.isAsync || source.space != MemorySpace::Global ||
      target.space != MemorySpace::Shared || source.element != target.element)
    return false;
  return llvm::any_of(::tile::target::findCopies(
                          copy.l.getTarget(), ::tile::target::Space::Global,
                          ::tile::target::Space::Shared,
                          run * getBits(copy.source) / 8),
                      [](const ::tile::target::CopyRow *row) {
                        return row->family ==
                               ::tile::target::CopyFamily::CpAsync;
                      });
}

static void copyAsync(const TileCopy &copy, ArrayRef<int64_t> part,
                      int64_t run) {
  auto getAddress = [&](CopySide &side) {
    MemoryRegion &memory = *side.memory;
    return copy.l.getAddress(copy.loc, memory.getBuffer(),
                             memory.getOffset(part));
  };
  Value to = getAddress(copy.target);
  Value from = getAddress(copy.source);
  copy.l.getSIMT().copyAsync(copy.l, copy.loc, to, from,
                             run * getBits(copy.source) / 8);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

static SmallVector<Value> read(const TileCopy &copy, int64_t reg,
                               ArrayRef<int64_t> part, int64_t run) {
  CopySide &side = copy.source;
  if (side.isMemory())
    return {copy.l.load(copy.loc, side.memory->getBuffer(),
                        side.memory->getOffset(part), run)};
  SmallVector<Value> values;
  for (int64_t i = 0; i < run; ++i)
    values.push_back(copy.l.loadRegister(copy.loc, side.buffer, reg + i));
  return values;
}

void simt::writeRun(const TileCopy &copy, int64_t reg, ArrayRef<int64_t> part,
                    int64_t run, ArrayRef<Value> values) {
  OpBuilder &b = copy.builder();
  CopySide &side = copy.target;
  Value value = values[0];
  if (values.size() > 1)
    value = vector::FromElementsOp::create(
        b, copy.loc, VectorType::get(run, value.getType()), values);
  value = copy.convert(value);
  if (side.isMemory())
    return copy.l.store(copy.loc, value, side.memory->getBuffer(),
                        side.memory->getOffset(part), run);
  for (int64_t i = 0; i < run; ++i)
    copy.l.storeRegister(copy.loc,
                         run == 1 ? value
                                  : vector::ExtractOp::create(
                                        b, copy.loc, value,
                                        ArrayRef<int64_t>{i})
                                        .getResult(),
                         side.buffer, reg + i);
}

Value TileCopy::getWriteGuard(const ThreadMap &map, Value condition) const {
  Value first = target.isMemory() ? map.getFirstCopy() : Value();
  return condition && first
             ? builder().createOrFold<arith::AndIOp>(loc, condition, first)
         : condition ? condition
                     : first;
}

/// How many vectors a thread moves before the first one is used. Where nothing
/// but fragments needs many registers, and few blocks share a processor, more of
/// them hide the way to global memory.
static int64_t countVectorsInFlight(const TileCopy &copy, int64_t run) {
  constexpr int64_t kMost = 64, kOtherRegisters = 40;
  gpu::GPUFuncOp function = copy.l.getFunction();
  auto blocks = function->getAttrOfType<IntegerAttr>(kResidentBlocksAttrName);
  if (!blocks || copy.source.buffer.space != MemorySpace::Global ||
      !copy.target.isMemory())
    return kMaxVectorsInFlight;
  const ::tile::target::GPUSpec &gpu = copy.l.getGPU();
  int64_t registers = std::min(
      gpu.registersPerSM / (blocks.getInt() * copy.l.threads().size()),
      gpu.maxRegistersPerThread);
  for (auto alloca : function.getBody().front().getOps<LLVM::AllocaOp>())
    if (auto array = dyn_cast<LLVM::LLVMArrayType>(alloca.getElemType()))
      if (Type element = array.getElementType(); element.isIntOrFloat())
        registers -= llvm::divideCeil(
            array.getNumElements() * element.getIntOrFloatBitWidth(), 32);
  int64_t words = llvm::divideCeil(run * getBits(copy.source), 32);
  return std::clamp((registers - kOtherRegisters) / words, kMaxVectorsInFlight,
                    kMost);
}

void simt::copyVectors(const TileCopy &copy, const ThreadMap &map,
                       int64_t run) {
  for (CopySide *side : {&copy.source, &copy.target})
    if (side->isMemory())
      side->memory->bind(map);
  SmallVector<std::pair<int64_t, SmallVector<int64_t>>> groups;
  for (int64_t reg = 0; reg < map.numRegisters(); reg += run)
    if (auto part = map.getRegisterPart(reg))
      groups.push_back({reg, *part});
  bool async = hasAsyncCopy(copy, run);
  auto guard = [&](ArrayRef<int64_t> part) {
    return copy.getWriteGuard(
        map, map.getExistence(copy.builder(), copy.loc, part));
  };
  int64_t most = countVectorsInFlight(copy, run);
  for (size_t begin = 0; begin < groups.size(); begin += most) {
    auto batch = ArrayRef(groups).slice(begin).take_front(most);
    bool guarded = llvm::any_of(
        batch, [&](auto &group) { return bool(guard(group.second)); });
    if (async || guarded) {
      for (auto &[reg, part] : batch)
        copy.l.inIf(copy.loc, guard(part), [&, reg = reg, &part = part] {
          if (async)
            copyAsync(copy, part, run);
          else
            writeRun(copy, reg, part, run, read(copy, reg, part, run));
        });
      continue;
    }
    SmallVector<SmallVector<Value>> values;
    for (auto &[reg, part] : batch)
      values.push_back(read(copy, reg, part, run));
    for (auto [group, value] : llvm::zip(batch, values))
      writeRun(copy, group.first, group.second, run, value);
  }
}
