//! Credits: which sender may send, and the check that all senders keep to their credits.
//!
//! A sender may have a fixed number of messages at a receiver, which has a buffer for each. It takes a credit to send
//! and gets it back with the answer, which is sent after the buffer is free again. So a receiver always has room for a
//! message, no message is refused or sent twice, and the topology bounds the memory.

use crate::error::{Error, Result};
use std::collections::HashMap;

/// A sender's credits at all receivers. Uses memory for receivers only where some are taken.
#[derive(Clone, Debug)]
pub struct Credits {
    limit: u32,
    taken: HashMap<u32, u32>,
}

impl Credits {
    /// `limit` credits at each receiver.
    pub fn new(limit: u32) -> Credits {
        Credits { limit, taken: HashMap::new() }
    }

    /// Takes one at a receiver, if there is one.
    #[must_use]
    pub fn take(&mut self, receiver: u32) -> bool {
        let taken = self.taken.entry(receiver).or_default();
        let free = *taken < self.limit;
        *taken += u32::from(free);
        free
    }

    /// Returns `count` credits of a receiver.
    ///
    /// # Errors
    /// [`Error::Invalid`] when fewer were taken; then nothing changes.
    pub fn give(&mut self, receiver: u32, count: u32) -> Result<()> {
        let taken = self.taken.get(&receiver).copied().unwrap_or(0);
        match taken.checked_sub(count) {
            None => Err(Error::Invalid(format!(
                "server {receiver} gives back {count} buffers of which {taken} were taken"
            ))),
            Some(0) => {
                self.taken.remove(&receiver);
                Ok(())
            }
            Some(left) => {
                self.taken.insert(receiver, left);
                Ok(())
            }
        }
    }

    /// Credits taken at a receiver.
    pub fn taken(&self, receiver: u32) -> u32 {
        self.taken.get(&receiver).copied().unwrap_or(0)
    }

    /// Whether none is taken anywhere.
    pub fn is_whole(&self) -> bool {
        self.taken.is_empty()
    }
}

/// The buffers of a receiver, by sender.
#[derive(Clone, Debug)]
pub struct ReceiveBuffers {
    limit: u32,
    used: HashMap<u32, u32>,
}

impl ReceiveBuffers {
    /// `limit` buffers for each sender.
    pub fn new(limit: u32) -> ReceiveBuffers {
        ReceiveBuffers { limit, used: HashMap::new() }
    }

    /// Takes a buffer for a message of this sender.
    ///
    /// # Errors
    /// [`Error::Invalid`] when all of its buffers are in use: the sender exceeds its credits.
    pub fn enter(&mut self, sender: u32) -> Result<()> {
        let used = self.used.entry(sender).or_default();
        if *used == self.limit {
            return Err(Error::Invalid(format!(
                "sender {sender} uses more than its {} buffers",
                self.limit
            )));
        }
        *used += 1;
        Ok(())
    }

    /// Frees a buffer of this sender.
    ///
    /// # Errors
    /// [`Error::Invalid`] when none was in use.
    pub fn leave(&mut self, sender: u32) -> Result<()> {
        let Some(used) = self.used.get_mut(&sender) else {
            return Err(Error::Invalid(format!("no buffer of sender {sender} is in use")));
        };
        *used -= 1;
        if *used == 0 {
            self.used.remove(&sender);
        }
        Ok(())
    }

    /// Buffers in use.
    pub fn in_use(&self) -> u64 {
        self.used.values().map(|&used| u64::from(used)).sum()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn credits_end_and_come_back() {
        let mut credits = Credits::new(2);
        assert!(credits.take(7) && credits.take(7) && !credits.take(7) && credits.take(8));
        assert!(credits.give(7, 3).is_err() && credits.give(9, 1).is_err());
        assert_eq!(credits.taken(7), 2);
        credits.give(7, 2).unwrap();
        credits.give(8, 1).unwrap();
        assert!(credits.is_whole() && credits.take(7));
    }

    #[test]
    fn room_is_never_overrun_unnoticed() {
        let mut room = ReceiveBuffers::new(1);
        room.enter(3).unwrap();
        room.enter(4).unwrap();
        let text = room.enter(3).unwrap_err().to_string();
        assert!(text.contains("sender 3"), "{text}");
        assert_eq!(room.in_use(), 2);
        room.leave(3).unwrap();
        assert!(room.leave(3).is_err() && room.enter(3).is_ok());
    }
}
