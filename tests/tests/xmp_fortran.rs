//! Fortran programs with directives of XcalableMP, translated and compiled by `xmpf90`.

use std::fs;
use std::process::{Command, Output};
use tempfile::TempDir;
use xmp_tests::matrix::conforms_program;
use xmp_tests::toolchain::toolchain;
use xmp_tests::{Program, Run};

fn conforms(name: &str) {
    conforms_program(&Program::xmp_fortran(&[name]), name);
}

#[test]
fn a_stencil_with_shadows() {
    conforms("stencil.f90");
}

#[test]
fn margins_of_loops() {
    conforms("margins.f90");
}

#[test]
fn loops_and_moves_over_all_formats() {
    conforms("formats.f90");
}

#[test]
fn fixed_form() {
    conforms("fixed.f");
}

#[test]
fn directives_among_coarrays() {
    conforms("mixture.f90");
}

#[test]
fn modules_and_procedures_of_two_files() {
    conforms_program(&Program::xmp_fortran(&["parts_1.f90", "parts_2.F90"]), "parts");
}

/// Runs `xmpf90` in a directory with this program in `prog.F90`.
fn xmpf90(directory: &TempDir, program: &str, arguments: &[&str]) -> Output {
    fs::write(directory.path().join("prog.F90"), program).expect("a file");
    let mut command = Command::new(toolchain().xmpf90());
    command.args(arguments).current_dir(directory.path()).output().expect("xmpf90 runs")
}

const SMALL: &str = "#include \"size.h\"
module m
  implicit none
  !$xmp nodes p(*)
  !$xmp template t(N)
  !$xmp distribute t(block) onto p
  integer :: a(N)
  !$xmp align a(i) with t(i)
end module
program small
  use m
  implicit none
  integer :: i, total
  total = 0
  !$xmp loop on t(i) reduction(+: total)
  do i = 1, N
    a(i) = i
    total = total + a(i)
  end do
  !$xmp task on p(1)
  print '(i0)', total
  !$xmp end task
end program
";

fn small() -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("size.h"), "#define N 50\n").expect("a file");
    directory
}

#[test]
fn compiling_and_linking_apart() {
    let directory = small();
    let compiled = xmpf90(&directory, SMALL, &["-c", "prog.F90", "-o", "part.o"]);
    assert!(compiled.status.success(), "{compiled:?}");
    assert!(
        directory.path().join("m.xmpmod").is_file() && directory.path().join("m.mod").is_file()
    );
    let linked = xmpf90(&directory, SMALL, &["part.o", "-o", "prog"]);
    assert!(linked.status.success(), "{linked:?}");
    for images in [1, 4] {
        Run::new(directory.path().join("prog"))
            .images(images)
            .finish()
            .succeeded()
            .stdout_is("1275\n");
    }
}

#[test]
fn a_source_without_directives_that_uses_a_module_with_some() {
    let directory = small();
    let (module, _) = SMALL.split_once("program small").expect("two parts");
    let compiled = xmpf90(&directory, module, &["-c", "prog.F90", "-o", "part.o"]);
    assert!(compiled.status.success(), "{compiled:?}");
    let main = "program other\n  use m, only: a\n  a = 1\n  if (any(a /= 1)) stop 1\nend program\n";
    let linked = xmpf90(&directory, main, &["prog.F90", "part.o", "-o", "prog"]);
    assert!(linked.status.success(), "{linked:?}");
    Run::new(directory.path().join("prog")).images(2).finish().succeeded().silent();
}

#[test]
fn the_translated_source_is_shown() {
    let directory = small();
    let shown = xmpf90(&directory, SMALL, &["--show", "-c", "prog.F90"]);
    let text = String::from_utf8(shown.stdout).expect("text");
    let line = "  do i = max(1, xmpt_own_t(1, 1)), min(50, xmpt_own_t(2, 1))";
    assert!(text.lines().any(|shown| shown == line), "{text}");
    assert!(!text.contains("!$xmp") && !text.contains("# "), "{text}");
    assert!(
        !directory.path().join("prog.o").exists() && !directory.path().join("m.xmpmod").exists()
    );
}

#[test]
fn a_message_of_the_compiler_names_the_line_of_the_user() {
    let directory = small();
    for (written, wrong, line) in [
        ("total = total + a(i)", "total = total + b(i)", "prog.F90:18:"),
        ("template t(N)", "template t(COUNT)", "prog.F90:5:"),
        ("print '(i0)', total", "print '(i0)', total +", "prog.F90:21:"),
    ] {
        let broken = SMALL.replace(written, wrong);
        let compiled = xmpf90(&directory, &broken, &["-c", "prog.F90"]);
        let message = String::from_utf8_lossy(&compiled.stderr).into_owned();
        assert!(!compiled.status.success() && message.contains(line), "{message}");
    }
}

#[test]
fn a_mistake_in_a_directive_leaves_no_file() {
    let directory = small();
    let broken = SMALL.replace("loop on t(i)", "loop on tt(i)");
    let compiled = xmpf90(&directory, &broken, &["prog.F90", "-o", "prog"]);
    let message = String::from_utf8_lossy(&compiled.stderr).into_owned();
    assert_eq!(compiled.status.code(), Some(1), "{message}");
    assert_eq!(
        message,
        "error: there is no nodes or template `tt` here\n  --> prog.F90:15:17\n   |\n\
         15 |   !$xmp loop on tt(i) reduction(+: total)\n   |                 ^^\n"
    );
    assert!(!directory.path().join("prog").exists() && !directory.path().join("m.xmpmod").exists());
}

#[test]
fn a_program_without_directives_is_compiled_as_it_is() {
    let directory = small();
    let program = "program p\n  integer :: x[*]\n  x = this_image()\nend program\n";
    let shown = xmpf90(&directory, program, &["--show", "-c", "prog.F90"]);
    let text = String::from_utf8(shown.stdout).expect("text");
    assert!(text.contains("-fcoarray=lib") && text.contains("prog.F90"), "{text}");
}

#[test]
fn a_program_without_directives_finds_the_headers_of_xcalablemp() {
    let directory = small();
    let program = "program p\n  include 'xmp_lib.h'\n  include 'xmp_coarray.h'\n  integer :: xmp_all_num_nodes\n  \
                   integer :: x[*]\n  x = this_image()\n  sync all\n  \
                   if (this_image() == 1) print '(i0)', xmp_all_num_nodes()\nend program\n";
    let compiled = xmpf90(&directory, program, &["prog.F90", "-o", "prog"]);
    assert!(compiled.status.success(), "{compiled:?}");
    Run::new(directory.path().join("prog")).images(3).finish().succeeded().stdout_is("3\n");
}
