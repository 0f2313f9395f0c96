//! Loops and their subscripts.

use super::{OBJECTS, compilers, refused, wrong};
use std::path::Path;
use xmp_translate::fortran;

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
    let translated = fortran::translate(name, &program, fortran::Options::of(form), &|_| None);
    compilers::compiles_fortran(&translated.expect("it is translated").text);
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
