//! Gets ahead.

use super::*;
use crate::job::page::ImageState;
use crate::sync::Ordering;

#[test]
fn a_get_ahead_has_bytes_once_all_images_of_the_host_have_arrived() {
    let mut pair = pair();
    let mut list = Vec::new();
    for offset in [8, 40] {
        Run { offset, len: 4 }.write(&mut list);
    }
    pair.request(LEADER, &Request::put(0, Payload::Inline(&[7; 48])));
    let answer = |pair: &mut Pair, arrivals| {
        let from = Runs::read(&list).unwrap();
        pair.request(LEADER, &Request::GetAhead { arrivals, is_awaited: false, from });
        pair.answer(|answer| match answer {
            Answer::Data(bytes) => bytes.to_vec(),
            other => panic!("{other:?}"),
        })
    };
    // The count wraps.
    let numbers = [u32::MAX, 0, 1];
    let arrive = |pair: &Pair, image, number| {
        pair.job.entry(Rank::new(image)).arrivals.store(number, Ordering::Release);
    };
    (0..2).for_each(|image| arrive(&pair, image, numbers[0].wrapping_sub(1)));
    for number in numbers {
        assert_eq!(answer(&mut pair, number), []);
        arrive(&pair, 0, number);
        assert_eq!(answer(&mut pair, number), []);
        arrive(&pair, 1, number);
        assert_eq!(answer(&mut pair, number), [7; 8]);
    }
    assert_eq!(answer(&mut pair, 0), [7; 8], "they have gone on");
}

#[test]
fn a_get_ahead_reports_no_refusal() {
    let mut pair = pair();
    let mut list = Vec::new();
    Run { offset: 1 << 40, len: 4 }.write(&mut list);
    let from = Runs::read(&list).unwrap();
    pair.request(LEADER, &Request::put(1 << 40, Payload::Inline(b"outside")));
    for target in [LEADER, ME] {
        pair.request(target, &Request::GetAhead { arrivals: 0, is_awaited: false, from });
        pair.answer(|answer| assert_eq!(answer, Answer::Data(&[])));
    }
    let why = pair.refused_before();
    assert!(why.contains("put"), "{why}");
}

/// Requests four bytes of the first image for the synchronisation with this number.
fn request_for(pair: &mut Pair, arrivals: u32) {
    let mut list = Vec::new();
    Run { offset: 8, len: 4 }.write(&mut list);
    let from = Runs::read(&list).unwrap();
    pair.request(LEADER, &Request::GetAhead { arrivals, is_awaited: true, from });
}

fn bytes(pair: &mut Pair) -> Vec<u8> {
    pair.answer(|answer| match answer {
        Answer::Data(bytes) => bytes.to_vec(),
        other => panic!("{other:?}"),
    })
}

#[test]
fn a_get_ahead_that_waits_has_the_bytes_of_the_arrival() {
    let mut pair = pair();
    request_for(&mut pair, 3);
    pair.request(LEADER, &Request::put(8, Payload::Inline(&[7; 4])));
    for image in 0..2 {
        assert_eq!(pair.received(Tag::REPLY), None);
        // Other requests do not wait for it.
        pair.request(LEADER, &Request::Flush);
        pair.answer(|answer| assert_eq!(answer, Answer::Value(0)));
        pair.job.entry(Rank::new(image)).arrivals.store(3, Ordering::Release);
    }
    assert!(pair.server.answer_awaiting(&mut pair.fabric, true).unwrap());
    assert_eq!(bytes(&mut pair), [7; 4]);
    // They have arrived already.
    request_for(&mut pair, 3);
    assert_eq!(bytes(&mut pair), [7; 4]);
    // The leader sends no message that it has arrived.
    request_for(&mut pair, 4);
    (0..2).for_each(|image| pair.job.entry(Rank::new(image)).arrivals.store(4, Ordering::Release));
    pair.poll();
    assert_eq!(bytes(&mut pair), [7; 4]);
    assert_eq!(pair.received(Tag::REPLY), None);
}

#[test]
fn a_get_ahead_that_waits_for_an_image_that_has_ended_is_answered_without_bytes() {
    let mut pair = pair();
    request_for(&mut pair, 1);
    request_for(&mut pair, 2);
    assert_eq!(bytes(&mut pair), [], "an origin has one");
    pair.job.entry(Rank::new(0)).arrivals.store(2, Ordering::Release);
    pair.poll();
    assert_eq!(pair.received(Tag::REPLY), None);
    let failed = ImageState::Failed as u32;
    pair.job.entry(Rank::new(1)).state.store(failed, Ordering::Release);
    pair.poll();
    assert_eq!(bytes(&mut pair), []);
}
