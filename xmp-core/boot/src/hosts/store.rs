//! The process manager of a host's images: it uses PMI-1 with each of them, and the launcher joins the process managers
//! of all hosts.

use super::children::lock;
use super::frame::Values;
use crate::control::SECRET;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::sync::Mutex;

/// Longest request.
const REQUEST: u64 = 64 << 10;

/// A request of images that concerns other hosts.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// An image of this host waits for all others.
    Waits,
    /// All images of this host do, and have published these values since they last did.
    Met(Values),
    /// The image ends the job with this status.
    Abort(i32),
}

/// The progress of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// It has sent no request.
    Silent,
    /// It has begun, and not finished.
    Speaks,
    /// It has finished.
    Finished,
}

#[derive(Debug)]
struct State {
    values: HashMap<String, String>,
    /// The values that were published since the last meeting.
    new: Values,
    /// Connections of the images that wait for all others.
    waiting: Vec<UnixStream>,
    stages: Vec<Stage>,
}

/// The store and the meetings of a host's images.
#[derive(Debug)]
pub(super) struct Store {
    state: Mutex<State>,
}

impl Store {
    /// The store of `images` images of this host, with the secret of the job.
    pub fn new(images: usize, secret: &[u8]) -> Store {
        let mut digits = String::new();
        // Writing to a string cannot fail.
        secret.iter().for_each(|byte| _ = write!(digits, "{byte:02x}"));
        let values = HashMap::from([(SECRET.to_owned(), digits)]);
        let stages = vec![Stage::Silent; images];
        Store { state: Mutex::new(State { values, new: Vec::new(), waiting: Vec::new(), stages }) }
    }

    /// Serves the image with this number on this host, until it has finished. `ask` passes on requests that concern
    /// other hosts.
    pub fn serve(&self, number: usize, connection: UnixStream, ask: impl Fn(Request)) {
        let Ok(mut to) = connection.try_clone() else { return };
        let mut from = BufReader::new(connection);
        let mut line = String::new();
        loop {
            line.clear();
            let read = std::io::Read::take(&mut from, REQUEST).read_line(&mut line);
            if !read.is_ok_and(|bytes| bytes > 0) {
                return;
            }
            let answer = self.answer(number, line.trim_end(), &to, &ask);
            // An image that has gone needs no answer.
            if answer.is_some_and(|answer| to.write_all(format!("{answer}\n").as_bytes()).is_err())
            {
                return;
            }
        }
    }

    fn answer(
        &self,
        number: usize,
        line: &str,
        connection: &UnixStream,
        ask: &impl Fn(Request),
    ) -> Option<String> {
        let value = |key: &str| {
            let pairs = line.split(' ').filter_map(|word| word.split_once('='));
            pairs.into_iter().find(|(its, _)| *its == key).map(|(_, value)| value)
        };
        let mut state = lock(&self.state);
        let answer = match value("cmd") {
            Some("init") => {
                state.stages[number] = Stage::Speaks;
                "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1".to_owned()
            }
            Some("get_my_kvsname") => "cmd=my_kvsname rc=0 kvsname=xmprun".to_owned(),
            Some("put") => match (value("key"), value("value")) {
                (Some(key), Some(text)) => {
                    state.new.push((key.to_owned(), text.to_owned()));
                    "cmd=put_result rc=0".to_owned()
                }
                _ => "cmd=put_result rc=1".to_owned(),
            },
            Some("get") => match value("key").and_then(|key| state.values.get(key)) {
                Some(text) => format!("cmd=get_result rc=0 value={text}"),
                None => "cmd=get_result rc=1".to_owned(),
            },
            Some("barrier_in") => {
                let Ok(connection) = connection.try_clone() else {
                    return Some("cmd=barrier_out rc=1".into());
                };
                state.waiting.push(connection);
                let values = (state.waiting.len() == state.stages.len())
                    .then(|| std::mem::take(&mut state.new));
                drop(state);
                ask(Request::Waits);
                if let Some(values) = values {
                    ask(Request::Met(values));
                }
                return None;
            }
            Some("finalize") => {
                state.stages[number] = Stage::Finished;
                "cmd=finalize_ack rc=0".to_owned()
            }
            Some("abort") => {
                drop(state);
                ask(Request::Abort(
                    value("exitcode").and_then(|code| code.parse().ok()).unwrap_or(1),
                ));
                return None;
            }
            _ => "cmd=unknown rc=1".to_owned(),
        };
        Some(answer)
    }

    /// All images of the job have met, and have published these values.
    pub fn release(&self, values: &Values) {
        let mut state = lock(&self.state);
        state.values.extend(values.iter().cloned());
        for mut connection in std::mem::take(&mut state.waiting) {
            // An image that has gone needs no answer.
            let _ = connection.write_all(b"cmd=barrier_out rc=0\n");
        }
    }

    /// Whether the image with this number needs the others no more, or never did.
    pub fn has_left(&self, number: usize) -> bool {
        lock(&self.state).stages[number] != Stage::Speaks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::thread;

    fn ask(connection: &UnixStream, request: &str) -> String {
        let mut to = connection;
        to.write_all(format!("{request}\n").as_bytes()).unwrap();
        hear(connection)
    }

    fn hear(connection: &UnixStream) -> String {
        let mut line = Vec::new();
        let mut byte = [0];
        let mut from = connection;
        while std::io::Read::read(&mut from, &mut byte).unwrap() == 1 && byte[0] != b'\n' {
            line.push(byte[0]);
        }
        String::from_utf8(line).unwrap()
    }

    #[test]
    fn images_of_a_host_meet_those_of_others() {
        let store = Store::new(2, &[1, 0xab]);
        let (told, requests) = channel();
        thread::scope(|scope| {
            let images = [0, 1].map(|number| {
                let (image, server) = UnixStream::pair().unwrap();
                let (store, told) = (&store, told.clone());
                scope.spawn(move || store.serve(number, server, |it| told.send(it).unwrap()));
                image
            });
            for image in &images {
                let answer = ask(image, "cmd=init pmi_version=1 pmi_subversion=1");
                assert!(answer.starts_with("cmd=response_to_init rc=0"), "{answer}");
                assert_eq!(
                    ask(image, &format!("cmd=get key={SECRET}")),
                    "cmd=get_result rc=0 value=01ab"
                );
            }
            assert!(!store.has_left(0));
            assert_eq!(
                ask(&images[0], "cmd=put kvsname=xmprun key=a value=b"),
                "cmd=put_result rc=0"
            );
            assert_eq!(ask(&images[0], "cmd=get key=a"), "cmd=get_result rc=1");
            for image in &images {
                let mut to = image;
                to.write_all(b"cmd=barrier_in\n").unwrap();
            }
            let mut found: Vec<Request> = requests.iter().take(3).collect();
            let values = vec![("a".to_owned(), "b".to_owned())];
            let met = found.iter().position(|it| *it == Request::Met(values.clone())).unwrap();
            found.remove(met);
            assert_eq!(found, [Request::Waits, Request::Waits]);
            store.release(&vec![values[0].clone(), ("c".into(), "d".into())]);
            for image in &images {
                assert_eq!(hear(image), "cmd=barrier_out rc=0");
                assert_eq!(ask(image, "cmd=get key=c"), "cmd=get_result rc=0 value=d");
            }
            assert_eq!(ask(&images[0], "cmd=finalize"), "cmd=finalize_ack rc=0");
            assert!(store.has_left(0) && !store.has_left(1));
            let mut to = &images[1];
            to.write_all(b"cmd=abort exitcode=7\n").unwrap();
            assert_eq!(requests.recv().unwrap(), Request::Abort(7));
            assert_eq!(ask(&images[1], "what"), "cmd=unknown rc=1");
        });
    }
}
