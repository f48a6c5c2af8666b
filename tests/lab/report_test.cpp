#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "csv_records.h"
#include "lab/ceilings.h"
#include "lab/sampling.h"
#include "lesson/lesson.h"
#include "present/report_csv.h"
#include "present/report_json.h"
#include "test_includes.h"

namespace gridstride::lab::report_test {

Report sample_report() {
    const Lesson& lesson = *find_lesson("reduction");
    Report report;
    report.run_id = "abc";
    report.started_utc = "2026-11-21T08:30:00.125Z";
    report.experiment.lesson = "reduction";
    report.experiment.variant = "tree_sequential";
    report.experiment.values = Values(lesson.parameters);
    report.status = Status::mismatch;
    report.message = "One, \"two\"\nthree";
    report.device.device_name = "llvmpipe (LLVM 15.0.6, 256 bits)";
    report.launch = {.workgroup = {128}, .grid = {8}, .dispatches = 2};
    report.bytes_moved = 4096;
    report.operations = 1023;
    report.timings.kernel.samples = {1000.5, 2000, 3000};
    report.timings.upload.samples = {1, 2, 3};
    report.timings.wall.samples = {5000, 5000, 5000};
    report.ceilings = Ceilings{.copy_bytes_per_second = 4096};
    report.result = {{"total", "Total", std::uint64_t{524800}}};
    return report;
}

TEST(ReportCsv, HasTheDocumentedColumnsAndOneRowPerSample) {
    const auto records = parse_csv(csv_header() + csv_rows(sample_report()));
    const std::vector<std::string> columns = {
        "schema_version", "run_id",     "timestamp_utc", "app_version", "device_name",    "driver_version",
        "is_cpu_device",  "lesson",     "variant",       "elements",    "workgroup_size", "workgroup_count",
        "dispatches",     "parameters", "sample",        "upload_ns",   "kernel_ns",      "download_ns",
        "wall_ns",        "cpu_ns",     "bytes_moved",   "status",      "message"};
    ASSERT_EQ(records.size(), 4u);
    EXPECT_EQ(records[0], columns);
    for (const auto& record : records)
        EXPECT_EQ(record.size(), columns.size());
    const auto field = [&](std::size_t row, const char* column) {
        return records[row][static_cast<std::size_t>(std::ranges::find(columns, column) - columns.begin())];
    };
    EXPECT_EQ(field(1, "device_name"), "llvmpipe (LLVM 15.0.6, 256 bits)") << "a comma inside a field";
    EXPECT_EQ(field(1, "message"), "One, \"two\"\nthree");
    EXPECT_EQ(field(1, "elements"), "1024");
    EXPECT_EQ(field(1, "workgroup_count"), "8") << "the grid that ran, not auto";
    EXPECT_EQ(field(1, "parameters"), "seed=1;element_type=u32;finish=gpu;barriers=all");
    EXPECT_EQ(field(2, "sample"), "1");
    EXPECT_EQ(field(1, "kernel_ns"), "1000.500");
    EXPECT_EQ(field(3, "download_ns"), "") << "empty when missing";
    EXPECT_EQ(field(1, "status"), "mismatch");
}

TEST(ReportCsv, ParametersNameTheUserKernelAndTheColdCache) {
    Report report = sample_report();
    report.experiment.kernel = KernelSource{"", "my;kernel.comp", ""};
    report.cache.is_cold = true;
    const auto records = parse_csv(csv_rows(report));
    EXPECT_THAT(records[0], Contains("seed=1;element_type=u32;finish=gpu;barriers=all;"
                                     "kernel=my_kernel.comp;cache=cold"));
}

TEST(ReportCsv, ParametersNameTheUserInput) {
    Report report = sample_report();
    report.experiment.input.name = "a=1;b=2, c.csv";
    report.experiment.input.checksum = "0123abcd";
    report.experiment.kernel = KernelSource{"", "x=y.comp", ""};
    EXPECT_THAT(parse_csv(csv_rows(report))[0],
                Contains("seed=1;element_type=u32;finish=gpu;barriers=all;input=a_1_b_2, c.csv;"
                         "input_crc32=0123abcd;kernel=x_y.comp"));
    EXPECT_EQ(to_json(report).at("input"),
              nlohmann::ordered_json({{"name", "a=1;b=2, c.csv"}, {"crc32", "0123abcd"}, {"taken", ""}}));
    EXPECT_TRUE(to_json(sample_report()).at("input").is_null());
}

TEST(ReportCsv, EscapesTextsThatSpreadsheetsReadAsFormulas) {
    Report report = sample_report();
    report.message = "=HYPERLINK(\"https://example.org\")";
    report.device.device_name = "-GPU";
    report.device.driver_version = "+1";
    report.timings.kernel.samples = {-1};
    const auto records = parse_csv(csv_rows(report));
    EXPECT_THAT(records[0],
                ::testing::IsSupersetOf({"'=HYPERLINK(\"https://example.org\")", "'-GPU", "'+1"}));
    EXPECT_THAT(records[0], Contains("-1.000")) << "numbers are not escaped";
}

TEST(ReportCsv, RunWithoutSamplesHasOneRow) {
    Report report = sample_report();
    report.timings = {};
    report.launch = {};
    const auto records = parse_csv(csv_header() + csv_rows(report));
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(records[1].size(), records[0].size());
}

TEST(ReportJson, HasTheDocumentedShape) {
    const auto json = to_json(sample_report());
    EXPECT_EQ(json.at("schema_version"), 1);
    EXPECT_EQ(json.at("status"), "mismatch");
    EXPECT_EQ(json.at("parameters").at("elements"), 1024);
    EXPECT_EQ(json.at("parameters").at("workgroup_count"), "auto");
    EXPECT_EQ(json.at("parameters").at("element_type"), "u32");
    EXPECT_EQ(json.at("result").at("total"), 524800);
    EXPECT_EQ(json.at("timings").at("kernel_ns").at("median"), 2000);
    EXPECT_EQ(json.at("timings").at("kernel_ns").at("samples").size(), 3u);
    EXPECT_EQ(json.at("timings").at("kernel_ns").at("noisy"), false);
    EXPECT_TRUE(json.at("timings").at("cpu_ns").is_null());
    EXPECT_EQ(json.at("launch").at("invocations"), 1024);
    EXPECT_EQ(json.at("bytes_moved"), 4096);
    EXPECT_NEAR(json.at("bytes_per_second").get<double>(), 4096 / 2000e-9, 1);
    EXPECT_EQ(json.at("operations"), 1023);
    EXPECT_NEAR(json.at("operations_per_second").get<double>(), 1023 / 2000e-9, 1);
    EXPECT_TRUE(json.at("compare").at("first_mismatch").is_null());
    Report uncounted = sample_report();
    uncounted.operations = 0;
    EXPECT_TRUE(to_json(uncounted).at("operations_per_second").is_null());
}

TEST(ReportJson, WritesNonFiniteNumbersAsNull) {
    Report report = sample_report();
    report.compare.first_mismatch = Mismatch{"out", 3, std::numeric_limits<double>::quiet_NaN(), 1};
    const auto json = to_json(report);
    EXPECT_TRUE(nlohmann::json::parse(json.dump()).at("compare").at("first_mismatch").at("gpu").is_null());
}

TEST(ReportJson, UnwrittenOutputsHaveAStatusAndNoValue) {
    Report report = sample_report();
    report.status = Status::unwritten;
    const Mismatch first = {"partial_sums", 3, NAN, 7, {}, true, 0.0};
    OutputVerdict sums{.output = "partial_sums", .unwritten = 5, .first_unwritten = first};
    OutputVerdict total{.output = "total", .wrong = 1};
    total.first_wrong = {"total", 0, 2141576877, 9};
    total.unwritten_source = "partial_sums";
    report.compare.first_mismatch = first;
    report.compare.outputs = {sums, total, {.output = "count"}};
    const auto json = nlohmann::json::parse(to_json(report).dump());
    EXPECT_EQ(json.at("status"), "unwritten");
    const auto& outputs = json.at("compare").at("outputs");
    EXPECT_EQ(outputs[0].at("status"), "unwritten");
    EXPECT_EQ(outputs[0].at("unwritten"), 5);
    EXPECT_EQ(outputs[0].at("first_unwritten").at("index"), 3);
    EXPECT_TRUE(outputs[0].at("first_unwritten").at("gpu").is_null());
    EXPECT_EQ(outputs[1].at("made_from_unwritten"), "partial_sums");
    EXPECT_TRUE(outputs[1].at("first_wrong").is_null());
    EXPECT_EQ(outputs[2].at("status"), "ok");
    EXPECT_EQ(json.dump().find("2141576877"), std::string::npos);
    EXPECT_THAT(parse_csv(csv_rows(report))[0], Contains("unwritten"));
}

TEST(ReportJson, ContainsEveryRemark) {
    Report report = sample_report();
    report.remarks = {{Severity::caution, "bins", "A caution."}, {Severity::refusal, "", "A refusal."}};
    report.notes = {"A note."};
    report.timings.kernel.is_noisy = true;
    report.timings.kernel_repeats = 8;
    const auto remarks = to_json(report).at("remarks");
    const auto has = [&](const char* severity, const nlohmann::ordered_json& parameter,
                         const std::string& text) {
        return std::ranges::count(
                   remarks, nlohmann::ordered_json(
                                {{"severity", severity}, {"parameter", parameter}, {"text", text}})) == 1;
    };
    EXPECT_TRUE(has("caution", "bins", "A caution."));
    EXPECT_TRUE(has("refusal", nullptr, "A refusal."));
    EXPECT_TRUE(has("note", nullptr, "A note."));
    EXPECT_TRUE(has("note", nullptr, "Kernel batched: 8 repeats per sample.")) << remarks.dump();
    EXPECT_TRUE(
        has("caution", nullptr, "Noisy: the kernel's median had not converged after the last sample."));
}

TEST(ReportJson, WrongOnPurposeAndStoppedHaveTheirOwnStatus) {
    Report report = sample_report();
    report.status = Status::wrong_on_purpose;
    EXPECT_EQ(to_json(report).at("status"), "wrong_on_purpose");
    EXPECT_THAT(parse_csv(csv_rows(report))[0], Contains("wrong_on_purpose"));
    report.status = Status::stopped;
    EXPECT_EQ(to_json(report).at("status"), "stopped");
    EXPECT_THAT(parse_csv(csv_rows(report))[0], Contains("stopped"));
}

TEST(LessonJson, NamesEveryVariantAndParameter) {
    for (const Lesson* lesson : all_lessons()) {
        const auto json = to_json(*lesson);
        EXPECT_EQ(json.at("variants").size(), lesson->variants.size());
        EXPECT_EQ(json.at("parameters").size(), lesson->parameters.size());
        for (const auto& parameter : json.at("parameters"))
            EXPECT_TRUE(parameter.contains("default"));
    }
}

TEST(ReportCsv, SeriesOfDifferentLengthsLeaveFieldsEmpty) {
    Report report = sample_report();
    report.timings.kernel.samples = {1, 2, 3, 4, 5};
    report.timings.cpu.samples = {9};
    const auto records = parse_csv(csv_header() + csv_rows(report));
    ASSERT_EQ(records.size(), 6u);
    EXPECT_EQ(csv_row_count(report), 5u);
    const auto column = [&](const char* name) {
        return static_cast<std::size_t>(std::ranges::find(records[0], name) - records[0].begin());
    };
    EXPECT_EQ(records[3][column("wall_ns")], "5000.000");
    EXPECT_EQ(records[4][column("wall_ns")], "") << "three full passes, five kernel samples";
    EXPECT_EQ(records[5][column("kernel_ns")], "5.000");
    EXPECT_EQ(records[5][column("sample")], "4");
    EXPECT_EQ(records[1][column("cpu_ns")], "9.000");
    EXPECT_EQ(records[2][column("cpu_ns")], "");
    const auto json = to_json(report);
    EXPECT_EQ(json.at("timings").at("kernel_ns").at("samples").size(), 5u);
    EXPECT_EQ(json.at("timings").at("wall_ns").at("samples").size(), 3u) << "only measured samples";
    EXPECT_EQ(json.at("timings").at("provisional"), false);
}

Timings timings_of(std::vector<double> kernel, std::size_t passes) {
    Timings timings;
    timings.kernel.samples = std::move(kernel);
    timings.wall.samples.assign(passes, 1e6);
    return timings;
}

TEST(Sampling, EndsOnConvergenceOrWhenTheBudgetIsSpent) {
    Sampling automatic;
    EXPECT_TRUE(needs_more_samples(automatic, Timings{}, 0));
    EXPECT_FALSE(needs_more_samples(automatic, timings_of(std::vector<double>(min_samples, 100), 10), 0))
        << "ten equal samples are converged";
    EXPECT_TRUE(needs_more_samples(automatic, timings_of(std::vector<double>(30, 100), 2), 0))
        << "two full passes are too few";
    std::vector<double> wide(min_samples);
    for (std::size_t i = 0; i < wide.size(); ++i)
        wide[i] = i % 2 == 0 ? 50 : 150;
    const Timings unconverged = timings_of(wide, 10);
    EXPECT_TRUE(needs_more_samples(automatic, unconverged, 0)) << "these are not converged";
    EXPECT_FALSE(needs_more_samples(automatic, unconverged, automatic.budget_seconds + 1));
    Sampling longer = automatic;
    longer.whole_budget = true;
    const Timings equal = timings_of(std::vector<double>(min_samples, 100), 10);
    EXPECT_TRUE(needs_more_samples(longer, equal, longer.budget_seconds - 0.1))
        << "convergence does not end a run with whole_budget";
    EXPECT_FALSE(needs_more_samples(longer, equal, longer.budget_seconds + 0.1));
    EXPECT_FALSE(has_converged(unconverged.kernel));
    EXPECT_TRUE(is_noisy(unconverged.kernel));
    EXPECT_FALSE(is_noisy(Timing{{50, 150, 50}})) << "three samples cannot tell";
    EXPECT_FALSE(is_noisy(timings_of(std::vector<double>(min_samples, 100), 10).kernel));
    Sampling exact;
    exact.samples = 12;
    EXPECT_TRUE(needs_more_samples(exact, timings_of(std::vector<double>(11, 100), 11), 1000))
        << "a given number is used at any cost";
    EXPECT_FALSE(needs_more_samples(exact, timings_of(std::vector<double>(12, 100), 3), 0));
    EXPECT_TRUE(needs_more_samples(exact, timings_of(std::vector<double>(12, 100), 1), 0));
    exact.samples = 1;
    EXPECT_FALSE(needs_more_samples(exact, timings_of({100}, 1), 0));
}

TEST(Sampling, LimitsLongPassesButNotKernelSamples) {
    Sampling exact;
    exact.samples = 30;
    const Timings one = timings_of({100}, 1), three = timings_of({100, 100, 100}, 3);
    EXPECT_EQ(max_kernel_samples(exact, one, 0.1), 1u) << "one sample for each short pass";
    EXPECT_EQ(max_kernel_samples(exact, one, seconds_of_passes), 29u);
    EXPECT_EQ(max_kernel_samples(exact, timings_of(std::vector<double>(30, 100), 1), 2), 0u);
    EXPECT_GT(max_kernel_samples(Sampling{}, one, seconds_of_passes), 1000u);
    EXPECT_TRUE(needs_pass(exact, three, true, 0.1));
    EXPECT_TRUE(needs_pass(exact, one, true, 5)) << "at least three passes are made";
    EXPECT_FALSE(needs_pass(exact, three, true, 5));
    EXPECT_TRUE(needs_pass(exact, three, false, 5)) << "a sample taken in a pass needs a pass";
}

TEST(Sampling, RepeatsShortKernelsUpToOneMillisecond) {
    EXPECT_EQ(repeats_for(2e6, 1), 1u);
    EXPECT_EQ(repeats_for(1e5, 1), 10u);
    EXPECT_LE(repeats_for(1, 1) * 1u, 2000u);
    EXPECT_EQ(repeats_for(1e5, 5000), 1u) << "thousands of dispatches are not repeated";
}

TEST(Ceilings, IgnoresADamagedFile) {
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / "gridstride_ceilings_test" / "ceilings.json";
    std::filesystem::remove_all(file.parent_path());
    Limits device;
    device.device_name = "a";
    EXPECT_FALSE(load_ceilings(device, file));
    // If no device memory is visible to the host, a 0 in that field is a result; in any other field it is a
    // missing value.
    const Ceilings measured{.copy_bytes_per_second = 123,
                            .staged_upload_bytes_per_second = 2,
                            .staged_download_bytes_per_second = 3,
                            .pageable_upload_bytes_per_second = 4,
                            .pageable_download_bytes_per_second = 5,
                            .empty_dispatch_ns = 6,
                            .empty_submit_ns = 7,
                            .operations_per_second = 8,
                            .cache_bytes_per_second = 9,
                            .workgroup_memory_bytes_per_second = 10,
                            .barriers_per_second = 11,
                            .atomics_per_second = 12,
                            .contended_atomics_per_second = 13,
                            .latencies = {{4096, 14}, {16384, 15.5}},
                            .measured_utc = "2026-11-23T14:03:00.123Z"};
    store_ceilings(device, measured, file);
    ASSERT_TRUE(load_ceilings(device, file));
    EXPECT_EQ(*load_ceilings(device, file), measured);
    Limits half_device = device;
    half_device.float16 = true;
    EXPECT_FALSE(is_measured(load_ceilings(half_device, file).value(), CeilingGroup::arithmetic))
        << "an earlier version did not measure f16";
    EXPECT_TRUE(is_measured(load_ceilings(half_device, file).value(), CeilingGroup::latencies));
    store_ceilings(device, {.copy_bytes_per_second = 124, .measured_utc = measured.measured_utc}, file);
    Ceilings raised = measured;
    raised.copy_bytes_per_second = 124;
    EXPECT_EQ(*load_ceilings(device, file), raised) << "those at 0 were not measured, and replace nothing";
    store_ceilings(device, measured, file);
    store_ceilings(device, {.copy_bytes_per_second = std::numeric_limits<double>::infinity()}, file);
    EXPECT_NE(read_file(file).find("123"), std::string::npos) << "JSON cannot store infinity";
    store_ceilings(device, measured, file);
    device.driver_version = "newer";
    EXPECT_FALSE(load_ceilings(device, file)) << "another driver is another device";
    device.driver_version = "";
    FILE* damaged = std::fopen(file.c_str(), "w");
    std::fputs("{\"a", damaged);
    std::fclose(damaged);
    EXPECT_FALSE(load_ceilings(device, file));
    std::filesystem::remove_all(file.parent_path());
}

/// Returns the groups that are needed besides those of every run.
std::vector<CeilingGroup> more_needed(const Report& report) {
    std::vector<CeilingGroup> groups = needed_ceilings(report);
    EXPECT_GE(groups.size(), 3U);
    groups.erase(groups.begin(), groups.begin() + 3);
    return groups;
}

TEST(Ceilings, FollowFromTheWorkOfARun) {
    Report run;
    EXPECT_THAT(needed_ceilings(run),
                ElementsAre(CeilingGroup::copies, CeilingGroup::transfers, CeilingGroup::launches));
    run.cache = {.working_set_bytes = 1, .cache_bytes = 1};
    EXPECT_THAT(more_needed(run), ElementsAre(CeilingGroup::cache));
    run.operations = 1;
    EXPECT_THAT(more_needed(run), ElementsAre(CeilingGroup::arithmetic, CeilingGroup::cache));
    Report traced;
    traced.trace.emplace();
    const auto with_site = [&](trace::Site site) {
        traced.trace->sites = {std::move(site)};
        return more_needed(traced);
    };
    using trace::MemorySpace, trace::SiteKind;
    EXPECT_THAT(with_site({.kind = SiteKind::store, .space = MemorySpace::buffer}), IsEmpty());
    EXPECT_THAT(with_site({.kind = SiteKind::load, .space = MemorySpace::buffer}),
                ElementsAre(CeilingGroup::latencies));
    EXPECT_THAT(with_site({.kind = SiteKind::atomic, .space = MemorySpace::buffer}),
                ElementsAre(CeilingGroup::atomics));
    EXPECT_THAT(with_site({.kind = SiteKind::store, .space = MemorySpace::workgroup}),
                ElementsAre(CeilingGroup::workgroup_memory));
    EXPECT_THAT(with_site({.kind = SiteKind::barrier}), ElementsAre(CeilingGroup::barriers));
    EXPECT_THAT(with_site({.kind = SiteKind::barrier, .is_subgroup_barrier = true}), IsEmpty());
}

TEST(Ceilings, IgnoresPathsThatAreNotRegularFiles) {
    const ScratchFolder scratch;
    const std::filesystem::path file = scratch / "ceilings.json";
    Limits device;
    const auto expect_ignored = [&](const char* what) {
        EXPECT_FALSE(load_ceilings(device, file)) << what;
        store_ceilings(device, {.copy_bytes_per_second = 1}, file);
        EXPECT_FALSE(std::filesystem::is_regular_file(file)) << what;
    };
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);  // nobody writes to it, so a reader would block
    expect_ignored("a pipe");
    std::filesystem::remove(file);
    std::filesystem::create_directory(file);
    expect_ignored("a folder");
    std::filesystem::remove(file);
    std::filesystem::create_symlink("/dev/zero", file);
    expect_ignored("a device");
    std::filesystem::remove(file);
    write_file(file, std::string(std::size_t{2} << 20, ' '));
    EXPECT_FALSE(load_ceilings(device, file));
    store_ceilings(device, {.copy_bytes_per_second = 1}, file);
    EXPECT_LT(std::filesystem::file_size(file), std::uintmax_t{1} << 20)
        << "a file of this size is not a cache of the app";
    EXPECT_EQ(std::filesystem::file_size(scratch / "ceilings.json.damaged"), std::uintmax_t{2} << 20);
}

TEST(Ceilings, SetsDamagedFilesAsideAndKeepsThoseOfANewerVersion) {
    const ScratchFolder scratch;
    const std::filesystem::path file = scratch / "ceilings.json";
    Limits device;
    device.device_name = "a";
    for (const std::string& text :
         {std::string(100'000, '['), "{\"a | \":" + std::string(100'000, '['), std::string("[]")}) {
        write_file(file, text);
        EXPECT_FALSE(load_ceilings(device, file));
        EXPECT_FALSE(std::filesystem::exists(file));
    }
    // Removes each number that an entry can lack, of this device and of another.
    store_ceilings(device, {.latencies = {{4096, 1}}, .measured_utc = "2026"}, file);
    const nlohmann::ordered_json whole = nlohmann::ordered_json::parse(read_file(file));
    for (const char* const name : {"a | ", "other | 1"}) {
        nlohmann::ordered_json renamed = {{name, whole.at("a | ")}};
        write_file(file, renamed.dump());
        EXPECT_EQ(load_ceilings(device, file).has_value(), std::string(name) == "a | ");
        EXPECT_TRUE(std::filesystem::exists(file)) << "an older version is not damage";
        const auto members = renamed.at(name).items();
        std::vector<std::string> ids;
        for (const auto& member : members)
            ids.push_back(member.key());
        ASSERT_EQ(ids.size(), std::size(ceiling_members) + 2);
        for (const std::string& id : ids)
            for (const nlohmann::ordered_json& wrong :
                 {nlohmann::ordered_json(nullptr), nlohmann::ordered_json(false), nlohmann::ordered_json(-1),
                  nlohmann::ordered_json::object(), nlohmann::ordered_json("discarded")}) {
                nlohmann::ordered_json damaged = renamed;
                if (wrong == "discarded")
                    damaged[name].erase(id);
                else
                    damaged[name][id] = wrong;
                write_file(file, damaged.dump());
                // An earlier version measured less.
                const bool is_older = wrong == "discarded" && id != "measured_utc";
                EXPECT_EQ(load_ceilings(device, file).has_value(), is_older && std::string(name) == "a | ");
                EXPECT_EQ(std::filesystem::exists(file), is_older) << damaged;
            }
    }
    for (const char* const entry : {"1", "[]", "null", "\"text\""}) {
        write_file(file, fmt::format(R"({{"a | ":{}}})", entry));
        EXPECT_FALSE(load_ceilings(device, file));
        EXPECT_FALSE(std::filesystem::exists(file)) << entry;
    }
    const std::string newer = R"({"schema_version":2,"devices":[]})";
    write_file(file, newer);
    EXPECT_FALSE(load_ceilings(device, file));
    store_ceilings(device, {.copy_bytes_per_second = 1}, file);
    EXPECT_EQ(read_file(file), newer);
    // A file of version 1 has no version number: each member is a device.
    nlohmann::ordered_json other = {{"other | 1", whole.at("a | ")}};
    write_file(file, other.dump());
    store_ceilings(device, {.copy_bytes_per_second = 1}, file);
    EXPECT_THAT(read_file(file),
                AllOf(HasSubstr("other | 1"), HasSubstr("a | "), Not(HasSubstr("schema_version"))));
}

}  // namespace gridstride::lab::report_test
