#include "blockdev/stack/serving_options.h"

#include <type_traits>
#include <utility>
#include <variant>

#include "blockdev/stack/credential_rows.h"

namespace volt {
namespace {

constexpr unsigned max_threads = 256;

// "--name=value" for each value of the row's variable, or "--name" for a flag that is set.
void append(const OptionRow& row, std::vector<std::string>* out) {
  const std::string name = row.name.substr(row.name.rfind(',') + 1);
  std::visit(
      [&](const auto* target) {
        using Value = std::remove_cvref_t<decltype(*target)>;
        if constexpr (std::is_same_v<Value, bool>) {
          out->push_back(name);
        } else if constexpr (std::is_same_v<Value, std::string>) {
          out->push_back(name + "=" + *target);
        } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
          for (const std::string& value : *target) out->push_back(name + "=" + value);
        } else if constexpr (std::is_integral_v<Value>) {
          out->push_back(name + "=" + std::to_string(*target));
        }
      },
      row.target);
}

bool same_value(const OptionRow& a, const OptionRow& b) {
  return std::visit([&](auto* value) { return *value == *std::get<decltype(value)>(b.target); },
                    a.target);
}

}  // namespace

void add_testing_option(Command& command, bool* testing) {
  command.add("--testing", testing, "allow simulated disks as containers: model: and fault:");
}

void add_serving_options(Command& command, ServingOptions* options) {
  command.add("CONTAINER", &options->container, "file, partition or drive").needed();
  command.add("FOLDER", &options->mount_point, "empty folder to mount on").needed();
  command.add("-r,--read-only", &options->read_only, "never write to the container");
  command.add("--plain", &options->plain, "no encryption: the file itself, the same way");
  command.add("--protect-hidden", &options->protect_hidden,
              "refuse writes into the hidden volume; asks for its password too");
  command
      .add("--on-violation", &options->on_violation,
           "after a refused write: refuse (only such writes) or read-only (all writes)")
      .among({"refuse", "read-only"});
  command.add("--discard", &options->discard, "pass TRIM and hole punching down");
  command.add("--cache", &options->cache, "let the kernel cache the decrypted volume");
  command.add("--allow-other", &options->allow_other, "other users may reach the volume");
  command.add("--keep-mtime", &options->keep_mtime,
              "give the container its old time of modification back on closing");
  command.add("--no-hw-aes", &options->no_hw_aes, "do not use the processor's AES");
  command.add("--require-locked-memory", &options->require_locked_memory,
              "refuse to open where keys cannot be kept out of the swap space");
  add_testing_option(command, &options->testing);
  command.add("--threads", &options->threads, "requests served at once").between(1, max_threads);
  command.add("--direct", &options->direct, "O_DIRECT on the container")
      .among({"auto", "on", "off"});
  command.add("--io", &options->io, "how the container's transfers are made")
      .among({"auto", "threads", "io_uring"});
  command.add("--kernel", &options->kernel, "force a cipher kernel").not_shown();
  add_credential_options(command, &options->credentials);
  add_credential_options(command, &options->hidden_credentials, CredentialRole::protected_hidden);
}

std::vector<std::string> serving_arguments(ServingOptions options) {
  ServingOptions unset;
  Command typed("", "");
  Command defaults("", "");
  add_serving_options(typed, &options);
  add_serving_options(defaults, &unset);
  std::vector<std::string> out;
  auto other = defaults.rows().begin();
  for (const OptionRow& row : typed.rows()) {
    if (!row.is_argument() && !same_value(row, *other)) append(row, &out);
    ++other;
  }
  out.insert(out.end(), {"--", options.container, options.mount_point});
  return out;
}

}  // namespace volt
