# Completion of gridstride for bash. The program knows its commands, lessons, options and their choices.
_gridstride() {
    local begun=${COMP_WORDS[COMP_CWORD]}
    local words=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
    mapfile -t COMPREPLY < <(compgen -W "$("$1" --complete "${words[@]}" "$begun" 2>/dev/null)" -- "$begun")
}
complete -o default -F _gridstride gridstride
