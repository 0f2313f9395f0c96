# Trying again what goes over the network. Sourced by run and by ../x.
# shellcheck shell=bash

# again COMMAND...: runs it up to four times, with longer and longer pauses, until it succeeds. A server or a mirror that is
# busy for a moment, and another program that holds apt's locks on a machine that has just started, are no reason to give up.
again() {
    local pause
    for pause in 3 10 30; do
        "$@" && return
        echo "==> failed: $*; again in $pause s" >&2
        sleep "$pause"
    done
    "$@"
}
