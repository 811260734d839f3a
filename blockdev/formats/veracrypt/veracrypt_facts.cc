// What is told about a volume of this format. The names are those of volt-info/1 and voltd/1.
#include <cinttypes>
#include <cstdio>
#include <string>

#include "blockdev/formats/veracrypt/container_fit.h"
#include "blockdev/formats/veracrypt/veracrypt_volume.h"

namespace volt {
namespace {

using Number = std::uint64_t;

FactValue number_or_null(std::uint64_t number, bool known) {
  return known ? FactValue(number) : FactValue(nullptr);
}

FactObject header_fields(const VolumeHeader& header) {
  const bool old = is_old_header_version(header.version);
  return {
      field("version", Number{header.version}),
      field("minimum_program_version", Number{header.minimum_program_version}),
      field("volume_creation_time", number_or_null(header.volume_creation_time, old)),
      field("header_creation_time", number_or_null(header.header_creation_time, old)),
      field("hidden_volume_bytes", header.hidden_volume_bytes),
      field("volume_bytes", header.volume_bytes),
      field("data_offset_bytes", header.data_offset_bytes),
      field("data_bytes", header.data_bytes),
      field("flags", Number{header.flags}),
      field("system", (header.flags & header_flag_system) != 0),
      field("in_place", (header.flags & header_flag_in_place) != 0),
      field("sector_bytes", Number{header.sector_bytes}),
      // A header with a wrong one does not open.
      field("key_area_crc", std::string("good")),
      field("header_crc", old ? FactValue(nullptr) : FactValue(std::string("good"))),
  };
}

// "7.00 or later": the version has its minor part in the low byte, as hexadecimal digits.
std::string program_text(std::uint16_t version) {
  char text[32];
  std::snprintf(text, sizeof text, "%x.%02x or later", version >> 8, version & 0xFF);
  return text;
}

std::string flags_text(std::uint32_t flags) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%" PRIx32, flags);
  const char* meaning = "";
  if ((flags & header_flag_system) != 0) meaning = " (system encryption)";
  if ((flags & header_flag_in_place) != 0) meaning = " (encrypted in place)";
  return std::string(text) + meaning;
}

void add_kdf(const UnlockedVolume& volume, std::vector<Fact>* out) {
  const KdfParameters parameters = kdf_parameters(*volume.kdf, volume.pim);
  const std::string name = volume.kdf->name;
  Fact prf{"prf", name, "prf", {}, FactPlace::both};
  std::vector<Fact> work;
  if (volume.kdf->prf == PrfId::argon2id) {
    const Argon2Parameters& argon2 = parameters.argon2;
    prf.text = name + ", " + std::to_string(argon2.passes) + " passes over " +
               std::to_string(argon2.memory_kib / 1024) + " MiB";
    work = {field("argon2_memory_kib", Number{argon2.memory_kib}),
            field("argon2_passes", Number{argon2.passes})};
  } else {
    prf.text = name + ", " + std::to_string(parameters.iterations) + " iterations";
    work = {field("iterations", Number{parameters.iterations})};
  }
  out->push_back(std::move(prf));
  out->push_back({"pim", Number{volume.pim}, volume.pim != 0 ? "pim" : "", {}, FactPlace::both});
  out->insert(out->end(), work.begin(), work.end());
}

void add_fit_line(const VeracryptVolume& about, std::uint64_t expected, std::vector<Fact>* out) {
  const std::uint64_t has = about.container_bytes;
  switch (container_fit(about.unlocked, has)) {
    case ContainerFit::whole:
      return;
    case ContainerFit::longer:
      out->push_back(line("too long", "the volume needs " + std::to_string(expected) + " bytes; " +
                                          std::to_string(has - expected) + " more follow"));
      return;
    case ContainerFit::no_backups:
    case ContainerFit::data_cut:
      break;
  }
  out->push_back(line(
      "cut short", "it should have " + std::to_string(expected) + " bytes; the first " +
                       std::to_string(about.bytes_there(has)) + " bytes of the volume are there"));
}

void add_fit(const VeracryptVolume& about, std::vector<Fact>* out) {
  const UnlockedVolume& volume = about.unlocked;
  const std::uint64_t expected = expected_container_bytes(volume.header, volume.place);
  out->push_back(field("expected_container_bytes", number_or_null(expected, expected != 0)));
  out->push_back(
      field("container_fit", std::string(fit_name(container_fit(volume, about.container_bytes)))));
  out->push_back(field("readable_bytes", about.bytes_there(about.container_bytes)));
  add_fit_line(about, expected, out);
}

void add_header(const VeracryptVolume& about, std::vector<Fact>* out) {
  const VolumeHeader& header = about.unlocked.header;
  const std::string place = place_name(about.unlocked.place);
  const bool detached = !about.header_file.empty();
  out->push_back(field("header_place", place));
  out->push_back(
      field("header_place", detached ? place + " (detached)" : place, FactPlace::status));
  out->push_back(
      field("header_file", detached ? FactValue(about.header_file) : FactValue(nullptr)));
  out->push_back(line("header", "version " + std::to_string(header.version) + ", " + place +
                                    " place" + (detached ? " of " + about.header_file : "")));
  out->push_back(line("program", program_text(header.minimum_program_version)));
  out->push_back(line("volume size", std::to_string(header.volume_bytes)));
  out->push_back(line("data", std::to_string(header.data_bytes) + " bytes at " +
                                  std::to_string(header.data_offset_bytes)));
  if (header.hidden_volume_bytes != 0) {
    out->push_back(line("hidden size", std::to_string(header.hidden_volume_bytes)));
  }
  out->push_back(line("flags", flags_text(header.flags)));
  out->push_back(line("checksums", is_old_header_version(header.version)
                                       ? "keys good (this version has none over its fields)"
                                       : "keys good, fields good"));
  out->push_back(field("header", header_fields(header)));
}

}  // namespace

std::vector<Fact> volume_facts(const VeracryptVolume& about) {
  const UnlockedVolume& volume = about.unlocked;
  const std::string kernel = about.cipher->kernel_names();
  std::vector<Fact> out;
  out.push_back({"format", about.format_name, "format",
                 about.format_name + (about.hidden ? " (hidden volume)" : ""), FactPlace::both});
  out.push_back({"cipher", std::string(volume.cascade->name), "cipher",
                 std::string(volume.cascade->label) + " (" + mode_name(volume.mode) + ", kernel " +
                     kernel + ")",
                 FactPlace::both});
  out.push_back(field("mode", std::string(mode_name(volume.mode)), FactPlace::both));
  add_kdf(volume, &out);
  out.push_back(field("kernel", kernel, FactPlace::both));
  out.push_back(field("hidden", about.hidden, FactPlace::both));
  const VolumeGeometry& area = volume.geometry;
  out.push_back({"size_bytes", area.data_bytes, "size", {}, FactPlace::info, /*is_size=*/true});
  out.push_back({"data_offset_bytes", area.data_offset_bytes, "data offset", {}, FactPlace::both});
  out.push_back(field("first_unit", area.first_unit));
  out.push_back({"sector_bytes", Number{area.sector_bytes}, "sector size", {}, FactPlace::info});
  add_fit(about, &out);
  add_header(about, &out);
  out.push_back(field("places", nullptr));  // not looked at yet
  return out;
}

std::vector<Fact> header_facts(const std::vector<PlaceState>* places) {
  if (places == nullptr) {
    return {{"places", nullptr, "places",
             "not checked (--places checks them; it derives the key once more)"}};
  }
  FactList states;
  std::string text;
  for (const PlaceState& state : *places) {
    const std::string place = place_name(state.place);
    states.push_back({field("place", place), field("offset_bytes", state.offset_bytes),
                      field("opens", state.opens), field("same_volume", state.same_volume)});
    std::string verdict = "does not open";
    if (state.opens) verdict = state.same_volume ? "good" : "opens, but as another volume";
    text += (text.empty() ? "" : ", ") + place + " " + verdict;
  }
  return {{"places", std::move(states), "places", std::move(text)}};
}

}  // namespace volt
