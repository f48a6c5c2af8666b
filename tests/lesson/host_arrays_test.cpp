// The lab reuses arrays from pass to pass, and never writes to one that someone else still holds.
#include "lesson/host_arrays.h"

#include "test_includes.h"

namespace gridstride::host_arrays_test {

class HostArraysTest : public ::testing::Test {
 protected:
    HostArraysTest() {
        plan_.buffers = {{"numbers", ElementType::u32, {100}, false}, {"sums", ElementType::u32, {8}, true}};
        plan_.steps = {Download{1}};
    }
    /// Runs one pass, which writes this number to its array.
    Outputs pass(std::uint32_t number) {
        arrays_.prepare_pass(plan_);
        EXPECT_EQ(arrays_.find("sums"), nullptr) << "nothing is there before its download";
        arrays_.acquire(plan_.buffers[1]).as<std::uint32_t>()[0] = number;
        return arrays_.outputs();
    }
    static std::uint32_t number(const Outputs& outputs) {
        return outputs.at(0).array->as<std::uint32_t>()[0];
    }

    Plan plan_;
    HostArrays arrays_;
};

TEST_F(HostArraysTest, AlternatesTwoArraysWhileAReportHoldsOne) {
    Outputs report = pass(0);
    const Array* last = report.at(0).array.get();
    const Array* before = nullptr;
    for (std::uint32_t i = 1; i < 10; ++i) {
        Outputs next = pass(i);
        EXPECT_EQ(number(report), i - 1) << "the array in the report must not change";
        EXPECT_NE(next.at(0).array.get(), last);
        if (before) {
            EXPECT_EQ(next.at(0).array.get(), before) << "no third array";
        }
        before = last;
        last = next.at(0).array.get();
        report = std::move(next);
    }
}

TEST_F(HostArraysTest, NeverWritesAHeldArray) {
    std::vector<Outputs> held;
    for (std::uint32_t i = 0; i < 10; ++i)
        held.push_back(pass(i));
    for (std::uint32_t i = 0; i < 10; ++i)
        EXPECT_EQ(number(held[i]), i);
}

TEST_F(HostArraysTest, ReleasedArraysAreNotReused) {
    std::weak_ptr<const Array> sent;
    {
        const Outputs outputs = pass(1);
        sent = outputs.at(0).array;
        arrays_.release();
    }
    EXPECT_TRUE(sent.expired()) << "no reference may remain here";
    EXPECT_TRUE(arrays_.outputs().empty());
    EXPECT_EQ(number(pass(2)), 2u);
}

TEST_F(HostArraysTest, KeepsOneArrayPerBufferAndHostStep) {
    arrays_.prepare_pass(plan_);
    Array& first = arrays_.acquire(plan_.buffers[1]);
    EXPECT_EQ(&arrays_.acquire(plan_.buffers[1]), &first);
    arrays_.store("total", Array(ElementType::u64, 1));
    arrays_.store("total", Array(ElementType::u64, 2));
    ASSERT_EQ(arrays_.outputs().size(), 2u);
    EXPECT_EQ(arrays_.find("total")->count(), 2u);
    EXPECT_EQ(arrays_.find("numbers"), nullptr);
}

}  // namespace gridstride::host_arrays_test
