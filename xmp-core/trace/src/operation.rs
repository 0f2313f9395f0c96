//! The operations that a trace records, by their names in the language, and how each of them waits for other images.

/// The images that must have reached a collective operation before one of them can complete it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// All images need all.
    All,
    /// All images need the root: broadcast, scatter.
    Root,
    /// The root needs all images: gather, and reductions with a result image. Without a root all need all.
    AtRoot,
    /// An image needs those before it: scan.
    Before,
    /// An image needs those that have elements for it. Which ones is not recorded, but they have begun before it ends.
    Partners,
}

/// The kind of communication of an operation, and what the operation waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Writes memory of the partner.
    Put,
    /// Writes memory of the partner and posts an event there.
    PutPost,
    /// Reads memory of the partner.
    Get,
    /// An atomic subroutine on the partner's memory.
    Atomic,
    /// All images of a team execute it, in the same order.
    Collective(Needs),
    /// Waits for the images of a list.
    SyncImages,
    /// Posts an event of the partner.
    Post,
    /// Waits for posts.
    Await,
    /// Acquires a lock of the partner.
    Acquire,
    /// Releases a lock of the partner.
    Release,
    /// Ends the image or the job; it does not return.
    End,
    /// Waits for an operation in the background.
    Complete,
    /// Anything else. The start of an image is among it: images have met after their constructors, before it.
    Local,
}

impl Kind {
    /// Whether an operation of this kind waits for other images.
    pub fn may_wait(self) -> bool {
        matches!(
            self,
            Kind::Collective(_) | Kind::SyncImages | Kind::Await | Kind::Acquire | Kind::Complete
        )
    }
}

macro_rules! operations {
    ($($name:ident = $text:literal, $kind:expr;)+) => {
        /// An operation. Its number is that of its row, and is written to files.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum Operation {
            $(#[doc = concat!("`", $text, "`")] $name,)+
        }

        impl Operation {
            /// All operations, each at the position of its number.
            pub const ALL: &[Operation] = &[$(Operation::$name,)+];

            /// Its name in the language.
            pub fn name(self) -> &'static str {
                match self { $(Operation::$name => $text,)+ }
            }

            /// How it communicates.
            pub fn kind(self) -> Kind {
                match self { $(Operation::$name => $kind,)+ }
            }
        }
    };
}

operations! {
    Put = "put", Kind::Put;
    PutNotify = "put with notify", Kind::PutPost;
    Get = "get", Kind::Get;
    Between = "remote copy", Kind::Get;
    AtomicDefine = "atomic_define", Kind::Atomic;
    AtomicRef = "atomic_ref", Kind::Atomic;
    AtomicCas = "atomic_cas", Kind::Atomic;
    AtomicOp = "atomic operation", Kind::Atomic;
    SyncAll = "sync all", Kind::Collective(Needs::All);
    SyncTeam = "sync team", Kind::Collective(Needs::All);
    SyncImages = "sync images", Kind::SyncImages;
    SyncMemory = "sync memory", Kind::Local;
    EventPost = "event post", Kind::Post;
    EventWait = "event wait", Kind::Await;
    EventQuery = "event_query", Kind::Local;
    NotifyWait = "notify wait", Kind::Await;
    Lock = "lock", Kind::Acquire;
    Unlock = "unlock", Kind::Release;
    Critical = "critical", Kind::Acquire;
    EndCritical = "end critical", Kind::Release;
    CoSum = "co_sum", Kind::Collective(Needs::AtRoot);
    CoMin = "co_min", Kind::Collective(Needs::AtRoot);
    CoMax = "co_max", Kind::Collective(Needs::AtRoot);
    CoReduce = "co_reduce", Kind::Collective(Needs::AtRoot);
    CoBroadcast = "co_broadcast", Kind::Collective(Needs::Root);
    CoAllgather = "co_allgather", Kind::Collective(Needs::All);
    CoGather = "co_gather", Kind::Collective(Needs::AtRoot);
    CoScatter = "co_scatter", Kind::Collective(Needs::Root);
    CoAlltoall = "co_alltoall", Kind::Collective(Needs::All);
    CoScan = "co_scan", Kind::Collective(Needs::Before);
    Begin = "begin in background", Kind::Local;
    Wait = "wait for background", Kind::Complete;
    FormTeam = "form team", Kind::Collective(Needs::All);
    ChangeTeam = "change team", Kind::Collective(Needs::All);
    EndTeam = "end team", Kind::Collective(Needs::All);
    Allocate = "allocate", Kind::Local;
    AllocateAll = "allocate (all)", Kind::Collective(Needs::All);
    Deallocate = "deallocate", Kind::Local;
    DeallocateAll = "deallocate (all)", Kind::Collective(Needs::All);
    Barrier = "barrier", Kind::Collective(Needs::All);
    Broadcast = "bcast", Kind::Collective(Needs::Root);
    Reduction = "reduction", Kind::Collective(Needs::Partners);
    Reflect = "reflect", Kind::Collective(Needs::Partners);
    Gmove = "gmove", Kind::Collective(Needs::Partners);
    Post = "post", Kind::Post;
    WaitPost = "wait", Kind::Await;
    TaskBegin = "task", Kind::Local;
    TaskEnd = "end task", Kind::Local;
    Library = "library procedure", Kind::Local;
    File = "parallel I/O", Kind::Local;
    NameNodes = "nodes of images", Kind::Local;
    MakeArray = "distributed array", Kind::Local;
    RandomInit = "random_init", Kind::Local;
    EndProcedure = "end of procedure", Kind::Local;
    Start = "start", Kind::Local;
    Finish = "end of program", Kind::Collective(Needs::All);
    Stop = "stop", Kind::End;
    ErrorStop = "error stop", Kind::End;
    FailImage = "fail image", Kind::End;
}

impl Operation {
    /// The operation with this number.
    pub fn from_number(number: u16) -> Option<Operation> {
        Operation::ALL.get(usize::from(number)).copied()
    }

    /// Whether all images of a team execute it, in the same order.
    pub fn is_collective(self) -> bool {
        matches!(self.kind(), Kind::Collective(_))
    }

    /// Whether it works on an event variable or a lock.
    pub fn has_variable(self) -> bool {
        let kinds = [Kind::PutPost, Kind::Post, Kind::Await, Kind::Acquire, Kind::Release];
        kinds.contains(&self.kind())
    }

    /// Whether it may be on nodes, which its list has where they are named for the first time.
    pub fn is_on_nodes(self) -> bool {
        matches!(self, Operation::Barrier | Operation::Broadcast | Operation::Reduction)
    }

    /// Whether it starts or ends the image or the program.
    pub fn is_start_or_end(self) -> bool {
        matches!(self, Operation::Start | Operation::Finish) || self.kind() == Kind::End
    }

    /// Whether the numbers in its list are images.
    pub fn lists_images(self) -> bool {
        matches!(self, Operation::SyncImages | Operation::TaskBegin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_at_the_position_of_its_number() {
        for (number, operation) in Operation::ALL.iter().enumerate() {
            assert_eq!(*operation as usize, number);
            assert_eq!(Operation::from_number(number as u16), Some(*operation));
        }
        assert_eq!(Operation::from_number(u16::MAX), None);
    }
}
