// Two CSV files of measurements set against each other in the window: what `gridstride compare` prints.
#pragma once

#include <imgui.h>

#include <future>
#include <optional>
#include <string>

#include "present/compare.h"

namespace gridstride::ui {

struct CompareDialog {
    struct Result {
        TimesFile a, b;
        FileComparison comparison;
        std::string column;
    };
    bool open = false;
    bool wants_focus = false;
    std::string path_a, path_b;
    std::size_t column = 1;  ///< of time_columns(): the kernel's
    std::string problem;     ///< why the files cannot be compared
    std::optional<Result> result;

    struct Answer {
        std::optional<Result> result;
        std::string problem;
    };
    std::future<Answer> answer;  ///< valid while the files are read
    std::size_t column_read = 1;
    bool reading() const { return answer.valid(); }
};

/// Starts to read both files and to compare them, on a thread of their own: a large file takes seconds. Not
/// while the dialog is reading().
void compare_files(CompareDialog& dialog);
/// Takes the answer over when it is there; a problem is said in the dialog. Never waits. To be called in
/// every frame, also when the dialog is closed.
void take_comparison(CompareDialog& dialog);
/// Draws the dialog over the screen.
void draw_compare_dialog(CompareDialog& dialog, glm::vec2 screen_min, glm::vec2 screen_max);

}  // namespace gridstride::ui
