// The stage's Inside tab: what the invocations of a workgroup did, as this device recorded it. Source with
// counts, lanes over time, a player, memory, what was found; one selection across all of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/session.h"
#include "trace/lanes.h"
#include "ui/text/code_text.h"
#include "ui/text/glsl_colours.h"
#include "ui/text/shown_lines.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// The text of a kernel's file or of one that it includes, by the name that the compiler gives it; empty: it
/// is not at hand.
using SourceReader = std::function<const std::string&(const std::string& file)>;

/// What is lit across source, lanes and memory beside the step itself.
struct InsideFocus {
    std::vector<std::uint32_t> sites;  ///< those of a line or of a finding
    /// A cell, and all that touched it.
    std::optional<std::size_t> variable;
    std::uint64_t cell = 0;
    std::optional<std::size_t> finding;  ///< that the person follows

    bool any() const { return !sites.empty() || variable.has_value(); }
    bool operator==(const InsideFocus&) const = default;
};

/// A file of the recorded kernel as it is shown.
struct InsideSource {
    struct Line {
        std::vector<std::uint32_t> sites;
        std::uint64_t accesses = 0;  ///< of all recorded workgroups
        bool races = false;
    };
    std::string file;
    CodeText text;
    std::vector<GlslPiece> pieces;
    ShownLines shown;
    std::vector<Line> lines;
};

/// What is drawn of one workgroup of a recording, made when either changes.
struct InsideShown {
    InsideShown(std::shared_ptr<const TakenRecording> of, std::uint64_t workgroup);

    const trace::Trace& trace() const { return recording->trace(); }
    const trace::Site& site_of(std::uint32_t record) const {
        return trace().sites[recording->records[record].site];
    }
    bool races(std::uint32_t record) const { return recording->race_partners[record] != trace::no_record; }
    std::uint64_t first_workgroup() const { return trace().first_workgroup; }
    std::uint64_t last_workgroup() const { return trace().last_workgroup; }

    std::shared_ptr<const TakenRecording> recording;
    trace::Lanes lanes;
    std::vector<float> tops;                    ///< of the rows and behind the last, in design pixels
    std::vector<bool> row_races;                ///< somebody in the row takes part in a race
    std::vector<std::uint32_t> rows_of_site;    ///< how often its line comes round
    std::vector<std::uint32_t> lanes_together;  ///< by Record::request, where there are ballots
    std::uint64_t accesses = 0;                 ///< of all recorded workgroups, without barriers
};

/// What the person wants of the window around the tab.
enum class InsideWish { none, save, open };

/// What a story points at.
struct InsideMoment {
    const Lesson* lesson = nullptr;
    std::uint64_t workgroup = 0;
    trace::SourceLine line;
    std::uint32_t step = 0;  ///< the row of that line's first site, from 1
};

/// A file as the compiler names it: the kernel's own, not one that it includes.
bool is_kernel_itself(const trace::Trace& trace, const std::string& file);

struct InsideView {
    InsideWish wish = InsideWish::none;  ///< taken by whoever has files
    std::optional<InsideShown> shown;
    std::vector<InsideSource> sources;  ///< the kernel first
    std::size_t source = 0;

    // The selection.
    std::size_t step = 0;    ///< a row
    std::uint32_t lane = 0;  ///< an invocation of the workgroup
    InsideFocus focus;

    // The player.
    bool playing = false;
    double due = 0;         ///< when it makes its next step, on ImGui's clock
    std::size_t speed = 2;  ///< among those that the player has

    std::string workgroup_text;
    std::size_t launch = 0;
    // To be brought into view when it is next drawn.
    std::optional<InsideMoment> moment;  ///< to be shown when its recording is there
    bool reveal_step = false, reveal_line = false, reveal_cell = false;
    // What the memory shows while the step touches nothing of the kind.
    std::optional<std::size_t> shared_variable, buffer_variable;

    /// The record of the selection: the lane's in this step, else the first one's. no_record: there is no
    /// step.
    std::uint32_t record() const;
    void go_to_step(std::size_t row);
    void go_to_record(std::uint32_t record);
    void light(InsideFocus wanted);  ///< the same again puts it out
    /// Does the focus light it?
    bool lights(std::uint32_t record) const;
    bool lights_site(std::uint32_t site) const;
    /// To the newest recording, when that is another.
    void update(Session& session, const SourceReader& read);
    void show_workgroup(std::uint64_t workgroup);
    /// That row, or the nearest, with its line lit; records first where the bench's main launch is not there
    /// with this workgroup. Members of InsideMoment.
    void show_moment(Session& session, std::uint64_t workgroup, const trace::SourceLine& line,
                     std::uint32_t step);
    void close();  ///< gives back what belongs to the recording

 private:
    void go_to_moment(Session& session);
};

/// Beside the tabs: what was recorded, whose workgroup is shown, and the button that records again.
void draw_inside_head(InsideView& view, Session& session, const SourceReader& read, const Rect& row);
/// The rest of the tab.
void draw_inside(InsideView& view, Session& session, const SourceReader& read, const Rect& area);

}  // namespace gridstride::ui
