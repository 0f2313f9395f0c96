//! Users who ask for the stacks of all images (`xmprun --stacks`), of which each host has a part.

use crate::error::{Error, Result};
use crate::hosts::children::in_background;
use crate::hosts::frame::{Up, receive_up, send_up};
use crate::hosts::stack_text::StackText;
use rustix::net::sockopt::socket_peercred;
use rustix::process::{Pid, geteuid};
use std::io::BufReader;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::time::Duration;

/// The time that a process may take to read the stacks.
const PATIENCE: Duration = Duration::from_secs(2);

/// Asks the launcher with this process number for the stacks of its images on all hosts; `None` if it is no launcher of several
/// hosts.
///
/// # Errors
/// When it belongs to another user.
pub fn ask_for_stacks(launcher: u32) -> Result<Option<Vec<StackText>>> {
    let Ok(stream) = address(launcher).and_then(|at| UnixStream::connect_addr(&at)) else {
        return Ok(None);
    };
    let its = socket_peercred(&stream).map_err(|error| Error::os("--stacks", error.into()))?;
    if its.pid != Pid::from_raw(launcher as i32).unwrap_or(its.pid) {
        return Err(Error::Invalid(format!(
            "--stacks {launcher}: process {} answers in its place",
            its.pid.as_raw_pid()
        )));
    }
    let mut from = BufReader::new(stream);
    let mut all = Vec::new();
    while let Ok(frame) = receive_up(&mut from) {
        if let Up::Stack { image, process, text, errors, .. } = frame {
            all.push(StackText { image, process, text, errors });
        }
    }
    all.sort_by_key(|stack| stack.image);
    Ok(Some(all))
}

/// The address of a launcher: a name without a file, which goes with the process.
fn address(launcher: u32) -> std::io::Result<SocketAddr> {
    SocketAddr::from_abstract_name(format!("xmprt-launcher-{launcher}"))
}

/// Passes on the connections of asking processes, if they are of this user or root. Where this process cannot listen, the job goes on
/// without such questions.
pub(super) fn listen(hear: impl Fn(UnixStream) + Send + 'static) {
    let listener = address(std::process::id()).and_then(|at| UnixListener::bind_addr(&at));
    let listening = listener.map_err(|error| Error::os("cannot listen", error)).and_then(|its| {
        in_background(move || {
            for asker in its.incoming().flatten() {
                let is_permitted = socket_peercred(&asker)
                    .is_ok_and(|its| its.uid.is_root() || its.uid == geteuid());
                if is_permitted && asker.set_write_timeout(Some(PATIENCE)).is_ok() {
                    hear(asker);
                }
            }
        })
    });
    if let Err(error) = listening {
        tracing::debug!(%error, "this job cannot be asked for the stacks of its images");
    }
}

/// A process that asks.
#[derive(Debug)]
struct Asker {
    stream: UnixStream,
    /// The hosts that have not sent all.
    left: Vec<u32>,
}

/// The processes that wait for an answer, by the numbers of their questions.
#[derive(Debug, Default)]
pub(super) struct Askers {
    asked: u32,
    waiting: Vec<(u32, Asker)>,
}

impl Askers {
    /// Adds a process whose answer has a part from each of these hosts. Returns the number of the question.
    pub fn add(&mut self, stream: UnixStream, left: Vec<u32>) -> u32 {
        let question = self.asked;
        self.asked += 1;
        self.waiting.push((question, Asker { stream, left }));
        question
    }

    /// A host has sent the stack of an image, or the last one.
    pub fn hear(&mut self, frame: &Up) {
        let (question, host, is_last) = match frame {
            Up::Stack { question, host, .. } => (*question, *host, false),
            Up::Stacks { question, host } => (*question, *host, true),
            _ => return,
        };
        self.waiting.retain_mut(|(its, asker)| {
            if *its != question {
                return true;
            }
            if is_last {
                asker.left.retain(|&left| left != host);
            }
            // A process that does not read gets nothing more.
            let is_there = is_last || send_up(&mut asker.stream, frame).is_ok();
            is_there && !asker.left.is_empty()
        });
    }

    /// Nothing more comes from a host.
    pub fn gone(&mut self, host: u32) {
        self.waiting.retain_mut(|(_, asker)| {
            asker.left.retain(|&left| left != host);
            !asker.left.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_who_asks_gets_the_stacks_of_all_hosts_that_are_left() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut askers = Askers::default();
        let question = askers.add(ours, vec![0, 1, 2]);
        let stack = |question, host| Up::Stack {
            question,
            host,
            image: host + 1,
            process: 7,
            text: "#0 main".into(),
            errors: String::new(),
        };
        askers.hear(&stack(question, 1));
        // Of another question.
        askers.hear(&stack(question + 1, 0));
        for host in [1, 0] {
            askers.hear(&Up::Stacks { question, host });
        }
        askers.gone(2);
        let mut theirs = BufReader::new(theirs);
        assert_eq!(receive_up(&mut theirs).unwrap(), stack(question, 1));
        assert!(receive_up(&mut theirs).is_err(), "all was sent");
    }
}
