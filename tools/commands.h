// The commands of `volt`: one file each, one registration function each.
#pragma once

namespace CLI {
class App;
}

namespace volt {

// Adds the subcommand and its options to `app`. When it is chosen its callback runs it and stores
// the exit status (exit_status.h) in `*exit_status`, which outlives the parsing.
void register_close_command(CLI::App& app, int* exit_status);
void register_create_command(CLI::App& app, int* exit_status);
void register_expand_command(CLI::App& app, int* exit_status);
void register_header_command(CLI::App& app, int* exit_status);
void register_info_command(CLI::App& app, int* exit_status);
void register_list_command(CLI::App& app, int* exit_status);
void register_open_command(CLI::App& app, int* exit_status);
void register_passwd_command(CLI::App& app, int* exit_status);
void register_transfer_commands(CLI::App& app, int* exit_status);  // dump, load

}  // namespace volt
