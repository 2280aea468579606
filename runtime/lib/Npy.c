// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "TileRuntime/Npy.h"

#include "NpyHeader.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Longer headers do not come from NumPy.
enum { kMaxHeader = 1 << 20, kPrefix = 10 };

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

// The name of a type in a file, without the byte order.
static const char *const codes[TILE_RT_DTYPE_COUNT] = {
    [TILE_RT_I1] = "b1",         [TILE_RT_I4] = "V1",
    [TILE_RT_I8] = "i1",         [TILE_RT_I16] = "i2",
    [TILE_RT_I32] = "i4",        [TILE_RT_I64] = "i8",
    [TILE_RT_U8] = "u1",         [TILE_RT_U16] = "u2",
    [TILE_RT_U32] = "u4",        [TILE_RT_U64] = "u8",
    [TILE_RT_F16] = "f2",        [TILE_RT_BF16] = "V2",
    [TILE_RT_F32] = "f4",        [TILE_RT_F64] = "f8",
    [TILE_RT_F8E4M3FN] = "V1",   [TILE_RT_F8E5M2] = "V1",
    [TILE_RT_F8E4M3FNUZ] = "V1", [TILE_RT_F8E5M2FNUZ] = "V1",
    [TILE_RT_F8E8M0FNU] = "V1",  [TILE_RT_F4E2M1FN] = "V1",
};

static bool isPacked(TileRtDType dtype) {
  return tile_rt_dtype_bits(dtype) < 8;
}

/// What messages call a file: the end of a long path, so that there is room for
/// what went wrong.
static const char *shortName(const char *path, char buffer[304]) {
  size_t length = strlen(path);
  if (length <= 300)
    return path;
  snprintf(buffer, 304, "...%s", path + length - 300);
  return buffer;
}

/// The system's message for errno, lower case.
static bool failSystem(TileRtError *error, const char *path,
                       const char *expected, int number) {
  char text[128];
  snprintf(text, sizeof(text), "%s", strerror(number));
  text[0] = (char)tolower((unsigned char)text[0]);
  return tile_rt_fail(error, "%s: expected %s, got '%s'", path, expected, text);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reads the magic, the version and the header text, which the caller frees.
static bool readHeaderText(FILE *file, const char *path, char **text,
                           size_t *size, TileRtError *error) {
  unsigned char prefix[12];
  size_t got = fread(prefix, 1, 8, file);
  if (got < 8)
    return tile_rt_fail(error, "%s: expected a .npy file, got %zu bytes", path,
                        got);
  if (memcmp(prefix, magic, sizeof(magic)) != 0)
    return tile_rt_fail(
        error,
        "%s: expected the magic \"\\x93NUMPY\", got bytes %02x %02x %02x %02x "
        "%02x %02x",
        path, prefix[0], prefix[1], prefix[2], prefix[3], prefix[4], prefix[5]);
  int major = prefix[6], minor = prefix[7];
  if (major < 1 || major > 3 || minor != 0)
    return tile_rt_fail(
        error, "%s: expected format version 1.0, 2.0 or 3.0, got %d.%d", path,
        major, minor);
  size_t lengthBytes = major == 1 ? 2 : 4;
  got = fread(prefix + 8, 1, lengthBytes, file);
  if (got < lengthBytes)
    return tile_rt_fail(error,
                        "%s: expected %zu bytes of header length, got %zu",
                        path, lengthBytes, got);
  *size = 0;
  for (size_t i = lengthBytes; i-- > 0;)
    *size = *size << 8 | prefix[8 + i];
  if (*size > kMaxHeader)
    return tile_rt_fail(error,
                        "%s: expected a header of at most %d bytes, got %zu",
                        path, kMaxHeader, *size);
  *text = malloc(*size + 1);
  if (!*text)
    return tile_rt_fail(error, "%s: expected %zu bytes of memory, got none",
                        path, *size);
  got = fread(*text, 1, *size, file);
  if (got == *size)
    return true;
  free(*text);
  return tile_rt_fail(error, "%s: expected %zu bytes of header, got %zu", path,
                      *size, got);
}

/// Finds the element type that `descr` names or `expected` gives it.
static bool chooseType(const char *path, const char *descr,
                       TileRtDType expected, TileRtDType *dtype,
                       TileRtError *error) {
  const char *code = descr;
  if (*code && strchr("<>|=", *code))
    ++code;
  TileRtDType named = TILE_RT_NONE;
  for (int i = TILE_RT_NONE + 1; i < TILE_RT_DTYPE_COUNT; ++i)
    if (codes[i][0] != 'V' && strcmp(codes[i], code) == 0)
      named = (TileRtDType)i;
  *dtype = expected;
  if (expected == TILE_RT_NONE) {
    *dtype = named;
    if (named)
      return true;
    if (*code == 'V')
      return tile_rt_fail(
          error,
          "%s: expected an element type for the raw data, got '%s' alone", path,
          descr);
    return tile_rt_fail(
        error,
        "%s: expected an element type b1, i1-i8, u1-u8 or f2-f8, got '%s'",
        path, descr);
  }
  if (named == expected)
    return true;
  const char *want = codes[expected];
  if (want[0] == 'V' && (code[0] == 'V' || code[0] == 'u') &&
      strcmp(want + 1, code + 1) == 0)
    return true;
  if (named)
    return tile_rt_fail(error, "%s: expected %s, got %s ('%s')", path,
                        tile_rt_dtype_name(expected), tile_rt_dtype_name(named),
                        descr);
  return tile_rt_fail(error, "%s: expected %s, got '%s'", path,
                      tile_rt_dtype_name(expected), descr);
}

static bool makeTensor(const char *path, const NpyHeader *header,
                       TileRtDType dtype, TileRtTensor *tensor,
                       TileRtError *error) {
  int64_t shape[TILE_RT_MAX_RANK];
  memcpy(shape, header->shape, sizeof(shape));
  int32_t rank = header->rank;
  if (isPacked(dtype)) {
    if (rank == 0 || (header->fortranOrder && rank > 1))
      return tile_rt_fail(error, "%s: expected rows of packed %s, got %s", path,
                          tile_rt_dtype_name(dtype),
                          rank ? "fortran order" : "rank 0");
    if (shape[rank - 1] > INT64_MAX / 2)
      return tile_rt_fail(error,
                          "%s: expected a row that fits in memory, got %lld "
                          "bytes",
                          path, (long long)shape[rank - 1]);
    shape[rank - 1] *= 2;
  }
  TileRtError inner;
  if (!tile_rt_tensor_alloc(tensor, dtype, rank, shape, 0, &inner))
    return tile_rt_fail(error, "%s: %.700s", path, inner.message);
  if (header->fortranOrder) {
    int64_t stride = 1;
    for (int32_t d = 0; d < rank; ++d) {
      tensor->strides[d] = stride;
      stride *= shape[d] ? shape[d] : 1;
    }
  }
  return true;
}

static void swapBytes(char *data, size_t bytes, size_t width) {
  for (size_t at = 0; at + width <= bytes; at += width)
    for (size_t i = 0; i < width / 2; ++i) {
      char c = data[at + i];
      data[at + i] = data[at + width - 1 - i];
      data[at + width - 1 - i] = c;
    }
}

/// The bytes from the position of a regular file to its end, or -1.
static int64_t bytesLeft(FILE *file) {
  struct stat info;
  long at = ftell(file);
  if (fstat(fileno(file), &info) || !S_ISREG(info.st_mode) || at < 0)
    return -1;
  return (int64_t)info.st_size - at;
}

/// The number of data bytes that the header promises; false where that is more
/// than 2^62.
static bool promisedBytes(const NpyHeader *header, TileRtDType dtype,
                          int64_t *bytes) {
  *bytes = isPacked(dtype) ? 1 : tile_rt_dtype_bits(dtype) / 8;
  bool tooMany = false;
  for (int32_t d = 0; d < header->rank; ++d) {
    if (header->shape[d] == 0) {
      *bytes = 0;
      return true;
    }
    if (tooMany || *bytes > (INT64_C(1) << 62) / header->shape[d])
      tooMany = true;
    else
      *bytes *= header->shape[d];
  }
  return !tooMany;
}

static bool readBody(FILE *file, const char *path, const NpyHeader *header,
                     TileRtDType expected, TileRtTensor *tensor,
                     TileRtError *error) {
  TileRtDType dtype;
  if (!chooseType(path, header->descr, expected, &dtype, error))
    return false;
  // Before memory is taken: a broken header may promise any amount.
  int64_t promised, left = bytesLeft(file);
  if (promisedBytes(header, dtype, &promised) && left >= 0 && left != promised)
    return tile_rt_fail(error, "%s: expected %lld bytes of data, got %lld",
                        path, (long long)promised, (long long)left);
  if (!makeTensor(path, header, dtype, tensor, error))
    return false;
  size_t bytes = (size_t)tile_rt_tensor_bytes(tensor);
  size_t got = fread(tensor->data, 1, bytes, file);
  if (got != bytes)
    return tile_rt_fail(error, "%s: expected %zu bytes of data, got %zu", path,
                        bytes, got);
  if (fgetc(file) != EOF)
    return tile_rt_fail(error, "%s: expected %zu bytes of data, got more", path,
                        bytes);
  size_t width = (size_t)tile_rt_dtype_bits(dtype) / 8;
  if (header->descr[0] == '>' && width > 1)
    swapBytes(tensor->data, bytes, width);
  return true;
}

bool tile_rt_npy_read(const char *path, TileRtDType expected,
                      TileRtTensor *tensor, TileRtError *error) {
  *tensor = (TileRtTensor){0};
  FILE *file = fopen(path, "rb");
  char buffer[304];
  const char *name = shortName(path, buffer);
  if (!file)
    return failSystem(error, name, "a readable file", errno);
  char *text = NULL;
  size_t size = 0;
  NpyHeader header;
  bool good = readHeaderText(file, name, &text, &size, error);
  if (good) {
    good = tile_rt_npy_parse_header(name, text, size, &header, error) &&
           readBody(file, name, &header, expected, tensor, error);
    free(text);
  }
  fclose(file);
  if (!good)
    tile_rt_tensor_free(tensor);
  return good;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Writes prefix and header as NumPy does: padded with spaces so that the data
/// starts at a multiple of 64 bytes.
static void formatHeader(const TileRtTensor *tensor, bool fortran,
                         char buffer[1024], size_t *size) {
  const char *code = codes[tensor->dtype];
  char order = code[0] == 'V' || code[1] == '1' ? '|' : '<';
  size_t at = kPrefix;
  at += (size_t)snprintf(buffer + at, 1024 - at,
                         "{'descr': '%c%s', 'fortran_order': %s, 'shape': (",
                         order, code, fortran ? "True" : "False");
  for (int32_t d = 0; d < tensor->rank; ++d) {
    int64_t extent = tensor->shape[d];
    if (isPacked(tensor->dtype) && d == tensor->rank - 1)
      extent /= 2;
    const char *separator = d ? ", " : "";
    at += (size_t)snprintf(buffer + at, 1024 - at, "%s%lld", separator,
                           (long long)extent);
  }
  at += (size_t)snprintf(buffer + at, 1024 - at, "%s), }",
                         tensor->rank == 1 ? "," : "");
  while ((at + 1) % 64)
    buffer[at++] = ' ';
  buffer[at++] = '\n';
  memcpy(buffer, magic, sizeof(magic));
  buffer[6] = 1;
  buffer[7] = 0;
  buffer[8] = (char)((at - kPrefix) & 0xFF);
  buffer[9] = (char)((at - kPrefix) >> 8);
  *size = at;
}

/// Opens what is there and no regular file, such as a pipe or /dev/null: it is
/// written to and not replaced. Null with `*is` false where there is none.
static FILE *openSpecial(const char *path, bool *is) {
  struct stat about;
  *is = stat(path, &about) == 0 && !S_ISREG(about.st_mode);
  int fd = *is ? open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC) : -1;
  // A file that has come into its place is not written over.
  if (fd >= 0 && (fstat(fd, &about) != 0 || S_ISREG(about.st_mode))) {
    close(fd);
    fd = -1;
    errno = EEXIST;
  }
  FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
  if (fd >= 0 && !file)
    close(fd);
  return file;
}

/// Creates a file next to `path`; its name is the caller's to free.
static FILE *createTemporary(const char *path, char **name) {
  static atomic_uint counter;
  size_t size = strlen(path) + 48;
  *name = malloc(size);
  if (!*name)
    return NULL;
  int fd;
  do {
    snprintf(*name, size, "%s.%ld.%u.tmp", path, (long)getpid(),
             atomic_fetch_add(&counter, 1));
    fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (fd < 0 && errno == EEXIST);
  FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
  if (fd >= 0 && !file) {
    close(fd);
    unlink(*name);
  }
  return file;
}

/// Writes a dense tensor.
static bool writeDense(const char *path, const TileRtTensor *tensor,
                       bool fortran, TileRtError *error) {
  char header[1024], buffer[304];
  size_t size;
  formatHeader(tensor, fortran, header, &size);
  size_t bytes = (size_t)tile_rt_tensor_bytes(tensor);
  char *name = NULL;
  bool special;
  FILE *file = openSpecial(path, &special);
  if (!special)
    file = createTemporary(path, &name);
  if (!file) {
    int number = errno;
    free(name);
    return failSystem(error, shortName(path, buffer),
                      special ? "a writable file" : "a writable folder",
                      number);
  }
  bool good = fwrite(header, 1, size, file) == size &&
              (bytes == 0 || fwrite(tensor->data, 1, bytes, file) == bytes);
  int number = errno;
  if (fclose(file) && good) {
    good = false;
    number = errno;
  }
  if (good && name && rename(name, path)) {
    good = false;
    number = errno;
  }
  if (!good) {
    if (name)
      unlink(name);
    char expected[64];
    snprintf(expected, sizeof(expected), "to write %zu bytes", size + bytes);
    failSystem(error, shortName(path, buffer), expected, number);
  }
  free(name);
  return good;
}

bool tile_rt_npy_write(const char *path, const TileRtTensor *tensor,
                       TileRtError *error) {
  char buffer[304];
  const char *name = shortName(path, buffer);
  if (tensor->dtype == TILE_RT_NONE)
    return tile_rt_fail(error, "%s: expected a tensor, got an empty one", name);
  if (isPacked(tensor->dtype) &&
      (tensor->rank == 0 || tensor->shape[tensor->rank - 1] % 2)) {
    char type[256];
    return tile_rt_fail(error, "%s: expected an even last dimension, got %s",
                        name,
                        tile_rt_format_type(tensor->dtype, tensor->rank,
                                            tensor->shape, type, sizeof(type)));
  }
  if (tile_rt_tensor_is_row_major(tensor))
    return writeDense(path, tensor, false, error);
  if (tile_rt_tensor_is_column_major(tensor) && !isPacked(tensor->dtype))
    return writeDense(path, tensor, true, error);
  TileRtTensor dense;
  TileRtError inner;
  if (!tile_rt_tensor_alloc(&dense, tensor->dtype, tensor->rank, tensor->shape,
                            0, &inner))
    return tile_rt_fail(error, "%s: %.700s", name, inner.message);
  bool good = tile_rt_tensor_copy(&dense, tensor, error) &&
              writeDense(path, &dense, false, error);
  tile_rt_tensor_free(&dense);
  return good;
}
