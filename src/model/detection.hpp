#pragma once
// From bodies to contacts: bounds, candidate pairs within a skin, contact points.

#include "talus/model/world.hpp"

#include "geometry/broad_phase.hpp"
#include "geometry/narrow_phase.hpp"
#include "model/candidate_contacts.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace talus {

struct DetectionCounts {
  std::int64_t candidates = 0;
  bool searched = false;  ///< the grid was searched anew
};

class Detection {
 public:
  /// `smallest`: of the bodies that move, m, of all ranks and for good; what the reserves of
  /// find_near() are chosen from. 0: none.
  explicit Detection(double smallest = 0.0) : smallest_(smallest) {}
  double smallest() const { return smallest_; }

  /// Contacts with gap <= reach_a + reach_b, where `margin` gives each body's share (m, >= 0;
  /// larger for faster bodies). Overwrites the parts of `contacts` that detection writes, in
  /// canonical order, and sizes the others, which warm_start() writes. Candidates are searched with
  /// bounds larger by a skin and used again until a body has moved or turned or its margin has
  /// grown by more than the skin allows: the contacts are the same as without. Threaded; same bits
  /// for any threads. Bodies of a joint that is on and does not let them touch have no contacts.
  DetectionCounts find(const World& world, const std::vector<double>& margin, ContactSet& contacts);

  /// After find(): contacts of the known pairs in which a body is marked, with gap <= margin of a +
  /// margin of b. `margin` may be larger than that of find() by reserve_of(): whatever the age of
  /// the candidates, no contact is missed.
  void find_near(const World& world, const std::vector<double>& margin,
                 const std::vector<std::uint8_t>& marks, ContactSet& contacts);
  /// m: from the body alone.
  double reserve_of(const World& world, std::size_t body) const;

  /// On many ranks find() has only contacts of bodies that are owned here and not everywhere, and
  /// those between two that are everywhere.
  ///
  /// A body owned here has left the bounds that search_bounds() last gave, or bodies are others:
  /// new ghosts are to be fetched.
  bool must_search(const World& world, const std::vector<double>& margin);
  /// Bounds of owned bodies with all that they may move before they must be searched again.
  std::vector<Bounds> search_bounds(const World& world, const std::vector<double>& margin);
  /// The candidates are those of the bodies as they are stored now.
  bool knows(const World& world) const { return searched_ && id_ == world.bodies.id; }
  /// Pairs of the last search.
  const std::vector<CandidatePair>& candidates() const { return candidates_; }

  /// Shapes, scales or the domain have changed: search anew. (Other bodies, bodies that move in
  /// another way and joints that are switched are noticed.)
  void forget();

 private:
  /// Bodies as they were when candidates were searched.
  struct Seen {
    struct Place {
      Vec3 position;
      double allowance = 0.0;  ///< m: what its bounds were enlarged by: margin and skin
    };
    std::vector<Place> place;
    std::vector<Quaternion> orientation;
    void resize(std::size_t count) {
      place.resize(count);
      orientation.resize(count);
    }
  };
  /// Bounds of a shape that is dear to measure (a mesh), and where it was then.
  struct Measured {
    bool known = false;
    Pose pose;
    Bounds bounds;
  };
  /// Contacts of a run of candidates.
  struct Part {
    ContactSet contacts;
    std::vector<ContactPoint> points;
  };

  bool same_bodies(const World& world) const;
  void see(const World& world, const std::vector<double>& margin, std::size_t known);
  CandidateContacts view(const World& world, const std::vector<double>& margin) const;
  const Bounds& measure(const World& world, std::size_t body);
  void remember(const World& world, std::size_t body, double margin, Seen& seen) const;
  bool too_far(const World& world, const std::vector<double>& margin, const Seen& before) const;
  static bool is_for_others(const World& world, const CandidatePair& pair);
  void search(const World& world, const std::vector<double>& margin);
  void choose_skins(const World& world);
  void collide_all(const World& world, const std::vector<double>& margin,
                   const std::vector<CandidatePair>& candidates, ContactSet& contacts);
  void join_parts(ContactSet& contacts) const;

  double smallest_;
  BroadPhase broad_phase_;
  std::vector<CandidatePair> candidates_;
  bool searched_ = false;
  // Of the last search, by body.
  std::vector<GlobalId> id_;
  std::vector<Motion> motion_;
  std::vector<std::array<GlobalId, 2>> jointed_;  ///< that do not touch, lower id first; sorted
  Seen seen_;
  std::vector<double> skin_;  ///< m: what its bounds are enlarged by, beyond the margin
  Seen promised_;             ///< owned bodies as search_bounds() last had them
  // Of this call, by body.
  std::vector<std::size_t> no_spheres_;
  std::vector<Bounds> bounds_;  ///< of those, enlarged by the margin
  std::vector<Measured> measured_;
  std::vector<SpherePlace> place_;
  // Workspace.
  std::vector<Bounds> enlarged_;
  std::vector<std::uint8_t> moves_;
  std::vector<HalfSpace> half_spaces_;
  std::vector<Part> parts_;
};

}  // namespace talus
