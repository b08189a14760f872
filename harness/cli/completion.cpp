#include <cstdio>
#include <functional>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/cli/command.hpp"

namespace ridgeline::cli {
namespace {

/// Calls `each` with every command and its path: "run", "baseline set", and "" for the program.
void for_each_command(const Command& command, const std::string& path,
                      const std::function<void(const Command&, const std::string&)>& each) {
  each(command, path);
  for (const Command& below : command.commands())
    for_each_command(below, path.empty() ? below.name() : path + ' ' + below.name(), each);
}

/// What may follow a command's name: commands, values of its first argument, options.
std::vector<std::string> words_of(const Command& command) {
  std::vector<std::string> words;
  for (const Command& below : command.commands()) words.push_back(below.name());
  for (const OptionFacts& option : command.options()) {
    const std::vector<std::string>& offered = option.names.empty() ? option.choices : option.names;
    words.insert(words.end(), offered.begin(), offered.end());
  }
  return words;
}

/// A function for bash and zsh that sets the array `found` to what may follow the typed words,
/// which are its arguments: nothing where the name of a file may.
std::string words_function(const Command& program) {
  std::string paths, words, values;
  for_each_command(program, "", [&](const Command& command, const std::string& path) {
    if (!path.empty()) paths += fmt::format("{}'{}'", paths.empty() ? "" : "|", path);
    words += fmt::format("    '{}') found=({}) ;;\n", path, fmt::join(words_of(command), " "));
    for (const OptionFacts& option : command.options())
      for (const std::string& name : option.names)
        if (option.takes_value)
          values += fmt::format("    '{} {}') found=({}); return ;;\n", path, name,
                                fmt::join(option.choices, " "));
  });
  return fmt::format(R"(_{0}_words() {{
  local chosen= last= word
  for word in "$@"; do
    last=$word
    case "${{chosen:+$chosen }}$word" in
      {1}) chosen="${{chosen:+$chosen }}$word" ;;
    esac
  done
  case "$chosen $last" in
{2}  esac
  case "$chosen" in
{3}  esac
}}
)",
                     program.name(), paths, values, words);
}

/// As a word of fish, in which a backslash keeps a quote from ending the text.
std::string fish_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\\' || c == '\'') word += '\\';
    word += c;
  }
  return word + "'";
}

std::string bash_completion(const Command& program) {
  return words_function(program) + fmt::format(R"(_{0}() {{
  local found=()
  _{0}_words "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"
  COMPREPLY=($(compgen -W "${{found[*]}}" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _{0} {0}
)",
                                               program.name());
}

std::string zsh_completion(const Command& program) {
  return fmt::format(R"(#compdef {0}
{1}_{0}() {{
  local -a found
  _{0}_words "${{(@)words[2,CURRENT-1]}}"
  if (( ${{#found}} )); then compadd -a found; else _files; fi
}}
if [ "$funcstack[1]" = _{0} ]; then _{0} "$@"; else compdef _{0} {0}; fi
)",
                     program.name(), words_function(program));
}

std::string fish_completion(const Command& program) {
  const std::string& name = program.name();
  std::string text;
  for_each_command(program, "", [&](const Command& command, const std::string& path) {
    // The words of the path have been typed, and, where there are commands below it, nothing after
    // them.
    const std::string when =
        fmt::format("commandline -opc | string join ' ' | string match -qr '^\\S+{}{}{}'",
                    path.empty() ? "" : " ", path, command.commands().empty() ? "( |$)" : "$");
    const std::string line = fmt::format("complete -c {} -n {}", name, fish_word(when));
    for (const Command& below : command.commands())
      text +=
          fmt::format("{} -f -a {} -d {}\n", line, below.name(), fish_word(below.description()));
    for (const OptionFacts& option : command.options()) {
      if (option.names.empty() && option.choices.empty()) continue;
      text += line;
      for (const std::string& each : option.names)
        text += each.starts_with("--") ? " -l " + each.substr(2) : " -s " + each.substr(1);
      if (option.takes_value && !option.names.empty()) text += " -r";
      if (!option.choices.empty())
        text +=
            fmt::format(" -f -a {}", fish_word(fmt::format("{}", fmt::join(option.choices, " "))));
      text += fmt::format(" -d {}\n", fish_word(option.description));
    }
  });
  return text;
}

}  // namespace

void add_completion(Command program, Context& context) {
  const auto shell = std::make_shared<std::string>();
  const Command command =
      add_command(program, context, "completion",
                  "Print a script with which a shell completes commands and options",
                  R"(
  ridgeline completion zsh > "${fpath[1]}/_ridgeline"
  ridgeline completion fish > ~/.config/fish/completions/ridgeline.fish
  source <(ridgeline completion bash)      for this shell alone
  echo 'source <(ridgeline completion bash)' >> ~/.bashrc)",
                  [program, shell] {
                    const auto script = *shell == "bash"  ? bash_completion
                                        : *shell == "zsh" ? zsh_completion
                                                          : fish_completion;
                    present::say(stdout, script(program));
                    return static_cast<int>(present::fine);
                  });
  command.option("SHELL", *shell, "The shell",
                 {.required = true, .one_of = {"bash", "zsh", "fish"}});
}

}  // namespace ridgeline::cli
