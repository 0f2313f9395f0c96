//! Directives, their clauses, mappings and references.

use super::{OBJECTS, refused, wrong};
use std::path::Path;
use xmp_translate::{diagnostics, fortran};

#[test]
fn nodes_templates_and_arrays_of_a_scope_have_different_names() {
    let title = "`p` is declared twice";
    refused("real :: p(100)\n!$xmp align p(i) with t(i)", title, "p", "");
    refused("real :: t(100)\n!$xmp align t(i) with t(i)", "`t` is declared twice", "t", "");
    refused("!$xmp nodes a(*)", "`a` is declared twice", "a", "");
}

#[test]
fn several_messages_at_once_in_the_order_of_the_source() {
    let program = format!("{OBJECTS}!$xmp reflect (a) width(1)\n!$xmp barrier on q\nend program\n");
    let drawn: Vec<String> = wrong(&program)
        .into_iter()
        .map(|wrong| {
            let (path, line, text, wrong) = fortran::place(Path::new("prog.f90"), &program, wrong);
            diagnostics::render_line(&path, line, &text, &wrong, false)
        })
        .collect();
    assert_eq!(
        drawn.join("\n"),
        "error: `a` has no shadow\n  --> prog.f90:13:16\n   |\n13 | !$xmp reflect (a) width(1)\n   |                ^\n   |\n   \
         = help: write `!$xmp shadow a(..)` after `align`\n\n\
         error: there is no nodes or template `q` here\n  --> prog.f90:14:18\n   |\n14 | !$xmp barrier on q\n   |                  ^\n   |\n   \
         = help: declare it before, in this scope, around it or in a module that it uses\n"
    );
}

#[test]
fn mappings_that_do_not_fit() {
    let refused = |directives: &str, title: &str, marked: &str| {
        let program = format!("program prog\nreal a(3), b(3, 3)\n{directives}\nend\n");
        let first = &wrong(&program)[0];
        assert_eq!((first.title.as_str(), &program[first.span.clone()]), (title, marked));
    };
    let nodes = "!$xmp nodes p(*)\n!$xmp template t(3)\n";
    let with = |more: &str| format!("{nodes}!$xmp distribute t(block) onto p\n{more}");
    refused(nodes, "the template `t` is not distributed", "t");
    refused("!$xmp distribute t(block) onto p", "there is no nodes `p` here", "p");
    refused(&with("!$xmp align d(i) with t(i)"), "there is no array `d` here", "d");
    refused(&with("!$xmp align b(i) with t(i)"), "1 subscript for 2 dimensions of `b`", "b");
    refused(&with("!$xmp align a(i) with t(2*i)"), "`2*i` cannot be understood here", "2*i");
    refused(&with("!$xmp shadow a(1)"), "`a` is not distributed", "a");
    refused(
        "!$xmp nodes p(*)\n!$xmp template t(:)\n!$xmp distribute t(block) onto p\n!$xmp align a(i) with t(i)",
        "`a` needs memory here, but its template `t` is not fixed yet",
        "a",
    );
    refused(
        &with("a = 1\n!$xmp align a(i) with t(i)"),
        "this directive has to be before the first executable statement",
        "!$xmp align a(i) with t(i)",
    );
}

#[test]
fn communication() {
    refused(
        "!$xmp gmove\ncall f(a)",
        "an assignment has to follow the `gmove` directive",
        "call f(a)",
        "",
    );
    refused(
        "!$xmp gmove\nx = b(1, 2) + 1",
        "no side of this `gmove` is a distributed array",
        "x = b(1, 2) + 1",
        "write the assignment without the directive",
    );
    refused(
        "!$xmp gmove\na(:) = b(:, 2) + 1",
        "a distributed array cannot be a part of an expression in `gmove`",
        "b",
        "compute in a loop with a `loop` directive, or by `array`, or move it to a variable first",
    );
    for leaves in ["go to 10", "if (i > 1) exit", "cycle", "exit outer"] {
        let last = leaves.trim_start_matches("if (i > 1) ");
        refused(
            &format!(
                "outer: do i = 1, 2\n!$xmp task on p(1)\n{leaves}\n!$xmp end task\n10 continue\nend do outer"
            ),
            "this statement leaves a task",
            leaves,
            "set a variable, end the task, and leave after it",
        );
        let inside = format!(
            "{OBJECTS}!$xmp task on p(1)\nouter: do i = 1, 2\n{last}\n10 continue\nend do outer\n!$xmp end task\nend program\n"
        );
        let form = fortran::Form::Free;
        let name = Path::new("prog.f90");
        fortran::translate(name, &inside, fortran::Options::of(form), &|_| None)
            .expect("it stays inside");
    }
    refused("!$xmp task on p(1)\nx = 1", "this `task` has no `end task`", "!$xmp task on p(1)", "");
    let task = "!$xmp task on p(1)\n!$xmp end task";
    refused(&format!("!$xmp tasks\n{task}"), "this `tasks` has no `end tasks`", "!$xmp tasks", "");
    refused(
        &format!("{task}\n!$xmp end tasks"),
        "there is no `tasks` that this `end tasks` could end",
        "!$xmp end tasks",
        "constructs between the two directives have to end before",
    );
    refused(
        "!$xmp array on s(1:9)\nc(int(a(3))) = 0",
        "a distributed array in a subscript of `c`",
        "int(a(3))",
        "assign the subscript to a variable first",
    );
    refused(
        "!$xmp array on t(1:9)\na(1:9) = b(:, 1:2)",
        "1 sections on the left side and 2 here",
        "b",
        "",
    );
}

#[test]
fn objects_of_wrong_directives_are_not_said_to_lack_one() {
    let program = "program prog\nreal a(3, 3)\n!$xmp nodes p(*)\n!$xmp template t(3, 3)\n\
                   !$xmp distribute t(block, block) onto p\n!$xmp align a(i, j) with t(i, j)\n\
                   !$xmp shadow a(1, 1)\n!$xmp reflect (a)\n!$xmp barrier on q\nend\n";
    let titles: Vec<String> = wrong(program).into_iter().map(|wrong| wrong.title).collect();
    assert_eq!(titles, ["2 distributed dimensions onto 1 dimension of `p`"]);
}

#[test]
fn directives_and_clauses_that_are_unknown() {
    let all = "directives are those of the XcalableMP specification 1.4";
    refused("!$xmp barier", "unknown directive `barier`", "barier", "did you mean `barrier`?");
    refused("!$xmp parallel do", "unknown directive `parallel`", "parallel", all);
    for (directive, clause, meant) in [
        ("reflect (b) widht(1)", "widht", "width"),
        ("loop onto t(i)\ndo i = 1, 9\nend do", "onto", "on"),
        ("loop on t(i) reduciton(+:x)\ndo i = 1, 9\nend do", "reduciton", "reduction"),
    ] {
        let title = format!("the clause `{clause}` is not allowed here");
        refused(&format!("!$xmp {directive}"), &title, clause, &format!("did you mean `{meant}`?"));
    }
    refused(
        "!$xmp loop on t(i) nowait\ndo i = 1, 9\nend do",
        "the clause `nowait` is not allowed here",
        "nowait",
        "",
    );
}

#[test]
fn first_and_last_extremes_without_locations() {
    refused(
        "!$xmp loop on t(i) reduction(firstmax: x)\ndo i = 1, 9\nx = max(x, a(i))\nend do",
        "this operator needs location variables",
        "(firstmax: x)",
        "write them between slashes: `firstmax: x /i, j/`",
    );
}

#[test]
fn arrays_of_a_template_that_is_distributed_in_another_way() {
    refused(
        "!$xmp loop on s(i)\ndo i = 1, 9\na(i) = c(i)\nend do",
        "the loop is on `s`, but `a` is aligned with `t`, which is distributed in another way",
        "i",
        "write a loop on `t`, or move the elements by `gmove` before the loop",
    );
}

#[test]
fn what_was_accepted_and_had_another_meaning() {
    refused("!$xmp shadow b(2, 0)", "`b` has two shadows", "b", "");
    refused(
        "!$xmp loop (i) on t(i) peel_and_wait(7, 0:2)\ndo i = 2, 99\na(i) = 1\nend do",
        "`peel_and_wait` peels off what is inside of a part: its width is -2",
        "2",
        "write `-2`, or 0 for a dimension that has no border",
    );
}

#[test]
fn arrays_whose_values_are_those_of_other_elements() {
    let of = |statement: &str| {
        format!(
            "real, allocatable :: d(:)\nreal :: e(100)\n!$xmp align d(i) with t(i)\n{statement}"
        )
    };
    let help = "allocate the array with bounds, and assign its values in a loop";
    let ways = "`d` and `c` are distributed in different ways";
    refused(&of("allocate(d, source=c)"), ways, "c", help);
    refused(&of("allocate(d(100), source=c)"), ways, "c", help);
    let local = "`e` is not distributed, and has other elements than a part of `d`";
    refused(&of("allocate(d(100), source=e)"), local, "e", help);
    let title = "the bounds of a distributed array are missing";
    let help = "write them: `allocate(a(n))`, or those of an array: `allocate(a, source=b)`";
    refused(&of("allocate(d)"), title, "d", help);
    refused(&of("allocate(d, mold=b)"), title, "d", help);
}
