//! Times of algorithms for numbers of participants that no machine at hand has, by the simulator, as lines for `tune tables` and
//! `tune fabric` (`collectives/examples/tune`): what `./x tune` runs.
//!
//! `model machine NAME` is for hosts that share memory, on the machine whose constants standard input has
//! (`collectives/examples/constants.rs`); `model fabric` for hosts that do not.

use std::io::Read;
use std::process::ExitCode;
use xmp_collectives::select::{
    Choices, Forced, HostReduce, LeaderAllgather, LeaderAllreduce, LeaderBarrier, LeaderBroadcast,
    LeaderReduce, Named,
};
use xmp_simulate::costs::Link;
use xmp_simulate::{Costs, Layout, Outcome, Simulation};

/// Bytes, four times as many from one to the next: those that `tune` measures.
const SIZES: [usize; 11] =
    [8, 32, 128, 512, 2 << 10, 8 << 10, 32 << 10, 128 << 10, 512 << 10, 2 << 20, 8 << 20];
/// Bytes of all contributions of an allgather at most.
const GATHERED: usize = 64 << 20;
/// Participants up to which a line is for, each with a core.
const FREE: [usize; 3] = [4, 16, 256];
/// The same on two cores. Of two participants each has one: these are on one core.
const CROWDED: [usize; 3] = [2, 16, 256];
const CORES: usize = 2;
/// Images of a host on two cores.
const CROWD: usize = 32;

/// Messages by TCP between network namespaces: 10 us from sender to receiver, as long as 16 KiB of data take.
const TCP: Link = Link { latency: 6.0, overhead: 2.0, gap: 0.5, per_byte: 10.0 / 16384.0 };

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["machine", name] => {
            let mut constants = String::new();
            if let Err(error) = std::io::stdin().read_to_string(&mut constants) {
                eprintln!("model: {error}");
                return ExitCode::FAILURE;
            }
            machine(name, Costs::default().with_measured(&constants));
        }
        ["fabric"] => fabric(),
        _ => {
            eprintln!("usage: model machine NAME < CONSTANTS | model fabric");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Hosts of one machine.
fn machine(name: &str, costs: Costs) {
    println!("model of {name}");
    let virtual_hosts =
        |n, cores| Simulation { costs, ..Simulation::new(Layout::virtual_hosts(n, n, cores)) };
    for most in FREE {
        let n = typical(most);
        between(&virtual_hosts(n, n), &format!("{most} free"), "leader-");
    }
    for most in CROWDED {
        let n = typical(most);
        between(&virtual_hosts(n, CORES.min(n / 2)), &format!("{most} crowded"), "leader-");
    }
    let crowd = Simulation { costs, ..Simulation::new(Layout::virtual_hosts(CROWD, 1, CORES)) };
    for algorithm in [HostReduce::CopyIn, HostReduce::Sliced] {
        let mut simulation = crowd.clone();
        simulation.choices.allreduce.host = Some(algorithm);
        simulation.choices.reduce.host = Some(algorithm);
        let name = algorithm.name();
        for bytes in SIZES {
            let row = |table: &str, outcome: Outcome| {
                println!("host-{table} {CROWD} crowded {bytes} {name} {:.3}", outcome.time);
            };
            row("allreduce", simulation.allreduce(bytes / 8, 8));
            row("reduce", simulation.reduce(bytes / 8, 8));
        }
    }
}

/// Hosts that share no memory, with a leader each.
fn fabric() {
    println!("model of 10 us a message");
    let costs = Costs { network: TCP, ..Costs::default() };
    for most in FREE {
        let simulation = Simulation { costs, ..Simulation::new(Layout::blocks(typical(most), 1)) };
        between(&simulation, &format!("{most} free"), "");
    }
}

/// The number that stands for all up to this one: no power of two, for which some algorithms are better than for others.
fn typical(most: usize) -> usize {
    if most > 2 { most / 4 * 3 } else { most }
}

/// All algorithms between leaders.
fn between(simulation: &Simulation, kind: &str, prefix: &str) {
    let n = simulation.layout.len();
    let run = |choices, run: &dyn Fn(&Simulation) -> Outcome| {
        run(&Simulation { choices, ..simulation.clone() }).time
    };
    let none = Choices::default;
    for &(name, algorithm) in LeaderBarrier::ALL {
        let choices = Choices { barrier: Some(algorithm), ..none() };
        println!("{prefix}barrier {kind} 8 {name} {:.3}", run(choices, &Simulation::barrier));
    }
    for bytes in SIZES {
        let row = |table: &str, name: &str, time: f64| {
            println!("{prefix}{table} {kind} {bytes} {name} {time:.3}");
        };
        for &(name, algorithm) in LeaderBroadcast::ALL {
            let choices = Choices { broadcast: leaders(algorithm), ..none() };
            row("broadcast", name, run(choices, &|s| s.broadcast(bytes)));
        }
        for &(name, algorithm) in LeaderReduce::ALL {
            let choices = Choices { reduce: leaders(algorithm), ..none() };
            row("reduce", name, run(choices, &|s| s.reduce(bytes / 8, 8)));
        }
        for &(name, algorithm) in LeaderAllreduce::ALL {
            let choices = Choices { allreduce: leaders(algorithm), ..none() };
            row("allreduce", name, run(choices, &|s| s.allreduce(bytes / 8, 8)));
        }
        for &(name, algorithm) in LeaderAllgather::ALL {
            if bytes * n <= GATHERED {
                let choices = Choices { allgather: leaders(algorithm), ..none() };
                row("allgather", name, run(choices, &|s| s.allgather(bytes)));
            }
        }
    }
}

fn leaders<H, L>(algorithm: L) -> Forced<H, L> {
    Forced { host: None, leaders: Some(algorithm) }
}
