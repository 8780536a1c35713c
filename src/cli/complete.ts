/** Completions of a command line, a value and a description a line. Quick and quiet: it opens no store and only reads. */
import { join } from "node:path";
import { decodeText } from "../io/files.js";
import { formatID, memoryTypes } from "../memory/memory.js";
import { splitPath } from "../memory/path.js";
import { listPaths } from "../memory/store/scan.js";
import {
  type CliContext,
  type Command,
  type ExitCode,
  exitCodes,
  findCommand,
} from "../operations/command.js";
import { listPlaces } from "../operations/memory-files.js";
import { openProject } from "../operations/project.js";

type Completion = readonly [value: string, what?: string];

/** With more memories, only ids are completed: reading titles would take too long. */
const MOST_TITLES = 1_000;
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
  const [name = "", ...rest] = words;
  const all = commands.map((command): Completion => [command.name, command.summary]);
  if (rest.length === 0) return [...all, ["help", "prints the help of a command"], ["--help"], ["--version"]];
  if (name === "help") return rest.length === 1 ? all : [];
  const command = findCommand(commands, name);
  const last = rest.at(-1) ?? "";
  const before = rest.at(-2) ?? "";
  if (!command) return [];
  if (last.startsWith("-"))
    return [
      ...command.options.map(([flags, what]): Completion => [flags.replace(/[ ,].*/, ""), what]),
      ["--help"],
    ];
  if (command.options.some(([flags]) => flags.startsWith(`${before} `)))
    return before === "--type" ? memoryTypes.map((type): Completion => [type]) : [];
  const { first } = command;
  if (rest.slice(0, -1).some((word) => !word.startsWith("-"))) return [];
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
  const memories = listed.flat();
  const hasTitles = memories.length <= MOST_TITLES;
  const completed = memories.map(async ({ id, name, path }): Promise<Completion[]> => {
    const bytes = hasTitles
      ? await files.readFrom(path, 0, { maxBytes: HEAD_BYTES, links: "refused" }).catch(() => undefined)
      : undefined;
    const [, , title = ""] = /^title: *(["']?)(.*)\1 *$/m.exec(bytes ? decodeText(bytes) : "") ?? [];
    const own: Completion = [id, title];
    return typed === "" || title === "" ? [own] : [own, [name, title], [title, id]];
  });
  return (await Promise.all(completed)).flat();
}
