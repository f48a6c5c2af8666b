// The installed fonts have every special character of the program, its lessons and its manual. With ImGui's
// own font alone, a readable text replaces each one.
#include <charconv>

#include "base/text.h"
#include "test_includes.h"
#include "ui/ui_frame.h"

namespace gridstride::ui::marks_test {

/// Decodes one UTF-8 character of up to three bytes.
unsigned decode_code_point(std::string_view character) {
    const auto low = [&](std::size_t i) { return static_cast<unsigned char>(character[i]) & 0x3FU; };
    const auto first = static_cast<unsigned char>(character[0]);
    if (character.size() == 1) return first;
    return character.size() == 2 ? (first & 0x1FU) << 6 | low(1)
                                 : (first & 0xFU) << 12 | low(1) << 6 | low(2);
}

/// Removes a comment that starts with `//` outside a literal.
std::string_view remove_comment(std::string_view line) {
    bool in_literal = false;
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
        if (line[i] == '"' && (i == 0 || line[i - 1] != '\\')) in_literal = !in_literal;
        if (!in_literal && line.substr(i, 2) == "//") return line.substr(0, i);
    }
    return line;
}

/// Finds all characters beyond ASCII, also those that C++ writes as \u2212, each with a file that has it.
std::map<unsigned, std::string> find_marks() {
    std::map<unsigned, std::string> found;
    const fs::path root = GRIDSTRIDE_SOURCE_DIR;
    for (const char* folder : {"src", "app", "lessons", "shaders", "assets"})
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            const std::string ending = entry.path().extension().string();
            const bool is_cpp = ending == ".cpp" || ending == ".h";
            // The program reads the characters of this file but never draws them.
            if (entry.path().filename() == "number_field.cpp") continue;
            if (!is_cpp && ending != ".md" && ending != ".comp" && ending != ".glsl" && ending != ".json")
                continue;
            const std::string content = read_file(entry.path());
            for (std::string_view line : split(content, '\n')) {
                if (is_cpp) line = remove_comment(line);
                for (std::size_t at = 0; at < line.size();) {
                    const std::string_view one = first_characters(line.substr(at), 1);
                    unsigned code = decode_code_point(one);
                    if (is_cpp && line.substr(at, 2) == "\\u")
                        std::from_chars(line.data() + at + 2, line.data() + line.size(), code, 16);
                    if (code > 0x7F) found.try_emplace(code, entry.path().string());
                    at += one.size();
                }
            }
        }
    return found;
}

TEST(Marks, AreInEveryFont) {
    const UiFrames frames;
    for (const auto& [mark, file] : find_marks())
        for (const TextStyle type : {TextStyle::body, TextStyle::body_strong, TextStyle::mono})
            EXPECT_TRUE(find_glyph(*frames.theme().font(type), static_cast<ImWchar>(mark)))
                << fmt::format("U+{:04X} of {} in style {}", mark, file, static_cast<int>(type));
}

TEST(Marks, HaveReplacementsThatTheFontHas) {
    const UiFrames frames(Mode::dark, 1, FontSource::imgui);
    const ImFont& font = *frames.theme().font(TextStyle::body);
    const auto found = find_marks();
    EXPECT_TRUE(found.contains(0x2713) && found.contains(0x2212) && found.contains(0x202F))
        << "the search finds marks in all kinds of files";
    for (const auto& [mark, file] : found) {
        std::string buffer;
        std::string_view drawable_text = frames.theme().drawable_text(TextStyle::body, utf8(mark), buffer);
        while (!drawable_text.empty()) {
            const std::string_view one = first_characters(drawable_text, 1);
            EXPECT_TRUE(find_glyph(font, static_cast<ImWchar>(decode_code_point(one))))
                << fmt::format("U+{:04X} of {}", mark, file);
            drawable_text.remove_prefix(one.size());
        }
    }
}

}  // namespace gridstride::ui::marks_test
