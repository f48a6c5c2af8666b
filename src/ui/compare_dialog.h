// Two CSV files of measurements set against each other in the window: what `gridstride compare` prints.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>

#include "lab/compare.h"

namespace gridstride::ui {

struct CompareDialog {
    struct Result {
        lab::TimesFile a, b;
        lab::FileComparison comparison;
        std::string column;
    };
    bool open = false;
    bool wants_focus = false;
    std::string path_a, path_b;
    std::size_t column = 1;  ///< of lab::time_columns(): the kernel's
    std::string problem;     ///< why the files cannot be compared
    std::optional<Result> result;
};

/// Reads both files and compares them; a problem is said in the dialog.
void compare_files(CompareDialog& dialog);
/// Draws the dialog over the screen.
void draw_compare_dialog(CompareDialog& dialog, ImVec2 screen_min, ImVec2 screen_max);

}  // namespace gridstride::ui
