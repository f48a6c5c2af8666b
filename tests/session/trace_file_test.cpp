// Tests trace files: writing and reading one back, and the messages for damaged ones.
#include "session/trace_file.h"

#include <random>

#include "../base/message_of.h"
#include "../base/scratch_folder.h"
#include "base/error.h"
#include "base/file.h"
#include "test_includes.h"
#include "ui/trace_case.h"

namespace gridstride::ui::trace_file_test {

using testing::HasSubstr;

class TraceFile : public testing::Test {
 protected:
    TraceFile() {
        experiment_.lesson = "reduction";
        experiment_.variant = "tree_sequential";
        experiment_.kernel = KernelSource{"void main() {}", "mine.comp", ""};
        report_.experiment = experiment_;
        report_.status = Status::mismatch;
        TraceCase::put(TraceCase{.lanes = 16, .groups = 2, .first_barrier = false}.make(), report_);
    }
    std::string read_problem(const std::string& content) {
        write_file(path_, content);
        return test::message_of<FileError>([&] { read_trace_file(path_); });
    }

    Experiment experiment_;
    Report report_;
    const test::ScratchFolder scratch_;
    const std::filesystem::path path_ = scratch_ / "a.recording";
};

TEST_F(TraceFile, RoundTrips) {
    const AnalyzedTrace before = analyze_trace(report_);
    ASSERT_EQ(before.problem, "");
    write_file(path_, encode_trace(before));
    const auto after = read_trace_file(path_);
    EXPECT_EQ(after->experiment(), experiment_);
    EXPECT_EQ(after->report->status, Status::mismatch);
    EXPECT_EQ(after->records.size(), before.records.size());
    EXPECT_EQ(after->race_partners, before.race_partners);
    ASSERT_EQ(after->findings.size(), before.findings.size());
    EXPECT_EQ(after->findings.front().sentence, before.findings.front().sentence);
    EXPECT_EQ(after->trace().sites.size(), before.trace().sites.size());
    EXPECT_EQ(after->file, path_.filename().string());
}

TEST_F(TraceFile, RefusesFindingsOfMissingRecordsOrSites) {
    Report other = report_;
    other.findings.front().first = 1'000'000;
    EXPECT_THAT(analyze_trace(other).problem, HasSubstr("missing"));
    other = report_;
    other.findings.front().other_site = 9;
    EXPECT_THAT(analyze_trace(other).problem, HasSubstr("missing"));
}

TEST_F(TraceFile, RefusesOtherFilesAndOtherVersions) {
    EXPECT_THAT(read_problem("1,2,3\n"), HasSubstr("is not a Gridstride trace"));
    EXPECT_THAT(read_problem(""), HasSubstr("is not a Gridstride trace"));
    std::string other = encode_trace(analyze_trace(report_));
    other.insert(other.find('\n'), "1");
    EXPECT_THAT(read_problem(other), HasSubstr("another version"));
}

TEST_F(TraceFile, RefusesDamagedCopies) {
    const std::string good = encode_trace(analyze_trace(report_));
    const std::size_t head = good.find('\n') + 1;
    std::mt19937 random(14);
    for (int i = 0; i < 300; ++i) {
        std::string bad = good;
        if (i % 3 == 0)
            bad.resize(head + random() % (good.size() - head));
        else
            bad[head + random() % (good.size() - head)] ^= static_cast<char>(1 + random() % 255);
        EXPECT_THAT(read_problem(bad), HasSubstr("is damaged")) << i;
    }
}

TEST_F(TraceFile, RefusesAnInconsistentTrace) {
    report_.trace->sites[0].binding = 9;
    AnalyzedTrace inconsistent;
    inconsistent.report = std::make_shared<const Report>(report_);
    EXPECT_THAT(read_problem(encode_trace(inconsistent)), HasSubstr("is damaged"));
}

}  // namespace gridstride::ui::trace_file_test
