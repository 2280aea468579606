//===- SIMTTargetTest.cpp - vendors are registered ------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/TileToSIMT/SIMTTarget.h"

#include "Tile/Conversion/TileToSIMT/Passes.h"
#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

namespace {

/// A vendor that is not part of the project and takes any chip.
struct OtherVendor : SIMTTarget {
  bool supports(const ::tile::target::Target &) const override { return true; }
  void loadDialects(MLIRContext *) const override {}
  StringRef getRuntime() const override { return "other"; }
  void finishKernel(KernelLowering &, Location) const override { ++finished; }

  static int finished;
};
int OtherVendor::finished = 0;

/// What the conversion makes of a kernel that sets a tile, or its error.
std::string convert(const DialectRegistry &registry) {
  MLIRContext context(registry);
  std::string text;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    text = diagnostic.str();
    return success();
  });
  auto module = parseSourceString<ModuleOp>(R"mlir(
    module attributes {tile.target = #tile.target<"sm_90a">} {
      func.func @fill(%x: memref<64xf32>) {
        tile.kernel (%b) in (1) threads(32) {
          %zero = arith.constant 0.0 : f32
          tile.fill %x, %zero : memref<64xf32>
        }
        return
      }
    }
  )mlir",
                                            &context);
  if (!module)
    return text;
  PassManager pm(&context);
  pm.addPass(createConvertTileToGPUPass());
  if (failed(pm.run(*module)))
    return text;
  llvm::raw_string_ostream(text) << *module;
  return text;
}

DialectRegistry getRegistry() {
  DialectRegistry registry;
  registry.insert<TileDialect, arith::ArithDialect, func::FuncDialect>();
  return registry;
}

TEST(SIMTTarget, WithoutVendor) {
  EXPECT_EQ(convert(getRegistry()),
            "cannot be lowered to threads of 'sm_90a': no SIMT target that "
            "supports it is registered");
}

TEST(SIMTTarget, FromOutside) {
  DialectRegistry registry = getRegistry();
  registerSIMTTarget<OtherVendor>(registry);
  std::string text = convert(registry);
  EXPECT_NE(text.find("gpu.func @fill_0"), std::string::npos) << text;
  EXPECT_NE(text.find("runtime = \"other\""), std::string::npos) << text;
  EXPECT_EQ(OtherVendor::finished, 1);
}

} // namespace
