//! The table of settings: each row has the name of a setting, the field that its value goes to, how its value is read,
//! and the text that users see.

use super::checks::Checks;
use super::choices::{DeadlockAction, Preference, RaceAction, TransportChoice};
use super::limits::Limits;
use super::objects::ObjectSettings;
use super::techniques::Techniques;
use super::value::{
    Parsed, bytes, collectives, count, directory, either, file, log_filter, microseconds,
    milliseconds, mode, seconds, size, switch, text,
};
use super::virtual_groups::VirtualGroups;
use crate::region::HugePagePolicy;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

/// Variables for the sizes of a node array, a dimension each.
const NODE_SIZES: [&str; 7] = [
    "XMP_NODE_SIZE0",
    "XMP_NODE_SIZE1",
    "XMP_NODE_SIZE2",
    "XMP_NODE_SIZE3",
    "XMP_NODE_SIZE4",
    "XMP_NODE_SIZE5",
    "XMP_NODE_SIZE6",
];

/// The images that must have the same value of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// No other image: each image of a job may have a value of its own.
    Image,
    /// All images of a job, because an image relies on what others do by this setting.
    Job,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name: that of the environment variable, or one with `<n>` for several.
    pub name: &'static str,
    /// The environment variables: one, or those with a number for `<n>`.
    pub variables: &'static [&'static str],
    /// What is used when it is not set.
    pub default: &'static str,
    /// What it does; with the unit of its value.
    pub meaning: &'static str,
    pub(super) scope: Scope,
    /// Stores the value of the variable at position `n`.
    pub(super) store: fn(&mut Settings, n: usize, value: &OsStr) -> Parsed<()>,
    /// The value as other images compare it.
    pub(super) shown: fn(&Settings) -> String,
}

/// Declares [`Settings`], its values without any variable, and [`TABLE`].
///
/// A row is `scope "NAME" field: Type = value, default "text", |text| parsed, "meaning";`. A row for a member of a
/// group has `group.member` and neither type nor value. `field[n of VARIABLES]` is an array with a variable for each
/// element. The value is a text, but with `|path: OsStr|` the name of a file, which may have any bytes. Two words after the scope show a value that is a `bool`.
macro_rules! settings {
    (
        groups { $($(#[$doc:meta])* $group:ident: $kind:ty),* $(,)? }
        $(
            $scope:ident $([$no:literal, $yes:literal])? $name:literal
            $field:ident $(. $member:ident)* $([$at:ident of $variables:ident])? $(: $type:ty = $initial:expr)?,
            default $default:literal, |$text:ident $(: $form:ident)?| $parsed:expr, $meaning:literal;
        )*
    ) => {
        /// The settings of a process, checked.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Settings {
            $($(#[$doc])* pub $group: $kind,)*
            $($(
                #[doc = concat!("`", $name, "`: ", $meaning, ".")]
                pub $field: $type,
            )?)*
        }

        impl Default for Settings {
            /// The settings where no variable is set.
            fn default() -> Settings {
                Settings {
                    $($group: <$kind>::default(),)*
                    $($($field: { let initial: $type = $initial; initial },)?)*
                }
            }
        }

        /// All settings.
        pub const TABLE: &[Setting] = &[$(Setting {
            name: $name,
            variables: settings!(@variables $name $(, $variables)?),
            default: $default,
            meaning: $meaning,
            scope: Scope::$scope,
            store: |settings, n, value| {
                let $text = settings!(@read value $(, $form)?);
                $(let $at = n;)?
                let _ = n;
                settings.$field $(.$member)* $([$at])? = $parsed;
                Ok(())
            },
            shown: |settings| settings!(@shown $([$no, $yes])? settings.$field $(.$member)*),
        },)*];
    };
    (@read $value:ident, OsStr) => { $value };
    (@read $value:ident) => { text($value)? };
    (@variables $name:literal, $variables:ident) => { &$variables };
    (@variables $name:literal) => { &[$name] };
    (@shown [$no:literal, $yes:literal] $value:expr) => {
        (if $value { $yes } else { $no }).to_string()
    };
    (@shown $value:expr) => { format!("{:?}", $value) };
}

settings! {
    groups {
        /// `XMP_SERVER_*` and `XMP_COOPERATION*`.
        server: Limits,
        /// `XMPF_COARRAY_*`.
        objects: ObjectSettings,
    }

    Image "XMP_NUM_IMAGES" num_images: Option<u32> = None,
        default "1", |text| Some(count(text, 1)?),
        "images that a program starts itself as when it is not started by a launcher";
    Image "XMP_TRANSPORT" transport: TransportChoice = TransportChoice::Auto,
        default "auto", |text| TransportChoice::parse(text)?,
        "between images: shm (this machine's memory), mpi (of any kind), openmpi, mpich, or sockets (without MPI, by the \
         launcher's process manager); auto is mpi where a launcher of MPI has started the program, and sockets where there is \
         no plug-in for it";
    Image "XMP_SSH" ssh: Option<String> = None,
        default "srun, blaunch or qrsh in an allocation of Slurm, LSF or SGE; else ssh", |text| Some(text.to_string()),
        "command by which xmprun starts images on other hosts, with its options: it is called with a host and a command line";
    Image "XMP_SSH_FAN_OUT" fan_out: u32 = 32,
        default "32", |text| count(text, 1)?,
        "most hosts that xmprun reaches itself by that command; the others are reached from these, as a tree";
    Image "XMP_NET_INTERFACE" net_interface: Option<String> = None,
        default "all, the fastest first", |text| Some(text.to_string()),
        "network interfaces by which other hosts reach this one by sockets, in the order in which they are tried, such as ib0,eth*";
    Image "XMP_PLUGIN_DIR" plugin_dir: Option<PathBuf> = None,
        default "xmprt beside libxmprt, or of the installation whose xmprun is in PATH", |path: OsStr| Some(directory(path)?),
        "directory of the MPI plug-ins, libxmprt_mpi_KIND_SONAME.so (KIND: openmpi, mpich or abi; SONAME: that of the MPI library)";
    Job "XMP_VIRTUAL_HOSTS" virtual_hosts: u32 = 1,
        default "1", |text| count(text, 1)?,
        "hosts that the images of this machine are split over, to test communication between hosts";
    Job "XMP_VIRTUAL_GROUPS" virtual_groups: VirtualGroups = VirtualGroups::NONE,
        default "what images are bound to", |text| VirtualGroups::parse(text)?,
        "groups that images are split over, as if bound, to test communication between them: caches, or NUMA nodes x caches of \
         each, or packages x nodes x caches, such as 2x4; or the images of each cache, such as 1-3,6/4,5";
    Image "XMP_SEPARATE_HOSTS" separate_hosts: bool = false,
        default "0", |text| switch(text)?,
        "1: the hosts of images that are threads (tests) share no memory, and send messages through a network within \
         the process";
    Image "XMP_SEGMENT_SIZE" segment_size: Option<u64> = None,
        default "64G, less where that many do not fit", |text| Some(size(text)?),
        "address space of each image's segment (bytes, or K, M, G, T); memory is used when touched";
    Image "XMP_MEMORY_LIMIT" memory_limit: Option<u64> = None,
        default "memory of the machine or control group", |text| Some(size(text)?),
        "most memory that the coarrays of this machine may take together (bytes, or K, M, G, T)";
    Image "XMP_HUGE_PAGES" huge_pages: HugePagePolicy = HugePagePolicy::Auto,
        default "auto", |text| HugePagePolicy::parse(text)?,
        "pages of 2 MiB for coarrays of 4 MiB and more; auto: where a page is taken when it is first written to; collapse: \
         otherwise also where ALLOCATE must take their memory; 0: none";
    Image "XMP_REACH" reach: bool = true,
        default "1", |text| switch(text)?,
        "0: programs that follow pointers of other images allocate their ordinary memory where others reach it by system calls \
         only";
    Image "XMP_SPIN" spin: Option<Duration> = None,
        default "8 with a core for each image, else 0", |text| Some(microseconds(text)?),
        "microseconds that a waiting image spins before it yields its core";
    Image "XMP_YIELDS" yields: Option<u32> = None,
        default "500 with a core for each image, else 16", |text| Some(count(text, 0)?),
        "times that a waiting image yields its core before it sleeps";
    Job "XMP_COLL" collectives: Vec<(String, String)> = Vec::new(),
        default "by size and set", |text| collectives(text)?,
        "forces algorithms of collectives: operation:algorithm[,operation:algorithm...]";
    Job "XMP_COLL_TECHNIQUES" techniques: Techniques = Techniques::ALL,
        default "all", |text| Techniques::parse(text)?,
        "techniques of messages in collectives: all, none, or a list of double-buffering, work-buffers, canary, two-level";
    Job "XMP_IO_BUFFER" io_buffer: u32 = 16 << 20,
        default "16M", |text| bytes(text, 1..=1 << 30)?,
        "bytes of a file that an image reads or writes at a time in collective parallel I/O (bytes, or K, M; at most 1G)";
    Job "XMP_CHECK" check: Checks = Checks::default(),
        default "0", |text| Checks::parse(text)?,
        "a list of checks; 1: images compare what they call before each collective, so that calls that do not match are \
         errors; races: accesses to coarrays that no image control statement orders are errors";
    Job "XMP_RACES" races: RaceAction = RaceAction::All,
        default "all", |text| RaceAction::parse(text)?,
        "what an image does that has found a race with XMP_CHECK=races: all (it reports each pair of statements once, and the \
         job continues) or first (it reports it and ends the job)";
    Job "XMP_RACES_STATUS" races_status: u8 = 1,
        default "1", |text| text.parse().map_err(|_| "a number from 0 to 255")?,
        "exit status of a job with races that has come to its end; 0: that of the program";
    Image "XMP_RACES_SARIF" races_sarif: Option<PathBuf> = None,
        default "none", |path: OsStr| Some(file(path)?),
        "file of all races for editors and services (SARIF 2.1.0), which is written at the end of the job";
    Image "XMP_RACES_IGNORE" races_ignore: Option<PathBuf> = None,
        default "none", |path: OsStr| Some(file(path)?),
        "file that names races which are not reported: a line `statement FILE:LINE`, `statement FILE` or `variable NAME` each, \
         with `*` for any characters";
    Image "XMP_RACES_DELAY" races_delay: Duration = Duration::ZERO,
        default "0", |text| milliseconds(text)?,
        "most milliseconds that an image waits after each synchronisation with XMP_CHECK=races, a random time, so that images \
         come to locks in other orders";
    Image "XMP_DEADLOCK" deadlock: DeadlockAction = DeadlockAction::End,
        default "end", |text| DeadlockAction::parse(text)?,
        "what the launcher does when images wait for one another for ever: end (it names their statements and ends the \
         job), report (it names them, and the job continues) or ignore (it does not look for deadlocks)";
    Image "XMP_WAIT_NOTICE" wait_notice: Duration = Duration::from_secs(60),
        default "60", |text| seconds(text, 1..=1_000_000)?,
        "seconds after which images that all wait are named where no deadlock can be proven (threads, timers, debuggers)";
    Image "XMP_TIMEOUT" timeout: Option<Duration> = None,
        default "no limit", |text| Some(seconds(text, 1..=100_000_000)?),
        "seconds after which the job ends with exit status 124 and shows what all images do (xmprun --timeout)";
    Image "XMP_FAILURE_GRACE" failure_grace: Duration = Duration::from_secs(10),
        default "10000", |text| milliseconds(text)?,
        "milliseconds from the death of an image to the end of the job if no image notices it";
    Image "XMP_KILL_GRACE" kill_grace: Duration = Duration::from_secs(1),
        default "1000", |text| milliseconds(text)?,
        "milliseconds from SIGTERM to SIGKILL when a job is ended";

    Job "XMP_SERVER_INLINE" server.inline,
        default "16K", |text| bytes(text, 1..=16 << 20)?,
        "longest put or reply that travels between hosts in one message, copied at both ends; longer ones are received at \
         their destination (bytes, or K, M; at most 16M)";
    Job "XMP_SERVER_CREDITS" server.credits,
        default "64", |text| count(text, 1)?,
        "requests of one image to one other host that may be in progress";
    Job "XMP_SERVER_CHUNK" server.chunk,
        default "4M", |text| bytes(text, 64..=1 << 30)?,
        "bytes of each message of a longer transfer between hosts (bytes, or K, M; at most 1G), of a section at most 1M";
    Job "XMP_SERVER_PIPELINE" server.pipeline,
        default "2", |text| count(text, 1)?,
        "messages of a longer transfer between hosts that are in transit at once";
    Image "XMP_SERVER_NAP" server.nap,
        default "50", |text| microseconds(text)?,
        "microseconds that a communication server with nothing to do sleeps between two looks";
    Job "XMP_COOPERATION" server.cooperation.mode,
        default "by the number of images and hosts", |text| Some(mode(text)?),
        "route of requests between hosts: direct, forwarding (by a member of a group of hosts), or aggregation (which merges \
         those for one host)";
    Job "XMP_COOPERATION_GROUP" server.cooperation.group,
        default "about the root of the number of hosts", |text| Some(count(text, 1)?),
        "least number of hosts in a group";
    Image "XMP_COOPERATION_WINDOW" server.cooperation.window,
        default "2000", |text| Some(microseconds(text)?),
        "longest time in microseconds that a request is held to be merged with others, while its target is busy";
    Job "XMP_MPI_RMA" one_sided: Preference = Preference::Never,
        default "never", |text| Preference::parse(text)?,
        "long contiguous transfers between hosts; always: by MPI's one-sided operations, for networks that do those in \
         hardware; never: by messages, which are as fast or faster over TCP; auto: each job measures at its start whether \
         the network does them without the target's processor (XMP_LOG=info)";
    Job "XMP_MPI_SOCKETS" sockets: Preference = Preference::Auto,
        default "auto", |text| Preference::parse(text)?,
        "messages between hosts; never: by MPI; always: by TCP connections of the images; auto: by those where all can \
         be made, unless the job finds at its start that a message takes a quarter longer by them than by MPI (XMP_LOG=info)";
    Image "XMP_READ_CACHE" read_cache: Preference = Preference::Auto,
        default "auto", |text| Preference::parse(text)?,
        "single elements of images of other hosts, and of memory that the system has to copy; always: fetched with those beside them, and served until the next statement by \
         which images synchronise; never: each by itself; auto: with those beside them unless the program itself calls MPI, by which \
         images may synchronise, too";
    Image "XMP_MPI_GUARD" monitor: bool = true,
        default "1", |text| switch(text)?,
        "0: the process that a launcher of MPI starts is the image itself, without a parent that reports how it has died, \
         and lost hosts are not named (for tools that look at processes by their numbers)";
    Image "XMP_HOST_TIMEOUT" host_timeout: Duration = Duration::from_secs(90),
        default "90", |text| seconds(text, 2..=28800)?,
        "seconds without an answer after which a host counts as lost and the job ends: longer than the network outages \
         that MPI survives (from 2 to 28800)";
    Image "XMP_MPI_BIND" bind: bool = true,
        default "1, unless the launcher was told how to bind", |text| switch(text)?,
        "0: images under MPI run wherever the launcher permits, even where each could have a processor of its own (MPICH's \
         launcher does not report that it was given -bind-to none)";

    Job "XMP_C_FIRST_IMAGE" first_image_in_c: i32 = 0,
        default "0", |text| i32::from(switch(text)?),
        "index of the first image in image indices of coarrays in C that the Omni compiler has translated: 0, or 1 as \
         before version 1.3 of XcalableMP";
    Job "XMP_NODE_SIZE<n>" node_sizes[dim of NODE_SIZES]: [Option<u32>; NODE_SIZES.len()] = [None; NODE_SIZES.len()],
        default "the number of images that are left", |text| Some(count(text, 1)?),
        "nodes in dimension n, from 0, of an array of all nodes that a program declares with * there (Omni compiler)";
    Job "XMPF_COARRAY_POOL" objects.threshold,
        default "40M", |text| size(text)?,
        "bytes up to which a static coarray of a program translated by Omni shares the memory pool; and of deallocated \
         coarrays that are kept until younger ones are deallocated (bytes, or K, M, G)";
    Job["rs", "ra"] "XMPF_COARRAY_METHOD" objects.allocation,
        default "rs", |text| either(text, ["rs", "ra"])?,
        "where allocatable coarrays of such programs are: rs (runtime sharing: in the segments), ra (runtime allocation: \
         in the processes' memory, which others reach through the system)";
    Image "XMPF_COARRAY_SYNCPUT" objects.blocking,
        default "0", |text| switch(text)?,
        "1: such programs wait until each put is complete; 0: a put is complete at the next image control statement, or \
         where the program gets what it has put";

    Image "XMP_TRACE" trace: Option<PathBuf> = None,
        default "nothing is recorded", |path: OsStr| Some(file(path)?),
        "file of a timeline of all operations, which xmprun writes when the job has ended (`xmprun --trace`)";
    Image "XMP_TRACE_BUFFER" trace_buffer: u64 = 64 << 20,
        default "64M", |text| size(text)?,
        "most memory of each image for the operations of a timeline (bytes, or K, M, G; 64 bytes each); those that do not \
         fit are counted";
    Image "XMP_TOOL" tool: Option<PathBuf> = None,
        default "none", |path: OsStr| Some(file(path)?),
        "shared library of a tool whose hooks are called before and after each operation (`xmprt_tool.h`)";
    Image "XMP_LOG" log: Option<String> = None,
        default "off", |text| Some(log_filter(text)?),
        "log filter: a level (error, warn, info, debug, trace) or target=level[,...]";
}
