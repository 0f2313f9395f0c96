//! The hosts of a job and their slots: from the command line, a file, or the compressed lists of Slurm.

use crate::error::{Error, Result};
use std::collections::BTreeMap;

/// A host, and how many images it is meant for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostSlots {
    /// Its name.
    pub name: String,
    /// The number of images; `None`: as many as it has cores.
    pub slots: Option<u32>,
}

impl HostSlots {
    fn new(name: &str, slots: Option<u32>) -> HostSlots {
        HostSlots { name: name.into(), slots }
    }
}

/// The hosts of `--hosts a,b:4`.
///
/// # Errors
/// When one has no name, no slots, or is named twice.
pub fn from_option(text: &str) -> Result<Vec<HostSlots>> {
    let hosts = text.split(',').map(|item| host(item.trim(), "--hosts"));
    let hosts = hosts.collect::<Result<Vec<_>>>()?;
    for (at, HostSlots { name, .. }) in hosts.iter().enumerate() {
        if hosts[..at].iter().any(|other| other.name == *name) {
            return Err(Error::Invalid(format!(
                "--hosts: {name} is named twice: write {name}:2 for two images there"
            )));
        }
    }
    Ok(hosts)
}

/// Words of host files of Open MPI and MPICH, in front of `=`, that have no meaning here.
const WORDS_OF_OTHERS: [&str; 4] = ["max_slots", "max-slots", "binding", "ifname"];

/// The hosts of a file: one in each line, as `name`, `name:4`, `name slots=4` or `name 4`. What follows `#` is a comment. A line that
/// names a host again gives it more slots, as the lists of batch systems do.
///
/// # Errors
/// When a line is no host, or there is none.
pub fn from_file(text: &str, file: &str) -> Result<Vec<HostSlots>> {
    let mut hosts: Vec<HostSlots> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let Some(first) = words.next() else { continue };
        let place = format!("{file}, line {number}");
        let mut found = host(first, &place)?;
        for word in words {
            let (key, slots) = word.split_once('=').unwrap_or(("slots", word));
            if key == "slots" {
                found.slots = Some(count(slots, first, &place)?);
            } else if !WORDS_OF_OTHERS.contains(&key) {
                return Err(Error::Invalid(format!(
                    "{place}: {word:?} has no meaning: write slots=4 for four images, and user@{first} for another user"
                )));
            }
        }
        match hosts.iter_mut().find(|host| host.name == found.name) {
            Some(host) => host.slots = Some(host.slots.unwrap_or(1) + found.slots.unwrap_or(1)),
            None => hosts.push(found),
        }
    }
    if hosts.is_empty() {
        return Err(Error::Invalid(format!("{file} names no host: it has one in each line")));
    }
    Ok(hosts)
}

/// `name` or `name:slots`; an address of IPv6 is in brackets if it has slots.
fn host(item: &str, place: &str) -> Result<HostSlots> {
    let (name, slots) = match item.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((name, "")) => (name, None),
        Some((name, slots)) if slots.starts_with(':') => (name, Some(&slots[1..])),
        // With other text after the bracket it is no name.
        Some(_) => (item, None),
        None if item.matches(':').count() > 1 => (item, None),
        None => match item.split_once(':') {
            Some((name, slots)) => (name, Some(slots)),
            None => (item, None),
        },
    };
    // It must not be taken for an option of ssh.
    let is_name = |name: &str| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.@:%".contains(c);
        !name.is_empty() && !name.starts_with('-') && name.chars().all(is_part)
    };
    if !is_name(name) {
        return Err(Error::Invalid(format!("{place}: {item:?} is no name of a host")));
    }
    Ok(HostSlots::new(name, slots.map(|slots| count(slots, name, place)).transpose()?))
}

fn count(text: &str, host: &str, place: &str) -> Result<u32> {
    text.parse().ok().filter(|&slots| slots > 0).ok_or_else(|| {
        Error::Invalid(format!(
            "{place}: {text:?} slots of {host}: a whole number from 1 is needed; leave the host out if no image is to run there"
        ))
    })
}

/// The hosts that a scheduler lists by pairs of a name and a number, `a 4 b 8`.
pub(super) fn from_pairs(text: &str) -> Vec<HostSlots> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let pair = |pair: &[&str]| Some(HostSlots::new(pair[0], Some(pair[1].parse().ok()?)));
    words.chunks_exact(2).filter_map(pair).collect()
}

/// The names in a compressed list of Slurm: `a[01-03,7]-b[1-2],c`.
pub(super) fn from_compressed(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in text.char_indices().chain([(text.len(), ',')]) {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth == 0 => {
                expand(&text[start..at], String::new(), &mut names);
                start = at + 1;
            }
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// Adds the names of an item, which begin with `before`.
fn expand(item: &str, before: String, names: &mut Vec<String>) {
    let Some((prefix, rest)) = item.split_once('[') else {
        names.push(before + item);
        return;
    };
    let (ranges, rest) = rest.split_once(']').unwrap_or((rest, ""));
    for range in ranges.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (Ok(from), Ok(to)) = (first.parse::<u64>(), last.parse::<u64>()) else { continue };
        for number in from..=to {
            let width = first.len();
            expand(rest, format!("{before}{prefix}{number:0width$}"), names);
        }
    }
}

/// The numbers in a compressed list of Slurm: `2(x3),1`.
pub(super) fn counts(text: &str) -> Vec<u32> {
    let mut counts = Vec::new();
    for item in text.split(',') {
        let (number, times) = item.trim().split_once("(x").unwrap_or((item.trim(), "1)"));
        let times = times.trim_end_matches(')').parse().unwrap_or(1);
        if let Ok(number) = number.parse::<u32>() {
            counts.extend(std::iter::repeat_n(number, times));
        }
    }
    counts
}

/// The number of `images` for each host, the first hosts first; where there are more images than slots, each host gets
/// its share. `slots`: at least one for each host.
pub(super) fn shares(images: u32, slots: &[u32]) -> Vec<u32> {
    let all: u64 = slots.iter().map(|&slots| u64::from(slots)).sum();
    let mut left = images;
    if u64::from(images) <= all {
        let share = |&slots: &u32| {
            let share = slots.min(left);
            left -= share;
            share
        };
        return slots.iter().map(share).collect();
    }
    let mut passed = 0;
    let mut given = 0;
    let share = |&slots: &u32| {
        passed += u64::from(slots);
        let upto = (u64::from(images) * passed / all) as u32;
        let share = upto - given;
        given = upto;
        share
    };
    slots.iter().map(share).collect()
}

/// The first part of a name, without its domain, unless it is an address.
pub(super) fn short(name: &str) -> &str {
    let is_address = name.parse::<std::net::IpAddr>().is_ok();
    if is_address { name } else { name.split('.').next().unwrap_or(name) }
}

/// The slots of hosts that are listed with one name for each slot, in the order of their first lines.
pub(super) fn from_lines(text: &str) -> Vec<HostSlots> {
    let mut order = Vec::new();
    let mut slots: BTreeMap<&str, u32> = BTreeMap::new();
    for name in text.split_whitespace() {
        let count = slots.entry(name).or_insert(0);
        if *count == 0 {
            order.push(name);
        }
        *count += 1;
    }
    order.into_iter().map(|name| HostSlots::new(name, Some(slots[name]))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(pairs: &[(&str, Option<u32>)]) -> Vec<HostSlots> {
        pairs.iter().map(|&(name, slots)| HostSlots::new(name, slots)).collect()
    }

    #[test]
    fn hosts_have_names_and_perhaps_slots() {
        let found = from_option("a, b:4,user@c.d,[fe80::1]:2,::1").unwrap();
        let expected =
            [("a", None), ("b", Some(4)), ("user@c.d", None), ("fe80::1", Some(2)), ("::1", None)];
        assert_eq!(found, hosts(&expected));
        let text = "# ours\na\n\nb:2 # new\nc slots=3 max_slots=5\nd 4\nb\na\n";
        let found = from_file(text, "f").unwrap();
        assert_eq!(found, hosts(&[("a", Some(2)), ("b", Some(3)), ("c", Some(3)), ("d", Some(4))]));
    }

    #[test]
    fn wrong_hosts_are_named_with_the_remedy() {
        for (text, words) in [
            ("a,b,a", ["--hosts: a is named twice", "a:2"]),
            ("a,b:0", ["\"0\" slots of b", "leave the host out"]),
            ("b:x", ["\"x\" slots of b", "from 1"]),
            ("a,,b", ["\"\"", "no name of a host"]),
            ("-oProxyCommand=x", ["-oProxyCommand=x", "no name of a host"]),
            ("a;b", ["a;b", "no name of a host"]),
            ("[::1]4", ["[::1]4", "no name of a host"]),
        ] {
            let error = from_option(text).unwrap_err().to_string();
            assert!(words.iter().all(|word| error.contains(word)), "{error}");
        }
        for (text, words) in [
            ("a\nb slots=0", ["f, line 2", "slots of b"]),
            ("a\n\nb slot=4", ["f, line 3: \"slot=4\" has no meaning", "write slots=4"]),
            ("a user=me", ["f, line 1: \"user=me\"", "user@a"]),
            ("a four", ["f, line 1", "\"four\" slots of a"]),
            ("# a", ["f", "no host"]),
        ] {
            let error = from_file(text, "f").unwrap_err().to_string();
            assert!(words.iter().all(|word| error.contains(word)), "{error}");
        }
    }

    #[test]
    fn compressed_lists_are_expanded() {
        let names = from_compressed("a[01-03,7]-b[1-2],c,d[9-10]");
        let expected = [
            "a01-b1", "a01-b2", "a02-b1", "a02-b2", "a03-b1", "a03-b2", "a7-b1", "a7-b2", "c",
            "d9", "d10",
        ];
        assert_eq!(names, expected);
        assert_eq!(from_compressed(""), Vec::<String>::new());
        assert_eq!(counts("2(x3),1"), [2, 2, 2, 1]);
        assert_eq!(counts("16"), [16]);
        assert_eq!(from_pairs("a 4 b 8"), hosts(&[("a", Some(4)), ("b", Some(8))]));
        assert_eq!(from_lines("a\nb\na\n"), hosts(&[("a", Some(2)), ("b", Some(1))]));
    }

    #[test]
    fn images_fill_slots_in_order_and_share_what_is_too_little() {
        assert_eq!(shares(5, &[4, 4, 4]), [4, 1, 0]);
        assert_eq!(shares(12, &[4, 4, 4]), [4, 4, 4]);
        assert_eq!(shares(8, &[2, 2]), [4, 4]);
        assert_eq!(shares(7, &[1, 2]), [2, 5]);
        assert_eq!(shares(4_000_000_000, &[1, 1]), [2_000_000_000; 2]);
    }

    #[test]
    fn names_of_one_host_may_have_domains() {
        assert_eq!([short("a.b.c"), short("a"), short("10.1.2.3")], ["a", "a", "10.1.2.3"]);
    }
}
