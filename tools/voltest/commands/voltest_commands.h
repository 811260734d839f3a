// The commands of `voltest`: one function each.
#pragma once

#include "blockdev/formats/veracrypt/kdf_table.h"
#include "blockdev/host/command_line.h"

namespace volt {

// Adds the command with its options to `program`; run, it gives the exit status or throws
// BenchFailure.
void add_seq_command(Command& program);
void add_rand_command(Command& program);
void add_compare_command(Command& program);
void add_cpu_command(Command& program);
void add_verify_command(Command& program);
void add_matrix_command(Command& program);
// `parameters`: a test replaces the table's rule with one that takes less time.
void add_kdf_command(Command& program, KdfRule parameters = kdf_parameters);
void add_report_command(Command& program);

}  // namespace volt
