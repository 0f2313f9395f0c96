//! The client with servers that answer as MPICH 4.0, MPICH 5.0, Slurm 22.05 and Flux do.

use super::*;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::IntoRawFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;

/// The way in which a server answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    /// Codes of failures only; of a value that is not there, a text.
    Mpich4,
    /// Codes always, and first.
    Mpich5,
    /// A value is seen after the next barrier only, and a longer request is lost.
    Slurm,
    /// The name of the store is the name of the job, which is no ASCII; an abort has an answer, an empty line.
    Flux,
}

const ALL: [Dialect; 4] = [Dialect::Mpich4, Dialect::Mpich5, Dialect::Slurm, Dialect::Flux];

/// The server of a job.
#[derive(Debug)]
struct Server {
    dialect: Dialect,
    barrier: Barrier,
    /// The visible values, and the values that were put since the last barrier.
    store: Mutex<(HashMap<String, String>, HashMap<String, String>)>,
    /// The status of an abort, once there is one.
    aborted: Mutex<Option<String>>,
}

impl Server {
    fn new(dialect: Dialect, processes: usize) -> Arc<Server> {
        Arc::new(Server {
            dialect,
            barrier: Barrier::new(processes),
            store: Mutex::default(),
            aborted: Mutex::default(),
        })
    }

    /// Serves one process until that has gone.
    fn serve(&self, mut stream: UnixStream) {
        let reader = BufReader::new(stream.try_clone().unwrap());
        for line in reader.lines().map_while(|line| line.ok()) {
            let request = Answer(line.clone());
            if let Some(answer) = self.answer(&request, line.len() + 1) {
                // The client may have gone.
                let _ = stream.write_all(format!("{answer}\n").as_bytes());
            }
        }
    }

    fn answer(&self, request: &Answer, len: usize) -> Option<String> {
        let is_old = self.dialect == Dialect::Mpich4;
        let code = if is_old { "" } else { " rc=0" };
        let key = || request.value("key").unwrap().to_string();
        Some(match (request.value("cmd").unwrap(), self.dialect) {
            ("init", Dialect::Mpich4) => {
                "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0".into()
            }
            ("init", Dialect::Mpich5) => {
                "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=2".into()
            }
            ("init", _) => "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1".into(),
            ("get_my_kvsname", Dialect::Flux) => "cmd=my_kvsname rc=0 kvsname=ƒ2yRXLcDqV".into(),
            ("get_my_kvsname", _) => format!("cmd=my_kvsname{code} kvsname=kvs_3320_0_10155118_vm"),
            ("put", dialect) => {
                let value: String = request.value("value").unwrap().chars().take(1023).collect();
                if dialect == Dialect::Flux {
                    assert_eq!(request.value("kvsname"), Some("ƒ2yRXLcDqV"));
                }
                let (seen, new) = &mut *self.store.lock().unwrap();
                match dialect {
                    // The value is lost.
                    Dialect::Slurm if len > 1024 => None,
                    Dialect::Slurm => new.insert(key(), value),
                    _ => seen.insert(key(), value),
                };
                format!("cmd=put_result rc=0{}", if is_old { " msg=success" } else { "" })
            }
            ("barrier_in", dialect) => {
                if self.barrier.wait().is_leader() {
                    let (seen, new) = &mut *self.store.lock().unwrap();
                    seen.extend(new.drain());
                }
                self.barrier.wait();
                let end = match dialect {
                    Dialect::Mpich4 => "",
                    Dialect::Mpich5 => " tag=0",
                    Dialect::Slurm | Dialect::Flux => " rc=0",
                };
                format!("cmd=barrier_out{end}")
            }
            ("get", dialect) => match (self.store.lock().unwrap().0.get(&key()), dialect) {
                (Some(value), Dialect::Mpich4) => {
                    format!("cmd=get_result rc=0 msg=success value={value}")
                }
                (Some(value), _) => format!("cmd=get_result rc=0 value={value}"),
                (None, Dialect::Mpich4) => {
                    "cmd=get_result rc=-1 msg=key_nokey_not_found value=unknown".into()
                }
                (None, Dialect::Flux) => "cmd=get_result rc=4".into(),
                (None, _) => "cmd=get_result rc=1".into(),
            },
            ("finalize", _) => format!("cmd=finalize_ack{code}"),
            ("abort", _) => {
                *self.aborted.lock().unwrap() = request.value("exitcode").map(str::to_string);
                return (self.dialect == Dialect::Flux).then(String::new);
            }
            (other, _) => panic!("hydra ends a job whose process sends {other:?}"),
        })
    }
}

/// The results of `body` as each of `number` processes.
fn processes<T: Send>(
    server: &Arc<Server>,
    number: u32,
    patience: Duration,
    body: impl Fn(Pmi1) -> T + Sync,
) -> Vec<T> {
    let body = &body;
    thread::scope(|scope| {
        let process = |rank: u32| {
            let (mine, its) = UnixStream::pair().unwrap();
            scope.spawn(move || server.serve(its));
            scope.spawn(move || {
                let variables = [
                    ("PMI_FD", mine.into_raw_fd().to_string()),
                    ("PMI_RANK", rank.to_string()),
                    ("PMI_SIZE", number.to_string()),
                ];
                let lookup = |name: &str| {
                    variables.iter().find(|(its, _)| *its == name).map(|(_, value)| value.clone())
                };
                body(Pmi1::open(lookup, Instant::now() + patience).unwrap())
            })
        };
        let all: Vec<_> = (0..number).map(process).collect();
        all.into_iter().map(|process| process.join().unwrap()).collect()
    })
}

/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(600);

#[test]
fn what_the_first_process_publishes_is_found_by_all_with_every_server() {
    for dialect in ALL {
        let found = processes(&Server::new(dialect, 3), 3, LONG, |mut pmi| {
            if pmi.rank() == Rank::new(0) {
                pmi.publish("card", b"bytes ; of / any = kind\n\0").unwrap();
            }
            pmi.meet().unwrap();
            let found = pmi.find(Rank::new(0), "card").unwrap();
            pmi.finish().unwrap();
            (pmi.rank().get(), pmi.size(), found)
        });
        let text = b"bytes ; of / any = kind\n\0".to_vec();
        assert_eq!(found, [0, 1, 2].map(|rank| (rank, 3, text.clone())), "{dialect:?}");
    }
}

#[test]
fn a_name_that_nothing_was_published_under_is_an_error() {
    for dialect in ALL {
        let found = processes(&Server::new(dialect, 2), 2, LONG, |mut pmi| {
            pmi.meet().unwrap();
            pmi.find(Rank::new(0), "card").unwrap_err().to_string()
        });
        assert!(found.iter().all(|text| text.contains("get")), "{found:?}");
    }
}

/// The way in which a server fails.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// It reports an error.
    Refuses,
    /// It has gone.
    Closes,
    /// It never answers.
    IsSilent,
}

/// The first error of a process whose server fails at the request that begins like this.
fn error_at(request: &str, fault: Fault) -> String {
    let server = Server::new(Dialect::Mpich5, 1);
    let (mine, mut its) = UnixStream::pair().unwrap();
    let request = request.to_owned();
    let serving = thread::spawn(move || {
        for line in BufReader::new(its.try_clone().unwrap()).lines().map_while(|line| line.ok()) {
            let fails = line.starts_with(&request);
            let answer = match fault {
                Fault::Refuses if fails => Some("cmd=failed rc=-1 msg=no_space".to_owned()),
                Fault::Closes if fails => return,
                Fault::IsSilent if fails => None,
                _ => server.answer(&Answer(line.clone()), line.len() + 1),
            };
            if let Some(answer) = answer {
                // The process may have gone: on a slow machine its patience ends at an earlier request.
                let _ = its.write_all(format!("{answer}\n").as_bytes());
            }
        }
    });
    let patience = if matches!(fault, Fault::IsSilent) { Duration::from_millis(50) } else { LONG };
    let found = Pmi1::greet(Lines::new(mine.into(), Instant::now() + patience), 0, 1).and_then(
        |mut pmi| {
            pmi.publish("card", b"1")?;
            pmi.meet()?;
            pmi.find(Rank::new(0), "card")?;
            pmi.finish()
        },
    );
    serving.join().unwrap();
    found.unwrap_err().to_string()
}

#[test]
fn each_request_that_a_server_does_not_do_is_an_error_about_the_process_manager() {
    for (request, name) in [
        ("cmd=init", "init"),
        ("cmd=get_my_kvsname", "get_my_kvsname"),
        ("cmd=put", "put"),
        ("cmd=barrier_in", "barrier"),
        ("cmd=get ", "get"),
        ("cmd=finalize", "finalize"),
    ] {
        for (fault, words) in [
            (Fault::Refuses, &[&*format!("answer to {name}"), "no_space", "xmprun"][..]),
            (Fault::Closes, &["closed its connection"]),
            (Fault::IsSilent, &["in time"]),
        ] {
            let text = error_at(request, fault);
            assert!(text.contains("process manager"), "{request}, {fault:?}: {text}");
            assert!(words.iter().all(|word| text.contains(word)), "{request}, {fault:?}: {text}");
        }
    }
}

#[test]
fn what_a_server_would_cut_is_refused() {
    for dialect in ALL {
        processes(&Server::new(dialect, 1), 1, LONG, |mut pmi| {
            pmi.publish("short", &[7; VALUE / 2]).unwrap();
            pmi.meet().unwrap();
            assert_eq!(pmi.find(Rank::new(0), "short").unwrap(), [7; VALUE / 2], "{dialect:?}");
            pmi.publish("long", &[7; VALUE]).unwrap_err();
        });
    }
}

#[test]
fn processes_that_do_not_come_are_waited_for_no_longer_than_permitted() {
    // Of two processes one comes.
    let server = Server::new(Dialect::Slurm, 2);
    let patience = Duration::from_millis(100);
    let (mine, its) = UnixStream::pair().unwrap();
    let serving = server.clone();
    thread::spawn(move || serving.serve(its));
    let lines = Lines::new(mine.into(), Instant::now() + patience);
    let mut pmi = Pmi1::greet(lines, 0, 2).unwrap();
    let text = pmi.meet().unwrap_err().to_string();
    assert!(text.contains("in time"), "{text}");
}

#[test]
fn an_abort_waits_for_no_answer() {
    for dialect in ALL {
        let server = Server::new(dialect, 1);
        processes(&server, 1, LONG, |mut pmi| pmi.abort(7, "why"));
        assert_eq!(server.aborted.lock().unwrap().as_deref(), Some("7"), "{dialect:?}");
    }
}

#[test]
fn the_descriptor_is_closed_in_programs_that_this_one_starts() {
    processes(&Server::new(Dialect::Mpich4, 1), 1, LONG, |pmi| {
        let Pmi1 { lines, .. } = &pmi;
        // SAFETY: only queries flags.
        let flags = unsafe { libc::fcntl(lines.descriptor(), libc::F_GETFD) };
        assert_eq!(flags & libc::FD_CLOEXEC, libc::FD_CLOEXEC);
    });
}

#[test]
fn a_server_by_tcp_tells_the_number() {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = Server::new(Dialect::Mpich4, 1);
    thread::spawn(move || {
        let (mut tcp, _) = listener.accept().unwrap();
        let mut lines = BufReader::new(tcp.try_clone().unwrap()).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "cmd=initack pmiid=1");
        tcp.write_all(b"cmd=initack\ncmd=set size=2\ncmd=set rank=1\ncmd=set debug=0\n").unwrap();
        for line in lines.map_while(|line| line.ok()) {
            let answer = server.answer(&Answer(line.clone()), line.len()).unwrap();
            tcp.write_all(format!("{answer}\n").as_bytes()).unwrap();
        }
    });
    let lookup = |name: &str| match name {
        "PMI_PORT" => Some(address.clone()),
        "PMI_ID" => Some("1".into()),
        _ => None,
    };
    let pmi = Pmi1::open(lookup, Instant::now() + LONG).unwrap();
    assert_eq!((pmi.rank().get(), pmi.size()), (1, 2));
}

#[test]
fn a_descriptor_that_is_not_open_is_an_error() {
    for text in ["", "x", "0", "987654"] {
        let lookup = |name: &str| (name == "PMI_FD").then(|| text.to_string());
        let error = Pmi1::open(lookup, Instant::now() + LONG).unwrap_err().to_string();
        assert!(error.contains("PMI_FD"), "{error}");
    }
}
