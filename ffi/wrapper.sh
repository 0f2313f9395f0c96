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
    # shellcheck source=ffi/compiler.sh
    . "$prefix/share/xmprt/compiler.sh"
    # shellcheck source=ffi/translation.sh
    . "$prefix/share/xmprt/translation.sh"
    # shellcheck source=ffi/linking.sh
    . "$prefix/share/xmprt/linking.sh"
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
    case " $*" in
        *" --W"[fxbnlp]*)
            # Omni's options for one of its steps. Behind the letter they have words for the compiler.
            # shellcheck disable=SC2086
            for arg; do
                shift
                case $arg in
                    --W[nlp]?*) set -- "$@" ${arg#--W?} ;;
                    --W[fxb]?*) warn "$arg is left out: it is for a step of the Omni compiler that $tool does not have" ;;
                    *) set -- "$@" "$arg" ;;
                esac
            done ;;
    esac
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
    directives=no    # yes: some in Fortran have directives
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
                            directives=yes
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
        # shellcheck source=ffi/gfortran.sh
        . "$prefix/share/xmprt/gfortran.sh"
        compile_c_apart "$@"
    else
        complete_command "$@"
    fi
}

# complete_command ARGS...: executes the compiler with these arguments, and with those that every command needs.
complete_command() {
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
    if [ "$directives" = yes ]; then
        case " $* " in
            *" -fsecond-underscore "* | *" -fno-underscoring "*)
                refuse "-fsecond-underscore and -fno-underscoring: procedures of XMP-RT that programs with directives call have one" \
                    "underscore after their names: compile without the option" ;;
        esac
    fi
    if [ "$flag$translations" = -fcoarray=libyes ]; then
        # Translated sources need the types of any kind of TS 29113, and have variables that not every procedure uses.
        set -- "$@" ${standard:+"$standard"} -Wno-unused-variable -Wno-unused-dummy-argument
    fi
    if [ "$races" = yes ]; then
        # shellcheck source=ffi/races.sh
        . "$prefix/share/xmprt/races.sh"
        instrument "$@"
    else
        execute_or_link "$@"
    fi
}

# execute_or_link COMMAND...: executes a command; one that links, with the library.
execute_or_link() {
    if [ "$link" = yes ] && [ "$inputs" = yes ]; then
        link_with_library "$@"
    else
        execute "$@"
    fi
}

# execute COMMAND...: executes a complete command, and exits with its status.
execute() {
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

# may_mean_something_else SOURCE: whether gfortran compiles it, and it has image selectors, ERRMSG= or CHANGE TEAM: see gfortran.sh.
may_mean_something_else() {
    [ "$flag$dialect" = -fcoarray=libgnu ] && [ -f "$1" ] && grep -qi '\]\|errmsg\|change[[:space:]]*team' -- "$1" || return
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

# refuse WORDS...: ends with a message.
refuse() {
    echo "$tool: $*" >&2
    exit 1
}

# warn WORDS...
warn() {
    echo "$tool: warning: $*" >&2
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
