//! Tests with hosts that are threads, connected by the loopback device.

use super::*;
use crate::launch;
use crate::process::goodbye::{DEATH, GOODBYE};
use crate::region::Region;
use crate::settings::Settings;
use std::net::Ipv4Addr;
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
    shared: Arc<Shared>,
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

/// Starts all but the last of `count` hosts; returns them and the descriptions of all.
fn hosts(count: u32) -> (Vec<Host>, Vec<Description>) {
    let listeners: Vec<_> = (0..count)
        .map(|number| {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            listener.set_nonblocking(true).unwrap();
            let description = Description {
                port: listener.local_addr().unwrap().port(),
                token: 1000 + u64::from(number),
                addresses: vec![Ipv4Addr::LOCALHOST.into()],
                text: format!("host {number}"),
            };
            (listener, description)
        })
        .collect();
    let all: Vec<Description> =
        listeners.iter().map(|(_, description)| description.clone()).collect();
    let start = |(number, (listener, _)): (usize, (TcpListener, Description))| {
        let (job, shared) =
            (job(), Arc::new(Shared { stop: AtomicBool::new(false), wake: Wake::new().unwrap() }));
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
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, all[0].port)).unwrap();
    let number = all.len() as u32 - 1;
    stream.write_all(&greeting(all[0].token, number)).unwrap();
    stream.set_read_timeout(Some(HANG)).unwrap();
    let mut bytes = [0; WELCOME];
    stream.read_exact(&mut bytes).unwrap();
    assert_eq!(bytes, welcome(all[number as usize].token));
    stream
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
        for says in [&b"GET / HTTP/1.1"[..], &greeting(7, 2), &greeting(all[0].token, 1)[..4]] {
            let mut stranger = TcpStream::connect((Ipv4Addr::LOCALHOST, all[0].port)).unwrap();
            stranger.write_all(says).unwrap();
            stranger.set_read_timeout(Some(HANG)).unwrap();
            // Closed or reset.
            assert!(!matches!(io::Read::read(&mut stranger, &mut [0]), Ok(1..)));
        }
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
        (job(), Arc::new(Shared { stop: AtomicBool::new(false), wake: Wake::new().unwrap() }));
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

/// Other machines may have addresses of this host, too (those of bridges), and a foreign process may listen there at
/// that port.
#[test]
fn a_foreign_process_does_not_end_the_job() {
    let listeners = three_addresses();
    let addresses = listeners.iter().map(|listener| listener.local_addr().unwrap().ip()).collect();
    let port = listeners[0].local_addr().unwrap().port();
    let first = Description { port, token: 1000, addresses, text: "host 0".into() };
    let second = Description { token: 1001, text: "host 1".into(), ..Description::default() };
    let host = second_host(&[first, second]);
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
        assert_eq!(bytes, greeting(1000, 1));
        stream
    };
    // One that ends before it has answered, and one that answers in another way.
    drop(come(&listeners[0]));
    let mut other = come(&listeners[1]);
    other.write_all(b"SSH-2.0-OpenSSH_9.2\r\n").unwrap();
    let mut right = come(&listeners[2]);
    right.write_all(&welcome(1001)).unwrap();
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
    let description = |number: u64| Description {
        token: 1000 + number,
        text: "host".into(),
        ..Description::default()
    };
    let (job, shared) =
        (job(), Arc::new(Shared { stop: AtomicBool::new(false), wake: Wake::new().unwrap() }));
    let hosts = vec![description(0), description(1)];
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
    let mut other = TcpStream::connect(address).unwrap();
    other.write_all(&greeting(1000, 1)).unwrap();
    other.set_read_timeout(Some(HANG)).unwrap();
    let mut bytes = [0; WELCOME];
    other.read_exact(&mut bytes).unwrap();
    assert_eq!(bytes, welcome(1001));
    drop(other);
    until(|| failure::ending(&job).is_some());
    drop(strangers);
    Host { job, shared, thread }.leave();
}
