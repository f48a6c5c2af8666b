// The command palette (Ctrl+K): finds lessons, steps, questions, actions, controls and terms by name.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/learn/learn.h"
#include "ui/panels/workspace.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

struct PaletteItem {
    ItemKind kind = ItemKind::lesson;
    std::string title;         ///< "Parallel reduction", or the text of a question
    std::string place = {};    ///< of a part of a story: "Reduction 10"
    std::string alias = {};    ///< also searched, separated by commas: the id, keys, synonyms
    std::string meaning = {};  ///< description; empty: the title is enough
    std::string where = {};
    std::function<void(Workspace&)> perform = {};  ///< empty: there is only a description to read
    bool shows_alias = false;  ///< the row shows the alias: it was matched, or it lists keys

    std::string name() const;  ///< key in the list of recently used items
};
/// Returns all items: lessons and the parts of their stories, the open lesson's parameters, all_actions(),
/// pages of the manual, terms of the glossary.
std::vector<PaletteItem> all_palette_items(const Workspace& workspace);
/// Returns the items that match `find.typed`, best match first; ties are ordered by last use, then by length.
/// If nothing is typed, returns all, the recently used first.
std::vector<PaletteItem> find_palette_items(std::vector<PaletteItem> all, const PaletteView& find);

/// Draws Dialog::find. Returns false when the dialog should close.
bool draw_find(Workspace& workspace, const Rect& screen);

}  // namespace gridstride::ui
