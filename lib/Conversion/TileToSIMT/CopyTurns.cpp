//===- CopyTurns.cpp - vectors that lanes store in different orders -------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes that store accumulators of f32 write 8 bytes each, four to a row. In a
// tile with the swizzle of tensor copies, which permutes units of 16 bytes,
// rows 2r and 2r + 1 put theirs into the same banks:
//
//     unit     0    1    2    3    4    5    6    7
//     row 0    v0   v0   v1   v1   v2   v2   v3   v3
//     row 1    v0   v0   v1   v1   v2   v2   v3   v3   units 2i, 2i + 1 swapped
//
// If lanes of odd rows store v2 where the others store v0, and v0 where they
// store v2, no two lanes of a phase meet. Each vector is then chosen from two.
//
//===----------------------------------------------------------------------===//

#include "TileCopy.h"

#include "Tile/Layout/Access.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::layout::AccessTable;
using ::tile::layout::BankModel;
using ::tile::layout::Layout;

/// The bits in which offsets of registers `reg` apart differ, if they are the
/// same in all threads; 0 otherwise.
static int64_t findDistance(const AccessTable &table, int64_t reg) {
  int64_t distance = table.at(0, 0, 0) ^ table.at(0, 0, reg);
  for (int64_t warp = 0; warp < table.warps; ++warp)
    for (int64_t lane = 0; lane < table.lanes; ++lane)
      for (int64_t i = 0; i < table.regs; ++i)
        if ((table.at(warp, lane, i) ^ table.at(warp, lane, i ^ reg)) !=
            distance)
          return 0;
  return distance;
}

/// Wavefronts of a warp's stores of `run` elements, or none.
static std::optional<int64_t> countWavefronts(const AccessTable &table,
                                              const StoreTurns &turns,
                                              int64_t run, int64_t bytes,
                                              const BankModel &model) {
  int64_t wavefronts = 0;
  for (int64_t reg = 0; reg < table.regs; reg += run) {
    std::vector<int64_t> addresses;
    for (int64_t lane = 0; lane < table.lanes; ++lane)
      addresses.push_back(
          table.at(0, lane, lane & turns.lane ? reg ^ turns.reg : reg) * bytes);
    auto report =
        ::tile::layout::countBankConflicts(addresses, run * bytes, model);
    if (!report)
      return std::nullopt;
    wavefronts += report->wavefronts;
  }
  return wavefronts;
}

std::optional<StoreTurns> simt::findStoreTurns(const TileCopy &copy,
                                               const ThreadMap &map,
                                               const Layout &layout,
                                               int64_t run) {
  if (copy.source.isMemory() || !copy.target.isMemory() ||
      copy.target.buffer.space != MemorySpace::Shared || !map.isExact() ||
      map.getFirstCopy())
    return std::nullopt;
  const ::tile::target::GPUSpec &gpu = copy.l.getGPU();
  int64_t bits = getElementBits(copy.target.buffer.element);
  if (bits % 8 != 0 || run * bits % (8 * gpu.sharedBankBytes) != 0)
    return std::nullopt;
  auto table = ::tile::layout::accessTable(layout, copy.target.buffer.layout);
  if (!table || llvm::is_contained(table->offsets, -1))
    return std::nullopt;
  int64_t bytes = bits / 8;
  BankModel model{gpu.sharedBanks, gpu.sharedBankBytes,
                  gpu.sharedBanks * gpu.sharedBankBytes};
  std::optional<int64_t> plain =
      countWavefronts(*table, {}, run, bytes, model);
  int64_t phases = table->regs / run *
                   std::max<int64_t>(table->lanes * run * bytes /
                                         model.phaseBytes, 1);
  // What selections cost, half of the wavefronts have to pay.
  if (!plain || *plain < 2 * phases)
    return std::nullopt;
  std::optional<StoreTurns> best;
  int64_t least = *plain / 2 + 1;
  for (int64_t reg = run; reg < table->regs; reg *= 2) {
    int64_t distance = table->regs % (2 * reg) == 0 ? findDistance(*table, reg)
                                                    : 0;
    for (int64_t lane = table->lanes / 2; distance > 0 && lane > 0; lane /= 2) {
      StoreTurns turns{lane, reg, distance};
      std::optional<int64_t> count =
          countWavefronts(*table, turns, run, bytes, model);
      if (!count || *count >= least)
        continue;
      best = turns;
      least = *count;
    }
  }
  return best;
}

void simt::storeInTurns(const TileCopy &copy, const ThreadMap &map, int64_t run,
                        const StoreTurns &turns) {
  OpBuilder &b = copy.builder();
  Location loc = copy.loc;
  KernelLowering &l = copy.l;
  MemoryRegion &memory = *copy.target.memory;
  memory.bind(map);
  Value own = arith::AndIOp::create(b, loc, l.threads().lane,
                                    l.i32(loc, turns.lane));
  Value isOther = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, own,
                                        l.i32(loc, 0));
  Value bits = arith::SelectOp::create(
      b, loc, isOther, l.i32(loc, turns.distance), l.i32(loc, 0));
  if (!memory.flip(bits, turns.distance))
    return copyVectors(copy, map, run);
  auto read = [&](int64_t reg) {
    SmallVector<Value> values;
    for (int64_t i = 0; i < run; ++i)
      values.push_back(l.loadRegister(loc, copy.source.buffer, reg + i));
    Value value = values[0];
    if (run > 1)
      value = vector::FromElementsOp::create(
          b, loc, VectorType::get(run, value.getType()), values);
    return copy.convert(value);
  };
  SmallVector<Value> vectors;
  for (int64_t reg = 0; reg < map.numRegisters(); reg += run)
    vectors.push_back(read(reg));
  // All selections, then the stores in the order of registers: in pairs, ptxas
  // lets products of a loop wait for them.
  SmallVector<Value> chosen;
  for (auto [i, vector] : llvm::enumerate(vectors))
    chosen.push_back(arith::SelectOp::create(
        b, loc, isOther, vectors[i ^ size_t(turns.reg / run)], vector));
  for (auto [i, vector] : llvm::enumerate(chosen))
    l.store(loc, vector, memory.getBuffer(),
            memory.getOffset(*map.getRegisterPart(int64_t(i) * run)), run);
}
