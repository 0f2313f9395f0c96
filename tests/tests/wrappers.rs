//! Uses of the compiler wrappers: words in the variable that names the compiler, C beside Fortran, C++, completion.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;
use xmp_tests::Run;
use xmp_tests::toolchain::{output_of, toolchain};

/// A directory with these files.
fn with_files(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().expect("temporary files are possible");
    for (name, text) in files {
        fs::write(directory.path().join(name), text).expect("it can be written");
    }
    directory
}

const FORTRAN: &str = "program both\n  use iso_c_binding\n  interface\n    integer(c_int) function seven() bind(c)\n\
                       import c_int\n    end function\n  end interface\n  integer :: x[*]\n  x = seven()\n  sync all\n\
                       if (this_image() == 1) print '(i0)', x[num_images()]\nend program\n";
const C: &str = "int seven(void) { return 7; }\n";

/// Runs a wrapper in a directory; it must succeed and write nothing.
fn compiled(directory: &Path, wrapper: &Path, arguments: &[&str]) {
    let output = output(directory, wrapper, arguments, &[]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.is_empty(), "{wrapper:?} {arguments:?}: {text}");
}

fn output(
    directory: &Path,
    wrapper: &Path,
    arguments: &[&str],
    environment: &[(&str, &str)],
) -> Output {
    let mut command = Command::new(wrapper);
    command.args(arguments).envs(environment.iter().copied()).current_dir(directory);
    command.output().expect("the wrapper runs")
}

#[test]
fn c_sources_among_fortran_ones_are_compiled_without_the_option_for_coarrays() {
    let wrapper = toolchain().xmpfc();
    let directory = with_files(&[("main.f90", FORTRAN), ("seven.c", C)]);
    let place = directory.path();
    compiled(place, &wrapper, &["seven.c", "main.f90", "-o", "together"]);
    compiled(place, &wrapper, &["-c", "main.f90", "seven.c"]);
    compiled(place, &wrapper, &["main.o", "seven.o", "-o", "in_steps"]);
    for program in ["together", "in_steps"] {
        Run::new(place.join(program)).images(2).finish().succeeded().stdout_is("7\n");
    }
    // What is shown does the same.
    let shown = output(place, &wrapper, &["--show", "seven.c", "main.f90", "-o", "shown"], &[]);
    let shown = String::from_utf8(shown.stdout).expect("a text");
    compiled(place, Path::new("/bin/sh"), &["-c", &shown]);
    Run::new(place.join("shown")).images(2).finish().succeeded().stdout_is("7\n");
}

/// Makefiles for the driver of the Omni compiler have such options.
#[test]
fn options_for_the_steps_of_omnis_driver_are_words_for_the_compiler() {
    let source = "program p\n  integer :: unit\n  open (newunit=unit, file='number', form='unformatted', access='stream')\n\
                  write (unit) WORD\n  close (unit)\nend program\n";
    let directory = with_files(&[("p.F90", source), ("s.c", "int s = NUMBER;\n")]);
    let place = directory.path();
    let wrapper = toolchain().xmpfc();
    let arguments =
        ["--Wn-fconvert=big-endian -O1", "--Wp-DWORD=1", "--Wl-lm", "p.F90", "-o", "program"];
    compiled(place, &wrapper, &arguments);
    let status = Command::new(place.join("program")).current_dir(place).status();
    assert!(status.expect("the program runs").success());
    assert_eq!(fs::read(place.join("number")).expect("the program has written it"), [0, 0, 0, 1]);
    compiled(place, &toolchain().xmpcc(), &["--Wp-DNUMBER=3", "--Wn-O1", "-c", "s.c"]);
    let left_out = output(place, &wrapper, &["--Wp-DWORD=1", "--Wx-foo", "-c", "p.F90"], &[]);
    let text = String::from_utf8_lossy(&left_out.stderr);
    assert!(left_out.status.success() && text.contains("warning: --Wx-foo is left out"), "{text}");
}

/// The checks of cosubscripts are in a copy of the source, which is in another directory.
#[test]
fn sources_with_checks_of_cosubscripts_are_found_compiled_and_named_as_without_them() {
    let module = "module m\n  integer :: u[2, *]\nend module\n";
    let preprocessed = "#include \"row.h\"\nsubroutine s(k)\n  use m\n  implicit none\n  integer, intent(in) :: k\n\
                        include 'more.inc'\n  u[k, COLUMN] = 7\nend subroutine\n";
    let fixed = "c     A comment [1].\n      subroutine f\n      use m\n      integer i\n      i = u[1,\n     &  1]\n\
                 \x20     print '(i0)', i; i = 1\n      end\n";
    let main = "program p\n  use m\n  implicit none\n  character(9) :: word\n  call get_command_argument(1, word)\n  u = 1\n\
                sync all\n  if (word == '') then; if (this_image() == 2) call s(1)\n  else; call s(3); end if\n  sync all\n\
                if (this_image() == 2) call f\nend program\n";
    let directory = with_files(&[("main.f90", main)]);
    let place = directory.path();
    fs::create_dir(place.join("parts")).expect("a directory can be made");
    for (name, text) in [
        ("m.f90", module),
        ("s.F90", preprocessed),
        ("row.h", "#define COLUMN 1\n"),
        ("more.inc", "  integer :: unused_here(2)\n"),
        ("f.f", fixed),
    ] {
        fs::write(place.join("parts").join(name), text).expect("it can be written");
    }
    let wrapper = toolchain().xmpfc();
    let sources = ["parts/m.f90", "parts/s.F90", "parts/f.f", "main.f90"];
    let check = "--check=bounds";
    compiled(place, &wrapper, &[&[check][..], &sources, &["-o", "together"]].concat());
    for source in sources {
        compiled(place, &wrapper, &["-c", source, check]);
    }
    compiled(place, &wrapper, &["m.o", "s.o", "f.o", "main.o", "-o", "in_steps"]);
    for program in ["together", "in_steps"] {
        let symbols = output_of("nm", [place.join(program)]);
        assert!(!symbols.contains("__wrap_main"), "{program} starts as one with directives");
        let run = Run::new(place.join(program)).images(2);
        run.clone().finish().succeeded().stdout_is("7\n");
        let outcome = run.args(["wrong"]).finish();
        let words = ["parts/s.F90:7: ", "image selector: u[k, 1]: cosubscript 3 of codimension 1"];
        outcome.exited_with(1).stderr_line_with(&words);
    }
    // What the compiler says is about the user's file and line. The checks convert nothing.
    for statement in ["x[1] = 'a'", "x[1.5] = 1"] {
        let program = format!("program p\n  integer :: x[*]\n  {statement}\nend program\n");
        fs::write(place.join("wrong.f90"), program).expect("it can be written");
        let output = output(place, &wrapper, &[check, "-c", "wrong.f90"], &[]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && text.contains("wrong.f90:3:"), "{text}");
    }
}

/// Directives in sources that no translator reads: each way to give such a source to a wrapper.
#[test]
fn directives_are_translated_or_refused_in_whatever_way_a_source_comes() {
    let c = "#pragma xmp nodes p[*]\nint main(void)\n{\n#pragma xmp barrier\n    return 0;\n}\n";
    let fortran = "program p\n  !$xmp nodes q(*)\n  !$xmp barrier\nend program\n";
    let include = "#include \"p.h\"\nint main(void) { return 0; }\n";
    let directory = with_files(&[
        ("prog.c", c),
        ("prog.i", c),
        ("prog.cpp", c),
        ("prog.x", c),
        ("include.c", include),
        ("p.h", "#pragma xmp nodes p[*]\n"),
        ("plain.c", "int main(void) { return 0; }\n"),
        ("main.f90", FORTRAN),
        ("prog.f90", fortran),
        ("prog.g", fortran),
        ("list", "-c prog.c"),
        ("fortran_list", "-c prog.f90"),
    ]);
    let (place, c, fortran) = (directory.path(), toolchain().xmpcc(), toolchain().xmpf90());
    let from_file = |wrapper: &Path, source: &str, arguments: &[&str]| {
        let mut command = Command::new(wrapper);
        command.stdin(fs::File::open(place.join(source)).expect("it is there"));
        command.args(arguments).current_dir(place).output().expect("the wrapper runs")
    };
    for (wrapper, arguments, about) in [
        (&c, &["prog.i", "-o", "prog"][..], "prog.i has"),
        (&c, &["-x", "c", "-o", "prog", "-"], "the standard input has"),
        (&c, &["-c", "prog.cpp"], "prog.cpp has"),
        (&c, &["-x", "c++", "-c", "prog.x"], "prog.x has"),
        (&c, &["-c", "prog.f90"], "prog.f90 has"),
        (&c, &["@list"], "prog.c has"),
        (&fortran, &["main.f90", "prog.c", "-o", "prog"], "prog.c has"),
        (&fortran, &["-c", "include.c"], "include.c has"),
        (&fortran, &["-x", "f95", "-c", "prog.g"], "prog.g has"),
        (&fortran, &["@fortran_list"], "prog.f90 has"),
    ] {
        let output = from_file(wrapper, "prog.c", arguments);
        let text = String::from_utf8_lossy(&output.stderr);
        let wanted = format!("{about} directives of XcalableMP, which are not translated: ");
        assert!(output.status.code() == Some(1) && text.contains(&wanted), "{arguments:?}: {text}");
        assert!(!place.join("prog").exists() && !place.join("prog.o").exists(), "{arguments:?}");
    }
    for arguments in [&["-x", "c", "prog.x", "-o", "prog"][..], &["-xc", "prog.x", "-o", "prog"]] {
        compiled(place, &c, arguments);
        Run::new(place.join("prog")).images(2).finish().succeeded().silent();
    }
    let output = from_file(&c, "plain.c", &["-x", "c", "-", "-o", "plain"]);
    assert!(output.status.success() && place.join("plain").exists(), "{output:?}");
}

#[test]
fn the_wrappers_say_where_races_cannot_be_looked_for() {
    let directory = with_files(&[("main.f90", FORTRAN), ("seven.c", C)]);
    let (xmpfc, xmpcc) = (toolchain().xmpfc(), toolchain().xmpcc());
    for (wrapper, arguments, text) in [
        (&xmpfc, &["--check=races", "-static-xmp", "main.f90"][..], "the program cannot be static"),
        (&xmpcc, &["-static", "--check=races", "seven.c"], "the program cannot be static"),
        (&xmpfc, &["--check=bound", "main.f90"], "the checks of the compiler are --check=races"),
    ] {
        let output = output(directory.path(), wrapper, arguments, &[]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains(text), "{arguments:?}: {said}");
    }
    let warned = output(directory.path(), &xmpcc, &["-fsanitize=thread", "-c", "seven.c"], &[]);
    let said = String::from_utf8_lossy(&warned.stderr);
    assert!(warned.status.success() && said.contains("--check=races finds races"), "{said}");
}

#[test]
fn words_of_the_variable_that_names_the_compiler_are_words() {
    let runner = "#!/bin/sh\necho \"run: $*\" >&2\nexec \"$@\"\n";
    let directory =
        with_files(&[("main.f90", "print '(i0)', num_images()\nend\n"), ("ccache", runner)]);
    let place = directory.path();
    let ccache = place.join("ccache");
    fs::set_permissions(&ccache, fs::Permissions::from_mode(0o755)).expect("it is executable");
    let compiler = toolchain().fortran();
    let words = format!("{} {compiler} -O1", ccache.display());
    let arguments = ["main.f90", "-o", "program"];
    let made = output(place, &toolchain().xmpfc(), &arguments, &[("XMP_FC", &words)]);
    let text = String::from_utf8_lossy(&made.stderr);
    let run = format!("run: {compiler} ");
    assert!(made.status.success() && text.starts_with(&run) && text.contains(" -O1 "), "{text}");
    Run::new(place.join("program")).images(2).finish().succeeded().stdout_is("2\n2\n");
    // The word that is no command is named.
    let words = format!("no-such-runner {compiler}");
    let failed = output(place, &toolchain().xmpfc(), &arguments, &[("XMP_FC", &words)]);
    let text = String::from_utf8_lossy(&failed.stderr);
    assert_eq!(failed.status.code(), Some(127), "{text}");
    assert!(text.contains("'no-such-runner'") && text.contains("XMP_FC"), "{text}");
}

#[test]
fn xmpcxx_compiles_and_links_programs_in_cpp() {
    let source = "#include <xmprt.h>\n#include <iostream>\nint main() {\n\
                  if (xmprt_this_image(XMPRT_CURRENT) == 1) std::cout << xmprt_num_images(XMPRT_CURRENT) << std::endl;\n}\n";
    let directory = with_files(&[("main.cpp", source)]);
    let wrapper = toolchain().prefix().join("bin/xmpcxx");
    compiled(directory.path(), &wrapper, &["main.cpp", "-o", "program"]);
    Run::new(directory.path().join("program")).images(3).finish().succeeded().stdout_is("3\n");
}

#[test]
fn options_of_the_wrappers_are_completed_in_bash() {
    let completions = toolchain().prefix().join("share/bash-completion/completions");
    let completed = |command: &str, word: &str| {
        let script = format!(
            ". '{}/{command}'; COMP_WORDS=({command} {word}); COMP_CWORD=1; _xmp_compiler; echo \"${{COMPREPLY[@]}}\"",
            completions.display()
        );
        output_of("bash", ["-c", &script]).trim().to_string()
    };
    for command in ["xmpfc", "xmpcaf", "xmpf90", "xmpcc", "xmpcxx"] {
        assert_eq!(completed(command, "-static-x"), "-static-xmp", "{command}");
    }
    assert_eq!(completed("xmpfc", "main.f"), "");
    if toolchain().fortran().contains("gfortran") {
        assert!(completed("xmpfc", "-ffree-f").contains("-ffree-form"));
    }
}
