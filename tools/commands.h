// The commands of `volt`: one file each, one function each.
#pragma once

#include "blockdev/host/command_line.h"

namespace volt {

// Adds the command with its options to `program`; run, it gives the exit status.
void add_close_command(Command& program);
void add_create_command(Command& program);
void add_expand_command(Command& program);
void add_header_command(Command& program);
void add_info_command(Command& program);
void add_list_command(Command& program);
void add_open_command(Command& program);
void add_passwd_command(Command& program);
void add_transfer_commands(Command& program);  // dump, load

}  // namespace volt
