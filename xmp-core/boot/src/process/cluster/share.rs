//! Sharing a host's region between its images: its leader creates it, the others open it through the leader's process.
//! The region has no name that another user could open, and none that could outlive the job.

use super::agree::Agreement;
use super::oob::OobExchange;
use crate::error::{Error, Result};
use crate::job::{Job, Plan};
use crate::process::entry::{read_geometry, take_entry};
use crate::rank::Rank;
use crate::region::{HugePagePolicy, Region, RegionFile};
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

/// Process and descriptor of a leader's region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    process: u32,
    descriptor: i32,
}

impl Place {
    const BYTES: usize = 8;

    fn to_bytes(self) -> [u8; Place::BYTES] {
        let mut bytes = [0; Place::BYTES];
        bytes[..4].copy_from_slice(&self.process.to_le_bytes());
        bytes[4..].copy_from_slice(&self.descriptor.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Place {
        let word = |at: usize| bytes[at..at + 4].try_into().expect("four bytes");
        Place { process: u32::from_le_bytes(word(0)), descriptor: i32::from_le_bytes(word(4)) }
    }
}

/// The job, in a region at `base` that all images of a host share and in which each has taken its entry. Collective
/// over the images of the machine.
///
/// # Errors
/// When the system refuses. Not all images get the error, so the caller must notify the others.
pub fn share(
    oob: &impl OobExchange,
    agreement: &Agreement,
    base: u64,
    policy: HugePagePolicy,
) -> Result<Job> {
    let Agreement { split, plan, random, .. } = agreement;
    let (rank, len) = (oob.rank(), plan.geometry.region_len());
    let leader = split.leader_of(rank);
    let made = if leader == rank {
        let made = RegionFile::create(len, policy)?;
        tracing::info!(huge_pages = %made.huge_pages, "made the shared memory of this host");
        let plan = Plan { huge_pages: made.huge_pages.way.huge_pages(), ..plan.clone() };
        let job = Job::create(Region::attach(made.file.as_fd(), base, len)?, &plan);
        job.random(*random);
        Some((made, job))
    } else {
        None
    };
    let descriptor = made.as_ref().map_or(-1, |(made, _)| made.file.as_raw_fd());
    let mine = Place { process: std::process::id(), descriptor };
    let places = oob.allgather_local(&mine.to_bytes())?;
    let (file, job) = match made {
        Some((made, job)) => (made.file, job),
        None => {
            let position = split.position_in_machine(leader);
            let place = Place::from_bytes(&places[position * Place::BYTES..][..Place::BYTES]);
            let file = open(place, leader)?;
            let region = match read_geometry(file.as_fd())? {
                Some(geometry) if geometry == plan.geometry => {
                    Region::attach(file.as_fd(), base, len)?
                }
                _ => return Err(not_the_job(place, leader)),
            };
            let job = Job::open(region)?;
            if job.random(*random) != *random {
                return Err(not_the_job(place, leader));
            }
            (file, job)
        }
    };
    take_entry(&job, rank)?;
    // After this exchange all images have opened the region, and all its entries have their processes.
    oob.allgather_local(&[0])?;
    drop(file);
    Ok(job)
}

const NAME_SPACES: &str = "that process cannot be seen (is /proc mounted, and do the images of this machine share one \
     name space of processes?)";

/// Opens the region of a leader.
fn open(place: Place, leader: Rank) -> Result<OwnedFd> {
    let Place { process, descriptor } = place;
    let path = format!("/proc/{process}/fd/{descriptor}");
    let file: Result<File, _> = OpenOptions::new().read(true).write(true).open(&path);
    file.map(OwnedFd::from).map_err(|error| {
        let hint = match error.kind() {
            // A descriptor of another process, which has this number here: it may be a socket, which cannot be opened.
            _ if error.raw_os_error() == Some(libc::ENXIO) => NAME_SPACES,
            ErrorKind::NotFound => NAME_SPACES,
            ErrorKind::PermissionDenied => {
                "processes of one user must be allowed to look at each other (are programs of this job set-user-id, or \
                 do they run as different users?)"
            }
            _ => "are there too many open files?",
        };
        let what = format!("cannot open the memory of the job at {leader} ({path})");
        Error::os_with_hint(what, error, &format!(": {hint}"))
    })
}

fn not_the_job(place: Place, leader: Rank) -> Error {
    let Place { process, descriptor } = place;
    Error::Invalid(format!(
        "descriptor {descriptor} of process {process}, {leader}, is not the memory of the job: {NAME_SPACES}"
    ))
}

#[cfg(test)]
mod tests {
    use super::super::agree::agree;
    use super::super::identity::Identity;
    use super::super::oob::fake::Machines;
    use super::super::program::Program;
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn images_of_a_host_share_its_region_and_no_other() {
        let settings = Settings::from_pairs(&[("XMP_VIRTUAL_HOSTS", "2")]).unwrap();
        let program = Program { path: "/a".into(), len: 1, hash: 2 };
        // Two machines; the second and third host have two images each.
        let jobs = Machines::new(&[0, 1, 1, 0, 1, 1, 0]).run(|fake| {
            let identity = Identity::new(&program, &settings);
            let agreement = agree(&fake, &identity, &settings, 1 << 30, 7).unwrap();
            let rank = fake.rank();
            // Addresses apart from the regions of other tests.
            let base = 0x3400_0000_0000 + u64::from(rank.get()) * 0x0080_0000_0000;
            let job = share(&fake, &agreement, base, HugePagePolicy::Auto).unwrap();
            // SAFETY: in the segment of this image, which alone accesses its first byte until the exchange.
            unsafe { *job.segment(rank).unwrap() = 1 + rank.get() as u8 };
            fake.allgather(&[0]).unwrap();
            let seen: Vec<(u32, u8)> = job
                .ranks()
                // SAFETY: written before the exchange and not since.
                .filter_map(|its| job.segment(its).map(|at| (its.get(), unsafe { *at })))
                .collect();
            fake.allgather(&[0]).unwrap();
            (seen, job.random(9), job.page().geometry)
        });
        let local_peers: [&[u32]; 7] = [&[0, 3], &[1, 2], &[1, 2], &[0, 3], &[4, 5], &[4, 5], &[6]];
        for ((seen, random, geometry), local_peers) in jobs.iter().zip(local_peers) {
            let expected: Vec<(u32, u8)> =
                local_peers.iter().map(|&its| (its, 1 + its as u8)).collect();
            assert_eq!(*seen, expected);
            assert_eq!((*random, geometry.images, geometry.hosts), (7, 7, 4));
        }
    }

    #[test]
    fn a_leader_that_cannot_be_seen_is_an_error_about_name_spaces() {
        let process = std::process::id();
        // In another name space of processes this number may belong to a process with a socket there.
        let socket = std::os::unix::net::UnixDatagram::unbound().unwrap();
        let places = [(process, socket.as_raw_fd()), (process, 1 << 30), (1 << 30, 0)];
        for (process, descriptor) in places {
            let error = open(Place { process, descriptor }, Rank::new(2)).unwrap_err().to_string();
            assert!(error.contains("image 3") && error.contains(NAME_SPACES), "{error}");
        }
    }

    #[test]
    fn other_memory_than_that_of_a_job_is_refused() {
        let leader = Rank::new(2);
        let text =
            open(Place { process: std::process::id(), descriptor: 99_999 }, leader).unwrap_err();
        let text = text.to_string();
        assert!(text.contains("image 3") && text.contains("fd/99999"), "{text}");
        let text = not_the_job(Place { process: 5, descriptor: 6 }, leader).to_string();
        assert!(text.contains("process 5") && text.contains("descriptor 6"), "{text}");
    }
}
