#include "readers/number_text.h"

#include "base/mutations.h"
#include "test_includes.h"

namespace gridstride::number_text_test {

Numbers read_text(const std::string& text, const FileChoice& choice = {}) {
    return parse_number_text(text, "data.csv", choice);
}

std::vector<double> numbers(const std::string& text, const FileChoice& choice = {}) {
    const Numbers read = read_text(text, choice);
    const std::span<const double> values = read.array.as<double>();
    return {values.begin(), values.end()};
}

/// Returns the number of columns, followed by the numbers.
std::vector<double> all_columns(const std::string& text) {
    std::vector<double> values = numbers(text, {.column = "all"});
    values.insert(values.begin(), static_cast<double>(read_text(text, {.column = "all"}).width));
    return values;
}

std::string text_complaint(const std::string& text, const FileChoice& choice = {}) {
    return message_of<FileError>([&] { read_text(text, choice); });
}

FileQuestion question_of(const std::string& text, const FileChoice& choice = {}) {
    try {
        read_text(text, choice);
    } catch (const NeedsChoice& several) {
        return several.question;
    }
    ADD_FAILURE() << "no choice was required for: " << text;
    return {};
}

TEST(NumberText, ReadsOneNumberPerLine) {
    EXPECT_THAT(numbers("1\n2.5\n-3e2\n"), ElementsAre(1, 2.5, -300));
    EXPECT_THAT(numbers("1\r\n2\r\n\r\n\n"), ElementsAre(1, 2));
    EXPECT_THAT(numbers("+1\n .5 \n5.\n\t7\t"), ElementsAre(1, 0.5, 5, 7));
    EXPECT_THAT(numbers("0"), ElementsAre(0));
}

// --- Remarks about the choice of numbers

TEST(NumberText, DescribesTheSelection) {
    const auto count_taken = [](const std::string& text, const FileChoice& choice = {}) {
        return read_text(text, choice).selection;
    };
    EXPECT_EQ(count_taken("5\n6\n"), "column 1, 2 rows");
    EXPECT_EQ(count_taken("value\n5\n"), "column `value`, 1 row");
    EXPECT_EQ(count_taken("a,b\n1,2\n3,4\n", {.column = "b"}), "column `b`, 2 rows");
    EXPECT_EQ(count_taken("1,2\n3,4\n", {.column = "2"}), "column 2, 2 rows");
    EXPECT_EQ(count_taken("1,2\n3,4\n", {.column = "all"}), "all 2 columns, 2 rows");
    EXPECT_EQ(count_taken("day,a,b\nmon,1,2\ntue,3,4\n", {.column = "all"}), "2 of 3 columns, 2 rows");
    EXPECT_THAT(count_taken("1,2,3\n"), Mentions(3, "numbers"));
    EXPECT_EQ(count_taken("a\x1b[2Jb\n5\n").find('\x1b'), std::string::npos);
    EXPECT_LT(count_taken(std::string(5000, 'x') + "\n5\n").size(), 100u);
    std::string text = "value\n";
    for (int i = 0; i < 1204; ++i)
        text += "7\n";
    EXPECT_EQ(count_taken(text), "column `value`, 1\u2009204 rows");
}

// --- One row

TEST(NumberText, ReadsOneRowAsItsNumbers) {
    EXPECT_THAT(numbers("1,2,3,4,5\n"), ElementsAre(1, 2, 3, 4, 5));
    EXPECT_THAT(numbers("1 2 3"), ElementsAre(1, 2, 3));
    EXPECT_THAT(numbers("1\t2\t3\r\n\r\n"), ElementsAre(1, 2, 3));
    EXPECT_THAT(numbers("1,5;2,5;3\n"), ElementsAre(1.5, 2.5, 3));
    EXPECT_THAT(numbers("1,2,3,\n"), ElementsAre(1, 2, 3)) << "a comma ends the line";
    EXPECT_THAT(numbers("100,200,300"), ElementsAre(100, 200, 300));
    EXPECT_EQ(read_text("1,2,3\n").width, 0u) << "one row is not a matrix";
    EXPECT_THAT(numbers("1,2,3\n", {.column = "2"}), ElementsAre(2)) << "if the column is chosen";
    EXPECT_THAT(read_text("1,2,3\n").remarks, IsEmpty());
}

TEST(NumberText, ReadsALongRow) {
    std::string text;
    for (int i = 0; i < 1'000'000; ++i)
        text += "0.123456 ";
    ASSERT_GT(text.size(), std::size_t{8} << 20);
    EXPECT_EQ(read_text(text + "\n").array.count(), 1'000'000u);
}

TEST(NumberText, RemarksOnARowThatMayBeOneNumber) {
    EXPECT_THAT(numbers("3,5\n"), ElementsAre(3, 5));
    EXPECT_THAT(read_text("3,5\n").remarks, ElementsAre(Mentions(1, 1, "3,5", "3.5")));
    EXPECT_THAT(read_text("1,234.5\n").remarks, ElementsAre(Mentions("1234.5", "write")));
    EXPECT_THAT(read_text("1,234\n").remarks, ElementsAre(Mentions("1.234", 1234)));
    EXPECT_THAT(read_text("1 234 567\n").remarks, ElementsAre(Mentions(1234567)));
}

TEST(NumberText, RequiresAColumnIfARowHasAHeading) {
    EXPECT_THAT(question_of("a,b,c\n1,2,3\n").text, Mentions(3, "columns"));
}

// --- The heading

TEST(NumberText, DetectsHeadings) {
    for (const char* const heading :
         {"x1", "value", "2nd", "12:30", "2024-01-01", "24.12.2024", "v1.2", "\u2212", "a 1 234", "%", "e5",
          "2a", "1B", "3D", "1st", "4th", "m", "kg", "x (kg)"})
        EXPECT_THAT(numbers(std::string(heading) + "\n2\n3\n"), ElementsAre(2, 3)) << heading;
    EXPECT_THAT(numbers("# x\n2\n3\n"), ElementsAre(2, 3));
    EXPECT_EQ(read_text("# x y\n1 2\n3 4\n", {.column = "y"}).selection, "column `y`, 2 rows");
    EXPECT_THAT(numbers("nan\n2\n"), ElementsAre(testing::IsNan(), 2)) << "nan is a number";
    EXPECT_THAT(numbers("0\n5\n6\n"), ElementsAre(0, 5, 6));
    EXPECT_THAT(numbers("x,1\ny,2\n"), ElementsAre(1, 2)) << "a cell of the first line is a number";
    EXPECT_THAT(numbers("0\n5\n6\n", {.has_header = true}), ElementsAre(5, 6));
    EXPECT_THAT(text_complaint("x\n1\n", {.has_header = false}), Mentions(1, "x", "heading"));
}

/// In Latin-1, a number with non-breaking spaces between thousands is invalid UTF-8, as is an accented name.
TEST(NumberText, RequiresAChoiceForDigitsInInvalidUtf8) {
    for (const char* const first : {"1\xA0"
                                    "234",
                                    "\x80"
                                    "5",
                                    "\xFF"
                                    "7",
                                    "\xE9,5\xB0"}) {
        const std::string text = std::string(first) + "\n" + (std::strchr(first, ',') ? "6,6\n" : "6\n");
        EXPECT_THAT(question_of(text).text, Mentions(1, "UTF-8")) << text;
        EXPECT_THAT(numbers(text, {.column = "1", .has_header = true}), ElementsAre(6)) << text;
    }
    EXPECT_THAT(text_complaint("\xFF"
                               "7\n6\n",
                               {.has_header = false}),
                Mentions(1, "7"));
    EXPECT_THAT(numbers("temp\xE9rature\n6\n"), ElementsAre(6));
    EXPECT_THAT(numbers("température 2\n6\n"), ElementsAre(6));
    EXPECT_THAT(numbers("a\x1b[2Jb\n6\n"), ElementsAre(6)) << "a control character is UTF-8";
}

TEST(NumberText, RequiresAChoiceForAnEmptyFirstCell) {
    const std::string pandas = ",0,1\n0,5,6\n1,7,8\n";
    const FileQuestion question = question_of(pandas);
    EXPECT_THAT(question.text, Mentions(1, "empty"));
    EXPECT_EQ(question.flags, "Give --header yes or --header no.");
    ASSERT_EQ(question.answers.size(), 2u);
    EXPECT_EQ(question.answers[0].choice.has_header, true);
    EXPECT_EQ(question.answers[1].choice.has_header, false);
    EXPECT_THAT(question.rows, ElementsAre(ElementsAre("", "0", "1"), ElementsAre("0", "5", "6"),
                                           ElementsAre("1", "7", "8")));
    EXPECT_THAT(text_complaint(pandas), HasSubstrs("\"data.csv\": ", "--header yes"));
    EXPECT_THAT(numbers(pandas, {.column = "1", .has_header = true}), ElementsAre(6, 8))
        << "the name comes first";
    EXPECT_THAT(numbers(pandas, {.column = "2", .has_header = true}), ElementsAre(5, 7));
    EXPECT_THAT(numbers(pandas, {.column = "2", .has_header = false}), ElementsAre(0, 5, 7));
    question_of(",0\n0,5\n1,6\n");
    question_of("\t0\n0\t5\n");
    question_of(";0;1\n0;5;6\n");
    EXPECT_THAT(question_of(",value\n0,5\n1,6\n").flags, HasSubstr("--column all: 1, 2 `value`."))
        << "a name is not a number, so the line is a heading";
}

TEST(NumberText, ReadsAMixedFirstLineAsDataWithARemark) {
    constexpr const char* remark =
        "Line 1 has text and numbers and was read as data. If it names the columns, give --header yes, or "
        "give names to all of them.";
    const std::string text = "city,2020\nParis,5\nRome,6\n";
    EXPECT_THAT(numbers(text), ElementsAre(2020, 5, 6));
    EXPECT_THAT(read_text(text).remarks, ElementsAre(Mentions(1, 1, "left"), remark));
    EXPECT_THAT(read_text(text, {.column = "2"}).remarks, ElementsAre(remark));
    EXPECT_THAT(read_text("\n\ncity;2020\nParis;5\n").remarks, Contains(HasSubstr("Line 3 has")));
    EXPECT_THAT(read_text(text, {.has_header = false}).remarks, ElementsAre(Mentions(1, 1, "left")));
    EXPECT_THAT(numbers(text, {.has_header = true}), ElementsAre(5, 6));
    EXPECT_THAT(read_text("city,value\nParis,5\n").remarks, ElementsAre(Mentions(1, 1, "city")));
    EXPECT_THAT(read_text("Paris,5\n").remarks, ElementsAre(Mentions(1, 1, "left"))) << "no line follows";
}

TEST(NumberText, RequiresAChoiceForTextAboveANumber) {
    EXPECT_THAT(question_of("x,5\n3,4\n").text, Mentions(1, 3));
    EXPECT_THAT(numbers("x,5\n3,4\n", {.column = "x", .has_header = true}), ElementsAre(3));
    EXPECT_THAT(text_complaint("x,5\ny,4\n3,4\n"), HasSubstr("line 3, column 1: it has \"3\" here"));
}

// --- Several columns

TEST(NumberText, RequiresAChoiceOfColumns) {
    const FileQuestion question = question_of("x,name,y\n1,a,2\n3,b,4\n");
    EXPECT_THAT(question.text, Mentions(2, "columns"));
    EXPECT_THAT(question.flags, Mentions("--column", "--column", 1, "x", 3, "y"));
    EXPECT_EQ(question.answers[1].label, "1: x");
    ASSERT_EQ(question.answers.size(), 3u);
    EXPECT_EQ(question.answers[0].choice.column, "all");
    EXPECT_EQ(question.answers[1].choice.column, "x");
    EXPECT_EQ(question.answers[2].choice.column, "y");
    for (const char* const text : {"1,2\n3,4\n", "1 2\n3 4\n", "1\t2\n3\t4\n", "1;2\n3;4\n", "1,5;2\n3;4\n"})
        EXPECT_THAT(text_complaint(text), Mentions(2, "columns", ": 1, 2.")) << text;
    std::string wide = "1";
    for (int i = 0; i < 5000; ++i)
        wide += ",1";
    EXPECT_THAT(text_complaint(wide + "\n" + wide + "\n"), HasSubstr("and 4\u2009993 more"));
    EXPECT_LE(question_of(wide + "\n" + wide + "\n").answers.size(), 500u);
}

/// The question names the first unreadable cell, which may be in a column that the user does not want.
TEST(NumberText, QuestionNamesTheFirstUnreadableCell) {
    const std::string text = "x;y\n1;$5\n2;6\n";
    EXPECT_THAT(question_of(text).text, Mentions(2, 2, 2, "$5"));
    EXPECT_THAT(numbers(text, {.column = "x"}), ElementsAre(1, 2));
    EXPECT_THAT(text_complaint(text, {.column = "y"}), HasSubstr("line 2, column 2: \"$5\""));
}

TEST(NumberText, EveryOfferedAnswerIsReadable) {
    for (const char* const text : {"x,y\n1,2\n3,4\n", "x,x\n1,2\n3,4\n", ",y\n1,2\n3,4\n", "2,1\n3,4\n5,6\n"})
        for (const FileQuestion::Answer& answer : question_of(text).answers)
            EXPECT_THAT(numbers(text, answer.choice), Not(IsEmpty())) << text << answer.label;
    // The column of row numbers has no name, and its position is the name of another column.
    const std::string pandas = ",0,1\n7,8,9\n7,8,9\n";
    std::vector<std::vector<double>> all;
    for (const FileQuestion::Answer& answer : question_of(pandas, {.has_header = true}).answers)
        all.push_back(numbers(pandas, answer.choice));
    EXPECT_THAT(all, ElementsAre(ElementsAre(7, 8, 9, 7, 8, 9), ElementsAre(8, 8), ElementsAre(9, 9)));
}

TEST(NumberText, SelectsAColumnByNameOrNumber) {
    const std::string text = "a, b ,2\n1,2,3\n4,5,6\n";
    EXPECT_THAT(numbers("a, b ,c\n1,2,3\n4,5,6\n", {.column = "b"}), ElementsAre(2, 5));
    EXPECT_THAT(numbers("a, b ,c\n1,2,3\n4,5,6\n", {.column = "3"}), ElementsAre(3, 6));
    EXPECT_THAT(numbers(text, {.column = "2", .has_header = true}), ElementsAre(3, 6)) << "names come first";
    EXPECT_THAT(text_complaint("a,b\n1,2\n", {.column = "c"}), Mentions("c", "column", "1 `a`, 2 `b`"));
    EXPECT_THAT(text_complaint("a,b\n1,2\n", {.column = "0"}), HasSubstr("no column `0`"));
    EXPECT_THAT(text_complaint("a,b\n1,2\n", {.column = "3"}), HasSubstr("no column `3`"));
    EXPECT_THAT(text_complaint("a,a\n1,2\n", {.column = "a"}),
                HasSubstr("2 columns are named `a`: 1 `a`, 2 `a`"));
    EXPECT_THAT(text_complaint("all,b\n1,2\n", {.column = "all"}), HasSubstr("column 1 is named `all`"));
    EXPECT_THAT(text_complaint("day,x\nmon,1\n", {.column = "day"}), HasSubstr("line 2, column 1: \"mon\""));
}

TEST(NumberText, SelectsTheOnlyNumericColumn) {
    const Numbers read = read_text("when,temperature,where\nmonday,21.5,x\ntuesday,22,y\n");
    EXPECT_EQ(read.array.type(), ElementType::f64);
    EXPECT_EQ(read.array.number(1), 22);
    EXPECT_EQ(read.selection, "column `temperature`, 2 rows");
    EXPECT_THAT(read.remarks, ElementsAre(Mentions(2, 1, "when", 3, "where")));
    EXPECT_THAT(numbers("1,\n2,\n"), ElementsAre(1, 2)) << "a comma ends each line";
}

TEST(NumberText, ReadsAllColumnsRowByRow) {
    EXPECT_THAT(all_columns("1\n2\n3\n"), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(all_columns("1.5,2\n3,4\n"), ElementsAre(2, 1.5, 2, 3, 4));
    EXPECT_THAT(all_columns("1,2\n3,4\n"), ElementsAre(2, 1, 2, 3, 4));
    EXPECT_THAT(all_columns("1,2\n"), ElementsAre(2, 1, 2)) << "a matrix of one row";
    EXPECT_THAT(all_columns("a;b;c\n1,5;2;3\n4;5;6\n"), ElementsAre(3, 1.5, 2, 3, 4, 5, 6));
    EXPECT_THAT(all_columns("day,x,y\nmonday,1,2\ntuesday,3,4\n"), ElementsAre(2, 1, 2, 3, 4))
        << "text has no numbers";
    EXPECT_THAT(all_columns("1,2,3,\n4,5,6,\n"), ElementsAre(3, 1, 2, 3, 4, 5, 6)) << "a comma ends the line";
    const auto complaint = [](const std::string& text) { return text_complaint(text, {.column = "all"}); };
    EXPECT_THAT(complaint("1,2,3\n4,5\n"), Mentions(2, 2, 3));
    EXPECT_THAT(complaint("1,2,3\n4,5,6,7\n"), HasSubstr("line 2: it has 4 columns"));
    EXPECT_THAT(complaint("1,2,3,\n4,5,6,7\n"), HasSubstr("line 2: it has 4 columns"));
    EXPECT_THAT(complaint("1,2,3\n4,,6\n"), Mentions(2, 2, "empty"));
    EXPECT_THAT(complaint("1,,3\n4,5,6\n"), Mentions(1, 2));
    EXPECT_THAT(complaint("1,2,3\n4,x,6\n"), Mentions(2, 2, "x"));
}

// --- Separators and decimal commas

TEST(NumberText, AcceptsWhiteSpaceAsSeparator) {
    EXPECT_THAT(all_columns("1 2 3\n4 5 6\n"), ElementsAre(3, 1, 2, 3, 4, 5, 6));
    EXPECT_THAT(all_columns("  1   2\n 10  20\n"), ElementsAre(2, 1, 2, 10, 20)) << "aligned columns";
    EXPECT_THAT(all_columns("1.000000000000000000e+00 2.000000000000000000e+00\n3e0 4e0\n"),
                ElementsAre(2, 1, 2, 3, 4))
        << "numpy.savetxt";
    EXPECT_THAT(all_columns("1\t2 \t3\n4 5\t6\n"), ElementsAre(3, 1, 2, 3, 4, 5, 6));
    EXPECT_THAT(all_columns("time value\n1 2\n3 4\n"), ElementsAre(2, 1, 2, 3, 4));
    EXPECT_THAT(all_columns("1,5 2\n3 4,25\n"), ElementsAre(2, 1.5, 2, 3, 4.25));
    EXPECT_THAT(numbers("my value\n1\n2\n"), ElementsAre(1, 2)) << "a heading of two words";
    EXPECT_THAT(all_columns("1, 5\n2, 25\n"), ElementsAre(2, 1, 5, 2, 25)) << "a comma followed by a space";
}

TEST(NumberText, AcceptsSemicolonsTabsAndDecimalCommas) {
    EXPECT_THAT(numbers("x;y\n1,5;2\n-0,25;3\n", {.column = "x"}), ElementsAre(1.5, -0.25));
    EXPECT_THAT(all_columns("1,5;2,5\n3;4\n"), ElementsAre(2, 1.5, 2.5, 3, 4));
    EXPECT_THAT(all_columns("1,5\t2\n3\t4\n"), ElementsAre(2, 1.5, 2, 3, 4));
    EXPECT_THAT(all_columns("\"1.5\",2\n\"2.5\",3"), ElementsAre(2, 1.5, 2, 2.5, 3));
    EXPECT_THAT(all_columns("\"a;b\",c\n1,2\n"), ElementsAre(2, 1, 2)) << "the semicolon is text";
    EXPECT_THAT(read_text("x;\n1,5;\n2,5;\n").remarks, ElementsAre(Mentions("1,5", "1.5")));
    EXPECT_THAT(text_complaint("x;\n1,5;\n2.25;\n"), Mentions(3, 1, "2.25", 2, "alike"));
    EXPECT_THAT(text_complaint("x;y\n1;2\n1,2,3;2\n", {.column = "x"}), HasSubstr("\"1,2,3\""));
}

TEST(NumberText, IgnoresAByteOrderMark) {
    EXPECT_THAT(numbers("\xEF\xBB\xBF"
                        "1\n2\n"),
                ElementsAre(1, 2));
    EXPECT_THAT(numbers("\xEF\xBB\xBFlength\n1\n"), ElementsAre(1));
    EXPECT_THAT(text_complaint(std::string("\xFF\xFE"
                                           "1\0\n\0",
                                           6)),
                HasSubstr("UTF-16"));
}

// --- Numbers in other forms

/// Forms of numbers that the reader refuses, and its advice for each.
struct OtherForms {
    const char* advice;
    std::vector<std::string> texts;
};
const OtherForms other_forms[] = {
    {"without brackets", {"(5)", "[5]", "(1.5)", "( 5 )", "-(5)", "(5", "5)"}},
    {"without the sign", {"5%", "5 %", "-5.5%"}},
    {"decimal digits", {"0x10", "-0xFF", "0b101"}},
    {"without the currency", {"$5", "$ 5", "-$5.20", "5 €", "£5", "5 EUR"}},
    {"minus sign before it", {"5-"}},
    {"1234.5",
     {"\u22125", "1'234.5", "1\u202F234", "1.234.567", "1_000", "“5”", "=5", "~5", "--5", "\uFF15",
      "\u0663\u0664"}},
    {"exponent", {"1.5d3", "1.5*10^3", "1.5 × 10^-3", "10^3"}},
    {"decimal number", {"1/2", "½", "1½"}},
    {"without its unit", {"5 kg", "5kg", "-1.5e3 µm", "20 °C", "5 m"}},
    {"without its unit or type", {"5.0f", "5u"}},
    {"uncertainty", {"5±1", "5 +/- 1"}},
    {"range", {"1e400", "-1e400", "1e-400"}},
};

/// By RFC 4180, a quote opens a quoted field only at the field's start.
TEST(NumberText, QuoteWithinAFieldHidesNoSeparator) {
    for (const char* const text :
         {"5\" pipe,load\nx,1\ny,2\n", "load,5\" pipe\n1,x\n2,y\n", "pipe 5\",load\nx,1\ny,2\n",
          "size,load\n5\" pipe,1\n6\" pipe,2\n", "5\" pipe;load\nx;1\ny;2\n", "5\" pipe\tload\nx\t1\ny\t2\n",
          "5' 3\",load\nx,1\ny,2\n", "size,load\nan \"8 pipe,1\na \"9 pipe,2\n",
          "\"5\"\" pipe\",load\nx,1\ny,2\n", "\"pipes, 5\"\"\",load\n\"a;b\",1\n\"c;d\",2\n",
          "size load\n5\" 1\n6\" 2\n", "size load\n\"a,b\" 1\n\"c,d\" 2\n", "a \"b; c\" d,load\nx,1\ny,2\n",
          "\"two\nlines; \",5\" load\nx,1\ny,2\n"})
        EXPECT_THAT(numbers(text), ElementsAre(1, 2)) << text;
    EXPECT_THAT(text_complaint("size,load\n\"5 pipe,1\n"), HasSubstr("quote"));
}

TEST(NumberText, RemarksOnRoundedIntegers) {
    const Numbers read = read_text("1\n9007199254740993\n9007199254740992\n-36028797018963969.0\n1e30\n");
    EXPECT_EQ(read.array.number(1), 9007199254740992);
    EXPECT_THAT(read.remarks,
                ElementsAre(Mentions(2, 2, 53, 64, 2, 1, "9007199254740993", "9007199254740992")));
    EXPECT_THAT(read_text("100000000000000000000\n000036028797018963968.00\n").remarks, IsEmpty());
}

/// The error has the cell's line and column in every position, and the cell never counts as a heading.
TEST(NumberText, RefusesOtherNumberFormatsWithTheirPlace) {
    for (const auto& [advice, texts] : other_forms)
        for (const std::string& cell : texts) {
            const auto expect_at = [&](const char* place, const std::string& text,
                                       const FileChoice& choice = {}) {
                EXPECT_THAT(text_complaint(text, choice),
                            HasSubstrs(fmt::format("{}: \"{}\"", place, cell), advice));
            };
            expect_at("line 1, column 1", cell + "\n7\n");
            expect_at("line 1, column 1", cell + "\n" + cell + "\n");
            expect_at("line 1, column 1", cell + "\n");
            expect_at("line 3, column 1", "x\n7\n" + cell + "\n");
            expect_at("line 2, column 1", "x\n" + cell + "\n7\n");
            expect_at("line 3, column 2", "x;y\n1;2\n7;" + cell + "\n", {.column = "all"});
            EXPECT_THAT(text_complaint("7;" + cell + "\n"), HasSubstr("line 1, column 2: "));
        }
}

TEST(NumberText, RefusesAmbiguousCommas) {
    EXPECT_THAT(text_complaint("1.234,56\n"), Mentions(1, 1, "1.234,56", "1234.56"));
    EXPECT_THAT(text_complaint("1.234,56\n7.234,5\n"), Mentions("line 1, column 1", "1234.56"));
    EXPECT_THAT(text_complaint("1\u00A0234,5\n7\n"), Mentions("line 1, column 1", "1234.5."));
    EXPECT_THAT(text_complaint("1 234,56\n"), Mentions("line 1, column 1", "1234.56"));
    EXPECT_THAT(numbers("1.234,56\n", {.column = "all"}), ElementsAre(1.234, 56))
        << "if all columns are chosen";
    for (const char* const rest : {"", "7\n", "(2,345.5)\n", "7,8\n"})
        EXPECT_THAT(text_complaint(std::string("(1,234.5)\n") + rest),
                    HasSubstrs("line 1, column 1: \"(1,234.5)\"", "without brackets"));
    EXPECT_THAT(text_complaint("x y\n0x10 6\n", {.column = "x"}), HasSubstr("line 2, column 1: \"0x10\""));
    for (const char* const number : {"1.234,56", "1,5", "-2,5e3", "1,234.56", "1 234"})
        for (const auto& [text, line] : {std::pair{"x\n{}\n7\n", 2}, {"7\n{}\n", 2}, {"7\n8\n{}\n", 3}})
            EXPECT_THAT(text_complaint(fmt::format(fmt::runtime(text), number)),
                        HasSubstr(fmt::format("line {}, column 1: \"{}\"", line, number)));
    EXPECT_THAT(question_of("1,5\n2,25\n").text, Mentions(1, 1, "1,5", "1.5"));
    EXPECT_THAT(text_complaint("x;y\n1.234,5;7\n", {.column = "x"}),
                HasSubstrs("line 2, column 1: \"1.234,5\"", "1234.5"));
}

TEST(NumberText, AcceptsNaNAndInfinity) {
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_THAT(numbers("x\n1\nnan\nNaN\n-nan\n"),
                ElementsAre(1, testing::IsNan(), testing::IsNan(), testing::IsNan()));
    EXPECT_THAT(numbers("inf\n-Infinity\n+inf\n"), ElementsAre(infinity, -infinity, infinity));
}

// --- Error messages

TEST(NumberText, ErrorsNameLineAndColumn) {
    EXPECT_THAT(text_complaint("x\n1\ntwo\n3\n"), Mentions("\"data.csv\"", 3, 1, "two"));
    EXPECT_THAT(text_complaint("a,1\nb\n"), HasSubstrs("line 2", "1 column"));
    EXPECT_THAT(text_complaint("a,1\nb,\n"), Mentions(2, 2, "empty"));
    EXPECT_THAT(text_complaint("1\n\n2\n"), HasSubstrs("line 2", "blank"));
    EXPECT_THAT(text_complaint("\"a\nb\"\n1\nx\n"), HasSubstr("line 4")) << "a quoted heading over two lines";
    EXPECT_THAT(text_complaint("1\n\"2\n"), HasSubstrs("\"data.csv\"", "line 2", "quote"));
    EXPECT_THAT(text_complaint("1\n2\n1 2\n"), HasSubstr("\"1 2\""));
    EXPECT_THAT(text_complaint("1\n+-1\n"), HasSubstr("\"+-1\""));
}

TEST(NumberText, CountsLinesInLongTexts) {
    std::string text;
    for (int i = 0; i < 400'000; ++i)
        text += "12345\r\n";
    EXPECT_THAT(text_complaint(text + "x\r\n1\r\n"), HasSubstr("line 400001, column 1: \"x\""));
}

TEST(NumberText, LimitsTheLengthOfALine) {
    const std::string endless(std::size_t{32} << 20, '1');
    EXPECT_THAT(text_complaint("1\n2\n" + endless), HasSubstrs("line 3", "longer than the limit of 16"));
    EXPECT_THAT(text_complaint("1\n\"" + endless), HasSubstrs("line 2", "Close a quote"));
}

TEST(NumberText, RefusesAFileWithoutNumbers) {
    EXPECT_THAT(text_complaint(""), HasSubstr("empty"));
    EXPECT_THAT(text_complaint("\n\r\n \n"), HasSubstr("empty"));
    EXPECT_THAT(text_complaint("heading\n"), HasSubstr("heading"));
    EXPECT_THAT(text_complaint("heading\nunit\n1\n"), HasSubstrs("line 2", "\"unit\""));
}

TEST(NumberText, RefusalsAreShortAndPrintable) {
    const std::string message = text_complaint("1\n" + std::string(100'000, '\x01') + "\n");
    EXPECT_LT(message.size(), 300u);
    EXPECT_EQ(message.find('\x01'), std::string::npos);
    const FileQuestion question = question_of(std::string(1000, '\x1b') + ",y\n1,2\n");
    EXPECT_LT(question.text.size(), 400u);
    EXPECT_EQ(question.text.find('\x1b'), std::string::npos);
    EXPECT_EQ(question.rows[0][0].find('\x1b'), std::string::npos);
}

/// Reads and refuses files of this many lines, cells, blank lines and quotes. Returns the processor time,
/// which other programs do not change, in clock ticks.
std::clock_t time_to_read(std::size_t count) {
    std::string text = "name,value\n", wide = "value";
    for (std::size_t i = 0; i < count; ++i) {
        text += fmt::format("row {},{}.25\n", i, i);
        wide += ",x";
    }
    wide += "\n1\n";
    const std::clock_t begin = std::clock();
    const Array column = read_text(text).array;
    EXPECT_THAT(text_complaint(wide), HasSubstr("line 2"));
    EXPECT_THAT(text_complaint("1\n" + std::string(10 * count, '\n') + "2\n"), HasSubstr("blank"));
    EXPECT_THAT(text_complaint("1\n" + std::string(10 * count + 1, '"') + "\n"), HasSubstr("quote"));
    const std::clock_t end = std::clock();
    EXPECT_EQ(column.count(), count);
    EXPECT_EQ(column.number(count - 1), static_cast<double>(count - 1) + 0.25);
    return end - begin;
}

TEST(NumberText, ReadsALongFileInLinearTime) {
    constexpr std::size_t few = 10'000, times_as_many = 16;
    const auto ratio = static_cast<double>(time_to_read(times_as_many * few)) /
                       static_cast<double>(std::max<std::clock_t>(time_to_read(few), 1));
    // Quadratic time would take 256 times as long.
    EXPECT_LT(ratio, 4.0 * times_as_many);
}

TEST(NumberText, SurvivesDamagedText) {
    const std::string originals[] = {
        "when,temperature\nmonday,21.5\ntuesday,-2.25e1\n",
        "x;y\r\n1,5;2\r\n\"-0,25\";3\r\n\r\n",
        "\xEF\xBB\xBF"
        "1\n2\n3\n\n",
        "\"a \"\"b\"\"\"\t1\n\"c\nd\"\t2\n",
        "1 2 3\n4 5 6\n",
        "1.234,5\n(5)\n",
    };
    const FileChoice choices[] = {
        {}, {.column = "all"}, {.column = "1", .has_header = false}, {.has_header = true}};
    std::mt19937 random(20240601);
    const int files = sample_of(20'000, 2'000);
    int read = 0;
    for (int i = 0; i < files; ++i) {
        const std::string text = test::mutated(originals[random() % std::size(originals)], random);
        try {
            const Array column = read_text(text, choices[random() % std::size(choices)]).array;
            ASSERT_FALSE(column.empty());
            ++read;
        } catch (const FileError& error) {
            ASSERT_TRUE(std::string_view(error.what()).starts_with("\"data.csv\": ")) << error.what();
        }
    }
    // Both outcomes must occur, or the mutations are too weak or too strong for a test.
    EXPECT_GT(read, files / 20);
    EXPECT_LT(read, files - files / 20);
}

}  // namespace gridstride::number_text_test
