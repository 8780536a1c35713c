/** `strata completion`: a script that asks this program what can come next, so that it is never out of date. */
import { StrataError } from "../../base/error.js";
import { COMPLETE, exitCodes, type Run, WRONG_ARGUMENT } from "../../operations/command.js";

/** `eval` lets an alias named strata be used. Without a completion, the shell offers files. */
const scripts: Readonly<Record<string, string>> = {
  bash: `_strata() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    line=\${line%%$'\\t'*}
    [[ \${COMP_WORDS[COMP_CWORD]} == [\\"\\']* ]] || printf -v line %q "$line"
    COMPREPLY+=("$line")
  done < <(eval 'strata ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}"' 2>/dev/null </dev/null)
}
complete -o bashdefault -o default -F _strata strata`,
  zsh: `_strata() {
  local -a found
  found=("\${(@f)$(eval 'strata ${COMPLETE} "\${(@)words[2,CURRENT]}"' 2>/dev/null </dev/null)}")
  found=("\${(@)\${(@)found//:/\\\\:}/$'\\t'/:}")
  if [[ -n $found ]]; then _describe strata found; else _files; fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _strata strata`,
  fish: `function __strata_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (strata ${COMPLETE} $words[2..] 2>/dev/null </dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c strata -f -a '(__strata_complete)'`,
};

export const run: Run = async ({ say }, _options, [shell = ""]) => {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined)
    throw new StrataError(WRONG_ARGUMENT, `expected bash, zsh or fish, not "${shell}"`);
  say(script);
  return exitCodes.fine;
};
