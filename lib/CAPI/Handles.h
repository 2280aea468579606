//===- Handles.h - handles with tombstones ----------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CAPI_HANDLES_H
#define TILE_LIB_CAPI_HANDLES_H

#include "TileRuntime/Error.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace mlir::tile {

/// The objects of one kind behind opaque handles. A handle is a number that is
/// never used again, not an address, so that one of a destroyed object is
/// recognised; an object that is in use lives until its last user is done.
template <typename Handle, typename Object>
class HandleTable {
public:
  /// `kind` is for errors, with its article; `tag` makes the numbers of kinds
  /// different.
  HandleTable(const char *kind, unsigned tag) : kind(kind), next(tag) {}

  Handle *add(std::shared_ptr<Object> object) {
    std::lock_guard<std::mutex> guard(mutex);
    next += kStep;
    objects[next] = std::move(object);
    return reinterpret_cast<Handle *>(next);
  }

  /// Null, with an error, for what is no handle of this table.
  std::shared_ptr<Object> get(Handle *handle, TileRtError *error) {
    std::lock_guard<std::mutex> guard(mutex);
    auto found = objects.find(reinterpret_cast<uintptr_t>(handle));
    if (found != objects.end())
      return found->second;
    fail(handle, error);
    return nullptr;
  }

  /// Forgets a handle; null is fine.
  bool remove(Handle *handle, TileRtError *error) {
    if (!handle)
      return true;
    std::shared_ptr<Object> last; // ends after the lock
    std::lock_guard<std::mutex> guard(mutex);
    auto found = objects.find(reinterpret_cast<uintptr_t>(handle));
    if (found == objects.end())
      return fail(handle, error);
    last = std::move(found->second);
    objects.erase(found);
    return true;
  }

private:
  static constexpr uintptr_t kStep = 16;

  bool fail(Handle *handle, TileRtError *error) const {
    if (!handle)
      return tile_rt_fail(error, "expected %s, got null", kind);
    uintptr_t value = reinterpret_cast<uintptr_t>(handle);
    if (value > next || (next - value) % kStep != 0)
      return tile_rt_fail(error, "expected %s, got something else", kind);
    return tile_rt_fail(error, "expected %s, got one that was destroyed", kind);
  }

  const char *kind;
  std::mutex mutex;
  uintptr_t next;
  std::unordered_map<uintptr_t, std::shared_ptr<Object>> objects;
};

} // namespace mlir::tile

#endif // TILE_LIB_CAPI_HANDLES_H
