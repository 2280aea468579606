//===- VersionKernels.cpp - versions of kernels for lucky sizes -----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instruction selection is asked what it would choose under facts; it is not
// repeated here. A fact that changes no answer is no condition of a version.
//
//===----------------------------------------------------------------------===//

#include "PadOperands.h"
#include "SelectInstructions.h"

#include "Tile/Analysis/Trend.h"
#include "Tile/Dialect/Tile/IR/Arguments.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"

#include <numeric>

namespace mlir::tile {
#define GEN_PASS_DEF_VERSIONKERNELSPASS
#include "Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;
using ::tile::target::Target;

namespace {
/// Makes the versions of one kernel.
class KernelVersions {
public:
  KernelVersions(KernelOp kernel, FunctionOpInterface function,
                 const Target &target)
      : kernel(kernel), function(function), extents(function), target(target) {}

  void run();

private:
  using Facts = SmallVector<FactAttr>;
  using Forms = SmallVector<CopyForm>;

  void collectCopies();
  void addFact(Facts &facts, FactKind kind, unsigned argument, unsigned dim,
               int64_t min, int64_t multiple);
  void addCandidates(Facts &facts, BlockArgument argument, int64_t bytes);
  /// All that could help; `bytes` is how long vectors are.
  Facts getCandidates(int64_t bytes);
  Forms getForms(ArrayRef<FactAttr> facts);
  Forms getForms(ArrayAttr facts);
  /// Whether a fact is about a buffer of the copy.
  bool concerns(FactAttr fact, CopyOp copy);
  /// Whether the copies that `fact` concerns have `forms` with other facts.
  bool keeps(ArrayRef<FactAttr> facts, FactAttr fact, const Forms &forms);
  /// The facts without those that change nothing of `forms`, where `least` are
  /// those without any.
  Facts reduce(Facts facts, const Forms &forms, const Forms &least);
  /// The facts that tensor loads need, where stores alone need more of sizes;
  /// none otherwise.
  Facts getFactsOfLoads(Facts facts, const Forms &forms);
  /// Adds that buffers of which single elements are read begin as the others:
  /// neighbours may become vectors.
  void addAddresses(Facts &facts);
  int64_t getNarrowAsyncBytes();
  KernelOp addVersion(ArrayRef<FactAttr> facts);
  /// The arguments that are worth a padded copy; none if one of the loads that
  /// facts make asynchronous has to stay as it is.
  SmallVector<BlockArgument> getPaddable(const Forms &best, const Forms &least);
  /// What the loads of an argument need for `forms`, out of what all need.
  Facts getFactsOf(BlockArgument argument, ArrayRef<FactAttr> facts,
                   const Forms &forms);
  /// Adds the addresses of results that go through the copy engine then.
  void addResults(Facts &needed, ArrayRef<FactAttr> facts, const Forms &best,
                  ArrayRef<BlockArgument> operands);
  /// Adds that padded operands are not empty, and that copies of them pay.
  void addExtents(Facts &facts, BlockArgument operand);
  void addPadded(ArrayRef<BlockArgument> operands, ArrayRef<FactAttr> facts,
                 const Forms &best, KernelOp first, KernelOp last);
  void addNarrow(const Forms &best, const Forms &least);
  void keepAlignment();

  KernelOp kernel;
  FunctionOpInterface function;
  ArgumentExtents extents;
  const Target &target;
  SmallVector<CopyOp> copies;
  SmallVector<BlockArgument> arguments;
};
} // namespace

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Copies of buffers that the function takes, whose sizes a launch knows.
void KernelVersions::collectCopies() {
  kernel.walk([&](CopyOp copy) {
    bool isGlobal = false;
    for (Value buffer : {copy.getSource(), copy.getTarget()}) {
      Value base = getBaseBuffer(buffer);
      if (getFunctionOf(base) != function)
        continue;
      isGlobal = true;
      auto argument = cast<BlockArgument>(base);
      if (!llvm::is_contained(arguments, argument))
        arguments.push_back(argument);
    }
    if (isGlobal)
      copies.push_back(copy);
  });
}

void KernelVersions::addFact(Facts &facts, FactKind kind, unsigned argument,
                             unsigned dim, int64_t min, int64_t multiple) {
  auto *known = llvm::find_if(facts, [&](FactAttr fact) {
    return fact.getKind() == kind && fact.getArgument() == argument &&
           fact.getDim() == dim;
  });
  if (known != facts.end()) {
    min = std::max(min, known->getMin());
    multiple = std::lcm(multiple, known->getMultiple());
  }
  auto fact = FactAttr::get(kernel.getContext(), kind, argument, dim, min,
                            multiple);
  if (known != facts.end())
    *known = fact;
  else if (min != 0 || multiple != 1)
    facts.push_back(fact);
}

void KernelVersions::addCandidates(Facts &facts, BlockArgument argument,
                                   int64_t bytes) {
  auto type = cast<MemRefType>(argument.getType());
  unsigned index = argument.getArgNumber(), rank = type.getRank();
  int64_t vector =
      std::max<int64_t>(1, bytes * 8 / getElementBits(type.getElementType()));
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    ArgumentExtent extent = extents.get(index, dim);
    int64_t multiple = dim + 1 == rank ? vector : 1;
    if (extent.multiple && extent.multiple % multiple == 0)
      continue;
    addFact(facts, FactKind::Size, extent.argument, extent.dim, /*min=*/1,
            multiple);
  }
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type.getLayout().isIdentity() &&
      succeeded(type.getStridesAndOffset(strides, offset)))
    for (unsigned dim = 0; dim + 1 < rank; ++dim)
      if (ShapedType::isDynamic(strides[dim]))
        addFact(facts, FactKind::Stride, index, dim, /*min=*/0, vector);
  int64_t widest = target.getGPU()->vectorBytes;
  kernel.setFactsAttr(Builder(kernel.getContext()).getArrayAttr({}));
  if (getAlignment(kernel, argument, widest) < widest)
    addFact(facts, FactKind::Address, index, /*dim=*/0, /*min=*/0, widest);
}

KernelVersions::Facts KernelVersions::getCandidates(int64_t bytes) {
  Facts facts;
  for (BlockArgument argument : arguments)
    addCandidates(facts, argument, bytes);
  return facts;
}

//===----------------------------------------------------------------------===//
// What facts change
//===----------------------------------------------------------------------===//

KernelVersions::Forms KernelVersions::getForms(ArrayAttr facts) {
  kernel.setFactsAttr(facts);
  return llvm::map_to_vector(
      copies, [&](CopyOp copy) { return getCopyForm(copy, target); });
}

KernelVersions::Forms KernelVersions::getForms(ArrayRef<FactAttr> facts) {
  SmallVector<Attribute> list(facts.begin(), facts.end());
  return getForms(Builder(kernel.getContext()).getArrayAttr(list));
}

bool KernelVersions::concerns(FactAttr fact, CopyOp copy) {
  for (Value buffer : {copy.getSource(), copy.getTarget()}) {
    Value base = getBaseBuffer(buffer);
    if (getFunctionOf(base) != function)
      continue;
    unsigned index = cast<BlockArgument>(base).getArgNumber();
    if (fact.getKind() != FactKind::Size && fact.getArgument() == index)
      return true;
    auto type = cast<MemRefType>(base.getType());
    for (unsigned dim = 0, e = type.getRank(); dim < e; ++dim) {
      if (fact.getKind() != FactKind::Size || !type.isDynamicDim(dim))
        continue;
      ArgumentExtent extent = extents.get(index, dim);
      if (extent.argument == fact.getArgument() && extent.dim == fact.getDim())
        return true;
    }
  }
  return false;
}

bool KernelVersions::keeps(ArrayRef<FactAttr> facts, FactAttr fact,
                           const Forms &forms) {
  SmallVector<Attribute> list(facts.begin(), facts.end());
  kernel.setFactsAttr(Builder(kernel.getContext()).getArrayAttr(list));
  return llvm::all_of(llvm::zip(copies, forms), [&](auto pair) {
    auto [copy, form] = pair;
    return !concerns(fact, copy) || getCopyForm(copy, target) == form;
  });
}

KernelVersions::Facts KernelVersions::reduce(Facts facts, const Forms &forms,
                                             const Forms &least) {
  MLIRContext *context = kernel.getContext();
  // What gains nothing has no conditions.
  llvm::erase_if(facts, [&](FactAttr fact) {
    return llvm::none_of(llvm::zip(copies, forms, least), [&](auto all) {
      auto [copy, form, other] = all;
      return !(form == other) && concerns(fact, copy);
    });
  });
  for (unsigned i = 0; i < facts.size();) {
    FactAttr fact = facts[i];
    // A vector needs both the number and the address.
    if (fact.getKind() == FactKind::Address) {
      ++i;
      continue;
    }
    Facts without = facts;
    without.erase(without.begin() + i);
    if (keeps(without, fact, forms)) {
      facts = without;
      continue;
    }
    if (fact.getMin() != 0 && fact.getMultiple() != 1) {
      facts[i] = FactAttr::get(context, fact.getKind(), fact.getArgument(),
                               fact.getDim(), fact.getMin(), /*multiple=*/1);
      if (!keeps(facts, fact, forms))
        facts[i] = fact;
    }
    ++i;
  }
  return facts;
}

KernelVersions::Facts
KernelVersions::getFactsOfLoads(Facts facts, const Forms &forms) {
  auto isLoad = [](CopyOp copy, const CopyForm &form) {
    return form.instruction.usesTensorMap() &&
           getMemorySpace(copy.getTarget()) == MemorySpace::Shared;
  };
  bool hasLoads = false, hasLess = false;
  for (auto [copy, form] : llvm::zip(copies, forms))
    hasLoads |= isLoad(copy, form);
  for (FactAttr &fact : facts) {
    if (!hasLoads || fact.getMultiple() == 1 ||
        fact.getKind() == FactKind::Address)
      continue;
    FactAttr whole = fact;
    fact = FactAttr::get(kernel.getContext(), fact.getKind(),
                         fact.getArgument(), fact.getDim(), fact.getMin(),
                         /*multiple=*/1);
    Forms now = getForms(facts);
    bool keeps = llvm::all_of(llvm::zip(copies, forms, now), [&](auto all) {
      auto [copy, before, after] = all;
      return !isLoad(copy, before) || before == after;
    });
    if (!keeps)
      fact = whole;
    hasLess |= keeps;
  }
  return hasLess ? facts : Facts();
}

void KernelVersions::addAddresses(Facts &facts) {
  kernel.walk([&](memref::LoadOp load) {
    Value base = getBaseBuffer(load.getMemref());
    if (getFunctionOf(base) == function)
      addFact(facts, FactKind::Address,
              cast<BlockArgument>(base).getArgNumber(), /*dim=*/0, /*min=*/0,
              target.getGPU()->vectorBytes);
  });
}

/// The narrowest asynchronous copy of a thread that is not the widest.
int64_t KernelVersions::getNarrowAsyncBytes() {
  int64_t widest = target.getGPU()->vectorBytes, least = widest;
  for (const ::tile::target::CopyRow &row : target.copies)
    if (row.family == ::tile::target::CopyFamily::CpAsync)
      for (int64_t bytes = 1; bytes < least; bytes *= 2)
        if (llvm::is_contained(
                ::tile::target::findCopies(
                    target, ::tile::target::Space::Global,
                    ::tile::target::Space::Shared, bytes),
                &row))
          least = bytes;
  return least < widest ? least : 0;
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

/// "K is a multiple of 8".
static std::string describe(FactAttr fact, const ArgumentExtents &extents) {
  std::string text;
  llvm::raw_string_ostream os(text);
  StringRef name = fact.getKind() == FactKind::Size
                       ? extents.get(fact.getArgument(), fact.getDim()).name
                       : StringRef();
  if (!name.empty())
    os << name;
  else
    os << stringifyFactKind(fact.getKind())
       << (fact.getKind() == FactKind::Address
               ? ""
               : " " + std::to_string(fact.getDim()))
       << " of argument " << fact.getArgument();
  if (fact.getMin() != 0)
    os << " is at least " << fact.getMin();
  if (fact.getMultiple() != 1)
    os << (fact.getMin() != 0 ? " and" : " is") << " a multiple of "
       << fact.getMultiple();
  return text;
}

KernelOp KernelVersions::addVersion(ArrayRef<FactAttr> facts) {
  OpBuilder b(kernel);
  auto version = cast<KernelOp>(b.clone(*kernel));
  SmallVector<Attribute> list(facts.begin(), facts.end());
  version.setFactsAttr(b.getArrayAttr(list));
  std::string text;
  for (FactAttr fact : facts)
    text += (text.empty() ? "" : "; ") + describe(fact, extents);
  remark::passed(kernel.getLoc(), remark::RemarkOpts::name("Version").category(
                                      "tile-version-kernels"))
      << text;
  return version;
}

/// Vectors that the program itself reads and writes are aligned if their buffer
/// is: it has to be, for all versions.
void KernelVersions::keepAlignment() {
  Builder b(kernel.getContext());
  kernel.walk([&](Operation *op) {
    if (llvm::none_of(op->getOperandTypes(), llvm::IsaPred<VectorType>) &&
        llvm::none_of(op->getResultTypes(), llvm::IsaPred<VectorType>))
      return;
    for (Value operand : op->getOperands()) {
      if (!isa<MemRefType>(operand.getType()))
        continue;
      Value base = getBaseBuffer(operand);
      if (getFunctionOf(base) != function)
        continue;
      unsigned index = cast<BlockArgument>(base).getArgNumber();
      if (!function.getArgAttr(index, "tile.align"))
        function.setArgAttr(
            index, "tile.align",
            b.getI64IntegerAttr(target.getGPU()->vectorBytes));
    }
  });
}

SmallVector<BlockArgument>
KernelVersions::getPaddable(const Forms &best, const Forms &least) {
  SmallVector<BlockArgument> operands;
  for (auto [copy, form, other] : llvm::zip(copies, best, least)) {
    bool isLost = form.instruction.isAsynchronous() &&
                  (!other.instruction.isAsynchronous() ||
                   (form.instruction.usesTensorMap() &&
                    !other.instruction.usesTensorMap()));
    if (!isLost)
      continue;
    if (!canPad(copy, kernel))
      return {};
    auto argument = cast<BlockArgument>(copy.getSource());
    if (!llvm::is_contained(operands, argument))
      operands.push_back(argument);
  }
  return operands;
}

/// Whether the copies of a loop go along a dimension of their source.
static bool walksAlong(CopyOp copy, unsigned dim) {
  BufferRegion source = copy.getSourceRegion();
  SmallVector<Value> ivs =
      *cast<PipelinedOp>(copy->getParentOp()).getLoopInductionVars();
  return source.map &&
         llvm::any_of(llvm::enumerate(source.operands), [&](auto operand) {
           return source.map.getResult(dim).isFunctionOfDim(operand.index()) &&
                  llvm::any_of(ivs, [&](Value iv) {
                    return getTrend(operand.value(), iv) != Trend::Constant;
                  });
         });
}

KernelVersions::Facts
KernelVersions::getFactsOf(BlockArgument argument, ArrayRef<FactAttr> facts,
                           const Forms &forms) {
  MLIRContext *context = kernel.getContext();
  auto suffices = [&](ArrayRef<FactAttr> given) {
    kernel.setFactsAttr(Builder(context).getArrayAttr(
        SmallVector<Attribute>(given.begin(), given.end())));
    return llvm::all_of(llvm::zip(copies, forms), [&](auto pair) {
      auto [copy, form] = pair;
      return copy.getSource() != argument || getCopyForm(copy, target) == form;
    });
  };
  Facts own(facts);
  for (size_t i = 0; i < own.size();) {
    FactAttr fact = own[i];
    own.erase(own.begin() + i);
    if (suffices(own))
      continue;
    // Of an extent along which no vector lies, it is enough that there is one.
    auto least = FactAttr::get(context, fact.getKind(), fact.getArgument(),
                               fact.getDim(), fact.getMin(), /*multiple=*/1);
    own.insert(own.begin() + i,
               fact.getKind() == FactKind::Address ? fact : least);
    if (!suffices(own))
      own[i] = fact;
    ++i;
  }
  return own;
}

void KernelVersions::addResults(Facts &needed, ArrayRef<FactAttr> facts,
                                const Forms &best,
                                ArrayRef<BlockArgument> operands) {
  auto isOfOperand = [&](FactAttr fact) {
    return llvm::any_of(operands, [&](BlockArgument operand) {
      return operand.getArgNumber() == fact.getArgument();
    });
  };
  for (FactAttr fact : facts) {
    if (fact.getKind() != FactKind::Address || isOfOperand(fact))
      continue;
    Forms before = getForms(needed);
    needed.push_back(fact);
    bool gains = llvm::any_of(
        llvm::zip(copies, before, getForms(needed), best), [&](auto all) {
          auto [copy, old, now, wanted] = all;
          return concerns(fact, copy) && now == wanted && !(old == wanted);
        });
    if (!gains)
      needed.pop_back();
  }
}

void KernelVersions::addExtents(Facts &facts, BlockArgument operand) {
  // Of a shorter sum, less is done than other kernels take to start.
  constexpr int64_t kLeastDepth = 128;
  auto type = cast<MemRefType>(operand.getType());
  for (unsigned dim = 0, rank = type.getRank(); dim < rank; ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    bool isDepth = llvm::any_of(copies, [&](CopyOp copy) {
      return copy.getSource() == operand && isOperandOfGemm(copy) &&
             canPad(copy, kernel) && walksAlong(copy, dim);
    });
    ArgumentExtent extent = extents.get(operand.getArgNumber(), dim);
    addFact(facts, FactKind::Size, extent.argument, extent.dim,
            isDepth ? kLeastDepth : 1, /*multiple=*/1);
  }
}

/// Whether one set of facts asks for a multiple that another one does not.
static bool asksForMore(ArrayRef<FactAttr> facts, ArrayRef<FactAttr> others) {
  return llvm::any_of(facts, [&](FactAttr fact) {
    return fact.getKind() != FactKind::Address && fact.getMultiple() != 1 &&
           !llvm::is_contained(others, fact);
  });
}

/// Operands in the order in which it pays most not to copy them: weights of few
/// bits are larger than what they are multiplied by, and so are larger tiles.
static SmallVector<BlockArgument> orderBySize(ArrayRef<BlockArgument> operands,
                                              ArrayRef<CopyOp> copies) {
  auto getKey = [&](BlockArgument operand) {
    int64_t bits = getElementBits(operand), tile = 0;
    for (CopyOp copy : copies)
      if (copy.getSource() == operand)
        tile = std::max(tile, bits * ShapedType::getNumElements(
                                         copy.getSourceRegion().sizes));
    return std::pair(bits, -tile);
  };
  SmallVector<BlockArgument> order(operands);
  llvm::stable_sort(order, [&](BlockArgument x, BlockArgument y) {
    return getKey(x) < getKey(y);
  });
  return order;
}

/// Where rows of one operand are aligned, the other ones are copied alone.
void KernelVersions::addPadded(ArrayRef<BlockArgument> operands,
                               ArrayRef<FactAttr> facts, const Forms &best,
                               KernelOp first, KernelOp last) {
  OperandPadding padding(first, last.getFactsAttr(), *target.getGPU());
  // Each kernel has so many versions at most, its general form counted.
  constexpr int kMaxVersions = 4;
  int count = first == last ? 2 : 3;
  auto add = [&](ArrayRef<BlockArgument> padded, Facts needed) {
    for (BlockArgument operand : padded)
      addExtents(needed, operand);
    padding.pad(addVersion(needed), padded);
    ++count;
  };
  for (BlockArgument kept : orderBySize(operands, copies)) {
    SmallVector<BlockArgument> padded(operands);
    llvm::erase(padded, kept);
    Facts own = getFactsOf(kept, facts, best);
    bool pays = llvm::any_of(padded, [&](BlockArgument operand) {
      return asksForMore(getFactsOf(operand, facts, best), own);
    });
    if (!pays || count + 1 >= kMaxVersions)
      continue;
    addResults(own, facts, best, operands);
    add(padded, own);
  }
  add(operands, {});
  padding.addKernels();
}

void KernelVersions::addNarrow(const Forms &best, const Forms &least) {
  int64_t bytes = getNarrowAsyncBytes();
  if (bytes == 0)
    return;
  Facts narrow = getCandidates(bytes);
  Forms forms = getForms(narrow);
  bool isAsync = llvm::any_of(llvm::zip(forms, least), [](auto pair) {
    auto [form, other] = pair;
    return form.instruction != other.instruction &&
           form.instruction.getFamily() != Instruction::Sync;
  });
  if (isAsync && forms != best)
    addVersion(reduce(narrow, forms, least));
}

void KernelVersions::run() {
  collectCopies();
  int64_t widest = target.getGPU()->vectorBytes;
  Facts facts = getCandidates(widest);
  bool ofSizes = llvm::any_of(facts, [](FactAttr fact) {
    return fact.getKind() != FactKind::Address;
  });
  Forms best;
  if (ofSizes)
    best = getForms(facts);
  if (!ofSizes || best == getForms(ArrayAttr())) {
    kernel.removeFactsAttr();
    return;
  }
  keepAlignment();
  Forms least = getForms(ArrayRef<FactAttr>());
  Facts ofLoads = getFactsOfLoads(facts, best);
  SmallVector<BlockArgument> operands = getPaddable(best, least);
  facts = reduce(facts, best, least);
  addAddresses(facts);
  KernelOp first = addVersion(facts), last = first;
  if (!ofLoads.empty())
    last = addVersion(reduce(ofLoads, getForms(ofLoads), least));
  if (!operands.empty())
    addPadded(operands, facts, best, first, last);
  else
    addNarrow(best, least);
  kernel.setFactsAttr(Builder(kernel.getContext()).getArrayAttr({}));
}

namespace {
struct VersionKernelsPass
    : mlir::tile::impl::VersionKernelsPassBase<VersionKernelsPass> {
  using VersionKernelsPassBase::VersionKernelsPassBase;

  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels) {
      const Target *target = getTarget(kernel, "GPU");
      if (!target)
        return signalPassFailure();
      // A launch is made once for a kernel at the top of its function.
      auto function = dyn_cast<FunctionOpInterface>(kernel->getParentOp());
      if (function && !kernel.getFacts())
        KernelVersions(kernel, function, *target).run();
    }
  }
};
} // namespace
