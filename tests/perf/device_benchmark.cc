// What each decorator costs, over memory and over a file in memory: ns a request of 4 KiB and of
// 1 MiB. Run: build/tests/device_benchmark
#include <benchmark/benchmark.h>

#include "blockdev/backing/null_device.h"
#include "tests/support/device_candidates.h"

namespace volt {
namespace {

constexpr std::uint64_t device_bytes = 64 * 1048576;

DevicePtr over_null(std::function<DevicePtr(DevicePtr)> build) {
  return build(std::make_unique<NullDevice>(device_bytes));
}

// Sequential requests of one size, wrapping around; every thread in its own part.
void run(benchmark::State& state, BlockDevice& device, bool writing) {
  const auto length = static_cast<std::size_t>(state.range(0));
  Bytes buffer = random_bytes_of(length, 1);
  const auto threads = static_cast<std::uint64_t>(state.threads());
  const std::uint64_t part = align_down(device.size() / threads, 1048576);
  const std::uint64_t start = part * static_cast<std::uint64_t>(state.thread_index());
  std::uint64_t offset = 0;
  for (auto unused : state) {
    const Status status =
        writing ? device.write(start + offset, buffer) : device.read(start + offset, buffer);
    if (!status.ok()) {
      state.SkipWithError(status.error().context);
      break;
    }
    offset = (offset + length) % part;
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

void add(const std::string& name, std::function<DevicePtr()> make) {
  for (const bool writing : {false, true}) {
    const std::string full = name + (writing ? "/write" : "/read");
    const std::shared_ptr<BlockDevice> device = make();
    benchmark::RegisterBenchmark(full.c_str(),
                                 [=](benchmark::State& state) { run(state, *device, writing); })
        ->Arg(4096)
        ->Arg(1048576)
        ->Threads(1)
        ->Threads(2)
        ->UseRealTime()
        ->MinTime(0.15);
  }
}

DevicePtr shm_file(const StackOptions& options) {
  auto dir = std::make_unique<TempDir>("/dev/shm");
  auto container = open_container(dir->make_file("container", device_bytes), {});
  DevicePtr device = *compose_plain(std::move(container->device), options, nullptr);
  static_cast<void>(device->write(0, Bytes(device_bytes)));
  return std::make_unique<TempFileDevice>(std::move(dir), std::move(device));
}

// With helpers, long requests under slow ciphers are shared.
DevicePtr volume_over(DevicePtr child, const char* name, unsigned helpers = 0) {
  auto cipher = cascade(name);
  auto pool = CryptoPool::create(*cipher, helpers);
  auto device = EncryptedDevice::create(sliced(std::move(child), 0, 0), std::move(cipher), 256,
                                        *std::move(pool));
  return std::make_unique<StatsDevice>(aligned(*std::move(device)));
}

}  // namespace
}  // namespace volt

int main(int argc, char** argv) {
  using namespace volt;
  add("null", [] { return over_null([](DevicePtr base) { return base; }); });
  for (const DeviceCandidate& candidate : device_candidates()) {
    const std::string name = candidate.name;
    if (name != "Slice" && name != "Stats" && name != "Guard" && name != "Align4096") continue;
    add("null/" + name, [=] { return over_null(candidate.build); });
  }
  add("memory", [] {
    DevicePtr device = memory_device(device_bytes);
    static_cast<void>(device->write(0, Bytes(device_bytes, 1)));  // no page is missing
    return device;
  });
  add("shm/plain", [] { return shm_file({}); });
  for (const char* cipher : {"aes", "serpent", "aes-twofish-serpent"}) {
    add(std::string("null/volume-") + cipher, [=] {
      return over_null([=](DevicePtr base) { return volume_over(std::move(base), cipher); });
    });
    add(std::string("shm/volume-") + cipher, [=] { return volume_over(shm_file({}), cipher); });
    add(std::string("shm/shared-") + cipher, [=] { return volume_over(shm_file({}), cipher, 1); });
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
