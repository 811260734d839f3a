// Names as people write them: "AES-Twofish", "SHA-512" and "sha512" mean what the tables mean.
#pragma once

#include <string_view>

namespace volt {

// Whether two names have the same letters and digits, in any letter case; hyphens, underscores,
// spaces and brackets do not count ("AES(Twofish)" is "aes-twofish"). ASCII only. Two empty names
// are not the same.
bool same_name(std::string_view a, std::string_view b) noexcept;

// What `name` has behind `prefix`, where it begins with it in any letter case; else all of it.
std::string_view without_prefix(std::string_view name, std::string_view prefix) noexcept;

}  // namespace volt
