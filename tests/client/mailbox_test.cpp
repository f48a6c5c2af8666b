// What the client says of a request reaches that request, whether it runs already or not.
#include "client/mailbox.h"

#include "test_includes.h"

namespace gridstride::lab::mailbox_test {

Request numbered(std::uint64_t id) {
    Request request;
    request.id = id;
    return request;
}

TEST(Mailbox, WhatIsSaidBeforeARequestIsTakenIsNotLost) {
    Mailbox mailbox;
    mailbox.put(numbered(1));
    mailbox.supersede();
    const auto first = mailbox.take();
    EXPECT_EQ(first->request.id, 1u);
    EXPECT_TRUE(first->control.superseded);
    EXPECT_FALSE(first->control.cancelled);
    mailbox.cancel();
    EXPECT_TRUE(first->control.cancelled) << "it runs now";
}

TEST(Mailbox, WhatIsSaidOfTheNextIsNotForTheOneThatHasJustEnded) {
    Mailbox mailbox;
    mailbox.put(numbered(1));
    const auto first = mailbox.take();
    // The client has the report of the first already, this process has not yet said done().
    mailbox.put(numbered(2));
    mailbox.cancel();
    mailbox.done();
    const auto second = mailbox.take();
    EXPECT_EQ(second->request.id, 2u);
    EXPECT_FALSE(first->control.cancelled);
    EXPECT_TRUE(second->control.cancelled);
}

TEST(Mailbox, WhatIsSaidOfNobodyIsForgotten) {
    Mailbox mailbox;
    mailbox.cancel();
    mailbox.put(numbered(1));
    const auto job = mailbox.take();
    ASSERT_TRUE(job);
    EXPECT_FALSE(job->control.cancelled);
    mailbox.done();
    mailbox.end();
    EXPECT_FALSE(mailbox.take());
}

}  // namespace gridstride::lab::mailbox_test
