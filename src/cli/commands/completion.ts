/**
 * `strata completion`: a script that lets a shell complete commands, options, types, and ids and titles of memories. The
 * script asks `strata completion --for -- WORDS` at each press of the tab key, which answers one candidate a line, with a
 * tab and a description. It only reads, and an error leaves nothing to complete.
 */
import { StrataError } from "../../error.js";
import { type Memory, memoryTypes } from "../../memory/memory.js";
import { WRONG_ARGUMENT } from "../arguments.js";
import { type CliContext, type Command, type ExitCode, exitCodes, type Run } from "../command.js";
import { listMemories, readShelves } from "../memory-files.js";
import { openProject } from "../open-project.js";
import { expandAlias } from "../program.js";

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# strata completion bash, for ~/.bashrc:  eval "$(strata completion bash)"
_strata() {
  local word about
  COMPREPLY=()
  while IFS=$'\\t' read -r word about; do
    COMPREPLY+=("$(printf '%q' "$word")")
  done < <(strata completion --for -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _strata strata`,
  zsh: `#compdef strata
# strata completion zsh, for ~/.zshrc after compinit:  eval "$(strata completion zsh)"
_strata() {
  local word about
  local -a found told
  while IFS=$'\\t' read -r word about; do
    found+=("$word")
    told+=("$word\${about:+  $about}")
  done < <(strata completion --for -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  compadd -l -d told -a found
}
compdef _strata strata`,
  fish: `# strata completion fish, for ~/.config/fish/config.fish:  strata completion fish | source
complete -c strata -f -a '(strata completion --for -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
};

/** Completes these commands. */
export const createRun =
  (commands: readonly Command[]): Run =>
  async (cli, options, args) => {
    if (options.for !== true) return printScript(cli, args);
    for (const { about, word } of await complete(cli, commands, args).catch(() => []))
      cli.say(about === undefined ? word : `${word}\t${about}`);
    return exitCodes.fine;
  };

function printScript(cli: CliContext, args: readonly string[]): ExitCode {
  const [shell = "", ...more] = args;
  const script = Object.hasOwn(SCRIPTS, shell) && more.length === 0 ? SCRIPTS[shell] : undefined;
  if (script === undefined) {
    const what = `expected ${Object.keys(SCRIPTS).join(", ")}, and "${args.join(" ")}" came`;
    throw new StrataError(WRONG_ARGUMENT, `${what}; strata completion bash prints a script for bash`);
  }
  cli.say(script);
  return exitCodes.fine;
}

interface Candidate {
  word: string;
  /** A description, for shells that show one. */
  about?: string;
}

/** What may stand in place of the last of these words. */
async function complete(
  cli: CliContext,
  commands: readonly Command[],
  words: readonly string[],
): Promise<Candidate[]> {
  // bash passes the word on as it was typed, with its backslashes.
  const current = (words.at(-1) ?? "").replace(/\\(.)/g, "$1");
  const fits = ({ word }: Candidate): boolean => word.toLowerCase().startsWith(current.toLowerCase());
  const [first = "", ...before] = words.slice(0, -1);
  if (first === "" || (first === "help" && before.length === 0)) return listCommands(commands).filter(fits);
  const [name, ...implied] = expandAlias(commands, [first]);
  const command = commands.find((one) => one.name === name);
  if (!command) return [];
  if (before.at(-1) === "--type") return memoryTypes.map((word) => ({ word })).filter(fits);
  if (current.startsWith("-")) return listOptions(command).filter(fits);
  if (command.takes === "memories") return (await listTargets(cli, command)).filter(fits);
  const isFirst = [...implied, ...before].every((word) => word.startsWith("-"));
  return isFirst ? (command.takes ?? []).map((word) => ({ word })).filter(fits) : [];
}

const listCommands = (commands: readonly Command[]): Candidate[] =>
  commands.flatMap(({ aliases, name, summary }) =>
    [name, ...Object.keys(aliases ?? {})].map((word) => ({ word, about: summary })),
  );

const listOptions = ({ options }: Command): Candidate[] =>
  options.map(([flags, about]) => ({ word: flags.split(" ")[0] ?? flags, about }));

/** The ids of memories, and their titles. */
async function listTargets(cli: CliContext, { name }: Command): Promise<Candidate[]> {
  const project = await openProject({ ...cli, warn: () => {} });
  const isWanted = ({ status }: Memory): boolean => (status === "archived") === (name === "restore");
  const memories = listMemories(await readShelves(project)).filter(isWanted);
  return [
    ...memories.map(({ id, title }) => ({ word: id, about: title })),
    ...memories.map(({ id, title }) => ({ word: title, about: id })),
  ].filter(({ word }) => !/[\t\n]/.test(word));
}
