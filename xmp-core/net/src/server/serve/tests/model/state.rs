//! The three hosts of the model, and their steps.

use super::frames::{Frame, KINDS, Kind, Queue};
use super::rule::Begins;

pub(super) const HOSTS: usize = 3;
/// What each image asks in all.
const REQUESTS: u8 = 2;
/// Long frames that the system takes on one way before their receiver does.
const HOLDS: usize = 1;

/// One direction of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Way {
    /// What the system has not taken, in the memory of the sender.
    left: Queue,
    /// What it has taken.
    pub(super) taken: Queue,
}

/// An image, the leader of its host. It makes this many requests more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Image {
    /// It computes.
    Free(u8),
    /// It waits until the system has taken its request of the host with this number, and the bytes.
    Sends(u8, usize, Kind),
    /// It waits for a reply.
    Waits(u8, usize),
}

/// What a server knows of an image: requests whose bytes are to come, and requests that are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Its {
    incoming: Queue,
    held: Queue,
}

/// All three hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct State {
    pub(super) images: [Image; HOSTS],
    /// By sender, then by receiver.
    pub(super) ways: [[Way; HOSTS]; HOSTS],
    /// By host of the server, then by image.
    clients: [[Its; HOSTS]; HOSTS],
}

impl State {
    /// Nothing has been requested.
    pub(super) const START: State = State {
        images: [Image::Free(REQUESTS); HOSTS],
        ways: [[Way { left: Queue(0), taken: Queue(0) }; HOSTS]; HOSTS],
        clients: [[Its { incoming: Queue(0), held: Queue(0) }; HOSTS]; HOSTS],
    };

    /// One of the states that are this one but for the numbers of the hosts, the same for all of them.
    pub(super) fn canonical(self) -> State {
        const ORDERS: [[usize; HOSTS]; 6] =
            [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
        ORDERS.map(|new| self.renumbered(new)).into_iter().min().expect("six orders")
    }

    fn renumbered(&self, new: [usize; HOSTS]) -> State {
        let mut all = *self;
        for (old, &here) in new.iter().enumerate() {
            all.images[here] = match self.images[old] {
                Image::Sends(left, other, kind) => Image::Sends(left, new[other], kind),
                Image::Waits(left, other) => Image::Waits(left, new[other]),
                free => free,
            };
            for (other, &there) in new.iter().enumerate() {
                all.ways[here][there] = self.ways[old][other];
                all.clients[here][there] = self.clients[old][other];
            }
        }
        all
    }

    /// Whether all images have what they have asked for, and nothing is on the way.
    pub(super) fn is_over(&self) -> bool {
        self.images == [Image::Free(0); HOSTS]
            && self.ways == [[Way::default(); HOSTS]; HOSTS]
            && self.clients == [[Its::default(); HOSTS]; HOSTS]
    }

    /// Calls `visit` with each state that can be next. Steps that neither change nor are changed by what any other step does come
    /// first, alone: after the others they would lead to the same states.
    pub(super) fn for_each_next(&self, begins: &Begins, mut visit: impl FnMut(State)) {
        let pairs = || {
            let others = |me| (0..HOSTS).filter(move |&other| other != me);
            (0..HOSTS).flat_map(move |me| others(me).map(move |other| (me, other)))
        };
        for (me, other) in pairs() {
            let mut next = *self;
            let way = self.ways[me][other];
            let alone = way.left.first().is_some_and(|frame| frame != Frame::Reply)
                && next.take(me, other)
                || way.taken.first() == Some(Frame::Reply) && next.receive(other, me, begins)
                || next.go_on(me);
            if alone {
                return visit(next);
            }
        }
        let mut step = |act: &dyn Fn(&mut State) -> bool| {
            let mut next = *self;
            if act(&mut next) {
                visit(next);
            }
        };
        for (me, other) in pairs() {
            for kind in KINDS {
                step(&|next| next.ask(me, other, kind));
            }
            step(&|next| next.take(me, other));
            step(&|next| next.receive(me, other, begins));
            step(&|next| next.begin_held(me, other, begins));
        }
    }

    /// An image makes a request.
    fn ask(&mut self, me: usize, other: usize, kind: Kind) -> bool {
        let Image::Free(left @ 1..) = self.images[me] else { return false };
        self.images[me] = Image::Sends(left - 1, other, kind);
        let way = &mut self.ways[me][other].left;
        way.push(Frame::Request(kind));
        if kind.has_bytes() {
            way.push(Frame::Bytes);
        }
        true
    }

    /// The system takes a frame.
    fn take(&mut self, from: usize, to: usize) -> bool {
        let Way { left, taken } = &mut self.ways[from][to];
        let Some(frame) = left.first() else { return false };
        if frame.is_long() && taken.iter().filter(|frame| frame.is_long()).count() == HOLDS {
            return false;
        }
        left.remove_first();
        taken.push(frame);
        true
    }

    /// An image whose request the system has taken leaves the library, or waits for the reply.
    fn go_on(&mut self, me: usize) -> bool {
        let Image::Sends(left, other, kind) = self.images[me] else { return false };
        if self.ways[me][other].left.iter().any(|frame| frame != Frame::Reply) {
            return false;
        }
        self.images[me] =
            if kind.has_reply() { Image::Waits(left, other) } else { Image::Free(left) };
        true
    }

    /// A process takes a frame from the system: the bytes of a request only if that has begun, all others always.
    fn receive(&mut self, me: usize, from: usize, begins: &Begins) -> bool {
        let Some(frame) = self.ways[from][me].taken.first() else { return false };
        match frame {
            Frame::Request(kind) => {
                if self.clients[me][from].held.len() == 0 && self.can_begin(me, from, kind, begins)
                {
                    self.begin(me, from, kind);
                } else {
                    self.clients[me][from].held.push(frame);
                }
            }
            Frame::Bytes => match self.clients[me][from].incoming.first() {
                Some(Frame::Request(kind)) => {
                    self.clients[me][from].incoming.remove_first();
                    if kind.has_reply() {
                        self.ways[me][from].left.push(Frame::Reply);
                    }
                }
                _ => return false,
            },
            Frame::Reply => {
                // It may not have looked whether its request was sent.
                let (Image::Sends(left, other, _) | Image::Waits(left, other)) = self.images[me]
                else {
                    unreachable!("{self:?}")
                };
                assert_eq!(other, from, "{self:?}");
                self.images[me] = Image::Free(left);
            }
        }
        self.ways[from][me].taken.remove_first();
        true
    }

    /// A server looks at a request that it holds.
    fn begin_held(&mut self, me: usize, from: usize, begins: &Begins) -> bool {
        let Some(Frame::Request(kind)) = self.clients[me][from].held.first() else { return false };
        if !self.can_begin(me, from, kind, begins) {
            return false;
        }
        self.clients[me][from].held.remove_first();
        self.begin(me, from, kind);
        true
    }

    fn begin(&mut self, me: usize, from: usize, kind: Kind) {
        if kind.has_bytes() {
            self.clients[me][from].incoming.push(Frame::Request(kind));
        } else {
            self.ways[me][from].left.push(Frame::Reply);
        }
    }

    fn can_begin(&self, me: usize, from: usize, kind: Kind, begins: &Begins) -> bool {
        let incoming: usize = self.clients[me].iter().map(|its| its.incoming.len()).sum();
        let to_all = self.ways[me].iter().flat_map(|way| way.left.iter());
        let outgoing = to_all.filter(|&frame| frame == Frame::Reply).count();
        let before = self.clients[me][from].incoming.len();
        begins.includes(kind, before, incoming, outgoing)
    }
}
