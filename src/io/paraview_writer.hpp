#pragma once
// Frames for ParaView: bodies as points, contacts and joints as lines, the rest as surfaces, and
// run.pvd, which says what is when. So many ranks leave one file of each part. docs/output.md.

#include "talus/model/contact_forces.hpp"
#include "talus/model/output_settings.hpp"
#include "talus/model/world.hpp"
#include "talus/parallel/communicator.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace talus {

class ParaViewWriter {
 public:
  /// `folder` is made with the first frame.
  ParaViewWriter(std::string folder, ParaViewSettings settings, const Communicator& comm);
  ~ParaViewWriter();
  ParaViewWriter(const ParaViewWriter&) = delete;
  ParaViewWriter& operator=(const ParaViewWriter&) = delete;

  /// One frame; a killed program leaves what was there before, or this one whole. `forces`: of the
  /// contacts of this rank. Throws on all ranks where the disk of any does not take it. Collective.
  void write(const World& world, const ContactForces& forces);

  /// Goes on in a folder that has frames: those after `time` are taken out. Collective.
  std::string go_on_from(double time);

 private:
  struct Frame;
  struct List;
  struct Part {
    std::uint64_t hash = 0;
    std::string file;  ///< of the last frame; empty: none yet
  };
  void collect(const World& world, const ContactForces& forces, Frame& frame) const;
  void compare(Frame& frame) const;
  void write_pieces(const World& world, const Frame& frame) const;
  void write_lists(const World& world, const Frame& frame);
  void write_collections() const;
  void remove_files_of(const List& dropped) const;
  std::string name_of(const World& world, std::size_t part, int group) const;
  int groups() const;
  bool stays(std::size_t part) const;
  bool collects() const;

  std::string folder_;
  ParaViewSettings settings_;
  Communicator comm_;
  std::vector<Part> parts_;
  bool begun_ = false;          ///< the folder is there
  std::unique_ptr<List> list_;  ///< of what is when; rank 0
};

}  // namespace talus
