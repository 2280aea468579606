//===- BytecodeProperties.h - attributes of ops in bytecode -----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inherent attributes of an op are written by their names. What ODS
// generates writes them by their places, so that bytecode from before an op had
// one more of them could not be read. By name, an attribute that is absent has
// its default value, and one that a reader does not know is an error.
//
// tile-tblgen -gen-op-bytecode defines the methods of all ops with
// useCustomPropertiesEncoding by these functions.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_BYTECODEPROPERTIES_H
#define TILE_DIALECT_BYTECODEPROPERTIES_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OperationSupport.h"

namespace mlir::tile {

inline LogicalResult checkPropertyNames(DialectBytecodeReader &reader,
                                        OperationName op,
                                        DictionaryAttr values) {
  ArrayRef<StringAttr> known = op.getAttributeNames();
  for (NamedAttribute value : values)
    if (!llvm::is_contained(known, value.getName()))
      return reader.emitError()
             << "expected the attributes of '" << op << "' to be among "
             << known << ", got " << value.getName()
             << "; it was written by another version of tile";
  return success();
}

template <typename PropertiesT>
auto countSegments(const PropertiesT &properties, int)
    -> decltype(properties.operandSegmentSizes.size()) {
  return properties.operandSegmentSizes.size();
}
template <typename PropertiesT>
size_t countSegments(const PropertiesT &, long) {
  return 0;
}

/// Operands that an op got later are its last ones and optional: none of them is
/// there.
inline DictionaryAttr addSegments(DictionaryAttr values, size_t count) {
  constexpr llvm::StringLiteral name = "operandSegmentSizes";
  auto sizes = values.getAs<DenseI32ArrayAttr>(name);
  if (!sizes || size_t(sizes.size()) >= count)
    return values;
  SmallVector<int32_t> all(sizes.asArrayRef());
  all.resize(count);
  NamedAttrList list(values);
  list.set(name, DenseI32ArrayAttr::get(values.getContext(), all));
  return list.getDictionary(values.getContext());
}

template <typename ConcreteOp>
LogicalResult readProperties(DialectBytecodeReader &reader,
                             OperationState &state) {
  DictionaryAttr values;
  if (failed(reader.readAttribute(values)) ||
      failed(checkPropertyNames(reader, state.name, values)))
    return failure();
  auto &properties =
      state.getOrAddProperties<typename ConcreteOp::Properties>();
  return ConcreteOp::setPropertiesFromAttr(
      properties, addSegments(values, countSegments(properties, 0)),
      [&] { return reader.emitError() << "'" << state.name << "': "; });
}

template <typename ConcreteOp>
void writeProperties(ConcreteOp op, DialectBytecodeWriter &writer) {
  Attribute values =
      ConcreteOp::getPropertiesAsAttr(op->getContext(), op.getProperties());
  // None of them is set.
  if (!values)
    values = DictionaryAttr::get(op->getContext());
  writer.writeAttribute(values);
}

} // namespace mlir::tile

#endif // TILE_DIALECT_BYTECODEPROPERTIES_H
