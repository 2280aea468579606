//===- BytecodeTest.cpp - the dialect in bytecode of other versions -------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/BytecodeVersion.h"
#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
struct Bytecode : ::testing::Test {
  Bytecode()
      : handler(&context, [&](Diagnostic &diag) {
          // The reader adds where it was; ours comes first.
          if (error.empty())
            error = diag.str();
        }) {
    context.loadDialect<TileDialect, func::FuncDialect, arith::ArithDialect>();
  }
  /// A kernel as bytecode of that version.
  std::string write(uint64_t version) {
    auto module = parseSourceString<ModuleOp>(
        "func.func @k() { tile.kernel (%b) in (2) {} return }", &context);
    BytecodeWriterConfig config;
    config.setDialectVersion<TileDialect>(
        std::make_unique<BytecodeVersion>(version));
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    EXPECT_TRUE(module && succeeded(writeBytecodeToFile(*module, os, config)));
    return bytes;
  }
  /// The first error of reading, or none.
  std::string read(const std::string &bytes) {
    error.clear();
    MLIRContext *own = &context;
    auto module = parseSourceString<ModuleOp>(bytes, ParserConfig(own));
    return module ? "" : error;
  }

  MLIRContext context;
  std::string error;
  ScopedDiagnosticHandler handler;
};
} // namespace

TEST_F(Bytecode, ReadsItsVersionAndOlderOnes) {
  EXPECT_EQ(read(write(1)), "");
  EXPECT_EQ(read(write(0)), "");
}

TEST_F(Bytecode, RefusesNewerOnes) {
  for (uint64_t version : {uint64_t(2), uint64_t(1) << 40})
    EXPECT_EQ(read(write(version)),
              "expected bytecode of version 1 or older of the dialect 'tile', "
              "got " +
                  std::to_string(version) + "; it was written by a newer tile");
}

TEST_F(Bytecode, RefusesWhatIsCut) {
  std::string whole = write(1);
  // Any length: an error, and never a crash.
  for (size_t size = 8; size < whole.size(); size += 7)
    EXPECT_NE(read(whole.substr(0, size)), "");
}

//===----------------------------------------------------------------------===//
// Attributes that another version has or has not
//===----------------------------------------------------------------------===//

namespace {
struct BytecodeAttributes : Bytecode {
  /// A module with a tile.print, which has the attribute `message`.
  BytecodeAttributes()
      : module(parseSourceString<ModuleOp>(
            "func.func @k(%x: f32) { tile.kernel (%b) in (1) { tile.print %x, "
            "\"seen\" : f32 } return }",
            &context)) {
    if (module)
      module->walk([&](PrintOp op) { print = op; });
  }
  std::string write() {
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    EXPECT_TRUE(succeeded(writeBytecodeToFile(*module, os)));
    return bytes;
  }

  OwningOpRef<ModuleOp> module;
  PrintOp print;
};
} // namespace

TEST_F(BytecodeAttributes, AbsentOnesHaveTheirDefaults) {
  ASSERT_TRUE(print);
  // So a version without the attribute would have written it.
  print.getProperties().message = {};
  std::string without = write();
  EXPECT_EQ(without.find("message"), std::string::npos);
  auto read = parseSourceString<ModuleOp>(without, ParserConfig(&context));
  ASSERT_TRUE(read);
  read->walk([](PrintOp op) {
    EXPECT_TRUE(op.getMessageAttr());
    EXPECT_EQ(op.getMessage(), "");
  });
}

TEST_F(BytecodeAttributes, UnknownOnesAreRefused) {
  ASSERT_TRUE(print);
  std::string bytes = write();
  size_t at = bytes.find("message");
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 7, "massage");
  EXPECT_EQ(read(bytes),
            "expected the attributes of 'tile.print' to be among \"message\", "
            "got \"massage\"; it was written by another version of tile");
}

TEST_F(BytecodeAttributes, SizesOfGroupsOfOperandsAreAmongThem) {
  auto copy = parseSourceString<ModuleOp>(
      R"mlir(func.func @k(%n: index, %a: memref<?x?xf32>) {
        tile.kernel (%b) in (%n) {
          %t = tile.alloc : memref<4x4xf32, #tile.shared>
          tile.copy %a[%b * 4, 0], %t : memref<?x?xf32>,
              memref<4x4xf32, #tile.shared>
        }
        return
      })mlir",
      &context);
  ASSERT_TRUE(copy);
  module = std::move(copy);
  EXPECT_EQ(read(write()), "");
}
