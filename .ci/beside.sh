# Several commands at a time. Sourced by ../x.
# shellcheck shell=bash

# Those that run: their process groups, and the files with what they have written.
beside_groups=()
beside_outputs=()

# beside COMMAND...: starts it beside the commands that follow. What it writes is kept for join_beside. It ends with x.
beside() {
    local output
    output=$(mktemp)
    # A process group of its own, so that all of it can be ended.
    set -m
    ("$@") >"$output" 2>&1 </dev/null &
    set +m
    beside_groups+=("$!")
    beside_outputs+=("$output")
    trap end_beside EXIT
}

# Waits for those commands, shows what each has written, and fails as one of them did.
join_beside() {
    local status=0 i
    for i in "${!beside_groups[@]}"; do
        wait "${beside_groups[i]}" || status=$?
        cat -- "${beside_outputs[i]}"
        rm -- "${beside_outputs[i]}"
        unset "beside_groups[i]" "beside_outputs[i]"
    done
    trap - EXIT
    return "$status"
}

end_beside() {
    local i
    for i in "${!beside_groups[@]}"; do
        kill -- "-${beside_groups[i]}" 2>/dev/null || true
        cat -- "${beside_outputs[i]}" >&2
        rm -- "${beside_outputs[i]}"
    done
}
