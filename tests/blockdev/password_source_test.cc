#include "blockdev/host/password_source.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "blockdev/host/error_text.h"
#include "blockdev/host/file_descriptor.h"
#include "tests/support/temp_folder.h"

namespace volt {
namespace {

std::string text_of(const SecureBuffer& buffer) {
  return std::string(reinterpret_cast<const char*>(buffer.data()), buffer.size());
}

class PasswordSourceTest : public ::testing::Test {
 protected:
  std::string file_with(const std::string& content) {
    const std::string path = folder_.path() / "password";
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
    return path;
  }
  Result<SecureBuffer> from_file(const std::string& content, bool empty_allowed = false) {
    PasswordSource source;
    source.file = file_with(content);
    source.empty_allowed = empty_allowed;
    return read_password(source, "", false);
  }
  static Result<SecureBuffer> from_command(const std::string& command) {
    PasswordSource source;
    source.command = command;
    return read_password(source, "", false);
  }

  TempFolder folder_;
};

TEST_F(PasswordSourceTest, OneTrailingNewlineIsDropped) {
  const std::array<std::pair<std::string, std::string>, 10> cases = {{
      {"secret", "secret"},
      {"secret\n", "secret"},
      {"secret\r\n", "secret"},
      {"secret\n\n", "secret\n"},
      {"secret\r\n\r\n", "secret\r\n"},
      {"secret\r", "secret\r"},
      {"\nsecret\n", "\nsecret"},
      {" two words ", " two words "},
      {std::string("a\0b\n", 4), std::string("a\0b", 3)},
      {"!'\"$`\\\xC3\xA4\xFF\n", "!'\"$`\\\xC3\xA4\xFF"},
  }};
  for (const auto& [content, expected] : cases) {
    const auto password = from_file(content);
    ASSERT_TRUE(password.ok()) << expected;
    EXPECT_EQ(text_of(*password), expected);
  }
}

TEST_F(PasswordSourceTest, LengthIsCountedInBytesAndNeverCut) {
  for (const std::size_t length : {1U, 64U, 65U, 127U, 128U}) {
    for (const char* end : {"", "\n", "\r\n"}) {
      const std::string text(length, 'x');
      const auto password = from_file(text + end);
      ASSERT_TRUE(password.ok()) << length;
      EXPECT_EQ(text_of(*password), text);
    }
  }
  for (const std::size_t length : {129U, 130U, 131U, 1000U, 100000U}) {
    for (const char* end : {"", "\n", "\r\n"}) {
      const auto password = from_file(std::string(length, 'x') + end);
      ASSERT_FALSE(password.ok()) << length;
      EXPECT_EQ(password.error().code, ErrorCode::invalid_argument);
    }
  }
  // 43 characters of three bytes are 129 bytes: the last one may not be cut in two.
  std::string wide;
  for (int i = 0; i < 43; ++i) wide += "\xE2\x82\xAC";
  EXPECT_FALSE(from_file(wide).ok());
  wide.resize(126);
  EXPECT_EQ(text_of(*from_file(wide)), wide);
}

TEST_F(PasswordSourceTest, EmptyIsRefusedUnlessAllowed) {
  for (const char* content : {"", "\n", "\r\n"}) {
    const auto refused = from_file(content);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
    const auto allowed = from_file(content, true);
    ASSERT_TRUE(allowed.ok());
    EXPECT_TRUE(allowed->empty());
  }
}

TEST_F(PasswordSourceTest, FilesThatCannotBeReadAreErrors) {
  PasswordSource source;
  source.file = folder_.path() / "missing";
  EXPECT_EQ(read_password(source, "", false).error().code, ErrorCode::not_found);
  source.file = folder_.path();
  EXPECT_EQ(read_password(source, "", false).error().code, ErrorCode::wrong_file);
}

TEST_F(PasswordSourceTest, DescriptorIsTakenWhole) {
  const std::string path = file_with("secret\n");
  const FileDescriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  PasswordSource source;
  source.fd = fd.get();
  EXPECT_EQ(text_of(*read_password(source, "", false)), "secret\n");
  source.fd = 999;
  EXPECT_EQ(read_password(source, "", false).error().code, ErrorCode::io);
}

TEST_F(PasswordSourceTest, CommandOutputAndFailure) {
  EXPECT_EQ(text_of(*from_command("printf '%s\\n' 'p$w \"x\"'")), "p$w \"x\"");
  EXPECT_EQ(text_of(*from_command("printf 'a'; sleep 0.05; printf 'b\\n'")), "ab");
  const auto failed = from_command("echo secret; exit 3");
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::io);
  EXPECT_EQ(failed.error().detail, 3U);
  EXPECT_EQ(error_text(failed.error()), "the password command failed with status 3");
  const auto killed = from_command("kill -KILL $$");
  ASSERT_FALSE(killed.ok());
  EXPECT_EQ(error_text(killed.error()), "the password command was ended by signal 9 (SIGKILL)");
  // Prints without end and does not hear: it is stopped all the same.
  EXPECT_FALSE(from_command("trap '' TERM PIPE; while :; do echo longlonglong; done").ok());
  EXPECT_FALSE(from_command("exit 0").ok());
  // Prints for ever: refused, and not waited for.
  EXPECT_EQ(from_command("yes").error().code, ErrorCode::invalid_argument);
}

// An agent that the command leaves running has its output still open; the password is complete.
TEST_F(PasswordSourceTest, WhatACommandLeavesBehindIsNotWaitedFor) {
  const std::string number = folder_.path() / "number";
  const auto password = from_command("sleep 1000 & echo $! >'" + number + "'; echo secret");
  ASSERT_TRUE(password.ok());
  EXPECT_EQ(text_of(*password), "secret");
  pid_t left = 0;
  ASSERT_TRUE(std::ifstream(number) >> left);
  EXPECT_EQ(kill(left, SIGKILL), 0);
}

TEST_F(PasswordSourceTest, WhatCannotBeTypedIsNoticedAndTaken) {
  const struct {
    std::string content;
    std::string taken;
    const char* said;  // null: nothing
  } cases[] = {
      {"secret\n", "secret", nullptr},
      {"secret\r\n", "secret", nullptr},
      {"p\xC3\xA4 ss", "p\xC3\xA4 ss", nullptr},
      {"\xEF\xBB", "\xEF\xBB", nullptr},
      {"one\ntwo\n", "one\ntwo", "holds a line break"},
      {"one\n\n", "one\n", "holds a line break"},
      {"\nx", "\nx", "holds a line break"},
      {"secret\r", "secret\r", "holds a carriage return"},
      {std::string("a\0b", 3), std::string("a\0b", 3), "holds a NUL byte"},
      {"\xEF\xBB\xBFsecret\n", "\xEF\xBB\xBFsecret", "begins with a byte-order mark"},
      {"\xFF\xFE", "\xFF\xFE", "begins with a byte-order mark"},
      {"a\r\nb\n", "a\r\nb", "holds a line break and holds a carriage return"},
  };
  for (const auto& c : cases) {
    PasswordSource sources[2];
    sources[0].file = file_with(c.content);
    sources[1].command = "cat '" + sources[0].file + "'";
    chmod(sources[0].file.c_str(), 0600);
    for (const PasswordSource& source : sources) {
      std::vector<std::string> notices;
      const auto password = read_password(source, "", false, &notices);
      ASSERT_TRUE(password.ok());
      EXPECT_EQ(text_of(*password), c.taken);
      ASSERT_EQ(notices.size(), c.said != nullptr ? 1U : 0U) << c.taken;
      if (c.said != nullptr) {
        EXPECT_NE(notices[0].find(c.said), std::string::npos) << notices[0];
      }
    }
  }
}

TEST_F(PasswordSourceTest, FilesThatOthersCanReadAreNoticed) {
  for (const mode_t mode : {0600U, 0400U, 0640U, 0604U, 0644U}) {
    PasswordSource source;
    source.file = file_with("secret");
    ASSERT_EQ(chmod(source.file.c_str(), mode), 0);
    std::vector<std::string> notices;
    ASSERT_TRUE(read_password(source, "", false, &notices).ok());
    EXPECT_EQ(notices.size(), (mode & 044U) != 0 ? 1U : 0U) << mode;
    const FileDescriptor fd(open(source.file.c_str(), O_RDONLY | O_CLOEXEC));
    source.file.clear();
    source.fd = fd.get();
    notices.clear();
    ASSERT_TRUE(read_password(source, "", false, &notices).ok());
    EXPECT_EQ(notices.size(), (mode & 044U) != 0 ? 1U : 0U) << mode;
  }
}

// A child on a terminal of its own, which asks and reports through a pipe.
struct Prompted {
  pid_t child = -1;
  FileDescriptor terminal;
  FileDescriptor report;

  explicit Prompted(bool confirm) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
    int master = -1;
    child = forkpty(&master, nullptr, nullptr, nullptr);
    if (child == 0) {
      // Whoever started the tests may ignore some: a shell does so in the background.
      for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) signal(number, SIG_DFL);
      const auto password = read_password(PasswordSource{}, "Password: ", confirm);
      const std::string text =
          password ? "ok " + text_of(*password) : std::string("error ") + password.error().context;
      const bool sent = write(ends[1], text.data(), text.size()) > 0;
      _exit(sent ? 0 : 1);
    }
    close(ends[1]);
    terminal.reset(master);
    report.reset(ends[0]);
  }
  std::string read_until(const std::string& text) const {
    std::string seen;
    std::array<char, 256> chunk{};
    while (seen.find(text) == std::string::npos) {
      const ssize_t got = read(terminal.get(), chunk.data(), chunk.size());
      if (got <= 0) break;
      seen.append(chunk.data(), static_cast<std::size_t>(got));
    }
    return seen;
  }
  void type(const std::string& text) const {
    ASSERT_EQ(write(terminal.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  bool echo() const {
    termios state = {};
    return tcgetattr(terminal.get(), &state) == 0 && (state.c_lflag & ECHO) != 0;
  }
  std::string reported() const {
    std::array<char, 256> chunk{};
    const ssize_t got = read(report.get(), chunk.data(), chunk.size());
    return std::string(chunk.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  }
  int wait_status() const {
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }
};

TEST(PasswordPrompt, HidesWhatIsTyped) {
  const Prompted prompted(false);
  std::string screen = prompted.read_until("Password: ");
  EXPECT_FALSE(prompted.echo());
  prompted.type("s\xC3\xA4 cret\n");
  EXPECT_EQ(prompted.reported(), "ok s\xC3\xA4 cret");
  screen += prompted.read_until("\n");
  EXPECT_EQ(screen.find("cret"), std::string::npos);
  EXPECT_EQ(prompted.wait_status(), 0);
  EXPECT_EQ(screen, "Password: \r\n");
}

TEST(PasswordPrompt, ConfirmationMustMatch) {
  {
    const Prompted prompted(true);
    prompted.read_until("Password: ");
    prompted.type("one\n");
    prompted.read_until("again: ");
    prompted.type("one\n");
    EXPECT_EQ(prompted.reported(), "ok one");
    prompted.wait_status();
  }
  const Prompted prompted(true);
  prompted.read_until("Password: ");
  prompted.type("one\n");
  prompted.read_until("again: ");
  prompted.type("two\n");
  EXPECT_EQ(prompted.reported(), "error the two passwords differ");
  prompted.wait_status();
}

TEST(PasswordPrompt, EchoComesBackWhenASignalKills) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    const Prompted prompted(false);
    prompted.read_until("Password: ");
    EXPECT_FALSE(prompted.echo());
    if (number == SIGINT) {
      prompted.type("sec\x03");  // Ctrl-C
    } else {
      kill(prompted.child, number);
    }
    // The line break is said after the restoration.
    prompted.read_until("\n");
    EXPECT_TRUE(prompted.echo()) << "signal " << number;
    const int status = prompted.wait_status();
    ASSERT_TRUE(WIFSIGNALED(status)) << "signal " << number;
    EXPECT_EQ(WTERMSIG(status), number);
  }
}

TEST(PasswordPrompt, EndOfInputAndTooLongAreErrors) {
  {
    const Prompted prompted(false);
    prompted.read_until("Password: ");
    prompted.type("\x04");  // Ctrl-D
    EXPECT_EQ(prompted.reported(), "error end of input at the prompt");
    prompted.wait_status();
  }
  const Prompted prompted(false);
  prompted.read_until("Password: ");
  prompted.type(std::string(129, 'x') + "\n");
  EXPECT_EQ(prompted.reported().substr(0, 12), "error longer");
  prompted.wait_status();
}

TEST(PasswordPrompt, NoTerminalIsAnErrorNotAWait) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    setsid();  // gives up the controlling terminal
    const auto password = read_password(PasswordSource{}, "Password: ", false);
    _exit(!password && password.error().code == ErrorCode::invalid_argument ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace volt
