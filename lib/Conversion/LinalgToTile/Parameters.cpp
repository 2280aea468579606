//===- Parameters.cpp - what a tuner may choose in matrix products ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parameters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

Value Choice::get(OpBuilder &b, Location loc) const {
  if (parameter)
    return GetParamOp::create(b, loc, b.getIndexType(), parameter);
  return arith::ConstantIndexOp::create(b, loc, number);
}

Choice ProductParameters::add(StringRef set, StringRef name, Default value,
                              ArrayRef<int64_t> candidates, int64_t most) {
  MLIRContext *context = module.getContext();
  SmallVector<int64_t> allowed;
  for (int64_t candidate : candidates)
    if (candidate <= most)
      allowed.push_back(candidate);
  if (allowed.size() < 2)
    return {std::min(value.value, most), {}};
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  std::string symbol = (set + "_" + name).str();
  auto param = ParamOp::create(b, module.getLoc(), b.getStringAttr(symbol),
                               b.getI64IntegerAttr(value.value),
                               b.getDenseI64ArrayAttr(allowed));
  SmallVector<NamedAttribute> defaults;
  for (auto [family, number] :
       {std::pair(Instruction::MMA, value.onMma),
        std::pair(Instruction::WGMMA, value.onWgmma),
        std::pair(Instruction::MFMA, value.onMfma)})
    if (number)
      defaults.emplace_back(stringifyInstruction(family),
                            b.getI64IntegerAttr(std::min(number, most)));
  if (!defaults.empty())
    param->setAttr(kDefaultsAttrName, DictionaryAttr::get(context, defaults));
  return {0, FlatSymbolRefAttr::get(context, symbol)};
}

/// Whether tiles of this size are enough for all processors of a large chip.
static bool isEnough(const ProductEmitter &product, int64_t rows,
                     int64_t columns) {
  std::optional<int64_t> m = getConstantIntValue(product.volumeM),
                         n = getConstantIntValue(product.volumeN);
  return !m || !n ||
         llvm::divideCeil(*m, rows) * llvm::divideCeil(*n, columns) >= 96;
}

ProductChoices ProductParameters::get(const ProductEmitter &product,
                                      Type operand, bool tf32) {
  std::string key, type;
  for (OpFoldResult volume :
       {product.volumeM, product.volumeN, product.volumeK})
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
    choices = {{std::min<int64_t>(rows, 64), {}},
               {std::min<int64_t>(columns, 64), {}},
               {std::min<int64_t>(depth, 32), {}},
               {3, {}},
               {128, {}}};
    return choices;
  }
  std::string set = "product" + std::to_string(known.size() - 1);
  int64_t large = isEnough(product, 128, 128) ? 128 : 64;
  int64_t widest = isEnough(product, 128, 256) ? 256 : large;
  // A step of the loop reads 128 bytes of each row on chips that can wait for
  // them asynchronously.
  int64_t step = 1024 / bits;
  choices.threads = add(set, "threads",
                        {128, large * 2, large * 2, large * 2}, {128, 256},
                        256);
  choices.stages = add(set, "stages", {3, 0, 0, 0}, {2, 3, 4}, 4);
  choices.depth = add(set, "depth", {std::min<int64_t>(32, depth), 0, 0, step},
                      {step / 2, step, step * 2}, depth);
  choices.columns = add(set, "columns",
                        {64, large, large, std::max(large, widest)},
                        {64, 128, 256}, columns);
  choices.rows = add(set, "rows", {64, large, large, large}, {64, 128, 256},
                     rows);
  return choices;
}
