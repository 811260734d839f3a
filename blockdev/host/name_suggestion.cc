#include "blockdev/host/name_suggestion.h"

#include <algorithm>
#include <array>

namespace volt {
namespace {

constexpr std::size_t longest_name = 48;  // anything longer is no slip of the fingers

using Row = std::array<std::size_t, longest_name + 1>;

std::size_t distance(std::string_view a, std::string_view b) {
  std::array<Row, 3> rows{};  // of three letters of `a`: the one before the last, the last, this
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    Row& now = rows[i % 3];
    const Row& last = rows[(i + 2) % 3];
    const Row& before = rows[(i + 1) % 3];
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, changed});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

}  // namespace

std::string nearest_name(std::string_view typed, const std::vector<std::string>& names) {
  if (typed.size() > longest_name) return {};
  const std::size_t most = std::max<std::size_t>(1, typed.size() / 3);
  std::size_t best = most + 1;
  std::string found;
  for (const std::string& name : names) {
    if (name.size() > longest_name) continue;
    const std::size_t now = distance(typed, name);
    if (now >= best) continue;
    best = now;
    found = name;
  }
  return found;
}

}  // namespace volt
