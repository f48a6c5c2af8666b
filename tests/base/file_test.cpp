#include "base/file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "test_includes.h"

namespace gridstride::file_test {

std::string read_complaint(const fs::path& path, std::uintmax_t most = 1 << 20) {
    return message_of<FileError>([&] { read_file(path, most); });
}
std::string write_complaint(const fs::path& path) {
    return message_of<FileError>([&] { write_file(path, "x"); });
}
std::string writable_complaint(const fs::path& path) {
    return message_of<FileError>([&] { require_writable(path); });
}
mode_t permissions(const fs::path& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 07777;
}

TEST(ReadFile, RoundTripsBinaryContent) {
    const ScratchFolder folder;
    const std::string content("binary \0 and\r\nlines\n", 20);
    write_file(folder / "a", content);
    EXPECT_EQ(read_file(folder / "a"), content);
    EXPECT_EQ(read_file(folder / "a", content.size()), content);
    write_file(folder / "a", "");
    EXPECT_EQ(read_file(folder / "a"), "");
    EXPECT_EQ(folder.entries(), 1u);
}

TEST(ReadFile, ReadsFilesThatDoNotStateTheirSize) {
    EXPECT_THAT(read_file("/proc/self/status"), HasSubstr("Name:"));
}

TEST(ReadFile, ReportsWhyItFailed) {
    const ScratchFolder folder;
    write_file(folder / "file", "x");
    EXPECT_THAT(read_complaint(folder / "missing"), HasSubstrs("missing", "no such file"));
    EXPECT_THAT(read_complaint(folder / "file" / "below"), HasSubstr("no such file"));
    EXPECT_THAT(read_complaint(folder.path()), HasSubstrs(folder.path().string(), "folder"));
    EXPECT_THAT(read_complaint(""), HasSubstr("no such file"));
}

TEST(ReadFile, RefusesTooLargeFilesWithoutReadingThem) {
    const ScratchFolder folder;
    write_file(folder / "large", "");
    fs::resize_file(folder / "large", std::uintmax_t{5} << 30);  // a sparse file
    const std::string message = message_of<FileError>([&] { read_file(folder / "large"); });
    EXPECT_THAT(message, HasSubstrs("5\u00A0GiB", "256\u00A0MiB"));
}

TEST(WriteFile, ReplacesTheWholeFileAndKeepsItsPermissions) {
    const ScratchFolder folder;
    write_file(folder / "a", "a long first content");
    fs::permissions(folder / "a", fs::perms(0640));
    write_file(folder / "a", "short");
    EXPECT_EQ(read_file(folder / "a"), "short");
    EXPECT_EQ(permissions(folder / "a"), 0640u);
    EXPECT_EQ(folder.entries(), 1u);
}

TEST(WriteFile, RespectsTheUmask) {
    const ScratchFolder folder;
    const mode_t before = ::umask(027);
    write_file(folder / "a", "x");
    ::umask(before);
    EXPECT_EQ(permissions(folder / "a"), 0640u);
}

TEST(WriteFile, FollowsASymbolicLink) {
    const ScratchFolder folder;
    write_file(folder / "target", "old");
    fs::create_symlink("target", folder / "link");
    fs::create_symlink("new", folder / "dangling");
    write_file(folder / "link", "new");
    write_file(folder / "dangling", "made");
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(read_file(folder / "target"), "new");
    EXPECT_EQ(read_file(folder / "new"), "made");
}

TEST(WriteFile, WritesToADeviceInPlace) {
    const ScratchFolder folder;
    EXPECT_NO_THROW(write_file("/dev/null", "x"));
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    EXPECT_THAT(write_complaint("/dev/full"), HasSubstrs("/dev/full", "No space"));
}

TEST(WriteFile, AcceptsTheLongestName) {
    const ScratchFolder folder;
    EXPECT_NO_THROW(write_file(folder / std::string(255, 'n'), "x"));
    EXPECT_THAT(write_complaint(folder / std::string(256, 'n')), Mentions(256, 255));
}

TEST(WriteFile, ReportsWhatToDo) {
    const ScratchFolder folder;
    write_file(folder / "file", "x");
    const std::string missing = write_complaint(folder / "nowhere" / "y.csv");
    EXPECT_EQ(missing, "Cannot write \"" + (folder / "nowhere" / "y.csv").string() + "\": the folder " +
                           (folder / "nowhere").string() + " does not exist. Choose a folder that exists.");
    EXPECT_THAT(write_complaint(folder.path()), HasSubstr("is a folder"));
    EXPECT_THAT(write_complaint(folder / "file" / "below"), HasSubstr("is not a folder"));
    EXPECT_THAT(write_complaint(folder / "missing" / ""), HasSubstr("file name"));
    EXPECT_THAT(write_complaint(""), HasSubstr("name"));
}

/// Limits the size of this process's files during its lifetime.
class FileSizeLimit {
 public:
    explicit FileSizeLimit(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        rlimit limit = before_;
        limit.rlim_cur = bytes;
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, signal_);
    }

 private:
    void (*signal_)(int);
    rlimit before_{};
};

TEST(WriteFile, KeepsTheOldFileIfItFails) {
    const ScratchFolder folder;
    write_file(folder / "a", "the old content");
    std::string message;
    {
        const FileSizeLimit limit(4096);
        message = message_of<FileError>([&] { write_file(folder / "a", std::string(100'000, 'x')); });
    }
    EXPECT_THAT(message, HasSubstrs("Cannot write", "too large"));
    EXPECT_EQ(read_file(folder / "a"), "the old content");
    EXPECT_EQ(folder.entries(), 1u) << "no partial file is left";
}

TEST(RequireWritable, CreatesNothing) {
    const ScratchFolder folder;
    EXPECT_NO_THROW(require_writable(folder / "a"));
    EXPECT_NO_THROW(require_writable("/dev/null"));
    EXPECT_EQ(folder.entries(), 0u);
    EXPECT_THAT(writable_complaint(folder / "nowhere" / "a"), HasSubstr("does not exist"));
    EXPECT_THAT(writable_complaint(folder.path()), HasSubstr("is a folder"));
}

/// Prints why a user who is not root cannot write there, and ends the process.
[[noreturn]] void complain_as_somebody(const fs::path& path) {
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0 && ::setuid(nobody) != 0) std::_Exit(2);
    std::fputs(writable_complaint(path).c_str(), stderr);
    std::_Exit(0);
}

TEST(RequireWritableDeathTest, DetectsReadOnlyFilesAndFolders) {
    const ScratchFolder folder;
    write_file(folder / "a", "x");
    fs::permissions(folder / "a", fs::perms(0444));
    fs::permissions(folder.path(), fs::perms(0555));
    EXPECT_EXIT(complain_as_somebody(folder / "a"), testing::ExitedWithCode(0), "cannot be changed");
    EXPECT_EXIT(complain_as_somebody(folder / "b"), testing::ExitedWithCode(0), "is not writable");
    fs::permissions(folder.path(), fs::perms(0755));
}

TEST(DataDirectory, IsBesideTheProgramFolder) {
    const fs::path program = fs::read_symlink("/proc/self/exe");
    EXPECT_EQ(data_directory(),
              fs::weakly_canonical(program.parent_path().parent_path() / "share" / "gridstride"));
    EXPECT_TRUE(data_directory().is_absolute());
}

/// Sets or removes an environment variable during its lifetime.
class Environment {
 public:
    Environment(const char* name, const char* value) : name_(name) {
        if (const char* const old = std::getenv(name)) before_ = old;
        set(value);
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    ~Environment() { set(before_ ? before_->c_str() : nullptr); }

 private:
    void set(const char* value) {
        if (value == nullptr) {
            ::unsetenv(name_);
        } else {
            ::setenv(name_, value, 1);
        }
    }
    const char* name_;
    std::optional<std::string> before_;
};

TEST(XdgDirectories, FollowTheSpecification) {
    const Environment home("HOME", "/home/somebody");
    {
        const Environment config("XDG_CONFIG_HOME", "/etc/xdg-test");
        EXPECT_EQ(config_directory(), "/etc/xdg-test/gridstride");
    }
    {
        const Environment cache("XDG_CACHE_HOME", nullptr);
        EXPECT_EQ(cache_directory(), "/home/somebody/.cache/gridstride");
    }
    for (const char* const invalid : {"", "relative/path"}) {
        const Environment state("XDG_STATE_HOME", invalid);
        EXPECT_EQ(state_directory(), "/home/somebody/.local/state/gridstride");
    }
}

TEST(XdgDirectories, AreAbsoluteWithoutAHome) {
    const Environment home("HOME", nullptr);
    const Environment config("XDG_CONFIG_HOME", nullptr);
    EXPECT_TRUE(config_directory().is_absolute());
}

TEST(AppVersion, IsTheProjectVersion) {
    EXPECT_THAT(read_file(fs::path(GRIDSTRIDE_SOURCE_DIR) / "CMakeLists.txt"),
                HasSubstr("VERSION " + std::string(app_version())));
}

}  // namespace gridstride::file_test
