// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _GNU_SOURCE 1
#include "CaseFile.h"

#include "TileRuntime/Npy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The order of TileRtFillKind.
static const char *const fillNames[] = {"zeros",  "ones",    "iota",    "poison",
                                        "normal", "uniform", "integers",
                                        "permutation", "offsets", "mask"};
enum { kFillNames = sizeof(fillNames) / sizeof(*fillNames) };

static void join(const TileReplayCase *c, const char *name, char path[2048]) {
  snprintf(path, 2048, "%s%s", c->folder, name);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void writeContent(FILE *file, const TileReplayContent *content) {
  const TileRtFill *fill = &content->fill;
  if (content->kind == TILE_REPLAY_FILE)
    fprintf(file, "file %s", content->path);
  else if (content->kind == TILE_REPLAY_BITS)
    fprintf(file, "bits %" PRIx64, content->bits);
  else
    fprintf(file,
            "fill %s %" PRIu64 " %" PRIu64 " %a %a %" PRId64 " %" PRId64,
            fillNames[fill->kind], fill->seed, fill->argument, fill->low,
            fill->high, fill->lowInteger, fill->highInteger);
}

static const char *nameKind(const TileReplayCaseArgument *a) {
  return a->scalar      ? "scalar"
         : a->world     ? "world"
         : a->symmetric ? "symmetric"
                        : "tensor";
}

static void writeLines(FILE *file, const TileReplayCase *c) {
  fprintf(file, "tile-case 1\nfunction %s\ncase %s\nimage %s\n", c->function,
          c->label, c->image);
  if (c->bitcode[0])
    fprintf(file, "bitcode %s\n", c->bitcode);
  for (int32_t i = 0; i < c->kernelCount; ++i)
    fprintf(file, "kernel %s\n", c->kernels[i]);
  fprintf(file, "tolerance %a %a\n", c->absolute, c->relative);
  for (int32_t i = 0; i < c->count; ++i) {
    const TileReplayCaseArgument *a = &c->arguments[i];
    fprintf(file, "argument %s %s ", nameKind(a),
            tile_rt_dtype_name(a->dtype));
    for (int32_t d = 0; d < a->rank; ++d)
      fprintf(file, "%s%" PRId64, d ? "x" : "", a->shape[d]);
    fputs(a->rank ? " " : "- ", file);
    writeContent(file, &a->content);
    fprintf(file, " %s\n", a->expected[0] ? a->expected : "-");
  }
}

bool tile_replay_case_write(const TileReplayCase *c, TileRtError *error) {
  char path[2048], temporary[2048];
  join(c, "case.txt", path);
  join(c, "case.txt.tmp", temporary);
  FILE *file = fopen(temporary, "w");
  if (!file)
    return tile_rt_fail(error, "%s: %s", temporary, strerror(errno));
  writeLines(file, c);
  bool good = !ferror(file);
  good = fclose(file) == 0 && good;
  if (good && rename(temporary, path) == 0)
    return true;
  tile_rt_fail(error, "%s: %s", path, strerror(errno));
  remove(temporary);
  return false;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

char *tile_replay_read_file(const TileReplayCase *c, const char *name,
                            size_t *size, TileRtError *error) {
  char path[2048];
  join(c, name, path);
  // Whoever made the folder might have a pipe in it, or /dev/zero.
  int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat status;
  FILE *file = NULL;
  if (descriptor >= 0 && fstat(descriptor, &status) == 0 &&
      !S_ISREG(status.st_mode))
    tile_rt_fail(error, "%s: expected a regular file", path);
  else if (descriptor < 0 || !(file = fdopen(descriptor, "rb")))
    tile_rt_fail(error, "%s: %s", path, strerror(errno));
  if (!file) {
    if (descriptor >= 0)
      close(descriptor);
    return NULL;
  }
  size_t room = 1 << 16;
  char *text = NULL;
  *size = 0;
  for (;;) {
    char *grown = realloc(text, room + 1);
    if (!grown)
      abort();
    text = grown;
    *size += fread(text + *size, 1, room - *size, file);
    if (*size < room)
      break;
    room *= 2;
  }
  bool good = !ferror(file);
  fclose(file);
  text[*size] = 0;
  if (good)
    return text;
  tile_rt_fail(error, "%s: cannot be read", path);
  free(text);
  return NULL;
}

/// The words of a line, one after the other.
typedef struct Words {
  char *at;
} Words;

static const char *next(Words *words) {
  char *begin = words->at + strspn(words->at, " ");
  char *end = begin + strcspn(begin, " ");
  words->at = *end ? end + 1 : end;
  *end = 0;
  return begin;
}

static bool nextInt(Words *words, int64_t *value) {
  const char *text = next(words);
  char *end;
  errno = 0;
  *value = strtoll(text, &end, 10);
  return *text && *end == 0 && !errno;
}

static bool nextUnsigned(Words *words, int base, uint64_t *value) {
  const char *text = next(words);
  char *end;
  errno = 0;
  *value = strtoull(text, &end, base);
  return *text && *end == 0 && !errno;
}

static bool nextDouble(Words *words, double *value) {
  const char *text = next(words);
  char *end;
  *value = strtod(text, &end);
  return *text && *end == 0;
}

static bool nextName(Words *words, char name[256]) {
  const char *text = next(words);
  size_t length = strlen(text);
  if (length == 0 || length >= 256)
    return false;
  memcpy(name, text, length + 1);
  return true;
}

static bool readShape(Words *words, TileReplayCaseArgument *a) {
  const char *text = next(words);
  if (strcmp(text, "-") == 0)
    return true;
  for (;;) {
    char *end;
    if (a->rank == TILE_RT_MAX_RANK)
      return false;
    int64_t extent = strtoll(text, &end, 10);
    if (end == text || extent < 0)
      return false;
    a->shape[a->rank++] = extent;
    if (*end == 0)
      return true;
    if (*end != 'x')
      return false;
    text = end + 1;
  }
}

static bool readFill(Words *words, TileRtFill *fill) {
  const char *name = next(words);
  int kind = 0;
  while (kind < kFillNames && strcmp(name, fillNames[kind]) != 0)
    ++kind;
  fill->kind = (TileRtFillKind)kind;
  return kind < kFillNames && nextUnsigned(words, 10, &fill->seed) &&
         nextUnsigned(words, 10, &fill->argument) &&
         nextDouble(words, &fill->low) && nextDouble(words, &fill->high) &&
         nextInt(words, &fill->lowInteger) &&
         nextInt(words, &fill->highInteger);
}

static bool readArgument(Words *words, TileReplayCaseArgument *a) {
  const char *kind = next(words);
  a->scalar = strcmp(kind, "scalar") == 0;
  a->world = strcmp(kind, "world") == 0;
  a->symmetric = strcmp(kind, "symmetric") == 0;
  if (strcmp(kind, nameKind(a)) != 0)
    return false;
  a->dtype = tile_rt_dtype_from_name(next(words));
  if (a->dtype == TILE_RT_NONE || !readShape(words, a))
    return false;
  const char *content = next(words);
  bool good = false;
  if (strcmp(content, "fill") == 0) {
    a->content.kind = TILE_REPLAY_FILL;
    good = readFill(words, &a->content.fill);
  } else if (strcmp(content, "bits") == 0) {
    a->content.kind = TILE_REPLAY_BITS;
    good = nextUnsigned(words, 16, &a->content.bits);
  } else if (strcmp(content, "file") == 0) {
    a->content.kind = TILE_REPLAY_FILE;
    good = nextName(words, a->content.path);
  }
  if (!good || !nextName(words, a->expected))
    return false;
  if (strcmp(a->expected, "-") == 0)
    a->expected[0] = 0;
  return true;
}

static bool readLine(TileReplayCase *c, char *line) {
  Words words = {line};
  const char *key = next(&words);
  int64_t version;
  if (strcmp(key, "tile-case") == 0)
    return nextInt(&words, &version) && version == 1;
  if (strcmp(key, "function") == 0)
    return nextName(&words, c->function);
  if (strcmp(key, "image") == 0)
    return nextName(&words, c->image);
  if (strcmp(key, "bitcode") == 0)
    return nextName(&words, c->bitcode);
  if (strcmp(key, "case") == 0)
    return snprintf(c->label, sizeof(c->label), "%s", words.at) <
           (int)sizeof(c->label);
  if (strcmp(key, "kernel") == 0)
    return c->kernelCount < TILE_REPLAY_MAX_KERNELS &&
           nextName(&words, c->kernels[c->kernelCount++]);
  if (strcmp(key, "tolerance") == 0)
    return nextDouble(&words, &c->absolute) && nextDouble(&words, &c->relative);
  if (strcmp(key, "argument") == 0)
    return c->count < TILE_RT_MAX_ARGUMENTS &&
           readArgument(&words, &c->arguments[c->count++]);
  return false;
}

bool tile_replay_case_read(TileReplayCase *c, const char *folder,
                           TileRtError *error) {
  *c = (TileReplayCase){0};
  size_t size, length = strlen(folder);
  snprintf(c->folder, sizeof(c->folder), "%s%s", folder,
           length && folder[length - 1] == '/' ? "" : "/");
  char *text = tile_replay_read_file(c, "case.txt", &size, error);
  if (!text)
    return false;
  bool good = true;
  int number = 0;
  for (char *line = text, *end; good && *line; line = end) {
    end = line + strcspn(line, "\n");
    if (*end)
      *end++ = 0;
    ++number;
    char copy[64];
    snprintf(copy, sizeof(copy), "%s", line);
    if (!readLine(c, line))
      good = tile_rt_fail(error, "%scase.txt: line %d: not understood: '%s'",
                          c->folder, number, copy);
  }
  free(text);
  if (good && (!c->image[0] || c->kernelCount == 0))
    good = tile_rt_fail(error, "%scase.txt: expected an image and a kernel",
                        c->folder);
  return good;
}

static bool setContent(const TileReplayCase *c, const TileReplayCaseArgument *a,
                       TileRtTensor *tensor, TileRtError *error) {
  if (a->content.kind == TILE_REPLAY_FILL)
    return tile_rt_fill(tensor, &a->content.fill, error);
  if (a->content.kind == TILE_REPLAY_BITS) {
    int64_t count = tile_rt_tensor_count(tensor);
    for (int64_t k = 0; k < count; ++k)
      tile_rt_tensor_store_bits(tensor, k, a->content.bits);
    return true;
  }
  char path[2048];
  join(c, a->content.path, path);
  TileRtTensor read = {0};
  bool good = tile_rt_npy_read(path, a->dtype, &read, error) &&
              tile_rt_tensor_expect(&read, path, a->dtype, a->rank, a->shape,
                                    error) &&
              tile_rt_tensor_copy(tensor, &read, error);
  tile_rt_tensor_free(&read);
  return good;
}

bool tile_replay_case_argument(const TileReplayCase *c, int32_t index,
                               size_t guardBytes, TileRtTensor *tensor,
                               TileRtError *error) {
  const TileReplayCaseArgument *a = &c->arguments[index];
  if (!tile_rt_tensor_alloc(tensor, a->dtype, a->rank, a->shape, guardBytes,
                            error))
    return false;
  if (setContent(c, a, tensor, error))
    return true;
  tile_rt_tensor_free(tensor);
  return false;
}
