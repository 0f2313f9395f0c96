//! Nodes, templates, distributions and alignments.

use super::{OBJECTS, accepted, compilers, messages, refused, translated};

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
        "write the directive `align` after its declaration",
    );
    refused(
        "    double c[9];\n#pragma xmp align d[i] with t[i]",
        "there is no array `d` here",
        "d",
        "the directive has to be after the declaration, in the same block",
    );
    refused(
        "    typedef double row[100];\n    row d;\n#pragma xmp align d[i] with t[i]",
        "`d` is declared without dimensions",
        "d",
        "write them after its name: the dimensions of a type are not seen",
    );
}

#[test]
fn objects_of_wrong_directives_are_not_said_to_lack_one() {
    let program = "#pragma xmp nodes p[*]\n#pragma xmp template t[9][9]\n#pragma xmp distribute t[block] onto p\n\
                   int a[9][9], b[9];\n#pragma xmp align a[i][j] with t[i][j]\n#pragma xmp shadow a[1][1]\n\
                   #pragma xmp shadow b[1]\n";
    let titles = translated(program).expect_err("it is refused").into_iter();
    let titles: Vec<String> = titles.map(|wrong| wrong.title).collect();
    assert_eq!(titles, ["1 format for 2 dimensions of `t`", "`b` is not distributed"]);
}

#[test]
fn mappings_that_do_not_fit() {
    refused(
        "#pragma xmp template v[9][9]\n#pragma xmp distribute v[block] onto p",
        "1 format for 2 dimensions of `v`",
        "v",
        "write a format for each dimension, `*` for one that is not distributed",
    );
    refused(
        "#pragma xmp template v[9][9]\n#pragma xmp distribute v[block][block] onto p",
        "2 distributed dimensions onto 1 dimension of `p`",
        "p",
        "each dimension of the nodes takes one distributed dimension of the template",
    );
    for sizes in ["{4, 5}", "(/4, 5/)"] {
        refused(
            &format!("#pragma xmp template v[9]\n#pragma xmp distribute v[gblock({sizes})] onto p"),
            "the sizes of the blocks are no array with a name",
            sizes,
            "declare one, such as `int map[] = {2, 3};`, and write `gblock(map)`",
        );
    }
    refused(
        "    double c[9];\n#pragma xmp align c[i] with t[2*i]",
        "`2*i` cannot be understood here",
        "2*i",
        "write an index of the array, alone or with a number added: `i`, `i+1`, `i-1`",
    );
    refused(
        "    double c[9][9];\n#pragma xmp align c[i] with t[i]",
        "1 subscript for 2 dimensions of `c`",
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
        "assign it after the directives",
    );
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
