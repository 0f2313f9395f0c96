# The part that xmpfc and xmpcc share; they source it (POSIX sh). Where it says LIBDIR between two @,
# its installation puts the directory of the libraries, relative to the prefix.
# shellcheck shell=sh
#
# wrap TOOL PREFIX VARIABLE COMPILER FLAG ARGS...
#   runs COMPILER FLAG ARGS..., and adds what linking with XMP-RT needs when the command links.
#   TOOL      name of the wrapper, for messages
#   PREFIX    where XMP-RT is installed
#   VARIABLE  environment variable that chooses the compiler, for messages
#   COMPILER  the compiler: a command name or path, or words such as "ccache gfortran -m64"
#   FLAG      the one flag that the compiler always needs
wrap() {
    tool=$1 prefix=$2 variable=$3 compiler=$4 flag=$5
    shift 5
    libdir=$prefix/@LIBDIR@
    # shellcheck source=ffi/prif.sh
    . "$prefix/share/xmprt/prif.sh"
    split_compiler
    dialect=gnu # flang: LLVM's compiler; lfortran
    if [ "$flag" = -fcoarray=lib ]; then name_dialect; fi
    # The -g of xmpfc itself: LFortran links with it only where LLVM's tools and Python are.
    if [ "$dialect" = lfortran ]; then shift; fi
    # Words of a variable.
    # shellcheck disable=SC2086
    set -- $added "$@"
    translator=$libdir/xmprt/xmp-translate
    link=yes    # no: the command stops before linking
    inputs=no   # yes: there is something to link
    archive=no  # yes: libxmprt.a instead of libxmprt.so
    c=no        # yes: there are sources in C or C++
    compile=no  # yes: the command compiles only
    fortran=no  # yes: there are sources in Fortran
    members=no  # yes: libgfortran is an archive, too
    openmp=no   # yes: -fopenmp
    races=no    # yes: --check=races
    bounds=no   # yes: --check=bounds, of Fortran
    shared=no   # yes: the command links a shared library
    static=no   # yes: the whole program is static
    mpi=no      # yes: MPI is linked with, too
    plain=yes   # no: not an executable of machine code that no tool watches
    show=no     # yes: print the command, or the translated sources, instead of running it
    scratch=    # where translated sources are
    translations=no  # yes: there are some
    checks=no   # yes: sources with checks of cosubscripts are compiled in place of the user's
    prif=no     # yes: a source uses the module prif; own: a source defines it
    broadcasts=no   # yes: a source calls CO_BROADCAST
    components=no   # yes: a source uses modules, and accesses components
    tokens=no   # yes: an object may lack tokens of coarrays; no: none does, or the command does more than compile and link
    started=no  # yes: something has directives of XcalableMP, so the program starts by the library for those
    standard=   # the option for the standard that holds for translated sources instead of the user's
    depends=    # the file with dependencies that the compiler writes
    output=     # what -o says
    value=no    # yes: this argument belongs to the one before it
    language=   # what -x says of the next files; none: nothing
    if [ "$flag" = -fcoarray=lib ]; then scan_fortran "$@"; else scan_c "$@"; fi

    # Go once round the arguments; what the compiler shall see is put back at the end.
    count=$#
    while [ "$count" -gt 0 ]; do
        arg=$1
        shift
        count=$((count - 1))
        if [ "$value" = yes ]; then
            value=no
            [ "$before" != -o ] || output=$arg
            [ "$before" != -MF ] || depends=$arg
            [ "$before" != -x ] || language=$arg
        else
            # Omni's word for the option.
            case $arg in -omp | --openmp) arg=-fopenmp ;; esac
            before=$arg
            case $arg in
                --help) usage; exit 0 ;;
                --version) version; exit ;;
                --show) show=yes; continue ;;
                -static-xmp) archive=yes; continue ;;
                --check=races | --check=bounds | --check=races,bounds | --check=bounds,races)
                    case $arg in *races*) races=yes plain=no ;; esac
                    case $arg in *bounds*) ;; *) continue ;; esac
                    [ "$flag" = -fcoarray=lib ] || continue
                    [ "$dialect" = gnu ] || refuse "$arg: $compiler does not check subscripts of coindexed objects: use gfortran (XMP_FC)"
                    arg=-fcheck=bounds ;;
                --check=* | --check) refuse "$arg: the checks of the compiler are --check=races, --check=bounds and --check=races,bounds" ;;
                -fsanitize=*thread*)
                    plain=no
                    warn "$arg: a program with the thread sanitizer runs as one image only; --check=races finds races between images" ;;
                -fcheck=bounds) [ "$flag" = -fcoarray=lib ] || continue ;;
                -static | --static | -static-pie) archive=yes members=yes static=yes ;;
                -fopenmp) openmp=yes ;;
                -shared) plain=no shared=yes ;;
                -flto* | -fsanitize=*) plain=no ;;
                -static-libgfortran) members=yes ;;
                -fcoarray=*)
                    if [ "$flag" = -fcoarray=lib ]; then
                        [ "$arg" = "$flag" ] || overridden "$arg"
                        continue
                    fi ;;
                -finit-local-zero | -finit-integer=* | -finit-real=* | -finit-logical=* | -finit-character=*)
                    [ "$flag" != -fcoarray=lib ] || initialising "$arg" ;;
                -std=f95 | -std=f2003 | -std=f2008) standard=-std=f2008ts ;;
                -M | -MM) link=no translator= ;;
                -MD | -MMD) : "${depends:=?}" ;;
                -c) link=no compile=yes ;;
                -S | -E | -r | -fsyntax-only) link=no ;;
                -lmpi*) mpi=yes ;;
                -x) value=yes fortran=yes ;;
                -Xlinker | -Xassembler | -Xpreprocessor | -o | -MF | -MT | -MQ) value=yes ;;
                -x*) fortran=yes language=${arg#-x} ;;
                -?*) ;;
                -)
                    inputs=yes
                    [ "${language:-none}" = none ] || keep_input ;;
                *.c)
                    inputs=yes c=yes
                    [ "$flag" != -fcoarray=lib ] || refuse_c "$arg" "compile it with xmpcc -c, and link its object"
                    if [ "$flag" != -fcoarray=lib ] && translate "$arg"; then
                        set -- "$@" -iquote "$(dirname -- "$arg")" "-I$prefix/include/xmprt/xmp"
                        arg=$translated
                    elif includes_xmp "$arg"; then
                        set -- "$@" "-I$prefix/include/xmprt/xmp"
                    fi ;;
                *.i)
                    inputs=yes c=yes
                    refuse_c "$arg" "compile the source that the preprocessor has read" ;;
                *.C | *.cc | *.cp | *.cpp | *.cxx | *.c++ | *.ii)
                    inputs=yes c=yes
                    refuse_c "$arg" "only sources in C and Fortran can have them" ;;
                @*)
                    inputs=yes
                    # Words of a file.
                    # shellcheck disable=SC2013
                    for word in $(cat -- "${arg#@}" 2>/dev/null); do
                        refuse_c "$word" "name it in the command, and not in $arg"
                        refuse_fortran "$word" "name it in the command, and not in $arg"
                    done ;;
                *)
                    inputs=yes
                    if [ "$flag$language" = "-I$prefix/include/xmprt"c ]; then
                        if translate "$arg"; then
                            set -- "$@" -iquote "$(dirname -- "$arg")" "-I$prefix/include/xmprt/xmp"
                            arg=$translated
                        fi
                    elif is_fortran "$arg"; then
                        [ "$flag" = -fcoarray=lib ] || refuse_fortran_source "$arg"
                        fortran=yes
                        ! may_lack_token "$arg" || tokens=yes
                        ! has_broadcast "$arg" || broadcasts=yes
                        ! uses_components "$arg" || components=yes
                        ! may_mean_something_else "$arg" || warn_of_other_meanings "$arg" "$@"
                        note_prif "$arg"
                        if translate_fortran "$arg"; then
                            set -- "$@" "-I$(dirname -- "$arg")" "-I$prefix/include/xmprt/xmp"
                            arg=$translated
                        elif check_selectors "$arg"; then
                            set -- "$@" "-I$(dirname -- "$arg")"
                            arg=$translated
                        elif includes_xmp "$arg"; then
                            set -- "$@" "-I$prefix/include/xmprt/xmp"
                        fi
                    elif [ "${language:-none}" != none ]; then
                        refuse_c "$arg" "give it a name that ends with .c, without -x"
                        refuse_fortran "$arg" "give it a name that ends with .f90 or .f, without -x"
                    elif [ -f "$arg" ] && grep -q 'xmprt_unit_register\|xmprt_fortran_' -- "$arg"; then
                        started=yes
                    fi
                    case $arg in
                        *.o | *.lo) if [ -f "$arg" ] && grep -q 'caf_token\.[0-9]' -- "$arg"; then tokens=yes; fi ;;
                    esac ;;
            esac
        fi
        set -- "$@" "$arg"
    done

    if [ "$flag$dialect$c$fortran" = -fcoarray=libgnuyesyes ] && [ "$link$compile" != nono ]; then
        # The C compiler warns of the option.
        # shellcheck source=ffi/alike.sh
        . "$prefix/share/xmprt/alike.sh"
        left=$#
        while [ "$left" -gt 0 ]; do
            arg=$1
            shift
            left=$((left - 1))
            if is_c "$arg" && [ -f "$arg" ]; then
                object=$(basename -- "${arg%.*}").o
                if [ "$link" = yes ]; then
                    make_scratch
                    [ "$show" = no ] || print_command mkdir -p "$scratch"
                    object=$scratch/c-$left-$object
                fi
                # The arguments of the compiler are the same in any order of the files.
                compile_part "$arg" "$object" "$compiler" "$@" || exit
                [ "$link" = yes ] || continue
                arg=$object
            fi
            set -- "$@" "$arg"
        done
    fi
    if [ "$flag" = -fcoarray=lib ] && [ "$c" = yes ] && [ "$fortran" = no ]; then
        # CMake and fpm compile C with the Fortran compiler, too; the C compiler warns of the option.
        set -- "$compiler" "$@"
    else
        case $dialect in
            flang) flag=-fcoarray ;;
            lfortran) flag=--coarray=true ;;
        esac
        if [ "$prif" = yes ] && [ "$dialect" != lfortran ]; then
            module_prif
            # Last, so that a module of the user of this name comes first.
            set -- "$@" "-I$prif_modules"
        fi
        set -- "$compiler" "$flag" "$@"
    fi
    if [ "$flag$translations" = -fcoarray=libyes ]; then
        # Translated sources need the types of any kind of TS 29113, and have variables that not every procedure uses.
        set -- "$@" ${standard:+"$standard"} -Wno-unused-variable -Wno-unused-dummy-argument
    fi
    if [ "$races" = yes ]; then
        # shellcheck source=ffi/races.sh
        . "$prefix/share/xmprt/races.sh"
        refuse_race_check
        shift
        # What the compiler proper and the linker need; the compiler's library for races between threads is not linked. Messages name
        # lines.
        if is_clang; then
            # The debugging information has the options. clang instruments no vectors of more than 16 bytes, and the last option for
            # vectors counts.
            set -- "$compiler" -g -Qunused-arguments -grecord-command-line -Xclang -fsanitize=thread \
                -mllvm -tsan-instrument-func-entry-exit=0 "$@" -fno-vectorize -fno-slp-vectorize
            [ "$link" = no ] || set -- "$@" "@$libdir/xmprt/races/wraps"
        else
            # The specs, then the directory with the assembler.
            set -- "$compiler" -g "-specs=$libdir/xmprt/races/races.specs" "-B$libdir/xmprt/races/" "$@"
            [ ! -e "$libdir/xmprt/races/plugin-$(full_version).so" ] \
                || set -- "$@" "-fplugin=$libdir/xmprt/races/plugin-$(full_version).so"
        fi
    fi
    if [ "$link" = yes ] && [ "$inputs" = yes ]; then
        # What follows is no source.
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
            # What the program allocates is where pointer components of other images reach it: see reach/allocation.c.
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
    fi

    execute=run
    if [ "$dialect" != gnu ] && [ "$fortran$inputs" != nono ]; then
        # shellcheck source=ffi/flang.sh
        # shellcheck source=ffi/lfortran.sh
        . "$prefix/share/xmprt/$dialect.sh"
        execute=execute_$dialect
    elif [ "$flag" = -fcoarray=lib ] && [ "$tokens$broadcasts$components" != nonono ] && compiles_plainly "$@"; then
        # shellcheck source=ffi/gfortran.sh
        . "$prefix/share/xmprt/gfortran.sh"
        execute=execute_gnu
    fi
    if [ "$show" = yes ]; then
        # Of Fortran without the marks for the numbers of lines.
        if [ "$translations$checks" != nono ]; then find "$scratch" -type f ! -name '*.names' -exec sed '/^# [0-9]/d' {} +; else "$execute" "$@"; fi
        exit 0
    fi
    require_compiler
    # Words of a variable.
    # shellcheck disable=SC2086
    [ -n "$scratch" ] || [ "$execute" != run ] || exec $runner "$@"
    status=0
    "$execute" "$@" || status=$?
    name_sources
    exit "$status"
}

# Whether this is the name of a Fortran source.
is_fortran() {
    case $1 in
        -*) return 1 ;;
        *.[fF] | *.[fF]or | *.FOR | *.[fF]tn | *.FTN | *.[fF]pp | *.FPP | *.[fF][09][0358]) ;;
        *) return 1 ;;
    esac
}

# may_lack_token SOURCE: whether it has coarrays, and ASSOCIATE or BLOCK: see gfortran.sh.
may_lack_token() {
    [ -f "$1" ] && grep -qi '^[^!]*\(associate[[:space:]]*(\|block[[:space:]]*$\)' -- "$1" \
        && grep -qi '^[^!]*\(\[.*\*[[:space:]]*\]\|codimension\)' -- "$1"
}

# has_broadcast SOURCE: whether it calls CO_BROADCAST: see gfortran.sh.
has_broadcast() {
    [ -f "$1" ] && grep -qi '^[^!]*call[[:space:]]*co_broadcast' -- "$1"
}

# uses_components SOURCE: whether it uses modules, and accesses components: see layouts.sh.
uses_components() {
    [ -f "$1" ] && grep -qi '^[[:space:]]*use[[:space:],:]' -- "$1" && grep -q '^[^!]*%' -- "$1"
}

# may_mean_something_else SOURCE: whether gfortran compiles it, and it has image selectors or ERRMSG=: see gfortran.sh.
may_mean_something_else() {
    [ "$flag$dialect" = -fcoarray=libgnu ] && [ -f "$1" ] && grep -qi '\]\|errmsg' -- "$1" || return
    # shellcheck source=ffi/gfortran.sh
    . "$prefix/share/xmprt/gfortran.sh"
}

# compiles_plainly COMMAND...: whether the compiler makes objects of machine code, and of a command that links also nothing that
# is named after them, and alike.sh understands the options.
compiles_plainly() {
    for arg; do
        case $arg in
            -E | -S | -M | -MM | -r | -fsyntax-only | -flto* | -'###') return 1 ;;
            --coverage | -ftest-coverage | -fprofile-* | -save-temps* | -fdump-* | -gsplit-dwarf | -x* | -MD | -MMD | -MF | @* \
                | --param | -B | -isystem | -iquote | -idirafter | -imacros)
                [ "$link" = no ] || return 1 ;;
        esac
    done
}

# Whether this is the name of a source in C or C++.
is_c() {
    case $1 in
        -*) return 1 ;;
        *.c | *.C | *.cc | *.cp | *.cpp | *.cxx | *.c++ | *.i | *.ii) ;;
        *) return 1 ;;
    esac
}

# run COMMAND...: executes a command, or prints it after --show. What runs the compiler comes before it.
run() {
    # Words of a variable.
    # shellcheck disable=SC2086
    [ "$1" != "$compiler" ] || set -- $runner "$@"
    if [ "$show" = yes ]; then print_command "$@"; else "$@"; fi
}

# Divides the words of $compiler, unless a command has this name, into what runs the compiler ($runner), the compiler, and its
# first arguments ($added).
split_compiler() {
    runner='' added=''
    ! command -v "$compiler" >/dev/null || return 0
    words=$compiler chosen=''
    set -f
    for word in $words; do
        case $word in
            -*) added="$added $word" ;;
            *) runner="$runner $chosen$added" added='' chosen=$word ;;
        esac
    done
    set +f
    compiler=${chosen:-$compiler}
}

# scan_c ARGS...: the options of a command that the preprocessor and the search for headers need, for the translator: a line
# each in $options.
scan_c() {
    newline='
'
    options="--option=-I$prefix/include/xmprt/xmp$newline--option=-I$prefix/include/xmprt"
    before=
    for arg; do
        case $before in
            -I | -iquote) options="$options$newline--option=$before$newline--option=$arg$newline-I$arg" ;;
            -D | -U | -include | -imacros | -isystem | -idirafter)
                options="$options$newline--option=$before$newline--option=$arg" ;;
        esac
        case $arg in
            -I?*) options="$options$newline--option=$arg$newline$arg" ;;
            -iquote?*) options="$options$newline--option=$arg$newline-I${arg#-iquote}" ;;
            -omp | --openmp) options="$options$newline--option=-fopenmp" ;;
            -fcheck=bounds | --check=*bounds*) options="$options$newline--check-bounds" ;;
            -D?* | -U?* | -isystem?* | -std=* | -ansi | -f?* | -m?* | -O* | -pthread | --sysroot=*)
                options="$options$newline--option=$arg" ;;
        esac
        before=$arg
    done
}

# translate SOURCE: fails when there is nothing to translate; else $translated is the C source without directives, with the
# same lines and the same name. Ends with a message when something in SOURCE is wrong.
translate() {
    [ -n "$translator" ] && [ -f "$1" ] \
        && grep -q 'xmp\|:[[:space:]]*\[\|\[.*:\|#[[:space:]]*include[[:space:]]*["<]' -- "$1" || return 1
    make_scratch
    translated=$(mktemp -d "$scratch/XXXXXX")/$(basename -- "$1")
    (
        # Options are lines of a variable.
        IFS=$newline
        set -f
        # shellcheck disable=SC2086
        "$translator" --preprocessor "$compiler" $options --output "$translated" --names "$translated.names" -- "$1"
    ) || exit 1
    [ -e "$translated" ] || return 1
    started=yes translations=yes
}

# refuse_c SOURCE HELP: ends with a message if a source, or a header beside it, has directives in the form of C, which are not
# translated here.
refuse_c() {
    [ -f "$1" ] && [ -n "$translator" ] || return 0
    grep -q '^[[:space:]]*#[[:space:]]*pragma[[:space:]]\{1,\}xmp[[:space:]]' -- "$1" || {
        case $1 in *.c) ;; *) return 0 ;; esac
        grep -q '#[[:space:]]*include[[:space:]]*"' -- "$1" && [ -n "$("$translator" -- "$1" 2>&1)" ] || return 0
    }
    echo "$tool: $1 has directives of XcalableMP, which are not translated: $2" >&2
    exit 1
}

# refuse_fortran SOURCE HELP: as refuse_c, of directives in the form of Fortran.
refuse_fortran() {
    [ -f "$1" ] && [ -n "$translator" ] && is_fortran_with_directives "$1" || return 0
    echo "$tool: $1 has directives of XcalableMP, which are not translated: $2" >&2
    exit 1
}

# xmpcc has no coarrays of Fortran, and translates none of its directives.
refuse_fortran_source() {
    refuse_fortran "$1" "compile it with xmpfc"
    [ ! -f "$1" ] || refuse "$1 is a Fortran source: compile it with xmpfc"
}

# Whether a source has directives in the form of Fortran.
is_fortran_with_directives() {
    grep -qi '^[[:space:]]*[!c*][$]xmp[[:space:]]' -- "$1"
}

# Has the compiler read a copy of the standard input, which may have no directives.
keep_input() {
    make_scratch
    cat >"$scratch/input"
    exec <"$scratch/input"
    if grep -q '^[[:space:]]*#[[:space:]]*pragma[[:space:]]\{1,\}xmp[[:space:]]' -- "$scratch/input" \
        || is_fortran_with_directives "$scratch/input"; then
        echo "$tool: the standard input has directives of XcalableMP, which are not translated: compile a file" >&2
        exit 1
    fi
}

# includes_xmp SOURCE: whether it includes the declarations of XcalableMP's library, which it may without any directive.
includes_xmp() {
    [ -f "$1" ] && grep -qi '^[[:space:]]*#\{0,1\}[[:space:]]*include[[:space:]]*[<"'"'"']xmp[._]' -- "$1" || return 1
    started=yes
}

# Makes the directory for translated sources, once.
make_scratch() {
    [ -z "$scratch" ] || return 0
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

# scan_fortran ARGS...: what the translator of Fortran has to know of a command: a line each in $cpp (options for the
# preprocessor) and $modules (options about directories), $form, and whether all files are preprocessed.
scan_fortran() {
    cpp='' modules='' form='' columns='' preprocess=no previews=no
    newline='
'
    tab=$(printf '\t')
    before=
    for arg; do
        case $before in
            -J | -module-dir) modules="$modules$newline-J$arg" ;;
            -I | -D | -U) cpp="$cpp$newline$before$arg" ;;
        esac
        [ "$before" != -I ] || modules="$modules$newline-I$arg"
        case $arg in
            --show) previews=yes ;;
            -cpp) preprocess=yes ;;
            --check=*bounds*) bounds=yes ;;
            -ffree-form) form=free ;;
            -ffixed-form) form=fixed ;;
            -ffixed-line-length-none) columns=0 ;;
            -ffixed-line-length-*) columns=${arg##*-} ;;
            -J?*) modules="$modules$newline$arg" ;;
            -I?*) cpp="$cpp$newline$arg" modules="$modules$newline$arg" ;;
            -D?* | -U?* | -fopenmp) cpp="$cpp$newline$arg" ;;
        esac
        before=$arg
    done
}

# Whether a module with distributed objects was compiled before.
has_modules() {
    (
        IFS=$newline
        for directory in . $modules; do
            for file in "${directory#-[IJ]}"/*.xmpmod; do [ ! -e "$file" ] || exit 0; done
        done
        exit 1
    )
}

# translate_fortran SOURCE: as translate, of a Fortran source; one for the preprocessor goes through it first.
translate_fortran() {
    [ -n "$translator" ] && [ -f "$1" ] || return 1
    grep -qi '^[[:space:]]*[!c*][$]xmp\|^[[:space:]]*include[[:space:]]*["'"'"']' -- "$1" \
        || { has_modules && grep -qi '^[[:space:]]*use[[:space:],]' -- "$1"; } || return 1
    write_fortran "$1" || return
    # Other lines than directives may have led here.
    if [ "$only_checks" = yes ]; then checks=yes; else started=yes translations=yes; fi
}

# check_selectors SOURCE: with --check=bounds, as translate_fortran, of a source without directives: the translation checks cosubscripts
# and result_image=.
check_selectors() {
    [ "$bounds$dialect" = yesgnu ] && [ -n "$translator" ] && [ -f "$1" ] \
        && grep -qi '\[\|co_sum\|co_min\|co_max\|co_reduce' -- "$1" || return 1
    write_fortran "$1" || return
    checks=yes
}

# write_fortran SOURCE: has the translator write $translated; fails when there is nothing to translate.
write_fortran() {
    make_scratch
    place=$(mktemp -d "$scratch/XXXXXX")
    name=$(basename -- "$1")
    source=$1 check=
    [ "$bounds$dialect" != yesgnu ] || check=--check-bounds
    translation=0
    (
        # Options are lines of a variable.
        IFS=$newline
        set -f
        if [ "$previews" = yes ]; then
            # Files about modules are for this command only.
            modules=$(printf %s "$modules" | sed 's/^-J/-I/')$newline-J$scratch$newline-I.
        fi
        case $preprocess$name in
            yes* | *.F | *.F[09][0358] | *.FOR | *.FTN | *.FPP | *.fpp)
                source=$place.source
                # shellcheck disable=SC2086
                "$compiler" -E -cpp $cpp -o "$source" "$1" || exit 1 ;;
        esac
        # shellcheck disable=SC2086
        "$translator" --fortran ${form:+--form=$form} ${columns:+--columns=$columns} $modules $check "--original=$1" \
            --output "$place/${name%.*}.$(extension "$name")" -- "$source"
    ) || translation=$?
    case $translation in
        0) only_checks=no ;;
        3) only_checks=yes ;; # There are no directives.
        *) exit 1 ;;
    esac
    translated=$place/${name%.*}.$(extension "$name")
    rm -f "$place.source"
    [ -e "$translated" ]
}

# extension NAME: that of the file without a preprocessor.
extension() {
    case $1 in
        *.[fF] | *.[fF]or | *.FOR | *.[fF]tn | *.FTN | *.[fF]pp | *.FPP) echo f ;;
        *) echo f90 ;;
    esac
}

# refuse WORDS...: ends with a message.
refuse() {
    echo "$tool: $*" >&2
    exit 1
}

# warn WORDS...
warn() {
    echo "$tool: warning: $*" >&2
}

# The number of the compiler's release in what it says of itself.
release() {
    "$compiler" --version 2>/dev/null | sed -n '1s/[^0-9]*\([0-9]*\).*/\1/p'
}

# Sets $dialect: which Fortran compiler this is, by what it says of itself.
name_dialect() {
    case ${compiler##*/} in gfortran* | *-gfortran*) return 0 ;; esac
    case $("$compiler" --version 2>/dev/null | head -n 1) in
        *flang*) dialect=flang ;;
        LFortran*) dialect=lfortran ;;
    esac
}

# Has the dependencies that the compiler has written name the sources of the user.
name_sources() {
    case $depends in
        '') return ;;
        '?') [ -n "$output" ] || return 0; depends=${output%.*}.d ;;
    esac
    [ -f "$depends" ] || return 0
    for names in "$scratch"/*/*.names; do
        [ -f "$names" ] || continue
        # What sed and Make would take for something else.
        sed -i "s|${names%.names}|$(sed 's/[\\&|]/\\&/g' "$names")|g" -- "$depends"
    done
    sed -i "s|$scratch/[A-Za-z0-9]*/||g" -- "$depends"
}

# overridden OPTION: warns that the option has no effect, because the wrapper always gives -fcoarray=lib.
overridden() {
    echo "$tool: warning: $1 is overridden by -fcoarray=lib, without which the program would have one image only" >&2
}

# initialising OPTION: warns that gfortran gives coarrays the initial value, too: their addresses become 0.
initialising() {
    warn "$1: gfortran sets the addresses of coarrays that are not allocatable, and not in a module, to 0, so that the program" \
        "ends with SIGSEGV: declare them in a module, or leave the option out"
}

# Ends with a message when the compiler, or what runs it, does not exist.
require_compiler() {
    for word in $runner "$compiler"; do
        case $word in
            -* | *=*) continue ;;
        esac
        command -v "$word" >/dev/null && continue
        echo "$tool: compiler '$word' not found (set $variable to the one to use)" >&2
        exit 127
    done
}

# pc_field FILE FIELD: prints a field of an installed pkg-config file. What programs are linked with has its home there.
pc_field() {
    sed -n "s/^$2: *//p" "$libdir/pkgconfig/$1.pc"
}

# Prints the compiler's version, all numbers of it.
full_version() { "$compiler" -dumpfullversion 2>/dev/null; }

# Prints the first number of the compiler's version; 0 where there is none.
major_version() {
    major=$("$compiler" -dumpversion 2>/dev/null) || major=0
    major=${major%%.*}
    case $major in
        '' | *[!0-9]*) echo 0 ;;
        *) echo "$major" ;;
    esac
}

# Prints the command so that a shell would read it back as it is.
print_command() {
    line=
    for word in "$@"; do
        case $word in
            '' | *[!A-Za-z0-9_./=,:+@%-]*)
                word=\'$(printf '%s\n' "$word" | sed "s/'/'\\\\''/g")\' ;;
        esac
        line="$line${line:+ }$word"
    done
    printf '%s\n' "$line"
}

version() {
    echo "$tool (XMP-RT) $(pc_field xmprt Version)"
    require_compiler
    "$compiler" --version
}

usage() {
    cat <<TEXT
usage: $tool [--show] [--check=CHECKS] [-static-xmp] [compiler arguments]

Runs the compiler with the flags that XMP-RT needs. All other arguments are
passed on, and the exit status is the compiler's.

  --show        print the real command, or of sources with directives of
                XcalableMP, and of Fortran with --check=bounds, the translated
                sources, and do nothing else
  --check=races with XMP_CHECK=races the program finds races of all accesses to
                coarrays, also local ones: both for compiling and linking
  --check=bounds
                the program ends with a message where a subscript is out of
                bounds (gfortran's -fcheck=bounds), where a cosubscript is out
                of its cobounds, or in C with directives where it refers to an
                element that another node has
  --check=races,bounds
                both
  -static-xmp   link libxmprt.a, so that the program runs without libxmprt.so
                (-static, which makes the whole program static, implies it)
  --version     version of XMP-RT and of the compiler
  --help        this text

The compiler is '$compiler'; $variable=NAME chooses another one.
TEXT
}
