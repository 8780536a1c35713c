/** Completions of a command line, a value and a description a line. Quick and quiet: it opens no store and only reads. */
import { join } from "node:path";
import { StrataError } from "../base/error.js";
import { decodeText } from "../io/files.js";
import { formatID, memoryTypes } from "../memory/memory.js";
import { splitPath } from "../memory/path.js";
import { listPaths } from "../memory/store/scan.js";
import {
  type CliContext,
  COMPLETE,
  type Command,
  type ExitCode,
  exitCodes,
  findCalled,
  type Run,
  readOptions,
  WRONG_ARGUMENT,
} from "../operations/command.js";
import { listPlaces } from "../operations/memory-files.js";
import { openProject } from "../operations/project.js";

type Completion = readonly [value: string, what?: string];

/** The title stands near the beginning of the frontmatter. */
const HEAD_BYTES = 1_000;

/** `words` follow `strata`; the last one is being typed, as the shell has it, with quotes and backslashes. */
export async function complete(
  commands: readonly Command[],
  cli: CliContext,
  words: readonly string[],
): Promise<ExitCode> {
  const typed = words.map((word) => word.replace(/^["']/, "").replace(/\\(.)/gs, "$1"));
  const found = await list(commands, { ...cli, warn() {} }, typed).catch((): Completion[] => []);
  const last = typed.at(-1) ?? "";
  // Bash inserts a value into an open quote as it is, and a title may come from a repository.
  const isQuoted = /^["']/.test(words.at(-1) ?? "");
  for (const [value, what = ""] of found)
    if (value.startsWith(last) && !(isQuoted && /["'`$\\!]/.test(value)))
      cli.say(`${value}\t${what.replace(/\s+/g, " ")}`);
  return exitCodes.fine;
}

async function list(
  commands: readonly Command[],
  cli: CliContext,
  words: readonly string[],
): Promise<Completion[]> {
  const [head = ""] = words;
  const heads = commands.map(({ name, summary }): Completion => [name.split(" ")[0] ?? name, summary]);
  const all = heads.filter(([name], n) => heads.findIndex(([other]) => other === name) === n);
  if (words.length === 1)
    return [...all, ["help", "prints the help of a command"], ["--help"], ["--version"]];
  if (head === "help") return words.length === 2 ? all : [];
  const called = findCalled(commands, words.slice(0, -1));
  const after = called && called.phrase !== head ? [] : commands;
  const offered = after.flatMap(({ name, summary }): Completion[] =>
    words.length === 2 && name.startsWith(`${head} `) ? [[name.slice(head.length + 1), summary]] : [],
  );
  if (!called) return offered;
  return [...offered, ...(await listFollowing(called.command, cli, [...called.rest, words.at(-1) ?? ""]))];
}

/** What can follow the words behind a command; the last one is being typed. */
async function listFollowing(
  command: Command,
  cli: CliContext,
  rest: readonly string[],
): Promise<Completion[]> {
  const last = rest.at(-1) ?? "";
  const before = rest.at(-2) ?? "";
  const options = await readOptions(command);
  if (last.startsWith("-"))
    return [...options.map(([flags, what]): Completion => [flags.replace(/[ ,].*/, ""), what]), ["--help"]];
  if (options.some(([flags]) => flags.startsWith(`${before} `)))
    return before === "--type" ? memoryTypes.map((type): Completion => [type]) : [];
  if (rest.slice(0, -1).some((word) => !word.startsWith("-"))) return [];
  const { first } = command;
  if (typeof first !== "string") return (first ?? []).map((word): Completion => [word]);
  return listMemories(cli, first === "archived memory", last);
}

/** Ids; names and titles too once something is typed, since an id begins with its type. */
async function listMemories(cli: CliContext, isArchived: boolean, typed: string): Promise<Completion[]> {
  const { files } = cli;
  const places = listPlaces(await openProject(cli));
  const listed = await Promise.all(
    places.map(async (place) => {
      const paths = await listPaths(files, place.folder).catch(() => []);
      return paths.flatMap((path) => {
        const parts = splitPath(path);
        return parts?.isArchived === isArchived
          ? [{ id: formatID({ ...place, ...parts }), name: parts.name, path: join(place.folder, path) }]
          : [];
      });
    }),
  );
  const completed = listed.flat().map(async ({ id, name, path }): Promise<Completion[]> => {
    const head = { maxBytes: HEAD_BYTES, links: "refused" } as const;
    const bytes = await files.readFrom(path, 0, head).catch(() => undefined);
    const [, , title = ""] = /^title: *(["']?)(.*)\1 *$/m.exec(bytes ? decodeText(bytes) : "") ?? [];
    const own: Completion = [id, title];
    return typed === "" || title === "" ? [own] : [own, [name, title], [title, id]];
  });
  return (await Promise.all(completed)).flat();
}

/* `strata completion`: a script that asks this program what can come next, so that it is never out of date. */

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

export const printScript: Run = async ({ say }, _options, [shell = ""]) => {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (!script) throw new StrataError(WRONG_ARGUMENT, `expected bash, zsh or fish, not "${shell}"`);
  say(script);
  return exitCodes.fine;
};
