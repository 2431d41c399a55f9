#include "talus/model/contact_set.hpp"

namespace talus {

void ContactSet::clear() {
  name.clear();
  body_a.clear();
  body_b.clear();
  point.clear();
  normal.clear();
  gap.clear();
  impulse.clear();
  angular_impulse.clear();
}

}  // namespace talus
