// talus export: what a run has left, for other programs.

#include "talus/core/error.hpp"
#include "talus/io/problem_file.hpp"
#include "talus/io/state_file.hpp"
#include "talus/problem/body_problem.hpp"

#include "app/commands.hpp"
#include "app/faults.hpp"
#include "app/inspect/info_of_runs.hpp"
#include "app/remarks.hpp"
#include "app/run/checkpoints.hpp"
#include "app/run/run_memory.hpp"
#include "app/run/run_plan.hpp"
#include "app/solver_settings.hpp"
#include "io/goal.hpp"
#include "io/lammps_data.hpp"
#include "io/report_file.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>

namespace talus::app {
namespace {

struct ExportArguments {
  std::string input, to, output, time;
  bool spheres_only = false;
};

const std::vector<std::string> kinds{"fclib", "native", "lammps-data", "lammps-dump"};

void require_kind(const std::string& to) {
  if (to.empty())
    throw InputError(
        fmt::format("--to is missing: which kind of file: {}", fmt::join(kinds, ", ")));
  if (std::find(kinds.begin(), kinds.end(), to) == kinds.end())
    throw InputError(fmt::format("--to {}: {}known are {}", to, did_you_mean(to, kinds),
                                 fmt::join(kinds, ", ")));
}

bool is_problem(const std::string& to) {
  return to == "fclib" || to == "native";
}

using Writer = std::string (*)(const SavedState&, const std::string&, Others);

Writer writer_of(const std::string& to) {
  return to == "lammps-data" ? lammps_data_text : lammps_dump_text;
}

/// What LAMMPS cannot be told of the bodies that it gets.
void note_losses(const SavedState& state, const CommonOptions& common) {
  std::size_t others = 0, at_rest = 0;
  for (const NewBody& body : state.bodies) {
    const bool sphere = std::holds_alternative<Sphere>(state.shapes[body.shape]);
    others += sphere ? 0 : 1;
    at_rest += sphere && body.motion != Motion::Dynamic ? 1 : 0;
  }
  if (others > 0) note(common, fmt::format("{} bodies that are no spheres are left out", others));
  if (at_rest > 0)
    note(common, fmt::format("{} spheres are fixed or kinematic here: to LAMMPS they are atoms as "
                             "all others",
                             at_rest));
}

/// What talus solve must be told to solve as `run` does: all that is not its default.
std::string as_options(SolveOptions run) {
  SolveOptions defaults;
  std::string text;
  const auto add = [&](const std::vector<SolverSetting>& mine,
                       const std::vector<SolverSetting>& others) {
    for (std::size_t i = 0; i < mine.size(); ++i)
      if (mine[i].value != others[i].value) {
        std::string name = mine[i].name;
        if (name.find('.') == std::string::npos) std::replace(name.begin(), name.end(), '_', '-');
        text += fmt::format(" --{} {}", name, mine[i].value);
      }
  };
  add(general_settings(run), general_settings(defaults));
  add(method_settings(run), method_settings(defaults));
  return text;
}

/// FCLib's problems have no bodies that nothing moves.
Solution without_fixed(const BodyProblem& problem, Solution solution) {
  std::vector<double> moving;
  for (std::size_t b = 0; b < problem.centre.size(); ++b)
    if (is_movable(problem.inverse_mass[b], problem.inverse_inertia[b]))
      moving.insert(moving.end(), solution.v.begin() + static_cast<std::ptrdiff_t>(6 * b),
                    solution.v.begin() + static_cast<std::ptrdiff_t>(6 * b + 6));
  solution.v = std::move(moving);
  return solution;
}

/// The problem, what the run began with, and its answer: three turns, of which a file that was
/// there sees none where one fails.
void write_frozen(const ExportArguments& a, const std::string& law, const std::string& measure,
                  FrozenStep& frozen) {
  io::MadeBeside file(a.output);
  try {
    if (a.to == "native") {
      write_native(file.path(), frozen.problem);
    } else {
      write_fclib(file.path(), frozen.problem);
      for (Solution* solution : {&frozen.start, &frozen.answer})
        *solution = without_fixed(frozen.problem, std::move(*solution));
    }
    const ProblemFile written = read_problem(file.path());
    write_solution(file.path(), in_rows_of_file(written, frozen.start), {}, first_guess);
    write_solution(file.path(), in_rows_of_file(written, frozen.answer),
                   {{"law", law},
                    {"measure", measure},
                    {"error", frozen.report.error},
                    {"iterations", frozen.report.iterations}});
    file.take_place();
  } catch (const InputError& error) {
    throw InputError(file.about_goal(error.what()));
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(file.about_goal(error.what()));
  }
}

/// The contact problem of the step after a checkpoint, with the run's own start and answer.
int export_problem(const ExportArguments& a, const CommonOptions& common, InputErrors faults) {
  if (!a.time.empty())
    faults.add("--time: a problem is that of the step after a checkpoint: name the file");
  if (a.input.empty())
    faults.add("give a checkpoint: talus export CHECKPOINT.h5 --to KIND --output FILE");
  collect(faults, [&] {
    if (a.output.empty()) throw InputError("--output FILE is missing");
    require_problem_goal(a.output, "--output");
  });
  faults.throw_if_any();
  ResumePoint point = find_resume_point(a.input, Communicator::self(), "");
  for (const std::string& refused : point.refused)
    note(common, fmt::format("{}; {} is taken instead", refused, point.file));
  Checkpoint& from = point.checkpoint;
  SolveOptions solver = solver_of(from.scene, faults);
  faults.throw_if_any();
  solver.tolerance = 0.0;  // the one that it had
  const std::string scene = from.scene.file;
  Simulation simulation(std::move(from), solver, Communicator::self());
  FrozenStep frozen = simulation.freeze();
  frozen.problem.title =
      fmt::format("{}, step {}, t = {:g} s", scene, frozen.report.step, frozen.report.time);
  write_frozen(a, name_of(simulation.solver().law), name_of(simulation.solver().measure), frozen);
  const BodyProblem& p = frozen.problem;
  note(
      common,
      fmt::format("the problem of step {}: {} bodies, {} contacts, {} joint rows; the run's answer "
                  "(error {:.3g} m/s) is /solution, what it began with is /{}",
                  frozen.report.step, p.body_count(), p.contact_count(), p.joint_row_count(),
                  frozen.report.error, first_guess));
  note(common, fmt::format("as the run solves it: talus solve {}{} --warm-start {}:{}", a.output,
                           as_options(simulation.solver()), a.output, first_guess));
  return exit_within_tolerance;
}

int export_state(const ExportArguments& a, const CommonOptions& common, InputErrors faults) {
  collect(faults, [&] { require_kind(a.to); });
  if (is_problem(a.to)) return export_problem(a, common, std::move(faults));
  const Writer writer = writer_of(a.to);
  collect(faults, [&] {
    if (a.output.empty()) throw InputError("--output FILE is missing");
    require_writable(a.output, "--output");
  });
  std::optional<double> time;
  if (!a.time.empty())
    collect(faults, [&] { time = parse_number<double>("--time", a.time, "a number"); });
  std::string file;
  SavedState state;
  if (a.input.empty())
    faults.add("give a state: talus export STATE.h5 --to KIND --output FILE");
  else
    collect(faults, [&] {
      file = state_file_of(a.input, time);
      state = read_state(file);
    });
  faults.throw_if_any();
  const std::string text = writer(state, file, a.spheres_only ? Others::LeftOut : Others::Refused);
  write_text(a.output, text);
  note_losses(state, common);
  return exit_within_tolerance;
}

}  // namespace

Command add_export(CLI::App& program, CommonOptions& common) {
  const auto a = std::make_shared<ExportArguments>();
  CLI::App& verb = *program.add_subcommand(
      "export", "Write a frozen step as a contact problem, or the spheres of a state for LAMMPS");
  verb.add_option("state", a->input,
                  "A checkpoint or, for LAMMPS, any state that a run left; or a run's folder")
      ->type_name("CHECKPOINT.h5|STATE.h5|DIR");
  verb.add_option(
          "--to", a->to,
          "fclib or native (the contact problem of the step after the checkpoint, with the "
          "run's answer), lammps-data (read_data of atom style sphere), or lammps-dump (one "
          "step)")
      ->type_name("KIND");
  verb.add_option("--output", a->output, "The file")->type_name("FILE");
  verb.add_option("--time", a->time, "Of a folder: the state nearest to this time, s [the last]")
      ->type_name("T");
  verb.add_flag("--spheres-only", a->spheres_only, "Leave out bodies that are no spheres");
  add_common(verb, common);
  return [a, &common](InputErrors faults) {
    return on_first_rank(common.comm, [&] { return export_state(*a, common, std::move(faults)); });
  };
}

}  // namespace talus::app
