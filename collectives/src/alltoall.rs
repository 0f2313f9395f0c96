//! Alltoall: each image gives each one a part, and gets one from each.

mod through_leaders;

use crate::check::Call;
use crate::host::Host;
use crate::host::alltoall::{Alltoall, direct, slots, staged, tell_lens};
use crate::leaders::Course;
use crate::leaders::alltoall::{Exchange, bruck, known, unknown};
use crate::participation::{say, take_part_in};
use crate::parts::{Lens, Parts, Table, mismatch};
use crate::select::{Choices, HostAlltoall, LeaderAlltoall, Shape};
use xmp_core::image_set::{ImageSet, Levels};
use xmp_core::{Image, Rank, Result};

/// Gives each image of the set `len` bytes of what is at `send`, in the order of the set, and gets at `receive` what all
/// images have for this one, in the order of the set. All give the same length.
///
/// # Errors
/// When an image of the set has stopped or failed without taking part. What is at `receive` is undefined then.
///
/// # Safety
/// `send` is valid for reads of `len` bytes times the number of images, `receive` for writes of as many; they do not
/// overlap and no other image accesses them meanwhile.
///
/// # Panics
/// When this image is not in the set.
pub unsafe fn alltoall(
    image: &Image,
    set: &ImageSet,
    send: *const u8,
    receive: *mut u8,
    len: usize,
) -> Result<()> {
    let call = || Call::of("alltoall").elements(len, 1);
    say(image, set, call)?;
    let choices = Choices::from_settings(image.settings())?;
    let parts = Parts::Equal(len);
    let exchange = Exchange { send, send_parts: parts, receive, receive_parts: parts };
    // SAFETY: the caller's guarantee.
    unsafe { alltoall_with(image, set, &exchange, &choices) }
}

/// As [`alltoall`], with parts of any length, which lie anywhere (MPI_ALLTOALLV: MPI 4.1, 6.8).
///
/// # Errors
/// As [`alltoall`]. When an image gives this one another number of bytes than it expects (the others do not learn of
/// that), or there is not a part for each image.
///
/// # Safety
/// As [`alltoall`], for these lengths and places.
///
/// # Panics
/// As [`alltoall`].
pub unsafe fn alltoallv(
    image: &Image,
    set: &ImageSet,
    (send, send_parts): (*const u8, Parts<'_>),
    (receive, receive_parts): (*mut u8, Parts<'_>),
) -> Result<()> {
    let call = || Call::of("alltoallv");
    say(image, set, call)?;
    let choices = Choices::from_settings(image.settings())?;
    let exchange = Exchange { send, send_parts, receive, receive_parts };
    // SAFETY: the caller's guarantee.
    unsafe { alltoallv_with(image, set, &exchange, &choices) }
}

/// As [`alltoall`], with these algorithms. The parts are equal.
///
/// # Errors
/// As there.
///
/// # Safety
/// As there.
pub unsafe fn alltoall_with(
    image: &Image,
    set: &ImageSet,
    exchange: &Exchange<'_>,
    choices: &Choices,
) -> Result<()> {
    take_part_in(image, set, || {
        let len = exchange.send_parts.len(0);
        if len == 0 {
            return Ok(());
        }
        let levels = set.levels(image)?;
        let mut course = Course::new(image, set);
        let forced = choices.alltoall;
        let all = Among { image, set, levels, exchange, equal: true };
        // SAFETY: the caller's guarantee.
        unsafe {
            if levels.single_host() {
                all.on_host(exchange, choices, &mut course)?;
                return course.outcome();
            }
            let mates = set.len().div_ceil(levels.leaders().len());
            match LeaderAlltoall::choose(forced.leaders, len, mates) {
                LeaderAlltoall::Each => all.each(choices, course).map(drop),
                algorithm => all.through_leaders(len, algorithm, choices, course),
            }
        }
    })
}

/// As [`alltoallv`], with these algorithms.
///
/// # Errors
/// As there.
///
/// # Safety
/// As there.
pub unsafe fn alltoallv_with(
    image: &Image,
    set: &ImageSet,
    exchange: &Exchange<'_>,
    choices: &Choices,
) -> Result<()> {
    exchange.send_parts.check_number("alltoallv, to send", set.len())?;
    exchange.receive_parts.check_number("alltoallv, to receive", set.len())?;
    let levels = set.levels(image)?;
    let all = Among { image, set, levels, exchange, equal: false };
    let mut course = Course::new(image, set);
    // SAFETY: the caller's guarantee.
    let given = unsafe {
        match levels.single_host() {
            true => all.on_host(exchange, choices, &mut course)?,
            false => all.each(choices, course)?,
        }
    };
    course.outcome()?;
    let expected = |position| exchange.receive_parts.len(position);
    match given.into_iter().find(|&(position, len)| len != expected(position)) {
        Some((position, len)) => Err(mismatch("alltoallv", position, len, expected(position))),
        None => Ok(()),
    }
}

/// What images gave this one: position and bytes.
type Given = Vec<(usize, usize)>;

/// An alltoall as one image of the set sees it.
#[derive(Clone, Copy)]
struct Among<'a> {
    image: &'a Image,
    set: &'a ImageSet,
    levels: &'a Levels,
    exchange: &'a Exchange<'a>,
    /// Whether all images know that all parts have the same length.
    equal: bool,
}

impl Among<'_> {
    /// Between the images of this host, whose `exchange` has a part for each mate. Positions are those among mates.
    ///
    /// # Safety
    /// The exchange is valid.
    unsafe fn on_host(
        &self,
        exchange: &Exchange<'_>,
        choices: &Choices,
        course: &mut Course<'_>,
    ) -> Result<Given> {
        let (mates, me) = (self.levels.mates(), self.levels.position());
        let Some(host) = self.host(choices) else {
            // SAFETY: the caller's guarantee.
            return unsafe {
                self.by_messages((mates.len(), me), |i| Some(mates[i]), exchange, choices, course)
            };
        };
        // SAFETY: the caller's guarantee.
        unsafe {
            let (given, longest) = match self.equal {
                true => (Lens::Equal(exchange.send_parts.len(0)), exchange.send_parts.len(0)),
                false => tell_lens(&host, exchange)?,
            };
            let shape = Shape::new(self.image, longest, host.members());
            let choice = shape.alltoall(choices.alltoall.host);
            let alltoall = Alltoall { parts: *exchange, given: &given, longest };
            if !(choice.direct && direct::run(&host, &alltoall)?) {
                match choice.otherwise {
                    HostAlltoall::Slots => slots::run(&host, &alltoall)?,
                    _ => staged::run(&host, &alltoall, shape.chunk())?,
                }
            }
            Ok((0..mates.len()).map(|i| (i, given.of(i))).collect())
        }
    }

    /// The board where this host meets, if it is to be used.
    fn host(&self, choices: &Choices) -> Option<Host<'_>> {
        let board = self.levels.board()?;
        let image = self.image;
        let messages = choices.alltoall.host == Some(HostAlltoall::Messages);
        (!messages).then_some(Host { image, board })
    }

    /// Among `n` participants, of which this one is `me`, over channels.
    ///
    /// # Safety
    /// The exchange is valid.
    unsafe fn by_messages(
        &self,
        (n, me): (usize, usize),
        peer: impl Fn(usize) -> Option<Rank>,
        exchange: &Exchange<'_>,
        choices: &Choices,
        course: &mut Course<'_>,
    ) -> Result<Given> {
        // SAFETY: the caller's guarantee.
        unsafe {
            let own = exchange.keep(me);
            if !self.equal {
                let mut given = unknown(self.image, (n, me), peer, exchange, course)?;
                given.push((me, own));
                return Ok(given);
            }
            match LeaderAlltoall::choose(choices.alltoall.leaders, own, 1) {
                LeaderAlltoall::Bruck => {
                    let part = |to| exchange.out(to).to_vec();
                    let peer = |i| peer(i).expect("all take part");
                    let who = (n, me);
                    let (came, table) = bruck(self.image, who, peer, |_, _| own, part, course)?;
                    exchange.put(&came, &table.parts(), n);
                }
                _ => known(self.image, (n, me), peer, exchange, course)?,
            }
            Ok(Vec::new())
        }
    }

    /// Over several hosts: each image with its mates on the board, then with all others itself.
    ///
    /// # Safety
    /// The exchange is valid.
    unsafe fn each(&self, choices: &Choices, mut course: Course<'_>) -> Result<Given> {
        let (set, mates) = (self.set, self.levels.mates());
        let positions: Vec<usize> =
            mates.iter().map(|&mate| set.position_of(mate).expect("a member")).collect();
        let me = positions[self.levels.position()];
        let mut given = Vec::new();
        let by_board = self.host(choices).is_some();
        // SAFETY: the caller's guarantee.
        unsafe {
            if by_board {
                let of_mates = |parts: Parts<'_>| Table::of(&parts, &positions);
                let [send, receive] =
                    [self.exchange.send_parts, self.exchange.receive_parts].map(of_mates);
                let among_mates = Exchange {
                    send_parts: send.parts(),
                    receive_parts: receive.parts(),
                    ..*self.exchange
                };
                // Those of other hosts count on this image even if a mate has ended.
                match self.on_host(&among_mates, choices, &mut course) {
                    Ok(near) => given.extend(near.into_iter().map(|(i, len)| (positions[i], len))),
                    Err(error) => course.note(Err(error))?,
                }
            } else {
                given.push((me, self.exchange.keep(me)));
            }
            let far = |position| {
                let rank = set.rank_at(position).expect("a member");
                (!by_board || !mates.contains(&rank)).then_some(rank)
            };
            let who = (set.len(), me);
            match self.equal {
                true => known(self.image, who, far, self.exchange, &mut course)?,
                false => given.extend(unknown(self.image, who, far, self.exchange, &mut course)?),
            }
        }
        course.outcome().map(|()| given)
    }
}
