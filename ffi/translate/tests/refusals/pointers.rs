//! Pointers to distributed arrays, and declarations.

use super::{OBJECTS, accepted, messages, refused, translated};

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
    assert!(wrong.starts_with("error: 2 widths for 1 dimension of `s.c`\n"), "{wrong}");
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
