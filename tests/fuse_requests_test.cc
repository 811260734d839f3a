// The kernel's requests taken apart: what is a read or write of the volume, and with which bytes.
#include <gtest/gtest.h>
#include <linux/fuse.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "daemon/exported_files.h"
#include "daemon/fast_path.h"

namespace volt {
namespace {

class FuseRequests : public ::testing::Test {
 protected:
  FuseRequests() : memory_(RequestBuffer::bytes), buffer_(MutableByteSpan(memory_)) {}

  template <typename Body>
  std::size_t put(std::uint32_t opcode, std::uint64_t node, const Body& body) {
    fuse_in_header header{};
    header.opcode = opcode;
    header.nodeid = node;
    header.unique = 42;
    std::memcpy(buffer_.request(), &header, sizeof header);
    std::memcpy(buffer_.request() + sizeof header, &body, sizeof body);
    return sizeof header + sizeof body;
  }
  std::size_t put_read(std::uint64_t node, std::uint64_t offset, std::uint32_t size) {
    fuse_read_in body{};
    body.offset = offset;
    body.size = size;
    return put(FUSE_READ, node, body);
  }
  std::size_t put_write(std::uint64_t offset, std::uint32_t size, std::size_t payload) {
    fuse_write_in body{};
    body.offset = offset;
    body.size = size;
    return put(FUSE_WRITE, volume_file, body) + payload;
  }

  std::vector<std::uint8_t> memory_;
  RequestBuffer buffer_;
  VolumeRequest request_;
};

TEST_F(FuseRequests, AReadOfTheVolume) {
  const std::size_t length = put_read(volume_file, 12345, 4096);
  ASSERT_TRUE(parse_volume_request(buffer_, length, &request_));
  EXPECT_FALSE(request_.write);
  EXPECT_EQ(request_.unique, 42U);
  EXPECT_EQ(request_.offset, 12345U);
  EXPECT_EQ(request_.data.size(), 4096U);
  EXPECT_EQ(request_.data.data(), buffer_.payload());
}

TEST_F(FuseRequests, AWriteHasItsDataOnAPage) {
  const std::size_t length = put_write(512, 8192, 8192);
  ASSERT_TRUE(parse_volume_request(buffer_, length, &request_));
  EXPECT_TRUE(request_.write);
  EXPECT_EQ(request_.data.size(), 8192U);
  EXPECT_EQ(request_.data.data(),
            buffer_.request() + sizeof(fuse_in_header) + sizeof(fuse_write_in));
}

TEST_F(FuseRequests, OtherFilesAndOtherRequestsAreNotTheVolumes) {
  EXPECT_FALSE(parse_volume_request(buffer_, put_read(status_file, 0, 4096), &request_));
  EXPECT_FALSE(parse_volume_request(buffer_, put_read(root_file, 0, 4096), &request_));
  for (const std::uint32_t opcode : {FUSE_FSYNC, FUSE_GETATTR, FUSE_INTERRUPT, FUSE_FALLOCATE}) {
    fuse_read_in body{};
    EXPECT_FALSE(parse_volume_request(buffer_, put(opcode, volume_file, body), &request_));
  }
  EXPECT_TRUE(is_interrupt(buffer_, put(FUSE_INTERRUPT, volume_file, fuse_interrupt_in{})));
  EXPECT_FALSE(is_interrupt(buffer_, put_read(volume_file, 0, 1)));
}

TEST_F(FuseRequests, SizesThatLieStayInsideTheBuffer) {
  ASSERT_TRUE(parse_volume_request(buffer_, put_read(volume_file, ~std::uint64_t{0}, 0xFFFFFFFF),
                                   &request_));
  EXPECT_EQ(request_.data.size(), max_request_bytes);
  ASSERT_TRUE(parse_volume_request(buffer_, put_write(0, 0xFFFFFFFF, 100), &request_));
  EXPECT_EQ(request_.data.size(), 100U);
  ASSERT_TRUE(parse_volume_request(buffer_, put_write(0, 10, 100), &request_));
  EXPECT_EQ(request_.data.size(), 10U);
}

TEST_F(FuseRequests, TruncatedRequestsAreNobodys) {
  const std::size_t read_length = put_read(volume_file, 0, 4096);
  for (std::size_t length = 0; length < read_length; ++length) {
    EXPECT_FALSE(parse_volume_request(buffer_, length, &request_)) << length;
  }
  const std::size_t write_length = put_write(0, 4096, 0);
  for (std::size_t length = 0; length < write_length; ++length) {
    EXPECT_FALSE(parse_volume_request(buffer_, length, &request_)) << length;
  }
  EXPECT_FALSE(is_interrupt(buffer_, sizeof(fuse_in_header) - 1));
}

TEST_F(FuseRequests, NoiseNeverPointsOutsideTheBuffer) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    for (std::size_t at = 0; at < RequestBuffer::header_bytes; at += 8) {
      const std::uint64_t word = random();
      std::memcpy(buffer_.request() + at, &word, 8);
    }
    if (i % 2 == 0) {  // near misses: the right file, and one of the two kinds
      fuse_in_header header{};
      std::memcpy(&header, buffer_.request(), sizeof header);
      header.nodeid = volume_file;
      header.opcode = i % 4 == 0 ? FUSE_READ : FUSE_WRITE;
      std::memcpy(buffer_.request(), &header, sizeof header);
    }
    const std::size_t length = random() % (buffer_.request_bytes() + 1);
    if (!parse_volume_request(buffer_, length, &request_)) continue;
    ASSERT_EQ(request_.data.data(), buffer_.payload());
    ASSERT_LE(request_.data.size(), max_request_bytes);
    if (request_.write) {
      ASSERT_LE(request_.data.size() + RequestBuffer::header_bytes, length);
    }
  }
}

}  // namespace
}  // namespace volt
