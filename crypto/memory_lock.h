// Whether secrets of this process could be kept out of the swap space.
#pragma once

namespace volt {

// False once a buffer of the size of keys and passwords (SecureBuffer, up to 64 KiB) could not be
// locked in memory: the limit RLIMIT_MEMLOCK was too small. Large buffers, which hold data and the
// memory of Argon2, do not count. Any thread.
bool secrets_are_locked() noexcept;

}  // namespace volt
