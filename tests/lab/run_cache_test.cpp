// Tests what a change of one control invalidates, and what it keeps.
#include "lab/run_cache.h"

#include "lesson/lesson_case.h"
#include "test_includes.h"

namespace gridstride::lab::run_cache_test {

class RunCacheTest : public ::testing::Test {
 protected:
    /// Selects this lesson, at its defaults except for a short input.
    void choose(std::string_view lesson) {
        lesson_ = *find_lesson(lesson);
        experiment_ = default_experiment(lesson_);
        set("elements", 5000);
    }
    void set(std::string_view parameter, std::uint64_t value) { experiment_.values.set(parameter, value); }

    /// Returns how many references had to be computed: 0 or 1.
    std::uint64_t references() {
        const PreparedExperiment prepared = prepare(lesson_, experiment_, test::software_device());
        EXPECT_TRUE(prepared.is_valid());
        const std::vector<Expected> references = cache_.reference(prepared);
        // last_ keeps the previous reference alive, so a new one has another address.
        const bool is_new = last_.empty() || references.front().reference != last_.front().reference;
        last_ = references;
        // Whether the reference is new or cached, it must match the request.
        const std::vector<Expected> fresh = prepared.task.reference(input_of(prepared), prepared);
        EXPECT_EQ(references.size(), fresh.size());
        for (const Expected& expected : fresh) {
            const Expected* const same = test::expected_of(references, expected.output);
            EXPECT_TRUE(same && same->reference->type() == expected.reference->type() &&
                        std::ranges::equal(same->reference->raw(), expected.reference->raw()))
                << expected.output;
        }
        return is_new;
    }
    const Array* input() {
        return cache_.input(prepare(lesson_, experiment_, test::software_device())).front().array.get();
    }
    Input input_of(const PreparedExperiment& prepared) const {
        const UserData& user_data = prepared.experiment.input;
        return user_data.numbers ? lesson_.input_from_user(user_data, prepared.values())
                                 : lesson_.input(prepared.values());
    }

    Lesson lesson_;
    Experiment experiment_;
    RunCache cache_;
    std::vector<Expected> last_;  ///< the previous result of references()
};

TEST_F(RunCacheTest, LaunchKeepsReferencesThatDoNotDependOnIt) {
    choose("zero_suppression");
    ASSERT_FALSE(lesson_.reference_depends_on_launch);
    EXPECT_EQ(references(), 1u);
    EXPECT_EQ(references(), 0u);
    const Array* const samples = input();
    for (const std::uint64_t size : {32u, 64u, 100u, 1024u}) {
        set("workgroup_size", size);
        EXPECT_EQ(references(), 0u) << size;
    }
    set("workgroup_count", 3);
    EXPECT_EQ(references(), 0u);
    EXPECT_EQ(input(), samples);
}

TEST_F(RunCacheTest, VariantsShareOneReference) {
    choose("matmul");
    for (const char* side : {"m", "n", "k"})
        set(side, 33);
    EXPECT_EQ(references(), 1u);
    for (const char* variant : {"tiled", "prefetch", "naive"}) {
        experiment_.variant = variant;
        EXPECT_EQ(references(), 0u) << variant;
    }
    experiment_.variant = "distances";
    EXPECT_EQ(references(), 1u) << "the exercise has another reference";
}

TEST_F(RunCacheTest, ReferenceParametersRecomputeOnlyTheReference) {
    choose("zero_suppression");
    references();
    // A new input could have the old one's address, so the test keeps the old one alive.
    const Input held = cache_.input(prepare(lesson_, experiment_, test::software_device()));
    set("threshold", 20);
    EXPECT_EQ(references(), 1u);
    set("threshold", 15);
    EXPECT_EQ(references(), 1u) << "only the last reference is cached";
    experiment_.values.set("rule", ChoiceIndex{1});
    EXPECT_EQ(references(), 1u);
    experiment_.variant = "compact";
    EXPECT_EQ(references(), 1u);
    experiment_.variant = "packed";
    EXPECT_EQ(references(), 1u);
    EXPECT_EQ(references(), 0u);
    EXPECT_EQ(input(), held.front().array.get());
}

TEST_F(RunCacheTest, InputParametersRecomputeInputAndReference) {
    choose("zero_suppression");
    references();
    Input held = cache_.input(prepare(lesson_, experiment_, test::software_device()));
    set("seed", 2);
    EXPECT_EQ(references(), 1u);
    EXPECT_NE(input(), held.front().array.get());
    held = cache_.input(prepare(lesson_, experiment_, test::software_device()));
    set("elements", 6000);
    EXPECT_EQ(references(), 1u);
    EXPECT_NE(input(), held.front().array.get());
    EXPECT_EQ(input()->count(), 6000u);
}

TEST_F(RunCacheTest, NewInputDropsTheReference) {
    choose("zero_suppression");
    references();
    set("seed", 2);
    input();  // without a reference, as in a run that is stopped early
    set("seed", 1);
    EXPECT_EQ(references(), 1u);
}

TEST_F(RunCacheTest, RecomputesLaunchDependentReferencesForEachLaunch) {
    choose("reduction");
    ASSERT_TRUE(lesson_.reference_depends_on_launch);
    EXPECT_EQ(references(), 1u);
    EXPECT_EQ(references(), 0u);
    const Input held = cache_.input(prepare(lesson_, experiment_, test::software_device()));
    for (const std::uint64_t size : {32u, 64u, 96u, 1024u}) {
        set("workgroup_size", size);
        EXPECT_EQ(references(), 1u) << size;
    }
    set("workgroup_count", 3);
    EXPECT_EQ(references(), 1u);
    EXPECT_EQ(input(), held.front().array.get());
}

TEST_F(RunCacheTest, AnotherLessonDropsInputAndReference) {
    choose("zero_suppression");
    EXPECT_EQ(references(), 1u);
    choose("reduction");
    EXPECT_EQ(references(), 1u);
    choose("zero_suppression");
    EXPECT_EQ(references(), 1u);
}

int inputs_made = 0;

/// Returns whole numbers from 0 on, as a decoded file does: in a new array each time.
UserData decoded(std::size_t count, std::string checksum, std::string name = "mine.csv") {
    std::vector<double> numbers(count);
    for (std::size_t i = 0; i < count; ++i)
        numbers[i] = static_cast<double>(i);
    return {array_of(numbers), 0, std::move(name), std::move(checksum)};
}

TEST_F(RunCacheTest, ReusesTheInputOfAFileThatIsDecodedAgain) {
    choose("zero_suppression");
    lesson_.input_from_user = [](const UserData& data, const Values& values) {
        ++inputs_made;
        return find_lesson("zero_suppression")->input_from_user(data, values);
    };
    inputs_made = 0;
    experiment_.input = decoded(300, "0123abcd");
    EXPECT_EQ(input()->count(), 300u) << "the file's count, not that of the controls";
    EXPECT_EQ(inputs_made, 1);
    experiment_.input = decoded(300, "0123abcd");
    input();
    set("threshold", 20);
    set("elements", 7000);
    input();
    EXPECT_EQ(inputs_made, 1);
    experiment_.input = decoded(400, "4567cdef");
    EXPECT_EQ(input()->count(), 400u);
    EXPECT_EQ(inputs_made, 2);
    // Without a checksum, the cache compares the addresses of the numbers.
    experiment_.input = decoded(400, "");
    input();
    EXPECT_EQ(inputs_made, 3);
    input();
    EXPECT_EQ(inputs_made, 3);
    experiment_.input = {};
    EXPECT_EQ(input()->count(), 7000u);
    EXPECT_EQ(inputs_made, 3) << "the lesson's own input does not come from a file";
}

TEST_F(RunCacheTest, DoesNotCacheARefusedInput) {
    choose("zero_suppression");
    experiment_.input = decoded(300, "0123abcd");
    EXPECT_EQ(references(), 1u);
    experiment_.input = decoded(40'000, "89ab");  // the last ones do not fit in 16 bits
    for (int i = 0; i < 2; ++i)
        EXPECT_THROW(input(), Refusal);
    experiment_.input = decoded(300, "0123abcd");
    EXPECT_EQ(input()->count(), 300u);
    EXPECT_EQ(references(), 1u);
}

TEST_F(RunCacheTest, ReusesDeviceMemoryForEqualBuffers) {
    gpu::Device device;
    choose("zero_suppression");
    const auto plan = [&] { return prepare(lesson_, experiment_, device.limits()).plan; };
    const auto first = cache_.memory(device, plan());
    first->allocate_sets(3);
    EXPECT_EQ(cache_.memory(device, plan()), first);
    EXPECT_EQ(first->sets, 1u) << "the copies of a run are released";
    set("workgroup_size", 64);
    set("threshold", 20);
    EXPECT_EQ(cache_.memory(device, plan()), first) << "the same buffers";

    set("elements", 6000);
    const auto larger = cache_.memory(device, plan());
    EXPECT_NE(larger, first);
    EXPECT_EQ(cache_.memory(device, plan()), larger);
    experiment_.variant = "compact";
    const auto compact = cache_.memory(device, plan());
    EXPECT_NE(compact, larger);

    // The buffers are the same, but more of them is downloaded, which needs more staging memory.
    Plan more = plan();
    more.steps.emplace_back(Download{0});
    const auto staged = cache_.memory(device, more);
    EXPECT_NE(staged, compact);
    gpu::Device other;
    EXPECT_NE(cache_.memory(other, more), staged) << "another device's memory cannot be used";
}

TEST_F(RunCacheTest, LessonVersionsHaveSeparateInputsAndReferences) {
    choose("gaussian");
    EXPECT_EQ(references(), 1u);
    const double before = input()->number(0);
    ASSERT_NE(before, 0);
    lesson_.version = experiment_.lesson_version = "2";
    lesson_.input = [input = lesson_.input](const Values& values) {
        Input new_input = input(values);
        Array halved(ElementType::f32, new_input.front().array->count());
        std::ranges::transform(new_input.front().array->as<float>(), halved.as<float>().begin(),
                               [](float x) { return x / 2; });
        new_input.front().array = share(std::move(halved));
        return new_input;
    };
    EXPECT_EQ(input()->number(0), before / 2);
    EXPECT_EQ(references(), 1u);
}

}  // namespace gridstride::lab::run_cache_test
