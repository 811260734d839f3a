#include "blockdev/stack/credentials.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <type_traits>
#include <utility>

#include "blockdev/formats/formats.h"
#include "blockdev/host/command_line.h"
#include "blockdev/host/error_text.h"
#include "blockdev/host/file_descriptor.h"
#include "blockdev/stack/container_spec.h"

namespace volt {
namespace {

using Options = CredentialOptions;

constexpr std::size_t max_volume_key_bytes = 256;

constexpr std::array rows{
    CredentialOptionRow{"--password-file",
                        +[](Options& options) -> std::string* { return &options.password.file; },
                        "read the password from FILE ('-': standard input); one trailing newline "
                        "is dropped",
                        true},
    CredentialOptionRow{"--password-command",
                        +[](Options& options) -> std::string* { return &options.password.command; },
                        "take the password from what COMMAND prints; one trailing newline is "
                        "dropped",
                        true},
    CredentialOptionRow{"--password-fd",
                        +[](Options& options) -> int* { return &options.password.fd; },
                        "read the password from an open file descriptor, up to its end", false},
    CredentialOptionRow{"--no-password",
                        +[](Options& options) -> bool* { return &options.no_password; },
                        "do not ask for a password: key files alone", true},
    CredentialOptionRow{
        "--keyfile",
        +[](Options& options) -> std::vector<std::string>* { return &options.keyfiles; },
        "mix in this key file, or the files in this folder; may be repeated", true},
    CredentialOptionRow{"--volume-key-file",
                        +[](Options& options) -> std::string* { return &options.volume_key_file; },
                        "open with the key that the data are encrypted with, which FILE holds "
                        "(formats that can)",
                        false},
    CredentialOptionRow{"--pim", +[](Options& options) -> std::uint32_t* { return &options.pim; },
                        "personal iterations multiplier (0: the default)", true},
    CredentialOptionRow{"--ask-pim", +[](Options& options) -> bool* { return &options.ask_pim; },
                        "ask for the PIM on the terminal, where nobody reads it from a list of "
                        "processes or a shell's history",
                        true},
    CredentialOptionRow{"--prf", +[](Options& options) -> std::string* { return &options.prf; },
                        "try only this PRF", true, true},
    CredentialOptionRow{"--format",
                        +[](Options& options) -> std::string* { return &options.format; },
                        "try only this format", false, true},
    CredentialOptionRow{"--cipher",
                        +[](Options& options) -> std::string* { return &options.cipher; },
                        "try only this cipher or cascade, for example aes or "
                        "aes-twofish-serpent",
                        false},
    CredentialOptionRow{"--hidden", +[](Options& options) -> bool* { return &options.hidden; },
                        "the hidden volume, never the outer one", false},
    CredentialOptionRow{"--system", +[](Options& options) -> bool* { return &options.system; },
                        "a system-encrypted drive or partition", false},
    CredentialOptionRow{"--backup-header",
                        +[](Options& options) -> bool* { return &options.backup_header; },
                        "use only the backup header at the end of the container", false},
    CredentialOptionRow{"--header",
                        +[](Options& options) -> std::string* { return &options.header; },
                        "take the header from this file (a header backup), only the data from the "
                        "container",
                        false},
    CredentialOptionRow{"--verbose", +[](Options& options) -> bool* { return &options.verbose; },
                        "where nothing opens, say all that was tried", false},
};

Status invalid(std::string* why, std::string text) {
  *why = std::move(text);
  return Error{ErrorCode::invalid_argument, 0, "option", 0};
}

void append_argument(std::vector<std::string>* out, const std::string& name, std::string value) {
  out->push_back(name + "=" + std::move(value));
}

// The volume's key as it stands in its file: every byte counts.
Result<SecureBuffer> read_volume_key(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return error_from_errno("cannot open", errno);
  auto buffer = SecureBuffer::create(max_volume_key_bytes + 1);
  if (!buffer) return buffer;
  std::size_t length = 0;
  while (length < buffer->size()) {
    const ssize_t got = ::read(file.get(), buffer->data() + length, buffer->size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return error_from_errno("cannot read", errno);
    if (got == 0) break;
    length += static_cast<std::size_t>(got);
  }
  if (length == 0) return Error{ErrorCode::invalid_argument, 0, "is empty", 0};
  if (length > max_volume_key_bytes) {
    return Error{ErrorCode::invalid_argument, 0, "longer than {} bytes: not a volume's key",
                 max_volume_key_bytes};
  }
  return SecureBuffer::copy_of(buffer->span().first(length));
}

Status ask_pim(CredentialOptions* options, bool confirm, std::string* why) {
  PasswordSource terminal;
  terminal.empty_allowed = true;
  const auto typed = read_password(terminal, "PIM (Enter: the default): ", confirm);
  if (!typed) {
    *why = "PIM: " + error_text(typed.error());
    return typed.error();
  }
  const std::string_view text(reinterpret_cast<const char*>(typed->data()), typed->size());
  std::uint64_t pim = 0;
  if (!text.empty() && (!parse_decimal(text, &pim) || pim > UINT32_MAX)) {
    return invalid(why, "PIM: must be a whole number in decimal digits");
  }
  options->pim = static_cast<std::uint32_t>(pim);
  options->ask_pim = false;
  return check_credential_options(*options, why);
}

Result<SecureBuffer> ask_password(const CredentialOptions& options, const char* prompt,
                                  bool confirm, std::string* why,
                                  std::vector<std::string>* notices) {
  PasswordSource source = options.password;
  source.empty_allowed = true;
  auto password = read_password(source, prompt, confirm, notices);
  if (!password) {
    const std::string from = options.password.file.empty() ? "" : options.password.file + ": ";
    *why = "password: " + from + error_text(password.error());
    return password.error();
  }
  if (password->empty() && options.keyfiles.empty()) {
    *why = "password: it is empty, and no key file is given";
    return Error{ErrorCode::bad_password_or_header, 0, "empty password", 0};
  }
  return password;
}

}  // namespace

std::span<const CredentialOptionRow> credential_option_rows() noexcept {
  return rows;
}

std::string credential_option_name(const CredentialOptionRow& row, CredentialRole role) {
  if (role == CredentialRole::opened) return row.name;
  std::string name = "--hidden-";
  name += row.name + 2;  // behind the two hyphens
  return name;
}

std::vector<std::string> credential_arguments(CredentialOptions options, CredentialRole role) {
  const CredentialOptions defaults;
  std::vector<std::string> out;
  for (const CredentialOptionRow& row : rows) {
    const std::string name = credential_option_name(row, role);
    std::visit(
        [&](auto accessor) {
          const auto& value = *accessor(options);
          CredentialOptions unset = defaults;
          if (value == *accessor(unset)) return;
          using Value = std::remove_cvref_t<decltype(value)>;
          if constexpr (std::is_same_v<Value, bool>) {
            out.push_back(name);
          } else if constexpr (std::is_same_v<Value, std::string>) {
            append_argument(&out, name, value);
          } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
            for (const std::string& item : value) append_argument(&out, name, item);
          } else {
            append_argument(&out, name, std::to_string(value));
          }
        },
        row.field);
  }
  return out;
}

VolumeOptions volume_options(const CredentialOptions& options) {
  return {options.format, options.prf,    options.cipher,        options.pim,
          options.hidden, options.system, options.backup_header, !options.header.empty()};
}

Status check_credential_options(const CredentialOptions& options, std::string* why) {
  const int channels = (options.password.file.empty() ? 0 : 1) +
                       (options.password.command.empty() ? 0 : 1) +
                       (options.password.fd < 0 ? 0 : 1);
  if (channels > 1) {
    return invalid(why, "--password-file, --password-command and --password-fd exclude each other");
  }
  if (options.backup_header && !options.header.empty()) {
    return invalid(why, "--header and --backup-header exclude each other");
  }
  if (is_composed_name(options.header)) {
    return invalid(why, "--header: " + options.header +
                            " names a composed container, but a header is a plain file; a file of "
                            "that name is ./" +
                            options.header);
  }
  if (options.ask_pim && options.pim != 0) {
    return invalid(why, "--pim and --ask-pim exclude each other");
  }
  if (options.no_password && channels != 0) {
    return invalid(why, "--no-password: a password is named as well");
  }
  if (options.no_password && options.keyfiles.empty()) {
    return invalid(why, "--no-password needs a key file (--keyfile)");
  }
  const Outcome<void> volume = check_volume_options(volume_options(options));
  if (!volume) return invalid(why, volume.failure().what + ": " + volume.failure().why);
  return {};
}

Result<Credentials> Credentials::gather(const CredentialOptions& options, const char* prompt,
                                        bool confirm, std::string* why,
                                        std::vector<std::string>* notices) {
  VOLT_TRY(check_credential_options(options, why));
  Credentials credentials;
  credentials.options_ = options;
  if (!options.header.empty()) {
    ContainerOptions access;
    access.read_only = true;
    access.lock = false;
    access.direct = DirectIo::off;
    auto file = open_container(options.header, access);
    if (!file) {
      *why = "--header: " + options.header + ": " + error_text(file.error());
      return file.error();
    }
    credentials.header_file_ = *std::move(file);
  }
  if (!options.keyfiles.empty()) {
    std::string which;
    std::vector<std::string> skipped;
    auto pool = read_keyfiles(options.keyfiles, &which, &skipped);
    if (!pool) {
      *why = "key file " + which + ": " + error_text(pool.error());
      return pool.error();
    }
    credentials.keyfiles_ = std::move(*pool);
    if (notices != nullptr) notices->insert(notices->end(), skipped.begin(), skipped.end());
  }
  if (!options.volume_key_file.empty()) {
    auto key = read_volume_key(options.volume_key_file);
    if (!key) {
      *why = "--volume-key-file: " + options.volume_key_file + ": " + error_text(key.error());
      return key.error();
    }
    credentials.volume_key_ = *std::move(key);
    return credentials;
  }
  if (!options.no_password) {
    auto password = ask_password(options, prompt, confirm, why, notices);
    if (!password) return password.error();
    credentials.password_ = std::move(*password);
  }
  if (options.ask_pim) VOLT_TRY(ask_pim(&credentials.options_, confirm, why));
  return credentials;
}

KeySource Credentials::key() const noexcept {
  return {password_.span(), keyfiles_ ? &*keyfiles_ : nullptr, options_.keyfiles, options_.pim,
          volume_key_.span()};
}

OpenRequest Credentials::request() const {
  OpenRequest request;
  request.key = key();
  request.options = volume_options(options_);
  request.verbose = options_.verbose;
  if (header_file_) request.headers = header_file_->device.get();
  request.headers_name = options_.header;
  return request;
}

}  // namespace volt
