// Options that name passwords and key files: the table, the checks, and handing them on.
#include "blockdev/stack/credentials.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "blockdev/formats/veracrypt/kdf_table.h"
#include "tests/support/temp_folder.h"

namespace volt {
namespace {

TEST(Credentials, RowsHaveDifferentNamesAndHelp) {
  std::set<std::string> names;
  for (const CredentialOptionRow& row : credential_option_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(std::string(row.name).starts_with("--"));
    EXPECT_FALSE(std::string(row.help).empty());
  }
  EXPECT_FALSE(names.contains("--password")) << "a password never stands in argv";
}

TEST(Credentials, ArgumentsHoldWhatIsSet) {
  EXPECT_TRUE(credential_arguments({}).empty());
  CredentialOptions options;
  options.password.file = "-";
  options.keyfiles = {"a", "--b c"};
  options.pim = 485;
  options.hidden = true;
  const std::vector<std::string> expected = {"--password-file=-", "--keyfile=a", "--keyfile=--b c",
                                             "--pim=485", "--hidden"};
  EXPECT_EQ(credential_arguments(options), expected);
  CredentialOptions hidden;
  hidden.pim = 7;
  hidden.password.command = "pass show x";
  const std::vector<std::string> prefixed = {"--hidden-password-command=pass show x",
                                             "--hidden-pim=7"};
  EXPECT_EQ(credential_arguments(hidden, CredentialRole::protected_hidden), prefixed);
}

TEST(Credentials, WrongOptionsAreNamed) {
  const auto refused = [](auto set) {
    CredentialOptions options;
    set(options);
    std::string why;
    EXPECT_FALSE(check_credential_options(options, &why).ok());
    return why;
  };
  EXPECT_NE(refused([](auto& o) { o.pim = max_pim + 1; }).find("--pim"), std::string::npos);
  const auto system_pim = refused([](auto& o) { o.system = true, o.pim = 65536; });
  EXPECT_NE(system_pim.find("--pim: "), std::string::npos);
  EXPECT_NE(system_pim.find("at most 65535"), std::string::npos);
  const auto old_pim = refused([](auto& o) { o.format = "truecrypt", o.pim = 1; });
  EXPECT_NE(old_pim.find("no PIM"), std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.prf = "md5"; }).find("--prf: unknown name (known: sha512"),
            std::string::npos);
  EXPECT_NE(
      refused([](auto& o) { o.format = "luks"; }).find("--format: unknown name (known: veracrypt"),
      std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.cipher = "rot13"; }).find("--cipher: unknown name (known: aes"),
            std::string::npos);
  EXPECT_NE(refused([](auto& o) {
              o.password.file.assign(3, 'x');
              o.password.command.assign(3, 'y');
            }).find("exclude"),
            std::string::npos);
  std::string why;
  CredentialOptions good;
  good.pim = max_pim;
  good.system = false;
  good.prf = "streebog";
  good.format = "veracrypt";
  good.cipher = "aes-twofish-serpent";
  EXPECT_TRUE(check_credential_options(good, &why).ok()) << why;
}

TEST(Credentials, WithoutAPasswordKeyFilesAreNeededAlone) {
  CredentialOptions options;
  options.no_password = true;
  std::string why;
  EXPECT_FALSE(check_credential_options(options, &why).ok());
  EXPECT_NE(why.find("--no-password needs a key file"), std::string::npos);
  options.keyfiles = {"/dev/null"};
  EXPECT_TRUE(check_credential_options(options, &why).ok());
  options.password.fd = 3;
  EXPECT_FALSE(check_credential_options(options, &why).ok());
}

TEST(Credentials, AVolumeKeyIsTakenByteForByteAndWithinLimits) {
  const TempFolder folder;
  CredentialOptions options;
  options.volume_key_file = folder.path() / "key";
  for (const std::size_t bytes : {0U, 1U, 64U, 256U, 257U}) {
    std::ofstream(options.volume_key_file) << std::string(bytes, '\n');
    std::string why;
    const auto credentials = Credentials::gather(options, "", false, &why, nullptr);
    EXPECT_EQ(credentials.ok(), bytes >= 1 && bytes <= 256) << bytes << why;
    if (credentials.ok()) {
      EXPECT_EQ(credentials->key().volume_key.size(), bytes);
    } else {
      EXPECT_NE(why.find("--volume-key-file: "), std::string::npos);
    }
  }
}

TEST(Credentials, AnEmptyPasswordNeedsAKeyFile) {
  CredentialOptions options;
  options.password.file = "/dev/null";
  std::string why;
  const auto credentials = Credentials::gather(options, "", false, &why, nullptr);
  ASSERT_FALSE(credentials.ok());
  EXPECT_EQ(credentials.error().code, ErrorCode::bad_password_or_header);
  EXPECT_NE(why.find("empty"), std::string::npos);
}

}  // namespace
}  // namespace volt
