//===- Notes.cpp - what was asked for and is not had ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/Notes.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// What a missed remark means to the author of a kernel; empty if it is no loss
/// of something that the kernel asks for.
static StringRef describe(StringRef name) {
  static constexpr std::pair<StringRef, StringRef> kinds[] = {
      {"Pipeline", "no pipeline"},
      {"TensorCopy", "no tensor copy"},
      {"AsyncCopy", "no asynchronous copy"},
      {"MatrixInstruction", "no matrix instruction"}};
  for (auto [kind, text] : kinds)
    if (kind == name)
      return text;
  return "";
}

namespace {
class NotePrinter : public remark::detail::MLIRRemarkStreamerBase {
public:
  void streamOptimizationRemark(const remark::detail::Remark &from) override {
    StringRef what = describe(from.getRemarkName());
    if (what.empty())
      return;
    std::string reason;
    for (const auto &arg : from.getArgs())
      if (arg.key == "Reason")
        reason = arg.val;
    if (!seen.insert((what + reason).str()).second)
      return;
    llvm::errs() << "note: ";
    if (auto place = from.getLocation()->findInstanceOf<FileLineColLoc>())
      llvm::errs() << place.getFilename().getValue() << ":" << place.getLine()
                   << ": ";
    llvm::errs() << what << ": " << reason << "\n";
  }

private:
  llvm::StringSet<> seen;
};
} // namespace

void tile::enableNotes(MLIRContext &context) {
  remark::RemarkCategories categories;
  categories.missed = "tile-schedule|tile-select-instructions";
  (void)remark::enableOptimizationRemarks(
      context, std::make_unique<NotePrinter>(),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}
