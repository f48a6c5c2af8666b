// What is kept of a session, against a lab that answers as the test says: what comes back, and what damaged
// files do.
#include <sys/resource.h>
#include <csignal>
#include <future>
#include <nlohmann/json.hpp>
#include <random>

#include "../base/mutations.h"
#include "../base/scratch_folder.h"
#include "base/file.h"
#include "base/file_work.h"
#include "base/journal.h"
#include "base/units.h"
#include "base/wire.h"
#include "client/messages.h"
#include "learned/learned.h"
#include "session/keeping.h"
#include "session/kept_work.h"
#include "session/progress_file.h"
#include "session/session_case.h"
#include "session/skip_questions.h"
#include "storage/notices.h"
#include "test_environment.h"
#include "test_includes.h"

namespace gridstride::ui::kept_work_test {

using test::comes;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::string with_byte_changed(std::string bytes, std::size_t at) {
    bytes.at(at) = static_cast<char>(~bytes.at(at));
    return bytes;
}

std::string records_of(const std::deque<Report>& runs) {
    std::string records;
    for (const Report& run : runs)
        records += record_of_run(run);
    return records;
}

constexpr const char* mine = "#version 450\nvoid main() {}\n// \xE9 is no UTF-8\n";

class KeptWorkTest : public SessionTest {
 protected:
    KeptWorkTest() {
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
        while (answered_ < lab_.requests.size()) {
            const lab::Request to = lab_.requests[answered_++];
            Report report = answer_to(to, Status::ok);
            report.run_id = "run" + std::to_string(to.id);
            report.timings.kernel.samples = {100, 200, static_cast<double>(to.id)};
            reply(std::move(report));
        }
    }
    std::string journal() const {
        std::string all = journal_head();
        for (const HistoryEntry& run : session_.runs().all())
            all += record_of_run(run.report);
        return all;
    }
    std::filesystem::path file(const std::string& name) const { return folder_ / name; }
    std::size_t files() const { return folder_.entries(); }
    /// A window that keeps this session's work and is closed at once.
    void keep_and_close(int windows = 1) {
        for (; windows > 0; --windows)
            const Keeping keeping(session_, folder_.path(), [] {});
    }
    static bool offers(Keeping& keeping) {
        return comes([&] { return keeping.update() || keeping.offered(); });
    }
    std::optional<EarlierWork> earlier() const { return find_earlier_work(folder_.path()); }
    static std::string kernel_of(const EarlierWork& earlier) {
        return earlier.work.kernels.begin()->second.source.text;
    }
    std::string newest_kernel() const { return kernel_of(*earlier()); }

    test::ScratchFolder folder_;
    std::size_t answered_ = 0;
};

/// The session of the next start.
struct Next {
    explicit Next(const char* lesson = "histogram", bool pumps = true) {
        session.open(*find_lesson(lesson), 0);
        if (pumps) session.pump();
    }
    FakeLab lab;
    Session session{lab, "en"};
};

TEST_F(KeptWorkTest, WhatIsGoneOnWithIsWhatWasThere) {
    {
        Keeping keeping(session_, folder_.path(), [] {});
        keeping.update();
        session_.edit_kernel(mine);
        session_.runs().pin(1);
        session_.start_sweep(sweep_of_sizes("32,64,128"));
        answer_all();
        keeping.update();
    }
    Next start;
    Session& next = start.session;
    Keeping keeping(next, folder_.path(), [] {});
    ASSERT_TRUE(offers(keeping));
    EXPECT_THAT(offer_in_words(*keeping.offered()),
                testing::AllOf(HasSubstr(std::to_string(session_.runs().all().size()) + " runs"),
                               HasSubstr("3 cells")));
    EXPECT_THAT(keeping.go_on(), testing::IsEmpty());
    EXPECT_EQ(csv_of(next.all_reports()).text, csv_of(session_.all_reports()).text);
    EXPECT_EQ(next.lesson().id, "reduction");
    EXPECT_EQ(next.step(), 1U);
    EXPECT_EQ(next.bench().variant(), "tree_sequential");
    EXPECT_EQ(next.bench().values(), session_.bench().values());
    ASSERT_TRUE(next.kernel_edit());
    EXPECT_EQ(next.kernel_edit()->source, session_.kernel_edit()->source);
    ASSERT_TRUE(next.runs().pinned());
    EXPECT_EQ(next.runs().pinned()->report.run_id, session_.runs().pinned()->report.run_id);
    EXPECT_FALSE(keeping.offered());
    EXPECT_TRUE(comes([&] { return files() == 2; })) << "the new window's own alone";
}

TEST_F(KeptWorkTest, ManyRunsComeBackInPortionsAndAreThereUntilTheLastOneIs) {
    constexpr std::size_t many = 2'005;
    const std::string record = record_of_run(session_.runs().all().front().report);
    std::string runs = journal_head();
    for (std::size_t i = 0; i < many; ++i)
        runs += record;
    for (const bool closed_meanwhile : {true, false}) {
        const std::filesystem::path left = file("0-1-1.runs");
        std::filesystem::remove_all(folder_.path());
        std::filesystem::create_directory(folder_.path());
        write_file(left, runs);
        Next start("reduction");
        Session& next = start.session;
        {
            Keeping keeping(next, folder_.path(), [] {});
            ASSERT_TRUE(offers(keeping));
            keeping.go_on();
            while (keeping.is_going_on() && !closed_meanwhile) {
                EXPECT_TRUE(std::filesystem::exists(left));
                EXPECT_EQ(keeping.seconds_until_due(), 0) << "the next frame comes at once";
                const std::size_t before = next.runs().all().size();
                EXPECT_TRUE(keeping.update());
                EXPECT_LT(next.runs().all().size() - before, 1001U) << "in one frame";
            }
            EXPECT_EQ(next.runs().all().size() < many, closed_meanwhile);
        }
        // On a slow machine the thread that writes them outlives the window.
        EXPECT_TRUE(file_work_ends_within(std::chrono::minutes(5)));
        EXPECT_EQ(next.runs().all().size(), many);
        EXPECT_FALSE(std::filesystem::exists(left));
        const std::optional<EarlierWork> kept = earlier();
        ASSERT_TRUE(kept);
        EXPECT_EQ(kept->work.runs.size(), many);
    }
}

TEST_F(KeptWorkTest, ALivingWindowsFilesAreNotOfferedAndAnEmptySessionLeavesNone) {
    {
        Keeping keeping(session_, folder_.path(), [] {});
        keeping.update();
        ASSERT_TRUE(comes([&] { return files() == 2; }));
        EXPECT_FALSE(earlier());
    }
    EXPECT_TRUE(earlier());
    Next start("histogram", false);
    Session& empty = start.session;
    {
        Keeping keeping(empty, folder_.path(), [] {});
        keeping.update();
        empty.edit_kernel("mine");
        keeping.update();
        empty.revert_kernel();
    }
    EXPECT_EQ(files(), 2U);
}

TEST_F(KeptWorkTest, AKernelThatWouldBeReplacedIsKeptAsEarlierWork) {
    session_.edit_kernel("the one of before");
    keep_and_close();
    session_.edit_kernel("the one of now");
    Keeping keeping(session_, folder_.path(), [] {});
    ASSERT_TRUE(offers(keeping));
    keeping.go_on();
    EXPECT_EQ(session_.kernel_edit()->source.text, "the one of before");
    keeping.offer();
    keeping.offer();  // a second look loses nothing of what the first one found
    ASSERT_TRUE(offers(keeping));
    EXPECT_EQ(kernel_of(*keeping.offered()), "the one of now");
}

TEST_F(KeptWorkTest, ADiskThatTakesNoMoreCostsNothingOnceItDoes) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    rlimit small = before;
    small.rlim_cur = journal().size() + 100;  // no room for another run
    Keeping keeping(session_, folder_.path(), [] {});
    keeping.update();
    ASSERT_TRUE(comes([&] { return files() == 2; }));
    ::setrlimit(RLIMIT_FSIZE, &small);
    run();
    keeping.update();
    std::optional<Keeper::News> news;
    EXPECT_TRUE(comes([&] { return (news = keeping.take_news()).has_value(); }));
    ::setrlimit(RLIMIT_FSIZE, &before);
    ASSERT_TRUE(news);
    EXPECT_TRUE(news->is_bad);
    ASSERT_TRUE(comes([&] { return (news = keeping.take_news()).has_value(); }));
    EXPECT_FALSE(news->is_bad);
    std::string kept;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
        if (entry.path().extension() == ".runs") kept = read_file(entry.path());
    EXPECT_EQ(kept, journal());
}

TEST_F(KeptWorkTest, ADiskThatDoesNotAnswerHoldsUpNobodyAndCostsNothing) {
    std::promise<void> answers;
    std::atomic<bool> is_asked = false;
    std::vector<std::string> written;
    {
        Keeping keeping(session_, folder_.path(), [] {});
        keeping.write_also([&] {
            is_asked = true;
            answers.get_future().wait();
            written.emplace_back("first");
        });
        ASSERT_TRUE(comes([&] { return is_asked.load(); }));
        session_.edit_kernel(mine);
        keeping.update();
        keeping.write_also([&] { written.emplace_back("replaced"); });
        keeping.write_also([&] { written.emplace_back("last"); });
        EXPECT_EQ(files(), 0U) << "the window was here before the disk";
        answers.set_value();
    }
    EXPECT_THAT(written, testing::ElementsAre("first", "last"));
    const std::optional<EarlierWork> kept = earlier();
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->work.runs.size(), session_.runs().all().size());
    EXPECT_EQ(kernel_of(*kept), mine);
}

TEST_F(KeptWorkTest, TheNewestSessionIsOfferedAndOfTheOthersWhatIsEmptyOrNinthGoes) {
    keep_and_close(2);
    // A window that was killed before it had anything to keep.
    const std::filesystem::path empty = file("0-1-1.runs");
    write_file(empty, journal_head());
    std::filesystem::last_write_time(empty,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    EXPECT_EQ(earlier()->work.runs.size(), session_.runs().all().size());
    EXPECT_EQ(files(), 4U);
    keep_and_close(8);
    EXPECT_TRUE(earlier());
    EXPECT_EQ(files(), 16U);
}

/// Sessions of one kernel each, whose files claim other times.
TEST_F(KeptWorkTest, TheNewestIsFoundAndStaysWhereTheClockWentBackwards) {
    const auto now = std::filesystem::file_time_type::clock::now();
    const auto date_all = [&](std::chrono::hours age) {
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
            std::filesystem::last_write_time(entry.path(), now - age);
    };
    const auto keep_kernel = [&](const std::string& text) {
        std::map<KernelKey, KernelEdit> kernels;
        kernels[{"reduction", "tree_sequential"}].source.text = text;
        keep_apart(folder_.path(), kernels);
    };
    // As an earlier version named them.
    write_file(file("7fffffff-1-0.json"), format_work({.kernels = session_.kernels().all()}));
    write_file(file("7fffffff-1-0.runs"), journal());
    for (int number = 0; number < 12; ++number) {
        keep_kernel("edit " + std::to_string(number));
        date_all(std::chrono::hours(-24));  // what is there is of tomorrow; the next one of today
        EXPECT_EQ(newest_kernel(), "edit " + std::to_string(number));
        EXPECT_EQ(kept_kernels(folder_.path()).begin()->second.source.text, newest_kernel());
    }
    EXPECT_EQ(files(), 16U) << "the oldest beyond eight went";
}

/// A window that is used all day asks each second.
TEST_F(KeptWorkTest, TheOrderOfAnUnchangedSessionIsNotReadAgain) {
    const std::filesystem::path path = file("s1-1-0.json");
    write_file(path, R"({"order":41})");
    const auto time = std::filesystem::last_write_time(path);
    EXPECT_EQ(next_order(folder_.path()), 42U);
    std::ofstream(path) << R"({"order":77})";  // the same file, as long as before
    std::filesystem::last_write_time(path, time);
    EXPECT_EQ(next_order(folder_.path()), 42U);
    std::filesystem::last_write_time(path, time + std::chrono::seconds(1));
    EXPECT_EQ(next_order(folder_.path()), 78U);
    write_file(path, R"({"order":50})");
    EXPECT_EQ(next_order(folder_.path()), 51U);
}

TEST_F(KeptWorkTest, AKernelOfANewerVersionIsNotTaken) {
    session_.edit_kernel(mine);
    std::string json = format_work(session_.work());
    write_file(file("s1-1-0.json"), json);
    EXPECT_EQ(kept_kernels(folder_.path()).size(), 1U);
    json.replace(json.find("\"schema_version\": 2"), 19, "\"schema_version\": 3");
    write_file(file("s1-1-0.json"), json);
    EXPECT_TRUE(kept_kernels(folder_.path()).empty());
}

TEST_F(KeptWorkTest, TheSessionThatChangedLastIsTheNewest) {
    std::optional<Keeping> first(std::in_place, session_, folder_.path(), [] {});
    first->update();
    ASSERT_TRUE(comes([&] { return files() == 2; }));
    {
        FakeLab lab;
        Session other(lab, "en");
        other.open(*find_lesson("reduction"), 1);
        skip_questions(other);
        other.set_variant("tree_sequential");
        other.edit_kernel("the second window's");
        const Keeping second(other, folder_.path(), [] {});
    }
    session_.edit_kernel("the first window's");
    first.reset();
    EXPECT_EQ(newest_kernel(), "the first window's");
}

TEST_F(KeptWorkTest, ANewerVersionsSessionIsLeftAloneAndADamagedOneIsSetAside) {
    const std::string newer = R"({"schema_version":3,"order":90,"kernels":{}})";
    write_file(file("s90-1-0.json"), newer);
    write_file(file("s90-1-0.runs"), journal_head());
    write_file(file("s80-1-0.json"), "{\"kernels\":" + std::string(100'000, '['));
    write_file(file("s80-1-0.runs"), journal());
    take_notices();
    keep_and_close(10);
    EXPECT_TRUE(earlier());
    EXPECT_EQ(read_file(file("s90-1-0.json")), newer);
    EXPECT_TRUE(std::filesystem::exists(file("s90-1-0.runs")));
    EXPECT_TRUE(std::filesystem::exists(file("s80-1-0.json.damaged")));
    const std::vector<std::string> notices = take_notices();
    EXPECT_THAT(notices, Contains(HasSubstr("s90-1-0.json")));
    EXPECT_THAT(notices, Contains(HasSubstr("s80-1-0.json.damaged")));
}

TEST_F(KeptWorkTest, ADamagedSessionThatCannotBeSetAsideStaysWithItsRuns) {
    write_file(file("s80-1-0.json"), "{");
    write_file(file("s80-1-0.runs"), journal());
    for (const char* copy : {"", "-2", "-3", "-4", "-5", "-6", "-7", "-8", "-9"})
        std::filesystem::create_directories(folder_ / fmt::format("s80-1-0.json.damaged{}/in the way", copy));
    take_notices();
    EXPECT_FALSE(earlier());
    EXPECT_THAT(take_notices(), ElementsAre(HasSubstr("s80-1-0.json")));
    EXPECT_EQ(read_file(file("s80-1-0.json")), "{");
    EXPECT_EQ(read_file(file("s80-1-0.runs")), journal());
}

TEST_F(KeptWorkTest, ACutOffJournalGivesTheRunsBeforeTheCut) {
    const std::string whole = journal();
    const std::size_t runs = session_.runs().all().size();
    ASSERT_GE(runs, 2U);
    std::size_t most = 0;
    for (std::size_t length = 0; length <= whole.size(); ++length) {
        Work work;
        parse_journal(std::string_view(whole).substr(0, length), work);
        // Nothing says of a cut between two runs that there was another.
        const std::string before = journal_head() + records_of(work.runs);
        const bool is_partial = length > journal_head().size() && before.size() != length;
        EXPECT_EQ(work.unread_runs,
                  is_partial ? fmt::format("At least 1 run at the end was left out: the last {} bytes are "
                                           "damaged or cut off",
                                           format_count(length - before.size()))
                             : "");
        ASSERT_GE(work.runs.size(), most);
        most = work.runs.size();
        for (std::size_t i = 0; i < most; ++i)
            ASSERT_EQ(work.runs[i].run_id, session_.runs().all()[i].report.run_id);
    }
    EXPECT_EQ(most, runs);
}

TEST_F(KeptWorkTest, DamagedRunsAreCountedAndTheirFileIsKept) {
    const std::string first = record_of_run(session_.runs().all().front().report);
    const std::string damaged = with_byte_changed(first, first.size() / 2);
    std::string endless = first;  // its length leads out of the file
    endless[7] = '\x01';
    struct Case {
        std::string records;
        std::size_t runs;
        std::vector<const char*> said;
    };
    for (const auto& [records, runs, said] : std::vector<Case>{
             {damaged + first, 1, {"1 run was left out: wrong checksum. The file"}},
             {first + damaged + damaged + first, 2, {"2 runs were left out: wrong checksum. The file"}},
             {first + damaged, 1, {"At least 1 run at the end was left out: the last"}},
             {damaged, 0, {"At least 1 run at the end was left out: the last"}},
             {damaged + first + endless + first, 1, {"1 run was left out", "At least 1 run at the end"}}}) {
        const test::ScratchFolder scratch;
        write_file(scratch / "s1-1-1.runs", journal_head() + records);
        FakeLab lab;
        Session next(lab, "en");
        next.open(*find_lesson("reduction"), 0);
        next.pump();
        {
            Keeping keeping(next, scratch.path(), [] {});
            ASSERT_TRUE(comes([&] { return keeping.update() || keeping.offered(); }));
            const std::vector<std::string> notes = keeping.go_on();
            EXPECT_EQ(next.runs().all().size(), runs);
            ASSERT_THAT(notes, testing::SizeIs(1));
            for (const char* words : said)
                EXPECT_THAT(notes.front(), HasSubstr(words));
            EXPECT_THAT(notes.front(),
                        HasSubstr("is kept as \"" + (scratch / "s1-1-1.runs.unread").string()));
        }
        EXPECT_TRUE(file_work_ends_within(std::chrono::minutes(5)));
        EXPECT_EQ(read_file(scratch / "s1-1-1.runs.unread"), journal_head() + records);
    }
}

TEST_F(KeptWorkTest, DamagedFilesAreRefusedOrReadAndNothingElse) {
    session_.edit_kernel(mine);
    const std::string runs = journal(), json = format_work(session_.work());
    std::mt19937 random(7);
    for (int i = 0, files = sample_of(3000, 400); i < files; ++i) {
        Work work;
        parse_journal(test::mutated(runs, random), work);
        EXPECT_LE(work.runs.size(), session_.runs().all().size());
        try {
            read_work(parse_json(test::mutated(json, random)), work);
        } catch (const std::exception&) {
        }
        Next start;
        Session& next = start.session;
        std::deque<Report> kept = std::exchange(work.runs, {});
        next.restore(std::move(work));
        for (Report& run : kept)
            next.runs().add(std::move(run));
        next.pump();
        csv_of(next.all_reports());
    }
}

TEST_F(KeptWorkTest, ARunThatThisProgramCannotShowIsLeftOutWithANote) {
    const auto with = [&](const std::function<void(Report&)>& change) {
        Report report = session_.runs().all().front().report;
        change(report);
        Work work;
        parse_journal(journal() + record_of_run(report), work);
        EXPECT_EQ(work.runs.size(), session_.runs().all().size());
        return work.unread_runs;
    };
    EXPECT_THAT(with([](Report& r) { r.experiment.lesson = "alchemy"; }), HasSubstr("alchemy"));
    EXPECT_THAT(with([](Report& r) { r.experiment.variant = "gold"; }), HasSubstr("gold"));
    EXPECT_THAT(with([](Report& r) { r.experiment.values = {}; }), HasSubstr("is not a value of"));
    EXPECT_THAT(with([](Report& r) { r.experiment.values.set("element_type", ChoiceIndex{77}); }),
                HasSubstr("element_type"));
    EXPECT_THAT(
        with([](Report& r) { r.timings.kernel.samples = {std::numeric_limits<double>::quiet_NaN()}; }),
        HasSubstr("not numbers"));
    Work work;
    parse_journal("gridstride runs 1 0.0.1 1\n" + record_of_run(session_.runs().all().front().report), work);
    EXPECT_EQ(work.unread_runs, "Its runs cannot be read by this version");
    EXPECT_TRUE(work.runs.empty());
}

TEST_F(KeptWorkTest, WhatALessonDoesNotHaveIsLeftOutWithANote) {
    std::string json = format_work(session_.work());
    const auto replace = [&](const std::string& what, const std::string& by) {
        const std::size_t at = json.find(what);
        ASSERT_NE(at, std::string::npos) << what;
        json.replace(at, what.size(), by);
    };
    replace("\"workgroup_size\": \"64\"", "\"workgroup_size\": \"64000000\"");
    replace("\"seed\"", "\"sead\"");
    Work work;
    read_work(parse_json(json), work);
    EXPECT_THAT(work.notes, Contains(HasSubstr("sead")));
    Next start;
    Session& next = start.session;
    EXPECT_THAT(next.restore(std::move(work)), Contains(HasSubstr("64000000")));
    EXPECT_TRUE(next.bench().valid());
}

/// What the version before wrote: no devices, no steps, the outcome as one value.
TEST_F(KeptWorkTest, AProgressFileOfBeforeIsReadAndWhatHasNoPlaceIsCounted) {
    const std::string path = file("p.json").string();
    const std::size_t block = questions_of(session_.story().steps.front()).front();
    const auto entry = [](std::size_t step, std::size_t at, std::string_view answer) {
        return fmt::format(R"({{"lesson":"reduction","step":{},"block":{},{},"outcome":{{"value":8,)"
                           R"("right_choice":0,"guess_right":true,"afterwards":"Yes."}}}})",
                           step, at, answer);
    };
    write_file(path, fmt::format(R"({{"kind":"gridstride progress","schema_version":1,"kernels":[],)"
                                 R"("predictions":[{},{},{}]}})",
                                 entry(1, block, R"("guess":"8")"), entry(1, block + 1, R"("guess":"8")"),
                                 entry(99, block, R"("choice":0)")));
    const Progress back = read_progress(path);
    EXPECT_EQ(back.left_out, 2U) << "no question stands there";
    ASSERT_EQ(back.learned.predictions.size(), 1U);
    const auto& [key, prediction] = *back.learned.predictions.begin();
    EXPECT_EQ(key, (LearnedKey{"", "reduction", "one_number_out_of_many_guess"}));
    EXPECT_EQ(prediction.outcome->result, Outcome::Result::right);
    EXPECT_EQ(prediction.outcome->values.front().value, 8);
    write_file(path, R"({"kind":"gridstride progress","schema_version":4,"kernels":[]})");
    EXPECT_THROW(read_progress(path), FileError);
}

TEST_F(KeptWorkTest, ProgressGoesIntoAFileAndBack) {
    session_.edit_kernel(mine);
    const LearnedKey key{"Test GPU", "reduction", "one_number_out_of_many_guess"};
    Progress progress{.kernels = session_.kernels().all()};
    Learned& learned = progress.learned;
    learned.device = "Test GPU";
    learned.lesson = "reduction";
    learned.seen = {{"Test GPU", "reduction", "one_number_out_of_many"},
                    {"Test GPU", "reduction", "workgroup_memory"}};
    learned.left[{"Test GPU", "reduction"}].step = "workgroup_memory";
    learned.predictions[key] = {.guess_text = "8",
                                .outcome = Outcome{Outcome::Result::right, {{8, 8, 8}}, 0, "Right."}};
    const std::string path = file("p.json").string();
    write_file(path, format_progress(progress, "2026-11-22T14:03:00Z"));
    const std::string text = read_file(path);
    EXPECT_THAT(text, AllOf(HasSubstr("\"question\": \""), HasSubstr("\"result\": \"right\"")));
    EXPECT_THAT(text, HasSubstr("\"step\": 1")) << "counted from 1, for people";
    const Progress back = read_progress(path);
    EXPECT_EQ(back.left_out, 0U);
    EXPECT_EQ(learned_json(back.learned), learned_json(learned));
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

}  // namespace gridstride::ui::kept_work_test
