// Tests saving and restoring a session, and damaged files, with a fake lab.
#include <sys/resource.h>
#include <csignal>
#include <future>
#include <nlohmann/json.hpp>
#include <random>

#include "../base/mutations.h"
#include "../base/scratch_folder.h"
#include "base/file.h"
#include "base/file_worker.h"
#include "base/journal.h"
#include "base/units.h"
#include "base/wire.h"
#include "client/messages.h"
#include "progress/story_progress.h"
#include "session/autosave.h"
#include "session/progress_file.h"
#include "session/saved_session_format.h"
#include "session/session_case.h"
#include "session/skip_questions.h"
#include "storage/notices.h"
#include "test_environment.h"
#include "test_includes.h"

namespace gridstride::ui::saved_session_test {

using test::comes;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::string flip_byte(std::string bytes, std::size_t at) {
    bytes.at(at) = static_cast<char>(~bytes.at(at));
    return bytes;
}

std::string encode_runs(const std::deque<Report>& runs) {
    std::string records;
    for (const Report& run : runs)
        records += encode_run(run);
    return records;
}

constexpr const char* non_utf8_kernel = "#version 450\nvoid main() {}\n// \xE9 is not UTF-8\n";

class SavedSessionTest : public SessionTest {
 protected:
    SavedSessionTest() {
        open("reduction", 1);
        session_.pump();
        session_.set_variant("tree_sequential");
        set_size(64);
        answer_all();
        for (int i = 0; i < 2; ++i)
            run();
    }

    void run() {
        session_.run();
        answer_all();
    }
    void answer_all() {
        while (answered_count_ < lab_.requests.size()) {
            const lab::Request to = lab_.requests[answered_count_++];
            Report report = answer_to(to, Status::ok);
            report.run_id = "run" + std::to_string(to.id);
            report.timings.kernel.samples = {100, 200, static_cast<double>(to.id)};
            reply(std::move(report));
        }
    }
    std::string journal() const {
        std::string all = journal_header();
        for (const HistoryEntry& run : session_.runs().all())
            all += encode_run(run.report);
        return all;
    }
    std::filesystem::path file(const std::string& name) const { return folder_ / name; }
    std::size_t files() const { return folder_.entries(); }
    /// Opens windows that save this session's work, and closes each at once.
    void save_and_close(int windows = 1) {
        for (; windows > 0; --windows)
            const Autosave autosave(session_, folder_.path(), [] {});
    }
    static bool wait_for_offer(Autosave& autosave) {
        return comes([&] { return autosave.update() || autosave.offered_session(); });
    }
    std::optional<EarlierSession> find_earlier() const { return find_earlier_session(folder_.path()); }
    static std::string first_kernel_text(const EarlierSession& earlier) {
        return earlier.session.kernels.begin()->second.source.text;
    }
    std::string newest_kernel_text() const { return first_kernel_text(*find_earlier()); }

    test::ScratchFolder folder_;
    std::size_t answered_count_ = 0;
};

/// The session of the program's next start.
struct NextStart {
    explicit NextStart(const char* lesson = "histogram", bool pumps = true) {
        session.open(*find_course_entry(lesson), 0);
        if (pumps) session.pump();
    }
    FakeLab lab;
    Session session{lab, "en"};
};

TEST_F(SavedSessionTest, RestoringBringsBackEverything) {
    {
        Autosave autosave(session_, folder_.path(), [] {});
        autosave.update();
        session_.edit_kernel(non_utf8_kernel);
        session_.runs().pin(1);
        session_.start_sweep(make_size_sweep("32,64,128"));
        answer_all();
        autosave.update();
    }
    NextStart start;
    Session& next = start.session;
    Autosave autosave(next, folder_.path(), [] {});
    ASSERT_TRUE(wait_for_offer(autosave));
    EXPECT_THAT(describe_offer(*autosave.offered_session()),
                testing::AllOf(HasSubstr(std::to_string(session_.runs().all().size()) + " runs"),
                               HasSubstr("3 cells")));
    EXPECT_THAT(autosave.restore_offered_session(), testing::IsEmpty());
    EXPECT_EQ(make_csv(next.all_reports()).text, make_csv(session_.all_reports()).text);
    EXPECT_EQ(next.lesson().id, "reduction");
    EXPECT_EQ(next.step(), 1U);
    EXPECT_EQ(next.bench().variant(), "tree_sequential");
    EXPECT_EQ(next.bench().values(), session_.bench().values());
    ASSERT_TRUE(next.kernel_edit());
    EXPECT_EQ(next.kernel_edit()->source, session_.kernel_edit()->source);
    ASSERT_TRUE(next.runs().pinned());
    EXPECT_EQ(next.runs().pinned()->report.run_id, session_.runs().pinned()->report.run_id);
    EXPECT_FALSE(autosave.offered_session());
    EXPECT_TRUE(comes([&] { return files() == 2; })) << "only the new window's own files";
}

TEST_F(SavedSessionTest, ManyRunsAreRestoredInBatchesAndTheirFileStaysUntilTheLast) {
    constexpr std::size_t many = 2'005;
    const std::string record = encode_run(session_.runs().all().front().report);
    std::string runs = journal_header();
    for (std::size_t i = 0; i < many; ++i)
        runs += record;
    for (const bool closes_early : {true, false}) {
        const std::filesystem::path leftover = file("0-1-1.runs");
        std::filesystem::remove_all(folder_.path());
        std::filesystem::create_directory(folder_.path());
        write_file(leftover, runs);
        NextStart start("reduction");
        Session& next = start.session;
        {
            Autosave autosave(next, folder_.path(), [] {});
            ASSERT_TRUE(wait_for_offer(autosave));
            autosave.restore_offered_session();
            while (autosave.is_restoring() && !closes_early) {
                EXPECT_TRUE(std::filesystem::exists(leftover));
                EXPECT_EQ(autosave.seconds_until_due(), 0) << "the next frame is due at once";
                const std::size_t before = next.runs().all().size();
                EXPECT_TRUE(autosave.update());
                EXPECT_LT(next.runs().all().size() - before, 1001U) << "in one frame";
            }
            EXPECT_EQ(next.runs().all().size() < many, closes_early);
        }
        // On a slow machine the thread that writes the runs outlives the window.
        EXPECT_TRUE(wait_for_file_threads(std::chrono::minutes(5)));
        EXPECT_EQ(next.runs().all().size(), many);
        EXPECT_FALSE(std::filesystem::exists(leftover));
        const std::optional<EarlierSession> saved = find_earlier();
        ASSERT_TRUE(saved);
        EXPECT_EQ(saved->session.runs.size(), many);
    }
}

TEST_F(SavedSessionTest, AnOpenWindowsFilesAreNotOfferedAndAnEmptySessionWritesNone) {
    {
        Autosave autosave(session_, folder_.path(), [] {});
        autosave.update();
        ASSERT_TRUE(comes([&] { return files() == 2; }));
        EXPECT_FALSE(find_earlier());
    }
    EXPECT_TRUE(find_earlier());
    NextStart start("histogram", false);
    Session& empty = start.session;
    {
        Autosave autosave(empty, folder_.path(), [] {});
        autosave.update();
        empty.edit_kernel("mine");
        autosave.update();
        empty.revert_kernel();
    }
    EXPECT_EQ(files(), 2U);
}

TEST_F(SavedSessionTest, RestoringSavesTheKernelThatItReplacesAsAnEarlierSession) {
    session_.edit_kernel("the earlier text");
    save_and_close();
    session_.edit_kernel("the current text");
    Autosave autosave(session_, folder_.path(), [] {});
    ASSERT_TRUE(wait_for_offer(autosave));
    autosave.restore_offered_session();
    EXPECT_EQ(session_.kernel_edit()->source.text, "the earlier text");
    autosave.offer();
    autosave.offer();  // a second search loses nothing that the first one found
    ASSERT_TRUE(wait_for_offer(autosave));
    EXPECT_EQ(first_kernel_text(*autosave.offered_session()), "the current text");
}

TEST_F(SavedSessionTest, LosesNothingWhenAFullDiskHasSpaceAgain) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit original_limit{};
    ::getrlimit(RLIMIT_FSIZE, &original_limit);
    rlimit small = original_limit;
    small.rlim_cur = journal().size() + 100;  // another run does not fit
    Autosave autosave(session_, folder_.path(), [] {});
    autosave.update();
    ASSERT_TRUE(comes([&] { return files() == 2; }));
    ::setrlimit(RLIMIT_FSIZE, &small);
    run();
    autosave.update();
    std::optional<AutosaveWriter::Message> message;
    EXPECT_TRUE(comes([&] { return (message = autosave.take_message()).has_value(); }));
    ::setrlimit(RLIMIT_FSIZE, &original_limit);
    ASSERT_TRUE(message);
    EXPECT_TRUE(message->is_bad);
    ASSERT_TRUE(comes([&] { return (message = autosave.take_message()).has_value(); }));
    EXPECT_FALSE(message->is_bad);
    std::string saved;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
        if (entry.path().extension() == ".runs") saved = read_file(entry.path());
    EXPECT_EQ(saved, journal());
}

TEST_F(SavedSessionTest, HungDiskDelaysAndLosesNothing) {
    std::promise<void> disk_answer;
    std::atomic<bool> is_writing = false;
    std::vector<std::string> written;
    {
        Autosave autosave(session_, folder_.path(), [] {});
        autosave.queue_extra_write([&] {
            is_writing = true;
            disk_answer.get_future().wait();
            written.emplace_back("first");
        });
        ASSERT_TRUE(comes([&] { return is_writing.load(); }));
        session_.edit_kernel(non_utf8_kernel);
        autosave.update();
        autosave.queue_extra_write([&] { written.emplace_back("replaced"); });
        autosave.queue_extra_write([&] { written.emplace_back("last"); });
        EXPECT_EQ(files(), 0U) << "the window does not wait for the disk";
        disk_answer.set_value();
    }
    EXPECT_THAT(written, testing::ElementsAre("first", "last"));
    const std::optional<EarlierSession> saved = find_earlier();
    ASSERT_TRUE(saved);
    EXPECT_EQ(saved->session.runs.size(), session_.runs().all().size());
    EXPECT_EQ(first_kernel_text(*saved), non_utf8_kernel);
}

TEST_F(SavedSessionTest, OffersTheNewestSessionAndDeletesEmptyOnesAndAllButEight) {
    save_and_close(2);
    // A window was killed before it saved anything.
    const std::filesystem::path empty = file("0-1-1.runs");
    write_file(empty, journal_header());
    std::filesystem::last_write_time(empty,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    EXPECT_EQ(find_earlier()->session.runs.size(), session_.runs().all().size());
    EXPECT_EQ(files(), 4U);
    save_and_close(8);
    EXPECT_TRUE(find_earlier());
    EXPECT_EQ(files(), 16U);
}

/// Each session has one kernel, and its files have misleading times.
TEST_F(SavedSessionTest, FindsTheNewestSessionWhenTheClockGoesBackwards) {
    const auto now = std::filesystem::file_time_type::clock::now();
    const auto age_files = [&](std::chrono::hours age) {
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
            std::filesystem::last_write_time(entry.path(), now - age);
    };
    const auto save_kernel = [&](const std::string& text) {
        std::map<KernelKey, KernelEdit> kernels;
        kernels[{"reduction", "tree_sequential"}].source.text = text;
        save_separately(folder_.path(), kernels);
    };
    // An earlier version named its files this way.
    write_file(file("7fffffff-1-0.json"), format_session({.kernels = session_.kernels().all()}));
    write_file(file("7fffffff-1-0.runs"), journal());
    for (int number = 0; number < 12; ++number) {
        save_kernel("edit " + std::to_string(number));
        age_files(std::chrono::hours(-24));  // these files are from tomorrow; the next one is from today
        EXPECT_EQ(newest_kernel_text(), "edit " + std::to_string(number));
        EXPECT_EQ(saved_kernels(folder_.path()).begin()->second.source.text, newest_kernel_text());
    }
    EXPECT_EQ(files(), 16U) << "the program deleted all but the newest eight";
}

/// A window reads the order every second, all day.
TEST_F(SavedSessionTest, DoesNotReadAnUnchangedSessionAgain) {
    const std::filesystem::path path = file("s1-1-0.json");
    write_file(path, R"({"order":41})");
    const auto time = std::filesystem::last_write_time(path);
    EXPECT_EQ(next_order(folder_.path()), 42U);
    std::ofstream(path) << R"({"order":77})";  // the same file with the same length
    std::filesystem::last_write_time(path, time);
    EXPECT_EQ(next_order(folder_.path()), 42U);
    std::filesystem::last_write_time(path, time + std::chrono::seconds(1));
    EXPECT_EQ(next_order(folder_.path()), 78U);
    write_file(path, R"({"order":50})");
    EXPECT_EQ(next_order(folder_.path()), 51U);
}

TEST_F(SavedSessionTest, IgnoresAKernelOfANewerVersion) {
    session_.edit_kernel(non_utf8_kernel);
    std::string json = format_session(session_.saved_session());
    write_file(file("s1-1-0.json"), json);
    EXPECT_EQ(saved_kernels(folder_.path()).size(), 1U);
    json.replace(json.find("\"schema_version\": 2"), 19, "\"schema_version\": 3");
    write_file(file("s1-1-0.json"), json);
    EXPECT_TRUE(saved_kernels(folder_.path()).empty());
}

TEST_F(SavedSessionTest, TheLastChangedSessionIsTheNewest) {
    std::optional<Autosave> first(std::in_place, session_, folder_.path(), [] {});
    first->update();
    ASSERT_TRUE(comes([&] { return files() == 2; }));
    {
        FakeLab lab;
        Session other(lab, "en");
        other.open(*find_course_entry("reduction"), 1);
        skip_questions(other);
        other.set_variant("tree_sequential");
        other.edit_kernel("the second window's");
        const Autosave second(other, folder_.path(), [] {});
    }
    session_.edit_kernel("the first window's");
    first.reset();
    EXPECT_EQ(newest_kernel_text(), "the first window's");
}

TEST_F(SavedSessionTest, KeepsANewerVersionsSessionAndSetsADamagedOneAside) {
    const std::string newer = R"({"schema_version":3,"order":90,"kernels":{}})";
    write_file(file("s90-1-0.json"), newer);
    write_file(file("s90-1-0.runs"), journal_header());
    write_file(file("s80-1-0.json"), "{\"kernels\":" + std::string(100'000, '['));
    write_file(file("s80-1-0.runs"), journal());
    take_notices();
    save_and_close(10);
    EXPECT_TRUE(find_earlier());
    EXPECT_EQ(read_file(file("s90-1-0.json")), newer);
    EXPECT_TRUE(std::filesystem::exists(file("s90-1-0.runs")));
    EXPECT_TRUE(std::filesystem::exists(file("s80-1-0.json.damaged")));
    const std::vector<std::string> notices = take_notices();
    EXPECT_THAT(notices, Contains(HasSubstr("s90-1-0.json")));
    EXPECT_THAT(notices, Contains(HasSubstr("s80-1-0.json.damaged")));
}

TEST_F(SavedSessionTest, ADamagedSessionThatCannotBeRenamedKeepsItsRuns) {
    write_file(file("s80-1-0.json"), "{");
    write_file(file("s80-1-0.runs"), journal());
    for (const char* copy : {"", "-2", "-3", "-4", "-5", "-6", "-7", "-8", "-9"})
        std::filesystem::create_directories(folder_ / fmt::format("s80-1-0.json.damaged{}/in the way", copy));
    take_notices();
    EXPECT_FALSE(find_earlier());
    EXPECT_THAT(take_notices(), ElementsAre(HasSubstr("s80-1-0.json")));
    EXPECT_EQ(read_file(file("s80-1-0.json")), "{");
    EXPECT_EQ(read_file(file("s80-1-0.runs")), journal());
}

TEST_F(SavedSessionTest, ATruncatedJournalYieldsTheRunsBeforeTheCut) {
    const std::string full_journal = journal();
    const std::size_t runs = session_.runs().all().size();
    ASSERT_GE(runs, 2U);
    std::size_t max_runs = 0;
    for (std::size_t length = 0; length <= full_journal.size(); ++length) {
        SavedSession session;
        parse_journal(std::string_view(full_journal).substr(0, length), session);
        // A cut between two runs leaves no sign that there was another run.
        const std::string valid_prefix = journal_header() + encode_runs(session.runs);
        const bool is_partial = length > journal_header().size() && valid_prefix.size() != length;
        EXPECT_EQ(session.unread_runs,
                  is_partial ? fmt::format("At least 1 run at the end was left out: the last {} bytes are "
                                           "damaged or cut off",
                                           format_count(length - valid_prefix.size()))
                             : "");
        ASSERT_GE(session.runs.size(), max_runs);
        max_runs = session.runs.size();
        for (std::size_t i = 0; i < max_runs; ++i)
            ASSERT_EQ(session.runs[i].run_id, session_.runs().all()[i].report.run_id);
    }
    EXPECT_EQ(max_runs, runs);
}

TEST_F(SavedSessionTest, CountsDamagedRunsAndKeepsTheirFile) {
    const std::string first = encode_run(session_.runs().all().front().report);
    const std::string damaged = flip_byte(first, first.size() / 2);
    std::string endless = first;  // its length points beyond the end of the file
    endless[7] = '\x01';
    struct Case {
        std::string records;
        std::size_t runs;
        std::vector<const char*> expected_notes;
    };
    for (const auto& [records, runs, expected_notes] : std::vector<Case>{
             {damaged + first, 1, {"1 run was left out: wrong checksum. The file"}},
             {first + damaged + damaged + first, 2, {"2 runs were left out: wrong checksum. The file"}},
             {first + damaged, 1, {"At least 1 run at the end was left out: the last"}},
             {damaged, 0, {"At least 1 run at the end was left out: the last"}},
             {damaged + first + endless + first, 1, {"1 run was left out", "At least 1 run at the end"}}}) {
        const test::ScratchFolder scratch;
        write_file(scratch / "s1-1-1.runs", journal_header() + records);
        FakeLab lab;
        Session next(lab, "en");
        next.open(*find_course_entry("reduction"), 0);
        next.pump();
        {
            Autosave autosave(next, scratch.path(), [] {});
            ASSERT_TRUE(comes([&] { return autosave.update() || autosave.offered_session(); }));
            const std::vector<std::string> notes = autosave.restore_offered_session();
            EXPECT_EQ(next.runs().all().size(), runs);
            ASSERT_THAT(notes, testing::SizeIs(1));
            for (const char* words : expected_notes)
                EXPECT_THAT(notes.front(), HasSubstr(words));
            EXPECT_THAT(notes.front(),
                        HasSubstr("is kept as \"" + (scratch / "s1-1-1.runs.unread").string()));
        }
        EXPECT_TRUE(wait_for_file_threads(std::chrono::minutes(5)));
        EXPECT_EQ(read_file(scratch / "s1-1-1.runs.unread"), journal_header() + records);
    }
}

TEST_F(SavedSessionTest, DamagedFilesAreReadOrRejectedWithoutACrash) {
    session_.edit_kernel(non_utf8_kernel);
    const std::string runs = journal(), json = format_session(session_.saved_session());
    std::mt19937 random(7);
    for (int i = 0, files = sample_of(3000, 400); i < files; ++i) {
        SavedSession session;
        parse_journal(test::mutated(runs, random), session);
        EXPECT_LE(session.runs.size(), session_.runs().all().size());
        try {
            parse_session(parse_json(test::mutated(json, random)), session);
        } catch (const std::exception&) {
        }
        NextStart start;
        Session& next = start.session;
        std::deque<Report> saved = std::exchange(session.runs, {});
        next.restore(std::move(session));
        for (Report& run : saved)
            next.runs().add(std::move(run));
        next.pump();
        make_csv(next.all_reports());
    }
}

TEST_F(SavedSessionTest, SkipsARunThatItCannotShowWithANote) {
    const auto with = [&](const std::function<void(Report&)>& change) {
        Report report = session_.runs().all().front().report;
        change(report);
        SavedSession session;
        parse_journal(journal() + encode_run(report), session);
        EXPECT_EQ(session.runs.size(), session_.runs().all().size());
        return session.unread_runs;
    };
    EXPECT_THAT(with([](Report& r) { r.experiment.lesson = "alchemy"; }), HasSubstr("alchemy"));
    EXPECT_THAT(with([](Report& r) { r.experiment.variant = "gold"; }), HasSubstr("gold"));
    EXPECT_THAT(with([](Report& r) { r.experiment.values = {}; }), HasSubstr("is not a value of"));
    EXPECT_THAT(with([](Report& r) { r.experiment.values.set("element_type", ChoiceIndex{77}); }),
                HasSubstr("element_type"));
    EXPECT_THAT(
        with([](Report& r) { r.timings.kernel.samples = {std::numeric_limits<double>::quiet_NaN()}; }),
        HasSubstr("NaN"));
    SavedSession session;
    parse_journal("gridstride runs 1 0.0.1 1\n" + encode_run(session_.runs().all().front().report), session);
    EXPECT_EQ(session.unread_runs, "Its runs cannot be read by this version");
    EXPECT_TRUE(session.runs.empty());
}

TEST_F(SavedSessionTest, SkipsUnknownNamesAndInvalidValuesWithANote) {
    std::string json = format_session(session_.saved_session());
    const auto replace = [&](const std::string& what, const std::string& by) {
        const std::size_t at = json.find(what);
        ASSERT_NE(at, std::string::npos) << what;
        json.replace(at, what.size(), by);
    };
    replace("\"workgroup_size\": \"64\"", "\"workgroup_size\": \"64000000\"");
    replace("\"seed\"", "\"sead\"");
    SavedSession session;
    parse_session(parse_json(json), session);
    EXPECT_THAT(session.notes, Contains(HasSubstr("sead")));
    NextStart start;
    Session& next = start.session;
    EXPECT_THAT(next.restore(std::move(session)), Contains(HasSubstr("64000000")));
    EXPECT_TRUE(next.bench().is_valid());
}

/// The previous version wrote no devices and no steps, and the outcome as one value.
TEST_F(SavedSessionTest, ReadsAnOldProgressFileAndCountsUnknownQuestions) {
    const std::string path = file("p.json").string();
    const std::size_t block = question_blocks(session_.story().steps.front()).front();
    const auto entry = [](std::size_t step, std::size_t at, std::string_view answer) {
        return fmt::format(R"({{"lesson":"reduction","step":{},"block":{},{},"outcome":{{"value":8,)"
                           R"("right_choice":0,"guess_right":true,"afterwards":"Yes."}}}})",
                           step, at, answer);
    };
    write_file(path, fmt::format(R"({{"kind":"gridstride progress","schema_version":1,"kernels":[],)"
                                 R"("predictions":[{},{},{}]}})",
                                 entry(1, block, R"("guess":"8")"), entry(1, block + 1, R"("guess":"8")"),
                                 entry(99, block, R"("choice":0)")));
    const ProgressFile back = read_progress(path);
    EXPECT_EQ(back.left_out, 2U) << "there is no question at that place";
    ASSERT_EQ(back.story_progress.predictions.size(), 1U);
    const auto& [key, prediction] = *back.story_progress.predictions.begin();
    EXPECT_EQ(key, (ProgressKey{"", "reduction", "one_number_out_of_many_guess"}));
    EXPECT_EQ(prediction.outcome->result, Outcome::Result::right);
    EXPECT_EQ(prediction.outcome->values.front().value, 8);
    write_file(path, R"({"kind":"gridstride progress","schema_version":4,"kernels":[]})");
    EXPECT_THROW(read_progress(path), FileError);
    write_file(path, R"({"kind":"gridstride progress","schema_version":3,"seen":[],"left":[],)"
                     R"("predictions":7,"kernels":[]})");
    EXPECT_THAT(message_of<FileError>([&] { read_progress(path); }), Mentions("predictions"));
}

TEST_F(SavedSessionTest, ProgressSurvivesSavingAndReading) {
    session_.edit_kernel(non_utf8_kernel);
    const ProgressKey key{"Test GPU", "reduction", "one_number_out_of_many_guess"};
    ProgressFile progress{.kernels = session_.kernels().all()};
    StoryProgress& story_progress = progress.story_progress;
    story_progress.device = "Test GPU";
    story_progress.lesson = "reduction";
    story_progress.seen_steps = {{"Test GPU", "reduction", "one_number_out_of_many"},
                                 {"Test GPU", "reduction", "workgroup_memory"}};
    story_progress.last_positions[{"Test GPU", "reduction"}].step = "workgroup_memory";
    story_progress.predictions[key] = {
        .guess_text = "8", .outcome = Outcome{Outcome::Result::right, {{8, 8, 8}}, 0, "", "Right."}};
    const std::string path = file("p.json").string();
    write_file(path, format_progress(progress, "2026-11-22T14:03:00Z"));
    const std::string text = read_file(path);
    EXPECT_THAT(text, AllOf(HasSubstr("\"question\": \""), HasSubstr("\"result\": \"right\"")));
    EXPECT_THAT(text, HasSubstr("\"step\": 1")) << "steps in the file count from 1";
    const ProgressFile back = read_progress(path);
    EXPECT_EQ(back.left_out, 0U);
    EXPECT_EQ(progress_json(back.story_progress), progress_json(story_progress));
    EXPECT_EQ(back.kernels.at({"reduction", "tree_sequential"}).source, session_.kernel_edit()->source);
    EXPECT_THAT(new_kernels(progress.kernels, back.kernels), testing::IsEmpty());

    std::mt19937 random(11);
    for (int i = 0; i < 1000; ++i) {
        write_file(path, test::mutated(text, random));
        try {
            read_progress(path);
        } catch (const FileError&) {
        }
    }
}

}  // namespace gridstride::ui::saved_session_test
