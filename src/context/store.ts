/** Writes what is to be cleared to files, and decides what stays of it. */
import type { Files } from "../io/files.js";
import type { Host } from "../io/host.js";
import {
  formatClearedInput,
  formatMarker,
  type InputToClear,
  type MarkerVerb,
  type ResultToClear,
} from "./clear-input.js";
import { type DatedDecision, decide } from "./decisions.js";
import { formatWholeInput, readInputKey } from "./replay.js";
import { findCutPath, type ResultFiles } from "./result-files.js";

/** Writes the file unless it exists; resolves to `undefined` if what stays would not be shorter. */
export type Store = (clearable: InputToClear | ResultToClear) => Promise<DatedDecision | undefined>;

export interface StoreOptions {
  files: Files;
  host: Pick<Host, "directory">;
  resultFiles: ResultFiles;
  /** First word of a result's marker; default: "Cleared". */
  verb?: MarkerVerb;
}

/** As in layer 1. */
const LARGEST_TAKEN_OVER_BYTES = 32_000_000;

export function createStore({ files, host, resultFiles, verb }: StoreOptions): Store {
  const { directory } = host;

  return (clearable) => (clearable.kind === "input" ? storeInput(clearable) : storeResult(clearable));

  async function storeInput({
    characters,
    fields,
    result,
  }: InputToClear): Promise<DatedDecision | undefined> {
    const { part } = result;
    const file = await resultFiles.store(formatWholeInput(result));
    const text = formatClearedInput({ part, fields, file, directory });
    return text.length < characters
      ? decide(readInputKey(result), { outcome: "cleared", text, file })
      : undefined;
  }

  async function storeResult(clearable: ResultToClear): Promise<DatedDecision | undefined> {
    const { judged, result, shown, superseded } = clearable;
    const content = judged?.file === undefined ? await readWhole(result) : undefined;
    const file = judged?.file ?? (await resultFiles.store(content ?? new Uint8Array()));
    const bytes = content?.byteLength ?? (await files.stat(file))?.bytes ?? Buffer.byteLength(result.text);
    const text = formatMarker({ part: result.part, bytes, file, directory, superseded, verb });
    const isShorter = Buffer.byteLength(text) < Buffer.byteLength(shown);
    return isShorter ? decide(result, { outcome: "cleared", text, file }) : undefined;
  }

  async function readWhole({ part, text }: ResultToClear["result"]): Promise<Uint8Array> {
    const cutPath = findCutPath(part, text);
    const found = cutPath === undefined ? undefined : await files.stat(cutPath);
    // A larger file is not copied while a turn waits; the stored text names it.
    const isTaken = found?.kind === "file" && found.bytes > 0 && found.bytes <= LARGEST_TAKEN_OVER_BYTES;
    const whole = cutPath !== undefined && isTaken ? await files.read(cutPath) : undefined;
    return whole ?? Buffer.from(text);
  }
}
