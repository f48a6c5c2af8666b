// These tests make deliberate mistakes that the validation layers must report. If the layers were off or
// misconfigured, "no messages" in the other tests would prove nothing.

#include "gpu/compute.h"

#include "test_includes.h"

namespace gridstride::gpu::validation_test {

class ValidationTest : public ::testing::Test {
 protected:
    static void SetUpTestSuite() { enable_validation(); }
    void SetUp() override { take_validation_messages(); }

    /// Records commands with the given function, submits them and returns the validation messages.
    template <class Record>
    std::vector<std::string> messages_of(Record record) {
        commands.begin();
        record();
        EXPECT_TRUE(commands.submit_and_wait(device_deadline));
        return take_validation_messages();
    }
    /// Dispatches a kernel that reads `data` and writes `other`.
    void take_over() { commands.dispatch(reader, std::vector{whole(data), whole(other)}, {}, {4}); }
    void add(std::uint32_t step) {
        commands.dispatch(kernel, std::vector{whole(data)}, std::vector{step}, {4});
    }

    Device device;
    Buffer data{device, 1024, MemoryKind::device};
    Buffer other{device, 1024, MemoryKind::device};
    Kernel kernel = add_kernel(device);
    Kernel reader{device,
                  spirv_of("layout(local_size_x_id = 0) in;\n"
                           "layout(set = 0, binding = 0) readonly buffer From { uint from[]; };\n"
                           "layout(set = 0, binding = 1) writeonly buffer To { uint to[]; };\n"
                           "void main() { to[gl_GlobalInvocationID.x] = from[gl_GlobalInvocationID.x]; }\n"),
                  "reader",
                  2,
                  0,
                  std::array{64u}};
    Commands commands{device};
};

TEST_F(ValidationTest, ReportsNothingForACorrectRun) {
    EXPECT_TRUE(is_validation_enabled());
    EXPECT_THAT(messages_of([&] {
                    commands.timestamp();
                    commands.fill(data, 0, 1024, 1);
                    commands.barrier(Ordering::all);
                    add(1);
                    commands.barrier(Ordering::compute);
                    add(2);
                    commands.barrier(Ordering::all);
                    commands.copy(data, 0, other, 0, 1024);
                    commands.barrier(Ordering::all);
                    add(3);
                    commands.timestamp();
                }),
                IsEmpty());
}

TEST_F(ValidationTest, ReportsABindingBeyondTheBuffer) {
    const auto messages = messages_of([&] {
        const std::vector range{BoundRange{&data, 0, 2048}};
        commands.dispatch(kernel, range, std::vector{1u}, {1});
    });
    EXPECT_THAT(messages, Contains(HasSubstr("VUID-VkDescriptorBufferInfo-range")));
}

TEST_F(ValidationTest, ReportsAFillBeyondTheBuffer) {
    // The layer reports this while recording, so nothing is submitted.
    commands.begin();
    commands.fill(data, 0, 4096, 1);
    EXPECT_THAT(take_validation_messages(), Contains(HasSubstr("VUID-vkCmdFillBuffer-size")));
}

// The second dispatch reads what the first one wrote. (Debian 12's layer reports nothing if both write the
// buffer, because it treats a read-write binding as a written one.)
TEST_F(ValidationTest, ReportsDispatchesWithoutABarrier) {
    const auto messages = messages_of([&] {
        add(1);
        take_over();
    });
    EXPECT_THAT(messages, Contains(HasSubstr("SYNC-HAZARD-READ-AFTER-WRITE")));
}

TEST_F(ValidationTest, ReportsAFillAndADispatchWithoutABarrier) {
    const auto messages = messages_of([&] {
        commands.fill(data, 0, 1024, 1);
        add(2);
    });
    EXPECT_THAT(messages, Contains(HasSubstr("SYNC-HAZARD")));
}

TEST_F(ValidationTest, ReportsACopyAfterADispatchWithoutABarrier) {
    const auto messages = messages_of([&] {
        add(1);
        commands.copy(data, 0, other, 0, 1024);
    });
    EXPECT_THAT(messages, Contains(HasSubstr("SYNC-HAZARD-READ-AFTER-WRITE")));
}

TEST_F(ValidationTest, TimestampIsNotAMemoryBarrier) {
    const auto messages = messages_of([&] {
        add(1);
        commands.timestamp();
        take_over();
    });
    EXPECT_THAT(messages, Contains(HasSubstr("SYNC-HAZARD")));
}

TEST_F(ValidationTest, ReturnsEachMessageOnce) {
    EXPECT_FALSE(messages_of([&] {
                     add(1);
                     take_over();
                 }).empty());
    EXPECT_THAT(take_validation_messages(), IsEmpty());
}

}  // namespace gridstride::gpu::validation_test
