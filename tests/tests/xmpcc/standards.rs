//! Standards of C, warnings, and macros.

use super::{SMALL, small, xmpcc};
use std::fs;
use xmp_tests::Run;

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
