//! The types that typed procedures are for. Each macro of a family is called with a kind, the bytes of an element
//! and gfortran's number of its basic type. Characters are for the families themselves: their length comes with a
//! call.

/// A macro of a family, for each type but character.
macro_rules! each_kind {
    ($family:ident) => {
        $family!(i2, 2, INTEGER);
        $family!(i4, 4, INTEGER);
        $family!(i8, 8, INTEGER);
        $family!(l2, 2, LOGICAL);
        $family!(l4, 4, LOGICAL);
        $family!(l8, 8, LOGICAL);
        $family!(r4, 4, REAL);
        $family!(r8, 8, REAL);
        $family!(z8, 8, COMPLEX);
        $family!(z16, 16, COMPLEX);
    };
}

/// A macro of a family for each rank of arrays, with what else is given.
macro_rules! each_rank {
    ($family:ident $(, $more:tt)*) => {
        $family!("1" $(, $more)*);
        $family!("2" $(, $more)*);
        $family!("3" $(, $more)*);
        $family!("4" $(, $more)*);
        $family!("5" $(, $more)*);
        $family!("6" $(, $more)*);
        $family!("7" $(, $more)*);
    };
}

/// The procedure of a family for a rank and a kind: its name in programs, its parameters and its body. The contract
/// of entries holds, with arguments as the interface in the module xmpf_coarray_decl has them.
macro_rules! typed {
    ($family:literal $rank:literal $kind:ident ($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block) => {
        const _: () = {
            #[unsafe(export_name = concat!("xmpf_", $family, $rank, "d_", stringify!($kind), "_"))]
            extern "C" fn procedure($($argument: $type),*) $(-> $result)? $body
        };
    };
}
