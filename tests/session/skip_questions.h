#pragma once

#include "session/session.h"

namespace gridstride::ui {

/// Skips the questions of the open step, so that they do not block runs.
inline void skip_questions(Session& session) {
    while (const auto question = session.open_question())
        session.skip_question(*question);
}

}  // namespace gridstride::ui
