//! `-fcheck=bounds`: elements of other nodes.

use super::{SMALL, small, xmpcc};
use xmp_tests::Run;

#[test]
fn references_to_elements_of_other_nodes_are_found_out() {
    let program = SMALL.replace(
        "#pragma xmp task on p[0]\n",
        "    if (xmp_node_num() == 1)\n        sum += a[N / 2];\n#pragma xmp task on p[0]\n",
    );
    let run = |program: &str, images: u32| {
        let directory = small();
        let compiled = xmpcc(&directory, program, &["-fcheck=bounds", "prog.c", "-o", "prog"]);
        assert!(compiled.status.success(), "{compiled:?}");
        Run::new(directory.path().join("prog")).images(images).finish()
    };
    let headers = "#include <stdio.h>\n#include <xmp.h>\n";
    let program = program.replacen("#include <stdio.h>\n", headers, 1);
    run(&program, 1).succeeded().stdout_is("1250\n");
    let told = "prog.c:18: image 1: index 25 of dimension 1 of `a`: not on this node, which has 0 to 24 with the shadow";
    run(&program, 2).exited_with(1).stderr_line_with(&[told]);
    let cyclic = program.replace("t[block]", "t[cyclic(4)]");
    run(&cyclic, 1).succeeded().stdout_is("1250\n");
    let told = "image 1: index 25 of dimension 1 of `a`: not on this node, which has 0 to 3 and each 12 further";
    run(&cyclic, 3).succeeded().stdout_is("1250\n");
    let cyclic = cyclic.replace("a[N / 2]", "a[4]");
    run(&cyclic, 3).exited_with(1).stderr_line_with(&[&told.replace("index 25", "index 4")]);
}

/// A template of another size has other indices on a node, whatever its format.
#[test]
fn elements_of_another_template_that_are_on_other_nodes_are_found_out() {
    let program = SMALL
        .replace("int a[N];", "#pragma xmp template s[2*N]\n#pragma xmp distribute s[block] onto p\nint a[N], b[2*N];")
        .replace("a[i] with t[i]\n", "a[i] with t[i]\n#pragma xmp align b[i] with s[i]\n");
    let run = |program: &str, images: u32| {
        let directory = small();
        let compiled = xmpcc(&directory, program, &["prog.c", "-o", "prog"]);
        assert!(compiled.status.success(), "{compiled:?}");
        Run::new(directory.path().join("prog")).images(images).finish()
    };
    let in_loop = program.replace("sum += a[i]", "b[i] = i;\n        sum += b[i]");
    let by_array = program
        .replace("    return 0;", "#pragma xmp array on t[:]\n    a[:] = b[0:N];\n    return 0;");
    let told =
        "index 25 of dimension 1 of `b`: not on this node, which has 50 to 99 with the shadow";
    for program in [in_loop, by_array] {
        run(&program, 1).succeeded().stdout_is("1225\n");
        run(&program, 2).exited_with(1).stderr_line_with(&["prog.c:", told]);
    }
}

/// A full shadow stores all elements, on each node.
#[test]
fn all_indices_of_a_dimension_with_a_full_shadow_are_on_this_node() {
    let program = SMALL
        .replace("a[i] with t[i]\n", "a[i] with t[i]\n#pragma xmp shadow a[*]\n")
        .replace("int sum = 0;", "int sum = 0, index = N;")
        .replace("    return 0;", "    if (sum < 0)\n        index = a[index];\n    return 0;")
        .replace(
            "#pragma xmp task",
            "#pragma xmp reflect (a)\n    for (int j = 0; j < N; j++)\n        sum += a[j];\n#pragma xmp task",
        );
    let run = |program: &str, images: u32| {
        let directory = small();
        let compiled = xmpcc(&directory, program, &["-fcheck=bounds", "prog.c", "-o", "prog"]);
        assert!(compiled.status.success(), "{compiled:?}");
        Run::new(directory.path().join("prog")).images(images).finish()
    };
    for images in 1..=4 {
        run(&program, images).succeeded().stdout_is("2450\n");
    }
    let told =
        "index 50 of dimension 1 of `a`: not on this node, which has 0 to 49 with the shadow";
    run(&program.replace("sum < 0", "sum > 0"), 3).exited_with(1).stderr_line_with(&[told]);
}
