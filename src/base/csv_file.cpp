#include "base/csv_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/quote.h"

namespace gridstride {

namespace fs = std::filesystem;

struct CsvFile::Output {
    fs::path path;       ///< as asked for
    fs::path target;     ///< the file that a symbolic link leads to
    fs::path temporary;  ///< empty: written in place, or finished
    std::FILE* file = nullptr;

    Output() = default;
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    ~Output() {
        if (file) std::fclose(file);
        if (!temporary.empty()) ::unlink(temporary.c_str());
    }

    [[noreturn]] void fail(const char* what_to_do) const {
        throw FileError(fmt::format("Cannot write {}: {}. {}", quoted_path(path),
                                    std::generic_category().message(errno), what_to_do));
    }
    void open_beside() {
        const fs::path folder = target.parent_path().empty() ? fs::path(".") : target.parent_path();
        for (unsigned number = 0; file == nullptr; ++number) {
            temporary = folder / fmt::format(".gridstride-{}-{}.csv.tmp", ::getpid(), number);
            file = std::fopen(temporary.c_str(), "wxe");
            if (file != nullptr || errno == EEXIST) continue;
            temporary.clear();
            fail("Choose another folder.");
        }
    }
};

CsvFile::CsvFile(fs::path path) : output_(std::make_unique<Output>()) {
    require_writable(path);
    std::error_code ignored;
    output_->path = path;
    output_->target = fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored) : path;
    const fs::file_status status = fs::status(path, ignored);
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        output_->file = std::fopen(path.c_str(), "we");
        if (output_->file == nullptr) output_->fail("Choose another file.");
        return;
    }
    output_->open_beside();
    if (fs::exists(status)) fs::permissions(output_->temporary, status.permissions(), ignored);
}

CsvFile::~CsvFile() = default;

void CsvFile::append(std::string_view records) {
    if (std::fwrite(records.data(), 1, records.size(), output_->file) != records.size() ||
        std::fflush(output_->file) != 0)
        output_->fail("Make room or choose another folder.");
}

void CsvFile::finish() {
    if (std::fclose(std::exchange(output_->file, nullptr)) != 0)
        output_->fail("Make room or choose another folder.");
    if (output_->temporary.empty()) return;
    if (::rename(output_->temporary.c_str(), output_->target.c_str()) != 0)
        output_->fail("Choose another name.");
    output_->temporary.clear();
}

}  // namespace gridstride
