//! The collective areas that one image has opened.

use super::{BarrierAlgorithm, CollArea, FlowsOverHosts};
use crate::endpoint::Endpoint;
use crate::error::Result;
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
    /// The flows of the operations over hosts, by set. They stay as well: an image may make an object of a set anew when others
    /// still have theirs.
    flows: RefCell<HashMap<Key, Rc<FlowsOverHosts>>>,
    forced: Option<BarrierAlgorithm>,
}

impl Areas {
    /// No area yet. Their barriers use the algorithm `forced`, if one was requested (`XMP_COLL=barrier:...`).
    pub fn new(forced: Option<BarrierAlgorithm>) -> Areas {
        Areas { forced, ..Areas::default() }
    }

    /// The flows of the operations of a set with images on several hosts.
    pub fn flows_over_hosts(&self, set: &ImageGroup) -> Rc<FlowsOverHosts> {
        self.flows.borrow_mut().entry(set.key()).or_default().clone()
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
