// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors in host memory.

#ifndef TILERUNTIME_TENSOR_H
#define TILERUNTIME_TENSOR_H

#include "TileRuntime/DLPackABI.h"
#include "TileRuntime/DType.h"
#include "TileRuntime/Error.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TILE_RT_MAX_RANK = 16,
  TILE_RT_ALIGNMENT = 64, ///< of owned data and red zones, in bytes
};

/// A strided array. Readers may look at all fields; the functions below set
/// them. A tensor with a null `allocation` is a view of memory of others.
///
/// Elements of four bits lie two per byte: element offset o is the low (o even)
/// or high (o odd) half of byte o / 2 of `data`. Rows are not padded, so a row
/// of odd length ends in the middle of a byte. Threads must not store to the
/// two halves of a byte at the same time.
typedef struct TileRtTensor {
  TileRtDType dtype;
  int32_t rank;
  int64_t shape[TILE_RT_MAX_RANK];
  int64_t strides[TILE_RT_MAX_RANK]; ///< in elements
  void *data;                        ///< the element of index 0, 0 ...
  void *allocation;                  ///< owned memory, red zones included
  size_t allocationBytes;
  size_t guardBytes; ///< the red zone on either side of the data
} TileRtTensor;

/// Makes `tensor` own zeroed row-major memory, with a red zone of poison of at
/// least `guardBytes` bytes before it and after it. What it held is not freed.
/// On failure the tensor is empty and may be freed.
bool tile_rt_tensor_alloc(TileRtTensor *tensor, TileRtDType dtype, int32_t rank,
                          const int64_t *shape, size_t guardBytes,
                          TileRtError *error);

/// Makes `tensor` a view of `data`, which must outlive it. Null strides stand
/// for row-major ones.
bool tile_rt_tensor_view(TileRtTensor *tensor, TileRtDType dtype, int32_t rank,
                         const int64_t *shape, const int64_t *strides,
                         void *data, TileRtError *error);

/// Frees what the tensor owns and makes it empty; an empty tensor (all bytes
/// zero) and null are fine.
void tile_rt_tensor_free(TileRtTensor *tensor);

/// The number of elements.
int64_t tile_rt_tensor_count(const TileRtTensor *tensor);

/// The bytes that the elements take when they lie densely.
int64_t tile_rt_tensor_bytes(const TileRtTensor *tensor);

/// Whether the elements lie densely with the last (first) dimension fastest.
bool tile_rt_tensor_is_row_major(const TileRtTensor *tensor);
bool tile_rt_tensor_is_column_major(const TileRtTensor *tensor);

/// The multi-index of the k-th element in row-major order of the indices,
/// whatever the strides; 0 <= k < count. Writes `rank` numbers.
void tile_rt_tensor_index(const TileRtTensor *tensor, int64_t k,
                          int64_t *index);

/// The offset in elements from `data` of that element.
int64_t tile_rt_tensor_offset(const TileRtTensor *tensor, int64_t k);

/// Access by offset in elements from `data`, unchecked. Codes and numbers as in
/// DType.h.
uint64_t tile_rt_tensor_load_bits(const TileRtTensor *tensor, int64_t offset);
void tile_rt_tensor_store_bits(TileRtTensor *tensor, int64_t offset,
                               uint64_t bits);
double tile_rt_tensor_load(const TileRtTensor *tensor, int64_t offset);
void tile_rt_tensor_store(TileRtTensor *tensor, int64_t offset, double value);

/// Copies the elements of `from`, of the same shape and any strides. The same
/// type copies bits, integer to integer wraps, the rest goes through double.
/// The memories must not overlap.
bool tile_rt_tensor_copy(TileRtTensor *to, const TileRtTensor *from,
                         TileRtError *error);

/// Writes a type as MLIR does, "2x3xf32", with '?' for negative sizes.
/// Returns `buffer`; what does not fit is cut.
char *tile_rt_format_type(TileRtDType dtype, int32_t rank, const int64_t *shape,
                          char *buffer, size_t size);

/// Checks type, rank and shape; a negative expected size admits any, and
/// TILE_RT_NONE any type. The error reads "name: expected 2x?xf32, got 2xf32".
bool tile_rt_tensor_expect(const TileRtTensor *tensor, const char *name,
                           TileRtDType dtype, int32_t rank,
                           const int64_t *shape, TileRtError *error);

/// Checks that nobody wrote to the red zones; the error tells on which side,
/// how far from the data and how much. True when there are none.
bool tile_rt_tensor_check_guard(const TileRtTensor *tensor, const char *name,
                                TileRtError *error);

/// The type of that code, size and one lane, or TILE_RT_NONE.
TileRtDType tile_rt_dtype_from_dlpack(TileRtDLDataType type);

/// Describes the tensor, which must outlive the result: shape and strides point
/// into it.
TileRtDLTensor tile_rt_tensor_to_dlpack(TileRtTensor *tensor);

/// Makes `tensor` a view of what `from` describes, which must be in CPU memory
/// and have one lane. Packed elements must start at a whole byte.
bool tile_rt_tensor_from_dlpack(TileRtTensor *tensor,
                                const TileRtDLTensor *from, TileRtError *error);

#ifdef __cplusplus
}
#endif

#endif // TILERUNTIME_TENSOR_H
