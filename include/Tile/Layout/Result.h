//===- Result.h - A value or the reason why there is none -------*- C++ -*-===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//
//
// Everything in the layout library that can fail on its input returns a
// Result: either the value, or a sentence in the form "expected X, got Y" that
// a verifier can append to its own diagnostic as it stands.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LAYOUT_RESULT_H
#define TILE_LAYOUT_RESULT_H

#include <optional>
#include <sstream>
#include <string>
#include <utility>

namespace tile::layout {

/// Why an operation has no result.
struct Failure {
  std::string reason;
};

/// Builds a Failure out of anything that prints:
/// `fail("expected rank ", r, ", got ", q)`.
template <typename... Parts>
Failure fail(const Parts &...parts) {
  std::ostringstream os;
  (os << ... << parts);
  return Failure{os.str()};
}

template <typename T>
class Result {
public:
  Result(T value) : value(std::move(value)) {}
  Result(Failure failure) : why(std::move(failure.reason)) {}

  /// Whether there is a value; that of a Result<bool> is `*result`.
  explicit operator bool() const { return value.has_value(); }
  const T &operator*() const & { return *value; }
  T &operator*() & { return *value; }
  T &&operator*() && { return std::move(*value); }
  const T *operator->() const { return &*value; }
  T *operator->() { return &*value; }

  /// Why there is no value; empty on success.
  const std::string &reason() const { return why; }
  /// The same failure, to be returned as a Result of another type.
  Failure failure() const { return Failure{why}; }

private:
  std::optional<T> value;
  std::string why;
};

/// The result of a check: success carries nothing.
struct Success {};
using Status = Result<Success>;

} // namespace tile::layout

#endif // TILE_LAYOUT_RESULT_H
