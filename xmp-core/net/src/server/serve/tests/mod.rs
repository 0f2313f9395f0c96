//! Tests of a server with messages that no origin sends.

mod ahead;
mod dependent;
mod merged;
mod model;
mod notes;
mod order;
mod parts;
mod refusals;
mod states;

use super::*;
use crate::error::Error;
use crate::job::page::Geometry;
use crate::nest::Loop;
use crate::server::bundle;
use crate::server::in_process::{InProcess, Network, Shim};
use crate::server::wire::{
    self, Action, Answer, Change, Changes, Dependencies, Dependency, Grid, Head, Member, Members,
    Payload, Record, RemoteLayout, Request, Run, Runs, read_reply, write_request,
};
use crate::server::{Handler, HandlerCall, Port};
use crate::settings::Settings;
use crate::thread_images;
use crate::transport::{AtomicOp, AtomicRequest, Mark, Transport, Width};

/// A server of the images 1 and 2 of 3, and the fabric of image 3, which is on another host.
struct Pair {
    server: Server,
    fabric: InProcess,
    origin: InProcess,
    job: Arc<Job>,
}

const ME: Rank = Rank::new(2);
const LEADER: Rank = Rank::new(0);

fn pair() -> Pair {
    pair_with(Shim::default())
}

fn pair_with(shim: Shim) -> Pair {
    let (server, job, network) = server_of(2, 3, shim);
    Pair { server, fabric: network.fabric(LEADER), origin: network.fabric(ME), job }
}

/// The server of a host with the first `here` of this many images, its job and the network; the others are on another host.
fn server_of(here: u32, images: u32, shim: Shim) -> (Server, Arc<Job>, Arc<Network>) {
    let settings = Settings::from_lookup(|_| Ok(None)).unwrap();
    let part = crate::job::Part { images: here, first_host: 0, hosts: 1 };
    let geometry = Geometry::plan_part(images, 2, part, Some(1 << 26)).unwrap();
    let geometry = Geometry { base: 0, ..geometry };
    let job = Arc::new(thread_images::job(&settings, geometry).unwrap());
    let leader = |image| Rank::new(if image < here { 0 } else { here });
    let leaders: Vec<Rank> = (0..images).map(leader).collect();
    let peers = Arc::new(Peers::new(LEADER, &leaders));
    let limits = Limits { inline: 64, chunk: 64, ..Limits::default() };
    (Server::new(job.clone(), peers, limits), job, Network::new(images, shim))
}

/// A message of an image with coalesced requests for the first one.
fn coalesced(origin: Rank, requests: &[Request<'_>]) -> Vec<u8> {
    let mut message = vec![bundle::REQUESTS];
    for request in requests {
        let head = Head { origin, target: LEADER, id: 7 };
        bundle::write_with(&mut message, origin, |message| write_request(message, head, request));
    }
    message
}

impl Pair {
    fn send(&mut self, tag: Tag, bytes: &[u8]) {
        // SAFETY: short, so it is copied at once.
        let op = unsafe { self.origin.send(LEADER, tag, bytes).unwrap() };
        self.origin.test(op).unwrap().expect("eager");
    }

    fn poll(&mut self) {
        for _ in 0..20 {
            self.server.poll(&mut self.fabric, || false).unwrap();
        }
    }

    fn request(&mut self, target: Rank, request: &Request<'_>) {
        let mut message = Vec::new();
        write_request(&mut message, Head { origin: ME, target, id: 5 }, request);
        self.send(Tag::REQUEST, &message);
        self.poll();
    }

    /// The next message of the server with this tag, if it has arrived.
    fn received(&mut self, tag: Tag) -> Option<Vec<u8>> {
        let mut room = vec![0; 1024];
        // SAFETY: the room outlives the operation, which this function completes or cancels.
        let op = unsafe { self.origin.receive(LEADER, tag, &mut room[..]).unwrap() };
        let Some((_, len)) = self.origin.test(op).unwrap() else {
            self.origin.cancel(op).unwrap();
            return None;
        };
        room.truncate(len);
        Some(room)
    }

    /// The text of the next reply, which must be a refusal; `None` if there is no reply.
    fn refusal(&mut self) -> Option<String> {
        let reply = self.received(Tag::REPLY)?;
        match read_reply(&reply).unwrap().answer {
            Answer::Refused(why) => Some(why.into()),
            other => panic!("not refused: {other:?}"),
        }
    }

    /// The result of `read` for the next reply.
    fn answer<T>(&mut self, read: impl FnOnce(Answer<'_>) -> T) -> T {
        let reply = self.received(Tag::REPLY).expect("a reply");
        read(read_reply(&reply).unwrap().answer)
    }

    /// The first `len` bytes of an image's segment.
    fn bytes_of(&self, image: Rank, len: usize) -> Vec<u8> {
        let segment = self.job.segment(image).unwrap();
        // SAFETY: the segment is mapped and longer; only the server of this test writes, and it is not running.
        unsafe { std::slice::from_raw_parts(segment, len) }.to_vec()
    }

    /// The refusal that a flush reports.
    fn refused_before(&mut self) -> String {
        assert_eq!(self.refusal(), None, "a request without reply has one");
        self.request(LEADER, &Request::Flush);
        self.refusal().expect("a flush is answered")
    }
}
