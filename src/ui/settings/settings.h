// What the window remembers between sessions, as a value and as text.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "learned/learned.h"
#include "storage/saved_file.h"
#include "ui/files/file_dialog.h"
#include "ui/widgets/theme.h"

namespace gridstride::ui {

/// How the panels stand: to read a story, or to measure.
enum class Arrangement { learn, bench };

/// What the person chose. Sizes in design pixels, so that they keep their meaning at every scale.
struct Layout {
    Arrangement arrangement = Arrangement::learn;
    float story_width = 0;  ///< 0: by the window's width
    float bench_width = 344;
    float runs_height = 0;        ///< 0: by the window's height
    bool story_unfolded = false;  ///< in Bench, where else a rail stands for it
    bool runs_open_in_learn = false;
    bool runs_open_in_bench = true;

    bool& runs_open() { return arrangement == Arrangement::learn ? runs_open_in_learn : runs_open_in_bench; }
};

struct Settings {
    Mode mode = Mode::dark;
    float scale = 0;  ///< 0: never chosen
    Layout layout;
    Learned learned{};
    FilePlaces files{};
};

/// JSON; the same text for the same settings.
std::string format_settings(const Settings& settings);
/// Also what earlier versions wrote. Throws std::exception on anything else.
Settings parse_settings(const nlohmann::ordered_json& json);
Settings parse_settings(const std::string& text);

inline constexpr SavedFormat settings_format{"The settings", 2, "; the defaults are used",
                                             std::uintmax_t{16} << 20};

/// A text of format_settings() before and after what a person did in one window.
struct SettingsChange {
    std::string before, now;
};
/// The settings of `text` with what differs between `change.before` and `change.now`: each thing that was
/// learned by itself, so that all else that another window changed stays. Where another window has decided a
/// prediction meanwhile, an undecided or later answer does not take its place. What `text` has beside what
/// this version knows stays. Throws std::exception.
std::string with_change(const std::string& text, const SettingsChange& change);

}  // namespace gridstride::ui
