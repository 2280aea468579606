//===- launch.c - calls of kernels from Python ----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a call costs is here: arguments become TileRtArguments and are launched.
// The rest of the package is Python. The stable ABI of 3.9 makes one file serve
// all later versions.
//
// A function holds numbers of kernels and its own copy of what it needs of
// their metadata. So a module may be closed at any time, by another thread or
// by code that a conversion runs: the runtime then refuses the launch.
//
//===----------------------------------------------------------------------===//

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>

#include "dlpack.h"
#include "stage.h"

#include "TileRuntime/DLPackABI.h"
#include "TileRuntime/Launch.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  kFew = 12,     // arguments that need no memory of the heap
  kReadOnly = 1, // of the flags of a versioned tensor
};

typedef struct Parameter {
  char *name;
  bool scalar, written;
  TileRtDType dtype;
} Parameter;

typedef struct Function {
  PyObject_HEAD PyObject *name;
  PyObject *program; ///< keeps the kernels loaded
  TileRtKernel **kernels;
  Py_ssize_t kernelCount;
  Parameter *parameters;
  Py_ssize_t parameterCount;
  TileRtDLDevice device;
  bool isModel;          ///< of a GPU or NPU, which is given arrays of the host
  TileRtDevice *staging; ///< the model, if its memory is its own
} Function;

/// An argument that is being passed.
typedef struct Tensor {
  TileRtDLTensor dl;
  int64_t shape[TILE_RT_MAX_RANK], strides[TILE_RT_MAX_RANK];
  PyObject *owner; ///< of the memory, or of the struct that shape points into
} Tensor;

// Set once by the package: the functions of Python for what is rare.
static PyObject *describeArray, *findStream, *callError;
static PyObject *streamName;

/// Kernels of one function follow one another in their stream: the later ones
/// read the workspace that the earlier ones have written.
static pthread_mutex_t sequences = PTHREAD_MUTEX_INITIALIZER;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// Raises an error "@f: argument 1 (x): ...".
static bool failArgument(const Function *f, Py_ssize_t i, const char *format,
                         ...) {
  va_list arguments;
  va_start(arguments, format);
  PyObject *message = PyUnicode_FromFormatV(format, arguments);
  va_end(arguments);
  if (!message)
    return false;
  const char *name = f->parameters[i].name;
  PyErr_Format(callError, "@%U: argument %zd%s%s%s: %U", f->name, i,
               *name ? " (" : "", name, *name ? ")" : "", message);
  Py_DECREF(message);
  return false;
}

static PyObject *getTypeName(PyObject *object) {
  PyObject *name =
      PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__name__");
  if (!name) {
    PyErr_Clear();
    name = PyUnicode_FromString("object");
  }
  return name;
}

static bool failType(const Function *f, Py_ssize_t i, const char *expected,
                     PyObject *got) {
  PyObject *name = getTypeName(got);
  if (!name)
    return false;
  failArgument(f, i, "expected a %s of %s, got %U", expected,
               tile_rt_dtype_name(f->parameters[i].dtype), name);
  Py_DECREF(name);
  return false;
}

/// Makes the exception in flight the cause of an error of an argument.
static bool failFrom(const Function *f, Py_ssize_t i) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  PyObject *text = value ? PyObject_Str(value) : NULL;
  bool own = value && !PyErr_GivenExceptionMatches(type, PyExc_Exception);
  if (!text || own) {
    // Interrupts and the like go on as they are.
    PyErr_Restore(type, value, trace);
    Py_XDECREF(text);
    return false;
  }
  failArgument(f, i, "%U", text);
  Py_DECREF(text);
  PyObject *ownType, *ownValue, *ownTrace;
  PyErr_Fetch(&ownType, &ownValue, &ownTrace);
  PyErr_NormalizeException(&ownType, &ownValue, &ownTrace);
  PyException_SetCause(ownValue, value); // takes the reference
  PyErr_Restore(ownType, ownValue, ownTrace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  return false;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

static bool readInteger(const Function *f, Py_ssize_t i, PyObject *object,
                        TileRtArgument *out) {
  TileRtDType dtype = f->parameters[i].dtype;
  PyObject *number = NULL;
  if (PyIndex_Check(object))
    number = PyNumber_Index(object);
  else if (dtype == TILE_RT_I1 && PyObject_HasAttrString(object, "item"))
    number = PyObject_CallMethod(object, "item", NULL); // of NumPy's booleans
  if (number && !PyLong_Check(number))
    Py_CLEAR(number);
  if (!number) {
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError))
      return failFrom(f, i);
    PyErr_Clear();
    return failType(f, i, "number", object);
  }
  int overflow;
  int64_t value = PyLong_AsLongLongAndOverflow(number, &overflow);
  int bits = dtype == TILE_RT_I1 ? 1 : tile_rt_dtype_bits(dtype);
  bool isSigned = tile_rt_dtype_is_signed_integer(dtype);
  uint64_t max = UINT64_MAX >> (64 - bits + isSigned);
  bool fits = !overflow &&
              value <= (max > INT64_MAX ? INT64_MAX : (int64_t)max) &&
              value >= (isSigned ? -(int64_t)max - 1 : 0);
  if (overflow > 0 && max == UINT64_MAX) {
    value = (int64_t)PyLong_AsUnsignedLongLong(number);
    fits = !PyErr_Occurred();
    PyErr_Clear();
  }
  if (fits)
    *out = tile_rt_argument_integer(dtype, value);
  else
    failArgument(f, i, "expected a number of %s, got %S",
                 tile_rt_dtype_name(dtype), number);
  Py_DECREF(number);
  return fits;
}

static bool readScalar(const Function *f, Py_ssize_t i, PyObject *object,
                       TileRtArgument *out) {
  TileRtDType dtype = f->parameters[i].dtype;
  if (!tile_rt_dtype_is_float(dtype))
    return readInteger(f, i, object, out);
  double value = PyFloat_AsDouble(object);
  if (value == -1.0 && PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError))
      return failFrom(f, i);
    PyErr_Clear();
    return failType(f, i, "number", object);
  }
  *out = tile_rt_argument_float(dtype, value);
  // Infinities and NaN are what the caller says; a number is no other one.
  if (!isfinite(value) || isfinite(tile_rt_decode(dtype, out->bits)))
    return true;
  return failArgument(f, i,
                      "expected a number of %s or an infinity, got %S, which "
                      "is too large",
                      tile_rt_dtype_name(dtype), object);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Reads a tuple of integers; the rank, or -1 with an exception.
static int readTuple(PyObject *tuple, int64_t *out) {
  Py_ssize_t rank = PyTuple_Size(tuple);
  if (rank < 0)
    return -1;
  if (rank > TILE_RT_MAX_RANK) {
    PyErr_Format(callError, "expected at most %d dimensions, got %zd",
                 TILE_RT_MAX_RANK, rank);
    return -1;
  }
  for (Py_ssize_t d = 0; d < rank; ++d) {
    out[d] = PyLong_AsLongLong(PyTuple_GetItem(tuple, d));
    if (out[d] == -1 && PyErr_Occurred())
      return -1;
  }
  return (int)rank;
}

/// By the functions of Python: memory that speaks no DLPack, or does not want
/// to. What __dlpack__ has raised, if it has, is in flight.
static bool describe(const Function *f, Py_ssize_t i, PyObject *object,
                     Tensor *tensor, bool *readOnly) {
  PyObject *type, *cause, *trace;
  PyErr_Fetch(&type, &cause, &trace);
  PyErr_NormalizeException(&type, &cause, &trace);
  if (type && !PyErr_GivenExceptionMatches(type, PyExc_Exception)) {
    PyErr_Restore(type, cause, trace);
    return false;
  }
  PyObject *found = PyObject_CallFunctionObjArgs(describeArray, object,
                                                 cause ? cause : Py_None, NULL);
  Py_XDECREF(type);
  Py_XDECREF(cause);
  Py_XDECREF(trace);
  if (!found)
    return failFrom(f, i);
  if (found == Py_None) {
    Py_DECREF(found);
    return failType(f, i, "tensor", object);
  }
  unsigned long long address;
  unsigned char code, bits;
  int isReadOnly, deviceType, deviceId;
  PyObject *shape, *strides, *owner;
  int rank = -1;
  if (PyArg_ParseTuple(found, "KbbOOpiiO", &address, &code, &bits, &shape,
                       &strides, &isReadOnly, &deviceType, &deviceId, &owner))
    rank = readTuple(shape, tensor->shape);
  if (rank >= 0 && strides != Py_None &&
      readTuple(strides, tensor->strides) != rank)
    rank = -1;
  // The tuple's last item owns the memory.
  tensor->owner = found;
  if (rank < 0)
    return failFrom(f, i);
  *readOnly = isReadOnly;
  tensor->dl =
      (TileRtDLTensor){.data = (void *)(uintptr_t)address,
                       .device = {deviceType, deviceId},
                       .ndim = rank,
                       .dtype = {code, bits, 1},
                       .shape = tensor->shape,
                       .strides = strides == Py_None ? NULL : tensor->strides};
  return true;
}

/// Copies the extents, which another thread may change when the lock is given
/// up.
static void keepExtents(Tensor *tensor) {
  TileRtDLTensor *dl = &tensor->dl;
  if (dl->ndim <= 0 || dl->ndim > TILE_RT_MAX_RANK || !dl->shape)
    return;
  size_t bytes = (size_t)dl->ndim * sizeof(*dl->shape);
  dl->shape = memmove(tensor->shape, dl->shape, bytes);
  if (dl->strides)
    dl->strides = memmove(tensor->strides, dl->strides, bytes);
}

static bool readTensor(const Function *f, Py_ssize_t i, PyObject *object,
                       const CallStream *stream, Tensor *tensor) {
  bool readOnly = false;
  if (!exchangeTensor(object, stream, &tensor->dl)) {
    PyObject *capsule = getCapsule(object, stream);
    if (capsule) {
      tensor->owner = capsule;
      if (!readCapsule(capsule, &tensor->dl, &readOnly))
        return failFrom(f, i);
    } else if (!describe(f, i, object, tensor, &readOnly)) {
      return false;
    }
  }
  keepExtents(tensor);
  if (readOnly && f->parameters[i].written)
    return failArgument(
        f, i, "expected memory that may be written, got a read-only array");
  if (f->isModel && tensor->dl.device.device_type != TILE_RT_DL_CPU)
    return failArgument(f, i, "expected memory of the CPU for a model");
  if (f->isModel)
    tensor->dl.device = f->device;
  // Integers of kernels have no sign: it is the ops that have.
  TileRtDType dtype = f->parameters[i].dtype;
  if (tensor->dl.dtype.code == TILE_RT_DL_UINT &&
      tile_rt_dtype_is_signed_integer(dtype))
    tensor->dl.dtype.code = TILE_RT_DL_INT;
  return true;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static bool launchKernels(Function *f, const TileRtArgument *arguments,
                          TileRtStream stream, TileRtError *error) {
  bool good = true;
  if (f->kernelCount > 1)
    pthread_mutex_lock(&sequences);
  for (Py_ssize_t k = 0; good && k < f->kernelCount; ++k)
    good = tile_rt_launch(f->kernels[k], arguments, (int32_t)f->parameterCount,
                          stream, error);
  if (f->kernelCount > 1)
    pthread_mutex_unlock(&sequences);
  return good;
}

static bool launchStaged(Function *f, const TileRtArgument *arguments,
                         Tensor *tensors, TileRtError *error) {
  size_t room = (size_t)f->parameterCount + 1, count = 0;
  StagedTensor *staged = calloc(room, sizeof(*staged));
  StagedRange *ranges = calloc(room, sizeof(*ranges));
  if (!staged || !ranges) {
    free(staged);
    free(ranges);
    return tile_rt_fail(error, "out of memory");
  }
  for (Py_ssize_t i = 0; i < f->parameterCount; ++i)
    if (!f->parameters[i].scalar)
      staged[count++] =
          (StagedTensor){&tensors[i].dl, f->parameters[i].written, room};
  bool good = stageTensors(f->staging, staged, count, ranges, error) &&
              launchKernels(f, arguments, NULL, error);
  good = unstageTensors(f->staging, staged, count, ranges, good, error);
  free(staged);
  free(ranges);
  return good;
}

static PyObject *launch(Function *f, const TileRtArgument *arguments,
                        Tensor *tensors, TileRtStream stream) {
  TileRtError error;
  bool good;
  Py_BEGIN_ALLOW_THREADS;
  good = f->staging ? launchStaged(f, arguments, tensors, &error)
                    : launchKernels(f, arguments, stream, &error);
  Py_END_ALLOW_THREADS;
  if (good)
    Py_RETURN_NONE;
  PyErr_SetString(callError, error.message);
  return NULL;
}

static bool isGPU(const Function *f) {
  return !f->isModel && f->device.device_type != TILE_RT_DL_CPU;
}

/// The stream of a call: the one that is given, or else the current one of the
/// library that has made an argument.
static bool readStream(const Function *f, PyObject *given,
                       PyObject *const *objects, CallStream *stream) {
  bool isGiven = given && given != Py_None;
  stream->isGPU = isGPU(f);
  if (!stream->isGPU && !isGiven)
    return true;
  stream->device = f->device;
  for (Py_ssize_t i = 0; !isGiven && i < f->parameterCount; ++i)
    if (!f->parameters[i].scalar && findCurrentStream(objects[i], stream))
      return true;
  PyObject *number = PyObject_CallFunction(
      findStream, "OiiO", isGiven ? given : Py_None,
      stream->isGPU ? (int)f->device.device_type : TILE_RT_DL_CPU,
      (int)f->device.device_id, f->name);
  if (!number)
    return false;
  stream->stream = PyLong_AsVoidPtr(number);
  Py_DECREF(number);
  return !PyErr_Occurred();
}

static bool failCall(const Function *f, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  PyObject *message = PyUnicode_FromFormatV(format, arguments);
  va_end(arguments);
  if (message)
    PyErr_Format(callError, "@%U: %U", f->name, message);
  Py_XDECREF(message);
  return false;
}

/// Puts arguments with names into their places; the references are borrowed.
static bool placeNamed(const Function *f, PyObject *named, PyObject **objects,
                       PyObject **stream) {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (PyDict_Next(named, &at, &key, &value)) {
    if (PyUnicode_Compare(key, streamName) == 0) {
      *stream = value;
      continue;
    }
    Py_ssize_t i = 0;
    while (i < f->parameterCount &&
           (!*f->parameters[i].name ||
            PyUnicode_CompareWithASCIIString(key, f->parameters[i].name) != 0))
      ++i;
    if (i == f->parameterCount)
      return failCall(f, "there is no argument '%U'", key);
    if (objects[i])
      return failCall(f, "argument %zd (%U) is given twice", i, key);
    objects[i] = value;
  }
  return true;
}

static bool placeArguments(const Function *f, PyObject *given, PyObject *named,
                           PyObject **objects, PyObject **stream) {
  Py_ssize_t count = PyTuple_Size(given);
  bool fits = count <= f->parameterCount;
  for (Py_ssize_t i = 0; fits && i < count; ++i)
    objects[i] = PyTuple_GetItem(given, i);
  if (fits && named && !placeNamed(f, named, objects, stream))
    return false;
  Py_ssize_t got = fits ? 0 : count;
  for (Py_ssize_t i = 0; fits && i < f->parameterCount; ++i)
    got += objects[i] != NULL;
  return got == f->parameterCount ||
         failCall(f, "expected %zd arguments, got %zd", f->parameterCount, got);
}

static PyObject *passArguments(Function *f, PyObject **objects,
                               PyObject *givenStream, TileRtArgument *arguments,
                               Tensor *tensors) {
  CallStream stream = {0};
  bool good = readStream(f, givenStream, objects, &stream);
  for (Py_ssize_t i = 0; good && i < f->parameterCount; ++i) {
    if (f->parameters[i].scalar) {
      good = readScalar(f, i, objects[i], &arguments[i]);
      continue;
    }
    good = readTensor(f, i, objects[i], &stream, &tensors[i]);
    arguments[i] = tile_rt_argument_tensor(&tensors[i].dl);
  }
  return good ? launch(f, arguments, tensors, stream.stream) : NULL;
}

static PyObject *callFunction(PyObject *self, PyObject *given,
                              PyObject *named) {
  Function *f = (Function *)self;
  size_t count = (size_t)f->parameterCount;
  struct {
    PyObject *objects[kFew];
    TileRtArgument arguments[kFew];
    Tensor tensors[kFew];
  } few;
  PyObject **objects = few.objects;
  TileRtArgument *arguments = few.arguments;
  Tensor *tensors = few.tensors;
  void *many = NULL;
  if (count > kFew) {
    many = malloc(count *
                  (sizeof(*objects) + sizeof(*arguments) + sizeof(*tensors)));
    if (!many)
      return PyErr_NoMemory();
    tensors = many;
    arguments = (TileRtArgument *)(tensors + count);
    objects = (PyObject **)(arguments + count);
  }
  PyObject *stream = NULL, *result = NULL;
  for (size_t i = 0; i < count; ++i) {
    objects[i] = NULL;
    tensors[i].owner = NULL;
  }
  if (placeArguments(f, given, named, objects, &stream))
    result = passArguments(f, objects, stream, arguments, tensors);
  // What owns memory may be written in Python, and wants no exception.
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  for (size_t i = 0; i < count; ++i)
    Py_XDECREF(tensors[i].owner);
  PyErr_Restore(type, value, trace);
  free(many);
  return result;
}

//===----------------------------------------------------------------------===//
// The type
//===----------------------------------------------------------------------===//

static void destroyFunction(PyObject *self) {
  Function *f = (Function *)self;
  for (Py_ssize_t i = 0; f->parameters && i < f->parameterCount; ++i)
    free(f->parameters[i].name);
  free(f->parameters);
  free(f->kernels);
  Py_XDECREF(f->name);
  Py_XDECREF(f->program);
  PyTypeObject *type = Py_TYPE(self);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}

/// (name, is a scalar, type, is written)
static bool readParameter(PyObject *item, Parameter *parameter) {
  const char *name, *dtype;
  int scalar, written;
  if (!PyArg_ParseTuple(item, "spsp", &name, &scalar, &dtype, &written))
    return false;
  *parameter = (Parameter){strdup(name), scalar, written,
                           tile_rt_dtype_from_name(dtype)};
  if (parameter->name)
    return true;
  PyErr_NoMemory();
  return false;
}

/// Function(name, program, kernels, parameters, device, is a model, staging)
static PyObject *createFunction(PyTypeObject *type, PyObject *given,
                                PyObject *named) {
  PyObject *name, *program, *kernels, *parameters;
  unsigned long long address;
  int isModel, isStaging;
  if (named && PyDict_Size(named)) {
    PyErr_SetString(PyExc_TypeError, "expected no named arguments");
    return NULL;
  }
  if (!PyArg_ParseTuple(given, "UOO!O!Kpp", &name, &program, &PyTuple_Type,
                        &kernels, &PyTuple_Type, &parameters, &address,
                        &isModel, &isStaging))
    return NULL;
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  Function *f = (Function *)allocate(type, 0);
  if (!f)
    return NULL;
  Py_INCREF(name);
  Py_INCREF(program);
  f->name = name;
  f->program = program;
  TileRtDevice *device = (TileRtDevice *)(uintptr_t)address;
  f->device = device->id;
  f->isModel = isModel;
  f->staging = isStaging ? device : NULL;
  Py_ssize_t kernelCount = PyTuple_Size(kernels);
  Py_ssize_t count = PyTuple_Size(parameters);
  f->kernels = calloc((size_t)kernelCount + 1, sizeof(*f->kernels));
  f->parameters = calloc((size_t)count + 1, sizeof(*f->parameters));
  bool good = f->kernels && f->parameters;
  if (!good)
    PyErr_NoMemory();
  for (Py_ssize_t k = 0; good && k < kernelCount; ++k) {
    f->kernels[f->kernelCount++] =
        PyLong_AsVoidPtr(PyTuple_GetItem(kernels, k));
    good = !PyErr_Occurred();
  }
  for (Py_ssize_t i = 0; good && i < count; ++i)
    good = readParameter(PyTuple_GetItem(parameters, i),
                         &f->parameters[f->parameterCount++]);
  if (good)
    return (PyObject *)f;
  Py_DECREF(f);
  return NULL;
}

static PyObject *getName(PyObject *self, void *data) {
  (void)data;
  PyObject *name = ((Function *)self)->name;
  Py_INCREF(name);
  return name;
}

static PyObject *getArguments(PyObject *self, void *data) {
  (void)data;
  const Function *f = (const Function *)self;
  PyObject *tuple = PyTuple_New(f->parameterCount);
  for (Py_ssize_t i = 0; tuple && i < f->parameterCount; ++i) {
    PyObject *name = PyUnicode_FromString(f->parameters[i].name);
    if (!name || PyTuple_SetItem(tuple, i, name) < 0)
      Py_CLEAR(tuple);
  }
  return tuple;
}

static PyObject *formatFunction(PyObject *self) {
  const Function *f = (const Function *)self;
  return PyUnicode_FromFormat("<tile function @%U of %zd arguments>", f->name,
                              f->parameterCount);
}

static PyGetSetDef attributes[] = {
    {"__name__", getName, NULL, "The function's name.", NULL},
    {"arguments", getArguments, NULL, "The names of the arguments.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot members[] = {
    {Py_tp_doc, "A compiled function: call it with arrays and numbers, and "
                "with stream=... on a GPU."},
    {Py_tp_new, (void *)createFunction},
    {Py_tp_dealloc, (void *)destroyFunction},
    {Py_tp_call, (void *)callFunction},
    {Py_tp_repr, (void *)formatFunction},
    {Py_tp_getset, attributes},
    {0, NULL}};

static PyType_Spec specification = {.name = "tile._launch.Function",
                                    .basicsize = sizeof(Function),
                                    .flags = Py_TPFLAGS_DEFAULT,
                                    .slots = members};

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static void replace(PyObject **place, PyObject *object) {
  PyObject *old = *place;
  Py_INCREF(object);
  *place = object;
  Py_XDECREF(old);
}

static PyObject *setUp(PyObject *self, PyObject *given) {
  (void)self;
  PyObject *describe, *stream, *error;
  if (!PyArg_ParseTuple(given, "OOO", &describe, &stream, &error))
    return NULL;
  replace(&describeArray, describe);
  replace(&findStream, stream);
  replace(&callError, error);
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"set_up", setUp, METH_VARARGS,
     "Gives the functions that describe arrays and find streams, and the class "
     "of errors."},
    {"inspect", inspectArray, METH_O,
     "Describes an array by its __dlpack__, as describe of the package does."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        .m_name = "tile._launch", .m_size = -1,
                                        .m_methods = methods};

PyMODINIT_FUNC PyInit__launch(void);

PyMODINIT_FUNC PyInit__launch(void) {
  streamName = PyUnicode_InternFromString("stream");
  PyObject *module = PyModule_Create(&definition);
  PyObject *type = PyType_FromSpec(&specification);
  if (module && type && streamName && setUpDLPack() &&
      PyModule_AddObject(module, "Function", type) == 0)
    return module;
  Py_XDECREF(module);
  Py_XDECREF(type);
  return NULL;
}
