//! Macros that are written out, and those that stay.

use super::*;
use crate::c::definitions::definitions;

fn text(source: &str) -> String {
    let all = definitions(source);
    expanded("a.c", source, &all).map_or(source.to_owned(), |of| of.text)
}

#[test]
fn macros_of_the_grammar_are_written_out() {
    let macros = "#define N 9\n#define EACH(i, n) for (int i = 0; i < n; i++)\n#define ALL(i) EACH(i, N)\n\
                  #define CHECK(x) if (x) fail(#x, __LINE__);\n#define SQUARE(x) ((x) * (x))\n#define INLINE static inline\n\
                  #define CAT(a, b) do { a##b(); } while (0)\n#define SAY(f, ...) { printf(f, ## __VA_ARGS__); }\n";
    let code = |source: &str| {
        let text = text(&format!("{macros}{source}"));
        text.strip_prefix(macros).expect("definitions stay").to_owned()
    };
    assert_eq!(code("EACH(i, f(2, 3)) a[i];"), "for (int i = 0; i < f(2, 3); i++) a[i];");
    assert_eq!(
        code("ALL(k) EACH (j,\n  2)\nx;"),
        "for (int k = 0; k < N; k++) for (int j = 0; j < 2; j++)\n\nx;"
    );
    assert_eq!(code("CHECK(a[\"x\"] )"), "if (a[\"x\"]) fail(\"a[\\\"x\\\"]\", __LINE__);");
    assert_eq!(
        code("INLINE int f() { return SQUARE(N); }"),
        "static inline int f() { return SQUARE(N); }"
    );
    assert_eq!(code("CAT(f, g);"), "do { fg(); } while (0);");
    assert_eq!(code("SAY(\"a\") SAY(\"b\", 1, 2)"), "{ printf(\"a\"); } { printf(\"b\", 1, 2); }");
    assert_eq!(
        code("#define EVERY EACH\nEVERY(k, 2) x;"),
        "#define EVERY EACH\nfor (int k = 0; k < 2; k++) x;"
    );
    // Not in comments, strings, other names and without arguments.
    let other = "/* ALL(i) */ \"ALL(i)\"; ALL; ALLE(i);";
    assert_eq!(code(other), other);
}

#[test]
fn what_follows_only_with_variable_arguments() {
    let macros = "#define SAY(f, ...) { say(f __VA_OPT__(, 0 + ) __VA_ARGS__); }\n#define CALL(n, ...) { n ## __VA_OPT__(_all)(__VA_ARGS__); }\n\
                  #define STATE(...) if (1) { puts(#__VA_OPT__(x)); }\n";
    let code = |source: &str| {
        text(&format!("{macros}{source}")).strip_prefix(macros).expect("they stay").to_owned()
    };
    assert_eq!(code("SAY(1) SAY(1, 2, 3)"), "{ say(1); } { say(1, 0 + 2, 3); }");
    assert_eq!(code("CALL(f) CALL(f, 2)"), "{ f(); } { f_all(2); }");
    assert_eq!(code("STATE(2)"), "STATE(2)");
}

#[test]
fn macros_that_use_distributed_arrays_are_written_out() {
    let macros = "#define AT(v, i) (v)[i]\n#define NEXT(i) a[(i) + 1]\n#define b(i) b[i]\n#define MAX(x, y) ((x) > (y) ? (x) : (y))\n\
                  #define LEFT c[0]:[1]\n#define PLUS(i) (NEXT(i) + 1)\n";
    let before = format!(
        "{macros}#pragma xmp align a[i] with t[i]\n#pragma xmp align [i] with t[i] :: x, b\nint c[3]:[*];\n"
    );
    let code = |source: &str| {
        text(&format!("{before}{source}")).strip_prefix(&before).expect("they stay").to_owned()
    };
    assert_eq!(code("AT(a, 1) AT(q, 1) AT(s.a, 2)"), "(a)[1] AT(q, 1) AT(s.a, 2)");
    assert_eq!(
        code("PLUS(2); MAX(a[1], x[2]); MAX(x, 1)"),
        "(a[(2) + 1] + 1); MAX(a[1], x[2]); ((x) > (1) ? (x) : (1))"
    );
    assert_eq!(code("b(3) + LEFT"), "b[3] + c[0]:[1]");
}

#[test]
fn arguments_are_written_out_where_a_macro_takes_their_text() {
    let macros = "#define N 12\n#define STR(x) #x\n#define TEXT(x) STR(x)\n#define SHOW(c) if (1) { puts(TEXT(c), c); }\n\
                  #define ASSIGN(c) if (1) { x = c; }\n";
    let code = |source: &str| {
        text(&format!("{macros}{source}")).strip_prefix(macros).expect("they stay").to_owned()
    };
    assert_eq!(code("SHOW(N)"), "if (1) { puts(TEXT(12), 12); }");
    assert_eq!(code("ASSIGN(N)"), "if (1) { x = N; }");
}

#[test]
fn names_by_macros_are_the_same_in_directives_and_code() {
    let macros = "#define N 12\n#define U field\n#define IX k\n";
    let code = |source: &str| {
        text(&format!("{macros}{source}")).strip_prefix(macros).expect("they stay").to_owned()
    };
    assert_eq!(
        code("double U[N];\n#pragma xmp align U[i] with t[i]\n"),
        "double field[N];\n#pragma xmp align field[i] with t[i]\n"
    );
    assert_eq!(code("double U[N], IX;\n"), "double U[N], IX;\n");
}

#[test]
fn macros_in_directives_and_pragmas_in_macros() {
    let macros = "#define N 9\n#define ON(i) t[i]\n#define T t\n#define block 3\n#define LOOP(i) _Pragma(\"xmp loop on T[i]\") for (;;)\n";
    let code = |source: &str| {
        text(&format!("{macros}{source}")).strip_prefix(macros).expect("they stay").to_owned()
    };
    assert_eq!(
        code(
            "#pragma xmp distribute T[block] onto p\n#pragma xmp loop on ON(i)\n#pragma xmp nodes p[N]\n"
        ),
        "#pragma xmp distribute t[block] onto p\n#pragma xmp loop on t[i]\n#pragma xmp nodes p[N]\n"
    );
    let line = "#line 7 \"a.c\"\n";
    assert_eq!(
        code("\n  LOOP(i) ;\n"),
        format!("\n  \n{line}#pragma xmp loop on t[i]\n{line}for (;;) ;\n")
    );
    assert_eq!(
        code("\n_Pragma(\"xmp barrier\") x;\n"),
        format!("\n\n{line}#pragma xmp barrier\n{line} x;\n")
    );
}

#[test]
fn macros_hold_from_their_definition_to_the_next() {
    let source =
        "f(1);\n#define f(x) { x; }\nf(2)\n#undef f\nf(3);\n#define f(x) if (x)\nf(4) f;\n";
    let expected = source.replace("f(2)", "{ 2; }").replace("f(4)", "if (4)");
    assert_eq!(text(source), expected);
}

#[test]
fn places_are_those_of_the_source() {
    let source = "#define EACH(i) for (i = 0;;)\nint x; EACH(k) bad;\n";
    let all = definitions(source);
    let of = expanded("a.c", source, &all).expect("a macro is written out");
    let find = |word: &str| {
        let at = of.text.rfind(word).expect("it is there");
        let (place, is_new) = of.place(&(at..at + word.len()));
        (&source[place], is_new)
    };
    assert_eq!(find("bad"), ("bad", false));
    assert_eq!(find("k = 0"), ("EACH(k)", true));
}
