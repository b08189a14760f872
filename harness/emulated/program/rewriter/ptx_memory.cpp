#include "harness/emulated/program/rewriter/ptx_memory.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "harness/emulated/program/rewriter/ptx_tensor.hpp"

namespace ridgeline::program {
namespace {

const std::string ptx = "::ridgeline::program::ptx::";
const std::string device = "::ridgeline::emulated::";

class Instruction {
 public:
  Instruction(const PtxStatement& of, const PtxOperands& operands) : of_(of), operands_(operands) {}

  bool has(std::string_view part) const {
    return std::ranges::find(of_.parts, part) != of_.parts.end();
  }
  std::size_t count() const { return of_.operands.size(); }
  std::string value(std::size_t i) const {
    return i < count() ? operands_.value(of_.operands[i]) : "";
  }
  std::string get(std::size_t i, const std::string& type) const {
    const std::string text = value(i);
    return text.empty() ? "" : fmt::format("{}get<{}>({})", ptx, type, text);
  }
  std::string type() const {
    for (std::size_t i = of_.parts.size(); i-- > 1;)
      if (std::string type = ptx_type(of_.parts[i]); !type.empty()) return type;
    return "";
  }
  bool is_shared() const {
    return std::ranges::any_of(of_.parts,
                               [](const std::string& part) { return part.starts_with("shared"); });
  }
  /// "[%1+16]" as a pointer.
  std::string address(std::size_t i, const std::string& type, bool shared) const {
    if (i >= count()) return "";
    std::string text = of_.operands[i];
    if (!text.starts_with('[') || !text.ends_with(']')) return "";
    text = text.substr(1, text.size() - 2);
    std::string offset = "0";
    const std::size_t sign = text.find_first_of("+-", 1);
    if (sign != std::string::npos) {
      offset = text.substr(text[sign] == '+' ? sign + 1 : sign);
      if (offset.starts_with(" ")) offset = offset.substr(1);
      if (const std::string immediate = operands_.value(offset); !immediate.empty())
        offset = immediate;
      text = text.substr(0, sign);
    }
    while (text.ends_with(' ')) text.pop_back();
    const std::string base = operands_.value(text);
    if (base.empty()) return "";
    return fmt::format("{}{}<{}>({}, {})", ptx, shared ? "shared_at" : "global_at", type, base,
                       offset);
  }

  std::string text() const {
    const std::string& name = of_.parts[0];
    if (name == "ld" || name == "ldu") return load();
    if (name == "st") return store();
    if (name == "atom" || name == "red") return atomic(name == "atom");
    if (name == "cp") return copy();
    if (name == "bar" || name == "barrier") return barrier();
    if (name == "membar") return device + "fence()";
    if (name == "fence") return fence();
    if (name == "shfl") return shuffle();
    if (name == "vote") return vote();
    if (name == "redux") return reduction();
    if (name == "activemask")
      return fmt::format("{}put({}, ::ridgeline::program::active_lanes())", ptx, value(0));
    if (name == "match" && has("any"))
      return fmt::format("{}put({}, {}match({}, {}))", ptx, value(0), device,
                         get(2, "std::uint32_t"), get(1, "std::uint32_t"));
    if (name == "mbarrier") return mbarrier();
    if (name == "mapa") return map();
    if (name == "prefetch" || name == "prefetchu" || name == "applypriority" || name == "discard")
      return "static_cast<void>(0)";
    if (name == "createpolicy") return fmt::format("{}put({}, 0)", ptx, value(0));
    if (name == "nanosleep" || name == "pmevent") return "static_cast<void>(0)";
    if (name == "trap") return "::ridgeline::program::device_trap()";
    if (name == "exit" || name == "ret") return "return";
    if (name == "griddepcontrol")
      return has("wait") ? device + "previous_kernel_wait()" : "static_cast<void>(0)";
    if (name == "setmaxnreg") return fmt::format("{}set_registers({})", device, get(0, "int"));
    if (name == "elect") return elect();
    return tensor_instruction(of_, operands_, [this](std::size_t i, const std::string& type) {
      return address(i, type, true);
    });
  }

 private:
  bool is_volatile() const {
    return has("volatile") || has("relaxed") || has("acquire") || has("release") || has("mmio");
  }

  /// The type of a whole access, and the part of each register in it.
  struct Wide {
    std::string whole, part;
    std::size_t count = 1;
  };
  Wide wide() const {
    Wide access;
    access.part = type();
    if (has("v2")) access.count = 2;
    if (has("v4")) access.count = 4;
    if (access.count == 1) {
      access.whole = access.part;
      return access;
    }
    static const std::map<std::string, std::string> names = {
        {"std::uint8_t", "uchar"},  {"std::int8_t", "uchar"},       {"std::uint16_t", "ushort"},
        {"std::int16_t", "ushort"}, {"std::uint32_t", "uint"},      {"std::int32_t", "uint"},
        {"float", "uint"},          {"std::uint64_t", "ulonglong"}, {"std::int64_t", "ulonglong"},
        {"double", "ulonglong"}};
    const auto found = names.find(access.part);
    if (found == names.end()) return {};
    access.whole = found->second + std::to_string(access.count);
    return access;
  }

  std::string load() const {
    const Wide access = wide();
    if (access.whole.empty() || count() < 2) return "";
    const std::string from = address(1, access.whole, is_shared());
    if (from.empty()) return "";
    const bool once = is_volatile() && access.count == 1;
    const std::string_view call = once ? "load_volatile" : has("nc") ? "load_read_only" : "load";
    std::string text;
    if (access.count == 1) {
      text = fmt::format("{}put({}, {}{}({}))", ptx, value(0), ptx, call, from);
    } else {
      const auto to = elements_of(of_.operands[0]);
      if (to.size() != access.count) return "";
      text = fmt::format("const {} ridgeline_wide = {}{}({})", access.whole, ptx, call, from);
      for (std::size_t i = 0; i < to.size(); ++i)
        text +=
            fmt::format("; {}put({}, ridgeline_wide.{})", ptx, operands_.value(to[i]), "xyzw"[i]);
      text = "{ " + text + "; }";
    }
    if (has("acquire")) text += "; " + device + "fence()";
    return text;
  }

  std::string store() const {
    const Wide access = wide();
    if (access.whole.empty() || count() < 2 || has("async")) return "";
    const std::string to = address(0, access.whole, is_shared());
    if (to.empty()) return "";
    const std::string before = has("release") ? device + "fence(); " : "";
    if (access.count == 1)
      return before + fmt::format("{}{}({}, {})", ptx, is_volatile() ? "store_volatile" : "store",
                                  to, get(1, access.whole));
    const auto from = elements_of(of_.operands[1]);
    if (from.size() != access.count) return "";
    const std::string part = access.whole.starts_with("ulonglong") ? "unsigned long long"
                             : access.whole.starts_with("uint")    ? "unsigned"
                             : access.whole.starts_with("ushort")  ? "unsigned short"
                                                                   : "unsigned char";
    std::string text = fmt::format("{}{}store({}, make_{}(", before, ptx, to, access.whole);
    for (std::size_t i = 0; i < from.size(); ++i)
      text +=
          fmt::format("{}{}get<{}>({})", i == 0 ? "" : ", ", ptx, part, operands_.value(from[i]));
    return text + "))";
  }

  std::string atomic(bool returns) const {
    static const std::map<std::string, std::string> names = {
        {"add", "atomicAdd"}, {"min", "atomicMin"}, {"max", "atomicMax"}, {"exch", "atomicExch"},
        {"and", "atomicAnd"}, {"or", "atomicOr"},   {"xor", "atomicXor"}, {"cas", "atomicCAS"},
        {"inc", "atomicInc"}, {"dec", "atomicDec"}};
    std::string call, type = this->type();
    for (const std::string& part : of_.parts)
      if (const auto found = names.find(part); found != names.end()) call = found->second;
    if (call.empty() || type.empty() || has("v2") || has("v4")) return "";
    if (type == "std::uint64_t") type = "unsigned long long";
    if (type == "std::int64_t") type = "long long";
    const std::size_t first = returns ? 1 : 0;
    const std::string at = address(first, type, is_shared());
    if (at.empty()) return "";
    std::string text = fmt::format("{}({}", call, at);
    for (std::size_t i = first + 1; i < count(); ++i) text += ", " + get(i, type);
    text += ")";
    if (returns) text = fmt::format("{}put({}, {})", ptx, value(0), text);
    if (has("release") || has("acq_rel")) text = device + "fence(); " + text;
    if (has("acquire") || has("acq_rel")) text += "; " + device + "fence()";
    return text;
  }

  std::string copy() const {
    if (has("bulk")) return bulk();
    if (!has("async")) return "";
    if (has("commit_group")) return device + "copy_commit()";
    if (has("wait_all")) return fmt::format("{0}copy_commit(); {0}copy_wait(0)", device);
    if (has("wait_group")) return fmt::format("{}copy_wait({})", device, get(0, "int"));
    if (has("mbarrier"))
      return fmt::format("{0}copy_commit(); {0}copy_wait(0); {0}barrier_arrive({1}, 1, 0)", device,
                         address(0, "void", true));
    if (count() < 3) return "";
    const std::string bytes = get(2, "int"), to = address(0, "void", true),
                      from = address(1, "const void", false);
    if (to.empty() || from.empty()) return "";
    // A fourth operand may be a policy of the cache, of 64 bits, behind .L2::cache_hint.
    const bool sized = count() > 3 && !(has("cache_hint") && count() == 4);
    return fmt::format("{}copy_async({}, {}, {}, {})", ptx, to, from, bytes,
                       sized ? get(3, "int") : bytes);
  }

  std::string bulk() const {
    if (has("commit_group")) return device + "bulk_commit()";
    if (has("wait_group")) return fmt::format("{}bulk_wait({})", device, get(0, "int"));
    if (has("tensor") || has("prefetch") || count() < 3 || has("multicast::cluster")) return "";
    const bool to_global = has("global") && of_.text.find("global.shared") != std::string::npos;
    const std::string bytes = get(2, "unsigned");
    if (to_global)
      return fmt::format("{}{}({}, {}, {})", device,
                         has("reduce") && has("add") && has("f32") ? "bulk_add"
                         : has("reduce")                           ? "not_modelled"
                                                                   : "bulk_store",
                         address(0, "void", false), address(1, "const void", true), bytes);
    if (count() < 4) return "";
    return fmt::format("{}bulk_load({}, {}, {}, {})", device, address(0, "void", true),
                       address(1, "const void", false), bytes, address(3, "void", true));
  }

  std::string barrier() const {
    if (has("cluster")) {
      if (has("arrive"))
        return device + (has("relaxed") ? "cluster_arrive_relaxed()" : "cluster_arrive()");
      return has("wait") ? device + "cluster_wait()" : "";
    }
    if (has("warp")) return fmt::format("{}warp_barrier({})", device, get(0, "std::uint32_t"));
    if (count() == 2 && (has("sync") || has("arrive")))  // of a part of the block
      return fmt::format("{}barrier_{}_named({}, {})", device, has("sync") ? "sync" : "arrive",
                         get(0, "std::uint32_t"), get(1, "std::uint32_t"));
    if (!has("sync") || count() != 1) return "";
    return fmt::format("{}barrier_sync_named({})", device, get(0, "std::uint32_t"));
  }

  std::string fence() const {
    if (has("proxy")) return device + "fence_async()";
    if (has("mbarrier_init")) return device + "fence_barrier_init()";
    return device + "fence()";
  }

  std::string shuffle() const {
    static const std::map<std::string, std::string> kinds = {
        {"idx", "index"}, {"up", "up"}, {"down", "down"}, {"bfly", "exclusive_or"}};
    if (count() < 4) return "";
    for (const auto& [part, kind] : kinds) {
      if (!has(part)) continue;
      const std::string to = of_.operands[0].substr(0, of_.operands[0].find('|'));
      const std::string mask = count() > 4 ? get(4, "std::uint32_t") : "0xFFFFFFFFu";
      return fmt::format("{}put({}, {}shuffle({}Shuffle::{}, {}, {}, {}, {}))", ptx,
                         operands_.value(to), ptx, device, kind, get(1, "std::uint32_t"),
                         get(2, "int"), get(3, "std::uint32_t"), mask);
    }
    return "";
  }

  std::string vote() const {
    if (count() < 2) return "";
    const std::string mask = count() > 2 ? get(2, "std::uint32_t") : "0xFFFFFFFFu";
    const std::string call = has("ballot") ? "__ballot_sync"
                             : has("any")  ? "__any_sync"
                             : has("all")  ? "__all_sync"
                                           : "";
    if (call.empty()) return "";
    return fmt::format("{}put({}, {}({}, {}))", ptx, value(0), call, mask, value(1));
  }

  std::string reduction() const {
    if (count() < 3) return "";
    for (const char* name : {"add", "min", "max", "and", "or", "xor"})
      if (has(name))
        return fmt::format("{}put({}, __reduce_{}_sync({}, {}))", ptx, value(0), name,
                           get(2, "std::uint32_t"), get(1, has("s32") ? "int" : "unsigned"));
    return "";
  }

  std::string elect() const {
    const std::size_t bar = of_.operands[0].find('|');
    const std::string to =
        bar == std::string::npos ? of_.operands[0] : of_.operands[0].substr(bar + 1);
    return fmt::format(
        "{}put({}, static_cast<bool>({}lane() == static_cast<unsigned>(std::countr_zero({}))))",
        ptx, operands_.value(to), ptx, get(1, "std::uint32_t"));
  }

  std::string mbarrier() const {
    if (has("init"))
      return fmt::format("{}barrier_init({}, {})", device, address(0, "void", true),
                         get(1, "unsigned"));
    if (has("inval"))
      return fmt::format("{}barrier_invalidate({})", device, address(0, "void", true));
    if (has("arrive")) {
      if (count() < 2 || of_.text.find("shared::cluster") != std::string::npos) return "";
      const bool expects = has("expect_tx");
      if (of_.operands[0] != "_" && value(0).empty()) return "";
      const std::string at = address(1, "void", true);
      return fmt::format("{}barrier_arrive({}, {}, {})", device, at,
                         expects || count() < 3 ? "1" : get(2, "unsigned"),
                         expects ? get(2, "unsigned") : "0");
    }
    if (has("expect_tx"))
      return fmt::format("{}barrier_arrive({}, 0, {})", device, address(0, "void", true),
                         get(1, "unsigned"));
    if (!has("parity") || count() < 3) return "";
    const std::string at = address(1, "void", true), parity = get(2, "unsigned");
    if (has("try_wait"))
      return fmt::format("({}barrier_wait({}, {}), {}put({}, true))", device, at, parity, ptx,
                         value(0));
    if (has("test_wait"))
      return fmt::format("{}put({}, {}barrier_test({}, {}))", ptx, value(0), device, at, parity);
    return "";
  }

  std::string map() const {
    if (count() != 3) return "";
    // As an address of generic memory: that of another block has no number here.
    if (is_shared()) return "";
    return fmt::format("{}put({}, {}in_block_of_cluster({}get<void*>({}), {}))", ptx, value(0),
                       device, ptx, value(1), get(2, "int"));
  }

  const PtxStatement& of_;
  const PtxOperands& operands_;
};

}  // namespace

std::string memory_instruction(const PtxStatement& of, const PtxOperands& operands) {
  const std::string text = Instruction(of, operands).text();
  // An operand that is not known leaves a hole.
  const bool has_hole =
      text.find("(, ") != std::string::npos || text.find(", )") != std::string::npos ||
      text.find(", ,") != std::string::npos || text.find("not_modelled") != std::string::npos;
  return has_hole ? "" : text;
}

std::string cvta_value(const PtxStatement& of, const PtxOperands& operands) {
  if (of.operands.size() != 2) return "";
  std::string value = operands.value(of.operands[1]);
  if (value.empty()) return "";
  const bool to = of.parts.size() > 1 && of.parts[1] == "to";
  const bool shared = std::ranges::any_of(
      of.parts, [](const std::string& part) { return part.starts_with("shared"); });
  if (!shared) return value;
  return to ? fmt::format("{}shared_address({}get<void*>({}))", device, ptx, value)
            : fmt::format(
                  "reinterpret_cast<std::uint64_t>(::ridgeline::program::shared_pointer({}"
                  "get<std::uint64_t>({})))",
                  ptx, value);
}

}  // namespace ridgeline::program
