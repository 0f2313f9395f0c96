//! Parts of messages.

use super::*;
use crate::server::Op;
use crate::server::fabric::Window;

/// A fabric that receives a byte of a message that is never complete at each look, as long as there are such bytes.
#[derive(Debug)]
struct Dripping {
    inner: InProcess,
    left: u64,
    moves: u64,
}

impl Fabric for Dripping {
    fn rank(&self) -> Rank {
        self.inner.rank()
    }
    unsafe fn send(&mut self, to: Rank, tag: Tag, bytes: *const [u8]) -> Result<Op> {
        // SAFETY: the contract of this method.
        unsafe { self.inner.send(to, tag, bytes) }
    }
    unsafe fn receive(&mut self, from: Rank, tag: Tag, bytes: *mut [u8]) -> Result<Op> {
        // SAFETY: the contract of this method.
        unsafe { self.inner.receive(from, tag, bytes) }
    }
    unsafe fn receive_any(&mut self, tag: Tag, bytes: *mut [u8]) -> Result<Op> {
        // SAFETY: the contract of this method.
        unsafe { self.inner.receive_any(tag, bytes) }
    }
    fn test(&mut self, op: Op) -> Result<Option<(Rank, usize)>> {
        if self.left > 0 {
            self.left -= 1;
            self.moves += 1;
        }
        self.inner.test(op)
    }
    fn moves(&self) -> u64 {
        self.moves
    }
    fn cancel(&mut self, op: Op) -> Result<bool> {
        self.inner.cancel(op)
    }
    fn window(&mut self) -> Option<&mut dyn Window> {
        None
    }
}

#[test]
fn a_server_whose_message_arrives_in_parts_has_work() {
    let Pair { mut server, fabric, .. } = pair();
    let mut fabric = Dripping { inner: fabric, left: 0, moves: 0 };
    let mut has_work = |left| {
        fabric.left = left;
        server.poll(&mut fabric, || false).unwrap()
    };
    // It posts its receives.
    has_work(0);
    assert!(!has_work(0));
    assert!(has_work(1));
    assert!(!has_work(0));
    server.close(&mut fabric).unwrap();
}
