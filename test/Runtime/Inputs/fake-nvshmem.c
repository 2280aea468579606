// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stand-in of NVSHMEM for one process. FAKE_NVSHMEM names what goes wrong. Sizes and versions of the structures are
// those of NVSHMEM's documentation of its initialisation.

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kIdBytes = 128, kIdArgsBytes = 24, kArgsBytes = 128, kAttributesBytes = 144, kArgsAt = 16, kIdArgsAt = 24, kVersionOne = 1 << 16 };

static char heap[1 << 12];
static int started;

static int goesWrong(const char *how) {
  const char *given = getenv("FAKE_NVSHMEM");
  return given && strcmp(given, how) == 0;
}

static int numberAt(const void *bytes, size_t at) {
  int number;
  memcpy(&number, (const char *)bytes + at, sizeof(number));
  return number;
}

int nvshmemx_get_uniqueid(void *id) {
  if (numberAt(id, 0) != kVersionOne + kIdBytes || goesWrong("number"))
    return 5;
  memset((char *)id + sizeof(int), 7, kIdBytes - sizeof(int));
  return 0;
}

int nvshmemx_set_attr_uniqueid_args(int rank, int size, const void *id, void *attributes) {
  const struct {
    int version;
    const void *id;
    int rank, size;
  } args = {kVersionOne + kIdArgsBytes, id, rank, size};
  _Static_assert(sizeof(args) == kIdArgsBytes, "of the documented size");
  if (numberAt(attributes, 0) != kVersionOne + kAttributesBytes || numberAt(attributes, kArgsAt) != kVersionOne + kArgsBytes ||
      numberAt(attributes, kIdArgsAt) != args.version)
    return 6;
  memcpy((char *)attributes + kIdArgsAt, &args, sizeof(args));
  return 0;
}

int nvshmemx_hostlib_init_attr(unsigned flags, void *attributes) {
  while (goesWrong("late"))
    sleep(1);
  started = flags == 8 && numberAt(attributes, kIdArgsAt + 20) == 1 && !goesWrong("start");
  return started ? 0 : 7;
}

void nvshmemx_hostlib_finalize(void) {
  if (goesWrong("parted"))
    abort();
  started = 0;
}

void *nvshmem_malloc(size_t bytes) {
  while (goesWrong("gone"))
    sleep(1);
  return started && bytes <= sizeof(heap) && !goesWrong("full") ? heap : NULL;
}

void nvshmem_free(void *memory) {
  if (memory != heap || goesWrong("parted"))
    abort();
}

void *nvshmem_ptr(const void *memory, int rank) { return goesWrong("far") && rank == 0 ? NULL : (void *)memory; }
