//! Messages between the processes that look for hangs, as notes of their servers. A long message is several notes.

use super::message::Message;
use crate::failure;
use crate::job::Job;
use crate::rank::Rank;
use crate::server::{NOTE, Notes, Port};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// First byte of a note that others of the same message follow.
const MORE: u8 = 0;
/// First byte of the last note of a message.
const LAST: u8 = 1;

/// The time that other leaders have for their goodbyes. They come within milliseconds.
const GOODBYES: Duration = Duration::from_secs(10);
/// The interval at which a leader that waits for them looks whether the job is ending.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The messages of a host. By default the messages of a job on one host, which has none.
#[derive(Debug, Default)]
pub(super) struct Post {
    port: Option<Arc<Port>>,
    notes: Arc<Notes>,
    /// By sender: the beginnings of messages.
    begun: BTreeMap<Rank, Vec<u8>>,
    /// The leaders that have sent goodbyes.
    gone: BTreeSet<Rank>,
}

impl Post {
    /// The messages of a leader with this port.
    pub(super) fn new(port: Arc<Port>) -> Post {
        let notes = port.notes().cloned().unwrap_or_default();
        Post { port: Some(port), notes, ..Post::default() }
    }

    /// The notes that messages arrive in.
    pub(super) fn notes(&self) -> &Arc<Notes> {
        &self.notes
    }

    /// Sends a message to the leader of another host.
    pub(super) fn send(&self, to: Rank, message: &Message) {
        let Some(port) = &self.port else { return };
        if let Err(error) = notes_of(message).iter().try_for_each(|note| port.send_note(to, note)) {
            // The job is ending.
            tracing::debug!(%error, "no message about hangs");
        }
    }

    /// Whether this process is leaving its job.
    pub(super) fn is_closed(&self) -> bool {
        self.notes.is_closed()
    }

    /// Whether a leader sends no more messages.
    pub(super) fn is_gone(&self, leader: Rank) -> bool {
        self.gone.contains(&leader)
    }

    /// The next message and its sender. Waits for it, for `limit` at most; the end of this process's job ends the wait.
    pub(super) fn take(&mut self, limit: Duration) -> Option<(Rank, Message)> {
        let end = Instant::now() + limit;
        loop {
            let (from, note) = self.notes.take(end.saturating_duration_since(Instant::now()))?;
            if let Some(message) = self.hear(from, &note) {
                return Some((from, message));
            }
        }
    }

    /// Adds a note to those before it; returns the message that is complete then, unless that is a goodbye, which is remembered.
    fn hear(&mut self, from: Rank, note: &[u8]) -> Option<Message> {
        let message = self.put_together(from, note)?;
        if message == Message::Goodbye {
            self.gone.insert(from);
            return None;
        }
        Some(message)
    }

    /// Says goodbye to other leaders, and waits until they have, so that no message is in transit when this process leaves
    /// MPI: it could not end a message that is never received. Leaders that have executed FAIL IMAGE say goodbye like the
    /// others. For a process that has died no other one waits long (`exit.rs`).
    pub(super) fn say_goodbye(&mut self, job: &Job, others: &[Rank]) {
        others.iter().for_each(|&other| self.send(other, &Message::Goodbye));
        let end = Instant::now() + GOODBYES;
        let may_come = || failure::ending(job).is_none() && Instant::now() < end;
        while !others.iter().all(|&other| self.is_gone(other)) && may_come() {
            if let Some((from, note)) = self.notes.take(POLL_INTERVAL) {
                // Messages other than goodbyes come too late.
                let _ = self.hear(from, &note);
            }
        }
    }

    /// Adds a note to those before it. Returns the message that is complete then.
    fn put_together(&mut self, from: Rank, note: &[u8]) -> Option<Message> {
        let (kind, bytes) = note.split_first()?;
        let begun = self.begun.entry(from).or_default();
        begun.extend_from_slice(bytes);
        if *kind == MORE {
            return None;
        }
        let message = Message::read(begun);
        begun.clear();
        if message.is_none() {
            tracing::debug!(image = from.image(), "a message about hangs is damaged");
        }
        message
    }
}

/// The notes of a message.
fn notes_of(message: &Message) -> Vec<Vec<u8>> {
    let bytes = message.to_bytes();
    let mut rest = &bytes[..];
    let mut notes = Vec::new();
    loop {
        let (part, after) = rest.split_at(rest.len().min(NOTE - 1));
        let kind = if after.is_empty() { LAST } else { MORE };
        notes.push([&[kind], part].concat());
        if after.is_empty() {
            return notes;
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::bootstrap::alone;
    use crate::settings::Settings;

    #[test]
    fn messages_of_any_length_are_put_together() {
        let mut post = Post::default();
        for count in [0, 1, NOTE / 8, NOTE] {
            let waits = (0..count as u32).map(|at| (Rank::new(at), 3 * at));
            let message = Message::Waits(waits.collect());
            let notes = notes_of(&message);
            assert!(notes.iter().all(|note| note.len() <= NOTE), "{count}");
            // Those of two senders, alternating.
            for note in &notes {
                post.notes.add(Rank::new(1), note);
                post.notes.add(Rank::new(5), note);
            }
            for from in [1, 5].map(Rank::new) {
                assert_eq!(post.take(Duration::ZERO), Some((from, message.clone())), "{count}");
            }
            assert_eq!(post.take(Duration::ZERO), None);
        }
    }

    #[test]
    fn a_damaged_message_is_dropped_and_the_next_one_taken() {
        let mut post = Post::default();
        for note in [&[][..], &[LAST], &[MORE, 7], &[LAST, 9]] {
            post.notes.add(Rank::new(1), note);
        }
        assert_eq!(post.take(Duration::ZERO), None);
        let message = Message::Waits(Vec::new());
        notes_of(&message).iter().for_each(|note| post.notes.add(Rank::new(1), note));
        assert_eq!(post.take(Duration::ZERO), Some((Rank::new(1), message)));
    }

    #[test]
    fn a_leader_waits_no_longer_than_for_the_last_goodbye() {
        let mut post = Post::default();
        let job = alone(&Settings::default()).unwrap().job;
        let others = [1, 2].map(Rank::new);
        let late = Message::Waits(Vec::new());
        for (from, message) in [(1, &Message::Goodbye), (2, &Message::Goodbye), (1, &late)] {
            notes_of(message).iter().for_each(|note| post.notes.add(Rank::new(from), note));
        }
        post.say_goodbye(&job, &others);
        assert!(others.iter().all(|&other| post.is_gone(other)));
        // It has not waited for that one.
        assert_eq!(post.take(Duration::ZERO), Some((Rank::new(1), late)));
    }

    #[test]
    fn a_goodbye_is_remembered() {
        let mut post = Post::default();
        notes_of(&Message::Goodbye).iter().for_each(|note| post.notes.add(Rank::new(1), note));
        assert_eq!(post.take(Duration::ZERO), None);
        assert!(post.is_gone(Rank::new(1)) && !post.is_gone(Rank::new(2)));
    }
}
