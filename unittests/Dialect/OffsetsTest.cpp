//===- OffsetsTest.cpp - offsets that passes may make ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tile;

// The reader of text refuses names that a map does not have; what adds an
// offset to a map and takes a symbol's place for its own is caught by the
// verifier alone.
TEST(Offsets, NamesThatTheMapDoesNotHaveAreRefused) {
  MLIRContext context;
  context.loadDialect<TileDialect, func::FuncDialect>();
  std::string error;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diag) { error = diag.str(); });
  auto module = parseSourceString<ModuleOp>(
      R"mlir(func.func @k(%a: memref<64x8xf32>, %l: memref<4xi32>,
                          %img: memref<1x8x8x4xf32>) {
       tile.kernel (%n) in (2) {
        %t = tile.alloc : memref<4x8xf32, #tile.shared>
        tile.copy %a[%n, 0], %t : memref<64x8xf32>, memref<4x8xf32, #tile.shared>
        tile.copy %t, %a[%n, 0] : memref<4x8xf32, #tile.shared>, memref<64x8xf32>
        tile.atomic add %t, %a[%n, 0] : memref<4x8xf32, #tile.shared>, memref<64x8xf32>
        tile.gather %a[0, %n] by %l[0], %t :
            memref<64x8xf32>, memref<4xi32>, memref<4x8xf32, #tile.shared>
        tile.scatter %t, %a[0, %n] by %l[0] :
            memref<4x8xf32, #tile.shared>, memref<64x8xf32>, memref<4xi32>
        %u = tile.alloc : memref<36x36xf32, #tile.shared>
        tile.im2col %img[%n * 36, 0], %u kernel(3, 3) :
            memref<1x8x8x4xf32>, memref<36x36xf32, #tile.shared>
       }
       return
      })mlir",
      &context);
  ASSERT_TRUE(module) << error;
  unsigned tried = 0;
  module->walk([&](Operation *op) {
    if (op->getDialect() != context.getLoadedDialect<TileDialect>())
      return;
    DictionaryAttr properties =
        op->getPropertiesAsAttribute()
            ? cast<DictionaryAttr>(op->getPropertiesAsAttribute())
            : DictionaryAttr::get(&context);
    for (NamedAttribute attribute : properties) {
      auto attr = dyn_cast<AffineMapAttr>(attribute.getValue());
      if (!attr)
        continue;
      AffineMap map = attr.getValue();
      for (AffineExpr absent :
           {getAffineDimExpr(map.getNumDims(), &context),
            getAffineSymbolExpr(map.getNumSymbols(), &context)}) {
        SmallVector<AffineExpr> offsets(map.getResults());
        offsets.back() = offsets.back() + absent;
        NamedAttrList changed(properties);
        changed.set(attribute.getName(),
                    AffineMapAttr::get(AffineMap::get(map.getNumDims(),
                                                      map.getNumSymbols(),
                                                      offsets, &context)));
        ASSERT_TRUE(succeeded(op->setPropertiesFromAttribute(
            changed.getDictionary(&context), [&] { return op->emitError(); })));
        EXPECT_TRUE(failed(verify(op))) << op->getName().getStringRef().str()
                                        << " " << attribute.getName().str();
        EXPECT_NE(error.find("expected offsets of"), std::string::npos)
            << error;
        ++tried;
      }
    }
    ASSERT_TRUE(succeeded(op->setPropertiesFromAttribute(
        properties, [&] { return op->emitError(); })));
  });
  // Maps of the two copies, the atomic, two each of gather and scatter, im2col.
  EXPECT_EQ(tried, 2u * 8);
}
