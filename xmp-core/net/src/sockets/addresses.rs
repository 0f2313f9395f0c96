//! Addresses of this host.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ptr;

/// Most addresses of a host that others learn.
const ADDRESSES: usize = 6;
/// An address and its kind.
const ADDRESS: usize = 17;
/// Bytes of a list of addresses for other hosts.
pub const LIST: usize = ADDRESSES * ADDRESS;

/// Addresses at which other machines may reach this one; those of version 4 first, but link-local ones last.
pub fn of_this_host() -> Vec<IpAddr> {
    let mut found = Vec::new();
    let mut first = ptr::null_mut();
    // SAFETY: the call writes the list, which is walked as the system has made it, and freed once.
    unsafe {
        if libc::getifaddrs(&mut first) != 0 {
            return found;
        }
        let mut next = first;
        while let Some(interface) = next.as_ref() {
            found.extend(address(interface.ifa_addr));
            next = interface.ifa_next;
        }
        libc::freeifaddrs(first);
    }
    found.sort_by_key(order);
    found.truncate(ADDRESSES);
    found
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

    #[test]
    fn link_local_addresses_come_last() {
        let mut list: Vec<IpAddr> = ["169.254.3.4", "2001:db8::7", "10.1.2.3"]
            .map(|address| address.parse().unwrap())
            .into();
        list.sort_by_key(order);
        assert_eq!(list.iter().map(order).collect::<Vec<_>>(), [0, 1, 2]);
    }

    #[test]
    fn addresses_can_be_reached_by_other_machines() {
        assert!(of_this_host().iter().all(|address| !address.is_loopback()));
    }
}
