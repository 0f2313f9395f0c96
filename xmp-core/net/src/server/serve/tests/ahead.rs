//! Gets ahead.

use super::*;
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
        pair.request(LEADER, &Request::GetAhead { arrivals, from });
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
        pair.request(target, &Request::GetAhead { arrivals: 0, from });
        pair.answer(|answer| assert_eq!(answer, Answer::Data(&[])));
    }
    let why = pair.refused_before();
    assert!(why.contains("put"), "{why}");
}
