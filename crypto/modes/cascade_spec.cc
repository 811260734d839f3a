#include "crypto/modes/cascade_spec.h"

#include "crypto/base/same_name.h"

namespace volt {
namespace {

constexpr auto aes = CipherId::aes;
constexpr auto serpent = CipherId::serpent;
constexpr auto twofish = CipherId::twofish;
constexpr auto camellia = CipherId::camellia;
constexpr auto kuznyechik = CipherId::kuznyechik;
constexpr auto blowfish = CipherId::blowfish;
constexpr auto cast5 = CipherId::cast5;
constexpr auto des3 = CipherId::des3;
constexpr auto idea = CipherId::idea;

// name, label, layers, order of encryption (the label's reverse), veracrypt, truecrypt, legacy
constexpr CascadeSpec cascades[] = {
    {"aes", "AES", 1, {aes}, true, true, false},
    {"serpent", "Serpent", 1, {serpent}, true, true, false},
    {"twofish", "Twofish", 1, {twofish}, true, true, false},
    {"camellia", "Camellia", 1, {camellia}, true, false, false},
    {"kuznyechik", "Kuznyechik", 1, {kuznyechik}, true, false, false},
    {"aes-twofish-serpent", "AES-Twofish-Serpent", 3, {serpent, twofish, aes}, true, true, false},
    {"serpent-twofish-aes", "Serpent-Twofish-AES", 3, {aes, twofish, serpent}, true, true, false},
    {"aes-twofish", "AES-Twofish", 2, {twofish, aes}, true, true, false},
    {"serpent-aes", "Serpent-AES", 2, {aes, serpent}, true, true, false},
    {"twofish-serpent", "Twofish-Serpent", 2, {serpent, twofish}, true, true, false},
    {"kuznyechik-aes", "Kuznyechik-AES", 2, {aes, kuznyechik}, true, false, false},
    {"camellia-serpent", "Camellia-Serpent", 2, {serpent, camellia}, true, false, false},
    {"camellia-kuznyechik", "Camellia-Kuznyechik", 2, {kuznyechik, camellia}, true, false, false},
    {"kuznyechik-twofish", "Kuznyechik-Twofish", 2, {twofish, kuznyechik}, true, false, false},
    {"kuznyechik-serpent-camellia",
     "Kuznyechik-Serpent-Camellia",
     3,
     {camellia, serpent, kuznyechik},
     true,
     false,
     false},
    {"blowfish", "Blowfish", 1, {blowfish}, false, false, true},
    {"cast5", "CAST5", 1, {cast5}, false, false, true},
    {"des3", "Triple DES", 1, {des3}, false, false, true},
    {"idea", "IDEA", 1, {idea}, false, false, true},
    {"aes-blowfish", "AES-Blowfish", 2, {blowfish, aes}, false, false, true},
    {"aes-blowfish-serpent",
     "AES-Blowfish-Serpent",
     3,
     {serpent, blowfish, aes},
     false,
     false,
     true},
};

constexpr CascadeSpec aes128_row{"aes-128", "AES-128", 1, {CipherId::aes128}, false, false, false};

}  // namespace

std::span<const CascadeSpec> all_cascades() noexcept {
  return cascades;
}

const CascadeSpec* find_cascade(std::string_view name) noexcept {
  for (const CascadeSpec& spec : cascades) {
    if (same_name(name, spec.name) || same_name(name, spec.label)) return &spec;
  }
  return nullptr;
}

const CascadeSpec& aes128_spec() noexcept {
  return aes128_row;
}

}  // namespace volt
