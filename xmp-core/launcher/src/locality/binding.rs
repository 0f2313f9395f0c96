//! The binding of images to cores.

use super::{Core, Machine};
use crate::options::Binding;
use xmp_core::job::page::Place;
use xmp_core::launch::{Placement, one_processor_each};

/// The placements of `images` images; empty when they are not bound.
///
/// Images are assigned in blocks, so that images with neighbouring numbers, which communicate most, are near each
/// other: one to a core as long as there are enough, to cache groups and NUMA nodes in equal shares.
pub fn place_images(machine: &Machine, images: u32, binding: Binding) -> Vec<Placement> {
    let unit: fn(usize, &Core) -> u32 = match binding {
        Binding::Auto => return one_processor_each(images),
        Binding::None => return Vec::new(),
        Binding::Core => |number, _| number as u32,
        Binding::L3 => |_, core| core.cache,
        Binding::Numa => |_, core| core.numa,
    };
    let units = units(machine, unit);
    (0..images)
        .map(|image| {
            placement(machine, &units[share(image, images, units.len(), binding)], binding)
        })
        .collect()
}

/// The cores of each unit that images are bound to.
fn units(machine: &Machine, unit: fn(usize, &Core) -> u32) -> Vec<Vec<usize>> {
    let mut units: Vec<(u32, Vec<usize>)> = Vec::new();
    for (number, core) in machine.cores.iter().enumerate() {
        let key = unit(number, core);
        match units.iter_mut().find(|(known, _)| *known == key) {
            Some((_, cores)) => cores.push(number),
            None => units.push((key, vec![number])),
        }
    }
    units.into_iter().map(|(_, cores)| cores).collect()
}

/// The unit of an image.
fn share(image: u32, images: u32, units: usize, binding: Binding) -> usize {
    if binding == Binding::Core && images as usize <= units {
        return image as usize;
    }
    (u64::from(image) * units as u64 / u64::from(images)) as usize
}

fn placement(machine: &Machine, cores: &[usize], binding: Binding) -> Placement {
    let cpus = cores.iter().flat_map(|&core| machine.cores[core].cpus.iter().copied()).collect();
    // The properties that all cores of the unit have in common.
    let common = |number: fn(&Core) -> u32| {
        let mut numbers = cores.iter().map(|&core| number(&machine.cores[core]));
        let first = numbers.next().unwrap_or(u32::MAX);
        if numbers.all(|number| number == first) { first } else { u32::MAX }
    };
    let core = match (binding, cores) {
        (Binding::Core, &[core]) => core as u32,
        _ => u32::MAX,
    };
    Placement {
        place: Place {
            core,
            cache: common(|core| core.cache),
            numa: common(|core| core.numa),
            package: common(|core| core.package),
        },
        cpus,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two packages = NUMA nodes, two cache groups each, two cores each, two hardware threads each.
    fn machine() -> Machine {
        let core = |number: usize| Core {
            cpus: vec![number, number + 8],
            cache: number as u32 / 2,
            numa: number as u32 / 4,
            package: number as u32 / 4,
        };
        Machine { cores: (0..8).map(core).collect() }
    }

    fn cpus(images: u32, binding: Binding) -> Vec<Vec<usize>> {
        place_images(&machine(), images, binding).into_iter().map(|p| p.cpus).collect()
    }

    #[test]
    fn a_core_each_while_there_are_enough() {
        assert_eq!(cpus(3, Binding::Core), [[0, 8], [1, 9], [2, 10]]);
        assert_eq!(cpus(16, Binding::Core)[..5], [[0, 8], [0, 8], [1, 9], [1, 9], [2, 10]]);
    }

    #[test]
    fn groups_are_shared_equally_in_blocks() {
        assert_eq!(
            cpus(4, Binding::L3),
            [[0, 8, 1, 9], [2, 10, 3, 11], [4, 12, 5, 13], [6, 14, 7, 15]]
        );
        let two = cpus(4, Binding::Numa);
        assert_eq!(two[0], two[1]);
        assert_ne!(two[1], two[2]);
    }

    #[test]
    fn places_say_what_is_common() {
        let place = |binding| place_images(&machine(), 8, binding)[7].place;
        assert_eq!(place(Binding::Core), Place { core: 7, cache: 3, numa: 1, package: 1 });
        assert_eq!(place(Binding::L3), Place { core: u32::MAX, cache: 3, numa: 1, package: 1 });
        let numa = Place { core: u32::MAX, cache: u32::MAX, numa: 1, package: 1 };
        assert_eq!(place(Binding::Numa), numa);
    }

    #[test]
    fn unbound_images_have_no_placement() {
        assert!(place_images(&machine(), 4, Binding::None).is_empty());
    }
}
