// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy .npy files, format versions 1.0, 2.0 and 3.0.
//
// Types and their names in a file:
//   i1 |b1   i8 |i1   i16 <i2   i32 <i4   i64 <i8
//   ui8 |u1  ui16 <u2  ui32 <u4  ui64 <u8   f16 <f2   f32 <f4   f64 <f8
//   bf16 |V2, f8... |V1, i4 and f4E2M1FN |V1
// NumPy has no name for the types of the last line: they are stored as raw
// bytes, and whoever reads them must say what they are. In Python,
// array.view(ml_dtypes.bfloat16) does. The four-bit types are stored two
// per byte, so the last dimension must be even and has half its size in the
// file.

#ifndef TILERUNTIME_NPY_H
#define TILERUNTIME_NPY_H

#include "TileRuntime/Tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Reads a file into a new tensor, which the caller frees. `expected` is the
/// element type, or TILE_RT_NONE to take the one that the file names. The types
/// that NumPy has no name for are accepted from |V and |u1 or <u2 files of the
/// same element size. Big-endian numbers are swapped. A file in Fortran order
/// gives a column-major tensor. On failure the tensor is empty.
bool tile_rt_npy_read(const char *path, TileRtDType expected,
                      TileRtTensor *tensor, TileRtError *error);

/// Writes version 1.0: a column-major tensor in Fortran order, any other in C
/// order. The file appears under its name when it is complete: it is written
/// next to it as "path.<process>.<number>.tmp", which is removed on failure.
bool tile_rt_npy_write(const char *path, const TileRtTensor *tensor,
                       TileRtError *error);

#ifdef __cplusplus
}
#endif

#endif // TILERUNTIME_NPY_H
