// Which place wins where several fit the password: the better one, whoever is quicker.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "blockdev/backing/memory_device.h"
#include "blockdev/formats/veracrypt/unlock_plan.h"
#include "blockdev/formats/veracrypt/volume_format.h"
#include "crypto/base/random.h"

namespace volt {
namespace {

constexpr std::uint64_t container_bytes = 1048576;
constexpr std::uint64_t hidden_offset = 65536;
constexpr std::uint64_t backup_offset = container_bytes - 131072;

// Two iterations, 8 KiB: thousands of openings in a second.
KdfParameters tiny(const KdfSpec& spec, std::uint32_t pim) {
  KdfParameters parameters = kdf_parameters(spec, pim);
  parameters.iterations = std::min(parameters.iterations, 2U);
  if (spec.prf == PrfId::argon2id) parameters.argon2 = {8, 1, 1};
  return parameters;
}

ByteSpan bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

struct Made {
  VolumeFormat format = VolumeFormat::veracrypt;
  PrfId prf = PrfId::sha512;
  const char* cipher = "aes";
  std::string password = "correct horse";
};

// Keys and a header of a volume of its own, as the first container's format_volume() makes them.
class Container {
 public:
  Container() : device_(*MemoryDevice::create(container_bytes)) {
    for (const std::uint64_t offset :
         {std::uint64_t{0}, hidden_offset, backup_offset, backup_offset + hidden_offset}) {
      make_noise(offset);
    }
  }

  void make_noise(std::uint64_t offset) {
    SealedHeader noise{};
    ASSERT_TRUE(random_bytes(noise).ok());
    ASSERT_TRUE(device_->write(offset, noise).ok());
  }

  // A header with fresh keys and that data size; the first key byte tells which it is.
  void put(std::uint64_t offset, const Made& made, std::uint8_t mark,
           std::uint64_t data_bytes = container_bytes - 262144) {
    VolumeHeader header;
    header.format = made.format;
    header.minimum_program_version = made.format == VolumeFormat::veracrypt ? 0x010B : 0x0700;
    header.data_offset_bytes = 131072;
    header.data_bytes = data_bytes;
    header.volume_bytes = data_bytes;
    std::array<std::uint8_t, header_key_area_bytes> keys{};
    ASSERT_TRUE(random_bytes(keys).ok());
    keys[0] = mark;
    const KdfSpec& kdf = *find_kdf(made.format, made.prf, false);
    SealedHeader sealed{};
    const MutableByteSpan output(sealed);
    ASSERT_TRUE(seal_headers(header, keys, CipherMode::xts, *find_cascade(made.cipher),
                             tiny(kdf, 0), bytes_of(made.password), {&output, 1})
                    .ok());
    ASSERT_TRUE(device_->write(offset, sealed).ok());
  }

  BlockDevice& device() { return *device_; }

 private:
  DevicePtr device_;
};

constexpr std::uint8_t mark_primary = 1;
constexpr std::uint8_t mark_hidden = 2;
constexpr std::uint8_t mark_backup = 3;

// Holds back every task with that place until another task is through, or until there is none that
// could be: then nothing is held back any more. No clock: the order is what a slow core makes.
class HoldBack {
 public:
  using Held = std::function<bool(const UnlockTask&)>;
  using Awaited = std::function<bool(const UnlockTask&)>;

  HoldBack(Held held, Awaited awaited) : held_(std::move(held)), awaited_(std::move(awaited)) {}

  UnlockConditions conditions(unsigned threads) {
    UnlockConditions conditions;
    conditions.threads = threads;
    conditions.parameters = tiny;
    conditions.task_begins = [this](const UnlockTask& task) { begins(task); };
    conditions.task_ended = [this](const UnlockTask& task) { ended(task); };
    return conditions;
  }
  unsigned times_held() const { return times_held_; }

 private:
  void begins(const UnlockTask& task) {
    if (awaited_(task) || !held_(task)) return;
    std::unique_lock lock(mutex_);
    ++times_held_;
    through_.wait(lock, [this] { return awaited_is_through_; });
  }
  void ended(const UnlockTask& task) {
    if (!awaited_(task)) return;
    const std::lock_guard lock(mutex_);
    awaited_is_through_ = true;
    through_.notify_all();
  }

  Held held_;
  Awaited awaited_;
  std::mutex mutex_;
  std::condition_variable through_;
  bool awaited_is_through_ = false;
  unsigned times_held_ = 0;
};

bool has_place(const UnlockTask& task, HeaderPlace place) {
  return std::any_of(task.parts.begin(), task.parts.end(), [&](const UnlockPart& part) {
    return task.keys->headers[part.header]->place == place;
  });
}

auto tasks_of(HeaderPlace place) {
  return [place](const UnlockTask& task) { return has_place(task, place); };
}

// The task that finds a short key of this place under this PRF.
auto short_key_of(HeaderPlace place, PrfId prf) {
  return [place, prf](const UnlockTask& task) {
    if (task.keys->kdf->prf != prf) return false;
    return std::any_of(task.parts.begin(), task.parts.end(), [&](const UnlockPart& part) {
      return part.from == 0 && task.keys->headers[part.header]->place == place;
    });
  };
}

constexpr unsigned many_cores[] = {8, 64};

std::vector<const KdfSpec*> ordinary_kdfs() {
  std::vector<const KdfSpec*> kdfs;
  for (const KdfSpec& kdf : all_kdfs()) {
    if (!kdf.system && kdf.creatable) kdfs.push_back(&kdf);
  }
  return kdfs;
}

// The password of every header that does not name its own.
UnlockRequest usual_request() {
  static const std::string password = Made{}.password;
  UnlockRequest request;
  request.password = bytes_of(password);
  return request;
}

TEST(UnlockPreference, AHealthyVolumeNeverOpensFromItsBackup) {
  unsigned held = 0;
  for (const KdfSpec* kdf : ordinary_kdfs()) {
    Container container;
    const Made made{kdf->format, kdf->prf};
    container.put(0, made, mark_primary);
    container.put(backup_offset, made, mark_backup);
    UnlockRequest request = usual_request();
    request.prf = kdf->prf;
    request.format = kdf->format;
    for (const unsigned cores : many_cores) {
      for (int round = 0; round < 100; ++round) {
        HoldBack hold(tasks_of(HeaderPlace::primary), short_key_of(HeaderPlace::backup, kdf->prf));
        const auto opened =
            unlock_volume(container.device(), request, nullptr, hold.conditions(cores));
        ASSERT_TRUE(opened.ok()) << kdf->name;
        ASSERT_EQ(opened->place, HeaderPlace::primary) << kdf->name << ", " << cores << " cores";
        ASSERT_EQ(opened->keys.data()[0], mark_primary);
        held += hold.times_held();
      }
    }
  }
  EXPECT_GE(held, 200U);  // Argon2id's at least: the test does hold back
}

// The backup was left behind: another PRF, other keys, the same password. Nothing is named.
TEST(UnlockPreference, AStaleBackupOfAnotherPrfNeverWins) {
  for (const KdfSpec* stale : ordinary_kdfs()) {
    for (const KdfSpec* good : ordinary_kdfs()) {
      Container container;
      container.put(0, {good->format, good->prf}, mark_primary);
      container.put(backup_offset, {stale->format, stale->prf, "serpent"}, mark_backup);
      for (const unsigned cores : {stale < good ? 1U : 8U}) {
        UnlockConditions conditions;
        conditions.threads = cores;
        conditions.parameters = tiny;
        const auto opened = unlock_volume(container.device(), usual_request(), nullptr, conditions);
        ASSERT_TRUE(opened.ok());
        EXPECT_EQ(opened->place, HeaderPlace::primary)
            << good->name << " with a backup of " << stale->name << ", " << cores << " cores";
        EXPECT_EQ(opened->kdf, good);
        EXPECT_EQ(opened->keys.data()[0], mark_primary);
      }
    }
  }
}

TEST(UnlockPreference, TheOldPasswordOpensAStaleBackupAndTheNewOneThePrimary) {
  for (const KdfSpec* kdf : ordinary_kdfs()) {
    Container container;
    container.put(0, {kdf->format, kdf->prf, "aes", "new"}, mark_primary);
    container.put(backup_offset, {kdf->format, kdf->prf, "aes", "old"}, mark_backup);
    for (const std::string password : {"old", "new"}) {
      UnlockRequest request;
      request.password = bytes_of(password);
      request.prf = kdf->prf;
      request.format = kdf->format;
      UnlockConditions conditions;
      conditions.threads = 8;
      conditions.parameters = tiny;
      const auto opened = unlock_volume(container.device(), request, nullptr, conditions);
      ASSERT_TRUE(opened.ok()) << kdf->name;
      EXPECT_EQ(opened->place, password == "old" ? HeaderPlace::backup : HeaderPlace::primary);
    }
  }
}

TEST(UnlockPreference, ADamagedPrimaryOpensFromItsBackup) {
  for (const KdfSpec* kdf : ordinary_kdfs()) {
    Container container;  // its primary header is noise
    const Made made{kdf->format, kdf->prf, "aes-twofish-serpent"};
    container.put(backup_offset, made, mark_backup);
    for (const bool named : {true, false}) {
      if (!named && kdf->prf == PrfId::argon2id) continue;  // by the plan: has to be asked for
      for (const unsigned cores : {1U, 64U}) {
        UnlockRequest request = usual_request();
        if (named) request.prf = kdf->prf;
        UnlockConditions conditions;
        conditions.threads = cores;
        conditions.parameters = tiny;
        UnlockReport report;
        const auto opened = unlock_volume(container.device(), request, &report, conditions);
        ASSERT_TRUE(opened.ok()) << kdf->name;
        EXPECT_EQ(opened->place, HeaderPlace::backup);
        EXPECT_EQ(opened->kdf, kdf);
      }
    }
  }
}

// Outer and hidden volume have the same password. A cascade's key is derived later than a short
// one, and the outer header is held back.
TEST(UnlockPreference, TheOuterVolumeComesBeforeTheHiddenOneOfTheSamePrf) {
  for (const KdfSpec* kdf : ordinary_kdfs()) {
    for (const char* cipher : {"aes", "aes-twofish-serpent"}) {
      Container container;
      container.put(0, {kdf->format, kdf->prf, cipher}, mark_primary);
      container.put(hidden_offset, {kdf->format, kdf->prf, "aes"}, mark_hidden);
      for (const bool named : {true, false}) {
        UnlockRequest request = usual_request();
        if (named) request.prf = kdf->prf;
        for (const unsigned cores : {1U, 8U}) {
          for (int round = 0; round < 2; ++round) {
            UnlockConditions conditions;
            conditions.threads = cores;
            conditions.parameters = tiny;
            const auto opened = unlock_volume(container.device(), request, nullptr, conditions);
            ASSERT_TRUE(opened.ok()) << kdf->name;
            ASSERT_EQ(opened->place, HeaderPlace::primary)
                << kdf->name << " " << cipher << ", " << cores << " cores, named: " << named;
          }
        }
      }
      UnlockRequest request = usual_request();
      request.hidden = true;
      UnlockConditions conditions;
      conditions.parameters = tiny;
      EXPECT_EQ(unlock_volume(container.device(), request, nullptr, conditions)->place,
                HeaderPlace::hidden);
    }
  }
}

// Outer and hidden volume with one password under two PRFs: whatever the timing, the same one.
TEST(UnlockPreference, TwoPrfsGiveTheSameAnswerAtAnySpeed) {
  const auto open = [](Container& container, UnlockConditions conditions) {
    conditions.parameters = tiny;
    UnlockRequest request = usual_request();
    request.format = VolumeFormat::veracrypt;  // else sha512 has a task in each format
    return unlock_volume(container.device(), request, nullptr, conditions)->place;
  };
  const auto vera = VolumeFormat::veracrypt;
  Container container;
  container.put(0, {vera, PrfId::sha256}, mark_primary);
  container.put(hidden_offset, {vera, PrfId::sha512}, mark_hidden);
  HoldBack hidden_late(short_key_of(HeaderPlace::hidden, PrfId::sha512),
                       short_key_of(HeaderPlace::primary, PrfId::sha256));
  HoldBack outer_late(short_key_of(HeaderPlace::primary, PrfId::sha256),
                      short_key_of(HeaderPlace::hidden, PrfId::sha512));
  UnlockConditions alone;
  alone.threads = 1;
  const HeaderPlace place = open(container, alone);
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(open(container, hidden_late.conditions(64)), place);
    EXPECT_EQ(open(container, outer_late.conditions(64)), place);
  }
  EXPECT_GT(hidden_late.times_held() + outer_late.times_held(), 0U);
}

// An absurd stale backup that fits the password does not stand in the way of a good primary.
TEST(UnlockPreference, AnAbsurdBackupDoesNotEndTheSearch) {
  for (const KdfSpec* good : ordinary_kdfs()) {
    Container container;
    container.put(0, {good->format, good->prf}, mark_primary);
    container.put(backup_offset, {VolumeFormat::veracrypt, PrfId::sha512}, mark_backup,
                  std::uint64_t{1} << 50);
    for (const unsigned cores : {1U, 8U}) {
      UnlockConditions conditions;
      conditions.threads = cores;
      conditions.parameters = tiny;
      const auto opened = unlock_volume(container.device(), usual_request(), nullptr, conditions);
      ASSERT_TRUE(opened.ok()) << good->name << ": " << opened.error().context;
      EXPECT_EQ(opened->place, HeaderPlace::primary);
    }
  }
}

// A hit in the best place begins nothing more, and a wrong password derives what the plan says.
TEST(UnlockPreference, CostsNoMoreThanThePlan) {
  for (const KdfSpec* kdf : ordinary_kdfs()) {
    Container container;
    container.put(0, {kdf->format, kdf->prf}, mark_primary);
    UnlockRequest request = usual_request();
    request.format = kdf->format;
    const auto plan_size = [&] {
      std::vector<PlacedHeader> headers;
      for (const HeaderPlace place : {HeaderPlace::primary, HeaderPlace::hidden,
                                      HeaderPlace::backup, HeaderPlace::backup_hidden}) {
        headers.push_back({place, {}});
        EXPECT_TRUE(random_bytes(headers.back().sealed).ok());
      }
      const auto plan = UnlockPlan::create(request, kdf->format, headers, tiny);
      return plan->first.size() + plan->last.size();
    };
    std::vector<std::string> begun;  // one thread calls
    UnlockConditions conditions;
    conditions.threads = 1;
    conditions.parameters = tiny;
    conditions.task_begins = [&](const UnlockTask& task) { begun.push_back(task.keys->kdf->name); };
    ASSERT_TRUE(unlock_volume(container.device(), request, nullptr, conditions).ok());
    EXPECT_EQ(begun.back(), kdf->name);
    EXPECT_EQ(std::count(begun.begin(), begun.end(), kdf->name), 1) << kdf->name;
    begun.clear();
    const std::string wrong = "wrong";
    request.password = bytes_of(wrong);
    EXPECT_FALSE(unlock_volume(container.device(), request, nullptr, conditions).ok());
    // TrueCrypt's old hidden place is in no plan of four headers; it is one more part, not a task.
    EXPECT_EQ(begun.size(), plan_size());
  }
}

// What an error names does not depend on who was quicker either.
TEST(UnlockPreference, TheReportHasTheOrderOfTheTable) {
  Container container;
  UnlockReport first;
  for (const unsigned cores : {1U, 8U, 64U}) {
    UnlockConditions conditions;
    conditions.threads = cores;
    conditions.parameters = tiny;
    UnlockReport report;
    EXPECT_FALSE(unlock_volume(container.device(), usual_request(), &report, conditions).ok());
    if (cores == 1) first = report;
    EXPECT_EQ(report.tried, first.tried);
  }
  ASSERT_EQ(first.tried.size(), 12U);
  EXPECT_EQ(first.tried.front(), "truecrypt sha512");
  EXPECT_EQ(first.tried[4], "veracrypt sha512");
}

}  // namespace
}  // namespace volt
