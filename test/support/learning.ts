/** Messages of past conversations, and what `strata learn` makes of them. */
import type { Files } from "../../src/io/files.js";
import { PROJECT } from "./fake-host.js";
import { createMemoryFiles, type MemoryFiles } from "./memory-files.js";
import { type Ran, runStrata } from "./shell.js";

export const FOLDER = `${PROJECT}/.opencode/memory`;
export const TABS = "From now on always indent with tabs.";
export const NO_TABS = "From now on never indent with tabs.";
export const PORT = "Remember: the staging port is 5432.";
export const PUSH = "Never push to main without asking.";

interface Said {
  id: string | number;
  session: string | number;
  text: string;
  role?: string;
  at?: unknown;
}

export const said = (id: string, text: string, more: Partial<Said> = {}): Said => ({
  ...{ id, session: "s1", role: "user", text },
  ...more,
});
export const lines = (...all: readonly (Said | string)[]): string =>
  all.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join("\n");

export const openConversation = (text: string, more: Record<string, string> = {}): MemoryFiles =>
  createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x", "/m.jsonl": text, ...more });

export const learn = (files: Files, flags = "", more: Parameters<typeof runStrata>[2] = {}): Promise<Ran> =>
  runStrata(files, `learn /m.jsonl ${flags}`, more);

export const parseObjects = ({ out }: Ran): Record<string, unknown>[] =>
  out === "" ? [] : out.split("\n").map((line) => JSON.parse(line));

/** Paths of the memory files that are not archived, below the folder. */
export function listMemories(files: MemoryFiles): string[] {
  return [...files.contents.keys()]
    .filter((path) => path.startsWith(`${FOLDER}/`) && /\/memory\/[a-z]+\/[^/]+\.md$/.test(path))
    .map((path) => path.slice(FOLDER.length + 1))
    .sort();
}

/** Everything on the disk. */
export const listBytes = (files: MemoryFiles): [string, string][] =>
  [...files.contents]
    .map(([path, bytes]): [string, string] => [path, Buffer.from(bytes).toString("base64")])
    .sort();
