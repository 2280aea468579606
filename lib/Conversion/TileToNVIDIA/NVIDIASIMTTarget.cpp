//===- NVIDIASIMTTarget.cpp - instructions of NVIDIA GPUs -----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NVIDIASIMTTarget.h"

#include "Clusters.h"
#include "PTX.h"
#include "Ranks.h"

#include "Tile/Conversion/TileToNVIDIA/TileToNVIDIA.h"
#include "Tile/Conversion/TileToSIMT/Mma.h"
#include "Tile/Dialect/Tile/IR/Sparse.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvidia;
using namespace mlir::tile::simt;

namespace {
/// No other GPU has such an instruction here; see tile-expand-sparse.
struct SparseGemmModel
    : SIMTLoweringOpInterface::ExternalModel<SparseGemmModel, SparseGemmOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    return emitSparseMma(cast<SparseGemmOp>(op), l);
  }
};
} // namespace

void mlir::tile::registerTileToNVIDIA(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TileDialect *) {
    SparseGemmOp::attachInterface<SparseGemmModel>(*context);
  });
  registerSIMTTarget<NVIDIASIMTTarget>(registry);
  registerRankTarget<NVIDIARankTarget>(registry);
  registerClusterTarget<NVIDIAClusterTarget>(registry);
}

bool NVIDIASIMTTarget::supports(const ::tile::target::Target &chip) const {
  return chip.vendor == ::tile::target::Vendor::NVIDIA;
}

void NVIDIASIMTTarget::loadDialects(MLIRContext *context) const {
  context->loadDialect<NVVM::NVVMDialect>();
}

/// An empty instruction whose operand and result are one register.
Value NVIDIASIMTTarget::makeThreadOpaque(KernelLowering &l, Location loc,
                                         Value number) const {
  return emitAsm(l.builder(), loc, "", number.getType(), "=r,0", number)[0];
}

//===----------------------------------------------------------------------===//
// Blocks, warps, threads
//===----------------------------------------------------------------------===//

void NVIDIASIMTTarget::setCluster(gpu::GPUFuncOp kernel,
                              ArrayRef<int64_t> extents) const {
  SmallVector<int32_t> dims(extents.begin(), extents.end());
  dims.resize(3, 1);
  kernel->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                  DenseI32ArrayAttr::get(kernel.getContext(), dims));
}

void NVIDIASIMTTarget::partialBarrier(KernelLowering &l, Location loc,
                                  Value barrier, int64_t threads) const {
  NVVM::BarrierOp::create(l.builder(), loc, Type(), barrier,
                          l.i32(loc, threads), {}, {});
}

void NVIDIASIMTTarget::arriveAtBarrier(KernelLowering &l, Location loc,
                                   Value barrier, int64_t threads) const {
  emitAsm(l.builder(), loc, "bar.arrive $0, " + Twine(threads) + ";", {},
          "r,~{memory}", barrier);
}

/// PTX ISA, "bar.red".
Value NVIDIASIMTTarget::voteAtBarrier(KernelLowering &l, Location loc,
                                      Value barrier, int64_t threads,
                                      Value truth, bool isAnd) const {
  OpBuilder &b = l.builder();
  SmallVector<Value> operands{barrier ? barrier : l.i32(loc, 0)};
  if (barrier)
    operands.push_back(l.i32(loc, threads));
  operands.push_back(truth);
  std::string name = std::string("llvm.nvvm.barrier.cta.red.") +
                     (isAnd ? "and" : "or") + ".aligned." +
                     (barrier ? "count" : "all");
  return LLVM::CallIntrinsicOp::create(b, loc, b.getI1Type(),
                                       b.getStringAttr(name), operands)
      .getResult(0);
}

void NVIDIASIMTTarget::warpBarrier(KernelLowering &l, Location loc) const {
  NVVM::SyncWarpOp::create(l.builder(), loc, l.i32(loc, -1));
}

Value NVIDIASIMTTarget::electLane(KernelLowering &l, Location loc) const {
  return NVVM::ElectSyncOp::create(l.builder(), loc, l.builder().getI1Type(),
                                   Value());
}

void NVIDIASIMTTarget::setRegisterBudget(KernelLowering &l, Location loc,
                                     int64_t registers, bool increases) const {
  NVVM::SetMaxRegisterOp::create(
      l.builder(), loc, registers,
      increases ? NVVM::SetMaxRegisterAction::increase
                : NVVM::SetMaxRegisterAction::decrease);
}

//===----------------------------------------------------------------------===//
// Atomic updates
//===----------------------------------------------------------------------===//

/// PTX ISA, "red": pairs of halves as such; longer vectors, and pairs of bf16,
/// need sm_90, as transaction barriers do.
int64_t NVIDIASIMTTarget::getUpdateRun(KernelLowering &l, AtomicKind kind,
                                       Type element) const {
  bool isHalf = element.isF16() || element.isBF16();
  if (kind != AtomicKind::Add || (!isHalf && !element.isF32()))
    return 1;
  if (l.getTarget().has(::tile::target::Feature::MBarrierTx))
    return isHalf ? 8 : 4;
  return element.isF16() ? 2 : 1;
}

void NVIDIASIMTTarget::updateRun(KernelLowering &l, Location loc, AtomicKind,
                                 Value address, ValueRange values) const {
  Type element = values.front().getType();
  bool isSingle = values.size() == 1;
  SmallVector<Value> registers;
  if (isSingle)
    registers.push_back(LLVM::BitcastOp::create(
        l.builder(), loc,
        l.builder().getIntegerType(element.getIntOrFloatBitWidth()),
        values.front()));
  else
    registers = packRegisters(l, loc, llvm::to_vector(values));
  size_t count = registers.size();
  std::string list, constraints = "l";
  for (size_t i = 1; i <= count; ++i) {
    list += (i == 1 ? "$" : ", $") + std::to_string(i);
    constraints += isSingle ? ",h" : element.isF32() ? ",f" : ",r";
  }
  std::string text = "red.relaxed.gpu.global.add.";
  if (!element.isF32())
    text += "noftz.";
  if (count > 1) {
    text += "v" + std::to_string(count) + ".";
    list = "{" + list + "}";
  }
  text += element.isF32() ? "f32" : element.isBF16() ? "bf16" : "f16";
  if (!element.isF32() && !isSingle)
    text += "x2";
  registers.insert(registers.begin(), address);
  emitAsm(l.builder(), loc, text + " [$0], " + list + ";", {},
          constraints + ",~{memory}", registers);
}

//===----------------------------------------------------------------------===//
// cp.async
//===----------------------------------------------------------------------===//

/// PTX ISA, "cp.async": 16 bytes may pass by L1, fewer may not.
static constexpr int64_t kUncachedBytes = 16;

void NVIDIASIMTTarget::copyAsync(KernelLowering &l, Location loc, Value to,
                             Value from, int64_t bytes) const {
  OpBuilder &b = l.builder();
  auto modifier = bytes == kUncachedBytes ? NVVM::LoadCacheModifierKind::CG
                                          : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(
      b, loc, to, from, b.getI32IntegerAttr(bytes),
      NVVM::LoadCacheModifierKindAttr::get(b.getContext(), modifier), Value());
}

void NVIDIASIMTTarget::commitAsyncCopies(KernelLowering &l,
                                         Location loc) const {
  NVVM::CpAsyncCommitGroupOp::create(l.builder(), loc);
}

void NVIDIASIMTTarget::waitForAsyncCopies(KernelLowering &l, Location loc,
                                      int64_t pending) const {
  NVVM::CpAsyncWaitGroupOp::create(l.builder(), loc, pending);
}

//===----------------------------------------------------------------------===//
// mbarrier
//===----------------------------------------------------------------------===//

void NVIDIASIMTTarget::initBarrier(KernelLowering &l, Location loc,
                                   Value barrier, int64_t arrivals) const {
  NVVM::MBarrierInitOp::create(l.builder(), loc, barrier, l.i32(loc, arrivals),
                               Value());
}

void NVIDIASIMTTarget::fenceBarrierInit(KernelLowering &l, Location loc) const {
  NVVM::FenceMbarrierInitOp::create(l.builder(), loc);
}

void NVIDIASIMTTarget::arriveExpectingBytes(KernelLowering &l, Location loc,
                                        Value barrier, int64_t bytes) const {
  NVVM::MBarrierArriveExpectTxOp::create(
      l.builder(), loc, TypeRange(), barrier, l.i32(loc, bytes),
      NVVM::MemScopeKind::CTA, /*relaxed=*/false, Value());
}

void NVIDIASIMTTarget::arrive(KernelLowering &l, Location loc,
                          Value barrier) const {
  NVVM::MBarrierArriveOp::create(l.builder(), loc, TypeRange(), barrier,
                                 Value());
}

Value NVIDIASIMTTarget::tryWait(KernelLowering &l, Location loc, Value barrier,
                            Value parity) const {
  return NVVM::MBarrierTryWaitOp::create(
      l.builder(), loc, l.builder().getI1Type(), barrier, parity, Value());
}

/// The driver prints `file:line: function: ... Assertion `message` failed`.
void NVIDIASIMTTarget::abort(KernelLowering &l, Location loc,
                             StringRef message) const {
  OpBuilder &b = l.builder();
  auto module = l.getFunction()->getParentOfType<gpu::GPUModuleOp>();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  constexpr StringLiteral name = "__assertfail";
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    LLVM::LLVMFuncOp::create(
        b, loc, name,
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                    {pointer, pointer, i32, pointer, i64}));
  }
  auto getText = [&](StringRef text) -> Value {
    std::string symbol;
    for (unsigned i = 0; symbol.empty() || module.lookupSymbol(symbol); ++i)
      symbol = "tile_text_" + std::to_string(i);
    OpBuilder atStart = OpBuilder::atBlockBegin(module.getBody());
    std::string bytes = text.str() + '\0';
    auto global = LLVM::GlobalOp::create(
        atStart, loc, LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, symbol,
        b.getStringAttr(bytes));
    return LLVM::AddressOfOp::create(b, loc, global);
  };
  auto place = loc->findInstanceOf<FileLineColLoc>();
  auto number = [&](Type type, int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, type, value);
  };
  LLVM::CallOp::create(
      b, loc, TypeRange(), name,
      ValueRange{getText(message),
                 getText(place ? place.getFilename().strref() : "tile"),
                 number(i32, place ? place.getLine() : 0),
                 getText(l.getFunction().getName()), number(i64, 1)});
}

void NVIDIASIMTTarget::fenceAsyncEngines(KernelLowering &l,
                                         Location loc, bool isGlobal) const {
  // Only such chips have engines that read shared memory by themselves.
  if (!l.getTarget().has(::tile::target::Feature::MBarrierTx))
    return;
  MLIRContext *context = l.builder().getContext();
  if (isGlobal) {
    NVVM::FenceProxyOp::create(
        l.builder(), loc,
        NVVM::ProxyKindAttr::get(context, NVVM::ProxyKind::async),
        NVVM::SharedSpaceAttr());
    return;
  }
  NVVM::FenceProxyOp::create(
      l.builder(), loc,
      NVVM::ProxyKindAttr::get(context, NVVM::ProxyKind::async_shared),
      NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
}

//===----------------------------------------------------------------------===//
// Matrix instructions
//===----------------------------------------------------------------------===//

LogicalResult NVIDIASIMTTarget::emitMma(KernelLowering &l, GemmOp op) const {
  switch (op.getInstructionAttr().getFamily()) {
  case Instruction::MMA:
    return emitWarpMma(op, l);
  case Instruction::WGMMA:
    return emitWarpgroupMma(op, l);
  default:
    return SIMTTarget::emitMma(l, op);
  }
}

LogicalResult NVIDIASIMTTarget::waitForMma(KernelLowering &l,
                                       GemmWaitOp op) const {
  auto isWarpgroup = [](const ::tile::target::MmaRow &row) {
    return row.family == ::tile::target::MmaFamily::WGMMA;
  };
  if (llvm::none_of(l.getTarget().mmas, isWarpgroup))
    return SIMTTarget::waitForMma(l, op);
  return emitGemmWait(op, l);
}
