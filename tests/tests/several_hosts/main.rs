//! Jobs that `xmprun` runs on several hosts without an MPI: its proxies are started by `ssh` and `srun`, for which scripts stand in.

mod end;
mod start;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use xmp_tests::{Program, Run, processes};

/// Longer than anything takes.
const LIMIT: Duration = Duration::from_secs(120);

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
env >"$FAKE/environment"
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

fn ends() -> PathBuf {
    Program::fortran("control/ends").with("victim").build()
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
