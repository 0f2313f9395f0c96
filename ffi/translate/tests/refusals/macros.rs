//! Macros with directives and with distributed arrays.

use super::{OBJECTS, STATEMENT, accepted, messages, refused, translated};
use xmp_translate::c;

/// What cannot be written out stays refused.
#[test]
fn directives_in_macros_that_cannot_be_written_out() {
    let of_loop = "_Pragma(\"xmp loop on t[i]\") for (i = 0; i < 9; i++) puts(#__VA_OPT__(x)),";
    refused(
        &format!(
            "#define CHECK(x) if (x) return;\n#define LOOP(...) {of_loop}\n    CHECK(0)\n    LOOP(1) a[i];"
        ),
        "`_Pragma` cannot have a directive of XcalableMP",
        "_Pragma",
        "write `#pragma xmp` on a line of its own, outside of macros",
    );
    refused(
        "#pragma xmp loop (i) on t[i]\n    EACH(i) { a[i] = 1; }",
        "no statement follows the `loop` directive",
        "#pragma xmp loop (i) on t[i]",
        STATEMENT,
    );
    assert!(c::has_directives("#define B _Pragma(\"xmp barrier\")\n"));
    assert!(!c::has_directives("#define B _Pragma(\"omp barrier\")\n"));
}

#[test]
fn macros_that_are_a_part_of_the_grammar() {
    for (macros, body) in [
        (
            "#define EACH(i) for (i = 0; i < 9; i++)",
            "#pragma xmp loop (i) on t[i]\n    EACH(i) { a[i] = 1; }",
        ),
        (
            "#define EACH(i) for (i = 0; i < 9; i++)\n#define ALL EACH(i) a[i] = 1",
            "#pragma xmp loop on t[i]\n    ALL;",
        ),
        (
            "#define LOOP _Pragma(\"xmp loop on t[i]\") for (i = 0; i < 9; i++)",
            "    LOOP a[i] = 1;",
        ),
        ("#define CHECK(x) if (x) return;", "#pragma xmp task on p[0]\n    CHECK(i)\n    CHECK(i)"),
        (
            "#define ON t[i]\n#define T t",
            "#pragma xmp loop on ON\n    for (i = 0; i < 9; i++) a[i] = 1;",
        ),
        ("", "    _Pragma(\"xmp barrier\")"),
        (
            "#define LOOP(...) _Pragma(\"xmp loop on t[i]\") for (i = 0; i < 9; i++) __VA_OPT__(a[i] =)",
            "    LOOP(1) 3;\n    LOOP() ;",
        ),
    ] {
        accepted(&format!("{macros}\n{OBJECTS}void f(void)\n{{\n    int i = 0;\n{body}\n}}\n"));
    }
    // A message is about the line of the user.
    let program = format!(
        "{OBJECTS}#define EACH(i) for (i = 0; i < 9; i++)\nvoid f(void)\n{{\n    int i;\n#pragma xmp loop on t[i]\n    \
         EACH(i)\n        b[i + 2][0] = 1;\n}}\n"
    );
    let wrong = translated(&program).expect_err("it is refused");
    assert_eq!(&program[wrong[0].span.clone()], "i + 2");
}

#[test]
fn arrays_as_arguments_of_macros() {
    let program = |macros: &str, statement: &str| {
        format!(
            "{OBJECTS}#pragma xmp template c[9]\n#pragma xmp distribute c[cyclic] onto p\nint k[9];\n\
             #pragma xmp align k[i] with c[i]\n{macros}\nvoid f(int i)\n{{\n    {statement}\n}}\n"
        )
    };
    for (macros, statement) in [
        ("#define AT(i, a) ( ( a ) [i])", "x = AT(3, a) + AT(3, k);"),
        ("#define AT(i, a) (a)[i]", "x = AT(3, a);"),
        ("#define AT(i,a)a[i]+1", "x = AT(3, a);"),
        (
            "double g(double *);\n#define BOTH(a) (a[0] + g(a))\n#define NEXT(a) BOTH(a)",
            "x = BOTH(a) + NEXT(a);",
        ),
        ("#define k(i) k[i]\n#define K k", "x = k(3) + K(i);"),
    ] {
        accepted(&program(macros, statement));
    }
    let whole = "#define CALL(f, a, n) f(a, #a, sizeof(n))";
    let text = translated(&program(whole, "CALL(g, a, 3);")).expect("it is right");
    let call = "g(((__typeof__(&a[0]))xmp_map__a.part), \"a\", sizeof(3));";
    assert!(text.contains(call), "{text}");
    let text =
        translated(&program("#define MAX(x, y) ((x) > (y) ? (x) : (y))", "x = MAX(a[1], a[i]);"));
    assert!(text.expect("it is right").contains("x = MAX(a[1], a[i]);"));
    let itself = "double g(double *, int);\n#define g(x) g(x, sizeof(GET))\n#define GET a[g(3)]";
    let wrong = messages(&program(itself, "x = g(q);"));
    let title = "error: the macro `g` uses a distributed array, and cannot be written out\n";
    assert!(wrong.starts_with(title), "{wrong}");
}

#[test]
fn pointers_that_a_macro_counts_on_from_the_name_of_an_array() {
    let program = |macros: &str, statement: &str| {
        format!(
            "{OBJECTS}#pragma xmp template c[9]\n#pragma xmp distribute c[cyclic] onto p\nint k[9];\n\
             #pragma xmp align k[i] with c[i]\n{macros}\nvoid g(double *);\nvoid f(int i)\n{{\n    {statement}\n}}\n"
        )
    };
    let pointer = "`a` without subscripts is the part of this node, with local indices";
    for (macros, statement, title) in [
        ("#define AT(a, i) (*((a) + (i)))", "x = AT(a, i);", pointer),
        ("#define A(i) (*(a + (i)))", "x = A(i);", pointer),
        ("#define A(i) ((double *)a)[i]", "x = A(i);", pointer),
        (
            "#define SAME(a) (a)",
            "x = *SAME(a);",
            "`a` without subscripts is the part of this node, with local indices",
        ),
        ("#define U (a)", "x = U[3] + *U;", pointer),
        (
            "#define SIZE(x) sizeof(x)",
            "i = SIZE(a);",
            "`a` is distributed: its size is not that of an object",
        ),
        (
            "#define LENGTH (sizeof a / 8)",
            "i = LENGTH;",
            "`a` is distributed: its size is not that of an object",
        ),
        ("#define ROW(i) b[i]", "g(ROW(i));", "`b` has 2 dimensions, but 1 subscript"),
    ] {
        let program = program(macros, statement).replace("shadow b[1][0]", "shadow b[1][1]");
        let wrong = messages(&program);
        assert!(wrong.starts_with(&format!("error: {title}\n")), "{wrong}");
    }
    for (macros, statement) in [
        ("#define START a", "g(START);"),
        ("#define U a", "x = U[3]; g(U);"),
        ("#define U k", "x = U[3];"),
        ("#define AT(k, i) (k)[i]\n#define K(i) AT(k, i)", "i = K(i);"),
        ("#define AT(k, i) (k)[i]\n#define A(i) AT(a, i)", "x = A(i);"),
        ("#define U a\n#define U3 U[3]", "x = (U)[3] + U3;"),
        ("#define NEXT(a, n) g((a) + (n))", "NEXT(a, 3);"),
        ("struct s { int a; };\n#define GET(s) ((s)->a)", "struct s s = {1}; i = GET(&s);"),
    ] {
        accepted(&program(macros, statement));
    }
    let text = translated(&program("#define START (a)", "g(START);")).expect("it is right");
    assert!(text.contains("g((((__typeof__(&a[0]))xmp_map__a.part)));"), "{text}");
}
