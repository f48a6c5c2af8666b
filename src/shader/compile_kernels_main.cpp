// Build tool: compiles and validates the shipped kernels.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "base/text.h"
#include "shader/kernel_store.h"

int main(int argc, char** argv) {
    if (argc != 3) {
        fmt::print(stderr, "usage: {} SOURCE_ROOT OUTPUT_ROOT\n", argv[0]);
        return 1;
    }
    try {
        return gridstride::shader::compile_all(argv[1], argv[2]) ? 0 : 1;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}: error: {}\n", argv[1], gridstride::escape_controls(error.what()));
        return 1;
    }
}
