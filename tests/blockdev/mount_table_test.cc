// The kernel's mount table: escapes, optional fields, mounts on mounts.
#include "blockdev/host/mount_table.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>
#include <string>
#include <utility>

#include "tests/support/temp_folder.h"

namespace volt {
namespace {

// The layout is that of proc(5), /proc/PID/mountinfo.
constexpr const char* sample =
    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro\n"
    "40 22 0:38 / /mnt/a\\040b\\011\\134c rw,nosuid,nodev shared:7 master:2 - fuse.volt "
    "/home/me/my\\040file rw,user_id=1000,group_id=1000\n"
    "broken line\n"
    "41 22 0:39 / /mnt/x rw - tmpfs tmpfs rw\n"
    "42 41 0:40 / /mnt/x rw - fuse.volt /c rw,user_id=0,group_id=0\n";

TEST(MountTable, ReadsEveryWholeLine) {
  std::istringstream text(sample);
  const auto mounts = parse_mounts(text);
  ASSERT_EQ(mounts.size(), 4U);
  EXPECT_EQ(mounts[0].mount_point, "/");
  EXPECT_FALSE(mounts[0].ours());
  EXPECT_FALSE(mounts[0].user_id.has_value());
  EXPECT_EQ(mounts[1].mount_point, "/mnt/a b\t\\c");
  EXPECT_EQ(mounts[1].source, "/home/me/my file");
  EXPECT_TRUE(mounts[1].ours());
  EXPECT_EQ(mounts[1].user_id, 1000U);
  EXPECT_EQ(mounts[1].minor, 38U);
}

std::optional<MountEntry> only_mount(const std::string& text) {
  std::istringstream stream(text);
  auto mounts = parse_mounts(stream);
  if (mounts.size() != 1) return std::nullopt;
  return std::move(mounts.front());
}

TEST(MountTable, EveryFieldIsThere) {
  const auto mount = only_mount(
      "36 35 98:7 /m /mnt/a rw,noatime shared:1 master:2 - btrfs /dev/sda1 rw,compress=zstd\n");
  ASSERT_TRUE(mount.has_value());
  EXPECT_EQ(mount->id, 36U);
  EXPECT_EQ(mount->major, 98U);
  EXPECT_EQ(mount->minor, 7U);
  EXPECT_EQ(mount->mount_options, "rw,noatime");
  EXPECT_EQ(mount->fs_type, "btrfs");
  EXPECT_EQ(mount->source, "/dev/sda1");
  EXPECT_EQ(mount->super_options, "rw,compress=zstd");
}

TEST(MountTable, OddNames) {
  struct Case {
    const char* written;
    const char* name;
  };
  for (const auto& [written, name] : {
           Case{"/a\\012b", "/a\nb"},
           Case{"/a\\134040", "/a\\040"},  // a backslash, then digits
           Case{"/a\\", "/a\\"},           // not the kernel's, and kept
           Case{"/a\\0", "/a\\0"},
           Case{"/a\\999", "/a\\999"},
           Case{"/a\rb\vc\fd", "/a\rb\vc\fd"},  // white space that is not escaped
           Case{"-", "-"},
           Case{"/\303\244", "/\303\244"},
       }) {
    const auto mount =
        only_mount(std::string("41 22 0:39 / ") + written + " rw shared:1 - tmpfs tmpfs rw\n");
    ASSERT_TRUE(mount.has_value()) << name;
    EXPECT_EQ(mount->mount_point, name);
  }
}

// `mount -t tmpfs "" /mnt/x`
TEST(MountTable, ASourceMayBeEmpty) {
  const auto mount = only_mount("41 22 0:39 / /mnt/x rw - tmpfs  rw,size=4k\n");
  ASSERT_TRUE(mount.has_value());
  EXPECT_EQ(mount->source, "");
  EXPECT_EQ(mount->super_options, "rw,size=4k");
}

TEST(MountTable, TheLastLineMayEndWithoutNewline) {
  const auto mount = only_mount("41 22 0:39 / /mnt/x rw - tmpfs tmpfs rw");
  ASSERT_TRUE(mount.has_value());
  EXPECT_EQ(mount->super_options, "rw");
}

TEST(MountTable, LinesThatDoNotFitAreLeftOut) {
  for (const char* line : {"36 35 98:0 /m", "36 35 98:0 / /a rw -", "36 35 98 / /a rw - t s rw",
                           "x 35 98:0 / /a rw - t s rw", "36 35 98:x / /a rw - t s rw",
                           "36 35 98:0 / /a rw - t s", "", " "}) {
    EXPECT_FALSE(only_mount(line).has_value()) << line;
  }
}

TEST(MountTable, OfAnotherProcess) {
  const auto own = read_mounts_of(std::to_string(::getpid()));
  ASSERT_TRUE(own.ok());
  EXPECT_TRUE(find_mount(*own, "/proc").has_value());
  EXPECT_EQ(read_mounts_of("0").error().code, ErrorCode::not_found);
}

TEST(MountTable, TellsWhatIsMountedFromADevice) {
  MountEntry mount;
  const auto is_from_loop1 = [&mount](const char* source) {
    mount.source = source;
    return mount_is_from(mount, "/dev/loop1");
  };
  EXPECT_TRUE(is_from_loop1("/dev/loop1"));
  EXPECT_TRUE(is_from_loop1("/dev/loop1p12"));
  for (const char* other :
       {"/dev/loop10", "/dev/loop1p", "/dev/loop1px", "/dev/loop", "tmpfs", ""}) {
    EXPECT_FALSE(is_from_loop1(other)) << other;
  }
}

TEST(MountTable, TheLastMountOnAFolderIsOnTop) {
  std::istringstream text(sample);
  const auto mounts = parse_mounts(text);
  const auto top = find_mount(mounts, "/mnt/x");
  ASSERT_TRUE(top.has_value());
  EXPECT_EQ(top->fs_type, volt_fs_type);
  EXPECT_FALSE(find_mount(mounts, "/mnt").has_value());
}

TEST(MountTable, TheRealOneHasProc) {
  const auto mounts = read_mounts();
  ASSERT_TRUE(mounts.ok());
  // Not "/": in a chroot it need not be a mount.
  EXPECT_TRUE(find_mount(*mounts, "/proc").has_value());
}

TEST(MountTable, CanonicalPathsOfFolders) {
  EXPECT_EQ(*canonical_mount_point("/proc/../proc/."), "/proc");
  EXPECT_EQ(canonical_mount_point("/no/such/folder").error().code, ErrorCode::not_found);
}

// In a mount namespace of its own, in a child: 0 where all is as it should be, else the step.
int unmount_after_a_swap(const std::string& work) {
  const auto folder = [&](const char* name) { return work + "/" + name; };
  if (::unshare(CLONE_NEWNS) != 0) return 77;
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 77;
  for (const char* name : {"a", "a/m", "b", "b/m"}) ::mkdir(folder(name).c_str(), 0700);
  for (const char* name : {"a/m", "b/m"}) {
    if (::mount("none", folder(name).c_str(), "tmpfs", 0, nullptr) != 0) return 77;
  }
  const auto before = read_mounts();
  const auto mine = before ? find_mount(*before, folder("a/m")) : std::nullopt;
  if (!mine) return 1;
  ::rename(folder("a").c_str(), folder("c").c_str());
  if (::symlink("b", folder("a").c_str()) != 0) return 2;
  // The name leads to the other mount by now.
  const Status swapped = unmount(*mine, /*lazy=*/true);
  if (swapped || swapped.error().code != ErrorCode::not_found) return 3;
  const auto after = read_mounts();
  if (!after || !find_mount(*after, folder("b/m"))) return 4;
  const auto moved = find_mount(*after, folder("c/m"));
  if (!moved || !unmount(*moved, /*lazy=*/false)) return 5;
  if (open_in_mount(*mine, "x", O_RDONLY).ok()) return 6;
  return 0;
}

TEST(MountTable, WhatIsUnmountedIsTheMountAndNotItsName) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const TempFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(unmount_after_a_swap(folder.path()));
  int state = 0;
  ASSERT_EQ(::waitpid(child, &state, 0), child);
  ASSERT_TRUE(WIFEXITED(state));
  if (WEXITSTATUS(state) == 77) GTEST_SKIP() << "mount namespaces cannot be made here";
  EXPECT_EQ(WEXITSTATUS(state), 0) << "step";
}

}  // namespace
}  // namespace volt
