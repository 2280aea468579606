//===- BytecodeVersion.h - versions of dialects in bytecode -----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytecode says with which version of a dialect it was written. A reader takes
// its own version and older ones. The number grows by one when bytecode of the
// new one would be misread by the old one: an attribute with another meaning,
// another group of operands. The change keeps reading what was, with
// BytecodeDialectInterface::upgradeFromVersion. One more attribute with a
// default needs no new version (BytecodeProperties.h).
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_BYTECODEVERSION_H
#define TILE_DIALECT_BYTECODEVERSION_H

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace mlir::tile {

struct BytecodeVersion : DialectVersion {
  explicit BytecodeVersion(uint64_t number) : number(number) {}
  uint64_t number;
};

/// The interface of a dialect whose bytecode has the version `current`.
template <uint64_t current>
class BytecodeVersionInterface : public BytecodeDialectInterface {
public:
  explicit BytecodeVersionInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  /// The configuration of the writer may ask for another version, which is how
  /// tests make bytecode of the future.
  void writeVersion(DialectBytecodeWriter &writer) const override {
    auto wanted = writer.getDialectVersion(getDialect()->getNamespace());
    writer.writeVarInt(
        succeeded(wanted)
            ? static_cast<const BytecodeVersion *>(*wanted)->number
            : current);
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const override {
    uint64_t number = 0;
    if (failed(reader.readVarInt(number)))
      return nullptr;
    if (number <= current)
      return std::make_unique<BytecodeVersion>(number);
    reader.emitError() << "expected bytecode of version " << current
                       << " or older of the dialect '"
                       << getDialect()->getNamespace() << "', got " << number
                       << "; it was written by a newer tile";
    return nullptr;
  }
};

} // namespace mlir::tile

#endif // TILE_DIALECT_BYTECODEVERSION_H
