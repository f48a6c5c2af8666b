// The program's exit codes, as the README documents them.
#pragma once

namespace gridstride::app {

enum ExitCode {
    exit_fine = 0,
    exit_mismatch = 1,  ///< a result differs from its reference
    exit_usage =
        2,  ///< the command line is wrong, or a value is outside what the lesson or the device allows
    exit_no_device = 3,  ///< no usable Vulkan device
    exit_lab_lost = 4,   ///< the run failed or ran past its deadline
    exit_file = 5,       ///< a file, or stdout, cannot be read or written
};

}  // namespace gridstride::app
