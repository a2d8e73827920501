/**
 * The library's script for bash needs the package bash-completion, and repeats what precedes a colon: `policy:policy:optimal`.
 * Bash replaces only the text after the last colon or equals sign of the word.
 */
export const bashScript = `# bash completion for envs
__envs_complete() {
    local line="\${COMP_LINE:0:COMP_POINT}" words value
    read -ra words <<< "$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    local typed="\${words[\${#words[@]}-1]}"
    [[ $typed == -*=* ]] && typed="\${typed#*=}"
    local kept="\${typed%"\${typed##*[:=]}"}"
    COMPREPLY=()
    while IFS=$'\\t' read -r value _; do
        [[ $value == :[0-9]* ]] || COMPREPLY+=("\${value#"$kept"}")
    done < <(envs complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F __envs_complete envs
`;
