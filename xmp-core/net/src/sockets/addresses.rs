//! Addresses of this host.

use std::ffi::CStr;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ptr;

/// Most addresses of a host that others learn.
const ADDRESSES: usize = 6;
/// An address and its kind.
const ADDRESS: usize = 17;
/// Bytes of a list of addresses for other hosts.
pub const LIST: usize = ADDRESSES * ADDRESS;

/// An address of an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
struct InterfaceAddress {
    interface: String,
    address: IpAddr,
    /// Whether it leads to virtual machines or containers of this host, or to nothing.
    is_inward: bool,
    /// Megabits a second; 0 if the system does not know.
    speed: u32,
}

/// All addresses at which other machines may reach this one.
pub fn of_this_host() -> Vec<IpAddr> {
    found().into_iter().map(|found| found.address).collect()
}

/// Addresses for other machines, the best first: those of the `wanted` interfaces (`ib0,eth*`) in that order, or of all: real networks
/// first, the fastest first; addresses of version 4 first, but link-local ones last.
///
/// # Errors
/// When no interface that is wanted has an address: its text names those that have.
pub fn for_others(wanted: Option<&str>) -> Result<Vec<IpAddr>, String> {
    choose(found(), wanted)
}

fn choose(mut found: Vec<InterfaceAddress>, wanted: Option<&str>) -> Result<Vec<IpAddr>, String> {
    let patterns: Vec<&str> =
        wanted.into_iter().flat_map(|list| list.split(',')).map(str::trim).collect();
    let place = |found: &InterfaceAddress| {
        patterns.iter().position(|pattern| is_named(&found.interface, pattern))
    };
    if wanted.is_some() && !found.iter().any(|found| place(found).is_some()) {
        let there = found.iter().map(|found| format!("{} ({})", found.interface, found.address));
        let there: Vec<String> = there.collect();
        return Err(format!(
            "setting XMP_NET_INTERFACE: this host has no interface {} with an address for other hosts; it has {}",
            patterns.join(" or "),
            if there.is_empty() { "none".into() } else { there.join(", ") }
        ));
    }
    found.retain(|found| wanted.is_none() || place(found).is_some());
    found.sort_by_key(|found| {
        (place(found), found.is_inward, order(&found.address), std::cmp::Reverse(found.speed))
    });
    let mut addresses: Vec<IpAddr> = found.into_iter().map(|found| found.address).collect();
    addresses.truncate(ADDRESSES);
    Ok(addresses)
}

/// Whether a pattern, a name or its beginning before `*`, means this interface.
fn is_named(interface: &str, pattern: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => interface.starts_with(beginning),
        None => interface == pattern,
    }
}

fn found() -> Vec<InterfaceAddress> {
    let mut all = Vec::new();
    let mut first = ptr::null_mut();
    // SAFETY: the call writes the list, which is walked as the system has made it, and freed once; names end with a zero byte.
    unsafe {
        if libc::getifaddrs(&mut first) != 0 {
            return all;
        }
        let mut next = first;
        while let Some(entry) = next.as_ref() {
            if let Some(address) = address(entry.ifa_addr) {
                let interface = CStr::from_ptr(entry.ifa_name).to_string_lossy().into_owned();
                const RUNS: u32 = (libc::IFF_UP | libc::IFF_RUNNING) as u32;
                let is_inward = is_inward(&interface) || entry.ifa_flags & RUNS != RUNS;
                let speed = fs::read_to_string(format!("/sys/class/net/{interface}/speed"));
                let speed = speed.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0);
                all.push(InterfaceAddress { interface, address, is_inward, speed });
            }
            next = entry.ifa_next;
        }
        libc::freeifaddrs(first);
    }
    all
}

/// Whether an interface of this name usually leads to virtual machines or containers of its host.
fn is_inward(name: &str) -> bool {
    ["docker", "virbr", "veth", "cni", "br-", "lxc", "podman"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// Those of version 4 first, without the ones that a host gives itself where a network has none for it: these come last.
fn order(address: &IpAddr) -> u8 {
    match address {
        IpAddr::V4(address) if address.is_link_local() => 2,
        IpAddr::V4(_) => 0,
        IpAddr::V6(_) => 1,
    }
}

/// # Safety
/// Null, or an address as long as its family's are.
unsafe fn address(address: *const libc::sockaddr) -> Option<IpAddr> {
    // SAFETY: null, or as long as its family's addresses are (contract of this function); the structures of the
    // families are read as such.
    let address: IpAddr = unsafe {
        match i32::from(address.as_ref()?.sa_family) {
            libc::AF_INET => {
                let its = address.cast::<libc::sockaddr_in>().read_unaligned();
                Ipv4Addr::from(its.sin_addr.s_addr.to_ne_bytes()).into()
            }
            libc::AF_INET6 => {
                let its = address.cast::<libc::sockaddr_in6>().read_unaligned();
                let address = Ipv6Addr::from(its.sin6_addr.s6_addr);
                // It would need the number of an interface, too.
                return (!address.is_loopback() && !address.is_unicast_link_local())
                    .then_some(address.into());
            }
            _ => return None,
        }
    };
    (!address.is_loopback()).then_some(address)
}

/// A list of addresses as bytes.
pub fn to_bytes(addresses: &[IpAddr]) -> [u8; LIST] {
    let mut bytes = [0; LIST];
    for (place, address) in bytes.chunks_exact_mut(ADDRESS).zip(addresses) {
        match address {
            IpAddr::V4(address) => {
                place[0] = 4;
                place[1..5].copy_from_slice(&address.octets());
            }
            IpAddr::V6(address) => {
                place[0] = 6;
                place[1..].copy_from_slice(&address.octets());
            }
        }
    }
    bytes
}

/// The list that these bytes are.
pub fn from_bytes(bytes: &[u8]) -> Vec<IpAddr> {
    let address = |place: &[u8]| match place[0] {
        4 => Some(Ipv4Addr::new(place[1], place[2], place[3], place[4]).into()),
        6 => Some(Ipv6Addr::from(<[u8; 16]>::try_from(&place[1..]).expect("16 bytes")).into()),
        _ => None,
    };
    bytes.chunks_exact(ADDRESS).map_while(address).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_written() {
        let list: Vec<IpAddr> = vec!["10.1.2.3".parse().unwrap(), "2001:db8::7".parse().unwrap()];
        assert_eq!(from_bytes(&to_bytes(&list)), list);
        assert_eq!(from_bytes(&to_bytes(&[])), Vec::<IpAddr>::new());
    }

    fn interface(name: &str, address: &str, speed: u32) -> InterfaceAddress {
        let is_inward = is_inward(name);
        InterfaceAddress {
            interface: name.into(),
            address: address.parse().unwrap(),
            is_inward,
            speed,
        }
    }

    fn all() -> Vec<InterfaceAddress> {
        vec![
            interface("docker0", "172.17.0.1", 0),
            interface("eth0", "10.1.2.3", 1000),
            interface("eth0", "2001:db8::7", 1000),
            interface("eth1", "169.254.3.4", 1000),
            interface("ib0", "10.9.2.3", 100_000),
        ]
    }

    fn chosen(wanted: Option<&str>) -> Vec<String> {
        choose(all(), wanted).unwrap().iter().map(IpAddr::to_string).collect()
    }

    #[test]
    fn the_fastest_real_network_comes_first_and_link_local_addresses_last() {
        let expected = ["10.9.2.3", "10.1.2.3", "2001:db8::7", "169.254.3.4", "172.17.0.1"];
        assert_eq!(chosen(None), expected);
    }

    #[test]
    fn interfaces_are_chosen_by_their_names() {
        assert_eq!(chosen(Some("eth0")), ["10.1.2.3", "2001:db8::7"]);
        assert_eq!(chosen(Some("eth1, ib*")), ["169.254.3.4", "10.9.2.3"]);
        assert_eq!(chosen(Some("docker0")), ["172.17.0.1"]);
        let text = choose(all(), Some("ib1,hsn*")).unwrap_err();
        for word in ["XMP_NET_INTERFACE", "ib1 or hsn*", "eth0 (10.1.2.3)"] {
            assert!(text.contains(word), "{text}");
        }
        assert!(choose(Vec::new(), Some("ib1")).unwrap_err().ends_with("it has none"));
        assert_eq!(choose(Vec::new(), None), Ok(Vec::new()));
    }

    #[test]
    fn addresses_can_be_reached_by_other_machines() {
        assert!(of_this_host().iter().all(|address| !address.is_loopback()));
    }
}
