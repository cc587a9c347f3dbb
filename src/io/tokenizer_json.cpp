// The reader asks of every setting whether it could change a token; those that cannot (offsets, the unknown token of a
// vocabulary that has all bytes) are let pass, all others must have the one value that we implement.
#include "io/tokenizer_json.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/byte_level.hpp"
#include "base/check.hpp"
#include "base/json.hpp"

namespace vitrine {
namespace {

constexpr std::uint64_t kMaxTokens = std::uint64_t{1} << 24;  // as many as the trainer makes at most

/// GPT-2's pattern as files write it: the only one that a Split pre-tokenizer may have.
constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

class Reader {
 public:
  explicit Reader(std::string_view where) : where_(where) {}

  TokenizerData read(const Json& json) {
    JsonObjectReader root(json, where_, ErrorCode::unsupported_format, JsonNull::absent);
    for (const std::string_view key : {"truncation", "padding", "normalizer"}) {
      if (root.has(key)) root.refuse(key, "null");
    }
    data_.pre_tokenizer = read_pre_tokenizer(root.object("pre_tokenizer"));
    check_byte_level(root.object("decoder"));
    if (auto post_processor = root.optional_object("post_processor")) check_byte_level(*std::move(post_processor));
    JsonObjectReader model = root.object("model");
    check_model(model);
    if (root.has("added_tokens")) read_added_tokens(root.array("added_tokens"));
    read_vocabulary(model.value("vocab"));
    read_merges(model.array("merges"));
    model.finish({"unk_token", "fuse_unk"});  // no byte is unknown
    root.finish({"version", "truncation", "padding", "normalizer", "added_tokens"});
    return std::move(data_);
  }

 private:
  using Ids = std::unordered_map<std::string, TokenId>;

  static void require_flag(JsonObjectReader& reader, std::string_view key, bool expected, bool if_absent) {
    if (reader.optional_boolean(key).value_or(if_absent) != expected) reader.refuse(key, expected ? "true" : "false");
  }

  static void require_type(JsonObjectReader& reader, std::string_view expected) {
    if (reader.string("type") != expected) reader.refuse("type", in_quotes(expected));
  }

  /// A ByteLevel decoder or post-processor: its settings concern offsets only.
  static void check_byte_level(JsonObjectReader reader) {
    require_type(reader, "ByteLevel");
    reader.finish({"add_prefix_space", "trim_offsets", "use_regex"});
  }

  /// A ByteLevel pre-tokenizer; true if it applies GPT-2's pattern.
  static bool read_byte_level(JsonObjectReader reader) {
    require_type(reader, "ByteLevel");
    require_flag(reader, "add_prefix_space", false, true);
    const bool use_regex = reader.optional_boolean("use_regex").value_or(true);
    reader.finish({"trim_offsets"});
    return use_regex;
  }

  static void check_gpt2_split(JsonObjectReader reader) {
    require_type(reader, "Split");
    JsonObjectReader pattern = reader.object("pattern");
    if (pattern.string("Regex") != kGpt2Pattern) pattern.refuse("Regex", "GPT-2's pattern");
    pattern.finish();
    if (reader.string("behavior") != "Isolated") reader.refuse("behavior", "\"Isolated\"");
    require_flag(reader, "invert", false, false);
    reader.finish();
  }

  static PreTokenizer read_pre_tokenizer(JsonObjectReader reader) {
    if (reader.string("type") != "Sequence") {
      return read_byte_level(std::move(reader)) ? PreTokenizer::gpt2 : PreTokenizer::none;
    }
    const Json& steps = reader.array("pretokenizers");
    if (steps.size() != 2) reader.refuse("pretokenizers", "a Split and a ByteLevel");
    const auto step = [&](std::size_t index) {
      return JsonObjectReader(steps[index], str(reader.where(), ": pretokenizers[", index, "]"),
                              ErrorCode::unsupported_format, JsonNull::absent);
    };
    check_gpt2_split(step(0));
    if (read_byte_level(step(1))) step(1).refuse("use_regex", "false after a Split");
    reader.finish();
    return PreTokenizer::gpt2;
  }

  static void check_model(JsonObjectReader& model) {
    if (model.optional_string("type").value_or("BPE") != "BPE") model.refuse("type", "\"BPE\"");
    if (model.optional_number("dropout").value_or(0) != 0) model.refuse("dropout", "null");
    for (const std::string_view key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      if (!model.optional_string(key).value_or("").empty()) model.refuse(key, "null or \"\"");
    }
    require_flag(model, "byte_fallback", false, false);
    require_flag(model, "ignore_merges", false, false);
  }

  void read_added_tokens(const Json& added) {
    for (std::size_t index = 0; index < added.size(); ++index) {
      JsonObjectReader token(added[index], str(where_, ": added_tokens[", index, "]"), ErrorCode::unsupported_format);
      require_flag(token, "special", true, false);
      for (const std::string_view flag : {"single_word", "lstrip", "rstrip"}) require_flag(token, flag, false, false);
      const auto id = static_cast<TokenId>(token.unsigned_integer("id", 0, kMaxTokens - 1));
      data_.special_tokens.push_back({id, token.string("content")});
      token.finish({"normalized"});  // there is no normalizer
    }
  }

  TokenId read_id(const Json& value, std::string_view spelling) const {
    const bool good = value.is_number_unsigned() && value.get<std::uint64_t>() < kMaxTokens;
    VITRINE_CHECK(good, ErrorCode::bad_tokenizer, where_, ": vocab: ", in_quotes(spelling), ": expected an id below ",
                  kMaxTokens, ", found ", value.is_number() ? value.dump() : "no number");
    return value.get<TokenId>();
  }

  void read_vocabulary(const Json& vocab) {
    VITRINE_CHECK(vocab.is_object(), ErrorCode::bad_tokenizer, where_, ": vocab: expected an object");
    Ids specials;
    for (const SpecialToken& special : data_.special_tokens) specials.emplace(special.content, special.id);
    std::size_t size = vocab.size() + specials.size();
    for (const auto& [spelling, value] : vocab.items()) size -= specials.count(spelling);
    data_.tokens.resize(size);
    ids_.reserve(size);
    for (const auto& [spelling, value] : vocab.items()) {
      const TokenId id = read_id(value, spelling);
      if (const auto special = specials.find(spelling); special != specials.end()) {
        VITRINE_CHECK(id == special->second, ErrorCode::bad_tokenizer, where_, ": vocab: ", in_quotes(spelling),
                      ": expected id ", special->second, " as in added_tokens, found ", id);
        continue;
      }
      place(spelling, id);
    }
  }

  void place(const std::string& spelling, TokenId id) {
    VITRINE_CHECK(static_cast<std::size_t>(id) < data_.tokens.size(), ErrorCode::bad_tokenizer, where_,
                  ": vocab: ", in_quotes(spelling), ": expected ids without a gap, below ", data_.tokens.size(),
                  ", found ", id);
    auto bytes = from_byte_level(spelling);
    VITRINE_CHECK(bytes && !bytes->empty(), ErrorCode::bad_tokenizer, where_, ": vocab: ", in_quotes(spelling),
                  ": expected a byte-level spelling or a special token");
    std::string& slot = data_.tokens[static_cast<std::size_t>(id)];
    VITRINE_CHECK(slot.empty(), ErrorCode::bad_tokenizer, where_, ": vocab: ", in_quotes(spelling),
                  ": expected an id of its own, found ", id, ", which is ", in_quotes(to_byte_level(slot)));
    slot = *std::move(bytes);
    ids_.emplace(spelling, id);
  }

  /// "left right", or in newer files ["left", "right"].
  std::optional<std::pair<std::string, std::string>> split_merge(const Json& merge) const {
    if (merge.is_string()) {
      const auto& text = merge.get_ref<const std::string&>();
      const std::size_t space = text.find(' ');
      if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos) return std::nullopt;
      return std::pair(text.substr(0, space), text.substr(space + 1));
    }
    if (!merge.is_array() || merge.size() != 2 || !merge[0].is_string() || !merge[1].is_string()) return std::nullopt;
    return std::pair(merge[0].get<std::string>(), merge[1].get<std::string>());
  }

  void read_merges(const Json& merges) {
    data_.merges.reserve(merges.size());
    for (std::size_t rank = 0; rank < merges.size(); ++rank) {
      const auto pair = split_merge(merges[rank]);
      VITRINE_CHECK(pair, ErrorCode::bad_tokenizer, where_, ": merges[", rank, "]: expected two tokens");
      const auto id_of = [&](const std::string& spelling) {
        const auto found = ids_.find(spelling);
        VITRINE_CHECK(found != ids_.end(), ErrorCode::bad_tokenizer, where_, ": merges[", rank,
                      "]: expected two tokens of the vocabulary, found ", in_quotes(spelling));
        return found->second;
      };
      const TokenId left = id_of(pair->first);
      data_.merges.push_back({left, id_of(pair->second)});
    }
  }

  std::string where_;
  TokenizerData data_;
  Ids ids_;  // of ordinary tokens, by spelling
};

Json byte_level(bool use_regex) {
  return {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", use_regex}};
}

Json added_tokens(const TokenizerData& data) {
  Json added = Json::array();
  for (const SpecialToken& special : data.special_tokens) {
    added.push_back({{"id", special.id},
                     {"content", special.content},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}});
  }
  return added;
}

/// Special tokens stand in the vocabulary too: a reader that counts on from its size then gives them the same ids.
Json vocabulary(const TokenizerData& data) {
  std::unordered_map<std::string, TokenId> specials;
  std::vector<std::string> spellings;
  spellings.reserve(data.tokens.size());
  for (const std::string& bytes : data.tokens) spellings.push_back(to_byte_level(bytes));
  for (const SpecialToken& special : data.special_tokens) {
    VITRINE_ASSERT(special.id >= 0 && static_cast<std::size_t>(special.id) < spellings.size());
    spellings[static_cast<std::size_t>(special.id)] = special.content;
    specials.emplace(special.content, special.id);
  }
  Json vocab = Json::object();
  for (std::size_t index = 0; index < spellings.size(); ++index) {
    const auto id = static_cast<TokenId>(index);
    const auto special = specials.find(spellings[index]);
    VITRINE_CHECK(special == specials.end() || special->second == id, ErrorCode::bad_tokenizer,
                  "tokenizer.json: token ", id, ": expected another spelling than that of special token ",
                  special->second, ", found ", in_quotes(spellings[index]));
    append_member(vocab, spellings[index], id);
  }
  return vocab;
}

Json merges(const TokenizerData& data) {
  Json merges = Json::array();
  const auto spelling = [&](TokenId id) { return to_byte_level(data.tokens[static_cast<std::size_t>(id)]); };
  for (const Merge& merge : data.merges) merges.push_back(spelling(merge.left) + " " + spelling(merge.right));
  return merges;
}

}  // namespace

TokenizerData read_tokenizer_json(std::string_view text, std::string_view where) {
  const JsonDocument json = parse_json(text, where);
  return Reader(where).read(json);
}

std::string write_tokenizer_json(const TokenizerData& data) {
  Json model = {{"type", "BPE"},
                {"dropout", nullptr},
                {"unk_token", nullptr},
                {"continuing_subword_prefix", nullptr},
                {"end_of_word_suffix", nullptr},
                {"fuse_unk", false},
                {"byte_fallback", false}};
  append_member(model, "vocab", vocabulary(data));
  append_member(model, "merges", merges(data));
  Json root = {{"version", "1.0"}, {"truncation", nullptr}, {"padding", nullptr}};
  append_member(root, "added_tokens", added_tokens(data));
  append_member(root, "normalizer", nullptr);
  append_member(root, "pre_tokenizer", byte_level(data.pre_tokenizer == PreTokenizer::gpt2));
  append_member(root, "post_processor", nullptr);
  append_member(root, "decoder", byte_level(true));
  append_member(root, "model", std::move(model));
  return json_text(root) + "\n";
}

}  // namespace vitrine
