#include "app/run/set_up.hpp"

#include "talus/core/error.hpp"

#include "cones/projection.hpp"
#include "generate/generate.hpp"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <initializer_list>
#include <string_view>

namespace talus::app {
namespace {

/// Faults of numbers that are finite in the file but whose products and sums are not.
class Overflows {
 public:
  Overflows(const std::string& path, const ConeProblem& problem) : path_(path), problem_(problem) {}

  /// One cone or joint row: its stored rows, and the slot that they share.
  void check(std::string_view kind, GlobalId number, std::initializer_list<Index> rows,
             Index slot) {
    for (const Index row : rows)
      if (!std::isfinite(problem_.diagonal[row]))
        return add(fmt::format("{} {}", kind, number), "its diagonal entry of N", too_strong_);
    if (!std::isfinite(problem_.scale[slot]))
      return add(fmt::format("{} {}", kind, number), "its mean diagonal entry of N", too_strong_);
    for (const Index row : rows)
      if (!std::isfinite(problem_.free_velocity[row]))
        return add(fmt::format("{} {}", kind, number), "its velocity without impulses",
                   "momenta, forces or inverse masses");
  }

  void check_mean(double mean) {
    if (!std::isfinite(mean)) add("all contacts", "the mean diagonal entry of N", too_strong_);
  }

  void throw_if_any() const { errors_.throw_if_any(); }

 private:
  static constexpr const char* too_strong_ =
      "inverse masses, levers, compliances or entries of a matrix";

  void add(const std::string& place, const char* what, const char* suspects) {
    errors_.add(
        fmt::format("{}: {}: {} is not finite: {} are too large for double precision; "
                    "correct them, or choose other units",
                    path_, place, what, suspects));
  }

  const std::string& path_;
  const ConeProblem& problem_;
  InputErrors errors_;
};

}  // namespace

void require_finite(const std::string& path, const ConeProblem& problem, const RowPlaces& places) {
  const ConeSet& cones = problem.cones;
  const auto place = [](const std::vector<GlobalId>* list, Index i) {
    return list == nullptr ? GlobalId{i} : (*list)[i];
  };
  const auto contact = [&](Index c) { return place(places.contact, c); };
  Overflows overflows(path, problem);
  for (Index i = 0; i < cones.scalar_count; ++i)
    overflows.check("joint row", place(places.joint, i), {cones.scalar_row(i)}, i);
  for (Index c = 0; c < cones.planar_count; ++c)
    overflows.check("contact", contact(c), {cones.planar_row(c, 0), cones.planar_row(c, 1)},
                    cones.planar_slot(c));
  for (Index c = 0; c < cones.spatial_count; ++c)
    overflows.check("contact", contact(c),
                    {cones.spatial_row(c, 0), cones.spatial_row(c, 1), cones.spatial_row(c, 2)},
                    cones.spatial_slot(c));
  for (Index c = 0; c < cones.rolling_count; ++c) {
    const auto row = [&](Index k) { return cones.rolling_row(c, k); };
    overflows.check("contact", contact(c), {row(0), row(1), row(2), row(3), row(4), row(5)},
                    cones.rolling_slot(c));
  }
  overflows.throw_if_any();
  overflows.check_mean(problem.mean_diagonal);
  overflows.check_mean(problem.siconos_scale);
  overflows.throw_if_any();
}

ProblemFile load_problem(const std::string& path, const std::string& generate_text) {
  if (!path.empty()) return read_problem(path);
  ProblemFile made;
  made.data = generate(parse_generate(generate_text));
  made.format = "generated";
  made.path = generate_text;
  return made;
}

ConeProblem set_up(const ProblemFile& file) {
  const bool has_mass_matrix = std::holds_alternative<GlobalProblem>(file.data);
  ConeProblem problem;
  try {
    problem = make_cone_problem(file.data);
  } catch (const InputError& error) {
    const std::string place = has_mass_matrix ? fmt::format(": /{}/M", file.format) : "";
    throw InputError(fmt::format("{}{}: {}", file.path, place, error.what()));
  }
  require_finite(file.path, problem, {});
  return problem;
}

void require_rows_of(const std::string& path, const std::string& group, const ConeProblem& problem,
                     const Solution& solution) {
  const ConeSet& cones = problem.cones;
  const GlobalId per_contact = problem.total_rolling > 0  ? cones.rolling_rows
                               : problem.total_planar > 0 ? 2
                                                          : 3;
  const auto wanted_r = static_cast<std::size_t>(per_contact * problem.total_contacts);
  const auto wanted_l = static_cast<std::size_t>(problem.total_free + problem.total_bounded);
  InputErrors errors;
  errors.require(solution.r.size() == wanted_r, fmt::format("{}: length of {}/r", path, group),
                 static_cast<double>(solution.r.size()),
                 fmt::format("does not fit the problem, which has {} contact rows", wanted_r));
  errors.require(solution.l.size() == wanted_l, fmt::format("{}: length of {}/l", path, group),
                 static_cast<double>(solution.l.size()),
                 fmt::format("does not fit the problem, which has {} joint rows", wanted_l));
  errors.throw_if_any();
}

RowVector stored_impulses(const std::string& path, const std::string& group,
                          const ProblemData& data, const ConeProblem& problem) {
  const Solution given = in_rows_of_problem(data, read_solution(path, group));
  require_rows_of(path, group, problem, given);
  RowVector impulses;
  project(problem.cones, impulses_from(problem, given), impulses);  // as solve() will
  return impulses;
}

void refuse_blind_measure(Measure measure, const ConeProblem& problem) {
  if (measure == Measure::Bilateral && problem.total_free == 0)
    throw InputError(
        "--measure bilateral sees free joint rows only, and the problem has none: choose another");
  const bool of_siconos = measure == Measure::Siconos || measure == Measure::SiconosInvariant;
  if (of_siconos && problem.total_contacts == 0)
    throw InputError(
        fmt::format("--measure {} sees contacts only, and the problem has none: choose another",
                    name_of(measure)));
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return !a.empty() && !b.empty() &&
         std::filesystem::weakly_canonical(a, ignored) ==
             std::filesystem::weakly_canonical(b, ignored);
}

}  // namespace talus::app
