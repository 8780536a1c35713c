/** `strata import`: a file of `strata export`, a `.memory` folder, or a folder with a `MEMORY.md`. */
import { basename, relative, resolve } from "node:path";
import { StrataError } from "../../error.js";
import { splitPath } from "../../memory/path.js";
import type { MemoryCopy } from "../../memory/store.js";
import { parseJson } from "../../records.js";
import { decodeStrictly, type Files } from "../../seams/files.js";
import type { ExitCode, Run, Surroundings } from "../command.js";
import { idOf, type ReadShelf, readShelves } from "../memory-files.js";
import { requireProject } from "../project.js";
import { parseCopy } from "../transfer/line.js";
import { type Arrival, planArrivals, takeIn } from "../transfer/take-in.js";

interface ImportOptions {
  source: string;
  project: string;
  withGlobal: boolean;
  isDry: boolean;
}

const OPERATION = "import";

export const run: Run = async (surroundings, { dryRun, global: withGlobal }, [given = ""]) => {
  const { files, folder } = surroundings;
  const source = resolve(folder, given);
  const project = await requireProject(surroundings);
  const options = { source, project, withGlobal: withGlobal === true, isDry: dryRun === true };
  const stat = await files.stat(source);
  if (stat?.kind === "folder") return importFolder(surroundings, options);
  if (stat?.kind === "file") return importFile(surroundings, options);
  throw new StrataError(
    "NO_SOURCE",
    `${source} is neither a file nor a folder; strata import --help has both`,
  );
};

async function importFile(
  surroundings: Surroundings,
  { isDry, project, source, withGlobal }: ImportOptions,
): Promise<ExitCode> {
  const { copies, lost } = await readCopies(surroundings.files, source);
  if (copies.length === 0 && lost.length > 0)
    throw new StrataError(
      "WRONG_SOURCE",
      `no line of ${source} is a memory as strata export writes it; strata ingest takes Markdown files`,
    );
  const { planImport } = await import("../transfer/plan-import.js");
  const existing = listCopies(await readShelves(surroundings, project));
  const { add, duplicates, leftOut } = planImport(copies, existing, { withGlobal });
  const arrivals = add.map(
    (copy): Arrival => ({
      name: copy.from === undefined ? copy.id : `${copy.from} as ${copy.id}, since that name is taken`,
      write: (memories, run) => memories.adopt(copy, { operation: OPERATION, run }),
    }),
  );
  const notes = [
    ...(leftOut.length > 0 ? [`${leftOut.length} that hold in every project; --global takes them in`] : []),
    ...lost.map((line) => `line ${line} of ${source} is no memory, or half of one`),
  ];
  return takeIn(surroundings, { arrivals, duplicates: duplicates.length, notes, isDry });
}

async function importFolder(
  surroundings: Surroundings,
  { isDry, project, source, withGlobal }: ImportOptions,
): Promise<ExitCode> {
  const { clock, files, say } = surroundings;
  const { readMemoryFolder } = await import("../transfer/folders.js");
  const { drafts, passedOver } = await readMemoryFolder(files, source, {
    // Paths outside the project are nobody else's business.
    label: relative(project, source).startsWith("..") ? basename(source) : relative(project, source),
    ...(withGlobal && { scope: "global" as const }),
  });
  const existing = listMemories(await readShelves(surroundings, project));
  const planned = planArrivals(drafts, existing, { nowMs: clock.now(), operation: OPERATION });
  const code = await takeIn(surroundings, { ...planned, notes: [], isDry });
  if (passedOver.length > 0) say(`No memories are in ${passedOver.join(", ")}.`);
  return code;
}

/** Memories as they are on disk, for comparing. */
export function listMemories(shelves: readonly ReadShelf[]) {
  return shelves.flatMap(({ looked }) =>
    looked.flatMap(({ reading }) => (reading.kind === "memory" ? [reading.memory] : [])),
  );
}

/** Every file of them that can be read, and that stands in the way of another. */
function listCopies(shelves: readonly ReadShelf[]): MemoryCopy[] {
  return shelves.flatMap(({ looked, place }) =>
    looked.flatMap(({ path, text = "" }) => {
      const parts = splitPath(path);
      return parts ? [{ id: idOf(place, path), isArchived: parts.isArchived, contents: text }] : [];
    }),
  );
}

/** The memories in the file, and the numbers (from 1) of the lines that hold none. */
async function readCopies(files: Files, path: string): Promise<{ copies: MemoryCopy[]; lost: number[] }> {
  const bytes = (await files.read(path)) ?? new Uint8Array();
  const copies: MemoryCopy[] = [];
  const lost: number[] = [];
  // Line by line: where the end is torn within a letter, the rest can be read all the same.
  for (let start = 0, number = 1; start < bytes.length; number++) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    const line = decodeStrictly(bytes.subarray(start, end));
    const copy = line === undefined ? undefined : parseCopy(parseJson(line));
    if (copy) copies.push(copy);
    else if (line?.trim() !== "") lost.push(number);
    start = end + 1;
  }
  return { copies, lost };
}
