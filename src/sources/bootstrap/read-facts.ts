/** Reads facts out of the files of a project. */
import { join } from "node:path";
import { formatError } from "../../base/error.js";
import { decodeStrictly, type Files } from "../../io/files.js";
import type { Source } from "./find-sources.js";
import { MOST_BYTES } from "./sources.js";
import type { TakenFact } from "./taken.js";

export interface ReadFacts {
  facts: TakenFact[];
  /** Files read completely. */
  read: Set<string>;
  /** Sentences about files that were not used. */
  notes: string[];
}

/** Never rejects because of a file's contents: that becomes a note. */
export async function readFacts(files: Files, root: string, sources: readonly Source[]): Promise<ReadFacts> {
  const all: ReadFacts = { facts: [], read: new Set(), notes: [] };
  for (const source of sources) {
    const { path } = source;
    try {
      const facts = await readSource(files, root, source);
      all.facts.push(...facts.map((fact) => ({ ...fact, file: path })));
      all.read.add(path);
    } catch (thrown) {
      all.notes.push(`${path}: ${formatError(thrown).split("\n", 1)[0]}`);
    }
  }
  return all;
}

async function readSource(files: Files, root: string, { bytes, kind, path }: Source) {
  if (bytes > MOST_BYTES) throw new RangeError(`it has ${bytes} bytes, more than ${MOST_BYTES}`);
  const contents = await files.read(join(root, path), { links: "refused" });
  const text = decodeStrictly(contents ?? new Uint8Array());
  if (text === undefined || text.includes("\0")) throw new TypeError("it is not UTF-8 text");
  const read = await kind.load();
  return read(text.replace(/^\uFEFF/, ""), path);
}
