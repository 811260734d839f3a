// The page cache between the tester and the target: emptied before the clock, looked at afterwards.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "crypto/base/result.h"

namespace volt {

// Asks the kernel to forget the clean pages of the file; needs no privilege. Dirty pages are
// written first where the descriptor can write.
void drop_file_cache(int fd) noexcept;

// The same by name, for a file that somebody else has open; does nothing where it cannot be opened.
void drop_file_cache(const std::string& path) noexcept;

// Everybody's clean pages: root only. Errors: permission.
Status drop_all_caches() noexcept;

// Share (0..1) of the range that is in the page cache; nothing where the kernel does not tell
// (cachestat(2), else mincore(2)).
std::optional<double> cached_share(int fd, std::uint64_t offset, std::uint64_t bytes) noexcept;
std::optional<double> cached_share(const std::string& path) noexcept;

}  // namespace volt
