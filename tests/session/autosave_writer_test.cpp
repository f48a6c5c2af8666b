// The thread that writes what a window keeps, with nothing but a folder: what is given while it writes, and
// how it ends. Its life with a session is in saved_session_test.cpp.
#include "session/autosave_writer.h"

#include <future>

#include "../base/scratch_folder.h"
#include "base/error.h"
#include "base/file.h"
#include "base/file_worker.h"
#include "session/comes.h"
#include "session/saved_session_format.h"
#include "test_includes.h"

namespace gridstride::autosave_writer_test {

std::shared_ptr<const Report> run_number(int number) {
    auto report = std::make_shared<Report>();
    report->run_id = std::to_string(number);
    return report;
}

std::string journal_of(int runs) {
    std::string all = journal_header();
    for (int i = 0; i < runs; ++i)
        all += encode_run(*run_number(i));
    return all;
}

std::string journals_in(const std::filesystem::path& folder) {
    std::string all;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".runs") all += read_file(entry.path());
    return all;
}

SavedSession with_kernel(int number) {
    SavedSession work;
    work.kernels[{"reduction", "tree_sequential"}].source.text = "edit " + std::to_string(number);
    return work;
}

TEST(AutosaveWriter, WhatIsGivenWhileItWritesIsWrittenInOrderAndLookedForMeanwhile) {
    const test::ScratchFolder scratch;
    constexpr int runs = 300;
    std::atomic<int> woken = 0;
    {
        AutosaveWriter writer(scratch.path(), [&] { ++woken; });
        for (int i = 0; i < runs; ++i) {
            writer.add_run(run_number(i));
            writer.save(with_kernel(i), true);
            writer.search_earlier();
            EXPECT_FALSE(writer.take_earlier_session()) << "its own is no earlier one";
            EXPECT_FALSE(writer.take_message());
        }
        EXPECT_TRUE(test::comes([&] { return woken > 0; }));
    }
    EXPECT_EQ(journals_in(scratch.path()), journal_of(runs));
    const std::optional<EarlierSession> kept = find_earlier_session(scratch.path());
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->work.kernels.begin()->second.source.text, "edit 299") << "the newest";
}

TEST(AutosaveWriter, ItsThreadOutlivesItWhereTheDiskDoesNotAnswerAndWakesNobodyThen) {
    const test::ScratchFolder scratch;
    std::promise<void> answers;
    const std::shared_future<void> answered = answers.get_future().share();
    std::atomic<bool> is_asked = false;
    auto is_over = std::make_shared<std::atomic<bool>>(false);
    {
        AutosaveWriter writer(
            scratch.path(), [is_over] { EXPECT_FALSE(*is_over); }, std::chrono::milliseconds(1));
        writer.queue_extra_write([&] {
            is_asked = true;
            answered.wait();
            throw FileError("It answers, and says no.");
        });
        ASSERT_TRUE(test::comes([&] { return is_asked.load(); }));
        writer.add_run(run_number(0));
        writer.search_earlier();
    }
    *is_over = true;
    EXPECT_EQ(scratch.entries(), 0U) << "nobody waited for it";
    answers.set_value();
    EXPECT_TRUE(wait_for_file_threads(std::chrono::minutes(5)));
    EXPECT_EQ(journals_in(scratch.path()), journal_of(1)) << "once it answers all is written";
}

}  // namespace gridstride::autosave_writer_test
