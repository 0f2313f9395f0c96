//! The levels of a set: its hosts, and the collective area of this host.

use crate::coll_area::{Areas, CollArea};
use crate::endpoint::Endpoint;
use crate::error::Result;
use crate::failure::calls::CallLog;
use crate::image_group::{ImageGroup, Split};
use crate::members::Members;
use crate::settings::Checks;
use std::ops::Deref;
use std::rc::Rc;

/// The host level and the leader level of a set, as this image sees them.
#[derive(Debug)]
pub struct Levels {
    area: Option<Rc<CollArea>>,
    /// Keeps the members alive for the area, where the set has images on other hosts.
    _members: Option<Rc<Members>>,
    split: Rc<Split>,
    /// A copy of the split's answer, read by every operation.
    single_host: bool,
    /// Present if the set has images on several hosts.
    calls: Option<Rc<CallLog>>,
    may_use_fast_path: bool,
}

impl Levels {
    pub(super) fn find(image: &Endpoint, set: &ImageGroup, areas: &Areas) -> Result<Levels> {
        let split = set.split(image).clone();
        let area = match split.local_peers().len() {
            1 => None,
            _ => areas.open(image, set, split.local_peers())?,
        };
        let members = area.as_ref().and_then(|area| area.serve(set));
        let single_host = split.single_host();
        let forced = image.settings().collectives.iter().any(|(name, _)| name != "barrier");
        let asks = forced || image.settings().check != Checks::default();
        let may_use_fast_path = area.is_some() && single_host && !asks;
        let calls = (!single_host).then(|| areas.calls_of(image, set));
        if let (Some(area), Some(calls)) = (&area, &calls) {
            area.log_calls(calls.clone());
        }
        Ok(Levels { area, _members: members, split, single_host, calls, may_use_fast_path })
    }

    /// Whether all members share one host, so that there is no leader level.
    #[inline(always)]
    pub fn single_host(&self) -> bool {
        self.single_host
    }

    /// The collective area of the members on this host; `None` when this image is the only one, or when the host has no
    /// room for another area (the same answer for all members of the host).
    #[inline(always)]
    pub fn area(&self) -> Option<&CollArea> {
        self.area.as_deref()
    }

    /// The log of the set's calls over hosts; `None` if all its images are on this host.
    pub fn calls(&self) -> Option<&CallLog> {
        self.calls.as_deref()
    }

    /// Whether each barrier of this set is made by all its images or by none ([`CollArea::all_or_none`]): all share an
    /// area of that kind.
    pub fn has_atomic_barrier(&self) -> bool {
        self.single_host && self.area().is_some_and(CollArea::all_or_none)
    }

    /// The collective area, if collectives may use their fast path: all members share this host and no setting has to
    /// be read. The same answer for all members.
    #[inline(always)]
    pub fn fast_area(&self) -> Option<&CollArea> {
        if self.may_use_fast_path { self.area() } else { None }
    }
}

impl AsRef<Split> for Levels {
    fn as_ref(&self) -> &Split {
        self
    }
}

impl Deref for Levels {
    type Target = Split;
    #[inline(always)]
    fn deref(&self) -> &Split {
        &self.split
    }
}
