//! Tests with hosts that are threads, connected by the loopback device.

use super::*;
use crate::launch;
use crate::process::goodbye::{DEATH, GOODBYE};
use crate::region::Region;
use crate::settings::Settings;
use crate::sockets::{ANSWER, CONFIRMATION, GREETING};
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

#[test]
fn one_says_that_a_host_has_gone() {
    let hosts = 2000;
    assert_eq!(above(0), None);
    for lost in 0..hosts {
        let sayers: Vec<u32> = (0..hosts).filter(|&host| says(host, lost)).collect();
        let from_below = (lost * BELOW + 1 < hosts).then_some(lost * BELOW + 1);
        let expected: Vec<u32> = above(lost).into_iter().chain(from_below).collect();
        assert_eq!(sayers, expected);
        assert!(above(lost).is_none_or(|above| above < lost));
    }
}

/// A host that is a thread.
struct Host {
    job: Arc<Job>,
    shared: Arc<ThreadState>,
    thread: JoinHandle<()>,
}

impl Host {
    fn leave(self) {
        self.shared.stop.store(true, Ordering::Release);
        self.shared.wake.wake();
        self.thread.join().unwrap();
    }
}

fn job() -> Arc<Job> {
    let settings = Settings::default();
    let mut plan = launch::plan(1, 1, &[], &settings).unwrap();
    plan.geometry.base = 0;
    let region = Region::anonymous(plan.geometry.region_len()).unwrap();
    Arc::new(Job::create(region, &plan))
}

/// Connections that were made, which the test keeps as a monitor would.
static MADE: Mutex<Vec<TcpStream>> = Mutex::new(Vec::new());

fn keep(stream: &TcpStream, name: &str) -> io::Result<()> {
    assert!(name.starts_with("host"));
    MADE.lock().unwrap().push(stream.try_clone()?);
    Ok(())
}

/// The description of a host, with a secret of its own.
fn description(number: u32, port: u16, addresses: Vec<IpAddr>) -> Description {
    let card = Card { port, secret: [number as u8 + 1; 16], addresses };
    Description { card, text: format!("host {number}") }
}

/// Starts all but the last of `count` hosts; returns them and the descriptions of all.
fn hosts(count: u32) -> (Vec<Host>, Vec<Description>) {
    let listeners: Vec<_> = (0..count)
        .map(|number| {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            listener.set_nonblocking(true).unwrap();
            let port = listener.local_addr().unwrap().port();
            (listener, description(number, port, vec![Ipv4Addr::LOCALHOST.into()]))
        })
        .collect();
    let all: Vec<Description> =
        listeners.iter().map(|(_, description)| description.clone()).collect();
    let start = |(number, (listener, _)): (usize, (TcpListener, Description))| {
        let (job, shared) = (
            job(),
            Arc::new(ThreadState { stop: AtomicBool::new(false), wake: Wake::new().unwrap() }),
        );
        let watcher = Watcher {
            job: job.clone(),
            hosts: all.clone(),
            number: number as u32,
            keep,
            timeout: TIMEOUT,
            is_ended_by_launcher: true,
        };
        let its = shared.clone();
        Host { job, shared, thread: thread::spawn(move || watcher.watch(&its, &listener)) }
    };
    let running = listeners.into_iter().take(count as usize - 1).enumerate().map(start).collect();
    (running, all)
}

/// No host is silent for so long here.
const TIMEOUT: Duration = Duration::from_secs(90);

/// Ends a test that hangs; no machine is that slow.
const HANG: Duration = Duration::from_secs(600);

fn until(mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + HANG;
    while !condition() {
        assert!(Instant::now() < deadline, "within ten minutes");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Acts as the last host: connects to the first.
fn connect(all: &[Description]) -> TcpStream {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, all[0].card.port)).unwrap();
    join(stream, all.len() as u32 - 1, &all[0])
}

/// Connects the host `number` to the first one.
fn join(mut stream: TcpStream, number: u32, first: &Description) -> TcpStream {
    let nonce = sockets::nonce().unwrap();
    stream.write_all(&first.card.greeting(Rank::new(number), &nonce)).unwrap();
    stream.set_read_timeout(Some(HANG)).unwrap();
    let mut connection = Connection { stream, stage: Stage::Answer { host: 0, tried: 0, nonce } };
    assert!(connection.confirms(number, 0, first, &nonce));
    assert!(connection.is_welcomed());
    connection.stream
}

/// A foreign process that says this to a host.
fn stranger(host: &Description, says: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, host.card.port)).unwrap();
    stream.write_all(says).unwrap();
    stream.set_read_timeout(Some(HANG)).unwrap();
    stream
}

/// Whether the other end has closed or reset the connection.
fn is_closed(stream: &mut TcpStream) -> bool {
    !matches!(stream.read(&mut [0]), Ok(1..))
}

/// One test, because all have one list of connections.
#[test]
fn a_host_that_closes_without_a_goodbye_ends_the_job_and_no_other_does() {
    let made = || MADE.lock().unwrap().len();
    for goodbye in [Some(GOODBYE), Some(DEATH), None] {
        MADE.lock().unwrap().clear();
        let (running, all) = hosts(3);
        // Both ends of the connection between the first two.
        until(|| made() == 2);
        // Connections of foreign processes are closed, whatever they send.
        let heard = all[0].card.greeting(Rank::new(2), &[5; 16]);
        let guessed = all[1].card.greeting(Rank::new(2), &[5; 16]);
        for says in [&b"GET / HTTP/1.1"[..], &guessed, &heard[..4]] {
            let mut stranger = stranger(&all[0], says);
            assert!(is_closed(&mut stranger));
        }
        // A process that repeats received bytes is answered, and cannot confirm.
        let mut repeated = stranger(&all[0], &heard);
        repeated.read_exact(&mut [0; ANSWER]).unwrap();
        repeated.write_all(&[7; CONFIRMATION]).unwrap();
        assert!(is_closed(&mut repeated));
        assert_eq!(made(), 2);
        let mut last = connect(&all);
        until(|| made() == 3);
        assert!(running.iter().all(|host| failure::ending(&host.job).is_none()));
        if let Some(goodbye) = goodbye {
            last.write_all(goodbye).unwrap();
        }
        drop(last);
        if goodbye == Some(DEATH) {
            // A request to end that comes from now on shows no table.
            until(|| {
                end_request::make(&running[0].job);
                !end_request::is_made(&running[0].job)
            });
        }
        if goodbye.is_none() {
            until(|| failure::ending(&running[0].job) == Some((None, 1)));
        }
        let jobs: Vec<_> = running.iter().map(|host| host.job.clone()).collect();
        running.into_iter().for_each(Host::leave);
        // Hosts that left sent each other the goodbye.
        assert!(failure::ending(&jobs[1]).is_none());
        assert_eq!(failure::ending(&jobs[0]).is_some(), goodbye.is_none());
    }
}

/// Listeners at three addresses of this machine, at the same port.
fn three_addresses() -> [TcpListener; 3] {
    let at = |last, port| TcpListener::bind((Ipv4Addr::new(127, 0, 0, last), port));
    let all = || {
        let first = at(2, 0)?;
        let port = first.local_addr()?.port();
        io::Result::Ok([first, at(3, port)?, at(1, port)?])
    };
    // A foreign process may listen at one of them.
    (0..100).find_map(|_| all().ok()).expect("a port that is free at three addresses")
}

/// Connections need no copy here.
fn keep_none(_: &TcpStream, _: &str) -> io::Result<()> {
    Ok(())
}

/// Starts host 1 of these.
fn second_host(all: &[Description]) -> Host {
    let (job, shared) =
        (job(), Arc::new(ThreadState { stop: AtomicBool::new(false), wake: Wake::new().unwrap() }));
    let watcher = Watcher {
        job: job.clone(),
        hosts: all.to_vec(),
        number: 1,
        keep: keep_none,
        timeout: TIMEOUT,
        is_ended_by_launcher: true,
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.set_nonblocking(true).unwrap();
    let its = shared.clone();
    Host { job, shared, thread: thread::spawn(move || watcher.watch(&its, &listener)) }
}

/// Other machines may have addresses of this host, too (addresses of bridges), and a foreign process may listen there
/// at that port.
#[test]
fn a_foreign_process_does_not_end_the_job() {
    let listeners = three_addresses();
    let addresses = listeners.iter().map(|listener| listener.local_addr().unwrap().ip()).collect();
    let port = listeners[0].local_addr().unwrap().port();
    let first = description(0, port, addresses);
    let host = second_host(&[first.clone(), description(1, 0, Vec::new())]);
    let come = |listener: &TcpListener| {
        let mut stream = None;
        listener.set_nonblocking(true).unwrap();
        until(|| {
            assert!(failure::ending(&host.job).is_none());
            stream = listener.accept().ok();
            stream.is_some()
        });
        let (mut stream, _) = stream.unwrap();
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(HANG)).unwrap();
        let mut bytes = [0; GREETING];
        stream.read_exact(&mut bytes).unwrap();
        let (caller, nonce) = first.card.caller(&bytes).unwrap();
        assert_eq!(caller, Rank::new(1));
        (stream, nonce)
    };
    // One that ends before it has answered, and one that answers in another way.
    drop(come(&listeners[0]));
    let (mut other, _) = come(&listeners[1]);
    other.write_all(b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n").unwrap();
    let (mut right, its) = come(&listeners[2]);
    let nonce = sockets::nonce().unwrap();
    right.write_all(&first.card.answer(Rank::new(0), &its, &nonce)).unwrap();
    let mut confirmation = [0; CONFIRMATION];
    right.read_exact(&mut confirmation).unwrap();
    assert_eq!(confirmation, first.card.confirmation(Rank::new(1), [&its, &nonce]));
    right.write_all(WELCOME).unwrap();
    drop(other);
    right.write_all(GOODBYE).unwrap();
    let job = host.job.clone();
    host.leave();
    assert!(failure::ending(&job).is_none());
}

/// Processes that connect and send nothing block no host.
#[test]
fn silent_connections_block_no_host() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let strangers: Vec<_> = (0..50).map(|_| TcpStream::connect(address).unwrap()).collect();
    listener.set_nonblocking(true).unwrap();
    let (job, shared) =
        (job(), Arc::new(ThreadState { stop: AtomicBool::new(false), wake: Wake::new().unwrap() }));
    let hosts = vec![description(0, 0, Vec::new()), description(1, 0, Vec::new())];
    let first = hosts[0].clone();
    let watcher = Watcher {
        job: job.clone(),
        hosts,
        number: 0,
        keep: keep_none,
        timeout: TIMEOUT,
        is_ended_by_launcher: true,
    };
    let its = shared.clone();
    let thread = thread::spawn(move || watcher.watch(&its, &listener));
    drop(join(TcpStream::connect(address).unwrap(), 1, &first));
    until(|| failure::ending(&job).is_some());
    drop(strangers);
    Host { job, shared, thread }.leave();
}
