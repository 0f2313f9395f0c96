//! The bootstrap of a process: it finds its job, started by a launcher (`xmprun`, one of MPI, or a process manager), as a
//! launcher of itself, or alone.

use super::cluster;
use super::entry::{read_geometry, take_entry};
use super::monitor::{self, Monitored};
use crate::error::{Error, Result};
use crate::failure::departure;
use crate::job::Job;
use crate::launch::invitation::Invitation;
use crate::launch::{self, JOB_VARIABLE, Launch};
use crate::plugin::{ancestry, detect};
use crate::rank::Rank;
use crate::region::{BASE, HugePages, Region, RegionCapacity, refuse_thread_sanitizer};
use crate::settings::Settings;
use crate::settings::rights;
use crate::sync::Ordering;
use crate::world::{self, World};
use rustix::process::{Signal, getppid, set_parent_process_death_signal};
use std::ffi::OsString;
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// A process that has found its job.
#[derive(Debug)]
pub struct Start {
    /// The job.
    pub job: Job,
    /// The image that this process is.
    pub rank: Rank,
    /// The processes that it was started with, unless `xmprun` has started it, or nothing has.
    pub world: Option<World>,
}

/// Finds the job of this process. Call it once, early, from the main thread and before the program starts other
/// threads: other images take the death of the main thread for the death of this image.
///
/// A process that must launch itself (`XMP_NUM_IMAGES` is more than 1 and no launcher has started it) does so in this
/// call: it starts its own program again, once for each image, and exits with the status of the job without returning.
/// Nothing of the program has run then if this is called from a constructor.
///
/// # Errors
/// When the launcher's region cannot be used, or memory is not available; [`Error::JobEnding`] when another image has
/// reported why there is no job.
pub fn start(settings: &Settings) -> Result<Start> {
    if rights::is_privileged() {
        return start_privileged(settings);
    }
    match std::env::var(JOB_VARIABLE) {
        Ok(value) => join(&value),
        Err(std::env::VarError::NotPresent) => {
            // MPI, too, shares memory at fixed addresses: the PMIx library of Open MPI 5 would fail before this library does.
            if detect::launcher_of_several().is_some() {
                refuse_thread_sanitizer()?;
            }
            // Before MPI or PMIx have threads, because a forked process has none of them.
            let monitored = monitor::fork_monitor(settings)?;
            match world::join(settings)? {
                Some(world) => {
                    world.check(settings).unwrap_or_else(|error| cluster::give_up(&world, &error));
                    let (job, rank) = (cluster::start(&world, settings)?, world.rank());
                    let is_guarded = u32::from(monitored == Monitored::Yes);
                    job.entry(rank).monitored.store(is_guarded, Ordering::Relaxed);
                    let threads = launch::hang::own_threads();
                    job.entry(rank).threads.store(threads, Ordering::Relaxed);
                    departure::enter();
                    if rank == Rank::new(0) {
                        launch::warnings::of_settings(settings);
                    }
                    Ok(Start { job, rank, world: Some(world) })
                }
                None => match settings.num_images {
                    Some(images) if images > 1 => launch_itself(images, settings),
                    _ => {
                        launch::warnings::of_settings(settings);
                        alone(settings)
                    }
                },
            }
        }
        Err(std::env::VarError::NotUnicode(value)) => Err(no_job(&value.to_string_lossy())),
    }
}

/// A program with other rights than its user's: one image alone. It uses no memory that a launcher of this user has
/// made, and loads no MPI, which trusts the environment.
fn start_privileged(settings: &Settings) -> Result<Start> {
    if std::env::var_os(JOB_VARIABLE).is_some() || detect::wanted(settings)?.is_some() {
        return Err(Error::Invalid(
            "a program that runs with other rights than its user's (setuid) cannot be an image of a job: \
             start it by itself, or without these rights"
                .into(),
        ));
    }
    alone(settings)
}

/// Joins the job that a launcher has made.
fn join(value: &str) -> Result<Start> {
    let Invitation { region: fd, rank, output } = value.parse().map_err(|()| no_job(value))?;
    // SAFETY: no other thread of this process reads the environment yet (see `start`). The variable is removed so that
    // programs that this image starts do not take themselves for it.
    unsafe { std::env::remove_var(JOB_VARIABLE) };
    ancestry::mark_image();
    let pipe = output.map(|output| output.pipe);
    // SAFETY: only queries whether the descriptor is open.
    let is_closed = |fd| unsafe { libc::fcntl(fd, libc::F_GETFD) } < 0;
    if [Some(fd), pipe].into_iter().flatten().any(is_closed) {
        return Err(no_job(value));
    }
    // SAFETY: open, and left to this process by the launcher for this purpose.
    let file = unsafe { OwnedFd::from_raw_fd(fd) };
    let geometry = read_geometry(file.as_fd())?.ok_or_else(|| no_job(value))?;
    let region = Region::attach(file.as_fd(), geometry.base, geometry.region_len())?;
    let job = Job::open(region)?;
    if rank.get() >= geometry.images {
        return Err(no_job(value));
    }
    take_entry(&job, rank)?;
    if let Some(output) = output {
        // SAFETY: as for the region.
        let pipe = unsafe { OwnedFd::from_raw_fd(output.pipe) };
        output.adopt(pipe.as_fd());
    }
    end_with_parent()?;
    monitor::ignore_question();
    Ok(Start { job, rank, world: None })
}

fn no_job(value: &str) -> Error {
    Error::Invalid(format!(
        "{JOB_VARIABLE}={value:?} does not lead to a job's shared memory: has a program between the launcher \
         and this one closed its descriptors?"
    ))
}

/// Has this image killed with its parent. The launcher requests that for its children; an image that a program between
/// has started (`xmprun sh -c ...`) must not survive the launcher either.
fn end_with_parent() -> Result<()> {
    let before = getppid();
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(|error| {
        let what = "cannot tie this image to its launcher";
        Error::system_call(what, "prctl(PR_SET_PDEATHSIG)", error.into())
    })?;
    if getppid() != before {
        return Err(Error::Invalid("the process that started this image has died".into()));
    }
    Ok(())
}

/// A job of one image in memory of its own.
pub(crate) fn alone(settings: &Settings) -> Result<Start> {
    let mut plan = launch::plan_within(RegionCapacity::of_process(), 1, 1, &[], settings)?;
    plan.geometry.base = 0;
    plan.huge_pages = HugePages::of_private(settings.huge_pages);
    let job = Job::create(Region::anonymous_at(BASE, plan.geometry.region_len())?, &plan);
    let rank = Rank::new(0);
    job.entry(rank).pid.store(std::process::id(), Ordering::Relaxed);
    Ok(Start { job, rank, world: None })
}

/// Runs this program again as `images` images and exits with their status.
fn launch_itself(images: u32, settings: &Settings) -> Result<Start> {
    let text = |error| Error::os("cannot find out how this program was started", error);
    let cmdline = std::fs::read("/proc/self/cmdline").map_err(text)?;
    let mut args = arguments(&cmdline);
    let name = (!args.is_empty()).then(|| args.remove(0));
    // By its path, so that process lists show its name; but the file may be gone.
    let program = std::env::current_exe().ok().filter(|path| path.exists());
    let program = program.unwrap_or_else(|| PathBuf::from("/proc/self/exe")).into_os_string();
    let launch = Launch { name, ..Launch::new(images, program, args, settings.clone()) };
    let status = launch.run().status;
    // Not `exit`: the program has not run, so its exit handlers must not. SAFETY: does not return; the launcher has no
    // buffered output of its own.
    unsafe { libc::_exit(status) }
}

/// The arguments in the text of `/proc/self/cmdline`: each ends with a zero byte.
fn arguments(cmdline: &[u8]) -> Vec<OsString> {
    let mut args: Vec<OsString> =
        cmdline.split(|&byte| byte == 0).map(|arg| OsString::from_vec(arg.to_vec())).collect();
    args.pop();
    args
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure;
    use crate::job::page::JobPage;
    use crate::region::{HugePagePolicy, MAX_REGION, RegionFile};
    use std::os::unix::fs::FileExt;

    #[test]
    fn arguments_keep_empty_ones() {
        assert_eq!(arguments(b"a.out\0-x\0\0"), ["a.out", "-x", ""]);
        assert!(arguments(b"").is_empty());
    }

    #[test]
    fn a_file_without_a_job_is_not_taken_for_one() {
        let file = RegionFile::create(1 << 20, HugePagePolicy::Auto).unwrap().file;
        assert_eq!(read_geometry(file.as_fd()).unwrap(), None);
    }

    #[test]
    fn a_file_shorter_than_its_job_is_refused() {
        let settings = Settings::default();
        let mut plan = launch::plan(2, 1, &[], &settings).unwrap();
        // An address apart from the regions of other tests.
        plan.geometry.base = BASE + MAX_REGION / 2;
        let len = plan.geometry.region_len();
        let file = RegionFile::create(len, HugePagePolicy::Auto).unwrap().file;
        drop(Job::create(Region::attach(file.as_fd(), plan.geometry.base, len).unwrap(), &plan));
        assert_eq!(read_geometry(file.as_fd()).unwrap(), Some(plan.geometry));
        let short = RegionFile::create(len - 4096, HugePagePolicy::Auto).unwrap().file;
        let page = &mut [0; size_of::<JobPage>()];
        std::fs::File::from(file).read_exact_at(page, 0).unwrap();
        std::fs::File::from(short.try_clone().unwrap()).write_all_at(page, 0).unwrap();
        let text = read_geometry(short.as_fd()).unwrap_err().to_string();
        assert!(text.contains("does not describe its region"), "{text}");
    }

    #[test]
    fn the_image_that_ends_the_job_is_known() {
        let settings = Settings::default();
        let Start { job, rank, .. } = alone(&settings).unwrap();
        assert!(failure::start_ending(&job, None, 0));
        assert!(!failure::start_ending(&job, rank, 5), "only the first counts");
        assert_eq!(failure::ending(&job), Some((None, 0)));
    }
}
