//===- CompilerArguments.cpp - what functions do to arguments -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerObjects.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tile;

/// Adds the values through which the user of a buffer lets others reach it.
/// False if it writes to the buffer, or if that cannot be told.
static bool followUse(OpOperand &use, SmallVectorImpl<Value> &reached) {
  Operation *user = use.getOwner();
  if (auto call = dyn_cast<CallOpInterface>(user)) {
    auto callee = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
    if (!callee || callee.isExternal())
      return false;
    for (auto [i, argument] : llvm::enumerate(call.getArgOperands()))
      if (argument == use.get())
        reached.push_back(callee.getArgument(i));
    return true;
  }
  auto effects = dyn_cast<MemoryEffectOpInterface>(user);
  if (!effects || user->hasTrait<OpTrait::IsTerminator>())
    return false;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  for (const MemoryEffects::EffectInstance &effect : instances)
    if (isa<MemoryEffects::Write, MemoryEffects::Free>(effect.getEffect()) &&
        (!effect.getValue() || effect.getValue() == use.get()))
      return false;
  for (Value result : user->getResults())
    if (isa<BaseMemRefType>(result.getType()))
      reached.push_back(result);
  return true;
}

bool tile::isWritten(Value buffer) {
  SmallVector<Value> reached = {buffer};
  for (size_t i = 0; i < reached.size(); ++i) {
    if (llvm::is_contained(ArrayRef(reached).take_front(i), reached[i]))
      continue;
    Value value = reached[i];
    for (OpOperand &use : value.getUses())
      if (!followUse(use, reached))
        return true;
  }
  return false;
}

bool tileCompilerModuleIsArgumentWritten(TileCompilerModule *module,
                                         const char *function, size_t argument,
                                         bool *written, TileRtError *error) {
  std::shared_ptr<ModuleObject> object = getModules().get(module, error);
  if (!object)
    return false;
  if (!function || !written)
    return tile_rt_fail(error,
                        "expected a function and a place for the answer, "
                        "got null");
  auto found = object->written.find(function);
  if (found == object->written.end())
    return tile_rt_fail(error, "expected a function of the module, got '%s'",
                        function);
  if (argument >= found->second.size())
    return tile_rt_fail(error, "expected an argument below %zu, got %zu",
                        found->second.size(), argument);
  *written = found->second[argument];
  return true;
}
