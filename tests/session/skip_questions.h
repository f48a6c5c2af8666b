#pragma once

#include "session/session.h"

namespace gridstride::ui {

/// Of the step that is open: what runs by itself does so again.
inline void skip_questions(Session& session) {
    while (const auto question = session.open_question())
        session.skip_question(*question);
}

}  // namespace gridstride::ui
