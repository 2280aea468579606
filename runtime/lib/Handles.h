// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects behind opaque handles. A handle is a number that is never used again,
// not an address: one of a destroyed object, or of another kind, is recognised,
// and an object that is in use lives until its last user is done.

#ifndef TILERUNTIME_HANDLES_H
#define TILERUNTIME_HANDLES_H

#include "TileRuntime/Error.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TileRtHandleSlot TileRtHandleSlot;

/// The objects of one kind; initialise with TILE_RT_HANDLES.
typedef struct TileRtHandles {
  const char *kind, *gone; ///< "a kernel", "unloaded": for errors
  void (*destroy)(void *object);
  pthread_mutex_t lock; ///< of all that follows
  pthread_cond_t idle;  ///< an object has no user any more
  TileRtHandleSlot *slots;
  size_t count, room;
} TileRtHandles;

#define TILE_RT_HANDLES(kind, gone, destroy)                                   \
  {kind, gone, destroy, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,   \
   NULL, 0,    0}

/// A handle of the object, which belongs to `owner`, or null without memory.
void *tile_rt_handle_add(TileRtHandles *handles, void *object,
                         const void *owner);

/// The object of a handle, which lives until it is released. Null, with an
/// error, for what is no handle.
void *tile_rt_handle_acquire(TileRtHandles *handles, const void *handle,
                             TileRtError *error);
void tile_rt_handle_release(TileRtHandles *handles, const void *handle);

/// Makes the handle invalid, waits until nobody uses the object, and destroys
/// it.
bool tile_rt_handle_remove(TileRtHandles *handles, const void *handle,
                           TileRtError *error);

/// Removes all objects of the owner, and waits for their users.
void tile_rt_handle_remove_all(TileRtHandles *handles, const void *owner);

#endif // TILERUNTIME_HANDLES_H
