#pragma once
// What is read is a regular file: a device never ends, a pipe may wait for ever for somebody who
// writes into it. Everything that this program reads by name is opened here.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace talus {

/// Closed at the end of its life.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator int() const { return number_; }
  /// False where the file could not be closed (errno says why): what was written may be lost.
  bool close();

 private:
  int number_;
};

/// Why `path` cannot be read as a regular file: "no such file", "is a folder", ...; empty where it
/// can. Never waits.
std::string why_unreadable(const std::string& path);

/// Throws InputError with that reason and the remedy.
void require_readable(const std::string& path, const std::string& remedy = "");

/// The same, and the file, opened.
std::ifstream readable_stream(const std::string& path, const std::string& remedy = "");

/// Of a file that is there: throws InputError where something else has its name. A run appends to
/// what it finds, and would wait at a pipe.
void require_regular_or_none(const std::filesystem::path& path);

/// To be read. Negative with errno where it cannot be opened, or is not a regular file (EINVAL).
int open_regular(const std::string& path);

/// To be appended to, made where it is not there; `empty`: what stands in it goes. Negative with
/// errno as above.
int open_to_append(const std::string& path, bool empty);

/// Makes a new name survive a power failure. Best effort: not every file system can.
void sync_folder_of(const std::string& path);

/// All of the bytes, however many the disk takes at a time. False with errno where it takes no
/// more.
bool write_all(int file, const void* bytes, std::size_t size);

/// Copies a file into a new one, or over an old one. What went wrong, 0 where nothing did: with the
/// reason of the system, where std::filesystem says of a full disk "Input/output error".
int copy_regular(const std::string& from, const std::string& to);

/// The whole text, at most 64 MiB. Beside regular files it may come through a pipe that the one who
/// started the program holds (/dev/stdin, /dev/fd/3, <(...)); it is kept, for a pipe gives it once.
/// Nothing, with the reason, where it cannot be read.
std::optional<std::string> text_of_source(const std::string& path, std::string& reason);

/// Whether the text comes through such a pipe. Other ranks do not have it: keep_source() gives them
/// what the first one has read.
bool is_piped_source(const std::string& path);
void keep_source(const std::string& path, const std::string& text);

}  // namespace talus
