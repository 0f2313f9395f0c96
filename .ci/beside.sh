# Several commands at a time. Sourced by ../x.
# shellcheck shell=bash

# Those that run: the commands, their process groups, and the files with what they have written.
beside_commands=()
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
    beside_commands+=("$*")
    beside_groups+=("$!")
    beside_outputs+=("$output")
    trap end_beside EXIT
}

# Waits for those commands, shows what each has written, names each that failed, and fails as the last of those did.
join_beside() {
    local status=0 i failed
    for i in "${!beside_groups[@]}"; do
        failed=0
        wait "${beside_groups[i]}" || failed=$?
        cat -- "${beside_outputs[i]}"
        if ((failed)); then
            status=$failed
            echo "error: ${beside_commands[i]}: status $failed"
        fi
        rm -- "${beside_outputs[i]}"
        unset "beside_commands[i]" "beside_groups[i]" "beside_outputs[i]"
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
