#include "generate/scene_grid.hpp"

#include "talus/core/error.hpp"

namespace talus {
namespace {

constexpr std::size_t most_levels = 40;

bool nearer(const Vec3& a, const Vec3& b, double distance) {
  const Vec3 d = a - b;
  return dot(d, d) < distance * distance;
}

}  // namespace

SphereGrid::SphereGrid(double largest_radius, std::size_t expected) : levels_(most_levels) {
  TALUS_ASSERT(largest_radius > 0.0);
  for (std::size_t level = 0; level < most_levels; ++level)
    levels_[level].largest = level == 0 ? largest_radius : 0.5 * levels_[level - 1].largest;
  std::size_t slots = 64;
  while (slots < 2 * expected) slots *= 2;
  first_.assign(slots, -1);
  spheres_.reserve(expected);
}

SphereGrid::Cell SphereGrid::cell_of(const Vec3& point, std::size_t level) const {
  const double width = 2.0 * levels_[level].largest;
  const auto along = [&](double x) { return static_cast<std::int64_t>(std::floor(x / width)); };
  return {along(point.x), along(point.y), along(point.z), level};
}

std::size_t SphereGrid::slot(const Cell& cell) const {
  // odd factors with well mixed bits; the high bits of the product are the mixed ones
  const std::uint64_t mixed = static_cast<std::uint64_t>(cell.x) * 0x9e3779b97f4a7c15U ^
                              static_cast<std::uint64_t>(cell.y) * 0xc2b2ae3d27d4eb4fU ^
                              static_cast<std::uint64_t>(cell.z) * 0x165667b19e3779f9U ^
                              static_cast<std::uint64_t>(cell.level) * 0xd6e8feb86659fd93U;
  return static_cast<std::size_t>((mixed ^ mixed >> 32) * 0x9fb21c651e98df25U >> 32) &
         (first_.size() - 1);
}

void SphereGrid::link(Index number) {
  Sphere& sphere = spheres_[number];
  Index& first = first_[slot(sphere.cell)];
  sphere.next = first;
  first = number;
}

void SphereGrid::widen() {
  first_.assign(2 * first_.size(), -1);
  for (std::size_t i = 0; i < spheres_.size(); ++i) link(static_cast<Index>(i));
}

void SphereGrid::insert(const Vec3& centre, double radius) {
  TALUS_ASSERT(radius <= levels_.front().largest);
  std::size_t level = 0;
  while (level + 1 < most_levels && radius <= levels_[level + 1].largest) ++level;
  const auto number = static_cast<Index>(spheres_.size());
  spheres_.push_back({centre, radius, cell_of(centre, level), -1});
  levels_[level].spheres.push_back(number);
  if (spheres_.size() > first_.size())
    widen();
  else
    link(number);
}

template <class Near>
bool SphereGrid::visit_level(std::size_t level, const Vec3& centre, double reach,
                             Near& near) const {
  const double far = reach + levels_[level].largest;
  const Cell low = cell_of(centre - Vec3{far, far, far}, level);
  const Cell high = cell_of(centre + Vec3{far, far, far}, level);
  const auto width = [](std::int64_t a, std::int64_t b) { return static_cast<double>(b - a + 1); };
  const double cells = width(low.x, high.x) * width(low.y, high.y) * width(low.z, high.z);
  // a large sphere among few small ones: more cells than spheres
  if (cells > static_cast<double>(levels_[level].spheres.size())) {
    for (const Index i : levels_[level].spheres)
      if (!near(i)) return false;
    return true;
  }
  Cell cell = low;
  for (cell.z = low.z; cell.z <= high.z; ++cell.z)
    for (cell.y = low.y; cell.y <= high.y; ++cell.y)
      for (cell.x = low.x; cell.x <= high.x; ++cell.x)
        for (Index i = first_[slot(cell)]; i >= 0; i = spheres_[i].next)
          if (spheres_[i].cell == cell && !near(i)) return false;
  return true;
}

template <class Near>
void SphereGrid::visit(const Vec3& centre, double reach, Near near) const {
  for (std::size_t level = 0; level < most_levels; ++level)
    if (!levels_[level].spheres.empty() && !visit_level(level, centre, reach, near)) return;
}

bool SphereGrid::free(const Vec3& centre, double radius) const {
  bool is_free = true;
  visit(centre, radius, [&](Index i) {
    const Sphere& other = spheres_[i];
    is_free = !nearer(centre, other.centre, radius + other.radius);
    return is_free;
  });
  return is_free;
}

void SphereGrid::find(const Vec3& centre, double reach, std::vector<Index>& found) const {
  visit(centre, reach, [&](Index i) {
    const Sphere& other = spheres_[i];
    if (nearer(centre, other.centre, reach + other.radius)) found.push_back(i);
    return true;
  });
}

}  // namespace talus
