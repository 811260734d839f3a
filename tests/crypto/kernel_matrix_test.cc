// Every row of the kernel table that this processor can run, forced in turn, with both sizes of
// data units, against published vectors and against implementations by others.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "crypto/base/cpu_features.h"
#include "crypto/modes/kernel_table.h"
#include "tests/support/guarded_buffer.h"
#include "tests/support/test_data.h"
#include "tests/support/vec_reader.h"
#include "tests/support/xts_oracle.h"

namespace volt {
namespace {

using Seed = std::mt19937_64::result_type;
constexpr Seed default_seed = 20130901;

// A row with one of its two pairs of functions.
struct Case {
  const XtsKernel* kernel;
  DataUnit unit;
};

// "aes128_vaes", and with units of 4096 bytes "aes128_vaes_4096".
std::string full_name(const XtsKernel& kernel, DataUnit unit = DataUnit::bytes512) {
  std::string cipher = cipher_name(kernel.cipher);
  cipher.erase(std::remove(cipher.begin(), cipher.end(), '-'), cipher.end());
  return cipher + "_" + kernel.name + (unit == DataUnit::bytes512 ? "" : "_4096");
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const XtsKernel* kernel : all_kernels()) {
    cases.push_back({kernel, DataUnit::bytes512});
    cases.push_back({kernel, DataUnit::bytes4096});
  }
  return cases;
}

bool is_aes(const XtsKernel& kernel) {
  return kernel.cipher == CipherId::aes || kernel.cipher == CipherId::aes128;
}

std::set<std::string> exercised;

// A keyed kernel; the schedule ends at a guard page.
class Keyed {
 public:
  Keyed(const Case& which, const Bytes& keys)
      : kernel_(*which.kernel),
        functions_(units_functions(kernel_, which.unit)),
        unit_size_(bytes_of(which.unit)),
        memory_(kernel_.schedule_bytes + schedule_alignment) {
    auto end = reinterpret_cast<std::uintptr_t>(memory_.at_end()) + memory_.size();
    schedule_ = reinterpret_cast<void*>((end - kernel_.schedule_bytes) / schedule_alignment *
                                        schedule_alignment);
    kernel_.expand(keys.data(), keys.data() + keys.size() / 2, schedule_);
    exercised.insert(full_name(kernel_, which.unit));
  }
  Keyed(const Keyed&) = delete;
  Keyed& operator=(const Keyed&) = delete;
  ~Keyed() {
    if (kernel_.destroy != nullptr) kernel_.destroy(schedule_);
  }
  void run(bool encrypting, std::uint64_t unit, const std::uint8_t* in, std::uint8_t* out,
           std::size_t units) const {
    (encrypting ? functions_.encrypt : functions_.decrypt)(schedule_, unit, in, out, units);
  }
  Bytes run(bool encrypting, std::uint64_t unit, const Bytes& in) const {
    Bytes out(in.size());
    run(encrypting, unit, in.data(), out.data(), in.size() / unit_size_);
    return out;
  }

 private:
  const XtsKernel& kernel_;
  const XtsKernel::UnitsFunctions& functions_;
  std::size_t unit_size_;
  GuardedBuffer memory_;
  void* schedule_ = nullptr;
};

Bytes random_bytes_of(std::mt19937_64& rng, std::size_t size) {
  Bytes bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(rng());
  return bytes;
}

// Where two runs differ first, for messages; -1 where they are equal.
std::ptrdiff_t first_difference(const std::uint8_t* a, const std::uint8_t* b, std::size_t size) {
  const auto at = std::mismatch(a, a + size, b).first;
  return at == a + size ? -1 : at - a;
}

class KernelMatrix : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if ((kernel().required_features & ~cpu_features()) != 0) {
      GTEST_SKIP() << "this processor lacks "
                   << cpu_feature_names(kernel().required_features & ~cpu_features());
    }
    RecordProperty("seed", std::to_string(default_seed));
  }
  static const XtsKernel& kernel() { return *GetParam().kernel; }
  static std::size_t unit_size() { return bytes_of(GetParam().unit); }
  Bytes random_keys() { return random_bytes_of(rng_, 2 * cipher_key_bytes(kernel().cipher)); }
  static std::unique_ptr<XtsOracle> oracle(const Bytes& keys) {
    return xts_oracle(kernel().cipher, keys, GetParam().unit);
  }
  // The cases of a file of XTS vectors for the start of a data unit: `In` fills the first blocks,
  // the rest does not matter to them. How many there were.
  static std::size_t check_unit_starts(const std::vector<VectorCase>& cases);
  std::mt19937_64 rng_{default_seed};
};

// The unit numbers at which carries happen: 2^32, the signed limit, and the wrap at 2^64.
constexpr std::uint64_t interesting_units[] = {
    0, 1, 0xFFFFFFF0, 0x1FFFFFFFD, 0x7FFFFFFFFFFFFFF0, 0xFFFFFFFFFFFFFFFF - 6,
};

std::size_t KernelMatrix::check_unit_starts(const std::vector<VectorCase>& cases) {
  std::size_t used = 0;
  for (const VectorCase& vector : cases) {
    SCOPED_TRACE(vector.line);
    const Bytes& nonce = vector.at("Nonce");
    const std::size_t size = vector.at("In").size();
    const bool numbered =
        std::all_of(nonce.begin() + 8, nonce.end(), [](auto b) { return b == 0; });
    if (!numbered || size % 16 != 0 || size > unit_size()) continue;
    const Keyed keyed(GetParam(), vector.at("Key"));
    const std::uint64_t unit = load_le<std::uint64_t>(nonce.data());
    const auto start_of = [&](bool encrypting, Bytes in) {
      in.resize(unit_size());
      Bytes out = keyed.run(encrypting, unit, in);
      out.resize(size);
      return out;
    };
    EXPECT_EQ(start_of(true, vector.at("In")), vector.at("Out"));
    EXPECT_EQ(start_of(false, vector.at("Out")), vector.at("In"));
    ++used;
  }
  return used;
}

TEST_P(KernelMatrix, Ieee1619Vectors) {
  if (!is_aes(kernel())) GTEST_SKIP() << "the vectors are of AES";
  const char* root = std::getenv("VOLT_SOURCE_ROOT");
  const auto path = std::filesystem::path(root != nullptr ? root : ".") / "tests/vectors";
  if (kernel().cipher == CipherId::aes128) {
    EXPECT_EQ(check_unit_starts(read_vectors(path / "xts_aes128.vec", "AES-128/XTS")), 6U);
  } else {
    EXPECT_EQ(check_unit_starts(read_vectors(path / "xts_aes256.vec", "AES-256/XTS")), 5U);
  }
}

// (Those published for other ciphers are numbered beyond 64 bits, where no kernel goes.)
TEST_P(KernelMatrix, PublishedXtsVectors) {
  if (!is_aes(kernel())) GTEST_SKIP() << "the vectors are of AES";
  const auto data = test_data_dir();
  if (!data) GTEST_SKIP() << no_test_data;
  const char* section = kernel().cipher == CipherId::aes ? "AES-256/XTS" : "AES-128/XTS";
  EXPECT_GT(check_unit_starts(read_vectors(*data / "vectors/xts.vec", section)), 5U);
}

// A published block vector reaches the kernel through XTS: with whitening T, encrypting In ^ T must
// give Out ^ T. T comes from the oracle's block cipher.
TEST_P(KernelMatrix, PublishedBlockVectors) {
  const auto data = test_data_dir();
  if (!data) GTEST_SKIP() << no_test_data;
  const std::map<CipherId, std::string> sections{
      {CipherId::aes, "AES-256"},           {CipherId::aes128, "AES-128"},
      {CipherId::serpent, "Serpent"},       {CipherId::twofish, "Twofish"},
      {CipherId::camellia, "Camellia-256"}, {CipherId::kuznyechik, "Kuznyechik"}};
  const auto file =
      is_aes(kernel()) ? "aes.vec" : std::string(cipher_name(kernel().cipher)) + ".vec";
  const Bytes tweak_key(cipher_key_bytes(kernel().cipher), 0x5A);
  const Bytes whitening = oracle_encrypt_block(kernel().cipher, tweak_key, Bytes(16));
  std::size_t used = 0;
  for (const auto& vector : read_vectors(*data / "vectors" / file, sections.at(kernel().cipher))) {
    if (vector.at("Key").size() != tweak_key.size()) continue;
    SCOPED_TRACE(vector.line);
    Bytes keys = vector.at("Key");
    keys.insert(keys.end(), tweak_key.begin(), tweak_key.end());
    const Keyed keyed(GetParam(), keys);
    for (std::size_t block = 0; block < vector.at("In").size(); block += 16) {
      Bytes in(unit_size());
      Bytes out(16);
      for (std::size_t i = 0; i < 16; ++i) {
        in[i] = vector.at("In")[block + i] ^ whitening[i];
        out[i] = vector.at("Out")[block + i] ^ whitening[i];
      }
      const Bytes encrypted = keyed.run(true, 0, in);
      ASSERT_EQ(Bytes(encrypted.begin(), encrypted.begin() + 16), out);
      ASSERT_EQ(keyed.run(false, 0, encrypted), in);
      ++used;
    }
  }
  EXPECT_GT(used, 10U);
}

TEST_P(KernelMatrix, AgreesWithOthersForEveryLengthAndUnitNumber) {
  const std::size_t most_units = GetParam().unit == DataUnit::bytes512 ? 65 : 9;
  for (const std::uint64_t unit : interesting_units) {
    SCOPED_TRACE(unit);
    const Bytes keys = random_keys();
    const Bytes plain = random_bytes_of(rng_, most_units * unit_size());
    const Bytes truth = oracle(keys)->encrypt(unit, plain);
    if (is_aes(kernel())) {
      ASSERT_EQ(openssl_aes_oracle(keys, GetParam().unit)->encrypt(unit, plain), truth);
    }
    const Keyed keyed(GetParam(), keys);
    for (std::size_t units = 0; units <= most_units; ++units) {
      Bytes out(plain.begin(), plain.end());
      keyed.run(true, unit, out.data(), out.data(), units);
      const std::size_t bytes = units * unit_size();
      ASSERT_EQ(first_difference(out.data(), truth.data(), bytes), -1) << units << " units";
      ASSERT_EQ(first_difference(out.data() + bytes, plain.data() + bytes, plain.size() - bytes),
                -1)
          << "wrote past the end of " << units << " units";
      Bytes back(plain.size(), 0xEE);
      keyed.run(false, unit, truth.data(), back.data(), units);
      ASSERT_EQ(first_difference(back.data(), plain.data(), bytes), -1) << units << " units";
    }
  }
}

TEST_P(KernelMatrix, AnyAlignmentInAndOutOfPlace) {
  const Bytes keys = random_keys();
  const Keyed keyed(GetParam(), keys);
  for (const std::size_t units : {1, 3, 8, 9, 17}) {
    const std::size_t bytes = units * unit_size();
    const Bytes plain = random_bytes_of(rng_, bytes);
    const Bytes truth = keyed.run(true, 77, plain);
    for (std::size_t in_shift : {0, 1, 4, 15, 16, 33}) {
      for (std::size_t out_shift : {0, 3, 8, 16, 31, 63}) {
        Bytes in(bytes + 128, 0xA5);
        Bytes out(bytes + 128, 0xA5);
        std::memcpy(in.data() + in_shift, plain.data(), bytes);
        keyed.run(true, 77, in.data() + in_shift, out.data() + out_shift, units);
        ASSERT_EQ(first_difference(out.data() + out_shift, truth.data(), bytes), -1);
        ASSERT_EQ(first_difference(in.data() + in_shift, plain.data(), bytes), -1);
        const auto untouched = [](std::uint8_t byte) { return byte == 0xA5; };
        const auto begin = out.begin() + static_cast<std::ptrdiff_t>(out_shift);
        EXPECT_TRUE(std::all_of(out.begin(), begin, untouched));
        EXPECT_TRUE(std::all_of(begin + static_cast<std::ptrdiff_t>(bytes), out.end(), untouched));
        keyed.run(false, 77, out.data() + out_shift, out.data() + out_shift, units);
        ASSERT_EQ(first_difference(out.data() + out_shift, plain.data(), bytes), -1);
      }
    }
  }
}

TEST_P(KernelMatrix, TouchesNothingOutside) {
  const Keyed keyed(GetParam(), random_keys());
  for (std::size_t units = 0; units <= 20; ++units) {
    GuardedBuffer in(units * unit_size());
    GuardedBuffer out(units * unit_size());
    for (const bool encrypting : {true, false}) {
      keyed.run(encrypting, 5, in.at_start(), out.at_start(), units);
      keyed.run(encrypting, 5, in.at_end(), out.at_end(), units);
      keyed.run(encrypting, 5, in.at_start(), in.at_start(), units);
    }
  }
}

TEST_P(KernelMatrix, BigRunsAgreeWithOthersAndDecryptToThemselves) {
  const Bytes keys = random_keys();
  const Keyed keyed(GetParam(), keys);
  const auto others = oracle(keys);
  for (const std::size_t units : {128, 1000, 2049}) {
    if (units * unit_size() > 1100000) continue;
    const Bytes plain = random_bytes_of(rng_, units * unit_size());
    const std::uint64_t unit = rng_();
    const Bytes encrypted = keyed.run(true, unit, plain);
    EXPECT_TRUE(encrypted == others->encrypt(unit, plain)) << units << " units";
    EXPECT_TRUE(keyed.run(false, unit, encrypted) == plain) << units << " units";
  }
}

TEST_P(KernelMatrix, ManyKeysAgreeWithOthers) {
  for (int round = 0; round < 60; ++round) {
    const Bytes keys = random_keys();
    const auto others = oracle(keys);
    const Keyed keyed(GetParam(), keys);
    const Bytes plain = random_bytes_of(rng_, 3 * unit_size());
    const std::uint64_t unit = rng_();
    ASSERT_EQ(keyed.run(true, unit, plain), others->encrypt(unit, plain)) << "round " << round;
    ASSERT_EQ(keyed.run(false, unit, plain), others->decrypt(unit, plain)) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(All, KernelMatrix, ::testing::ValuesIn(all_cases()),
                         [](const auto& param) {
                           return full_name(*param.param.kernel, param.param.unit);
                         });

TEST(KernelTable, RowsAreSane) {
  std::set<std::string> names;
  std::map<CipherId, std::string> last;
  for (const XtsKernel* kernel : all_kernels()) {
    EXPECT_TRUE(names.insert(full_name(*kernel)).second) << full_name(*kernel);
    EXPECT_GT(kernel->schedule_bytes, 0U);
    EXPECT_LE(kernel->schedule_bytes, max_schedule_bytes) << full_name(*kernel);
    EXPECT_EQ(find_kernel(kernel->cipher, kernel->name), kernel);
    last[kernel->cipher] = kernel->name;
  }
  for (const auto& [cipher, name] : last) EXPECT_EQ(name, "portable") << cipher_name(cipher);
  EXPECT_EQ(find_kernel(CipherId::aes, "nonsense"), nullptr);
  EXPECT_EQ(select_kernel(CipherId::blowfish, ~0U), nullptr);
}

TEST(KernelTable, SelectionFollowsTheFeatures) {
  for (const CipherId cipher : {CipherId::aes, CipherId::aes128, CipherId::serpent,
                                CipherId::twofish, CipherId::camellia}) {
    const XtsKernel* fallback = select_kernel(cipher, 0);
    ASSERT_NE(fallback, nullptr);
    EXPECT_EQ(fallback->required_features, 0U);
    for (const XtsKernel* kernel : all_kernels()) {
      if (kernel->cipher != cipher) continue;
      const XtsKernel* chosen = select_kernel(cipher, kernel->required_features);
      ASSERT_NE(chosen, nullptr);
      EXPECT_EQ(chosen->required_features & ~kernel->required_features, 0U);
      EXPECT_TRUE(chosen->constant_time || !kernel->constant_time) << full_name(*kernel);
    }
  }
}

// Every row that can run must have run, where no filter kept tests out.
class AllRowsExercised : public ::testing::Environment {
 public:
  void SetUp() override { apply_cpu_environment(); }
  void TearDown() override {
    const auto* all = ::testing::UnitTest::GetInstance();
    if (all->test_to_run_count() != all->total_test_count()) return;
    for (const auto& [kernel, unit] : all_cases()) {
      if ((kernel->required_features & ~cpu_features()) != 0) continue;
      EXPECT_EQ(exercised.count(full_name(*kernel, unit)), 1U) << full_name(*kernel, unit);
    }
  }
};

[[maybe_unused]] ::testing::Environment* const all_rows_exercised =
    ::testing::AddGlobalTestEnvironment(new AllRowsExercised);

}  // namespace
}  // namespace volt
