// A plug-in of gcc for --check=races. gcc instruments no memset, memcpy and memmove for races, which gfortran makes of `a = 0`, of
// `a = b` and of characters, and which it may expand in line. Before the pass that instruments, this one puts calls of
// __tsan_read_range and __tsan_write_range before them. (Calls that stay calls are seen by the linker's --wrap as well; the second
// entry of an access in the same segment changes nothing.)
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
#include "stringpool.h"
#include "attribs.h"

// gcc asks for this name; the licences of XMP-RT are compatible.
int plugin_is_GPL_compatible;

namespace {

const pass_data description = {
    GIMPLE_PASS, "xmprt_races", OPTGROUP_NONE, TV_NONE, PROP_ssa | PROP_cfg, 0, 0, 0, TODO_update_ssa,
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

} // namespace

int plugin_init(plugin_name_args *info, plugin_gcc_version *version)
{
    if (!plugin_default_version_check(version, &gcc_version)) {
        warning(0, "%<--check=races%>: memset, memcpy and memmove are not seen: XMP-RT was installed for another build of gcc %s",
                gcc_version.basever);
        return 0;
    }
    // With and without optimisation the pass has a name each.
    for (const char *name : {"tsan", "tsan0"}) {
        register_pass_info place = {new block_accesses(g), name, 1, PASS_POS_INSERT_BEFORE};
        register_callback(info->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &place);
    }
    return 0;
}
