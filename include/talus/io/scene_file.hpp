#pragma once
// Scene files: YAML that says what is simulated. Keys, units and defaults: docs/scene_file.md.

#include "talus/model/scene.hpp"

#include <string>
#include <vector>

namespace talus {

/// What the file says, with `overrides` as given to -s: "d=0.002" sets a variable,
/// "solver.tolerance=1e-5" a key, "bodies.drum.mass=4" a key of what has that name. Throws
/// InputError with all faults at once, each with file:line:column (or -s KEY), value and remedy.
Scene read_scene(const std::string& path, const std::vector<std::string>& overrides = {});

/// The same as one text, with includes and overrides put in and files named by absolute paths: it
/// reads back to the same scene wherever it is. Throws InputError where the YAML has faults; what
/// the keys mean is read_scene's.
std::string resolved_scene(const std::string& path, const std::vector<std::string>& overrides = {});

/// JSON Schema (draft 2020-12) of scene files: what docs/schema/scene.schema.json holds.
std::string scene_schema();

/// The tables of keys in docs/scene_file.md, by the name of the section.
std::vector<std::pair<std::string, std::string>> scene_key_tables();

}  // namespace talus
