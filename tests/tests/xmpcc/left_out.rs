//! Iterations and elements that no executing node has: they were left out without a word.

use super::xmpcc;
use tempfile::TempDir;
use xmp_tests::Run;

/// The arguments are the statement that it executes, and a number in this.
const PROGRAM: &str = "#include <stdio.h>
#include <stdlib.h>
#include <xmp.h>
#pragma xmp nodes p[4]
#pragma xmp nodes g[2][2]
#pragma xmp template t[12]
#pragma xmp distribute t[block] onto p
#pragma xmp template c[12]
#pragma xmp distribute c[cyclic] onto p
#pragma xmp template s[4][6]
#pragma xmp distribute s[block][block] onto g
int a[12];
#pragma xmp align a[i] with t[i]
static int counted(int first, int end)
{
    int y = 0;
#pragma xmp loop on t[i] reduction(+: y)
    for (int i = first; i < end; i++)
        y++;
    return y;
}
static int plane(int rows, int columns)
{
    int y = 0;
#pragma xmp loop (i, j) on s[i][j]
    for (int i = 0; i < rows; i++)
        for (int j = i / 4; j < columns; j++)
            y++;
    return y;
}
int main(int argc, char **argv)
{
    int which = atoi(argv[1]), n = atoi(argv[2]), y = 0;
    switch (which) {
    case 0:
#pragma xmp task on p[0:2]
        y = counted(0, n);
        break;
    case 1:
#pragma xmp task on p[0:2]
        {
#pragma xmp loop on c[i - 1]
            for (int i = n; i >= 1; i -= 2)
                y++;
        }
        break;
    case 2:
#pragma xmp task on p[0:2]
        {
#pragma xmp loop on p[i]
            for (int i = 0; i < n; i++)
                y++;
        }
        break;
    case 3:
#pragma xmp task on g[0:1][0:2]
        y = plane(n, 6);
        break;
    case 4:
#pragma xmp task on g[0:2][0:1]
        y = plane(4, n);
        break;
    case 5:
#pragma xmp task on p[0:2]
        {
#pragma xmp array on t[0:n]
            a[0:n] = 1;
        }
        break;
    case 6:
#pragma xmp task on p[0:2]
        {
#pragma xmp task on p[n]
            y = 1;
        }
        break;
    case 7:
#pragma xmp task on p[0:2]
        {
#pragma xmp bcast (y) on p[n:2]
        }
        break;
    case 8:
        y = counted(0, n);
        break;
    case 9:
#pragma xmp array on t[0:n]
        a[0:12] = 1;
        break;
    case 10:
#pragma xmp array on t[0:12]
        a[n:12-n] = 1;
        break;
    case 11:
#pragma xmp loop on p[i]
        for (int i = n; i > -1; i--)
            y++;
        break;
    case 12:
#pragma xmp loop on s[i][n]
        for (int i = 0; i < 4; i++)
            y++;
        break;
    case 13:
        y = counted(20, n);
        for (int k = 0; k < 2; k++) {
#pragma xmp loop on t[i]
            for (int i = n, last = 0; i > last; i -= 3)
                y += 100;
        }
#pragma xmp array on t[20:n]
        a[20:n] = 1;
        break;
    }
#pragma xmp task on p[0]
    printf(\"%d\\n\", y);
    return 0;
}
";

fn compiled() -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let output = xmpcc(&directory, PROGRAM, &["-Wall", "prog.c", "-o", "prog"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    directory
}

fn run(directory: &TempDir, which: &str, n: &str) -> xmp_tests::Outcome {
    Run::new(directory.path().join("prog")).images(4).args([which, n]).finish()
}

/// Two of four nodes counted 6 of 12 iterations.
#[test]
fn iterations_of_nodes_that_do_not_execute_the_task_are_errors() {
    let directory = compiled();
    for (which, right, y, wrong, message) in [
        (
            "0",
            "6",
            "6",
            "12",
            "prog.c:18: images 1-2: loop: i: iterations 6:8 of p[2] and 9:11 of p[3], which do not execute the loop, would be left out",
        ),
        (
            "1",
            "0",
            "0",
            "9",
            "prog.c:43: images 1-2: loop: i: iterations 7:3:-4 of p[2], which do not",
        ),
        ("2", "2", "1", "3", "prog.c:51: images 1-2: loop: i: iterations 2 of p[2], which do not"),
        (
            "3",
            "2",
            "6",
            "3",
            "prog.c:26: images 1-2: loop: i: iterations 2 of g[1][0], which do not",
        ),
        ("4", "3", "6", "4", "prog.c:27: images 1, 3: loop: j: iterations 3 of g["),
        (
            "5",
            "6",
            "0",
            "7",
            "prog.c:67: images 1-2: array: a: elements at [6] of p[2], which do not execute the assignment, would be left out",
        ),
        (
            "6",
            "0",
            "1",
            "3",
            "prog.c:73: images 1-2: task: on: image 4 is needed, but is not among those that execute this",
        ),
        (
            "7",
            "0",
            "0",
            "2",
            "prog.c:80: images 1-2: bcast: y: on: image 3 is needed, but is not among those that execute this",
        ),
    ] {
        run(&directory, which, right).succeeded().stdout_is(&format!("{y}\n"));
        run(&directory, which, wrong).exited_with(1).stderr_message_of(message);
    }
}

/// They were cut to the template.
#[test]
fn iterations_and_elements_beyond_the_template_are_errors() {
    let directory = compiled();
    for (which, right, y, wrong, message) in [
        (
            "8",
            "12",
            "12",
            "20",
            "prog.c:18: images 1-4: loop: i: iterations 0:19 are not within 0:11, the bounds of dimension 1 of the template: no node has the others",
        ),
        (
            "9",
            "12",
            "0",
            "200",
            "prog.c:88: images 1-4: array: a: template: dimension 1: 0:199 is not within 0:11",
        ),
        (
            "10",
            "3",
            "0",
            "-1",
            "prog.c:92: images 1-4: array: a: template: dimension 1: -1:11 is not within 0:11",
        ),
        (
            "11",
            "3",
            "1",
            "4",
            "prog.c:96: images 1-4: loop: i: iterations 4:0 are not within 0:3, the bounds of dimension 1 of the nodes",
        ),
        (
            "12",
            "5",
            "0",
            "6",
            "prog.c:101: images 1-4: loop: i: template: dimension 2: 6:6 is not within 0:5",
        ),
    ] {
        run(&directory, which, right).succeeded().stdout_is(&format!("{y}\n"));
        run(&directory, which, wrong).exited_with(1).stderr_message_of(message);
    }
}

#[test]
fn loops_and_sections_without_indices_are_no_errors_beyond_the_template() {
    run(&compiled(), "13", "0").succeeded().stdout_is("0\n");
}

#[test]
fn a_first_value_that_sets_the_bound_is_computed_before_the_bound_is_checked() {
    let directory = tempfile::tempdir().expect("a directory");
    let program = "#include <stdio.h>
#include <xmp.h>
#pragma xmp nodes p[4]
#pragma xmp template t[12]
#pragma xmp distribute t[block] onto p
static int n = 100;
static int first_of(int count)
{
    n = count;
    return 3;
}
int main(void)
{
    int y = 0;
#pragma xmp loop on t[i] reduction(+: y)
    for (int i = first_of(12); i < n; i++)
        y++;
#pragma xmp task on p[0]
    printf(\"%d\\n\", y);
    return 0;
}
";
    let output = xmpcc(&directory, program, &["-Wall", "-Wextra", "prog.c", "-o", "prog"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let run = Run::new(directory.path().join("prog")).images(4).finish();
    run.succeeded().stdout_is("9\n");
}
