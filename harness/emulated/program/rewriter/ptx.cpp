#include "harness/emulated/program/rewriter/ptx.hpp"

#include <cctype>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/emulated/program/rewriter/ptx_instructions.hpp"
#include "harness/emulated/program/rewriter/ptx_text.hpp"

namespace ridgeline::program {
namespace {

/// An operand of the asm statement.
struct Given {
  std::string name, constraint, expression;
};

struct Statement {
  std::string text;  // of the template
  std::vector<Given> given;
  std::size_t outputs = 0;
};

/// What a string literal says; several in a row are one.
std::string literal(std::string_view token) {
  const bool raw =
      token.find('"') != std::string_view::npos && token.substr(0, token.find('"')).ends_with('R');
  if (raw) {
    const std::size_t open = token.find('('), close = token.rfind(')');
    return std::string(token.substr(open + 1, close - open - 1));
  }
  std::string text;
  const std::size_t begin = token.find('"') + 1;
  for (std::size_t i = begin; i + 1 < token.size(); ++i) {
    if (token[i] != '\\') {
      text += token[i];
      continue;
    }
    ++i;
    text += token[i] == 'n' ? '\n' : token[i] == 't' ? '\t' : token[i];
  }
  return text;
}

using Word = std::function<std::string(std::size_t)>;

std::string expression(const Word& word, std::size_t first, std::size_t end) {
  std::string text;
  for (std::size_t i = first; i < end; ++i) {
    if (!text.empty()) text += ' ';
    text += word(i);
  }
  return text;
}

Statement parts_of(const Source& source, std::size_t first, std::size_t end, const Word& word) {
  const auto& tokens = source.tokens;
  Statement made;
  std::size_t at = first;
  for (; at < end && tokens[at].kind == Token::Kind::text; ++at)
    made.text += literal(tokens[at].text);
  for (int section = 0; at < end; ++section) {
    section += tokens[at].is("::") ? 1 : 0;
    std::size_t stop = ++at;
    while (stop < end && !tokens[stop].is(":") && !tokens[stop].is("::")) {
      if (tokens[stop].is("(") || tokens[stop].is("[")) stop = closing(tokens, stop);
      ++stop;
    }
    if (section > 1) break;  // clobbered registers
    for (Range piece : between_commas(tokens, at, stop)) {
      Given given;
      if (piece.first < piece.end && tokens[piece.first].is("[")) {
        given.name = tokens[piece.first + 1].text;
        piece.first += 3;
      }
      if (piece.first + 1 >= piece.end) continue;
      given.constraint = literal(tokens[piece.first].text);
      given.expression = expression(word, piece.first + 2, piece.end - 1);
      made.given.push_back(given);
      if (section == 0) made.outputs = made.given.size();
    }
    at = stop;
  }
  return made;
}

const std::map<std::string, std::string>& special_registers() {
  static const std::map<std::string, std::string> known = {
      {"laneid", "::ridgeline::program::ptx::lane()"},
      {"warpid", "::ridgeline::program::ptx::warp()"},
      {"lanemask_eq", "(1u << ::ridgeline::program::ptx::lane())"},
      {"lanemask_lt", "((1u << ::ridgeline::program::ptx::lane()) - 1)"},
      {"lanemask_le", "((2u << ::ridgeline::program::ptx::lane()) - 1)"},
      {"lanemask_gt", "~((2u << ::ridgeline::program::ptx::lane()) - 1)"},
      {"lanemask_ge", "~((1u << ::ridgeline::program::ptx::lane()) - 1)"},
      {"clock", "static_cast<std::uint32_t>(::ridgeline::emulated::ticks())"},
      {"clock64", "::ridgeline::emulated::ticks()"},
      {"globaltimer", "::ridgeline::emulated::ticks()"},
      {"globaltimer_lo", "static_cast<std::uint32_t>(::ridgeline::emulated::ticks())"},
      {"smid", "::ridgeline::program::unit_of_block()"},
      {"nsmid", "::ridgeline::program::units()"},
      {"cluster_ctarank", "static_cast<unsigned>(::ridgeline::emulated::cluster_rank())"},
      {"cluster_nctarank", "static_cast<unsigned>(::ridgeline::emulated::cluster_size())"}};
  return known;
}

std::string special(const std::string& name) {
  const auto found = special_registers().find(name);
  if (found != special_registers().end()) return found->second;
  static const std::map<std::string, std::string> sizes = {{"tid", "thread_index"},
                                                           {"ntid", "block_size"},
                                                           {"ctaid", "block_index"},
                                                           {"nctaid", "grid_size"}};
  const std::size_t dot = name.find('.');
  const auto size = sizes.find(name.substr(0, dot));
  if (size == sizes.end() || dot == std::string::npos) return "";
  return fmt::format("::ridgeline::emulated::{}().{}", size->second, name.substr(dot + 1));
}

std::string number(const std::string& text) {
  if (text.empty()) return "";
  if (text.starts_with("0f") || text.starts_with("0F"))
    return fmt::format("__builtin_bit_cast(float, 0x{}u)", text.substr(2));
  if (text.starts_with("0d") || text.starts_with("0D"))
    return fmt::format("__builtin_bit_cast(double, 0x{}ull)", text.substr(2));
  const std::size_t first = text[0] == '-' ? 1 : 0;
  if (first >= text.size() || std::isdigit(static_cast<unsigned char>(text[first])) == 0) return "";
  std::string plain = text;
  if (plain.ends_with('U')) plain.pop_back();
  return plain;
}

class Translator {
 public:
  Translator(const Source& source, std::size_t first, std::size_t end, const Word& word)
      : statement_(parts_of(source, first, end, word)) {}

  Translation run() {
    Translation made;
    std::string& body = made.text;
    const auto statements = read_ptx(statement_.text, made.failure);
    if (!made.failure.empty()) return made;
    std::string before, labels;
    for (std::size_t i = 0; i < statement_.given.size(); ++i) {
      const Given& given = statement_.given[i];
      before += i < statement_.outputs
                    ? fmt::format("auto&& ridgeline_{} = {}; ", i, given.expression)
                    : fmt::format("const auto ridgeline_{} = ({}); ", i, given.expression);
    }
    for (const PtxStatement& each : statements) {
      if (each.kind == PtxStatement::Kind::label)
        labels += fmt::format("__label__ {}; ", label(each.text));
      if (each.kind != PtxStatement::Kind::registers) continue;
      const std::string type = ptx_type(each.text);
      if (type.empty()) return failed("registers of type ." + each.text);
      for (const std::string& name : each.operands) {
        registers_.insert(name);
        before += fmt::format("{} {} = {{}}; ", type, local(name));
      }
    }
    const PtxOperands operands{[this](const std::string& operand) { return value(operand); }};
    for (const PtxStatement& each : statements) {
      if (each.kind == PtxStatement::Kind::registers) continue;
      if (each.kind == PtxStatement::Kind::label) {
        body += label(each.text) + ": ; ";
        continue;
      }
      if (each.parts.empty() || each.parts[0].empty()) return failed("'" + each.text + "'");
      std::string text = each.parts[0] == "bra" && !each.operands.empty()
                             ? "goto " + label(each.operands[0])
                             : instruction_text(each, operands);
      if (text.empty()) return failed(each.text + " is not modelled");
      if (!each.predicate.empty()) {
        const std::string holds = value(each.predicate);
        if (holds.empty()) return failed("the predicate " + each.predicate);
        text = fmt::format("if ({}{}) {{ {}; }}", each.negated ? "!" : "", holds, text);
      }
      body += text + "; ";
    }
    // With a label of its own the statement may stand where one does.
    body = "do { " + labels + before + body + "} while (false)";
    return made;
  }

 private:
  static Translation failed(std::string what) { return {"", std::move(what)}; }
  static std::string plain(const std::string& name) {
    std::string text;
    for (const char letter : name)
      text += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
    return text;
  }
  static std::string label(const std::string& name) { return "ridgeline_label_" + plain(name); }
  static std::string local(const std::string& name) { return "ridgeline_register_" + plain(name); }

  std::string value(const std::string& operand) const {
    if (operand.empty()) return "";
    if (operand == "_") return "::ridgeline::program::ptx::Sink{}";
    if (operand[0] == '!') {
      const std::string of = value(operand.substr(1));
      return of.empty() ? "" : "!" + of;
    }
    if (registers_.contains(operand)) return local(operand);
    if (operand.starts_with("%%")) return special(operand.substr(2));
    if (operand.starts_with("%[") && operand.ends_with("]")) {
      for (std::size_t i = 0; i < statement_.given.size(); ++i)
        if (statement_.given[i].name == operand.substr(2, operand.size() - 3))
          return fmt::format("ridgeline_{}", i);
      return "";
    }
    if (operand.starts_with("%")) {
      const std::string rest = operand.substr(1);
      if (!rest.empty() && std::isdigit(static_cast<unsigned char>(rest[0])) != 0) {
        const auto place = static_cast<std::size_t>(std::atoi(rest.c_str()));
        return place < statement_.given.size() ? fmt::format("ridgeline_{}", place) : "";
      }
      return special(rest);
    }
    return number(operand);
  }

  const Statement statement_;
  std::set<std::string> registers_;
};

}  // namespace

Translation translate_assembly(const Source& source, std::size_t first, std::size_t end,
                               const std::function<std::string(std::size_t)>& word) {
  return Translator(source, first, end, word).run();
}

}  // namespace ridgeline::program
