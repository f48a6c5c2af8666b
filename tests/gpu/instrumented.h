// Helpers for tests of traces: they instrument a kernel, run it and decode its records.
#pragma once

#include "gpu/compute.h"
#include "shader/compile_instrumented.h"
#include "test_includes.h"
#include "trace/trace.h"

namespace gridstride::gpu {

using Words = std::vector<std::uint32_t>;

struct Access {
    std::string what;  ///< for example "7: store sums"; 7 is the line
    std::uint32_t workgroup = 0, invocation = 0, slice = 0, sequence = 0, epoch = 0, subgroup_epoch = 0;
    std::uint32_t offset = 0, out_of_bounds_mask = 0;
    Words value;
    Words addend = {};  ///< of an atomic addition
};

inline std::vector<std::string> names_of(const std::vector<Access>& accesses) {
    std::vector<std::string> names;
    for (const Access& a : accesses)
        names.push_back(a.what);
    return names;
}

struct Ran {
    std::vector<trace::Site> sites;
    Words head;
    std::vector<Access> accesses;  ///< sorted by workgroup, slice, invocation and sequence
    std::vector<Words> buffers;    ///< the contents after the run
    Words records;                 ///< all words after the head
    Words branch_head;
    Words branch_records;  ///< only those that fit

    std::vector<Access> of(std::uint32_t invocation, std::uint32_t workgroup = 0) const {
        std::vector<Access> found;
        std::ranges::copy_if(accesses, std::back_inserter(found), [&](const Access& a) {
            return a.invocation == invocation && a.workgroup == workgroup;
        });
        return found;
    }
    /// Throws if no access has this name.
    const Access& first(const std::string& what) const {
        for (const Access& a : accesses)
            if (a.what == what) return a;
        throw std::runtime_error("no access is named " + what);
    }
};

struct Launch {
    std::string source;  ///< without the #version line
    std::vector<Words> buffers = {};
    std::uint32_t workgroup = 4;
    Extent grid{1};
    Words constants = {};           ///< after the three of the workgroup size
    std::uint32_t capacity = 2000;  ///< in records
    std::uint32_t first = 0, last = ~0u;
    bool counting = false;
    bool ballots = false;
    bool branches = false;
    std::uint32_t branch_capacity = 2000;  ///< in records
    std::uint32_t below = 1;
    Words push = Words(12);
};

class InstrumentedKernelTest : public ::testing::Test {
 protected:
    static void SetUpTestSuite() {
        enable_validation();
        robust = std::make_unique<Device>(Device().open_robust());
    }
    static void TearDownTestSuite() { robust.reset(); }
    void SetUp() override { take_validation_messages(); }
    void TearDown() override { EXPECT_THAT(take_validation_messages(), IsEmpty()); }

    static Ran run(const Launch& launch);
    static std::vector<Words> run_uninstrumented(const Launch& launch) {
        return run(shader::clamp_indices(spirv_of(launch.source)), launch, launch.buffers);
    }

    static inline std::unique_ptr<Device> robust;

 private:
    static std::vector<Words> run(const Words& spirv, const Launch& launch,
                                  const std::vector<Words>& buffers);
    static Words get_constants(const Launch& launch) {
        Words constants{launch.workgroup, 1, 1};
        constants.insert(constants.end(), launch.constants.begin(), launch.constants.end());
        return constants;
    }
};

inline std::vector<Words> InstrumentedKernelTest::run(const Words& spirv, const Launch& launch,
                                                      const std::vector<Words>& buffers) {
    std::vector<Buffer> bound;
    std::vector<BoundRange> ranges;
    bound.reserve(buffers.size());
    for (const Words& words : buffers)
        ranges.push_back(whole(bound.emplace_back(upload_of(*robust, words))));
    const Kernel kernel(*robust, spirv, "instrumented", static_cast<std::uint32_t>(buffers.size()),
                        static_cast<std::uint32_t>(launch.push.size() * sizeof(std::uint32_t)),
                        get_constants(launch));
    Commands commands(*robust);
    commands.begin();
    commands.dispatch(kernel, ranges, launch.push, launch.grid);
    commands.barrier(Ordering::all);
    if (!commands.submit_and_wait(device_deadline)) throw std::runtime_error("the kernel did not end");
    std::vector<Words> after;
    for (const Buffer& buffer : bound)
        after.push_back(make_launch_words(buffer));
    return after;
}

inline std::string name_of(const trace::Site& site) {
    constexpr std::string_view kinds[] = {"load", "store", "atomic", "barrier"};
    std::string text = fmt::format("{}: {}", site.line, kinds[static_cast<std::size_t>(site.kind)]);
    if (!site.variable.empty()) text += " " + site.variable + site.member;
    return text;
}

/// Decodes the records independently of the product's code, so that the tests can check that code.
inline std::vector<Access> accesses_in(const Words& words, const std::vector<trace::Site>& sites,
                                       std::size_t end) {
    std::vector<Access> accesses;
    for (std::size_t at = 0; at < end; at += 12) {
        const std::uint32_t* const w = words.data() + at;
        const trace::Site& site = sites.at(w[0] & 0xffff);
        const std::uint32_t values = trace::value_words(site);
        accesses.push_back({name_of(site), w[1], w[2] & 0xfff, w[3], w[4], w[5], w[6], w[7], w[0] >> 16,
                            Words(w + 8, w + 8 + values),
                            site.adds ? Words(w + 8 + values, w + 8 + 2 * values) : Words()});
        // In a barrier's record, these words hold two numbers that identify its turn.
        const std::uint32_t used = site.kind == trace::SiteKind::barrier ? 2 : values * (site.adds ? 2 : 1);
        EXPECT_TRUE(std::all_of(w + 8 + used, w + 12, [](std::uint32_t word) { return word == 0; }));
    }
    std::ranges::sort(accesses, {}, [](const Access& a) {
        return std::tuple(a.workgroup, a.slice, a.invocation, a.sequence);
    });
    return accesses;
}

inline Ran InstrumentedKernelTest::run(const Launch& launch) {
    const auto binding = static_cast<std::uint32_t>(launch.buffers.size());
    auto instrumented =
        shader::compile_instrumented("#version 450\n" + launch.source, "test.comp", {},
                                     {std::filesystem::path(GRIDSTRIDE_SOURCE_DIR) / "shaders"},
                                     {.binding = binding,
                                      .constants = get_constants(launch),
                                      .ballots = launch.ballots,
                                      .branches = launch.branches,
                                      .subgroup_size = robust->limits().subgroup_size});
    if (!instrumented.compiled.ok()) throw std::runtime_error(instrumented.compiled.text());

    constexpr std::uint32_t length = 12, margin = 64, untouched = 0xabcdabcd;
    const std::uint32_t room = (launch.capacity + 1) * length;
    Words trace_words(trace::words::head + room + margin, untouched);
    std::fill_n(trace_words.begin(), trace::words::head + (launch.counting ? room : 0), 0);
    trace_words[trace::words::capacity] = launch.capacity;
    trace_words[trace::words::first] = launch.first;
    trace_words[trace::words::last] = launch.last;
    trace_words[trace::words::counting] = launch.counting ? 1 : 0;
    trace_words[trace::words::below] = launch.below;
    std::vector<Words> buffers = launch.buffers;
    buffers.push_back(std::move(trace_words));
    const std::uint32_t branch_length = trace::words::branch_record_length(robust->limits().subgroup_size);
    const std::uint32_t branch_room = (launch.branch_capacity + 1) * branch_length;
    if (launch.branches) {
        Words branches(trace::words::branch_head + branch_room + margin, untouched);
        std::fill_n(branches.begin(), trace::words::branch_head + (launch.counting ? branch_room : 0), 0);
        branches[trace::words::branch_capacity] = launch.branch_capacity;
        branches[trace::words::branch_last] = launch.last;
        buffers.push_back(std::move(branches));
    }

    Ran ran;
    ran.buffers = run(shader::clamp_indices(instrumented.compiled.spirv), launch, buffers);
    const auto is_untouched = [](std::uint32_t word) { return word == untouched; };
    if (launch.branches) {
        const Words branches = std::move(ran.buffers.back());
        ran.buffers.pop_back();
        EXPECT_TRUE(std::all_of(branches.end() - margin, branches.end(), is_untouched));
        ran.branch_head.assign(branches.begin(), branches.begin() + trace::words::branch_head);
        const std::uint32_t fitting =
            launch.counting ? branch_room
                            : std::min(ran.branch_head[trace::words::branch_used], launch.branch_capacity) *
                                  branch_length;
        ran.branch_records.assign(branches.begin() + trace::words::branch_head,
                                  branches.begin() + trace::words::branch_head + fitting);
    }
    const Words words = std::move(ran.buffers.back());
    ran.buffers.pop_back();
    ran.sites = std::move(instrumented.sites);
    EXPECT_TRUE(std::all_of(words.end() - margin, words.end(), is_untouched))
        << "written behind the place for what found no room";
    ran.head.assign(words.begin(), words.begin() + trace::words::head);
    ran.records.assign(words.begin() + trace::words::head, words.end() - margin - length);
    if (launch.counting) return ran;

    const std::uint32_t end = std::min(ran.head[trace::words::used], launch.capacity) * length;
    EXPECT_TRUE(std::all_of(ran.records.begin() + end, ran.records.end(), is_untouched))
        << "written behind the last record";
    ran.accesses = accesses_in(ran.records, ran.sites, end);
    return ran;
}

}  // namespace gridstride::gpu
