// talus generate: problems of any size, the same bits for the same options.

#include "talus/core/error.hpp"
#include "talus/generate/generate.hpp"
#include "talus/io/problem_file.hpp"
#include "talus/io/report_file.hpp"

#include "app/commands.hpp"

#include <fmt/format.h>
#include <memory>

namespace talus::app {
namespace {

struct GenerateArguments {
  std::string kind, layout = "native", output;
};

/// "--bodies 400 --mass-ratio=10" as the text that parse_generate reads, which knows the keys of
/// each kind.
std::string as_generate_text(const std::string& kind, const std::vector<std::string>& words) {
  std::string text = kind;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].rfind("--", 0) != 0)
      throw InputError(
          fmt::format("unexpected argument '{}' of generate: write --KEY VALUE", words[i]));
    std::string key = words[i].substr(2), value;
    if (const std::size_t equals = key.find('='); equals != std::string::npos) {
      value = key.substr(equals + 1);
      key.resize(equals);
    } else if (i + 1 < words.size()) {
      value = words[++i];
    } else {
      throw InputError(fmt::format("--{} of generate needs a value", key));
    }
    text += fmt::format(",{}={}", key, value);
  }
  return text;
}

std::string help_on_kinds() {
  std::string text = "kinds and their keys:\n";
  for (const std::string& kind : generate_kinds()) {
    text += fmt::format("  {}\n", kind);
    for (const GenerateKey& key : generate_keys(kind)) {
      std::string option = "--" + key.name;
      for (char& c : option)
        if (c == '_') c = '-';
      text += fmt::format("    {:<14} {} {}[{}; {}]\n", option, key.help,
                          key.unit.empty() ? "" : "(" + key.unit + ") ", key.value, key.range);
    }
  }
  return text;
}

int generate_file(const GenerateArguments& a, const std::vector<std::string>& words,
                  const CommonOptions& common) {
  if (a.layout != "native" && a.layout != "fclib")
    throw InputError(fmt::format("--layout {}: did you mean {}? known are native, fclib", a.layout,
                                 nearest_name(a.layout, {"native", "fclib"})));
  if (a.output.empty()) throw InputError("generate needs --output FILE.h5");
  const GenerateOptions options = parse_generate(as_generate_text(a.kind, words));
  require_writable(a.output, "--output");
  const BodyProblem problem = generate(options);
  if (a.layout == "native")
    write_native(a.output, problem);
  else
    write_fclib(a.output, problem);
  if (!common.quiet)
    fmt::print("{}: {} with {} bodies, {} contacts, {} joint rows ({} layout)\n", a.output, a.kind,
               problem.body_count(), problem.contact_count(), problem.joint_row_count(), a.layout);
  return exit_within_tolerance;
}

}  // namespace

Command add_generate(CLI::App& program, CommonOptions& common) {
  const auto a = std::make_shared<GenerateArguments>();
  CLI::App& verb = *program.add_subcommand(
      "generate", "Make a contact problem: stack, wall, packing, chain or net");
  verb.add_option("kind", a->kind, fmt::format("One of {}", fmt::join(generate_kinds(), ", ")))
      ->required();
  verb.add_option("--layout", a->layout, "native or fclib [native]");
  verb.add_option("--output", a->output, "The file to make");
  add_common(verb, common);
  verb.footer(help_on_kinds());
  return [a, &common, &verb] { return generate_file(*a, verb.remaining(), common); };
}

}  // namespace talus::app
