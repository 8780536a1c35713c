/**
 * A copy of a ledger where the host's undo does not reach. OpenCode puts back every file that changed while an undone
 * turn ran, whoever has changed it, so that lines of the ledger go which have nothing to do with that turn. The copy is
 * machine state, which git ignores and the host therefore leaves alone. A ledger only grows: what the copy has and the
 * ledger has not is missing there.
 */
import { join } from "node:path";
import type { Files } from "../../seams/files.js";
import { listItself } from "./obstacle.js";

export interface LedgerCopy {
  /** Takes over the lines that are new since. Rejects with the system's error. */
  follow(): Promise<void>;
  /** Lines that the ledger has lost, by its file. Rejects with the system's error. */
  findMissing(): Promise<Map<string, string[]>>;
}

export interface LedgerCopyOptions {
  files: Files;
  /** The files of the ledger. */
  ledger: string;
  /** Machine state. */
  folder: string;
}

export function createLedgerCopy({ files, folder, ledger }: LedgerCopyOptions): LedgerCopy {
  /** By file: what it had when it was copied last. */
  const copied = new Map<string, number>();

  return {
    async follow() {
      for (const name of await listNames(ledger)) {
        const bytes = (await files.statItself(join(ledger, name)))?.bytes;
        if (bytes === undefined || copied.get(name) === bytes) continue;
        const [there, here] = [await readLines(join(ledger, name)), await readLines(join(folder, name))];
        await append(name, subtract(there, here));
        copied.set(name, bytes);
      }
    },

    async findMissing() {
      const missing = new Map<string, string[]>();
      for (const name of await listNames(folder)) {
        const [here, there] = [await readLines(join(folder, name)), await readLines(join(ledger, name))];
        const lost = subtract(here, there);
        if (lost.length > 0) missing.set(name, lost);
      }
      return missing;
    },
  };

  async function listNames(of: string): Promise<string[]> {
    return (await listItself(files, of)).filter((name) => name.endsWith(".jsonl"));
  }

  /** Whole lines only: the last one may still be being written. */
  async function readLines(path: string): Promise<string[]> {
    const stat = await files.statItself(path);
    const bytes = stat?.kind === "file" ? await files.read(path) : undefined;
    const text = new TextDecoder().decode(bytes ?? new Uint8Array());
    return text
      .slice(0, text.lastIndexOf("\n") + 1)
      .split("\n")
      .filter((line) => line !== "");
  }

  async function append(name: string, lines: readonly string[]): Promise<void> {
    if (lines.length > 0) await files.appendLine(join(folder, name), lines.join("\n"));
  }
}

function subtract(lines: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return lines.filter((line) => !known.has(line));
}
