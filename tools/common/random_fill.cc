#include "tools/common/random_fill.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "crypto/base/random.h"
#include "crypto/base/secure_buffer.h"
#include "crypto/modes/cascade.h"

namespace volt {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

}  // namespace

Status fill_random(BlockDevice& device, std::uint64_t offset, std::uint64_t length,
                   const std::atomic<bool>& cancel,
                   const std::function<void(std::uint64_t)>& progress) {
  const CascadeSpec& spec = *find_cascade("aes");
  auto keys = SecureBuffer::create(spec.xts_key_bytes());
  if (!keys.ok()) return keys.error();
  VOLT_TRY(random_bytes(keys->span()));
  auto cipher = CascadeCipher::create(spec, keys->span());
  if (!cipher.ok()) return cipher.error();
  // Nothing secret in either: only the keys are.
  const std::vector<std::uint8_t> zeros(chunk_bytes);
  std::vector<std::uint8_t> chunk(chunk_bytes);

  for (std::uint64_t done = 0; done < length;) {
    if (cancel.load(std::memory_order_relaxed)) {
      return Error{ErrorCode::cancelled, 0, "interrupted", done};
    }
    const auto bytes =
        static_cast<std::size_t>(std::min<std::uint64_t>(chunk_bytes, length - done));
    (*cipher)->encrypt_units((offset + done) / unit_bytes, zeros.data(), chunk.data(),
                             bytes / unit_bytes);
    VOLT_TRY(device.write(offset + done, ByteSpan(chunk.data(), bytes)));
    done += bytes;
    if (progress) progress(done);
  }
  return {};
}

}  // namespace volt
