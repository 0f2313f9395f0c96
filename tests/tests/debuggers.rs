//! Debuggers: images that `xmprun --debug` runs under gdb, valgrind or rr (a stand-in for it), and the stacks of a running job.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use xmp_hosts::{Requirement, installed, skipped};
use xmp_tests::processes::is_root;
use xmp_tests::toolchain::toolchain;
use xmp_tests::{Outcome, Program, Run};

/// How long images may take to reach their statements on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn stacks_of_a_job_are_printed_once_for_all_images_that_have_them() {
    if !installed(&["gdb"]) {
        return;
    }
    let program = Program::fortran("control/late").argument("-g").build();
    let mut running = Run::new(program).images(4).start();
    running.lines_after("image ", 4);
    let pid = running.pid().to_string();
    let begun = Instant::now();
    let outcome = loop {
        let outcome = Run::xmprun(["--stacks", &pid]).finish();
        // The images may have been on their way to the statements.
        if outcome.stdout.contains("images 1, 3-4:\n  _gfortran_caf_sync_all")
            || begun.elapsed() > PATIENCE
        {
            break outcome;
        }
    };
    running.signal(libc::SIGTERM);
    running.finish();
    outcome.succeeded();
    let stacks: Vec<&str> = outcome.stdout.split("\nimage 2:\n").collect();
    let [others, second] = stacks[..] else { panic!("two stacks: {}", outcome.stdout) };
    assert!(others.starts_with("images 1, 3-4:\n  _gfortran_caf_sync_all"), "{others}");
    assert!(others.contains("\n  late at ") && others.contains("late.f90:7"), "{others}");
    assert!(second.contains("rest at ") && second.contains("late.f90:10"), "{second}");
    assert!(!outcome.stdout.contains("0x"), "no addresses: {}", outcome.stdout);
}

/// Image 1 is held where it waits for a post; then the post comes, and the others wait for image 1.
#[test]
fn an_image_that_gdb_holds_is_no_deadlock() {
    if !installed(&["gdb"]) {
        return;
    }
    let directory = tempfile::tempdir().expect("temporary files are possible");
    let (posted, released) = (directory.path().join("post"), directory.path().join("release"));
    let program = Program::fortran("faults/held").build();
    for hosts in [1, 3] {
        let mut job = Run::new(&program).images(3).virtual_hosts(hosts).args([&posted]).start();
        let lines = job.lines_after("process ", 3);
        let first = lines.iter().find_map(|line| line.strip_prefix("1 ")).expect("image 1");
        let wait = format!("shell while [ ! -e {} ]; do sleep 0.1; done", released.display());
        let mut gdb = Command::new("gdb")
            .args(["-nx", "-batch", "-p", first, "-ex", &wait])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("gdb starts");
        let status = format!("/proc/{first}/status");
        let is_held = || {
            let status = fs::read_to_string(&status).expect("image 1 is there");
            status.lines().any(|line| line.starts_with("State:\tt"))
        };
        let begun = Instant::now();
        while !is_held() {
            assert!(begun.elapsed() < PATIENCE, "gdb does not hold it");
            thread::sleep(Duration::from_millis(20));
        }
        fs::write(&posted, "").expect("it can be written");
        // A deadlock is found within half of this.
        thread::sleep(Duration::from_secs(4));
        assert_eq!(job.stderr(), "");
        assert!(is_held(), "gdb has released it");
        fs::write(&released, "").expect("it can be written");
        job.finish().succeeded().stderr_without("xmp:");
        gdb.wait().expect("gdb ends");
        for file in [&posted, &released] {
            fs::remove_file(file).expect("it is there");
        }
    }
}

/// The library makes a pipe of such an output, and the process of the image gets more to know about it.
#[test]
fn stacks_of_a_job_whose_output_goes_to_a_file_are_printed_too() {
    if !installed(&["gdb"]) {
        return;
    }
    const WORDS: [&str; 4] = ["image 1:", "late at ", "image 2:", "rest at "];
    let place = tempfile::tempdir().expect("a directory");
    let output = File::create(place.path().join("output")).expect("a file");
    let program = Program::fortran("control/late").argument("-g").build();
    let mut job = Command::new(toolchain().xmprun());
    let job = job.args(["-n", "2"]).arg(program).stdin(Stdio::null()).stdout(output).spawn();
    let mut job = job.expect("xmprun starts");
    let (pid, begun) = (job.id().to_string(), Instant::now());
    let outcome = loop {
        let outcome = Run::xmprun(["--stacks", &pid]).finish();
        // The images may not have started, or be on their way to the statements.
        let is_complete = WORDS.iter().all(|words| outcome.stdout.contains(words));
        if is_complete || begun.elapsed() > PATIENCE {
            break outcome;
        }
    };
    // SAFETY: a process that has not been waited for.
    unsafe { libc::kill(job.id() as libc::pid_t, libc::SIGTERM) };
    job.wait().expect("it ends");
    outcome.succeeded();
    for words in WORDS {
        assert!(outcome.stdout.contains(words), "{}", outcome.stdout);
    }
}

#[test]
fn a_process_without_images_is_refused() {
    let pid = std::process::id().to_string();
    let outcome = Run::xmprun(["--stacks", &pid]).finish();
    outcome.exited_with(2).stderr_line_with(&["--stacks", &pid, "no images"]);
}

/// Another user than the one who runs the job, root.
#[test]
fn stacks_of_a_job_of_another_user_are_refused_with_who_may_look_at_them() {
    const NOBODY: u32 = 65534;
    if !is_root() {
        return skipped(Requirement::Root, "no rights to become another user");
    }
    let place = tempfile::tempdir().expect("a directory");
    fs::set_permissions(place.path(), Permissions::from_mode(0o755)).expect("it is ours");
    let xmprun = place.path().join("xmprun");
    fs::copy(toolchain().xmprun(), &xmprun).expect("anyone may execute a copy");
    let mut job =
        Run::new("/bin/sh").images(2).args(["-c", "echo started; exec sleep 1000"]).start();
    job.lines_after("started", 2);
    let pid = job.pid().to_string();
    let mut stacks = Command::new(&xmprun);
    let refused = stacks.args(["--stacks", &pid]).uid(NOBODY).gid(NOBODY).output();
    job.signal(libc::SIGTERM);
    job.finish();
    let refused = refused.expect("it can be executed");
    let text = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{text}");
    let parts =
        ["xmp: --stacks", &pid, "Permission denied", "by the user who runs it, and by root"];
    assert!(parts.iter().all(|part| text.contains(part)), "{text}");
}

#[test]
fn gdb_prints_the_stack_of_the_image_that_crashes() {
    if !installed(&["gdb"]) {
        return;
    }
    let program = Program::fortran("control/crashes").argument("-g").argument("-O0").build();
    let run = Run::new(program).images(3).launcher_option("--debug").launcher_option("gdb");
    let outcome = run.launcher_option("--debug-images").launcher_option("2,3").finish();
    outcome.exited_with(128 + libc::SIGSEGV);
    assert!(outcome.stdout.contains("[2] Program received signal SIGSEGV"), "{outcome:?}");
    let (_, stack) =
        outcome.stdout.split_once("\nimage 2: SIGSEGV\n  crashes at ").expect("a stack");
    assert!(stack.lines().next().is_some_and(|line| line.ends_with("crashes.f90:8")), "{stack}");
    // The lines of each gdb have its image.
    let is_named = |line: &&str| line.starts_with("[2] ") || line.starts_with("[3] ");
    let chatter = outcome.stdout.lines().take_while(|line| !line.starts_with("image "));
    assert!(
        chatter.clone().count() > 3 && chatter.clone().all(|line| is_named(&line)),
        "{outcome:?}"
    );
}

#[test]
fn stacks_of_images_that_crash_together_are_printed_once() {
    if !installed(&["gdb"]) {
        return;
    }
    let program = Program::fortran("control/crash_together").argument("-g").argument("-O0").build();
    let run = Run::new(program).images(3).launcher_option("--debug").launcher_option("gdb");
    // An image that comes late is ended before gdb has its stack.
    let together = (0..20).any(|_| {
        let outcome = run.finish();
        outcome.exited_with(128 + libc::SIGSEGV);
        let stacks: Vec<&str> =
            outcome.stdout.lines().filter(|line| line.ends_with(": SIGSEGV")).collect();
        assert_eq!(stacks.len(), 1, "{outcome:?}");
        stacks == ["images 1-3: SIGSEGV"]
    });
    assert!(together, "three images never crashed together");
}

#[test]
fn the_stack_of_a_single_image_comes_from_gdb_with_the_status_of_its_signal() {
    if !installed(&["gdb"]) {
        return;
    }
    let program = Program::fortran("control/crash_together").argument("-g").argument("-O0").build();
    let run = Run::new(program).images(1).launcher_option("--debug").launcher_option("gdb");
    let outcome = run.finish();
    outcome.exited_with(128 + libc::SIGSEGV);
    let frame = outcome.stdout.lines().find(|line| line.starts_with("#0 "));
    assert!(frame.is_some_and(|line| line.ends_with("crash_together.f90:7")), "{outcome:?}");
}

#[test]
fn valgrind_runs_images_with_small_segments() {
    if !installed(&["valgrind"]) {
        return;
    }
    let program = Program::fortran("control/crashes").argument("-g").argument("-O0").build();
    let run = Run::new(program).images(2).limit(Duration::from_secs(600));
    let run = run
        .launcher_option("--debug")
        .launcher_option("valgrind")
        .launcher_option("--debug-images");
    let outcome = run.launcher_option("2").finish();
    outcome.stderr_line_with(&["==", "Invalid write of size 4"]);
    outcome.stderr_line_with(&["==", "crashes.f90:8"]);
}

#[test]
fn images_that_the_job_does_not_have_are_refused() {
    let options = ["-n", "2", "--debug", "gdb", "--debug-images", "1,3", "true"];
    Run::xmprun(options)
        .finish()
        .exited_with(2)
        .stderr_line_with(&["--debug-images 3", "2 images"]);
}

/// The outcome of `xmprun` with these options where `rr` is this script; without a script there is no `rr`.
fn with_rr(script: Option<&str>, options: &[&str]) -> Outcome {
    let place = tempfile::tempdir().expect("temporary files are possible");
    if let Some(script) = script {
        let rr = place.path().join("rr");
        fs::write(&rr, script).expect("it can be written");
        fs::set_permissions(&rr, fs::Permissions::from_mode(0o755)).expect("it can be executable");
    }
    // `rr` of this machine is not in these.
    let path = format!("{}:/nowhere", place.path().display());
    Run::xmprun(options.iter().copied()).env("PATH", path).finish()
}

/// Records nothing: runs the command after `record`, in the environment that rr makes.
const STAND_IN: &str = r#"#!/bin/sh
[ "$1" = record ] || exit 3
shift
if [ "$1" = -o ]; then
  [ "$*" = "-o $2 true" ]
  exit
fi
echo "recorded: $*"
RUNNING_UNDER_RR=1 exec "$@"
"#;

#[test]
fn rr_records_the_whole_job() {
    let program = Program::fortran("sync/sync_all").build();
    let program = program.to_str().expect("it is text");
    let outcome = with_rr(Some(STAND_IN), &["-n", "3", "--debug", "rr", program]);
    outcome.succeeded();
    let (before, after) = outcome.stdout.split_once("/xmprun -n 3 --debug rr ").expect("a command");
    assert!(before.starts_with("recorded: ") && after.contains("sync_all"), "{outcome:?}");
    let processes = outcome
        .stderr
        .trim_end()
        .strip_prefix("xmp: processes of the images, from image 1 on: ")
        .unwrap_or_else(|| panic!("{outcome:?}"));
    let numbers: Vec<u32> = processes.split(", ").map(|it| it.parse().unwrap()).collect();
    assert_eq!(numbers.len(), 3, "{outcome:?}");
}

#[test]
fn without_rr_the_remedy_is_named() {
    let outcome = with_rr(None, &["-n", "2", "--debug", "rr", "true"]);
    outcome.exited_with(2);
    assert_eq!(
        outcome.stderr,
        "xmp: --debug rr: there is no rr in PATH: install it (Debian and Ubuntu: `apt install rr`)\n"
    );
}

#[test]
fn a_machine_that_rr_cannot_record_on_is_refused_with_the_remedy() {
    let script = "#!/bin/sh\necho \"[FATAL ./src/PerfCounters.cc:306:start_counter()] Unable to open performance counter \
                  with 'perf_event_open'; are hardware perf events available? See elsewhere\" >&2; exit 1";
    let outcome = with_rr(Some(script), &["-n", "2", "--debug", "rr", "true"]);
    outcome.exited_with(2);
    assert_eq!(
        outcome.stderr,
        "xmp: --debug rr: rr cannot record here (Unable to open performance counter with 'perf_event_open'): rr needs \
         the processor's performance counters: `sysctl kernel.perf_event_paranoid=1` as root permits them; a virtual \
         machine has them if its host passes them on\n"
    );
}

#[test]
fn rr_records_no_single_image() {
    let outcome =
        with_rr(Some(STAND_IN), &["-n", "2", "--debug", "rr", "--debug-images", "2", "true"]);
    outcome.exited_with(2);
    assert_eq!(
        outcome.stderr,
        "xmp: --debug-images: rr records all images together, because they share memory: leave it out, and choose an \
         image when the recording is replayed, by `rr replay -p PROCESS`\n"
    );
}
