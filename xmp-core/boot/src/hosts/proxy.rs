//! The proxy of the launcher on a host: it starts the images there, passes on their output and their ends, and ends them with the
//! launcher. In a tree it starts other proxies, too.

use super::children::{Children, EventSink, ProxyEvent, in_background, lock};
use super::frame::{Down, Setup, Up, receive_down, send_up};
use super::images::Images;
use super::output::FrameSink;
use super::reach::{CONNECTS, IGNORED, MARKER};
use super::stack_text::StackText;
use crate::error::{Error, Result};
use crate::launch::{Placement, occupy_standard_descriptors};
use std::io::{self, BufReader, Read, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The version of the messages, which is the version of the library.
pub(super) fn version() -> String {
    format!("{} for {}", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH)
}

/// The time for which a proxy tries to connect to the launcher.
const CONNECTING: Duration = Duration::from_secs(60);
/// The time that killed images may take to end.
const DYING: Duration = Duration::from_secs(10);

/// The properties of its host that a proxy finds out for the command line.
pub trait Surroundings: Sync {
    /// The number of cores that images may use.
    fn cores(&self) -> u32;

    /// The bindings of `images` images, for a word of the option `--bind`; empty where the system decides.
    ///
    /// # Errors
    /// When that cannot be found out.
    fn places(&self, binding: &str, images: u32) -> Result<Vec<Placement>>;

    /// Passes on the stack of each image that this process has started, as it is found.
    fn stacks(&self, each: &mut dyn FnMut(StackText));
}

/// Runs a proxy until its launcher has gone; returns its exit status. `kind`: the value of the option that has made it one.
///
/// # Errors
/// When the launcher cannot be reached.
pub fn serve(kind: &str, surroundings: &'static dyn Surroundings) -> Result<i32> {
    occupy_standard_descriptors()?;
    for signal in IGNORED {
        // SAFETY: sets no handler.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
    if kind == CONNECTS {
        let mut line = String::new();
        let read = io::stdin().read_line(&mut line);
        let number = std::env::var("SLURM_NODEID").ok().and_then(|text| text.parse::<u32>().ok());
        let (Ok(_), Some(number)) = (read, number) else {
            return Err(Error::Invalid("no xmprun has started this proxy by srun".into()));
        };
        let until = Instant::now() + CONNECTING;
        let from = crate::control::connect(line.trim(), number, until)?;
        let to = from.try_clone().map_err(|error| Error::os("connection", error))?;
        return Ok(attend(BufReader::new(from), to, Some(number), surroundings));
    }
    let mut to = io::stdout();
    let marked = to.write_all(format!("{MARKER}\n").as_bytes()).and_then(|()| to.flush());
    marked.map_err(|error| Error::os("cannot write to the launcher", error))?;
    Ok(attend(BufReader::new(io::stdin()), to, None, surroundings))
}

/// Executes the messages of the launcher, until it has gone.
fn attend(
    mut from: impl Read,
    to: impl Write + Send + 'static,
    number: Option<u32>,
    surroundings: &'static dyn Surroundings,
) -> i32 {
    let to = Mutex::new(to);
    // A launcher that has gone is noticed when nothing more comes from it.
    let say: FrameSink = Arc::new(move |frame| _ = send_up(&mut *lock(&to), &frame));
    let Ok(Down::Setup(setup)) = receive_down(&mut from) else { return 1 };
    let host = number.unwrap_or(setup.host);
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    // To count them takes longer than all else.
    let cores = if setup.counts_cores { surroundings.cores() } else { 0 };
    say(Up::Hello { host, version: version(), name, cores });
    let below = start_below(&setup, &say);
    let mut images: Option<Arc<Images>> = None;
    while let Ok(frame) = receive_down(&mut from) {
        let is_input = matches!(frame, Down::Input(_));
        if !is_input {
            below.send(&frame);
        }
        match frame {
            Down::Setup(_) => {}
            Down::Job(job) => {
                let (_, count) = job.parts.get(host as usize).copied().unwrap_or_default();
                let places = surroundings.places(&job.binding, count);
                let started = places
                    .map_err(|error| (1, error.to_string()))
                    .and_then(|places| Images::start(host, &job, &places, say.clone()));
                match started {
                    Ok(started) => images = Some(started),
                    Err((status, text)) => say(Up::Refused { host, status, text }),
                }
            }
            Down::Release(values) => images.iter().for_each(|images| images.release(&values)),
            Down::Signal(number) => images.iter().for_each(|images| images.signal(number)),
            Down::Input(piece) => {
                if let Some(images) = &images {
                    images.input(piece);
                }
            }
            Down::Kill => images.iter().for_each(|images| images.kill()),
            Down::Stacks(question) => send_stacks(question, host, surroundings, &say),
        }
    }
    let until = Instant::now() + DYING;
    if let Some(images) = images {
        images.kill();
        images.wait_for_all(until);
    }
    below.finish(until);
    0
}

/// Sends the stacks of the images of this host, in the background.
fn send_stacks(question: u32, host: u32, surroundings: &'static dyn Surroundings, say: &FrameSink) {
    let its = say.clone();
    let sending = in_background(move || {
        surroundings.stacks(&mut |StackText { image, process, text, errors }| {
            its(Up::Stack { question, host, image, process, text, errors });
        });
        its(Up::Stacks { question, host });
    });
    if sending.is_err() {
        say(Up::Stacks { question, host });
    }
}

/// Starts the proxies below this one, and passes on their frames.
fn start_below(setup: &Setup, say: &FrameSink) -> Children {
    let its = say.clone();
    let ear: EventSink = Arc::new(move |heard| match heard {
        ProxyEvent::Frame(frame) => its(frame),
        ProxyEvent::Closed { host, why } => its(Up::Lost { host, text: why }),
    });
    Children::by_commands(setup, |_| false, &ear).unwrap_or_else(|error| {
        let (host, _) = setup.below.first().cloned().unwrap_or_default();
        say(Up::Lost { host, text: error.to_string() });
        Children::default()
    })
}
