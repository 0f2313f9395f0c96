//! The ways in which `xmprun` reaches hosts over a network: OpenSSH itself, with keys of the test, and connections under `srun`,
//! which a script imitates. Also the end of a job that loses the network. Hosts share no memory and no network with this machine.

use serial_test::serial;
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use xmp_hosts::{Network, Requirement, skipped};
use xmp_tests::Program;
use xmp_tests::hosts::network;
use xmp_tests::toolchain::{output_of, toolchain};

/// The server, which its package has outside of the search path of users.
const SSHD: &str = "/usr/sbin/sshd";
/// Longer than anything takes.
const LIMIT: Duration = Duration::from_secs(120);

fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < LIMIT, "{what}");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Two hosts, and a server of OpenSSH on the second one; `None` where that is not possible.
struct Ssh {
    network: Arc<Network>,
    place: TempDir,
    server: Child,
}

impl Drop for Ssh {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Ssh {
    fn start() -> Option<Ssh> {
        if !Path::new(SSHD).exists() {
            skipped(Requirement::Sshd, format_args!("there is no {SSHD}"));
            return None;
        }
        let network = network(2)?;
        let place = tempfile::tempdir().expect("a directory");
        let at = |name: &str| place.path().join(name);
        // A directory of its package, without which it does not start.
        fs::create_dir_all("/run/sshd").expect("a directory");
        for name in ["host", "user", "other"] {
            let key = at(name);
            let arguments = ["-q".as_ref(), "-t".as_ref(), "ed25519".as_ref(), "-N".as_ref()];
            let arguments =
                arguments.into_iter().chain(["".as_ref(), "-f".as_ref(), key.as_os_str()]);
            output_of("ssh-keygen", arguments);
        }
        let server = format!(
            "HostKey {0}/host\nAuthorizedKeysFile {0}/user.pub\nStrictModes no\nUsePAM no\nPidFile {0}/pid\n\
             PermitRootLogin prohibit-password\nPasswordAuthentication no\n",
            place.path().display()
        );
        fs::write(at("sshd_config"), server).expect("a file");
        let key = fs::read_to_string(at("host.pub")).expect("a key");
        fs::write(at("known"), format!("{} {key}", network.hosts()[1].name())).expect("a file");
        fs::write(at("nobody"), "").expect("a file");
        for (name, identity, known) in [
            ("right", "user", "known"),
            ("wrong_key", "other", "known"),
            ("unknown", "user", "nobody"),
        ] {
            let text = format!(
                "Host *\nIdentityFile {0}/{identity}\nIdentitiesOnly yes\nUserKnownHostsFile {0}/{known}\n\
                 GlobalKnownHostsFile /dev/null\nStrictHostKeyChecking yes\n",
                place.path().display()
            );
            fs::write(at(name), text).expect("a file");
        }
        let mut command = network.hosts()[1].command(SSHD);
        command.args(["-D", "-e", "-f"]).arg(at("sshd_config"));
        let log = fs::File::create(at("log")).expect("a file");
        let server = command.stdin(Stdio::null()).stderr(log).spawn().expect("sshd");
        let ssh = Ssh { network, place, server };
        until("sshd listens", || {
            let log = fs::read_to_string(ssh.place.path().join("log")).unwrap_or_default();
            log.contains("Server listening")
        });
        Some(ssh)
    }

    /// Ends the server: its number is one of its host.
    fn stop(&mut self) {
        if let Ok(number) = fs::read_to_string(self.place.path().join("pid")) {
            let mut kill = self.network.hosts()[1].command("kill");
            // It may have ended.
            let _ = kill.arg(number.trim()).stderr(Stdio::null()).status();
        }
        let _ = self.server.wait();
    }

    /// `xmprun` on the first host for an image on each, which reaches the second one with these options of `ssh`.
    fn xmprun(&self, options: &str) -> Command {
        self.xmprun_with(options, self.network.hosts()[1].name())
    }

    /// The same with a host of this name as the second one.
    fn xmprun_with(&self, options: &str, second: &str) -> Command {
        let first = &self.network.hosts()[0];
        let names = format!("{}:1,{second}:1", first.name());
        let mut command = first.command(toolchain().xmprun());
        command.args(["-q", "--hosts", &names]).stdin(Stdio::null());
        command.env("XMP_SSH", format!("ssh -F {}", self.place.path().join(options).display()));
        command
    }

    fn run(&self, options: &str, program: &Path) -> Output {
        self.xmprun(options).arg(program).output().expect("xmprun")
    }
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
#[serial]
fn openssh_starts_images_and_its_refusals_are_named_with_the_remedy() {
    let Some(mut ssh) = Ssh::start() else { return };
    let program = Program::fortran("collectives/co_sum_large").build();
    let output = ssh.run("right", &program);
    assert!(output.status.success(), "{output:?}");
    for (options, words) in
        [("wrong_key", ["beta", "ssh-copy-id"]), ("unknown", ["beta", "accept the key"])]
    {
        let output = ssh.run(options, &program);
        assert!(!output.status.success(), "{output:?}");
        assert!(words.iter().all(|word| errors(&output).contains(word)), "{output:?}");
    }
    let mut unknown = ssh.xmprun_with("right", "nowhere.invalid");
    let output = unknown.arg(&program).output().expect("xmprun");
    assert!(!output.status.success(), "{output:?}");
    let words = ["nowhere.invalid", "no host of this name", "check the name"];
    assert!(words.iter().all(|word| errors(&output).contains(word)), "{output:?}");
    ssh.stop();
    let output = ssh.run("right", &program);
    assert!(!output.status.success(), "{output:?}");
    assert!(errors(&output).contains("does its ssh server run"), "{output:?}");
}

/// Sets the network of the second host.
fn set(network: &Network, state: &str) {
    let mut link = network.hosts()[1].command("ip");
    let changed = link.args(["link", "set", network.interface(), state]).status();
    assert!(changed.expect("ip").success());
}

/// Whether a process with this argument is there, on any host.
fn is_there(argument: &str) -> bool {
    let lines = fs::read_dir("/proc").expect("/proc").flatten();
    let mut lines = lines.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| line.split(|&byte| byte == 0).any(|word| word == argument.as_bytes()))
}

/// Takes the network of the second host away while programs run there that are no images, and so do not notice it: the launcher names
/// the host and ends. The other end learns of it when it has its network again.
fn loses_its_network(network: &Network, xmprun: Command) {
    loses_its_network_during(network, xmprun, "exec sleep", &[]);
}

/// The same while this command runs, to which a time is appended, with these arguments.
fn loses_its_network_during(
    network: &Network,
    mut xmprun: Command,
    command: &str,
    arguments: &[&Path],
) {
    // Nothing else sleeps for this time.
    let time = format!("600.{}", std::process::id());
    xmprun.args(["/bin/sh", "-c", &format!("echo ready; {command} {time}"), "sh"]).args(arguments);
    xmprun.env("XMP_HOST_TIMEOUT", "3").env("XMP_FAILURE_GRACE", "1");
    let mut job = xmprun.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("xmprun");
    let lines = BufReader::new(job.stdout.take().expect("a pipe")).lines();
    let ready = lines.take(2).filter(|line| line.as_deref().is_ok_and(|line| line == "ready"));
    assert_eq!(ready.count(), 2);
    set(network, "down");
    let mut text = String::new();
    let read = job.stderr.take().expect("a pipe").read_to_string(&mut text);
    let status = job.wait().expect("the job ends");
    set(network, "up");
    read.expect("text");
    assert!(!status.success() && text.contains("host beta is lost"), "{status} {text}");
    until("no process is left", || !is_there(&time));
}

#[test]
#[serial]
fn a_host_behind_openssh_that_has_lost_its_network_is_named_and_the_job_ends() {
    let Some(ssh) = Ssh::start() else { return };
    loses_its_network(&ssh.network, ssh.xmprun("right"));
}

/// The first image waits for the second one, whose host dies before they have met.
#[test]
#[serial]
fn a_host_that_is_lost_while_the_images_meet_is_named_and_the_job_ends() {
    let Some(ssh) = Ssh::start() else { return };
    let command = r#"[ "$XMPRT_MANAGER_RANK" = 0 ] && exec "$1"; exec sleep"#;
    let program = Program::fortran("sync/sync_all").build();
    loses_its_network_during(&ssh.network, ssh.xmprun("right"), command, &[&program]);
}

/// `srun` that starts the tasks of all nodes on the hosts of a network.
const SRUN: &str = r#"#!/bin/sh
umask 077
cat >"$FAKE/input"
for word; do
  case $word in --nodelist=*) hosts=$(echo "${word#*=}" | tr , ' ') ;; esac
done
while case $1 in -*) true ;; *) false ;; esac; do shift; done
task=0
for host in $hosts; do
  "$AGENT" "$host" "SLURM_STEP_ID=0 SLURM_NODEID=$task exec $*" <"$FAKE/input" &
  task=$((task + 1))
done
wait
"#;

#[test]
#[serial]
fn a_node_of_slurm_that_has_lost_its_network_is_named_and_the_job_ends() {
    let Some(network) = network(2) else { return };
    let place = tempfile::tempdir().expect("a directory");
    let srun: PathBuf = place.path().join("srun");
    fs::write(&srun, SRUN).expect("a script");
    fs::set_permissions(&srun, Permissions::from_mode(0o755)).expect("permissions");
    let path = std::env::var("PATH").unwrap_or_default();
    let names: Vec<&str> = network.hosts().iter().map(|host| host.name()).collect();
    let mut xmprun = network.hosts()[0].command(toolchain().xmprun());
    xmprun.arg("-q").stdin(Stdio::null());
    xmprun.env("PATH", format!("{}:{path}", place.path().display()));
    xmprun.env("FAKE", place.path()).env("AGENT", network.agent());
    xmprun.env("SLURM_JOB_ID", "7").env("SLURM_JOB_NODELIST", names.join(","));
    xmprun.env("SLURM_NTASKS", "2").env("SLURM_TASKS_PER_NODE", "1(x2)");
    loses_its_network(&network, xmprun);
}
