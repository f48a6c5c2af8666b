#include "session/recording_file.h"

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

constexpr std::string_view recording_magic = "gridstride recording, ";
constexpr std::uint32_t recording_record = 1;

struct KeptRecording {
    Experiment experiment;  ///< the report's, with the kernel's source
    Report report;          ///< its trace without words
    std::vector<std::uint32_t> words;
};

/// The file has the layout of the messages between window and lab, so it depends on their version.
std::string head_of_recording() {
    return fmt::format("{}{} {}\n", recording_magic, app_version(), lab::protocol_version);
}

[[noreturn]] void not_a_recording(const std::filesystem::path& path, std::string_view why) {
    throw FileError(fmt::format("{} {} Choose another file, or record again.", quoted_path(path), why));
}

KeptRecording decoded(std::string_view bytes) {
    wire::Reader reader(std::as_bytes(std::span(bytes)));
    KeptRecording kept;
    reader(kept);
    reader.end();
    return kept;
}

/// Checks what the drawing code relies on, because only a trace from the lab is certain to satisfy it.
bool hangs_together(const trace::Trace& trace) {
    constexpr std::uint64_t max_invocations = 4096;
    const std::uint64_t lanes = trace.workgroup.product();
    const auto fits = [&](const trace::Site& site) {
        return site.kind == trace::SiteKind::barrier || site.space == trace::Space::workgroup ||
               site.binding < trace.buffers.size();
    };
    const std::uint64_t stays = trace.stays.size();
    return lanes > 0 && lanes <= max_invocations && trace.first_workgroup <= trace.last_workgroup &&
           trace.last_workgroup < trace.grid.product() &&
           (stays == 0 || stays == trace.last_workgroup - trace.first_workgroup + 1) &&
           std::ranges::all_of(trace.sites, fits);
}

}  // namespace

std::string format_recording(const TakenRecording& recording) {
    KeptRecording kept{.experiment = recording.experiment(), .report = *recording.report, .words = {}};
    kept.experiment.input.numbers.reset();
    trace::Trace trace = recording.trace();
    trace.words.reset();
    kept.report.drop_arrays();
    kept.report.trace = std::move(trace);
    kept.report.findings = recording.findings;
    const std::span<const std::uint32_t> words = std::as_const(*recording.trace().words).as<std::uint32_t>();
    kept.words.assign(words.begin(), words.end());
    wire::Writer writer;
    writer(kept);
    const std::vector<std::byte>& bytes = writer.bytes();
    return head_of_recording() +
           journal_record(recording_record, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::shared_ptr<const TakenRecording> read_recording(const std::filesystem::path& path,
                                                     FileProgress* progress) {
    const std::string file = read_file(path, max_record_bytes + 4096, progress);
    const std::string head = head_of_recording();
    if (!file.starts_with(recording_magic)) not_a_recording(path, "is not a Gridstride recording.");
    if (!file.starts_with(head))
        not_a_recording(path, "was made by another version of Gridstride, whose recordings differ.");
    std::optional<KeptRecording> kept;
    try {
        read_journal(std::string_view(file).substr(head.size()),
                     [&](std::uint32_t kind, std::string_view bytes) {
                         if (kind == recording_record && !kept) kept = decoded(bytes);
                     });
    } catch (const wire::Malformed&) {
        kept.reset();
    }
    if (!kept || !kept->report.trace || !hangs_together(*kept->report.trace))
        not_a_recording(path, "is damaged.");
    kept->report.trace->words = share(std::span<const std::uint32_t>(kept->words));
    kept->report.experiment = std::move(kept->experiment);
    TakenRecording made = taken_apart(std::move(kept->report));
    if (!made.problem.empty()) not_a_recording(path, "is damaged: " + made.problem);
    made.file = printable(path.filename().native());
    return std::make_shared<const TakenRecording>(std::move(made));
}

}  // namespace gridstride
