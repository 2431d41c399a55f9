// talus export: what a run has left, for other programs.

#include "talus/core/error.hpp"
#include "talus/io/lammps_data.hpp"
#include "talus/io/report_file.hpp"
#include "talus/io/state_file.hpp"

#include "app/commands.hpp"
#include "app/faults.hpp"
#include "app/on_first_rank.hpp"
#include "app/remarks.hpp"
#include "app/run_states.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace talus::app {
namespace {

struct ExportArguments {
  std::string input, to, output, time;
  bool spheres_only = false;
};

using Writer = std::string (*)(const SavedState&, const std::string&, Others);

Writer writer_of(const std::string& to) {
  const std::vector<std::string> known{"lammps-data", "lammps-dump"};
  if (to == known[0]) return lammps_data_text;
  if (to == known[1]) return lammps_dump_text;
  if (to.empty())
    throw InputError(
        fmt::format("--to is missing: which kind of file: {}", fmt::join(known, ", ")));
  throw InputError(
      fmt::format("--to {}: {}known are {}", to, did_you_mean(to, known), fmt::join(known, ", ")));
}

/// What LAMMPS cannot be told of the bodies that it gets.
void note_losses(const SavedState& state, const CommonOptions& common) {
  std::size_t others = 0, at_rest = 0;
  for (const NewBody& body : state.bodies) {
    const bool sphere =
        std::holds_alternative<Sphere>(state.shapes[static_cast<std::size_t>(body.shape)]);
    others += sphere ? 0 : 1;
    at_rest += sphere && body.motion != Motion::Dynamic ? 1 : 0;
  }
  if (others > 0) note(common, fmt::format("{} bodies that are no spheres are left out", others));
  if (at_rest > 0)
    note(common, fmt::format("{} spheres are fixed or kinematic here: to LAMMPS they are atoms as "
                             "all others",
                             at_rest));
}

int export_state(const ExportArguments& a, const CommonOptions& common, InputErrors faults) {
  Writer writer = nullptr;
  collect(faults, [&] { writer = writer_of(a.to); });
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
      "export", "Write the spheres of a state as a LAMMPS data file or dump");
  verb.add_option("state", a->input, "A state that a run left, or its folder")
      ->type_name("STATE.h5|DIR");
  verb.add_option("--to", a->to,
                  "lammps-data (read_data of atom style sphere), or lammps-dump (one step)")
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
