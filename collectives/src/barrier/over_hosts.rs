//! Barriers over several hosts, or on a host that has no collective area for the set.
//!
//! Images that differ in a collective may all go on, so all messages of a barrier carry a word: the hash of the flows since the last
//! barrier, or [`DIFFER`]. Each image merges the words that it receives with its own. So all images find the same, also those of hosts
//! that agree among themselves. What is left of the operations before has other labels, and is dropped.

use crate::flows;
use crate::guard::with_live_set;
use crate::leaders::{CollCall, Partners, Vector, exchange};
use crate::nonblocking::choices;
use crate::plan::{self, Participant};
use crate::reduction::Op;
use crate::schedules::{Round, binomial};
use crate::select::{Between, Choices};
use crate::signature::hash;
use crate::two_level::{RootedLeaders, conclude};
use crate::typed::{allreduce, broadcast};
use xmp_core::coll_area::{CollArea, Comparison, DESCRIPTION};
use xmp_core::failure::calls::CallLog;
use xmp_core::failure::refusals::Reason;
use xmp_core::image_set::{ImageSet, Levels};
use xmp_core::{BoxedResult, Error, Image, Rank, Result};

/// The word of images that have found a difference.
const DIFFER: u64 = u64::MAX;

/// Executes a barrier with these algorithms, over several hosts or on a host that has no collective area for the set.
/// (The algorithm of a collective area is chosen when the area is made.)
///
/// # Errors
/// When an image of the set has stopped or failed before it called it. The same on all images, when they have differed in a collective
/// since the last barrier: then they go on alike.
pub fn barrier_with(image: &Image, set: &ImageSet, choices: &Choices) -> Result<()> {
    barrier_of_with(image, set, 0, choices)
}

/// The [`barrier_with`] of a statement with this number, by which the images know whether they execute the same one.
pub(super) fn barrier_of_with(
    image: &Image,
    set: &ImageSet,
    statement: u32,
    choices: &Choices,
) -> Result<()> {
    let mut meeting = Meeting { statement, ..Meeting::default() };
    with_live_set(image, set, || meeting.hold(image, set, choices))?;
    let Some(log) = set.levels(image)?.calls() else { return Ok(()) };
    if meeting.word != DIFFER {
        log.compared();
        return Ok(());
    }
    log.recover(image);
    let error = meeting.common_error(image, set);
    log.compared();
    Err(error?)
}

/// The outcome of a statement that is a barrier over hosts. If images have found a difference in the statement itself all of them get
/// here, because it has completed on none, and go on alike.
///
/// # Errors
/// That of the outcome; on all images the same.
#[inline]
pub(super) fn ending_differences<T>(
    image: &Image,
    set: &ImageSet,
    outcome: Result<T>,
) -> Result<T> {
    match (outcome, set.levels(image).ok().and_then(Levels::calls)) {
        (Ok(value), log) => {
            log.inspect(|log| log.compared());
            Ok(value)
        }
        (Err(error @ Error::Invalid(_)), Some(log)) if log.given_up().is_some() => {
            barrier_with(image, set, &choices(image)?)?;
            Err(error)
        }
        (Err(error), _) => Err(error),
    }
}

/// A barrier on one of its images: what the images differ in, as far as this one knows.
#[derive(Default)]
struct Meeting {
    /// The number of the statement.
    statement: u32,
    word: u64,
    /// A difference that this image has found here.
    found: Option<String>,
    /// Why it has given up a call before.
    given_up: Option<String>,
    /// Whether it has done so because another image had.
    follows_another: bool,
}

impl Meeting {
    fn hold(&mut self, image: &Image, set: &ImageSet, choices: &Choices) -> Result<()> {
        let levels = set.levels(image)?;
        if let Some(log) = levels.calls() {
            log.end_call();
            self.word = word_of(log, self.statement);
            self.given_up = log.given_up();
            self.follows_another = log.follows_another();
        }
        let rooted_leaders = RootedLeaders::new(image, levels, None);
        let mut coll = CollCall::new(image, set).of_barrier();
        let arrived = self.arrive(image, levels, &mut coll);
        if !rooted_leaders.is_me() {
            arrived?;
        } else {
            let area_is_dead = arrived.is_err();
            coll.note(arrived)?;
            let who = Participant { n: rooted_leaders.hosts(), position: rooted_leaders.host() };
            let algorithm = Between::hosts(image, 0, who.n).barrier(choices.barrier);
            let rounds = plan::barrier(algorithm, who);
            self.merge_all(image, |host| rooted_leaders.of(host), rounds, &mut coll)?;
            if area_is_dead {
                return coll.outcome();
            }
        }
        let mut bytes = self.word.to_ne_bytes();
        conclude(&rooted_leaders, coll, Vector::bytes(&mut bytes), choices.broadcast)?;
        self.word = u64::from_ne_bytes(bytes);
        Ok(())
    }

    /// Waits, on the leader, until all its local peers have called it.
    fn arrive(&mut self, image: &Image, levels: &Levels, coll: &mut CollCall<'_>) -> Result<()> {
        match levels.area() {
            Some(area) => Ok(self.at_area(image, area)?),
            None => {
                let local_peers = levels.local_peers();
                let rounds = binomial::reduce(local_peers.len(), levels.position(), 0);
                self.merge_all(image, |local_peer| local_peers[local_peer], rounds, coll)
            }
        }
    }

    /// Executes barriers of the area until all members have come to this one: a member may still be in a call that others have given
    /// up, and comes when it has its error.
    fn at_area(&mut self, image: &Image, area: &CollArea) -> BoxedResult<()> {
        loop {
            let line = Line::new(area.epoch() + 1, self.word);
            // SAFETY: the place of this member's description in the coming epoch: 8-aligned, as long as this.
            unsafe { area.description().cast::<Line>().write(line) };
            let compared = area.barrier_of(image, line.number())?;
            if compared == Comparison::Same {
                return Ok(());
            }
            // SAFETY: descriptions of the last epoch are not written before the next barrier.
            let line = |member| unsafe { area.description_of(member).cast::<Line>().read() };
            let own = area.position();
            let word = |member| line(member).word_of(area.epoch());
            let other = (0..area.len()).find(|&member| word(member) != word(own));
            match (compared, other.and_then(word)) {
                (Comparison::FlowsDiffer, _) => {
                    self.found = Some(flows::difference(image, area).to_string());
                }
                (_, Some(theirs)) if ![self.word, theirs].contains(&DIFFER) => {
                    let other = other.expect("a member with another word");
                    self.found =
                        Some(roots_differ([own, other].map(|member| area.ranks()[member])));
                }
                _ => {}
            }
            self.word = DIFFER;
            if (0..area.len()).all(|member| word(member).is_some()) {
                return Ok(());
            }
        }
    }

    /// Executes the rounds of this image, whose messages have words.
    fn merge_all(
        &mut self,
        image: &Image,
        peer: impl Fn(usize) -> Rank,
        rounds: impl Iterator<Item = Round>,
        coll: &mut CollCall<'_>,
    ) -> Result<()> {
        let mut partners = Partners::new(image);
        for round in rounds {
            let (own, mut theirs) = (self.word.to_ne_bytes(), self.word.to_ne_bytes());
            let out = round.send.map(|transfer| (peer(transfer.peer), &own[..]));
            let from = round.receive.map(|(transfer, _)| peer(transfer.peer));
            exchange(image, &mut partners, out, from.map(|from| (from, &mut theirs[..])), coll)?;
            let theirs = u64::from_ne_bytes(theirs);
            if let Some(from) = from.filter(|_| coll.is_good() && theirs != self.word) {
                if ![self.word, theirs].contains(&DIFFER) {
                    self.found = Some(roots_differ([image.rank(), from]));
                }
                self.word = DIFFER;
            }
        }
        Ok(())
    }

    /// The error of all images: that of the first image that has found a difference here, otherwise in a call, otherwise that of the
    /// first one that has given up a call.
    #[cold]
    fn common_error(&self, image: &Image, set: &ImageSet) -> Result<Error> {
        let position = set.position().expect("a member of the set") as u64;
        let text = self.found.as_ref().or(self.given_up.as_ref());
        let weight = match (&self.found, &self.given_up) {
            (Some(_), _) => 3,
            (None, Some(_)) if !self.follows_another => 2,
            (None, Some(_)) => 1,
            (None, None) => 0,
        };
        let own = if weight == 0 { 0 } else { weight << 32 | (u64::from(u32::MAX) - position) };
        let mut first = [own];
        allreduce(image, set, &mut first, Op::Max)?;
        let mut reason = Reason::NONE;
        if first[0] != 0 {
            reason = text.map_or(reason, |text| Reason::of(&Error::Invalid(text.clone())));
            let first = u64::from(u32::MAX) - first[0] % (1 << 32);
            broadcast(image, set, first as usize, reason.as_bytes_mut())?;
        }
        Ok(Error::Invalid(reason.text()))
    }
}

fn word_of(log: &CallLog, statement: u32) -> u64 {
    if log.given_up().is_some() { DIFFER } else { (log.flows() ^ u64::from(statement) << 32) & !1 }
}

fn roots_differ([one, other]: [Rank; 2]) -> String {
    let ranks = [one.min(other), one.max(other)];
    format!(
        "{} or {} has executed another collective, or had another root in an earlier collective: XMP_CHECK=1 names it",
        ranks[0], ranks[1]
    )
}

/// The description of a member that has come to the barrier.
#[repr(C)]
#[derive(Clone, Copy)]
struct Line {
    _unused: [u64; DESCRIPTION / size_of::<u64>() - 2],
    word: u64,
    /// The number of the epoch, and [`ARRIVAL`].
    tag: u64,
}

/// Marks descriptions of this module, as [`crate::signature`] and [`crate::statement`] mark theirs.
const ARRIVAL: u64 = 2;

impl Line {
    fn new(epoch: u64, word: u64) -> Line {
        Line { _unused: [0; DESCRIPTION / size_of::<u64>() - 2], word, tag: epoch << 8 | ARRIVAL }
    }

    /// The number that the members compare.
    fn number(&self) -> u32 {
        hash([self.word, ARRIVAL]) & (u32::MAX >> 1) | 1
    }

    /// The word, if the member has come to the barrier with this epoch.
    fn word_of(&self, epoch: u64) -> Option<u64> {
        (self.tag == epoch << 8 | ARRIVAL).then_some(self.word)
    }
}
