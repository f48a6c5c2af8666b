// Input from outside and output to a terminal each pass through one place, which the source must not bypass.

#include <cctype>

#include "base/text.h"
#include "test_includes.h"

namespace gridstride::boundaries_test {

/// Searches outside comments, and not at the end of a longer name.
bool mentions(std::string_view line, std::string_view words) {
    line = line.substr(0, line.find("//"));
    for (std::size_t at = line.find(words); at != std::string_view::npos; at = line.find(words, at + 1)) {
        const char before = at > 0 ? line[at - 1] : ' ';
        if (std::isalnum(static_cast<unsigned char>(before)) == 0 && before != '_') return true;
    }
    return false;
}

std::set<std::string> files_that_mention(const std::vector<std::string>& words) {
    std::set<std::string> found;
    for (const char* folder : {"src", "app", "lessons"})
        for (const auto& entry : fs::recursive_directory_iterator(fs::path(GRIDSTRIDE_SOURCE_DIR) / folder)) {
            const fs::path& file = entry.path();
            if (file.extension() != ".cpp" && file.extension() != ".h") continue;
            const std::string text = read_file(file);
            for (const std::string_view line : split(text, '\n'))
                for (const std::string& one : words)
                    if (mentions(line, one))
                        found.insert(file.lexically_relative(GRIDSTRIDE_SOURCE_DIR).string());
        }
    return found;
}

TEST(Boundaries, OnlyOneFileParsesJson) {
    std::vector<std::string> readers;
    for (const char* type : {"json", "ordered_json", "Json", "ParsedJson", "ProgressJson", "TunedJson",
                             "RecordedJson", "LearnedJson", "SavedJson"})
        for (const char* reads : {"parse", "accept", "sax_parse", "from_cbor", "from_bson", "from_msgpack"})
            readers.push_back(std::string(type) + "::" + reads + "(");
    EXPECT_EQ(files_that_mention(readers), (std::set<std::string>{"src/storage/json.cpp"}));
}

TEST(Boundaries, OnlyEscapingFilesWriteToATerminal) {
    // Each of these files escapes control characters in what it prints.
    EXPECT_EQ(files_that_mention({"stdout)", "stdout,", "stderr)", "stderr,", "std::cout", "std::cerr",
                                  "std::clog", "std::puts(", "std::printf("}),
              (std::set<std::string>{"app/progress_line.cpp", "app/standard_output.cpp",
                                     "src/shader/compile_kernels_main.cpp", "src/shader/kernel_store.cpp",
                                     "src/ui/desktop/desktop.cpp"}));
    EXPECT_EQ(files_that_mention({"spdlog::"}), (std::set<std::string>{"src/base/log.cpp"}));
}

}  // namespace gridstride::boundaries_test
