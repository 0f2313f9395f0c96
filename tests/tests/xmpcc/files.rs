//! The files that `xmpcc` reads and writes: headers, dependencies, encodings, objects, shared libraries.

use super::{SMALL, small, xmpcc, xmpcc_there};
use std::fs;
use std::process::Command;
use tempfile::TempDir;
use xmp_tests::Run;

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
