// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Python needs of the runtime to launch kernels of tile next to those of
// the vendor's libraries, in one process: a kernel from two files, a launch with
// DLPack tensors. Errors are returned as text that lives until the next call.

#include "TileRuntime/CUDA.h"
#include "TileRuntime/Launch.h"
#include "TileRuntime/Metadata.h"

#include <stdio.h>
#include <stdlib.h>

enum { kMaxArguments = 512 }; // of a whole model

static TileRtError error;

const char *tile_bench_error(void) { return error.message; }

static char *readFile(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0) {
    tile_rt_fail(&error, "cannot read %s", path);
    return NULL;
  }
  *size = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*size + 1);
  if (text && fread(text, 1, *size, file) == *size)
    text[*size] = 0;
  fclose(file);
  return text;
}

void *tile_bench_load(const char *imagePath, const char *metadataPath) {
  static TileRtDevice *device;
  if (!device && !tile_rt_cuda_open(0, &device, &error))
    return NULL;
  size_t imageSize, textSize;
  char *image = readFile(imagePath, &imageSize);
  char *text = readFile(metadataPath, &textSize);
  if (!image || !text)
    return NULL;
  TileRtMetadata *metadata = tile_rt_metadata_parse(text, textSize, &error);
  free(text);
  return metadata ? tile_rt_kernel_load(device, image, imageSize, metadata,
                                        &error)
                  : NULL;
}

bool tile_bench_launch(void *kernel, const TileRtDLTensor *const *tensors,
                       int count, void *stream) {
  TileRtArgument arguments[kMaxArguments];
  if (count > kMaxArguments)
    return tile_rt_fail(&error, "expected at most %d arguments, got %d",
                        kMaxArguments, count);
  for (int i = 0; i < count; ++i)
    arguments[i] = tile_rt_argument_tensor(tensors[i]);
  return tile_rt_launch(kernel, arguments, count, stream, &error);
}

/// The kernels of a function, one after the other.
bool tile_bench_call(void *const *kernels, int kernelCount,
                     const TileRtDLTensor *const *tensors, int count,
                     void *stream) {
  for (int i = 0; i < kernelCount; ++i)
    if (!tile_bench_launch(kernels[i], tensors, count, stream))
      return false;
  return true;
}
