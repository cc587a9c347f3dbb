// TokenId: the index of a token in a vocabulary. Negative values are never valid.
#pragma once

#include <cstdint>

namespace vitrine {

using TokenId = std::int32_t;

}  // namespace vitrine
