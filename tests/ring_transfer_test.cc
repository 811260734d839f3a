// Transfers that the kernel ends before they are whole, as a ring worker meets them.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "blockdev/stats_device.h"
#include "daemon/worker_pool.h"
#include "tests/counting_door/counting_door.h"

namespace volt {
namespace {

// Its planned reads come from a pipe of packets: each gives one packet, however much is asked for.
class PacketDevice final : public BlockDevice {
 public:
  explicit PacketDevice(int pipe_end) : BlockDevice(Geometry{.size_bytes = 65536}), fd_(pipe_end) {}

 private:
  Status do_read(std::uint64_t, MutableByteSpan) noexcept override { return unplanned(); }
  Status do_write(std::uint64_t, ByteSpan) noexcept override { return unplanned(); }
  Status do_flush() noexcept override { return {}; }
  bool do_plan(PlannedIo* io) noexcept override {
    io->fd = fd_;
    return !io->write;
  }
  static Status unplanned() { return Error{ErrorCode::not_supported, 0, "not planned", 0}; }

  int fd_;
};

class RingTransfer : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::pipe2(pipe_, O_DIRECT | O_CLOEXEC), 0);
    auto stats = std::make_unique<StatsDevice>(std::make_unique<PacketDevice>(pipe_[0]));
    volume_.stats = stats.get();
    volume_.device = std::move(stats);
    auto pool = WorkerPool::create({1, IoEngine::io_uring, false, true});
    if (!pool) GTEST_SKIP() << "no io_uring here";
    pool_ = std::make_unique<WorkerPool>(std::move(*pool));
    std::string why;
    auto door = CountingDoor::open({&volume_, &pool_->first_buffer(), false}, &why);
    ASSERT_TRUE(door) << why;
    door_.reset(static_cast<CountingDoor*>(door->release()));
    ASSERT_TRUE(pool_->start(&volume_, door_.get()));
  }
  void TearDown() override {
    end_of_data();
    if (door_ != nullptr) {
      EXPECT_TRUE(door_->close());
    }
    pool_.reset();
    ::close(pipe_[0]);
  }
  void put(const std::uint8_t* data, std::size_t bytes) const {
    ASSERT_EQ(::write(pipe_[1], data, bytes), static_cast<ssize_t>(bytes));
  }
  void end_of_data() {
    if (pipe_[1] >= 0) ::close(pipe_[1]);
    pipe_[1] = -1;
  }

  int pipe_[2] = {-1, -1};
  ServedVolume volume_;
  std::unique_ptr<CountingDoor> door_;
  std::unique_ptr<WorkerPool> pool_;
};

TEST_F(RingTransfer, IsGoneOnWithUntilItIsWhole) {
  std::vector<std::uint8_t> data(4096);
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  put(data.data(), 1000);
  put(data.data() + 1000, 1);
  put(data.data() + 1001, 3095);
  std::vector<std::uint8_t> payload;
  door_->ask(CountingDoor::read_kind, 1, 8192, 4096);
  EXPECT_EQ(door_->next_answer(&payload).kind, 4096);
  EXPECT_EQ(payload, data);
  EXPECT_EQ(volume_.stats->counters(IoKind::read).errors, 0U);
}

TEST_F(RingTransfer, ThatEndsEarlyIsAnError) {
  const std::vector<std::uint8_t> data(1000, 1);
  put(data.data(), data.size());
  end_of_data();
  std::vector<std::uint8_t> payload;
  door_->ask(CountingDoor::read_kind, 1, 8192, 4096);
  EXPECT_EQ(door_->next_answer(&payload).kind, -EIO);
  EXPECT_EQ(volume_.stats->counters(IoKind::read).errors, 1U);
}

}  // namespace
}  // namespace volt
