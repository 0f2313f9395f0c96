//! Coarrays.

use super::{OBJECTS, accepted, messages};

#[test]
fn image_indices_behind_members_of_coarrays() {
    let program = "struct s { int n; double e[3]; } st:[*];\nint f(void)\n{\n    double d[3];\n    STATEMENT\n    return 0;\n}\n";
    for statement in ["return st.n:[0];", "st.e[1]:[0] = 2;", "d[0:3] = st.e[0:3]:[0];"] {
        let wrong = messages(&program.replace("STATEMENT", statement));
        assert!(wrong.starts_with("error: an image index is not allowed here\n"), "{wrong}");
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
            "a section of a cyclic dimension is not allowed in an assignment to or from a coarray",
        ),
        ("y[0:3]:[1] = a[:];", "all indices of this dimension are not on one node"),
        ("a[3:] = y[0:3]:[1];", "all indices of this dimension are not on one node"),
        ("y[0:3]:[1] = b[0:3];", "1 subscript for 2 dimensions of `b`"),
    ] {
        let wrong = messages(&program(statement));
        assert!(wrong.starts_with(&format!("error: {title}\n")), "{wrong}");
    }
    accepted(&program("y[0:5]:[1] = b[i][:]; b[i][0:2] = y[0:2]:[0]; y[:]:[1] = a[i:5];"));
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
fn words_of_coarrays_that_are_none() {
    let coarrays = "int x[4]:[*];\nvoid f(int n)\n{\n";
    let first = |statement: &str| messages(&format!("{coarrays}{statement}\n}}\n"));
    let wrong = first("    xmp_atomic_define(n, 5);");
    assert!(wrong.starts_with("error: `xmp_atomic_define` accesses an element of a coarray\n"));
    let wrong = first("    xmp_atomic_ref(&n, x[0:2]:[1]);");
    assert!(wrong.starts_with("error: an atomic procedure accesses one element\n"), "{wrong}");
    let wrong = first("    xmp_atomic_define(x:[1], 5);");
    assert!(wrong.starts_with("error: `x` needs 1 subscript\n"), "{wrong}");
    let wrong = first("#pragma xmp lock (n:[1])");
    assert!(wrong.starts_with("error: `n` is no coarray\n"), "{wrong}");
    let wrong = first("#pragma xmp unlock (x[0]:[1]) acquired_lock(n)");
    assert!(wrong.starts_with("error: the clause `acquired_lock` belongs to `lock`\n"), "{wrong}");
    let wrong = first("#pragma xmp lock (x[0]:[1]) stat(n) stat(n)");
    assert!(wrong.starts_with("error: the clause `stat` occurs twice\n"), "{wrong}");
    let wrong = first("#pragma xmp image (q)\n    xmp_sync_all(0);");
    assert!(wrong.starts_with("error: there is no nodes `q` here\n"), "{wrong}");
    let wrong = first("#pragma xmp nodes p[*]\n#pragma xmp image (p)\n    n = x[0]:[1];");
    let title = "error: a call of `xmp_sync_all` or of another procedure that synchronises images has to follow the `image` directive\n";
    assert!(wrong.starts_with(title), "{wrong}");
}
