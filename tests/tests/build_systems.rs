//! fpm, Meson and Make, and what pkg-config tells them. CMake has `cmake.rs`.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
use xmp_hosts::installed;
use xmp_tests::Run;
use xmp_tests::book::Chapter;
use xmp_tests::program::c_source;
use xmp_tests::project::{Project, assert_no_warning, heat_is_conserved, text_of};
use xmp_tests::python::Environment;
use xmp_tests::toolchain::{output_of, toolchain, workspace};

#[test]
fn fpm_builds_runs_and_tests_with_xmpcaf() {
    if !installed(&["fpm"]) {
        return;
    }
    let project = Project::template("fpm");
    // fpm compiles C with the same command as Fortran.
    project.write("src/unused.c", "int unused(void) { return 0; }\n");
    for profile in ["debug", "release"] {
        let fpm = |command: &str, more: &[&str]| {
            let usual = [command, "--verbose", "--compiler", "xmpcaf", "--profile", profile];
            project.run("fpm", &[&usual, more].concat())
        };
        assert_no_warning(&fpm("build", &[]));
        let run = fpm("run", &["--runner", "xmprun -n 4"]);
        assert!(run.contains("4 images: heat 1.000000"), "{run}");
        let test = fpm("test", &["--runner", "xmprun -n 4"]);
        assert!(test.contains("PASS with 4 images"), "{test}");
    }
}

#[test]
fn meson_builds_the_template_also_where_opencoarrays_is_installed() {
    if !installed(&["meson", "ninja", "pkg-config"]) {
        return;
    }
    for fortran in [OsString::from(toolchain().fortran()), "xmpfc".into()] {
        let mut project = Project::template("meson");
        project.fortran = fortran;
        // What Meson asks pkg-config for first when the dependency is called coarray.
        let other =
            "Name: other\nDescription: OpenCoarrays\nVersion: 2.10\nCflags: -fcoarray=none\n";
        project.write("caf-openmpi.pc", other);
        let path = format!("PKG_CONFIG_PATH={}", project.path().display());
        assert_no_warning(&project.run("env", &[&path, "meson", "setup", "build"]));
        project.run("meson", &["compile", "-C", "build"]);
        project.run("meson", &["test", "-C", "build"]);
        project.heat_runs("build/heat");
    }
}

#[test]
fn meson_finds_the_dependency_coarray() {
    if !installed(&["meson", "ninja", "pkg-config"]) {
        return;
    }
    let project = Project::template("meson");
    let file = "meson.build";
    let text = fs::read_to_string(project.path().join(file)).expect("the template");
    let [ours, general] = ["dependency('caf')", "dependency('coarray', method: 'pkg-config')"];
    assert!(text.contains(ours), "{text}");
    project.write(file, &text.replace(ours, general));
    assert_no_warning(&project.run("meson", &["setup", "build"]));
    project.run("meson", &["compile", "-C", "build"]);
    project.heat_runs("build/heat");
}

#[test]
fn meson_finds_the_dependency_xmprt_for_c() {
    if !installed(&["meson", "ninja", "pkg-config", "cc"]) {
        return;
    }
    let project = Project::empty();
    project.write(
        "meson.build",
        "project('c', 'c')\nexecutable('program', 'main.c', dependencies: dependency('xmprt'))\n",
    );
    project.write(
        "main.c",
        "#include <xmprt.h>\nint main(void) { return xmprt_num_images(XMPRT_CURRENT) != 2; }\n",
    );
    project.run("meson", &["setup", "build"]);
    assert_no_warning(&project.run("meson", &["compile", "-C", "build"]));
    Run::new(project.path().join("build/program")).images(2).finish().succeeded().silent();
}

/// The commands of the page about Python. f2py of NumPy 1.26 and later can build with Meson 1.1; Debian 12 has older
/// ones.
#[test]
fn f2py_makes_modules_with_coarrays_by_meson() {
    if !installed(&["pkg-config"]) {
        return;
    }
    let Some(environment) = Environment::with(&["numpy", "meson", "ninja"]) else { return };
    let blocks = Chapter::read("python").blocks().into_iter();
    let mut commands = blocks.filter(|block| block.language == "sh").flat_map(|block| block.lines);
    let (build, run) = (commands.next().expect("f2py"), commands.next().expect("xmprun"));
    assert!(build.contains("numpy.f2py") && run.contains("import sums"), "{build}; {run}");
    let mut project = Project::empty();
    project.fortran = "xmpfc".into();
    project.write(
        "sums.f90",
        "subroutine total(mine, all)\n real(8), intent(in) :: mine\n real(8), intent(out) :: all\n \
         all = mine\n call co_sum(all)\nend subroutine\n",
    );
    // gfortran 16 calls some functions with other arguments.
    let is_16 = toolchain().gfortran_version().is_some_and(|version| version >= 16);
    let build = build.replace("xmprt", if is_16 { "xmprt-gfortran16" } else { "xmprt" });
    let path = format!("PATH='{}':$PATH", environment.path().join("bin").display());
    let execute = |command: &str| project.run("sh", &["-c", &format!("{path}; {command}")]);
    execute(&build);
    let printed = execute(&run);
    assert_eq!(printed.matches("8.0").count(), 4, "{printed}");
}

#[test]
fn make_builds_with_what_pkg_config_says() {
    if !installed(&["make", "pkg-config"]) {
        return;
    }
    for fortran in [OsString::from(toolchain().fortran()), "xmpfc".into()] {
        let mut project = Project::template("make");
        project.fortran = fortran;
        project.run("make", &["all"]);
        let tested = project.run("make", &["test"]);
        assert!(tested.contains("PASS with 4 images"), "{tested}");
        project.heat_runs("heat");
    }
}

#[test]
fn make_and_meson_mark_programs_of_gfortran_16() {
    let meson = workspace().join("examples/build/meson/meson.build");
    let meson = fs::read_to_string(meson).expect("the template");
    assert!(meson.contains("version_compare('>=16')") && meson.contains("xmprt-gfortran16"));
    if !installed(&["make", "pkg-config"]) {
        return;
    }
    let mut project = Project::template("make");
    for (version, marked) in [("12", false), ("15.3.0", false), ("16", true), ("17.0.1", true)] {
        // `make -n` asks the compiler for its version only.
        let compiler = format!("compiler-{version}");
        project.write("text", &format!("#!/bin/sh\necho {version}\n"));
        project.run("install", &["-m", "755", "text", &compiler]);
        project.fortran = format!("./{compiler}").into();
        let commands = project.run("make", &["-n", "heat"]);
        assert!(commands.contains(&compiler), "{commands}");
        assert_eq!(commands.contains("xmp_gfortran_abi=16"), marked, "{version}: {commands}");
    }
}

/// The words that pkg-config prints.
fn pkg_config(project: &Project, arguments: &[&str]) -> Vec<OsString> {
    let words = project.run("pkg-config", arguments);
    words.split_whitespace().map(OsString::from).collect()
}

#[test]
fn libraries_of_pkg_config_may_stand_before_the_objects() {
    if !installed(&["pkg-config"]) {
        return;
    }
    let project = Project::template("make");
    let sources = ["src/rod.f90", "app/main.f90"].map(OsString::from).to_vec();
    let options = pkg_config(&project, &["--cflags", "caf"]);
    let shared = pkg_config(&project, &["--libs", "caf"]);
    let archives = pkg_config(&project, &["--static", "--libs", "caf"]);
    for (mode, libraries) in [("-Wl,--as-needed", shared), ("-static", archives)] {
        let orders = [[&sources, &libraries], [&libraries, &sources]];
        for (number, order) in orders.into_iter().enumerate() {
            let program = project.path().join(format!("heat{mode}{number}"));
            let mut command = Command::new(toolchain().fortran());
            command.arg(mode).args(&options).args(order.into_iter().flatten());
            let linked = command.arg("-o").arg(&program).current_dir(project.path()).output();
            let linked = linked.expect("the compiler runs");
            assert!(linked.status.success(), "{command:?}: {}", text_of(&linked));
            heat_is_conserved(&program);
        }
    }
}

#[test]
fn libraries_of_pkg_config_come_before_those_of_mpi_in_either_place() {
    if !installed(&["pkg-config"]) {
        return;
    }
    let source = c_source("mpi_mixed").into_os_string();
    for compiler in ["mpicc.openmpi", "mpicc.mpich"] {
        if !installed(&[compiler]) {
            continue;
        }
        let project = Project::empty();
        let words = pkg_config(&project, &["--cflags", "--libs", "xmprt"]);
        let source = vec![source.clone()];
        for order in [[&source, &words], [&words, &source]] {
            let program = project.path().join("program");
            let mut command = Command::new(compiler);
            command.args(order.into_iter().flatten()).arg("-o").arg(&program);
            let linked = command.output().expect("the compiler runs");
            assert!(linked.status.success(), "{command:?}: {}", text_of(&linked));
            // The first of the needed libraries that defines MPI_Init is the one that the program calls.
            let dynamic = output_of("readelf", [Path::new("-d"), &program]);
            let needed: Vec<&str> =
                dynamic.lines().filter(|line| line.contains("(NEEDED)")).collect();
            let place = |name: &str| needed.iter().position(|line| line.contains(name));
            let (ours, mpi) = (place("libxmprt.so"), place("libmpi"));
            assert!(ours.is_some() && ours < mpi, "{compiler}: {needed:?}");
        }
    }
}
