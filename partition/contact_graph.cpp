#include "partition/contact_graph.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace talus {
namespace {

bool movable(const BodyProblem& p, Index body) {
  if (body == no_body) return false;
  const auto b = static_cast<std::size_t>(body);
  const Sym3& i = p.inverse_inertia[b];
  return p.inverse_mass[b] > 0.0 || i.xx > 0.0 || i.yy > 0.0 || i.zz > 0.0;
}

/// visit(a, b, rows) for every contact and joint row.
template <class Visit>
void each_link(const BodyProblem& p, const Visit& visit) {
  for (std::size_t c = 0; c < p.contact_body_a.size(); ++c)
    visit(p.contact_body_a[c], p.contact_body_b[c], 3);
  for (std::size_t j = 0; j < p.joint_body_a.size(); ++j)
    visit(p.joint_body_a[j], p.joint_body_b[j], 1);
}

}  // namespace

ContactGraph make_contact_graph(const BodyProblem& problem) {
  std::map<std::pair<Index, Index>, Index> links;
  ContactGraph graph;
  graph.vertex_weight.assign(problem.centre.size(), 0);
  each_link(problem, [&](Index a, Index b, Index rows) {
    for (const Index body : {a, b})
      if (body != no_body) graph.vertex_weight[body] += rows;
    if (!movable(problem, a) || !movable(problem, b) || a == b) return;
    links[{a, b}] += rows;
    links[{b, a}] += rows;
  });
  auto link = links.begin();
  for (Index body = 0; body < problem.body_count(); ++body) {
    for (; link != links.end() && link->first.first == body; ++link) {
      graph.neighbour.push_back(link->first.second);
      graph.edge_weight.push_back(link->second);
    }
    graph.start.push_back(static_cast<std::int64_t>(graph.neighbour.size()));
  }
  for (Index body = 0; body < problem.body_count(); ++body)
    graph.movable.push_back(movable(problem, body));
  return graph;
}

Islands find_islands(const ContactGraph& graph) {
  Islands islands;
  islands.island_of.assign(static_cast<std::size_t>(graph.vertex_count()), -1);
  std::vector<Index> waiting;
  for (Index seed = 0; seed < graph.vertex_count(); ++seed) {
    if (islands.island_of[seed] >= 0 || !graph.movable[seed]) continue;
    Index size = 0;
    islands.island_of[seed] = islands.count;
    waiting.assign(1, seed);
    while (!waiting.empty()) {
      const auto body = static_cast<std::size_t>(waiting.back());
      waiting.pop_back();
      ++size;
      for (std::int64_t e = graph.start[body]; e < graph.start[body + 1]; ++e) {
        const Index other = graph.neighbour[e];
        Index& island = islands.island_of[other];
        if (island >= 0) continue;
        island = islands.count;
        waiting.push_back(other);
      }
    }
    islands.largest = std::max(islands.largest, size);
    ++islands.count;
  }
  return islands;
}

Index most_rows_of_a_body(const BodyProblem& problem) {
  std::vector<Index> rows(problem.centre.size(), 0);
  each_link(problem, [&](Index a, Index b, Index count) {
    for (const Index body : {a, b})
      if (body != no_body) rows[body] += count;
  });
  return rows.empty() ? 0 : *std::max_element(rows.begin(), rows.end());
}

}  // namespace talus
