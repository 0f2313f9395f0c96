//! The figures 4 to 7 of UHCAF: synchronisation, and co_sum by techniques and by algorithms.

use super::figure::{Curve, Figure, TIME};
use xmp_collectives::select::{Forced, LeaderAllreduce, LeaderBarrier, Named};
use xmp_simulate::{Costs, Layout, Simulation, Techniques};

/// All figures with these costs, for this many images with this many on a host.
pub fn figures(costs: &Costs, images: usize, per_host: usize) -> Vec<Figure> {
    let figure = |name: &str, title: &str, across, curves: Make| Figure {
        name: format!("{name}-{images}-images"),
        title: format!("{title}, {images} images"),
        across,
        unit: TIME,
        curves: curves(costs, images, per_host),
    };
    vec![
        figure("figure-4", "Figure 4: synchronising groups of images", "images in a group", groups),
        figure("figure-5", "Figure 5: barrier of a team", "images in a team", barriers),
        figure("figure-6", "Figure 6: co_sum by techniques", "bytes", ladder),
        figure("figure-7", "Figure 7: co_sum by algorithms between leaders", "bytes", sums),
    ]
}

/// What makes the curves of a figure.
type Make = fn(&Costs, usize, usize) -> Vec<Curve>;

/// Bytes of operands.
const BYTES: [usize; 9] =
    [8, 64, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 8 << 20];
/// The largest group that is synchronised image by image: the messages grow with its square.
const LARGEST_PAIRED_GROUP: usize = 1024;
/// The algorithm that the table chooses.
const TABLE: &str = "table (ours)";

/// The first `members` of images with `per_host` on a host: one of many teams of neighbours. The other teams are
/// alike, and share hosts with this one only where it is smaller than a host.
fn team(costs: &Costs, members: usize, per_host: usize) -> Simulation {
    let hosts = (0..members).map(|image| (image / per_host) as u32);
    Simulation { costs: *costs, ..Simulation::new(Layout::new(hosts, per_host, per_host)) }
}

/// 2, 4, 8 ... up to the number of images.
fn sizes(images: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(2), |size| Some(2 * size)).take_while(move |&size| size <= images)
}

fn points(xs: impl IntoIterator<Item = usize>, time: impl Fn(usize) -> f64) -> Vec<(f64, f64)> {
    xs.into_iter().map(|x| (x as f64, time(x))).collect()
}

fn groups(costs: &Costs, images: usize, per_host: usize) -> Vec<Curve> {
    let all = team(costs, images, per_host).barrier().time;
    let of_team = |members| team(costs, members, per_host).barrier().time;
    let paired = |members| team(costs, members, per_host).sync_images().time;
    let paired = points(sizes(images.min(LARGEST_PAIRED_GROUP)), paired);
    vec![
        Curve::new("sync team", points(sizes(images), of_team)),
        Curve::new("sync all", points(sizes(images), |_| all)),
        Curve::new("sync images", paired),
    ]
}

/// What the library chooses, every algorithm on two levels, and the best known one without the levels.
fn barriers(costs: &Costs, images: usize, per_host: usize) -> Vec<Curve> {
    let of = |leaders, two_level| {
        points(sizes(images), move |members| {
            let mut simulation = team(costs, members, per_host);
            simulation.choices.barrier = leaders;
            simulation.techniques.two_level = two_level;
            simulation.barrier().time
        })
    };
    let mut curves = vec![Curve::new(TABLE, of(None, true))];
    for &(name, algorithm) in LeaderBarrier::ALL {
        let label = format!("2 levels: {name}");
        curves.push(Curve::new(&label, of(Some(algorithm), true)));
    }
    let flat = of(Some(LeaderBarrier::Dissemination), false);
    curves.push(Curve::new("1 level: dissemination", flat));
    curves
}

/// The techniques one after the other; with all of them it is the library as it is.
fn ladder(costs: &Costs, images: usize, per_host: usize) -> Vec<Curve> {
    let of = |techniques| {
        points(BYTES, move |bytes| {
            Simulation { techniques, ..team(costs, images, per_host) }.allreduce(bytes / 8, 8).time
        })
    };
    Techniques::LADDER.into_iter().map(|(name, rung)| Curve::new(name, of(rung))).collect()
}

/// The choice of the table, and each algorithm.
fn sums(costs: &Costs, images: usize, per_host: usize) -> Vec<Curve> {
    let of = |leaders| {
        points(BYTES, |bytes| {
            let mut simulation = team(costs, images, per_host);
            simulation.choices.allreduce = Forced { host: None, leaders };
            simulation.allreduce(bytes / 8, 8).time
        })
    };
    let named = LeaderAllreduce::ALL.iter();
    let named = named.map(|&(name, algorithm)| Curve::new(name, of(Some(algorithm))));
    std::iter::once(Curve::new(TABLE, of(None))).chain(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_has_curves_of_several_points() {
        for figure in figures(&Costs::default(), 32, 16) {
            assert!(figure.curves.len() >= 2, "{}", figure.name);
            assert!(figure.curves.iter().all(|curve| curve.points.len() > 1), "{}", figure.name);
        }
    }

    #[test]
    fn small_groups_are_cheaper_than_all() {
        let curves = groups(&Costs::default(), 1024, 16);
        let time = |curve: usize| curves[curve].points[0].1;
        assert!(time(0) < time(1));
    }
}
