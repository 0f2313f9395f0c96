//! Processes of programs beside coarrays: fork, commands, threads that end, closed descriptors, other
//! rights, signals, exit handlers. Each is a clean end or an error in words; nothing hangs, nothing is left.

use serial_test::serial;
use std::ffi::CString;
use std::fs::{self, Permissions};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use xmp_hosts::{Requirement, skipped};
use xmp_tests::hosts::mpis_with_plugin;
use xmp_tests::processes::is_root;
use xmp_tests::{Linking, Outcome, Program, Run};

/// A user without rights.
const UNPRIVILEGED: u32 = 65534;

/// A job ends within this time of its fault, on a busy machine too.
const SOON: Duration = Duration::from_secs(120);

fn program() -> PathBuf {
    Program::c("processes").argument("-pthread").build()
}

/// Image 1 of 3 does it, under `xmprun`.
fn under_xmprun(arguments: &[&str]) -> Outcome {
    Run::new(program()).images(3).args(arguments).finish()
}

/// And under each MPI on two virtual hosts.
fn everywhere(arguments: &[&str], expected: impl Fn(&Outcome)) {
    expected(&under_xmprun(arguments));
    for mpirun in mpis_with_plugin() {
        let run = Run::new(program()).mpirun(&mpirun).images(3).virtual_hosts(2);
        expected(&run.args(arguments).finish());
    }
}

#[test]
#[serial]
fn a_forked_child_may_end_in_any_way() {
    everywhere(&["fork"], |outcome| {
        outcome.succeeded();
    });
}

#[test]
#[serial]
fn a_forked_child_that_calls_the_library_gets_an_error() {
    everywhere(&["fork-call"], |outcome| {
        outcome.succeeded();
        let reported = outcome.stderr.matches("a process that an image has forked").count();
        assert_eq!(reported, 3, "{}", outcome.stderr);
    });
}

#[test]
#[serial]
fn an_image_may_execute_commands() {
    everywhere(&["system"], |outcome| {
        outcome.succeeded();
    });
    let program = Program::fortran("control/commands").build();
    Run::new(&program).images(3).finish().succeeded().silent();
}

#[test]
#[serial]
fn a_coarray_program_that_an_image_starts_is_a_job_of_its_own() {
    let program = Program::fortran("control/starts_itself").build();
    Run::new(&program).finish().succeeded().silent();
    Run::new(&program).images(3).finish().succeeded().silent();
    for mpirun in mpis_with_plugin() {
        Run::new(&program).mpirun(&mpirun).images(3).finish().succeeded().silent();
    }
}

#[test]
#[serial]
fn an_image_lives_on_when_its_main_thread_has_ended() {
    under_xmprun(&["main-exits"]).succeeded().silent();
}

#[test]
#[serial]
fn any_thread_may_stop_the_image() {
    everywhere(&["thread-stops"], |outcome| {
        outcome.succeeded();
    });
}

#[test]
#[serial]
fn an_image_may_close_all_descriptors_but_the_standard_ones() {
    under_xmprun(&["close"]).succeeded().silent();
}

#[test]
#[serial]
fn handlers_of_signals_may_put_while_no_function_of_the_library_is_interrupted() {
    under_xmprun(&["signals"]).succeeded().silent();
}

#[test]
#[serial]
fn calls_in_exit_handlers_end() {
    for way in ["at-exit", "after-end"] {
        everywhere(&[way], |outcome| {
            outcome.succeeded().within(SOON);
        });
    }
}

#[test]
#[serial]
fn an_image_may_give_up_its_rights_and_its_root_directory() {
    if !is_root() {
        return skipped(Requirement::Root, "only root may change its rights");
    }
    let root = tempfile::tempdir().expect("a directory");
    let path = root.path().to_str().expect("a path in Unicode");
    under_xmprun(&["rights", path]).succeeded().silent();
}

/// Whether programs in this directory have no other rights than their users.
fn is_nosuid(directory: &Path) -> bool {
    let path = CString::new(directory.as_os_str().as_bytes()).expect("a path");
    let mut system = MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: a path and room for the answer, which is looked at if there is one.
    unsafe {
        libc::statvfs(path.as_ptr(), system.as_mut_ptr()) == 0
            && system.assume_init().f_flag & libc::ST_NOSUID != 0
    }
}

/// A copy of the program in this directory that runs with the rights of root for every user.
fn with_rights_of_root(directory: &Path) -> PathBuf {
    fs::set_permissions(directory, Permissions::from_mode(0o755)).expect("own directory");
    let copy = directory.join("program");
    let built = Program::c("processes").argument("-pthread").linking(Linking::StaticXmp).build();
    fs::copy(built, &copy).expect("a copy");
    fs::set_permissions(&copy, Permissions::from_mode(0o4755)).expect("own file");
    copy
}

#[test]
#[serial]
fn a_program_with_the_rights_of_another_user_does_not_believe_the_environment() {
    if !is_root() {
        return skipped(Requirement::Root, "only root can make a setuid program for others");
    }
    let directory = tempfile::tempdir().expect("a directory");
    if is_nosuid(directory.path()) {
        return skipped(Requirement::Setuid, "the directory of temporary files is mounted nosuid");
    }
    let program = with_rights_of_root(directory.path());
    let run = |name: &str, value: &str| {
        let mut command = Command::new(&program);
        command.arg("none").env_clear().env(name, value).uid(UNPRIVILEGED).gid(UNPRIVILEGED);
        let output = command.output().expect("it can be started");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (status, text) = run("HOME", "/");
    assert_eq!((status, text.as_str()), (Some(0), ""));
    for name in ["XMP_PLUGIN_DIR", "XMP_NUM_IMAGES", "XMP_LOG"] {
        let (status, text) = run(name, "3");
        assert_eq!(status, Some(0), "{text}");
        assert!(text.contains(&format!("xmp: {name} of the environment: ignored")), "{text}");
    }
    for (name, value) in [("XMP_JOB", "0:0"), ("OMPI_COMM_WORLD_RANK", "0")] {
        let (status, text) = run(name, value);
        assert_eq!(status, Some(2), "{name}: {text}");
        assert!(text.contains("cannot be an image of a job"), "{name}: {text}");
    }
}
