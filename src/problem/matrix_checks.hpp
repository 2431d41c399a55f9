#pragma once
// What a problem given by matrices must hold to be one: the same checks for files and for what a
// program makes.

#include "talus/core/error.hpp"
#include "talus/problem/matrix_problem.hpp"

#include <functional>
#include <string>
#include <vector>

namespace talus {

/// What is wrong: where it stands, with its value, and what it must be.
using MatrixFault = std::function<void(const std::string& place, const std::string& message)>;

/// Into `errors`: "<name>: <place>: <message>". Both outlive what is returned.
MatrixFault told_to(InputErrors& errors, const std::string& name);

/// Sizes, and how matrices are stored: what must hold before anyone looks at an entry.
void check_layout(const LocalProblem& problem, const MatrixFault& fault);
void check_layout(const GlobalProblem& problem, const MatrixFault& fault);

/// Values of a vector of FCLib's name `place`.
void check_finite(const std::vector<double>& values, const std::string& place,
                  const MatrixFault& fault);
void check_not_negative(const std::vector<double>& values, const std::string& place,
                        const MatrixFault& fault);

/// M: a positive diagonal, symmetric but for rounding.
void check_mass_matrix(const SparseMatrix& mass, const std::string& place,
                       const MatrixFault& fault);
/// W and R: a row whose impulse pulls its own velocity back has no meaning; a zero diagonal is a
/// row that nothing moves.
void check_delassus_matrix(const SparseMatrix& matrix, const std::string& place,
                           const MatrixFault& fault);

}  // namespace talus
