// How a program ends: nothing that it printed is lost silently, and no exception leaves it.
#pragma once

#include <functional>
#include <string>

namespace volt {

// Runs a program and returns its exit status (exit_status.h). `report` prints "program: TEXT" on
// standard error and must not throw.
//   std::bad_alloc           exit_out_of_memory, "out of memory"
//   any other exception      exit_wrong_device, "internal error: ..."
// Then standard output is flushed. Where something that was printed did not get there (a full
// disk, a reader that has gone, a closed descriptor) that is reported, and success becomes
// exit_wrong_device.
int run_to_end(const std::function<int()>& program,
               const std::function<void(const std::string& text)>& report);

}  // namespace volt
