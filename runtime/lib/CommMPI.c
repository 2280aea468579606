// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes of MPI. Facts: MPI: A Message-Passing Interface Standard 3.1, "Shared
// memory" (MPI_Win_allocate_shared). The standard leaves open what handles are:
// MPICH and its relatives have numbers, Open MPI addresses of its objects.

#include "Comm.h"
#include "Library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A number, or an address: both are passed in one register.
typedef uintptr_t Handle;

/// Of 8 bytes at most, as an implementation writes it.
typedef union Result {
  int number;
  void *address;
} Result;

/// X(field, symbol, parameters). A count of bytes has the type of addresses.
#define TILE_RT_MPI_FUNCTIONS(X)                                               \
  X(initialized, "MPI_Initialized", (int *flag))                               \
  X(init, "MPI_Init_thread",                                                   \
    (int *argc, char ***argv, int required, int *provided))                    \
  X(finalize, "MPI_Finalize", (void))                                          \
  X(abort, "MPI_Abort", (Handle comm, int code))                               \
  X(rank, "MPI_Comm_rank", (Handle comm, int *rank))                           \
  X(size, "MPI_Comm_size", (Handle comm, int *size))                           \
  X(split, "MPI_Comm_split_type",                                              \
    (Handle comm, int type, int key, Handle info, Result *out))                \
  X(release, "MPI_Comm_free", (Result * comm))                                 \
  X(barrier, "MPI_Barrier", (Handle comm))                                     \
  X(allocate, "MPI_Win_allocate_shared",                                       \
    (intptr_t bytes, int unit, Handle info, Handle comm, void *base,           \
     Result *window))                                                          \
  X(query, "MPI_Win_shared_query",                                             \
    (Handle window, int rank, intptr_t *bytes, int *unit, void *base))         \
  X(freeWindow, "MPI_Win_free", (Result * window))

typedef struct Mpi {
  void *library;
#define TILE_RT_FIELD(field, symbol, parameters) int(*field) parameters;
  TILE_RT_MPI_FUNCTIONS(TILE_RT_FIELD)
#undef TILE_RT_FIELD
  bool hasObjects; ///< Open MPI
  Handle world, noInfo;
  int shared; ///< MPI_COMM_TYPE_SHARED
} Mpi;

typedef struct MpiComm {
  TileRtComm base;
  const Mpi *mpi;
  Result comm, window;
  bool hasWindow, initialised;
} MpiComm;

static const TileRtSymbol symbols[] = {
#define TILE_RT_SYMBOL(field, symbol, parameters)                              \
  {symbol, false, offsetof(Mpi, field)},
    TILE_RT_MPI_FUNCTIONS(TILE_RT_SYMBOL)
#undef TILE_RT_SYMBOL
};

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

/// What mpi.h of the implementation says.
static bool initialise(void *table, TileRtError *error) {
  (void)error;
  Mpi *mpi = table;
  void *world = dlsym(mpi->library, "ompi_mpi_comm_world");
  mpi->hasObjects = world;
  mpi->world = world ? (Handle)world : 0x44000000;
  mpi->noInfo = world ? (Handle)dlsym(mpi->library, "ompi_mpi_info_null")
                      : 0x1c000000;
  mpi->shared = world ? 0 : 1;
  return true;
}

static bool load(const char *file, Mpi *mpi, TileRtError *error) {
  const TileRtLibrary library = {.kind = "MPI",
                                 .variable = "TILE_MPI_LIBRARY",
                                 .file = file,
                                 .version = "MPI 3.0",
                                 .symbols = symbols,
                                 .count = sizeof(symbols) / sizeof(*symbols),
                                 .initialise = initialise};
  // Plug-ins of Open MPI find its symbols there.
  (void)dlopen(file, RTLD_NOW | RTLD_GLOBAL);
  return tile_rt_library_load(&library, file, mpi, error);
}

/// The library of the environment, or one that fits the mpirun.
static bool find(Mpi *mpi, TileRtError *error) {
  static const char *const files[] = {"libmpich.so.12", "libmpi.so.12",
                                      "libmpi.so.40", "libmpi.so"};
  enum { kFiles = sizeof(files) / sizeof(*files), kOpen = 2 };
  const char *given = getenv("TILE_MPI_LIBRARY");
  if (given && *given)
    return load(given, mpi, error);
  int first = getenv("OMPI_COMM_WORLD_SIZE") ? kOpen : 0;
  for (int i = 0; i < kFiles; ++i)
    if (load(files[(first + i) % kFiles], mpi, NULL))
      return true;
  return tile_rt_fail(error,
                      "no MPI: expected libmpich.so.12, libmpi.so.12 or "
                      "libmpi.so.40, or another one by TILE_MPI_LIBRARY; "
                      "without the provider 'mpi', ranks are threads");
}

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

static Handle handleOf(const Mpi *mpi, Result result) {
  return mpi->hasObjects ? (Handle)result.address : (Handle)result.number;
}

static bool check(int result, const char *what, TileRtError *error) {
  return result == 0 ||
         tile_rt_fail(error, "%s: MPI error %d", what, result);
}

static bool allocMemory(TileRtComm *base, size_t bytes, void **memory,
                        TileRtError *error) {
  MpiComm *comm = (MpiComm *)base;
  const Mpi *mpi = comm->mpi;
  void *own;
  if (!check(mpi->allocate((intptr_t)bytes, 1, mpi->noInfo,
                           handleOf(mpi, comm->comm), &own, &comm->window),
             "MPI_Win_allocate_shared", error))
    return false;
  comm->hasWindow = true;
  for (int32_t k = 0; k < base->size; ++k) {
    intptr_t size;
    int unit;
    if (!check(mpi->query(handleOf(mpi, comm->window), k, &size, &unit,
                          &memory[k]),
               "MPI_Win_shared_query", error))
      return false;
  }
  return true;
}

static void freeMemory(TileRtComm *base) {
  MpiComm *comm = (MpiComm *)base;
  if (comm->hasWindow)
    comm->mpi->freeWindow(&comm->window);
  comm->hasWindow = false;
}

static bool meet(TileRtComm *base, TileRtError *error) {
  const MpiComm *comm = (const MpiComm *)base;
  return check(comm->mpi->barrier(handleOf(comm->mpi, comm->comm)),
               "MPI_Barrier", error);
}

static void closeComm(TileRtComm *base) {
  MpiComm *comm = (MpiComm *)base;
  freeMemory(base);
  comm->mpi->release(&comm->comm);
  if (comm->initialised)
    comm->mpi->finalize();
  free(comm);
}

static void abortAll(TileRtComm *base) {
  const MpiComm *comm = (const MpiComm *)base;
  comm->mpi->abort(comm->mpi->world, 1);
}

static const TileRtCommOps ops = {.name = "mpi",
                                  .alloc = allocMemory,
                                  .free = freeMemory,
                                  .barrier = meet,
                                  .close = closeComm,
                                  .abort = abortAll};

/// The processes of this host, which have to be all.
static bool join(MpiComm *comm, TileRtError *error) {
  const Mpi *mpi = comm->mpi;
  int flag = 0, provided = 0, all = 0, rank = 0, size = 0;
  if (!check(mpi->initialized(&flag), "MPI_Initialized", error) ||
      (!flag && !check(mpi->init(NULL, NULL, 0, &provided), "MPI_Init_thread",
                       error)))
    return false;
  comm->initialised = !flag;
  if (!check(mpi->size(mpi->world, &all), "MPI_Comm_size", error) ||
      !check(mpi->split(mpi->world, mpi->shared, 0, mpi->noInfo, &comm->comm),
             "MPI_Comm_split_type", error))
    return false;
  Handle handle = handleOf(mpi, comm->comm);
  if (!check(mpi->rank(handle, &rank), "MPI_Comm_rank", error) ||
      !check(mpi->size(handle, &size), "MPI_Comm_size", error))
    return false;
  comm->base.rank = rank;
  comm->base.size = size;
  // untested: needs two hosts
  return size == all || tile_rt_fail(error,
                                     "expected %d processes that share memory, "
                                     "got %d; ranks run on one host",
                                     all, size);
}

bool tile_rt_comm_open_mpi(TileRtComm **out, TileRtError *error) {
  static Mpi mpi; // The library stays, and MPI starts once in a process.
  if (!mpi.library && !find(&mpi, error))
    return false;
  MpiComm *comm = calloc(1, sizeof(*comm));
  if (!comm)
    return tile_rt_fail(error, "no memory for a communicator");
  comm->base.ops = &ops;
  comm->mpi = &mpi;
  if (!join(comm, error)) {
    free(comm);
    return false;
  }
  *out = &comm->base;
  return true;
}
