//===- KernelForms.h - code of versions, when it is needed ------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DRIVER_KERNELFORMS_H
#define TILE_DRIVER_KERNELFORMS_H

#include "Tile/Driver/Backend.h"

#include "TileRuntime/Launch.h"

#include <functional>
#include <mutex>

namespace mlir::tile {

/// Makes the code of a form of `kernel`, in a context of its own: from any
/// thread. False with the first error in `error`.
bool compileForm(const Backend &backend, const CompiledKernel &kernel,
                 size_t form, const CompileOptions &options,
                 CompiledKernel &made, std::string &error);

/// The images of a kernel's forms, each made when it is first asked for.
class FormImages {
public:
  using Make = std::function<bool(size_t form, CompiledKernel &made,
                                  std::string &error)>;

  FormImages(const Backend &backend, size_t count, Make make)
      : backend(backend), images(count), make(std::move(make)) {}

  /// Null with an error; the next call tries again. From any thread.
  const LoadedImage *get(size_t form, std::string &error);

  /// `TileRtImageSource::get` with a FormImages as data. Inline: the including
  /// program links the runtime, this library does not.
  static bool getImage(void *data, int32_t form, const void **image,
                       size_t *size, TileRtError *error) {
    std::string problem;
    const LoadedImage *loaded =
        static_cast<FormImages *>(data)->get(size_t(form), problem);
    if (!loaded)
      return tile_rt_fail(error, "%s", problem.c_str());
    *image = loaded->getBytes().data();
    *size = loaded->getBytes().size();
    return true;
  }

private:
  const Backend &backend;
  std::mutex mutex;
  std::vector<std::unique_ptr<LoadedImage>> images;
  Make make;
};

} // namespace mlir::tile

#endif // TILE_DRIVER_KERNELFORMS_H
