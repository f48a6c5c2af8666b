// Checks the dependencies between the architecture's components ("rooms"), and between the files of a
// component, by reading the #include lines. The build cannot enforce them, because system headers share one
// include path.

#include <cctype>

#include <array>
#include "base/text.h"

#include "test_includes.h"

namespace gridstride::rooms_test {

using Names = std::vector<std::string_view>;

// --- The rules

/// A folder, and the rooms whose headers, or single headers, its files may include. A room may always include
/// its own headers.
struct Room {
    std::string_view folder;
    Names may_include;
};
const std::vector<Room> rooms = {
    {"src/base/", {}},
    {"src/storage/", {"base/"}},
    {"src/readers/", {"base/"}},
    {"src/launch/", {"base/"}},
    {"src/trace/", {"launch/", "base/"}},
    {"src/lesson/", {"trace/", "launch/", "readers/", "base/"}},
    {"src/figures/", {"lesson/", "trace/", "launch/", "base/"}},
    {"src/explain/", {"lesson/", "trace/", "launch/", "base/"}},
    {"src/graph/", {"lesson/", "launch/", "base/"}},
    {"src/tensor/", {"graph/", "lesson/", "launch/", "base/"}},
    {"src/tensor_lesson/", {"tensor/", "graph/", "lesson/", "launch/", "base/"}},
    {"src/expression/", {"graph/", "lesson/", "launch/", "base/"}},
    {"src/text_lesson/",
     {"expression/", "tensor_lesson/", "tensor/", "graph/", "figures/", "story/", "shader/", "lesson/",
      "launch/", "base/"}},
    {"src/story/", {"lesson/", "trace/", "launch/", "base/"}},
    {"src/shader/", {"trace/", "base/"}},
    {"src/gpu/", {"shader/", "launch/", "base/"}},
    {"src/lab/", {"storage/", "gpu/", "shader/", "lesson/", "trace/", "launch/", "base/"}},
    {"src/client/", {"storage/", "lab/", "gpu/", "shader/", "lesson/", "trace/", "launch/", "base/"}},
    {"src/present/", {"explain/", "story/", "lesson/", "trace/", "launch/", "base/"}},
    {"src/progress/", {"storage/", "story/", "lesson/", "launch/", "base/"}},
    {"src/jobs/",
     {"progress/", "client/client.h", "lab/request.h", "present/", "story/", "figures/figures.h", "lesson/",
      "trace/", "launch/", "base/"}},
    {"src/sweep/", {"storage/", "jobs/", "lab/request.h", "present/", "lesson/", "launch/", "base/"}},
    {"src/session/",
     {"storage/", "sweep/", "jobs/", "progress/", "client/", "lab/request.h", "present/", "story/", "lesson/",
      "trace/", "launch/", "readers/file_choice.h", "base/"}},
    {"src/assignment/",
     {"text_lesson/", "session/", "storage/", "jobs/", "progress/", "client/", "present/", "story/",
      "figures/picture_cache.h", "lesson/", "base/"}},
    {"src/ui/widgets/", {"lesson/plot.h", "base/"}},
    {"src/ui/window/", {"ui/widgets/", "gpu/instance.h", "base/"}},
    {"src/ui/text/", {"ui/widgets/", "story/", "base/"}},
    {"src/ui/pictures/", {"present/", "figures/picture_cache.h", "lesson/", "base/"}},
    {"src/ui/plot/",
     {"ui/pictures/", "ui/widgets/", "ui/text/", "present/", "lesson/", "trace/", "launch/", "base/"}},
    {"src/ui/drive/", {"storage/", "ui/window/", "ui/widgets/", "base/"}},
    {"src/ui/files/", {"ui/widgets/", "base/"}},
    {"src/ui/help/", {"ui/text/", "ui/widgets/", "story/", "base/"}},
    {"src/ui/settings/", {"storage/", "ui/files/", "ui/widgets/", "progress/", "base/"}},
    {"src/ui/inside/",
     {"ui/text/", "ui/widgets/", "session/", "present/", "lesson/", "trace/", "launch/", "base/"}},
    {"src/ui/launch/", {"ui/widgets/", "present/", "lesson/", "launch/", "base/"}},
    {"src/ui/limits/", {"ui/plot/", "ui/widgets/", "session/", "present/", "explain/", "lesson/", "base/"}},
    {"src/ui/panels/",
     {"assignment/",
      "ui/settings/",
      "ui/files/",
      "ui/help/",
      "ui/inside/",
      "ui/launch/",
      "ui/limits/",
      "ui/pictures/",
      "ui/plot/",
      "ui/text/",
      "ui/window/",
      "ui/widgets/",
      "explain/",
      "text_lesson/",
      "session/",
      "sweep/",
      "progress/",
      "present/",
      "story/",
      "lesson/",
      "trace/",
      "launch/",
      "readers/file_choice.h",
      "base/"}},
    {"src/ui/learn/",
     {"assignment/", "text_lesson/lesson_folders.h", "ui/panels/", "ui/plot/", "ui/text/", "ui/widgets/",
      "session/", "jobs/", "progress/", "present/", "story/", "lesson/", "launch/", "base/"}},
    {"src/ui/desktop/",
     {"assignment/", "text_lesson/", "storage/", "ui/learn/", "ui/panels/", "ui/settings/", "ui/drive/",
      "ui/window/", "ui/widgets/", "session/", "sweep/", "progress/", "client/start_lab.h", "story/",
      "lesson/", "base/"}},
    {"app/",
     {"text_lesson/folder_checker.h",
      "text_lesson/lesson_folders.h",
      "text_lesson/text_lesson.h",
      "assignment/",
      "storage/",
      "ui/desktop/",
      "ui/settings/",
      "ui/widgets/fonts.h",
      "session/",
      "sweep/",
      "jobs/",
      "progress/",
      "present/",
      "explain/",
      "client/",
      "lab/",
      "gpu/",
      "shader/",
      "story/",
      "lesson/",
      "trace/",
      "launch/",
      "readers/",
      "base/"}},
    {"lessons/",
     {"text_lesson/", "expression/", "tensor_lesson/", "tensor/", "graph/", "figures/", "lesson/", "launch/",
      "base/"}},
};
/// The limit of lines in .h and .cpp files together, so that one person can know the room.
constexpr std::size_t max_room_lines = 5000;

/// A library's headers, and the only folders whose files may include them.
struct Library {
    std::string_view headers;  ///< the prefix of their names
    Names only_in;
};
const std::vector<Library> libraries = {
    {"imgui", {"src/ui/"}},
    {"imstb", {"src/ui/"}},
    {"GLFW/", {"src/ui/window/", "src/ui/widgets/imgui_compat"}},
    {"fontconfig/", {"src/ui/widgets/"}},
    {"vulkan/", {"src/gpu/", "src/ui/window/", "src/ui/widgets/imgui_compat"}},
    {"glslang/", {"src/shader/"}},
    {"spirv/", {"src/shader/"}},
    {"spirv-tools/", {"src/shader/"}},
    {"CLI/", {"app/"}},
    {"toml++/", {"src/text_lesson/"}},
    {"md4c", {"src/story/"}},
    {"zlib", {"src/base/"}},
    {"archive", {"src/assignment/"}},
};

/// This header costs six seconds of compile time per file, so no header that others include may include it.
constexpr std::string_view expensive_header = "vulkan/vulkan_raii.hpp";
const Names expensive_header_in = {"src/gpu/", "src/ui/window/"};
const Names expensive_header_endings = {".cpp", "_impl.h"};

/// Besides tensor/, figures/, lesson/, launch/, base/ and its own headers, a lesson may include the C++
/// standard library and fmt, but no headers for files.
const Names lesson_libraries = {"fmt/"};
const Names lesson_never = {"fstream", "filesystem", "cstdio", "base/file.h", "readers/", "base/log.h"};

// --- Reading source

struct Source {
    struct Text {
        std::size_t line;
        std::string text;
    };
    std::vector<Text> includes;
    std::vector<Text> strings;  ///< string literals without their quotes
};

/// Returns "base/file.h" for `# include "base/file.h"`, and an empty string if the line includes nothing.
std::string included_by(std::string_view line) {
    const auto skip = [&](std::string_view expected) {
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        if (!line.starts_with(expected)) return false;
        line.remove_prefix(expected.size());
        return true;
    };
    if (!skip("#") || !skip("include")) return {};
    const bool quoted = skip("\"");
    if (!quoted && !skip("<")) return {};
    return std::string(line.substr(0, line.find(quoted ? '"' : '>')));
}

/// Returns the includes and the string literals of a text, without those in comments.
Source read_source(std::string_view text) {
    Source source;
    std::string code;  // without comments
    std::size_t line = 1;
    std::size_t at = 0;
    const auto take = [&] {
        if (text[at] == '\n') ++line;
        code += text[at++];
    };
    const auto skip_to = [&](std::size_t end) {
        for (end = std::min(end, text.size()); at < end; ++at) {
            if (text[at] != '\n') continue;
            ++line;
            code += '\n';
        }
    };
    const auto behind = [&](std::string_view mark, std::size_t from) {
        const std::size_t found = text.find(mark, from);
        return found == std::string_view::npos ? text.size() : found + mark.size();
    };
    while (at < text.size()) {
        const std::string_view rest = text.substr(at);
        const char before = at > 0 ? text[at - 1] : ' ';
        if (rest.starts_with("//")) {
            skip_to(std::min(text.find('\n', at), text.size()));
        } else if (rest.starts_with("/*")) {
            skip_to(behind("*/", at + 2));
        } else if (rest.starts_with("R\"")) {
            const std::size_t bracket = std::min(text.find('(', at), text.size());
            const std::string closing = fmt::format("){}\"", text.substr(at + 2, bracket - at - 2));
            const std::size_t end = behind(closing, bracket);
            source.strings.push_back({line, std::string(text.substr(at, end - at))});
            skip_to(end);
        } else if (rest[0] == '"' ||
                   (rest[0] == '\'' && std::isalnum(static_cast<unsigned char>(before)) == 0)) {
            const std::size_t begin = at;
            take();
            while (at < text.size() && text[at] != rest[0] && text[at] != '\n') {
                if (text[at] == '\\' && at + 1 < text.size()) take();
                take();
            }
            if (rest[0] == '"')
                source.strings.push_back({line, std::string(text.substr(begin + 1, at - begin - 1))});
            if (at < text.size()) take();
        } else {
            take();
        }
    }

    std::size_t number = 0;
    for (std::size_t begin = 0; begin < code.size(); ++number) {
        const std::size_t end = std::min(code.find('\n', begin), code.size());
        const std::string include = included_by(std::string_view(code).substr(begin, end - begin));
        if (!include.empty()) source.includes.push_back({number + 1, include});
        begin = end + 1;
    }
    return source;
}

// --- Judging

bool begins_with_any(std::string_view text, const Names& beginnings) {
    return std::ranges::any_of(beginnings, [&](std::string_view b) { return text.starts_with(b); });
}

bool ends_with_any(std::string_view text, const Names& endings) {
    return std::ranges::any_of(endings, [&](std::string_view e) { return text.ends_with(e); });
}

const Room* room_of(std::string_view path) {
    for (const Room& room : rooms) {
        if (path.starts_with(room.folder)) return &room;
    }
    return nullptr;
}

/// Tells whether the first part of an include is one of the project's rooms, such as "gpu/".
bool names_a_room(std::string_view include) {
    return std::ranges::any_of(rooms, [&](const Room& room) {
        return room.folder.starts_with("src/") && include.starts_with(room.folder.substr(4));
    });
}

/// Returns "reduction/" for "lessons/reduction/plan.cpp".
std::string_view lesson_folder(std::string_view path) {
    path.remove_prefix(std::string_view("lessons/").size());
    return path.substr(0, path.find('/') + 1);
}

bool is_standard(std::string_view include) {
    return include.find('/') == std::string_view::npos && include.find('.') == std::string_view::npos;
}

/// Returns why this file may not include that header; nullopt if it may.
std::optional<std::string> objection(const std::string& path, const std::string& include,
                                     const Names& lesson_ids) {
    const Room* const room = room_of(path);
    if (room == nullptr) return "the file lies in no room";
    const bool in_lessons = room->folder == "lessons/";

    if (in_lessons && begins_with_any(include, lesson_never)) return "a lesson never names files";
    if (names_a_room(include)) {
        const bool own = room->folder.starts_with("src/") && include.starts_with(room->folder.substr(4));
        if (own || begins_with_any(include, room->may_include)) return std::nullopt;
        return fmt::format("{} may include only {}", room->folder, join(room->may_include, ", "));
    }
    for (const std::string_view id : lesson_ids) {
        if (!include.starts_with(std::string(id) + "/")) continue;
        if (in_lessons && include.starts_with(lesson_folder(path))) return std::nullopt;
        return "only a lesson includes its own headers";
    }
    if (include == expensive_header &&
        !(begins_with_any(path, expensive_header_in) && ends_with_any(path, expensive_header_endings))) {
        return "only .cpp and _impl.h files of src/gpu and src/ui/window may";
    }
    for (const Library& library : libraries) {
        if (!include.starts_with(library.headers)) continue;
        if (begins_with_any(path, library.only_in)) return std::nullopt;
        return fmt::format("only {} may", join(library.only_in, ", "));
    }
    if (in_lessons && !is_standard(include) && !begins_with_any(include, lesson_libraries)) {
        return "a lesson includes text_lesson/, expression/, tensor/, lesson/, launch/, base/, its own "
               "headers, C++'s own "
               "and fmt";
    }
    return std::nullopt;
}

/// Matches whole words only: "reductions" does not name the lesson "reduction".
bool names_word(std::string_view text, std::string_view word) {
    const auto is_letter = [&](std::size_t i) {
        return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
    };
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        if (!is_letter(at - 1) && !is_letter(at + word.size())) return true;
    }
    return false;
}

/// Returns all violations of the rules in a file.
std::vector<std::string> violations(const std::string& path, std::string_view text, const Names& lesson_ids) {
    std::vector<std::string> all;
    const Source source = read_source(text);
    for (const auto& [line, include] : source.includes) {
        if (const auto reason = objection(path, include, lesson_ids)) {
            all.push_back(fmt::format("{}:{}: includes {}: {}", path, line, include, *reason));
        }
    }
    if (begins_with_any(path, {"src/ui/", "src/session/", "src/present/"})) {
        for (const auto& [line, literal] : source.strings) {
            for (const std::string_view id : lesson_ids) {
                // These are words of the field, which the window needs for what a run did.
                constexpr std::array terms = {"banks", "divergence", "occupancy", "roofline"};
                if (std::ranges::find(terms, id) == terms.end() && names_word(literal, id)) {
                    all.push_back(fmt::format("{}:{}: the window names the lesson {}", path, line, id));
                }
            }
        }
    }
    return all;
}

// --- Circles

/// X.h, X_impl.h and X.cpp are one unit: each knows what the others do.
std::string unit_of(const std::string& path) {
    std::string unit = path.substr(0, path.rfind('.'));
    if (unit.ends_with("_impl")) unit.resize(unit.size() - std::string_view("_impl").size());
    return unit;
}

/// Maps each unit to the units that it includes.
using Dependencies = std::map<std::string, std::set<std::string>>;

/// Returns every include cycle as "a -> b -> a": at least one for any files that depend on each other.
std::vector<std::string> circles_of(const Dependencies& dependencies) {
    std::vector<std::string> circles, way;
    std::set<std::string> finished;
    const std::function<void(const std::string&)> visit = [&](const std::string& unit) {
        if (finished.contains(unit)) return;
        if (const auto begin = std::ranges::find(way, unit); begin != way.end()) {
            std::string circle;
            for (auto one = begin; one != way.end(); ++one)
                circle += *one + " -> ";
            circles.push_back(circle + unit);
            return;
        }
        way.push_back(unit);
        if (const auto found = dependencies.find(unit); found != dependencies.end())
            for (const std::string& next : found->second)
                visit(next);
        way.pop_back();
        finished.insert(unit);
    };
    for (const auto& [unit, includes] : dependencies)
        visit(unit);
    return circles;
}

// --- The tests

const fs::path root = GRIDSTRIDE_SOURCE_DIR;

std::vector<std::string> folders_of_lessons() {
    std::vector<std::string> ids;
    for (const auto& entry : fs::directory_iterator(root / "lessons")) {
        if (entry.is_directory()) ids.push_back(entry.path().filename().string());
    }
    return ids;
}

struct SourceFile {
    std::string path, text;
};
/// Returns all source files of the program.
std::vector<SourceFile> source_files() {
    std::vector<SourceFile> files;
    for (const char* const folder : {"src", "lessons", "app"})
        for (const auto& entry : fs::recursive_directory_iterator(root / folder))
            if (const fs::path extension = entry.path().extension(); extension == ".h" || extension == ".cpp")
                files.push_back({fs::relative(entry.path(), root).generic_string(), read_file(entry.path())});
    return files;
}

TEST(Rooms, RespectTheAllowedDependenciesAndTheLineLimit) {
    const std::vector<std::string> ids = folders_of_lessons();
    const Names lesson_ids(ids.begin(), ids.end());
    std::map<std::string, std::size_t> lines;  // by room; each lesson counts separately
    std::size_t includes = 0;
    for (const auto& [path, text] : source_files()) {
        EXPECT_THAT(violations(path, text, lesson_ids), IsEmpty());
        includes += read_source(text).includes.size();
        if (const Room* const room = room_of(path)) {
            const bool in_lessons = room->folder == "lessons/";
            lines[std::string(in_lessons ? lesson_folder(path) : room->folder)] +=
                static_cast<std::size_t>(std::ranges::count(text, '\n'));
        }
    }
    // Without any files, the test would prove nothing.
    EXPECT_GT(lines.size(), rooms.size());
    EXPECT_GT(includes, 100u);
    for (const auto& [room, count] : lines)
        EXPECT_LE(count, max_room_lines) << room << " is too large for one person to know";
}

TEST(Rooms, HaveNoIncludeCycles) {
    const std::vector<SourceFile> files = source_files();
    std::set<std::string> paths;
    for (const SourceFile& file : files)
        paths.insert(file.path);
    Dependencies dependencies;
    std::size_t count = 0;
    for (const auto& [path, text] : files)
        for (const Source::Text& include : read_source(text).includes)
            for (const char* const folder : {"src/", "lessons/", "app/"})
                if (const std::string included = folder + include.text;
                    paths.contains(included) && unit_of(included) != unit_of(path))
                    count += dependencies[unit_of(path)].insert(unit_of(included)).second;
    EXPECT_GT(count, 1000u);
    EXPECT_THAT(circles_of(dependencies), IsEmpty())
        << "Move what both sides of a circle need into a file that both include.";
}

TEST(Rooms, DetectIncludeCycles) {
    EXPECT_THAT(circles_of({{"a", {"b", "c"}}, {"b", {"d"}}, {"c", {"d"}}}), IsEmpty());
    EXPECT_THAT(circles_of({{"a", {"b"}}, {"b", {"c"}}, {"c", {"d", "b"}}, {"x", {"y"}}, {"y", {"x"}}}),
                ElementsAre("b -> c -> b", "x -> y -> x"));
    EXPECT_EQ(unit_of("src/gpu/device_impl.h"), unit_of("src/gpu/device.cpp"));
}

/// A file, and lines that each break the rules by themselves, or that all respect them. A line without quotes
/// or <> is a line of code.
struct Case {
    const char* path;
    std::vector<std::string> lines;
};
std::string source_of(const std::string& line) {
    if (line.starts_with('<')) return "#include " + line + "\n";
    return line.ends_with(".h") ? "#include \"" + line + "\"\n" : line + "\n";
}
const Names some_lessons = {"reduction", "histogram"};

TEST(Rooms, DetectForbiddenDependencies) {
    const std::vector<Case> forbidden = {
        {"src/base/a.h", {"lesson/param.h", "launch/extent.h"}},
        {"src/base/a.cpp", {"<gpu/device.h>", "<vulkan/vulkan.h>"}},
        {"src/lesson/a.h", {"gpu/device.h", "shader/compiler.h"}},
        {"src/shader/a.cpp", {"gpu/device.h", "lesson/lesson.h"}},
        {"src/launch/a.h", {"lesson/param.h"}},
        {"src/launch/a.cpp", {"gpu/device.h"}},
        {"src/trace/a.cpp", {"lesson/report.h"}},
        {"src/ui/inside/a.cpp", {"ui/panels/workspace.h"}},
        {"src/gpu/a.cpp", {"lesson/lesson.h", "lesson/limits.h", "client/client.h"}},
        {"src/gpu/device.h", {"<vulkan/vulkan_raii.hpp>"}},
        {"src/lab/a.cpp",
         {"ui/widgets/theme.h", "client/client.h", "reduction/plan.h", "<imgui_internal.h>",
          "int x;\n  #  include <imgui.h>"}},
        {"src/lab/a_impl.h", {"<vulkan/vulkan_raii.hpp>"}},
        {"src/tensor/a.cpp", {"expression/tokens.h"}},
        {"src/text_lesson/a.cpp", {"jobs/job.h", "lab/runner.h"}},
        {"src/present/a.cpp", {"session/session.h", "<imgui.h>"}},
        {"src/session/a.cpp", {"ui/widgets/theme.h", "lab/runner.h"}},
        {"src/ui/plot/a.cpp", {"ui/panels/workspace.h", "session/session.h"}},
        {"src/ui/plot/a.h", {"<vulkan/vulkan_raii.hpp>"}},
        {"src/ui/widgets/a.cpp", {"ui/plot/plot_view.h"}},
        {"src/ui/panels/a.cpp",
         {"lab/runner.h", "<vulkan/vulkan.h>", "reduction/plan.h", "if (lesson.id == \"reduction\") {}",
          "auto x = R\"(the histogram)\";"}},
        {"app/main.cpp", {"<GLFW/glfw3.h>", "reduction/plan.h"}},
        {"lessons/reduction/lesson.cpp",
         {"gpu/device.h", "lab/runner.h", "histogram/plan.h", "<vulkan/vulkan.hpp>", "<imgui.h>",
          "<GLFW/glfw3.h>", "<fstream>", "<filesystem>", "base/file.h", "<nlohmann/json.hpp>", "<unistd.h>",
          "/* a */ #include <fstream>"}},
        {"src/surprise/a.cpp", {"base/file.h"}},
    };
    for (const auto& [path, lines] : forbidden)
        for (const std::string& line : lines)
            EXPECT_THAT(violations(path, source_of(line), some_lessons), Not(IsEmpty()))
                << path << ": " << line;
}

TEST(Rooms, AcceptAllowedDependencies) {
    const std::vector<Case> allowed = {
        {"src/base/a.cpp", {"base/array.h", "<unistd.h>", "<fmt/format.h>"}},
        {"src/launch/a.cpp", {"launch/extent.h", "base/units.h"}},
        {"src/lesson/a.h", {"launch/plan.h"}},
        {"src/gpu/a.cpp", {"launch/extent.h", "<vulkan/vulkan_raii.hpp>"}},
        {"src/gpu/device_impl.h", {"<vulkan/vulkan_raii.hpp>"}},
        {"src/ui/plot/a.cpp", {"<imgui.h>", "present/figures.h"}},
        {"src/lab/a.cpp", {"// #include <imgui.h>\n/*\n#include <imgui.h>\n*/", "auto x = \"reduction\";"}},
        {"src/ui/panels/a.cpp",
         {"// the reduction\nauto x = \"reductions, Histogram\"; int reduction = 1'000;",
          "char q = '\"'; // reduction\nchar r = '\"';"}},
        {"app/main.cpp", {"commands.h", "<CLI/CLI.hpp>"}},
        {"lessons/reduction/a.cpp",
         {"<cmath>", "reduction/plan.h", "lesson/lesson.h", "base/random.h", "launch/slices.h"}},
    };
    for (const auto& [path, lines] : allowed) {
        std::string text;
        for (const std::string& line : lines)
            text += source_of(line);
        EXPECT_THAT(violations(path, text, some_lessons), IsEmpty()) << path;
    }
}

TEST(ReadSource, CountsLinesAcrossComments) {
    const Source source = read_source("/* one\ntwo */\n// three\n#include <four>\nauto x = \"five\";\n");
    ASSERT_EQ(source.includes.size(), 1u);
    EXPECT_EQ(source.includes[0].line, 4u);
    EXPECT_EQ(source.includes[0].text, "four");
    ASSERT_EQ(source.strings.size(), 1u);
    EXPECT_EQ(source.strings[0].line, 5u);
    EXPECT_EQ(source.strings[0].text, "five");
}

}  // namespace gridstride::rooms_test
