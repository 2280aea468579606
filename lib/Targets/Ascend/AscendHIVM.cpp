//===- AscendHIVM.cpp - kernels as text of AscendNPU-IR -------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// AscendNPU-IR is another program with an MLIR of its own: what goes there is
// text. Addresses and flags are left to its passes, and so are L0A and L0B: its
// product takes operands in L1. Scalar code is printed as it is; memory spaces
// stand as strings until the text is there.
//
//===----------------------------------------------------------------------===//

#include "AscendWriter.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

static constexpr StringLiteral kBlockOp = "hivm.hir.get_block_idx";

namespace {
/// One kernel, which it takes apart.
class HIVMWriter {
public:
  HIVMWriter(tl::KernelOp kernel, raw_ostream &os)
      : kernel(kernel), os(os), b(kernel) {}
  LogicalResult write();

private:
  // What has no form is made into what has one, or refused.
  LogicalResult prepare();
  LogicalResult prepareProduct(MmadOp op);
  LogicalResult prepareSum(MmadOp zero);
  LogicalResult prepareReduce(tl::ascend::ReduceOp op);
  LogicalResult checkBroadcast(BinaryOp op);
  void setSpaces();
  void setSpace(Value value);

  // Text.
  raw_ostream &line() { return os.indent(2 * depth); }
  LogicalResult writeBlock(Block &block, AsmState &state);
  LogicalResult writeOp(Operation *op, AsmState &state);
  LogicalResult writeFixpipe(FixpipeOp store, AsmState &state);
  LogicalResult writeInstruction(Operation *op, AsmState &state);
  void writeSides(StringRef name, ValueRange ins, Value out, AsmState &state,
                  StringRef tail = "");

  tl::KernelOp kernel;
  raw_ostream &os;
  OpBuilder b;
  unsigned depth = 2;
  DenseMap<Operation *, SmallVector<Value>> operands; // of products
};
} // namespace

//===----------------------------------------------------------------------===//
// Before
//===----------------------------------------------------------------------===//

/// The last op before a product, in its block, that fills an operand of it.
template <typename... OpTys>
static Operation *findSource(Operation *op, Value operand) {
  for (Operation *at = op->getPrevNode(); at; at = at->getPrevNode())
    if (isa<OpTys...>(at) && at->getOperand(0) == operand)
      return at;
  return nullptr;
}

/// A sum that begins with a product of zeros: the first product of the loop
/// behind it begins it instead.
LogicalResult HIVMWriter::prepareSum(MmadOp zero) {
  auto refuse = [&](const char *why) {
    return zero.emitError("a sum that begins with 0 has no form in "
                          "AscendNPU-IR where ")
           << why << "; begin it with 'clear_if'";
  };
  scf::ForOp loop;
  for (Operation *at = zero->getNextNode(); at && !loop; at = at->getNextNode())
    loop = dyn_cast<scf::ForOp>(at);
  if (!loop)
    return refuse("no loop follows");
  auto lower = getConstantIntValue(loop.getLowerBound()),
       upper = getConstantIntValue(loop.getUpperBound());
  if (!lower || !upper || *lower >= *upper)
    return refuse("the loop behind it may have no iteration");
  auto products = loop.getBody()->getOps<MmadOp>();
  auto first = llvm::find_if(products, [&](MmadOp product) {
    return product.getTarget() == zero.getTarget();
  });
  if (first == products.end())
    return refuse("the loop behind it has no product");
  b.setInsertionPointToStart(loop.getBody());
  Value begins =
      arith::CmpIOp::create(b, zero.getLoc(), arith::CmpIPredicate::eq,
                            loop.getInductionVar(), loop.getLowerBound());
  (*first).getInitMutable().set(begins);
  zero.erase();
  return success();
}

LogicalResult HIVMWriter::prepareProduct(MmadOp op) {
  auto left = dyn_cast_or_null<LoadL0AOp>(
      findSource<LoadL0AOp, FillL0AOp>(op, op.getLhs()));
  auto right = dyn_cast_or_null<LoadL0BOp>(
      findSource<LoadL0BOp, FillL0BOp>(op, op.getRhs()));
  if (!left || !right)
    return op.emitError("expected the loads of both operands before the "
                        "product, in the same block");
  b.setInsertionPoint(op);
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, op.getLoc(), value);
  };
  auto a = cast<MemRefType>(op.getLhs().getType()),
       c = cast<MemRefType>(op.getTarget().getType());
  operands[op] = {left.getSource(),       right.getSource(),
                  op.getInit(),           index(a.getDimSize(0)),
                  index(a.getDimSize(1)), index(c.getDimSize(1))};
  std::string transposed;
  if (left.getTranspose())
    transposed += "a_transpose";
  if (right.getTranspose())
    transposed += transposed.empty() ? "b_transpose" : ", b_transpose";
  if (!transposed.empty())
    op->setAttr("hivm.transposed", b.getStringAttr(transposed));
  return success();
}

/// The target has a dimension of 1 where the source has the one that goes.
LogicalResult HIVMWriter::prepareReduce(tl::ascend::ReduceOp op) {
  auto source = cast<MemRefType>(op.getSource().getType());
  auto target = cast<MemRefType>(op.getTarget().getType());
  if (source.getRank() != 2 || !target.getLayout().isIdentity())
    return op.emitError("a reduction of a view, or to one, has no form in "
                        "AscendNPU-IR");
  b.setInsertionPoint(op);
  auto type =
      MemRefType::get({target.getDimSize(0), 1}, target.getElementType(),
                      AffineMap(), target.getMemorySpace());
  SmallVector<ReassociationIndices> groups{{0, 1}};
  operands[op] = {memref::ExpandShapeOp::create(b, op.getLoc(), type,
                                                op.getTarget(), groups)};
  return success();
}

LogicalResult HIVMWriter::checkBroadcast(BinaryOp op) {
  if (op.getLhsBroadcast() == Broadcast::None &&
      op.getRhsBroadcast() == Broadcast::None)
    return success();
  return op.emitError("an operand that is repeated has no form in "
                      "AscendNPU-IR");
}

LogicalResult HIVMWriter::prepare() {
  SmallVector<MmadOp> products, zeros;
  auto result = kernel.walk([&](Operation *op) {
    if (auto product = dyn_cast<MmadOp>(op)) {
      bool isZero = findSource<FillL0AOp, LoadL0AOp>(op, product.getLhs()) &&
                    isa<FillL0AOp>(
                        findSource<FillL0AOp, LoadL0AOp>(op, product.getLhs()));
      (isZero ? zeros : products).push_back(product);
    }
    LogicalResult done = success();
    if (auto reduce = dyn_cast<tl::ascend::ReduceOp>(op))
      done = prepareReduce(reduce);
    if (auto binary = dyn_cast<BinaryOp>(op))
      done = checkBroadcast(binary);
    return failed(done) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  for (MmadOp zero : zeros)
    if (failed(prepareSum(zero)))
      return failure();
  for (MmadOp product : products)
    if (failed(prepareProduct(product)))
      return failure();
  return success();
}

/// "hivm.ub"; the text becomes an attribute of HIVM.
void HIVMWriter::setSpace(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type || isa_and_nonnull<StringAttr>(type.getMemorySpace()))
    return;
  static const std::map<MemorySpace, StringRef> names = {
      {MemorySpace::Global, "hivm.gm"}, {MemorySpace::UB, "hivm.ub"},
      {MemorySpace::L1, "hivm.cbuf"},   {MemorySpace::L0A, "hivm.ca"},
      {MemorySpace::L0B, "hivm.cb"},    {MemorySpace::L0C, "hivm.cc"}};
  auto name = names.find(tl::getMemorySpace(type));
  if (name != names.end())
    value.setType(MemRefType::get(type.getShape(), type.getElementType(),
                                  type.getLayout(),
                                  b.getStringAttr(name->second)));
}

void HIVMWriter::setSpaces() {
  kernel->getParentOfType<FunctionOpInterface>()->walk([&](Operation *op) {
    for (Value result : op->getResults())
      setSpace(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value arg : block.getArguments())
          setSpace(arg);
  });
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// name ins(%a, %b : T, T) outs(%c : T) tail
void HIVMWriter::writeSides(StringRef name, ValueRange ins, Value out,
                            AsmState &state, StringRef tail) {
  line() << "hivm.hir." << name << " ins(";
  llvm::interleaveComma(ins, os,
                        [&](Value value) { value.printAsOperand(os, state); });
  os << " : ";
  llvm::interleaveComma(ins.getTypes(), os);
  os << ") outs(";
  out.printAsOperand(os, state);
  os << " : " << out.getType() << ")" << tail << "\n";
}

static StringRef getName(Operation *op) {
  static const llvm::StringMap<StringRef> names = {
      {"Add", "vadd"},   {"Sub", "vsub"},     {"Mul", "vmul"},
      {"Div", "vdiv"},   {"Max", "vmax"},     {"Min", "vmin"},
      {"And", "vand"},   {"Or", "vor"},       {"Adds", "vadd"},
      {"Muls", "vmul"},  {"Maxs", "vmax"},    {"Mins", "vmin"},
      {"Exp", "vexp"},   {"Ln", "vln"},       {"Abs", "vabs"},
      {"Sqrt", "vsqrt"}, {"Rsqrt", "vrsqrt"}, {"Reciprocal", "vrec"},
      {"Relu", "vrelu"}, {"Not", "vnot"}};
  return names.lookup(getInstructionName(op));
}

LogicalResult HIVMWriter::writeFixpipe(FixpipeOp store, AsmState &state) {
  Type from = cast<MemRefType>(store.getSource().getType()).getElementType(),
       to = cast<MemRefType>(store.getTarget().getType()).getElementType();
  if (store.getAtomic())
    return store.emitError("an atomic store of the cube has no form in "
                           "AscendNPU-IR");
  std::string name = "fixpipe {dma_mode = #hivm.dma_mode<nz2nd>";
  if (from != to)
    name += to.isF16() ? ", pre_quant = #hivm.fixpipe_pre_quant_mode<F322F16>"
                       : ", pre_quant = #hivm.fixpipe_pre_quant_mode<F322BF16>";
  if (store.getRelu())
    name += ", pre_relu = #hivm.fixpipe_pre_relu_mode<NORMAL_RELU>";
  writeSides(name + "}", store.getSource(), store.getTarget(), state);
  return success();
}

LogicalResult HIVMWriter::writeInstruction(Operation *op, AsmState &state) {
  ValueRange all = op->getOperands();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      // The product loads its operands itself.
      .Case<LoadL0AOp, LoadL0BOp, FillL0AOp, FillL0BOp>(
          [](auto) { return success(); })
      .Case<CopyGmToUbOp>([&](CopyGmToUbOp load) {
        std::string tail;
        llvm::raw_string_ostream text(tail);
        if (Value pad = load.getPad()) {
          text << " pad_mode = <PadValue> pad_value = ";
          pad.printAsOperand(text, state);
          text << " : " << pad.getType();
        }
        writeSides("load", load.getSource(), load.getTarget(), state, tail);
        return success();
      })
      .Case<CopyUbToGmOp>([&](CopyUbToGmOp store) {
        writeSides("store", store.getSource(), store.getTarget(), state,
                   store.getAtomic() ? " atomic = <add>" : "");
        return success();
      })
      .Case<CopyGmToL1Op>([&](CopyGmToL1Op load) {
        writeSides("nd2nz {dst_continuous}", load.getSource(), load.getTarget(),
                   state);
        return success();
      })
      .Case<MmadOp>([&](MmadOp product) {
        auto transposed = op->getAttrOfType<StringAttr>("hivm.transposed");
        writeSides(transposed ? "mmadL1 {" + transposed.str() + "}" : "mmadL1",
                   operands[op], product.getTarget(), state);
        return success();
      })
      .Case<FixpipeOp>(
          [&](FixpipeOp store) { return writeFixpipe(store, state); })
      .Case<BinaryOp, ScalarOp, UnaryOp>([&](auto) {
        writeSides(getName(op), all.drop_front(), all[0], state);
        return success();
      })
      .Case<CastOp>([&](CastOp cast) {
        writeSides(
            "vcast", cast.getSource(), cast.getTarget(), state,
            cast.getMode() == RoundMode::None
                ? std::string()
                : (" round_mode = <" + stringifyRoundMode(cast.getMode()) + ">")
                      .str());
        return success();
      })
      .Case<DuplicateOp>([&](auto) {
        writeSides("vbrc", all[1], all[0], state);
        return success();
      })
      .Case<CopyUbOp>([&](auto) {
        writeSides("copy", all[1], all[0], state);
        return success();
      })
      .Case<tl::ascend::ReduceOp>([&](tl::ascend::ReduceOp reduce) {
        writeSides(
            ("vreduce <" + stringifyReduceKind(reduce.getKind()) + ">").str(),
            reduce.getSource(), operands[op].front(), state,
            " reduce_dims = [1]");
        return success();
      })
      .Default([&](Operation *) {
        return op->emitError()
               << "'" << op->getName() << "' has no form in AscendNPU-IR";
      });
}

LogicalResult HIVMWriter::writeOp(Operation *op, AsmState &state) {
  // Flags and barriers are for its passes to insert.
  if (isa<SetFlagOp, WaitFlagOp, PipeBarrierOp, scf::YieldOp>(op))
    return success();
  if (isa<SectionOp, CrossSetOp, CrossWaitOp>(op))
    return op->emitError("a kernel of both cores has no form in AscendNPU-IR");
  if (isa<InstructionOpInterface>(op))
    return writeInstruction(op, state);
  if (auto alloc = dyn_cast<tl::AllocOp>(op)) {
    // What the product has for itself.
    auto space = dyn_cast<StringAttr>(
        cast<MemRefType>(alloc.getBuffer().getType()).getMemorySpace());
    if (!space)
      return op->emitError() << "a buffer of " << alloc.getBuffer().getType()
                             << " has no form in AscendNPU-IR";
    if (space == "hivm.ca" || space == "hivm.cb")
      return success();
    line();
    alloc.getBuffer().printAsOperand(os, state);
    os << " = memref.alloc() : " << alloc.getBuffer().getType() << "\n";
    return success();
  }
  if (op->getName().getStringRef() == kBlockOp) {
    line();
    op->getResult(0).printAsOperand(os, state);
    os << " = " << kBlockOp << " -> i64\n";
    return success();
  }
  if (op->getNumRegions() == 0) {
    line();
    op->print(os, state);
    os << "\n";
    return success();
  }
  auto writeBody = [&](Block &block) {
    ++depth;
    LogicalResult done = writeBlock(block, state);
    --depth;
    return done;
  };
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && loop.getNumResults() == 0) {
    line() << "scf.for ";
    loop.getInductionVar().printAsOperand(os, state);
    os << " = ";
    loop.getLowerBound().printAsOperand(os, state);
    os << " to ";
    loop.getUpperBound().printAsOperand(os, state);
    os << " step ";
    loop.getStep().printAsOperand(os, state);
    os << " {\n";
    if (failed(writeBody(*loop.getBody())))
      return failure();
    line() << "}\n";
    return success();
  }
  if (auto branch = dyn_cast<scf::IfOp>(op);
      branch && branch.getNumResults() == 0) {
    line() << "scf.if ";
    branch.getCondition().printAsOperand(os, state);
    os << " {\n";
    if (failed(writeBody(*branch.thenBlock())))
      return failure();
    if (branch.elseBlock()) {
      line() << "} else {\n";
      if (failed(writeBody(*branch.elseBlock())))
        return failure();
    }
    line() << "}\n";
    return success();
  }
  return op->emitError() << "'" << op->getName()
                         << "' has no form in AscendNPU-IR";
}

LogicalResult HIVMWriter::writeBlock(Block &block, AsmState &state) {
  for (Operation &op : block)
    if (failed(writeOp(&op, state)))
      return failure();
  return success();
}

/// The coordinates of the block from its number, the first one fastest.
static void lowerGrid(tl::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  Location loc = kernel.getLoc();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  OperationState number(loc, kBlockOp);
  number.addTypes(b.getI64Type());
  Value rest = arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                          b.create(number)->getResult(0));
  auto grid = kernel.getMixedGrid();
  for (auto [i, arg] : llvm::enumerate(body.getArguments())) {
    Value at = rest;
    if (i + 1 < grid.size()) {
      Value extent = getValueOrCreateConstantIndexOp(b, loc, grid[i]);
      at = arith::RemSIOp::create(b, loc, rest, extent);
      rest = arith::DivSIOp::create(b, loc, rest, extent);
    }
    arg.replaceAllUsesWith(at);
  }
}

LogicalResult HIVMWriter::write() {
  bool isCube = false, isVector = false;
  kernel.walk([&](InstructionOpInterface op) {
    (op.getCore() == Core::Cube ? isCube : isVector) = true;
  });
  if (isCube && isVector)
    return kernel.emitError("a kernel of both cores has no form in "
                            "AscendNPU-IR");
  if (failed(prepare()))
    return failure();
  lowerGrid(kernel);
  setSpaces();
  AsmState state(kernel->getParentOfType<FunctionOpInterface>(),
                 OpPrintingFlags().useLocalScope().assumeVerified());
  StringRef core = isCube ? "AIC" : "AIV";
  os << "  func.func @" << getKernelName(kernel) << "(";
  // Constants and extents that the kernel takes from outside.
  llvm::SetVector<Value> outside;
  getUsedValuesDefinedAbove(kernel.getBody(), outside);
  SmallVector<Operation *> constants;
  bool first = true;
  for (Value value : outside) {
    if (value.getDefiningOp<arith::ConstantOp>()) {
      constants.push_back(value.getDefiningOp());
      continue;
    }
    os << (first ? "" : ", ");
    first = false;
    value.printAsOperand(os, state);
    os << ": " << value.getType();
  }
  os << ") attributes {hacc.entry, hacc.function_kind = "
        "#hacc.function_kind<DEVICE>, hivm.func_core_type = "
        "#hivm.func_core_type<"
     << core << ">} {\n";
  for (Operation *constant : constants) {
    line();
    constant->print(os, state);
    os << "\n";
  }
  if (failed(writeBlock(kernel.getBody().front(), state)))
    return failure();
  line() << "return\n  }\n";
  return success();
}

LogicalResult mlir::tile::ascend::writeAscendHIVM(ModuleOp module,
                                                  raw_ostream &os) {
  OwningOpRef<ModuleOp> copy(module.clone());
  std::string text;
  llvm::raw_string_ostream lines(text);
  lines << "module {\n";
  auto result = copy->walk([&](tl::KernelOp kernel) {
    return failed(HIVMWriter(kernel, lines).write()) ? WalkResult::interrupt()
                                                     : WalkResult::skip();
  });
  if (result.wasInterrupted())
    return failure();
  lines << "}\n";
  for (StringRef rest = text; !rest.empty();) {
    auto [before, behind] = rest.split("\"hivm.");
    os << before;
    if (behind.empty())
      break;
    auto [space, after] = behind.split('"');
    os << "#hivm.address_space<" << space << ">";
    rest = after;
  }
  return success();
}
