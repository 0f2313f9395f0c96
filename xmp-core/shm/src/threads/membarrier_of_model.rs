//! The two sides of the barrier for the model checker: both execute the fence that the kernel makes of them.

use crate::sync::{Ordering, fence};

pub fn prepare() -> bool {
    true
}

pub fn light() {
    fence(Ordering::SeqCst);
}

pub fn heavy() {
    fence(Ordering::SeqCst);
}
