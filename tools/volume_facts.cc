#include "tools/volume_facts.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "blockdev/container_fit.h"
#include "crypto/cascade.h"
#include "crypto/cipher_id.h"
#include "crypto/kdf_spec.h"
#include "tools/size_text.h"

namespace volt {
namespace {

using Json = nlohmann::ordered_json;

Json header_fields(const VolumeHeader& header) {
  const bool times = is_old_header_version(header.version);
  return {
      {"version", header.version},
      {"minimum_program_version", header.minimum_program_version},
      {"volume_creation_time", times ? Json(header.volume_creation_time) : Json()},
      {"header_creation_time", times ? Json(header.header_creation_time) : Json()},
      {"hidden_volume_bytes", header.hidden_volume_bytes},
      {"volume_bytes", header.volume_bytes},
      {"data_offset_bytes", header.data_offset_bytes},
      {"data_bytes", header.data_bytes},
      {"flags", header.flags},
      {"system", (header.flags & header_flag_system) != 0},
      {"in_place", (header.flags & header_flag_in_place) != 0},
      {"sector_bytes", header.sector_bytes},
      // A header with a wrong one does not open.
      {"key_area_crc", "good"},
      {"header_crc", times ? Json() : Json("good")},
  };
}

Json place_states(const VolumeDescription& about) {
  if (about.places == nullptr) return nullptr;
  Json out = Json::array();
  for (const PlaceState& state : *about.places) {
    out.push_back({{"place", place_name(state.place)},
                   {"offset_bytes", state.offset_bytes},
                   {"opens", state.opens},
                   {"same_volume", state.same_volume}});
  }
  return out;
}

void add_kdf(const UnlockedVolume& volume, Json* out) {
  (*out)["prf"] = volume.kdf->name;
  (*out)["pim"] = volume.pim;
  if (volume.kdf->prf == PrfId::argon2id) {
    const Argon2Parameters parameters = kdf_parameters(*volume.kdf, volume.pim).argon2;
    (*out)["argon2_memory_kib"] = parameters.memory_kib;
    (*out)["argon2_passes"] = parameters.passes;
  } else {
    (*out)["iterations"] = kdf_parameters(*volume.kdf, volume.pim).iterations;
  }
}

Json facts(const VolumeDescription& about) {
  const UnlockedVolume& volume = about.volume;
  Json out;
  out["schema"] = "volt-info/1";
  out["file"] = about.file;
  out["container_bytes"] = about.container_bytes;
  const std::uint64_t expected = expected_container_bytes(volume.header, volume.place);
  out["expected_container_bytes"] = expected != 0 ? Json(expected) : Json();
  out["container_fit"] = fit_name(container_fit(volume, about.container_bytes));
  out["readable_bytes"] = data_bytes_there(volume.geometry, about.container_bytes);
  out["format"] = format_name(volume.header.format);
  out["cipher"] = volume.cascade->name;
  out["mode"] = mode_name(volume.mode);
  add_kdf(volume, &out);
  const auto cipher = make_volume_cipher(volume);
  out["kernel"] = cipher.ok() ? (*cipher)->kernel_names() : "none";
  out["hidden"] = volume.hidden();
  out["header_place"] = place_name(volume.place);
  out["header_file"] = about.header_file.empty() ? Json() : Json(about.header_file);
  out["size_bytes"] = volume.geometry.data_bytes;
  out["data_offset_bytes"] = volume.geometry.data_offset_bytes;
  out["first_unit"] = volume.geometry.first_unit;
  out["sector_bytes"] = volume.geometry.sector_bytes;
  out["header"] = header_fields(volume.header);
  out["places"] = place_states(about);
  return out;
}

void print_row(const char* name, const std::string& value) {
  fmt::print("{:<16}{}\n", std::string(name) + ":", value);
}

void print_kdf_rows(const UnlockedVolume& volume) {
  if (volume.kdf->prf == PrfId::argon2id) {
    const Argon2Parameters parameters = kdf_parameters(*volume.kdf, volume.pim).argon2;
    print_row("prf", fmt::format("{}, {} passes over {}", volume.kdf->name, parameters.passes,
                                 format_size(std::uint64_t{parameters.memory_kib} * 1024)));
  } else {
    print_row("prf", fmt::format("{}, {} iterations", volume.kdf->name,
                                 kdf_parameters(*volume.kdf, volume.pim).iterations));
  }
  if (volume.pim != 0) print_row("pim", std::to_string(volume.pim));
}

std::string size_and_bytes(std::uint64_t bytes) {
  return fmt::format("{} ({} bytes)", format_size(bytes), bytes);
}

void print_header_rows(const VolumeHeader& header) {
  print_row("program", fmt::format("{:x}.{:02x} or later", header.minimum_program_version >> 8,
                                   header.minimum_program_version & 0xFF));
  print_row("volume size", std::to_string(header.volume_bytes));
  print_row("data", fmt::format("{} bytes at {}", header.data_bytes, header.data_offset_bytes));
  if (header.hidden_volume_bytes != 0) {
    print_row("hidden size", std::to_string(header.hidden_volume_bytes));
  }
  const char* meaning = "";
  if ((header.flags & header_flag_system) != 0) meaning = " (system encryption)";
  if ((header.flags & header_flag_in_place) != 0) meaning = " (encrypted in place)";
  print_row("flags", fmt::format("{:#x}{}", header.flags, meaning));
  print_row("checksums", is_old_header_version(header.version)
                             ? "keys good (this version has none over its fields)"
                             : "keys good, fields good");
}

void print_fit_row(const VolumeDescription& about) {
  const std::uint64_t expected = expected_container_bytes(about.volume.header, about.volume.place);
  switch (container_fit(about.volume, about.container_bytes)) {
    case ContainerFit::whole:
      return;
    case ContainerFit::longer:
      return print_row("too long", fmt::format("the volume needs {} bytes; {} more follow",
                                               expected, about.container_bytes - expected));
    case ContainerFit::no_backups:
    case ContainerFit::data_cut:
      break;
  }
  print_row("cut short",
            fmt::format("it should have {} bytes; the first {} bytes of the volume are there",
                        expected, data_bytes_there(about.volume.geometry, about.container_bytes)));
}

std::string places_text(const VolumeDescription& about) {
  std::string text;
  for (const PlaceState& state : *about.places) {
    const char* verdict = "does not open";
    if (state.opens) verdict = state.same_volume ? "good" : "opens, but as another volume";
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", place_name(state.place), verdict);
  }
  return text;
}

void print_text(const VolumeDescription& about, const std::string& kernel) {
  const UnlockedVolume& volume = about.volume;
  print_row("file", about.file);
  print_row("format", std::string(format_name(volume.header.format)) +
                          (volume.hidden() ? " (hidden volume)" : ""));
  print_row("cipher", fmt::format("{} ({}, kernel {})", volume.cascade->label,
                                  mode_name(volume.mode), kernel));
  print_kdf_rows(volume);
  print_row("size", size_and_bytes(volume.geometry.data_bytes));
  print_row("data offset", std::to_string(volume.geometry.data_offset_bytes));
  print_row("sector size", std::to_string(volume.geometry.sector_bytes));
  print_row("container", size_and_bytes(about.container_bytes));
  print_fit_row(about);
  const std::string from = about.header_file.empty() ? "" : " of " + about.header_file;
  print_row("header", fmt::format("version {}, {} place{}", volume.header.version,
                                  place_name(volume.place), from));
  print_header_rows(volume.header);
  if (about.places != nullptr) {
    print_row("places", places_text(about));
  } else if (about.offer_places) {
    print_row("places", "not checked (--places checks them; it derives the key once more)");
  }
}

}  // namespace

void print_volume_facts(const VolumeDescription& about, bool json) {
  const Json all = facts(about);
  if (json) {
    fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    print_text(about, all["kernel"].get<std::string>());
  }
}

}  // namespace volt
