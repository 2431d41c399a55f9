#include "app/set_up.hpp"

#include "talus/core/error.hpp"

#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace talus::app {
namespace {

/// Faults of numbers that are finite in the file but whose products and sums are not.
class Overflows {
 public:
  Overflows(const ProblemFile& file, const ConeProblem& problem) : file_(file), problem_(problem) {}

  void check(std::string_view kind, Index number, Index row) {
    const auto i = static_cast<std::size_t>(row);
    const double gap = problem_.free_gap[i], diagonal = problem_.diagonal[i];
    const bool named = kind == kind_ && number == number_;  // one message for each cone
    if ((std::isfinite(gap) && std::isfinite(diagonal)) || named) return;
    kind_ = kind;
    number_ = number;
    const std::string place = fmt::format("{} {}", kind, number);
    if (std::isfinite(diagonal))
      add(place, "its velocity without impulses", gap, "momenta, forces or inverse masses");
    else
      add(place, "its diagonal entry of N", diagonal, too_strong_);
  }

  void check_mean(double mean) {
    if (!std::isfinite(mean))
      add("contacts and joint rows", "the mean diagonal of N", mean, too_strong_);
  }

  void throw_if_any() const { errors_.throw_if_any(); }

 private:
  static constexpr const char* too_strong_ =
      "inverse masses, levers, compliances or entries of a matrix";

  void add(const std::string& place, const char* what, double value, const char* suspects) {
    errors_.add(
        fmt::format("{}: {}: {} is {}: {} are too large for double precision; correct "
                    "them, or choose other units",
                    file_.path, place, what, value, suspects));
  }

  const ProblemFile& file_;
  const ConeProblem& problem_;
  std::string_view kind_;
  Index number_ = 0;
  InputErrors errors_;
};

void require_finite(const ProblemFile& file, const ConeProblem& problem) {
  const ConeSet& cones = problem.cones;
  Overflows overflows(file, problem);
  for (Index i = 0; i < cones.scalar_count; ++i)
    overflows.check("joint row", i, cones.scalar_row(i));
  for (Index c = 0; c < cones.planar_count; ++c)
    for (Index k = 0; k < 2; ++k) overflows.check("contact", c, cones.planar_row(c, k));
  for (Index c = 0; c < cones.spatial_count; ++c)
    for (Index k = 0; k < 3; ++k) overflows.check("contact", c, cones.spatial_row(c, k));
  overflows.throw_if_any();
  overflows.check_mean(problem.mean_diagonal);
  overflows.check_mean(problem.siconos_scale);
  overflows.throw_if_any();
}

}  // namespace

ConeProblem set_up(const ProblemFile& file) {
  const bool has_mass_matrix = std::holds_alternative<GlobalProblem>(file.data);
  ConeProblem problem;
  try {
    problem = make_cone_problem(file.data);
  } catch (const InputError& error) {
    const std::string place = has_mass_matrix ? fmt::format(": /{}/M", file.format) : "";
    throw InputError(fmt::format("{}{}: {}", file.path, place, error.what()));
  }
  require_finite(file, problem);
  return problem;
}

}  // namespace talus::app
