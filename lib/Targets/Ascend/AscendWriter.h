//===- AscendWriter.h - kernels as Ascend C text ----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TARGETS_ASCEND_ASCENDWRITER_H
#define TILE_LIB_TARGETS_ASCEND_ASCENDWRITER_H

#include "Tile/Dialect/Ascend/IR/Ascend.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::tile::ascend {

/// A C expression.
struct Expr {
  std::string text;
};
Expr add(const Expr &a, const Expr &b);
Expr subtract(const Expr &a, const Expr &b);
Expr multiply(const Expr &a, const Expr &b);

/// What a kernel takes: pointers to GM, then extents and scalars.
struct KernelParameter {
  Value value;
  std::optional<unsigned> dim; // an extent of the buffer
  std::string name;
};

/// The values from outside of a kernel, as parameters.
SmallVector<KernelParameter> getKernelParameters(KernelOp kernel);
/// "add_kernel": the function, and a number where it has several kernels.
std::string getKernelName(KernelOp kernel);

/// Writes scalar code and, for kernels, instructions.
class AscendWriter {
public:
  explicit AscendWriter(raw_ostream &os) : os(os) {}
  virtual ~AscendWriter() = default;

  LogicalResult writeKernel(KernelOp kernel);

protected:
  struct View {
    std::string tensor, offset;
    SmallVector<std::string> sizes, strides;
  };
  struct Rows {
    std::string rows, columns, pitch;
  };

  raw_ostream &line() { return os.indent(2 * depth); }
  std::string makeName(Value value, StringRef hint);
  FailureOr<std::string> getTypeName(Operation *op, Type type);

  // AscendScalars.cpp
  Expr getExpr(Value value);
  Expr getExpr(OpFoldResult value);
  std::string getScalar(Value value, Type element);
  virtual LogicalResult writeOp(Operation *op);
  LogicalResult writeBlock(Block &block);
  LogicalResult writeScalar(Operation *op);
  LogicalResult writeLoop(scf::ForOp op);
  LogicalResult writeBranch(scf::IfOp op);
  LogicalResult writeAffine(Operation *op);
  LogicalResult writeArith(Operation *op);
  std::string asUnsigned(Operation *op, unsigned operand);
  std::string getIntegerText(Operation *op);
  LogicalResult define(Value result, const Twine &text);
  View makeView(StringRef tensor, ArrayRef<std::string> sizes);
  void writeSubview(memref::SubViewOp op);
  LogicalResult writeMemory(Operation *op);

  // AscendC.cpp
  std::string getTensor(Value buffer);
  LogicalResult writeAlloc(AllocOp op);
  Rows getRows(Value buffer);
  unsigned openGuard(const Rows &rows);
  void closeGuard(unsigned lines);
  bool openParts(Rows &rows, int64_t bound);
  std::string getPart(Value buffer, StringRef pitch, bool isPart);
  std::string getGap(int64_t pitch, StringRef columns, int64_t bytes);
  void setAtomic(Type element, bool on);
  LogicalResult writeLoad(CopyGmToUbOp op);
  LogicalResult writeStore(CopyUbToGmOp op);
  void writeColumns(int64_t columns, int64_t lanes,
                    function_ref<void(StringRef, int64_t)> call);
  LogicalResult writeVector(StringRef name,
                            ArrayRef<Value> buffers,
                            ArrayRef<Broadcast> broadcasts, StringRef extra,
                            StringRef params, StringRef as = "");
  LogicalResult writeDuplicate(DuplicateOp op);
  LogicalResult writeReduce(ascend::ReduceOp op);
  LogicalResult writeBrcb(BrcbOp op);
  LogicalResult writeCompare(CompareOp op);
  LogicalResult writeSelect(SelectOp op);
  LogicalResult writeInstruction(Operation *op);
  bool writeSync(Operation *op);

  // AscendSort.cpp
  std::string getTensorAt(Value buffer, int64_t element);
  LogicalResult writeSort32(Sort32Op op);
  LogicalResult writeMergeSort(MergeSortOp op);
  LogicalResult writeGatherMask(GatherMaskOp op);
  LogicalResult writeGather(GatherOp op);
  LogicalResult writeSorting(Operation *op);

  // AscendCube.cpp
  LogicalResult writeCube(Operation *op);
  LogicalResult writeNd2Nz(CopyGmToL1Op op);
  void writeNd2NzRows(CopyGmToL1Op op, const Twine &offset, const Twine &source,
                      const Twine &count, const Twine &pitch, int64_t height);
  LogicalResult writeFill(Value target, Value value, int64_t unit);
  void writeLoadData(StringRef target, StringRef source, int64_t count,
                     int64_t stride, bool transpose);
  void writeLoadTransposed(StringRef target, StringRef source, int64_t count,
                           int64_t stride, int64_t gap, int64_t blockGap);
  void writeLoadSteps(StringRef target, const Twine &source, int64_t row,
                      int64_t column, int64_t rows, int64_t columns,
                      int64_t stride, int64_t targetStride, bool transpose);
  void writeRowBarrier(bool isOdd);
  void writeLoadWhole(Operation *op, Value target, Value source,
                      bool transposesBlocks);
  LogicalResult writeLoadL0A(LoadL0AOp op);
  LogicalResult writeLoadL0B(LoadL0BOp op);
  LogicalResult writeMmad(MmadOp op);
  LogicalResult writeFixpipe(FixpipeOp op);
  LogicalResult writeFixpipeToUB(FixpipeOp op);
  LogicalResult writeUbToL1(CopyUbToL1Op op);

  // AscendKernel.cpp
  void collectWritten(KernelOp kernel);
  LogicalResult writeParameters(KernelOp kernel);
  void writeGrid(KernelOp kernel);
  void writeLauncher(KernelOp kernel);

  raw_ostream &os;
  unsigned depth = 1, nextName = 0;
  const ::tile::target::AscendSpec *spec = nullptr;
  bool isMixed = false; // both kinds of core run the kernel
  DenseMap<Value, std::string> names;
  DenseMap<Value, View> views;
  DenseSet<Value> written; // buffers in GM to which the kernel stores
};

/// What runs on the host: allocations, sizes and launches, in C.
LogicalResult writeAscendHost(ModuleOp module, bool isDevice, raw_ostream &os);
/// What the host's side of a device is built on: ACL and the kernels by dlopen.
StringRef getAscendDeviceText();
/// The chip that all kernels of a module are for.
FailureOr<const ::tile::target::Target *> getChipOfKernels(ModuleOp module);
/// A script that builds the kernels with the vendor's compiler.
LogicalResult writeAscendBuild(ModuleOp module, raw_ostream &os);
/// Kernels of one core as text of AscendNPU-IR.
LogicalResult writeAscendHIVM(ModuleOp module, raw_ostream &os);
/// All kernels of a module.
LogicalResult writeAscendKernels(ModuleOp module, raw_ostream &os);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_TARGETS_ASCEND_ASCENDWRITER_H
