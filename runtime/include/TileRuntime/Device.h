// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices that run kernels. A backend (CPU, CUDA ...) is a table of functions
// and a struct that begins with TileRtDevice, made by tile_rt_device_create.

#ifndef TILERUNTIME_DEVICE_H
#define TILERUNTIME_DEVICE_H

#include "TileRuntime/Metadata.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A queue of work; null is the default one. For CUDA a CUstream.
typedef void *TileRtStream;

/// A point in a stream. For CUDA a CUevent.
typedef void *TileRtEvent;

typedef enum TileRtCopy {
  TILE_RT_COPY_TO_DEVICE,
  TILE_RT_COPY_FROM_DEVICE,
  TILE_RT_COPY_ON_DEVICE
} TileRtCopy;

/// A launch with all numbers known.
typedef struct TileRtLaunch {
  uint32_t grid[3], block[3], cluster[3];
  uint32_t sharedBytes; ///< dynamic
  bool cooperative, pdl;
  int32_t parameterCount;
  void **parameters; ///< the address of each
} TileRtLaunch;

/// A tensor map with all numbers known.
typedef struct TileRtTensorMap {
  const TileRtMapInfo *info;
  uint64_t address;
  uint64_t sizes[TILE_RT_MAP_RANK];   ///< in elements
  uint64_t strides[TILE_RT_MAP_RANK]; ///< in bytes, of dimensions 1 ...
} TileRtTensorMap;

enum {
  TILE_RT_MAP_BYTES = 128, ///< of an encoded tensor map
  TILE_RT_MAP_ALIGN = 64
};

typedef struct TileRtDevice TileRtDevice;

/// What a backend implements. All but `close` may be called from any thread;
/// the calls for one `code` come one at a time. Null pointers are functions
/// that a backend has not.
typedef struct TileRtDeviceOps {
  const char *target; ///< of metadata
  /// Gives back what the device holds; its struct stays.
  void (*close)(TileRtDevice *device);

  /// Makes the kernel of an image ready.
  bool (*load)(TileRtDevice *device, const void *image, size_t size,
               const TileRtMetadata *metadata, void **code, TileRtError *error);
  void (*unload)(TileRtDevice *device, void *code);
  /// Checks a launch, whose parameters are not set yet, and readies the code.
  bool (*prepare)(TileRtDevice *device, void *code, const TileRtLaunch *launch,
                  TileRtError *error);
  bool (*launch)(TileRtDevice *device, void *code, const TileRtLaunch *launch,
                 TileRtStream stream, TileRtError *error);
  /// Writes TILE_RT_MAP_BYTES bytes.
  bool (*encode)(TileRtDevice *device, const TileRtTensorMap *map, void *out,
                 TileRtError *error);

  bool (*alloc)(TileRtDevice *device, size_t bytes, void **memory,
                TileRtError *error);
  bool (*free)(TileRtDevice *device, void *memory, TileRtError *error);
  /// Ordered in the stream; host memory must stay until then.
  bool (*copy)(TileRtDevice *device, void *to, const void *from, size_t bytes,
               TileRtCopy kind, TileRtStream stream, TileRtError *error);
  bool (*fill)(TileRtDevice *device, void *memory, uint8_t byte, size_t bytes,
               TileRtStream stream, TileRtError *error);
  bool (*sync)(TileRtDevice *device, TileRtStream stream, TileRtError *error);
  /// Whether a graph captures the stream. Memory that is allocated and freed in
  /// it meanwhile is the graph's. All three are null, or none.
  bool (*isCaptured)(TileRtDevice *device, TileRtStream stream, bool *captured,
                     TileRtError *error);
  bool (*allocInStream)(TileRtDevice *device, size_t bytes, TileRtStream stream,
                        void **memory, TileRtError *error);
  bool (*freeInStream)(TileRtDevice *device, void *memory, TileRtStream stream,
                       TileRtError *error);

  bool (*streamCreate)(TileRtDevice *device, TileRtStream *stream,
                       TileRtError *error);
  bool (*streamDestroy)(TileRtDevice *device, TileRtStream stream,
                        TileRtError *error);
  bool (*eventCreate)(TileRtDevice *device, TileRtEvent *event,
                      TileRtError *error);
  bool (*eventDestroy)(TileRtDevice *device, TileRtEvent event,
                       TileRtError *error);
  bool (*eventRecord)(TileRtDevice *device, TileRtEvent event,
                      TileRtStream stream, TileRtError *error);
  /// The seconds from one event to another, both of which have happened.
  bool (*eventElapsed)(TileRtDevice *device, TileRtEvent from, TileRtEvent to,
                       double *seconds, TileRtError *error);
  /// What follows in the stream waits for the event, of any stream.
  bool (*eventWait)(TileRtDevice *device, TileRtEvent event,
                    TileRtStream stream, TileRtError *error);
} TileRtDeviceOps;

struct TileRtDevice {
  const TileRtDeviceOps *ops;
  TileRtDLDevice id;       ///< what tensors on it say
  char name[96];           ///< "NVIDIA H200" ...
  char chip[16];           ///< "sm_90" ...
  int32_t multiprocessors; ///< or cores
  int64_t l2Bytes;         ///< 0 when unknown
  struct TileRtWorkspace *workspaces; ///< one for each stream that needs one
  void *flush;             ///< memory that evicts the caches, made when needed
  size_t flushBytes;
};

/// The CPU, as a device. Its images are TileRtHostImage; streams are null, and
/// work is done when a call returns. It lives as long as the process.
TileRtDevice *tile_rt_cpu_device(void);

/// Whether the compiled code that the calling thread has called had memory for
/// its buffers, since this was asked last. A launch asks; so does who calls the
/// code without one.
bool tile_rt_had_memory(TileRtError *error);

/// One block of a kernel on the CPU. Parameters as in TileRtLaunch; `shared` is
/// the block's dynamic shared memory, 64-byte aligned and of undefined content.
typedef void (*TileRtHostBlock)(void *const *parameters,
                                const uint32_t block[3], const uint32_t grid[3],
                                void *shared);

/// Blocks run in parallel and in any order; each is called once for all of its
/// threads.
typedef struct TileRtHostImage {
  TileRtHostBlock block;
} TileRtHostImage;

/// Closes a device whose work has ended. Kernels that are still loaded are
/// unloaded; calls of other threads that load a kernel end first. Loading and
/// all functions of a closed device are errors. Null, a closed device, and the
/// devices of the process (the CPU, the Ascend model) do nothing.
void tile_rt_device_close(TileRtDevice *device);

/// For backends: zeros for a struct of `bytes` that begins with TileRtDevice,
/// whose `ops` are set. A few hundred bytes for each device stay as long as the
/// process, by which one that was closed is recognised. Null without memory.
TileRtDevice *tile_rt_device_create(const TileRtDeviceOps *ops, size_t bytes,
                                    size_t alignment, TileRtError *error);

/// Describes device memory with the element type, the shape and the strides of
/// `like`, which must outlive the result.
TileRtDLTensor tile_rt_device_tensor(const TileRtDevice *device,
                                     TileRtTensor *like, void *memory);

/// "cuda:0".
char *tile_rt_format_device(TileRtDLDevice id, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif // TILERUNTIME_DEVICE_H
