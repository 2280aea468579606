//===- CallLLVM.cpp - LLVM's errors without the end of the process --------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM calls a handler before it ends the process, and the handler must not
// return. A jump out of it would leave objects behind whose memory, the stack, is
// used again while LLVM still refers to it: instructions list those who watch
// them. So the thread stops where it is.
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/CallLLVM.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/thread.h"
#include "llvm/Target/TargetMachine.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <unistd.h>

using namespace mlir;

namespace {
/// One call, shared by the caller and the thread, which may outlive it.
struct Call {
  void finish(std::string fatal) {
    std::lock_guard<std::mutex> guard(mutex);
    done = true;
    error = std::move(fatal);
    changed.notify_one();
  }

  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::string error; ///< a fatal one
};

/// Has LLVM call us while there are calls.
class HandlerScope {
public:
  HandlerScope() {
    std::lock_guard<std::mutex> guard(mutex);
    if (users++ == 0)
      llvm::install_fatal_error_handler(handle);
  }
  ~HandlerScope() {
    std::lock_guard<std::mutex> guard(mutex);
    if (--users == 0)
      llvm::remove_fatal_error_handler();
  }

private:
  static void handle(void *, const char *reason, bool crash);
  static std::mutex mutex;
  static unsigned users;
};
} // namespace

std::mutex HandlerScope::mutex;
unsigned HandlerScope::users = 0;

/// The call that this thread works for.
static thread_local Call *current = nullptr;

void HandlerScope::handle(void *, const char *reason, bool) {
  // Of a thread that is none of ours: LLVM goes on to end the process.
  if (!current) {
    llvm::errs() << "LLVM ERROR: " << reason << "\n";
    return;
  }
  current->finish(reason);
  for (;;)
    pause();
}

namespace {
/// Keeps the first error that comes through a context.
struct FirstError : llvm::DiagnosticHandler {
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error || !text.empty())
      return info.getSeverity() == llvm::DS_Error;
    llvm::raw_string_ostream os(text);
    llvm::DiagnosticPrinterRawOStream printer(os);
    info.print(printer);
    return true;
  }

  std::string text;
};
} // namespace

llvm::Error tile::callLLVM(llvm::LLVMContext &context,
                           function_ref<void()> work) {
  HandlerScope scope;
  auto call = std::make_shared<Call>();
  std::unique_ptr<llvm::DiagnosticHandler> before =
      context.getDiagnosticHandler();
  auto handler = std::make_unique<FirstError>();
  FirstError *first = handler.get();
  context.setDiagnosticHandler(std::move(handler), /*RespectFilters=*/true);
  llvm::thread thread([call, work] {
    current = call.get();
    work();
    call->finish("");
  });
  {
    std::unique_lock<std::mutex> lock(call->mutex);
    call->changed.wait(lock, [&] { return call->done; });
  }
  if (call->error.empty())
    thread.join();
  else
    thread.detach();
  std::string &text = call->error.empty() ? first->text : call->error;
  StringRef line = StringRef(text).split('\n').first;
  llvm::Error error = line.empty() ? llvm::Error::success()
                                   : llvm::createStringError(line);
  context.setDiagnosticHandler(std::move(before));
  return error;
}

llvm::Expected<std::string> tile::generateCode(llvm::Module &module,
                                               llvm::TargetMachine &machine,
                                               llvm::CodeGenFileType type) {
  // The thread may keep them.
  auto buffer = std::make_shared<SmallVector<char, 0>>();
  bool refused = false;
  llvm::Error error = callLLVM(module.getContext(), [&, buffer] {
    llvm::raw_svector_ostream stream(*buffer);
    llvm::legacy::PassManager passes;
    refused = machine.addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr,
                                          type);
    if (!refused)
      passes.run(module);
  });
  if (error)
    return std::move(error);
  if (refused)
    // untested: the targets that we use write both
    return llvm::createStringError("it cannot write this kind of file");
  return std::string(buffer->begin(), buffer->end());
}
