#include "assignment/handout.h"
#include "base/error.h"
#include "base/file.h"
#include "base/language.h"
#include "base/text.h"
#include "base/units.h"
#include "commands.h"
#include "standard_output.h"
#include "ui/desktop/plot_encoder.h"

namespace gridstride::app {

int run_command(const HandoutOptions& options) {
    require_writable(options.output);
    const CourseEntry& entry = *find_course_entry(options.lesson);
    const Story story = load_story(*entry.lesson, text_language(), entry.story);
    std::function<std::string(const Plot&)> draw;
    try {
        draw = ui::make_plot_encoder();
    } catch (const NoDevice& error) {
        print_status("the pictures are left out. {}", error.what());
    }
    const std::string page = format_handout(entry, story, draw);
    write_file(options.output, page);
    print_status("wrote {} to {}, {}.", entry.title, quote_path(options.output),
                 format_byte_text(page.size()));
    return exit_success;
}

}  // namespace gridstride::app
