// Readers of what people write: scenes, formulas, triangles, spheres.

#include "talus/core/error.hpp"
#include "talus/core/expression.hpp"
#include "talus/io/scene_file.hpp"
#include "talus/io/stl_file.hpp"
#include "talus/simulation/simulation.hpp"

#include "app/run/run_plan.hpp"
#include "campaign/fuzz/reader.hpp"
#include "campaign/fuzz/scene_inputs.hpp"
#include "campaign/fuzz/sound_files.hpp"
#include "io/lammps_data.hpp"
#include "support/scene_folder.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

namespace talus::fuzz {
namespace {

std::string binary_stl(std::size_t triangles) {
  std::string bytes(80, ' ');
  const auto put = [&](const void* from, std::size_t size) {
    bytes.append(static_cast<const char*>(from), size);
  };
  const auto count = static_cast<std::uint32_t>(triangles);
  put(&count, sizeof count);
  for (std::size_t t = 0; t < triangles; ++t) {
    std::array<float, 12> numbers{};
    for (std::size_t k = 3; k < numbers.size(); ++k)
      numbers[k] = static_cast<float>((t * 7 + k * k) % 5) * 0.25F;
    put(numbers.data(), sizeof numbers);
    const std::array<char, 2> attribute{};
    put(attribute.data(), attribute.size());
  }
  return bytes;
}

/// What scenes of the corpus refer to.
void write_parts(const Place& place) {
  place.write("cube.stl", support::box_stl(1.0));
  place.write("bad.stl", support::box_stl(1.0, 3));
  place.write("part.yaml", "variables: {d: 0.02, e: \"2*d\"}\n");
  place.write("spheres.data", corpus("spheres.data"));
}

std::vector<std::string> texts_of(std::initializer_list<const char*> names) {
  std::vector<std::string> texts;
  for (const char* name : names) texts.push_back(corpus(name));
  return texts;
}

void require_same_again(const Place& place, const std::string& resolved) {
  const std::string again = resolved_scene(place.write("again.yaml", resolved));
  if (again != resolved) throw std::logic_error("a resolved scene reads back to another one");
}

}  // namespace

Reader scene_reader(const Place& place) {
  write_parts(place);
  const auto inputs = std::make_shared<SceneInputs>(
      texts_of({"many.yaml", "few.yaml", "joints.yaml", "generators.yaml"}));
  return {"scene", ".yaml", [inputs](Chance& chance) { return inputs->make(chance); },
          [&place](const std::string& text) {
            const std::string path = place.write("pile.yaml", text);
            const std::vector<std::string> overrides = overrides_in(text);
            read_scene(path, overrides);
            require_same_again(place, resolved_scene(path, overrides));
          }};
}

Reader start_reader(const Place& place) {
  write_parts(place);
  const auto inputs =
      std::make_shared<SceneInputs>(texts_of({"few.yaml", "joints.yaml", "start.yaml"}));
  return {"start", ".yaml", [inputs](Chance& chance) { return inputs->make(chance); },
          [&place](const std::string& text) {
            const std::string path = place.write("pile.yaml", text);
            Scene scene = read_scene(path, overrides_in(text));
            // as a user would who has no time: a problem that is too large is refused, not solved
            constexpr double most_bodies = 300;
            for (const Generator& generator : scene.generators)
              if (static_cast<double>(generator.count) > most_bodies) return;
            InputErrors faults;
            SolveOptions solver = app::solver_of(scene, faults);
            faults.throw_if_any();
            solver.max_iterations = std::min<std::int64_t>(solver.max_iterations, 200);
            Simulation simulation(std::move(scene), solver, Communicator::self());
            take_steps(simulation, 3);
          }};
}

Reader expression_reader(const Place& /*place*/) {
  const auto make = [](Chance& chance) {
    std::string text =
        made_formula(chance, {"t", "d", "x", "y_1"}, 1 + static_cast<int>(chance.below(8)));
    if (chance.one_in(3)) text = with_other_tokens(text, chance);
    if (chance.one_in(6)) text = with_wounds(text, chance);
    return text;
  };
  return {"expression", ".txt", make, [](const std::string& text) {
            Expression::names_in(text);
            const Expression formula(text, {{"d", 0.01}, {"x", -2.0}}, {"t", "y_1"});
            const Expression again(formula.definition());
            constexpr std::array<std::array<double, 2>, 3> places{
                {{0.0, 0.0}, {-1e300, 1e-300}, {3.5, 2.0}}};
            for (const auto& values : places) {
              const double first = formula.sampled(values), second = again.sampled(values);
              if (std::bit_cast<std::uint64_t>(first) != std::bit_cast<std::uint64_t>(second))
                throw std::logic_error("made again from its definition it is another formula");
            }
            try {
              formula(places[1]);
            } catch (const FormulaError&) {  // not finite
            }
          }};
}

Reader stl_reader(const Place& place) {
  const auto make = [](Chance& chance) {
    if (chance.one_in(2)) return with_wounds(binary_stl(1 + chance.below(12)), chance);
    const std::string text = support::box_stl(1.0, chance.below(4));
    return chance.one_in(8) ? with_wounds(text, chance) : with_other_tokens(text, chance);
  };
  const std::string scene = corpus("mesh.yaml");
  return {"stl", ".stl", make, [&place, scene](const std::string& bytes) {
            read_stl(place.write("cube.stl", bytes), 1e-3);
            read_scene(place.write("mesh.yaml", scene));
          }};
}

Reader lammps_reader(const Place& place) {
  const std::string good = corpus("spheres.data"), other = corpus("granular.data");
  const auto make = [good, other](Chance& chance) {
    const std::string& from = chance.one_in(2) ? good : other;
    return chance.one_in(8) ? with_wounds(from, chance) : with_other_tokens(from, chance);
  };
  return {"lammps", ".data", make,
          [&place](const std::string& text) { read_lammps_data(place.write("s.data", text)); }};
}

}  // namespace talus::fuzz
