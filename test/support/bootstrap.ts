/** Projects for `strata bootstrap`, and the resulting memories. */

import type { Memory } from "../../src/memory/memory.js";
import { readTaken } from "../../src/sources/bootstrap/taken.js";
import { PROJECT } from "./fake-host.js";
import { createMemoryFiles, type MemoryFiles } from "./memory-files.js";
import { runStrata } from "./shell.js";

export const FOLDER = `${PROJECT}/.opencode/memory`;
/** A project with these files. */
export const openProject = (more: Record<string, string> = {}): MemoryFiles =>
  createMemoryFiles({
    [`${PROJECT}/.git/HEAD`]: "x",
    ...Object.fromEntries(Object.entries(more).map(([path, text]) => [`${PROJECT}/${path}`, text])),
  });

export async function listMemories(files: MemoryFiles, flags = ""): Promise<Memory[]> {
  const { out } = await runStrata(files, `list --json ${flags}`);
  return JSON.parse(out).memories;
}

/** The memories by file and by the name of the fact in it. */
export async function byFact(files: MemoryFiles): Promise<Record<string, Memory>> {
  const memories = await listMemories(files);
  return Object.fromEntries(
    memories.map((memory) => {
      const taken = readTaken(memory);
      return [`${taken?.file}#${taken?.as}`, memory];
    }),
  );
}

const fold = (text: string): string => text.replace(/\s+/g, " ");

/** Quoted pieces of a memory that are not in its file. */
export function findUnfounded({ content }: Memory, text: string): string[] {
  const quoted = content.split("\n").flatMap((line) => {
    if (line.startsWith("> ")) return [line.slice(2)];
    if (!line.startsWith("- ")) return [];
    return [...line.matchAll(/(`+) ?(.+?) ?\1/g)].map(([, , piece = ""]) => piece);
  });
  const whole = fold(text);
  return quoted.filter((piece) => {
    const said = fold(piece).replace(/…$/, "");
    return !whole.includes(said) && !whole.includes(JSON.stringify(said).slice(1, -1));
  });
}

/** Every file of the memory folder except the index. */
export function readState(files: MemoryFiles): Record<string, string> {
  return Object.fromEntries(
    [...files.contents]
      .filter(([path]) => path.startsWith(FOLDER) && !path.endsWith("MEMORY.md"))
      .map(([path, bytes]) => [path, Buffer.from(bytes).toString()]),
  );
}
