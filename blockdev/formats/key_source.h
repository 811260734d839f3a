// What a person has to open a volume with.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "crypto/base/bytes.h"
#include "crypto/kdf/keyfile_pool.h"

namespace volt {

// Whatever of it is there; which of it opens a volume is the format's matter. Borrowed: all that it
// points to must outlive it.
struct KeySource {
  // As typed, without key files. A format with recovery keys takes one of them here as well, and
  // knows it by its form.
  ByteSpan password;
  // Key files, mixed as TrueCrypt does (null: none), and their names as typed, for formats that
  // take a file whole.
  const KeyfilePool* keyfiles = nullptr;
  std::span<const std::string> keyfile_names;
  std::uint32_t pim = 0;  // 0: the default
  ByteSpan volume_key;    // the key that the data are encrypted with; empty: not known
};

// The kinds of keys that a format's volumes open with.
struct KeyKinds {
  bool password = false;
  bool keyfiles = false;      // beside a password, or alone
  std::uint32_t max_pim = 0;  // 0: there is no PIM
  bool recovery_key = false;  // typed where a password would be
  bool volume_key = false;
};

}  // namespace volt
