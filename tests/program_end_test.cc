// Exit status and words of programs that throw, and of those whose output does not arrive.
#include "blockdev/program_end.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "blockdev/exit_status.h"

namespace volt {
namespace {

struct Ended {
  int status;
  std::string said;
};

Ended end_of(const std::function<int()>& program) {
  std::string said;
  const int status = run_to_end(program, [&said](const std::string& text) { said += text + "\n"; });
  return {status, said};
}

TEST(ProgramEnd, ReturnsTheStatus) {
  const Ended ended = end_of([] { return 5; });
  EXPECT_EQ(ended.status, 5);
  EXPECT_EQ(ended.said, "");
}

TEST(ProgramEnd, OnlyMemoryIsMemory) {
  const Ended memory = end_of([]() -> int { throw std::bad_alloc(); });
  EXPECT_EQ(memory.status, exit_out_of_memory);
  EXPECT_EQ(memory.said, "out of memory\n");

  const Ended other = end_of([]() -> int { throw std::runtime_error("a reason"); });
  EXPECT_EQ(other.status, exit_wrong_device);
  EXPECT_EQ(other.said, "internal error: a reason\n");

  const Ended thread = end_of([]() -> int {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  });
  EXPECT_EQ(thread.status, exit_wrong_device);
  EXPECT_EQ(thread.said.rfind("internal error: ", 0), 0U);

  const Ended unknown = end_of([]() -> int { throw 7; });
  EXPECT_EQ(unknown.status, exit_wrong_device);
  EXPECT_EQ(unknown.said, "internal error: an exception of an unknown kind\n");
}

// Standard output is a full device while it lives.
class FullOutput {
 public:
  FullOutput() : saved_(::dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    const int full = ::open("/dev/full", O_WRONLY);
    ::dup2(full, STDOUT_FILENO);
    ::close(full);
  }
  ~FullOutput() {
    ::dup2(saved_, STDOUT_FILENO);
    ::close(saved_);
    std::clearerr(stdout);
  }
  FullOutput(const FullOutput&) = delete;
  FullOutput& operator=(const FullOutput&) = delete;

 private:
  int saved_;
};

TEST(ProgramEnd, TellsOfLostOutput) {
  const FullOutput full;
  const auto print = [] { std::fputs(".", stdout); };
  const Ended done = end_of([&] {
    print();
    return 0;
  });
  EXPECT_EQ(done.status, exit_wrong_device);
  EXPECT_EQ(done.said, "standard output: cannot be written: No space left on device\n");

  const Ended refused = end_of([&] {
    print();
    return 2;
  });
  EXPECT_EQ(refused.status, 2);
}

}  // namespace
}  // namespace volt
