//! Registration of accessors, and inquiries by them.

use super::entered;
use super::function::{Accessor, Statement};
use super::guard;
use super::object::{Object, TransferSize, Use};
use super::remote::Call;
use super::remote::request::Characters;
use super::selector::Selector;
use super::table;
use super::values::{self, Values};
use crate::entry::entries;
use crate::gfortran_abi::Outcome;
use crate::gnu::register;
use crate::gnu::token::{Token, TokenHandle};
use crate::gnu::version;
use crate::process::{enter, instance};
use std::ffi::{c_int, c_void};
use xmp_core::Result;

entries! {
    /// Registers an accessor by the number that the compiler has given it. Constructors of the program call this,
    /// before there is an image.
    fn _gfortran_caf_register_accessor(hash: c_int, accessor: Accessor) {
        register();
        version::learn_from(accessor.address());
        table::register(hash, accessor);
    }

    /// The accessors of a program unit are registered. There is nothing to do: they can be found at once.
    fn _gfortran_caf_register_accessors_finish() {}

    /// The index that an accessor has in the other calls; asked once for each place in the program.
    fn _gfortran_caf_get_remote_function_index(hash: c_int) -> c_int {
        let _entered = enter();
        guard::prepare(instance().image.job());
        Outcome::value("coindexed access", table::index_of(instance(), hash))
    }

    /// `allocated(a[image]%..)`, and `associated`.
    fn _gfortran_caf_is_present_on_remote(
        token: TokenHandle,
        image: c_int,
        accessor: c_int,
        add_data: *mut c_void,
        add_data_size: usize,
    ) -> i32 {
        if let Some(values) = values::values(token) {
            let _entered = enter();
            let accessor = table::accessor(instance(), accessor);
            let accessor = Outcome::value("coindexed access", accessor);
            return accessor.inquire(Statement::new(&add_data, &image), values);
        }
        // gfortran 16 asks for coarrays themselves, too.
        // SAFETY: the contract of entries: the token of a coarray, or null.
        if unsafe { Token::of(token) }.is_err() {
            return 0;
        }
        let selector = Selector { token, image, team: None, team_number: None };
        let attempt = || -> Result<i32> {
            let _entered = enter();
            let instance = instance();
            let called = table::accessor(instance, accessor)?;
            let object = Object::find(instance, &selector, Use::Get, TransferSize::Bytes(0))?;
            if object.is_remote() {
                let characters = Characters { object: None, other: None };
                let values = Values { start: add_data, len: add_data_size };
                let call = Call { object: &object, accessor, image, characters, values };
                return call.inquire();
            }
            let statement = Statement::new(&add_data, &image);
            let inquire = |seen| entered::called(&object, || called.inquire(statement, seen));
            Ok(object.with_inquiry(inquire))
        };
        Outcome::value("allocated", attempt())
    }
}
