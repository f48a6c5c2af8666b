// The stage's Inside tab shows the trace of a workgroup: source with access counts, lanes over time, a
// player, memory and the findings. All parts share one selection.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/session.h"
#include "trace/workgroup_timeline.h"
#include "ui/text/code_text.h"
#include "ui/text/glsl_colours.h"
#include "ui/text/visible_lines.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// Returns the text of a kernel's file, or of a file that it includes, by the name that the compiler gives
/// it; empty if the text is not available.
using SourceReader = std::function<const std::string&(const std::string& file)>;

/// The highlighted records in source, lanes and memory, in addition to the step.
struct InsideFocus {
    std::vector<std::uint32_t> sites;  ///< of a line or of a finding
    /// A cell and all accesses to it.
    std::optional<std::size_t> variable;
    std::uint64_t cell = 0;
    std::optional<std::size_t> finding;  ///< the finding whose first case is shown

    bool any() const { return !sites.empty() || variable.has_value(); }
    bool operator==(const InsideFocus&) const = default;
};

struct InsideSource {
    struct Line {
        std::vector<std::uint32_t> sites;
        std::uint64_t accesses = 0;  ///< in all traced workgroups
        bool has_race = false;
    };
    std::string file;
    CodeText text;
    std::vector<GlslPiece> pieces;
    VisibleLines shown;
    std::vector<Line> lines;
};

/// Data for drawing one workgroup of a trace. Rebuilt when the trace or the workgroup changes.
struct ShownWorkgroup {
    ShownWorkgroup(std::shared_ptr<const AnalyzedTrace> analyzed_trace, std::uint64_t workgroup);

    const trace::Trace& trace() const { return analysis->trace(); }
    const trace::Site& site_of(std::uint32_t record) const {
        return trace().sites[analysis->records[record].site];
    }
    bool has_race(std::uint32_t record) const { return analysis->race_partners[record] != trace::no_record; }
    std::uint64_t first_workgroup() const { return trace().first_workgroup; }
    std::uint64_t last_workgroup() const { return trace().last_workgroup; }

    std::shared_ptr<const AnalyzedTrace> analysis;
    trace::WorkgroupTimeline lanes;
    std::vector<float> row_tops;              ///< of the rows, and the last one's bottom, in design pixels
    std::vector<bool> row_races;              ///< an access of the row takes part in a race
    std::vector<std::uint32_t> rows_of_site;  ///< how many rows each site has
    std::vector<std::uint32_t> lanes_per_request;  ///< lanes per Record::request; valid with Trace::ballots
    std::uint64_t accesses = 0;                    ///< in all traced workgroups, without barriers
};

/// A command of the tab that the window around it executes.
enum class InsideAction { none, save, open };

/// A workgroup, line and step that a story links to.
struct InsideMoment {
    const Lesson* lesson = nullptr;
    std::uint64_t workgroup = 0;
    trace::SourceLine line;
    std::uint32_t step = 0;  ///< which row of the line's first site, from 1
};

/// Returns true if `file`, as the compiler names it, is the kernel's own file and not an included one.
bool is_kernel_file(const trace::Trace& trace, const std::string& file);

struct InsideView {
    InsideAction pending_action =
        InsideAction::none;  ///< executed and reset by the stage, which has the file dialogs
    std::optional<ShownWorkgroup> shown;
    std::vector<InsideSource> sources;  ///< the kernel first
    std::size_t source = 0;

    std::size_t step = 0;    ///< index of a row
    std::uint32_t lane = 0;  ///< invocation of the workgroup
    InsideFocus focus;

    bool is_playing = false;
    double next_step_time = 0;  ///< time of the next step, on ImGui's clock
    std::size_t speed = 2;      ///< index into the player's speeds

    std::string workgroup_text;
    std::size_t launch = 0;
    std::optional<InsideMoment> moment;  ///< shown as soon as its trace exists
    // Scroll into view in the next frame.
    bool reveal_step = false, reveal_line = false, reveal_cell = false;
    // Shown by the memory while the step accesses no variable of that kind.
    std::optional<std::size_t> shared_variable, buffer_variable;

    /// Returns the selected record: the selected lane's in this step, else the step's first; no_record if
    /// there is no step.
    std::uint32_t record() const;
    void go_to_step(std::size_t row);
    void go_to_record(std::uint32_t record);
    void toggle_highlight(InsideFocus new_focus);  ///< sets the focus; clears it if it is the same
    /// Returns true if the focus highlights the record.
    bool is_highlighted(std::uint32_t record) const;
    bool is_site_highlighted(std::uint32_t site) const;
    /// Switches to the newest trace if it is another one.
    void update(Session& session, const SourceReader& read);
    void show_workgroup(std::uint64_t workgroup);
    /// Selects the row of that moment, or the nearest, and highlights its line. Traces first if the current
    /// trace is not of the bench's main launch or lacks this workgroup.
    void show_moment(Session& session, std::uint64_t workgroup, const trace::SourceLine& line,
                     std::uint32_t step);
    void close();  ///< releases the trace

 private:
    void go_to_moment(Session& session);
};

/// Draws, beside the tabs, what was traced, the workgroup that is shown, and the button to trace again.
void draw_inside_head(InsideView& view, Session& session, const SourceReader& read, const Rect& row);
void draw_inside(InsideView& view, Session& session, const SourceReader& read, const Rect& area);

}  // namespace gridstride::ui
