//===- main.cpp - a small compiler that uses the tile dialect -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An mlir-opt with the dialect, its passes, and one pass of its own, which says
// how much memory of each space a kernel allocates.
//
//   embed-mlir file.mlir --tile-memory --tile-to-cpu-pipeline
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/InitAll.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include <map>

using namespace mlir;

namespace {
struct TileMemoryPass : PassWrapper<TileMemoryPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TileMemoryPass)

  StringRef getArgument() const override { return "tile-memory"; }
  StringRef getDescription() const override {
    return "says how much memory of each space a kernel allocates";
  }

  void runOnOperation() override {
    getOperation()->walk([](tile::KernelOp kernel) {
      std::map<std::string, int64_t> bits;
      kernel->walk([&](tile::AllocOp alloc) {
        auto type = cast<MemRefType>(alloc->getResult(0).getType());
        // Extents that are parameters are numbers behind tile-bind-parameters.
        if (!type.hasStaticShape())
          return;
        bits[tile::stringifyMemorySpace(tile::getMemorySpace(type)).str()] +=
            type.getNumElements() * type.getElementTypeBitWidth();
      });
      InFlightDiagnostic diag = kernel->emitRemark("allocates");
      for (const auto &[space, count] : bits)
        diag << " " << count / 8 << " bytes of " << space;
    });
  }
};
} // namespace

int main(int argc, char **argv) {
  DialectRegistry registry;
  tile::registerAllDialects(registry);
  tile::registerAllPasses();
  PassRegistration<TileMemoryPass>();
  return asMainReturnCode(
      MlirOptMain(argc, argv, "a compiler that uses tile\n", registry));
}
