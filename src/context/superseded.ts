import { isToolPart, type Message, type ToolPart } from "../io/message.js";

/** How a later call made a result useless, in words for the model. */
export type Supersession = "read again later" | "edited later" | "made again later";

/** Tools that change files. */
export const CHANGING: ReadonlySet<string> = new Set(["edit", "write", "multiedit", "apply_patch", "patch"]);

/**
 * Results that a later call made useless: the same part of a file, or all of it, was read again; the file changed; or
 * the same call was repeated. Ignores calls that failed or have not ended.
 */
export function findSuperseded(messages: readonly Message[]): ReadonlyMap<ToolPart, Supersession> {
  const superseded = new Map<ToolPart, Supersession>();
  const readLater = new Map<string, Set<string>>();
  const changedLater = new Set<string>();
  const madeLater = new Set<string>();
  for (let index = messages.length - 1; index >= 0; index--) {
    for (const part of [...(messages[index]?.parts ?? [])].reverse()) {
      if (!isToolPart(part) || part.state?.status !== "completed") continue;
      if (CHANGING.has(part.tool)) {
        for (const path of readChanged(part.state.input ?? {})) changedLater.add(path);
        continue;
      }
      const why = part.tool === "read" ? explainRead(part) : explainCall(part);
      if (why) superseded.set(part, why);
    }
  }
  return superseded;

  function explainCall(part: ToolPart): Supersession | undefined {
    const name = `${part.tool} ${JSON.stringify(part.state.input ?? {})}`;
    const isMadeLater = madeLater.has(name);
    madeLater.add(name);
    return isMadeLater ? "made again later" : undefined;
  }

  function explainRead({ state: { input = {} } }: ToolPart): Supersession | undefined {
    const path = String(input.filePath);
    const range = readRange(input);
    const ranges = readLater.get(path) ?? new Set();
    const isReadLater = ranges.has(WHOLE) || ranges.has(range);
    readLater.set(path, ranges.add(range));
    if (isReadLater) return "read again later";
    return changedLater.has(path) ? "edited later" : undefined;
  }
}

const WHOLE = "whole";

const readRange = ({ offset, limit }: Readonly<Record<string, unknown>>): string =>
  offset === undefined && limit === undefined ? WHOLE : `${offset ?? 1} ${limit ?? ""}`;

/** The files changed by a call, as it names them. */
export function readChanged({ filePath, patchText }: Readonly<Record<string, unknown>>): string[] {
  if (typeof filePath === "string") return [filePath];
  if (typeof patchText !== "string") return [];
  return [...patchText.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(
    (match) => match[1] ?? "",
  );
}
