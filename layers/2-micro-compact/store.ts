/** Writes what is to be cleared to files, and decides what stays of it. */
import type { Message } from "../../src/conversation/message.js";
import type { LayerContext } from "../../src/layer-context.js";
import { formatWholeInput, readInputKey } from "../../src/view/call-input.js";
import { type DatedDecision, decide } from "../../src/view/decisions.js";
import { findCutPath } from "../../src/view/host-cut.js";
import { findChangedSince, findLastEdits } from "./changed-since.js";
import { formatClearedInput } from "./clear-input.js";
import type { Clearable, ClearableInput, ClearableResult } from "./gather.js";
import { formatMarker } from "./marker.js";

/** Writes the file unless it exists; resolves to `undefined` if what stays would not be shorter. */
export type Store = (clearable: Clearable) => Promise<DatedDecision | undefined>;

/** As in layer 1. */
const LARGEST_TAKEN_OVER_BYTES = 32_000_000;

/** `messages` are those of the session. */
export function createStore(
  { files, host, resultFiles }: Pick<LayerContext, "files" | "host" | "resultFiles">,
  messages: readonly Message[],
): Store {
  const { directory } = host;
  let edits: ReadonlyMap<string, number> | undefined;

  return (clearable) => (clearable.kind === "input" ? storeInput(clearable) : storeResult(clearable));

  async function storeInput({
    characters,
    fields,
    result,
  }: ClearableInput): Promise<DatedDecision | undefined> {
    const { part } = result;
    edits ??= findLastEdits(messages, directory);
    const changedSince = await findChangedSince(part, edits, { directory, files });
    const file = await resultFiles.store(formatWholeInput(result));
    const text = formatClearedInput({ part, fields, file, directory, changedSince });
    return text.length < characters
      ? decide(readInputKey(result), { outcome: "cleared", text, file })
      : undefined;
  }

  async function storeResult(clearable: ClearableResult): Promise<DatedDecision | undefined> {
    const { judged, result, shown, superseded } = clearable;
    const content = judged?.file === undefined ? await readWhole(result) : undefined;
    const file = judged?.file ?? (await resultFiles.store(content ?? new Uint8Array()));
    const bytes = content?.byteLength ?? (await files.stat(file))?.bytes ?? Buffer.byteLength(result.text);
    const text = formatMarker({ part: result.part, bytes, file, directory, superseded });
    const isShorter = Buffer.byteLength(text) < Buffer.byteLength(shown);
    return isShorter ? decide(result, { outcome: "cleared", text, file }) : undefined;
  }

  async function readWhole({ part, text }: ClearableResult["result"]): Promise<Uint8Array> {
    const cutPath = findCutPath(part, text);
    const found = cutPath === undefined ? undefined : await files.stat(cutPath);
    // A larger file is not copied while a turn waits; the stored text names it.
    const isTaken = found?.kind === "file" && found.bytes > 0 && found.bytes <= LARGEST_TAKEN_OVER_BYTES;
    const whole = cutPath !== undefined && isTaken ? await files.read(cutPath) : undefined;
    return whole ?? Buffer.from(text);
  }
}
