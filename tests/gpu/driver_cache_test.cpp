#include "gpu/driver_cache.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include "test_includes.h"

namespace gridstride::gpu::driver_cache_test {

std::uintmax_t bytes_on_disk(const fs::path& file) {
    struct stat status {};
    EXPECT_EQ(::stat(file.c_str(), &status), 0);
    return static_cast<std::uintmax_t>(status.st_blocks) * 512;
}

TEST(DriverCache, ReservesDiskSpaceForANewIndexOfSizeZero) {
    const ScratchFolder folder;
    EXPECT_EQ(reserve_cache_index(folder / "new" / "mesa_shader_cache"), "");
    const fs::path index = folder / "new" / "mesa_shader_cache" / "index";
    EXPECT_EQ(fs::file_size(index), 0u);
    EXPECT_GE(bytes_on_disk(index), 1310728u);
}

TEST(DriverCache, FillsHolesAndKeepsWrittenData) {
    const ScratchFolder folder;
    const fs::path index = folder / "index";
    std::ofstream(index) << "what the driver wrote";
    fs::resize_file(index, 1310728);
    ASSERT_LT(bytes_on_disk(index), 100000u);
    EXPECT_EQ(reserve_cache_index(folder.path()), "");
    EXPECT_EQ(fs::file_size(index), 1310728u);
    EXPECT_GE(bytes_on_disk(index), 1310728u);
    std::string begin(21, ' ');
    std::ifstream(index).read(begin.data(), 21);
    EXPECT_EQ(begin, "what the driver wrote");
}

TEST(DriverCache, ReportsWhatPreventsTheReservation) {
    const ScratchFolder folder;
    std::ofstream(folder / "file") << "no folder";
    EXPECT_EQ(reserve_cache_index(folder / "file"), "Not a directory");
    fs::create_directories(folder / "folder" / "index");
    EXPECT_EQ(reserve_cache_index(folder / "folder"), "Is a directory");
    fs::create_directory(folder / "fifo");
    ASSERT_EQ(::mkfifo((folder / "fifo" / "index").c_str(), 0600), 0);
    EXPECT_NE(reserve_cache_index(folder / "fifo"), "");
    EXPECT_NE(reserve_cache_index("/proc/nowhere"), "");
}

TEST(DriverCache, ReportsAFileSizeLimitWithoutASignal) {
    const ScratchFolder folder;
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit low{65536, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &low);
    const std::string reason = reserve_cache_index(folder.path());
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_THAT(reason, Mentions(64, "KiB"));
}

}  // namespace gridstride::gpu::driver_cache_test
