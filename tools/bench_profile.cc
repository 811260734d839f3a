#include "tools/bench_profile.h"
#include "blockdev/host/command_line.h"

#include "tools/bench_failure.h"
#include "tools/size_text.h"

namespace volt {
namespace {

constexpr std::uint64_t largest_block = std::uint64_t{64} << 20;
constexpr std::uint64_t largest_memory = std::uint64_t{4} << 30;

std::vector<BenchOp> chosen_ops(const ProfileOptions& options) {
  std::vector<BenchOp> ops;
  for (const std::string& name : options.ops) {
    for (const BenchOp op : {BenchOp::read, BenchOp::write, BenchOp::mixed}) {
      if (name == op_name(op)) ops.push_back(op);
    }
  }
  if (!ops.empty()) return ops;
  if (options.profile == "mixed") return {BenchOp::mixed};
  return {BenchOp::read, BenchOp::write};
}

std::uint64_t own_block(const ProfileOptions& options, AccessOrder order) {
  if (options.block_text.empty()) return order == AccessOrder::sequential ? 1 << 20 : 4096;
  const auto block = parse_size(options.block_text);
  if (!block || *block == 0 || *block % 512 != 0 || *block > largest_block) {
    throw BenchFailure("--block-size", "must be a multiple of 512 bytes, at most 64M",
                       exit_wrong_parameters);
  }
  return *block;
}

std::vector<Workload> chosen_workloads(const ProfileOptions& options, AccessOrder order) {
  const bool sequential = order == AccessOrder::sequential;
  if (!options.block_text.empty() || options.depth != 0 || options.threads != 0) {
    const unsigned usual = sequential ? 8 : 32;
    const Workload own =
        make_workload(order, own_block(options, order), options.depth != 0 ? options.depth : usual,
                      options.threads != 0 ? options.threads : 1);
    if (own.block_bytes * own.depth * own.threads > largest_memory) {
      throw BenchFailure("--block-size", "with that --depth and --threads needs more than 4 GiB",
                         exit_wrong_parameters);
    }
    return {own};
  }
  if (options.profile == "peak") {
    return {sequential ? make_workload(order, 1 << 20, 8, 1) : make_workload(order, 4096, 32, 16)};
  }
  if (options.profile == "mixed") return {standard_workloads(order).front()};
  return standard_workloads(order);
}

}  // namespace

void add_profile_options(Command& command, ProfileOptions& options) {
  command
      .add("--profile", &options.profile,
           "standard; peak (rand4k-q32t16); mixed (70 % reads) [standard]")
      .among({"standard", "peak", "mixed"});
  command.add("--block-size", &options.block_text, "Own block size instead of the profile's");
  command.add("--depth", &options.depth, "Own number of requests in flight, each thread")
      .between(1, 1024);
  command.add("--threads", &options.threads, "Own number of threads").between(1, 256);
  command.add("--rw", &options.ops, "read, write, mixed, separated by commas")
      .separated_by_commas()
      .among({"read", "write", "mixed"});
}

std::vector<TestCase> profile_tests(const ProfileOptions& options, AccessOrder order) {
  return test_cases(chosen_workloads(options, order), chosen_ops(options));
}

}  // namespace volt
