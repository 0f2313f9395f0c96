//! What cannot be translated is refused with the user's line: exact messages.

mod compilers;

use std::path::Path;
use xmp_translate::{c, diagnostics};

/// Objects that the programs below use.
const OBJECTS: &str = "\
#pragma xmp nodes p[*]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto p
double a[100], b[100][5], x;
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i][*] with t[i]
#pragma xmp shadow b[1][0]
";

/// What a program becomes.
fn translated(program: &str) -> Result<String, Vec<diagnostics::Diagnostic>> {
    c::translate(Path::new("prog.c"), program, c::Options::default())
}

/// Checks that a program is translated, to one that is compiled.
#[track_caller]
fn accepted(program: &str) {
    match translated(program) {
        Ok(text) => compilers::compiles_c(&text),
        Err(wrong) => panic!("{}", diagnostics::render("prog.c", program, &wrong, false)),
    }
}

/// The messages about a program.
fn messages(program: &str) -> String {
    match translated(program) {
        Ok(text) => panic!("it was translated:\n{text}"),
        Err(wrong) => diagnostics::render("prog.c", program, &wrong, false),
    }
}

/// The help where a directive has no statement.
const STATEMENT: &str = "write the statement that it applies to behind it; a macro that stands for it has to be written out";

/// Asserts that these lines in a function with the objects above are refused: title, marked text and help of the first
/// message.
#[track_caller]
fn refused(body: &str, title: &str, marked: &str, help: &str) {
    let program = format!("{OBJECTS}void f(int n, double *q)\n{{\n    int i, j;\n{body}\n}}\n");
    let wrong = translated(&program).expect_err("it is refused");
    let first = &wrong[0];
    assert_eq!(
        (first.title.as_str(), &program[first.span.clone()], first.help.as_str()),
        (title, marked, help)
    );
}

#[test]
fn several_messages_at_once_in_the_order_of_the_source() {
    let program =
        "int main(void)\n{\n#pragma xmp barier\n#pragma xmp reduction(plus: x)\n    return 0;\n}\n";
    assert_eq!(
        messages(program),
        "\
error: unknown directive `barier`
 --> prog.c:3:13
  |
3 | #pragma xmp barier
  |             ^^^^^^
  |
  = help: did you mean `barrier`?

error: unknown reduction operator `plus`
 --> prog.c:4:23
  |
4 | #pragma xmp reduction(plus: x)
  |                       ^^^^
"
    );
}

#[test]
fn objects_that_are_not_declared() {
    let help = "declare it before, in this block, around it or outside of functions";
    refused(
        "#pragma xmp loop on s[i]\n for (i = 0; i < 5; i++) ;",
        "there is no nodes or template `s` here",
        "s",
        help,
    );
    refused(
        "#pragma xmp template v[9]\n#pragma xmp distribute v[block] onto q",
        "there is no nodes `q` here",
        "q",
        help,
    );
    refused(
        "#pragma xmp reflect (x)",
        "`x` is not distributed",
        "x",
        "write the directive `align` behind its declaration",
    );
    refused(
        "    double c[9];\n#pragma xmp align d[i] with t[i]",
        "there is no array `d` here",
        "d",
        "the directive has to stand behind the declaration, in the same block",
    );
    refused(
        "    typedef double row[100];\n    row d;\n#pragma xmp align d[i] with t[i]",
        "`d` is declared without dimensions",
        "d",
        "write them behind its name: those of a type are not seen",
    );
}

#[test]
fn mappings_that_do_not_fit() {
    refused(
        "#pragma xmp template v[9][9]\n#pragma xmp distribute v[block] onto p",
        "1 formats for 2 dimensions of `v`",
        "v",
        "write a format for each dimension, `*` for one that is not distributed",
    );
    refused(
        "#pragma xmp template v[9][9]\n#pragma xmp distribute v[block][block] onto p",
        "2 distributed dimensions onto 1 dimensions of `p`",
        "p",
        "each dimension of the nodes takes one distributed dimension of the template",
    );
    refused(
        "    double c[9];\n#pragma xmp align c[i] with t[2*i]",
        "`2*i` cannot be understood here",
        "2*i",
        "write an index of the array, alone or with a number added: `i`, `i+1`, `i-1`",
    );
    refused(
        "    double c[9][9];\n#pragma xmp align c[i] with t[i]",
        "1 subscripts for 2 dimensions of `c`",
        "c",
        "",
    );
    refused(
        "#pragma xmp template s[9]\n#pragma xmp distribute s[block] onto p\n    static double c[9];\n\
         #pragma xmp align c[i] with s[i]",
        "`c` is static, but `s`, which it lies on, ends with the block",
        "c",
        "write `#pragma xmp static_desc :: s`, or declare it outside of functions",
    );
    refused(
        "    double *c = q;\n#pragma xmp align c[i] with t[i]",
        "`c` is distributed: this does not say where its part is",
        "q",
        "assign it behind the directives",
    );
}

#[test]
fn members_that_cannot_be_distributed() {
    let first = |program: &str| messages(&format!("{OBJECTS}{program}"));
    let wrong = first("struct s { double c[9]; };\n#pragma xmp align s.c[i] with t[i]\n");
    let title = "error: no variable of the file has a member `s.c`\n --> prog.c:9:19\n";
    assert!(wrong.starts_with(title), "{wrong}");
    let wrong = first("struct { double c[9]; } s[2];\n#pragma xmp align s.c[i] with t[i]\n");
    assert!(wrong.starts_with("error: `s` is an array of structures\n"), "{wrong}");
    let wrong =
        first("struct { int n; double c[9]; } s = {1};\n#pragma xmp align s.c[i] with t[i]\n");
    assert!(wrong.starts_with("error: `s` has initial values\n"), "{wrong}");
    let wrong = first(
        "struct { double c[9]; } s;\n#pragma xmp align s.c[i] with t[i]\n#pragma xmp shadow s.c[1][1]\n",
    );
    assert!(wrong.starts_with("error: 2 widths for 1 dimensions of `s.c`\n"), "{wrong}");
}

#[test]
fn loops_that_are_not_understood() {
    let form = "write `for (i = first; i < end; i++)`, with `<`, `<=`, `>` or `>=` and a step `i += n` or `i -= n`";
    refused(
        "#pragma xmp loop on t[i]\n    for (i = 0; a[i] > 0; i++) ;",
        "the condition of a distributed loop compares its variable",
        "a[i] > 0",
        form,
    );
    refused(
        "#pragma xmp loop on t[i]\n    for (i = 1; i < 50; i *= 2) ;",
        "the step of a distributed loop is not understood",
        "i *= 2",
        form,
    );
    refused(
        "#pragma xmp loop on t[i]\n    for (i = 9; i < 50; i--) ;",
        "the loop counts away from its bound",
        "i < 50",
        form,
    );
    for with in ["(i) on t[i]", "on t[i]"] {
        refused(
            &format!("#pragma xmp loop {with}\n    x = 0;"),
            "there is no `for` statement that counts `i` behind the directive",
            "i",
            "",
        );
    }
    refused(
        "#pragma xmp loop on t\n    for (i = 0; i < 9; i++) ;",
        "`on` has to say which loop variable belongs to which dimension",
        "t",
        "write `on t(i)`, where `i` is the loop variable",
    );
    refused(
        "#pragma xmp loop (i, j) on t[i]\n    for (i = 0; i < 9; i++)\n        for (j = 0; j < 9; j++) ;",
        "the loop variable `j` does not stand in `on`",
        "j",
        "",
    );
}

#[test]
fn references_that_would_need_something_else() {
    refused(
        "    x = sizeof(a);",
        "`a` is distributed: its size is not that of an object",
        "a",
        "write the number of elements times the size of one",
    );
    refused(
        "    x = sizeof &a;",
        "`a` is distributed: its size is not that of an object",
        "a",
        "write the number of elements times the size of one",
    );
    refused("    x = i[a];", "`a` is no subscript", "a", "write the array before the brackets");
    refused(
        "#pragma xmp bcast (x) from t[1:2]",
        "`from` is one index of a template",
        "1:2",
        "write an index for each dimension, `:` or `*`",
    );
    refused(
        "#pragma xmp local_alias x => a",
        "`x` is no pointer",
        "x",
        "declare it as a pointer to what a row of `a` is",
    );
    refused(
        "    a[0:5] = 1;",
        "an array section cannot stand here",
        "[0:5]",
        "sections stand behind `gmove` and `array`, and in assignments to and from coarrays",
    );
    refused(
        "#pragma xmp gmove\n    x = n;",
        "no side of this `gmove` is a distributed array",
        "x = n;",
        "write the assignment without the directive",
    );
    refused(
        "#pragma xmp gmove\n    x++;",
        "an assignment has to follow the `gmove` directive",
        "x++;",
        "",
    );
    refused(
        "#pragma xmp bcast (q)",
        "the number of elements of `q` is not known",
        "q",
        "write a section: `q[0:n]`",
    );
    refused(
        "#pragma xmp reflect (a)",
        "`a` has no shadow",
        "a",
        "write `#pragma xmp shadow a[..]` behind `align`",
    );
    refused("    x = a[i]:[1];", "`a` is no coarray", "a[i]:[1]", "declare it with `:[*]`");
}

#[test]
fn subscripts_beyond_the_shadow() {
    let help = "widen it by the directive `shadow`, and `reflect` the array before the loop";
    let body = "#pragma xmp loop on t[i]\n    for (i = 2; i < 90; i++)\n        a[i] = b[i + 1][0] + b[i - 2][1];";
    let title =
        "`i - 2` is 2 below the elements of the image, but the shadow of `b` is 1 wide there";
    refused(body, title, "i - 2", help);
    let body = "#pragma xmp loop on t[i+1]\n    for (i = 2; i < 90; i++)\n        a[i] = 0;";
    let title = "`i` is 1 below the elements of the image, but the shadow of `a` is 0 wide there";
    refused(body, title, "i", help);
}

#[test]
fn subscripts_of_other_images() {
    let help = "move the elements of `a` by `gmove` to where they are used, before the loop";
    for subscript in ["2 * i", "99 - i", "i / 2", "(i * 3) % 7", "n * i + 1"] {
        let title = format!(
            "`{subscript}` is an element of another image for most values of `i`: it cannot be placed"
        );
        let body = format!(
            "#pragma xmp loop on t[i]\n    for (i = 0; i < 9; i++)\n        a[{subscript}] = 0;"
        );
        refused(&body, &title, subscript, help);
    }
    let cyclic = "#pragma xmp template c[9]\n#pragma xmp distribute c[cyclic] onto p\n    int k[9];\n\
                  #pragma xmp align k[i] with c[i]\n#pragma xmp loop on c[i]\n    for (i = 1; i < 9; i++)\n";
    refused(
        &format!("{cyclic}        k[i] = k[i - 1];"),
        "`i - 1` is an element of another image: this dimension of `k` is cyclic and has no shadow",
        "i - 1",
        "move the elements by `gmove` before the loop, or distribute by `block`",
    );
    let all = "#pragma xmp loop on t[i]\n    for (i = 1; i < 9; i++)\n        a[(i)] = a[0 + i] + a[i + 1 - 1] + q[2 * i];";
    accepted(&format!("{OBJECTS}void f(int i, double *q)\n{{\n{all}\n}}\n"));
}

#[test]
fn templates_that_never_get_bounds() {
    refused(
        "#pragma xmp template v[:]\n#pragma xmp distribute v[block] onto p",
        "the template `v` has no bounds, and never gets some",
        "v",
        "write `#pragma xmp template_fix v[..]` where they are known",
    );
}

#[test]
fn clauses_that_are_unknown() {
    refused(
        "#pragma xmp loop on t[i] nowait\n    for (i = 0; i < 9; i++) ;",
        "the clause `nowait` cannot stand here",
        "nowait",
        "",
    );
    refused(
        "#pragma xmp reflect (b) widht(1, 0)",
        "the clause `widht` cannot stand here",
        "widht",
        "",
    );
    refused("#pragma xmp end task", "the directive `end` is not supported in C", "end", "");
}

#[test]
fn directives_at_the_wrong_place() {
    let program = "#pragma xmp barrier\nint x;\n";
    assert!(
        messages(program)
            .starts_with("error: `barrier` has to stand in a function\n --> prog.c:1:13\n")
    );
    refused(
        "#pragma xmp task on p[0]",
        "no statement follows the `task` directive",
        "#pragma xmp task on p[0]",
        STATEMENT,
    );
}

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
fn distributed_pointers_that_get_the_place_of_another() {
    let objects = format!(
        "{OBJECTS}#pragma xmp template s[100]\n#pragma xmp distribute s[block] onto p\ndouble *u, *v, *w;\nfloat *g;\n#pragma xmp align g[i] with t[i]\n\
         #pragma xmp align u[i] with t[i]\n#pragma xmp align v[i] with t[i]\n#pragma xmp align w[i] with s[i]\n"
    );
    let program = |body: &str| {
        format!("{objects}void f(double *q, int n)\n{{\n    double *tmp;\n{body}\n}}\n")
    };
    accepted(&program("    tmp = u; u = v; v = tmp;"));
    accepted(&program(
        "    for (double *old = u, *last = u; n; n--) { u = v; v = old; u = last; }",
    ));
    accepted(&program("    u = NULL; v = (double *)0; w = ((void *)NULL);"));
    for (body, title) in [
        ("    u = w;", "`u` and `w` are distributed in different ways"),
        ("    tmp = w; w = u; u = tmp;", "`w` and `u` are distributed in different ways"),
        ("    tmp = u; tmp++; v = tmp;", "`v` is distributed: this does not say where its part is"),
        (
            "    double **r = &(tmp); tmp = u; *r = q; v = tmp;",
            "`v` is distributed: this does not say where its part is",
        ),
        (
            "    tmp = q; tmp = u; v = tmp;",
            "`v` is distributed: this does not say where its part is",
        ),
        ("    u = q;", "`u` is distributed: this does not say where its part is"),
        ("    g = (float *)u;", "`g` and `u` have elements of different types"),
    ] {
        let wrong = messages(&program(body));
        assert!(wrong.starts_with(&format!("error: {title}\n")), "{wrong}");
    }
    let arguments = format!(
        "{OBJECTS}void f(double *c, double *d)\n{{\n#pragma xmp align c[i] with t[i]\n#pragma xmp align d[i] with t[i]\n    c = d;\n}}\n"
    );
    let wrong = messages(&arguments);
    assert!(wrong.starts_with("error: `c` is a distributed argument\n"), "{wrong}");
}

#[test]
fn code_that_is_no_c() {
    refused(
        "    x = = 1;",
        "this is not understood as C",
        "=",
        "a macro that stands for a part of a statement has to be written out",
    );
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
fn pointers_that_a_program_counts_on_from_the_name_of_an_array() {
    let help = "write the subscripts, `&a[i]` for an address; for local indices assign `a` to a pointer before";
    let title = "`a` without subscripts is the part of this node, with local indices";
    for statement in [
        "*(a + i) = 1;",
        "x = *a;",
        "x = (i + a)[1];",
        "x = *(1 + a - i);",
        "x = ((double *)a)[i];",
        "x = (i ? q : a)[i];",
        "x = (i, (a))[i];",
        "q = *&a;",
    ] {
        refused(statement, title, "a", help);
    }
    let rows = help.replace("`&a[i]`", "`&b[i]`").replace("`a`", "`b`");
    refused("x = (*(b + i))[2];", &title.replace("`a`", "`b`"), "b", &rows);
    let in_function = |body: &str| {
        accepted(&format!(
            "{OBJECTS}void g(int, double *);\nvoid f(int n, double *q)\n{{\n    int i = n;\n{body}\n}}\n"
        ));
    };
    in_function(
        "    q = a; g(n, a); g(i, (double *)(a)); g(i, i ? a : q); i = a == q || !a; q = &a[i];",
    );
    in_function("    q = a + i; g(i, a - 1); i = q - a;");
    in_function("    n = sizeof *a; n = sizeof(*a);");
}

#[test]
fn image_indices_behind_members_of_coarrays() {
    let program = "struct s { int n; double e[3]; } st:[*];\nint f(void)\n{\n    double d[3];\n    STATEMENT\n    return 0;\n}\n";
    for statement in ["return st.n:[0];", "st.e[1]:[0] = 2;", "d[0:3] = st.e[0:3]:[0];"] {
        let wrong = messages(&program.replace("STATEMENT", statement));
        assert!(wrong.starts_with("error: an image index cannot stand here\n"), "{wrong}");
        assert!(wrong.contains("before members: `x[i]:[k].m`"), "{wrong}");
    }
    accepted(&program.replace("STATEMENT", "d[0] = st:[0].n;"));
}

#[test]
fn sections_of_distributed_arrays_beside_coarrays() {
    let program = |statement: &str| {
        format!(
            "{OBJECTS}#pragma xmp template c[9]\n#pragma xmp distribute c[cyclic] onto p\nint k[9];\n\
             #pragma xmp align k[i] with c[i]\nint z[9]:[*];\ndouble y[5]:[*];\nvoid f(int i)\n{{\n    {statement}\n}}\n"
        )
    };
    for (statement, title) in [
        (
            "z[0:3]:[1] = k[0:3];",
            "a section of a cyclic dimension cannot stand in an assignment to or from a coarray",
        ),
        ("y[0:3]:[1] = a[:];", "all indices of this dimension are not on one node"),
        ("a[3:] = y[0:3]:[1];", "all indices of this dimension are not on one node"),
        ("y[0:3]:[1] = b[0:3];", "1 subscripts for 2 dimensions of `b`"),
    ] {
        let wrong = messages(&program(statement));
        assert!(wrong.starts_with(&format!("error: {title}\n")), "{wrong}");
    }
    accepted(&program("y[0:5]:[1] = b[i][:]; b[i][0:2] = y[0:2]:[0]; y[:]:[1] = a[i:5];"));
}

#[test]
fn definitions_in_the_old_style_of_c() {
    for align in ["", "\n#pragma xmp align v[i][*] with t[i]\n#pragma xmp shadow u[1]"] {
        let program = format!(
            "{OBJECTS}static double solve(n, u, v)\nint n;\ndouble u[100], v[100][3];\n#pragma xmp align u[i] with t[i]{align}\n\
             {{\n    int i;\n    double s = 0;\n#pragma xmp loop (i) on t[i] reduction(+: s)\n    \
             for (i = 0; i < n; i++)\n        s += u[i] + v[i][2];\n    return s;\n}}\n"
        );
        accepted(&program);
    }
}

#[test]
fn attributes_behind_what_a_declaration_declares() {
    for declaration in [
        "static double d[100] __attribute__((aligned(64)));",
        "double d[100] __attribute__((aligned(64))), y __attribute__((unused));",
        "double y __attribute__((unused)), d[100] __attribute__((aligned(64))) = {1, 2};",
        "__extension__ __attribute__((unused)) static double d[100];",
    ] {
        accepted(&format!(
            "{OBJECTS}{declaration}\n#pragma xmp align d[i] with t[i]\ndouble f(int i) {{ return d[i]; }}\n"
        ));
    }
    let text = translated(&format!(
        "{OBJECTS}void f(void)\n{{\n    double d[100] __attribute__((aligned(64))), y;\n#pragma xmp align d[i] with t[i]\n    y = d[0];\n}}\n"
    ));
    let text = text.expect("it is right");
    assert!(text.contains("double *xmp__d __attribute__((aligned(64))), y;"), "{text}");
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
        ("#define ROW(i) b[i]", "g(ROW(i));", "`b` has 2 dimensions, but 1 subscripts"),
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

#[test]
fn coarrays_that_are_not_possible() {
    let program = "void f(void)\n{\n    int x:[*];\n}\n";
    assert!(messages(program).starts_with("error: the coarray `x` is declared in a function\n"));
    let program = "int x[4]:[2];\n";
    assert!(messages(program).starts_with("error: the last size of a coshape is `*`\n"));
}

#[test]
fn coarrays_on_nodes_that_are_not_possible() {
    let first = |program: &str| messages(&format!("#pragma xmp nodes p[*]\n{program}"));
    let wrong = first("int x;\n#pragma xmp coarray on p :: x\n");
    assert!(wrong.starts_with("error: `x` is no coarray\n --> prog.c:3:29\n"), "{wrong}");
    let wrong = first("int x:[2][*];\n#pragma xmp coarray on p :: x\n");
    assert!(
        wrong.starts_with("error: `x` is `on` nodes, but has several codimensions\n"),
        "{wrong}"
    );
    let wrong = first("int x:[*];\n#pragma xmp coarray on q :: x\n");
    assert!(wrong.starts_with("error: there are no nodes `q` outside of functions\n"), "{wrong}");
}

#[test]
fn loop_variables_of_another_dimension() {
    let objects = "#pragma xmp nodes p[*][2]\n#pragma xmp template t[9][9]\n\
                   #pragma xmp distribute t[block][block] onto p\nint a[9][9], b[9][9];\n\
                   #pragma xmp align a[j][i] with t[j][i]\n#pragma xmp align b[j][i] with t[j][i]\n\
                   #pragma xmp shadow b[*][*]\n";
    let nest = |body: &str| {
        format!(
            "{objects}void f(int i, int j)\n{{\n#pragma xmp loop on t[j][i]\n    for (i = 0; i < 9; i++)\n        \
             for (j = 0; j < 9; j++)\n            {body}\n}}\n"
        )
    };
    accepted(&nest("a[j][i] = b[i][j];"));
    let wrong = messages(&nest("a[i][j] = 1;"));
    let title = "error: `i` counts another dimension of the template than this one of the array is aligned with\n";
    assert!(wrong.contains(title) && wrong.contains("prog.c:13:15"), "{wrong}");
}

#[test]
fn arrays_of_a_template_that_is_distributed_in_another_way() {
    let program = |on: &str| {
        format!(
            "#pragma xmp nodes p[*]\n#pragma xmp template t[9]\n#pragma xmp template s[9]\n\
             #pragma xmp template r[9]\n#pragma xmp distribute t[block] onto p\n\
             #pragma xmp distribute s[cyclic] onto p\n#pragma xmp distribute r[block] onto p\nint a[9];\n\
             #pragma xmp align a[i] with t[i]\nvoid f(int i)\n{{\n#pragma xmp loop on {on}[i]\n    \
             for (i = 0; i < 9; i++)\n        a[i] = 1;\n}}\n"
        )
    };
    accepted(&program("r"));
    let wrong = messages(&program("s"));
    let title = "error: the loop is on `s`, but `a` is aligned with `t`, which is distributed in another way\n  --> prog.c:14:11\n";
    assert!(wrong.contains(title), "{wrong}");
}

#[test]
fn words_of_coarrays_that_are_none() {
    let coarrays = "int x[4]:[*];\nvoid f(int n)\n{\n";
    let first = |statement: &str| messages(&format!("{coarrays}{statement}\n}}\n"));
    let wrong = first("    xmp_atomic_define(n, 5);");
    assert!(wrong.starts_with("error: `xmp_atomic_define` accesses an element of a coarray\n"));
    let wrong = first("    xmp_atomic_ref(&n, x[0:2]:[1]);");
    assert!(wrong.starts_with("error: an atomic procedure accesses one element\n"), "{wrong}");
    let wrong = first("    xmp_atomic_define(x:[1], 5);");
    assert!(wrong.starts_with("error: `x` needs 1 subscripts\n"), "{wrong}");
    let wrong = first("#pragma xmp lock (n:[1])");
    assert!(wrong.starts_with("error: `n` is no coarray\n"), "{wrong}");
    let wrong = first("#pragma xmp unlock (x[0]:[1]) acquired_lock(n)");
    assert!(wrong.starts_with("error: the clause `acquired_lock` belongs to `lock`\n"), "{wrong}");
    let wrong = first("#pragma xmp lock (x[0]:[1]) stat(n) stat(n)");
    assert!(wrong.starts_with("error: the clause `stat` stands here twice\n"), "{wrong}");
    let wrong = first("#pragma xmp image (q)\n    xmp_sync_all(0);");
    assert!(wrong.starts_with("error: there is no nodes `q` here\n"), "{wrong}");
    let wrong = first("#pragma xmp nodes p[*]\n#pragma xmp image (p)\n    n = x[0]:[1];");
    let title = "error: a call of `xmp_sync_all` or of another procedure that synchronises images has to follow the `image` directive\n";
    assert!(wrong.starts_with(title), "{wrong}");
}

#[test]
fn an_array_of_the_file_with_a_template_of_a_function() {
    let program = |before: &str, nodes: &str, size: &str| {
        format!(
            "{before}int a[9];\nvoid f(int n)\n{{\n#pragma xmp nodes p{nodes}\n#pragma xmp template t[{size}]\n\
             #pragma xmp distribute t[block] onto p\n#pragma xmp align a[i] with t[i]\n}}\n"
        )
    };
    for size in ["9", "M + 1", "c"] {
        let text = translated(&program("static const int c = 9; ", "[*]", size));
        let text = text.expect("it is made when the program starts");
        let defined = text.replace("M + 1", "4 + 1");
        compilers::compiles_c(&defined);
        for object in ["static xmprt_nodes xmp__p;", "static xmprt_template xmp__t"] {
            let (at, function) = (text.find(object), text.find("void f(").expect("it is there"));
            assert!(at.is_some_and(|at| at < function), "{text}");
        }
    }
    let title = "error: `a` is declared outside of functions, but its template `t` in one\n --> prog.c:7:19\n";
    for (before, nodes, size, obstacle) in [
        ("", "[*]", "n", "`n` has no value when the program starts"),
        ("int c = 9; ", "[*]", "c", "`c` has no value when the program starts"),
        ("", "[*] = *", "9", "`p` is a part of the nodes"),
    ] {
        let wrong = messages(&program(before, nodes, size));
        assert!(wrong.starts_with(title), "{wrong}");
        let help = "declare nodes and template outside of functions, too, as";
        assert!(wrong.contains(&format!("{help} {obstacle}")), "{wrong}");
    }
    let another = "#pragma xmp nodes q[*]\n#pragma xmp template t[5]\n#pragma xmp distribute t[block] onto q\n";
    let wrong = messages(&program(another, "[*]", "9"));
    assert!(wrong.contains("as there is another `t`"), "{wrong}");
    let wrong = messages(&(program("", "[*]", "9") + another));
    assert!(wrong.starts_with("error: `t` is declared twice\n  --> prog.c:10:22\n"), "{wrong}");
}

#[test]
fn nodes_templates_and_arrays_of_a_scope_have_different_names() {
    let array = |name: &str| {
        format!("{OBJECTS}double {name}[100];\n#pragma xmp align {name}[i] with t[i]\n")
    };
    for name in ["p", "t"] {
        let wrong = messages(&array(name));
        let expected = format!("error: `{name}` is declared twice\n --> prog.c:9:19\n");
        assert!(wrong.starts_with(&expected), "{wrong}");
    }
    // A local array hides the nodes of the file.
    let local =
        "void f(void)\n{\n    double p[100];\n#pragma xmp align p[i] with t[i]\n    p[0] = 1;\n}\n";
    accepted(&format!("{OBJECTS}{local}"));
}

#[test]
fn a_program_without_directives_is_left_alone() {
    assert!(!c::has_directives("int main(void) { return x ? a[1]:b; }\n#pragma omp barrier\n"));
    assert!(c::has_directives("int x:[*];"));
}

#[test]
fn loops_over_cyclic_blocks_that_openmp_joins_with_others() {
    let program = format!(
        "{OBJECTS}#pragma xmp template s[9]\n#pragma xmp distribute s[cyclic(2)] onto p\nvoid f(void)\n{{\n    int i, j;\n\
         #pragma xmp loop (i) on s[i]\n#pragma omp for collapse(2)\n    for (i = 0; i < 9; i++)\n        \
         for (j = 0; j < 9; j++) x = 1;\n}}\n"
    );
    let wrong = translated(&program).expect_err("it is refused");
    assert_eq!(
        wrong[0].title,
        "`collapse` of OpenMP cannot join a loop over cyclic blocks with those inside of it"
    );
    assert_eq!(program[wrong[0].span.clone()].trim_end(), "for (i =");
}

#[test]
fn clauses_of_openmp_that_count_the_iterations_of_all_nodes() {
    let wrong = |format: &str, clauses: &str| {
        let program = format!(
            "{OBJECTS}#pragma xmp template s[9]\n#pragma xmp distribute s[{format}] onto p\nvoid f(void)\n{{\n    int i, x;\n\
             #pragma xmp loop (i) on s[i]\n#pragma omp parallel for {clauses}\n    for (i = 0; i < 9; i++) x = i;\n}}\n"
        );
        let wrong = translated(&program).err()?;
        assert_eq!(program[wrong[0].span.clone()].trim_end(), "for (i =");
        Some(wrong[0].title.clone())
    };
    let blocks = "the variable of a loop over cyclic blocks cannot be `lastprivate`";
    assert_eq!(wrong("cyclic(2)", "lastprivate(i)").as_deref(), Some(blocks));
    assert_eq!(wrong("cyclic(2)", "lastprivate(x)"), None);
    assert_eq!(wrong("cyclic", "ordered lastprivate(i)"), None);
    let linear = "`linear` of OpenMP would count the iterations of this node only";
    assert_eq!(wrong("block", "linear(x: 2)").as_deref(), Some(linear));
    let safelen =
        "`safelen` of OpenMP counts iterations that other nodes execute in a cyclic dimension";
    assert_eq!(wrong("cyclic", "simd safelen(4)").as_deref(), Some(safelen));
    assert_eq!(wrong("block", "simd safelen(4)"), None);
}

#[test]
fn what_was_accepted_and_had_another_meaning() {
    let peeled = "`peel_and_wait` peels off what is inside of a part: its width is -1";
    let help = "write `-1`, or 0 for a dimension that has no border";
    refused(
        "#pragma xmp loop (i) on t[i] peel_and_wait(7, 1)\n    for (i = 1; i < 99; i++) a[i] = 1;",
        peeled,
        "1",
        help,
    );
    refused(
        "#pragma xmp gmove\n    a[:] = a[:] + 1;",
        "a distributed array cannot be a part of an expression in `gmove`",
        "a[:] + 1",
        "compute in a loop with a `loop` directive, or by `array`, or move it to a variable first",
    );
    refused(
        "    double d[100];\n    d[0] = 1;\n#pragma xmp align d[i] with t[i]",
        "`d` is used before the directives about it",
        "d",
        "write `align` and `shadow` right behind its declaration",
    );
    let twice = format!("{OBJECTS}#pragma xmp shadow b[2][0]\n");
    assert!(messages(&twice).starts_with("error: `b` has two shadows\n"), "{}", messages(&twice));
}

#[test]
fn variables_beside_that_of_a_loop_get_a_value_in_its_header() {
    let help = "write `for (i = .., k = ..; i < end; i++, k++)`, or change it in the statement that is repeated";
    refused(
        "#pragma xmp loop on t[i]\nfor (i = 0; i < n; i++, j++) a[i] = j;",
        "`j` gets no value in this `for` statement",
        "j++",
        help,
    );
    refused(
        "#pragma xmp loop on t[i]\nfor (i = 0, j = 1; i < n; i++, j *= 2) a[i] = j;",
        "this does not count a variable",
        "j *= 2",
        help,
    );
    refused(
        "#pragma xmp loop on t[i]\nfor (i = g(n), j = 1; i < n; i++, j++) a[i] = j;",
        "`j` counts beside an expression that may change something",
        "j++",
        "assign the expression to a variable before the loop",
    );
}

/// A distributed loop with this header in a program, over a dimension of this format.
fn loop_with(header: &str, format: &str) -> String {
    format!(
        "#pragma xmp nodes p[*]\n#pragma xmp template t[100]\n#pragma xmp distribute t[{format}] onto p\n\
         int a[100];\n#pragma xmp align a[i] with t[i]\nint g(int);\nstruct {{ int i; }} s;\nextern int (*f)(int), (*h[2])(int);\n\
         void work(int n, int *p)\n{{\n    int i, j, k, m;\n    m = n;\n    k = j = m;\n\
         #pragma xmp loop on t[i]\n    for ({header}) a[i] = k + j;\n}}\n"
    )
}

/// Asserts that a loop with this header is refused: title and marked text.
#[track_caller]
fn refused_header(header: &str, format: &str, title: &str, marked: &str) {
    let program = loop_with(header, format);
    let wrong = translated(&program).expect_err("it is refused");
    assert_eq!((wrong[0].title.as_str(), &program[wrong[0].span.clone()]), (title, marked));
}

#[test]
fn variables_of_a_header_that_depend_on_one_that_it_counts() {
    let cases = [
        ("i = m, k = i + 5; i < n; i++, k++", "k", "k = i + 5"),
        ("i = 0, j = 0, k = j + 1; i < n; i++, j++, k++", "k", "k = j + 1"),
        ("i = 0, k = 5, m = i; i < n; i++, k++", "m", "m = i"),
        ("i = 0, m = i + 5; i < n; i++", "m", "m = i + 5"),
        ("i = k, k = 0; i < n; i++, k++", "i", "i = k"),
        ("int i = m, k = i; i < n; i++, k++", "k", "k = i"),
        ("i = 0, k = 5; i < n; i++, k += i", "k", "k += i"),
        ("i = 0, j = 1, k = 5; i < n; i++, j++, k = k - 2 * j", "k", "k = k - 2 * j"),
        ("i = 0, k = 5; i < n; i += k, k++", "i", "i += k"),
        ("i = 1; i < n; i += i", "i", "i += i"),
    ];
    for (header, name, marked) in cases {
        let title = format!("`{name}` depends on a variable that this loop counts");
        refused_header(header, "block", &title, marked);
    }
    refused_header("i = 0; i < n; i++, i++", "block", "this counts `i` again", "i++");
    let unset = "`k` gets no value in this `for` statement";
    refused_header("i = 0, k += 5; i < n; i++, k++", "block", unset, "k++");
    for header in [
        "i = i + 1; i < n; i++",
        "i = 0; i < n; i += s.i",
        "i = m, k = m * 2; i < n; i += m, k -= m + p[1]",
    ] {
        accepted(&loop_with(header, "block"));
    }
}

#[test]
fn variables_of_a_header_beside_expressions_that_change_something() {
    let title = "`k` counts beside an expression that may change something";
    for value in ["g(m)", "(*f)(m)", "h[1] (m)", "m++", "*p++", "--m", "(m += 2)", "(m <<= 2)"] {
        refused_header(&format!("i = {value}, k = 5; i < n; i++, k++"), "block", title, "k++");
        let changed = format!("k += {value}");
        refused_header(&format!("i = 0, k = 5; i < n; i++, {changed}"), "block", title, &changed);
        let header = format!("i = 0, k = {value}; i < n; i++, k++");
        refused_header(&header, "cyclic(2)", title, "k++");
        accepted(&loop_with(&header, "block"));
        accepted(&loop_with(&header, "cyclic"));
    }
    let harmless =
        ["(long)(m)", "(unsigned int) (m)", "sizeof(m)", "m * (n - 1)", "(m <= n) + (m != n)"];
    for value in harmless {
        let header = format!("i = (int)({value}), k = {value}; i < n; i++, k += {value}");
        accepted(&loop_with(&header, "cyclic(2)"));
    }
}

/// Only the sign of a whole step tells the direction: `-m + 1` was taken for `-(m + 1)`.
#[test]
fn steps_that_begin_with_a_sign() {
    let step = |step: &str| {
        let header = format!("i = 0, k = 5; i < n; i++, k += {step}");
        let text = translated(&loop_with(&header, "block")).expect("it is translated");
        let first = text.lines().find(|line| line.contains("k = (5)")).expect("the header");
        let (_, rest) = first.split_once("(5) ").expect("its first value");
        let (value, _) = rest.split_once(';').expect("its end");
        value.replace("((i) - (0)) / 1 * ", "")
    };
    assert_eq!(step("-m"), "- (m)");
    assert_eq!(step("-3"), "- (3)");
    assert_eq!(step("-m * 2"), "- (m * 2)");
    assert_eq!(step("-m + 1"), "+ (-m + 1)");
    assert_eq!(step("-m ? 1 : 2"), "+ (-m ? 1 : 2)");
}

#[test]
fn template_fix_with_another_format_than_distribute_is_refused() {
    let program = "#pragma xmp nodes p[*]\n#pragma xmp template v[:]\n#pragma xmp distribute v[cyclic(5)] onto p\n\
                   void f(int n)\n{\n#pragma xmp template_fix[cyclic(3)] v[n]\n}\n";
    let messages = messages(program);
    assert!(messages.contains("`distribute` has another format for this dimension"), "{messages}");
    accepted(&program.replace("cyclic(3)", "cyclic(5)"));
}
