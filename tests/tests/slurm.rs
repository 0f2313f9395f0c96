//! Jobs of a real Slurm, on hosts that share nothing. `./x test --slurm` runs these tests; they need Debian's packages `slurm-wlm` and
//! `munge`, and root.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use xmp_hosts::Network;
use xmp_tests::Program;
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
        let daemon = |host: usize, name: &str| {
            let mut command = cluster.network.hosts()[host].command(found(name).unwrap());
            command.arg("-D").arg("-f").arg(cluster.place.path().join("slurm.conf"));
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
    // Nothing is left.
    let begin = Instant::now();
    while !cluster.run("squeue", &["-h"]).0.is_empty() {
        assert!(begin.elapsed() < LIMIT, "{}", cluster.logs());
        thread::sleep(Duration::from_millis(200));
    }
}
