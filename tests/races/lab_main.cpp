// The lab for the thread sanitizer's build. It does what `gridstride` does when the client starts it, without
// the window and the command line, which that build omits.
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "base/log.h"
#include "client/worker.h"
#include "gpu/driver_cache.h"
#include "shader/compile_isolated.h"

int main(int argc, char** argv) {
    using namespace gridstride;
    if (argc > 1 && argv[1] == shader::compile_argument) return shader::serve_compile();
    if (argc != 4 || argv[1] != lab::worker_argument) {
        std::fputs("This program is started by the tests of the client.\n", stderr);
        return 2;
    }
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    set_up_log();
    gpu::guard_driver_cache();
    return lab::serve_lab(std::atoi(argv[2]), std::atoi(argv[3]));
}
