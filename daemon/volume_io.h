// Reads and writes of any range, with the end of the volume treated as a block device treats it.
#pragma once

#include <cstdint>

#include "crypto/bytes.h"
#include "daemon/served_volume.h"

namespace volt {

// Bytes done, or a negative errno, as the kernel's own read and write methods. A read past the end
// gives 0, one across it is short; a write across it is short, one past it gives ENOSPC. A write's
// buffer holds nothing of use afterwards.
std::int64_t read_volume(ServedVolume& volume, std::uint64_t offset, MutableByteSpan out) noexcept;
std::int64_t write_volume(ServedVolume& volume, std::uint64_t offset,
                          MutableByteSpan data) noexcept;
// The same in two steps around a transfer that the caller does (BlockDevice::plan and finish), with
// what read_volume() or write_volume() would give. plan_volume_io() false: use these instead.
bool plan_volume_io(ServedVolume& volume, PlannedIo* io) noexcept;
// `offset`: of the request; `transferred`: bytes, or the error that ended the transfer.
std::int64_t finish_volume_io(ServedVolume& volume, std::uint64_t offset, PlannedIo* io,
                              Result<std::size_t> transferred) noexcept;
// 0 or a negative errno.
int flush_volume(ServedVolume& volume) noexcept;
int discard_volume(ServedVolume& volume, std::uint64_t offset, std::uint64_t length) noexcept;

}  // namespace volt
