#include "base/parallel_for.h"

#include "test_includes.h"

namespace gridstride::parallel_for_test {

TEST(ParallelFor, VisitsEveryIndexOnce) {
    for (const std::size_t count : {1, 2, 3, 7, 100, 1001, 65'536}) {
        for (const std::size_t grain : {0, 1, 3, 1000}) {
            std::vector<std::atomic<int>> visits(count);
            parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
                ASSERT_LT(begin, end);
                ASSERT_LE(end, count);
                for (std::size_t i = begin; i < end; ++i)
                    ++visits[i];
            });
            for (std::size_t i = 0; i < count; ++i)
                ASSERT_EQ(visits[i], 1) << i << " of " << count;
        }
    }
}

TEST(ParallelFor, DoesNothingForAnEmptyRange) {
    parallel_for(0, 1, [](std::size_t, std::size_t) { FAIL(); });
}

TEST(ParallelFor, StaysOnTheCallingThreadForLittleWork) {
    const std::thread::id here = std::this_thread::get_id();
    int calls = 0;
    parallel_for(100, 100, [&](std::size_t begin, std::size_t end) {
        ++calls;
        EXPECT_EQ(std::this_thread::get_id(), here);
        EXPECT_EQ(begin, 0u);
        EXPECT_EQ(end, 100u);
    });
    EXPECT_EQ(calls, 1);
}

TEST(ParallelFor, AcceptsTheLargestCount) {
    std::atomic<std::size_t> covered = 0;
    const std::size_t count = std::numeric_limits<std::size_t>::max();
    parallel_for(count, 1, [&](std::size_t begin, std::size_t end) { covered += end - begin; });
    EXPECT_EQ(covered, count);
}

TEST(ParallelFor, RethrowsOnceAllHaveEnded) {
    std::atomic<int> inside = 0;
    try {
        parallel_for(1000, 1, [&](std::size_t begin, std::size_t) {
            ++inside;
            std::this_thread::yield();
            --inside;
            if (begin == 0) throw std::runtime_error("from the body");
        });
        FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
        EXPECT_EQ(inside, 0);
        EXPECT_STREQ(error.what(), "from the body");
    }
}

TEST(ParallelForEach, VisitsEveryIndexOnce) {
    for (const std::size_t work : {std::size_t{0}, std::size_t{1}, std::size_t{1'000'000}}) {
        std::vector<std::atomic<int>> visits(40'000);
        parallel_for_each(visits.size(), work, [&](std::size_t i) { ++visits[i]; });
        for (std::size_t i = 0; i < visits.size(); ++i)
            ASSERT_EQ(visits[i], 1) << i << " of work " << work;
    }
}

TEST(ParallelFind, FindsTheFirst) {
    for (const std::size_t first : {0, 1, 16'383, 16'384, 99'999}) {
        const auto found =
            parallel_find(200'000, 1, [&](std::size_t i) { return i >= first && (i - first) % 7 == 0; });
        EXPECT_EQ(found, first);
    }
    EXPECT_EQ(parallel_find(100'000, 1, [](std::size_t) { return false; }), 100'000u) << "there is none";
    EXPECT_EQ(parallel_find(0, 1, [](std::size_t) { return true; }), 0u);
}

TEST(HardwareThreads, IsAtLeastOne) {
    EXPECT_GE(hardware_threads(), 1u);
}

}  // namespace gridstride::parallel_for_test
