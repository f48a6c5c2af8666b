// What the window can be told to do by a key, in its menu and by name: the one list that keys, menu, the list
// of keys and the search read.
#pragma once

#include <span>
#include <string_view>

#include "ui/panels/workspace.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

struct Action {
    std::string_view id;    ///< "runs"
    std::string_view keys;  ///< "F5, Ctrl+Enter", as parse_key_press() reads them; empty: none
    std::string_view what;  ///< "Open or close the table of runs"
    bool (*is_possible)(const Workspace&);
    void (*perform)(Workspace&);
    /// Its key is that of the widget with the focus first, which may be typed into.
    bool yields = false;
    bool is_setting = false;
};
std::span<const Action> all_actions();
/// The one of this id, which is there.
const Action& action(std::string_view id);

/// Does what the key is for that went down in this frame, if it is possible and nothing lies over the window.
void act_on_keys(Workspace& workspace);
/// Dialog::keys: every key and what it does. False: it is to be closed.
bool draw_keys(Workspace& workspace, const Rect& screen);

}  // namespace gridstride::ui
