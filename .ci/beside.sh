# Two commands at a time. Sourced by ../x.
# shellcheck shell=bash

# beside COMMAND...: starts it beside the commands that follow, one at a time. What it writes is kept for join_beside. It ends with x.
beside() {
    beside_output=$(mktemp)
    # A process group of its own, so that all of it can be ended.
    set -m
    ("$@") >"$beside_output" 2>&1 </dev/null &
    beside_group=$!
    set +m
    trap end_beside EXIT
}

# Waits for that command, shows what it has written, and fails as it did.
join_beside() {
    local status=0
    wait "$beside_group" || status=$?
    trap - EXIT
    cat -- "$beside_output"
    rm -- "$beside_output"
    return "$status"
}

end_beside() {
    kill -- "-$beside_group" 2>/dev/null || true
    cat -- "$beside_output" >&2
    rm -- "$beside_output"
}
