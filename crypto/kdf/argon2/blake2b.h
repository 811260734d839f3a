// BLAKE2b (RFC 7693), unkeyed: the hash inside Argon2.
#pragma once

#include <initializer_list>

#include "crypto/base/bytes.h"

namespace volt {

// Hashes the parts one after the other. `digest` is 1 to 64 bytes long; its length is part of the
// hash. Wipes its working memory.
void blake2b(std::initializer_list<ByteSpan> parts, MutableByteSpan digest) noexcept;

}  // namespace volt
