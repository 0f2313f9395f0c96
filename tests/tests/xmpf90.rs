//! `xmpf90` as a command: separate compilation, lines, messages, included files, `--check=bounds`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;
use xmp_tests::Run;
use xmp_tests::toolchain::{output_of, toolchain};

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

/// The linker missed procedures of the library.
#[test]
fn options_for_other_names_of_procedures_are_refused() {
    for option in ["-fsecond-underscore", "-fno-underscoring"] {
        for check in ["-O1", "--check=races"] {
            let output = xmpf90(&small(), SMALL, &[option, check, "prog.F90", "-o", "prog"]);
            assert!(!output.status.success(), "{output:?}");
            let said = String::from_utf8_lossy(&output.stderr);
            let words = [option, "have one underscore", "compile without the option"];
            assert!(words.iter().all(|word| said.contains(word)), "{said}");
        }
    }
}

#[test]
fn an_error_of_a_declaration_names_the_line_of_its_directive() {
    let program = "program prog\n  implicit none\n!$xmp nodes p(*)\n!$xmp nodes q(2, *)\n  print *, 'late'\nend program\n";
    for options in [&["prog.F90", "-o", "prog"][..], &["-g0", "prog.F90", "-o", "prog"]] {
        let directory = tempfile::tempdir().expect("a directory");
        let output = xmpf90(&directory, program, options);
        assert!(output.status.success(), "{output:?}");
        let outcome = Run::new(directory.path().join("prog")).images(1).finish();
        outcome.exited_with(1).stdout_is("").stderr_line_with(&["prog.F90:4: image 1: nodes: "]);
        outcome.stderr_without("xmprt_");
    }
}

#[test]
fn an_error_of_an_executable_directive_names_its_line_without_debugging_information() {
    let program = "program prog\n  implicit none\n  integer :: k = 9\n  !$xmp nodes p(*)\n  !$xmp task on p(k)\n  \
                   print *, 'never'\n  !$xmp end task\nend program\n";
    let directory = tempfile::tempdir().expect("a directory");
    let output = xmpf90(&directory, program, &["-g0", "prog.F90", "-o", "prog"]);
    assert!(output.status.success(), "{output:?}");
    let outcome = Run::new(directory.path().join("prog")).images(2).finish();
    outcome.exited_with(1).stdout_is("").stderr_line_with(&["prog.F90:5: ", "task: "]);
}

/// A directive may list several variables.
#[test]
fn errors_of_directives_name_the_variable() {
    let program = "program prog\n  use iso_c_binding\n  implicit none\n  integer :: u(10), s(4), at, which, k\n  character(9) :: given\n\
                   !$xmp nodes p(*)\n!$xmp template t(10)\n!$xmp distribute t(block) onto p\n!$xmp align u(i) with t(i)\n!$xmp shadow u(1)\n  \
                   at = 0\n  s = 0\n  call get_command_argument(1, given)\n  read (given, *) which\n  call get_command_argument(2, given)\n  read (given, *) k\n  \
                   select case (which)\n  case (0)\n!$xmp reflect (u) width(k)\n  case (1)\n!$xmp bcast (at, s(2:3)) from p(k)\n  case (2)\n\
                   !$xmp reduction(+: at, s) on p(k)\n  case (3)\n!$xmp gmove\n    s(1:k) = u(2: &\n      4)\n  case (4)\n!$xmp gmove\n    u(k:k+1) = s(1:2)\n  \
                   end select\nend program\n";
    let directory = tempfile::tempdir().expect("a directory");
    let output = xmpf90(&directory, program, &["prog.F90", "-o", "prog"]);
    assert!(output.status.success(), "{output:?}");
    let run = |which: &str, value: &str| {
        Run::new(directory.path().join("prog")).images(2).args([which, value]).finish()
    };
    let gmove =
        "prog.F90:26: images 1-2: gmove: s(1:k) = u(2: 4): shape (2) is assigned from shape (3)";
    let beyond = "prog.F90:30: images 1-2: gmove: u(k:k+1) = s(1:2): left side: dimension 1: 10:11 is not within 1:10; \
                  the left side is (10:11) of the array (1:10), and the right side is (1:2) of the array (1:4)";
    for (which, right, wrong, message) in [
        ("0", "1", "2", "prog.F90:19: images 1-2: reflect: u: dimension 1: width 2 is more"),
        ("1", "1", "3", "prog.F90:21: images 1-2: bcast: at: nodes: dimension 1: 3:3 is not"),
        ("2", "1", "3", "prog.F90:23: images 1-2: reduction: at: nodes: dimension 1: 3:3 is not"),
        ("3", "3", "2", gmove),
        ("4", "9", "10", beyond),
    ] {
        run(which, right).succeeded();
        run(which, wrong).exited_with(1).stderr_message_of(message);
    }
}

/// An index of 2^32 + 1 was index 1.
#[test]
fn values_of_variables_of_64_bits_are_not_shortened() {
    let program = "program prog\n  implicit none\n  integer(8) :: k\n  integer :: which\n  character(19) :: given\n\
                   !$xmp nodes p(2)\n!$xmp template t(:)\n!$xmp distribute t(block) onto p\n!$xmp template s(8)\n!$xmp distribute s(block) onto p\n  integer :: a(8)\n\
                   !$xmp align a(i) with s(i)\n!$xmp shadow a(1)\n  call get_command_argument(1, given)\n  read (given, *) which\n  call get_command_argument(2, given)\n  read (given, *) k\n  \
                   select case (which)\n  case (0)\n!$xmp template_fix t(k)\n  case (1)\n!$xmp task on p(k)\n    print '(a)', 'here'\n\
                   !$xmp end task\n  case (2)\n!$xmp task on p(1:k)\n    print '(a)', 'here'\n!$xmp end task\n  case (3)\n    call part(k)\n  \
                   case (4)\n!$xmp post(p(1), k)\n  case (5)\n!$xmp reflect (a) width(k)\n  end select\ncontains\n  subroutine part(k)\n    integer(8) :: k\n!$xmp nodes q(k)\n  end subroutine\nend program\n";
    let directory = tempfile::tempdir().expect("a directory");
    let output = xmpf90(&directory, program, &["prog.F90", "-o", "prog"]);
    assert!(output.status.success(), "{output:?}");
    let run = |which: &str, value: &str| {
        Run::new(directory.path().join("prog")).images(2).args([which, value]).finish()
    };
    let template =
        "prog.F90:20: images 1-2: distribute: t: index 4294967298 is not in -2147483648:2147483647";
    for (which, right, wrong, message) in [
        ("0", "2", "4294967298", template),
        (
            "1",
            "1",
            "4294967297",
            "prog.F90:22: images 1-2: task: nodes: dimension 1: 4294967297:4294967297 is not",
        ),
        (
            "2",
            "2",
            "4294967297",
            "prog.F90:26: images 1-2: task: nodes: dimension 1: 1:4294967297 is not",
        ),
        (
            "3",
            "2",
            "4294967298",
            "prog.F90:39: images 1-2: nodes: q: (4294967298) needs 4294967298 nodes, there are 2",
        ),
        (
            "4",
            "1",
            "4294967297",
            "prog.F90:32: images 1-2: post: tag: 4294967297 is not in -2147483648:2147483647",
        ),
        (
            "5",
            "1",
            "4294967297",
            "prog.F90:34: images 1-2: reflect: a: dimension 1: width 4294967297 is more than the shadow of 1",
        ),
    ] {
        run(which, right).succeeded();
        run(which, wrong).exited_with(1).stderr_message_of(message);
    }
}

/// Of coarrays on nodes the cosubscripts are always looked at, by another function.
#[test]
fn with_the_check_of_bounds_cosubscripts_of_local_views_are_compared_with_their_cobounds() {
    let program = "program prog\n  implicit none\n  integer :: u(10), x[2, *], on[*], k\n  character(9) :: given\n  \
                   !$xmp nodes p(*)\n  !$xmp template t(10)\n  !$xmp distribute t(block) onto p\n  !$xmp align u(i) with t(i)\n  \
                   !$xmp coarray on p :: on\n  call get_command_argument(1, given)\n  read (given, *) k\n  x = 1\n  on = 2\n  \
                   u = 0\n  sync all\n  k = x[k, 1] + on[1]\n  if (k /= 3) error stop\nend program\n";
    let directory = tempfile::tempdir().expect("a directory");
    let output = xmpf90(&directory, program, &["--check=bounds", "prog.F90", "-o", "prog"]);
    assert!(output.status.success(), "{output:?}");
    let run = |k: &str| Run::new(directory.path().join("prog")).images(3).args([k]).finish();
    run("2").succeeded();
    let words =
        "image selector: x[k, 1]: cosubscript 3 of codimension 1 is above the upper cobound, 2";
    run("3").exited_with(1).stderr_line_with(&["prog.F90:16: ", words]);
}

/// A template of another size has other indices on a node, whatever its format.
#[test]
fn elements_of_another_template_that_are_on_other_nodes_are_found_out() {
    let program = "program prog\n  integer :: a(40), b(80), c(40), d(80), i\n  !$xmp nodes p(*)\n  !$xmp template t(40)\n  \
                   !$xmp template s(80)\n  !$xmp template u(40)\n  !$xmp template v(80)\n  \
                   !$xmp distribute t(block) onto p\n  !$xmp distribute s(block) onto p\n  \
                   !$xmp distribute u(cyclic(2)) onto p\n  !$xmp distribute v(cyclic(3)) onto p\n  \
                   !$xmp align a(i) with t(i)\n  !$xmp align b(i) with s(i)\n  \
                   !$xmp align c(i) with u(i)\n  !$xmp align d(i) with v(i)\n";
    let run = |body: &str, images: u32| {
        let directory = tempfile::tempdir().expect("a directory");
        let program = format!("{program}{body}\n  print *, 'done'\nend program\n");
        let output = xmpf90(&directory, &program, &["prog.F90", "-o", "prog"]);
        assert!(output.status.success(), "{output:?}");
        Run::new(directory.path().join("prog")).images(images).finish()
    };
    let told = "index 21 is not on this node, which has 41 to 80 with the shadow";
    for (body, told) in [
        ("!$xmp loop on t(i)\ndo i = 1, 40\na(i) = 1\nb(i) = 2\nend do", told),
        ("!$xmp array on t(:)\na(:) = b(1:40)", told),
        (
            "!$xmp array on t(1:20)\na(1:20) = a(1:40:2)",
            "index 39 is not on this node, which has 1 to 20 with the shadow",
        ),
        ("!$xmp loop on u(i)\ndo i = 1, 40\nc(i) = 1\nd(i) = 2\nend do", "and each 6 further"),
    ] {
        run(body, 1).succeeded().stdout_is(" done\n");
        run(body, 2).exited_with(1).stderr_line_with(&["prog.F90:", told]);
    }
}

/// What translated programs call is the interface of the library, and nothing of Omni's.
#[test]
fn a_translated_program_calls_the_interface_of_the_library() {
    let directory = small();
    let output = xmpf90(&directory, SMALL, &["-c", "prog.F90"]);
    assert!(output.status.success(), "{output:?}");
    let object = directory.path().join("prog.o");
    let symbols = output_of("nm", [Path::new("-u"), &object]);
    let called = symbols.lines().filter_map(|line| line.split_whitespace().last());
    let called: Vec<&str> = called.filter(|name| name.contains("xmp")).collect();
    assert!(called.contains(&"xmprt_task_begin"), "{called:?}");
    let others: Vec<_> = called.iter().filter(|name| !name.starts_with("xmprt_")).collect();
    assert!(others.is_empty(), "{others:?}");
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
    let line = "  do i = max(1, xmptown_t(1, 1)), min(50, xmptown_t(2, 1))";
    assert!(text.lines().any(|shown| shown == line), "{text}");
    assert!(!text.contains("!$xmp") && !text.contains("# "), "{text}");
    assert!(
        !directory.path().join("prog.o").exists() && !directory.path().join("m.xmpmod").exists()
    );
}

#[test]
fn an_older_standard_with_all_warnings() {
    let directory = small();
    let program = format!(
        "{SMALL}subroutine set(b)\n  use m, only: a\n  implicit none\n  integer, intent(out) :: b(N)\n  integer :: i\n  \
         !$xmp align b(i) with t(i)\n  !$xmp loop on t(i)\n  do i = 1, N\n    b(i) = i\n  end do\nend subroutine\n"
    );
    let options = ["-std=f2008", "-Wall", "-Wextra", "-Werror", "-c", "prog.F90"];
    let compiled = xmpf90(&directory, &program, &options);
    assert!(compiled.status.success(), "{compiled:?}");
}

/// The compiler warns of attributes that a variable has twice; with a standard they are errors.
#[test]
fn save_without_names() {
    let program = include_str!("../fortran-xmp/blanket.f90");
    for standard in ["-std=gnu", "-std=f2018"] {
        let directory = small();
        let options = [standard, "-Wall", "-Wextra", "-Werror", "prog.F90", "-o", "prog"];
        let compiled = xmpf90(&directory, program, &options);
        assert!(compiled.status.success(), "{compiled:?}");
        for images in 1..=4 {
            Run::new(directory.path().join("prog")).images(images).finish().succeeded().silent();
        }
        Run::new(directory.path().join("prog"))
            .images(4)
            .virtual_hosts(2)
            .finish()
            .succeeded()
            .silent();
    }
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
         15 |   !$xmp loop on tt(i) reduction(+: total)\n   |                 ^^\n   |\n   \
         = help: declare it before, in this scope, around it or in a module that it uses\n"
    );
    assert!(!directory.path().join("prog").exists() && !directory.path().join("m.xmpmod").exists());
}

/// Comments, strings and included files of other encodings stay byte for byte; each byte is a column of fixed form.
#[test]
fn files_that_are_no_utf8() {
    let directory = small();
    let write = |name: &str, text: &str| {
        let bytes = text.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin-1"));
        fs::write(directory.path().join(name), bytes.collect::<Vec<u8>>()).expect("a file");
    };
    write(
        "map.inc",
        "! \u{fc}\n!$xmp nodes q(*)\n!$xmp template t(9)\n!$xmp distribute t(block) onto q\n",
    );
    // The string ends in column 71, its quote in 72.
    let string = "\u{fc}".repeat(47);
    let program = format!(
        "      program p\n      include 'map.inc'\n      total = 0\n!$xmp loop on t(i) reduction(+: total)\n      \
         do i = 1, 9 ! \u{fc}\n      total = total + i\n      end do\n      if (nint(total) /= 45) stop 1\n      \
         write (*, '(a)') '{string}'00000010\n      end\n"
    );
    write("latin.f", &program);
    let compiled = xmpf90(&directory, "", &["latin.f", "-o", "prog"]);
    assert!(compiled.status.success(), "{compiled:?}");
    let mut run = Command::new(directory.path().join("prog"));
    let said = run.output().expect("it runs").stdout;
    assert_eq!(said, [&[0xfc; 47][..], b"\n"].concat());
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

/// Directives, declarations and statements of included files count as if they stood in the source.
#[test]
fn included_files_are_translated() {
    let directory = small();
    let path = directory.path();
    fs::create_dir(path.join("parts")).expect("a directory");
    fs::write(
        path.join("parts/map.inc"),
        "!$xmp nodes p(*)\n!$xmp template t(9)\n!$xmp distribute t(cyclic) onto p\n",
    )
    .expect("a file");
    fs::write(
        path.join("array.inc"),
        "include 'map.inc'\ninteger :: a(9)\n!$xmp align a(i) with t(i)\n",
    )
    .expect("a file");
    fs::write(path.join("body.inc"), "a(i) = i\ntotal = total + a(i)\n").expect("a file");
    let program = "program p\n  include 'array.inc'\n  integer :: i, total\n  total = 0\n  \
                   !$xmp loop on t(i) reduction(+: total)\n  do i = 1, 9\n    include 'body.inc'\n  end do\n  \
                   !$xmp task on p(1)\n  print '(i0)', total\n  !$xmp end task\nend program\n";
    let compiled = xmpf90(&directory, program, &["-Iparts", "prog.F90", "-o", "prog"]);
    assert!(compiled.status.success(), "{compiled:?}");
    Run::new(path.join("prog")).images(4).finish().succeeded().stdout_is("45\n");

    fs::write(path.join("body.inc"), "a(i) = i\ntotal = total + b(i)\n").expect("a file");
    let broken = xmpf90(&directory, program, &["-Iparts", "prog.F90", "-o", "prog"]);
    let message = String::from_utf8_lossy(&broken.stderr).into_owned();
    assert!(!broken.status.success() && message.contains("body.inc:2:"), "{message}");
}

/// Compilers skip the byte order mark of a file, which is not at the start of what is compiled.
#[test]
fn byte_order_marks_of_a_source_and_of_an_included_file() {
    let directory = small();
    let included =
        "\u{feff}!$xmp nodes q(*)\n!$xmp template t(9)\n!$xmp distribute t(block) onto q\n";
    fs::write(directory.path().join("map.inc"), included).expect("a file");
    let program = "\u{feff}program p\n  include 'map.inc'\n  integer :: i, total\n  total = 0\n  \
                   !$xmp loop on t(i) reduction(+: total)\n  do i = 1, 9\n    total = total + i\n  end do\n  \
                   if (total /= 45) stop 1\nend program\n";
    fs::write(directory.path().join("marked.f90"), program).expect("a file");
    let compiled = xmpf90(&directory, "", &["marked.f90", "-o", "prog"]);
    assert!(compiled.status.success(), "{compiled:?}");
    Run::new(directory.path().join("prog")).images(3).finish().succeeded().silent();
}

/// In fixed form the option of the compiler says how many columns count.
#[test]
fn long_lines_of_fixed_form() {
    let directory = small();
    let line = format!("      do i = 1, 9{:60}- 1 + 1\n", "");
    let program = format!(
        "      program p\n!$xmp nodes q(*)\n!$xmp template t(9)\n!$xmp distribute t(block) onto q\n      total = 0\n\
         !$xmp loop on t(i) reduction(+: total)\n{line}      total = total + i\n      end do\n      \
         if (nint(total) /= 45) stop 1\n      end\n"
    );
    fs::write(directory.path().join("long.f"), &program).expect("a file");
    let options = ["-ffixed-line-length-none", "long.f", "-o", "prog"];
    let compiled = xmpf90(&directory, "", &options);
    assert!(compiled.status.success(), "{compiled:?}");
    Run::new(directory.path().join("prog")).images(3).finish().succeeded().silent();
    let shown = xmpf90(&directory, "", &["--show", options[0], options[1]]);
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(text.contains("- 1 + 1"), "{text}");
}

/// An external procedure whose other arguments need an explicit interface.
#[test]
fn procedures_with_arguments_that_need_an_interface() {
    let directory = small();
    let program = "subroutine s(x, y, k)\n  real :: y(:)\n  integer, optional :: k\n  !$xmp nodes p(*)\n  \
                   !$xmp template t(9)\n  !$xmp distribute t(block) onto p\n  real :: x(9)\n  !$xmp align x(i) with t(i)\n  \
                   !$xmp loop on t(i)\n  do i = 1, 9\n    x(i) = y(i)\n  end do\n  if (present(k)) k = 2\nend subroutine\n\
                   program p\n  interface\n    subroutine s(x, y, k)\n      real :: x(9), y(:)\n      integer, optional :: k\n    \
                   end subroutine\n  end interface\n  !$xmp nodes q(*)\n  !$xmp template u(9)\n  \
                   !$xmp distribute u(block) onto q\n  real :: a(9)\n  !$xmp align a(i) with u(i)\n  integer :: k = 0\n  \
                   call s(a, [(real(i), i = 1, 9)])\n  call s(a, [(real(i), i = 1, 9)], k)\n  !$xmp loop on u(i)\n  \
                   do i = 1, 9\n    if (a(i) /= i .or. k /= 2) stop 1\n  end do\nend program\n";
    let compiled = xmpf90(&directory, program, &["prog.F90", "-o", "prog"]);
    assert!(compiled.status.success(), "{compiled:?}");
    Run::new(directory.path().join("prog")).images(3).finish().succeeded().silent();
}

/// Two of four nodes counted 6 of 12 iterations; beyond the template, loops and sections were cut.
#[test]
fn iterations_and_elements_that_no_executing_node_has_are_errors() {
    let program = "program prog\n  implicit none\n  integer :: which, n, y, i, j, a(12)\n  character(9) :: given\n\
                   !$xmp nodes p(4)\n!$xmp nodes g(2,2)\n!$xmp template t(12)\n!$xmp distribute t(block) onto p\n!$xmp template s(4,0:5)\n\
                   !$xmp distribute s(cyclic(2),block) onto g\n!$xmp align a(i) with t(i)\n  call get_command_argument(1, given)\n  \
                   read (given, *) which\n  call get_command_argument(2, given)\n  read (given, *) n\n  y = 0\n  select case (which)\n  \
                   case (0)\n!$xmp task on p(1:2)\n    y = counted(1, n)\n!$xmp end task\n  case (1)\n!$xmp task on g(:,1)\n\
                   !$xmp loop (i, j) on s(i, j - 1)\n    do j = n, 1, -2\n      do i = 1, 4\n        y = y + 1\n      end do\n    end do\n\
                   !$xmp end task\n  case (2)\n!$xmp task on p(1:2)\n!$xmp array on t(1:n)\n    a(1:n) = 1\n!$xmp end task\n  case (3)\n\
                   !$xmp task on p(1:2)\n!$xmp loop on p(i)\n    do i = 1, n\n      y = y + 1\n    end do\n!$xmp end task\n  case (4)\n    \
                   y = counted(1, n)\n  case (5)\n!$xmp array on t(1:n)\n    a = 1\n  case (6)\n!$xmp array on t(1:12)\n    a(n:12) = 1\n  \
                   case (7)\n!$xmp loop on s(i, n)\n    do i = 1, 4\n      y = y + 1\n    end do\n  case (8)\n    y = counted(30, n)\n\
                   !$xmp array on t(20:n)\n    a(20:n) = 1\n!$xmp loop on t(i)\n    do i = n, 30, -n\n      y = y + 1\n    end do\n  end select\n\
                   !$xmp task on p(1)\n  print '(i0)', y\n!$xmp end task\ncontains\n  integer function counted(first, last)\n    \
                   integer :: first, last, i, y\n    y = 0\n!$xmp loop on t(i) reduction(+: y)\n    do i = first, last\n      y = y + 1\n    \
                   end do\n    counted = y\n  end function\nend program\n";
    let directory = tempfile::tempdir().expect("a directory");
    let output = xmpf90(&directory, program, &["-Wall", "prog.F90", "-o", "prog"]);
    assert!(output.status.success(), "{output:?}");
    let run = |which: &str, value: &str| {
        Run::new(directory.path().join("prog")).images(4).args([which, value]).finish()
    };
    let beyond = "prog.F90:72: images 1-4: loop: i: iterations 1:20 are not within 1:12, the bounds of dimension 1 of the template: no node has the others";
    for (which, right, y, wrong, message) in [
        (
            "0",
            "6",
            "6",
            "12",
            "prog.F90:72: images 1-2: loop: i: iterations 7:9 of p(3) and 10:12 of p(4), which do not execute the loop, would be left out",
        ),
        (
            "1",
            "3",
            "4",
            "6",
            "prog.F90:24: images 1-2: loop: j: iterations 6:4:-2 of g(1, 2), which do not",
        ),
        (
            "2",
            "6",
            "0",
            "7",
            "prog.F90:34: images 1-2: array: a: elements at (7) of p(3), which do not execute the assignment, would be left out",
        ),
        (
            "3",
            "2",
            "1",
            "3",
            "prog.F90:38: images 1-2: loop: i: iterations 3 of p(3), which do not",
        ),
        ("4", "12", "12", "20", beyond),
        (
            "5",
            "12",
            "0",
            "200",
            "prog.F90:47: images 1-4: array: a: template: dimension 1: 1:200 is not within 1:12",
        ),
        (
            "6",
            "3",
            "0",
            "0",
            "prog.F90:50: images 1-4: array: a: template: dimension 1: 0:12 is not within 1:12",
        ),
        (
            "7",
            "5",
            "0",
            "6",
            "prog.F90:52: images 1-4: loop: i: template: dimension 2: 6:6 is not within 0:5",
        ),
        (
            "8",
            "2",
            "0",
            "31",
            "prog.F90:72: images 1-4: loop: i: iterations 30:31 are not within 1:12",
        ),
    ] {
        run(which, right).succeeded().stdout_is(&format!("{y}\n"));
        run(which, wrong).exited_with(1).stderr_message_of(message);
    }
}
