//! The curves of each figure.

use super::plan::{Plan, machine, policies};
use crate::plots::{Across, Curve, Scale, Side};
use xmp_core::cooperation::Policy;
use xmp_simulate::Costs;
use xmp_simulate::requests::{Application, Contention, Machine, Operation, Pairs, engine, run};

/// A picture: curves with their labels.
pub struct Figure {
    /// Name in files.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// The horizontal axis.
    pub across: Across,
    /// The vertical axis.
    pub scale: Scale,
    /// The curves.
    pub curves: Vec<Curve>,
    /// Whether all points are in the table, or in the picture and the CSV file only.
    pub tabulated: bool,
}

/// What makes figures.
type Make = fn(&Plan) -> Vec<Figure>;

/// All of them, with what they are called while they are made.
pub const ALL: &[(&str, Make)] = &[
    ("memory", memory),
    ("pairs", pairs),
    ("fetch-and-add", fetch_and_add),
    ("strided put", strided_put),
    ("work of a message", work),
    ("application", application),
];

/// Images on a host of the other ones.
const PER_HOST: u32 = 12;

/// The name of what the library does where requests need much memory: in black.
const OURS: &str = "aggregation";

/// One curve for each policy; `points` are those of one.
fn by_policy(points: impl Fn(Policy) -> Vec<(f64, f64)>) -> Vec<Curve> {
    let curve = |(number, (name, policy)): (usize, (&str, Policy))| {
        let side = if name == OURS { Side::Ours } else { Side::Other(number) };
        curve(name, side, points(policy))
    };
    policies().into_iter().enumerate().map(curve).collect()
}

fn curve(label: &str, side: Side, points: Vec<(f64, f64)>) -> Curve {
    let points = points.into_iter().map(Into::into).collect();
    Curve { label: label.to_owned(), side, form: 0, points }
}

/// The paper's figure 6.
fn memory(plan: &Plan) -> Vec<Figure> {
    let most = if plan.quick { 3072 } else { 12_288 };
    let xs =
        || std::iter::successors(Some(192), |images| Some(2 * images)).take_while(|&n| n <= most);
    let [(_, direct), _, (_, merged), _] = policies();
    let points = |policy, group| {
        xs().map(|images: u32| {
            let machine = machine(Costs::default(), (images, PER_HOST), policy, group);
            (f64::from(images), engine::buffers(&machine) as f64 / f64::from(1 << 20))
        })
        .collect()
    };
    vec![Figure {
        name: "memory".into(),
        title: format!("Memory of a server for requests, {PER_HOST} images a host"),
        across: Across::Images("images"),
        scale: Scale::Memory,
        curves: vec![
            curve("direct", Side::Other(0), points(direct, None)),
            curve("groups of 8", Side::Other(1), points(merged, Some(8))),
            curve("groups of 16", Side::Other(2), points(merged, Some(16))),
            curve("groups that the library chooses", Side::Ours, points(merged, None)),
        ],
        tabulated: true,
    }]
}

/// The paper's figure 5: 16 hosts in groups of 4; the images of the first one all ask those of the last one.
fn pairs(plan: &Plan) -> Vec<Figure> {
    let figure = |&(network, costs): &(&'static str, Costs)| Figure {
        name: format!("pairs-{}", file_name(network)),
        title: format!(
            "Fetch-and-add from all images of a host to those of another one, {network}"
        ),
        across: Across::Images("images a host"),
        scale: Scale::Time,
        curves: by_policy(|policy| {
            [1, 4, 8, 11].map(|n| (f64::from(n), pair_time(plan, costs, policy, n))).into()
        }),
        tabulated: true,
    };
    plan.networks.iter().map(figure).collect()
}

/// Microseconds of a fetch-and-add there.
pub fn pair_time(plan: &Plan, costs: Costs, policy: Policy, per_host: u32) -> f64 {
    let machine = machine(costs, (16 * per_host, per_host), policy, Some(4));
    let mut program = Pairs::new(Operation::FETCH_ADD, 16 * per_host, per_host, 1000);
    run(&machine, &mut program, plan.seed);
    program.mean()
}

/// Times of every so manieth image, with one in so many contending.
pub fn contention(
    plan: &Plan,
    machine: &Machine,
    operation: Operation,
    step: u32,
    one_in: u32,
) -> Contention {
    let (images, per_host) = plan.contenders();
    let mut program = Contention::new(operation, images, per_host, step, one_in);
    run(machine, &mut program, plan.seed);
    program
}

fn by_rank(plan: &Plan, name: &str, title: &str, operation: Operation) -> Vec<Figure> {
    let step = if plan.quick { 64 } else { 8 };
    let mut figures = Vec::new();
    for &(network, costs) in &plan.networks {
        for (percent, one_in) in [(0, 0), (20, 5)] {
            let points = |policy| {
                let machine = machine(costs, plan.contenders(), policy, None);
                let program = contention(plan, &machine, operation, step, one_in);
                // Images count from 1, the simulator's from 0.
                program.times().into_iter().map(|(image, t)| (f64::from(image + 1), t)).collect()
            };
            figures.push(Figure {
                name: format!("{name}-{percent}-percent-{}", file_name(network)),
                title: format!("{title} by image, {percent} % contention, {network}"),
                across: Across::Images("image that asks"),
                scale: Scale::Time,
                curves: by_policy(points),
                tabulated: false,
            });
        }
    }
    figures
}

/// The paper's figure 7.
fn fetch_and_add(plan: &Plan) -> Vec<Figure> {
    by_rank(plan, "fetch-add", "fetch-and-add to image 1", Operation::FETCH_ADD)
}

/// The paper's figure 8, which has two sizes; these are ours.
fn strided_put(plan: &Plan) -> Vec<Figure> {
    let of = |bytes: usize| {
        let (name, title) =
            (format!("put-{bytes}"), format!("strided put of {bytes} bytes to image 1"));
        by_rank(plan, &name, &title, Operation::put(bytes))
    };
    [256, 4096].into_iter().flat_map(of).collect()
}

/// By how much contention slows a fetch-and-add down where a message from host to host takes as long as on the Cray,
/// but less of that is work of the two servers, more is on its way.
fn work(plan: &Plan) -> Vec<Figure> {
    let xt = Costs::xt();
    let one_way = xt.network.latency + 2.0 * xt.network.overhead;
    let overheads = [0.1, 0.25, 0.5, 1.0, 2.0, xt.network.overhead];
    let step = 64;
    let factor = |policy, overhead| {
        let mut costs = xt;
        costs.network.overhead = overhead;
        costs.network.latency = one_way - 2.0 * overhead;
        let machine = machine(costs, plan.contenders(), policy, None);
        let mean = |one_in| contention(plan, &machine, Operation::FETCH_ADD, step, one_in).mean();
        (overhead, mean(5) / mean(0))
    };
    vec![Figure {
        name: "work-of-a-message".into(),
        title: format!("fetch-and-add, 20 % contention against none; {one_way:.1} us one way"),
        across: Across::Microseconds("work of a server for a message, microseconds"),
        scale: Scale::Factor,
        curves: by_policy(|policy| overheads.map(|overhead| factor(policy, overhead)).into()),
        tabulated: true,
    }]
}

/// The paper's figure 10: the same work on more and more images.
fn application(plan: &Plan) -> Vec<Figure> {
    let most = if plan.quick { 384 } else { 12_288 };
    let figure = |&(network, costs): &(&'static str, Costs)| Figure {
        name: format!("application-{}", file_name(network)),
        title: format!("Time of an irregular application, {network}"),
        across: Across::Images("images"),
        scale: Scale::Time,
        curves: by_policy(|policy| {
            std::iter::successors(Some(192), |images| Some(2 * images))
                .take_while(|&images| images <= most)
                .map(|images: u32| {
                    let machine = machine(costs, (images, PER_HOST), policy, None);
                    let mut program = Application::new(images, PER_HOST);
                    if plan.quick {
                        program.tasks = 500;
                    }
                    let outcome = run(&machine, &mut program, plan.seed);
                    (f64::from(images), outcome.time as f64 / 1e3)
                })
                .collect()
        }),
        tabulated: true,
    };
    plan.networks.iter().map(figure).collect()
}

/// A network's name as a part of one of a file.
fn file_name(network: &str) -> String {
    network.to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-")
}
