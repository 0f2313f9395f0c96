//! Input and output.

use super::refused;

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
    refused("!$xmp master_io\nread(10) b(1)", "1 subscript for 2 dimensions of `b`", "b(1)", "");
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
