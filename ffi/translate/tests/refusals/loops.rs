//! Loops, their subscripts and their headers.

use super::{OBJECTS, accepted, messages, refused, translated};

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
            "there is no `for` statement that counts `i` after the directive",
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
        "the loop variable `j` is not in `on`",
        "j",
        "",
    );
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
