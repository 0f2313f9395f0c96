//! The handle of an image: everything that one image knows and can do. It is passed explicitly; there is no global
//! state below the front ends.

pub use crate::endpoint::{Endpoint, Peer, Work};
pub use crate::members::Words;
pub use crate::memory::{DeferredFrees, Memory, TableReference};

use crate::coll_area::{Areas, BarrierAlgorithm};
use crate::error::{Error, Result};
use crate::image_set::{ImageSet, Segments, SetCache, Stack};
use crate::job::Job;
use crate::language::Language;
use crate::members::Members;
use crate::rank::Rank;
use crate::settings::Settings;
use crate::transport::Transport;
use std::any::Any;
use std::cell::RefCell;
use std::fmt::Display;
use std::ops::{Deref, Range};
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;

/// One image: its [`Endpoint`], and above that its heaps, its executing sets, and the collective areas of these sets.
#[derive(Debug)]
pub struct Image {
    endpoint: Endpoint,
    stack: Stack,
    sets: RefCell<SetCache>,
    areas: Rc<Areas>,
    memory: Memory,
    source: Source,
    failed_call: RefCell<Option<FailedCall>>,
}

/// The facts about the program that messages need.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// The language whose words messages use.
    pub language: fn() -> Language,
    /// The statement that this thread executes, as `file:line`, if it is known.
    pub statement: fn() -> Option<String>,
}

impl Default for Source {
    /// The words of this library; no statement.
    fn default() -> Source {
        Source { language: || Language::Rust, statement: || None }
    }
}

/// A call of a public function that has failed.
#[derive(Clone, Debug)]
pub struct FailedCall {
    /// What the function does.
    pub operation: &'static str,
    /// Where the program calls it.
    pub place: &'static Location<'static>,
    /// Its error.
    pub error: Error,
    /// What the message says after the error, if anything.
    pub note: Option<String>,
}

/// The team as which a set is entered.
#[derive(Clone, Debug)]
pub struct Owner {
    /// Its number, for error messages.
    pub number: i64,
    /// The team object, opaque to this crate; see [`Frame::owner`](crate::image_set::Frame::owner).
    pub team: Rc<dyn Any>,
}

// Hidden: the methods of an endpoint are for the runtime, and not for programs.
#[doc(hidden)]
impl Deref for Image {
    type Target = Endpoint;

    #[inline(always)]
    fn deref(&self) -> &Endpoint {
        &self.endpoint
    }
}

impl Image {
    /// The image `rank` of `job`, reached through `transport`.
    ///
    /// # Errors
    /// When a setting names an algorithm that does not exist.
    pub fn new(
        job: Arc<Job>,
        rank: Rank,
        transport: Box<dyn Transport>,
        settings: Settings,
    ) -> Result<Image> {
        let areas = Rc::new(Areas::new(forced_barrier(&settings)?));
        let endpoint = Endpoint::new(job.clone(), rank, transport, settings)?;
        let segments = Segments {
            first: match job.geometry().hosts {
                // Slots and ranks are the same. Where races are looked for, no access takes a fast path.
                1 if endpoint.races().is_none() => {
                    job.segment(Rank::new(0)).unwrap_or(std::ptr::null_mut())
                }
                _ => std::ptr::null_mut(),
            },
            stride: job.geometry().stride as isize,
        };
        let all = Members::all(job.images());
        let initial = Rc::new(ImageSet::new(all, rank, areas.clone()));
        let memory = Memory::new(job, rank, endpoint.layout());
        Ok(Image {
            endpoint,
            stack: Stack::new(initial.clone(), segments, memory.scope()),
            memory,
            sets: RefCell::new(SetCache::new(initial)),
            areas,
            source: Source::default(),
            failed_call: RefCell::new(None),
        })
    }

    /// The facts about the program that messages need.
    pub fn source(&self) -> Source {
        self.source
    }

    /// Sets what messages need to know of the program.
    pub fn set_source(&mut self, source: Source) {
        self.source = source;
    }

    /// The collective areas that this image has opened.
    pub fn areas(&self) -> &Areas {
        &self.areas
    }

    /// Notes a call that has failed. Only the last one is kept.
    #[cold]
    pub fn note_failed_call(&self, call: FailedCall) {
        self.failed_call.replace(Some(call));
    }

    /// The call that this error is of, if it was the last one that failed.
    pub fn failed_call(&self, error: &dyn Display) -> Option<FailedCall> {
        self.failed_call.take().filter(|call| call.error.to_string() == error.to_string())
    }

    /// Heaps of this image's segment.
    #[inline(always)]
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The executing sets.
    #[inline(always)]
    pub fn stack(&self) -> &Stack {
        &self.stack
    }

    /// The executing set.
    #[inline]
    pub fn executing(&self) -> Rc<ImageSet> {
        self.stack.executing()
    }

    /// The set with these members: the same object for the same members, as long as it is referenced and often longer.
    /// (Members that refer to a table are a new object each time; the owner of the table keeps the set.) Costs no
    /// communication.
    ///
    /// # Errors
    /// When a member is not an image of the job.
    pub fn set(&self, members: Members) -> Result<Rc<ImageSet>> {
        if members.is_in_table() {
            return Ok(Rc::new(ImageSet::new(members, self.rank(), self.areas.clone())));
        }
        if let Some(set) = self.sets.borrow().get(&members) {
            return Ok(set);
        }
        let set = ImageSet::new(members, self.rank(), self.areas.clone());
        let images = self.job().images();
        if let Some(bad) = set.ranks().find(|rank| rank.index() >= images) {
            return Err(Error::ImageIndex { index: bad.image().into(), images });
        }
        let set = Rc::new(set);
        self.sets.borrow_mut().insert(&set);
        Ok(set)
    }

    /// Makes `set` the executing set: as the team `owner`, or without one for a task region. A `floor` is the same on
    /// all images of the set and not below the [`Memory::teams_edge`] of any; their allocations in the teams heap then
    /// are above it. It is needed where images come together whose teams heaps may differ. Communicates nothing. Returns
    /// the serial number of this entry.
    pub fn enter(&self, set: &Rc<ImageSet>, owner: Option<Owner>, floor: Option<u64>) -> u64 {
        let initial = self.stack.is_initial(set);
        let number = owner.as_ref().map(|owner| owner.number);
        let scope = self.memory.enter(initial, number, floor);
        self.stack.push(set, scope, owner.map(|owner| owner.team))
    }

    /// Makes `set` the executing set as a task region, as [`Image::enter`] without a team and a floor. A loop around a
    /// task enters the same set again and again, which takes few steps.
    #[inline(always)]
    pub fn enter_task(&self, set: &Rc<ImageSet>) -> u64 {
        self.enter_task_again(set).unwrap_or_else(|| self.enter(set, None, None))
    }

    /// Makes `set` the executing set as a task region, if it is that of the task region that was left last from the
    /// present one. Returns the serial number of this entry; `None`, without effect, if [`Image::enter_task`] has to
    /// do it.
    #[inline(always)]
    pub fn enter_task_again(&self, set: &Rc<ImageSet>) -> Option<u64> {
        self.stack.push_again(set, |scope| self.memory.enter_again(scope))
    }

    /// Leaves a task region if no symmetric heap has changed in it, and returns true. Otherwise it does nothing and returns
    /// false: then [`Image::leave`] leaves the region. Communicates nothing.
    #[inline(always)]
    pub fn leave_unchanged_task(&self) -> bool {
        self.stack.pop_task(|left, now| self.memory.leave_unchanged(left, now))
    }

    /// Returns to the set that executed before the last [`Image::enter`], and frees what this image has allocated since
    /// then in the symmetric heaps. Returns these blocks, as offsets in the segment; `None` when only the initial set
    /// remains. Communicates nothing: the images of the set must have synchronised before, or other images may still
    /// access freed memory.
    pub fn leave(&self) -> Option<Vec<Range<u64>>> {
        let left = self.stack.pop()?;
        let now = self.stack.top().scope();
        Some(self.memory.leave(left, now))
    }

    /// Closes the image in a process that this image's process has forked: calls are refused there.
    pub fn close_after_fork(&self) {
        self.stack.close_after_fork();
        self.endpoint.close_after_fork();
    }

    /// From now on this image is used inside [`Endpoint::threads`], mostly by this thread.
    pub fn prepare_for_threads(&mut self) {
        self.endpoint.prepare_for_threads();
    }
}

fn forced_barrier(settings: &Settings) -> Result<Option<BarrierAlgorithm>> {
    let Some((_, name)) = settings.collectives.iter().find(|(operation, _)| operation == "barrier")
    else {
        return Ok(None);
    };
    BarrierAlgorithm::by_name(name).map(Some).ok_or_else(|| Error::Setting {
        name: "XMP_COLL",
        value: format!("barrier:{name}"),
        expected: "barrier:central, barrier:flat, barrier:dissemination or barrier:grouped".into(),
    })
}
