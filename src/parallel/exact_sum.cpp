#include "talus/parallel/exact_sum.hpp"

#include "talus/core/error.hpp"

#include "core/of_level.hpp"
#include "parallel/lane_totals.hpp"
#include "parallel/ranks.hpp"
#include "parallel/sum_kernels.hpp"
#include "parallel/tile_ranges.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace talus {
namespace {

constexpr int second_limb_bits = 40;  // second limb: units of 2^-40 of the first
constexpr int most_bits = 50;   // a term of more than 2^50 units of the first limb does not fit
constexpr int least_bits = 13;  // a largest term below 2^13 units would keep fewer than 53 bits
// The largest term is put in the middle, at 2^31 units: terms of spectral steps jump by many powers
// of two from one iteration to the next, and a jump out of the window costs a second reduction.
constexpr int chosen_bits = 31;
constexpr int least_exponent = -980;  // keeps the scale finite; terms below 2^-1050 count as zero
constexpr long lanes_of_a_group = 8;
constexpr std::int64_t flag_not_finite = 1;
constexpr double magic = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer

}  // namespace

void LocalSums::clear() {
  total_.fill(0);
  largest_.fill(0.0);
  finite_ = true;
}

void LocalSums::add(int k, std::int64_t high, std::int64_t low) {
  total_[k] += static_cast<Int128>(high) * (1LL << second_limb_bits) + low;
}

void LocalSums::note_largest(int k, double magnitude) {
  double& largest = largest_[k];
  largest = std::max(largest, magnitude);
}

void LocalSums::merge(const LocalSums& other) {
  TALUS_ASSERT(count_ == other.count_);
  for (std::size_t k = 0; k < static_cast<std::size_t>(count_); ++k) {
    total_[k] += other.total_[k];
    largest_[k] = std::max(largest_[k], other.largest_[k]);
  }
  finite_ = finite_ && other.finite_;
}

void LocalSums::write(Totals& totals, Largest& largest, std::int64_t& flags) const {
  totals = total_;
  largest = largest_;
  flags = finite_ ? 0 : flag_not_finite;
}

void LocalSums::read(const Totals& totals, const Largest& largest, std::int64_t flags) {
  total_ = totals;
  largest_ = largest;
  finite_ = (flags & flag_not_finite) == 0;
}

FusedSums::FusedSums(int count) : count_(count) {
  TALUS_ASSERT(0 < count && count <= max_fused_sums);
}

// A scale of 0 (the start of a solve) fits only where every term is zero.
bool FusedSums::scales_fit(const LocalSums& sums) const {
  for (int k = 0; k < count_; ++k) {
    const double units = sums.largest(k) * scales_[k];
    if (sums.largest(k) == 0.0) continue;
    if (units > std::ldexp(1.0, most_bits)) return false;
    if (units < std::ldexp(1.0, least_bits) && (scales_[k] == 0.0 || exponent_[k] > least_exponent))
      return false;
  }
  return true;
}

void FusedSums::choose_scales(const LocalSums& sums) {
  for (int k = 0; k < count_; ++k) {
    if (sums.largest(k) == 0.0) continue;  // nothing to learn: keep what earlier reductions found
    const auto i = static_cast<std::size_t>(k);
    exponent_[i] = std::max(std::ilogb(sums.largest(k)), least_exponent);
    scales_[i] = std::ldexp(1.0, chosen_bits - exponent_[i]);
  }
}

std::array<double, max_fused_sums> FusedSums::reduce(
    const Communicator& comm, const std::function<void(const double*, LocalSums&)>& fill) {
  LocalSums sums(count_);
  for (;;) {
    sums.clear();
    fill(scales_.data(), sums);
    comm.reduce(sums);
    finite_ = sums.finite();
    if (!finite_ || scales_fit(sums)) break;
    choose_scales(sums);
  }
  std::array<double, max_fused_sums> totals{};
  for (int k = 0; k < count_; ++k) {
    const auto i = static_cast<std::size_t>(k);
    totals[i] = finite_ ? std::ldexp(static_cast<double>(sums.total(k)),
                                     exponent_[i] - chosen_bits - second_limb_bits)
                        : std::nan("");
    largest_[i] = sums.largest(k);
  }
  if (finite_) choose_scales(sums);
  return totals;
}

void add_exact_term(LocalSums& sums, int k, double term, double scale) {
  const auto units_of = [](double rounded) {
    return static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(rounded) -
                                     std::bit_cast<std::uint64_t>(magic));
  };
  const double scaled = term * scale;
  const double high = scaled + magic;
  const double low =
      (scaled - (high - magic)) * static_cast<double>(1LL << second_limb_bits) + magic;
  if (!std::isfinite(term)) {
    sums.note_not_finite();
    return;
  }
  sums.note_largest(k, std::abs(term));
  // A term beyond its scale makes no sense in units; the reduction is redone and only its size
  // counts.
  if (std::abs(scaled) <= std::ldexp(1.0, most_bits)) sums.add(k, units_of(high), units_of(low));
}

void add_exact_terms(std::span<const double> terms, int k, double scale, LocalSums& sums) {
  const auto count = static_cast<long>(terms.size());
  const auto groups = static_cast<Index>((count + lanes_of_a_group - 1) / lanes_of_a_group);
  for_tile_ranges(groups, sums, [&](Index first, Index last, LocalSums& mine) {
    drain_kernel(first, last, k, 1, mine, [&](Index from, Index to, LaneTotals& totals) {
      sum_kernels().add_terms(terms.data(), lanes_of_a_group * from,
                              std::min(count, lanes_of_a_group * to), scale, totals);
    });
  });
}

double exact_sum(const Communicator& comm, std::span<const double> terms) {
  FusedSums sums(1);
  const auto total = sums.reduce(comm, [&](const double* scales, LocalSums& local) {
    add_exact_terms(terms, 0, scales[0], local);
  });
  return total[0];
}

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

void merge(LimbSum& into, const LimbSum& from) {
  into.merge(from);
}
using ReducedLimbs = ReducedAs<LimbSum, merge>;

}  // namespace

void LimbSum::raise(int place) {
  if (place <= place_) return;
  const int steps = std::min(3, place - place_);
  std::copy_backward(limb_.begin(), limb_.end() - steps, limb_.end());
  std::fill(limb_.begin(), limb_.begin() + steps, Int128{0});
  place_ = place;
}

void LimbSum::add(std::span<const double> terms) {
  for (std::size_t at = 0; at < terms.size(); at += most_terms)
    add_some(terms.subspan(at, std::min(most_terms, terms.size() - at)));
}

/// At most most_terms: integers of 64 bits hold their limbs.
void LimbSum::add_some(std::span<const double> terms) {
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
  ++comm.traffic().reductions;
  if (comm.size() == 1) return;
  const Reducing reducing(comm.traffic());
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()),
                          ReducedLimbs::get().type, ReducedLimbs::get().op, comm.ranks()->comm),
            "MPI_Allreduce");
}

namespace {

/// How many numbers of each kind stand behind it in a message; less than none: the ranks have given
/// different lists.
struct MixedHead {
  std::int64_t sums = 0, largest = 0, exact = 0;
  bool operator==(const MixedHead&) const = default;
};

constexpr MixedHead unlike{-1, -1, -1};

/// Of two messages one, in the second; neither need be aligned.
void merge_mixed(void* incoming, void* merged, int* count, MPI_Datatype* /*type*/) {
  auto* from = static_cast<std::byte*>(incoming);
  auto* into = static_cast<std::byte*>(merged);
  const auto each = [&]<class Number>(std::int64_t numbers, Number /*kind*/, const auto& merge) {
    for (std::int64_t i = 0; i < numbers; ++i) {
      Number theirs{}, ours{};
      std::memcpy(&theirs, from, sizeof theirs);
      std::memcpy(&ours, into, sizeof ours);
      merge(ours, theirs);
      std::memcpy(into, &ours, sizeof ours);
      from += sizeof theirs;
      into += sizeof ours;
    }
  };
  for (int message = 0; message < *count; ++message) {
    MixedHead head, mine;
    std::memcpy(&head, from, sizeof head);
    std::memcpy(&mine, into, sizeof mine);
    if (head != mine) {  // no exception may pass through MPI: all ranks throw behind it
      std::memcpy(into, &unlike, sizeof unlike);
      return;
    }
    if (mine == unlike) return;
    from += sizeof head;
    into += sizeof head;
    each(head.sums, std::int64_t{}, [](std::int64_t& a, std::int64_t b) { a += b; });
    each(head.largest, 0.0, [](double& a, double b) { a = std::max(a, b); });
    each(head.exact, LimbSum{}, [](LimbSum& a, const LimbSum& b) { a.merge(b); });
  }
}

MPI_Op mixed_op() {
  static const MPI_Op op = [] {
    MPI_Op made = MPI_OP_NULL;
    check_mpi(MPI_Op_create(merge_mixed, 1, &made), "MPI_Op_create");
    return made;
  }();
  return op;
}

/// All of a message is one thing to MPI, which would cut a list of bytes anywhere.
class OneMessage {
 public:
  explicit OneMessage(std::size_t bytes) {
    check_mpi(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type_),
              "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  ~OneMessage() { MPI_Type_free(&type_); }
  OneMessage(const OneMessage&) = delete;
  OneMessage& operator=(const OneMessage&) = delete;
  MPI_Datatype type() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace

void reduce(const Communicator& comm, const MixedNumbers& numbers) {
  ++comm.traffic().reductions;
  if (comm.size() == 1) return;
  const Reducing reducing(comm.traffic());
  const MixedHead head{static_cast<std::int64_t>(numbers.sums.size()),
                       static_cast<std::int64_t>(numbers.largest.size()),
                       static_cast<std::int64_t>(numbers.exact.size())};
  std::vector<std::byte> message;
  message.reserve(sizeof head + numbers.sums.size_bytes() + numbers.largest.size_bytes() +
                  numbers.exact.size_bytes());
  const auto put = [&](const auto& bytes) {
    message.insert(message.end(), bytes.begin(), bytes.end());
  };
  put(std::as_bytes(std::span(&head, 1)));
  put(std::as_bytes(numbers.sums));
  put(std::as_bytes(numbers.largest));
  put(std::as_bytes(numbers.exact));
  const OneMessage one(message.size());
  check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, message.data(), 1, one.type(), mixed_op(), comm.ranks()->comm),
      "MPI_Allreduce");
  MixedHead found;
  std::memcpy(&found, message.data(), sizeof found);
  TALUS_ASSERT(found == head);
  const std::byte* at = message.data() + sizeof head;
  const auto take = [&](const auto& into) {
    if (!into.empty()) std::memcpy(into.data(), at, into.size_bytes());
    at += into.size_bytes();
  };
  take(numbers.sums);
  take(numbers.largest);
  take(numbers.exact);
}

namespace baseline {
extern const SumKernels sum_kernel_table;
}
namespace v3 {
extern const SumKernels sum_kernel_table;
}
namespace v4 {
extern const SumKernels sum_kernel_table;
}

const SumKernels& sum_kernels() {
  return of_level(baseline::sum_kernel_table, v3::sum_kernel_table, v4::sum_kernel_table);
}

}  // namespace talus
