#include "base/units.h"

#include <clocale>
#include <locale>

#include "test_includes.h"

namespace gridstride::units_test {

TEST(FormatCount, SeparatesThousandsByAThinSpace) {
    EXPECT_EQ(format_count(0), "0");
    EXPECT_EQ(format_count(999), "999");
    EXPECT_EQ(format_count(1000), "1\u2009000");
    EXPECT_EQ(format_count(524800), "524\u2009800");
    EXPECT_EQ(format_count(18446744073709551615u),
              "18\u2009446\u2009744\u2009073\u2009709\u2009551\u2009615");
}

TEST(FormatSignificant, RoundsToThreeDigits) {
    EXPECT_EQ(format_significant(21.44), "21.4");
    EXPECT_EQ(format_significant(0.19349), "0.193");
    EXPECT_EQ(format_significant(1234.5), "1\u2009230");
    EXPECT_EQ(format_significant(999.6), "1\u2009000");
    EXPECT_EQ(format_significant(0.0009996), "0.001");
    EXPECT_EQ(format_significant(-21.44), "-21.4");
    EXPECT_EQ(format_significant(12), "12");
    EXPECT_EQ(format_significant(12.04), "12");
    EXPECT_EQ(format_significant(3.14159, 5), "3.1416");
    EXPECT_EQ(format_significant(3.14159, 1), "3");
    EXPECT_EQ(format_significant(12345.678, 7), "12\u2009345.68");
}

TEST(FormatSignificant, UsesAnExponentOnlyFarFromOne) {
    EXPECT_EQ(format_significant(4.2e12), "4\u2009200\u2009000\u2009000\u2009000");
    EXPECT_EQ(format_significant(9.99e14), "999\u2009000\u2009000\u2009000\u2009000");
    EXPECT_EQ(format_significant(9.999e14), "1e15");
    EXPECT_EQ(format_significant(4.2e15), "4.2e15");
    EXPECT_EQ(format_significant(-1.7976931348623157e308), "-1.8e308");
    EXPECT_EQ(format_significant(0.0000123), "0.0000123");
    EXPECT_EQ(format_significant(5.96e-8), "5.96e-8");
    EXPECT_EQ(format_significant(5e-324, 1), "5e-324");
}

TEST(FormatSignificant, FormatsZeroNaNAndInfinity) {
    EXPECT_EQ(format_significant(0.0), "0");
    EXPECT_EQ(format_significant(-0.0), "0");
    EXPECT_EQ(format_significant(std::numeric_limits<double>::quiet_NaN()), "NaN");
    EXPECT_EQ(format_significant(std::numeric_limits<double>::infinity()), "inf");
    EXPECT_EQ(format_significant(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(BytesBeside, ShowsEnoughDigitsToDistinguishNumbers) {
    const std::uint64_t limit = std::uint64_t{16} << 20;
    EXPECT_EQ(format_bytes_beside(limit + 1, limit), "16\u2009777\u2009217\u00A0B");
    EXPECT_EQ(format_bytes_beside(limit, limit + 1), "16\u2009777\u2009216\u00A0B");
    EXPECT_EQ(format_bytes_beside(limit, limit), "16\u00A0MiB");
    EXPECT_EQ(format_bytes_beside(2 * limit, limit), "32\u00A0MiB");
    EXPECT_EQ(format_bytes_beside(limit, 2 * limit), "16\u00A0MiB");
}

struct CommaDecimal : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

TEST(FormatSignificant, IgnoresTheLocale) {
    const std::locale before = std::locale::global(std::locale(std::locale::classic(), new CommaDecimal));
    EXPECT_EQ(format_significant(1234.5, 5), "1\u2009234.5");
    EXPECT_EQ(format_count(1234), "1\u2009234");
    std::locale::global(before);
}

TEST(FormatTime, ChoosesTheUnit) {
    EXPECT_EQ(format_time(0).text(), "0\u00A0ns");
    EXPECT_EQ(format_time(0.1934).text(), "0.193\u00A0ns");
    EXPECT_EQ(format_time(999.4).text(), "999\u00A0ns");
    EXPECT_EQ(format_time(999.6).text(), "1\u00A0µs");  // not "1 000 ns"
    EXPECT_EQ(format_time(21400).text(), "21.4\u00A0µs");
    EXPECT_EQ(format_time(4.56e6).text(), "4.56\u00A0ms");
    EXPECT_EQ(format_time(2.5e9).text(), "2.5\u00A0s");
    EXPECT_EQ(format_time(4e12).text(), "4\u2009000\u00A0s");
    EXPECT_EQ(format_time(-21400).text(), "-21.4\u00A0µs");
    EXPECT_EQ(format_time(std::numeric_limits<double>::quiet_NaN()).text(), "NaN\u00A0ns");
    EXPECT_EQ(format_time(std::numeric_limits<double>::infinity()).unit, "s");
}

TEST(FormatBytes, CountsInPowersOfTwo) {
    EXPECT_EQ(format_bytes(512).text(), "512\u00A0B");
    EXPECT_EQ(format_bytes(1023).text(), "1\u2009023\u00A0B");
    EXPECT_EQ(format_bytes(1024).text(), "1\u00A0KiB");
    EXPECT_EQ(format_bytes(32 * 1024).text(), "32\u00A0KiB");
    EXPECT_EQ(format_bytes(0x1p20 - 1).text(), "1\u00A0MiB");
    EXPECT_EQ(format_bytes(128 * 0x1p20).text(), "128\u00A0MiB");
    EXPECT_EQ(format_bytes(1.5 * 0x1p30).text(), "1.5\u00A0GiB");
}

TEST(FormatBandwidth, CountsInPowersOfTen) {
    EXPECT_EQ(format_bandwidth(193e3).text(), "0.193\u00A0MB/s");
    EXPECT_EQ(format_bandwidth(12.34e9).text(), "12.3\u00A0GB/s");
    EXPECT_EQ(format_bandwidth(4.8e12).text(), "4.8\u00A0TB/s");
}

TEST(FormatPercent, FormatsAFraction) {
    EXPECT_EQ(format_percent(0.113).text(), "11.3\u00A0%");
    EXPECT_EQ(format_percent(1).text(), "100\u00A0%");
}

TEST(Quantity, MayHaveNoUnit) {
    EXPECT_EQ((Quantity{"3", ""}.text()), "3");
}

TEST(Units, FormatsDurationsForReaders) {
    EXPECT_EQ(format_duration(0.9), "less than 1 s");
    EXPECT_EQ(format_duration(34.4), "34 s");
    EXPECT_EQ(format_duration(720), "12 min");
    EXPECT_EQ(format_duration(5400), "1.5 h");
    EXPECT_EQ(format_time_left(34), "about 34 s left");
    EXPECT_EQ(format_time_left(0.2), "less than 1 s left");
}

TEST(Units, FormatsATimeInTheUnitOfAnother) {
    EXPECT_EQ(format_in_unit(21400, format_time(5e3).unit), "21.4");
    EXPECT_EQ(format_in_unit(21400, format_time(5e6).unit, 2), "0.021");
}

TEST(Units, ChoosesSingularOrPlural) {
    EXPECT_EQ(counted(1, "sample"), "1 sample");
    EXPECT_EQ(counted(0, "sample"), "0 samples");
    EXPECT_EQ(counted(1, "dispatch", "dispatches"), "1 dispatch");
    EXPECT_EQ(counted(2, "dispatch", "dispatches"), "2 dispatches");
}

}  // namespace gridstride::units_test
