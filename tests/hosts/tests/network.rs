//! Hosts: apart from each other, connected, and gone without a trace.

use serial_test::serial;
use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use xmp_hosts::{Network, skipped};

/// Set for a process that is to make a network, let a command sleep that many seconds on it, and be killed; see
/// `victim_with_a_network`.
const VICTIM: &str = "TEST_NETWORK_VICTIM";

/// A network, or none where it is not permitted, which is reported.
fn network(hosts: usize) -> Option<Network> {
    match Network::possible(hosts) {
        Ok(()) => Some(Network::new(hosts).expect("it was possible a moment ago")),
        Err(reason) => {
            skipped(Network::requirement(hosts), format_args!("no {hosts} hosts: {reason}"));
            None
        }
    }
}

/// What a shell prints on a host.
fn printed(network: &Network, host: usize, line: &str) -> String {
    let output = network.hosts()[host].command("sh").args(["-c", line]).output().expect("nsenter");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Waits until no process has this argument.
fn assert_no_process_has(argument: &str) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while is_running(argument) {
        assert!(Instant::now() < deadline, "a process with {argument} is left");
        thread::sleep(Duration::from_millis(5));
    }
}

/// A number of seconds to sleep that no process of another test has.
fn unique_seconds() -> String {
    format!("1234.{}", std::process::id())
}

fn is_running(argument: &str) -> bool {
    let entries = fs::read_dir("/proc").expect("/proc is mounted");
    entries
        .filter_map(|entry| fs::read(entry.ok()?.path().join("cmdline")).ok())
        .any(|line| line.split(|byte| *byte == 0).any(|word| word == argument.as_bytes()))
}

#[test]
#[serial]
fn hosts_are_apart_and_know_each_other() {
    for count in [2, 3] {
        let Some(network) = network(count) else { return };
        for (index, host) in network.hosts().iter().enumerate() {
            assert_eq!(printed(&network, index, "hostname"), host.name());
            // Its shell is among the first processes of the host.
            assert!(printed(&network, index, "echo $$").parse::<u32>().expect("a number") < 100);
            printed(&network, index, &format!("echo hello >/dev/shm/of-{index}"));
            assert_eq!(printed(&network, index, "ls /dev/shm"), format!("of-{index}"));
            let seen = host.path(format!("/dev/shm/of-{index}"));
            assert_eq!(fs::read_to_string(seen).expect("it is there"), "hello\n");
            assert!(!fs::exists(format!("/dev/shm/of-{index}")).expect("it can be looked for"));
            for other in network.hosts() {
                let line = format!("getent hosts {}", other.name());
                assert!(printed(&network, index, &line).starts_with(other.address()), "{line}");
            }
        }
        for host in network.hosts() {
            // From the first host to each of them, by the stand-in for ssh.
            let line = format!("{} -x {} hostname", network.agent().display(), host.name());
            assert_eq!(printed(&network, 0, &line), host.name());
        }
    }
}

#[test]
#[serial]
fn the_agent_takes_no_environment_along() {
    let Some(network) = network(2) else { return };
    let agent = network.agent().display();
    let line =
        format!("SECRET=1 TEST_RUN_MARK=2 {agent} -l root beta 'echo $SECRET-$TEST_RUN_MARK'");
    assert_eq!(printed(&network, 0, &line), "-2");
    let line = format!("{agent} gamma true 2>&1 || echo status $?");
    assert!(printed(&network, 0, &line).ends_with("no host gamma\nstatus 255"));
}

#[test]
#[serial]
fn a_network_ends_all_that_runs_on_it() {
    let Some(network) = network(2) else { return };
    let seconds = unique_seconds();
    let mut child = network.hosts()[1]
        .command("sh")
        .args(["-c", &format!("trap '' TERM HUP INT; sleep {seconds} & wait")])
        .stdin(Stdio::null())
        .spawn()
        .expect("nsenter");
    while !is_running(&seconds) {
        assert!(child.try_wait().expect("the child is ours").is_none(), "no process sleeps");
        thread::sleep(Duration::from_millis(5));
    }
    let place = network.agent().parent().expect("it is in a directory").to_owned();
    assert!(place.exists());
    drop(network);
    assert_no_process_has(&seconds);
    assert!(!place.exists(), "{} is left", place.display());
    child.wait().expect("the child is ours");
}

#[test]
#[serial]
fn a_network_goes_with_the_process_that_made_it() {
    let Some(_) = network(3) else { return };
    // This very test program, as a process of its own that only the kernel can end.
    let this = std::env::current_exe().expect("the test program has a path");
    let place = tempfile::tempdir().expect("temporary files are possible");
    let seconds = unique_seconds();
    let mut maker = Command::new(this)
        .args(["--exact", "victim_with_a_network"])
        .env(VICTIM, &seconds)
        .env("TMPDIR", place.path())
        .stdout(Stdio::null())
        .spawn()
        .expect("this program can be started");
    while !is_running(&seconds) {
        assert!(maker.try_wait().expect("the child is ours").is_none(), "the victim ended");
        thread::sleep(Duration::from_millis(5));
    }
    maker.kill().expect("the child is ours");
    maker.wait().expect("the child is ours");
    assert_no_process_has(&seconds);
    let left = || fs::read_dir(place.path()).expect("it is a directory").count();
    let deadline = Instant::now() + Duration::from_secs(120);
    while left() > 0 {
        assert!(Instant::now() < deadline, "{} directories are left", left());
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn victim_with_a_network() {
    let Some(seconds) = std::env::var_os(VICTIM) else { return };
    let network = Network::new(3).expect("the starter has tried");
    let mut sleeper = network.hosts()[2].command("sleep").arg(seconds).spawn().expect("nsenter");
    sleeper.wait().expect("the child is ours");
}
