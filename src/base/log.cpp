#include "base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "base/text.h"

namespace gridstride {

void set_up_log() {
    auto logger =
        std::make_shared<spdlog::logger>("gridstride", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    logger->set_pattern("gridstride: %l: %v");
    logger->set_level(spdlog::level::info);
    spdlog::set_default_logger(logger);

    const char* const level_name = std::getenv("GRIDSTRIDE_LOG");
    if (level_name == nullptr || *level_name == '\0') return;
    const spdlog::level::level_enum level = spdlog::level::from_str(level_name);
    // from_str returns `off` for an unknown name; silence would hide the misspelling.
    if (level == spdlog::level::off && std::string(level_name) != "off") {
        logger->warn(
            "GRIDSTRIDE_LOG=\"{}\" is not a log level. Use trace, debug, info, warning, error, critical or "
            "off.",
            escape_controls(level_name));
        return;
    }
    logger->set_level(level);
}

void log_debug(const std::string& text) {
    spdlog::debug(escape_controls(text));
}
void log_info(const std::string& text) {
    spdlog::info(escape_controls(text));
}
void log_warning(const std::string& text) {
    spdlog::warn(escape_controls(text));
}
void log_error(const std::string& text) {
    spdlog::error(escape_controls(text));
}

}  // namespace gridstride
