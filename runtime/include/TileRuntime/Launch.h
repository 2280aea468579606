// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked launches of compiled kernels, on any device.

#ifndef TILERUNTIME_LAUNCH_H
#define TILERUNTIME_LAUNCH_H

#include "TileRuntime/Device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A number that is never used again, not an address: calls with a kernel that
/// was unloaded, or with something else, are errors.
typedef struct TileRtKernel TileRtKernel;

/// One argument: a tensor, or else a scalar by type and code (DType.h).
typedef struct TileRtArgument {
  const TileRtDLTensor *tensor;
  TileRtDType dtype;
  uint64_t bits;
} TileRtArgument;

TileRtArgument tile_rt_argument_tensor(const TileRtDLTensor *tensor);
TileRtArgument tile_rt_argument_float(TileRtDType dtype, double value);
TileRtArgument tile_rt_argument_integer(TileRtDType dtype, int64_t value);

/// Loads the kernel of an image (for CUDA a cubin, a fatbin or PTX). Device and
/// metadata must outlive it. Null on failure.
TileRtKernel *tile_rt_kernel_load(TileRtDevice *device, const void *image,
                                  size_t size, const TileRtMetadata *metadata,
                                  TileRtError *error);

/// Where the code of a kernel with versions comes from, form by form. Form 0 is
/// the kernel itself, form N version N - 1 of its metadata.
typedef struct TileRtImageSource {
  /// Makes an image with the symbol of a form, which lives until `release`. The
  /// calls for one kernel come one at a time.
  bool (*get)(void *data, int32_t form, const void **image, size_t *size,
              TileRtError *error);
  /// Called when the kernel has been unloaded; null is fine.
  void (*release)(void *data);
  void *data;
} TileRtImageSource;

/// Loads a kernel whose forms are made when a launch first chooses them: what
/// goes wrong then is an error of that launch, and the next one tries again.
/// Other launches of the kernel wait meanwhile. Null on failure: then `release`
/// is not called.
TileRtKernel *tile_rt_kernel_load_lazily(TileRtDevice *device,
                                         const TileRtImageSource *source,
                                         const TileRtMetadata *metadata,
                                         TileRtError *error);

/// Unloads a kernel whose launches have ended on the device. Null, and what is
/// no kernel any more, do nothing. Other threads may be in `tile_rt_launch`:
/// their calls end first, and later ones are errors.
void tile_rt_kernel_unload(TileRtKernel *kernel);

/// Null for a kernel that was unloaded.
TileRtDevice *tile_rt_kernel_device(const TileRtKernel *kernel);

/// Checks the arguments and queues a launch in the stream. Every error names
/// the kernel and the argument. Nothing is launched when the grid is empty.
/// Where the metadata have versions, the arguments choose one of them.
///
/// Checks and computations are kept for the last few sets of arguments, so that
/// a launch with known pointers, shapes and strides costs little more than the
/// driver's part; scalars that no symbol is bound to may change freely.
///
/// Safe from several threads. All kernels share the workspace of a stream, and
/// what one leaves there the next kernel of its function reads: calls of
/// functions with several kernels that have workspaces must not mix in one
/// stream. A stream must be synchronised before it is destroyed.
bool tile_rt_launch(TileRtKernel *kernel, const TileRtArgument *arguments,
                    int32_t count, TileRtStream stream, TileRtError *error);

/// Does all of a launch but launching: checks the arguments, chooses the version
/// and has its code made and loaded. The next launch with them takes no longer
/// than any other.
bool tile_rt_prepare(TileRtKernel *kernel, const TileRtArgument *arguments,
                     int32_t count, TileRtError *error);

/// How many launches found their checks done, and how many did not; zeros for a
/// kernel that was unloaded.
void tile_rt_kernel_statistics(TileRtKernel *kernel, int64_t *known,
                               int64_t *checked);

/// The symbol of the version that was launched last, or of the kernel where it
/// has no versions; null before the first launch.
const char *tile_rt_kernel_last_version(TileRtKernel *kernel);

typedef struct TileRtTimingOptions {
  int32_t warmup;   ///< launches that are not timed
  int32_t samples;  ///< at least 1
  int32_t launches; ///< per sample; at least 1
  bool flushL2;     ///< empty the caches before each sample
  /// `arguments` holds that many sets one after the other, which the launches
  /// use in turn, so that inputs do not stay in the caches. At least 1.
  int32_t sets;
} TileRtTimingOptions;

/// Seconds a launch.
typedef struct TileRtTiming {
  double median, min, max;
} TileRtTiming;

/// Three launches of warm-up, then 20 samples of one launch each.
TileRtTimingOptions tile_rt_timing_options(void);

/// Times launches by events of the device, and waits for their end.
bool tile_rt_time(TileRtKernel *kernel, const TileRtArgument *arguments,
                  int32_t count, TileRtStream stream,
                  const TileRtTimingOptions *options, TileRtTiming *timing,
                  TileRtError *error);

#ifdef __cplusplus
}
#endif

#endif // TILERUNTIME_LAUNCH_H
