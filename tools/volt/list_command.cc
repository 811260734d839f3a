// volt list: the open volumes.
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "blockdev/host/command_line.h"
#include "blockdev/host/error_text.h"
#include "blockdev/host/exit_status.h"
#include "blockdev/host/printable_text.h"
#include "blockdev/stack/facts_json.h"
#include "tools/common/loop_attach.h"
#include "tools/common/open_volumes.h"
#include "tools/common/report.h"
#include "tools/common/size_text.h"
#include "tools/volt/commands.h"

namespace volt {
namespace {

using Json = nlohmann::ordered_json;

Json volume_json(const OpenVolume& volume) {
  Json status = parse_outside_json(volume.status_json);
  return {{"mount_point", volume.mount.mount_point},
          {"container", volume.mount.source},
          {"state", volume_state_name(volume.state)},
          {"loop_devices", volume.loop_devices},
          {"status", status.is_object() ? status : Json(nullptr)}};
}

void print_json(const std::vector<OpenVolume>& volumes, const std::vector<LeftLoop>& left) {
  Json list = Json::array();
  for (const OpenVolume& volume : volumes) list.push_back(volume_json(volume));
  Json devices = Json::array();
  for (const LeftLoop& loop : left) {
    devices.push_back({{"device", loop.device}, {"mount_point", loop.mount_point()}});
  }
  const Json out = {{"schema", "volt-list/1"},
                    {"volumes", std::move(list)},
                    {"left_loop_devices", std::move(devices)}};
  fmt::print("{}\n", out.dump(2, ' ', false, Json::error_handler_t::replace));
}

// "/mnt/a  98.0 MiB  veracrypt aes  rw  /dev/loop0  /home/me/a.hc", tab-separated.
void print_text(const OpenVolume& volume) {
  std::string description = volume_state_name(volume.state);
  std::string size = "-";
  if (volume.status) {
    const VolumeStatus& status = *volume.status;
    description = status.volume_text("format");
    const std::string cipher = status.volume_text("cipher");
    if (!cipher.empty()) description += " " + cipher;
    if (status.volume_flag("hidden")) description += " hidden";
    if (status.read_only) description += " read-only";
    const std::string& state = status.container_state;
    if (!state.empty() && state != "present") description += " (container " + state + ")";
    size = format_size(status.size_bytes);
  }
  std::string loops;
  for (const std::string& device : volume.loop_devices) {
    loops += (loops.empty() ? "" : ",") + device;
  }
  fmt::print("{}\t{}\t{}\t{}\t{}\n", printable(volume.mount.mount_point), size,
             printable(description), loops.empty() ? "-" : loops, printable(volume.mount.source));
}

int run_list(bool json) {
  const auto volumes = list_open_volumes();
  if (!volumes) {
    return report_failure("list", error_text(volumes.error()),
                          exit_status_of(volumes.error().code));
  }
  const std::vector<LeftLoop> left = left_loops();
  if (json) {
    print_json(*volumes, left);
    return exit_done;
  }
  for (const OpenVolume& volume : *volumes) {
    print_text(volume);
    const std::string notice = container_notice(volume);
    if (!notice.empty()) report_notice(volume.mount.mount_point + ": " + notice);
  }
  for (const LeftLoop& loop : left) {
    fmt::print("{}\t-\tleft behind\t{}\t-\n", printable(loop.mount_point()), loop.device);
  }
  return exit_done;
}

}  // namespace

void add_list_command(Command& program) {
  Command& command = program.add_command("list", "show the open volumes");
  auto json = std::make_shared<bool>(false);
  command.add("--json", json.get(), "print JSON");
  command.runs([json] { return run_list(*json); });
}

}  // namespace volt
