//! Directives, their places, clauses and references.

use super::{OBJECTS, STATEMENT, accepted, messages, refused};
use xmp_translate::c;

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
        "an array section is not allowed here",
        "[0:5]",
        "sections are for statements after `gmove` and `array`, and for assignments to and from coarrays",
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
        "write `#pragma xmp shadow a[..]` after `align`",
    );
    refused("    x = a[i]:[1];", "`a` is no coarray", "a[i]:[1]", "declare it with `:[*]`");
}

#[test]
fn clauses_that_are_unknown() {
    refused(
        "#pragma xmp loop on t[i] nowait\n    for (i = 0; i < 9; i++) ;",
        "the clause `nowait` is not allowed here",
        "nowait",
        "",
    );
    refused(
        "#pragma xmp reflect (b) widht(1, 0)",
        "the clause `widht` is not allowed here",
        "widht",
        "did you mean `width`?",
    );
    refused(
        "#pragma xmp reflect (b) acc",
        "the clause `acc` is not allowed here",
        "acc",
        "`acc` of XcalableACC is for arrays on accelerators: leave it out",
    );
    refused("#pragma xmp end task", "the directive `end` is not supported in C", "end", "");
}

#[test]
fn directives_at_the_wrong_place() {
    let program = "#pragma xmp barrier\nint x;\n";
    assert!(
        messages(program)
            .starts_with("error: `barrier` has to be in a function\n --> prog.c:1:13\n")
    );
    refused(
        "#pragma xmp task on p[0]",
        "no statement follows the `task` directive",
        "#pragma xmp task on p[0]",
        STATEMENT,
    );
}

#[test]
fn code_that_is_no_c() {
    refused(
        "    x = = 1;",
        "this is not understood as C",
        "=",
        "a macro for a part of a statement has to be written out",
    );
}

#[test]
fn a_program_without_directives_is_left_alone() {
    assert!(!c::has_directives("int main(void) { return x ? a[1]:b; }\n#pragma omp barrier\n"));
    assert!(c::has_directives("int x:[*];"));
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
        "write `align` and `shadow` right after its declaration",
    );
    let twice = format!("{OBJECTS}#pragma xmp shadow b[2][0]\n");
    assert!(messages(&twice).starts_with("error: `b` has two shadows\n"), "{}", messages(&twice));
}

#[test]
fn template_fix_with_another_format_than_distribute_is_refused() {
    let program = "#pragma xmp nodes p[*]\n#pragma xmp template v[:]\n#pragma xmp distribute v[cyclic(5)] onto p\n\
                   void f(int n)\n{\n#pragma xmp template_fix[cyclic(3)] v[n]\n}\n";
    let messages = messages(program);
    assert!(messages.contains("`distribute` has another format for this dimension"), "{messages}");
    accepted(&program.replace("cyclic(3)", "cyclic(5)"));
}
