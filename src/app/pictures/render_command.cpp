// talus render: a picture of the bodies of a run, without any other program.

#include "talus/core/error.hpp"
#include "talus/io/state_file.hpp"

#include "app/commands.hpp"
#include "app/faults.hpp"
#include "app/inspect/info_of_runs.hpp"
#include "app/pictures/body_picture.hpp"
#include "app/pictures/picture_field.hpp"
#include "app/remarks.hpp"
#include "app/run/run_plan.hpp"
#include "io/report_file.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>

namespace talus::app {
namespace {

struct RenderArguments {
  std::string input, output, time, color = "velocity", view, size, low, high, walls = "auto";
  std::string ranks;  ///< of --color rank
};

double finite(const std::string& option, const std::string& text) {
  const double value = parse_number<double>(option, text, "a number");
  if (!std::isfinite(value)) throw InputError(fmt::format("{} = {} must be finite", option, text));
  return value;
}

void set_view(PictureOptions& options, const std::string& text) {
  if (text.empty()) return;
  struct Named {
    const char* name;
    double azimuth, elevation;
  };
  for (const Named& named : {Named{"x", 0.0, 0.0}, Named{"y", -90.0, 0.0}, Named{"z", -90.0, 90.0}})
    if (text == named.name) {
      options.azimuth = named.azimuth;
      options.elevation = named.elevation;
      return;
    }
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos)
    throw InputError(fmt::format(
        "--view {}: must be x, y, z or AZIMUTH,ELEVATION in degrees, such as -60,25", text));
  options.azimuth = finite("--view azimuth", text.substr(0, comma));
  options.elevation = finite("--view elevation", text.substr(comma + 1));
  if (std::abs(options.elevation) > 90.0)
    throw InputError(
        fmt::format("--view elevation = {} must lie in -90 to 90 degrees", options.elevation));
}

void set_size(PictureOptions& options, const std::string& text) {
  constexpr int least = 160, most = 4096;
  if (text.empty()) return;
  const std::size_t cross = text.find('x');
  if (cross == std::string::npos)
    throw InputError(
        fmt::format("--size {}: must be WIDTHxHEIGHT in pixels, such as 960x600", text));
  options.width = parse_number<int>("--size width", text.substr(0, cross), "a whole number");
  options.height = parse_number<int>("--size height", text.substr(cross + 1), "a whole number");
  for (const int side : {options.width, options.height})
    if (side < least || side > most)
      throw InputError(
          fmt::format("--size {}: sides must lie in {} to {} pixels", text, least, most));
}

void set_walls(PictureOptions& options, const std::string& text) {
  const std::vector<std::string> known{"auto", "solid", "glass", "hidden"};
  for (std::size_t i = 0; i < known.size(); ++i)
    if (text == known[i]) {
      options.walls = static_cast<Walls>(i);
      return;
    }
  throw InputError(fmt::format("--walls {}: {}known are {}", text, did_you_mean(text, known),
                               fmt::join(known, ", ")));
}

constexpr const char* rank = "rank";

bool is_kinds(const std::string& field) {
  return field == rank || is_field_of_kinds(field);
}

void require_field(const std::string& name) {
  std::vector<std::string> known = picture_fields();
  known.emplace_back(rank);
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw InputError(fmt::format("--color {}: no field is called so: {}known are {}", name,
                                 did_you_mean(name, known), fmt::join(known, ", ")));
}

/// Among how many ranks the bodies are distributed; 0: they are coloured by something else.
int ranks_of(const RenderArguments& a, const CommonOptions& common) {
  if (a.color != rank) {
    if (!a.ranks.empty()) throw InputError("--ranks: is for --color rank");
    if (common.partition != CommonOptions().partition)
      throw InputError("--partition: is for --color rank");
    return 0;
  }
  if (a.ranks.empty())
    throw InputError(
        "--color rank: needs --ranks N: a state does not say which rank had a body (frames for "
        "ParaView do); coloured is how a run of these bodies on N ranks would distribute them");
  constexpr int most = 100000;
  const int ranks = parse_number<int>("--ranks", a.ranks, "a whole number");
  if (ranks < 1 || ranks > most)
    throw InputError(fmt::format("--ranks = {} must lie in 1 to {}", ranks, most));
  return ranks;
}

PictureOptions options_of(const RenderArguments& a, InputErrors& faults) {
  PictureOptions options;
  collect(faults, [&] {
    require_field(a.color);
    options.field = a.color;
  });
  collect(faults, [&] { set_view(options, a.view); });
  collect(faults, [&] { set_size(options, a.size); });
  collect(faults, [&] { set_walls(options, a.walls); });
  if (!a.low.empty()) collect(faults, [&] { options.low = finite("--min", a.low); });
  if (!a.high.empty()) collect(faults, [&] { options.high = finite("--max", a.high); });
  if ((options.low || options.high) && is_kinds(options.field))
    faults.add(fmt::format("--min, --max: {} is one of kinds, which have no scale", options.field));
  if (options.low && options.high && !(*options.low < *options.high))
    faults.add(fmt::format("--min = {} must be below --max = {}", *options.low, *options.high));
  return options;
}

void require_png(const std::string& path) {
  if (path.empty()) throw InputError("--output P.png is missing: the file for the picture");
  if (!path.ends_with(".png"))
    throw InputError(fmt::format("--output {}: pictures are .png", path));
  require_writable(path, "--output");
}

int render(const RenderArguments& a, const CommonOptions& common, InputErrors faults) {
  PictureOptions options = options_of(a, faults);
  std::optional<double> time;
  if (!a.time.empty()) collect(faults, [&] { time = finite("--time", a.time); });
  collect(faults, [&] { require_png(a.output); });
  int ranks = 0;
  BalanceOptions partition;
  collect(faults, [&] { ranks = ranks_of(a, common); });
  collect(faults, [&] { partition = cells_of(common.partition); });
  std::string file;
  if (a.input.empty())
    faults.add("give a run or a state: talus render DIR --output P.png");
  else
    collect(faults, [&] { file = state_file_of(a.input, time); });
  SavedState state;
  if (!file.empty()) collect(faults, [&] { state = read_state(file); });
  faults.throw_if_any();
  detail(common, fmt::format("{}: t = {:g} s, {} bodies", file, state.time, state.bodies.size()));
  if (time && std::abs(state.time - *time) > 1e-9 * std::abs(*time))
    note(common, fmt::format("there is no state at t = {:g} s: {} at t = {:g} s is the nearest",
                             *time, file, state.time));
  if (const std::size_t count = bare_meshes(state); count > 0)
    note(common,
         fmt::format("{} bodies are meshes whose triangles are not in {}: not drawn", count, file));
  if (ranks > 0) {
    options.given = rank_field(state, ranks, partition);
    detail(common, ranks_text(*options.given, ranks));
  }
  write_text(a.output, picture::png_of(picture_of(state, options)));
  return exit_within_tolerance;
}

}  // namespace

Command add_render(CLI::App& program, CommonOptions& common) {
  const auto a = std::make_shared<RenderArguments>();
  CLI::App& verb = *program.add_subcommand("render", "Draw the bodies of a run as a PNG picture");
  verb.add_option("run", a->input, "Folder of talus run, or a state that it left")
      ->type_name("DIR|STATE.h5");
  verb.add_option("--output", a->output, "The picture")->type_name("P.png");
  verb.add_option("--time", a->time, "Of a folder: the state nearest to this time, s [the last]")
      ->type_name("T");
  verb.add_option("--color", a->color,
                  fmt::format("Colour of bodies: {}, or rank (with --ranks) [velocity]",
                              fmt::join(picture_fields(), ", ")))
      ->type_name("FIELD");
  verb.add_option(
          "--ranks", a->ranks,
          "Of --color rank: as a run of these bodies on so many ranks would distribute them")
      ->type_name("N");
  verb.add_option("--partition", common.partition,
                  "Of --color rank: metis, hilbert or random:SEED [metis]")
      ->type_name("KIND");
  verb.add_option("--view", a->view,
                  "From where: x, y (x to the right), z (from above) or AZIMUTH,ELEVATION in "
                  "degrees; an azimuth of 0 is on the x axis, 90 on the y axis [-60,25]")
      ->type_name("V");
  verb.add_option("--size", a->size, "Pixels [960x600]")->type_name("WxH");
  verb.add_option("--min", a->low, "Lower end of the colours [the least there is; of speeds 0]")
      ->type_name("V");
  verb.add_option("--max", a->high, "Upper end of the colours [the largest there is]")
      ->type_name("V");
  verb.add_option("--walls", a->walls,
                  "Fixed bodies, and large hollow ones with others inside: solid, glass, hidden "
                  "(grids of planes "
                  "too), or "
                  "auto: of glass where they would hide what moves [auto]")
      ->type_name("HOW");
  add_common(verb, common);
  return [a, &common](InputErrors faults) {
    return on_first_rank(common.comm, [&] { return render(*a, common, std::move(faults)); });
  };
}

}  // namespace talus::app
