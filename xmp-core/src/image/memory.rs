//! The heaps of an image's segment.
use crate::job::Job;
use crate::rank::Rank;
use crate::region::SegmentLayout;
use std::sync::Arc;
/// x
#[derive(Debug)]
pub struct Memory {}
impl Memory {
    pub(super) fn new(_job: Arc<Job>, _rank: Rank, _layout: &SegmentLayout) -> Memory {
        Memory {}
    }
}
