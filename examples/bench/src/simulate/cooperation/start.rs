//! What starting a job and allocating coarrays cost on many images.

use super::plan::Plan;
use crate::table::{Table, short};
use std::fmt::Write;
use xmp_simulate::{Layout, Simulation};

/// Bytes that images tell each other of themselves when a job starts.
const ABOUT_AN_IMAGE: usize = 64;
/// Bytes that images tell each other where each coarray is a window of its own: address, size, unit.
const ABOUT_A_WINDOW: usize = 24;
/// Coarrays of a program.
const COARRAYS: f64 = 1000.0;

/// The table.
pub fn report(plan: &Plan) -> String {
    let per_host = 12;
    let sizes: &[usize] = if plan.quick { &[768] } else { &[768, 3072, 9216, 12_288] };
    let mut text = format!(
        "\n## Allocation and start of a job, {per_host} images a host\n\nAn allocation is one reduction of two words, which is \
         its synchronisation too, and no other message. A window each would be an allgather of {ABOUT_A_WINDOW} bytes of \
         each image. The start is an allgather of {ABOUT_AN_IMAGE} bytes and a barrier.\n\n"
    );
    let mut table = Table::new([
        "network",
        "images",
        "allocation, us",
        "messages of it",
        "1,000 coarrays, ms",
        "with windows, ms",
        "start, ms",
    ]);
    for &(network, costs) in &plan.networks {
        for &images in sizes {
            let simulation =
                Simulation { costs, ..Simulation::new(Layout::blocks(images, per_host)) };
            let allocation = simulation.allreduce(4, 8);
            let window = simulation.allgather(ABOUT_A_WINDOW).time + allocation.time;
            let start = simulation.allgather(ABOUT_AN_IMAGE).time + simulation.barrier().time;
            table.push(vec![
                network.to_owned(),
                images.to_string(),
                short(allocation.time),
                allocation.traffic.network_messages.to_string(),
                short(COARRAYS * allocation.time / 1e3),
                short(COARRAYS * window / 1e3),
                short(start / 1e3),
            ]);
        }
    }
    let _ = write!(text, "{}", table.markdown());
    text
}
