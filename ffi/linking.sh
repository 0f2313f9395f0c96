# The arguments that a command that links gets besides those of the user; wrapper.sh sources it (POSIX sh).
# shellcheck shell=sh disable=SC2154

# link_with_library COMMAND...: executes a command, to which it adds libxmprt and what that needs of the program.
link_with_library() {
    # The arguments after this one are no sources.
    [ "${language:-none}" = none ] || set -- "$@" -x none
    if [ "$members" = yes ] && [ "$flag" = -fcoarray=lib ]; then
        # libxmprt refers to functions of these members weakly, which leaves members where they are.
        set -- "$@" -u _gfortran_random_init -u _gfortran_stop_numeric
    fi
    if [ "$flag" = -fcoarray=lib ]; then version=$(major_version); fi
    if [ "$flag" = -fcoarray=lib ] && [ "$version" -ge 16 ]; then
        # One option; libxmprt looks at what it defines.
        set -- "$@" "$(pc_field xmprt-gfortran16 Libs)"
    fi
    if [ "$started" = yes ]; then
        if [ "$shared" = yes ]; then
            # A library starts when it is loaded. Each has a start of its own.
            set -- "$@" "$libdir/xmprt/shared.o"
        else
            set -- "$@" -Wl,--wrap=main
        fi
        set -- "$@" "$libdir/xmprt/libxmpt.a"
        # Parts of distributed arrays of Fortran that the program has announced are in the segment.
        [ "$flag" != -fcoarray=lib ] || set -- "$@" -Wl,--wrap=malloc
    fi
    if [ "$dialect" = gnu ]; then
        # Components of coarrays can be resized and freed by the compiler: see xmprt.pc.
        set -- "$@" -Wl,--wrap=free,--wrap=realloc
    fi
    if [ "$flag$dialect$archive$started$plain" = -fcoarray=libgnunonoyes ] && [ -e "$libdir/xmprt/libxmprt_reach.a" ]; then
        # The program allocates memory that pointer components of other images reach: see reach/allocation.c.
        set -- "$@" -Wl,--wrap=malloc,--wrap=calloc
        set -- "$@" -Wl,--wrap=_gfortran_caf_get_by_ref,--wrap=_gfortran_caf_send_by_ref
        set -- "$@" -Wl,--wrap=_gfortran_caf_sendget_by_ref
        # From 15 on any reference may follow pointers.
        [ "$version" -lt 15 ] || set -- "$@" -Wl,-u,xmprt_follows_pointers
        set -- "$@" -Xlinker "$libdir/xmprt/libxmprt_reach.a"
    fi
    if [ "$dialect" = gnu ] && [ -e "$libdir/xmprt/constructed.o" ]; then
        # Last of the objects. -Xlinker: no -x is about it.
        set -- "$@" -Xlinker "$libdir/xmprt/constructed.o"
    fi
    if [ "$dialect$flag$static" = gnu-fcoarray=libno ]; then
        # The library watches the stack of the main thread from the first statement on (ffi/src/gnu/stack.rs).
        set -- "$@" -Wl,--wrap=_gfortran_set_options
    fi
    if [ "$dialect$openmp$static" = gnuyesno ]; then
        # The library watches the stacks of threads (ffi/src/gnu/parallel.rs). Nothing else may need libgomp then.
        for region in parallel parallel_loop_static parallel_loop_dynamic parallel_loop_guided parallel_loop_runtime \
            parallel_loop_nonmonotonic_dynamic parallel_loop_nonmonotonic_guided parallel_loop_nonmonotonic_runtime \
            parallel_loop_maybe_nonmonotonic_runtime parallel_sections; do
            set -- "$@" "-Wl,--wrap=GOMP_$region"
        done
        set -- "$@" -Wl,--push-state,--no-as-needed -lgomp -Wl,--pop-state
    fi
    if [ "$archive" = yes ]; then
        # The words of this field are plain options.
        # shellcheck disable=SC2046
        set -- "$@" "$libdir/libxmprt.a" $(pc_field xmprt Libs.private)
    else
        if [ "$dialect" = lfortran ]; then
            set -- "$@" "-L$libdir" "-Wl,-rpath,$libdir" -lxmprt
        else
            if [ "$races" = yes ]; then
                set -- "$@" "-L$libdir/xmprt/races" -Xlinker -rpath -Xlinker "$libdir/xmprt/races" -lxmprt_races
            fi
            # -Xlinker and not -Wl: the path may hold commas.
            set -- "$@" "-L$libdir" -Xlinker -rpath -Xlinker "$libdir" -lxmprt
        fi
        if [ "$mpi" = yes ]; then
            # MPI_Init and MPI_Finalize are to be those of libxmprt, which does them in accord with the images: it
            # comes first, though nothing has asked for it yet.
            shift
            set -- "$compiler" -Wl,--push-state,--no-as-needed "-L$libdir" -lxmprt -Wl,--pop-state "$@"
        fi
    fi
    execute "$@"
}

# pc_field FILE FIELD: prints a field of an installed pkg-config file. What programs are linked with has its home there.
pc_field() {
    sed -n "s/^$2: *//p" "$libdir/pkgconfig/$1.pc"
}
