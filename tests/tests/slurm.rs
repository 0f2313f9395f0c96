//! Jobs of a real Slurm, on hosts that share nothing. `./x test --slurm` runs these tests; they need Debian's packages `slurm-wlm` and
//! `munge`, and root.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use xmp_hosts::Network;
use xmp_tests::Program;
use xmp_tests::book::Chapter;
use xmp_tests::toolchain::toolchain;

/// Longer than anything takes.
const LIMIT: Duration = Duration::from_secs(120);

/// The configuration; `@` stands for the directory of the cluster.
const CONFIGURATION: &str = "\
ClusterName=test
SlurmctldHost=alpha
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=@/munge.socket
StateSaveLocation=@/state
SlurmdSpoolDir=@/spool-%n
SlurmctldPidFile=@/slurmctld.pid
SlurmdPidFile=@/slurmd-%n.pid
SlurmctldLogFile=@/slurmctld.log
SlurmdLogFile=@/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=bf_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
JobAcctGatherType=jobacct_gather/none
NodeName=alpha,beta CPUs=4 RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
";

/// A cluster of two nodes, whose daemons end with it.
struct Cluster {
    daemons: Vec<Child>,
    network: Arc<Network>,
    place: TempDir,
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for daemon in &mut self.daemons {
            // It may have ended.
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

/// The program in one of the usual directories.
fn found(name: &str) -> Option<PathBuf> {
    let places = ["/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"];
    places.iter().map(|place| Path::new(place).join(name)).find(|path| path.exists())
}

/// The commands of the installation, then those of the machine.
fn search_path() -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    format!("{}:{path}", toolchain().prefix().join("bin").display())
}

impl Cluster {
    /// Starts one; `None`, and a line about it, where that is not possible.
    fn start() -> Option<Cluster> {
        let missing = ["munged", "slurmctld", "slurmd", "srun", "salloc"];
        let missing: Vec<_> = missing.into_iter().filter(|name| found(name).is_none()).collect();
        if !missing.is_empty() {
            eprintln!("skipped: no {} here: install slurm-wlm and munge", missing.join(", "));
            return None;
        }
        let network = match Network::possible(2).and_then(|()| Network::new(2)) {
            Ok(network) => Arc::new(network),
            Err(reason) => {
                eprintln!("skipped: no two hosts: {reason}");
                return None;
            }
        };
        let place = tempfile::tempdir().expect("a directory");
        let at = |name: &str| place.path().join(name);
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
        for name in ["state", "spool-alpha", "spool-beta"] {
            fs::create_dir(at(name)).unwrap();
        }
        let text = CONFIGURATION.replace('@', &place.path().display().to_string());
        fs::write(at("slurm.conf"), text).unwrap();
        // Otherwise it looks for control groups, which the hosts do not have.
        fs::write(at("cgroup.conf"), "CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n").unwrap();
        fs::write(at("key"), [7; 128]).unwrap();
        fs::set_permissions(at("key"), fs::Permissions::from_mode(0o400)).unwrap();
        let mut munge = Command::new(found("munged").unwrap());
        let option = |name: &str, file: &str| format!("--{name}={}", at(file).display());
        munge.args(["--foreground", "--force"]).args([
            option("key-file", "key"),
            option("socket", "munge.socket"),
            option("pid-file", "munge.pid"),
            option("log-file", "munge.log"),
            option("seed-file", "munge.seed"),
        ]);
        let start = |mut command: Command| {
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.spawn().expect("a daemon")
        };
        let mut cluster = Cluster { daemons: vec![start(munge)], network, place };
        // Each host has a /tmp of its own, in which Slurm's part of PMIx makes directories of one name, and the directory of the cluster.
        let own_tmp = "mount --bind \"$0\" /mnt && mount -t tmpfs tmp /tmp && mkdir -p \"$0\" && mount --move /mnt \"$0\" && exec \"$@\"";
        let daemon = |host: usize, name: &str| {
            let place = cluster.place.path();
            let mut command = cluster.network.hosts()[host].command("unshare");
            command.args(["--mount", "--propagation", "private", "sh", "-c", own_tmp]).arg(place);
            command.arg(found(name).unwrap()).arg("-D").arg("-f").arg(place.join("slurm.conf"));
            start(command)
        };
        let daemons = [daemon(0, "slurmctld"), daemon(0, "slurmd"), daemon(1, "slurmd")];
        cluster.daemons.extend(daemons);
        let begin = Instant::now();
        while cluster.run("sinfo", &["-h", "-o", "%T"]).0.trim() != "idle" {
            assert!(begin.elapsed() < LIMIT, "{}", cluster.logs());
            thread::sleep(Duration::from_millis(200));
        }
        Some(cluster)
    }

    fn logs(&self) -> String {
        let files = ["munge.log", "slurmctld.log", "slurmd-alpha.log", "slurmd-beta.log"];
        let text =
            |name: &&str| fs::read_to_string(self.place.path().join(name)).unwrap_or_default();
        files.iter().map(text).collect::<Vec<_>>().join("\n")
    }

    /// Runs a command on the first host; returns its standard output, standard error and status.
    fn run(&self, program: &str, arguments: &[&str]) -> (String, String, Option<i32>) {
        let mut command = self.network.hosts()[0].command("timeout");
        command.arg(LIMIT.as_secs().to_string()).arg(program).args(arguments);
        command.env("SLURM_CONF", self.place.path().join("slurm.conf")).stdin(Stdio::null());
        command.env_remove("XMP_TRANSPORT");
        let output = command.output().expect("the command runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr), output.status.code())
    }
}

/// The blocks of commands of the page about clusters that begin with this.
fn of_book(beginning: &str) -> Vec<Vec<String>> {
    let blocks = Chapter::read("clusters").blocks().into_iter();
    let found = blocks.filter(|block| block.language == "sh").map(|block| block.lines);
    found.filter(|lines| lines.iter().any(|line| line.starts_with(beginning))).collect()
}

/// A directory that all hosts have, with this program as `hello` and as `program`.
fn place_with(cluster: &Cluster, program: &Path) -> TempDir {
    let place = tempfile::tempdir_in(cluster.place.path()).expect("a directory");
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).expect("permissions");
    for name in ["hello", "program"] {
        symlink(program, place.path().join(name)).expect("a link");
    }
    place
}

/// The number of processors of this machine.
fn processors() -> usize {
    thread::available_parallelism().expect("a number").get()
}

/// As many images as there are have answered.
fn has_images(text: &str, images: usize) -> bool {
    text.lines().filter(|line| line.ends_with(&format!(" of {images}"))).count() == images
}

/// The cluster has two nodes with four processors each: the scripts get fewer nodes and tasks.
#[test]
#[ignore = "needs Slurm: ./x test --slurm"]
fn the_job_scripts_of_the_book_run() {
    let Some(cluster) = Cluster::start() else { return };
    let echo = Program::fortran("control/echo").build();
    let waits = Program::fortran("faults/hangs").build();
    let mut names = Vec::new();
    for lines in of_book("#SBATCH") {
        let script = lines.join("\n");
        let is_signalled = script.contains("--signal=B:USR1");
        let place = place_with(&cluster, if is_signalled { &waits } else { &echo });
        let mut script = script
            .replace("--nodes=4", "--nodes=2")
            .replace("--ntasks-per-node=16", "--ntasks-per-node=2");
        if is_signalled {
            script = script.replace("./program", "./program 'event on one'");
        }
        // The other MPI, as the comments say.
        let mut scripts = vec![script.clone()];
        if script.contains("# or mpich") {
            scripts.push(script.replace("openmpi ", "mpich ").replace("--mpi=pmix", "--mpi=pmi2"));
        }
        for script in scripts {
            let at = |name: &str| place.path().join(name).display().to_string();
            fs::write(at("job"), format!("{script}\n")).expect("a file");
            let path = format!("--export=ALL,XMP_DEADLOCK=ignore,PATH={}", search_path());
            let (chdir, output) =
                (format!("--chdir={}", at("")), format!("--output={}", at("output")));
            let options = ["--parsable", &path, &chdir, &output];
            let text = || fs::read_to_string(at("output")).unwrap_or_default();
            if is_signalled {
                let job = cluster.run("sbatch", &[&options[..], &[&at("job")]].concat());
                let job = job.0.trim();
                let begin = Instant::now();
                // What --signal does at its time. Before the images wait it is nothing.
                while !text().contains("2-4 ") {
                    assert!(begin.elapsed() < LIMIT, "{} {}", text(), cluster.logs());
                    cluster.run("scancel", &["--batch", "--signal=USR1", job]);
                    thread::sleep(Duration::from_millis(300));
                }
                let state = cluster.run("squeue", &["-h", "-j", job, "-o", "%T"]);
                assert_eq!(state.0.trim(), "RUNNING", "{state:?} {}", text());
                cluster.run("scancel", &[job]);
                names.push("signal");
            } else {
                let found =
                    cluster.run("sbatch", &[&["--wait"], &options[..], &[&at("job")]].concat());
                assert_eq!(found.2, Some(0), "{script}: {found:?} {} {}", text(), cluster.logs());
                assert!(has_images(&text(), 4), "{script}: {}", text());
                names.push(if script.contains("srun") { "srun" } else { "xmprun" });
            }
        }
    }
    names.sort();
    assert_eq!(names, ["signal", "srun", "srun", "xmprun"]);
}

#[test]
#[ignore = "needs Slurm: ./x test --slurm"]
fn the_commands_of_the_book_run() {
    let Some(cluster) = Cluster::start() else { return };
    let place = place_with(&cluster, &Program::fortran("control/echo").build());
    let run = |command: &str| {
        let path = search_path();
        let line = format!("cd '{}' && PATH='{path}' exec {command}", place.path().display());
        cluster.run("sh", &["-c", &line])
    };
    let found = run("srun --mpi=list");
    assert!([&found.0, &found.1].iter().any(|text| text.contains("pmi2")), "{found:?}");
    let mut count = 0;
    for line in
        of_book("srun ").into_iter().flatten().filter(|line| line.starts_with("srun --nodes"))
    {
        let found = run(&line.replace("srun ", "srun --export=ALL,XMP_TRANSPORT=sockets "));
        assert!(found.2 == Some(0) && has_images(&found.0, 8), "{line}: {found:?}");
        count += 1;
    }
    for line in of_book("srun -n 4 xmprun").into_iter().flatten() {
        let found = run(line.split('#').next().expect("a command").trim_end());
        let alone = found.0.lines().filter(|line| line.ends_with("1 of 1")).count();
        assert!(found.2 == Some(0) && alone == 4 && !found.1.contains("warning"), "{found:?}");
        count += 1;
    }
    assert_eq!(count, 2);
}

/// Each index of an array is a job of its own, a job that is requeued runs again, and one that is suspended for longer than hosts
/// wait for an answer goes on afterwards.
#[test]
#[ignore = "needs Slurm: ./x test --slurm"]
fn arrays_run_and_jobs_go_on_after_being_requeued_or_suspended() {
    const SUSPENDED: Duration = Duration::from_secs(8);
    let Some(cluster) = Cluster::start() else { return };
    let waits = Program::fortran("faults/hangs").build();
    let place = place_with(&cluster, &Program::fortran("control/echo").build());
    symlink(&waits, place.path().join("waits")).expect("a link");
    let at = |name: &str| place.path().join(name).display().to_string();
    let text = |name: &str| fs::read_to_string(at(name)).unwrap_or_default();
    let submit = |script: &str, output: &str, options: &[&str]| {
        fs::write(at("job"), format!("#!/bin/sh\n{script}\n")).expect("a file");
        let environment =
            format!("--export=ALL,XMP_DEADLOCK=ignore,XMP_HOST_TIMEOUT=4,PATH={}", search_path());
        let (chdir, output) = (format!("--chdir={}", at("")), format!("--output={}", at(output)));
        let common =
            ["--parsable", "-N2", "-n4", "--open-mode=append", &environment, &chdir, &output];
        let job = cluster.run("sbatch", &[&common[..], options, &[&at("job")]].concat());
        assert_eq!(job.2, Some(0), "{job:?} {}", cluster.logs());
        job.0.trim().to_owned()
    };
    let until = |what: &str, holds: &dyn Fn() -> bool| {
        let begin = Instant::now();
        while !holds() {
            assert!(begin.elapsed() < LIMIT, "{what}: {}", cluster.logs());
            thread::sleep(Duration::from_millis(300));
        }
    };
    // Image 1 waits for an event and the others for image 1; the table that SIGUSR1 asks for shows it, one more than there were.
    let until_all_wait = |job: &str, output: &str| {
        let tables = || text(output).matches("2-4 ").count();
        let before = tables();
        until("all wait", &|| {
            cluster.run("scancel", &["--batch", "--signal=USR1", job]);
            tables() > before
        });
    };

    submit("exec xmprun ./hello", "array-%a", &["--wait", "--array=1-3"]);
    for index in 1..=3 {
        let text = text(&format!("array-{index}"));
        assert!(has_images(&text, 4), "{index}: {text}");
    }

    let script = "test -n \"$SLURM_RESTART_COUNT\" || exec xmprun ./waits 'event on one'\nexec xmprun ./hello";
    let job = submit(script, "requeued", &["--requeue"]);
    until_all_wait(&job, "requeued");
    let found = cluster.run("scontrol", &["requeue", &job]);
    assert_eq!(found.2, Some(0), "{found:?}");
    until("it runs again", &|| {
        // Slurm would let it wait for some minutes.
        cluster.run("scontrol", &["update", &format!("JobId={job}"), "StartTime=now"]);
        has_images(&text("requeued"), 4)
    });

    let job = submit("exec xmprun ./waits 'event on one'", "suspended", &[]);
    until_all_wait(&job, "suspended");
    for command in ["suspend", "resume"] {
        let found = cluster.run("scontrol", &[command, &job]);
        assert_eq!(found.2, Some(0), "{command}: {found:?}");
        if command == "suspend" {
            thread::sleep(SUSPENDED);
        }
    }
    until_all_wait(&job, "suspended");
    let state = cluster.run("squeue", &["-h", "-j", &job, "-o", "%T"]);
    assert_eq!(state.0.trim(), "RUNNING", "{state:?} {}", text("suspended"));
    cluster.run("scancel", &[&job]);
    until("no image is left", &|| images_of(&waits) == 0);
}

/// The processes of this machine that execute the program.
fn images_of(program: &Path) -> usize {
    let program = program.canonicalize().expect("a program");
    let processes = fs::read_dir("/proc").expect("processes").flatten();
    let executes = |process: &fs::DirEntry| {
        fs::read_link(process.path().join("exe")).is_ok_and(|file| file == program)
    };
    processes.filter(executes).count()
}

#[test]
#[ignore = "needs Slurm: ./x test --slurm"]
fn images_run_on_all_nodes_of_an_allocation() {
    let Some(cluster) = Cluster::start() else { return };
    let xmprun = toolchain().xmprun().display().to_string();
    let sum = Program::fortran("collectives/co_sum_large").build().display().to_string();
    let ends = Program::fortran("control/ends").with("victim").build().display().to_string();
    let echo = Program::fortran("control/echo").build().display().to_string();

    // On the node of a user's shell, which is none of the allocation for Slurm.
    for count in ["4", "8"] {
        let allocate = ["-Q", "-N2", "-n", count];
        let found = cluster.run("salloc", &[&allocate[..], &[&xmprun, &sum]].concat());
        assert_eq!(found.2, Some(0), "{found:?} {}", cluster.logs());
    }
    let found = cluster.run("salloc", &["-Q", "-N2", "-n4", &xmprun, &echo]);
    assert_eq!(found.0.lines().filter(|line| line.ends_with("of 4")).count(), 4, "{found:?}");
    for (way, who, status) in [("error-stop-9", "4", 9), ("stop-7", "1", 7), ("kill", "3", 137)] {
        let program = [&*xmprun, &ends, way, who, "sync-all"];
        let program =
            if way == "stop-7" { &[&program[..4], &["end"]].concat()[..] } else { &program };
        let found = cluster.run("salloc", &[&["-Q", "-N2", "-n4"], program].concat());
        assert_eq!(found.2, Some(status), "{way}: {found:?}");
    }
    // By Slurm's own process manager, and without one.
    let found =
        cluster.run("srun", &["-N2", "-n6", "--mpi=pmi2", "env", "XMP_TRANSPORT=sockets", &sum]);
    assert_eq!(found.2, Some(0), "{found:?}");
    // The parts of a heterogeneous job are one job.
    let part = |tasks| ["-N1", tasks, "--mpi=pmi2", "env", "XMP_TRANSPORT=sockets", &*echo];
    let found = cluster.run("srun", &[&part("-n1")[..], &[":"], &part("-n2")].concat());
    assert_eq!(found.2, Some(0), "{found:?} {}", cluster.logs());
    assert_eq!(found.0.lines().filter(|line| line.ends_with("of 3")).count(), 3, "{found:?}");
    let found = cluster.run("salloc", &["-Q", "-N1", ":", "-N1", &xmprun, &echo]);
    assert_eq!(found.2, Some(2), "{found:?}");
    assert!(found.1.contains("srun --mpi=pmi2 ./a : ./a"), "{found:?}");
    let named = ["-Q", "-N1", ":", "-N1", &xmprun, "--hosts", "localhost:2", &echo];
    let found = cluster.run("salloc", &named);
    assert_eq!(found.2, Some(0), "{found:?}");
    let found = cluster.run("srun", &["-N2", "-n4", "--mpi=none", &sum]);
    assert_eq!(found.2, Some(2), "{found:?}");
    assert!(found.1.contains("--mpi=pmi2") && found.1.contains("xmprun"), "{found:?}");
    // A shell of the user on the first node, which salloc starts where LaunchParameters has use_interactive_step.
    let shell = ["-Q", "-N2", "-n4", "srun", "--interactive", "--preserve-env"];
    for (program, images) in [(&[&*xmprun, &*echo][..], 4), (&[&*echo], 1)] {
        let found = cluster.run("salloc", &[&shell[..], program].concat());
        assert!(found.2 == Some(0) && has_images(&found.0, images), "{found:?} {}", cluster.logs());
    }
    // Options of the job for its tasks.
    let options = ["env", "SRUN_CPUS_PER_TASK=1", "SLURM_STDINMODE=none", "SLURM_EXACT=1"];
    let command = [&["-Q", "-N2", "-n4"], &options[..], &[&xmprun, &echo]].concat();
    let found = cluster.run("salloc", &command);
    assert!(found.2 == Some(0) && has_images(&found.0, 4), "{found:?} {}", cluster.logs());
    // The node has more processors than the task, and nothing confines processes (task/none).
    for (option, images) in [("-c1", 1), ("-c2", 2.min(processors()))] {
        let found = cluster.run("srun", &["-n1", option, &xmprun, &echo]);
        assert!(found.2 == Some(0) && has_images(&found.0, images), "{option}: {found:?}");
    }
    // Nothing is left.
    let begin = Instant::now();
    while !cluster.run("squeue", &["-h"]).0.is_empty() {
        assert!(begin.elapsed() < LIMIT, "{}", cluster.logs());
        thread::sleep(Duration::from_millis(200));
    }
}
