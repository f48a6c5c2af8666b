// Runs instrumented kernels on the device and checks the contents of the record buffer.

#include "gpu/instrumented.h"

#include "test_includes.h"

namespace gridstride::gpu::instrumented_kernel_test {

using ::testing::ElementsAreArray;

const std::string shader_head = "layout(local_size_x_id = 0) in;\n";
const std::string data_block = "layout(set = 0, binding = 0) buffer Data { uint data[]; };\n";
/// Begins main(). Tests count lines from the #version, which is line 1.
const std::string main_begin = "void main() {\n    uint i = gl_LocalInvocationIndex;\n";

std::uint32_t bits_of(float number) {
    return std::bit_cast<std::uint32_t>(number);
}
std::vector<std::uint32_t> words_of_doubles(const std::vector<double>& numbers) {
    std::vector<std::uint32_t> words;
    for (const double number : numbers) {
        const auto bits = std::bit_cast<std::uint64_t>(number);
        words.push_back(static_cast<std::uint32_t>(bits));
        words.push_back(static_cast<std::uint32_t>(bits >> 32));
    }
    return words;
}

TEST_F(InstrumentedKernelTest, RecordsOffsetOrderAndValueOfAccesses) {
    const Ran ran =
        run({.source = shader_head + data_block + "shared uint sums[gl_WorkGroupSize.x];\n" + main_begin +
                       "    sums[i] = data[gl_GlobalInvocationID.x];\n"
                       "    barrier();\n"
                       "    data[gl_GlobalInvocationID.x] = sums[3 - i] + 1u;\n"
                       "}\n",
             .buffers = {{10, 11, 12, 13, 14, 15, 16, 17}},
             .grid = {2}});
    EXPECT_THAT(ran.buffers[0], ElementsAre(14, 13, 12, 11, 18, 17, 16, 15));
    EXPECT_EQ(ran.head[trace::words::lost], 0u);
    EXPECT_EQ(ran.head[trace::words::used], 2 * 4 * 5u);
    ASSERT_EQ(ran.accesses.size(), 2 * 4 * 5u);
    for (std::uint32_t group = 0; group < 2; ++group)
        for (std::uint32_t i = 0; i < 4; ++i) {
            const std::vector<Access> own = ran.of(i, group);
            // Line 4 declares the length of sums. The constant is evaluated at its first use.
            ASSERT_THAT(names_of(own), ElementsAre("7: load data", "7: store sums", "8: barrier",
                                                   "9: load sums", "9: store data"));
            const std::uint32_t at = 4 * group + i;
            EXPECT_EQ(own[0].offset, 4 * at);
            EXPECT_THAT(own[0].value, ElementsAre(10 + at));
            EXPECT_EQ(own[1].offset, 4 * i);
            EXPECT_THAT(own[1].value, ElementsAre(10 + at));
            EXPECT_EQ(own[3].offset, 4 * (3 - i));
            EXPECT_THAT(own[3].value, ElementsAre(10 + 4 * group + 3 - i));
            EXPECT_EQ(own[4].offset, 4 * at);
            EXPECT_THAT(own[4].value, ElementsAre(11 + 4 * group + 3 - i));
            for (std::uint32_t n = 0; n < 5; ++n) {
                EXPECT_EQ(own[n].sequence, n);
                EXPECT_EQ(own[n].epoch, n < 3 ? 0u : 1u);
                EXPECT_EQ(own[n].subgroup_epoch, own[n].epoch);
                EXPECT_EQ(own[n].out_of_bounds_mask, 0u);
                EXPECT_EQ(own[n].slice, 0u);
            }
        }
}

TEST_F(InstrumentedKernelTest, RecordsSubgroupAndLane) {
    const Ran ran =
        run({.source = "#extension GL_KHR_shader_subgroup_basic : enable\n" + shader_head + data_block +
                       main_begin + "    data[i] = gl_SubgroupID << 16 | gl_SubgroupInvocationID;\n}\n",
             .buffers = {Words(64)},
             .workgroup = 64});
    std::set<std::uint32_t> invocations;
    for (std::size_t at = 0; at < ran.head[trace::words::used] * 12; at += 12) {
        const std::uint32_t invocation_word = ran.records[at + trace::words::invocation];
        const std::uint32_t value = ran.records[at + trace::words::values];
        EXPECT_EQ(invocation_word >> 12 & 0x7f, value & 0xffff);
        EXPECT_EQ(invocation_word >> 19, value >> 16);
        invocations.insert(invocation_word & 0xfff);
    }
    EXPECT_EQ(invocations.size(), 64u);
}

/// One lane writes in each turn of the loop. Each write is its lane's first, but no two are simultaneous.
TEST_F(InstrumentedKernelTest, MarksLanesThatAccessTogether) {
    if (!robust->limits().subgroup_ballot) GTEST_SKIP() << "this device has no ballots";
    const std::uint32_t width = robust->limits().subgroup_size;
    const Ran ran = run({.source = shader_head + data_block + main_begin +
                                   "    data[i] = 7u;\n"
                                   "    for (uint n = 0u; n < gl_WorkGroupSize.x; ++n)\n"
                                   "        if (i == n) data[i] = n;\n}\n",
                         .buffers = {Words(2 * width)},
                         .workgroup = 2 * width,
                         .ballots = true});
    constexpr std::uint32_t leads = 1U << 31;
    std::uint32_t together = 0, alone = 0;
    for (std::size_t at = 0; at < ran.head[trace::words::used] * 12; at += 12) {
        const std::uint32_t invocation_word = ran.records[at + trace::words::invocation];
        const bool in_turns = (ran.records[at] & 0xffff) == 1;
        (in_turns ? alone : together) += invocation_word / leads;
    }
    EXPECT_EQ(alone, 2 * width);
    EXPECT_EQ(together, 2U);
    EXPECT_EQ(ran.accesses.size(), 4 * width);
}

TEST_F(InstrumentedKernelTest, RecordsValuesOfAllTypes) {
    const Ran ran = run({.source = shader_head +
                                   "struct All { int i; float f; vec2 v; ivec3 w; vec4 q; };\n"
                                   "layout(set = 0, binding = 0) buffer Data { All all[]; };\n"
                                   "shared bool b; shared bvec3 bs;\n" +
                                   main_begin +
                                   "    b = all[0].i < 0;\n"
                                   "    bs = bvec3(true, b, false);\n"
                                   "    all[0].f = 2.5;\n"
                                   "    all[0].v = vec2(-1.0, 0.5);\n"
                                   "    all[0].w = ivec3(-1, 2, -3);\n"
                                   "    all[0].q = vec4(all[0].w.zyx, 4.0);\n"
                                   "}\n",
                         .buffers = {Words(20, ~0u)},
                         .workgroup = 1});
    EXPECT_THAT(ran.first("8: load all.i").value, ElementsAre(~0u));
    EXPECT_THAT(ran.first("8: store b").value, ElementsAre(1));
    EXPECT_THAT(ran.first("9: store bs").value, ElementsAre(1, 1, 0));
    EXPECT_THAT(ran.first("10: store all.f").value, ElementsAre(bits_of(2.5)));
    EXPECT_THAT(ran.first("11: store all.v").value, ElementsAre(bits_of(-1), bits_of(0.5)));
    EXPECT_THAT(ran.first("12: store all.w").value, ElementsAre(~0u, 2, static_cast<std::uint32_t>(-3)));
    EXPECT_THAT(ran.first("13: load all.w").value, ElementsAre(~0u, 2, static_cast<std::uint32_t>(-3)));
    EXPECT_THAT(ran.first("13: store all.q").value,
                ElementsAre(bits_of(-3), bits_of(2), bits_of(-1), bits_of(4)));
    EXPECT_EQ(ran.first("10: store all.f").offset, 4u);
    EXPECT_EQ(ran.first("11: store all.v").offset, 8u);
    EXPECT_EQ(ran.first("12: store all.w").offset, 16u);
    EXPECT_EQ(ran.first("13: store all.q").offset, 32u);
}

TEST_F(InstrumentedKernelTest, Records64BitValuesInAtMostFourWords) {
    if (!robust->limits().float64) GTEST_SKIP() << "this device has no 64-bit floating point";
    const Ran ran =
        run({.source = shader_head +
                       "layout(set = 0, binding = 0) buffer Data { double d; dvec2 pair; dvec4 four; };\n" +
                       main_begin +
                       "    d = 0.1lf;\n"
                       "    pair = dvec2(d, -2.0lf);\n"
                       "    four = dvec4(pair, 3.0lf, 4.0lf);\n"
                       "}\n",
             .buffers = {Words(16)},
             .workgroup = 1});
    EXPECT_THAT(ran.first("6: store d").value, ElementsAreArray(words_of_doubles({0.1})));
    EXPECT_THAT(ran.first("7: load d").value, ElementsAreArray(words_of_doubles({0.1})));
    EXPECT_THAT(ran.first("7: store pair").value, ElementsAreArray(words_of_doubles({0.1, -2.0})));
    EXPECT_THAT(ran.first("8: store four").value, ElementsAreArray(words_of_doubles({0.1, -2.0})));
    EXPECT_EQ(ran.sites.at(ran.sites.size() - 1).bytes, 32u);
}

TEST_F(InstrumentedKernelTest, Widens16BitValues) {
    if (!robust->limits().storage16) GTEST_SKIP() << "this device has no 16-bit storage";
    const Ran ran =
        run({.source = "#extension GL_EXT_shader_16bit_storage : require\n" + shader_head +
                       "layout(set = 0, binding = 0) buffer Data { uint16_t a[4]; int16_t b[4]; };\n" +
                       main_begin + "    b[i] = int16_t(int(uint(a[i])) - 3);\n}\n",
             .buffers = {{2 | 0x8000u << 16, 0, 0, 0}},
             .workgroup = 2});
    EXPECT_THAT(ran.of(0)[0].value, ElementsAre(2));
    EXPECT_THAT(ran.of(0)[1].value, ElementsAre(static_cast<std::uint32_t>(-1)));
    EXPECT_THAT(ran.of(1)[0].value, ElementsAre(0x8000u));
    EXPECT_EQ(ran.of(1)[0].offset, 2u);
    EXPECT_EQ(ran.of(1)[1].offset, 8 + 2u);
}

TEST_F(InstrumentedKernelTest, FlagsOutOfBoundsIndicesWithTheirSourceOffsets) {
    const Ran ran =
        run({.source = shader_head +
                       "layout(set = 0, binding = 0) buffer Data { uint wanted[4]; uint data[]; };\n"
                       "shared uint tile[2][32];\n" +
                       main_begin +
                       "    uint w = wanted[i];\n"
                       "    data[w] = 7u;\n"
                       "    int k = int(i) - 1;\n"
                       "    tile[k][k + 32] = 8u;\n"
                       "    tile[0][i] = data[wanted[0] + 5u];\n"
                       "}\n",
             // Index 2^30 has the byte offset 2^32, which wraps around to 0.
             .buffers = {{0, 1u << 30, ~0u, 3, 20, 21, 22, 23}},
             .workgroup = 4});
    const std::vector<std::uint32_t> expected{0, 1u << 30, ~0u, 3};
    for (std::uint32_t i = 0; i < 4; ++i) {
        const std::vector<Access> own = ran.of(i);
        ASSERT_EQ(own.size(), 6u);
        EXPECT_EQ(own[1].offset, 16 + 4 * expected[i]) << i;
        EXPECT_EQ(own[1].out_of_bounds_mask, i == 0 || i == 3 ? 0u : 1u) << i;
        // The accesses are to tile[-1][31], tile[0][32], tile[1][33] and tile[2][34].
        EXPECT_EQ(own[2].offset, static_cast<std::uint32_t>(128 * (int(i) - 1) + 4 * (int(i) + 31))) << i;
        EXPECT_EQ(own[2].out_of_bounds_mask, i == 0 ? 1u : i == 3 ? 3u : 2u) << i;
        EXPECT_EQ(own[4].out_of_bounds_mask, 1u) << i;
        EXPECT_EQ(own[5].out_of_bounds_mask, 0u) << i;
    }
}

TEST_F(InstrumentedKernelTest, FlagsConstantOutOfBoundsIndices) {
    const Ran ran = run({.source = shader_head + data_block +
                                   "layout(constant_id = 3) const uint n = 8;\nshared uint s[n];\n" +
                                   main_begin + "    s[5] = 1u;\n    data[0] = s[3];\n    data[9] = 2u;\n}\n",
                         .buffers = {Words(4)},
                         .workgroup = 1,
                         .constants = {5}});
    EXPECT_EQ(ran.first("8: store s").out_of_bounds_mask, 1u);
    EXPECT_EQ(ran.first("8: store s").offset, 20u);
    EXPECT_EQ(ran.first("9: load s").out_of_bounds_mask, 0u);
    EXPECT_EQ(ran.first("9: store data").out_of_bounds_mask, 0u);
    EXPECT_EQ(ran.first("10: store data").out_of_bounds_mask, 1u);
}

TEST_F(InstrumentedKernelTest, RecordsCopiesOfStructuresAndMembers) {
    const Ran ran = run({.source = shader_head +
                                   "struct P { vec3 place; float mass; uint tags[3]; };\n"
                                   "layout(set = 0, binding = 0) buffer Data { uint count; P ps[]; };\n"
                                   "shared P kept[2];\n" +
                                   main_begin +
                                   "    P p = ps[1];\n"
                                   "    kept[i] = p;\n"
                                   "    ps[0].tags[2] = kept[0].tags[1];\n"
                                   "    ps[0].place.y = kept[0].mass;\n"
                                   "}\n",
                         .buffers = {Words(20, 5)},
                         .workgroup = 1});
    const Access& whole_one = ran.first("8: load ps");
    EXPECT_EQ(whole_one.offset, 16 + 32u);
    EXPECT_THAT(whole_one.value, IsEmpty());
    EXPECT_THAT(ran.first("9: store kept").value, IsEmpty());
    EXPECT_EQ(ran.first("10: load kept.tags").offset, 16 + 4u);
    EXPECT_THAT(ran.first("10: load kept.tags").value, ElementsAre(5));
    EXPECT_EQ(ran.first("10: store ps.tags").offset, 16 + 16 + 8u);
    EXPECT_EQ(ran.first("11: store ps.place.y").offset, 16 + 4u);
    EXPECT_EQ(ran.buffers[0][4 + 6], 5u);
}

TEST_F(InstrumentedKernelTest, RecordsColumnAndRowMajorMatrices) {
    const Ran ran = run(
        {.source = shader_head +
                   "layout(set = 0, binding = 0, std430) buffer Data { mat2x3 a[2]; layout(row_major) mat2x3 "
                   "b; };\n" +
                   main_begin +
                   "    b[1] = a[1][i];\n"
                   "    b[i][2] = 9.0;\n"
                   "    a[0] = a[1];\n"
                   "}\n",
         .buffers = {{0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0}},
         .workgroup = 1});
    // a[1] begins at byte 32, and each of its columns takes 16 bytes. A row of b takes 8 bytes.
    const std::vector<Access> all = ran.of(0);
    ASSERT_THAT(names_of(all), ElementsAre("6: load a", "6: store b", "6: store b", "6: store b",
                                           "7: store b.z", "8: load a", "8: store a"));
    EXPECT_EQ(all[0].offset, 32u);
    EXPECT_THAT(all[0].value, ElementsAre(1, 2, 3));
    for (std::uint32_t row = 0; row < 3; ++row) {
        EXPECT_EQ(all[1 + row].offset, 64 + 4 + 8 * row);
        EXPECT_THAT(all[1 + row].value, ElementsAre(1 + row));
    }
    EXPECT_EQ(all[4].offset, 64 + 2 * 8u);
    EXPECT_EQ(all[5].offset, 32u);
    EXPECT_EQ(all[6].offset, 0u);
    EXPECT_THAT(Words(ran.buffers[0].begin() + 16, ran.buffers[0].end()),
                ElementsAre(0, 1, 0, 2, bits_of(9), 3));
}

TEST_F(InstrumentedKernelTest, RecordsFunctionsLoopsAndEarlyReturns) {
    const Ran ran = run({.source = shader_head + data_block +
                                   "shared uint s[4];\n"
                                   "void add(inout uint to, const in uint what[4]) { to += what[1]; }\n"
                                   "uint next(uint at) { return data[at + 1u]; }\n"
                                   "uint never() { return data[3]; }\n" +
                                   main_begin +
                                   "    for (uint n = 0u; n < i; ++n)\n"
                                   "        s[n] = next(n);\n"
                                   "    if (i == 1u) return;\n"
                                   "    add(s[2], s);\n"
                                   "}\n",
                         .buffers = {{3, 4, 5, 6}},
                         .workgroup = 3});
    EXPECT_THAT(names_of(ran.of(0)), ElementsAre("13: load s", "13: load s", "13: store s"));
    EXPECT_THAT(names_of(ran.of(1)), ElementsAre("6: load data", "11: store s"));
    EXPECT_THAT(names_of(ran.of(2)), ElementsAre("6: load data", "11: store s", "6: load data", "11: store s",
                                                 "13: load s", "13: load s", "13: store s"));
    EXPECT_EQ(ran.of(2)[2].offset, 8u);
    EXPECT_THAT(ran.of(2)[3].value, ElementsAre(5));
    EXPECT_EQ(ran.of(2)[4].offset, 0u) << "the whole array";
    EXPECT_THAT(ran.of(2)[4].value, IsEmpty());
    EXPECT_EQ(ran.of(2)[5].offset, 8u);
    EXPECT_EQ(ran.of(2)[6].offset, 8u);
    EXPECT_EQ(std::ranges::count(ran.sites, 7u, &trace::Site::line), 0) << "the function is never called";
}

TEST_F(InstrumentedKernelTest, AtomicsRecordThePreviousValue) {
    const Ran ran = run({.source = shader_head + data_block + "shared int s;\n" + main_begin +
                                   "    data[1] = atomicAdd(data[0], 5u);\n"
                                   "    atomicCompSwap(data[0], 12u, 1u);\n"
                                   "    atomicExchange(data[2], 9u);\n"
                                   "    atomicMin(s, -4);\n"
                                   "    atomicOr(data[2], 6u);\n"
                                   "}\n",
                         .buffers = {{7, 0, 0, 0}},
                         .workgroup = 1});
    const std::vector<Access> all = ran.of(0);
    ASSERT_THAT(names_of(all), ElementsAre("7: atomic data", "7: store data", "8: atomic data",
                                           "9: atomic data", "10: atomic s", "11: atomic data"));
    EXPECT_THAT(all[0].value, ElementsAre(7));
    EXPECT_THAT(all[0].addend, ElementsAre(5));
    EXPECT_THAT(all[2].value, ElementsAre(12));
    EXPECT_THAT(all[2].addend, IsEmpty()) << "compare-and-swap has no addend";
    EXPECT_THAT(all[3].value, ElementsAre(0));
    EXPECT_EQ(all[3].offset, 8u);
    EXPECT_THAT(all[5].value, ElementsAre(9));
    EXPECT_THAT(ran.buffers[0], ElementsAre(1, 7, 15, 0));
}

TEST_F(InstrumentedKernelTest, RecordsFloatingPointAtomics) {
    if (!robust->limits().float32_atomic_add) GTEST_SKIP() << "this device adds no floats atomically";
    const Ran ran = run({.source = "#extension GL_EXT_shader_atomic_float : require\n" + shader_head +
                                   "layout(set = 0, binding = 0) buffer Data { float f; };\n" + main_begin +
                                   "    atomicAdd(f, 1.5);\n}\n",
                         .buffers = {{bits_of(2)}},
                         .workgroup = 1});
    EXPECT_THAT(ran.first("7: atomic f").value, ElementsAre(bits_of(2)));
    EXPECT_THAT(ran.first("7: atomic f").addend, ElementsAre(bits_of(1.5)));
    EXPECT_THAT(ran.buffers[0], ElementsAre(bits_of(3.5)));
}

TEST_F(InstrumentedKernelTest, KeepsSpirvIntrinsics) {
    if (!robust->limits().integer_dot) GTEST_SKIP() << "this device has no dot product of bytes";
    const Ran ran = run({.source = "#extension GL_EXT_spirv_intrinsics : require\n" + shader_head +
                                   "spirv_instruction(extensions = [\"SPV_KHR_integer_dot_product\"], "
                                   "capabilities = [6019, 6018], id = 4450) "
                                   "int dot_of(int a, int b, spirv_literal int format);\n" +
                                   data_block + main_begin +
                                   "    data[1] = uint(dot_of(int(data[0]), 0x04FD0201, 0));\n}\n",
                         .buffers = {{0xFF80027Fu, 0}},
                         .workgroup = 1});
    // The second number is 127 * 1 + 2 * 2 + (-128) * (-3) + (-1) * 4.
    EXPECT_THAT(ran.buffers[0], ElementsAre(0xFF80027Fu, 511));
    EXPECT_EQ(ran.of(0).size(), 2u) << "a read and a write";
}

TEST_F(InstrumentedKernelTest, EpochsCountTheBarriersOfWorkgroupAndSubgroup) {
    const Ran ran = run({.source = "#extension GL_KHR_shader_subgroup_basic : enable\n" + shader_head +
                                   data_block + main_begin +
                                   "    data[i] = 0u;\n"
                                   "    subgroupBarrier();\n"
                                   "    data[i] = 1u;\n"
                                   "    barrier();\n"
                                   "    data[i] = 2u;\n"
                                   "    memoryBarrierBuffer();\n"
                                   "    barrier();\n"
                                   "    data[i] = 3u;\n"
                                   "}\n",
                         .buffers = {Words(4)}});
    for (std::uint32_t i = 0; i < 4; ++i) {
        const std::vector<Access> own = ran.of(i);
        ASSERT_EQ(own.size(), 7u);
        const std::uint32_t epochs[] = {0, 0, 0, 0, 1, 1, 2};
        const std::uint32_t subgroup_epochs[] = {0, 0, 1, 1, 2, 2, 3};
        for (std::size_t n = 0; n < own.size(); ++n) {
            EXPECT_EQ(own[n].epoch, epochs[n]) << n;
            EXPECT_EQ(own[n].subgroup_epoch, subgroup_epochs[n]) << n;
        }
    }
}

/// The buffer holds as many records as fit, and the count of the others, in any order of execution.
TEST_F(InstrumentedKernelTest, CountsLostRecordsAndWritesNothingBeyondTheBuffer) {
    Launch launch{.source = shader_head + data_block + main_begin + "    data[i] += data[i] + 1u;\n}\n",
                  .buffers = {Words(64, 1)},
                  .workgroup = 64};
    launch.capacity = 64 * 3;
    const Ran all = run(launch);
    EXPECT_EQ(all.accesses.size(), 64 * 3u);
    EXPECT_EQ(all.head[trace::words::lost], 0u);
    for (const std::uint32_t capacity : {64 * 3 - 1, 100, 1, 0}) {
        launch.capacity = static_cast<std::uint32_t>(capacity);
        const Ran some = run(launch);
        EXPECT_EQ(some.accesses.size(), launch.capacity) << capacity;
        EXPECT_EQ(some.head[trace::words::lost], 64 * 3 - launch.capacity) << capacity;
        EXPECT_EQ(some.buffers, all.buffers) << capacity;
    }
}

TEST_F(InstrumentedKernelTest, CountingCountsTheRecordsOfEachWorkgroup) {
    Launch launch{.source = shader_head + data_block + main_begin +
                            "    for (uint n = 0u; n <= gl_WorkGroupID.x; ++n)\n        data[i] = n;\n"
                            "    barrier();\n}\n",
                  .buffers = {Words(4)},
                  .grid = {5}};
    launch.capacity = 3;
    launch.first = 1;
    launch.last = 3;
    launch.counting = true;
    const Ran counted = run(launch);
    Words counts;
    for (std::size_t at = 0; at < counted.records.size(); at += 12)
        counts.push_back(counted.records[at]);
    EXPECT_THAT(counts, ElementsAre(4 * (2 + 1), 4 * (3 + 1), 4 * (4 + 1)));
    EXPECT_EQ(counted.head[trace::words::used], 0u);

    launch.counting = false;
    launch.capacity = 4 * (9 + 3);
    const Ran ran = run(launch);
    EXPECT_EQ(ran.head[trace::words::used], launch.capacity);
    EXPECT_EQ(ran.head[trace::words::lost], 0u);
    for (const Access& access : ran.accesses)
        EXPECT_TRUE(access.workgroup >= 1 && access.workgroup <= 3);
}

TEST_F(InstrumentedKernelTest, NumbersWorkgroupsAndSlicesOfTheWholeLaunch) {
    // The kernels declare all words of the launch, fewer words, or no push constants.
    for (const std::string push :
         {"#include \"common/launch.glsl\"\n", "layout(push_constant) uniform P { float count; };\n", ""}) {
        const std::string extension = "#extension GL_GOOGLE_include_directive : enable\n";
        Launch launch{.source = extension + push + (push.starts_with('#') ? "" : shader_head) + data_block +
                                main_begin + "    data[i] = 1u;\n}\n",
                      .buffers = {Words(4)},
                      .grid = {2}};
        launch.push[7] = 8000;  // first element, first workgroup
        launch.push[8] = 11;
        const Ran ran = run(launch);
        ASSERT_EQ(ran.accesses.size(), 8u) << push;
        EXPECT_EQ(ran.accesses.front().workgroup, 11u) << push;
        EXPECT_EQ(ran.accesses.back().workgroup, 12u) << push;
        EXPECT_EQ(ran.accesses.front().slice, 8000u) << push;

        launch.grid = {3, 2};
        launch.below = 3;
        const Ran two_slice_run = run(launch);
        EXPECT_EQ(two_slice_run.accesses.front().workgroup, 33u) << push;
        EXPECT_EQ(two_slice_run.accesses.back().workgroup, 38u) << push;
    }
}

TEST_F(InstrumentedKernelTest, RecordsInitializersOfGlobalVariables) {
    const Ran ran = run({.source = shader_head + data_block + "uint start = data[1];\n" + main_begin +
                                   "    data[i] = start;\n}\n",
                         .buffers = {{3, 4}},
                         .workgroup = 1});
    ASSERT_THAT(names_of(ran.of(0)), ElementsAre("4: load data", "7: store data"));
    EXPECT_EQ(ran.of(0)[0].sequence, 0u);
    EXPECT_EQ(ran.of(0)[1].sequence, 1u);
}

TEST_F(InstrumentedKernelTest, KernelMacrosDoNotAffectTheInstrumentation) {
    const Ran ran = run({.source = shader_head + data_block + main_begin +
                                   "    data[i] = 5u;\n}\n"
                                   "#define uint float\n#define x y\n#define if(a) while(a)\n#define const\n"
                                   "#define atomicAdd(a, b) 0\n#define words 1\n#define binding 3\n"
                                   "// the last line is not whole \\",
                         .buffers = {{0}},
                         .workgroup = 1});
    EXPECT_THAT(names_of(ran.of(0)), ElementsAre("6: store data"));
}

TEST_F(InstrumentedKernelTest, InstrumentationDoesNotChangeResults) {
    std::string tree = "#extension GL_GOOGLE_include_directive : enable\n#include \"common/launch.glsl\"\n" +
                       data_block +
                       "layout(set = 0, binding = 1) buffer Sums { uint result[]; };\n"
                       "shared uint sums[gl_WorkGroupSize.x];\n" +
                       main_begin +
                       "    uint total = 0u;\n"
                       "    for (uint n = gl_GlobalInvocationID.x; n < launch.count; n += 64u * 4u)\n"
                       "        total += data[n];\n"
                       "    sums[i] = total;\n"
                       "    for (uint s = 32u; s > 0u; s >>= 1u) {\n"
                       "        barrier();\n"
                       "        if (i < s) sums[i] += sums[i + s];\n"
                       "    }\n"
                       "    if (i == 0u) result[gl_WorkGroupID.x] = sums[0];\n"
                       "}\n";
    Launch launch{.source = tree, .buffers = {Words(1000), Words(4)}, .workgroup = 64, .grid = {4}};
    for (std::uint32_t n = 0; n < 1000; ++n)
        launch.buffers[0][n] = n * n;
    launch.push[0] = 1000;
    const std::vector<Words> plain = run_uninstrumented(launch);
    for (const std::uint32_t capacity : {20000u, 100u}) {
        launch.capacity = capacity;
        EXPECT_EQ(run(launch).buffers, plain) << capacity;
    }
    const Ran ran = run(launch);
    EXPECT_NE(plain[1][0], 0u);
    EXPECT_EQ(ran.head[trace::words::lost] > 0, true);
}

}  // namespace gridstride::gpu::instrumented_kernel_test
