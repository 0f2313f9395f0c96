//! The ways to compile and link a program.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xmp_tests::exceptions::{left_out, left_out_with};
use xmp_tests::program::{c_source, fortran_source};
use xmp_tests::toolchain::{output_of, toolchain, workspace};
use xmp_tests::{Linking, Program, Run};

const NAME: &str = "transfers/saved_coarrays";

/// Runs a compiler, which must succeed.
fn compile(directory: &Path, compiler: impl AsRef<OsStr>, arguments: &[impl AsRef<OsStr>]) {
    let output = Command::new(&compiler)
        .args(arguments)
        .current_dir(directory)
        .output()
        .expect("the compiler runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The libraries that the system loads with an executable.
fn needed(executable: &Path) -> String {
    output_of("ldd", [executable])
}

#[test]
fn shared() {
    let program = Program::fortran(NAME).build();
    Run::new(&program).images(3).finish().succeeded().silent();
    let libraries = needed(&program);
    assert!(libraries.contains("libxmprt.so"), "{libraries}");
}

#[test]
fn static_library() {
    for name in [NAME, "collectives/mixed", "events/counts", "allocation/basics"] {
        let program = Program::fortran(name).linking(Linking::StaticXmp).build();
        for images in [1, 3] {
            Run::new(&program).images(images).finish().succeeded().silent();
        }
        let libraries = needed(&program);
        assert!(!libraries.contains("libxmprt"), "{libraries}");
    }
}

#[test]
fn libgfortran_as_an_archive() {
    // RANDOM_INIT is the one that needs a function of libgfortran which the program itself does not call.
    for mode in ["-static", "-static-pie", "-static-libgfortran"] {
        let program = Program::fortran("intrinsics/random_numbers").argument(mode).build();
        Run::new(&program).images(4).finish().succeeded().silent();
    }
}

#[test]
fn no_mpi_is_needed() {
    let libraries = needed(&toolchain().prefix().join("lib/libxmprt.so"));
    assert!(!libraries.contains("mpi"), "{libraries}");
}

#[test]
fn the_c_wrapper_links_programs_whose_main_program_is_in_c() {
    for more in [&[][..], &["-static-xmp"]] {
        let directory = tempfile::tempdir().expect("a directory");
        compile(
            directory.path(),
            toolchain().xmpfc(),
            &["-c".as_ref(), fortran_source("control/library").as_os_str()],
        );
        let mut arguments = vec![c_source("calls_fortran").into_os_string()];
        arguments.extend(["library.o", "-lgfortran", "-o", "program"].map(OsString::from));
        arguments.extend(more.iter().map(OsString::from));
        compile(directory.path(), toolchain().xmpcc(), &arguments);
        let run = Run::new(directory.path().join("program")).images(2);
        run.finish().succeeded().stdout_is("2 images\n");
    }
}

#[test]
fn a_library_with_coarrays_that_is_opened_at_run_time() {
    let directory = tempfile::tempdir().expect("a directory");
    let library = fortran_source("control/library").into_os_string();
    let mut arguments = ["-shared", "-fPIC", "-o", "library.so"].map(OsString::from).to_vec();
    arguments.push(library);
    compile(directory.path(), toolchain().xmpfc(), &arguments);
    let library = directory.path().join("library.so");
    // The main program may know of XMP-RT, or not.
    for compiler in [toolchain().xmpfc(), PathBuf::from(toolchain().fortran())] {
        let mut arguments = ["-o", "program", "-ldl"].map(OsString::from).to_vec();
        arguments.insert(0, c_source("opens_library").into_os_string());
        compile(directory.path(), compiler, &arguments);
        for (images, hosts) in [(1, 1), (3, 1), (4, 2)] {
            let run = Run::new(directory.path().join("program")).args([&library]);
            let outcome = run.images(images).virtual_hosts(hosts).finish();
            outcome.succeeded().stdout_is(&format!("{images} images\n"));
        }
    }
}

#[test]
fn plain_gfortran_with_pkg_config() {
    let directory = tempfile::tempdir().expect("a directory");
    let pkg_config = Command::new("pkg-config")
        .args(["--libs", "xmprt"])
        .env("PKG_CONFIG_PATH", toolchain().pkg_config_dir())
        .output()
        .expect("pkg-config runs");
    assert!(pkg_config.status.success(), "{}", String::from_utf8_lossy(&pkg_config.stderr));
    let libraries = String::from_utf8(pkg_config.stdout).expect("a text");
    let mut arguments = vec![OsString::from("-fcoarray=lib")];
    arguments.extend(["support/checks", NAME].map(|name| fortran_source(name).into_os_string()));
    arguments.extend(libraries.split_whitespace().map(OsString::from));
    arguments.extend(["-o", "program"].map(OsString::from));
    compile(directory.path(), toolchain().fortran(), &arguments);
    Run::new(directory.path().join("program")).images(3).finish().succeeded().silent();
}

#[test]
fn show_prints_the_command_that_would_run() {
    let directory = tempfile::tempdir().expect("a directory");
    let command = Command::new(toolchain().xmpfc())
        .args(["--show", "-O1"])
        .args([fortran_source("support/checks"), fortran_source(NAME)])
        .args(["-o", "program"])
        .current_dir(directory.path())
        .output()
        .expect("xmpfc runs");
    assert!(command.status.success(), "{}", String::from_utf8_lossy(&command.stderr));
    let line = String::from_utf8(command.stdout).expect("a text");
    assert!(line.starts_with(&toolchain().fortran()) && line.contains("-fcoarray=lib"), "{line}");
    assert!(!directory.path().join("program").exists(), "--show has compiled");
    // It is a command for the shell, and does what xmpfc would have done.
    compile(directory.path(), "/bin/sh", &["-c", &line]);
    Run::new(directory.path().join("program")).images(2).finish().succeeded().silent();
}

#[test]
fn the_manual_pages_of_the_wrappers_name_all_their_options() {
    for (wrapper, page) in [(toolchain().xmpfc(), "xmpfc.1"), (toolchain().xmpcc(), "xmpcc.1")] {
        let page = fs::read_to_string(workspace().join("ffi/man").join(page)).expect("a page");
        let page = page.replace("\\-", "-");
        let help = output_of(wrapper, ["--help"]);
        let options = help.lines().filter_map(|line| line.trim_start().split_once("  "));
        let options: Vec<_> = options.map(|(first, _)| first).collect();
        let options: Vec<_> = options.iter().filter(|first| first.starts_with('-')).collect();
        assert!(options.len() >= 4, "{help}");
        for option in options {
            assert!(page.contains(*option), "{option}: {page}");
        }
    }
}

#[test]
fn another_coarray_option_given_to_xmpfc_is_overridden_with_a_warning() {
    let program = fortran_source("control/echo");
    for option in ["-fcoarray=single", "-fcoarray=none"] {
        let directory = tempfile::tempdir().expect("a directory");
        let output = Command::new(toolchain().xmpfc())
            .args([option, "-o", "program"])
            .arg(&program)
            .current_dir(directory.path())
            .output()
            .expect("xmpfc runs");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{message}");
        assert!(message.contains("xmpfc: warning") && message.contains(option), "{message}");
        let run = Run::new(directory.path().join("program")).images(3);
        run.finish().succeeded().stdout_lines(&["1 of 3", "2 of 3", "3 of 3"]);
    }
    let output =
        Command::new(toolchain().xmpfc()).args(["--show", "-fcoarray=lib", "a.f90"]).output();
    assert!(output.expect("xmpfc runs").stderr.is_empty());
}

/// The two files of `linking/scopes` and their main program in a directory: compiled one by one by `compiler`, if there is one.
fn scopes(directory: &Path, compiler: Option<&Path>) -> Vec<OsString> {
    let text = fs::read_to_string(fortran_source("linking/scopes")).expect("the source");
    for name in ["one", "other"] {
        let text = text.replace("NAME", name);
        fs::write(directory.join(format!("{name}.f90")), text).expect("a file");
    }
    let main = fortran_source("linking/scopes_main").into_os_string();
    let Some(compiler) = compiler else {
        return vec!["one.f90".into(), "other.f90".into(), main];
    };
    for name in ["one", "other"] {
        let source = format!("{name}.f90");
        compile(directory, compiler, &["-fcoarray=lib", "-fPIC", "-c", &source]);
    }
    vec!["one.o".into(), "other.o".into(), main]
}

#[test]
fn saved_coarrays_within_associate_and_block_link_and_belong_to_their_files() {
    if left_out_with(
        15..,
        "puts to coarrays of modules in their procedures",
        "the compiler crashes",
    ) {
        return;
    }
    let (xmpfc, plain) = (toolchain().xmpfc(), PathBuf::from(toolchain().fortran()));
    for compiler in [None, Some(&*xmpfc), Some(&*plain)] {
        for more in [&[][..], &["-static-xmp"]] {
            let directory = tempfile::tempdir().expect("a directory");
            let mut arguments = scopes(directory.path(), compiler);
            arguments.extend(["-o", "program"].iter().chain(more).map(OsString::from));
            compile(directory.path(), &xmpfc, &arguments);
            let run = Run::new(directory.path().join("program")).images(3);
            run.finish().succeeded().silent();
        }
    }
    let directory = tempfile::tempdir().expect("a directory");
    let mut arguments = scopes(directory.path(), None);
    let main = arguments.pop().expect("the main program");
    arguments.extend(["-shared", "-fPIC", "-o", "library.so"].map(OsString::from));
    compile(directory.path(), &xmpfc, &arguments);
    let library = directory.path().join("library.so").into_os_string();
    compile(directory.path(), &xmpfc, &[main, library, "-o".into(), "program".into()]);
    Run::new(directory.path().join("program")).images(2).finish().succeeded().silent();
}

#[test]
fn xmprun_names_a_program_that_has_one_image_only() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = fortran_source("control/echo").into_os_string();
    let arguments = ["-fcoarray=single", "-o", "program"].map(OsString::from);
    compile(directory.path(), toolchain().fortran(), &[&arguments[..], &[source]].concat());
    let outcome = Run::new(directory.path().join("program")).images(3).finish();
    outcome.succeeded().stdout_lines(&["1 of 1", "1 of 1", "1 of 1"]);
    outcome.stderr_line_with(&["no process of this job executed as an image", "xmpfc"]);
    assert_eq!(outcome.stderr.matches("xmp: warning: ").count(), 1, "{outcome:?}");
}

#[test]
fn xmpfc_gives_the_coarray_option_only_where_fortran_is_compiled_or_linked() {
    let option_for = |arguments: &[&str]| {
        let shown = output_of(toolchain().xmpfc(), [&["--show"], arguments].concat());
        shown.contains("-fcoarray=lib")
    };
    for fortran in [
        &["-c", "a.f90"][..],
        &["-E", "a.F90"],
        &["a.f", "b.c"],
        &["-x", "f95", "a.c"],
        &["a.o"],
        &["-c", "-I", "include.c", "a.FOR"],
        &["-v"],
    ] {
        assert!(option_for(fortran), "{fortran:?}");
    }
    for c in [&["-c", "a.c"][..], &["-E", "a.c", "-o", "a.f90"], &["-c", "a.cpp"], &["a.c", "b.o"]]
    {
        assert!(!option_for(c), "{c:?}");
    }
    // What is compiled without the option is linked as ever.
    let shown = output_of(toolchain().xmpfc(), ["--show", "a.c", "b.o"]);
    assert!(shown.contains("-lxmprt"), "{shown}");
}

/// What says that gfortran 16 or later has compiled a program, for the library.
const SINCE_16: &str = "xmp_gfortran_abi=16";

#[test]
fn programs_of_gfortran_16_are_marked() {
    // A compiler that knows nothing but its version. Another process makes it: what this one has written may be open
    // still in a child that another test is starting, and what is open for writing cannot be executed.
    let directory = tempfile::tempdir().expect("a directory");
    let (text, compiler) = (directory.path().join("text"), directory.path().join("a-compiler"));
    let script = "#!/bin/sh\n[ \"$1\" = -dumpversion ] && echo \"$VERSION\"\n";
    fs::write(&text, script).expect("it can be written");
    output_of("install", ["-m".as_ref(), "755".as_ref(), text.as_os_str(), compiler.as_os_str()]);
    for (version, marked) in [
        ("12", false),
        ("15.3.0", false),
        ("16", true),
        ("16.0.1", true),
        ("17", true),
        ("100.2", true),
        ("", false),
        ("none", false),
    ] {
        let command = |wrapper: PathBuf, variable: &str, arguments: &[&str]| {
            let output = Command::new(wrapper)
                .env(variable, &compiler)
                .env("VERSION", version)
                .args([&["--show"], arguments].concat())
                .output()
                .expect("the wrapper runs");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).expect("a text").contains(SINCE_16)
        };
        let linked = command(toolchain().xmpfc(), "XMP_FC", &["a.f90"]);
        assert_eq!(linked, marked, "version {version:?}");
        assert!(
            !command(toolchain().xmpfc(), "XMP_FC", &["-c", "a.f90"]),
            "not when it only compiles"
        );
        assert!(!command(toolchain().xmpcc(), "XMP_CC", &["a.c"]), "not what a C compiler links");
    }
}

#[test]
fn pkg_config_has_the_mark_of_gfortran_16() {
    let pkg_config = |package: &str| {
        let output = Command::new("pkg-config")
            .args(["--libs", package])
            .env("PKG_CONFIG_PATH", toolchain().pkg_config_dir())
            .output()
            .expect("pkg-config runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("a text")
    };
    let (usual, since_16) = (pkg_config("xmprt"), pkg_config("xmprt-gfortran16"));
    assert!(since_16.contains("-lxmprt") && since_16.contains(SINCE_16), "{since_16}");
    assert!(!usual.contains(SINCE_16), "{usual}");
}

#[test]
fn objects_are_compiled_and_linked_in_steps() {
    let directory = tempfile::tempdir().expect("a directory");
    for source in ["support/checks", NAME] {
        let source = fortran_source(source);
        compile(directory.path(), toolchain().xmpfc(), &["-c".as_ref(), source.as_os_str()]);
    }
    let objects = ["checks.o", "saved_coarrays.o", "-o", "program"];
    compile(directory.path(), toolchain().xmpfc(), &objects);
    Run::new(directory.path().join("program")).images(3).finish().succeeded().silent();
}

#[test]
fn compiler_errors_are_passed_on() {
    let output =
        Command::new(toolchain().xmpfc()).arg("no-such-file.f90").output().expect("xmpfc runs");
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("no-such-file.f90"));
}

#[test]
fn optimisation_does_not_matter() {
    for name in
        ["transfers/derived_components", "sync/sync_memory_flag", "collectives/co_reduce_derived"]
    {
        if left_out(&fortran_source(name)) {
            continue;
        }
        for level in ["-O0", "-O3"] {
            let program = Program::fortran(name).argument(level).build();
            Run::new(&program).images(3).finish().succeeded().silent();
        }
    }
}

#[test]
fn run_time_checks_of_the_compiler_may_be_on() {
    for name in ["transfers/strides", "transfers/vector_subscripts", "allocation/many_at_once"] {
        let program = Program::fortran(name).argument("-fcheck=all").argument("-g").build();
        Run::new(&program).images(2).finish().succeeded().silent();
    }
}
