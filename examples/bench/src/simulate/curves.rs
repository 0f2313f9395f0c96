//! The curves of each figure.

use crate::plots::Side;
use xmp_collectives::select::{
    Forced, LeaderAllgather, LeaderAllreduce, LeaderAlltoall, LeaderBarrier, LeaderBroadcast,
    LeaderReduce, LeaderScan, LeaderTree, Named,
};
use xmp_simulate::{Costs, Layout, Outcome, Simulation, Techniques};

/// A value of a curve.
pub struct Point {
    /// Images in a team, or bytes.
    pub x: usize,
    /// What came out.
    pub outcome: Outcome,
}

/// One curve.
pub struct Line {
    /// What it is called.
    pub label: String,
    /// [`Side::Ours`] where it is what the library does by itself.
    pub side: Side,
    /// Which of its side's curves it is.
    pub form: u32,
    /// Its values.
    pub points: Vec<Point>,
}

impl Line {
    fn new(label: &str, side: Side, form: u32, points: Vec<Point>) -> Self {
        Self { label: label.to_owned(), side, form, points }
    }
}

/// One figure.
pub struct Figure {
    /// Name in files.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// What its horizontal axis shows.
    pub across: &'static str,
    /// Its curves with these costs, for so many images with so many on a host.
    pub curves: fn(&Costs, usize, usize) -> Vec<Line>,
}

/// All figures.
pub const FIGURES: &[Figure] = &[
    Figure {
        name: "figure-4",
        title: "Figure 4: synchronising groups of images",
        across: "images in a group",
        curves: groups,
    },
    Figure {
        name: "figure-5",
        title: "Figure 5: barrier of a team",
        across: "images in a team",
        curves: barriers,
    },
    Figure {
        name: "figure-6",
        title: "Figure 6: co_sum by techniques",
        across: "bytes",
        curves: ladder,
    },
    Figure {
        name: "figure-7",
        title: "Figure 7: co_sum by algorithms between leaders",
        across: "bytes",
        curves: sums,
    },
    Figure {
        name: "reduce",
        title: "Reduction to one image by algorithms between leaders",
        across: "bytes",
        curves: reductions,
    },
    Figure {
        name: "broadcast",
        title: "Broadcast by algorithms between leaders",
        across: "bytes",
        curves: broadcasts,
    },
    Figure {
        name: "scan",
        title: "Scan by algorithms between leaders",
        across: "bytes",
        curves: scans,
    },
    Figure {
        name: "gather",
        title: "Gather by algorithms between leaders (bytes of each image)",
        across: "bytes",
        curves: gathers,
    },
    Figure {
        name: "scatter",
        title: "Scatter by algorithms between leaders (bytes for each image)",
        across: "bytes",
        curves: scatters,
    },
    Figure {
        name: "alltoall",
        title: "Alltoall of at most 1,024 of the images by algorithms (bytes of each for each)",
        across: "bytes",
        curves: exchanges,
    },
    Figure {
        name: "allgather",
        title: "Allgather by algorithms between leaders (bytes of each image)",
        across: "bytes",
        curves: gatherings,
    },
];

/// Bytes of operands.
const BYTES: [usize; 9] =
    [8, 64, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 8 << 20];
/// The most that each image gives or gets.
const MOST_CONTRIBUTED: usize = 16 << 10;
/// The most that each image gives each other one.
const MOST_EXCHANGED: usize = 1 << 10;
/// The largest group that is synchronised image by image: the messages grow with its square.
const MOST_PAIRED: usize = 1024;
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

fn points(xs: impl IntoIterator<Item = usize>, outcome: impl Fn(usize) -> Outcome) -> Vec<Point> {
    xs.into_iter().map(|x| Point { x, outcome: outcome(x) }).collect()
}

fn groups(costs: &Costs, images: usize, per_host: usize) -> Vec<Line> {
    let all = team(costs, images, per_host).barrier();
    let of_team = |members| team(costs, members, per_host).barrier();
    let paired = |members| team(costs, members, per_host).sync_images();
    let paired = points(sizes(images.min(MOST_PAIRED)), paired);
    vec![
        Line::new("sync team", Side::Ours, 0, points(sizes(images), of_team)),
        Line::new("sync all", Side::Ours, 1, points(sizes(images), |_| all)),
        Line::new("sync images", Side::Ours, 2, paired),
    ]
}

/// What the library chooses, every algorithm on two levels, and the best known one without the levels.
fn barriers(costs: &Costs, images: usize, per_host: usize) -> Vec<Line> {
    let of = |leaders, two_level| {
        points(sizes(images), move |members| {
            let mut simulation = team(costs, members, per_host);
            simulation.choices.barrier = leaders;
            simulation.techniques.two_level = two_level;
            simulation.barrier()
        })
    };
    let mut curves = vec![Line::new(TABLE, Side::Ours, 0, of(None, true))];
    for (number, &(name, algorithm)) in LeaderBarrier::ALL.iter().enumerate() {
        let label = format!("2 levels: {name}");
        curves.push(Line::new(&label, Side::Other(number), 0, of(Some(algorithm), true)));
    }
    let flat = of(Some(LeaderBarrier::Dissemination), false);
    curves.push(Line::new("1 level: dissemination", Side::Other(curves.len()), 0, flat));
    curves
}

/// The techniques one after the other; with all of them it is the library as it is.
fn ladder(costs: &Costs, images: usize, per_host: usize) -> Vec<Line> {
    let of = |techniques| {
        points(BYTES, move |bytes| {
            Simulation { techniques, ..team(costs, images, per_host) }.allreduce(bytes / 8, 8)
        })
    };
    let line = |(number, &(name, rung)): (usize, &(&str, Techniques))| {
        let side = if rung == Techniques::ALL { Side::Ours } else { Side::Other(number) };
        Line::new(name, side, 0, of(rung))
    };
    Techniques::LADDER.iter().enumerate().map(line).collect()
}

/// A curve for the table's choice and one for each algorithm.
fn by_algorithm<L: Named>(
    xs: impl Iterator<Item = usize> + Clone,
    outcome: impl Fn(Option<L>, usize) -> Outcome,
) -> Vec<Line> {
    let line = |name: &str, side, algorithm: Option<L>| {
        Line::new(name, side, 0, points(xs.clone(), |bytes| outcome(algorithm, bytes)))
    };
    let named = L::ALL.iter().enumerate();
    let named =
        named.map(|(number, &(name, algorithm))| line(name, Side::Other(number), Some(algorithm)));
    std::iter::once(line(TABLE, Side::Ours, None)).chain(named).collect()
}

fn sums(costs: &Costs, images: usize, per_host: usize) -> Vec<Line> {
    by_algorithm(BYTES.into_iter(), |leaders: Option<LeaderAllreduce>, bytes| {
        let mut simulation = team(costs, images, per_host);
        simulation.choices.allreduce = Forced { host: None, leaders };
        simulation.allreduce(bytes / 8, 8)
    })
}

fn reductions(costs: &Costs, images: usize, per_host: usize) -> Vec<Line> {
    by_algorithm(BYTES.into_iter(), |leaders: Option<LeaderReduce>, bytes| {
        let mut simulation = team(costs, images, per_host);
        simulation.choices.reduce = Forced { host: None, leaders };
        simulation.reduce(bytes / 8, 8)
    })
}

fn broadcasts(costs: &Costs, images: usize, per_host: usize) -> Vec<Line> {
    by_algorithm(BYTES.into_iter(), |leaders: Option<LeaderBroadcast>, bytes| {
        let mut simulation = team(costs, images, per_host);
        simulation.choices.broadcast = Forced { host: None, leaders };
        simulation.broadcast(bytes)
    })
}

fn scans(costs: &Costs, images: usize, per_host: usize) -> Vec<Line> {
    by_algorithm(BYTES.into_iter(), |leaders: Option<LeaderScan>, bytes| {
        let mut simulation = team(costs, images, per_host);
        simulation.choices.scan = Forced { host: None, leaders };
        simulation.scan(bytes / 8, 8)
    })
}

fn gathers(costs: &Costs, images: usize, per_host: usize) -> Vec<Line> {
    by_algorithm(contributions(), |leaders: Option<LeaderTree>, bytes| {
        let mut simulation = team(costs, images, per_host);
        simulation.choices.gather = Forced { host: None, leaders };
        simulation.gather(bytes)
    })
}

fn scatters(costs: &Costs, images: usize, per_host: usize) -> Vec<Line> {
    by_algorithm(contributions(), |leaders: Option<LeaderTree>, bytes| {
        let mut simulation = team(costs, images, per_host);
        simulation.choices.scatter = Forced { host: None, leaders };
        simulation.scatter(bytes)
    })
}

fn exchanges(costs: &Costs, images: usize, per_host: usize) -> Vec<Line> {
    let xs = BYTES.into_iter().filter(|&bytes| bytes <= MOST_EXCHANGED);
    by_algorithm(xs, |leaders: Option<LeaderAlltoall>, bytes| {
        let mut simulation = team(costs, images.min(MOST_PAIRED), per_host);
        simulation.choices.alltoall = Forced { host: None, leaders };
        simulation.alltoall(bytes)
    })
}

/// Sizes of what each image gives or gets.
fn contributions() -> impl Iterator<Item = usize> + Clone {
    BYTES.into_iter().filter(|&bytes| bytes <= MOST_CONTRIBUTED)
}

fn gatherings(costs: &Costs, images: usize, per_host: usize) -> Vec<Line> {
    by_algorithm(contributions(), |leaders: Option<LeaderAllgather>, bytes| {
        let mut simulation = team(costs, images, per_host);
        simulation.choices.allgather = Forced { host: None, leaders };
        simulation.allgather(bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_has_curves_of_several_points() {
        for figure in FIGURES {
            let curves = (figure.curves)(&Costs::default(), 32, 16);
            assert!(curves.len() >= 2, "{}", figure.name);
            let is_ours = |line: &&Line| line.side == Side::Ours && line.form == 0;
            assert_eq!(curves.iter().filter(is_ours).count(), 1, "{}", figure.name);
            assert!(curves.iter().all(|line| line.points.len() > 1), "{}", figure.name);
        }
    }

    #[test]
    fn small_groups_are_cheaper_than_all() {
        let curves = groups(&Costs::default(), 1024, 16);
        let time = |curve: usize| curves[curve].points[0].outcome.time;
        assert!(time(0) < time(1));
    }
}
