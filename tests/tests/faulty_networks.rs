//! Networks between hosts that lack what jobs need: a way from one host to another, a free port, addresses of version 4. Either the job
//! runs, or it ends soon with a message that names the host and what to do, and nothing is left of it.

use serial_test::serial;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use xmp_hosts::{Network, Requirement, skipped};
use xmp_tests::{Program, Run};

/// Two hosts of this test alone: it changes their network.
fn two_hosts() -> Option<Arc<Network>> {
    match Network::possible(2) {
        Ok(()) => Some(Arc::new(Network::new(2).expect("two hosts"))),
        Err(reason) => {
            skipped(Requirement::Network, format_args!("no two hosts: {reason}"));
            None
        }
    }
}

/// Executes a line of the shell on a host.
fn execute(network: &Network, host: usize, line: &str) {
    let mut shell = network.hosts()[host].command("sh");
    let status = shell.args(["-e", "-c", line]).stdin(Stdio::null()).status();
    assert!(status.expect("a shell").success(), "{line}");
}

fn program() -> PathBuf {
    Program::fortran("collectives/co_sum_large").build()
}

/// The job ends with an error in a line with all these words.
fn is_refused(run: &Run, words: &[&str]) {
    let outcome = run.finish();
    assert!(!outcome.status.success(), "{outcome:?}");
    outcome.stdout_is("").stderr_line_with(words);
}

#[test]
#[serial]
fn a_host_without_a_way_to_another_one_is_named_with_the_address() {
    let Some(network) = two_hosts() else { return };
    let run = Run::new(program()).xmprun_on(&network, &[1, 1]);
    run.finish().succeeded();
    let address = network.hosts()[0].address().to_owned();
    execute(&network, 1, &format!("ip route add unreachable {address}"));
    is_refused(&run, &["image 2 on beta", &address, "No route to host", "XMP_NET_INTERFACE"]);
    execute(&network, 1, &format!("ip route del unreachable {address}"));
    // The other way: hosts connect to leaders of lower ranks, and nothing comes back.
    execute(&network, 1, &format!("ip link set {} down", network.interface()));
    is_refused(&run, &["image 2 on beta", &address, "Network is unreachable", "XMP_NET_INTERFACE"]);
}

#[test]
#[serial]
fn a_host_without_a_free_port_is_named_with_the_setting_that_has_them() {
    let Some(network) = two_hosts() else { return };
    let run = Run::new(program()).xmprun_on(&network, &[1, 1]);
    // A system that gives none away is like one whose ports are all in use.
    let ports = "cd /proc/sys/net/ipv4; echo 61000 61003 >ip_local_port_range; echo 61000-61003 >ip_local_reserved_ports";
    execute(&network, 0, ports);
    is_refused(&run, &["image 1 on alpha", "no port is free", "ip_local_port_range"]);
    execute(&network, 0, "echo >/proc/sys/net/ipv4/ip_local_reserved_ports");
    execute(&network, 1, ports);
    is_refused(&run, &["image 2 on beta", "no port is free", "ip_local_port_range"]);
    // There are enough of them again.
    execute(&network, 1, "echo >/proc/sys/net/ipv4/ip_local_reserved_ports");
    run.finish().succeeded();
}

#[test]
#[serial]
fn hosts_with_addresses_of_version_6_alone_exchange_data() {
    let Some(network) = two_hosts() else { return };
    for host in [0, 1] {
        let line = format!(
            "echo 0 >/proc/sys/net/ipv6/conf/{0}/disable_ipv6; ip address flush dev {0} scope global; \
             ip address add fd77::{1}/64 dev {0} nodad",
            network.interface(),
            host + 1
        );
        execute(&network, host, &line);
    }
    let run = Run::new(program()).xmprun_on(&network, &[2, 2]);
    run.finish().succeeded();
    // A name of an interface means its addresses of either version.
    run.clone().env("XMP_NET_INTERFACE", network.interface()).finish().succeeded();
    is_refused(&run.env("XMP_NET_INTERFACE", "ib0"), &["on alpha", "no interface ib0", "fd77::1"]);
}
