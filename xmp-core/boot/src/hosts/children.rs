//! The proxies that a process has started, the frames for them, and threads that receive theirs.

use super::frame::{Down, Setup, Up, receive_up, send_down};
use super::reach::{self, MARKER, branches};
use crate::error::{Error, Result};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The time that a command may take to end after its output has ended.
const ENDING: Duration = Duration::from_secs(2);
/// Most bytes that shells write before a proxy begins.
const GREETINGS: u64 = 1 << 20;
/// Lines of a command's standard error that are kept.
const LINES: usize = 50;

/// An event of a proxy.
#[derive(Debug)]
pub(super) enum ProxyEvent {
    Frame(Up),
    /// Nothing more comes from that host, and why.
    Closed {
        host: u32,
        why: String,
    },
}

/// The function that receives events.
pub(super) type EventSink = Arc<dyn Fn(ProxyEvent) + Send + Sync>;

/// A command that was started.
#[derive(Debug)]
struct Process {
    child: Mutex<Child>,
    /// Its lines on standard error.
    said: Mutex<Vec<String>>,
    /// Whether that is passed on.
    is_passed_on: AtomicBool,
    /// Tells that it writes no more.
    silence: Mutex<Receiver<()>>,
}

impl Process {
    /// Its end, if that is soon, and its lines on standard error.
    fn end(&self) -> (Option<ExitStatus>, Vec<String>) {
        let until = Instant::now() + ENDING;
        let status = loop {
            match lock(&self.child).try_wait() {
                Ok(None) if Instant::now() < until => {}
                ended => break ended.ok().flatten(),
            }
            thread::sleep(Duration::from_millis(1));
        };
        // Processes that it has started may keep the pipe.
        let _ = lock(&self.silence).recv_timeout(until.saturating_duration_since(Instant::now()));
        (status, lock(&self.said).clone())
    }

    /// Reads its standard error.
    fn listen(&self, errors: impl Read) {
        let mut lines = BufReader::new(errors);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            line.clear();
            if self.is_passed_on.load(Ordering::Relaxed) {
                let _ = writeln!(io::stderr().lock(), "{text}");
                continue;
            }
            let mut said = lock(&self.said);
            said.push(text);
            if said.len() > LINES {
                said.remove(0);
            }
        }
    }
}

/// The proxies that this process has started.
#[derive(Default)]
pub(super) struct Children {
    writers: Vec<Mutex<Option<Box<dyn Write + Send>>>>,
    processes: Vec<Arc<Process>>,
}

impl Children {
    /// Starts proxies on these hosts, each by a command of its own, in a tree; `is_here`: whether a host is this one.
    ///
    /// # Errors
    /// When a command cannot be started.
    pub fn by_commands(
        setup: &Setup,
        is_here: impl Fn(&str) -> bool,
        ear: &EventSink,
    ) -> Result<Children> {
        let mut children = Children::default();
        for ((host, name), below) in branches(&setup.below, setup.fan_out) {
            let command = if is_here(&name) {
                reach::here(&setup.program)
            } else {
                reach::command(setup, &name)
            };
            let its = Setup { host, below, ..setup.clone() };
            children.start(command, name, its, ear)?;
        }
        Ok(children)
    }

    fn start(
        &mut self,
        command: Command,
        name: String,
        setup: Setup,
        ear: &EventSink,
    ) -> Result<()> {
        let (process, (mut input, output)) = started(command)?;
        let ear = ear.clone();
        let its = process.clone();
        let host = setup.host;
        // The pipe has room for it. A command that has failed does not read it, and its end shows that.
        let _ = send_down(&mut input, &Down::Setup(setup.clone()));
        in_background(move || {
            let heard = listen(BufReader::new(output), true, &ear, || {
                its.is_passed_on.store(true, Ordering::Relaxed);
            });
            let (end, said) = its.end();
            let why = match heard {
                ConnectionEnd::ToNothing => reach::explain(&setup, &name, &said, end),
                ConnectionEnd::ToTheEnd => "the connection to xmprun there has ended".to_owned(),
            };
            ear(ProxyEvent::Closed { host, why });
        })?;
        self.writers.push(Mutex::new(Some(Box::new(input))));
        self.processes.push(process);
        Ok(())
    }

    /// Starts `srun`, whose proxies connect to the listener, in the order of `names`. `look` is called meanwhile.
    ///
    /// # Errors
    /// When they have not connected until then.
    pub fn by_srun(
        names: &[String],
        setup: Setup,
        interfaces: Option<&str>,
        until: Instant,
        mut look: impl FnMut() -> Result<()>,
        ear: &EventSink,
    ) -> Result<Children> {
        let listener = crate::control::Listener::open(interfaces)?;
        let (process, (mut input, _)) = started(reach::srun(names, &setup.program))?;
        // The secret goes by a pipe to srun, which sends it to all tasks.
        let invitation = format!("{}\n", listener.invitation());
        let _ = input.write_all(invitation.as_bytes());
        drop(input);
        let mut children = Children { writers: Vec::new(), processes: vec![process.clone()] };
        let silence = Duration::from_secs(setup.silence.into());
        let found = listener.accept_all(names.len() as u32, until, silence, |have_come| {
            look()?;
            let ended = lock(&process.child).try_wait();
            if let Ok(Some(status)) = ended {
                let said = process.end().1.join("\n");
                return Err(Error::system(
                    "srun has started no job",
                    format!("{status}{}{said}", if said.is_empty() { "" } else { ":\n" }),
                ));
            }
            let missing = have_come.iter().position(|&has_come| !has_come);
            match missing.filter(|_| Instant::now() >= until) {
                Some(host) => Err(Error::system(
                    format!("{} has not connected in time", names[host]),
                    "do its network interfaces reach this host (XMP_NET_INTERFACE), and has the job a step that \
                     holds its processors?",
                )),
                None => Ok(()),
            }
        })?;
        process.is_passed_on.store(true, Ordering::Relaxed);
        for (host, tcp) in (0..).zip(found) {
            let tcp: TcpStream = tcp;
            tcp.set_read_timeout(None).map_err(|error| Error::os("connection", error))?;
            let reader = tcp.try_clone().map_err(|error| Error::os("connection", error))?;
            children.writers.push(Mutex::new(Some(Box::new(Closing(tcp)))));
            let ear = ear.clone();
            in_background(move || {
                listen(BufReader::new(reader), false, &ear, || ());
                let why = "the connection to xmprun there has ended".to_owned();
                ear(ProxyEvent::Closed { host, why });
            })?;
        }
        children.send(&Down::Setup(setup));
        Ok(children)
    }

    /// Sends a frame to all of them.
    pub fn send(&self, frame: &Down) {
        for writer in &self.writers {
            let mut writer = lock(writer);
            // One that has gone is heard of.
            if writer.as_mut().is_some_and(|writer| send_down(writer, frame).is_err()) {
                *writer = None;
            }
        }
    }

    /// Tells all of them that nothing more comes, and waits until their commands have ended; those that have not until then are
    /// killed.
    pub fn finish(&self, until: Instant) {
        self.writers.iter().for_each(|writer| *lock(writer) = None);
        for process in &self.processes {
            let mut child = lock(&process.child);
            loop {
                match child.try_wait() {
                    Ok(None) if Instant::now() < until => {}
                    Ok(None) => {
                        // It may end at this moment.
                        let _ = child.kill();
                        let _ = child.wait();
                        break;
                    }
                    _ => break,
                }
                thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

/// A connection whose other end learns that nothing more comes when this is dropped, though a thread still reads from it.
struct Closing(TcpStream);

impl Write for Closing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        // The other end may have gone.
        let _ = self.0.shutdown(Shutdown::Write);
    }
}

/// The pipes of a command.
type Pipes = (ChildStdin, ChildStdout);

/// A command with pipes, and a thread that reads its standard error.
fn started(mut command: Command) -> Result<(Arc<Process>, Pipes)> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .spawn()
        .map_err(|error| Error::os(format!("cannot start {name}, which reaches hosts"), error))?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(input), Some(output), Some(errors)) = pipes else { unreachable!("asked for above") };
    let (silent, silence) = channel();
    let process = Arc::new(Process {
        child: Mutex::new(child),
        said: Mutex::default(),
        is_passed_on: AtomicBool::new(false),
        silence: Mutex::new(silence),
    });
    let its = process.clone();
    in_background(move || {
        its.listen(errors);
        // Nobody may ask any more.
        let _ = silent.send(());
    })?;
    Ok((process, (input, output)))
}

/// The end of a connection.
enum ConnectionEnd {
    /// No proxy has begun.
    ToNothing,
    ToTheEnd,
}

/// Passes on the frames of a proxy, until it ends.
fn listen(
    mut from: impl BufRead,
    has_marker: bool,
    ear: &EventSink,
    begins: impl Fn(),
) -> ConnectionEnd {
    if has_marker && !is_marked(&mut from) {
        return ConnectionEnd::ToNothing;
    }
    let mut has_begun = false;
    while let Ok(frame) = receive_up(&mut from) {
        if !std::mem::replace(&mut has_begun, true) {
            begins();
        }
        ear(ProxyEvent::Frame(frame));
    }
    if has_begun { ConnectionEnd::ToTheEnd } else { ConnectionEnd::ToNothing }
}

/// Reads up to the line that a proxy begins with.
fn is_marked(from: &mut impl BufRead) -> bool {
    let mut from = from.take(GREETINGS);
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
        if line.trim_ascii() == MARKER.as_bytes() {
            return true;
        }
        line.clear();
    }
    false
}

/// Starts a thread.
pub(super) fn in_background(body: impl FnOnce() + Send + 'static) -> Result<()> {
    let thread = thread::Builder::new().stack_size(256 << 10).spawn(body);
    thread.map(drop).map_err(|error| Error::no_process("cannot start a thread", error))
}

/// Locks data that is valid wherever a thread has panicked.
pub(super) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
