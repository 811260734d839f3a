#include "tools/volume_facts.h"

#include <cstdint>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "crypto/cascade.h"
#include "crypto/cipher_id.h"
#include "crypto/kdf_spec.h"
#include "tools/size_text.h"

namespace volt {
namespace {

nlohmann::ordered_json facts(const std::string& file, const UnlockedVolume& volume) {
  const VolumeHeader& header = volume.header;
  nlohmann::ordered_json out;
  out["schema"] = "volt-info/1";
  out["file"] = file;
  out["format"] = format_name(header.format);
  out["cipher"] = volume.cascade->name;
  out["mode"] = mode_name(volume.mode);
  out["prf"] = volume.kdf->name;
  out["pim"] = volume.pim;
  if (volume.kdf->prf == PrfId::argon2id) {
    const Argon2Parameters parameters = argon2_parameters(volume.pim);
    out["argon2_memory_kib"] = parameters.memory_kib;
    out["argon2_passes"] = parameters.passes;
  } else {
    out["iterations"] = kdf_iterations(*volume.kdf, volume.pim);
  }
  const auto cipher = make_volume_cipher(volume);
  out["kernel"] = cipher.ok() ? (*cipher)->kernel_names() : "none";
  out["hidden"] = volume.hidden();
  out["header_place"] = place_name(volume.place);
  out["size_bytes"] = volume.geometry.data_bytes;
  out["data_offset_bytes"] = volume.geometry.data_offset_bytes;
  out["first_unit"] = volume.geometry.first_unit;
  out["sector_bytes"] = volume.geometry.sector_bytes;
  out["header"] = {
      {"version", header.version},
      {"minimum_program_version", header.minimum_program_version},
      {"hidden_volume_bytes", header.hidden_volume_bytes},
      {"volume_bytes", header.volume_bytes},
      {"data_offset_bytes", header.data_offset_bytes},
      {"data_bytes", header.data_bytes},
      {"flags", header.flags},
      {"system", (header.flags & header_flag_system) != 0},
      {"sector_bytes", header.sector_bytes},
  };
  return out;
}

void print_row(const char* name, const std::string& value) {
  fmt::print("{:<14}{}\n", std::string(name) + ":", value);
}

}  // namespace

void print_volume_facts(const std::string& file, const UnlockedVolume& volume, bool json) {
  const nlohmann::ordered_json all = facts(file, volume);
  if (json) {
    fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  const auto text = [&](const char* key) { return all[key].get<std::string>(); };
  print_row("file", file);
  print_row("format", text("format") + (volume.hidden() ? " (hidden volume)" : ""));
  print_row("cipher", std::string(volume.cascade->label) + " (" + text("mode") + ", kernel " +
                          text("kernel") + ")");
  print_row(
      "prf",
      text("prf") +
          (all.contains("iterations")
               ? fmt::format(", {} iterations", all["iterations"].get<std::uint32_t>())
               : fmt::format(", {} passes over {}", all["argon2_passes"].get<std::uint32_t>(),
                             format_size(all["argon2_memory_kib"].get<std::uint64_t>() * 1024))));
  if (volume.pim != 0) print_row("pim", std::to_string(volume.pim));
  print_row("size", fmt::format("{} ({} bytes)", format_size(volume.geometry.data_bytes),
                                volume.geometry.data_bytes));
  print_row("data offset", std::to_string(volume.geometry.data_offset_bytes));
  print_row("sector size", std::to_string(volume.geometry.sector_bytes));
  print_row("header",
            fmt::format("version {}, {} place", volume.header.version, place_name(volume.place)));
}

}  // namespace volt
