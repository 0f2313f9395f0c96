//! The start of jobs on several hosts, also in an allocation of Slurm, and what images have there.

use super::{ends, in_slurm, on, stand_ins};
use serial_test::serial;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use xmp_tests::hosts::network;
use xmp_tests::{Outcome, Program, Run, processes};

/// A program for another kind of processor: the head of an ELF file for SPARC, and no more.
const FOREIGN: &[u8] = b"\x7fELF\x02\x02\x01\0\0\0\0\0\0\0\0\0\0\x02\0\x2b\0\0\0\x01";

#[test]
fn images_have_input_output_arguments_and_environment() {
    let place = stand_ins();
    let echo = Program::fortran("control/echo").build();
    let lines = ["1 read one", "1 read two", "1 of 3", "2 of 3", "3 of 3"];
    for hosts in ["a:2,b:1", "noisy:1,localhost:1,b:1"] {
        let run = on(&place, hosts, &echo).input("one\ntwo\n");
        run.finish().succeeded().stdout_lines(&lines);
    }
    let input: String = (0..50_000).map(|number| format!("line {number}\n")).collect();
    let outcome =
        on(&place, "a,b:1", &echo).launcher_option("-n").launcher_option("2").input(input).finish();
    let read =
        outcome.succeeded().stdout.lines().filter(|line| line.starts_with("1 read line ")).count();
    assert_eq!(read, 50_000);
    let prefixed = on(&place, "a:1,b:1", &echo).launcher_option("--prefix-output").input("x\n");
    let outcome = prefixed.finish();
    outcome.succeeded().stdout_lines(&["[1] 1 read x", "[1] 1 of 2", "[2] 2 of 2"]);
    let script = ["-c", r#"echo "$GREETING,$1,$2,$#,$PWD""#, "sh", "two words", ""];
    let run = on(&place, "a:1,b:1", "/bin/sh").args(script).env("GREETING", "it's");
    let line = "it's,two words,,2,/";
    run.launcher_option("--wdir")
        .launcher_option("/")
        .finish()
        .succeeded()
        .stdout_lines(&[line, line]);
}

#[test]
fn hosts_of_a_file_are_reached_in_a_tree() {
    let place = stand_ins();
    let file = place.path().join("hosts");
    fs::write(&file, "a slots=1\nb\nb\n# c\nd:1\ne\n").unwrap();
    let program = Program::fortran("collectives/co_sum_large").build();
    let run = Run::new(program).launcher_option("--hostfile").launcher_option(&file);
    let run = run.env("XMP_SSH", place.path().join("remote")).env("XMP_SSH_FAN_OUT", "2");
    run.env("XMP_VIRTUAL_HOSTS", "2").finish().succeeded();
}

#[test]
fn a_host_that_cannot_be_used_is_named_with_the_remedy() {
    let place = stand_ins();
    for (host, words) in [
        ("unknown", &["check the name", "Could not resolve"][..]),
        ("refusing", &["ssh-copy-id refusing", "publickey"]),
        ("down", &["cannot be reached", "No route"]),
        ("bare", &["there is no", "install XMP-RT", "/nowhere/xmprun"]),
        ("old", &["XMP-RT 0.0.9", "same version"]),
        ("mute", &["no answer from mute"]),
    ] {
        let run = on(&place, &format!("a:1,{host}:1"), "/bin/true").env("XMP_HOST_TIMEOUT", "2");
        let outcome = run.finish();
        assert!(!outcome.status.success(), "{outcome:?}");
        outcome.stderr_line_with(&[&[host], words].concat()).stdout_is("");
    }
    for (hosts, words) in [
        ("a,b,a", ["a is named twice", "a:2"]),
        ("a:0,b", ["0", "leave the host out"]),
        ("a b", ["a b", "no name"]),
    ] {
        on(&place, hosts, "/bin/true").finish().exited_with(2).stderr_line_with(&words);
    }
    for transport in ["shm", "mpich"] {
        let run = on(&place, "a,b", "/bin/true").env("XMP_TRANSPORT", transport);
        run.finish().exited_with(2).stderr_line_with(&["XMP_TRANSPORT", "several"]);
    }
}

/// A host that is overloaded, or whose processes are stopped.
#[test]
fn a_host_whose_images_do_not_meet_the_others_in_time_is_named() {
    let place = stand_ins();
    let script = r#"[ "$XMPRT_MANAGER_RANK" -ge 1 ] && exec sleep 600; exec "$0""#;
    let program = Program::fortran("sync/sync_all").build();
    let run = on(&place, "a:1,b:2", "/bin/sh").args([
        "-c".as_ref(),
        script.as_ref(),
        program.as_os_str(),
    ]);
    let outcome = run.env("XMP_KILL_GRACE", "300").finish();
    assert!(!outcome.status.success(), "{outcome:?}");
    outcome.stderr_line_with(&["images 2-3 on b have not met the others in time", "overloaded"]);
}

/// Shells do not agree: bash names the fault, and others read the file as a script.
#[test]
fn a_host_with_another_kind_of_processor_is_named() {
    let place = stand_ins();
    let foreign = place.path().join("foreign");
    fs::write(&foreign, FOREIGN).expect("a file");
    fs::set_permissions(&foreign, fs::Permissions::from_mode(0o755)).expect("permissions");
    for shell in ["/bin/sh", "/bin/bash"] {
        let run = on(&place, "a:1,foreign:1", "/bin/true").env("FOREIGN", &foreign);
        let outcome = run.env("REMOTE_SHELL", shell).finish();
        assert!(!outcome.status.success(), "{outcome:?}");
        outcome.stderr_line_with(&["foreign", "another kind of processor"]);
    }
    // The program of the images.
    let outcome = on(&place, "a:1,b:1", &foreign).finish();
    outcome.exited_with(126).stderr_line_with(&["foreign", "Exec format error"]);
}

#[test]
fn the_live_table_is_refused_with_what_shows_all_hosts() {
    let place = stand_ins();
    let run = on(&place, "a:1,b:1", "/bin/true").launcher_option("--watch");
    run.finish().exited_with(2).stderr_line_with(&["--watch", "one host", "SIGUSR1"]);
}

#[test]
fn a_job_in_which_no_process_is_an_image_is_named_once() {
    let place = stand_ins();
    let run = || on(&place, "a:2,b:1", "/bin/true");
    let words = ["no process of this job executed as an image", "3 copies"];
    let outcome = run().finish();
    outcome.succeeded().stderr_line_with(&words);
    assert_eq!(outcome.stderr.matches(words[0]).count(), 1, "{}", outcome.stderr);
    run().launcher_option("-q").finish().succeeded().silent();
    let program = Program::fortran("sync/sync_all").build();
    on(&place, "a:2,b:1", program).finish().succeeded().stderr_without(words[0]);
    on(&place, "a:2,b:1", "/bin/false").finish().exited_with(1).stderr_without(words[0]);
}

#[test]
fn more_images_than_slots_are_a_warning() {
    let place = stand_ins();
    let run = || on(&place, "a:1,b:2", "/bin/true").launcher_option("-n").launcher_option("6");
    run().finish().succeeded().stderr_line_with(&["warning", "6 images for 3 slots", "-n 3"]);
    run().launcher_option("-q").finish().succeeded().silent();
}

/// Users of a host see the command lines of all processes, and root and the user their environments.
#[test]
#[serial]
fn the_secret_is_in_no_command_line_and_no_environment() {
    let place = stand_ins();
    let mut job = in_slurm(&place, "/bin/sh").args(["-c", "echo ready; exec sleep 600"]).start();
    job.lines_after("ready", 4);
    let invitation = fs::read(place.path().join("input")).unwrap();
    let invitation = invitation.trim_ascii();
    // Behind the port.
    let secret = &invitation[4..36];
    assert!(secret.iter().all(u8::is_ascii_hexdigit));
    let all = job.processes();
    assert!(all.len() >= 7, "{}", processes::describe(&all));
    for pid in all {
        for file in ["cmdline", "environ"] {
            let text = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
            assert!(!text.windows(secret.len()).any(|part| part == secret), "{file} of {pid}");
        }
    }
    job.signal(libc::SIGTERM);
    job.finish().exited_with(143);
}

#[test]
#[serial]
fn images_of_hosts_that_share_no_memory_exchange_data() {
    let Some(network) = network(2) else { return };
    for name in ["sync/sync_all", "collectives/co_sum_large"] {
        let program = Program::fortran(name).build();
        Run::new(&program).xmprun_on(&network, &[2, 2]).finish().succeeded();
    }
    let check = |way: &str, who: &str, check: &dyn Fn(&Outcome)| {
        let run = Run::new(ends()).xmprun_on(&network, &[2, 2]).args([way, who, "sync-all"]);
        let run = run.env("XMP_KILL_GRACE", "300").env("XMP_FAILURE_GRACE", "300");
        check(&run.finish());
    };
    check("error-stop-9", "3", &|outcome| _ = outcome.exited_with(9));
    check("kill", "4", &|outcome| {
        outcome.exited_with(137).stderr_line_with(&["image 4", "SIGKILL"]);
    });
}

#[test]
#[serial]
fn in_an_allocation_of_slurm_srun_starts_images_on_all_nodes() {
    let place = stand_ins();
    let echo = Program::fortran("control/echo").build();
    let lines = ["1 read one", "1 of 4", "2 of 4", "3 of 4", "4 of 4"];
    in_slurm(&place, echo).input("one\n").finish().succeeded().stdout_lines(&lines);
    let arguments = fs::read_to_string(place.path().join("arguments")).unwrap();
    for word in ["--overlap", "--mpi=none", "--nodes=2", "--nodelist=n1,n2"] {
        assert!(arguments.contains(word), "{arguments}");
    }
    let outcome = in_slurm(&place, ends()).args(["error-stop-9", "4", "sync-all"]).finish();
    outcome.exited_with(9);
    // A step that cannot start.
    fs::write(
        place.path().join("srun"),
        "#!/bin/sh\necho srun: error: nodes are busy >&2\nexit 1\n",
    )
    .unwrap();
    let outcome = in_slurm(&place, "/bin/true").finish();
    outcome.exited_with(1).stderr_line_with(&["srun has started no job"]);
    assert!(outcome.stderr.contains("nodes are busy"), "{outcome:?}");
}

/// A step with the processors, devices and input of one task of the job would confine the images of a whole host.
#[test]
#[serial]
fn what_the_job_has_for_each_task_is_not_for_what_starts_the_images() {
    let place = stand_ins();
    let variables =
        ["SRUN_CPUS_PER_TASK", "SLURM_CPUS_PER_TASK", "SLURM_GPUS_PER_TASK", "SLURM_EXACT"];
    let variables = variables.into_iter().chain(["SLURM_STDINMODE", "SLURM_DISTRIBUTION"]);
    let run = in_slurm(&place, "/bin/sh").args(["-c", "env | grep -c '=only$'"]);
    let run = variables.clone().fold(run, |run, name| run.env(name, "only"));
    // The program has the environment of the job.
    run.finish().succeeded().stdout_lines(&["6", "6", "6", "6"]);
    let environment = fs::read_to_string(place.path().join("environment")).unwrap();
    assert!(environment.contains("SLURM_JOB_ID=7"), "{environment}");
    assert!(variables.into_iter().all(|name| !environment.contains(name)), "{environment}");
}
