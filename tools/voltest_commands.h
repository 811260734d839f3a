// The commands of voltest: each adds its subcommand with its options; the callback runs it and
// leaves its exit status in `*status`. Options live as long as the returned state.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "crypto/kdf_spec.h"

namespace volt {

using CommandState = std::shared_ptr<void>;

CommandState add_seq_command(CLI::App& app, int* status);
CommandState add_rand_command(CLI::App& app, int* status);
CommandState add_compare_command(CLI::App& app, int* status);
CommandState add_cpu_command(CLI::App& app, int* status);
CommandState add_verify_command(CLI::App& app, int* status);
CommandState add_matrix_command(CLI::App& app, int* status);
// `parameters`: a test replaces the table's rule with one that takes less time.
CommandState add_kdf_command(CLI::App& app, int* status, KdfRule parameters = kdf_parameters);
CommandState add_report_command(CLI::App& app, int* status);

}  // namespace volt
