//! Ours beside itself: on several virtual hosts, and with the techniques of UHCAF one after the other (figure 6).

use crate::peers::{Absent, Kind, Peer, our_variants};

/// The setting that switches techniques.
const SETTING: &str = "XMP_COLL_TECHNIQUES";

/// The ladder of figure 6; each rung adds a technique. The last is what ours does by default.
const LADDER: [(&str, &str); 4] = [
    ("baseline", "double-buffering"),
    ("+work buffers", "double-buffering,work-buffers"),
    ("+2-level", "double-buffering,work-buffers,two-level"),
    ("+canary", "double-buffering,work-buffers,two-level,canary"),
];

/// Short name and column head of ours on this many hosts.
pub fn on_hosts(hosts: u32) -> String {
    format!("ours/{hosts}h")
}

/// Short name and column head of a rung on this many hosts.
fn rung_on_hosts(rung: &str, hosts: u32) -> String {
    format!("ours/{hosts}h/{rung}")
}

/// Adds the variants to the peers, after ours, if ours is there. With one host there is no ladder: its
/// techniques are about messages between hosts.
pub fn add(all: &mut Vec<Result<Peer, Absent>>, hosts: &[u32]) {
    let Some(Ok(ours)) =
        all.iter().find(|peer| matches!(peer, Ok(peer) if peer.kind == Kind::Ours))
    else {
        return;
    };
    let several = || hosts.iter().copied().filter(|&hosts| hosts > 1);
    let mut variants =
        our_variants(ours, Kind::OursOnHosts, several().map(|n| (on_hosts(n), n, Vec::new())));
    let rungs = several().flat_map(|hosts| {
        LADDER.map(|(name, value)| {
            (rung_on_hosts(name, hosts), hosts, vec![(SETTING, value.to_owned())])
        })
    });
    variants.extend(our_variants(ours, Kind::Technique, rungs));
    all.extend(variants.into_iter().map(Ok));
}
