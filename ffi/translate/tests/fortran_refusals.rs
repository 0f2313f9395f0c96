//! Fortran that cannot be translated is refused with the user's line: exact messages.

mod compilers;

use std::path::Path;
use xmp_translate::{diagnostics, fortran};

/// A specification part that the programs below use.
const OBJECTS: &str = "\
program prog
  real :: a(100), b(100, 5), c(100), x
  integer :: i, j, n
  !$xmp nodes p(*)
  !$xmp template t(100)
  !$xmp distribute t(block) onto p
  !$xmp template s(100)
  !$xmp distribute s(cyclic(3)) onto p
  !$xmp align a(i) with t(i)
  !$xmp align b(i, *) with t(i)
  !$xmp align c(i) with s(i)
  !$xmp shadow b(1, 0)
";

/// The messages about a program.
fn wrong(program: &str) -> Vec<diagnostics::Diagnostic> {
    let form = fortran::Form::Free;
    match fortran::translate(Path::new("prog.f90"), program, form, fortran::COLUMNS, &|_| None) {
        Ok(translated) => panic!("it was translated:\n{}", translated.text),
        Err(wrong) => wrong,
    }
}

/// Asserts that these lines behind the objects above are refused: title, marked text and help of the first message.
#[track_caller]
fn refused(body: &str, title: &str, marked: &str, help: &str) {
    let program = format!("{OBJECTS}{body}\nend program\n");
    let first = &wrong(&program)[0];
    assert_eq!(
        (first.title.as_str(), &program[first.span.clone()], first.help.as_str()),
        (title, marked, help)
    );
}

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
fn loops() {
    refused(
        "!$xmp loop on t(i)\nx = 1",
        "a `do` statement has to follow the `loop` directive",
        "x = 1",
        "",
    );
    refused(
        "!$xmp loop (j) on t(j)\ndo i = 1, 3\nend do",
        "there is no `do` statement that counts `j` after the directive",
        "j",
        "",
    );
    refused(
        "!$xmp loop on s(i)\ndo i = 1, 100, n\nend do",
        "the step of this loop is no number",
        "n",
        "a loop over a cyclic dimension needs a number, and one with `/unbound/` the step 1; for other loops, assign what calls \
         a function to a variable first",
    );
    refused("!$xmp loop on t(i)\ndo i = 1, 100, 0\nend do", "the step of this loop is 0", "0", "");
    refused(
        "!$xmp loop on s(i)\ndo i = 1, 9\nif (i == 5) exit\nend do",
        "`exit` cannot leave a loop over cyclic blocks",
        "if (i == 5) exit",
        "the iterations of other images would go on",
    );
    refused(
        "!$xmp loop on t(1:3)\ndo i = 1, 9\nend do",
        "a range is not allowed in `loop .. on`",
        "1:3",
        "write `:` for all indices, and the bounds in the `do` statement",
    );
    refused(
        "!$xmp loop on t[i]\ndo i = 1, 9\nend do",
        "square brackets are for directives in C",
        "t[i]",
        "write parentheses, with indices from 1",
    );
}

#[test]
fn subscripts_beyond_the_shadow() {
    let help = "widen it by the directive `shadow`, and `reflect` the array before the loop";
    refused(
        "!$xmp loop on t(i)\ndo i = 2, 99\nb(i, 1) = b(i - 1, 1) + b(i + 2, 2)\nend do",
        "`i + 2` is 2 above the elements of the image, but the shadow of `b` is 1 wide there",
        "i + 2",
        help,
    );
    refused(
        "!$xmp loop on t(i - 1)\ndo i = 2, 100\na(i) = 0\nend do",
        "`i` is 1 above the elements of the image, but the shadow of `a` is 0 wide there",
        "i",
        help,
    );
}

#[test]
fn cyclic_references() {
    refused(
        "x = sum(c(1:9))",
        "a section of the cyclic dimension 1 of `c`",
        "1:9",
        "write a loop with a `loop` directive, or a `gmove`",
    );
    let title =
        "`i - 1` is an element of another image: this dimension of `c` is cyclic and has no shadow";
    let help = "move the elements by `gmove` before the loop, or distribute by `block`";
    refused("!$xmp loop on s(i)\ndo i = 2, 9\nc(i) = c(i - 1)\nend do", title, "i - 1", help);
    let objects = OBJECTS.replace("cyclic(3)", "cyclic");
    let program =
        format!("{objects}!$xmp loop on s(i)\ndo i = 2, 9\nc(i - 1) = 0\nend do\nend program\n");
    assert_eq!(wrong(&program)[0].title, title);
}

#[test]
fn elements_around_those_that_an_expanded_loop_reaches() {
    let title = "`i` is 1 above the elements of the image, but the shadow of `a` is 0 wide there";
    let help = "widen it by the directive `shadow`, and `reflect` the array before the loop";
    refused("!$xmp loop on t(i) expand(0:1)\ndo i = 1, 9\na(i) = 0\nend do", title, "i", help);
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
    refused(&with("!$xmp align b(i) with t(i)"), "1 subscripts for 2 dimensions of `b`", "b");
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
        fortran::translate(name, &inside, form, fortran::COLUMNS, &|_| None)
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
fn loops_over_cyclic_blocks_that_openmp_joins_with_others() {
    refused(
        "!$omp parallel do &\n!$omp& collapse(2)\n!$xmp loop (i) on s(i)\ndo i = 1, 9\ndo j = 1, 9\nend do\nend do",
        "`collapse` of OpenMP cannot join a loop over cyclic blocks with those inside of it",
        "do i = 1, 9",
        "leave `collapse` out, or exchange the loops so that this one is the innermost of them",
    );
}

#[test]
fn clauses_of_openmp_that_count_the_iterations_of_all_nodes() {
    let title = "`ordered` of OpenMP cannot order this loop over a cyclic dimension";
    let help = "leave the directive of OpenMP out, or distribute the template in blocks";
    refused(
        "!$xmp loop (i) on s(i)\n!$omp parallel do private(x) &\n!$omp& ordered\ndo i = 1, 9\nend do",
        title,
        "do i = 1, 9",
        help,
    );
    let title = "`linear` of OpenMP would count the iterations of this node only";
    let help = "leave it out, and compute the variable from the loop variable";
    refused(
        "!$omp simd linear(n)\n!$xmp loop (i) on t(i)\ndo i = 1, 9, j\nend do",
        title,
        "do i = 1, 9, j",
        help,
    );
    // An `ordered` region, and comments, are no clauses.
    let program = format!(
        "{OBJECTS}!$omp ordered\n!$xmp loop (i) on s(i)\ndo i = 1, 9\nend do\n!$omp end ordered\n\
         !$xmp loop (i) on s(i)\n!$omp parallel do ! ordered\ndo i = 1, 9\nend do\nend program\n"
    );
    let (name, form) = (Path::new("prog.f90"), fortran::Form::Free);
    let translated = fortran::translate(name, &program, form, fortran::COLUMNS, &|_| None);
    compilers::compiles_fortran(&translated.expect("it is translated").text);
}

#[test]
fn directives_and_clauses_that_are_unknown() {
    let all = "directives are those of the XcalableMP specification 1.4";
    refused("!$xmp barier", "unknown directive `barier`", "barier", "did you mean `barrier`?");
    refused("!$xmp parallel do", "unknown directive `parallel`", "parallel", all);
    refused("!$xmp reflect (b) widht(1)", "the clause `widht` is not allowed here", "widht", "");
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
fn loop_variables_of_another_dimension() {
    let program = "program prog\n  real :: a(9, 9)\n  integer :: i, j\n  !$xmp nodes p(*, 2)\n  \
                   !$xmp template t(9, 9)\n  !$xmp distribute t(block, cyclic) onto p\n  \
                   !$xmp align a(i, j) with t(i, j)\n  !$xmp loop (i, j) on t(j, i)\n  do j = 1, 9\n    do i = 1, 9\n      \
                   a(i, j) = 1\n    end do\n  end do\nend program\n";
    let first = &wrong(program)[0];
    assert_eq!(&program[first.span.clone()], "j");
    assert!(first.title.starts_with("`j` counts another dimension of the template"), "{first:?}");
}

#[test]
fn statements_that_are_no_io() {
    refused(
        "!$xmp master_io\nx = 1",
        "this is no I/O statement that `master_io` could apply to",
        "x = 1",
        "these are OPEN, CLOSE, READ, WRITE, PRINT, BACKSPACE, ENDFILE, REWIND and INQUIRE, without a condition before them",
    );
    refused(
        "!$xmp global_io\nrewind 10",
        "`global_io` applies to OPEN, CLOSE, READ and WRITE",
        "rewind 10",
        "use `master_io` for the other statements",
    );
    refused(
        "!$xmp master_io begin\nprint *, x",
        "this `master_io` has no end",
        "!$xmp master_io begin",
        "write `!$xmp end master_io`",
    );
    refused(
        "!$xmp global_io begin\nwrite(10) x\n!$xmp barrier\n!$xmp end global_io",
        "`barrier` is not allowed within `global_io`",
        "barrier",
        "",
    );
    refused(
        "x = 1\n!$xmp end master_io",
        "there is no block that this directive could end",
        "!$xmp end master_io",
        "",
    );
}

#[test]
fn items_of_master_io() {
    let help = "sections, substrings and expressions of distributed arrays cannot be items";
    let title = "an item of `master_io` with `a` is the array or an element of it";
    refused("!$xmp master_io\nprint *, a(1:5)", title, "a(1:5)", help);
    refused("!$xmp master_io\nprint *, a + 1", title, "a + 1", help);
    refused(
        "!$xmp master_io\nwrite(10) (a(i), i = 1, 5)",
        "the distributed array `a` cannot be a part of an item",
        "a",
        "neither expressions nor implied loops may have distributed arrays",
    );
    refused("!$xmp master_io\nread(10) b(1)", "1 subscripts for 2 dimensions of `b`", "b(1)", "");
}

#[test]
fn files_that_master_io_cannot_have() {
    refused(
        "character(len=20) :: text\n!$xmp master_io\nwrite(text, *) x",
        "`text` is an internal file, which is on each node",
        "text",
        "write the statement without the directive",
    );
    refused(
        "namelist /group/ x, a\n!$xmp master_io\nread(10, nml=group)",
        "the group `group` has the distributed array `a`",
        "group",
        "",
    );
}

#[test]
fn specifiers_and_items_of_global_io() {
    refused(
        "!$xmp global_io\nread(10, end=20) a",
        "`end` is not allowed in this statement of `global_io`",
        "end=20",
        "the specifiers are UNIT, IOSTAT",
    );
    refused(
        "!$xmp global_io\nwrite(10, *) a",
        "`global_io` is unformatted",
        "*",
        "the specifiers are UNIT, IOSTAT",
    );
    refused(
        "!$xmp global_io\nopen(10, file='x')",
        "`form=` is missing in this statement of `global_io`",
        "open(10, file='x')",
        "",
    );
    refused(
        "!$xmp global_io direct\nopen(10, file='x', access='direct')",
        "`recl=` is missing in this statement of `global_io`",
        "open(10, file='x', access='direct')",
        "",
    );
    refused(
        "!$xmp global_io\nwrite(10) x + 1",
        "an item of `global_io` is the name of a variable",
        "x + 1",
        "assign the value to a variable, and write that",
    );
    refused(
        "!$xmp global_io atomic\nwrite(10) a",
        "`a` is distributed: `atomic` and `direct` transfer local variables",
        "a",
        "use `global_io` without a clause, which all nodes execute together",
    );
}

#[test]
fn distributed_arrays_in_statements_about_storage() {
    let of = |statement: &str| {
        format!("real :: d(100), e(100)\n{statement}\n!$xmp align d(i) with t(i)")
    };
    let title = |word: &str| format!("`d` is distributed: it is not allowed in `{word}`");
    let data = "assign the values in a loop, or give the declaration one value: `= 0`";
    refused(&of("data d /100*2.0/"), &title("data"), "d", data);
    refused(&of("data e, (d(j), j = 1, 100) /200*2.0/"), &title("data"), "d", data);
    let pointer = "use one name, or a pointer to the whole array";
    refused(&of("equivalence (e(1), d(1))"), &title("equivalence"), "d", pointer);
}

#[test]
fn a_function_whose_result_is_distributed() {
    for (head, name) in [("function r(k)", "r"), ("function f(k) result(s)", "s")] {
        let program = format!(
            "{OBJECTS}contains\n{head}\nreal :: {name}(100)\n!$xmp align {name}(i) with t(i)\nend function\nend program\n"
        );
        let first = &wrong(&program)[0];
        let title = format!("`{name}` is the result of a function: it cannot be distributed");
        assert_eq!((first.title.as_str(), &program[first.span.clone()]), (title.as_str(), name));
    }
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

/// The part of an array is a pointer in the block: each unit has to have it there.
#[test]
fn distributed_arrays_in_common() {
    let align = "!$xmp align d(i) with t(i)";
    let units = |second: &str| {
        let nodes = "!$xmp nodes q(*)\n!$xmp template t(100)\n!$xmp distribute t(block) onto q\n";
        let first = format!("common /v/ e, d(100)\n{align}\n");
        format!("{OBJECTS}{first}end program\nsubroutine s\n{nodes}{second}\nend subroutine\n")
    };
    let title = "`/v/` has distributed arrays in another unit, and others here";
    for second in [
        "common /v/ e, d(100)".to_owned(),
        format!("common /v/ d(100), e\n{align}"),
        format!("common /v/ e, d(100), f\n{align}"),
    ] {
        let program = units(&second);
        let first = &wrong(&program)[0];
        let marked = second.lines().next().expect("a line");
        assert_eq!((first.title.as_str(), &program[first.span.clone()]), (title, marked));
        assert_eq!(first.help, "declare and align the same arrays in each unit");
    }
    let module = format!(
        "module m\n!$xmp nodes q(*)\n!$xmp template t(100)\n!$xmp distribute t(block) onto q\nreal d\ncommon /v/ d(100)\n{align}\nend module\n"
    );
    let first = &wrong(&module)[0];
    assert_eq!(
        (first.title.as_str(), first.help.as_str()),
        (
            "`d` is distributed: it is not allowed in `common`",
            "make it a variable of a module, which all procedures use"
        )
    );
}

#[test]
fn entries_without_an_argument_that_templates_need() {
    let program = |arguments: &str| {
        format!(
            "subroutine s(a, n)\ninteger :: n\nreal :: a(n)\n!$xmp nodes p(*)\n!$xmp template t(n)\n\
             !$xmp distribute t(block) onto p\n!$xmp align a(i) with t(i)\na(1) = 1\nreturn\n\
             entry e({arguments})\na(2) = 1\nend subroutine\n"
        )
    };
    let without = program("a");
    let first = &wrong(&without)[0];
    assert_eq!(
        (first.title.as_str(), &without[first.span.clone()]),
        ("`n` is no argument of each `entry`", "t(n)")
    );
    let (name, form) = (Path::new("prog.f90"), fortran::Form::Free);
    let with = program("n, a");
    let translated = fortran::translate(name, &with, form, fortran::COLUMNS, &|_| None);
    compilers::compiles_fortran(&translated.expect("it is translated").text);
}
