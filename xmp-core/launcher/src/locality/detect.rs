//! The cores of this machine, as hwloc reports them.
//!
//! Of the `hwloc2` crate only functions are used that work with current versions of the library: depths of types that
//! it knows, objects at a depth, their processor and node sets. Never the type or name of an object, NUMA node objects,
//! or `Display`: they read structures that newer libraries have changed.

use super::{Core, Machine};
use hwloc2::{CpuSet, ObjectType, Topology};
use xmp_core::launch::cpus_allowed;
use xmp_core::{Error, Result};

/// The part of this machine that this process may use.
///
/// # Errors
/// When the system or hwloc fails.
pub fn detect() -> Result<Machine> {
    let allowed = cpus_allowed()?;
    let topology = Topology::new().ok_or_else(|| {
        Error::system("cannot examine this machine", "hwloc could not load its topology")
    })?;
    // A machine that does not show its cores shows processors at least.
    let cores = match sets(&topology, ObjectType::Core) {
        none if none.is_empty() => sets(&topology, ObjectType::PU),
        cores => cores,
    };
    let packages = sets(&topology, ObjectType::Package);
    // A virtual machine need not show a third-level cache. Cores of a package share one in fact.
    let caches = match sets(&topology, ObjectType::L3Cache) {
        none if none.is_empty() => packages.clone(),
        caches => caches,
    };
    let mut nodes = Vec::new();
    let cores = cores
        .into_iter()
        .filter_map(|core| {
            let cpus: Vec<usize> =
                core.cpus.iter().copied().filter(|cpu| allowed.contains(cpu)).collect();
            let first = *cpus.first()?;
            Some(Core {
                cache: holder(&caches, first),
                numa: number_of(&mut nodes, core.node),
                package: holder(&packages, first),
                cpus,
            })
        })
        .collect::<Vec<_>>();
    if cores.is_empty() {
        let why = format!("hwloc knows none of the processors {allowed:?} that may be used");
        return Err(Error::system("cannot examine this machine", why));
    }
    Ok(Machine { cores })
}

/// An object: its processors, and the system's number of the nearest NUMA node.
#[derive(Clone, Debug)]
struct Object {
    cpus: Vec<usize>,
    node: i32,
}

/// The objects of a type, in hwloc's order, which keeps neighbours together; none when the machine does
/// not show this type.
fn sets(topology: &Topology, kind: ObjectType) -> Vec<Object> {
    let Ok(depth) = topology.depth_for_type(&kind) else { return Vec::new() };
    topology
        .objects_at_depth(depth)
        .into_iter()
        .map(|object| Object {
            cpus: object.cpuset().map(numbers).unwrap_or_default(),
            node: object.nodeset().map_or(-1, |nodes| nodes.first()),
        })
        .collect()
}

fn numbers(set: CpuSet) -> Vec<usize> {
    // A negative last number means that the set has no end, so it has no information.
    if set.last() < 0 { Vec::new() } else { set.into_iter().map(|cpu| cpu as usize).collect() }
}

/// The position of the object that contains a processor; 0 when none does.
fn holder(objects: &[Object], cpu: usize) -> u32 {
    objects.iter().position(|object| object.cpus.contains(&cpu)).unwrap_or(0) as u32
}

/// The position of `value` among those seen so far.
fn number_of(seen: &mut Vec<i32>, value: i32) -> u32 {
    let position = seen.iter().position(|&other| other == value).unwrap_or_else(|| {
        seen.push(value);
        seen.len() - 1
    });
    position as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_each_allowed_processor_once() {
        let machine = detect().unwrap();
        let mut cpus: Vec<usize> = machine.cores.into_iter().flat_map(|core| core.cpus).collect();
        cpus.sort_unstable();
        assert_eq!(cpus, cpus_allowed().unwrap());
    }

    #[test]
    fn numbers_follow_first_appearance() {
        let mut seen = Vec::new();
        let numbers = [4, 4, 0, 4, 7].map(|node| number_of(&mut seen, node));
        assert_eq!(numbers, [0, 0, 1, 0, 2]);
    }
}
