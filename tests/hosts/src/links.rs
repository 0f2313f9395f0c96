//! Cables between hosts: pairs of virtual Ethernet devices, straight between two hosts, through a bridge for more.

use crate::keeper::Keeper;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// The interface that each host has.
pub const INTERFACE: &str = "eth0";

/// The address of host `index` (from 0).
pub fn address(index: usize) -> String {
    format!("10.77.0.{}", index + 1)
}

/// Connects the hosts; returns what else has to be kept for it.
pub fn connect(hosts: &[&Keeper]) -> Result<Option<Keeper>, String> {
    let switch = match hosts {
        [] | [_] => None,
        [one, other] => {
            // Both ends come to be where they belong: nothing is seen of them outside.
            cable(one, INTERFACE, other, INTERFACE)?;
            None
        }
        _ => Some(Keeper::switch()?),
    };
    if let Some(switch) = &switch {
        for (index, host) in hosts.iter().enumerate() {
            let port = format!("port{index}");
            cable(host, INTERFACE, switch, &port)?;
            ip(switch, &["link", "set", &port, "master", "bridge", "up"])?;
        }
    }
    if hosts.len() > 1 {
        for (index, host) in hosts.iter().enumerate() {
            let address = format!("{}/24", address(index));
            ip(host, &["address", "add", &address, "dev", INTERFACE])?;
            ip(host, &["link", "set", INTERFACE, "up"])?;
        }
        hosts.iter().try_for_each(|host| wait_until_up(host))?;
    }
    Ok(switch)
}

/// The kernel tells that a link carries something up to a second after it does, and UCX takes no other link. Newer ones
/// look when they are asked whether it does.
fn wait_until_up(host: &Keeper) -> Result<(), String> {
    let link = host.path(&Path::new("/sys/class/net").join(INTERFACE));
    let (state, carried) = (link.join("operstate"), link.join("carrier"));
    let deadline = Instant::now() + Duration::from_secs(120);
    loop {
        // An error means that the link is not up, as its state does.
        let _ = fs::read(&carried);
        let now =
            fs::read_to_string(&state).map_err(|error| format!("{}: {error}", state.display()))?;
        if now.trim_end() == "up" {
            return Ok(());
        }
        if Instant::now() >= deadline {
            return Err(format!(
                "{INTERFACE} of a host is {} and does not come up",
                now.trim_end()
            ));
        }
        thread::sleep(Duration::from_millis(5));
    }
}

fn cable(one: &Keeper, name: &str, other: &Keeper, other_name: &str) -> Result<(), String> {
    let (pid, other_pid) = (one.pid().to_string(), other.pid().to_string());
    let mut command = Command::new("ip");
    command.args(["link", "add", name, "netns", &pid, "type", "veth"]);
    command.args(["peer", "name", other_name, "netns", &other_pid]);
    run(command)
}

/// `ip` in the network of a host.
fn ip(host: &Keeper, arguments: &[&str]) -> Result<(), String> {
    let mut command = Command::new("nsenter");
    command.arg(format!("--net=/proc/{}/ns/net", host.pid())).arg("ip").args(arguments);
    run(command)
}

fn run(mut command: Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim()))
    }
}
