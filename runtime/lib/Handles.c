// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handle is the number of a slot and how often the slot was taken before, so
// that it is found without a search.

#include "Handles.h"

#include <stdlib.h>

_Static_assert(sizeof(uintptr_t) == 8, "handles are numbers of 64 bits");

enum {
  kZeroBits = 4,  // the low ones
  kSlotBits = 24, // objects at a time
};

struct TileRtHandleSlot {
  void *object;      ///< null when it is free
  const void *owner; ///< here, since the object may be going
  uint64_t serial;
  int64_t users;
  bool removed, ending;
};

static void *makeHandle(const TileRtHandles *handles, size_t slot) {
  uint64_t serial = handles->slots[slot].serial;
  return (void *)(uintptr_t)((serial << kSlotBits | slot) << kZeroBits);
}

/// The slot of a handle that is or was one, or null.
static TileRtHandleSlot *findSlot(const TileRtHandles *handles,
                                  const void *handle) {
  uint64_t value = (uint64_t)(uintptr_t)handle;
  size_t slot = value >> kZeroBits & (((uint64_t)1 << kSlotBits) - 1);
  uint64_t serial = value >> (kZeroBits + kSlotBits);
  bool known = value % (1u << kZeroBits) == 0 && slot < handles->count &&
               serial && serial <= handles->slots[slot].serial;
  return known ? &handles->slots[slot] : NULL;
}

/// The slot of an object that was not removed, or null with an error.
static TileRtHandleSlot *findObject(const TileRtHandles *handles,
                                    const void *handle, TileRtError *error) {
  TileRtHandleSlot *slot = findSlot(handles, handle);
  if (slot && slot->object && !slot->removed &&
      makeHandle(handles, (size_t)(slot - handles->slots)) == handle)
    return slot;
  if (!handle || !slot)
    tile_rt_fail(error, "expected %s, got %s", handles->kind,
                 handle ? "something else" : "null");
  else
    tile_rt_fail(error, "expected %s, got one that was %s", handles->kind,
                 handles->gone);
  return NULL;
}

/// A free slot, or null without memory.
static TileRtHandleSlot *takeSlot(TileRtHandles *handles) {
  for (size_t i = 0; i < handles->count; ++i)
    if (!handles->slots[i].object)
      return &handles->slots[i];
  if (handles->count == (size_t)1 << kSlotBits)
    return NULL;
  if (handles->count == handles->room) {
    size_t room = handles->room ? 2 * handles->room : 16;
    TileRtHandleSlot *slots = realloc(handles->slots, room * sizeof(*slots));
    if (!slots)
      return NULL;
    handles->slots = slots;
    handles->room = room;
  }
  TileRtHandleSlot *slot = &handles->slots[handles->count++];
  *slot = (TileRtHandleSlot){0};
  return slot;
}

void *tile_rt_handle_add(TileRtHandles *handles, void *object,
                         const void *owner) {
  pthread_mutex_lock(&handles->lock);
  TileRtHandleSlot *slot = takeSlot(handles);
  void *handle = NULL;
  if (slot) {
    *slot = (TileRtHandleSlot){
        .object = object, .owner = owner, .serial = slot->serial + 1};
    handle = makeHandle(handles, (size_t)(slot - handles->slots));
  }
  pthread_mutex_unlock(&handles->lock);
  return handle;
}

void *tile_rt_handle_acquire(TileRtHandles *handles, const void *handle,
                             TileRtError *error) {
  pthread_mutex_lock(&handles->lock);
  TileRtHandleSlot *slot = findObject(handles, handle, error);
  void *object = slot ? slot->object : NULL;
  if (slot)
    ++slot->users;
  pthread_mutex_unlock(&handles->lock);
  return object;
}

/// Destroys what was removed and has no user, giving up the lock meanwhile: the
/// slots may move.
static void finish(TileRtHandles *handles, size_t index) {
  TileRtHandleSlot *slot = &handles->slots[index];
  if (!slot->removed || slot->users || slot->ending)
    return;
  slot->ending = true;
  void *object = slot->object;
  pthread_mutex_unlock(&handles->lock);
  handles->destroy(object);
  pthread_mutex_lock(&handles->lock);
  handles->slots[index].object = NULL;
  pthread_cond_broadcast(&handles->idle);
}

void tile_rt_handle_release(TileRtHandles *handles, const void *handle) {
  pthread_mutex_lock(&handles->lock);
  TileRtHandleSlot *slot = findSlot(handles, handle);
  --slot->users;
  finish(handles, (size_t)(slot - handles->slots));
  pthread_mutex_unlock(&handles->lock);
}

bool tile_rt_handle_remove(TileRtHandles *handles, const void *handle,
                           TileRtError *error) {
  pthread_mutex_lock(&handles->lock);
  TileRtHandleSlot *slot = findObject(handles, handle, error);
  bool good = slot != NULL;
  if (good) {
    size_t index = (size_t)(slot - handles->slots);
    uint64_t serial = slot->serial;
    slot->removed = true;
    finish(handles, index);
    // The slots may move, and another object may have taken this one.
    while (handles->slots[index].object &&
           handles->slots[index].serial == serial)
      pthread_cond_wait(&handles->idle, &handles->lock);
  }
  pthread_mutex_unlock(&handles->lock);
  return good;
}

void tile_rt_handle_remove_all(TileRtHandles *handles, const void *owner) {
  pthread_mutex_lock(&handles->lock);
  for (size_t i = 0; i < handles->count;) {
    if (!handles->slots[i].object || handles->slots[i].owner != owner) {
      ++i;
      continue;
    }
    handles->slots[i].removed = true;
    finish(handles, i);
    if (handles->slots[i].object)
      pthread_cond_wait(&handles->idle, &handles->lock);
  }
  pthread_mutex_unlock(&handles->lock);
}
