//! The description of a host for the others, so that they can connect to it and name it.

use crate::process::descriptors::{TEXT, padded};
use crate::rank::Rank;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ptr;

/// Most addresses of a host in its description.
const ADDRESSES: usize = 6;
/// An address and its kind.
const ADDRESS: usize = 17;

/// The description of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Description {
    /// The port that it listens at; 0: none.
    pub port: u16,
    /// The first bytes of a connection to it.
    pub token: u64,
    /// Addresses that it has.
    pub addresses: Vec<IpAddr>,
    /// Its name, and its images.
    pub text: String,
}

impl Description {
    /// Bytes of a description.
    pub const BYTES: usize = 2 + 8 + ADDRESSES * ADDRESS + TEXT;

    pub fn to_bytes(&self) -> [u8; Description::BYTES] {
        let mut bytes = [0; Description::BYTES];
        bytes[..2].copy_from_slice(&self.port.to_le_bytes());
        bytes[2..10].copy_from_slice(&self.token.to_le_bytes());
        let (places, text) = bytes[10..].split_at_mut(ADDRESSES * ADDRESS);
        for (place, address) in places.chunks_exact_mut(ADDRESS).zip(&self.addresses) {
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
        text.copy_from_slice(&padded(&self.text));
        bytes
    }

    pub fn from_bytes(bytes: &[u8]) -> Description {
        let array = |from: usize| bytes[from..from + 8].try_into().expect("eight bytes");
        let (places, text) = bytes[10..].split_at(ADDRESSES * ADDRESS);
        let address = |place: &[u8]| match place[0] {
            4 => Some(Ipv4Addr::new(place[1], place[2], place[3], place[4]).into()),
            6 => Some(Ipv6Addr::from(<[u8; 16]>::try_from(&place[1..]).expect("16 bytes")).into()),
            _ => None,
        };
        Description {
            port: u16::from_le_bytes([bytes[0], bytes[1]]),
            token: u64::from_le_bytes(array(2)),
            addresses: places.chunks_exact(ADDRESS).map_while(address).collect(),
            text: String::from_utf8_lossy(text).trim_end_matches('\0').to_owned(),
        }
    }
}

/// The text about a host: its name, and its images.
pub(super) fn text(name: &str, images: &[Rank]) -> String {
    let numbers = || images.iter().map(|rank| rank.image());
    let are_next = images.windows(2).all(|pair| pair[1].get() == pair[0].get() + 1);
    let list = match images {
        [] => return name.to_owned(),
        [one] => return format!("{name} ({one})"),
        [first, .., last] if are_next => format!("{} to {}", first.image(), last.image()),
        _ => numbers().map(|number| number.to_string()).collect::<Vec<_>>().join(", "),
    };
    // Long names come first: the end of the list is cut off.
    format!("{name} (images {list})")
}

/// Addresses at which other machines may reach this one; those of version 4 first.
pub(super) fn addresses() -> Vec<IpAddr> {
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
    found.sort_by_key(IpAddr::is_ipv6);
    found.truncate(ADDRESSES);
    found
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_read_as_written() {
        let description = Description {
            port: 4711,
            token: 0x0123_4567_89ab_cdef,
            addresses: vec!["10.1.2.3".parse().unwrap(), "2001:db8::7".parse().unwrap()],
            text: "beta (images 3 to 4)".into(),
        };
        assert_eq!(Description::from_bytes(&description.to_bytes()), description);
        assert_eq!(
            Description::from_bytes(&Description::default().to_bytes()),
            Description::default()
        );
        let long = Description { text: "ä".repeat(100), ..description };
        assert_eq!(Description::from_bytes(&long.to_bytes()).text, "ä".repeat(TEXT / 2));
    }

    #[test]
    fn hosts_are_named_with_their_images() {
        let ranks = |numbers: &[u32]| numbers.iter().copied().map(Rank::new).collect::<Vec<_>>();
        assert_eq!(text("a", &ranks(&[4])), "a (image 5)");
        assert_eq!(text("a", &ranks(&[4, 5, 6])), "a (images 5 to 7)");
        assert_eq!(text("a", &ranks(&[0, 2, 4])), "a (images 1, 3, 5)");
        assert_eq!(text("a", &[]), "a");
    }

    #[test]
    fn addresses_can_be_reached_by_other_machines() {
        assert!(addresses().iter().all(|address| !address.is_loopback()));
    }
}
