#include "ui/inside/inside_view.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace gridstride::ui {

namespace {

// Heights of rows in "Lanes over time", in design pixels.
constexpr float access_height = 18;
constexpr float barrier_height = 8;

std::uint64_t count_accesses(const AnalyzedTrace& analysis) {
    const auto& sites = analysis.trace().sites;
    return static_cast<std::uint64_t>(std::ranges::count_if(
        analysis.records, [&](const trace::Record& record) { return trace::is_access(sites[record.site]); }));
}

InsideSource make_source(const std::string& file, std::string text) {
    InsideSource source{.file = file, .text = CodeText(std::move(text))};
    source.pieces = tokenise_glsl(source.text.text());
    source.shown = VisibleLines(source.text);
    source.lines.resize(source.text.line_count());
    return source;
}

/// Returns the kernel's file, then the included files that have sites.
std::vector<InsideSource> make_sources(const AnalyzedTrace& analysis, const SourceReader& read) {
    const trace::Trace& trace = analysis.trace();
    const auto& own = analysis.experiment().kernel;
    std::vector<InsideSource> sources;
    // Only one launch of the plan uses the kernel in the editor; the others use the lesson's kernels.
    const bool is_own = own && own->name == trace.kernel;
    const std::string& shown = is_own ? own->text : trace.source.empty() ? read(trace.kernel) : trace.source;
    sources.push_back(make_source(trace.kernel, shown));
    std::vector<std::uint64_t> accesses(trace.sites.size());
    for (const trace::Record& record : analysis.records)
        ++accesses[record.site];
    std::vector<bool> races(trace.sites.size());
    for (const trace::Finding& finding : analysis.findings)
        if (finding.kind == trace::FindingKind::race && finding.status == trace::FindingStatus::problem)
            for (const auto& one : {finding.site, finding.other_site})
                if (one) races[*one] = true;
    for (std::uint32_t i = 0; i < trace.sites.size(); ++i) {
        const trace::Site& site = trace.sites[i];
        if (site.kind == trace::SiteKind::branch) continue;  // the player does not step through them
        auto found = sources.begin();
        if (!is_kernel_file(trace, site.file)) {
            found = std::ranges::find(sources, site.file, &InsideSource::file);
            if (found == sources.end()) {
                sources.push_back(make_source(site.file, read(site.file)));
                found = std::prev(sources.end());
            }
        }
        if (site.line == 0 || site.line > found->lines.size()) continue;
        InsideSource::Line& line = found->lines[site.line - 1];
        line.sites.push_back(i);
        if (trace::is_access(site)) line.accesses += accesses[i];
        line.has_race = line.has_race || races[i];
    }
    return sources;
}

}  // namespace

ShownWorkgroup::ShownWorkgroup(std::shared_ptr<const AnalyzedTrace> analyzed_trace, std::uint64_t workgroup)
    : analysis(std::move(analyzed_trace)),
      lanes(analysis->trace(), analysis->records, workgroup),
      rows_of_site(trace().sites.size()),
      accesses(count_accesses(*analysis)) {
    float top = 0;
    for (const trace::TimelineRow& row : lanes.rows()) {
        row_tops.push_back(top);
        const bool barrier = trace().sites[row.site].kind == trace::SiteKind::barrier;
        top += barrier ? barrier_height : access_height;
        row_races.push_back(
            std::ranges::any_of(lanes.at(row), [&](std::uint32_t record) { return has_race(record); }));
        ++rows_of_site[row.site];
    }
    row_tops.push_back(top);
    for (const trace::Record& record : analysis->records) {
        if (record.request >= lanes_per_request.size()) lanes_per_request.resize(record.request + 1);
        ++lanes_per_request[record.request];
    }
}

bool is_kernel_file(const trace::Trace& trace, const std::string& file) {
    // The compiler may name the file with its folder; the plan names the compiled kernel.
    const auto stem = [](const std::string& path) { return std::filesystem::path(path).stem(); };
    return file.empty() || stem(file) == stem(trace.kernel);
}

std::uint32_t InsideView::record() const {
    if (!shown || step >= shown->lanes.rows().size()) return trace::no_record;
    const std::uint32_t own = shown->lanes.record_at(step, lane);
    return own != trace::no_record ? own : shown->lanes.at(shown->lanes.rows()[step]).front();
}

void InsideView::go_to_step(std::size_t row) {
    if (!shown || shown->lanes.rows().empty()) return;
    step = std::min(row, shown->lanes.rows().size() - 1);
    reveal_step = reveal_line = reveal_cell = true;
    const trace::Site& site = shown->trace().sites[shown->lanes.rows()[step].site];
    const auto in_file = [&](const InsideSource& one) {
        return &one == &sources.front() ? is_kernel_file(shown->trace(), site.file) : one.file == site.file;
    };
    const auto found = std::ranges::find_if(sources, in_file);
    if (found != sources.end()) source = static_cast<std::size_t>(found - sources.begin());
    const auto variable = shown->lanes.variable_index(shown->lanes.rows()[step].site);
    if (!variable) return;
    const bool shared = shown->lanes.variables()[*variable].space == trace::MemorySpace::workgroup;
    (shared ? shared_variable : buffer_variable) = variable;
}

void InsideView::go_to_record(std::uint32_t record) {
    if (!shown) return;
    const trace::Record& target = shown->analysis->records[record];
    if (!shown->lanes.has(record)) show_workgroup(target.workgroup);
    is_playing = false;
    lane = target.invocation;
    go_to_step(shown->lanes.row_of(record));
}

void InsideView::toggle_highlight(InsideFocus new_focus) {
    if (focus == new_focus)
        focus = {};
    else
        focus = std::move(new_focus);
}

bool InsideView::is_site_highlighted(std::uint32_t site) const {
    return std::ranges::find(focus.sites, site) != focus.sites.end();
}

bool InsideView::is_highlighted(std::uint32_t record) const {
    if (!focus.variable) {
        // A race highlights only the racing accesses of its lines.
        const bool of_race =
            focus.finding && shown->analysis->findings[*focus.finding].kind == trace::FindingKind::race;
        return is_site_highlighted(shown->analysis->records[record].site) &&
               (!of_race || shown->has_race(record));
    }
    const std::uint32_t site = shown->analysis->records[record].site;
    if (shown->lanes.variable_index(site) != focus.variable ||
        shown->analysis->records[record].out_of_bounds_mask != 0)
        return false;
    const auto [first, last] = shown->lanes.cell_range(record);
    return first <= focus.cell && focus.cell <= last;
}

void InsideView::update(Session& session, const SourceReader& read) {
    const std::shared_ptr<const AnalyzedTrace> newest = session.traces().newest();
    if (!newest || !newest->problem.empty()) return close();
    if (shown && shown->analysis == newest) return go_to_moment(session);
    const trace::Trace& trace = newest->trace();
    const std::uint64_t before = shown ? shown->lanes.workgroup() : 0;
    close();
    sources = make_sources(*newest, read);
    shown.emplace(newest, std::clamp(before, trace.first_workgroup, trace.last_workgroup));
    launch = static_cast<std::size_t>(trace.launch_number);
    show_workgroup(shown->lanes.workgroup());
    go_to_moment(session);
}

void InsideView::show_moment(Session& session, std::uint64_t workgroup, const trace::SourceLine& line,
                             std::uint32_t step_of_line) {
    moment = {&session.lesson(), workgroup, line, step_of_line};
    const bool of_bench = shown && shown->analysis == session.traces().newest() && !session.is_trace_old() &&
                          shown->trace().launch_number == 0;
    if (of_bench)
        go_to_moment(session);
    else
        session.trace_run();
}

void InsideView::go_to_moment(Session& session) {
    if (!moment || session.is_tracing()) return;
    if (moment->lesson != &session.lesson()) return moment.reset();
    const std::uint64_t workgroup = std::min(moment->workgroup, shown->trace().grid.product() - 1);
    if (workgroup < shown->first_workgroup() || workgroup > shown->last_workgroup())
        return session.trace_run({.first_workgroup = workgroup});
    const InsideMoment target = *std::exchange(moment, std::nullopt);
    show_workgroup(workgroup);
    const InsideSource::Line* nearest = nullptr;
    std::size_t away = 0;
    const auto in_file = std::ranges::find_if(sources, [&](const InsideSource& one) {
        return target.line.file.empty() || std::filesystem::path(one.file).filename() == target.line.file;
    });
    if (in_file == sources.end()) return;
    for (std::size_t i = 0; i < in_file->lines.size(); ++i) {
        const InsideSource::Line& line = in_file->lines[i];
        const std::size_t at = target.line.line;
        const std::size_t distance = i + 1 > at ? i + 1 - at : at - i - 1;
        if (line.sites.empty() || (nearest && distance >= away)) continue;
        nearest = &line;
        away = distance;
    }
    if (!nearest) return;
    const auto& rows = shown->lanes.rows();
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i].site == nearest->sites.front() && rows[i].iteration < std::max(1U, target.step))
            go_to_step(i);
    focus = {.sites = nearest->sites};
}

void InsideView::show_workgroup(std::uint64_t workgroup) {
    if (shown->lanes.workgroup() != workgroup) shown.emplace(shown->analysis, workgroup);
    workgroup_text = std::to_string(workgroup);
    is_playing = false;
    focus = {};
    lane = 0;
    shared_variable = buffer_variable = std::nullopt;
    const auto& variables = shown->lanes.variables();
    for (std::size_t i = variables.size(); i-- > 0;)
        (variables[i].space == trace::MemorySpace::workgroup ? shared_variable : buffer_variable) = i;
    go_to_step(0);
}

void InsideView::close() {
    shown.reset();
    sources.clear();
    source = 0;
    step = 0;
    is_playing = false;
    focus = {};
}

}  // namespace gridstride::ui
