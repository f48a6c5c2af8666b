// The settings of the window, as a value and as JSON text.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "progress/story_progress.h"
#include "storage/saved_file.h"
#include "ui/files/file_dialog.h"
#include "ui/widgets/theme.h"

namespace gridstride::ui {

enum class Arrangement { learn, bench };

/// The layout that the user chose. Sizes are in design pixels, so that they are valid at every scale.
struct Layout {
    Arrangement arrangement = Arrangement::learn;
    float story_width = 0;  ///< 0: depends on the window's width
    float bench_width = 344;
    float runs_height = 0;           ///< 0: depends on the window's height
    bool is_story_unfolded = false;  ///< in Bench: shown; else only its rail is
    bool runs_open_in_learn = false;
    bool runs_open_in_bench = true;

    bool& runs_open() { return arrangement == Arrangement::learn ? runs_open_in_learn : runs_open_in_bench; }
};

struct Settings {
    Mode mode = Mode::dark;
    bool reduces_motion = false;
    float scale = 0;  ///< 0: never chosen
    Layout layout;
    StoryProgress story_progress{};
    FilePlaces files{};
    std::vector<std::string> lesson_folders{};  ///< absolute; their lessons are loaded at start
    std::string language{};  ///< code of the language from the next start on; empty: never chosen
};

/// Returns the settings as JSON. Equal settings give equal text.
std::string format_settings(const Settings& settings);
/// Parses settings, also those of earlier versions. Throws std::exception on anything else.
Settings parse_settings(const nlohmann::ordered_json& json);
Settings parse_settings(const std::string& text);

inline constexpr SavedFormat settings_format{"The settings", 2, "; the defaults are used",
                                             std::uintmax_t{16} << 20};

/// The format_settings() text before and after the changes of one window.
struct SettingsChange {
    std::string before, now;
};
/// Three-way merge: applies the differences between `change.before` and `change.now` to `text`. Entries of
/// lists are merged one by one, so that changes by other windows are kept. A prediction that another
/// window has decided is not replaced by an open or a later answer. Members that this version does not know
/// are kept. Throws std::exception.
std::string apply_change(const std::string& text, const SettingsChange& change);

}  // namespace gridstride::ui
