//! The signals, standard input and requests for stacks that the launcher passes on to the images.

use super::Run;
use crate::error::Result;
use crate::hosts::children::in_background;
use crate::hosts::frame::Down;
use crate::launch::{REQUESTS, in_foreground};
use rustix::process::{Signal, getpid, kill_process};
use std::io::{self, IsTerminal, Read};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// Requests to end that arrive within this time of the first are the same request.
const SAME_REQUEST: Duration = Duration::from_millis(200);
/// Bytes of standard input that are on their way at most.
const INPUT: usize = 64 << 10;

impl Run<'_> {
    /// Has the hosts send the stacks of their images to an asking process.
    pub(super) fn asked_by(&mut self, stream: UnixStream) {
        let hosts = (0..).zip(&self.hosts).filter(|(_, host)| !host.is_done);
        let left: Vec<u32> = hosts.map(|(host, _)| host).collect();
        // There are no images yet, or no more.
        if self.ends.is_empty() || left.is_empty() {
            return;
        }
        let question = self.askers.add(stream, left);
        self.children.send(&Down::Stacks(question));
    }

    /// A signal for the launcher.
    pub(super) fn received(&mut self, number: libc::c_int) {
        if number == libc::SIGCHLD {
            return;
        }
        if self.ends.is_empty() {
            // There are no images yet.
            if REQUESTS.contains(&number) {
                self.status = Some(128 + number);
            }
            return;
        }
        if !REQUESTS.contains(&number) {
            self.children.send(&Down::Signal(number));
            if number == libc::SIGTSTP {
                // It does not fail for this process.
                let _ = kill_process(getpid(), Signal::STOP);
            }
            return;
        }
        match self.asked {
            None => {
                self.asked = Some((number, Instant::now()));
                self.children.send(&Down::Signal(number));
            }
            Some((_, at)) if at.elapsed() < SAME_REQUEST => {}
            Some(_) => {
                self.children.send(&Down::Signal(libc::SIGTERM));
                self.kill = Some(Instant::now() + self.launch.settings.kill_grace);
            }
        }
    }

    /// Starts the thread that reads standard input for the first image. A terminal that this process does not own is left alone.
    pub(super) fn forward_input(&mut self) -> Result<()> {
        let (more, asked) = channel();
        self.more_input = Some(more);
        let children = self.children.clone();
        if io::stdin().is_terminal() && !in_foreground() {
            children.send(&Down::Input(Vec::new()));
            return Ok(());
        }
        in_background(move || {
            let mut stdin = io::stdin().lock();
            let mut room = vec![0; INPUT];
            loop {
                let piece = match stdin.read(&mut room) {
                    Ok(count) => room[..count].to_vec(),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(_) => Vec::new(),
                };
                let is_end = piece.is_empty();
                children.send(&Down::Input(piece));
                if is_end || asked.recv().is_err() {
                    return;
                }
            }
        })
    }
}
