//! `xmpcc` as a command: options, messages, files, dependencies, headers.

use std::fs;
use std::process::{Command, Output};
use tempfile::TempDir;
use xmp_tests::Run;
use xmp_tests::toolchain::toolchain;

/// Runs `xmpcc` in a directory.
fn xmpcc_there(directory: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(toolchain().xmpcc());
    command.args(arguments).current_dir(directory.path()).output().expect("xmpcc runs")
}

/// Runs `xmpcc` in a directory with this program in `prog.c`.
fn xmpcc(directory: &TempDir, program: &str, arguments: &[&str]) -> Output {
    fs::write(directory.path().join("prog.c"), program).expect("a file");
    xmpcc_there(directory, arguments)
}

const SMALL: &str = "#include <stdio.h>
#include \"size.h\"
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
int a[N];
#pragma xmp align a[i] with t[i]
int main(void)
{
    int sum = 0;
#pragma xmp loop on t[i] reduction(+: sum)
    for (int i = 0; i < N; i++) {
        a[i] = i;
        sum += a[i];
    }
#pragma xmp task on p[0]
    printf(\"%d\\n\", sum);
    return 0;
}
";

fn small() -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("size.h"), "#define N 50\n").expect("a file");
    directory
}

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
fn compiling_and_linking_apart_with_dependencies() {
    let directory = small();
    let compiled = xmpcc(&directory, SMALL, &["-MMD", "-c", "prog.c", "-o", "part.o"]);
    assert!(compiled.status.success(), "{compiled:?}");
    let dependencies = fs::read_to_string(directory.path().join("part.d")).expect("dependencies");
    assert!(
        dependencies.starts_with("part.o: prog.c") && dependencies.contains("size.h"),
        "{dependencies}"
    );
    let linked = xmpcc(&directory, SMALL, &["part.o", "-o", "prog"]);
    assert!(linked.status.success(), "{linked:?}");
    for images in [1, 4] {
        Run::new(directory.path().join("prog"))
            .images(images)
            .finish()
            .succeeded()
            .stdout_is("1225\n");
    }
}

#[test]
fn the_translated_source_has_the_lines_of_the_user() {
    let directory = small();
    let shown = xmpcc(&directory, SMALL, &["--show", "-c", "prog.c"]);
    let text = String::from_utf8(shown.stdout).expect("text");
    let (head, body) = text.split_once("#line 1 \"prog.c\"\n").expect("a line number");
    assert_eq!(head, "#include <xmprt_translated.h>\n");
    for (user, translated) in SMALL.lines().zip(body.lines()) {
        let word = user.split(['(', ';']).next().unwrap_or_default();
        assert!(
            user.starts_with('#') || user.starts_with("int a") || translated.contains(word),
            "{user}\n{translated}"
        );
    }
    assert!(!directory.path().join("prog.o").exists());
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

/// Comments, strings and headers of other encodings stay byte for byte.
#[test]
fn files_that_are_no_utf8() {
    let directory = small();
    let write = |name: &str, text: &str| {
        let bytes = text.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin-1"));
        fs::write(directory.path().join(name), bytes.collect::<Vec<u8>>()).expect("a file");
    };
    write("size.h", "/* \u{e9} */\n#define N 50\n#pragma xmp nodes p[*]\n");
    let program = SMALL.replace("#pragma xmp nodes p[*]\n", "");
    let program =
        program.replace("int sum", "/* \u{e9} */ int sum").replace("%d\\n", "\u{e9}%d\\n");
    write("latin.c", &program);
    let compiled = xmpcc_there(&directory, &["latin.c", "-o", "latin"]);
    assert!(compiled.status.success(), "{compiled:?}");
    let mut run = Command::new(directory.path().join("latin"));
    assert_eq!(run.output().expect("it runs").stdout, b"\xe91225\n");
    write("wrong.c", &program.replace("loop on t", "loop on \u{e9}"));
    let refused = xmpcc_there(&directory, &["-c", "wrong.c"]);
    let message = String::from_utf8(refused.stderr).expect("UTF-8");
    assert!(message.contains("wrong.c:10:21"), "{message}");
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

#[test]
fn a_program_without_directives_finds_the_library_of_xcalablemp() {
    let program = "#include <xmp.h>
#include <stdio.h>
int main(void)
{
    xmp_barrier();
    if (xmp_node_num() == 1)
        printf(\"%d\\n\", xmp_all_num_nodes());
    return 0;
}
";
    let directory = tempfile::tempdir().expect("a directory");
    let compiled = xmpcc(&directory, program, &["prog.c", "-o", "prog"]);
    assert!(compiled.status.success(), "{compiled:?}");
    for images in [1, 3] {
        Run::new(directory.path().join("prog"))
            .images(images)
            .finish()
            .succeeded()
            .stdout_is(&format!("{images}\n"));
    }
}

/// Headers with directives in a directory of `-I`, and a source in another one.
fn apart() -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().expect("it is in a directory")).expect("a directory");
        fs::write(path, text).expect("a file");
    };
    write("inc/sub/size.h", "#define N 20\n");
    write(
        "inc/map.h",
        "#ifndef MAP_H
#define MAP_H
#include \"sub/size.h\"
#ifdef ROWS
#pragma xmp nodes p[*]
#pragma xmp template t[N][N]
#pragma xmp distribute t[block][*] onto p
#else
#pragma xmp nodes p[*][1]
#pragma xmp template t[N][N]
#pragma xmp distribute t[block][cyclic] onto p
#endif
#if 0
this is no C [1:2]
#pragma xmp nonsense
#endif
extern int a[N][N];
#pragma xmp align a[i][j] with t[i][j]
int get(int i, int j);
#endif
",
    );
    write(
        "src/get.c",
        "#include \"map.h\"\nint a[N][N];\nint get(int i, int j) { return a[i][j]; }\n",
    );
    write(
        "src/main.c",
        "#include <stdio.h>
#include <map.h>
int main(void)
{
    int sum = 0;
#pragma xmp loop (i, j) on t[i][j]
    for (int i = 0; i < N; i++)
#ifdef ROWS
        for (int j = N - 1; j >= 0; j--) {
#else
        for (int j = 0; j < N; j++) {
#endif
            a[i][j] = 1;
        }
#pragma xmp loop (i, j) on t[i][j] reduction(+: sum)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += get(i, j);
#ifdef _XCALABLEMP
#pragma xmp task on p[0][0]
#endif
    printf(\"%d %d\\n\", sum, __LINE__);
    return 0;
}
",
    );
    directory
}

#[test]
fn headers_of_other_directories_and_branches_of_the_preprocessor() {
    let directory = apart();
    let compiled = xmpcc_there(&directory, &["-Iinc", "src/main.c", "src/get.c", "-o", "prog"]);
    assert!(compiled.status.success(), "{compiled:?}");
    for images in [1, 3] {
        Run::new(directory.path().join("prog"))
            .images(images)
            .finish()
            .succeeded()
            .stdout_is("400 22\n");
    }
    // With the other branches, the nodes have one dimension, and the task does not fit.
    let compiled = xmpcc_there(&directory, &["-Iinc", "-D", "ROWS", "-c", "src/main.c"]);
    let message = String::from_utf8_lossy(&compiled.stderr).into_owned();
    let wanted = "error: 2 subscripts for 1 dimension of `p`\n  --> src/main.c:20:21\n";
    assert!(message.contains(wanted), "{message}");
}

#[test]
fn dependencies_name_the_headers_that_have_directives() {
    let directory = apart();
    let arguments = ["-I", "inc", "-MMD", "-c", "src/main.c", "-o", "main.o"];
    let compiled = xmpcc_there(&directory, &arguments);
    assert!(compiled.status.success(), "{compiled:?}");
    let text = fs::read_to_string(directory.path().join("main.d")).expect("dependencies");
    assert!(
        text.starts_with("main.o: src/main.c inc/map.h") && text.contains("inc/sub/size.h"),
        "{text}"
    );
}

#[test]
fn a_header_that_is_missing_is_the_message_of_the_compiler() {
    let directory = apart();
    let compiled = xmpcc_there(&directory, &["-c", "src/main.c"]);
    let message = String::from_utf8_lossy(&compiled.stderr).into_owned();
    assert!(
        !compiled.status.success()
            && message.contains("src/main.c:2:10:")
            && message.contains("map.h"),
        "{message}"
    );
}

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

/// Compilers skip the byte order mark of a file, which is not at the start of what is compiled.
#[test]
fn byte_order_marks_of_a_source_and_of_a_header() {
    let directory = small();
    let header = "\u{feff}#define N 50\n#pragma xmp nodes p[*]\n";
    fs::write(directory.path().join("size.h"), header).expect("a file");
    let program = SMALL.replace("#pragma xmp nodes p[*]\n", "");
    let program = format!("\u{feff}{}", program.replacen("#include <stdio.h>\n", "", 1));
    let program = program.replacen("int main", "#include <stdio.h>\nint main", 1);
    let compiled = xmpcc(&directory, &program, &["-Werror", "prog.c", "-o", "prog"]);
    assert!(compiled.status.success(), "{compiled:?}");
    Run::new(directory.path().join("prog")).images(3).finish().succeeded().stdout_is("1225\n");
}

/// A library starts when it is loaded: by a program that knows nothing of XcalableMP, as Python, or with directives of its own,
/// and beside another one.
#[test]
fn shared_libraries_with_directives() {
    let directory = small();
    let part = |name: &str, distribution: &str| {
        format!(
            "#include <xmp.h>\n#pragma xmp nodes p[*]\n#pragma xmp template t[8]\n#pragma xmp distribute t[{distribution}] onto p\n\
             static int a[8];\n#pragma xmp align a[i] with t[i]\nint {name}(void);\nint {name}(void)\n{{\n    int sum = 0;\n\
             #pragma xmp loop on t[i] reduction(+: sum)\n    for (int i = 0; i < 8; i++)\n        sum += a[i] += i;\n    return sum;\n}}\n"
        )
    };
    let path = directory.path();
    for (name, distribution) in [("blocks", "block"), ("turns", "cyclic(2)")] {
        fs::write(path.join(format!("{name}.c")), part(name, distribution)).expect("a file");
        let object = format!("{name}.o");
        let compiled =
            xmpcc_there(&directory, &["-fPIC", "-c", &format!("{name}.c"), "-o", &object]);
        assert!(compiled.status.success(), "{compiled:?}");
        let linked = xmpcc_there(&directory, &["-shared", &object, "-o", &format!("lib{name}.so")]);
        assert!(linked.status.success(), "{linked:?}");
    }
    let opens = "#include <dlfcn.h>\n#include <stdio.h>\nint main(int argc, char **argv)\n{\n    int sum = 0;\n    \
                 for (int i = 1; i < argc; i += 2) {\n        void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);\n        \
                 int (*total)(void) = library ? (int (*)(void))dlsym(library, argv[i + 1]) : 0;\n        \
                 if (!total)\n            return puts(dlerror());\n        total();\n        sum += total();\n    }\n    \
                 return sum == 28 * (argc - 1) ? 0 : 1;\n}\n";
    fs::write(path.join("opens.c"), opens).expect("a file");
    let mut plain = Command::new("cc");
    plain.args(["opens.c", "-o", "opens", "-ldl"]).current_dir(path);
    assert!(plain.status().expect("a compiler").success());
    let links =
        "int blocks(void);\nint turns(void);\nint main(void) { return blocks() + turns() - 56; }\n";
    let nodes = format!(
        "#pragma xmp nodes p[*]\n{}",
        links.replace("{ return", "{\n#pragma xmp barrier\n    return")
    );
    for (name, program) in [("plain", links), ("directives", &nodes)] {
        fs::write(path.join(format!("{name}.c")), program).expect("a file");
        let source = format!("{name}.c");
        let options = ["-L.", "-lblocks", "-lturns", "-Wl,-rpath,$ORIGIN"];
        let linked =
            xmpcc_there(&directory, &[&[source.as_str(), "-o", name][..], &options].concat());
        assert!(linked.status.success(), "{linked:?}");
    }
    let libraries = ["./libblocks.so", "blocks", "./libturns.so", "turns"];
    for (images, hosts) in [(1, 1), (3, 1), (4, 2)] {
        let run = |name: &str| Run::new(path.join(name)).images(images).virtual_hosts(hosts);
        let there = libraries.map(|name| name.replace("./", &format!("{}/", path.display())));
        run("opens").args(there).finish().succeeded().silent();
        run("plain").finish().succeeded().silent();
        run("directives").finish().succeeded().silent();
    }
}

/// What the translator writes is an extension of older standards, of which the compiler does not warn.
#[test]
fn an_older_standard_with_pedantic_warnings() {
    let directory = small();
    let options = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-c", "prog.c"];
    let compiled = xmpcc(&directory, SMALL, &options);
    assert!(compiled.status.success(), "{compiled:?}");
}

/// The functions that the translated program calls at the ends of blocks have results that C23 wants used.
#[test]
fn c23_with_all_warnings() {
    let directory = small();
    let compiled =
        xmpcc(&directory, SMALL, &["-std=c2x", "-Wall", "-Wextra", "-Werror", "-c", "prog.c"]);
    assert!(compiled.status.success(), "{compiled:?}");
}

/// Bounds are wider than the variables of loops, which the conversions say.
#[test]
fn loops_with_warnings_of_conversions() {
    let directory = tempfile::tempdir().expect("a directory");
    let program = "#include <xmp.h>\n#pragma xmp nodes p[1][*]\n#pragma xmp template t[30][30]\n\
        #pragma xmp distribute t[cyclic][cyclic(2)] onto p\nint a[30][30];\n#pragma xmp align a[i][j] with t[i][j]\n\
        int main(void)\n{\n    int i, j;\n    unsigned k;\n#pragma xmp loop (i, k) on t[i][k]\n    for (i = 0; i < 30; i++)\n\
        for (k = 1; k < 30; k += 2)\n            a[i][k] = i;\n#pragma xmp loop (i, j) on t[j][i]\n\
        for (i = 9; i >= 0; i--)\n        for (j = 0; j < 30; j++)\n            a[j][i] = i;\n    return 0;\n}\n";
    let options =
        ["-Wconversion", "-Wsign-conversion", "-Wall", "-Wextra", "-Werror", "-c", "prog.c"];
    let compiled = xmpcc(&directory, program, &options);
    assert!(compiled.status.success(), "{compiled:?}");
}

/// `align` is after the declarations of the parameters.
#[test]
fn functions_in_the_old_style_of_c() {
    let program = SMALL.replace(
        "int main",
        "static int total(n, x)\nint n;\nint x[N];\n#pragma xmp align x[i] with t[i]\n{\n    int i, sum = 0;\n\
         #pragma xmp loop (i) on t[i] reduction(+: sum)\n    for (i = 0; i < n; i++)\n        sum += x[i];\n    return sum;\n}\nint main",
    );
    let program =
        program.replace("    return 0;", "    return total(N, a) != sum || total(3, a) != 3;");
    let directory = small();
    let compiled = xmpcc(&directory, &program, &["-std=gnu99", "prog.c", "-o", "prog"]);
    assert!(compiled.status.success(), "{compiled:?}");
    for (images, hosts) in [(1, 1), (2, 1), (3, 1), (4, 2)] {
        let run = Run::new(directory.path().join("prog")).images(images).virtual_hosts(hosts);
        run.finish().succeeded().stdout_is("1225\n");
    }
}

/// The source sees the macros of a header that needs no translation itself; messages have the line of the user.
#[test]
fn macros_of_headers_that_are_a_part_of_the_grammar() {
    let directory = small();
    let header = "#define N 50\n#define FORALL(i, n) for (int i = 0; i < (n); i++)\n\
                  #define CHECK(x) if (!(x)) { printf(\"line %d\\n\", __LINE__); }\n";
    fs::write(directory.path().join("size.h"), header).expect("a file");
    let program = SMALL
        .replace("for (int i = 0; i < N; i++)", "FORALL(i, N)")
        .replace("    return 0;", "#pragma xmp task on p[0]\n    CHECK(sum == 0)\n    return 0;");
    let output = xmpcc(&directory, &program, &["-Wall", "-Werror", "prog.c", "-o", "prog"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for (images, hosts) in [(1, 1), (3, 2)] {
        let run = Run::new(directory.path().join("prog")).images(images).virtual_hosts(hosts);
        run.finish().succeeded().stdout_is("1225\nline 19\n");
    }
    let wrong = program.replace("a[i] = i;", "a[i + 1] = i;");
    let output = xmpcc(&directory, &wrong, &["prog.c", "-o", "prog"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("error: `i + 1` is 1 above the elements"), "{said}");
    assert!(said.contains("--> prog.c:13:11\n"), "{said}");
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
        run(images, at).exited_with(1).stderr_line_with(&[message]);
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
    run("11", "1").exited_with(1).stderr_line_with(&[&beyond(10, "x[0:a] = u[0:a]: right")]);
    run("1", "11").exited_with(1).stderr_line_with(&[&beyond(12, "u[0:b] = x[0:b]: left")]);
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
        ("3", "1", "2", "put to a coarray: x[0:2]:[k]: image index 2 is not in 0:1"),
        ("4", "1", "3", "get from a coarray: x[k:2]:[0]: "),
        (
            "5",
            "3",
            "2",
            "prog.c:29: images 1-2: gmove: s[0:k] = u[1:3]: shape (2) is assigned from shape (3)",
        ),
    ] {
        run(which, right).succeeded();
        run(which, wrong).exited_with(1).stderr_line_with(&[message]);
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
