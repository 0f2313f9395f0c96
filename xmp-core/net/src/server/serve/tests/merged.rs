//! Read-modify-writes of one word that arrive as one request.

use super::*;

/// Merged operations of these images with these operands.
fn members(all: &[(Rank, u64)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (id, &(origin, operand)) in (20..).zip(all) {
        Member { origin, id, operand }.write(&mut bytes);
    }
    bytes
}

#[test]
fn merged_operations_return_the_values_of_a_sequence() {
    let mut pair = pair();
    let bytes = members(&[(ME, 5), (ME, u64::from(u32::MAX)), (ME, 7)]);
    let members = Members::read(&bytes).unwrap();
    for (op, width, after) in [
        (AtomicOp::Add, Width::W4, [0, 5, 4, 11]),
        (AtomicOp::Swap, Width::W4, [11, 5, u64::from(u32::MAX), 7]),
        (AtomicOp::Load, Width::W8, [7, 7, 7, 7]),
        (AtomicOp::And, Width::W8, [7, 5, 5, 5]),
    ] {
        pair.request(
            LEADER,
            &Request::Atomic { offset: 64, width, action: Action::Merged { op, members } },
        );
        for value in &after[..3] {
            assert_eq!(pair.answer(|answer| format!("{answer:?}")), format!("Value({value})"));
        }
        pair.request(LEADER, &Request::get(64, 8));
        pair.answer(|answer| assert_eq!(answer, Answer::Data(&after[3].to_le_bytes())));
    }
}

#[test]
fn merged_operations_that_are_refused_are_refused_one_by_one() {
    let mut pair = pair();
    let (op, width) = (AtomicOp::Add, Width::W8);
    let bytes = members(&[(ME, 1), (ME, 2)]);
    let both = Members::read(&bytes).unwrap();
    for (offset, word) in [(1 << 26, "outside"), (4, "aligned")] {
        pair.request(
            LEADER,
            &Request::Atomic { offset, width, action: Action::Merged { op, members: both } },
        );
        for _ in 0..2 {
            let text = pair.refusal().expect("each is answered");
            assert!(text.contains("atomic operation"), "{text} {word}");
        }
        assert_eq!(pair.refusal(), None);
    }
    let bytes = members(&[(ME, 1), (Rank::new(3), 2)]);
    let members = Members::read(&bytes).unwrap();
    pair.request(
        LEADER,
        &Request::Atomic { offset: 64, width, action: Action::Merged { op, members } },
    );
    let text = pair.refusal().expect("its sender is told");
    assert!(text.contains("image 4, which does not exist"), "{text}");
    pair.request(LEADER, &Request::get(64, 8));
    pair.answer(|answer| assert_eq!(answer, Answer::Data(&[0; 8])));
}

#[test]
fn a_merged_operation_waits_for_earlier_puts_of_its_image() {
    let mut pair = pair();
    pair.request(LEADER, &Request::put(0, Payload::Follows(64)));
    let bytes = members(&[(ME, 1), (LEADER, 2)]);
    let (op, offset, width) = (AtomicOp::Add, 64, Width::W8);
    let members = Members::read(&bytes).unwrap();
    pair.request(
        LEADER,
        &Request::Atomic { offset, width, action: Action::Merged { op, members } },
    );
    let word = |pair: &Pair| {
        // SAFETY: an aligned word of the segment.
        unsafe {
            Local::new(pair.job.clone(), LEADER).atomic(LEADER, 64, Width::W8, AtomicRequest::LOAD)
        }
    };
    assert_eq!(word(&pair).unwrap(), 2);
    pair.send(Tag::REQUEST_DATA, &[7; 64]);
    pair.poll();
    pair.answer(|answer| assert_eq!(answer, Answer::Value(2)));
    assert_eq!(word(&pair).unwrap(), 3);
}
