#include "csv_rows.h"

#include "base/error.h"
#include "left_behind.h"
#include "present/report_csv.h"
#include "standard_output.h"

namespace gridstride::app {

CsvRows::CsvRows(const std::string& csv) : to_stdout_(csv == "-") {
    if (to_stdout_) print("{}", csv_header());
    if (csv.empty() || to_stdout_) return;
    name_left_behind(csv);
    file_.emplace(csv, csv_header());
}

CsvRows::~CsvRows() {
    finish();
}

void CsvRows::write(const Report& report) {
    any_ = true;
    const std::string records = csv_rows(report);
    if (to_stdout_) {
        print("{}", records);
        flush_stdout();
    }
    if (!file_) return;
    try {
        file_->append(records);
    } catch (const FileError& error) {
        if (!std::exchange(complained_, true)) say("{}", error.what());
    }
}

bool CsvRows::finish() {
    if (!file_) return true;
    bool is_whole = true;
    try {
        file_->finish();
    } catch (const FileError& error) {
        say("{}", error.what());
        is_whole = false;
    }
    file_.reset();
    return is_whole;
}

}  // namespace gridstride::app
