#include "analysis/Placement.h"

#include <doctest/doctest.h>

using namespace tilewright::analysis;

namespace {
Tenant tenant(int start, int end, int64_t bytes, int order) {
  Tenant made;
  made.alive = {{start, end}};
  made.bytes = bytes;
  made.order = order;
  return made;
}
} // namespace

TEST_CASE("of two that meet, the later lies low") {
  std::vector<Tenant> tenants{tenant(20, 24, 8192, 0), tenant(23, 24, 4096, 1)};
  CHECK(placeTenants(tenants, false) == 12288);
  CHECK(tenants[0].offset == 4096);
  CHECK(tenants[1].offset == 0);
}

TEST_CASE("equal beginnings: the later in the plan lies low") {
  std::vector<Tenant> tenants{tenant(20, 43, 32768, 0), tenant(20, 43, 32768, 1)};
  placeTenants(tenants, false);
  CHECK(tenants[0].offset == 32768);
  CHECK(tenants[1].offset == 0);
}

TEST_CASE("one that meets several which do not meet each other shares their place") {
  std::vector<Tenant> tenants{tenant(11, 15, 24000, 0), tenant(12, 13, 80, 1), tenant(15, 16, 80, 2)};
  CHECK(placeTenants(tenants, false) == 24080);
  CHECK(tenants[0].offset == 80);
  CHECK(tenants[1].offset == 0);
  CHECK(tenants[2].offset == 0);
}

TEST_CASE("three that all meet are placed in order of beginning") {
  std::vector<Tenant> tenants{tenant(3, 15, 2560, 0), tenant(4, 15, 2560, 1), tenant(7, 12, 2560, 2), tenant(7, 9, 2560, 3)};
  CHECK(placeTenants(tenants, false) == 4 * 2560);
  for (int i = 0; i < 4; ++i)
    CHECK(tenants[static_cast<size_t>(i)].offset == i * 2560);
}

TEST_CASE("fixed tenants are not moved, and the lowest peak of several orders wins") {
  std::vector<Tenant> tenants{tenant(0, 100, 1000, 0), tenant(5, 6, 64, 1), tenant(7, 8, 64, 2)};
  tenants[0].offset = 0;
  CHECK(placeTenants(tenants, true) == 1008 + 64);
  CHECK(tenants[1].offset == 1008);
  CHECK(tenants[2].offset == 1008);
}
