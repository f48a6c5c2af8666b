// What Ctrl+K opens: all that the window has, found by name.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/panels/workspace.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

struct Findable {
    std::string_view kind;     ///< "Lesson"
    std::string title;         ///< "Parallel reduction", or the text of a question
    std::string place = {};    ///< of a part of a story: "Reduction 10"
    std::string alias = {};    ///< other names that find it, separated by commas: its id, its keys, synonyms
    std::string meaning = {};  ///< what it is, for reading; empty: the title says it
    std::string where = {};    ///< where it stands, with its id
    std::function<void(Workspace&)> perform = {};  ///< empty: it is there to be read
    bool shows_alias = false;                      ///< in its row: it was found by it, or it is keys

    std::string name() const;  ///< by which it is remembered
};
/// All that there is now: what is declared of lessons, of their parameters, in all_actions(), in the manual
/// and in the glossary.
std::vector<Findable> all_findable(const Workspace& workspace);
/// Those that fit what was typed, the best first; of equals what was used last, then the shortest. Nothing
/// typed: all, what was used first.
std::vector<Findable> found(std::vector<Findable> all, const FindView& find);

/// Dialog::find. False: it is to be closed.
bool draw_find(Workspace& workspace, const Rect& screen);

}  // namespace gridstride::ui
