//! The agreement of the images of a job before there is a job: one exchange of a few words among all of them, and one
//! among the images of a machine. Every image computes the same result from the same facts, so no further communication
//! is needed.

use super::identity::{Identity, PROGRAM, TEXT};
use super::oob::OobExchange;
use super::split::Split;
use crate::error::{Error, Result};
use crate::job::page::{CoreSharers, Geometry, Place, Waiting};
use crate::job::{Plan, ProgramFile};
use crate::launch::{cores_available, cpus_allowed, one_processor_each};
use crate::machine;
use crate::rank::Rank;
use crate::region::{CapacityLimit, HugePages, RegionCapacity};
use crate::settings::Settings;
use xmp_map::hash;

/// The facts that an image contributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Facts {
    /// Hash of its identity.
    digest: u64,
    /// A random number; the job uses the number of the first image.
    random: u64,
    /// Segment size that its settings request; 0 = none.
    segment: u64,
    /// Most memory that its machine may give the job.
    memory: u64,
    /// The room that it has for a region.
    room: RegionCapacity,
    /// Number of its machine's kernel ([`OobExchange::kernel`]).
    kernel: u64,
    /// Hash of the processors that it may use.
    processors: u64,
}

impl Facts {
    const BYTES: usize = 64;

    fn to_bytes(self) -> [u8; Facts::BYTES] {
        let Facts { digest, random, segment, memory, room, kernel, processors } = self;
        let RegionCapacity { bytes: room, limit } = room;
        let words = [digest, random, segment, memory, room, limit as u64, kernel, processors];
        let mut bytes = [0; Facts::BYTES];
        for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Facts {
        let word = |number: usize| {
            let word = &bytes[number * 8..(number + 1) * 8];
            u64::from_le_bytes(word.try_into().expect("eight bytes"))
        };
        let [digest, random, segment, memory, room, limit, kernel, processors] =
            std::array::from_fn(word);
        let room = RegionCapacity { bytes: room, limit: CapacityLimit::from_number(limit) };
        Facts { digest, random, segment, memory, room, kernel, processors }
    }

    /// Whether both run on the same processors.
    fn shares_with(&self, other: &Facts) -> bool {
        self.kernel != 0 && (self.kernel, self.processors) == (other.kernel, other.processors)
    }
}

/// The result of the agreement.
#[derive(Clone, Debug)]
pub struct Agreement {
    /// The host of each image.
    pub split: Split,
    /// The plan of the region of this image's host.
    pub plan: Plan,
    /// A random number of the job, not 0.
    pub random: u64,
    /// The processors that this image must be bound to, if any. Images are bound, as under `xmprun`, where the launcher
    /// has bound none of its machine, and there are as many processors as images (of all hosts that are containers of
    /// one machine). Otherwise the system may leave two images on one processor, each of which makes the other wait
    /// while it spins.
    pub bind: Vec<usize>,
}

/// Agrees with all other images. `memory` is the memory of this machine for the job, `random` a random number.
///
/// # Errors
/// When the images do not fit together or the settings are impossible: the same error for all images. Or when the
/// launcher's library fails.
pub fn agree(
    oob: &impl OobExchange,
    identity: &Identity,
    settings: &Settings,
    memory: u64,
    random: u64,
) -> Result<Agreement> {
    let leaders = oob.leaders()?;
    // A limit that cannot be read is no limit.
    let allowed = cpus_allowed().unwrap_or_else(|_| (0..cores_available()).collect());
    let mine = Facts {
        digest: identity.digest(),
        random,
        segment: settings.segment_size.unwrap_or(0),
        memory: settings.memory_limit.unwrap_or(memory),
        room: RegionCapacity::of_file(),
        kernel: oob.kernel(),
        processors: hash::of(&allowed),
    };
    let all = oob.allgather(&mine.to_bytes())?;
    let facts: Vec<Facts> = all.chunks_exact(Facts::BYTES).map(Facts::from_bytes).collect();
    let (cores, unbound) = cores_of_machine(oob, &allowed)?;
    if let Some(other) = facts.iter().position(|its| its.digest != facts[0].digest) {
        return Err(difference(oob, identity, Rank::new(other as u32))?);
    }

    let split = Split::new(&leaders, settings.virtual_hosts)?;
    let rank = oob.rank();
    let host = split.host_of(rank);
    let geometry = geometry(&split, host, &facts)?.with_shadow(settings.check.races);
    let limits = limits(&split, &facts);
    let machine = split.machine_sizes[host as usize];
    let leader = leaders[rank.index()];
    // Of hosts that are containers of the same real machine.
    let elsewhere = || leaders.iter().zip(&facts).filter(|&(&its, _)| its != leader);
    let sharing = elsewhere().filter(|(_, its)| its.shares_with(&mine)).count() as u32;
    let sharers = machine + sharing;
    let is_one = |(&its, facts): (&Rank, &Facts)| its == leader || facts.shares_with(&mine);
    let before = leaders.iter().zip(&facts).take(rank.index()).filter(|&both| is_one(both)).count();
    let first = leaders.iter().zip(&facts).zip(&split.hosts);
    let first = first.filter(|&(both, &its)| is_one(both) && its < host).count() as u32;
    // An image that shares one processor with them shares all, so that each processor is assigned once.
    let is_whole = elsewhere().all(|(_, its)| its.kernel != mine.kernel || its.shares_with(&mine));
    let processors = if unbound && (is_whole || mine.kernel == 0) {
        one_processor_each(sharers)
    } else {
        Vec::new()
    };
    let waiting = Waiting::budget(sharers, cores, settings);
    let plan = Plan {
        geometry,
        waiting,
        sharers: CoreSharers { first, images: sharers },
        memory_limit: limits[host as usize] * u64::from(split.sizes[host as usize]),
        symmetric_limit: limits.iter().copied().min().unwrap_or(0),
        chunk: machine::chunk_of_this_machine(waiting.crowded != 0),
        huge_pages: HugePages::None,
        techniques: settings.techniques,
        program: ProgramFile::COMPARED,
        places: places(&split, host, settings),
        hosts: split.hosts.clone(),
    };
    let bind = processors.into_iter().nth(before).map_or_else(Vec::new, |its| its.cpus);
    Ok(Agreement { split, plan, random: facts[0].random.max(1), bind })
}

/// The geometry of the region of `host`, with the largest segments that all hosts can have.
fn geometry(split: &Split, host: u32, facts: &[Facts]) -> Result<Geometry> {
    let (images, hosts) = (split.hosts.len() as u32, split.leaders.len() as u32);
    let mut rooms = vec![RegionCapacity::UNLIMITED; split.leaders.len()];
    for (its, &host) in facts.iter().zip(&split.hosts) {
        rooms[host as usize] = rooms[host as usize].tighter(its.room);
    }
    let plan = |host: u32, segment: Option<u64>| {
        let room = rooms[host as usize];
        Geometry::plan_within(room, images, hosts, split.part(host), segment)
    };
    // All images plan the regions of all hosts: an error of one region is the error of all images.
    let strides = (0..hosts).map(|host| Ok(plan(host, None)?.stride));
    let unasked = strides.collect::<Result<Vec<u64>>>()?.into_iter().min();
    let asked = facts.iter().map(|its| if its.segment == 0 { unasked } else { Some(its.segment) });
    let is_requested = facts.iter().any(|its| its.segment != 0);
    let segment = if is_requested { asked.min().flatten() } else { unasked };
    (0..hosts).try_for_each(|host| plan(host, segment).map(|_| ()))?;
    plan(host, segment)
}

/// Bytes of memory that an image of each host may have, if all images of its machine have the same amount.
fn limits(split: &Split, facts: &[Facts]) -> Vec<u64> {
    let mut limits = vec![u64::MAX; split.leaders.len()];
    for (rank, its) in facts.iter().enumerate() {
        let host = split.hosts[rank] as usize;
        limits[host] = limits[host].min(its.memory / u64::from(split.machine_sizes[host]));
    }
    limits
}

/// Images of other hosts are near to none.
fn places(split: &Split, host: u32, settings: &Settings) -> Vec<Place> {
    let mut here =
        Place::in_groups(split.sizes[host as usize], &settings.virtual_groups).into_iter();
    let place = |&its: &u32| {
        if its == host { here.next().unwrap_or(Place::ANYWHERE) } else { Place::ANYWHERE }
    };
    split.hosts.iter().map(place).collect()
}

/// The number of processors that the images of this machine may use together, because launchers bind each to some; and
/// whether all may use the same ones, as where none is bound, and as many as there are.
fn cores_of_machine(oob: &impl OobExchange, allowed: &[usize]) -> Result<(usize, bool)> {
    const PROCESSORS: usize = libc::CPU_SETSIZE as usize;
    const BYTES: usize = PROCESSORS / 8;
    let mut mine = [0_u8; BYTES];
    for &cpu in allowed {
        mine[cpu / 8] |= 1 << (cpu % 8);
    }
    let all = oob.allgather_local(&mine)?;
    let used = |cpu: &usize| all.chunks_exact(BYTES).any(|its| its[cpu / 8] >> (cpu % 8) & 1 != 0);
    let together = (0..PROCESSORS).filter(used).count();
    let all_alike = all.chunks_exact(BYTES).all(|its| its == mine);
    // Fewer where a control group limits processor time.
    Ok(match cores_available() {
        limited if limited < allowed.len() => (limited, false),
        _ => (together.max(1), all_alike),
    })
}

/// The error that names the difference between `other` and the first image. Collective.
fn difference(oob: &impl OobExchange, identity: &Identity, other: Rank) -> Result<Error> {
    const NAME: usize = 256;
    let of = |rank: Rank| -> Result<(Identity, String)> {
        let mut bytes = [0; TEXT + NAME];
        bytes[..TEXT].copy_from_slice(&identity.to_bytes());
        let name = oob.host_name();
        let len = name.len().min(NAME);
        bytes[TEXT..TEXT + len].copy_from_slice(&name.as_bytes()[..len]);
        oob.broadcast(rank, &mut bytes)?;
        let name = String::from_utf8_lossy(&bytes[TEXT..]);
        Ok((Identity::from_bytes(&bytes[..TEXT]), name.trim_end_matches('\0').into()))
    };
    let first = Rank::new(0);
    let ((one, one_host), (two, two_host)) = (of(first)?, of(other)?);
    let (what, one, two) = one.difference(&two).unwrap_or_else(|| {
        ("an item that this version does not know".into(), "".into(), "".into())
    });
    let advice = if what.starts_with("setting") {
        "give the launcher's option that sets it on all hosts (Open MPI: -x, MPICH: -genv)"
    } else if what == PROGRAM && one_host == two_host {
        "all images of a job execute one program, which may branch by THIS_IMAGE()"
    } else {
        "install and start the same on all hosts"
    };
    let places = if one_host == two_host { "for all images" } else { "on all hosts" };
    Ok(Error::Invalid(format!(
        "{what} is not the same {places}: {one:?} for {first} on {one_host}, {two:?} for {other} on {two_host}; \
         {advice}"
    )))
}

#[cfg(test)]
mod tests {
    use super::super::oob::fake::{Fake, Machines};
    use super::super::program::Program;
    use super::*;

    fn settings(rank: Rank, name: &'static str, values: &[&'static str]) -> Settings {
        let value = values.get(rank.index()).copied().filter(|value| !value.is_empty());
        let lookup = |n: &str| Ok(value.filter(|_| n == name).map(str::to_string));
        Settings::from_lookup(lookup).unwrap()
    }

    fn agree_on(
        leaders: &[u32],
        name: &'static str,
        values: &[&'static str],
    ) -> Vec<Result<Agreement>> {
        Machines::new(leaders).run(|fake: Fake<'_>| {
            let rank = fake.rank();
            let settings = settings(rank, name, values);
            let program = Program { path: "/a".into(), len: 1, hash: 2 };
            let memory = 1_000_000 * (10 - u64::from(leaders[rank.index()]));
            let identity = Identity::new(&program, &settings);
            agree(&fake, &identity, &settings, memory, 100 + u64::from(rank.get()))
        })
    }

    fn agree_plainly(fake: Fake<'_>) -> Agreement {
        let settings = settings(fake.rank(), "", &[]);
        let program = Program { path: "/a".into(), len: 1, hash: 2 };
        let identity = Identity::new(&program, &settings);
        agree(&fake, &identity, &settings, 1 << 30, 1).unwrap()
    }

    #[test]
    fn all_compute_the_same() {
        let all = agree_on(&[0, 1, 0, 1, 0], "", &[]);
        for (rank, agreement) in all.iter().enumerate() {
            let Agreement { split, plan, random, .. } = agreement.as_ref().unwrap();
            let host = split.hosts[rank];
            assert_eq!(*random, 100);
            assert_eq!(split.hosts, [0, 1, 0, 1, 0]);
            let g = plan.geometry;
            assert_eq!((g.images, g.hosts, g.first_host, g.region_hosts), (5, 2, host, 1));
            assert_eq!(g.slots, [3, 2][host as usize]);
            assert_eq!(g.stride, 1 << 36);
            // 10 and 9 millions of the machines, for three and two images.
            assert_eq!(plan.symmetric_limit, 3_333_333);
            assert_eq!(plan.memory_limit, [9_999_999, 9_000_000][host as usize]);
        }
    }

    /// As many images on a machine as processors: each has one. Otherwise none is bound.
    #[test]
    fn images_with_a_processor_each_are_bound_to_it() {
        let processors = cpus_allowed().unwrap();
        let limited = cores_available() < processors.len();
        for images in [processors.len(), processors.len() + 1] {
            // And one on another machine.
            let leaders: Vec<u32> =
                (0..=images as u32).map(|rank| if rank == 1 { 1 } else { 0 }).collect();
            let all = agree_on(&leaders, "", &[]);
            let bound = all.into_iter().map(|agreement| agreement.unwrap().bind);
            let here: Vec<_> = bound
                .zip(leaders)
                .filter(|(_, leader)| *leader == 0)
                .map(|(bind, _)| bind)
                .collect();
            let each: Vec<_> = processors.iter().map(|&processor| vec![processor]).collect();
            if images == processors.len() && images > 1 && !limited {
                assert_eq!(here, each)
            } else {
                assert!(here.iter().all(Vec::is_empty))
            }
        }
    }

    /// Hosts that are containers of one machine: their images share its processors, though each host alone has enough.
    #[test]
    fn images_of_containers_share_processors() {
        let processors = cores_available() as u32;
        let leaders: Vec<u32> = (0..2 * processors).map(|rank| rank % 2).collect();
        let sharers = |first, images| CoreSharers { first, images };
        for (rank, agreement) in (0..).zip(Machines::containers(&leaders).run(agree_plainly)) {
            assert_eq!(agreement.plan.waiting.crowded, 1);
            assert_eq!(agreement.plan.sharers, sharers(rank % 2 * processors, 2 * processors));
            assert!(agreement.bind.is_empty());
        }
        for agreement in Machines::new(&leaders).run(agree_plainly) {
            assert_eq!(agreement.plan.waiting.crowded, 0);
            assert_eq!(agreement.plan.sharers, sharers(0, processors));
        }
        // There are as many images in all containers as processors: each image has one, on the first host and on the
        // second.
        let leaders: Vec<u32> = (0..processors).map(|rank| rank % 2).collect();
        let limited = cores_available() < cpus_allowed().unwrap().len();
        if processors > 1 && !limited {
            let run = Machines::containers(&leaders).run(agree_plainly);
            let bound: Vec<_> = run.into_iter().map(|agreement| agreement.bind).collect();
            let each: Vec<_> = cpus_allowed().unwrap().into_iter().map(|cpu| vec![cpu]).collect();
            assert_eq!(bound, each);
        }
    }

    #[test]
    fn the_smallest_segment_is_that_of_all() {
        for agreement in agree_on(&[0, 0, 2], "XMP_SEGMENT_SIZE", &["4G", "2G", ""]) {
            assert_eq!(agreement.unwrap().plan.geometry.stride, 2 << 30);
        }
        for agreement in agree_on(&[0, 0, 2], "XMP_SEGMENT_SIZE", &["128G", "", "256G"]) {
            assert_eq!(agreement.unwrap().plan.geometry.stride, 64 << 30);
        }
        for refused in agree_on(&[0, 0, 2], "XMP_SEGMENT_SIZE", &["4G", "64K", ""]) {
            let text = refused.unwrap_err().to_string();
            assert!(text.contains("XMP_SEGMENT_SIZE") && text.contains("\"64K\""), "{text}");
        }
    }

    #[test]
    fn virtual_hosts_share_the_memory_and_the_processors_of_their_machine() {
        for (rank, agreement) in (0..).zip(agree_on(&[0, 0, 0], "XMP_VIRTUAL_HOSTS", &["2"; 3])) {
            let Agreement { split, plan, .. } = agreement.unwrap();
            assert_eq!((&split.hosts[..], &split.sizes[..]), (&[0, 0, 1][..], &[2, 1][..]));
            assert_eq!(plan.symmetric_limit, 10_000_000 / 3);
            assert_eq!(plan.memory_limit, 10_000_000 / 3 * u64::from(plan.geometry.slots));
            let crowded = cpus_allowed().unwrap().len().min(cores_available()) < 3;
            assert_eq!(plan.waiting.crowded, u32::from(crowded));
            let first = [0, 0, 2][rank];
            assert_eq!(plan.sharers, CoreSharers { first, images: 3 });
        }
        for refused in agree_on(&[0, 0, 2], "XMP_VIRTUAL_HOSTS", &["2"; 3]) {
            assert!(refused.unwrap_err().to_string().contains("machine of image 3"));
        }
    }

    #[test]
    fn a_difference_is_refused_by_name_on_all_images() {
        for refused in agree_on(&[0, 0, 2], "XMP_CHECK", &["1", "1", ""]) {
            let text = refused.unwrap_err().to_string();
            for word in ["setting XMP_CHECK", "image 3 on machine-2", "image 1 on machine-0", "-x"]
            {
                assert!(text.contains(word), "{text}");
            }
        }
        let refused = |machines: [u32; 2]| {
            Machines::new(&machines).run(|fake| {
                let settings = settings(Rank::new(0), "", &[]);
                let hash = u64::from(fake.rank().get());
                let program = Program { path: format!("/a{hash}").into(), len: 1, hash };
                let identity = Identity::new(&program, &settings);
                agree(&fake, &identity, &settings, 1 << 30, 1).unwrap_err().to_string()
            })
        };
        for (machines, remedy) in [([0, 1], "install and start the same"), ([0, 0], "THIS_IMAGE()")]
        {
            for text in refused(machines) {
                for word in ["the program is not the same", "/a0", "/a1", remedy] {
                    assert!(text.contains(word), "{text}");
                }
            }
        }
    }
}
