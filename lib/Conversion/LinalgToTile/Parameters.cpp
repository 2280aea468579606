//===- Parameters.cpp - what a tuner may choose in matrix products
//----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parameters.h"

#include "Tile/Target/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;
namespace target = ::tile::target;
using target::MmaFamily;

Choice KernelParameters::add(StringRef set, StringRef name, Default value,
                             ArrayRef<int64_t> candidates, int64_t most) {
  MLIRContext *context = module.getContext();
  SmallVector<int64_t> allowed;
  for (int64_t candidate : candidates)
    if (candidate <= most)
      allowed.push_back(candidate);
  if (allowed.size() < 2)
    return std::min(value.value, most);
  // A default of another element type may be none of the candidates.
  auto getNearest = [&](int64_t number) {
    auto above = llvm::lower_bound(allowed, number);
    return above == allowed.end() ? allowed.back() : *above;
  };
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  std::string symbol = (set + "_" + name).str();
  auto param = ParamOp::create(b, module.getLoc(), b.getStringAttr(symbol),
                               b.getI64IntegerAttr(getNearest(value.value)),
                               b.getDenseI64ArrayAttr(allowed));
  SmallVector<NamedAttribute> defaults;
  for (auto [family, number] : {std::pair(Instruction::MMA, value.onMma),
                                std::pair(Instruction::WGMMA, value.onWgmma),
                                std::pair(Instruction::MFMA, value.onMfma)})
    if (number)
      defaults.emplace_back(stringifyInstruction(family),
                            b.getI64IntegerAttr(getNearest(number)));
  if (!defaults.empty())
    param->setAttr(kDefaultsAttrName, DictionaryAttr::get(context, defaults));
  return {allowed.back(), FlatSymbolRefAttr::get(context, symbol)};
}

/// The processors of the smallest chip that has such instructions; 0 if no
/// target that was built has them.
static int64_t getProcessors(MmaFamily family) {
  int64_t least = 0;
  for (const target::Target &target : target::targets()) {
    const target::GPUSpec *gpu = target.getGPU();
    if (gpu && llvm::any_of(target.mmas, [&](const target::MmaRow &row) {
          return row.family == family;
        }))
      least = least ? std::min(least, gpu->defaultSMs) : gpu->defaultSMs;
  }
  return least;
}

/// Whether so many blocks occupy most of the processors: larger tiles, which
/// read less, are worth that some have nothing to do, but no more than a
/// quarter.
static bool isEnough(std::optional<int64_t> blocks, MmaFamily family) {
  return !blocks || *blocks * 4 >= getProcessors(family) * 3;
}

/// The blocks of a kernel whose tiles have so many rows and columns.
static std::optional<int64_t> countBlocks(const ProductEmitter &product,
                                          OpFoldResult batches, int64_t rows,
                                          int64_t columns) {
  std::optional<int64_t> count = getConstantIntValue(batches),
                         m = getConstantIntValue(product.volumeM),
                         n = getConstantIntValue(product.volumeN);
  if (!count || !m || !n)
    return std::nullopt;
  return *count * llvm::divideCeil(*m, rows) * llvm::divideCeil(*n, columns);
}

ProductChoices KernelParameters::get(const ProductEmitter &product,
                                     OpFoldResult batches, Type operand,
                                     bool tf32) {
  std::string key, type;
  for (OpFoldResult volume :
       {batches, product.volumeM, product.volumeN, product.volumeK})
    key += llvm::formatv("{0} ", getConstantIntValue(volume).value_or(-1));
  key += llvm::formatv("{0} {1}", operand, tf32);
  auto [it, isNew] = known.try_emplace(key);
  ProductChoices &choices = it->second;
  if (!isNew) {
    choices.isShared = true;
    return choices;
  }
  int64_t rows = chooseExtent(product.volumeM, 256),
          columns = chooseExtent(product.volumeN, 256),
          depth = chooseExtent(product.volumeK, 128);
  bool isTiny = rows < 64 || columns < 64 || (rows == 64 && columns == 64);
  // Where there is no matrix instruction, larger tiles are of no use.
  unsigned bits = operand.getIntOrFloatBitWidth();
  if (isTiny || bits > 32 || (bits == 32 && !tf32)) {
    choices = {std::min<int64_t>(rows, 64), std::min<int64_t>(columns, 64),
               std::min<int64_t>(depth, 32), 3, 128};
    return choices;
  }
  std::string set = "product" + std::to_string(known.size() - 1);
  auto getRows = [&](MmaFamily family) -> int64_t {
    return isEnough(countBlocks(product, batches, 128, 128), family) ? 128 : 64;
  };
  int64_t onMma = getRows(MmaFamily::MMA), onMfma = getRows(MmaFamily::MFMA),
          onWgmma = getRows(MmaFamily::WGMMA);
  int64_t widest =
      isEnough(countBlocks(product, batches, 128, 256), MmaFamily::WGMMA)
          ? 256
          : onWgmma;
  // A step of the loop reads 128 bytes of each row on chips that can wait for
  // them asynchronously.
  int64_t step = 1024 / bits;
  choices.threads =
      add(set, "threads", {128, onMma * 2, onMfma * 2, onWgmma * 2}, {128, 256},
          256);
  choices.stages = add(set, "stages", {3, 0, 0, 0}, {2, 3, 4}, 4);
  choices.depth = add(set, "depth", {std::min<int64_t>(32, depth), 0, 0, step},
                      {step / 2, step, step * 2}, depth);
  choices.columns =
      add(set, "columns", {64, onMma, onMfma, std::max(onWgmma, widest)},
          {64, 128, 256}, columns);
  choices.rows =
      add(set, "rows", {64, onMma, onMfma, onWgmma}, {64, 128, 256}, rows);
  return choices;
}

int64_t KernelParameters::getSharedBytes() const {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const target::Target &target : target::targets())
    if (const target::GPUSpec *gpu = target.getGPU())
      least = std::min(least, gpu->sharedBytesPerBlock);
  return least;
}

bool KernelParameters::fillsChip(int64_t blocks) const {
  return isEnough(blocks, MmaFamily::WGMMA);
}

AttentionChoices KernelParameters::getAttention(const ProductEmitter &last,
                                                OpFoldResult heads,
                                                int64_t depth, Type operand) {
  std::optional<int64_t> count = getConstantIntValue(heads),
                         queries = getConstantIntValue(last.volumeM),
                         keys = getConstantIntValue(last.volumeK);
  std::string key =
      llvm::formatv("{0} {1} {2} {3} {4}", count.value_or(-1),
                    queries.value_or(-1), keys.value_or(-1), depth, operand);
  auto [it, isNew] = knownAttentions.try_emplace(key);
  AttentionChoices &choices = it->second;
  if (!isNew) {
    choices.isShared = true;
    return choices;
  }
  std::string set = "attention" + std::to_string(knownAttentions.size() - 1);
  std::optional<int64_t> blocks;
  if (count && queries)
    blocks = *count * llvm::divideCeil(*queries, 128);
  // Sums and scores of 64 queries are in the registers of one warpgroup.
  bool isWide =
      isEnough(blocks, MmaFamily::WGMMA) && (!queries || *queries > 64);
  int64_t rows = isWide ? 128 : 64, columns = depth <= 128 ? 128 : 64;
  int64_t most = chooseExtent(last.volumeM, 128);
  choices.threads =
      add(set, "threads", {128, 0, 0, rows * 2}, {128, 256}, most * 2);
  choices.stages = add(set, "stages", {2, 0, 0, 0}, {1, 2, 3}, 3);
  choices.keys = add(set, "keys", {64, 0, 0, columns}, {64, 128},
                     chooseExtent(last.volumeK, 128));
  choices.queries = add(set, "queries", {64, 0, 0, rows}, {64, 128}, most);
  return choices;
}
