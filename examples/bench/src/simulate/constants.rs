//! The constants of this machine's host level, measured by `constants` of `xmp-collectives`.

use crate::launch::{self, Ending};
use crate::machine;
use crate::peers::{Launcher, Peer};
use std::env;
use std::path::PathBuf;
use std::time::Duration;
use xmp_simulate::Costs;

/// Images on a core for the constant of shared cores.
const CROWD: u32 = 4;

/// The costs measured with our launcher, or why they are not.
pub fn measured(ours: &Peer, silence: Duration) -> Result<Costs, String> {
    let program = program()?;
    let Launcher::Xmprun { .. } = ours.launcher else {
        return Err("only our launcher starts it".to_owned());
    };
    let cores = u32::try_from(machine::cores()).unwrap_or(u32::MAX);
    let mut lines = String::new();
    let mut images = vec![cores.saturating_mul(CROWD)];
    if cores >= 2 {
        images.push(2);
    }
    for images in images {
        let mut command = ours.launcher.command(images, &program);
        let ending = launch::run(&mut command, silence, |line| {
            lines.push_str(line);
            lines.push('\n');
        });
        match ending {
            Ending::Success => (),
            Ending::TimedOut => return Err("did not finish in the time allowed".to_owned()),
            Ending::Failed(reason) => return Err(reason),
        }
    }
    Ok(Costs::default().with_measured(&lines))
}

/// Where cargo puts it: beside this program.
fn program() -> Result<PathBuf, String> {
    let this = env::current_exe().map_err(|error| error.to_string())?;
    let program = this.parent().unwrap_or(&this).join("examples/constants");
    if program.is_file() {
        Ok(program)
    } else {
        Err(format!(
            "no {}; `cargo build --release -p xmp-collectives --example constants`",
            program.display()
        ))
    }
}
