#include "base/input_file.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/png_bytes.h"
#include "readers/image_file.h"
#include "readers/npy.h"
#include "readers/number_text.h"
#include "readers/wav.h"
#include "test_includes.h"

namespace gridstride::input_file_test {

constexpr std::uint64_t few_megabytes = std::uint64_t{8} << 20;

std::string complaint(const std::function<void()>& call) {
    return message_of<FileError>(call);
}
std::string complaint_of_reading(const fs::path& path) {
    return complaint([&] { read_file(path, 1 << 20); });
}

TEST(InputFile, RefusesFilesThatAreNotRegular) {
    const ScratchFolder folder;
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);  // no process writes to it
    EXPECT_THAT(complaint_of_reading(folder / "pipe"), Mentions("a pipe"));
    fs::create_symlink("/dev/zero", folder / "zero");
    EXPECT_THAT(complaint_of_reading(folder / "zero"), HasSubstrs("zero\"", "it is a device."));
    EXPECT_THAT(complaint_of_reading(folder.path()), Mentions("a folder"));

    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = folder / "socket";
    ASSERT_LT(name.size(), sizeof address.sun_path);
    name.copy(address.sun_path, name.size());
    ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_THAT(complaint_of_reading(name), HasSubstr("it is a socket."));
    ::close(socket);

    fs::create_symlink("pipe", folder / "a.wav");
    fs::create_symlink("pipe", folder / "a.png");
    fs::create_symlink("pipe", folder / "a.npy");
    fs::create_symlink("zero", folder / "a.csv");
    EXPECT_THAT(complaint([&] { read_wav(folder / "a.wav"); }), Mentions("a pipe"));
    EXPECT_THAT(complaint([&] { read_grey_png(folder / "a.png"); }), Mentions("a pipe"));
    EXPECT_THAT(complaint([&] { read_numbers(folder / "a.npy"); }), Mentions("a pipe"));
    EXPECT_THAT(complaint([&] { read_numbers(folder / "a.csv"); }), HasSubstr("it is a device."));
}

TEST(InputFile, LimitsTheBytesThatAreRead) {
    ASSERT_EQ(fs::file_size("/proc/self/status"), 0u) << "the stated size";
    EXPECT_THAT(complaint([] { read_file("/proc/self/status", 100); }), Mentions(100));

    const ScratchFolder folder;
    write_file(folder / "grows", "12345");
    InputFile file(folder / "grows", 10);
    std::ofstream(folder / "grows", std::ios::app) << "678901";
    std::array<char, 100> bytes{};
    EXPECT_THAT(complaint([&] { file.read_at(0, bytes); }), Mentions(10));
}

TEST(InputFile, ReportsTruncationDuringReading) {
    const ScratchFolder folder;
    write_file(folder / "a", std::string(100, 'x'));
    InputFile file(folder / "a");
    std::array<char, 60> bytes{};
    EXPECT_EQ(file.read_at(0, bytes), 60u);
    fs::resize_file(folder / "a", 70);
    EXPECT_THAT(complaint([&] { file.read_at(60, bytes); }), Mentions(70, 100));
    EXPECT_EQ(file.read_at(60, std::span(bytes).first(10)), 10u) << "the remaining bytes";
}

TEST(InputFile, ReadsARemovedFileToItsEnd) {
    const ScratchFolder folder;
    write_file(folder / "a", std::string(100, 'x'));
    InputFile file(folder / "a");
    fs::remove(folder / "a");
    std::array<char, 200> bytes{};
    EXPECT_EQ(file.read_at(0, bytes), 100u);
}

TEST(InputFile, ProgressCountsEachByteOnce) {
    const ScratchFolder folder;
    write_file(folder / "a", std::string(100, 'x'));
    FileProgress progress;
    InputFile file(folder / "a", 100, &progress);
    EXPECT_EQ(progress.total, 100u);
    std::array<char, 50> bytes{};
    for (const std::uint64_t at : {10, 0, 30, 60, 90}) {
        file.read_at(at, bytes);
        EXPECT_LE(progress.done, 100u);
    }
    EXPECT_EQ(progress.done, 100u);
}

// --- The readers of each kind

std::string sound_bytes(std::size_t samples) {
    const auto little_endian = [](std::size_t value, int count) {
        std::string out;
        for (int i = 0; i < count; ++i)
            out += static_cast<char>(value >> 8 * i & 0xFF);
        return out;
    };
    const std::size_t bytes = 2 * samples;
    return "RIFF" + little_endian(36 + bytes, 4) + "WAVEfmt " + little_endian(16, 4) + little_endian(1, 2) +
           little_endian(1, 2) + little_endian(48000, 4) + little_endian(96000, 4) + little_endian(2, 2) +
           little_endian(16, 2) + "data" + little_endian(bytes, 4) + std::string(bytes, '\x11');
}

/// Noise, which PNG hardly compresses.
std::string picture_bytes(std::uint32_t side) {
    std::vector<std::uint8_t> noise(std::size_t{side} * side);
    std::uint32_t state = 1;
    for (std::uint8_t& level : noise)
        level = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
    return test::png_bytes({side, side}, noise);
}

/// One file of each kind, of at least 9 MB.
class LongFiles : public testing::Test {
 protected:
    void each(const std::function<void(const fs::path& file, const std::function<void(FileProgress*)>& read)>&
                  body) const {
        const auto with = [&](const std::string& name, const std::string& content, auto read) {
            SCOPED_TRACE(name);
            ASSERT_GT(content.size(), few_megabytes + (1 << 20));
            write_file(folder_ / name, content);
            body(folder_ / name, [&](FileProgress* progress) { read(folder_ / name, progress); });
        };
        std::string text = "number\n";
        while (text.size() < 10'000'000)
            text += "12345.5\n";
        const auto numbers = [](const fs::path& file, FileProgress* progress) {
            read_numbers(file, {}, progress);
        };
        with("a.csv", text, numbers);
        with("a.npy", format_npy(Array(ElementType::u8, 10'000'000)), numbers);
        with("a.wav", sound_bytes(5'000'000),
             [](const fs::path& path, FileProgress* progress) { read_wav(path, {}, progress); });
        with("a.png", picture_bytes(3100),
             [](const fs::path& path, FileProgress* progress) { read_grey_png(path, progress); });
        with("a.comp", text,
             [](const fs::path& path, FileProgress* progress) { read_file(path, 1 << 24, progress); });
    }
    ScratchFolder folder_;
};

TEST_F(LongFiles, ReportProgress) {
    each([](const fs::path& file, const auto& read) {
        FileProgress progress;
        read(&progress);
        EXPECT_EQ(progress.total, fs::file_size(file));
        EXPECT_LE(progress.done, fs::file_size(file));
        EXPECT_GE(progress.done + 12, fs::file_size(file)) << "the last 12 bytes of a PNG are its end marker";
    });
}

TEST_F(LongFiles, CanBeCancelledWithinAFewMegabytes) {
    each([](const fs::path&, const auto& read) {
        FileProgress progress;
        progress.is_cancelled = true;
        EXPECT_THROW(read(&progress), Cancelled);
        EXPECT_LE(progress.done, few_megabytes);
    });
}

/// A file whose bytes cannot be read from an offset on.
class Damaged : public BytesInMemory {
 public:
    Damaged(std::string_view bytes, std::uint64_t good) : BytesInMemory(bytes), good_(good) {}
    std::size_t read_at(std::uint64_t at, std::span<char> to) override {
        if (at + to.size() > good_) throw ReadError("a.file", "it became shorter while it was read.");
        return BytesInMemory::read_at(at, to);
    }

 private:
    std::uint64_t good_;
};

/// The libraries for sound and pictures are in C, so no exception may propagate through them.
TEST(DamagedFiles, KeepTheErrorOfTheSourceAtAnyPosition) {
    std::string text;
    while (text.size() < 5'000'000)
        text += "1\n";
    const auto expect_own_words = [](const std::string& bytes, auto read) {
        for (const double part : {0.0, 0.00001, 0.5, 0.99})
            EXPECT_THAT(complaint([&] {
                            Damaged file(bytes, static_cast<std::uint64_t>(part * double(bytes.size())));
                            read(file);
                        }),
                        Mentions("a.file", "became"))
                << part;
    };
    expect_own_words(text, [](ByteSource& file) { read_number_text(file, "a.csv"); });
    expect_own_words(format_npy(Array(ElementType::u8, 5'000'000)),
                     [](ByteSource& file) { read_npy(file, "a.npy"); });
    expect_own_words(sound_bytes(2'500'000), [](ByteSource& file) { read_wav(file, "a.wav"); });
    expect_own_words(picture_bytes(1000), [](ByteSource& file) { read_grey_png(file, "a.png"); });
}

/// A small file may have many pixels, so cancellation must be checked between rows.
TEST(Pictures, CanBeCancelledBetweenRows) {
    struct GivenUp : BytesInMemory {
        using BytesInMemory::BytesInMemory;
        void throw_if_cancelled() override {
            if (++times == 100) throw Cancelled();
        }
        int times = 0;
    };
    const std::string bytes = test::png_bytes({1000, 1000}, std::vector<std::uint8_t>(1'000'000));
    GivenUp file{std::string_view(bytes)};
    EXPECT_THROW(read_grey_png(file, "a.png"), Cancelled);
    EXPECT_EQ(file.times, 100);
}

TEST(NumbersAsText, AreParsedWhileReading) {
    const ScratchFolder folder;
    std::string text = "1\nthree\n";
    text.append(std::size_t{32} << 20, '\n');
    write_file(folder / "a.csv", text);
    FileProgress progress;
    EXPECT_THAT(complaint([&] { read_numbers(folder / "a.csv", {}, &progress); }), HasSubstr("line 2"));
    EXPECT_LE(progress.done, few_megabytes) << "the rest was not read";
}

TEST(Npy, RefusesTooManyNumbersFromTheHeader) {
    const ScratchFolder folder;
    const std::string path = folder / "a.npy";
    for (const auto& [type, bytes] : {std::pair("|u1", 1), std::pair("<f8", 8)}) {
        const std::uint64_t count = max_numbers_in_file + 1;
        std::string header =
            fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}", type, count);
        header.resize(118, ' ');
        write_file(path, std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header);
        fs::resize_file(path, 128 + count * static_cast<unsigned>(bytes));  // a sparse file
        FileProgress progress;
        EXPECT_THAT(complaint([&] { read_numbers(path, {}, &progress); }),
                    Mentions("268435457 numbers", 268435456));
        EXPECT_LE(progress.done, 128u) << "the numbers were not read";
    }
}

}  // namespace gridstride::input_file_test
