// Tests the thread that writes a window's autosave, with only a folder: requests that arrive while it writes,
// and its shutdown. saved_session_test.cpp tests it with a session.
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

std::shared_ptr<const Report> make_run(int number) {
    auto report = std::make_shared<Report>();
    report->run_id = std::to_string(number);
    return report;
}

std::string make_journal(int runs) {
    std::string all = journal_header();
    for (int i = 0; i < runs; ++i)
        all += encode_run(*make_run(i));
    return all;
}

std::string read_journals(const std::filesystem::path& folder) {
    std::string all;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".runs") all += read_file(entry.path());
    return all;
}

SavedSession make_session(int number) {
    SavedSession session;
    session.kernels[{"reduction", "tree_sequential"}].source.text = "edit " + std::to_string(number);
    return session;
}

TEST(AutosaveWriter, WritesInOrderAndSearchesForEarlierSessions) {
    const test::ScratchFolder scratch;
    constexpr int runs = 300;
    std::atomic<int> wake_ups = 0;
    {
        AutosaveWriter writer(scratch.path(), [&] { ++wake_ups; });
        for (int i = 0; i < runs; ++i) {
            writer.add_run(make_run(i));
            writer.save(make_session(i), true);
            writer.search_earlier();
            EXPECT_FALSE(writer.take_earlier_session()) << "its own session is not an earlier one";
            EXPECT_FALSE(writer.take_message());
        }
        EXPECT_TRUE(test::comes([&] { return wake_ups > 0; }));
    }
    EXPECT_EQ(read_journals(scratch.path()), make_journal(runs));
    const std::optional<EarlierSession> saved = find_earlier_session(scratch.path());
    ASSERT_TRUE(saved);
    EXPECT_EQ(saved->session.kernels.begin()->second.source.text, "edit 299") << "the newest text";
}

TEST(AutosaveWriter, ThreadOutlivesTheWriterOnAHungDiskWithoutNotifying) {
    const test::ScratchFolder scratch;
    std::promise<void> disk_answer;
    const std::shared_future<void> disk_answered = disk_answer.get_future().share();
    std::atomic<bool> is_writing = false;
    auto is_destroyed = std::make_shared<std::atomic<bool>>(false);
    {
        AutosaveWriter writer(
            scratch.path(), [is_destroyed] { EXPECT_FALSE(*is_destroyed); }, std::chrono::milliseconds(1));
        writer.queue_extra_write([&] {
            is_writing = true;
            disk_answered.wait();
            throw FileError("The disk reported an error.");
        });
        ASSERT_TRUE(test::comes([&] { return is_writing.load(); }));
        writer.add_run(make_run(0));
        writer.search_earlier();
    }
    *is_destroyed = true;
    EXPECT_EQ(scratch.entries(), 0U) << "the destructor did not wait for the disk";
    disk_answer.set_value();
    EXPECT_TRUE(wait_for_file_threads(std::chrono::minutes(5)));
    EXPECT_EQ(read_journals(scratch.path()), make_journal(1))
        << "once the disk answers, the thread writes everything";
}

}  // namespace gridstride::autosave_writer_test
