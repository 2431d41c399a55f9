#include "geometry/box_contacts.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

// How much better a later kind of axis must be: faces of a, then faces of b, then edges. So that
// faces that lie on each other, for which all are equal, do not change places from step to step.
constexpr double preference = 0.02;

/// d . a_i, d . b_j, and a_i . b_j, for d from a to b.
struct Projections {
  Vec3 between;
  std::array<double, 3> along_a{}, along_b{};
  std::array<std::array<double, 3>, 3> cosine{};
};

Projections projections_of(const PlacedBox& a, const PlacedBox& b) {
  Projections p;
  p.between = b.centre - a.centre;
  for (std::size_t i = 0; i < 3; ++i) {
    p.along_a[i] = dot(p.between, a.axis[i]);
    p.along_b[i] = dot(p.between, b.axis[i]);
    for (std::size_t j = 0; j < 3; ++j) p.cosine[i][j] = dot(a.axis[i], b.axis[j]);
  }
  return p;
}

Vec3 towards(double along, const Vec3& axis) {
  return along < 0.0 ? -axis : axis;
}

Separation best_face_of_a(const BoxPair& pair, const Projections& p) {
  Separation best;
  best.gap = -infinity;
  for (std::size_t i = 0; i < 3; ++i) {
    double reach = pair.a.half[i];
    for (std::size_t j = 0; j < 3; ++j) reach += pair.b.half[j] * std::fabs(p.cosine[i][j]);
    const double gap = std::fabs(p.along_a[i]) - reach;
    if (gap > best.gap)
      best = {gap, towards(p.along_a[i], pair.a.axis[i]), BoxFeature::FaceOfA, i, 0};
  }
  return best;
}

Separation best_face_of_b(const BoxPair& pair, const Projections& p) {
  Separation best;
  best.gap = -infinity;
  for (std::size_t j = 0; j < 3; ++j) {
    double reach = pair.b.half[j];
    for (std::size_t i = 0; i < 3; ++i) reach += pair.a.half[i] * std::fabs(p.cosine[i][j]);
    const double gap = std::fabs(p.along_b[j]) - reach;
    if (gap > best.gap)
      best = {gap, towards(p.along_b[j], pair.b.axis[j]), BoxFeature::FaceOfB, 0, j};
  }
  return best;
}

/// Along a_i x b_j, which is what an edge of each spans.
Separation best_edges(const BoxPair& pair, const Projections& p) {
  Separation best;
  best.gap = -infinity;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      if (parallel(pair.a.axis[i], pair.b.axis[j])) continue;
      const double reach = pair.a.half[i1] * std::fabs(p.cosine[i2][j]) +
                           pair.a.half[i2] * std::fabs(p.cosine[i1][j]) +
                           pair.b.half[j1] * std::fabs(p.cosine[i][j2]) +
                           pair.b.half[j2] * std::fabs(p.cosine[i][j1]);
      const Vec3 direction = cross(pair.a.axis[i], pair.b.axis[j]);
      const double along = dot(p.between, direction), sine = length(direction);
      const double gap = (std::fabs(along) - reach) / sine;
      if (gap > best.gap)
        best = {gap, towards(along, (1.0 / sine) * direction), BoxFeature::Edges, i, j};
    }
  return best;
}

bool clearly_better(const BoxPair& pair, const Separation& later, const Separation& first) {
  return later.gap > first.gap + preference * std::fabs(first.gap) + pair.slack();
}

double smallest_gap(const std::vector<ContactPoint>& contacts, std::size_t from) {
  double smallest = infinity;
  for (std::size_t k = from; k < contacts.size(); ++k)
    smallest = std::fmin(smallest, contacts[k].gap);
  return smallest;
}

/// The corner of the incident box that reaches deepest into the reference face.
ContactPoint deepest_corner(const BoxPair& pair, const Separation& s) {
  const bool of_b = s.kind == BoxFeature::FaceOfA;  // the corner is b's
  const PlacedBox& box = of_b ? pair.b : pair.a;
  const Vec3 inwards = of_b ? -s.normal : s.normal;
  unsigned number = 0;
  for (unsigned k = 0; k < 3; ++k)
    if (dot(inwards, box.axis[k]) > 0.0) number |= 1U << k;
  const auto kind = of_b ? BoxFeature::CornerOfB : BoxFeature::CornerOfA;
  return {corner(box, number) + (0.5 * s.gap) * inwards, s.normal, s.gap,
          box_feature(kind, 27 * 8 + number)};
}

}  // namespace

// Of boxes that overlap, the axis of least overlap is that of the nearest facet of their Minkowski
// difference, and the features it names do cross [Ericson05, 4.4 and 5.2]. Of boxes that
// are apart its gap is their distance only where the nearest points lie on those features; else
// they are looked for.
void collide_boxes(const PlacedBox& a, const PlacedBox& b, double margin,
                   std::vector<ContactPoint>& contacts) {
  double size = a.half[0];
  for (std::size_t k = 0; k < 3; ++k) size = std::fmin(size, std::fmin(a.half[k], b.half[k]));
  const BoxPair pair{a, b, margin, size};
  const Projections p = projections_of(a, b);
  const Separation of_a = best_face_of_a(pair, p);
  if (of_a.gap > margin) return;
  const Separation of_b = best_face_of_b(pair, p);
  if (of_b.gap > margin) return;
  Separation best = clearly_better(pair, of_b, of_a) ? of_b : of_a;
  const Separation edges = best_edges(pair, p);
  if (edges.gap > margin) return;
  if (clearly_better(pair, edges, best)) best = edges;

  const std::size_t first = contacts.size();
  bool complete = false;
  if (best.kind == BoxFeature::Edges) {
    complete = edge_contact(pair, best, contacts);
  } else {
    face_contacts(pair, best, contacts);
    complete = smallest_gap(contacts, first) <= best.gap + 1e-9 * size;
    round_edges(pair, best, best.kind == BoxFeature::FaceOfA ? of_b : of_a, first, contacts);
  }
  if (!complete && std::fmax(best.gap, std::fmax(of_b.gap, edges.gap)) > 0.0)
    nearest_contacts(pair, best, std::fmin(margin, smallest_gap(contacts, first)), contacts);
  else if (contacts.size() == first)
    contacts.push_back(deepest_corner(pair, best));
  std::sort(contacts.begin() + static_cast<std::ptrdiff_t>(first), contacts.end(),
            [](const ContactPoint& x, const ContactPoint& y) { return x.feature < y.feature; });
}

}  // namespace talus
