//! Messages of `xmpcc` and of programs that it has compiled: the lines and the names that they have.

use super::{SMALL, small, xmpcc, xmpcc_there};
use std::fs;
use xmp_tests::Run;

#[test]
fn a_clause_that_only_omni_has_gives_one_note() {
    let directory = small();
    let program = SMALL.replace("reduction", "profile reduction").replace("p[0]", "p[0] profile");
    let output = xmpcc(&directory, &program, &["prog.c", "-o", "prog"]);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("note: Omni's clause `profile` has no effect\n"), "{said}");
    assert!(said.contains("--> prog.c:11:26\n"), "{said}");
    assert_eq!(said.matches("note:").count(), 1, "{said}");
}

#[test]
fn a_fortran_source_is_refused_with_the_command_for_it() {
    let directory = small();
    fs::write(directory.path().join("a.f90"), "end\n").expect("a file");
    let output = xmpcc_there(&directory, &["-c", "a.f90"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said, "xmpcc: a.f90 is a Fortran source: compile it with xmpfc\n");
    assert_eq!(output.status.code(), Some(1));
}

/// Nothing of it is loaded when the program runs.
#[test]
fn reports_of_programs_compiled_without_options_name_lines() {
    let directory = small();
    let output = xmpcc(&directory, SMALL, &["prog.c", "-o", "prog"]);
    assert!(output.status.success(), "{output:?}");
    let run = Run::new(directory.path().join("prog")).images(2).launcher_option("--report");
    let outcome = run.finish();
    outcome.succeeded().stderr_line_with(&["distributed array", "prog.c:"]);
    outcome.stderr_without("compile with -g");
}

#[test]
fn a_message_of_the_compiler_names_the_line_of_the_user() {
    let directory = small();
    let broken = SMALL.replace("sum += a[i];", "sum += b[i];");
    let compiled = xmpcc(&directory, &broken, &["-c", "prog.c"]);
    let message = String::from_utf8_lossy(&compiled.stderr).into_owned();
    assert!(!compiled.status.success() && message.contains("prog.c:14:"), "{message}");
}

#[test]
fn a_message_of_the_compiler_names_the_directive_that_declares() {
    let directory = small();
    let broken = SMALL.replace("template t[N]", "template t[COUNT]");
    let compiled = xmpcc(&directory, &broken, &["-c", "prog.c"]);
    let message = String::from_utf8_lossy(&compiled.stderr).into_owned();
    assert!(message.contains("prog.c:4:") && message.contains("COUNT"), "{message}");
}

#[test]
fn an_error_of_a_declaration_names_the_line_of_its_directive() {
    let directory = small();
    // On one node; the two dimensions of `q` need two.
    let program = SMALL.replace("p[*]\n", "p[*]\n#pragma xmp nodes q[2][*]\n");
    let output = xmpcc(&directory, &program, &["prog.c", "-o", "prog"]);
    assert!(output.status.success(), "{output:?}");
    let outcome = Run::new(directory.path().join("prog")).images(1).finish();
    outcome.exited_with(1).stdout_is("").stderr_line_with(&["prog.c:4: image 1: nodes: "]);
    outcome.stderr_without("__wrap_main");
    outcome.stderr_without("compile with -g");
}

#[test]
fn a_mistake_in_a_directive_leaves_no_file() {
    let directory = small();
    let broken = SMALL.replace("loop on t[i]", "loop on tt[i]");
    let compiled = xmpcc(&directory, &broken, &["prog.c", "-o", "prog"]);
    let message = String::from_utf8_lossy(&compiled.stderr).into_owned();
    assert_eq!(compiled.status.code(), Some(1), "{message}");
    assert!(
        message.contains("error: there is no nodes or template `tt` here\n  --> prog.c:11:21"),
        "{message}"
    );
    assert!(!directory.path().join("prog").exists());
}

#[test]
fn a_loop_on_a_template_that_is_not_fixed_yet() {
    let program = SMALL
        .replace("template t[N]", "template t[:]")
        .replace("int a[N];\n#pragma xmp align a[i] with t[i]\n", "static int a[N];\n")
        .replace("    return 0;\n", "#pragma xmp template_fix t[N]\n    return 0;\n");
    let directory = small();
    let compiled = xmpcc(&directory, &program, &["prog.c", "-o", "prog"]);
    assert!(compiled.status.success(), "{compiled:?}");
    Run::new(directory.path().join("prog")).images(2).finish().exited_with(1).stderr_line_with(&[
        "a construct is on a template that is not fixed: `template_fix` has to come before",
    ]);
}

/// Messages count nodes from 0, and dimensions from the left, as the program does.
#[test]
fn nodes_and_templates_in_messages_are_those_of_the_source() {
    let program = "#include <stdlib.h>\n#pragma xmp nodes p[*][2]\n#pragma xmp template t[10][20]\n#pragma xmp distribute t[block][block] onto p\n\
                   int main(int argc, char **argv)\n{\n    int a = atoi(argv[1]), b = atoi(argv[2]), c = atoi(argv[3]), d = atoi(argv[4]);\n\
                   #pragma xmp task on p[a][b]\n    ;\n#pragma xmp task on t[c][d]\n    ;\n    return 0;\n}\n";
    let directory = small();
    let compiled = xmpcc(&directory, program, &["prog.c", "-o", "prog"]);
    assert!(compiled.status.success(), "{compiled:?}");
    let run = |images: u32, at: [&str; 4]| {
        Run::new(directory.path().join("prog")).images(images).args(at).finish()
    };
    run(4, ["1", "1", "9", "19"]).succeeded();
    for (images, at, message) in [
        (
            4,
            ["2", "1", "0", "0"],
            "prog.c:8: images 1-4: task: nodes: dimension 1: 2:2 is not within 0:1",
        ),
        (
            6,
            ["2", "2", "0", "0"],
            "prog.c:8: images 1-6: task: nodes: dimension 2: 2:2 is not within 0:1",
        ),
        (
            4,
            ["0", "0", "10", "0"],
            "prog.c:10: images 1-4: task: template: dimension 1: 10:10 is not within 0:9",
        ),
        (
            4,
            ["0", "0", "0", "20"],
            "prog.c:10: images 1-4: task: template: dimension 2: 20:20 is not within 0:19",
        ),
        (
            3,
            ["0", "0", "0", "0"],
            "prog.c:2: images 1-3: nodes: p: [*][2] needs a multiple of 2 nodes, there are 3",
        ),
    ] {
        run(images, at).exited_with(1).stderr_message_of(message);
    }
}

/// They became an `int`: 2^32 + 1 was 1, and in messages 2147483647.
#[test]
fn sizes_of_nodes_cosubscripts_and_tags_of_64_bits_keep_their_values() {
    let program = "#include <stdlib.h>\n#pragma xmp nodes p[*]\nint x, z[4];\n#pragma xmp coarray x:[*]\n#pragma xmp coarray z:[2][*]\n\
                   #pragma xmp nodes pair[2]\nint w:[*];\n#pragma xmp coarray on pair :: w\nstatic void part(long k)\n{\n\
                   #pragma xmp nodes q[k]\n}\nint main(int argc, char **argv)\n{\n    long k = atol(argv[2]);\n    int y;\n    switch (*argv[1]) {\n\
                       case 'p': part(k); break;\n    case 'x': y = x:[k]; break;\n    case 'z': z[0:2]:[0][k] = z[2:2]; break;\n\
                       case 'y': y = z[0]:[k][0]; break;\n    case 'w': w:[k] = 1; break;\n    case 't':\n#pragma xmp post (p[0], k)\n    break;\n\
                       case 'u':\n#pragma xmp wait (p[0], k)\n    }\n    return 0;\n}\n";
    let directory = small();
    let compiled = xmpcc(&directory, program, &["prog.c", "-o", "prog"]);
    assert!(compiled.status.success(), "{compiled:?}");
    let run = |of: &str, k: &str| {
        Run::new(directory.path().join("prog")).images(2).args([of, k]).finish()
    };
    let tag = "4294967297 is not in -2147483648:2147483647";
    for (of, right, wrong, message) in [
        (
            "p",
            "2",
            "4294967298",
            "prog.c:11: images 1-2: nodes: q: [4294967298] needs 4294967298 nodes, there are 2",
        ),
        (
            "x",
            "1",
            "4294967297",
            "prog.c:19: images 1-2: get from a coarray: x:[k]: image index 4294967297 is not in 0:1",
        ),
        (
            "z",
            "0",
            "4294967296",
            "prog.c:20: images 1-2: put to a coarray: z[0:2]:[0][k]: image index 8589934592 is not in 0:1",
        ),
        (
            "y",
            "1",
            "-4294967296",
            "prog.c:21: images 1-2: get from a coarray: z[0]:[k][0]: cosubscript -4294967296 of dimension 1 of the coshape is \
             not in 0:1",
        ),
        (
            "w",
            "1",
            "4294967297",
            "prog.c:22: images 1-2: coarray: image index 4294967297 of a coarray on nodes: no such node executes",
        ),
        ("t", "1", "4294967297", &format!("prog.c:24: images 1-2: post: tag: {tag}")),
        ("u", "1", "4294967297", &format!("prog.c:27: images 1-2: wait: tag: {tag}")),
    ] {
        if of == "u" {
            run(of, wrong).exited_with(1).stderr_message_of(message);
            continue;
        }
        run(of, right).succeeded();
        run(of, wrong).exited_with(1).stderr_message_of(message);
    }
}

/// Both sides of an assignment may be arrays.
#[test]
fn a_gmove_beyond_an_array_names_the_statement_and_the_side() {
    let program = "#include <stdlib.h>\n#pragma xmp nodes p[*]\n#pragma xmp template t[10]\n#pragma xmp distribute t[block] onto p\n\
                   int u[10], x[30];\n#pragma xmp align u[i] with t[i]\nint main(int argc, char **argv)\n{\n    int a = atoi(argv[1]), b = atoi(argv[2]);\n\
                   #pragma xmp gmove\n    x[0:a] = u[0:a];\n#pragma xmp gmove\n    u[0:b] = x[0:b];\n    return 0;\n}\n";
    let directory = small();
    let compiled = xmpcc(&directory, program, &["prog.c", "-o", "prog"]);
    assert!(compiled.status.success(), "{compiled:?}");
    let run =
        |a: &str, b: &str| Run::new(directory.path().join("prog")).images(3).args([a, b]).finish();
    run("10", "10").succeeded();
    let beyond = |line: u32, side: &str| {
        format!(
            "prog.c:{line}: images 1-3: gmove: {side} side: dimension 1: 0:10 is not within 0:9"
        )
    };
    run("11", "1").exited_with(1).stderr_message_of(&beyond(10, "x[0:a] = u[0:a]: right"));
    run("1", "11").exited_with(1).stderr_message_of(&beyond(12, "u[0:b] = x[0:b]: left"));
}

/// A directive may list several variables, and a line may have several coindexed references.
#[test]
fn errors_of_directives_name_the_variable() {
    let program = "#include <stdlib.h>\n#include <xmp.h>\n#pragma xmp nodes p[*]\n#pragma xmp template t[10]\n#pragma xmp distribute t[block] onto p\n\
                   int u[10], s[4], x[4]:[*];\n#pragma xmp align u[i] with t[i]\n#pragma xmp shadow u[1]\nint main(int argc, char **argv)\n{\n    \
                   int at = 0, k = atoi(argv[2]);\n    switch (atoi(argv[1])) {\n    case 0:\n\
                   #pragma xmp reflect (u) width(k)\n        break;\n    case 1:\n#pragma xmp bcast (at, s[1:2]) from p[k]\n        break;\n    case 2:\n\
                   #pragma xmp reduction(+: at, s[1:2]) on p[k]\n        break;\n    case 3:\n        x[0:2]:[k] = s[0:2];\n        break;\n    case 4:\n        \
                   s[0:2] = x[k:2]:[0];\n        break;\n    case 5:\n#pragma xmp gmove\n        s[0:k] = u[1:3];\n    }\n    return 0;\n}\n";
    let directory = small();
    let compiled = xmpcc(&directory, program, &["prog.c", "-o", "prog"]);
    assert!(compiled.status.success(), "{compiled:?}");
    let run = |which: &str, value: &str| {
        Run::new(directory.path().join("prog")).images(2).args([which, value]).finish()
    };
    for (which, right, wrong, message) in [
        ("0", "1", "2", "prog.c:14: images 1-2: reflect: u: dimension 1: width 2 is more"),
        ("1", "1", "2", "prog.c:17: images 1-2: bcast: at: nodes: dimension 1: 2:2 is not within"),
        ("2", "1", "2", "prog.c:20: images 1-2: reduction: at: nodes: dimension 1: 2:2 is not"),
        (
            "3",
            "1",
            "2",
            "prog.c:23: images 1-2: put to a coarray: x[0:2]:[k]: image index 2 is not in 0:1",
        ),
        ("4", "1", "3", "prog.c:26: images 1-2: get from a coarray: x[k:2]:[0]: "),
        (
            "5",
            "3",
            "2",
            "prog.c:29: images 1-2: gmove: s[0:k] = u[1:3]: shape (2) is assigned from shape (3)",
        ),
    ] {
        run(which, right).succeeded();
        run(which, wrong).exited_with(1).stderr_message_of(message);
    }
}

/// Messages count images as the program does.
#[test]
fn image_indices_that_no_executing_image_has() {
    let program = "#include <stdlib.h>\n#include <xmp.h>\n#pragma xmp nodes p[*]\nint x[4]:[*];\nint main(int argc, char **argv)\n{\n    int at = atoi(argv[argc - 1]);\n    \
                   if (at >= 0) {\n        x[0:4]:[at] = x[0:4];\n        return 0;\n    }\n#pragma xmp task on p[0]\n    {\n        \
                   x[0:4]:[1] = x[0:4];\n    }\n    return 0;\n}\n";
    let directory = small();
    let compiled = xmpcc(&directory, program, &["prog.c", "-o", "prog"]);
    assert!(compiled.status.success(), "{compiled:?}");
    let run = |at: &str, first: &str| {
        let run = Run::new(directory.path().join("prog")).images(2).args([at]);
        run.env("XMP_C_FIRST_IMAGE", first).finish()
    };
    run("1", "0").succeeded();
    let counts = "put to a coarray: x[0:4]:[at]: image index 2 is not in 0:1; with XMP_C_FIRST_IMAGE=1 images count from 1";
    run("2", "0").exited_with(1).stderr_line_with(&["prog.c:9: image", counts]);
    run("3", "1").exited_with(1).stderr_line_with(&["image index 3 is not in 1:2"]);
    let of_task = "prog.c:14: image 1: put to a coarray: x[0:4]:[1]: image index 1 is not in 0:0, the images of the task; `coarray on` has those of nodes";
    run("-1", "0").exited_with(1).stderr_line_with(&[of_task]);
}
