// Errors as values. Nothing below daemon/ and tools/ throws across a file boundary.
#pragma once

#include <cassert>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace volt {

// What went wrong, in kinds that a caller can act on. `exit_status.h` maps them to exit codes and
// the daemon maps them to errno, each in one exhaustive switch.
enum class ErrorCode : std::uint8_t {
  invalid_argument,
  out_of_range,
  misaligned,
  io,
  no_space,
  read_only,
  not_supported,
  not_found,
  permission,
  no_memory,
  bad_password_or_header,
  bad_header,  // a password fitted, but a field of the header is absurd
  wrong_file,  // a file or device of another kind or size than is needed
  busy,
  refused,    // hidden-volume protection refused the write
  cancelled,  // the user interrupted
  internal,
};

// A failed operation. Trivially copyable, so failing costs nothing. `context` is a static string.
struct Error {
  ErrorCode code = ErrorCode::internal;
  int sys_errno = 0;         // errno of the system call that failed, or 0
  const char* context = "";  // what was being done, or which field is wrong
  std::uint64_t detail = 0;  // the offending number, where one helps; meaning given by context
};

// A short name of the code: "io", "busy", ...
const char* error_code_name(ErrorCode code) noexcept;

// Builds an Error from the current errno, choosing the code that fits it (ENOSPC -> no_space ...).
Error error_from_errno(const char* context, int sys_errno) noexcept;

// Either a T or an Error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : ok_(true) { new (&value_) T(std::move(value)); }  // NOLINT: implicit by design
  Result(Error error) : ok_(false) { new (&error_) Error(error); }    // NOLINT
  Result(Result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) : ok_(other.ok_) {
    if (ok_) {
      new (&value_) T(std::move(other.value_));
    } else {
      new (&error_) Error(other.error_);
    }
  }
  Result& operator=(Result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) {
    if (this != &other) {
      this->~Result();
      new (this) Result(std::move(other));
    }
    return *this;
  }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  ~Result() {
    if (ok_) value_.~T();
  }

  bool ok() const noexcept { return ok_; }
  explicit operator bool() const noexcept { return ok_; }
  T& value() & noexcept {
    assert(ok_);
    return value_;
  }
  const T& value() const& noexcept {
    assert(ok_);
    return value_;
  }
  T&& value() && noexcept {
    assert(ok_);
    return std::move(value_);
  }
  T& operator*() & noexcept { return value(); }
  const T& operator*() const& noexcept { return value(); }
  T&& operator*() && noexcept { return std::move(*this).value(); }
  T* operator->() noexcept { return &value(); }
  const T* operator->() const noexcept { return &value(); }
  const Error& error() const noexcept {
    assert(!ok_);
    return error_;
  }

 private:
  bool ok_;
  union {
    T value_;
    Error error_;
  };
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() noexcept : ok_(true) {}
  Result(Error error) noexcept : ok_(false), error_(error) {}  // NOLINT: implicit by design
  bool ok() const noexcept { return ok_; }
  explicit operator bool() const noexcept { return ok_; }
  const Error& error() const noexcept {
    assert(!ok_);
    return error_;
  }

 private:
  bool ok_;
  Error error_{};
};

using Status = Result<void>;

}  // namespace volt

// Returns the error of `expr` (a Status or Result) from the enclosing function, if there is one.
#define VOLT_TRY(expr)                                                      \
  do {                                                                      \
    if (auto volt_try_ = (expr); !volt_try_.ok()) return volt_try_.error(); \
  } while (false)
