// What a user states to open a volume: the options as data, and the gathered secrets.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "blockdev/formats/format.h"
#include "blockdev/host/password_source.h"
#include "blockdev/stack/device_stack.h"
#include "crypto/base/result.h"
#include "crypto/base/secure_buffer.h"
#include "crypto/kdf/keyfile_pool.h"

namespace volt {

// As typed on a command line. No secrets: a password never stands there.
struct CredentialOptions {
  PasswordSource password;
  bool no_password = false;  // key files alone: none is asked for
  std::vector<std::string> keyfiles;
  std::string volume_key_file;  // the key that the data are encrypted with, in a file
  std::uint32_t pim = 0;        // 0: the format's default
  bool ask_pim = false;         // on the terminal, after the password
  std::string prf;              // names as on the command line; empty: try all
  std::string format;
  std::string cipher;
  bool hidden = false;
  bool system = false;
  bool backup_header = false;
  bool verbose = false;  // say what was tried where nothing opens
  std::string header;    // file that holds the volume's headers; empty: the container itself
};

// One row an option, so that every program offers the same ones and `volt` can hand them on to
// `voltd`. The accessor gives the field to fill.
struct CredentialOptionRow {
  using Field =
      std::variant<bool* (*)(CredentialOptions&), int* (*)(CredentialOptions&),
                   std::uint32_t* (*)(CredentialOptions&), std::string* (*)(CredentialOptions&),
                   std::vector<std::string>* (*)(CredentialOptions&)>;
  const char* name;  // "--pim"
  Field field;
  const char* help;
  // Also offered for the hidden volume that is to be protected, as "--hidden-pim" and so on.
  bool for_protection;
  bool list_in_help = false;  // the names that the formats know
};
std::span<const CredentialOptionRow> credential_option_rows() noexcept;

// Whose credentials the options are: of the volume that is opened, or of the hidden one in it.
enum class CredentialRole { opened, protected_hidden };

// "--pim" or "--hidden-pim".
std::string credential_option_name(const CredentialOptionRow& row, CredentialRole role);

// The options as arguments for another program, e.g. {"--pim=485", "--hidden"}.
std::vector<std::string> credential_arguments(CredentialOptions options,
                                              CredentialRole role = CredentialRole::opened);

// What they say about the volume, in the terms of the formats.
VolumeOptions volume_options(const CredentialOptions& options);

// Names, ranges, and at most one password channel. On invalid_argument `*why` is a sentence that
// names the option and what it allows.
Status check_credential_options(const CredentialOptions& options, std::string* why);

// The secrets, read and mixed. Thread contract: as a std::vector's.
class Credentials {
 public:
  // Checks the options, opens the file of detached headers, reads the key files and then the
  // password (asking on the terminal where no channel is named; `confirm` asks twice) and the PIM
  // where it is to be asked, unless the volume's own key is given. An empty password is accepted
  // only beside key files. On an error
  // `*why` is a sentence that names the option or file. `notices` (may be null) receives what the
  // user should know, such as files that were skipped. Errors: invalid_argument;
  // bad_password_or_header for an empty password; and those of read_password, read_keyfiles and
  // open_container.
  static Result<Credentials> gather(const CredentialOptions& options, const char* prompt,
                                    bool confirm, std::string* why,
                                    std::vector<std::string>* notices);

  // What unlock_container() needs; points into this object and what it owns, also after a move.
  OpenRequest request() const;
  KeySource key() const noexcept;
  ByteSpan password() const noexcept { return password_.span(); }

 private:
  Credentials() = default;

  CredentialOptions options_;
  SecureBuffer password_;
  SecureBuffer volume_key_;
  std::optional<KeyfilePool> keyfiles_;
  std::optional<Container> header_file_;
};

}  // namespace volt
