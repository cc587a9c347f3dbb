// The door between JavaScript and the session: types and errors are translated here, and nothing else happens.
// Structured values cross as JSON text; a vitrine::Error becomes a JavaScript Error with the same code and message.
#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "session/lessons.hpp"
#include "session/quick_training.hpp"
#include "session/session_json.hpp"

EMSCRIPTEN_DECLARE_VAL_TYPE(Bytes)
EMSCRIPTEN_DECLARE_VAL_TYPE(TokenIds)
EMSCRIPTEN_DECLARE_VAL_TYPE(Numbers)
EMSCRIPTEN_DECLARE_VAL_TYPE(Text)

namespace vitrine {
namespace {

using emscripten::val;

[[noreturn]] void throw_javascript(std::string_view code, const std::string& message) {
  val error = val::global("Error").new_(message);
  error.set("code", std::string(code));
  error.throw_();
}

/// Runs a call, and turns what it throws into a JavaScript Error. The handler has ended before that one is thrown, so
/// that no C++ frame still holds the exception.
template <class Call>
auto guarded(Call&& call) -> decltype(call()) {
  ErrorCode code = ErrorCode::internal;
  std::string message;
  try {
    return call();
  } catch (const Error& error) {
    code = error.code();
    message = error.message();
  } catch (const std::bad_alloc&) {
    code = ErrorCode::out_of_memory;
    message = "wasm: expected memory for this call, found none free";
  } catch (const std::exception& error) {
    message = error.what();
  }
  throw_javascript(error_name(code), message);
}

std::uint64_t entropy() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

/// The text of a user as UTF-8, whatever is in it: Embind's own strings would let half a surrogate pair through and
/// drop a byte order mark.
std::string to_utf8(const Text& text) {
  return val::global("TextEncoder").new_().call<val>("encode", text).as<std::string>();
}

Bytes to_bytes(const std::string& text) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  return Bytes(val::global("Uint8Array").new_(val(emscripten::typed_memory_view(text.size(), bytes))));
}

Text from_utf8(const std::string& text) {
  val options = val::object();
  options.set("ignoreBOM", true);
  return Text(val::global("TextDecoder").new_(val("utf-8"), options).call<val>("decode", to_bytes(text)));
}

/// A copy: views of the wasm heap never leave this file.
TokenIds to_ids(const std::vector<TokenId>& ids) {
  const val view(emscripten::typed_memory_view(ids.size(), ids.data()));
  return TokenIds(val::global("Int32Array").new_(view));
}

/// A number of JavaScript as a row: Embind alone would turn 2^32 + 1 into row 1.
RowId to_row(double number) {
  const bool is_row = number >= 0 && number <= std::numeric_limits<RowId>::max() && number == std::floor(number);
  if (!is_row) throw Error(ErrorCode::not_loaded, "row: expected one that was started, found another number");
  return static_cast<RowId>(number);
}

std::vector<RowId> to_rows(const Numbers& numbers) {
  std::vector<RowId> rows;
  for (const double number : emscripten::vecFromJSArray<double>(numbers)) rows.push_back(to_row(number));
  return rows;
}

/// Lengths and counts; `name` is what an error calls it.
std::size_t to_count(const char* name, double number) {
  const bool is_count =
      number >= 0 && number <= std::numeric_limits<std::uint32_t>::max() && number == std::floor(number);
  VITRINE_CHECK(is_count, ErrorCode::invalid_option, name, ": expected a whole number from 0, found ",
                val(number).call<std::string>("toString"));
  return static_cast<std::size_t>(number);
}

/// At once: all that a page of every section has under way. A row's memory is taken when it starts.
constexpr std::size_t kMaxRows = 16;

class Module {
 public:
  void add_file(const std::string& name, const Bytes& bytes) {
    guarded([&] {
      session_.expect_file(name, static_cast<std::uint64_t>(bytes["length"].as<double>()));
      session_.add_file(name, bytes.as<std::string>());
    });
  }
  std::string load() {
    return guarded([&] {
      session_.load();
      return json_text(describe_json(session_));
    });
  }
  std::string describe_cache() {
    return guarded([&] { return json_text(cache_json(session_.cache_bytes())); });
  }
  TokenIds encode(const Text& text) {
    return guarded([&] { return to_ids(session_.encode(to_utf8(text))); });
  }
  Text decode(const TokenIds& ids) {
    return guarded([&] { return from_utf8(session_.decode(emscripten::convertJSArrayToNumberVector<TokenId>(ids))); });
  }
  std::string complete(const Text& text, const std::string& policy) {
    return guarded([&] {
      const Policy effective = session_.completion_policy(parse_json(policy, "policy"));
      return json_text(result_json(session_.complete(to_utf8(text), effective, entropy())));
    });
  }
  std::string start(const Text& prompt, const std::string& policy, const std::string& options) {
    return guarded([&] {
      const Policy effective = session_.effective_policy(parse_json(policy, "policy"));
      const RowOptions row_options = parse_row_options(parse_json(options, "row options"));
      const RowId row = session_.start(to_utf8(prompt), effective, row_options, entropy());
      return json_text(started_json(row, session_));
    });
  }
  std::string step(const Numbers& rows) {
    return guarded([&] {
      Json steps = Json::array();
      for (const RowStep& step : session_.step(to_rows(rows))) steps.push_back(step_json(step, session_));
      return json_text(steps);
    });
  }
  std::string result(double row) {
    return guarded([&] { return json_text(result_json(session_.result(to_row(row)))); });
  }
  void rewind(double row, double tokens) {
    guarded([&] { session_.rewind(to_row(row), to_count("rewind", tokens)); });
  }
  Bytes save(double row) {
    return guarded([&] { return to_bytes(session_.save(to_row(row))); });
  }
  RowId restore(const Bytes& file) {
    return guarded([&] { return session_.restore(file.as<std::string>()); });
  }
  std::string inspect(double row, double position) {
    return guarded([&] {
      return json_text(inspection_json(session_.inspect(to_row(row), to_count("position", position)), session_));
    });
  }
  std::string map_cache(double row) {
    return guarded([&] { return json_text(cache_map_json(session_.cache_map(to_row(row)))); });
  }
  std::string lesson(const std::string& name, const std::string& input) {
    return guarded([&] { return json_text(run_lesson(name, parse_json(input, "lesson"))); });
  }
  void cancel(double row) {
    guarded([&] { session_.abort(to_row(row)); });
  }
  std::string finish(double row) {
    return guarded([&] {
      std::string result = json_text(result_json(session_.result(to_row(row))));
      session_.leave(to_row(row));
      return result;
    });
  }
  std::string growth(const Numbers& positions) {
    return guarded([&] {
      Json points = Json::array();
      for (const double length : emscripten::vecFromJSArray<double>(positions)) {
        points.push_back(growth_json(session_.growth(to_count("positions", length))));
      }
      return json_text(points);
    });
  }
  std::string list_faults() {
    return guarded([] { return json_text(fault_list_json()); });
  }
  std::string detect(const std::string& name) {
    return guarded([&] {
      const Fault fault = parse_fault(name);
      return json_text(sightings_json(fault, session_.detect(fault)));
    });
  }
  std::string check_parity(const Text& prompt, const std::string& options) {
    return guarded([&] {
      const ParityOptions parsed = parse_parity_options(parse_json(options, "parity options"));
      return json_text(parity_json(session_.check_parity(to_utf8(prompt), parsed.tokens, parsed.seed)));
    });
  }

  std::string begin_training(const Text& request) {
    return guarded([&] {
      training_ = std::make_unique<QuickTraining>(parse_quick_training(parse_json(to_utf8(request), "train")));
      trained_.reset();
      return json_text(quick_training_json(training_->progress()));
    });
  }
  std::string train_step() {
    return guarded([&] {
      training().advance();
      return json_text(quick_training_json(training_->progress()));
    });
  }
  std::string end_training() {
    return guarded([&] {
      trained_ = training().finish();
      session_.load(*trained_);
      return json_text(trained_json(training_->progress(), *trained_, session_));
    });
  }
  Bytes trained_file(const std::string& name) {
    return guarded([&] {
      training();
      if (!trained_) throw Error(ErrorCode::not_loaded, "train: expected a training that has ended, found none");
      return to_bytes(bundle_file(*trained_, name));
    });
  }
  void drop_training() {
    training_.reset();
    trained_.reset();
  }

 private:
  QuickTraining& training() {
    if (training_ == nullptr) throw Error(ErrorCode::not_loaded, "train: expected a training under way, found none");
    return *training_;
  }

  Session session_{{.max_rows = kMaxRows}};
  std::unique_ptr<QuickTraining> training_;
  std::optional<Bundle> trained_;
};

}  // namespace

EMSCRIPTEN_BINDINGS(vitrine) {
  emscripten::register_type<Bytes>("Uint8Array");
  emscripten::register_type<TokenIds>("Int32Array");
  emscripten::register_type<Numbers>("number[]");
  emscripten::register_type<Text>("string");
  emscripten::class_<Module>("Session")
      .constructor<>()
      .function("addFile(name, bytes)", &Module::add_file)
      .function("load", &Module::load)
      .function("describeCache", &Module::describe_cache)
      .function("encode(text)", &Module::encode)
      .function("decode(ids)", &Module::decode)
      .function("complete(text, policyJson)", &Module::complete)
      .function("start(prompt, policyJson, optionsJson)", &Module::start)
      .function("step(rows)", &Module::step)
      .function("result(row)", &Module::result)
      .function("rewind(row, tokens)", &Module::rewind)
      .function("save(row)", &Module::save)
      .function("restore(file)", &Module::restore)
      .function("inspect(row, position)", &Module::inspect)
      .function("mapCache(row)", &Module::map_cache)
      .function("lesson(name, inputJson)", &Module::lesson)
      .function("cancel(row)", &Module::cancel)
      .function("finish(row)", &Module::finish)
      .function("growth(positions)", &Module::growth)
      .function("listFaults", &Module::list_faults)
      .function("detect(fault)", &Module::detect)
      .function("beginTraining(requestJson)", &Module::begin_training)
      .function("trainStep", &Module::train_step)
      .function("endTraining", &Module::end_training)
      .function("trainedFile(name)", &Module::trained_file)
      .function("dropTraining", &Module::drop_training)
      .function("checkParity(prompt, optionsJson)", &Module::check_parity);
}

}  // namespace vitrine
