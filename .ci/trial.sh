# Tries an installation from end to end: a program is compiled, and run in every way that there is. Sourced by ../x, whose
# $root and say it uses. The state of each part is a line of the doctor's report (row).
# shellcheck shell=bash disable=SC2154

# How long a program may run, in seconds: far longer than any does.
trial_limit=120

# Prints the prefix of the installation that the commands in PATH belong to, or else of the one in /usr/local.
installed_prefix() {
    local command
    command=$(command -v xmprun) || command=/usr/local/bin/xmprun
    [[ -x $command ]] || return
    dirname -- "$(dirname -- "$(readlink -f -- "$command")")"
}

# doctor_installation PREFIX: PREFIX is empty when there is none. Fails when something that is installed does not work.
doctor_installation() {
    echo "Installation${1:+ in $1}"
    if [[ ! -x $1/bin/xmprun ]]; then
        row absent xmprun "not there${1:+: no $1/bin/xmprun}; ./x install --prefix DIR installs, ./x doctor --prefix DIR looks there"
        return
    fi
    trial_of_paths "$1"
    in_scratch trial_of_programs "$1"
}

# trial_of_paths PREFIX: what commands and build systems need in the environment. All of it is optional.
trial_of_paths() {
    local packages
    if [[ :$PATH: == *:$1/bin:* ]]; then
        row ok PATH "$1/bin"
    else
        row absent PATH "export PATH=$(printf %q "$1/bin"):\$PATH"
    fi
    packages=$1/$(installed_file "$1" '/pkgconfig/xmprt\.pc$')
    packages=${packages%/xmprt.pc}
    if pkg-config --exists xmprt 2>/dev/null; then
        row ok pkg-config "$(pkg-config --variable=pcfiledir xmprt)/xmprt.pc"
    else
        row absent pkg-config "export PKG_CONFIG_PATH=$(printf %q "$packages")"
    fi
}

# installed_file PREFIX REGEX: prints the files of the installation that fit.
installed_file() { sed -n "\\|$2|p" "$1/share/xmprt/manifest" 2>/dev/null; }

trial_of_programs() {
    local prefix=$1 state=0 plugin hello=$scratch/hello
    trial xmpfc "compiles hello.f90" "" "$prefix/bin/xmpfc" -J "$scratch" "$root/examples/fortran/hello.f90" -o "$hello" || return
    trial alone "runs as one image" "image 1 of 1" env -u XMP_NUM_IMAGES "$hello" || state=1
    trial xmprun "runs as 4 images" "image 4 of 4" "$prefix/bin/xmprun" -n 4 "$hello" || state=1
    while read -r plugin; do
        [[ -z $plugin ]] || trial_of_plugin "$(basename -- "$plugin" .so)" "$hello" || state=1
    done < <(installed_file "$prefix" '/libxmprt_mpi_[^/]*\.so$')
    return "$state"
}

# trial_of_plugin NAME PROGRAM: NAME is libxmprt_mpi_FLAVOUR_SONAME.
trial_of_plugin() {
    local flavour=${1#libxmprt_mpi_} launcher options=()
    local soname=${flavour#*_}
    flavour=${flavour%%_*}
    if ! launcher=$(mpi_launcher "$flavour"); then
        row absent "$flavour" "the plug-in for $soname is there, but no mpirun of that MPI"
        return 0
    fi
    [[ $flavour != openmpi ]] || options=(--oversubscribe)
    trial "$flavour" "runs as 2 images under $launcher ($soname)" "image 2 of 2" \
        env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$launcher" "${options[@]}" -n 2 "$2"
}

# mpi_launcher FLAVOUR: prints the command that starts programs of that MPI.
mpi_launcher() {
    local command version
    for command in "mpirun.$1" mpirun mpiexec; do
        version=$("$command" --version 2>/dev/null) || continue
        case $1:$version in
            openmpi:*'Open MPI'* | openmpi:*OpenRTE* | mpich:*HYDRA* | mpich:*Intel*) echo "$command"; return ;;
        esac
    done
    return 1
}

# trial NAME WHAT EXPECTED COMMAND...: a line that says whether COMMAND succeeds and prints EXPECTED; with what it wrote if not.
trial() {
    local name=$1 what=$2 expected=$3
    shift 3
    if timeout "$trial_limit" "$@" >"$scratch/output" 2>&1 </dev/null \
        && [[ $(cat "$scratch/output") == *"$expected"* ]]; then
        row ok "$name" "$what"
    else
        row FAILED "$name" "$what; the command and its last lines:"
        printf '      %q' "$1"
        (($# == 1)) || printf ' %q' "${@:2}"
        echo
        tail -n 8 "$scratch/output" | sed 's/^/      | /'
        return 1
    fi
}
