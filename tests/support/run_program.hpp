#pragma once
// Runs the program talus as a user would, in a folder of its own that is gone afterwards.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace talus::support {

struct ProgramRun {
  int exit_code = -1;  ///< 128 + signal where one ended it
  std::string out, err;
};

/// A folder that programs run in.
class Workplace {
 public:
  Workplace();
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  /// `environment` is set on top of what the test has.
  ProgramRun run(const std::vector<std::string>& arguments,
                 const std::map<std::string, std::string>& environment = {}) const;

  /// Sends `signals` once `text` stands in what the program has written to stderr.
  ProgramRun run_and_signal(const std::vector<std::string>& arguments, const std::string& text,
                            const std::vector<int>& signals) const;

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  bool has(const std::string& name) const;
  std::string read(const std::string& name) const;
  void write(const std::string& name, const std::string& bytes) const;
  /// Names of all files there, sorted: a half-written one would show.
  std::vector<std::string> files() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace talus::support
