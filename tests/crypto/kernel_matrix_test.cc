// Every row of the kernel table that this processor can run, forced in turn, against published
// vectors and against implementations by others.
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

std::string full_name(const XtsKernel& kernel) {
  return std::string(cipher_name(kernel.cipher)) + "_" + kernel.name;
}

std::set<std::string> exercised;

// A keyed kernel; the schedule ends at a guard page.
class Keyed {
 public:
  Keyed(const XtsKernel& kernel, const Bytes& keys)
      : kernel_(kernel), memory_(kernel.schedule_bytes + schedule_alignment) {
    auto end = reinterpret_cast<std::uintptr_t>(memory_.at_end()) + memory_.size();
    schedule_ = reinterpret_cast<void*>((end - kernel.schedule_bytes) / schedule_alignment *
                                        schedule_alignment);
    kernel.expand(keys.data(), keys.data() + 32, schedule_);
    exercised.insert(full_name(kernel));
  }
  Keyed(const Keyed&) = delete;
  Keyed& operator=(const Keyed&) = delete;
  ~Keyed() {
    if (kernel_.destroy != nullptr) kernel_.destroy(schedule_);
  }
  void run(bool encrypting, std::uint64_t unit, const std::uint8_t* in, std::uint8_t* out,
           std::size_t units) const {
    (encrypting ? kernel_.encrypt_units : kernel_.decrypt_units)(schedule_, unit, in, out, units);
  }
  Bytes run(bool encrypting, std::uint64_t unit, const Bytes& in) const {
    Bytes out(in.size());
    run(encrypting, unit, in.data(), out.data(), in.size() / unit_bytes);
    return out;
  }

 private:
  const XtsKernel& kernel_;
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

class KernelMatrix : public ::testing::TestWithParam<const XtsKernel*> {
 protected:
  void SetUp() override {
    if ((kernel().required_features & ~cpu_features()) != 0) {
      GTEST_SKIP() << "this processor lacks "
                   << cpu_feature_names(kernel().required_features & ~cpu_features());
    }
    RecordProperty("seed", std::to_string(default_seed));
  }
  static const XtsKernel& kernel() { return *GetParam(); }
  std::mt19937_64 rng_{default_seed};
};

// The unit numbers at which carries happen: 2^32, the signed limit, and the wrap at 2^64.
constexpr std::uint64_t interesting_units[] = {
    0, 1, 0xFFFFFFF0, 0x1FFFFFFFD, 0x7FFFFFFFFFFFFFF0, 0xFFFFFFFFFFFFFFFF - 6,
};

TEST_P(KernelMatrix, Ieee1619Vectors) {
  if (kernel().cipher != CipherId::aes) GTEST_SKIP() << "the vectors are of AES";
  const char* root = std::getenv("VOLT_SOURCE_ROOT");
  const auto path = std::filesystem::path(root != nullptr ? root : ".") / "tests/vectors";
  const auto cases = read_vectors(path / "xts_aes256.vec", "AES-256/XTS");
  ASSERT_EQ(cases.size(), 5U);
  for (const VectorCase& vector : cases) {
    SCOPED_TRACE(vector.line);
    const Keyed keyed(kernel(), vector.at("Key"));
    const std::uint64_t unit = load_le<std::uint64_t>(vector.at("Nonce").data());
    EXPECT_EQ(keyed.run(true, unit, vector.at("In")), vector.at("Out"));
    EXPECT_EQ(keyed.run(false, unit, vector.at("Out")), vector.at("In"));
  }
}

// A published block vector reaches the kernel through XTS: with whitening T, encrypting In ^ T must
// give Out ^ T. T comes from the oracle's block cipher.
TEST_P(KernelMatrix, PublishedBlockVectors) {
  const auto data = test_data_dir();
  if (!data) GTEST_SKIP() << no_test_data;
  const std::map<CipherId, std::string> sections{{CipherId::aes, "AES-256"},
                                                 {CipherId::serpent, "Serpent"},
                                                 {CipherId::twofish, "Twofish"},
                                                 {CipherId::camellia, "Camellia-256"},
                                                 {CipherId::kuznyechik, "Kuznyechik"}};
  const auto file = std::string(cipher_name(kernel().cipher)) + ".vec";
  const Bytes tweak_key(32, 0x5A);
  const Bytes whitening = oracle_encrypt_block(kernel().cipher, tweak_key, Bytes(16));
  std::size_t used = 0;
  for (const auto& vector : read_vectors(*data / "vectors" / file, sections.at(kernel().cipher))) {
    if (vector.at("Key").size() != 32) continue;
    SCOPED_TRACE(vector.line);
    Bytes keys = vector.at("Key");
    keys.insert(keys.end(), tweak_key.begin(), tweak_key.end());
    const Keyed keyed(kernel(), keys);
    for (std::size_t block = 0; block < vector.at("In").size(); block += 16) {
      Bytes in(unit_bytes);
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
  constexpr std::size_t most_units = 65;
  for (const std::uint64_t unit : interesting_units) {
    SCOPED_TRACE(unit);
    const Bytes keys = random_bytes_of(rng_, 64);
    const Bytes plain = random_bytes_of(rng_, most_units * unit_bytes);
    const auto oracle = xts_oracle(kernel().cipher, keys);
    const Bytes truth = oracle->encrypt(unit, plain);
    if (kernel().cipher == CipherId::aes) {
      ASSERT_EQ(openssl_aes_oracle(keys)->encrypt(unit, plain), truth);
    }
    const Keyed keyed(kernel(), keys);
    for (std::size_t units = 0; units <= most_units; ++units) {
      Bytes out(plain.begin(), plain.end());
      keyed.run(true, unit, out.data(), out.data(), units);
      const std::size_t bytes = units * unit_bytes;
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
  const Bytes keys = random_bytes_of(rng_, 64);
  const Keyed keyed(kernel(), keys);
  for (const std::size_t units : {1, 3, 8, 9, 17}) {
    const std::size_t bytes = units * unit_bytes;
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
  const Keyed keyed(kernel(), random_bytes_of(rng_, 64));
  for (std::size_t units = 0; units <= 20; ++units) {
    GuardedBuffer in(units * unit_bytes);
    GuardedBuffer out(units * unit_bytes);
    for (const bool encrypting : {true, false}) {
      keyed.run(encrypting, 5, in.at_start(), out.at_start(), units);
      keyed.run(encrypting, 5, in.at_end(), out.at_end(), units);
      keyed.run(encrypting, 5, in.at_start(), in.at_start(), units);
    }
  }
}

TEST_P(KernelMatrix, BigRunsAgreeWithOthersAndDecryptToThemselves) {
  const Bytes keys = random_bytes_of(rng_, 64);
  const Keyed keyed(kernel(), keys);
  const auto oracle = xts_oracle(kernel().cipher, keys);
  for (const std::size_t units : {128, 1000, 2049}) {
    const Bytes plain = random_bytes_of(rng_, units * unit_bytes);
    const std::uint64_t unit = rng_();
    const Bytes encrypted = keyed.run(true, unit, plain);
    EXPECT_TRUE(encrypted == oracle->encrypt(unit, plain)) << units << " units";
    EXPECT_TRUE(keyed.run(false, unit, encrypted) == plain) << units << " units";
  }
}

TEST_P(KernelMatrix, ManyKeysAgreeWithOthers) {
  for (int round = 0; round < 60; ++round) {
    const Bytes keys = random_bytes_of(rng_, 64);
    const auto oracle = xts_oracle(kernel().cipher, keys);
    const Keyed keyed(kernel(), keys);
    const Bytes plain = random_bytes_of(rng_, 3 * unit_bytes);
    const std::uint64_t unit = rng_();
    ASSERT_EQ(keyed.run(true, unit, plain), oracle->encrypt(unit, plain)) << "round " << round;
    ASSERT_EQ(keyed.run(false, unit, plain), oracle->decrypt(unit, plain)) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(All, KernelMatrix,
                         ::testing::ValuesIn(all_kernels().begin(), all_kernels().end()),
                         [](const auto& param) { return full_name(*param.param); });

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
  for (const CipherId cipher :
       {CipherId::aes, CipherId::serpent, CipherId::twofish, CipherId::camellia}) {
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
    for (const XtsKernel* kernel : all_kernels()) {
      if ((kernel->required_features & ~cpu_features()) != 0) continue;
      EXPECT_EQ(exercised.count(full_name(*kernel)), 1U) << full_name(*kernel);
    }
  }
};

[[maybe_unused]] ::testing::Environment* const all_rows_exercised =
    ::testing::AddGlobalTestEnvironment(new AllRowsExercised);

}  // namespace
}  // namespace volt
