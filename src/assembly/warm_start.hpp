#pragma once
// Impulses of the last step as the start of this one, by the names of contacts.

#include "talus/model/contact_set.hpp"

namespace talus {

/// Contacts of `now` that have a namesake in `before` take its impulses, turned with the normal;
/// those of the others are zero. Both sets are in canonical order. Returns how many were found.
/// `marks`, where given: 1 for each of them, 0 for the others.
std::int64_t warm_start(const ContactSet& before, ContactSet& now,
                        std::vector<std::uint8_t>* marks = nullptr);

}  // namespace talus
