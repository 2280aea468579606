//===- AscendWriter.h - kernels as Ascend C text ----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TARGETS_ASCEND_ASCENDWRITER_H
#define TILE_LIB_TARGETS_ASCEND_ASCENDWRITER_H

#include "AscendStatements.h"

#include "Tile/Dialect/Ascend/IR/Ascend.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::tile::ascend {

/// A parameter of a kernel: pointers to GM, then extents and scalars.
struct KernelParameter {
  Value value;
  std::optional<unsigned> dim; // an extent of the buffer
  std::string name;
};

/// The values from outside of a kernel, as parameters.
SmallVector<KernelParameter> getKernelParameters(KernelOp kernel);
std::string getSourceName(Value value);
/// "add_kernel": the function, and a number where it has several kernels.
std::string getKernelName(KernelOp kernel);

/// Writes scalar code, and the calls of ops that are one each. Extents and
/// offsets are affine expressions whose symbols are variables of the program.
class AscendWriter : public CallPrinter {
public:
  AscendWriter(MLIRContext *context, bool hasLines = false)
      : context(context), hasLines(hasLines), pending(text) {}

  /// `functions` are those of the kernels before.
  LogicalResult writeKernel(KernelOp kernel, llvm::StringSet<> &functions,
                            raw_ostream &os);
  /// What has to stand in front of all kernels.
  const llvm::StringSet<> &getHelpers() const { return helpers; }

  // The printer of calls.
  raw_ostream &line() override {
    finishLine();
    return pending;
  }
  std::string getTensor(Value buffer) override {
    return getTensorAt(buffer, 0);
  }
  std::string getTensorAt(Value buffer, int64_t element) override;
  std::string getScalar(Value value, Type element) override;
  std::string getType(Type type) override;
  std::string makeName(StringRef hint) override;
  Rows getRows(Value buffer) override;
  AffineExpr getNumber(Value value) override { return getExpr(value); }
  std::string format(AffineExpr expr) override {
    return formatExpr(expr, /*isNonNegative=*/true);
  }

protected:
  /// A buffer, or the part of one that a view is. `origin` is the first element
  /// in coordinates of the buffer, `offset` in elements of row-major order.
  struct View {
    std::string tensor;
    AffineExpr offset;
    SmallVector<AffineExpr> origin, sizes, strides;
  };

  /// The statement that line() began is whole.
  void finishLine();
  Statement &add(Statement::Kind kind, const Twine &text = "");
  /// Statements are those of a list until close().
  void open(Statements &inner);
  void setLine(Operation *op);
  void close();
  std::string makeName(Value value, StringRef type, StringRef hint);
  void setName(Value value, StringRef name);

  // AscendScalars.cpp
  AffineExpr number(int64_t value) const {
    return getAffineConstantExpr(value, context);
  }
  AffineExpr addVariable(StringRef name);
  std::string formatExpr(AffineExpr expr, bool isNonNegative);
  AffineExpr getExpr(OpFoldResult value);
  std::string getText(Value value);
  FailureOr<std::string> getTypeName(Operation *op, Type type);
  virtual LogicalResult writeOp(Operation *op);
  LogicalResult writeBlock(Block &block);
  LogicalResult writeList(Block &block, Statements &list);
  LogicalResult writeScalar(Operation *op);
  LogicalResult writeLoop(scf::ForOp op);
  LogicalResult writeBranch(scf::IfOp op);
  LogicalResult writeAffine(Operation *op);
  LogicalResult writeArith(Operation *op);
  LogicalResult writeExact(Operation *op);
  std::string asUnsigned(Operation *op, unsigned operand);
  std::string getIntegerText(Operation *op);
  std::string getBitText(Operation *op);
  std::string useHelper(StringRef name) {
    return helpers.insert(name).first->getKey().str();
  }
  std::string getChoice(StringRef compare, StringRef a, StringRef c);
  LogicalResult define(Value result, const Twine &text);
  LogicalResult defineCast(Operation *op, const Twine &operand);

  // AscendC.cpp
  View makeView(StringRef tensor, ArrayRef<AffineExpr> sizes);
  AffineExpr getAddress(Value buffer);
  LogicalResult writeAlloc(AllocOp op);
  LogicalResult writeCall(ApiCallOpInterface op);
  LogicalResult writeView(Operation *op);
  LogicalResult writeMemory(Operation *op);
  Operation *writeProgression(Operation *op);
  Statement &writeStatement(ApiCallOpInterface op);

  // AscendKernel.cpp
  void collectWritten(KernelOp kernel);
  LogicalResult writeParameters(KernelOp kernel);
  void writeGrid(KernelOp kernel);
  void writeLauncher(raw_ostream &os);

  MLIRContext *context;
  bool hasLines; // of the source, which are comments
  unsigned currentLine = 0;
  StringAttr file;
  Kernel output;
  llvm::StringSet<> helpers;
  SmallVector<Statements *> lists = {&output.entry.body};
  std::string text;
  llvm::raw_string_ostream pending;
  unsigned nextName = 0;
  llvm::StringSet<> parameterNames; // that nothing else has
  const ::tile::target::AscendSpec *spec = nullptr;
  bool isMixed = false; // both kinds of core run the kernel
  bool hasFailed = false; // a type of a call has no name
  Operation *current = nullptr; // whose call is printed
  SmallVector<std::string> variables; // by symbol
  DenseMap<Value, AffineExpr> exprs;
  DenseMap<Value, View> views;
  DenseSet<Value> written; // buffers in GM to which the kernel stores
};

/// The functions of smaller and larger numbers that are used.
void writeChoices(const llvm::StringSet<> &used, StringRef attribute,
                  raw_ostream &os);
/// The host code: allocations, sizes and launches, in C.
LogicalResult writeAscendHost(ModuleOp module, bool isDevice, raw_ostream &os);
/// The runtime of host code on a device: ACL and the kernels by dlopen.
StringRef getAscendDeviceText();
/// The copy of an element that host code loads or stores on a device.
StringRef getAscendElementText();
/// The chip that all kernels of a module are for.
FailureOr<const ::tile::target::Target *> getChipOfKernels(ModuleOp module);
/// A script that builds the kernels with the vendor's compiler.
LogicalResult writeAscendBuild(ModuleOp module, raw_ostream &os);
/// Kernels of one core as text of AscendNPU-IR.
LogicalResult writeAscendHIVM(ModuleOp module, raw_ostream &os);
/// All kernels of a module, with lines of the source if its locations are
/// those.
LogicalResult writeAscendKernels(ModuleOp module, bool hasLines,
                                 raw_ostream &os);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_TARGETS_ASCEND_ASCENDWRITER_H
