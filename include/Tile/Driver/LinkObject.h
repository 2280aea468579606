//===- LinkObject.h - object files in this process --------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DRIVER_LINKOBJECT_H
#define TILE_DRIVER_LINKOBJECT_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace mlir::tile {

/// Code that lives as long as `jit`.
struct LinkedObject {
  LinkedObject(std::unique_ptr<llvm::orc::LLJIT> jit, void *entry);
  LinkedObject(LinkedObject &&);
  ~LinkedObject();

  std::unique_ptr<llvm::orc::LLJIT> jit;
  void *entry;
};

/// Links an object file for this machine, whose target LLVM has been told of,
/// with `functions` and those of the process, and finds the symbol `entry`.
llvm::Expected<LinkedObject>
linkObject(StringRef object, StringRef entry,
           const llvm::StringMap<void *> &functions);

} // namespace mlir::tile

#endif // TILE_DRIVER_LINKOBJECT_H
