//! Read-modify-writes of one word that a server forwards as one request.

use super::wire::{self, Action, Head, Member, Members, Request};
use crate::rank::Rank;
use crate::transport::{AtomicOp, AtomicRequest, Width};

/// An operation without its operand: operations with equal values of this type can be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Word {
    /// The image whose word it is.
    pub target: Rank,
    /// The operation.
    pub op: AtomicOp,
    /// Offset of the word in the target's segment.
    pub offset: u64,
    /// Its width.
    pub width: Width,
}

impl Word {
    /// The operation of a request, and its origin and operand, if it can be merged.
    pub fn of(request: &[u8]) -> Option<(Word, Member)> {
        let (head, request) = wire::read_request(request).ok()?;
        let Request::Atomic { offset, width, action: Action::Execute(request) } = request else {
            return None;
        };
        let AtomicRequest::Fetch(op, operand) = request else { return None };
        let word = Word { target: head.target, op, offset, width };
        Some((word, Member { origin: head.origin, id: head.id, operand }))
    }

    /// The value of the word after an operation with this operand, zero-extended.
    pub fn after(self, value: u64, operand: u64) -> u64 {
        let value = self.op.after(value, operand);
        match self.width {
            Width::W4 => u64::from(value as u32),
            Width::W8 => value,
        }
    }

    /// The request of one image.
    pub fn single(self, member: Member) -> (Head, Request<'static>) {
        let Word { target, op, offset, width } = self;
        let head = Head { origin: member.origin, target, id: member.id };
        let action = Action::Execute(AtomicRequest::Fetch(op, member.operand));
        (head, Request::Atomic { offset, width, action })
    }
}

/// The operations of several images on this word as one request. It is shorter than theirs.
pub fn merge(word: Word, members: impl Iterator<Item = Member>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let members = Members::of(members, &mut bytes);
    let first = members.iter().next().expect("a group has a member");
    let Word { op, offset, width, .. } = word;
    let (head, _) = word.single(first);
    let mut message = Vec::with_capacity(wire::REQUEST_HEADER + members.bytes().len());
    let action = Action::Merged { op, members };
    wire::write_request(&mut message, head, &Request::Atomic { offset, width, action });
    message
}

/// Whether a request is of several images.
pub fn is_merged(request: &[u8]) -> bool {
    let request = wire::read_request(request);
    matches!(request, Ok((_, Request::Atomic { action: Action::Merged { .. }, .. })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn mergeable_operations_are_written_as_one() {
        let word = Word { target: Rank::new(4), op: AtomicOp::Add, offset: 64, width: Width::W4 };
        let member = |origin, operand| Member { origin: Rank::new(origin), id: 3, operand };
        let both = [member(1, 5), member(2, u64::MAX)];
        for member in both {
            let (head, request) = word.single(member);
            let mut message = Vec::new();
            wire::write_request(&mut message, head, &request);
            assert_eq!(Word::of(&message), Some((word, member)));
            assert!(!is_merged(&message));
        }
        let merged = merge(word, both.into_iter());
        assert!(is_merged(&merged) && Word::of(&merged).is_none());
        let (head, request) = wire::read_request(&merged).unwrap();
        assert_eq!((head.origin, head.target, head.id), (Rank::new(1), Rank::new(4), 3));
        let Request::Atomic { action: Action::Merged { members, .. }, .. } = request else {
            panic!("{request:?}")
        };
        assert!(members.iter().eq(both));
        // A word of four bytes wraps as such.
        assert_eq!(word.after(u64::from(u32::MAX), 2), 1);
    }

    #[test]
    fn other_requests_are_not() {
        let head = Head { origin: Rank::new(1), target: Rank::new(2), id: 1 };
        let mut message = Vec::new();
        wire::write_request(&mut message, head, &Request::Flush);
        assert!(Word::of(&message).is_none() && Word::of(b"nothing").is_none());
        assert!(!is_merged(b""));
    }

    /// The results of a sequence of operations on a word, one after the other.
    fn one_by_one(operations: &[(AtomicOp, u64)], mut word: u64) -> (Vec<u64>, u64) {
        let each = |&(op, operand): &(AtomicOp, u64)| {
            let old = word;
            word = op.after(word, operand);
            old
        };
        (operations.iter().map(each).collect(), word)
    }

    proptest! {
        #[test]
        fn merged_operations_return_what_they_return_one_by_one(
            kind in 0..AtomicOp::ALL.len(), word in any::<u64>(),
            operands in prop::collection::vec(any::<u64>(), 1..20)
        ) {
            let op = AtomicOp::ALL[kind];
            let operations: Vec<_> = operands.iter().map(|&operand| (op, operand)).collect();
            let (_, after) = one_by_one(&operations, word);
            let merged = operands.iter().copied().reduce(|first, then| op.after(first, then));
            prop_assert_eq!(op.after(word, merged.unwrap()), after);
        }
    }
}
