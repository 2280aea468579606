//===- PTX.cpp - registers and types of PTX instructions ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTX.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::target::ElementType;

StringRef nvidia::getPTXType(ElementType type) {
  switch (type) {
  case ElementType::F8E4M3FN:
    return "e4m3";
  case ElementType::F8E5M2:
    return "e5m2";
  case ElementType::I8:
    return "s8";
  case ElementType::U8:
    return "u8";
  case ElementType::I4:
    return "s4";
  case ElementType::U4:
    return "u4";
  case ElementType::I32:
    return "s32";
  default:
    return ::tile::target::stringify(type);
  }
}

SmallVector<Value> nvidia::packRegisters(KernelLowering &l, Location loc,
                                       ArrayRef<Value> elements) {
  OpBuilder &b = l.builder();
  SmallVector<Value> stored;
  for (Value element : elements)
    stored.push_back(toStorage(b, loc, element));
  Type type = stored.front().getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits >= 32)
    return stored;
  unsigned count = 32 / bits;
  SmallVector<Value> registers;
  for (size_t i = 0; i < stored.size(); i += count) {
    Value vector = vector::FromElementsOp::create(
        b, loc, VectorType::get(count, type),
        ArrayRef<Value>(stored).slice(i, count));
    registers.push_back(
        LLVM::BitcastOp::create(b, loc, b.getI32Type(), vector));
  }
  return registers;
}

SmallVector<Value> nvidia::unpackRegisters(KernelLowering &l, Location loc,
                                         ValueRange registers, Type element,
                                         int64_t count) {
  OpBuilder &b = l.builder();
  Type storage = getStorageType(element);
  unsigned bits = storage.getIntOrFloatBitWidth();
  SmallVector<Value> elements;
  for (Value value : registers) {
    if (bits >= 32) {
      elements.push_back(fromStorage(b, loc, value, element));
      continue;
    }
    auto type = VectorType::get(32 / bits, storage);
    Value vector = LLVM::BitcastOp::create(b, loc, type, value);
    for (unsigned i = 0; i < 32 / bits; ++i)
      elements.push_back(fromStorage(
          b, loc,
          vector::ExtractOp::create(b, loc, vector, ArrayRef<int64_t>{i}),
          element));
  }
  elements.resize(count);
  return elements;
}

unsigned nvidia::getPTXVersion(const ::tile::target::Target &chip) {
  unsigned version = 0;
  StringRef digits = chip.codegenFeatures;
  digits.consume_front("+ptx");
  digits.consumeInteger(10, version);
  return version;
}
