//===- CompilerArtifact.cpp - artefacts, from C ---------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerObjects.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace mlir::tile;

HandleTable<TileCompilerArtifact, ArtifactObject> &tile::getArtifacts() {
  static HandleTable<TileCompilerArtifact, ArtifactObject> table("an artefact",
                                                                 3);
  return table;
}

ArtifactObject::~ArtifactObject() {
  for (TileRtMetadata *one : metadata)
    tile_rt_metadata_free(one);
}

//===----------------------------------------------------------------------===//
// As bytes
//===----------------------------------------------------------------------===//

// Numbers are 64 bits, little endian; texts have their length before them.

static void writeNumber(std::string &out, uint64_t number) {
  char bytes[8];
  llvm::support::endian::write64le(bytes, number);
  out.append(bytes, sizeof(bytes));
}

static void writeText(std::string &out, const std::string &text) {
  writeNumber(out, text.size());
  out += text;
}

static bool readNumber(StringRef &in, uint64_t &number) {
  if (in.size() < 8)
    return false;
  number = llvm::support::endian::read64le(in.data());
  in = in.drop_front(8);
  return true;
}

static bool readText(StringRef &in, std::string &text) {
  uint64_t size = 0;
  if (!readNumber(in, size) || size > in.size())
    return false;
  text = in.take_front(size).str();
  in = in.drop_front(size);
  return true;
}

std::string tile::serialize(const std::vector<CompiledKernel> &kernels) {
  std::string out;
  writeNumber(out, kernels.size());
  for (const CompiledKernel &kernel : kernels) {
    writeText(out, kernel.function);
    writeText(out, kernel.metadata);
    writeNumber(out, kernel.artifacts.size());
    for (const Artifact &artifact : kernel.artifacts) {
      writeText(out, artifact.kind);
      writeText(out, artifact.bytes);
    }
    writeNumber(out, kernel.forms.size());
    for (const KernelForm &form : kernel.forms) {
      writeText(out, form.kernel);
      writeText(out, form.module);
    }
  }
  return out;
}

static bool readKernel(StringRef &in, CompiledKernel &kernel) {
  uint64_t count = 0;
  if (!readText(in, kernel.function) || !readText(in, kernel.metadata) ||
      !readNumber(in, count))
    return false;
  for (uint64_t i = 0; i < count; ++i) {
    Artifact &artifact = kernel.artifacts.emplace_back();
    if (!readText(in, artifact.kind) || !readText(in, artifact.bytes))
      return false;
  }
  if (!readNumber(in, count))
    return false;
  for (uint64_t i = 0; i < count; ++i) {
    KernelForm &form = kernel.forms.emplace_back();
    if (!readText(in, form.kernel) || !readText(in, form.module))
      return false;
  }
  return kernel.artifacts.empty() != kernel.forms.empty();
}

bool tile::deserialize(StringRef bytes, std::vector<CompiledKernel> &kernels) {
  uint64_t count = 0;
  bool good = readNumber(bytes, count);
  for (uint64_t i = 0; i < count && good; ++i)
    good = readKernel(bytes, kernels.emplace_back());
  if (!good || !bytes.empty())
    kernels.clear();
  return !kernels.empty();
}

//===----------------------------------------------------------------------===//
// Access
//===----------------------------------------------------------------------===//

/// The artefact, if it has that kernel.
static std::shared_ptr<ArtifactObject>
getKernel(TileCompilerArtifact *artifact, size_t kernel, TileRtError *error) {
  std::shared_ptr<ArtifactObject> object = getArtifacts().get(artifact, error);
  if (!object || kernel < object->kernels.size())
    return object;
  tile_rt_fail(error, "expected a kernel below %zu, got %zu",
               object->kernels.size(), kernel);
  return nullptr;
}

bool tileCompilerArtifactDestroy(TileCompilerArtifact *artifact,
                                 TileRtError *error) {
  return getArtifacts().remove(artifact, error);
}

size_t tileCompilerArtifactGetKernelCount(TileCompilerArtifact *artifact) {
  std::shared_ptr<ArtifactObject> object =
      getArtifacts().get(artifact, nullptr);
  return object ? object->kernels.size() : 0;
}

bool tileCompilerArtifactIsCached(TileCompilerArtifact *artifact) {
  std::shared_ptr<ArtifactObject> object =
      getArtifacts().get(artifact, nullptr);
  return object && object->cached;
}

const char *tileCompilerArtifactGetFunction(TileCompilerArtifact *artifact,
                                            size_t kernel, TileRtError *error) {
  auto object = getKernel(artifact, kernel, error);
  return object ? object->kernels[kernel].function.c_str() : nullptr;
}

const TileRtMetadata *
tileCompilerArtifactGetMetadata(TileCompilerArtifact *artifact, size_t kernel,
                                TileRtError *error) {
  auto object = getKernel(artifact, kernel, error);
  return object ? object->metadata[kernel] : nullptr;
}

const char *tileCompilerArtifactGetMetadataText(TileCompilerArtifact *artifact,
                                                size_t kernel,
                                                TileRtError *error) {
  auto object = getKernel(artifact, kernel, error);
  return object ? object->kernels[kernel].metadata.c_str() : nullptr;
}

const char *tileCompilerArtifactGetKind(TileCompilerArtifact *artifact,
                                        size_t kernel, size_t index) {
  auto object = getKernel(artifact, kernel, nullptr);
  if (!object || index >= object->kernels[kernel].artifacts.size())
    return nullptr;
  return object->kernels[kernel].artifacts[index].kind.c_str();
}

/// Says that there is no code of all versions.
static bool failLazy(const ArtifactObject &object, size_t kernel,
                     TileRtError *error) {
  return tile_rt_fail(
      error,
      "'@%s': the code of versions is made by the launches that choose them, "
      "as the option 'lazy-versions' says; load the kernel with "
      "tileCompilerArtifactLoad, or compile with lazy-versions=false",
      object.kernels[kernel].function.c_str());
}

const void *tileCompilerArtifactGetCode(TileCompilerArtifact *artifact,
                                        size_t kernel, const char *kind,
                                        size_t *size, TileRtError *error) {
  auto object = getKernel(artifact, kernel, error);
  if (!object || !expectSize(size, error))
    return nullptr;
  if (object->forms[kernel]) {
    failLazy(*object, kernel, error);
    return nullptr;
  }
  std::string known;
  for (const Artifact &code : object->kernels[kernel].artifacts) {
    if (!kind || code.kind == kind) {
      *size = code.bytes.size();
      return code.bytes.c_str();
    }
    known += (known.empty() ? "" : ", ") + code.kind;
  }
  tile_rt_fail(error,
               "expected a kind of code that was made (%s), got '%s'; the "
               "option 'emit' asks for others",
               known.c_str(), kind);
  return nullptr;
}

const void *tileCompilerArtifactGetImage(TileCompilerArtifact *artifact,
                                         size_t kernel, size_t *size,
                                         TileRtError *error) {
  auto object = getKernel(artifact, kernel, error);
  if (!object || !expectSize(size, error))
    return nullptr;
  if (object->forms[kernel]) {
    failLazy(*object, kernel, error);
    return nullptr;
  }
  std::lock_guard<std::mutex> guard(object->mutex);
  std::unique_ptr<LoadedImage> &image = object->images[kernel];
  std::string problem;
  if (!image)
    image = object->backend->load(object->kernels[kernel], problem);
  if (!image) {
    tile_rt_fail(error, "'@%s' cannot be loaded: %s",
                 object->kernels[kernel].function.c_str(), problem.c_str());
    return nullptr;
  }
  *size = image->getBytes().size();
  return image->getBytes().data();
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

namespace {
/// What a kernel that is loaded lazily holds on to.
struct LoadedForms {
  std::shared_ptr<ArtifactObject> artifact;
  size_t kernel;

  static bool get(void *data, int32_t form, const void **image, size_t *size,
                  TileRtError *error) {
    auto *self = static_cast<LoadedForms *>(data);
    return FormImages::getImage(self->artifact->forms[self->kernel].get(), form,
                                image, size, error);
  }
  static void release(void *data) { delete static_cast<LoadedForms *>(data); }
};
} // namespace

TileRtKernel *tileCompilerArtifactLoad(TileCompilerArtifact *artifact,
                                       size_t kernel, TileRtDevice *device,
                                       TileRtError *error) {
  auto object = getKernel(artifact, kernel, error);
  if (!object)
    return nullptr;
  const TileRtMetadata *metadata = object->metadata[kernel];
  if (!object->forms[kernel]) {
    size_t size = 0;
    const void *image =
        tileCompilerArtifactGetImage(artifact, kernel, &size, error);
    return image ? tile_rt_kernel_load(device, image, size, metadata, error)
                 : nullptr;
  }
  auto data = std::make_unique<LoadedForms>(LoadedForms{object, kernel});
  TileRtImageSource source = {LoadedForms::get, LoadedForms::release,
                              data.get()};
  TileRtKernel *loaded =
      tile_rt_kernel_load_lazily(device, &source, metadata, error);
  if (loaded)
    (void)data.release();
  return loaded;
}
