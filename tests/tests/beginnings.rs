//! How images begin whose main program is not gfortran's: no put comes before the initial value of its coarray.

use serial_test::serial;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use xmp_hosts::installed;
use xmp_tests::Run;
use xmp_tests::hosts::mpis_with_plugin;
use xmp_tests::program::{c_source, fortran_source};
use xmp_tests::toolchain::toolchain;

/// Numbers of images, and of virtual hosts.
const JOBS: [(u32, u32); 5] = [(1, 1), (2, 1), (3, 1), (5, 1), (4, 2)];

/// A directory with the objects of the procedures, and of a constructor that some images leave late.
struct Objects(TempDir);

impl Objects {
    fn compiled() -> Objects {
        let objects = Objects(tempfile::tempdir().expect("a directory"));
        let options = ["-c", "-fPIC", "-O2"].map(OsString::from);
        for (compiler, source) in [
            (toolchain().xmpfc(), fortran_source("control/put_at_once")),
            (PathBuf::from("cc"), c_source("slow_constructor")),
            (PathBuf::from("cc"), c_source("puts_at_once")),
        ] {
            objects.run(compiler, options.iter().cloned().chain([source.into_os_string()]));
        }
        objects
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Runs a command in the directory, which must succeed.
    fn run<S: AsRef<OsStr>>(
        &self,
        command: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = S>,
    ) {
        let output = Command::new(command).args(arguments).current_dir(self.path()).output();
        let output = output.expect("the command runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// The program, linked by the wrapper, whose object waits for the images.
    fn program(&self) -> PathBuf {
        let arguments = ["puts_at_once.o", "slow_constructor.o", "put_at_once.o", "-o", "program"];
        self.run(toolchain().xmpfc(), arguments);
        self.path().join("program")
    }

    /// The program as pkg-config has it linked: the first operation waits.
    fn without_the_wrapper(&self) -> PathBuf {
        let pkg_config = Command::new("pkg-config")
            .args(["--libs", "caf"])
            .env("PKG_CONFIG_PATH", toolchain().pkg_config_dir())
            .output()
            .expect("pkg-config runs");
        let libraries = String::from_utf8(pkg_config.stdout).expect("a text");
        let objects = ["puts_at_once.o", "slow_constructor.o", "put_at_once.o", "-o", "by-hand"];
        self.run(toolchain().fortran(), objects.into_iter().chain(libraries.split_whitespace()));
        self.path().join("by-hand")
    }

    /// A shared library of the procedures.
    fn library(&self, name: &str) -> PathBuf {
        self.run(
            toolchain().xmpfc(),
            ["-shared", "slow_constructor.o", "put_at_once.o", "-o", name],
        );
        self.path().join(name)
    }

    /// A run in which only one image leaves the first constructor at once.
    fn with_one_fast_image(&self, run: Run) -> Run {
        let file = tempfile::NamedTempFile::new_in(self.path()).expect("a file");
        // The image makes it anew.
        let path = file.path().to_path_buf();
        drop(file);
        run.env("FIRST", path)
    }

    fn runs_right(&self, run: impl Fn() -> Run) {
        for (images, hosts) in JOBS {
            let run = run().images(images).virtual_hosts(hosts);
            self.with_one_fast_image(run).finish().succeeded().silent();
        }
    }
}

#[test]
fn a_put_of_a_c_main_program_comes_after_the_initial_values() {
    let objects = Objects::compiled();
    for program in [objects.program(), objects.without_the_wrapper()] {
        objects.runs_right(|| Run::new(&program));
    }
}

#[test]
fn a_put_of_a_library_that_is_opened_comes_after_its_initial_values() {
    let objects = Objects::compiled();
    let libraries = [objects.library("libfirst.so"), objects.library("libsecond.so")];
    objects.run("cc", ["puts_at_once.o", "-o", "opens", "-ldl"]);
    let program = objects.path().join("opens");
    objects.runs_right(|| Run::new(&program).args(&libraries));
    // A library that the program is linked with, and one that it opens when it has begun.
    let arguments = [
        "puts_at_once.o",
        "-Wl,--no-as-needed",
        "./libfirst.so",
        "-o",
        "linked",
        "-ldl",
        "-Wl,-rpath,.",
    ];
    objects.run(toolchain().xmpcc(), arguments);
    let run =
        || Run::new("/bin/sh").args(["-c", "cd \"$0\" && exec ./linked"]).args([objects.path()]);
    objects.runs_right(run);
}

#[test]
fn a_put_of_a_python_program_comes_after_the_initial_values() {
    if !installed(&["python3"]) {
        return;
    }
    let objects = Objects::compiled();
    let library = objects.library("libring.so");
    let text = "import ctypes, sys\n\
                library = ctypes.CDLL(sys.argv[1])\n\
                assert library.put_to_next() > 0, 'a put was lost'\n\
                library.post_to_others(0)\n";
    objects.runs_right(|| Run::new("/usr/bin/env").args(["python3", "-c", text]).args([&library]));
}

#[test]
fn an_image_that_returns_from_its_main_program_at_once_is_waited_for() {
    let objects = Objects::compiled();
    for program in [objects.program(), objects.without_the_wrapper()] {
        for (images, hosts) in [(2, 1), (3, 1), (5, 1), (4, 2)] {
            let run = Run::new(&program).images(images).virtual_hosts(hosts);
            let run = run.env("LEAVES", objects.path().join(format!("left-{images}-{hosts}")));
            objects.with_one_fast_image(run).finish().succeeded().silent();
        }
        for (images, hosts) in [(2, 1), (3, 1), (5, 1), (4, 2)] {
            let left = objects.path().join(format!("left-{images}-{hosts}"));
            std::fs::remove_file(left).expect("an image has left");
        }
    }
}

#[test]
#[serial]
fn under_mpi_a_put_of_a_c_main_program_comes_after_the_initial_values() {
    let objects = Objects::compiled();
    for program in [objects.program(), objects.without_the_wrapper()] {
        for mpirun in mpis_with_plugin() {
            objects.runs_right(|| Run::new(&program).mpirun(&mpirun));
        }
    }
}
