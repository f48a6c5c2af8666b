#include "base/shared_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include "test_includes.h"

namespace gridstride::shared_memory_test {

bool is_mapped(std::byte* data) {
    return msync(data, 4096, MS_ASYNC) == 0;
}

TEST(SharedMemory, AdoptRefusesASmallerFile) {
    SharedMemory memory(4096);
    EXPECT_THROW(SharedMemory::adopt(dup(memory.descriptor()), 8192), std::runtime_error);
    const SharedMemory again = SharedMemory::adopt(dup(memory.descriptor()), 4096);
    memory.mapped()[17] = std::byte{9};
    EXPECT_EQ(again.mapped()[17], std::byte{9});
    EXPECT_NE(ftruncate(memory.descriptor(), 0), 0) << "its size is sealed";
}

TEST(BackgroundUnmapper, UnmapsReleasedMemoryAtItsEndAtTheLatest) {
    std::byte* data = nullptr;
    {
        const BackgroundUnmapper apart;
        const SharedMemory memory(1 << 20);
        data = memory.mapped().data();
        EXPECT_TRUE(is_mapped(data));
    }
    EXPECT_FALSE(is_mapped(data));
}

TEST(BackgroundUnmapper, MemoryIsUnmappedAtOnceWithoutIt) {
    auto memory = std::make_unique<SharedMemory>(1 << 20);
    std::byte* const data = memory->mapped().data();
    memory.reset();
    EXPECT_FALSE(is_mapped(data));
}

TEST(BackgroundUnmapper, UnmapsWhileOthersAreAllocated) {
    const BackgroundUnmapper apart;
    for (int i = 0; i < 1000; ++i) {
        const SharedMemory memory(1 << 16);
        memory.mapped()[0] = std::byte{1};
        ASSERT_EQ(memory.mapped()[1], std::byte{0});
    }
}

}  // namespace gridstride::shared_memory_test
