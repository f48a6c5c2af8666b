// Tests file work on a background thread, and the listing of folders.
#include "base/file_worker.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <new>

#include "base/folder_list.h"
#include "test_includes.h"

namespace gridstride::file_worker_test {

class FileWorkerTest : public testing::Test {
 protected:
    FileWorkerTest() {
        folder_ = std::filesystem::temp_directory_path() / ("file_work" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_);
    }
    ~FileWorkerTest() override { std::filesystem::remove_all(folder_); }

    static std::string take_result(FileWorker& work) {
        std::optional<std::string> result;
        while (!(result = work.take()))
            std::this_thread::yield();
        return *result;
    }
    FolderList listed(const std::vector<std::string>& extensions, std::size_t most = 100) {
        FileProgress progress;
        return list_folder(folder_, extensions, most, progress);
    }
    static std::vector<std::string> names(const FolderList& list) {
        std::vector<std::string> names;
        for (const FolderEntry& entry : list.entries)
            names.push_back(entry.name);
        return names;
    }

    std::filesystem::path folder_;
};

TEST_F(FileWorkerTest, CompletionRunsOnTheCallersThread) {
    FileWorker work;
    std::atomic<int> woken = 0;
    work.wake = [&] { ++woken; };
    std::thread::id worked_on, taken_on;
    work.start([&](FileProgress&) -> FileWorker::Completion {
        worked_on = std::this_thread::get_id();
        return [&] { taken_on = std::this_thread::get_id(); };
    });
    EXPECT_TRUE(work.is_busy());
    EXPECT_EQ(take_result(work), "");
    EXPECT_FALSE(work.is_busy());
    EXPECT_EQ(taken_on, std::this_thread::get_id());
    EXPECT_NE(worked_on, taken_on);
    EXPECT_EQ(woken, 1);
    EXPECT_FALSE(work.take()) << "a result is taken only once";
}

TEST_F(FileWorkerTest, ReportsErrorsOfBothThreads) {
    FileWorker work;
    work.start([](FileProgress&) -> FileWorker::Completion { throw FileError("No."); });
    EXPECT_EQ(take_result(work), "No.");
    work.start([](FileProgress&) -> FileWorker::Completion { throw Refusal("Never."); });
    EXPECT_EQ(take_result(work), "Never.");
    work.start([](FileProgress&) -> FileWorker::Completion { throw std::bad_alloc(); });
    EXPECT_THAT(take_result(work), HasSubstr("memory"));
    work.start([](FileProgress&) -> FileWorker::Completion { return [] { throw Refusal("Too late."); }; });
    EXPECT_EQ(take_result(work), "Too late.");
}

TEST_F(FileWorkerTest, CancelReturnsAtOnceIfTheThreadIsBlocked) {
    const std::filesystem::path pipe = folder_ / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    std::atomic<int> woken = 0;
    std::atomic<bool> opening = false;
    bool used = false;
    FileWorker work;
    work.wake = [&] { ++woken; };
    work.start([&](FileProgress&) -> FileWorker::Completion {
        opening = true;
        ::close(::open(pipe.c_str(), O_RDONLY));
        return [&] { used = true; };
    });
    while (!opening)
        std::this_thread::yield();
    work.cancel();
    EXPECT_FALSE(work.is_busy());
    EXPECT_FALSE(wait_for_file_threads(std::chrono::milliseconds(1))) << "it waits for the pipe still";
    // The next work does not wait for the one that was given up.
    work.start([](FileProgress&) { return FileWorker::Completion(); });
    EXPECT_EQ(take_result(work), "");
    // Opening the write end lets the reader's open() return. The call fails until a reader has the pipe open.
    int writer = -1;
    while ((writer = ::open(pipe.c_str(), O_WRONLY | O_NONBLOCK)) < 0)
        std::this_thread::yield();
    ::close(writer);
    EXPECT_TRUE(wait_for_file_threads(patience));
    EXPECT_FALSE(used);
    EXPECT_EQ(woken, 1) << "only for the second work";
}

TEST_F(FileWorkerTest, CancelledWorkStopsAtItsNextProgress) {
    std::atomic<bool> started = false;
    FileWorker work;
    work.start([&](FileProgress& progress) -> FileWorker::Completion {
        started = true;
        while (true)
            progress.advance(1);
    });
    while (!started || work.progress()->done == 0)
        std::this_thread::yield();
    work.cancel();
    EXPECT_TRUE(wait_for_file_threads(patience));
}

TEST_F(FileWorkerTest, ListsFoldersThenMatchingFiles) {
    for (const char* name : {"b.csv", "A.CSV", "z.txt", ".hidden.csv"})
        write_file(folder_ / name, "12345");
    std::filesystem::create_directory(folder_ / "sub");
    const FolderList all = listed({".csv"});
    EXPECT_THAT(names(all), ElementsAre("sub", "A.CSV", "b.csv", "z.txt"));
    EXPECT_EQ(all.left_out, 0U);
    EXPECT_TRUE(all.entries[0].folder);
    EXPECT_TRUE(all.entries[1].fits);
    EXPECT_EQ(all.entries[1].bytes, 5U);
    EXPECT_GT(all.entries[1].modified, 0);
    EXPECT_FALSE(all.entries[3].fits);
    const FolderList some = listed({".csv"}, 2);
    EXPECT_THAT(names(some), ElementsAre("sub", "A.CSV"));
    EXPECT_EQ(some.left_out, 2U);
}

TEST_F(FileWorkerTest, ListingAnUnreadableFolderThrows) {
    FileProgress progress;
    EXPECT_THROW(list_folder(folder_ / "none", {}, 10, progress), FileError);
    write_file(folder_ / "file", "");
    EXPECT_THROW(list_folder(folder_ / "file", {}, 10, progress), FileError);
}

}  // namespace gridstride::file_worker_test
