//===- CallLLVM.h - LLVM's errors without the end of the process -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DRIVER_CALLLLVM_H
#define TILE_DRIVER_CALLLLVM_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::tile {

/// Runs `work`, which optimises a module of the context or makes code of it, on
/// a thread of its own. An error that LLVM reports through the context is the
/// result, and so is a fatal one, by which LLVM ends the process otherwise: the
/// thread then sleeps for ever, with whatever `work` has made. So objects that
/// LLVM works with, like pass managers, are made in `work`.
llvm::Error callLLVM(llvm::LLVMContext &context, function_ref<void()> work);

/// Assembly or an object of a module, which is changed by that.
llvm::Expected<std::string> generateCode(llvm::Module &module,
                                         llvm::TargetMachine &machine,
                                         llvm::CodeGenFileType type);

} // namespace mlir::tile

#endif // TILE_DRIVER_CALLLLVM_H
