// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels on the Ascend model: lowered, written as Ascend C, compiled by the
// host's compiler against the model, and loaded.

#ifndef TILE_RUN_ASCEND_H
#define TILE_RUN_ASCEND_H

#include "Engine.h"

#include "mlir/Support/LLVM.h"

namespace mlir {
class ModuleOp;
}

class AscendProgram {
public:
  AscendProgram() = default;
  AscendProgram(const AscendProgram &) = delete;
  AscendProgram &operator=(const AscendProgram &) = delete;
  ~AscendProgram();

  /// Compiles those of the functions that have kernels. False after an error,
  /// which has been reported on stderr.
  /// `chip` replaces what the module says, unless it is empty.
  bool create(mlir::ModuleOp module, mlir::ArrayRef<mlir::StringRef> names,
              mlir::StringRef chip, int (*onReport)(const char *), bool dump);

  /// Null for a function without kernels.
  TileRunCode lookup(mlir::StringRef name) const;

private:
  void *handle = nullptr;
};

#endif // TILE_RUN_ASCEND_H
