// Who watches for requests, and who is woken.
#include <poll.h>

#include <gtest/gtest.h>

#include "daemon/serve/ring_worker.h"

namespace volt {
namespace {

bool rings(const RingTeam& team) {
  struct pollfd bell = {team.bell(), POLLIN, 0};
  return poll(&bell, 1, 0) == 1;
}

TEST(RingTeam, OneWatches) {
  const auto team = RingTeam::create();
  ASSERT_TRUE(team.ok());
  EXPECT_TRUE((*team)->claim_watch());
  EXPECT_FALSE((*team)->claim_watch());
  (*team)->leave_watch();
  EXPECT_TRUE((*team)->claim_watch());
}

TEST(RingTeam, AllWhoListenAreRungFor) {
  const auto team = RingTeam::create();
  ASSERT_TRUE(team.ok());
  for (int i = 0; i < 3; ++i) (*team)->listen();
  EXPECT_FALSE(rings(**team));
  (*team)->ring();
  for (int i = 0; i < 3; ++i) {
    // One that has heard it leaves the others theirs.
    EXPECT_TRUE(rings(**team)) << i;
    (*team)->hear();
  }
  EXPECT_FALSE(rings(**team));
  (*team)->ring();
  EXPECT_FALSE(rings(**team)) << "nobody listens any more";
  (*team)->hear();  // nothing to hear does not wait
}

}  // namespace
}  // namespace volt
