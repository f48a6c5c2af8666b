// The actions of the window. Key bindings, the menu, the list of keys and the search all read this one list.
#pragma once

#include <span>
#include <string_view>

#include "ui/panels/workspace.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

struct Action {
    std::string_view id;    ///< "runs"
    std::string_view keys;  ///< "F5, Ctrl+Enter", in the syntax of parse_key_press(); empty: none
    const char* what;       ///< "Open or close the table of runs": for tr()
    bool (*is_possible)(const Workspace&);
    void (*perform)(Workspace&);
    /// The widget with the focus gets the key first: it may take text.
    bool widget_first = false;
    bool is_setting = false;
};
std::span<const Action> all_actions();
/// Returns the action with this id, which must exist.
const Action& action(std::string_view id);

/// Performs the action whose key was pressed in this frame, if it is possible and no dialog is open.
void perform_key_actions(Workspace& workspace);
/// Draws Dialog::keys, the list of keys and their actions. Returns false when the dialog should close.
bool draw_keys(Workspace& workspace, const Rect& screen);

}  // namespace gridstride::ui
