#include "talus/parallel/limb_sum.hpp"

#include "talus/core/error.hpp"

#include "parallel/ranks.hpp"
#include "parallel/sum_kernels.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace talus {
namespace {

constexpr int limb_bits = 40;
constexpr int lowest_place = -23;  // its scale is finite, and so are the two limbs below

/// The lowest place at which the term has less than half the units of a limb: a limb above it would
/// round the term to zero, and leave the rest as it is.
int place_of(double size) {
  const int bits = std::ilogb(size) + 1;  // size < 2^bits
  return std::max(lowest_place, bits >= 0 ? bits / limb_bits : -((-bits - 1) / limb_bits) - 1);
}

/// Units of `high` are 2^80 of those of `low`, which is below 2^80 and not negative.
double rounded(Int128 high, Int128 low, int exponent) {
  constexpr Int128 fits = Int128{1} << 46;
  if (-fits < high && high < fits)
    return std::ldexp(static_cast<double>(high * (Int128{1} << 80) + low), exponent);
  return std::ldexp(static_cast<double>(high), exponent + 80) +
         std::ldexp(static_cast<double>(low), exponent);
}

void merge_sums(void* incoming, void* merged, int* count, MPI_Datatype* /*type*/) {
  for (int i = 0; i < *count; ++i) {
    const auto at = static_cast<std::size_t>(i) * sizeof(LimbSum);
    LimbSum a, b;
    std::memcpy(&a, static_cast<std::byte*>(incoming) + at, sizeof a);
    std::memcpy(&b, static_cast<std::byte*>(merged) + at, sizeof b);
    b.merge(a);
    std::memcpy(static_cast<std::byte*>(merged) + at, &b, sizeof b);
  }
}

/// Made when first used, one of each per run.
struct LimbSumType {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op merge = MPI_OP_NULL;
  LimbSumType() {
    check_mpi(MPI_Type_contiguous(sizeof(LimbSum), MPI_BYTE, &type), "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&type), "MPI_Type_commit");
    check_mpi(MPI_Op_create(merge_sums, 1, &merge), "MPI_Op_create");
  }
};
static_assert(std::is_trivially_copyable_v<LimbSum>);

}  // namespace

void LimbSum::raise(int place) {
  if (place <= place_) return;
  const int steps = std::min(3, place - place_);
  std::copy_backward(limb_.begin(), limb_.end() - steps, limb_.end());
  std::fill(limb_.begin(), limb_.begin() + steps, Int128{0});
  place_ = place;
}

void LimbSum::add(std::span<const double> terms) {
  TALUS_ASSERT(terms.size() <= most_terms);
  const auto count = static_cast<long>(terms.size());
  double largest = 0.0;
  if (!sum_kernels().largest_term(terms.data(), count, &largest)) {
    finite_ = 0;
    return;
  }
  if (largest == 0.0) return;
  raise(place_of(largest));
  std::array<long, 3> limbs{};
  sum_kernels().add_limbs(terms.data(), count, std::ldexp(1.0, -limb_bits * place_), limbs.data());
  for (std::size_t k = 0; k < limbs.size(); ++k) limb_[k] += limbs[k];
}

void LimbSum::merge(const LimbSum& other) {
  LimbSum low = other;
  raise(low.place_);
  low.raise(place_);
  for (std::size_t k = 0; k < limb_.size(); ++k) limb_[k] += low.limb_[k];
  finite_ = finite_ & other.finite_;
}

double LimbSum::value() const {
  if (finite_ == 0) return std::numeric_limits<double>::quiet_NaN();
  if (place_ == none) return 0.0;
  constexpr Int128 whole = Int128{1} << limb_bits;
  const auto carry = [](Int128& limb) {
    const Int128 units = limb >> limb_bits;  // floor
    limb -= units * whole;
    return units;
  };
  std::array<Int128, 3> limb = limb_;
  limb[1] += carry(limb[2]);
  limb[0] += carry(limb[1]);
  return rounded(limb[0], limb[1] * whole + limb[2], limb_bits * (place_ - 2));
}

void reduce(const Communicator& comm, std::span<LimbSum> sums) {
  Traffic& traffic = comm.traffic();
  ++traffic.reductions;
  if (comm.size() == 1) return;
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  static const LimbSumType sum_type;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), sum_type.type,
                          sum_type.merge, comm.ranks()->comm),
            "MPI_Allreduce");
  traffic.reduction_seconds += std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace talus
