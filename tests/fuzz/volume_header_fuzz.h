// Entry points of the header fuzzer.
#pragma once

#include <cstddef>
#include <cstdint>

namespace volt {

// Aborts where an invariant is broken.
void fuzz_header(const std::uint8_t* data, std::size_t size);

// Whether these bytes are taken for a header as they are.
bool header_fuzz_opens(const std::uint8_t* data, std::size_t size);

}  // namespace volt
