// A plug-in of gcc for --check=races, with a pass before and one after the pass that instruments.
//
// gcc instruments no memset, memcpy and memmove for races, which gfortran makes of `a = 0`, of `a = b` and of characters, and which
// it may expand in line. The first pass puts calls of __tsan_read_range and __tsan_write_range before them. (Calls that stay calls
// are seen by the linker's --wrap as well; the second entry of an access in the same segment changes nothing.)
//
// A call makes the compiler keep its values in memory, while the functions for loads and stores change two registers (registers.rs).
// The second pass makes their calls instructions of which the compiler knows that. They use the stack below the stack pointer, so
// the specs of --check=races have -mno-red-zone.
//
// It is made for the gcc that it is built with, and does nothing in another one.

#include "gcc-plugin.h"
#include "plugin-version.h"

#include "tree.h"
#include "gimple.h"
#include "gimple-iterator.h"
#include "tree-pass.h"
#include "context.h"
#include "diagnostic-core.h"
#include "function.h"
#include "basic-block.h"
#include "ssa.h"
#include "stringpool.h"
#include "attribs.h"

// gcc asks for this name; the licences of XMP-RT are compatible.
int plugin_is_GPL_compatible;

namespace {

const pass_data description = {
    GIMPLE_PASS, "xmprt_races", OPTGROUP_NONE, TV_NONE, PROP_ssa | PROP_cfg, 0, 0, 0, TODO_update_ssa,
};
const pass_data kept = {
    GIMPLE_PASS, "xmprt_kept", OPTGROUP_NONE, TV_NONE, PROP_ssa | PROP_cfg, 0, 0, 0, TODO_update_ssa,
};

// void NAME(void *, size_t)
tree declare(const char *name)
{
    return build_fn_decl(name, build_function_type_list(void_type_node, ptr_type_node, size_type_node, NULL_TREE));
}

void enter_before(gimple_stmt_iterator *at, tree function, tree address, tree len)
{
    gcall *call = gimple_build_call(function, 2, address, len);
    gimple_set_location(call, gimple_location(gsi_stmt(*at)));
    gsi_insert_before(at, call, GSI_SAME_STMT);
}

struct block_accesses : gimple_opt_pass {
    explicit block_accesses(gcc::context *context) : gimple_opt_pass(description, context) {}

    opt_pass *clone() override { return new block_accesses(m_ctxt); }

    bool gate(function *) override { return true; }

    unsigned execute(function *body) override
    {
        tree read = declare("__tsan_read_range"), write = declare("__tsan_write_range");
        basic_block block;
        FOR_EACH_BB_FN (block, body)
            for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
                gimple *statement = gsi_stmt(at);
                if (!is_gimple_call(statement))
                    continue;
                tree callee = gimple_call_fndecl(statement);
                if (!callee || !fndecl_built_in_p(callee, BUILT_IN_NORMAL) || gimple_call_num_args(statement) < 3)
                    continue;
                tree to = gimple_call_arg(statement, 0), from = gimple_call_arg(statement, 1),
                     len = gimple_call_arg(statement, 2);
                switch (DECL_FUNCTION_CODE(callee)) {
                case BUILT_IN_MEMCPY:
                case BUILT_IN_MEMMOVE:
                case BUILT_IN_MEMPCPY:
                    enter_before(&at, read, from, len);
                    enter_before(&at, write, to, len);
                    break;
                case BUILT_IN_MEMSET:
                    enter_before(&at, write, to, len);
                    break;
                case BUILT_IN_MEMCMP:
                    enter_before(&at, read, to, len);
                    enter_before(&at, read, from, len);
                    break;
                default:
                    break;
                }
            }
        return 0;
    }
};

// The clobbered registers of an asm statement.
typedef vec<tree, va_gc> registers;

void add(registers **to, const char *name)
{
    vec_safe_push(*to, build_tree_list(NULL_TREE, build_string(strlen(name) + 1, name)));
}

// Registers with this name and the numbers below the last one.
void add(registers **to, const char *name, int numbers)
{
    char numbered[8];
    for (int number = 0; number < numbers; number++) {
        snprintf(numbered, sizeof numbered, "%s%d", name, number);
        add(to, numbered);
    }
}

struct kept_registers : gimple_opt_pass {
    explicit kept_registers(gcc::context *context) : gimple_opt_pass(kept, context) {}

    opt_pass *clone() override { return new kept_registers(m_ctxt); }

    bool gate(function *) override { return true; }

    unsigned execute(function *body) override
    {
        basic_block block;
        FOR_EACH_BB_FN (block, body)
            for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
                gimple *statement = gsi_stmt(at);
                const char *name = is_gimple_call(statement) ? access_of(gimple_call_fndecl(statement)) : nullptr;
                if (!name)
                    continue;
                char text[80];
                snprintf(text, sizeof text, "call\t*%s@GOTPCREL(%%%%rip)", name);
                registers *inputs = nullptr, *clobbered = nullptr;
                tree address = build_tree_list(NULL_TREE, build_string(2, "D"));
                vec_safe_push(inputs, build_tree_list(address, gimple_call_arg(statement, 0)));
                add(&clobbered, "rax");
                add(&clobbered, "rdx");
                // The functions keep what SSE has of registers.
                if (TARGET_AVX)
                    add(&clobbered, "xmm", TARGET_AVX512F ? 32 : 16);
                if (TARGET_AVX512F)
                    add(&clobbered, "k", 8);
                gasm *instruction = gimple_build_asm_vec(text, inputs, nullptr, clobbered, nullptr);
                gimple_asm_set_volatile(instruction, true);
                gimple_set_location(instruction, gimple_location(statement));
                unlink_stmt_vdef(statement);
                gsi_replace(&at, instruction, false);
            }
        return 0;
    }

    // The name of a function that enters a load or store; null for other functions.
    static const char *access_of(tree callee)
    {
        if (!callee || !fndecl_built_in_p(callee, BUILT_IN_NORMAL))
            return nullptr;
        const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(callee));
        const char prefix[] = "__tsan_";
        if (strncmp(name, prefix, sizeof prefix - 1) != 0)
            return nullptr;
        const char *rest = name + sizeof prefix - 1;
        for (const char *word : {"unaligned_", "volatile_"})
            if (strncmp(rest, word, strlen(word)) == 0)
                rest += strlen(word);
        const char *size = strncmp(rest, "read", 4) == 0 ? rest + 4 : strncmp(rest, "write", 5) == 0 ? rest + 5 : "";
        return *size >= '1' && *size <= '9' ? name : nullptr;
    }
};

} // namespace

int plugin_init(plugin_name_args *info, plugin_gcc_version *version)
{
    if (!plugin_default_version_check(version, &gcc_version)) {
        warning(0, "%<--check=races%>: memset, memcpy and memmove are not seen: XMP-RT was installed for another build of gcc %s",
                gcc_version.basever);
        return 0;
    }
    // With and without optimisation the pass has a name each. 0: wherever it is in the list of passes, which -Og has a part of.
    for (const char *name : {"tsan", "tsan0"}) {
        register_pass_info before = {new block_accesses(g), name, 0, PASS_POS_INSERT_BEFORE};
        register_callback(info->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &before);
        register_pass_info after = {new kept_registers(g), name, 0, PASS_POS_INSERT_AFTER};
        register_callback(info->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &after);
    }
    return 0;
}
