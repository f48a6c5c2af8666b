#pragma once

#include <optional>
#include <string>
#include <vector>

#include "story/story.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// The open page. Each page keeps its scroll position, since it has its own panel.
struct HelpView {
    std::string name;          ///< of the page; empty: the first
    std::optional<Page> page;  ///< empty before it is read, and after an error
    std::string problem;       ///< why the page cannot be shown
    std::string notice;        ///< the effect of a click on a link
    std::string heading = {};  ///< anchor to scroll to in the next frame; empty: none

    /// Discards the page; it is read again when it is drawn.
    void discard_page() {
        page.reset();
        problem.clear();
        notice.clear();
        heading.clear();
    }
};
struct ManualPage {
    const char* name;   ///< of its file, without .md
    const char* title;  ///< in the list
};
const std::vector<ManualPage>& manual_pages();
/// Draws the dialog over the screen. Returns false when the dialog should close.
bool draw_help(HelpView& help, const Rect& screen);

}  // namespace gridstride::ui
