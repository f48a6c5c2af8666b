#include "session/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/journal.h"
#include "base/text.h"
#include "base/wire.h"
#include "client/messages.h"

namespace gridstride {

namespace {

constexpr std::string_view trace_file_magic = "gridstride recording, ";
constexpr std::uint32_t trace_record = 1;

struct TraceFileContent {
    Experiment experiment;  ///< the report's, with the kernel's source
    Report report;          ///< its trace without words
    std::vector<std::uint32_t> words, branch_words;
};

/// The file has the layout of the messages between window and lab, so it depends on their version.
std::string trace_file_header() {
    return fmt::format("{}{} {}\n", trace_file_magic, app_version(), lab::protocol_version);
}

[[noreturn]] void refuse_trace_file(const std::filesystem::path& path, std::string_view reason) {
    throw FileError(
        fmt::format("{} {} Choose another file, or trace the run again.", quote_path(path), reason));
}

TraceFileContent decode_content(std::string_view bytes) {
    wire::Reader reader(std::as_bytes(std::span(bytes)));
    TraceFileContent content;
    reader(content);
    reader.end();
    return content;
}

/// Checks what the drawing code relies on, because only a trace from the lab is certain to satisfy it.
bool is_consistent(const trace::Trace& trace) {
    constexpr std::uint64_t max_invocations = 4096;
    const std::uint64_t lanes = trace.workgroup.product();
    const auto fits = [&](const trace::Site& site) {
        return site.kind == trace::SiteKind::barrier || site.space == trace::MemorySpace::workgroup ||
               site.binding < trace.buffers.size();
    };
    return lanes > 0 && lanes <= max_invocations && trace.first_workgroup <= trace.last_workgroup &&
           trace.last_workgroup < trace.grid.product() &&
           trace.placements.size() <= std::min(trace.grid.product(), trace::max_placements) &&
           std::ranges::all_of(trace.sites, fits);
}

}  // namespace

std::string encode_trace(const AnalyzedTrace& analysis) {
    TraceFileContent content{
        .experiment = analysis.experiment(), .report = *analysis.report, .words = {}, .branch_words = {}};
    content.experiment.input.numbers.reset();
    trace::Trace trace = analysis.trace();
    trace.words.reset();
    trace.branch_words.reset();
    content.report.drop_arrays();
    content.report.trace = std::move(trace);
    content.report.findings = analysis.findings;
    const auto copy = [](const ArrayRef& from, std::vector<std::uint32_t>& to) {
        if (!from) return;
        const std::span<const std::uint32_t> words = std::as_const(*from).as<std::uint32_t>();
        to.assign(words.begin(), words.end());
    };
    copy(analysis.trace().words, content.words);
    copy(analysis.trace().branch_words, content.branch_words);
    wire::Writer writer;
    writer(content);
    const std::vector<std::byte>& bytes = writer.bytes();
    return trace_file_header() +
           journal_record(trace_record, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::shared_ptr<const AnalyzedTrace> read_trace_file(const std::filesystem::path& path,
                                                     FileProgress* progress) {
    const std::string file = read_file(path, max_record_bytes + 4096, progress);
    const std::string head = trace_file_header();
    if (!file.starts_with(trace_file_magic)) refuse_trace_file(path, "is not a Gridstride trace.");
    if (!file.starts_with(head))
        refuse_trace_file(path, "was made by another version of Gridstride, whose traces differ.");
    std::optional<TraceFileContent> content;
    try {
        read_journal(std::string_view(file).substr(head.size()),
                     [&](std::uint32_t kind, std::string_view bytes) {
                         if (kind == trace_record && !content) content = decode_content(bytes);
                     });
    } catch (const wire::MalformedMessage&) {
        content.reset();
    }
    if (!content || !content->report.trace || !is_consistent(*content->report.trace))
        refuse_trace_file(path, "is damaged.");
    content->report.trace->words = share(std::span<const std::uint32_t>(content->words));
    content->report.trace->branch_words = share(std::span<const std::uint32_t>(content->branch_words));
    content->report.experiment = std::move(content->experiment);
    AnalyzedTrace result = analyze_trace(std::move(content->report));
    if (!result.problem.empty()) refuse_trace_file(path, "is damaged: " + result.problem);
    result.file = printable(path.filename().native());
    return std::make_shared<const AnalyzedTrace>(std::move(result));
}

}  // namespace gridstride
