/** A project with intact memory, and tools to damage it. */
import { PROJECT } from "./fake-host.js";
import { createMemoryFiles, type MemoryFiles } from "./memory-files.js";
import { runStrata } from "./shell.js";

export const FOLDER = `${PROJECT}/.opencode/memory`;
export const STATE = `${PROJECT}/.opencode/strata/state/memory/internal`;

export interface Damage {
  what: string;
  plant(files: MemoryFiles): void | Promise<void>;
  /** The file to be reported, relative to the project. */
  file: RegExp;
  says: RegExp;
  /** Set if it is only a note, which `--strict` does not count. */
  isNote?: true;
  /** Files that `optimize --execute` changes; absent if it changes nothing. */
  mends?: readonly RegExp[];
}

export const SECRET = `ghp_${"aB3dE5gH7j".repeat(4)}`.slice(0, 40);

/** An intact project with a few memories of each kind. */
export async function openSound(): Promise<MemoryFiles> {
  const files = createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x" });
  await runStrata(files, "remember --type decision the server listens on port 8080");
  await runStrata(files, "remember --type idea a second idea");
  await runStrata(files, "remember --type idea an idea put aside");
  await runStrata(files, "archive aside");
  await runStrata(files, "remember --private --type preference short answers");
  return files;
}

export const DECISION = `${FOLDER}/decision/server-listens-port-8080.md`;
/** Writes a memory file with this name. */
export const memory = (name: string, contents: string | Uint8Array) => (files: MemoryFiles) =>
  files.writeWhole(`${FOLDER}/decision/${name}.md`, contents);
export const ledgerOf = (files: MemoryFiles): string =>
  [...files.contents.keys()].find((path) => path.startsWith(`${FOLDER}/ledger/`)) ?? "";
export const edit = (files: MemoryFiles, path: string, change: (text: string) => string) =>
  files.writeWhole(path, change(files.text(path) ?? ""));
/** Files that change when an edit by hand is recorded. */
export const byHand = [/\/ledger\/[^/]+\.jsonl$/, /MEMORY\.md$/];
