//! The collective areas that one image has opened.

use super::{BarrierAlgorithm, CollArea};
use crate::endpoint::Endpoint;
use crate::error::Result;
use crate::failure::calls::CallLog;
use crate::image_group::ImageGroup;
use crate::members::Key;
use crate::rank::Rank;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The collective areas that this image has opened, by set. At most as many as a host has room for. They stay, because
/// they count epochs.
#[derive(Debug, Default)]
pub struct Areas {
    opened: RefCell<HashMap<Key, Rc<CollArea>>>,
    calls: RefCell<CallLogs>,
    forced: Option<BarrierAlgorithm>,
}

/// The logs of calls over hosts, by set. A log outlives the objects of its set until the images have compared what it has: an image
/// may make such an object anew when others still have theirs.
#[derive(Debug, Default)]
struct CallLogs {
    by_set: HashMap<Key, Rc<CallLog>>,
    /// The logs that were left when unused ones were last dropped.
    left: usize,
}

impl CallLogs {
    /// The logs that are made beyond twice those that were left before unused ones are dropped.
    const SPARE_LOGS: usize = 64;

    fn of(&mut self, image: &Endpoint, set: &ImageGroup) -> Rc<CallLog> {
        if self.by_set.len() >= 2 * self.left + CallLogs::SPARE_LOGS {
            self.by_set.retain(|_, log| Rc::strong_count(log) > 1 || !log.is_new());
            self.left = self.by_set.len();
        }
        let log = self.by_set.entry(set.key());
        log.or_insert_with(|| Rc::new(CallLog::new(image, set))).clone()
    }
}

impl Areas {
    /// No area yet. Their barriers use the algorithm `forced`, if one was requested (`XMP_COLL=barrier:...`).
    pub fn new(forced: Option<BarrierAlgorithm>) -> Areas {
        Areas { forced, ..Areas::default() }
    }

    /// The log of the calls of a set with images on several hosts.
    pub fn calls_of(&self, image: &Endpoint, set: &ImageGroup) -> Rc<CallLog> {
        self.calls.borrow_mut().of(image, set)
    }

    /// All areas that this image has opened.
    pub fn opened(&self) -> Vec<Rc<CollArea>> {
        self.opened.borrow().values().cloned().collect()
    }

    /// The collective area of a set for `ranks`, its images on this host, opened once; `None` where the host has no
    /// room for it.
    ///
    /// # Errors
    /// When the job ends.
    pub fn open(
        &self,
        image: &Endpoint,
        set: &ImageGroup,
        ranks: &[Rank],
    ) -> Result<Option<Rc<CollArea>>> {
        if let Some(area) = self.opened.borrow().get(&set.key()) {
            return Ok(Some(area.clone()));
        }
        let Some(area) = CollArea::open(image, set, ranks, self.forced)? else { return Ok(None) };
        let area = Rc::new(area);
        self.opened.borrow_mut().insert(set.key(), area.clone());
        Ok(Some(area))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::image_set::Members;
    use crate::thread_images;

    #[test]
    fn logs_of_sets_that_are_gone_do_not_pile_up_unless_they_have_calls_that_are_not_compared() {
        thread_images::run(16, 2, |image| {
            let areas = Areas::default();
            let me = image.rank();
            let with = |one: u32, other: u32| {
                let ranks = [me, Rank::new(one), Rank::new(other)];
                ImageGroup::new(Members::from_list(&ranks).unwrap(), me)
            };
            let others = |but: u32| (0..16).filter(move |&it| it != me.get() && it != but);
            let first = others(16).next().unwrap();
            let open = with(first, others(first).next().unwrap());
            areas.calls_of(image, &open).begin(image, 1, 5).unwrap();
            for _ in 0..4 {
                for (one, other) in others(16).flat_map(|one| others(one).map(move |it| (one, it)))
                {
                    areas.calls_of(image, &with(one, other));
                    assert!(areas.calls.borrow().by_set.len() <= 2 * CallLogs::SPARE_LOGS);
                }
            }
            assert_eq!(areas.calls_of(image, &open).flows(), 5);
        })
        .unwrap();
    }
}
