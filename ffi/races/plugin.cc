// A plug-in of gcc for --check=races, with a pass before and two after the pass that instruments.
//
// gcc instruments no memset, memcpy and memmove for races, which gfortran makes of `a = 0`, of `a = b` and of characters, and which
// it may expand in line. The first pass puts calls of __tsan_read_range and __tsan_write_range before them, and one of
// xmprt_race_atomic_write before an atomic comparison and exchange in line. (Calls that stay calls
// are seen by the linker's --wrap as well; the second entry of an access in the same segment changes nothing.)
//
// The second pass enters the loads and stores of a loop before it, all elements that a statement accesses in one call, where the
// compiler knows which those are, and where nothing in the loop orders images. What happens within a segment of an image has no order
// for others, so it may be entered early. The loop itself is left without calls, and may be vectorised.
//
// A call makes the compiler keep its values in memory, while the functions for loads and stores change two registers (registers.rs).
// The third pass makes their calls instructions of which the compiler knows that. They use the stack below the stack pointer, so
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
#include "fold-const.h"
#include "gimplify.h"
#include "gimplify-me.h"
#include "cfgloop.h"
#include "tree-cfg.h"
#include "tree-ssa-loop.h"
#include "tree-ssa-loop-niter.h"
#include "tree-scalar-evolution.h"
#include "tree-ssanames.h"

// gcc asks for this name; the licences of XMP-RT are compatible.
int plugin_is_GPL_compatible;

namespace {

const pass_data description = {
    GIMPLE_PASS, "xmprt_races", OPTGROUP_NONE, TV_NONE, PROP_ssa | PROP_cfg, 0, 0, 0, TODO_update_ssa,
};
const pass_data before_loop = {
    GIMPLE_PASS, "xmprt_loops", OPTGROUP_NONE, TV_NONE, PROP_ssa | PROP_cfg, 0, 0, 0, TODO_update_ssa,
};
const pass_data kept = {
    GIMPLE_PASS, "xmprt_kept", OPTGROUP_NONE, TV_NONE, PROP_ssa | PROP_cfg, 0, 0, 0, TODO_update_ssa,
};

// void NAME(void *, size_t)
tree declare(const char *name)
{
    return build_fn_decl(name, build_function_type_list(void_type_node, ptr_type_node, size_type_node, NULL_TREE));
}

// void NAME(void *, size_t, size_t)
tree declare_strided(const char *name)
{
    return build_fn_decl(
        name, build_function_type_list(void_type_node, ptr_type_node, size_type_node, size_type_node, NULL_TREE));
}

// A function that enters accesses.
struct entry_function {
    // Null for other functions.
    const char *name;
    // Its bytes; 0 where an argument says how many.
    int len;
    bool writes;
    bool is_strided;
};

// The function that a statement calls.
entry_function called_by(const gimple *statement)
{
    const entry_function none = {};
    tree callee = is_gimple_call(statement) ? gimple_call_fndecl(statement) : NULL_TREE;
    if (!callee || !DECL_NAME(callee))
        return none;
    const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(callee)), *rest = name;
    auto skip = [&rest](const char *word) {
        bool is_next = strncmp(rest, word, strlen(word)) == 0;
        rest += is_next ? strlen(word) : 0;
        return is_next;
    };
    bool is_strided = skip("xmprt_race_strided_");
    if (!is_strided && !skip("__tsan_"))
        return none;
    if (!skip("unaligned_"))
        skip("volatile_");
    bool writes = skip("write");
    if (!writes && !skip("read"))
        return none;
    int len = atoi(rest);
    if (len == 0 && strcmp(rest, "_range") != 0)
        return none;
    return {name, len, writes, is_strided};
}

void enter_before(gimple_stmt_iterator *at, tree function, tree address, tree len)
{
    gcall *call = gimple_build_call(function, 2, address, len);
    gimple_set_location(call, gimple_location(gsi_stmt(*at)));
    gsi_insert_before(at, call, GSI_SAME_STMT);
}

struct block_accesses : gimple_opt_pass {
    // Whether it is before the pass that instruments where nothing is optimised.
    bool is_unoptimised;

    block_accesses(gcc::context *context, bool is_unoptimised)
        : gimple_opt_pass(description, context), is_unoptimised(is_unoptimised)
    {
    }

    opt_pass *clone() override { return new block_accesses(m_ctxt, is_unoptimised); }

    // Both places are passed by every function.
    bool gate(function *) override { return is_unoptimised == !optimize; }

    unsigned execute(function *body) override
    {
        tree read = declare("__tsan_read_range"), write = declare("__tsan_write_range"),
             atomic = declare("xmprt_race_atomic_write");
        basic_block block;
        FOR_EACH_BB_FN (block, body)
            for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
                gimple *statement = gsi_stmt(at);
                if (!is_gimple_call(statement))
                    continue;
                // OpenMP's atomic operations on real numbers. The fourth argument has the number of bytes and a flag.
                if (gimple_call_internal_p(statement, IFN_ATOMIC_COMPARE_EXCHANGE)) {
                    int len = tree_to_uhwi(gimple_call_arg(statement, 3)) & 255;
                    enter_before(&at, atomic, gimple_call_arg(statement, 0), size_int(len));
                    continue;
                }
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

// Whether an expression is too much to be computed before a loop. The function has another argument from gcc 14 on.
[[maybe_unused]] bool is_expensive(bool (*judge)(tree), tree expression) { return judge(expression); }

[[maybe_unused]] bool is_expensive(bool (*judge)(tree, bool *), tree expression)
{
    bool may_overflow = false;
    return judge(expression, &may_overflow);
}

struct whole_loops : gimple_opt_pass {
    explicit whole_loops(gcc::context *context) : gimple_opt_pass(before_loop, context) {}

    opt_pass *clone() override { return new whole_loops(m_ctxt); }

    bool gate(function *) override { return optimize > 0; }

    unsigned execute(function *body) override
    {
        loop_optimizer_init(LOOPS_NORMAL | LOOPS_HAVE_RECORDED_EXITS);
        if (number_of_loops(body) > 1) {
            scev_initialize();
            calculate_dominance_info(CDI_DOMINATORS);
            for (class loop *loop : loops_list(body, LI_FROM_INNERMOST))
                enter_before(loop);
            scev_finalize();
        }
        loop_optimizer_finalize();
        return 0;
    }

    static void enter_before(class loop *loop)
    {
        edge exit = single_exit(loop);
        tree_niter_desc passes;
        if (!exit || !loop->latch || !number_of_iterations_exit(loop, exit, &passes, false)
            || !integer_zerop(passes.may_be_zero) || is_expensive(expression_expensive_p, passes.niter))
            return;
        basic_block *blocks = get_loop_body(loop);
        bool is_ordered = false;
        for (unsigned at = 0; at < loop->num_nodes && !is_ordered; at++)
            is_ordered = orders(blocks[at]);
        for (unsigned at = 0; at < loop->num_nodes && !is_ordered; at++) {
            basic_block block = blocks[at];
            // Each pass of this loop executes the block.
            if (block->loop_father != loop || !dominated_by_p(CDI_DOMINATORS, loop->latch, block))
                continue;
            tree count = fold_convert(size_type_node, unshare_expr(passes.niter));
            bool is_before_exit = dominated_by_p(CDI_DOMINATORS, exit->src, block);
            if (is_before_exit)
                count = fold_build2(PLUS_EXPR, size_type_node, count, size_one_node);
            for (gimple_stmt_iterator it = gsi_start_bb(block); !gsi_end_p(it);)
                if (move_before(loop, gsi_stmt(it), count, is_before_exit)) {
                    unlink_stmt_vdef(gsi_stmt(it));
                    gsi_remove(&it, true);
                } else {
                    gsi_next(&it);
                }
        }
        free(blocks);
    }

    // Whether something in the block may order images, or end the loop otherwise.
    static bool orders(basic_block block)
    {
        for (gimple_stmt_iterator it = gsi_start_bb(block); !gsi_end_p(it); gsi_next(&it)) {
            gimple *statement = gsi_stmt(it);
            if (gimple_code(statement) == GIMPLE_ASM)
                return true;
            if (!is_gimple_call(statement) || gimple_call_internal_p(statement) || called_by(statement).name
                || gimple_call_builtin_p(statement, BUILT_IN_MEMCPY) || gimple_call_builtin_p(statement, BUILT_IN_MEMSET)
                || gimple_call_builtin_p(statement, BUILT_IN_MEMMOVE))
                continue;
            int flags = gimple_call_flags(statement);
            if (!(flags & (ECF_CONST | ECF_PURE)) || flags & ECF_LOOPING_CONST_OR_PURE)
                return true;
        }
        return false;
    }

    // Enters an access before its loop, which executes it `count` times, if the accessed object is known.
    static bool move_before(class loop *loop, gimple *statement, tree count, bool is_executed)
    {
        entry_function access = called_by(statement);
        affine_iv place;
        if (access.len == 0 || access.is_strided
            || !simple_iv(loop, loop, gimple_call_arg(statement, 0), &place, true)
            || is_expensive(expression_expensive_p, place.base) || is_expensive(expression_expensive_p, place.step))
            return false;
        tree start = fold_convert(ptr_type_node, unshare_expr(place.base));
        tree step = fold_convert(size_type_node, unshare_expr(place.step)), len = size_int(access.len);
        auto times = [](tree one, tree other) {
            return fold_build2(MULT_EXPR, size_type_node, unshare_expr(one), unshare_expr(other));
        };
        bool is_down = tree_int_cst_equal(step, size_int(-access.len));
        gcall *call;
        gimple_seq before = nullptr;
        auto value = [&before](tree expression) {
            gimple_seq statements;
            tree simple = force_gimple_operand(expression, &statements, true, NULL_TREE);
            gimple_seq_add_seq(&before, statements);
            return simple;
        };
        if (integer_zerop(step)) {
            if (!is_executed)
                return false;
            call = gimple_build_call(range(access.writes), 2, value(start), len);
        } else if (is_down || tree_int_cst_equal(step, len)) {
            if (is_down) {
                tree others = fold_build2(MINUS_EXPR, size_type_node, unshare_expr(count), size_one_node);
                start = fold_build_pointer_plus(start, times(others, step));
            }
            tree first = value(start), bytes = value(times(count, len));
            call = gimple_build_call(range(access.writes), 2, first, bytes);
        } else {
            char name[40];
            snprintf(name, sizeof name, "xmprt_race_strided_%s%d", access.writes ? "write" : "read", access.len);
            tree first = value(start), distance = value(step), number = value(unshare_expr(count));
            call = gimple_build_call(declare_strided(name), 3, first, distance, number);
        }
        gimple_set_location(call, gimple_location(statement));
        gimple_seq_add_stmt(&before, call);
        gsi_insert_seq_on_edge_immediate(loop_preheader_edge(loop), before);
        return true;
    }

    static tree range(bool writes) { return declare(writes ? "__tsan_write_range" : "__tsan_read_range"); }
};

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
                const char *name = called_by(statement).name;
                if (!name)
                    continue;
                char text[80];
                snprintf(text, sizeof text, "call\t*%s@GOTPCREL(%%%%rip)", name);
                registers *inputs = nullptr, *clobbered = nullptr;
                const char *const argument_registers[] = {"D", "S", "c"};
                for (unsigned number = 0; number < gimple_call_num_args(statement); number++) {
                    tree constraint = build_tree_list(NULL_TREE, build_string(2, argument_registers[number]));
                    vec_safe_push(inputs, build_tree_list(constraint, gimple_call_arg(statement, number)));
                }
                add(&clobbered, "rax");
                add(&clobbered, "rdx");
                // The functions keep the SSE registers.
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
        register_pass_info before = {new block_accesses(g, name[4] == '0'), name, 0, PASS_POS_INSERT_BEFORE};
        register_callback(info->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &before);
        register_pass_info after = {new kept_registers(g), name, 0, PASS_POS_INSERT_AFTER};
        register_callback(info->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &after);
        // The pass is inserted before the pass that was registered last.
        register_pass_info between = {new whole_loops(g), name, 0, PASS_POS_INSERT_AFTER};
        register_callback(info->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &between);
    }
    return 0;
}
