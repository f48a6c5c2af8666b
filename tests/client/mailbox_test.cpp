// What the client says of a request reaches that request, whether it runs already or not.
#include "client/mailbox.h"

#include <gtest/gtest.h>

namespace gridstride::lab {
namespace {

Request numbered(std::uint64_t id) {
    Request request;
    request.id = id;
    return request;
}

TEST(Mailbox, WhatIsSaidBeforeARequestIsTakenIsNotLost) {
    Mailbox mailbox;
    mailbox.put(numbered(1));
    mailbox.supersede();
    Control first;
    EXPECT_EQ(mailbox.take(first)->id, 1u);
    EXPECT_TRUE(first.superseded);
    EXPECT_FALSE(first.cancelled);
    mailbox.cancel();
    EXPECT_TRUE(first.cancelled) << "it runs now";
}

TEST(Mailbox, WhatIsSaidOfTheNextIsNotForTheOneThatHasJustEnded) {
    Mailbox mailbox;
    mailbox.put(numbered(1));
    Control first, second;
    mailbox.take(first);
    // The client has the report of the first already, this process has not yet said done().
    mailbox.put(numbered(2));
    mailbox.cancel();
    mailbox.done();
    EXPECT_EQ(mailbox.take(second)->id, 2u);
    EXPECT_FALSE(first.cancelled);
    EXPECT_TRUE(second.cancelled);
}

TEST(Mailbox, WhatIsSaidOfNobodyIsForgotten) {
    Mailbox mailbox;
    mailbox.cancel();
    mailbox.put(numbered(1));
    Control control;
    mailbox.take(control);
    EXPECT_FALSE(control.cancelled);
    mailbox.done();
    mailbox.end();
    EXPECT_FALSE(mailbox.take(control));
}

}  // namespace
}  // namespace gridstride::lab
