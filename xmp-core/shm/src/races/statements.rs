//! Image control statements and atomic subroutines: they carry clocks from one image to another.

use super::access::LAST_SEGMENT;
use super::every_host::Races;
use super::order::Order;
use super::sites::Site;
use crate::job::page::ImageState;
use crate::rank::Rank;
use crate::sync::Ordering;

impl Races<'_> {
    /// A new segment begins (SYNC MEMORY).
    pub fn begin_segment(&self) {
        self.flush();
        self.begin(&mut self.order.borrow_mut());
    }

    /// A new segment begins, after the flush.
    fn begin(&self, order: &mut Order) {
        self.clock.begin_segment();
        self.see_failed(order);
        for (image, &observed) in order.observed.iter().enumerate() {
            if self.clock.see(image, observed) {
                self.clock.set_ordered_at(image, self.this_site());
            }
        }
        for (released, now) in order.released.iter_mut().zip(self.clock.all()) {
            *released = now;
        }
    }

    /// Orders all that images have done before they have failed: no statement could order it any more, and a program that goes on with it
    /// knows of the failure.
    fn see_failed(&self, order: &mut Order) {
        // Acquire: the states, which are stored before.
        let epoch = self.job.page().status.epoch.load(Ordering::Acquire);
        if epoch == order.epoch {
            return;
        }
        order.epoch = epoch;
        for rank in self.job.ranks().filter(|&rank| self.job.state(rank) == ImageState::Failed) {
            self.see(rank.index(), LAST_SEGMENT, self.this_site());
        }
    }

    // Below, where a host cannot be reached, the statement itself fails: the order matters no more.

    /// This image is about to synchronise with these images, which do the same: before it notifies the first one.
    pub fn announce(&self, ranks: impl IntoIterator<Item = Rank>) {
        self.flush();
        let order = &mut *self.order.borrow_mut();
        self.begin(order);
        let mut is_stored = false;
        for rank in ranks.into_iter().filter(|&rank| rank != self.me) {
            let count = &mut order.meetings[rank.index()];
            *count += 1;
            if self.is_here(rank) {
                self.shadows.send(self.me, rank, *count, self.clock.all());
            } else {
                let message = self.shadows.message_between_hosts(self.me, *count);
                let words = [*count].into_iter().chain(self.clock.all());
                is_stored |= self.remote().store(rank, message, words).is_ok();
            }
        }
        if is_stored {
            let _ = self.remote().flush();
        }
    }

    /// This image has synchronised with these images, after it has announced that.
    pub fn meet(&self, ranks: impl IntoIterator<Item = Rank>) {
        self.flush();
        self.receive(ranks);
        self.delay();
    }

    /// The clocks of these images come.
    fn receive(&self, ranks: impl IntoIterator<Item = Rank>) {
        let order = &mut *self.order.borrow_mut();
        let site = self.this_site();
        for rank in ranks.into_iter().filter(|&rank| rank != self.me) {
            let count = order.meetings[rank.index()];
            let see = |image, segment| self.see(image, segment, site);
            if self.is_here(rank) {
                self.shadows.receive(rank, self.me, count, see);
            } else {
                self.shadows.receive_between_hosts(rank, self.me, count, see);
            }
            self.clock.set_ordered_at(rank.index(), site);
        }
        self.begin(order);
    }

    /// The present segment ends, and orders what this image has done before the statements that follow [`Races::order_after`] of
    /// the clock that is returned.
    pub fn end_segment(&self) -> impl Iterator<Item = u64> {
        self.begin_segment();
        self.clock.all()
    }

    /// A statement of this image has received this clock. A new segment begins.
    pub fn order_after(&self, clock: impl Iterator<Item = u64>) {
        self.flush();
        let site = self.this_site();
        clock.enumerate().for_each(|(image, segment)| self.see(image, segment, site));
        self.begin(&mut self.order.borrow_mut());
    }

    /// Orders the accesses of this image before the statements that follow [`Races::acquire`] of this variable. Called
    /// before the image changes the variable.
    pub fn release(&self, of: Rank, offset: u64) {
        self.flush();
        self.begin(&mut self.order.borrow_mut());
        self.add_to(of, offset, self.clock.all());
    }

    /// Merges a clock into the clock of a variable.
    fn add_to(&self, of: Rank, offset: u64, clock: impl Iterator<Item = u64>) {
        if self.is_here(of) {
            self.shadows.add_to(of, offset, clock);
        } else {
            let _ = self.remote().add_to(of, offset, clock);
        }
    }

    /// Calls `see` with the clock of a variable.
    fn see_clock(&self, of: Rank, offset: u64, see: impl FnMut(usize, u64)) {
        if self.is_here(of) {
            self.shadows.see(of, offset, see);
        } else {
            let _ = self.remote().see(of, offset, see);
        }
    }

    /// This image is about to post an event.
    pub fn post(&self, of: Rank, offset: u64) {
        self.flush();
        self.begin(&mut self.order.borrow_mut());
        if self.is_here(of) {
            self.shadows.post(self.me, of, offset, self.clock.all());
        } else {
            let _ = self.remote().post(of, offset, self.clock.all());
        }
    }

    /// This image has taken posts off an event, which is its own.
    pub fn take_posts(&self, offset: u64) {
        self.flush();
        let site = self.this_site();
        let see = |image, segment| self.see(image, segment, site);
        self.shadows.take_posts(self.me, offset, see);
        self.begin(&mut self.order.borrow_mut());
    }

    /// This image has seen the variable as another image has changed it, in an image control statement.
    pub fn acquire(&self, of: Rank, offset: u64) {
        self.flush();
        let site = self.this_site();
        self.see_clock(of, offset, |image, segment| self.see(image, segment, site));
        self.begin(&mut self.order.borrow_mut());
    }

    /// Orders the segments of an image up to this one before the current one, by the statement of this site.
    fn see(&self, image: usize, segment: u64, site: Site) {
        if self.clock.see(image, segment) {
            self.clock.set_ordered_at(image, site);
        }
    }

    /// An atomic subroutine is about to change this variable.
    pub fn before_atomic(&self, of: Rank, offset: u64) {
        let order = self.order.borrow();
        self.add_to(of, offset, order.released.iter().copied());
    }

    /// An atomic subroutine has read this variable.
    pub fn after_atomic(&self, of: Rank, offset: u64) {
        let observed = &mut self.order.borrow_mut().observed;
        self.see_clock(of, offset, |image, segment| {
            observed[image] = segment.max(observed[image]);
        });
    }
}
