#include "blockdev/stripe_device.h"

#include <fstream>

#include <gtest/gtest.h>

#include "blockdev/container_spec.h"
#include "tests/device_candidates.h"

namespace volt {
namespace {

Bytes content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

// md's layout (Linux, drivers/md/raid0.c, one zone): chunk c lies on disk c mod n, as its
// chunk number c / n.
TEST(Stripe, LaysChunksOutAsMdDoes) {
  constexpr std::uint64_t chunk = 65536;
  constexpr std::uint64_t chunks_each = 5;
  const TempDir dir;
  std::vector<std::string> paths;
  std::string spec = "stripe:64K:";
  for (int i = 0; i < 3; ++i) {
    // The ends that fill no chunk are not used.
    const std::uint64_t size = chunks_each * chunk + static_cast<std::uint64_t>(i) * 1000;
    paths.push_back(dir.make_file("member" + std::to_string(i), size));
    spec += (i == 0 ? "" : ",") + paths.back();
  }
  auto container = open_container(spec, {.direct = DirectIo::off});
  ASSERT_TRUE(container.ok()) << container.error().context;
  EXPECT_TRUE(container->locked);
  ASSERT_EQ(container->device->size(), 3 * chunks_each * chunk);
  const Bytes data = random_bytes_of(container->device->size(), 9);
  ASSERT_TRUE(container->device->write(0, data).ok());
  ASSERT_TRUE(container->device->flush().ok());
  for (std::uint64_t c = 0; c < 3 * chunks_each; ++c) {
    const Bytes member = content_of(paths[c % 3]);
    ASSERT_TRUE(std::equal(data.begin() + static_cast<std::ptrdiff_t>(c * chunk),
                           data.begin() + static_cast<std::ptrdiff_t>((c + 1) * chunk),
                           member.begin() + static_cast<std::ptrdiff_t>(c / 3 * chunk)))
        << "chunk " << c;
  }
  const auto again = open_container(spec, {});
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, ErrorCode::busy);
}

TEST(Stripe, RefusesWhatMdWouldLayOutOtherwise) {
  const auto create = [](std::vector<std::uint64_t> sizes, std::uint64_t chunk) {
    std::vector<DevicePtr> members;
    for (const std::uint64_t size : sizes) members.push_back(memory_device(size));
    const auto device = StripeDevice::create(std::move(members), chunk);
    return device.ok() ? std::string("ok") : std::string(device.error().context);
  };
  EXPECT_EQ(create({65536, 65536 + 4095}, 4096), "ok");
  EXPECT_EQ(create({65536, 65536 + 4096}, 4096), "members of the stripe differ in size");
  EXPECT_EQ(create({1000, 1000}, 4096), "members of the stripe are too small");
  EXPECT_EQ(create({65536}, 4096), "number of members of the stripe");
  EXPECT_EQ(create(std::vector<std::uint64_t>(17, 65536), 4096), "number of members of the stripe");
  for (const std::uint64_t chunk : {0ULL, 512ULL, 5000ULL, 12288ULL, 1ULL << 40}) {
    EXPECT_EQ(create({65536, 65536}, chunk), "chunk of the stripe") << chunk;
  }
}

TEST(ContainerSpec, ReadsWhatItDocuments) {
  EXPECT_EQ(std::get<PathSpec>(*parse_container_spec("./stripe:x")).path, "./stripe:x");
  const auto stripe = parse_container_spec("stripe:1M:/a b,c,/d");
  ASSERT_TRUE(stripe.ok());
  EXPECT_EQ(std::get<StripeSpec>(*stripe).chunk_bytes, 1048576U);
  EXPECT_EQ(std::get<StripeSpec>(*stripe).paths, (std::vector<std::string>{"/a b", "c", "/d"}));
  const auto model = parse_container_spec("model:hdd-5400x2@54:stripe:4096:a,b");
  ASSERT_TRUE(model.ok());
  const auto& spec = std::get<ModelledSpec>(*model);
  EXPECT_STREQ(spec.model.profile->name, "hdd-5400");
  EXPECT_EQ(spec.model.disks, 2U);
  EXPECT_EQ(spec.model.start_percent, 54);
  EXPECT_EQ(spec.inner, "stripe:4096:a,b");
  const auto one = parse_container_spec("model:hdd-5400:a:b");
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(std::get<ModelledSpec>(*one).model.disks, 1U);
  EXPECT_EQ(std::get<ModelledSpec>(*one).inner, "a:b");
}

TEST(ContainerSpec, ReadsFaults) {
  const auto parsed = parse_container_spec("fault:stale-read@7x3,99:model:hdd-5400:a,b");
  ASSERT_TRUE(parsed.ok());
  const auto& spec = std::get<FaultySpec>(*parsed);
  EXPECT_EQ(spec.inner, "model:hdd-5400:a,b");
  EXPECT_EQ(spec.plan.seed, 99U);
  ASSERT_EQ(spec.plan.rules.size(), 1U);
  EXPECT_EQ(spec.plan.rules[0].fault, FaultKind::stale_read);
  EXPECT_EQ(spec.plan.rules[0].kind, IoKind::read);
  EXPECT_EQ(spec.plan.rules[0].nth, 7U);
  EXPECT_EQ(spec.plan.rules[0].count, 3U);
  const auto first = parse_container_spec("fault:lost-write:x");
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(std::get<FaultySpec>(*first).plan.rules[0].nth, 1U);
}

TEST(ContainerSpec, RefusesNonsense) {
  for (const char* text :
       {"stripe:", "stripe:64K", "stripe:64K:", "stripe:64K:a", "stripe:64K:a,", "stripe:64K:,a",
        "stripe:x:a,b", "stripe:-1:a,b", "stripe:99999999999999999999:a,b",
        "stripe:99999999999999999M:a,b", "model:", "model:hdd-5400",
        "model:hdd-5400:", "model:floppy:a", "model:hdd-5400x2@:a", "model:hdd-5400x2@5y:a",
        "model:hdd-5400:model:hdd-5400:a"}) {
    EXPECT_FALSE(parse_container_spec(text).ok()) << text;
  }
  for (const char* text :
       {"fault:", "fault:lost-write", "fault:lost-write:", "fault:rust:a", "fault:lost-write@0:a",
        "fault:lost-write@1x:a", "fault:lost-write,:a", "fault:lost-write@1:fault:lost-write:a",
        "model:hdd-5400:fault:lost-write:a"}) {
    EXPECT_FALSE(parse_container_spec(text).ok()) << text;
  }
  const TempDir dir;
  const std::string file = dir.make_file("f", 1048576);
  allow_simulated_disks();
  for (const char* disks :
       {"hdd-5400x0", "hdd-5400x17", "hdd-5400@100", "hdd-5400@-1", "hdd-5400@nan"}) {
    EXPECT_FALSE(open_container(std::string("model:") + disks + ":" + file, {}).ok()) << disks;
  }
  EXPECT_TRUE(open_container("model:hdd-5400@54:" + file, {}).ok());
  allow_simulated_disks(false);
}

TEST(ContainerSpec, SimulatedDisksNeedLeave) {
  const TempDir dir;
  const std::string file = dir.make_file("f", 1048576);
  for (const std::string& spec : {"model:hdd-5400:" + file, "fault:lost-write:" + file,
                                  "fault:lost-write:model:hdd-5400:" + file}) {
    const auto refused = open_container(spec, {});
    ASSERT_FALSE(refused.ok()) << spec;
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
    EXPECT_NE(std::string(refused.error().context).find("--testing"), std::string::npos);
    allow_simulated_disks();
    EXPECT_TRUE(open_container(spec, {}).ok()) << spec;
    allow_simulated_disks(false);
  }
}

}  // namespace
}  // namespace volt
