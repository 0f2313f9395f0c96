//! The entries that programs of the Omni compiler call (`ffi/omni`).

use super::{entries, entry};
use crate::decode::{NONE, omni, xmp};

// Directives.
entries! {
    _XMP_barrier_EXEC => Barrier, NONE;
    _XMP_barrier_NODES_ENTIRE => Barrier, omni::ON_NODES;
    _XMP_bcast_NODES_ENTIRE_OMITTED => Broadcast, omni::BCAST;
    xmprt_omni_bcast_from => Broadcast, omni::BCAST_FROM;
    _XMP_reduce_NODES_ENTIRE => Reduction, omni::ON_NODES;
    _XMP_reduce_CLAUSE => Reduction, NONE;
    xmprt_omni_reduce_flmm_nodes => Reduction, omni::ON_NODES;
    xmprt_omni_reduce_flmm_clause => Reduction, NONE;
    xmp_reduce_loc_execute => Reduction, omni::NOT_TOGETHER;
    _XMP_reflect__ => Reflect, NONE;
    _XMP_reflect_async__ => Reflect, omni::NOT_TOGETHER;
    _XMP_reduce_shadow__ => Reflect, NONE;
    _XMP_wait_async__ => Wait, NONE;
    xmpc_gmv_do => Gmove, NONE;
    _XMP_exec_task_NODES_ENTIRE => TaskBegin, omni::TASK;
    _XMP_exec_task_GLOBAL_PART => TaskBegin, omni::TASK;
    xmprt_omni_task_on_line => TaskBegin, omni::TASK;
    xmprt_omni_task_on_nodes => TaskBegin, omni::TASK;
    xmprt_omni_task_on_template => TaskBegin, omni::TASK;
    xmprt_omni_init_reduce_comm_nodes => TaskBegin, omni::TASK;
    xmprt_omni_init_reduce_comm_template => TaskBegin, omni::TASK;
    _XMP_pop_nodes => TaskEnd, NONE;
    _XMP_pop_n_free_nodes => TaskEnd, NONE;
    xmpf_barrier__ => Barrier, omni::on_reference::<0>();
    xmpf_bcast__ => Broadcast, omni::BCAST_OF_FORTRAN;
    xmpf_reduction__ => Reduction, omni::on_reference::<4>();
    xmpf_reflect__ => Reflect, NONE;
    xmpf_reflect_async__ => Reflect, omni::NOT_TOGETHER;
    xmpf_reduce_shadow__ => Reflect, NONE;
    xmpf_wait_async__ => Wait, NONE;
    xmpf_gmv_do__ => Gmove, NONE;
    xmpf_test_task_on_nodes__ => TaskBegin, omni::TASK;
    xmpf_end_task__ => TaskEnd, NONE;
    _XMP_wait_noargs => WaitPost, NONE;
    _XMP_post_1 => Post, omni::NODE;
    _XMP_wait_1 => WaitPost, omni::NODE;
    _XMP_wait_node_1 => WaitPost, omni::NODE;
    xmprt_omni_alloc_array => MakeArray, NONE;
}

// Coarrays of C.
entries! {
    _XMP_coarray_malloc => AllocateAll, NONE;
    _XMP_coarray_put => Put, NONE;
    _XMP_coarray_get => Get, NONE;
    _XMP_coarray_contiguous_put => Put, omni::CONTIGUOUS;
    _XMP_coarray_contiguous_get => Get, omni::CONTIGUOUS;
    _XMP_atomic_define_0 => AtomicDefine, omni::ATOMIC_HERE;
    _XMP_atomic_define_1 => AtomicDefine, omni::VARIABLE_IN_C;
    _XMP_atomic_ref_0 => AtomicRef, omni::ATOMIC_HERE;
    _XMP_atomic_ref_1 => AtomicRef, omni::VARIABLE_IN_C;
    _XMP_lock_0 => Lock, NONE;
    _XMP_lock_1 => Lock, omni::VARIABLE_IN_C;
    _XMP_unlock_0 => Unlock, NONE;
    _XMP_unlock_1 => Unlock, omni::VARIABLE_IN_C;
}

/// Declares the entries for the numbers of dimensions that the rows name.
macro_rules! by_dimensions {
    ($($name:literal: $operation:ident $first:literal $($more:literal)*;)+) => {$(
        entry! { concat!($name, $first) => $operation, NONE }
        $(entry! { concat!($name, $more) => $operation, NONE })*
    )+};
}

by_dimensions! {
    "_XMP_atomic_define_": AtomicDefine 2 3 4 5 6 7;
    "_XMP_atomic_ref_": AtomicRef 2 3 4 5 6 7;
    "_XMP_lock_": Lock 2 3 4 5 6 7;
    "_XMP_unlock_": Unlock 2 3 4 5 6 7;
    "_XMP_post_": Post 2 3 4 5 6 7;
    "_XMP_wait_": WaitPost 2 3 4 5 6 7;
    "_XMP_wait_node_": WaitPost 2 3 4 5 6 7;
}

// The object interface.
entries! {
    XMPCO_PUT_scalarStmt => Put, omni::OBJECT_SCALAR;
    XMPCO_PUT_arrayStmt => Put, omni::object_section::<8>();
    XMPCO_PUT_spread => Put, omni::object_section::<7>();
    XMPCO_GET_scalarExpr => Get, omni::OBJECT_SCALAR;
    XMPCO_GET_arrayExpr => Get, omni::object_section::<7>();
    XMPCO_GET_arrayStmt => Get, omni::object_section::<8>();
    XMPCO_malloc_pool => AllocateAll, NONE;
    XMPCO_malloc_staticCoarray => Allocate, omni::OBJECT_ALLOCATE;
    XMPCO_regmem_staticCoarray => AllocateAll, omni::OBJECT_ALLOCATE;
    XMPCO_malloc_coarray => AllocateAll, omni::OBJECT_ALLOCATE;
    XMPCO_regmem_coarray => AllocateAll, omni::OBJECT_ALLOCATE;
    XMPCO_free_coarray => DeallocateAll, omni::OBJECT_FREE;
    XMPCO_deregmem_coarray => DeallocateAll, omni::OBJECT_FREE;
    XMPCO_epilog => EndProcedure, NONE;
    XMPCO_sync_all => SyncAll, NONE;
    XMPCO_sync_all_auto => SyncAll, NONE;
    XMPCO_sync_all_withComm => SyncAll, NONE;
    _XMPCO_set_nodes => NameNodes, omni::NAME_NODES;
}

// Coarrays of Fortran.
entries! {
    xmpf_sync_all_ => SyncAll, NONE;
    xmpf_sync_all_auto_ => SyncAll, NONE;
    xmpf_sync_all_stat_ => SyncAll, NONE;
    xmpf_sync_memory_ => SyncMemory, NONE;
    xmpf_sync_memory_stat_wrap_ => SyncMemory, NONE;
    xmpf_sync_images_ => SyncImages, omni::SYNC_IMAGES_OF_FORTRAN;
    xmpf_sync_image_stat_wrap_ => SyncImages, omni::SYNC_IMAGE_OF_FORTRAN;
    xmpf_sync_images_stat_wrap_ => SyncImages, omni::SYNC_IMAGES_DESCRIBED;
    xmpf_sync_allimages_stat_wrap_ => SyncImages, xmp::SYNC_IMAGES_ALL;
    xmpf_critical_ => Critical, NONE;
    xmpf_end_critical_ => EndCritical, NONE;
    xmpf_error_stop_ => ErrorStop, NONE;
    xmp_lock_ => Lock, omni::LOCK;
    xmp_unlock_ => Unlock, omni::LOCK;
    xmpf_atomic_define_remote_i4_ => AtomicDefine, omni::ATOMIC;
    xmpf_atomic_define_remote_l4_ => AtomicDefine, omni::ATOMIC;
    xmpf_atomic_define_self_i4_ => AtomicDefine, omni::ATOMIC_HERE;
    xmpf_atomic_define_self_l4_ => AtomicDefine, omni::ATOMIC_HERE;
    xmpf_atomic_ref_remote_i4_ => AtomicRef, omni::ATOMIC;
    xmpf_atomic_ref_remote_l4_ => AtomicRef, omni::ATOMIC;
    xmpf_atomic_ref_self_i4_ => AtomicRef, omni::ATOMIC_HERE;
    xmpf_atomic_ref_self_l4_ => AtomicRef, omni::ATOMIC_HERE;
    xmpf_coarray_malloc_pool_ => AllocateAll, NONE;
    xmpf_coarray_alloc_static_ => Allocate, omni::ALLOCATE;
    xmpf_coarray_regmem_static_ => AllocateAll, omni::ALLOCATE;
    xmpf_coarray_deregmem_ => DeallocateAll, omni::DEALLOCATE;
    xmpf_coarray_epilog_ => EndProcedure, NONE;
    xmpf_coarray_set_nodes_ => NameNodes, omni::NAME_NODES;
    xmpf_coarray_set_image_nodes_ => NameNodes, omni::NAME_NODES;
}

/// The procedures of a family for a rank, for each type.
macro_rules! typed {
    ($family:literal $rank:literal [$($kind:literal)*] $operation:ident $decoder:expr) => {
        $(entry! { concat!("xmpf_", $family, $rank, "d_", $kind, "_") => $operation, $decoder })*
    };
}

/// Calls a macro with each rank of arrays.
macro_rules! each_rank {
    ($family:ident) => {
        $family!("1");
        $family!("2");
        $family!("3");
        $family!("4");
        $family!("5");
        $family!("6");
        $family!("7");
    };
}

/// Calls a macro with each type of scalars that have a fixed length: its name and its bytes.
macro_rules! each_scalar {
    ($family:ident) => {
        $family!("i2", 2);
        $family!("i4", 4);
        $family!("i8", 8);
        $family!("l2", 2);
        $family!("l4", 4);
        $family!("l8", 8);
        $family!("r4", 4);
        $family!("r8", 8);
        $family!("z8", 8);
        $family!("z16", 16);
    };
}

/// Transfers, allocation and broadcasts of arrays.
macro_rules! arrays {
    ($rank:literal) => {
        arrays!(@put "coarray_put" $rank Put);
        arrays!(@put "coarray_spread" $rank Put);
        arrays!(@put "coarray_getsub" $rank Get);
        typed!("coarray_get" $rank ["i2" "i4" "i8" "l2" "l4" "l8" "r4" "r8" "z8" "z16"] Get omni::array::<1>());
        typed!("coarray_get" $rank ["cn"] Get omni::array::<2>());
        arrays!(@memory $rank);
        typed!("co_broadcast" $rank ["i2" "i4" "i8" "l2" "l4" "l8" "r4" "r8" "z8" "z16"] CoBroadcast
            omni::collective_of_array::<1>());
        typed!("co_sum" $rank ["i2" "i4" "i8" "r4" "r8" "z8" "z16"] CoSum omni::collective_of_array::<2>());
        typed!("co_max" $rank ["i2" "i4" "i8" "r4" "r8"] CoMax omni::collective_of_array::<2>());
        typed!("co_min" $rank ["i2" "i4" "i8" "r4" "r8"] CoMin omni::collective_of_array::<2>());
    };
    (@put $family:literal $rank:literal $operation:ident) => {
        typed!($family $rank ["i2" "i4" "i8" "l2" "l4" "l8" "r4" "r8" "z8" "z16" "cn"] $operation omni::array::<0>());
    };
    (@memory $rank:literal) => {
        arrays!(@allocate "coarray_malloc" $rank);
        arrays!(@allocate "coarray_regmem" $rank);
        typed!("coarray_dealloc" $rank ["i2" "i4" "i8" "l2" "l4" "l8" "r4" "r8" "z8" "z16" "cn"] DeallocateAll
            omni::DEALLOCATE);
    };
    (@allocate $family:literal $rank:literal) => {
        typed!($family $rank ["i2" "i4" "i8" "l2" "l4" "l8" "r4" "r8" "z8" "z16" "cn"] AllocateAll omni::ALLOCATE);
    };
}
each_rank!(arrays);
arrays!(@memory "0");

/// Transfers and broadcasts of scalars.
macro_rules! scalars {
    ($kind:literal, $size:literal) => {
        typed!("coarray_put" "0" [$kind] Put omni::scalar::<$size>());
        typed!("coarray_get" "0" [$kind] Get omni::scalar::<$size>());
        typed!("coarray_getsub" "0" [$kind] Get omni::scalar::<$size>());
        typed!("co_broadcast" "0" [$kind] CoBroadcast omni::collective::<$size, 1>());
    };
}
each_scalar!(scalars);
typed!("coarray_put" "0" ["cn"] Put omni::characters::<0, 4>());
typed!("coarray_getsub" "0" ["cn"] Get omni::characters::<0, 4>());
typed!("coarray_get" "0" ["cn"] Get omni::characters::<2, 5>());

/// Reductions of scalars.
macro_rules! reductions {
    ($family:literal $operation:ident: $($kind:literal $size:literal)*) => {
        $(typed!($family "0" [$kind] $operation omni::collective::<$size, 2>());)*
    };
}
reductions!("co_sum" CoSum: "i2" 2 "i4" 4 "i8" 8 "r4" 4 "r8" 8 "z8" 8 "z16" 16);
reductions!("co_max" CoMax: "i2" 2 "i4" 4 "i8" 8 "r4" 4 "r8" 8);
reductions!("co_min" CoMin: "i2" 2 "i4" 4 "i8" 8 "r4" 4 "r8" 8);
