#pragma once
// What several of our JSON files say in the same words.

#include "talus/metrics/measures.hpp"

#include "parallel/ledger.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace talus::io {

using Json = nlohmann::ordered_json;

/// JSON has no infinity and no NaN: null.
Json number(double value);

/// Every measure but the objective, which stands beside them.
Json errors_json(const ErrorReport& errors);

/// Options by name; 1e-09, 200 and true are JSON as they stand.
Json options_json(const std::vector<std::pair<std::string, std::string>>& options);

/// Least, mean and most over the ranks.
Json spread_json(const Spread& spread);
Json ledger_json(const Ledger& ledger);

/// Which build gave these numbers.
Json versions_json();

}  // namespace talus::io
