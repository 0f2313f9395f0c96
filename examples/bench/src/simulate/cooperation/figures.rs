//! The curves of each figure.

use super::plan::{Plan, machine, policies};
use crate::simulate::figure::{Curve, Figure, TIME};
use xmp_core::cooperation::Policy;
use xmp_simulate::Costs;
use xmp_simulate::requests::{Application, Contention, Machine, Operation, Pairs, engine, run};

/// The horizontal axis of figures with a point for every few images.
pub const ASKING_IMAGE: &str = "image that asks";

/// What makes figures.
type Make = fn(&Plan) -> Vec<Figure>;

/// All of them, with what they are called while they are made.
pub const ALL: &[(&str, Make)] = &[
    ("memory", memory),
    ("pairs", pairs),
    ("fetch-and-add", fetch_and_add),
    ("strided put", strided_put),
    ("application", application),
];

/// Images on a host of the other ones.
const PER_HOST: u32 = 12;

/// One curve for each policy; `points` are those of one.
fn by_policy(points: impl Fn(Policy) -> Vec<(f64, f64)>) -> Vec<Curve> {
    policies().into_iter().map(|(name, policy)| Curve::new(name, points(policy))).collect()
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
        across: "images",
        unit: "MiB",
        curves: vec![
            Curve::new("direct", points(direct, None)),
            Curve::new("groups of 8", points(merged, Some(8))),
            Curve::new("groups of 16", points(merged, Some(16))),
            Curve::new("groups that the library chooses", points(merged, None)),
        ],
    }]
}

/// The paper's figure 5: 16 hosts in groups of 4; the images of the first one all ask those of the last one.
fn pairs(plan: &Plan) -> Vec<Figure> {
    let figure = |&(network, costs): &(&'static str, Costs)| Figure {
        name: format!("pairs-{}", file_name(network)),
        title: format!(
            "Fetch-and-add from all images of a host to those of another one, {network}"
        ),
        across: "images a host",
        unit: TIME,
        curves: by_policy(|policy| {
            [1, 4, 8, 11].map(|n| (f64::from(n), pair_time(plan, costs, policy, n))).into()
        }),
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

/// Times of every n-th image, where one in this many contends.
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
                across: ASKING_IMAGE,
                unit: TIME,
                curves: by_policy(points),
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

/// The paper's figure 10: the same work on more and more images.
fn application(plan: &Plan) -> Vec<Figure> {
    let most = if plan.quick { 384 } else { 12_288 };
    let figure = |&(network, costs): &(&'static str, Costs)| Figure {
        name: format!("application-{}", file_name(network)),
        title: format!("Time of an irregular application, {network}"),
        across: "images",
        unit: TIME,
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
    };
    plan.networks.iter().map(figure).collect()
}

/// A network's name as a part of one of a file.
fn file_name(network: &str) -> String {
    network.to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-")
}
