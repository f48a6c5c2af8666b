// The manual in the window: a list of its pages, and the one that is read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "story/story.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// What is read of it. Each page keeps its scroll position as a panel of its own.
struct HelpView {
    std::string name;          ///< of the page; empty: the first
    std::optional<Page> page;  ///< as it was read; empty before, and where there is a problem
    std::string problem;       ///< why there is no page, or what is wrong with it
    std::string notice;        ///< what a click on a link did
    std::string heading = {};  ///< to scroll to in the next frame, as links name it; empty: none

    /// It is read again when it is shown next.
    void forget_page() {
        page.reset();
        problem.clear();
        notice.clear();
        heading.clear();
    }
};
struct ManualPage {
    const char* name;   ///< of its file, without .md
    const char* title;  ///< as the list has it
};
/// In the order in which they are listed.
const std::vector<ManualPage>& manual_pages();
/// Draws the dialog over the screen. False: it is to be closed.
bool draw_help(HelpView& help, const Rect& screen);

}  // namespace gridstride::ui
