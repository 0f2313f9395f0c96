//! States of images, and ends of servers.

use super::*;

#[test]
fn only_leaders_speak_for_their_images() {
    let mut pair = pair();
    let tell = |pair: &mut Pair, changes: &[(Rank, Change)]| {
        let mut bytes = Vec::new();
        changes.iter().for_each(|&(image, change)| (image, change).write(&mut bytes));
        pair.request(LEADER, &Request::States(Changes::read(&bytes).unwrap()));
    };
    for (image, name) in [(Rank::new(1), "image 2"), (Rank::new(3), "image 4")] {
        // The server ignores such a message.
        tell(&mut pair, &[(ME, Change::Failed), (image, Change::Failed)]);
        let text = pair.refusal().unwrap();
        assert!(text.contains(&format!("does not propagate the state of {name}")), "{text}");
        assert!(crate::failure::all_running(&pair.job));
    }
    tell(&mut pair, &[(ME, Change::SurvivorSync(2)), (ME, Change::Stopped)]);
    assert_eq!(pair.job.state(ME), crate::job::page::ImageState::Stopped);
}

#[test]
fn changes_of_this_host_are_propagated_once() {
    let mut pair = pair();
    pair.job.entry(Rank::new(1)).arrivals.store(1, std::sync::atomic::Ordering::Relaxed);
    crate::failure::wait_for_all(&pair.job, Rank::new(1));
    crate::failure::publish_failed(&pair.job, Rank::new(1));
    crate::failure::start_ending(&pair.job, LEADER, 3);
    crate::failure::acknowledge(&pair.job);
    pair.job.entry(Rank::new(1)).complaint.store(9, std::sync::atomic::Ordering::Relaxed);
    pair.poll();
    // All that can be propagated at once, in one message.
    let message = pair.received(Tag::REQUEST).unwrap();
    let (_, request) = wire::read_request(&message).unwrap();
    let Request::States(changes) = request else { panic!("{request:?}") };
    let told: Vec<_> = changes.iter().map(|(image, change)| (image.image(), change)).collect();
    assert_eq!(
        told,
        [
            (1, Change::Acknowledged),
            (2, Change::SurvivorSync(1)),
            (2, Change::Complaint(9)),
            (2, Change::Failed),
            (1, Change::Ending(3)),
        ]
    );
}

#[test]
fn images_at_their_ends_are_told_when_all_of_the_host_are_and_counted_elsewhere() {
    let mut pair = pair();
    let job = pair.job.clone();
    let at_end = &job.page().status.at_end;
    let mut bytes = Vec::new();
    (ME, Change::AtEnd(1)).write(&mut bytes);
    pair.request(LEADER, &Request::States(Changes::read(&bytes).unwrap()));
    assert_eq!(at_end.load(std::sync::atomic::Ordering::Relaxed), 1);
    // None of this host is at its end; then one, both, and no more than both.
    for expected in [None, None, Some((LEADER, Change::AtEnd(2))), None] {
        pair.poll();
        let told = pair.received(Tag::REQUEST).map(|message| {
            let Ok((_, Request::States(changes))) = wire::read_request(&message) else { panic!() };
            changes.iter().collect::<Vec<_>>()
        });
        assert_eq!(told, expected.map(|change| vec![change]));
        at_end.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
}

/// No process has received it when the server's memory goes.
#[test]
fn sends_of_a_closed_server_still_arrive() {
    let Pair { mut server, mut fabric, mut origin, job } =
        pair_with(Shim { eager: 0, ..Shim::default() });
    crate::failure::publish_stopped(&job, LEADER);
    server.poll(&mut fabric, || false).unwrap();
    assert!(!server.is_quiet());
    server.close(&mut fabric).unwrap();
    drop(server);
    let mut room = [0; 64];
    // SAFETY: the operation is over when this returns.
    let op = unsafe { origin.receive_any(Tag::REQUEST, &mut room[..]).unwrap() };
    let (from, len) = origin.test(op).unwrap().unwrap();
    let told = wire::read_request(&room[..len]).unwrap();
    let mut bytes = Vec::new();
    (LEADER, Change::Stopped).write(&mut bytes);
    let head = Head { origin: LEADER, target: ME, id: 0 };
    let expected = (head, Request::States(Changes::read(&bytes).unwrap()));
    assert_eq!((from, told), (LEADER, expected));
}

/// An image might wait for its operation.
#[test]
fn a_panic_of_a_server_ends_the_job() {
    let Pair { server, fabric, mut origin, job } = pair();
    let run = |_: HandlerCall<'_>, _: &[u8], _: &mut Vec<u8>| panic!("as a handler must not");
    job.handlers().register(Handler { number: 3, run }).unwrap();
    let port = Port::new(Box::new(fabric), Some(server), Limits::default().nap);
    let mut message = Vec::new();
    let request = Request::Call { handler: 3, data: Payload::Inline(&[]) };
    write_request(&mut message, Head { origin: ME, target: LEADER, id: 1 }, &request);
    // SAFETY: short, so it is copied at once.
    unsafe { origin.send(LEADER, Tag::REQUEST, &message[..]).unwrap() };
    for _ in 0..2 {
        let text = port.serve_if_idle().unwrap().unwrap_err().to_string();
        assert!(text.contains("panicked"), "{text}");
    }
    assert_eq!(crate::failure::ending(&job), Some((Some(LEADER), crate::failure::ERROR_STATUS)));
}

/// An application that finds its replies at once serves nothing, and may hold the fabric whenever the server's thread looks.
#[test]
fn the_application_does_the_work_for_which_the_servers_thread_found_the_fabric_in_use() {
    let Pair { server, fabric, mut origin, .. } = pair();
    let port = Port::new(Box::new(fabric), Some(server), Limits::default().nap);
    let mut message = Vec::new();
    write_request(&mut message, Head { origin: ME, target: LEADER, id: 1 }, &Request::Flush);
    // SAFETY: short, so it is copied at once.
    unsafe { origin.send(LEADER, Tag::REQUEST, &message[..]).unwrap() };
    let mut room = [0; 64];
    // SAFETY: the operation is over before the room is.
    let reply = unsafe { origin.receive(LEADER, Tag::REPLY, &mut room[..]).unwrap() };
    for _ in 0..20 {
        port.look(|_| Ok(Some(()))).unwrap();
    }
    assert!(origin.test(reply).unwrap().is_none());
    let looks = (0..20).find(|_| {
        let in_use = |_: &mut dyn Fabric| Ok(port.serve_if_idle().is_none().then_some(()));
        assert!(port.look(in_use).unwrap().is_some());
        origin.test(reply).unwrap().is_some()
    });
    assert!(looks.is_some());
}
