//! Tests of the order of messages, and of the ownership of their memory.

use super::*;
use proptest::prelude::*;

fn wait(fabric: &mut InProcess, op: Op) -> (Rank, usize) {
    (0..1_000_000).find_map(|_| fabric.test(op).unwrap()).expect("it comes")
}

const TO: Rank = Rank::new(0);

proptest! {
    /// Messages of two senders with two tags, received by number or from any sender: each stream keeps its order.
    #[test]
    fn streams_keep_their_order(seed: u64, delay in 0u32..6, eager in 0usize..9, any_source: bool) {
        let network = Network::new(3, Shim { seed, delay, eager });
        let mut receiver = network.fabric(TO);
        let mut senders = [1, 2].map(|rank| network.fabric(Rank::new(rank)));
        let mut texts = Vec::new();
        for number in 0..20u64 {
            for sender in 0..2 {
                texts.push((sender, [Tag::REQUEST, Tag::REPLY][number as usize % 2], number.to_le_bytes()));
            }
        }
        let mut sends = Vec::new();
        for (sender, tag, text) in &texts {
            // SAFETY: `texts` lives until all have been received.
            sends.push((*sender, unsafe { senders[*sender].send(TO, *tag, &text[..]).unwrap() }));
        }
        let mut seen = [[None; 2]; 2];
        for count in 0..texts.len() {
            let kind = count % 2;
            let tag = [Tag::REQUEST, Tag::REPLY][kind];
            let mut text = [0; 8];
            let from = Rank::new(1 + (count / 2 % 2) as u32);
            // SAFETY: the operation is completed in this round.
            let op = unsafe {
                if any_source {
receiver.receive_any(tag, &mut text).unwrap()
} else {
receiver.receive(from, tag, &mut text).unwrap()
}
            };
            let (source, len) = wait(&mut receiver, op);
            prop_assert_eq!(len, 8);
            let number = u64::from_le_bytes(text);
            let last = &mut seen[source.index() - 1][kind];
            prop_assert!(last.is_none_or(|last| last + 2 == number));
            *last = Some(number);
        }
        for (sender, op) in sends {
            wait(&mut senders[sender], op);
        }
    }
}

#[test]
fn a_long_message_belongs_to_its_sender_until_it_is_taken() {
    let network = Network::new(2, Shim { eager: 4, ..Shim::default() });
    let (mut from, mut to) = (network.fabric(Rank::new(1)), network.fabric(TO));
    let text = *b"long enough";
    // SAFETY: `text` and `room` live to the end.
    let send = unsafe { from.send(TO, Tag::REPLY, &text[..]).unwrap() };
    assert_eq!(from.test(send).unwrap(), None);
    let mut room = [0; 16];
    // SAFETY: `text` and `room` live to the end.
    let receive = unsafe { to.receive(Rank::new(1), Tag::REPLY, &mut room[..]).unwrap() };
    assert_eq!(wait(&mut to, receive), (Rank::new(1), text.len()));
    assert_eq!(&room[..text.len()], &text);
    assert!(from.test(send).unwrap().is_some());
}

#[test]
fn messages_of_a_dropped_fabric_still_arrive() {
    let network = Network::new(2, Shim { eager: 0, ..Shim::default() });
    let mut to = network.fabric(TO);
    {
        let text = Box::new(*b"good-bye");
        let mut from = network.fabric(Rank::new(1));
        // SAFETY: the fabric is dropped before the text.
        unsafe { from.send(TO, Tag::REPLY, &text[..]).unwrap() };
    }
    let mut room = [0; 8];
    // SAFETY: the operation is completed below.
    let receive = unsafe { to.receive_any(Tag::REPLY, &mut room).unwrap() };
    wait(&mut to, receive);
    assert_eq!(&room, b"good-bye");
}

#[test]
fn a_cancelled_receive_takes_no_message() {
    let network = Network::new(2, Shim::default());
    let (mut from, mut to) = (network.fabric(Rank::new(1)), network.fabric(TO));
    let (mut first, mut second) = ([0; 1], [0; 1]);
    // SAFETY: all memory lives to the end.
    unsafe {
        let cancelled = to.receive_any(Tag::REQUEST, &mut first).unwrap();
        let kept = to.receive_any(Tag::REQUEST, &mut second).unwrap();
        to.cancel(cancelled).unwrap();
        from.send(TO, Tag::REQUEST, &[7][..]).unwrap();
        wait(&mut to, kept);
    }
    assert_eq!((first, second), ([0], [7]));
}

#[test]
fn messages_without_room_or_receiver_are_errors() {
    let network = Network::new(2, Shim::default());
    let (mut from, mut to) = (network.fabric(Rank::new(1)), network.fabric(TO));
    // SAFETY: all memory lives to the end.
    unsafe {
        let receive = to.receive_any(Tag::REQUEST, &mut []).unwrap();
        from.send(TO, Tag::REQUEST, &[7; 3][..]).unwrap();
        let text = to.test(receive).unwrap_err().to_string();
        assert!(text.contains("3 bytes") && text.contains("buffer of 0"), "{text}");
        let text = from.send(Rank::new(2), Tag::REQUEST, &[7][..]).unwrap_err().to_string();
        assert!(text.contains("image 3"), "{text}");
    }
}
