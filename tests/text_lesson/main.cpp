// The program of these tests is its own compiler: see shader/compile_isolated.h.
#include "shader/compile_isolated.h"
#include "test_includes.h"

int main(int argc, char** argv) {
    if (argc > 1 && argv[1] == gridstride::shader::compile_argument)
        return gridstride::shader::serve_compile();
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
