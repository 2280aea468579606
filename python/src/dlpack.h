//===- dlpack.h - arrays of other libraries
//---------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By the table of functions of DLPack 1.2 where a type has one, which is how a
// tensor of PyTorch costs no more than a struct; else by __dlpack__.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_PYTHON_DLPACK_H
#define TILE_PYTHON_DLPACK_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>

#include "TileRuntime/DLPackABI.h"

#include <stdbool.h>

/// Where a call will be queued. All zeros for a CPU.
typedef struct CallStream {
  bool isGPU;
  TileRtDLDevice device;
  void *stream;
} CallStream;

bool setUpDLPack(void);

/// Sets the stream to the current one of the library of an array; false if the
/// library has no table, or does not tell.
bool findCurrentStream(PyObject *object, CallStream *stream);

/// Describes an array by its library's table, without a copy and without an
/// owner: the array lives on. False if __dlpack__ has to be asked: there is no
/// table, the call is for another stream than the library's, or the array wants
/// gradients.
bool exchangeTensor(PyObject *object, const CallStream *stream,
                    TileRtDLTensor *tensor);

/// Calls object.__dlpack__; null with or without an exception if there is none
/// to call.
PyObject *getCapsule(PyObject *object, const CallStream *stream);

/// Looks into a capsule of DLPack, which stays the owner: its destructor calls
/// the deleter, as that of any capsule that nobody has taken over.
bool readCapsule(PyObject *capsule, TileRtDLTensor *tensor, bool *readOnly);

/// What `describe` of the package returns, of an object with __dlpack__.
PyObject *inspectArray(PyObject *module, PyObject *object);

#endif // TILE_PYTHON_DLPACK_H
