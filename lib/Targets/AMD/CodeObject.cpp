//===- CodeObject.cpp - linking and reading AMD code objects --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeObject.h"

#include "Tile/Driver/Tool.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Program.h"

#include <cstdlib>

using namespace mlir;
using namespace mlir::tile;

FailureOr<std::string> codeobject::findLinker(Location loc, StringRef given) {
  FailureOr<std::string> named =
      tool::findGiven(loc, "the linker", given, "TILE_LLD");
  if (failed(named) || !named->empty())
    return named;
  if (std::string installed = findInstalledLinker(); !installed.empty())
    return installed;
  // untested: the linker is where the package of LLVM puts it
  return emitError(loc,
                   "a code object needs LLVM's linker, ld.lld, which was not "
                   "found; name it by the option 'lld' or TILE_LLD, or make "
                   "assembly");
}

std::string codeobject::findInstalledLinker() {
  if (const char *named = std::getenv("TILE_LLD"); named && *named)
    return named;
  // Older linkers do not know the version of the code object.
  std::string version = std::to_string(LLVM_VERSION_MAJOR);
  if (auto program = llvm::sys::findProgramByName("ld.lld-" + version))
    return *program;
  std::string folder = "/usr/lib/llvm-" + version + "/bin";
  if (auto program = llvm::sys::findProgramByName("ld.lld", {folder}))
    return *program;
  if (auto program = llvm::sys::findProgramByName("ld.lld"))
    return *program;
  return std::string();
}

LogicalResult codeobject::link(Location loc, StringRef program,
                               StringRef object, std::string &hsaco) {
  tool::TemporaryFile input, output;
  if (failed(input.create(loc, "o")) || failed(output.create(loc, "hsaco")) ||
      failed(input.write(loc, object)))
    return failure();
  std::string text;
  StringRef arguments[] = {program, "-shared", input.path, "-o", output.path};
  if (failed(tool::run(loc, arguments, input, "the object", text)))
    return failure();
  FailureOr<std::string> result =
      tool::readObject(loc, output, program, "code object");
  if (failed(result))
    return failure();
  hsaco = std::move(*result);
  return success();
}

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

using ELF = llvm::object::ELF64LE;

/// The notes' dictionary: LLVM's User Guide for AMDGPU, "Code Object Metadata".
static llvm::Error readMetadata(const llvm::object::ELFFile<ELF> &file,
                                llvm::msgpack::Document &document) {
  auto sections = file.sections();
  if (!sections)
    return sections.takeError();
  for (const ELF::Shdr &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_NOTE)
      continue;
    llvm::Error error = llvm::Error::success();
    for (const ELF::Note note : file.notes(section, error))
      if (note.getName() == "AMDGPU" &&
          note.getType() == llvm::ELF::NT_AMDGPU_METADATA)
        document.readFromBlob(note.getDescAsStringRef(section.sh_addralign),
                              /*Multi=*/false);
    if (error)
      return error;
  }
  return llvm::Error::success();
}

FailureOr<llvm::StringMap<codeobject::Resources>>
codeobject::readResources(Location loc, StringRef object) {
  llvm::msgpack::Document document;
  auto file = llvm::object::ELFFile<ELF>::create(object);
  llvm::Error error = file ? readMetadata(*file, document) : file.takeError();
  if (error)
    // untested: what it reads, LLVM has just written
    return emitError(loc) << "the code object cannot be read: "
                          << llvm::toString(std::move(error));
  llvm::StringMap<codeobject::Resources> resources;
  if (!document.getRoot().isMap())
    return resources;
  llvm::msgpack::DocNode kernels =
      document.getRoot().getMap()["amdhsa.kernels"];
  if (!kernels.isArray())
    return resources;
  for (llvm::msgpack::DocNode &node : kernels.getArray()) {
    if (!node.isMap())
      continue;
    llvm::msgpack::MapDocNode kernel = node.getMap();
    auto number = [&](StringRef key) -> int64_t {
      llvm::msgpack::DocNode value = kernel[key];
      return value.getKind() == llvm::msgpack::Type::UInt ? value.getUInt() : 0;
    };
    if (!kernel[".name"].isString())
      continue;
    resources[kernel[".name"].getString()] = {
        number(".vgpr_count"),       number(".agpr_count"),
        number(".sgpr_count"),       number(".vgpr_spill_count"),
        number(".sgpr_spill_count"), number(".private_segment_fixed_size")};
  }
  return resources;
}
