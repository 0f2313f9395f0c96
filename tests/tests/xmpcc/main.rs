//! `xmpcc` as a command.

mod bounds;
mod files;
mod left_out;
mod messages;
mod standards;

use std::fs;
use std::process::{Command, Output};
use tempfile::TempDir;
use xmp_tests::toolchain::toolchain;

/// Runs `xmpcc` in a directory.
fn xmpcc_there(directory: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(toolchain().xmpcc());
    command.args(arguments).current_dir(directory.path()).output().expect("xmpcc runs")
}

/// Runs `xmpcc` in a directory with this program in `prog.c`.
fn xmpcc(directory: &TempDir, program: &str, arguments: &[&str]) -> Output {
    fs::write(directory.path().join("prog.c"), program).expect("a file");
    xmpcc_there(directory, arguments)
}

const SMALL: &str = "#include <stdio.h>
#include \"size.h\"
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
int a[N];
#pragma xmp align a[i] with t[i]
int main(void)
{
    int sum = 0;
#pragma xmp loop on t[i] reduction(+: sum)
    for (int i = 0; i < N; i++) {
        a[i] = i;
        sum += a[i];
    }
#pragma xmp task on p[0]
    printf(\"%d\\n\", sum);
    return 0;
}
";

fn small() -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("size.h"), "#define N 50\n").expect("a file");
    directory
}
