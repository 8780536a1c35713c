/** A project whose memory is whole, and what it takes to damage it. */
import { PROJECT } from "./fake-host.js";
import { createMemoryFiles, type MemoryFiles } from "./memory-files.js";
import { runStrata } from "./shell.js";

export const FOLDER = `${PROJECT}/.opencode/memory`;
export const STATE = `${PROJECT}/.opencode/strata/state/memory/internal`;

export interface Damage {
  what: string;
  plant(files: MemoryFiles): void | Promise<void>;
  /** The file that is to be named, from the project. */
  file: RegExp;
  says: RegExp;
  /** Does `--strict` find it, or only whoever reads on? */
  isNote?: true;
  /** What `optimize --execute` changes; absent where it leaves everything as it is. */
  mends?: readonly RegExp[];
}

export const SECRET = `ghp_${"aB3dE5gH7j".repeat(4)}`.slice(0, 40);

/** A project with a few memories of each kind, with everything in order. */
export async function openSound(): Promise<MemoryFiles> {
  const files = createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x" });
  await runStrata(files, "remember --type decision the server listens on port 8080");
  await runStrata(files, "remember --type idea a second idea");
  await runStrata(files, "remember --type idea an idea put aside");
  await runStrata(files, "archive aside");
  await runStrata(files, "remember --private --type preference short answers");
  return files;
}

export const DECISION = `${FOLDER}/decision/the-server-listens-on-port-8080.md`;
/** Plants a memory under this name. */
export const memory = (name: string, contents: string | Uint8Array) => (files: MemoryFiles) =>
  files.writeWhole(`${FOLDER}/decision/${name}.md`, contents);
export const ledgerOf = (files: MemoryFiles): string =>
  [...files.contents.keys()].find((path) => path.startsWith(`${FOLDER}/ledger/`)) ?? "";
export const edit = (files: MemoryFiles, path: string, change: (text: string) => string) =>
  files.writeWhole(path, change(files.text(path) ?? ""));
/** What changes when something is entered that was done by hand. */
export const byHand = [/\/ledger\/[^/]+\.jsonl$/, /MEMORY\.md$/];
