/**
 * Sentences that became no memory of their own, because one says the same or something newer says the opposite:
 * `state/extraction/learned.jsonl`. Read a second time, such a sentence would count as newer than it is.
 */
import { join } from "node:path";
import { hashOf } from "../../../src/base/hash.js";
import { isVersion, object, string } from "../../../src/base/shape.js";
import type { Files } from "../../../src/io/files.js";
import { createLineLog } from "../../../src/io/json-lines.js";
import type { Log } from "../../../src/io/log.js";

export interface Settled {
  /** A check whether the sentence is listed, complete as of now. Rejects with the system's error. */
  read(): Promise<(message: string, sentence: string) => boolean>;
  /** Rejects with the system's error. */
  add(message: string, sentence: string): Promise<void>;
}

interface SettledLine {
  v: 1;
  /** Hash of message and sentence. */
  said: string;
}

const isLine = object<SettledLine>({ v: isVersion, said: string });

/** `folder`: machine state of the extraction. Reads the list once. */
export function createSettled(options: { files: Files; folder: string; log: Log }): Settled {
  const { files, folder, log } = options;
  const path = join(folder, "learned.jsonl");
  const lines = createLineLog<SettledLine>({
    files,
    parse: (value) => (isLine(value) ? value : undefined),
    complain: { log, source: "auto-memory" },
  });
  let known: Set<string> | undefined;

  return { read, add };

  async function read(): Promise<(message: string, sentence: string) => boolean> {
    const said = await load();
    return (message, sentence) => said.has(nameOf(message, sentence));
  }

  async function add(message: string, sentence: string): Promise<void> {
    const said = nameOf(message, sentence);
    const all = await load();
    if (all.has(said)) return;
    await lines.append(path, [{ v: 1, said }]);
    all.add(said);
  }

  async function load(): Promise<Set<string>> {
    known ??= new Set((await lines.read(path)).records.map(({ said }) => said));
    return known;
  }
}

const nameOf = (message: string, sentence: string): string => hashOf(`${message}\n${sentence}`);
