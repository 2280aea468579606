//===- dlpack.c - arrays of other libraries
//---------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dlpack.h"

#include <stdint.h>

enum { kReadOnly = 1 }; // of the flags of a versioned tensor

/// DLPackExchangeAPI.
typedef struct ExchangeTable {
  TileRtDLPackVersion version;
  const struct ExchangeTable *previous;
  void *allocate, *fromObject, *toObject;
  int (*describe)(void *object, TileRtDLTensor *out); ///< may be null
  int (*currentStream)(int32_t deviceType, int32_t device, void **stream);
} ExchangeTable;

static PyObject *dlpackName, *streamName, *exchangeName, *gradientName;

bool setUpDLPack(void) {
  dlpackName = PyUnicode_InternFromString("__dlpack__");
  streamName = PyUnicode_InternFromString("stream");
  exchangeName = PyUnicode_InternFromString("__dlpack_c_exchange_api__");
  gradientName = PyUnicode_InternFromString("requires_grad");
  return dlpackName && streamName && exchangeName && gradientName;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// The table of a type, or null. Tables live as long as the process.
static const ExchangeTable *readTable(PyTypeObject *type) {
  PyObject *capsule = PyObject_GetAttr((PyObject *)type, exchangeName);
  const ExchangeTable *table = NULL;
  if (capsule && PyCapsule_IsValid(capsule, "dlpack_exchange_api"))
    table = PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
  PyErr_Clear();
  Py_XDECREF(capsule);
  while (table && table->version.major > 1)
    table = table->previous;
  bool good = table && table->version.major == 1 && table->describe &&
              table->currentStream;
  return good ? table : NULL;
}

/// The same; most arguments are of the type that the last one was of.
static const ExchangeTable *findTable(PyObject *object) {
  static PyTypeObject *lastType;
  static const ExchangeTable *lastTable;
  PyTypeObject *type = Py_TYPE(object);
  if (type == lastType)
    return lastTable;
  const ExchangeTable *table = readTable(type);
  PyTypeObject *old = lastType;
  Py_INCREF(type);
  lastType = type;
  lastTable = table;
  Py_XDECREF(old);
  return table;
}

bool findCurrentStream(PyObject *object, CallStream *stream) {
  const ExchangeTable *table = findTable(object);
  if (!table)
    return false;
  if (table->currentStream(stream->device.device_type, stream->device.device_id,
                           &stream->stream) == 0)
    return true;
  PyErr_Clear();
  return false;
}

static bool wantsGradients(PyObject *object) {
  PyObject *wanted = PyObject_GetAttr(object, gradientName);
  PyErr_Clear();
  Py_XDECREF(wanted);
  return wanted == Py_True;
}

bool exchangeTensor(PyObject *object, const CallStream *stream,
                    TileRtDLTensor *tensor) {
  const ExchangeTable *table = findTable(object);
  if (!table || wantsGradients(object))
    return false;
  CallStream current = *stream;
  if (stream->isGPU && (!findCurrentStream(object, &current) ||
                        current.stream != stream->stream))
    return false;
  if (table->describe(object, tensor) == 0)
    return true;
  PyErr_Clear();
  return false;
}

//===----------------------------------------------------------------------===//
// Capsules
//===----------------------------------------------------------------------===//

static PyObject *callWithStream(PyObject *method, const CallStream *stream) {
  // The default stream of CUDA has the number 1 there.
  bool isDefault = !stream->stream;
  PyObject *number = isDefault && stream->device.device_type == TILE_RT_DL_CUDA
                         ? PyLong_FromLong(1)
                         : PyLong_FromVoidPtr(stream->stream);
  PyObject *none = PyTuple_New(0), *named = PyDict_New(), *capsule = NULL;
  if (number && none && named && PyDict_SetItem(named, streamName, number) == 0)
    capsule = PyObject_Call(method, none, named);
  Py_XDECREF(number);
  Py_XDECREF(none);
  Py_XDECREF(named);
  return capsule;
}

PyObject *getCapsule(PyObject *object, const CallStream *stream) {
  PyObject *method = PyObject_GetAttr(object, dlpackName);
  if (!method) {
    if (PyErr_ExceptionMatches(PyExc_AttributeError))
      PyErr_Clear();
    return NULL;
  }
  PyObject *capsule = stream->isGPU ? callWithStream(method, stream)
                                    : PyObject_CallObject(method, NULL);
  Py_DECREF(method);
  return capsule;
}

bool readCapsule(PyObject *capsule, TileRtDLTensor *tensor, bool *readOnly) {
  if (PyCapsule_IsValid(capsule, "dltensor")) {
    const TileRtDLManagedTensor *managed =
        PyCapsule_GetPointer(capsule, "dltensor");
    *tensor = managed->dl_tensor;
    return true;
  }
  if (!PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    PyErr_SetString(PyExc_TypeError,
                    "expected __dlpack__ to return a capsule with a tensor");
    return false;
  }
  const TileRtDLManagedTensorVersioned *managed =
      PyCapsule_GetPointer(capsule, "dltensor_versioned");
  if (managed->version.major != 1) {
    PyErr_Format(PyExc_BufferError, "expected version 1 of DLPack, got %u",
                 (unsigned)managed->version.major);
    return false;
  }
  *readOnly = managed->flags & kReadOnly;
  *tensor = managed->dl_tensor;
  return true;
}

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

static PyObject *makeTuple(const int64_t *numbers, int32_t count) {
  PyObject *tuple = PyTuple_New(count);
  for (int32_t d = 0; tuple && d < count; ++d) {
    PyObject *number = PyLong_FromLongLong(numbers[d]);
    if (!number || PyTuple_SetItem(tuple, d, number) < 0) {
      Py_DECREF(tuple);
      return NULL;
    }
  }
  return tuple;
}

/// The description of a tensor, whose owner is kept.
static PyObject *describeTensor(const TileRtDLTensor *dl, bool readOnly,
                                PyObject *owner) {
  if (dl->ndim < 0 || (dl->ndim && !dl->shape) || dl->dtype.lanes != 1) {
    PyErr_Format(PyExc_BufferError,
                 "expected a tensor of elements of one lane, got %d lanes and "
                 "a rank of %d",
                 (int)dl->dtype.lanes, (int)dl->ndim);
    return NULL;
  }
  PyObject *shape = makeTuple(dl->shape, dl->ndim), *strides = Py_None;
  if (dl->strides)
    strides = makeTuple(dl->strides, dl->ndim);
  else
    Py_INCREF(strides);
  PyObject *found = NULL;
  if (shape && strides)
    found = Py_BuildValue(
        "(KbbOOOiiO)",
        (unsigned long long)(uintptr_t)dl->data + dl->byte_offset,
        dl->dtype.code, dl->dtype.bits, shape, strides,
        readOnly ? Py_True : Py_False, (int)dl->device.device_type,
        (int)dl->device.device_id, owner);
  Py_XDECREF(shape);
  Py_XDECREF(strides);
  return found;
}

PyObject *inspectArray(PyObject *module, PyObject *object) {
  (void)module;
  TileRtDLTensor tensor = {0};
  const CallStream none = {0};
  bool readOnly = false;
  PyObject *found = NULL, *capsule = getCapsule(object, &none);
  if (!capsule && !PyErr_Occurred())
    PyErr_SetString(PyExc_TypeError, "expected an object with __dlpack__");
  if (capsule && readCapsule(capsule, &tensor, &readOnly))
    found = describeTensor(&tensor, readOnly, capsule);
  // What owns memory may be written in Python, and wants no exception.
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  Py_XDECREF(capsule);
  PyErr_Restore(type, value, trace);
  return found;
}
