//! Fortran whose distributed objects cannot be what a program makes of them is refused: pointers, aliases, components, `block`
//! constructs, coarrays on nodes, names.

mod compilers;

use std::path::Path;
use xmp_translate::{diagnostics::Diagnostic, fortran};

/// The first message about a program.
fn first_wrong(program: &str) -> Diagnostic {
    let form = fortran::Form::Free;
    let name = Path::new("prog.f90");
    match fortran::translate(name, program, fortran::Options::of(form), &|_| None) {
        Ok(translated) => panic!("it was translated:\n{}", translated.text),
        Err(wrong) => wrong[0].clone(),
    }
}

/// The translated text of a program, which the compiler accepts.
#[track_caller]
fn text_of(program: &str) -> String {
    let form = fortran::Form::Free;
    let name = Path::new("prog.f90");
    let translated = fortran::translate(name, program, fortran::Options::of(form), &|_| None);
    let text = translated.expect("it is translated").text;
    compilers::compiles_fortran(&text);
    text
}

/// Asserts that a program is refused: title, marked text and help of the first message.
#[track_caller]
fn refused_program(program: &str, title: &str, marked: &str, help: &str) {
    let first = first_wrong(program);
    assert_eq!(
        (first.title.as_str(), &program[first.span.clone()], first.help.as_str()),
        (title, marked, help)
    );
}

/// As [`refused_program`], of lines after the objects that all use.
#[track_caller]
fn refused(body: &str, title: &str, marked: &str, help: &str) {
    let objects = "program prog\n  real, target :: a(9), b(9), c(9, 9)\n  integer :: s[*], r[2, *]\n  \
                   real, pointer :: p1(:), p2(:)\n  !$xmp nodes p(*)\n  !$xmp nodes pp(2, *)\n  !$xmp template t(9), u(9)\n  \
                   !$xmp template tt(9, 9)\n  !$xmp distribute t(block) onto p\n  !$xmp distribute u(cyclic) onto p\n  \
                   !$xmp distribute tt(block, block) onto pp\n  !$xmp align a(i) with t(i)\n  !$xmp align b(i) with u(i)\n  \
                   !$xmp align c(i, j) with tt(i, j)\n  !$xmp align p1(i) with t(i)\n  !$xmp coarray on p :: s, r\n";
    refused_program(&format!("{objects}{body}\nend program\n"), title, marked, help);
}

#[test]
fn pointers_and_targets_that_are_distributed_in_different_ways() {
    let help = "a pointer has the alignment and the shadow of its target";
    refused("p1 => b", "`p1` and `b` are distributed in different ways", "p1 => b", help);
    refused(
        "if (s > 1) p1 => b",
        "`p1` and `b` are distributed in different ways",
        "if (s > 1) p1 => b",
        help,
    );
    refused(
        "p2 => a",
        "a pointer that is not distributed cannot point to `a`",
        "p2 => a",
        "write an `align` directive for the pointer",
    );
    refused(
        "p1 => a(2:3)",
        "a distributed pointer points to a whole distributed array",
        "p1 => a(2:3)",
        "write both names without subscripts",
    );
}

#[test]
fn local_aliases_that_are_no_parts() {
    let with = |declared: &str, unit: &str| {
        format!(
            "{unit} s\n!$xmp nodes p(*)\n!$xmp template t(9)\n!$xmp distribute t(block) onto p\nreal :: a(9)\n\
             !$xmp align a(i) with t(i)\n{declared}\nend\n"
        )
    };
    let whole = "`x` is not declared as the part of a distributed array";
    let help = "give it as many dimensions, each with its lower bound only: `x(0:)` or `x(:)`";
    let program = with("real :: x(9)\n!$xmp local_alias x => a", "program");
    refused_program(&program, whole, "x", help);
    let program = with("real :: x(:, :)\n!$xmp local_alias x => a", "program");
    refused_program(&program, whole, "x", help);
    let program = with("real :: x(:)[2, *]\n!$xmp local_alias x => a", "program");
    refused_program(&program, "a local alias has one codimension: `[*]`", "x", "");
    let program = with("real :: x(:)\n!$xmp local_alias x => a", "subroutine");
    refused_program(
        &program,
        "`a` has no local alias here",
        "a",
        "write the directive where a main program or a module declares the array",
    );
}

#[test]
fn components_that_cannot_be_distributed() {
    let with = |of_type: &str, rest: &str| {
        format!(
            "program prog\n!$xmp nodes p(*)\n!$xmp template t(9)\n!$xmp distribute t(block) onto p\ntype cell\n{of_type}\n\
             end type\n{rest}\nend program\n"
        )
    };
    let align = "!$xmp align cell%x(i) with t(i)\n";
    refused_program(
        &with("real :: y(9)", &format!("type(cell) :: c\n{align}")),
        "`cell` has no array `x` that can be distributed",
        "cell%x",
        "declare the component with its bounds or as allocatable, and without a value",
    );
    refused_program(
        &with("real :: x(9)", &format!("type(cell) :: c(3)\n{align}")),
        "`c` is no plain variable: its component `x` cannot be distributed",
        "c",
        "",
    );
    // No further message about the component that is not aligned.
    let twice =
        with("real :: x(9)", &format!("type(cell) :: c(3)\n{align}!$xmp shadow cell%x(1)\n"));
    let form = fortran::Form::Free;
    let wrong =
        fortran::translate(Path::new("prog.f90"), &twice, fortran::Options::of(form), &|_| None);
    assert_eq!(wrong.expect_err("it is refused").len(), 1);
    refused_program(
        &with("real :: x(9)", &format!("type(cell) :: c, d\n{align}c = d")),
        "`c` has distributed components: it cannot be assigned as a whole",
        "c = d",
        "assign its components",
    );
    refused_program(
        &with("real :: x(9)", &format!("{align}x = 1")),
        "there is no variable of the type `cell` here",
        "cell%x",
        "declare it where the type is",
    );
}

#[test]
fn block_constructs_that_do_not_end() {
    let block = "block\n!$xmp nodes q(*)\n";
    let title = "this statement leaves a `block` construct that has distributed objects";
    let help = "set a variable, end the construct, and leave after it";
    refused(&format!("{block}return\nend block"), title, "return", help);
    refused(
        &format!("do i = 1, 3\n{block}if (i > 1) exit\nend block\nend do"),
        title,
        "if (i > 1) exit",
        help,
    );
    refused(&format!("{block}goto 10\nend block\n10 continue"), title, "goto 10", help);
    let program = "program prog\nblock\nx = 1\nend program\n!$xmp nodes p(*)\n";
    refused_program(program, "this `block` construct has no `end block`", "block", "");
}

#[test]
fn coarrays_and_images_of_nodes() {
    let help = "declare it before, in this scope, around it or in a module that it uses";
    refused("!$xmp image(q)\nsync all", "there is no nodes `q` here", "q", help);
    refused(
        "!$xmp image(p)\ns[1] = 2",
        "a `sync all` or `sync images` statement has to follow the `image` directive",
        "s[1] = 2",
        "image indices of coarrays follow the directive `coarray on`",
    );
    refused("r[1] = 2", "1 cosubscript for 2 codimensions of `r`", "1", "");
    refused(
        "r[s[1], 1] = 2",
        "a cosubscript that is computed from distributed arrays or coarrays on nodes",
        "s[1], 1",
        "assign it to a variable first",
    );
    let program =
        "program prog\nreal :: x(3)\n!$xmp nodes p(*)\n!$xmp coarray on p :: x\nend program\n";
    refused_program(
        program,
        "there is no coarray `x` here",
        "x",
        "the directive has to be in the specification part that declares the coarray",
    );
    refused(
        "!$xmp lock (s)",
        "`lock` is not supported in Fortran",
        "lock",
        "in Fortran the statements `lock` and `unlock` do this",
    );
}

#[test]
fn operands_of_array_assignments_that_other_images_have() {
    let help = "move the elements by `gmove` before the assignment";
    let on = "!$xmp array on t(1:9)\n";
    refused(
        &format!("{on}a(1:9) = a(3)"),
        "other images may not have this element of `a`: its index is none of the left side",
        "3",
        help,
    );
    refused(
        &format!("{on}a(1:8) = a(2:9)"),
        "`2:9` is 1 above the elements of the image, but the shadow of `a` is 0 wide there",
        "2:9",
        "widen it by the directive `shadow`, and `reflect` the array before the loop",
    );
    refused(
        &format!("{on}a(:) = b(:)"),
        "`a` and `b` are distributed in different ways",
        ":",
        help,
    );
    let cyclic = "program prog\nreal :: b(9), d(0:8), x(9)\n!$xmp nodes p(*)\n!$xmp template u(9)\n\
                  !$xmp distribute u(cyclic) onto p\n!$xmp align b(i) with u(i)\n!$xmp align d(i) with u(i + 1)\n!$xmp array on u\n";
    refused_program(
        &format!("{cyclic}b(:) = x(:)\nend program\n"),
        "each image has all of this section of `x`, but assigns elements in cyclic order",
        "x",
        "write the bounds of both sections",
    );
    refused_program(
        &format!("{cyclic}b(:) = d(1:)\nend program\n"),
        "other images may have these elements of `d`: they belong to other indices of the template",
        "1:",
        help,
    );
    refused(
        "!$xmp array on tt(:, 1)\nc(:, 1) = c(1, :)",
        "other images may not have this element of `c`: its index is none of the left side",
        "1",
        help,
    );
}

#[test]
fn objects_of_submodules_in_pure_procedures() {
    let with = |body: &str| {
        format!(
            "module m\n!$xmp nodes p(*)\n!$xmp template t(9)\n!$xmp distribute t(block) onto p\nreal :: a(9)\n\
             !$xmp align a(i) with t(i)\ninterface\npure module real function f(c)\nreal, intent(in) :: c\nend function\n\
             end interface\nend module\nsubmodule (m) s\n!$xmp template u(9)\n!$xmp distribute u(block) onto p\nreal :: b(9)\n\
             !$xmp align b(i) with u(i)\ncontains\npure module real function f(c)\nreal, intent(in) :: c\n{body}\n\
             end function\nend submodule\n"
        )
    };
    let help = "the first call would come before the object is made: declare it in the module";
    let title = "a pure procedure cannot use `b`, an object of its submodule";
    refused_program(&with("f = c + b(1)"), title, "b", help);
    let title = "a pure procedure cannot use `u`, an object of its submodule";
    refused_program(&with("!$xmp loop on u(i)\ndo i = 1, 9\nf = i\nend do"), title, "u", help);
    // Objects of the module, and names that hide those of the submodule.
    for body in ["f = a(1)", "real b\nf = b", "!$xmp loop on t(i)\ndo i = 1, 9\nf = i\nend do"] {
        let (name, form, program) = (Path::new("prog.f90"), fortran::Form::Free, with(body));
        let translated = fortran::translate(name, &program, fortran::Options::of(form), &|_| None);
        compilers::compiles_fortran(&translated.expect("it is translated").text);
    }
}

#[test]
fn other_names_of_objects() {
    let module = "module m\n!$xmp nodes p(*)\n!$xmp template t(9)\n!$xmp distribute t(block) onto p\nreal :: a(9)\n\
                  !$xmp align a(i) with t(i)\nend module\n";
    refused_program(
        &format!("{module}module other\nuse m, only: b => a\nend module\n"),
        "`a` cannot have another name here",
        "a",
        "only arrays can, in a program unit or a procedure that is no module",
    );
    refused_program(
        "block data\n!$xmp nodes q(*)\nend\n",
        "this directive is not allowed in block data",
        "!$xmp nodes q(*)",
        "declare the object in a module",
    );
    refused_program(
        &format!(
            "{module}submodule (m) s\ncontains\nmodule procedure f\nreal b(9)\n!$xmp align b(i) with t(i)\n\
             end procedure\nend submodule\n"
        ),
        "a `module procedure` cannot have nodes, templates or distributed arrays",
        "module procedure f",
        "write `module subroutine` or `module function` with the arguments",
    );
}

#[test]
fn loops_with_reductions_that_share_their_end() {
    refused(
        "do 10 j = 1, 3\n!$xmp loop on t(i) reduction(+: x)\ndo 10 i = 1, 9\n10 x = x + a(i)",
        "this statement ends a loop with a reduction, a margin or communication, and another one around it",
        "x = x + a(i)",
        "give each loop an `end do` of its own",
    );
}

#[test]
fn gmoves_between_types() {
    let objects = "program prog\n!$xmp nodes p(*)\n!$xmp template t(9)\n!$xmp distribute t(block) onto p\nreal :: a(9)\n\
                   integer :: k(9), x(9)\n!$xmp align a(i) with t(i)\n!$xmp align k(i) with t(i)\n";
    let title = "`gmove` copies elements, but the two sides are of different types";
    let help = "move them to an array of the same type, and convert that";
    for statement in ["k = a", "x(1:2) = a(3:4)"] {
        refused_program(
            &format!("{objects}!$xmp gmove\n{statement}\nend program\n"),
            title,
            statement,
            help,
        );
    }
    // Local values are converted.
    let program = format!("{objects}!$xmp gmove\na(1:2) = x(3:4)\nend program\n");
    let text = text_of(&program);
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("# ")).collect();
    let joined = lines.join("\n").replace("&\n&", "");
    assert!(joined.contains("from=real(x(3:4), kind(a))"), "{text}");
}

#[test]
fn a_main_program_without_a_program_statement_may_begin_with_a_directive() {
    let text = text_of(
        "!$xmp nodes p(*)\n!$xmp template t(9)\n!$xmp distribute t(block) onto p\nreal :: a(9)\n\
         !$xmp align a(i) with t(i)\n!$xmp loop on t(i)\ndo i = 1, 9\n  a(i) = i\nend do\nend\n",
    );
    assert!(text.contains("allocatable") && text.contains("a(i) = i"), "{text}");
}

/// A program that keeps descriptors in integers has integers as arguments, too: the compiler compares the calls of a file.
#[test]
fn descriptors_are_values_of_their_type_unless_the_program_has_integers() {
    let program = |declared: &str| {
        text_of(&format!(
            "program prog\n  include 'xmp_lib.h'\n  integer, external :: f\n  {declared} :: d\n  !$xmp nodes p(*)\n  \
             d = xmp_desc_of(p)\n  i = f(d)\n  i = f(xmp_desc_of(p))\nend program\n"
        ))
    };
    let text = program("type(xmp_desc)");
    assert!(text.contains("i = f(xmprt_fortran_descriptor(xmpt_p))"), "{text}");
    let text = program("integer(8)");
    assert!(text.contains("d = xmprt_descriptor(xmpt_p)\n"), "{text}");
}

#[test]
fn functions_of_the_library_need_no_declaration_in_directives_either() {
    let program = |declared: &str| {
        text_of(&format!(
            "program prog\n  implicit none\n{declared}  !$xmp nodes p(*)\n  !$xmp task on p(XMP_num_nodes())\n  \
             print *, xmp_wtime()\n  !$xmp end task\nend program\n"
        ))
    };
    let text = program("");
    assert!(text.contains("integer, external :: xmp_num_nodes\n"), "{text}");
    assert!(text.contains("real(8), external :: xmp_wtime\n"), "{text}");
    let text = program("  integer, external :: xmp_num_nodes\n");
    assert_eq!(text.matches(":: xmp_num_nodes").count(), 1, "{text}");
}

#[test]
fn objects_are_made_before_the_loop_that_a_program_begins_with() {
    for directives in
        ["!$xmp loop on t(i) margin(1)", "!$omp parallel do\n!$xmp loop on t(i) reduction(+: s)"]
    {
        let text = text_of(&format!(
            "program prog\ninteger :: a(9), b(18), i, s = 0\n!$xmp nodes p(*)\n!$xmp template t(9)\n!$xmp template u(18)\n\
             !$xmp distribute t(block) onto p\n!$xmp distribute u(block) onto p\n!$xmp align a(i) with t(i)\n!$xmp shadow a(1)\n\
             !$xmp align b(i) with u(i)\n{directives}\ndo i = 1, 9\na(i) = b(2*i)\nend do\nend program\n"
        ));
        let at = |word: &str| text.rfind(word).expect("it is there");
        let first = [
            "do xmpt_1",
            "xmprt_fortran_neutral(s",
            "!$omp",
            "/= 0) call xmprt_fortran_fail('the loop",
        ];
        let first = first.into_iter().filter_map(|word| text.rfind(word)).min();
        assert!(first.is_some_and(|first| at("xmprt_fortran_place(xmpt_b") < first), "{text}");
    }
}
