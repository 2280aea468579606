//===- KernelForms.cpp - the versions of kernels, one by one --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/GPU/DeviceCode.h"

#include "Tile/Conversion/LaunchMetadata.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;
using namespace mlir::tile;

static LaunchAttr getLaunch(Operation &op) {
  return op.getAttrOfType<LaunchAttr>("tile.launch");
}

bool devicecode::hasVersions(gpu::GPUModuleOp module) {
  return llvm::any_of(*module.getBody(), [](Operation &op) {
    LaunchAttr launch = getLaunch(op);
    return launch && !launch.getGeneral().empty();
  });
}

/// The launch of a form that is alone in its module.
static LaunchAttr makeGeneral(LaunchAttr launch) {
  return LaunchAttr::get(
      launch.getContext(), launch.getKernel(), launch.getFunction(),
      launch.getRuntime(), launch.getChip(), launch.getSymbols(),
      launch.getArguments(), launch.getMaps(), launch.getParameters(),
      launch.getGrid(), launch.getBlock(), launch.getCluster(),
      launch.getShared(), launch.getWorkspace(), /*general=*/"",
      /*conditions=*/{});
}

/// The module with one kernel, and all that is no kernel.
static KernelForm makeForm(gpu::GPUModuleOp device, LaunchAttr form) {
  OwningOpRef<ModuleOp> module(ModuleOp::create(device.getLoc()));
  (*module)->setAttrs(device->getParentOfType<ModuleOp>()->getAttrDictionary());
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  auto copy = cast<gpu::GPUModuleOp>(b.insert(device->cloneWithoutRegions()));
  b.createBlock(&copy.getBodyRegion());
  for (Operation &op : *device.getBody()) {
    LaunchAttr launch = getLaunch(op);
    if (!launch || launch == form) {
      Operation *clone = b.clone(op);
      if (launch)
        clone->setAttr("tile.launch", makeGeneral(launch));
    }
  }
  KernelForm result{form.getKernel().str(), ""};
  llvm::raw_string_ostream os(result.module);
  // Fails only where an older version is asked for.
  (void)writeBytecodeToFile(*module, os);
  return result;
}

void devicecode::addForms(gpu::GPUModuleOp module,
                          std::vector<CompiledKernel> &kernels) {
  SmallVector<LaunchAttr> versions;
  for (Operation &op : *module.getBody()) {
    LaunchAttr launch = getLaunch(op);
    if (!launch)
      continue;
    // Versions stand before their general form.
    if (!launch.getGeneral().empty()) {
      versions.push_back(launch);
      continue;
    }
    CompiledKernel &kernel = kernels.emplace_back();
    kernel.function = launch.getFunction().str();
    kernel.metadata = printLaunchMetadata(launch, versions, op.getAttr("world.copies"));
    kernel.forms.push_back(makeForm(module, launch));
    for (LaunchAttr version : versions)
      kernel.forms.push_back(makeForm(module, version));
    versions.clear();
  }
}
