//! Notes between leaders.

use super::*;
use std::time::Duration;

#[test]
fn notes_of_another_leader_wait_until_they_are_taken() {
    let mut pair = pair();
    pair.request(LEADER, &Request::Note(b"first"));
    pair.request(LEADER, &Request::Note(b""));
    assert_eq!(pair.refusal(), None);
    let notes = pair.server.notes();
    assert_eq!(notes.take(Duration::ZERO), Some((ME, b"first"[..].into())));
    assert_eq!(notes.take(Duration::ZERO), Some((ME, b""[..].into())));
    assert_eq!(notes.take(Duration::ZERO), None);
}

#[test]
fn images_that_lead_no_host_send_no_notes() {
    let settings = Settings::from_lookup(|_| Ok(None)).unwrap();
    let part = crate::job::Part { images: 2, first_host: 0, hosts: 1 };
    let geometry = Geometry::plan_part(4, 2, part, Some(1 << 26)).unwrap();
    let geometry = Geometry { base: 0, ..geometry };
    let job = Arc::new(thread_images::job(&settings, geometry).unwrap());
    let peers = Arc::new(Peers::new(LEADER, &[0, 0, 2, 2].map(Rank::new)));
    let network = Network::new(4, Shim::default());
    let mut server = Server::new(job, peers, Limits::default());
    let (mut fabric, mut origin) = (network.fabric(LEADER), network.fabric(Rank::new(3)));
    let mut message = Vec::new();
    let head = Head { origin: Rank::new(3), target: LEADER, id: 5 };
    write_request(&mut message, head, &Request::Note(b"x"));
    let mut room = [0; 1024];
    // SAFETY: short, so it is copied at once; the room outlives the receive, which is over below.
    let reply = unsafe {
        origin.send(LEADER, Tag::REQUEST, &message[..]).unwrap();
        origin.receive(LEADER, Tag::REPLY, &mut room[..]).unwrap()
    };
    (0..20).for_each(|_| server.poll(&mut fabric, || false).map(drop).unwrap());
    let (_, len) = origin.test(reply).unwrap().expect("a refusal");
    let Answer::Refused(why) = read_reply(&room[..len]).unwrap().answer else { panic!() };
    assert!(why.contains("a note of image 4, which leads no other host"), "{why}");
    assert_eq!(server.notes().take(Duration::ZERO), None);
}

#[test]
fn a_note_arrives_at_the_server_of_the_other_host() {
    let mut pair = pair();
    pair.server.send_note(&mut pair.fabric, ME, b"what do they do?").unwrap();
    let message = pair.received(Tag::REQUEST).expect("it was sent at once");
    let head = Head { origin: LEADER, target: ME, id: 0 };
    assert_eq!(wire::read_request(&message).unwrap(), (head, Request::Note(b"what do they do?")));
}
