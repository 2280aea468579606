//===- SIMTCode.cpp - device code for the SIMT model ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every instruction that the model executes is a site, a row of a table with
// its name and its place. A site's operands and results lie in arrays of 32-bit
// words (model/simt/src/instruction.h).
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/GPU/SIMTModel.h"

#include "tile_simt_model.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;

namespace {
class Retargeter {
public:
  Retargeter(Module &module, StringRef chip, unsigned warpSize)
      : module(module), layout(module.getDataLayout()), chip(chip),
        warpSize(warpSize), context(module.getContext()), b(context),
        i32(Type::getInt32Ty(context)), i64(Type::getInt64Ty(context)),
        pointer(PointerType::getUnqual(context)),
        none(Type::getVoidTy(context)) {}

  Error run();

private:
  /// A value of a site, as the model sees it.
  struct SiteValue {
    unsigned bits, elements, words;
    int tied = -1;
    bool immediate = false;
  };

  /// The words that a function's sites share: a thread is at one at a time.
  struct Words {
    AllocaInst *operands = nullptr, *results = nullptr;
    unsigned operandWords = 0, resultWords = 0;
  };

  Error placeShared();
  Error retarget(Function &function);
  Error retarget(Instruction &instruction);
  Error retargetCall(CallInst &call);
  void retargetLoad(LoadInst &load);
  void retargetStore(StoreInst &store);
  template <typename Atomic>
  void retargetAtomic(Atomic &atomic);
  void retargetFence(FenceInst &fence);
  Error expand(MemIntrinsic &intrinsic);
  void addKernel(Function &function);
  void addCode();

  Error fail(const Instruction &at, const Twine &message);
  std::string getPlace(const Instruction &at) const;
  unsigned addSite(const Instruction &at, StringRef name, TileSimtKind kind,
                   ArrayRef<SiteValue> results = {},
                   ArrayRef<SiteValue> operands = {});
  Constant *addText(StringRef text);
  Constant *addTable(ArrayRef<Constant *> rows, Type *type);
  Constant *addValues(ArrayRef<SiteValue> values);
  unsigned countWords(Type *type) const;
  SiteValue describe(Type *type) const;
  void writeWords(Value *value, Value *words, unsigned &at);
  Value *readWords(Type *type, Value *words, unsigned &at);
  AllocaInst *getWords(AllocaInst *&words, unsigned &have, unsigned need,
                       Function &function);
  Value *getAddress(Value *of) { return b.CreatePtrToInt(of, i64); }
  CallInst *callModel(StringRef name, ArrayRef<Value *> arguments) {
    SmallVector<Type *> types;
    for (Value *argument : arguments)
      types.push_back(argument->getType());
    return b.CreateCall(
        module.getOrInsertFunction(name, FunctionType::get(none, types, false)),
        arguments);
  }
  bool isOwn(const Value *pointer) const;
  Value *getNumber(uint64_t number) { return b.getInt32(unsigned(number)); }

  Module &module;
  const DataLayout &layout;
  StringRef chip;
  unsigned warpSize;
  LLVMContext &context;
  IRBuilder<> b;
  Type *i32, *i64, *pointer, *none;
  Words words;
  uint64_t sharedBytes = 0;
  std::vector<Constant *> sites;
  std::vector<Constant *> kernels;
  StringMap<Constant *> texts;
};
} // namespace

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

std::string Retargeter::getPlace(const Instruction &at) const {
  const DebugLoc &loc = at.getDebugLoc();
  if (!loc)
    return "?";
  const DILocation *place = loc.get();
  std::string file = place->getFilename().str();
  if (!place->getDirectory().empty() && !StringRef(file).starts_with("/") &&
      place->getDirectory() != ".")
    file = (place->getDirectory() + "/" + file).str();
  return formatv("{0}:{1}:{2}", file, place->getLine(), place->getColumn());
}

Error Retargeter::fail(const Instruction &at, const Twine &message) {
  return createStringError(getPlace(at) + ": the SIMT model " + message);
}

Constant *Retargeter::addText(StringRef text) {
  Constant *&found = texts[text];
  if (!found)
    found = b.CreateGlobalString(text, "", 0, &module);
  return found;
}

Constant *Retargeter::addTable(ArrayRef<Constant *> rows, Type *type) {
  if (rows.empty())
    return ConstantPointerNull::get(PointerType::getUnqual(context));
  auto *array = ArrayType::get(type, rows.size());
  return new GlobalVariable(module, array, /*isConstant=*/true,
                            GlobalValue::PrivateLinkage,
                            ConstantArray::get(array, rows));
}

Constant *Retargeter::addValues(ArrayRef<SiteValue> values) {
  Type *i16 = Type::getInt16Ty(context);
  auto *type = StructType::get(i16, i16, i16, i16, i32);
  SmallVector<Constant *> rows;
  for (const SiteValue &value : values)
    rows.push_back(ConstantStruct::get(
        type, {ConstantInt::get(i16, value.bits),
               ConstantInt::get(i16, value.elements),
               ConstantInt::get(i16, value.words),
               ConstantInt::get(i16, uint64_t(value.tied) & 0xFFFF),
               ConstantInt::get(i32, value.immediate)}));
  return addTable(rows, type);
}

unsigned Retargeter::addSite(const Instruction &at, StringRef name,
                             TileSimtKind kind, ArrayRef<SiteValue> results,
                             ArrayRef<SiteValue> operands) {
  auto *type =
      StructType::get(pointer, pointer, pointer, pointer, i32, i32, i32);
  sites.push_back(ConstantStruct::get(
      type,
      {addText(name), addText(getPlace(at)), addValues(results),
       addValues(operands), ConstantInt::get(i32, results.size()),
       ConstantInt::get(i32, operands.size()), ConstantInt::get(i32, kind)}));
  return sites.size() - 1;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

unsigned Retargeter::countWords(Type *type) const {
  if (type->isVoidTy())
    return 0;
  if (auto *members = dyn_cast<StructType>(type)) {
    unsigned count = 0;
    for (Type *member : members->elements())
      count += countWords(member);
    return count;
  }
  return divideCeil(layout.getTypeSizeInBits(type).getFixedValue(), 32);
}

Retargeter::SiteValue Retargeter::describe(Type *type) const {
  unsigned elements = 1, count = countWords(type);
  Type *element = type;
  if (auto *members = dyn_cast<StructType>(type)) {
    elements = members->getNumElements();
    element = elements ? members->getElementType(0) : i32;
  }
  return {unsigned(layout.getTypeSizeInBits(element).getFixedValue()), elements,
          count};
}

void Retargeter::writeWords(Value *value, Value *to, unsigned &at) {
  Type *type = value->getType();
  if (auto *members = dyn_cast<StructType>(type)) {
    for (unsigned i = 0; i < members->getNumElements(); ++i)
      writeWords(b.CreateExtractValue(value, i), to, at);
    return;
  }
  unsigned bits = layout.getTypeSizeInBits(type).getFixedValue();
  unsigned count = countWords(type);
  if (type->isPointerTy())
    value = b.CreatePtrToInt(value, i64);
  else if (bits % 32 != 0)
    value = b.CreateZExt(b.CreateBitCast(value, b.getIntNTy(bits)),
                         b.getIntNTy(32 * count));
  b.CreateAlignedStore(value, b.CreateConstInBoundsGEP1_32(i32, to, at),
                       Align(4));
  at += count;
}

Value *Retargeter::readWords(Type *type, Value *from, unsigned &at) {
  if (auto *members = dyn_cast<StructType>(type)) {
    Value *all = PoisonValue::get(type);
    for (unsigned i = 0; i < members->getNumElements(); ++i)
      all = b.CreateInsertValue(
          all, readWords(members->getElementType(i), from, at), i);
    return all;
  }
  unsigned bits = layout.getTypeSizeInBits(type).getFixedValue();
  unsigned count = countWords(type);
  Value *word = b.CreateConstInBoundsGEP1_32(i32, from, at);
  at += count;
  if (type->isPointerTy())
    return b.CreateIntToPtr(b.CreateAlignedLoad(i64, word, Align(4)), type);
  if (bits % 32 == 0)
    return b.CreateAlignedLoad(type, word, Align(4));
  Value *all = b.CreateAlignedLoad(b.getIntNTy(32 * count), word, Align(4));
  return b.CreateBitCast(b.CreateTrunc(all, b.getIntNTy(bits)), type);
}

AllocaInst *Retargeter::getWords(AllocaInst *&array, unsigned &have,
                                 unsigned need, Function &function) {
  if (array && have >= need)
    return array;
  have = std::max(need, have);
  if (!array) {
    IRBuilder<> entry(&function.getEntryBlock(),
                      function.getEntryBlock().begin());
    array = entry.CreateAlloca(i32, entry.getInt32(have));
    array->setAlignment(Align(16));
  }
  array->setOperand(0, b.getInt32(have));
  return array;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Memory that no other thread can reach, or that nobody changes.
bool Retargeter::isOwn(const Value *of) const {
  enum { kConstant = 4, kLocal = 5 }; // both vendors number them so
  unsigned space = of->getType()->getPointerAddressSpace();
  if (space == kConstant || space == kLocal)
    return true;
  const Value *object = getUnderlyingObject(of, /*MaxLookup=*/0);
  if (isa<AllocaInst>(object))
    return true;
  if (auto *argument = dyn_cast<Argument>(object))
    return argument->hasByValAttr() || argument->hasByRefAttr();
  auto *global = dyn_cast<GlobalVariable>(object);
  return global && global->isConstant();
}

static unsigned getFlags(AtomicOrdering ordering) {
  return (isAcquireOrStronger(ordering) ? TILE_SIMT_ACQUIRE : 0) |
         (isReleaseOrStronger(ordering) ? TILE_SIMT_RELEASE : 0);
}

/// Scopes that are no wider than a block or a device, by either vendor's name.
template <typename T>
static unsigned getScope(const T &operation) {
  SyncScope::ID scope = operation.getSyncScopeID();
  StringRef name =
      operation.getContext().getSyncScopeName(scope).value_or(StringRef());
  if (scope == SyncScope::SingleThread || name.starts_with("workgroup") ||
      name.starts_with("wavefront") || name == "block")
    return TILE_SIMT_BLOCK;
  bool isOnDevice = name.starts_with("agent") || name.starts_with("cluster") ||
                    name == "device";
  return isOnDevice ? TILE_SIMT_DEVICE : 0;
}

void Retargeter::retargetLoad(LoadInst &load) {
  if (isOwn(load.getPointerOperand()))
    return;
  bool polled = load.isAtomic() || load.isVolatile();
  unsigned flags = getFlags(load.getOrdering()) |
                   (load.isAtomic() ? getScope(load) : 0) |
                   (polled ? TILE_SIMT_ATOMIC | TILE_SIMT_POLL : 0);
  b.SetInsertPoint(&load);
  callModel("tile_simt_load",
            {getAddress(load.getPointerOperand()),
             getNumber(layout.getTypeStoreSize(load.getType())),
             getNumber(load.getAlign().value()), getNumber(flags),
             getNumber(addSite(load, "load", TILE_SIMT_MEMORY))});
  load.setAtomic(AtomicOrdering::NotAtomic);
}

void Retargeter::retargetStore(StoreInst &store) {
  if (isOwn(store.getPointerOperand()))
    return;
  Value *value = store.getValueOperand();
  unsigned bytes = layout.getTypeStoreSize(value->getType());
  unsigned flags = getFlags(store.getOrdering());
  if (store.isAtomic() || store.isVolatile())
    flags |= TILE_SIMT_ATOMIC | (store.isAtomic() ? getScope(store) : 0);
  AllocaInst *copy = getWords(words.operands, words.operandWords,
                              divideCeil(bytes, 4), *store.getFunction());
  b.SetInsertPoint(&store);
  b.CreateAlignedStore(value, copy, Align(16));
  callModel("tile_simt_store",
            {getAddress(store.getPointerOperand()), getNumber(bytes),
             getNumber(store.getAlign().value()), getNumber(flags),
             getNumber(addSite(store, "store", TILE_SIMT_MEMORY)), copy});
  store.eraseFromParent();
}

static unsigned getFlags(const AtomicRMWInst &atomic, bool ordered) {
  return ordered ? getFlags(atomic.getOrdering()) : 0;
}

static unsigned getFlags(const AtomicCmpXchgInst &atomic, bool) {
  return getFlags(atomic.getSuccessOrdering());
}

static Type *getAccessType(const AtomicRMWInst &atomic) {
  return atomic.getValOperand()->getType();
}

static Type *getAccessType(const AtomicCmpXchgInst &atomic) {
  return atomic.getNewValOperand()->getType();
}

static void lower(AtomicRMWInst &atomic) { lowerAtomicRMWInst(&atomic); }
static void lower(AtomicCmpXchgInst &atomic) {
  lowerAtomicCmpXchgInst(&atomic);
}

/// The bits that an update changes, where that is all that it is for; otherwise
/// null.
static Value *getChangedBits(IRBuilder<> &b, AtomicRMWInst &atomic) {
  auto kind = atomic.getOperation();
  bool sets = kind == AtomicRMWInst::Or || kind == AtomicRMWInst::Xor;
  Value *bits = atomic.getValOperand();
  if (!atomic.use_empty() || (!sets && kind != AtomicRMWInst::And))
    return nullptr;
  return b.CreateZExt(sets ? bits : b.CreateNot(bits), b.getInt64Ty());
}

static Value *getChangedBits(IRBuilder<> &, AtomicCmpXchgInst &) {
  return nullptr;
}

template <typename Atomic>
void Retargeter::retargetAtomic(Atomic &atomic) {
  // What LLVM makes of atomicrmw for NVIDIA is relaxed, and of the device's
  // scope, whatever it says.
  bool ordered = !chip.starts_with("sm_");
  unsigned scope = getScope(atomic);
  if (!ordered && isa<AtomicRMWInst>(atomic) && !scope)
    scope = TILE_SIMT_DEVICE;
  b.SetInsertPoint(&atomic);
  SmallVector<Value *> arguments = {
      getAddress(atomic.getPointerOperand()),
      getNumber(layout.getTypeStoreSize(getAccessType(atomic))),
      getNumber(atomic.getAlign().value()),
      getNumber(getFlags(atomic, ordered) | scope),
      getNumber(addSite(atomic, atomic.getOpcodeName(), TILE_SIMT_MEMORY))};
  Value *changed = getChangedBits(b, atomic);
  if (changed)
    arguments.push_back(changed);
  callModel(changed ? "tile_simt_update" : "tile_simt_atomic", arguments);
  lower(atomic);
}

void Retargeter::retargetFence(FenceInst &fence) {
  b.SetInsertPoint(&fence);
  unsigned flags = getFlags(fence.getOrdering()) | getScope(fence);
  // Of a wave alone: LLVM waits for nothing there.
  std::optional<StringRef> scope =
      context.getSyncScopeName(fence.getSyncScopeID());
  if (scope && scope->starts_with("wavefront"))
    flags &= ~unsigned(TILE_SIMT_RELEASE);
  callModel("tile_simt_fence",
            {getNumber(flags),
             getNumber(addSite(fence, "fence", TILE_SIMT_FENCE))});
  fence.eraseFromParent();
}

/// Memory that only the thread sees is copied as it is.
Error Retargeter::expand(MemIntrinsic &intrinsic) {
  bool own = isOwn(intrinsic.getDest());
  if (auto *transfer = dyn_cast<MemTransferInst>(&intrinsic))
    own &= isOwn(transfer->getSource());
  return own ? Error::success()
             : fail(intrinsic, "does not know copies of memory: " +
                                   intrinsic.getCalledFunction()->getName());
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Variables of shared memory get addresses in the block's.
Error Retargeter::placeShared() {
  enum { kShared = 3 };
  SmallVector<GlobalVariable *> variables;
  for (GlobalVariable &variable : module.globals()) {
    if (variable.getAddressSpace() == kShared)
      variables.push_back(&variable);
    else if (!variable.isConstant() && !variable.getName().starts_with("llvm."))
      return createStringError("the SIMT model does not know variables of "
                               "global memory: " +
                               variable.getName());
  }
  // Dynamic memory comes last.
  llvm::stable_sort(variables, [&](GlobalVariable *x, GlobalVariable *y) {
    return x->isDeclaration() < y->isDeclaration();
  });
  SmallVector<Constant *> constants(variables.begin(), variables.end());
  convertUsersOfConstantsToInstructions(constants);
  for (GlobalVariable *variable : variables) {
    Align align = layout.getValueOrABITypeAlignment(variable->getAlign(),
                                                    variable->getValueType());
    uint64_t offset = alignTo(sharedBytes, align);
    sharedBytes = offset + layout.getTypeAllocSize(variable->getValueType());
    DenseMap<Function *, Value *> places;
    for (Use &use : llvm::make_early_inc_range(variable->uses())) {
      auto *user = dyn_cast<Instruction>(use.getUser());
      if (!user)
        return createStringError("the SIMT model does not know addresses of "
                                 "shared memory in constants");
      Value *&place = places[user->getFunction()];
      if (!place) {
        BasicBlock &entry = user->getFunction()->getEntryBlock();
        b.SetInsertPoint(&entry, entry.begin());
        Value *base = b.CreateCall(module.getOrInsertFunction(
            "tile_simt_shared", FunctionType::get(i64, false)));
        place = b.CreateIntToPtr(b.CreateAdd(base, b.getInt64(offset)),
                                 variable->getType());
      }
      use.set(place);
    }
    variable->eraseFromParent();
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// What `nearest` + `error` is, with the last bit set if it is inexact.
static Value *roundToOdd(IRBuilder<> &b, Value *nearest, Value *error) {
  Type *type = nearest->getType();
  Type *integers = type->getWithNewType(
      b.getIntNTy(type->getScalarType()->getPrimitiveSizeInBits()));
  Value *bits = b.CreateBitCast(nearest, integers);
  Value *one = ConstantInt::get(integers, 1);
  auto getZero = [](Value *like) {
    return Constant::getNullValue(like->getType());
  };
  Value *isEven = b.CreateIsNull(b.CreateAnd(bits, one));
  Value *moves = b.CreateAnd(isEven, b.CreateFCmpONE(error, getZero(error)));
  Value *grows = b.CreateICmpEQ(b.CreateFCmpOGT(error, getZero(error)),
                                b.CreateFCmpOGT(nearest, getZero(nearest)));
  Value *odd =
      b.CreateSelect(grows, b.CreateAdd(bits, one), b.CreateSub(bits, one));
  return b.CreateBitCast(b.CreateSelect(moves, odd, bits), type);
}

/// An fma of bf16 rounds once, where the host would round to f32 first.
static void expandFma(IRBuilder<> &b, CallInst &call) {
  b.SetInsertPoint(&call);
  auto extend = [&](Value *value, Type *to) {
    return b.CreateFPExt(value, value->getType()->getWithNewType(to));
  };
  Type *f64 = b.getDoubleTy();
  Value *x = b.CreateFMul(extend(call.getArgOperand(0), f64),
                          extend(call.getArgOperand(1), f64));
  Value *y = extend(call.getArgOperand(2), f64), *sum = b.CreateFAdd(x, y);
  Value *partOfY = b.CreateFSub(sum, x), *partOfX = b.CreateFSub(sum, partOfY);
  Value *error =
      b.CreateFAdd(b.CreateFSub(x, partOfX), b.CreateFSub(y, partOfY));
  sum = roundToOdd(b, sum, error);
  Value *narrow = b.CreateFPTrunc(
      sum, sum->getType()->getWithNewType(b.getFloatTy()));
  narrow = roundToOdd(b, narrow, b.CreateFSub(sum, extend(narrow, f64)));
  call.replaceAllUsesWith(b.CreateFPTrunc(narrow, call.getType()));
  call.eraseFromParent();
}

Error Retargeter::retargetCall(CallInst &call) {
  Function *callee = call.getCalledFunction();
  SmallVector<SiteValue> results, operands;
  std::string name;
  TileSimtKind kind = TILE_SIMT_INTRINSIC;
  SmallVector<Value *> arguments(call.args());
  Type *type = call.getType();
  if (!type->isVoidTy())
    results.push_back(describe(type));
  for (Value *argument : arguments) {
    if (argument->getType()->isMetadataTy())
      return fail(call,
                  "does not know metadata as operands: " + callee->getName());
    operands.push_back(describe(argument->getType()));
    operands.back().immediate = isa<Constant>(argument);
  }
  if (auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand())) {
    kind = TILE_SIMT_ASSEMBLY;
    name = assembly->getAsmString().str();
    // A struct is the results one by one.
    if (auto *members = dyn_cast<StructType>(type)) {
      results.clear();
      for (Type *member : members->elements())
        results.push_back(describe(member));
    }
    unsigned next = 0;
    for (const InlineAsm::ConstraintInfo &info : assembly->ParseConstraints()) {
      if (info.Type == InlineAsm::isInput && next < operands.size()) {
        if (info.hasMatchingInput() || info.Codes.empty())
          return fail(call, "does not know a constraint of inline assembly");
        StringRef code = info.Codes.front();
        unsigned tied;
        if (!code.getAsInteger(10, tied))
          operands[next].tied = int(tied);
        ++next;
      } else if (info.isIndirect) {
        return fail(call, "does not know indirect operands of inline assembly");
      }
    }
  } else if (!callee) {
    return fail(call, "does not know indirect calls");
  } else if (callee->isIntrinsic() &&
             !Intrinsic::isTargetIntrinsic(callee->getIntrinsicID()) &&
             callee->getIntrinsicID() != Intrinsic::trap &&
             callee->getIntrinsicID() != Intrinsic::debugtrap) {
    if (auto *memory = dyn_cast<MemIntrinsic>(&call))
      return expand(*memory);
    if (callee->getIntrinsicID() == Intrinsic::fma &&
        type->getScalarType()->isBFloatTy())
      expandFma(b, call);
    return Error::success(); // the host's, too
  } else if (!callee->isDeclaration()) {
    return Error::success();
  } else {
    name = callee->getName().str();
  }
  unsigned operandWords = 0, resultWords = countWords(type);
  for (const SiteValue &operand : operands)
    operandWords += operand.words;
  Function &function = *call.getFunction();
  b.SetInsertPoint(&call);
  AllocaInst *in = getWords(words.operands, words.operandWords,
                            std::max(operandWords, 1u), function);
  AllocaInst *out = getWords(words.results, words.resultWords,
                             std::max(resultWords, 1u), function);
  unsigned at = 0;
  for (Value *argument : arguments)
    writeWords(argument, in, at);
  callModel("tile_simt_execute",
            {getNumber(addSite(call, name, kind, results, operands)), in, out});
  if (resultWords > 0) {
    at = 0;
    call.replaceAllUsesWith(readWords(type, out, at));
  }
  call.eraseFromParent();
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Error Retargeter::retarget(Instruction &instruction) {
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    retargetLoad(*load);
  else if (auto *store = dyn_cast<StoreInst>(&instruction))
    retargetStore(*store);
  else if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
    retargetAtomic(*atomic);
  else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    retargetAtomic(*exchange);
  else if (auto *fence = dyn_cast<FenceInst>(&instruction))
    retargetFence(*fence);
  else if (auto *call = dyn_cast<CallInst>(&instruction))
    return retargetCall(*call);
  return Error::success();
}

Error Retargeter::retarget(Function &function) {
  words = Words();
  SmallVector<Instruction *> all;
  for (Instruction &instruction : instructions(function))
    all.push_back(&instruction);
  for (Instruction *instruction : all)
    if (Error error = retarget(*instruction))
      return error;
  // They name the device's machine.
  function.setAttributes(AttributeList());
  function.setCallingConv(CallingConv::C);
  return Error::success();
}

/// Calls the kernel with its parameters, each of which has an address.
void Retargeter::addKernel(Function &function) {
  auto *type = FunctionType::get(none, {pointer}, false);
  auto *entry =
      Function::Create(type, GlobalValue::InternalLinkage, "", module);
  b.SetInsertPoint(BasicBlock::Create(context, "", entry));
  b.SetCurrentDebugLocation(DebugLoc());
  SmallVector<Value *> arguments;
  for (auto [i, argument] : llvm::enumerate(function.args())) {
    Value *address = b.CreateLoad(
        pointer, b.CreateConstInBoundsGEP1_64(pointer, entry->getArg(0), i));
    Type *of = argument.getType();
    if (argument.hasByValAttr() || argument.hasByRefAttr())
      arguments.push_back(b.CreateIntToPtr(b.CreatePtrToInt(address, i64), of));
    else
      arguments.push_back(b.CreateAlignedLoad(of, address, Align(1)));
  }
  b.CreateCall(&function, arguments);
  b.CreateRetVoid();
  kernels.push_back(ConstantStruct::get(StructType::get(pointer, pointer),
                                        {addText(function.getName()), entry}));
}

void Retargeter::addCode() {
  auto count = [&](const std::vector<Constant *> &rows) {
    return ConstantInt::get(i32, rows.size());
  };
  Type *site = sites.empty() ? i32 : sites.front()->getType();
  auto *code = ConstantStruct::getAnon(
      {addText(chip), ConstantInt::get(i32, warpSize),
       ConstantInt::get(i32, sharedBytes), addTable(sites, site), count(sites),
       addTable(kernels, kernels.front()->getType()), count(kernels)});
  new GlobalVariable(module, code->getType(), /*isConstant=*/true,
                     GlobalValue::ExternalLinkage, code, "tile_simt_code");
}

static bool isKernel(const Function &function) {
  return function.getCallingConv() == CallingConv::PTX_Kernel ||
         function.getCallingConv() == CallingConv::AMDGPU_KERNEL;
}

Error Retargeter::run() {
  SmallVector<Function *> functions, entries;
  for (Function &function : module)
    if (!function.isDeclaration())
      functions.push_back(&function);
  for (Function *function : functions)
    if (isKernel(*function)) {
      addKernel(*function);
      entries.push_back(function);
    }
  if (entries.empty())
    return createStringError("the module has no kernel");
  for (Function *function : functions)
    if (Error error = retarget(*function))
      return error;
  for (Function *function : functions)
    for (Instruction &instruction : instructions(*function))
      if (auto *call = dyn_cast<CallInst>(&instruction);
          call && llvm::is_contained(functions, call->getCalledFunction()))
        call->setCallingConv(CallingConv::C);
  for (Function *function : entries)
    function->setLinkage(GlobalValue::InternalLinkage);
  if (Error error = placeShared())
    return error;
  addCode();
  StripDebugInfo(module);
  return Error::success();
}

Error mlir::tile::retargetToModel(Module &module, StringRef chip,
                                  unsigned warpSize) {
  return Retargeter(module, chip, warpSize).run();
}
