#include "launch/extent.h"

#include "test_includes.h"

namespace gridstride::extent_test {

TEST(Extent, HasOneTwoOrThreeDimensions) {
    EXPECT_EQ(Extent{}.dimensions(), 1u);
    EXPECT_EQ(Extent{256}.dimensions(), 1u);
    EXPECT_EQ((Extent{16, 16}.dimensions()), 2u);
    EXPECT_EQ((Extent{16, 1}.dimensions()), 2u) << "an extent of 1 still counts as a dimension";
    EXPECT_EQ((Extent{8, 8, 4}.dimensions()), 3u);
    EXPECT_NE((Extent{16}), (Extent{16, 1}));
}

TEST(Extent, MissingDimensionsCountAsOne) {
    const Extent row{300};
    EXPECT_EQ(row.along(0), 300u);
    EXPECT_EQ(row.along(1), 1u);
    EXPECT_EQ(row.along(2), 1u);
    EXPECT_EQ(row.product(), 300u);
    EXPECT_EQ((Extent{300, 200}.product()), 60'000u);
    EXPECT_EQ((Extent{3, 4, 5}.product()), 60u);
    EXPECT_EQ((Extent{3, 4, 5}.along(2)), 5u);
    EXPECT_EQ(Extent{0}.product(), 0u) << "0 is empty or auto";
}

TEST(Extent, FormatsAndParsesBack) {
    const struct {
        Extent extent;
        const char* text;
    } cases[] = {{{256}, "256"},
                 {{16, 16}, "16x16"},
                 {{8, 1, 4}, "8x1x4"},
                 {{1, 1, 1}, "1x1x1"},
                 {{4'294'967'295}, "4294967295"}};
    for (const auto& c : cases) {
        EXPECT_EQ(text_of(c.extent), c.text);
        EXPECT_EQ(parse_extent(c.text), c.extent) << c.text;
    }
    EXPECT_EQ(parse_extent("016x2"), (Extent{16, 2}));
    EXPECT_EQ(text_of({0}), "0");
}

TEST(Extent, RefusesInvalidText) {
    for (const char* text :
         {"",        "x",      "0",          "16x",          "x16",   "16x0", "0x16", "16xx16",
          "16X16",   "16×16",  "16 x 16",    " 16",          "16 ",   "-1",   "+1",   "1.5",
          "1x1x1x1", "1x1x1x", "4294967296", "1x4294967296", "16,16", "auto"})
        EXPECT_EQ(parse_extent(text), std::nullopt) << '"' << text << '"';
}

TEST(Extent, DivideUpRoundsEachDimensionUp) {
    EXPECT_EQ(divide_up(0, 4), 0u);
    EXPECT_EQ(divide_up(1, 4), 1u);
    EXPECT_EQ(divide_up(8, 4), 2u);
    EXPECT_EQ(divide_up(9, 4), 3u);
    EXPECT_EQ(divide_up(Extent{1000}, Extent{128}), (Extent{8}));
    EXPECT_EQ(divide_up(Extent{300, 200}, Extent{16, 16}), (Extent{19, 13}));
    EXPECT_EQ(divide_up(Extent{30, 20, 10}, Extent{8, 4, 4}), (Extent{4, 5, 3}));
    EXPECT_EQ(divide_up(Extent{300, 200}, Extent{16}), (Extent{19, 200})) << "a tile of one row";
}

}  // namespace gridstride::extent_test
