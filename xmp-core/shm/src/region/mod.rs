//! The region: the memory that all images of a machine share, at one address. (Between hosts each has a region of its
//! own, with the entries of all images of the job and the segments of its own ones.)
//!
//! It is a sparse file in memory, without a name that another user could open (`file`), or, for images of one process, an
//! anonymous mapping. Large blocks get huge pages where the system permits that (`huge_pages`, `private_tmpfs`). Nothing is
//! reserved: a page costs memory when it is first touched. So the region can be as large as the address space allows, and no
//! setting has to size a heap.
//!
//! ```text
//! base     job page | image entries | areas of host 0 | areas of host 1 ...   (control; of the hosts that share it)
//! segment  pairs | rings | symmetric heap ->     <- non-symmetric heap | teams heap ->
//! segment  ...                                                 (one a slot: an image of this region; equal stride)
//! ```

mod address;
mod capacity;
mod control_group;
mod file;
mod huge_pages;
mod limit;
mod mapping;
mod memory_kills;
mod private_tmpfs;

pub use address::{BASE, MAX_REGION, PAGE, may_contain, page_size, pages_around, pages_within};
pub use capacity::{CapacityLimit, RegionCapacity};
pub use file::RegionFile;
pub use huge_pages::{
    HUGE_PAGE, HugePagePolicy, HugePageReport, HugePageSource, HugePages, LEAST_LARGE,
};
pub use limit::machine_limit;
pub use mapping::{Region, refuse_thread_sanitizer};
pub use memory_kills::{MemoryKills, MemoryShortage};
pub use private_tmpfs::Mount;
