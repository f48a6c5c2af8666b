#include "base/format_exact.h"

#include "test_includes.h"

namespace gridstride::exact_number_test {

TEST(ExactNumber, HasAllDigitsOfAnInteger) {
    EXPECT_EQ(format_exact(0), "0");
    EXPECT_EQ(format_exact(-5), "-5");
    EXPECT_EQ(format_exact(1e16), "10000000000000000");
    EXPECT_EQ(format_exact(0x1p63), "9223372036854775808");
    EXPECT_EQ(format_exact(-0x1p63), "-9223372036854775808");
    EXPECT_EQ(format_exact(0x1p64), "18446744073709551616");
    EXPECT_EQ(format_exact(1e30), "1e+30");
    EXPECT_EQ(format_exact(2.5), "2.5");
    EXPECT_EQ(format_exact(HUGE_VAL), "inf");
    EXPECT_EQ(format_exact(std::nan("")), "nan");
}

}  // namespace gridstride::exact_number_test
