#include "assignment/zip_file.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <locale.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"

namespace gridstride {

namespace {

namespace fs = std::filesystem;

/// While it lives, libarchive takes names of files in this thread for UTF-8, whatever the environment says.
class Utf8Names {
 public:
    Utf8Names() : utf8_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)), previous_(uselocale(utf8_)) {}
    ~Utf8Names() {
        uselocale(previous_);
        if (utf8_) freelocale(utf8_);
    }
    Utf8Names(const Utf8Names&) = delete;
    Utf8Names& operator=(const Utf8Names&) = delete;

 private:
    locale_t utf8_, previous_;
};

using Reader = std::unique_ptr<archive, int (*)(archive*)>;
using Entry = std::unique_ptr<archive_entry, void (*)(archive_entry*)>;

std::string describe_error(archive* from) {
    const char* const text = archive_error_string(from);
    return text ? printable(text) : "unknown error";
}

std::string name_of(archive_entry* entry) {
    if (const char* const name = archive_entry_pathname_utf8(entry)) return name;
    const char* const name = archive_entry_pathname(entry);
    return name ? name : "";
}

/// Returns why an entry must not be read; empty if it may be.
std::string find_problem(archive_entry* entry, const std::string& name) {
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_symlink(entry) ||
        archive_entry_hardlink(entry))
        return "it is a link or a device";
    const fs::path path(name);
    if (name.empty() || path.is_absolute() || name.find('\\') != std::string::npos ||
        std::ranges::count(path, fs::path("..")) > 0)
        return "its name leads out of the archive";
    return {};
}

/// Reads the content, or sets the problem. Returns the number of bytes that were unpacked.
std::uintmax_t read_content(archive* from, std::uintmax_t max_bytes, ZipEntry& entry) {
    std::array<char, 1 << 16> buffer;
    for (;;) {
        const la_ssize_t count = archive_read_data(from, buffer.data(), buffer.size());
        if (count < 0) entry.problem = fmt::format("it cannot be unpacked: {}", describe_error(from));
        if (count <= 0) break;
        entry.content.append(buffer.data(), static_cast<std::size_t>(count));
        if (entry.content.size() <= max_bytes) continue;
        entry.problem = fmt::format("it has more than {}, which is the limit", format_byte_text(max_bytes));
        break;
    }
    const std::uintmax_t unpacked = entry.content.size();
    if (!entry.problem.empty()) entry.content.clear();
    return unpacked;
}

}  // namespace

void read_zip(const fs::path& path, std::uintmax_t max_entry_bytes,
              const std::function<void(ZipEntry)>& take) {
    const auto fail = [&](const std::string& reason) {
        throw FileError(fmt::format("Cannot read {}: {}", quote_path(path), reason));
    };
    const Utf8Names utf8_names;
    const Reader reader(archive_read_new(), archive_read_free);
    archive_read_support_format_zip(reader.get());
    if (archive_read_open_filename(reader.get(), path.c_str(), 1 << 16) != ARCHIVE_OK)
        fail(describe_error(reader.get()) + ". Give a folder or a .zip.");
    std::uintmax_t unpacked = 0;
    archive_entry* header = nullptr;
    std::size_t count = 0;
    for (int status; (status = archive_read_next_header(reader.get(), &header)) != ARCHIVE_EOF;) {
        if (status < ARCHIVE_WARN)
            fail(fmt::format("it is not a .zip file, or it is damaged: {}.", describe_error(reader.get())));
        if (archive_entry_filetype(header) == AE_IFDIR) continue;
        if (++count > max_zip_entries)
            fail(fmt::format("it has more than {} files, which is the limit. Divide it.",
                             format_count(max_zip_entries)));
        ZipEntry entry{.name = name_of(header)};
        entry.problem = find_problem(header, entry.name);
        if (entry.problem.empty()) unpacked += read_content(reader.get(), max_entry_bytes, entry);
        if (unpacked > max_zip_bytes)
            fail(fmt::format("its files have more than {} together, which is the limit. Divide it.",
                             format_byte_text(max_zip_bytes)));
        take(std::move(entry));
    }
}

void write_zip(const fs::path& path, const std::map<std::string, std::string>& files) {
    const Utf8Names utf8_names;
    OutputFile output(path, ".part");
    const Reader writer(archive_write_new(), archive_write_free);
    const auto require = [&](bool has_succeeded) {
        if (!has_succeeded) throw_cannot_write(path, describe_error(writer.get()));
    };
    require(archive_write_set_format_zip(writer.get()) == ARCHIVE_OK &&
            archive_write_open_fd(writer.get(), output.descriptor()) == ARCHIVE_OK);
    for (const auto& [name, content] : files) {
        const Entry entry(archive_entry_new(), archive_entry_free);
        archive_entry_set_pathname(entry.get(), name.c_str());
        archive_entry_set_filetype(entry.get(), AE_IFREG);
        archive_entry_set_perm(entry.get(), 0644);
        archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
        require(archive_write_header(writer.get(), entry.get()) == ARCHIVE_OK &&
                archive_write_data(writer.get(), content.data(), content.size()) ==
                    static_cast<la_ssize_t>(content.size()));
    }
    require(archive_write_close(writer.get()) == ARCHIVE_OK);
    if (!output.close() || !output.rename_to_target()) throw_cannot_write(path, write_error_text(errno));
}

}  // namespace gridstride
