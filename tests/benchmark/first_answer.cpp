// What a first answer costs: each variant of the lessons named, at its defaults, from the request to the
// first report that has a judged result. Once as a person meets it first, its kernels compiled by the driver,
// and once with another seed. The last column is the first over the median of all first ones.
//
//     build/release/bin/first_answer build/release/bin/gridstride matmul softmax
#include <fmt/format.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "client/client.h"
#include "lesson/lesson.h"

namespace gridstride {
namespace {

/// Milliseconds.
double to_first_report(lab::Client& client, const Experiment& experiment) {
    static std::uint64_t next = 1;
    lab::Request request;
    request.id = next++;
    request.experiment = experiment;
    request.sampling.first_quickly = true;
    const auto start = std::chrono::steady_clock::now();
    client.submit(request);
    double ms = 0;
    for (;;) {
        const std::optional<Report> report = client.wait(std::chrono::milliseconds(100));
        if (!report || report->request != request.id) continue;
        if (report->status != Status::ok && report->status != Status::wrong_on_purpose)
            throw std::runtime_error(report->message);
        if (ms == 0)
            ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        if (report->final) return ms;
    }
}

struct Row {
    std::string what;
    double first, again;
};

void measure(const char* program, const std::vector<const Lesson*>& lessons) {
    std::vector<Row> rows;
    std::vector<double> firsts;
    for (const Lesson* lesson : lessons)
        for (const Variant& variant : lesson->variants) {
            // A lab of its own has compiled nothing.
            const auto client = lab::start_lab({.program = program});
            client->limits();
            Experiment experiment = default_experiment(*lesson);
            experiment.variant = variant.id;
            Row row{lesson->id + " " + variant.id, to_first_report(*client, experiment), 0};
            experiment.values.set(key::seed.id, std::uint64_t{2});
            row.again = to_first_report(*client, experiment);
            firsts.push_back(row.first);
            rows.push_back(std::move(row));
        }
    const double median = summarize(firsts).median;
    fmt::print("{:<34} {:>9} {:>9} {:>6}\n", "at its defaults", "first", "again", "ratio");
    for (const Row& row : rows)
        fmt::print("{:<34} {:>6.0f} ms {:>6.0f} ms {:>6.2f}\n", row.what, row.first, row.again,
                   row.first / median);
}

}  // namespace
}  // namespace gridstride

int main(int argc, char** argv) {
    using namespace gridstride;
    if (argc < 2) {
        fmt::print(stderr, "usage: first_answer GRIDSTRIDE [LESSON ...]\n");
        return 2;
    }
    std::vector<const Lesson*> lessons;
    for (int i = 2; i < argc; ++i)
        if (const Lesson* const lesson = find_lesson(argv[i])) lessons.push_back(lesson);
    if (lessons.empty()) lessons.assign(all_lessons().begin(), all_lessons().end());
    measure(argv[1], lessons);
}
