//! Jobs that `xmprun` runs on several hosts without an MPI: its proxies are started by `ssh` and `srun`, for which scripts stand in.

use serial_test::serial;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use xmp_hosts::installed;
use xmp_tests::hosts::network;
use xmp_tests::{Outcome, Program, Run, processes};

/// Longer than anything takes.
const LIMIT: Duration = Duration::from_secs(120);

/// A program for another kind of processor: the head of an ELF file for SPARC, and no more.
const FOREIGN: &[u8] = b"\x7fELF\x02\x02\x01\0\0\0\0\0\0\0\0\0\0\x02\0\x2b\0\0\0\x01";

/// `ssh` for hosts that are this machine under other names, or that have the fault of which they have the name. It takes nothing along
/// of the environment but the mark of a run.
const SSH: &str = r#"#!/bin/sh
host=$1
shift
case $host in
  unknown) echo "ssh: Could not resolve hostname unknown: Name or service not known" >&2; exit 255 ;;
  refusing) echo "user@refusing: Permission denied (publickey)." >&2; exit 255 ;;
  down) echo "ssh: connect to host down port 22: No route to host" >&2; exit 255 ;;
  bare) set -- "exec /nowhere/xmprun --proxy pipes" ;;
  mute) exec sleep 600 ;;
  foreign) set -- "exec $FOREIGN --proxy pipes" ;;
  old)
    printf 'xmprun-proxy\n\033\000\000\000\000\000\000\000\001\000\000\000\005\000\000\0000.0.9\002\000\000\000vm\001\000\000\000'
    exec cat >/dev/null ;;
  noisy) echo "Welcome to the machine room"; echo "Last login: never" >&2 ;;
esac
exec env -i PATH="$PATH" HOME=/root TEST_RUN_MARK="$TEST_RUN_MARK" "${REMOTE_SHELL:-/bin/sh}" -c "$*"
"#;

/// `srun` that starts the tasks of all nodes here. It keeps its arguments and its standard input.
const SRUN: &str = r#"#!/bin/sh
umask 077
echo "$@" >"$FAKE/arguments"
cat >"$FAKE/input"
tasks=0
for word; do
  case $word in --ntasks=*) tasks=${word#*=} ;; esac
done
while case $1 in -*) true ;; *) false ;; esac; do shift; done
task=0
while [ $task -lt "$tasks" ]; do
  SLURM_STEP_ID=0 SLURM_NODEID=$task "$@" <"$FAKE/input" &
  task=$((task + 1))
done
wait
"#;

/// A directory with the stand-ins.
fn stand_ins() -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text) in [("remote", SSH), ("srun", SRUN)] {
        let path = directory.path().join(name);
        fs::write(&path, text).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
    }
    directory
}

/// A program on these hosts.
fn on(place: &TempDir, hosts: &str, program: impl AsRef<Path>) -> Run {
    let run = Run::new(program).launcher_option("--hosts").launcher_option(hosts);
    run.env("XMP_SSH", place.path().join("remote"))
}

fn ends() -> PathBuf {
    Program::fortran("control/ends").with("victim").build()
}

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
fn the_exit_status_is_the_programs() {
    let place = stand_ins();
    for (way, who, status) in [
        ("end", "0", 0),
        ("stop-7", "3", 7),
        ("error-stop-9", "2", 9),
        ("exit-11", "3", 11),
        ("run-time-error", "1", 2),
        ("kill", "3", 137),
    ] {
        let run =
            on(&place, "a:2,b:1", ends()).args([way, who, "end"]).env("XMP_KILL_GRACE", "300");
        let outcome = run.env("XMP_FAILURE_GRACE", "300").finish();
        assert_eq!(outcome.status.code(), Some(status), "{way}: {outcome:?}");
    }
    let run = |program: &str| on(&place, "a:1,b:1", program);
    run("/bin/false").finish().exited_with(1);
    run("./nothing").finish().exited_with(127).stderr_line_with(&["cannot start", "nothing"]);
    run("/etc/passwd").finish().exited_with(126).stderr_line_with(&["passwd"]);
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

#[test]
fn an_image_that_ends_before_the_others_have_met_ends_the_job() {
    let place = stand_ins();
    let script = r#"[ "$XMPRT_MANAGER_RANK" = 2 ] && exit 5; exec "$0""#;
    let program = Program::fortran("sync/sync_all").build();
    let run = on(&place, "a:2,b:1", "/bin/sh").args([
        "-c".as_ref(),
        script.as_ref(),
        program.as_os_str(),
    ]);
    run.finish().exited_with(5).stderr_line_with(&["image 3 on b", "before all images have met"]);
}

#[test]
#[serial]
fn signals_reach_all_images() {
    let place = stand_ins();
    // A shell that a terminal or a user ends, and one that handles a signal.
    for (signal, status) in [(libc::SIGINT, 130), (libc::SIGTERM, 143), (libc::SIGHUP, 129)] {
        let script = ["-c", "echo ready; exec sleep 600"];
        let mut job = on(&place, "a:1,b:1", "/bin/sh").args(script).start();
        job.lines_after("ready", 2);
        job.signal(signal);
        job.finish().exited_with(status);
    }
    let script = "trap 'echo got; exit 0' USR2; echo ready; while :; do sleep 0.1; done";
    let mut job = on(&place, "a:1,b:1", "/bin/sh").args(["-c", script]).start();
    job.lines_after("ready", 2);
    job.signal(libc::SIGUSR2);
    job.finish().succeeded().stdout_lines(&["got", "got", "ready", "ready"]);
}

#[test]
#[serial]
fn a_question_and_a_time_limit_show_what_images_wait_for() {
    let place = stand_ins();
    let program = Program::fortran("faults/hangs").build();
    let run = || {
        let run = on(&place, "a:2,b:2", &program).args(["event on one"]);
        run.env("XMP_DEADLOCK", "ignore").env("XMP_KILL_GRACE", "300")
    };
    let job = run().start();
    proxies_of(&job, 2);
    for _ in 0..100 {
        job.signal(libc::SIGUSR1);
        std::thread::sleep(Duration::from_millis(300));
        if job.stderr().contains("2-4 ") {
            break;
        }
    }
    job.wait_for_stderr("2-4 ", LIMIT);
    job.signal(libc::SIGTERM);
    job.finish().exited_with(143);
    let outcome = run().launcher_option("--timeout").launcher_option("3").finish();
    outcome.exited_with(124).stderr_line_with(&["2-4 "]);
    // Programs that are no images.
    let sleep = on(&place, "a:1,b:1", "/bin/sleep").args(["600"]);
    let outcome = sleep.launcher_option("--timeout").launcher_option("0.3").finish();
    outcome.exited_with(124).stderr_line_with(&["has run for"]);
}

/// Schedulers signal all processes of a job: `ssh`, proxies, monitors and images.
#[test]
#[serial]
fn signals_for_all_processes_lose_no_host_and_show_what_images_wait_for() {
    let place = stand_ins();
    let program = Program::fortran("faults/hangs").build();
    let run = on(&place, "a:2,b:2", program).args(["event on one"]);
    let job = run.env("XMP_DEADLOCK", "ignore").env("XMP_KILL_GRACE", "300").start();
    let begin = std::time::Instant::now();
    // An image that has just been started has the default of the signal, which ends it. Their monitors wait for signals.
    let are_ready = || {
        let all = job.processes();
        let has_children = |pid| all.iter().any(|&other| processes::parent(other) == pid);
        let mut images = all.iter().filter(|&&pid| !has_children(pid));
        images.all(|&pid| processes::survives(pid, libc::SIGUSR1))
    };
    proxies_of(&job, 2);
    while !are_ready() {
        assert!(begin.elapsed() < LIMIT, "{}", processes::describe(&job.processes()));
        std::thread::sleep(Duration::from_millis(20));
    }
    // Images report when they have got to their waits.
    while !job.stderr().contains("2-4 ") && begin.elapsed() < LIMIT {
        job.processes().into_iter().for_each(|pid| processes::signal(pid, libc::SIGUSR1));
        std::thread::sleep(Duration::from_millis(300));
    }
    job.wait_for_stderr("2-4 ", LIMIT);
    assert_eq!(proxies_of(&job, 2).len(), 2);
    job.processes().into_iter().for_each(|pid| processes::signal(pid, libc::SIGTERM));
    job.finish().exited_with(143).stderr_without("is lost");
}

#[test]
#[serial]
fn stacks_of_all_hosts_are_printed_once_for_all_images_that_have_them() {
    if !installed(&["gdb"]) {
        return;
    }
    let place = stand_ins();
    let program = Program::fortran("control/late").argument("-g").build();
    let mut job = on(&place, "a:2,b:2", program).start();
    job.lines_after("image ", 4);
    let proxy = proxies_of(&job, 2)[0].to_string();
    let pid = job.pid().to_string();
    let begin = std::time::Instant::now();
    let outcome = loop {
        let outcome = Run::xmprun(["--stacks", &pid]).finish();
        // The images may have been on their way to the statements.
        if outcome.stdout.contains("images 1, 3-4:\n  _gfortran_caf_sync_all")
            || begin.elapsed() > LIMIT
        {
            break outcome;
        }
    };
    // Those of one host.
    let of_one = Run::xmprun(["--stacks", &proxy]).finish();
    job.signal(libc::SIGTERM);
    job.finish();
    outcome.succeeded();
    assert!(outcome.stdout.contains("images 1, 3-4:\n  _gfortran_caf_sync_all"), "{outcome:?}");
    assert!(outcome.stdout.contains("image 2:\n"), "{outcome:?}");
    of_one.succeeded();
    assert!(of_one.stdout.contains("image"), "{of_one:?}");
    assert!(!of_one.stdout.contains("3-4"), "{of_one:?}");
}

#[test]
#[serial]
fn a_host_whose_proxy_dies_is_named_and_nothing_is_left() {
    let place = stand_ins();
    let program = Program::fortran("faults/hangs").build();
    let run = on(&place, "a:1,b:1", &program).args(["event on one"]).env("XMP_DEADLOCK", "ignore");
    // What a proxy that was killed has started is ended by the system, a moment later.
    let run = run.starting_mpi();
    for killed in [1, 2] {
        let job = run.clone().env("XMP_KILL_GRACE", "300").env("XMP_FAILURE_GRACE", "300").start();
        let proxies = proxies_of(&job, 2);
        processes::signal(proxies[killed - 1], libc::SIGKILL);
        let outcome = job.finish();
        assert!(!outcome.status.success(), "{outcome:?}");
        outcome.stderr_line_with(&["is lost"]);
    }
    // The launcher: its proxies end the images.
    let job = run.start();
    proxies_of(&job, 2);
    job.signal(libc::SIGKILL);
    job.finish().died_of(libc::SIGKILL);
}

/// The proxies of a job, when this many have started their images.
fn proxies_of(job: &xmp_tests::Running, count: usize) -> Vec<processes::Pid> {
    let is_proxy = |pid: &processes::Pid| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|&byte| byte == 0).any(|word| word == b"--proxy")
    };
    let begin = std::time::Instant::now();
    loop {
        let all = job.processes();
        let proxies: Vec<_> = all.iter().copied().filter(is_proxy).collect();
        let has_image =
            |proxy: &processes::Pid| all.iter().any(|&pid| processes::parent(pid) == *proxy);
        if proxies.len() == count && proxies.iter().all(has_image) {
            return proxies;
        }
        assert!(begin.elapsed() < LIMIT, "{}", processes::describe(&all));
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A job in an allocation of Slurm with two nodes of two tasks each.
fn in_slurm(place: &TempDir, program: impl AsRef<Path>) -> Run {
    let path = std::env::var("PATH").unwrap_or_default();
    let run = Run::new(program).launcher_option("--quiet").env("FAKE", place.path());
    run.env("PATH", format!("{}:{path}", place.path().display()))
        .env("SLURM_JOB_ID", "7")
        .env("SLURM_JOB_NODELIST", "n[1-2]")
        .env("SLURM_NTASKS", "4")
        .env("SLURM_TASKS_PER_NODE", "2(x2)")
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
