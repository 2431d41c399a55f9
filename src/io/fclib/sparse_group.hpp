#pragma once
// A sparse matrix as FCLib stores it: a group with nzmax, m, n, nz, p, i, x (docs/file_formats.md).

#include "talus/problem/matrix_problem.hpp"

#include "io/hdf5/input_file.hpp"
#include "io/output_file.hpp"

#include <optional>
#include <string>

namespace talus::io {

/// A size that the rest of the file asks of a matrix; empty where the rest is itself at fault.
struct Expected {
  std::optional<std::size_t> size;
  const char* because = "";
};

/// Nothing when there was a fault. Memory is taken only for sizes that the datasets themselves bear
/// out.
std::optional<SparseMatrix> read_sparse(InputFile& file, const std::string& group,
                                        const Expected& rows, const Expected& columns);

enum class Storage { Triplet, CompressedRows };

void write_sparse(OutputFile& file, const std::string& group, const SparseMatrix& matrix,
                  Storage storage);

/// Refuses, by name, what FCLib's 32-bit integers cannot number.
void require_fclib_size(const std::string& path, const std::string& what, std::int64_t count);

}  // namespace talus::io
