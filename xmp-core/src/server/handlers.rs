//! Requests of the front ends: functions that run where the memory is. For a neighbour the asking image runs them in place,
//! for a stranger the server of its host does.

use crate::error::{Error, Result};
use crate::job::Job;
use crate::rank::Rank;
use std::sync::{PoisonError, RwLock};

/// What a handler works with.
#[derive(Clone, Copy, Debug)]
pub struct Served<'a> {
    /// The job, whose region has the segments of this host's images.
    pub job: &'a Job,
    /// The image that asks.
    pub origin: Rank,
    /// The image that is asked about: of this host.
    pub target: Rank,
}

/// Does what `payload` asks for and appends the answer to `reply`. It may not wait for anybody: other requests wait for
/// it. If it panics, the job ends.
pub type Function = fn(served: Served<'_>, payload: &[u8], reply: &mut Vec<u8>) -> Result<()>;

/// A function with the number by which it is asked for, the same on all images.
#[derive(Clone, Copy, Debug)]
pub struct Handler {
    /// The number. Each front end has numbers of its own.
    pub number: u16,
    /// The function.
    pub run: Function,
}

/// The handlers of a process.
#[derive(Debug, Default)]
pub struct Handlers(RwLock<Vec<Handler>>);

impl Handlers {
    /// Makes a handler known, before the image tells others that there is something to ask for.
    ///
    /// # Errors
    /// When the number is another function's.
    pub fn register(&self, handler: Handler) -> Result<()> {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match all.iter().find(|other| other.number == handler.number) {
            Some(other) if std::ptr::fn_addr_eq(other.run, handler.run) => Ok(()),
            Some(_) => {
                Err(Error::Invalid(format!("handler {} is registered twice", handler.number)))
            }
            None => {
                all.push(handler);
                Ok(())
            }
        }
    }

    /// The handler with this number.
    ///
    /// # Errors
    /// When there is none.
    pub fn get(&self, number: u16) -> Result<Handler> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let handler = all.iter().find(|handler| handler.number == number).copied();
        handler.ok_or_else(|| Error::Invalid(format!("there is no handler {number}")))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_one_function() {
        let handlers = Handlers::default();
        let first = Handler { number: 1, run: |_, _, _| Ok(()) };
        let second = Handler {
            number: 1,
            run: |_, _, reply| {
                reply.push(1);
                Ok(())
            },
        };
        handlers.register(first).unwrap();
        handlers.register(first).unwrap();
        assert!(handlers.register(second).unwrap_err().to_string().contains("handler 1"));
        assert!(handlers.get(2).unwrap_err().to_string().contains("handler 2"));
        assert_eq!(handlers.get(1).unwrap().number, 1);
    }
}
