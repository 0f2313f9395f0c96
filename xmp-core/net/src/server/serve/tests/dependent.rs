//! Requests that depend on messages of other images.

use super::*;
use crate::failure::publish_failed;

/// A server of images 1 to 3, and the fabrics of images 4 to 6, which are on the other host.
struct Both {
    server: Server,
    fabric: InProcess,
    origins: [InProcess; 3],
    job: Arc<Job>,
}

fn both() -> Both {
    both_with(Shim::default())
}

fn both_with(shim: Shim) -> Both {
    let (server, job, network) = server_of(3, 6, shim);
    let origins = [3, 4, 5].map(|rank| network.fabric(Rank::new(rank)));
    Both { server, fabric: network.fabric(LEADER), origins, job }
}

impl Both {
    fn send(&mut self, image: u32, tag: Tag, bytes: &[u8]) {
        let origin = &mut self.origins[image as usize - 4];
        // SAFETY: short, so it is copied at once.
        let op = unsafe { origin.send(LEADER, tag, bytes).unwrap() };
        origin.test(op).unwrap().expect("eager");
    }

    /// One message of an image with these requests.
    fn request(&mut self, image: u32, requests: &[Request<'_>]) {
        self.send(image, Tag::REQUEST, &coalesced(Rank::new(image - 1), requests));
    }

    /// The same, with dependencies on this many messages of these images.
    fn dependent(&mut self, image: u32, on: &[(u32, u64)], request: Request<'_>) {
        let dependency = |&(image, messages)| Dependency { image: Rank::new(image - 1), messages };
        let mut bytes = Vec::new();
        let after = Request::After(Dependencies::of(on.iter().map(dependency), &mut bytes));
        self.request(image, &[after, request]);
    }

    fn poll(&mut self) {
        self.server.poll(&mut self.fabric, || false).unwrap();
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        (0..20).for_each(|_| self.poll());
        let segment = self.job.segment(LEADER).unwrap();
        // SAFETY: the segment is mapped and longer; only the server of this test writes, and it is not running.
        unsafe { std::slice::from_raw_parts(segment, N) }.try_into().unwrap()
    }

    fn executed(&self, image: u32) -> u64 {
        self.server.clients.get(Rank::new(image - 1)).map_or(0, |client| client.executed)
    }
}

fn put(offset: u64, bytes: &[u8]) -> Request<'_> {
    Request::put(offset, Payload::Inline(bytes))
}

#[test]
fn requests_wait_for_the_messages_that_they_depend_on() {
    let mut both = both();
    both.dependent(5, &[(4, 2), (6, 1)], put(0, &[7]));
    // A later message of the image waits, too.
    both.request(5, &[put(1, &[8])]);
    assert_eq!(both.bytes(), [0, 0]);
    both.request(6, &[put(2, &[9])]);
    both.request(4, &[put(3, &[10])]);
    assert_eq!(both.bytes(), [0, 0, 9, 10]);
    // The second message of image 4 is a long put: half of it is not enough.
    both.request(4, &[Request::put(100, Payload::Follows(100))]);
    both.send(4, Tag::REQUEST_DATA, &[1; 64]);
    assert_eq!(both.bytes(), [0, 0, 9, 10]);
    both.send(4, Tag::REQUEST_DATA, &[1; 36]);
    assert_eq!(both.bytes(), [7, 8, 9, 10]);
    assert_eq!([4, 5, 6].map(|image| both.executed(image)), [2, 2, 1]);
    assert!(both.server.is_quiet());
}

#[test]
fn requests_that_come_in_the_wrong_order_are_executed_at_the_same_look() {
    let mut both = both();
    both.dependent(6, &[(5, 1)], put(2, &[3]));
    both.poll();
    both.dependent(5, &[(4, 1)], put(1, &[2]));
    both.poll();
    assert_eq!([4, 5, 6].map(|image| both.executed(image)), [0; 3]);
    both.request(4, &[put(0, &[1])]);
    both.poll();
    assert_eq!([4, 5, 6].map(|image| both.executed(image)), [1, 1, 1]);
    assert_eq!(both.bytes(), [1, 2, 3]);
}

#[test]
fn messages_of_a_failed_image_are_waited_for_as_long_as_they_can_come() {
    let mut both = both();
    both.dependent(5, &[(4, 2)], put(0, &[7]));
    assert_eq!(both.bytes(), [0]);
    // Both its messages have been sent; the first one is held for a third image.
    both.dependent(4, &[(6, 1)], put(1, &[8]));
    both.request(4, &[put(2, &[9])]);
    publish_failed(&both.job, Rank::new(3));
    assert_eq!(both.bytes(), [0, 0, 0]);
    both.request(6, &[put(3, &[10])]);
    assert_eq!(both.bytes(), [7, 8, 9, 10]);
    // A message that is lost.
    both.dependent(5, &[(4, 3)], put(0, &[5]));
    assert_eq!(both.bytes(), [5]);
}

#[test]
fn what_has_come_of_a_failed_image_is_executed_before_what_depends_on_it() {
    let grid = Grid {
        offset: 0,
        unit: 1,
        loops: [Loop { extent: 60, remote: 2, local: 0 }].into_iter().collect(),
    };
    let section = Request::Put { to: RemoteLayout::Nest(grid), data: Payload::Follows(60) };
    // The bytes of the first request have come, or were lost.
    for (has_come, expected) in [(true, [1, 0, 1, 8, 7]), (false, [0, 0, 0, 0, 7])] {
        for seed in 0..20 {
            let mut both = both_with(Shim { seed, ..Shim::default() });
            both.request(4, std::slice::from_ref(&section));
            if has_come {
                both.send(4, Tag::REQUEST_DATA, &[1; 60]);
            }
            both.request(4, &[put(3, &[8])]);
            both.dependent(5, &[(4, 2)], put(4, &[7]));
            publish_failed(&both.job, Rank::new(3));
            assert_eq!(both.bytes(), expected, "with its bytes: {has_come}");
        }
    }
}

#[test]
fn a_dependency_on_no_other_image_of_the_same_host_is_refused() {
    for on in [1, 5, 9] {
        let mut both = both();
        both.dependent(5, &[(on, 5)], put(0, &[7]));
        assert_eq!(both.bytes(), [7]);
        let client = both.server.clients.get(Rank::new(4)).unwrap();
        let fault = client.fault.as_ref().expect("the next reply reports it").to_string();
        assert!(fault.contains(&format!("depends on image {on}")), "{fault}");
    }
}
