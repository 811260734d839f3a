#include "tests/fuzz/volume_header_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  volt::fuzz_header(data, size);
  return 0;
}
