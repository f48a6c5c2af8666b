#include "storage/saved_file.h"

#include <nlohmann/json.hpp>

#include "base/shared_file.h"
#include "storage/notices.h"
#include "test_includes.h"

namespace gridstride::saved_file_test {

constexpr SavedFormat format{"The numbers", 3, "; there are none", 1000};

class SavedFileTest : public testing::Test {
 protected:
    SavedFileTest() { take_notices(); }

    bool read(const Descriptor* lock = nullptr) {
        return read_saved_file(
            file_, format,
            [&](const nlohmann::ordered_json& json) { number_ = json.at("number").get<int>(); }, lock);
    }

    ScratchFolder scratch_;
    std::filesystem::path file_ = scratch_ / "numbers.json";
    int number_ = 0;
};

TEST_F(SavedFileTest, ReadsAValidFile) {
    EXPECT_FALSE(read()) << "the file does not exist";
    write_file(file_, R"({"schema_version":3,"number":7})");
    EXPECT_TRUE(read());
    EXPECT_EQ(number_, 7);
    write_file(file_, R"({"number":8})");
    EXPECT_TRUE(read()) << "a file without a version has version 1";
    EXPECT_EQ(number_, 8);
    EXPECT_THAT(take_notices(), IsEmpty());
    EXPECT_EQ(scratch_.entries(), 1U);
}

TEST_F(SavedFileTest, SetsADamagedFileAsideAndAddsANotice) {
    const std::string deep(100'000, '[');
    const std::string large = R"({"number":1,"more":")" + std::string(format.max_bytes, 'x') + "\"}";
    const std::vector<std::string> damaged = {"",
                                              "[]",
                                              R"({"number":"none"})",
                                              R"({"other":1})",
                                              R"({"number":1,"a":)" + deep,
                                              large,
                                              R"({"schema_version":"9","number":1})",
                                              R"({"schema_version":-1,"number":1})",
                                              R"({"schema_version":1.5,"number":1})"};
    for (std::size_t i = 0; i < damaged.size(); ++i) {
        const bool has_lock = i % 2 == 0;
        write_file(file_, damaged[i]);
        const std::optional<Descriptor> lock =
            has_lock ? lock_file(file_, std::chrono::milliseconds(0)) : std::nullopt;
        EXPECT_FALSE(read(has_lock ? &*lock : nullptr)) << i;
        EXPECT_FALSE(std::filesystem::exists(file_)) << i;
        const std::string damaged_copy = file_.string() + ".damaged";
        EXPECT_EQ(read_file(damaged_copy), damaged[i]) << i;
        if (i > 0) {
            EXPECT_EQ(read_file(damaged_copy + "-2"), damaged[i - 1]) << "earlier damaged files stay";
        }
        EXPECT_THAT(take_notices(),
                    ElementsAre(AllOf(HasSubstrs("The numbers in ", damaged_copy, "; there are none."),
                                      Not(HasSubstr("exception")))));
    }
    EXPECT_EQ(read_file(file_.string() + ".damaged-" + std::to_string(damaged.size())), damaged.front());
}

TEST_F(SavedFileTest, ADamagedFileStaysIfAnotherProcessLocksIt) {
    write_file(file_, "{");
    const std::optional<Descriptor> other_lock = lock_file(file_, std::chrono::milliseconds(0));
    EXPECT_THAT(message_of<ReadError>([&] { read(); }), Mentions("locked"));
    EXPECT_EQ(read_file(file_), "{");
}

TEST_F(SavedFileTest, ADamagedFileStaysIfItCannotBeRenamed) {
    write_file(file_, "{");
    for (int copy = 1; copy <= 9; ++copy)
        std::filesystem::create_directories(file_.string() + ".damaged" +
                                            (copy > 1 ? "-" + std::to_string(copy) : "") + "/in the way");
    EXPECT_THAT(message_of<ReadError>([&] { read(); }), Mentions("renamed"));
    const std::optional<Descriptor> lock = lock_file(file_, std::chrono::milliseconds(0));
    EXPECT_THAT(message_of<ReadError>([&] { read(&*lock); }), Mentions("renamed"));
    EXPECT_EQ(read_file(file_), "{");
    EXPECT_THAT(take_notices(), IsEmpty());
}

TEST_F(SavedFileTest, NeitherReadsNorChangesAFileOfANewerVersion) {
    for (const std::string version : {"4", "2147483647", "4294967297", "18446744073709551615"}) {
        const std::string newer_text = R"({"schema_version":)" + version + R"(,"number":1})";
        write_file(file_, newer_text);
        EXPECT_THAT(message_of<NewerVersion>([&] { read(); }), Mentions("newer", "reads version 3"));
        EXPECT_EQ(read_file(file_), newer_text);
    }
    EXPECT_EQ(number_, 0);
}

TEST_F(SavedFileTest, OnlyAnExportOfTheSameKindKeepsANewerVersionsFile) {
    require_not_newer(file_, format, "number");
    write_file(file_, R"({"schema_version":4,"number":1})");
    EXPECT_THROW(require_not_newer(file_, format, "number"), NewerVersion);
    EXPECT_NO_THROW(require_not_newer(file_, format, "letters"));
    for (const char* other : {"text", R"({"schema_version":3,"number":1})", "{", "[4]"}) {
        write_file(file_, other);
        EXPECT_NO_THROW(require_not_newer(file_, format, "number")) << other;
    }
}

TEST_F(SavedFileTest, AFolderIsNotADamagedFile) {
    std::filesystem::create_directory(file_);
    EXPECT_THROW(read(), ReadError);
    EXPECT_TRUE(std::filesystem::is_directory(file_));
}

}  // namespace gridstride::saved_file_test
