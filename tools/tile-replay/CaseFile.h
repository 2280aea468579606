// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run that was prepared on one machine, for another one: folders with a text,
// case.txt, that names the image and metadata of the kernels, what the arguments
// contain and what is expected of them. Lines are a key and values:
//
//   tile-case 1
//   function NAME
//   case LABEL
//   image FILE
//   bitcode FILE                the module of the image, for the SIMT model
//   kernel FILE                 the metadata; one line for each launch
//   tolerance ABSOLUTE RELATIVE
//   argument KIND DTYPE SHAPE CONTENT EXPECTED
//
// KIND is scalar or tensor, or where several ranks run the function also
// symmetric, a tensor in memory that all of them reach, and world, the extents of
// the world; tensors have these in front then. SHAPE is 2x3, or - for rank 0; CONTENT is
//   fill NAME SEED ARGUMENT LOW HIGH LOWINTEGER HIGHINTEGER
//   bits HEX                    every element
//   file FILE.npy
// and EXPECTED a file, or - where nothing is compared. Files are relative to
// that of the case.

#ifndef TILE_REPLAY_CASEFILE_H
#define TILE_REPLAY_CASEFILE_H

#include "Program.h"
#include "TileRuntime/Compare.h"
#include "TileRuntime/Fill.h"

typedef struct TileReplayContent {
  enum { TILE_REPLAY_FILL, TILE_REPLAY_BITS, TILE_REPLAY_FILE } kind;
  TileRtFill fill;
  uint64_t bits;
  char path[256];
} TileReplayContent;

typedef struct TileReplayCaseArgument {
  bool scalar, world, symmetric;
  TileRtDType dtype;
  int32_t rank;
  int64_t shape[TILE_RT_MAX_RANK];
  TileReplayContent content;
  char expected[256]; ///< empty where nothing is compared
} TileReplayCaseArgument;

typedef struct TileReplayCase {
  char folder[1024]; ///< ends in a slash
  char function[256], label[256], image[256];
  char bitcode[256]; ///< empty if there is none
  int32_t kernelCount;
  char kernels[TILE_REPLAY_MAX_KERNELS][256];
  double absolute, relative; ///< the tolerance
  int32_t count;
  TileReplayCaseArgument arguments[TILE_RT_MAX_ARGUMENTS];
} TileReplayCase;

/// Reads "FOLDER/case.txt". Errors name the file and the line.
bool tile_replay_case_read(TileReplayCase *c, const char *folder,
                           TileRtError *error);

/// Writes "case.txt" in the case's folder; it appears when it is complete.
bool tile_replay_case_write(const TileReplayCase *c, TileRtError *error);

/// Makes an argument: allocates the tensor and fills it.
bool tile_replay_case_argument(const TileReplayCase *c, int32_t index,
                               size_t guardBytes, TileRtTensor *tensor,
                               TileRtError *error);

/// Reads a file next to the case, with a 0 behind its end; free the result.
char *tile_replay_read_file(const TileReplayCase *c, const char *name,
                            size_t *size, TileRtError *error);

#endif // TILE_REPLAY_CASEFILE_H
