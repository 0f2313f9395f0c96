//! A server, and messages that no image of ours sends: it refuses them, or ends the job with an error, and touches no
//! memory but the segments of its images.
//!
//! The input is a list of messages: a byte that says which kind it is and how often the server looks before it comes,
//! two bytes with its length, its bytes. Requests and their data come from an image of another host, bundles from its
//! server.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::Arc;
use xmp_core::Rank;
use xmp_core::job::Part;
use xmp_core::job::page::Geometry;

use xmp_core::server::in_process::{Network, Shim};
use xmp_core::server::{Fabric, Limits, Peers, Server, Tag};
use xmp_core::settings::Settings;
use xmp_shm::thread_images;

const LEADER: Rank = Rank::new(0);
const OTHER: Rank = Rank::new(2);
const TAGS: [Tag; 4] = [Tag::REQUEST, Tag::REQUEST_DATA, Tag::RELAY, Tag::REQUEST];

fuzz_target!(|bytes: &[u8]| {
    let part = Part { images: 2, first_host: 0, hosts: 1 };
    let geometry = Geometry::plan_part(3, 2, part, Some(1 << 26)).expect("a geometry");
    let geometry = Geometry { base: 0, ..geometry };
    let job = Arc::new(thread_images::job(&Settings::default(), geometry).expect("a job"));
    let peers = Arc::new(Peers::new(LEADER, &[0, 0, 2].map(Rank::new)));
    let network = Network::new(3, Shim::default());
    let limits = Limits { inline: 64, chunk: 64, ..Limits::default() };
    let mut server = Server::new(job, peers, limits);
    let mut fabric = network.fabric(LEADER);
    let mut other = network.fabric(OTHER);
    let mut rest = bytes;
    while let Some((&[how, low, high], after)) = rest.split_first_chunk() {
        let len = usize::from(u16::from_le_bytes([low, high])).min(after.len());
        let (message, after) = after.split_at(len);
        rest = after;
        let tag = TAGS[usize::from(how) % TAGS.len()];
        // SAFETY: it is below the eager limit, so it is copied at once.
        let sent = unsafe { other.send(LEADER, tag, message) };
        sent.expect("the network takes it");
        for _ in 0..how >> 4 {
            if server.poll(&mut fabric, || false).is_err() {
                // The job ends.
                return;
            }
        }
    }
    for _ in 0..20 {
        if server.poll(&mut fabric, || false).is_err() {
            return;
        }
    }
});
