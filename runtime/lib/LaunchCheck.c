// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaunchCheck.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct Check {
  const TileRtMetadata *metadata;
  const TileRtDevice *device;
  const TileRtArgument *arguments;
  int64_t *symbols;
  TileRtError *error;
} Check;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

char *tile_rt_format_argument(const TileRtMetadata *metadata, int32_t argument,
                              char *buffer, size_t size) {
  const char *name = metadata->arguments[argument].name;
  if (*name)
    snprintf(buffer, size, "argument %d (%s)", argument, name);
  else
    snprintf(buffer, size, "argument %d", argument);
  return buffer;
}

/// "@kernel: argument 0 (A): ...".
__attribute__((format(printf, 3, 4))) static bool
failArgument(const Check *c, int32_t argument, const char *format, ...) {
  char who[128], message[640];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  return tile_rt_fail(
      c->error, "@%s: %s: %s", c->metadata->kernel,
      tile_rt_format_argument(c->metadata, argument, who, sizeof(who)),
      message);
}

/// Describes where a symbol's value comes from.
static char *formatSource(const Check *c, const TileRtSymbolInfo *symbol,
                          char *buffer, size_t size) {
  char who[128];
  if (symbol->kind == TILE_RT_SYMBOL_VALUE)
    snprintf(buffer, size, "symbol %s, \"%s\"", symbol->name,
             symbol->value.text);
  else if (symbol->kind == TILE_RT_SYMBOL_MULTIPROCESSORS)
    snprintf(buffer, size, "symbol %s, the multiprocessors of the device",
             symbol->name);
  else {
    tile_rt_format_argument(c->metadata, symbol->argument, who, sizeof(who));
    if (symbol->kind == TILE_RT_SYMBOL_SCALAR)
      snprintf(buffer, size, "%s", who);
    else
      snprintf(buffer, size, "%s: %s %d", who,
               symbol->kind == TILE_RT_SYMBOL_SIZE ? "dimension"
                                                   : "stride of dimension",
               symbol->dim);
  }
  return buffer;
}

/// Describes what a number should have been: "64", "128 (\"M 2 *\")", and for
/// a symbol also the second place, "M = 64 (argument 0 (A): dimension 0)".
static char *formatExpected(const Check *c, const TileRtExpr *expr,
                            int64_t value, char *buffer, size_t size) {
  if (expr->count > 1) {
    snprintf(buffer, size, "%" PRId64 " (\"%s\")", value, expr->text);
  } else if (expr->items[0].op == TILE_RT_OP_SYMBOL) {
    const TileRtSymbolInfo *symbol =
        &c->metadata->symbols[expr->items[0].value];
    char source[256];
    snprintf(buffer, size, "%s = %" PRId64 " (%s)", symbol->name, value,
             formatSource(c, symbol, source, sizeof(source)));
  } else {
    snprintf(buffer, size, "%" PRId64, value);
  }
  return buffer;
}

static char *formatList(const int64_t *numbers, int32_t count, char *buffer,
                        size_t size) {
  size_t at = 0;
  buffer[0] = 0;
  for (int32_t i = 0; i < count && at < size; ++i)
    at += (size_t)snprintf(buffer + at, size - at, "%s%" PRId64, i ? ", " : "",
                           numbers[i]);
  return buffer;
}

//===----------------------------------------------------------------------===//
// One argument
//===----------------------------------------------------------------------===//

void tile_rt_tensor_strides(const TileRtDLTensor *tensor, int64_t *strides) {
  int32_t rank =
      tensor->ndim < TILE_RT_MAX_RANK ? tensor->ndim : TILE_RT_MAX_RANK;
  uint64_t stride = 1;
  for (int32_t d = rank - 1; d >= 0; --d) {
    strides[d] = tensor->strides ? tensor->strides[d] : (int64_t)stride;
    // An empty dimension must not make the strides of the rest zero.
    stride *= (uint64_t)(tensor->shape[d] > 1 ? tensor->shape[d] : 1);
  }
}

static bool isEmpty(const TileRtDLTensor *tensor) {
  for (int32_t d = 0; d < tensor->ndim; ++d)
    if (tensor->shape[d] == 0)
      return true;
  return false;
}

static bool isOnDevice(const Check *c, TileRtDLDevice id) {
  TileRtDLDevice own = c->device->id;
  if (id.device_type == own.device_type)
    return id.device_id == own.device_id;
  // Managed memory may be used by any device, pinned memory by the CPU.
  return (own.device_type == TILE_RT_DL_CUDA &&
          id.device_type == TILE_RT_DL_CUDA_MANAGED) ||
         (own.device_type == TILE_RT_DL_CPU &&
          (id.device_type == TILE_RT_DL_CUDA_HOST ||
           id.device_type == TILE_RT_DL_ROCM_HOST));
}

static bool checkScalar(const Check *c, int32_t i) {
  TileRtDType expected = c->metadata->arguments[i].dtype;
  const TileRtArgument *got = &c->arguments[i];
  if (got->tensor)
    return failArgument(c, i, "expected a scalar of %s, got a tensor",
                        tile_rt_dtype_name(expected));
  return got->dtype == expected ||
         failArgument(c, i, "expected a scalar of %s, got one of %s",
                      tile_rt_dtype_name(expected),
                      tile_rt_dtype_name(got->dtype));
}

/// Whether all elements have addresses, which are numbers of 64 bits.
static bool reaches(const TileRtDLTensor *tensor, uint64_t address) {
  int64_t strides[TILE_RT_MAX_RANK], bytes = (tensor->dtype.bits + 7) / 8;
  uint64_t low = address, high = address;
  bool bad = __builtin_add_overflow(high, (uint64_t)bytes, &high);
  tile_rt_tensor_strides(tensor, strides);
  for (int32_t d = 0; d < tensor->ndim; ++d) {
    int64_t reach = 0;
    bad |= __builtin_mul_overflow(tensor->shape[d] - 1, strides[d], &reach) ||
           __builtin_mul_overflow(reach, bytes, &reach);
    bad |= reach < 0
               ? __builtin_sub_overflow(low, 0 - (uint64_t)reach, &low)
               : __builtin_add_overflow(high, (uint64_t)reach, &high);
  }
  return !bad;
}

static bool checkMemory(const Check *c, int32_t i,
                        const TileRtDLTensor *tensor) {
  const TileRtArgumentInfo *info = &c->metadata->arguments[i];
  char expected[32], got[32];
  if (!isOnDevice(c, tensor->device))
    return failArgument(
        c, i, "expected memory of device %s, got %s",
        tile_rt_format_device(c->device->id, expected, sizeof(expected)),
        tile_rt_format_device(tensor->device, got, sizeof(got)));
  if (isEmpty(tensor))
    return true;
  if (!tensor->data)
    return failArgument(c, i, "expected the address of memory, got null");
  uint64_t address = 0;
  if (__builtin_add_overflow((uint64_t)(uintptr_t)tensor->data,
                             tensor->byte_offset, &address) ||
      !reaches(tensor, address))
    return failArgument(c, i,
                        "expected addresses of 64 bits, got 0x%" PRIx64
                        " and a byte offset of %" PRIu64
                        ", from where the strides lead beyond",
                        (uint64_t)(uintptr_t)tensor->data, tensor->byte_offset);
  if (address % (uint64_t)info->align == 0)
    return true;
  return failArgument(c, i,
                      "expected an address aligned to %" PRId64
                      " bytes, got 0x%" PRIx64 ", aligned to %" PRIu64,
                      info->align, address, address & (0 - address));
}

/// Checks all but what symbols say.
static bool checkTensor(const Check *c, int32_t i) {
  const TileRtArgumentInfo *info = &c->metadata->arguments[i];
  const TileRtDLTensor *tensor = c->arguments[i].tensor;
  const char *name = tile_rt_dtype_name(info->dtype);
  if (!tensor)
    return c->arguments[i].dtype == TILE_RT_NONE
               ? failArgument(c, i, "expected a tensor of %s, got null", name)
               : failArgument(c, i,
                              "expected a tensor of %s, got a scalar of %s",
                              name, tile_rt_dtype_name(c->arguments[i].dtype));
  TileRtDType dtype = tile_rt_dtype_from_dlpack(tensor->dtype);
  if (dtype == TILE_RT_NONE)
    return failArgument(
        c, i, "expected elements of %s, got code %d, %d bits, %d lanes", name,
        tensor->dtype.code, tensor->dtype.bits, tensor->dtype.lanes);
  if (dtype != info->dtype)
    return failArgument(c, i, "expected elements of %s, got %s", name,
                        tile_rt_dtype_name(dtype));
  if (tensor->ndim != info->rank)
    return failArgument(c, i, "expected a rank of %d, got %d", info->rank,
                        tensor->ndim);
  if (info->rank && !tensor->shape)
    return failArgument(c, i, "expected a shape, got null");
  // So that no product of sizes overflows.
  int64_t bytes = 8;
  for (int32_t d = 0; d < info->rank; ++d) {
    int64_t size = tensor->shape[d];
    if (size < 0 || (size && __builtin_mul_overflow(bytes, size, &bytes)))
      return failArgument(c, i,
                          "dimension %d: expected a size of at least 0 that "
                          "memory can hold, got %" PRId64,
                          d, size);
  }
  return checkMemory(c, i, tensor);
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// A stride that is never used may be anything, so it is made valid.
static int64_t strideSymbol(const TileRtSymbolInfo *symbol,
                            const TileRtDLTensor *tensor) {
  TileRtDLTensor described = *tensor;
  int64_t strides[TILE_RT_MAX_RANK];
  bool unused = tensor->shape[symbol->dim] <= 1 || isEmpty(tensor);
  if (unused)
    described.strides = NULL;
  tile_rt_tensor_strides(&described, strides);
  int64_t stride = strides[symbol->dim], over = stride % symbol->multiple;
  return unused && over ? stride + (symbol->multiple - over) : stride;
}

static bool symbolValue(const Check *c, const TileRtSymbolInfo *symbol,
                        int64_t *out) {
  const TileRtArgument *argument = &c->arguments[symbol->argument];
  char what[320];
  switch (symbol->kind) {
  case TILE_RT_SYMBOL_SIZE:
    *out = argument->tensor->shape[symbol->dim];
    return true;
  case TILE_RT_SYMBOL_STRIDE:
    *out = strideSymbol(symbol, argument->tensor);
    return true;
  case TILE_RT_SYMBOL_SCALAR:
    *out = tile_rt_decode_int(argument->dtype, argument->bits);
    return true;
  case TILE_RT_SYMBOL_MULTIPROCESSORS:
    *out = c->device->multiprocessors;
    return true;
  default:
    if (tile_rt_expr_evaluate(&symbol->value, c->symbols, "", out, NULL))
      return true;
    snprintf(what, sizeof(what), "@%s: symbol %s", c->metadata->kernel,
             symbol->name);
    return tile_rt_expr_evaluate(&symbol->value, c->symbols, what, out,
                                 c->error);
  }
}

static bool failSymbol(const Check *c, const TileRtSymbolInfo *symbol,
                       const char *relation, int64_t limit, int64_t value) {
  char source[320];
  return tile_rt_fail(
      c->error, "@%s: %s: expected %s %s %" PRId64 ", got %" PRId64,
      c->metadata->kernel, formatSource(c, symbol, source, sizeof(source)),
      symbol->name, relation, limit, value);
}

static bool bindSymbols(const Check *c) {
  for (int32_t s = 0; s < c->metadata->symbolCount; ++s) {
    const TileRtSymbolInfo *symbol = &c->metadata->symbols[s];
    int64_t value = 0;
    if (!symbolValue(c, symbol, &value))
      return false;
    c->symbols[s] = value;
    if (value % symbol->multiple)
      return failSymbol(c, symbol, "to be a multiple of", symbol->multiple,
                        value);
    if (value < symbol->min)
      return failSymbol(c, symbol, "to be at least", symbol->min, value);
    if (value > symbol->max)
      return failSymbol(c, symbol, "to be at most", symbol->max, value);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Checks one number against an expression that may admit any.
static bool checkNumber(const Check *c, int32_t i, const char *what, int32_t d,
                        const TileRtExpr *expr, int64_t got) {
  char where[192], who[128], expected[512];
  int64_t value = 0;
  // Texts are made only for errors.
  if (!expr->count ||
      (tile_rt_expr_evaluate(expr, c->symbols, "", &value, NULL) &&
       value == got))
    return true;
  snprintf(where, sizeof(where), "@%s: %s: %s %d", c->metadata->kernel,
           tile_rt_format_argument(c->metadata, i, who, sizeof(who)), what, d);
  if (!tile_rt_expr_evaluate(expr, c->symbols, where, &value, c->error))
    return false;
  return tile_rt_fail(
      c->error, "%s: expected %s, got %" PRId64, where,
      formatExpected(c, expr, value, expected, sizeof(expected)), got);
}

static bool checkDense(const Check *c, int32_t i, const TileRtDLTensor *tensor,
                       const int64_t *strides) {
  TileRtDLTensor dense = *tensor;
  int64_t expected[TILE_RT_MAX_RANK];
  dense.strides = NULL;
  tile_rt_tensor_strides(&dense, expected);
  bool good = true;
  for (int32_t d = 0; d < tensor->ndim; ++d)
    good &= tensor->shape[d] == 1 || strides[d] == expected[d];
  char a[384], b[384];
  return good ||
         failArgument(c, i,
                      "expected the strides [%s] of a dense tensor, got [%s]",
                      formatList(expected, tensor->ndim, a, sizeof(a)),
                      formatList(strides, tensor->ndim, b, sizeof(b)));
}

static bool checkShape(const Check *c, int32_t i) {
  const TileRtArgumentInfo *info = &c->metadata->arguments[i];
  const TileRtDLTensor *tensor = c->arguments[i].tensor;
  int64_t strides[TILE_RT_MAX_RANK];
  for (int32_t d = 0; d < info->rank; ++d)
    if (!checkNumber(c, i, "dimension", d, &info->shape[d], tensor->shape[d]))
      return false;
  // The strides of what has no second element are never used.
  if (isEmpty(tensor))
    return true;
  tile_rt_tensor_strides(tensor, strides);
  if (!info->strides)
    return checkDense(c, i, tensor, strides);
  for (int32_t d = 0; d < info->rank; ++d)
    if (tensor->shape[d] != 1 && !checkNumber(c, i, "stride of dimension", d,
                                              &info->strides[d], strides[d]))
      return false;
  return true;
}

bool tile_rt_check_arguments(const TileRtMetadata *metadata,
                             const TileRtDevice *device,
                             const TileRtArgument *arguments, int32_t count,
                             int64_t *symbols, TileRtError *error) {
  const Check c = {metadata, device, arguments, symbols, error};
  if (count != metadata->argumentCount)
    return tile_rt_fail(error, "@%s: expected %d arguments, got %d",
                        metadata->kernel, metadata->argumentCount, count);
  for (int32_t i = 0; i < count; ++i)
    if (metadata->arguments[i].scalar ? !checkScalar(&c, i)
                                      : !checkTensor(&c, i))
      return false;
  if (!bindSymbols(&c))
    return false;
  for (int32_t i = 0; i < count; ++i)
    if (!metadata->arguments[i].scalar && !checkShape(&c, i))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

static bool conditionsHold(const TileRtMetadata *version,
                           const TileRtArgument *arguments) {
  for (int32_t i = 0; i < version->conditionCount; ++i) {
    const TileRtConditionInfo *c = &version->conditions[i];
    const TileRtDLTensor *t = arguments[c->argument].tensor;
    int64_t number = 0;
    if (c->kind == TILE_RT_CONDITION_ADDRESS) {
      uint64_t address = (uint64_t)(uintptr_t)t->data + t->byte_offset;
      if (address % (uint64_t)c->multiple != 0)
        return false;
      continue;
    }
    if (c->kind == TILE_RT_CONDITION_SIZE) {
      number = t->shape[c->dim];
    } else {
      int64_t strides[TILE_RT_MAX_RANK];
      tile_rt_tensor_strides(t, strides);
      number = strides[c->dim];
    }
    if (number < c->min || number % c->multiple != 0)
      return false;
  }
  return true;
}

const TileRtMetadata *tile_rt_choose_version(const TileRtMetadata *metadata,
                                             const TileRtDevice *device,
                                             const TileRtArgument *arguments,
                                             int64_t *symbols,
                                             TileRtError *error) {
  for (int32_t i = 0; i < metadata->versionCount; ++i) {
    const TileRtMetadata *version = &metadata->versions[i];
    if (!conditionsHold(version, arguments))
      continue;
    const Check c = {version, device, arguments, symbols, error};
    return bindSymbols(&c) ? version : NULL;
  }
  return metadata;
}
