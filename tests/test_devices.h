// Devices, ciphers and data that the device tests share.
#pragma once

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "blockdev/block_device.h"
#include "blockdev/forwarding_device.h"
#include "blockdev/io_range.h"
#include "blockdev/memory_device.h"
#include "blockdev/seeded_random.h"
#include "crypto/cascade.h"

namespace volt {

// Page-aligned, so that it suits every device.
template <class T>
struct PageAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{4096};
  PageAllocator() noexcept = default;
  template <class U>
  PageAllocator(const PageAllocator<U>&) noexcept {}  // NOLINT: as the standard wants it
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), alignment));
  }
  void deallocate(T* memory, std::size_t) noexcept { ::operator delete(memory, alignment); }
  friend bool operator==(const PageAllocator&, const PageAllocator&) { return true; }
};
using Bytes = std::vector<std::uint8_t, PageAllocator<std::uint8_t>>;

inline Bytes random_bytes_of(std::size_t size, std::uint64_t seed) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; i += 8) {
    const std::uint64_t word = next_random(&seed);
    std::memcpy(bytes.data() + i, &word, std::min<std::size_t>(8, size - i));
  }
  return bytes;
}

inline DevicePtr memory_device(std::uint64_t size, std::uint32_t alignment = 1) {
  auto device = MemoryDevice::create(size, alignment);
  EXPECT_TRUE(device.ok());
  return *std::move(device);
}

// Not a cipher: adds a stream that depends on the unit's number and the byte's place. Cheap, its
// own kind of wrong for every mix-up of units, and not its own inverse.
class ToyCipher final : public UnitCipher {
 public:
  explicit ToyCipher(std::size_t unit_length = unit_bytes) noexcept : unit_length_(unit_length) {}
  std::size_t data_unit_bytes() const noexcept override { return unit_length_; }
  void encrypt_units(std::uint64_t first_unit, const std::uint8_t* in, std::uint8_t* out,
                     std::size_t units) const noexcept override {
    apply(first_unit, in, out, units, 1);
  }
  void decrypt_units(std::uint64_t first_unit, const std::uint8_t* in, std::uint8_t* out,
                     std::size_t units) const noexcept override {
    apply(first_unit, in, out, units, -1);
  }
  std::string kernel_names() const override { return "toy"; }

 private:
  void apply(std::uint64_t unit, const std::uint8_t* in, std::uint8_t* out, std::size_t units,
             int sign) const noexcept {
    for (; units > 0; --units, ++unit, in += unit_length_, out += unit_length_) {
      std::uint64_t state = unit;
      const auto start = static_cast<int>(next_random(&state) & 0xFF);
      for (int i = 0; i < static_cast<int>(unit_length_); ++i) {
        out[i] = static_cast<std::uint8_t>(in[i] + sign * (start + 7 * i));
      }
    }
  }

  std::size_t unit_length_;
};

// Demands as much as a disk under direct I/O: blocks and memory alignment.
class PickyDevice final : public ForwardingDevice {
 public:
  PickyDevice(DevicePtr child, std::uint32_t block_bytes, std::uint32_t memory_alignment)
      : ForwardingDevice(demands(child->geometry(), block_bytes, memory_alignment),
                         std::move(child)) {}

 private:
  static Geometry demands(Geometry geometry, std::uint32_t block_bytes,
                          std::uint32_t memory_alignment) {
    geometry.alignment_bytes = block_bytes;
    geometry.memory_alignment = memory_alignment;
    geometry.size_bytes = align_down(geometry.size_bytes, block_bytes);
    return geometry;
  }
  bool do_plan(PlannedIo* io) noexcept override { return plan_child(io); }
};

// A folder of its own that goes away again.
class TempDir {
 public:
  explicit TempDir(const char* parent = nullptr) {
    std::string name = (parent != nullptr ? std::filesystem::path(parent)
                                          : std::filesystem::temp_directory_path()) /
                       "volt-test-XXXXXX";
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // A sparse file of that size.
  std::string make_file(const std::string& name, std::uint64_t size) const {
    const auto file = path_ / name;
    std::ofstream(file).close();
    std::filesystem::resize_file(file, size);
    return file.string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace volt
