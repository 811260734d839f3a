// What a step of a program comes to: a value, or why there is none, in words for people.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "blockdev/host/error_text.h"
#include "blockdev/host/exit_status.h"
#include "crypto/base/result.h"

namespace volt {

// Printed as "program: what: why", then the hints, each a line of its own. Never holds a secret.
struct Failure {
  ExitStatus status = exit_wrong_device;  // how the program ends
  std::string what;                       // the file, folder or option; may be empty
  std::string why;
  std::vector<std::string> hints{};  // each begins with what it is: "hint: "

  // An error of the layers below, about `what`.
  static Failure of(std::string what, const Error& error) {
    return {exit_status_of(error.code), std::move(what), error_text(error), {}};
  }
};

// if (!outcome) return outcome.failure();
template <class Value>
class Outcome {
 public:
  Outcome(Value value) : state_(std::move(value)) {}        // NOLINT: meant to convert
  Outcome(Failure failure) : state_(std::move(failure)) {}  // NOLINT: meant to convert

  bool ok() const noexcept { return std::holds_alternative<Value>(state_); }
  explicit operator bool() const noexcept { return ok(); }
  Value& operator*() & { return std::get<Value>(state_); }
  const Value& operator*() const& { return std::get<Value>(state_); }
  Value&& operator*() && { return std::get<Value>(std::move(state_)); }
  Value* operator->() { return &std::get<Value>(state_); }
  const Value* operator->() const { return &std::get<Value>(state_); }
  const Failure& failure() const { return std::get<Failure>(state_); }

 private:
  std::variant<Value, Failure> state_;
};

// A step without a value: done, or a failure.
template <>
class Outcome<void> {
 public:
  Outcome() = default;
  Outcome(Failure failure) : state_(std::move(failure)) {}  // NOLINT: meant to convert

  bool ok() const noexcept { return std::holds_alternative<std::monostate>(state_); }
  explicit operator bool() const noexcept { return ok(); }
  const Failure& failure() const { return std::get<Failure>(state_); }

 private:
  std::variant<std::monostate, Failure> state_;
};

}  // namespace volt
