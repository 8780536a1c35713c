/**
 * A copy of a ledger beyond the reach of the host's undo. OpenCode restores every file that changed while an undone
 * turn ran, no matter who changed it, and so drops ledger lines unrelated to that turn. The copy is machine state,
 * which git ignores and the host therefore leaves alone. A ledger only grows: lines that only the copy has are missing
 * from the ledger.
 */
import { join } from "node:path";
import { type Files, readPlainText } from "../../io/files.js";
import { listItself } from "./obstacle.js";

export interface LedgerCopy {
  /** Copies new ledger lines, given the size of each ledger file in bytes. Rejects with the system's error. */
  follow(offsets: ReadonlyMap<string, number>): Promise<void>;
  /** Lines that the ledger has lost, by ledger file. Rejects with the system's error. */
  findMissing(): Promise<Map<string, string[]>>;
}

export interface LedgerCopyOptions {
  files: Files;
  /** Folder of the ledger. */
  ledger: string;
  /** Machine state. */
  folder: string;
}

export function createLedgerCopy({ files, folder, ledger }: LedgerCopyOptions): LedgerCopy {
  /** Bytes of each ledger file when last copied. */
  const copied = new Map<string, number>();

  return {
    async follow(offsets) {
      for (const [name, bytes] of offsets) {
        if (copied.get(name) === bytes) continue;
        // After a start, a copy of the same size has the same lines.
        const isFirst = !copied.has(name);
        if (!isFirst || (await files.statItself(join(folder, name)))?.bytes !== bytes) await copyLines(name);
        copied.set(name, bytes);
      }
    },

    async findMissing() {
      const missing = new Map<string, string[]>();
      for (const name of (await listItself(files, folder)).filter((one) => one.endsWith(".jsonl"))) {
        const [here, there] = [await readLines(join(folder, name)), await readLines(join(ledger, name))];
        const lost = subtract(here, there);
        if (lost.length > 0) missing.set(name, lost);
      }
      return missing;
    },
  };

  async function copyLines(name: string): Promise<void> {
    const [there, here] = [await readLines(join(ledger, name)), await readLines(join(folder, name))];
    const lines = subtract(there, here);
    if (lines.length > 0) await files.appendLine(join(folder, name), lines.join("\n"));
  }

  /** Whole lines only: the last may be half written. */
  async function readLines(path: string): Promise<string[]> {
    const text = await readPlainText(files, path);
    return text
      .slice(0, text.lastIndexOf("\n") + 1)
      .split("\n")
      .filter((line) => line !== "");
  }
}

function subtract(lines: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return lines.filter((line) => !known.has(line));
}
