#pragma once
// What a problem of rigid bodies must hold to be one: the same checks for the whole and for slices
// of it.

#include "talus/core/error.hpp"
#include "talus/parallel/communicator.hpp"
#include "talus/problem/body_problem.hpp"

#include <functional>
#include <string>

namespace talus {

/// One of the two bodies of each row.
struct RowSide {
  std::size_t count = 0;
  std::function<GlobalId(std::size_t)> body;
};

template <class Number>
RowSide side_of(const std::vector<Number>& bodies) {
  return {bodies.size(), [&bodies](std::size_t i) { return GlobalId{bodies[i]}; }};
}

/// How the rows name their bodies, and where the entries stand in the whole: messages have the
/// indices of the whole.
struct CheckedRows {
  RowSide contact_a, contact_b, joint_a, joint_b;
  GlobalId bodies = 0;  ///< of the whole
  GlobalId first_body = 0, first_contact = 0, first_joint = 0;
};

/// Of a whole problem.
CheckedRows checked_rows(const BodyProblem& whole);

/// Lengths, and whom the rows name: what must hold before anyone looks at an entry.
void check_layout(const BodyProblem& data, const CheckedRows& rows, const std::string& name,
                  InputErrors& errors);

/// That and the values: all but the keys.
void check_entries(const BodyProblem& data, const CheckedRows& rows, const std::string& name,
                   InputErrors& errors);

/// Ids and keys that are given twice, on this rank or on two. Collective.
void check_keys(const BodyProblem& data, const CheckedRows& rows, const std::string& name,
                const Communicator& comm, InputErrors& errors);

/// Both of a slice, without throwing what was found on one rank only. Collective.
void check(const BodySlice& slice, const std::string& name, const Communicator& comm,
           InputErrors& errors);

}  // namespace talus
