// A folder with a lesson of text, and what tests do with it.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "test_includes.h"
#include "text_lesson/text_lesson.h"

namespace gridstride::text_lesson::testing_lessons {

/// Has the lesson "parity" with a kernel loop.comp.
class LessonFolder {
 public:
    LessonFolder(const std::string& toml, const std::string& kernel) {
        std::filesystem::create_directory(path());
        write("lesson.toml", toml);
        write("loop.comp", kernel);
    }
    std::filesystem::path path() const { return scratch_ / "parity"; }
    void write(const std::string& name, const std::string& text) { std::ofstream(path() / name) << text; }

    /// Returns "LINE: TEXT" for each error; empty if the lesson loads.
    std::vector<std::string> errors() const {
        try {
            load_lesson(path());
        } catch (const ProgramError& error) {
            std::vector<std::string> all;
            for (const Diagnostic& one : error.diagnostics)
                all.push_back(fmt::format("{}: {}", one.line, one.text));
            return all;
        }
        return {};
    }

 private:
    ScratchFolder scratch_;
};

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

inline PreparedExperiment prepare_with(const Lesson& lesson, const std::map<std::string, Value>& values = {},
                                       const std::string& variant = {}) {
    Experiment experiment = default_experiment(lesson);
    if (!variant.empty()) experiment.variant = variant;
    for (const auto& [id, value] : values)
        experiment.values.set(id, value);
    return prepare(lesson, experiment, Limits{});
}

}  // namespace gridstride::text_lesson::testing_lessons
