//! Resident memory of an empty program: the peak (`VmHWM`) of the image that has the most.
//!
//! Launchers and supervising processes are not counted, for any contestant.

use crate::interleave::Contestant;
use crate::launch::{self, Ending};
use std::time::Duration;

/// Kilobytes of the largest image, or why there is no figure. `None` if the peer has no coarrays.
pub fn measure(
    contestant: &Contestant,
    images: u32,
    silence: Duration,
) -> Option<Result<f64, String>> {
    let program = match contestant.binaries.get("caf_empty")? {
        Ok(program) => program,
        Err(reason) => return Some(Err(reason.clone())),
    };
    let mut command = contestant.peer.launcher.command(images, program);
    let mut sizes = Vec::new();
    let ending = launch::run(&mut command, silence, |line| sizes.extend(size_of_line(line)));
    Some(match ending {
        Ending::TimedOut => Err("did not finish in the time allowed".to_owned()),
        Ending::Failed(reason) => Err(reason),
        Ending::Success if sizes.len() == images as usize => {
            Ok(sizes.into_iter().fold(0.0, f64::max))
        }
        Ending::Success => Err(format!("{} of {images} images told their size", sizes.len())),
    })
}

/// Kilobytes of a line `rss,IMAGE,KILOBYTES`.
pub fn size_of_line(line: &str) -> Option<f64> {
    line.trim().strip_prefix("rss,")?.split_once(',')?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_size_lines_count() {
        assert_eq!(size_of_line("rss,3,2912"), Some(2912.0));
        assert_eq!(size_of_line("warning: rss,3,2912"), None);
    }
}
