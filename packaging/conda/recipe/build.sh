#!/usr/bin/env bash
# Builds the conda package: the library, the launcher and the wrappers, without plug-ins for MPI.
set -euxo pipefail

# The compilers of conda have the machine in their names; ./x looks for these.
names=$SRC_DIR/target/names
mkdir -p "$names"
ln -sf "$(command -v "$CC")" "$names/cc"
ln -sf "$(command -v "$FC")" "$names/gfortran"
export PATH=$names:$PATH
# By these names they are found. A value of CC would make Cargo build C sources anew, though it names the same compiler.
unset CC

# ./x passes its own flags, which replace those that conda's cargo configuration has.
if [[ -n ${CARGO_BUILD_RUSTFLAGS-} ]]; then
    export RUSTFLAGS="${RUSTFLAGS:+$RUSTFLAGS }$CARGO_BUILD_RUSTFLAGS"
fi

./x install --no-apt --no-mpi --prefix "$PREFIX"
