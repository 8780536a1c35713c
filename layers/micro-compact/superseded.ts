import { isToolPart, type Message, type ToolPart } from "../../src/view/message.js";

/** How a later call has made a result useless, in words for the model. */
export type Supersession = "read again later" | "edited later" | "made again later";

const CHANGING = new Set(["edit", "write", "multiedit", "apply_patch", "patch"]);

/**
 * The results that a later call has made useless: a file was read again, at least as much of it, or changed, or the
 * same call was made again. Calls that failed or have not ended count for nothing.
 */
export function findSuperseded(messages: readonly Message[]): ReadonlyMap<ToolPart, Supersession> {
  const superseded = new Map<ToolPart, Supersession>();
  const readLater = new Map<string, Set<string>>();
  const changedLater = new Set<string>();
  const madeLater = new Set<string>();
  for (let index = messages.length - 1; index >= 0; index--) {
    for (const part of [...(messages[index]?.parts ?? [])].reverse()) {
      if (!isToolPart(part) || part.state?.status !== "completed") continue;
      const { input = {} } = part.state;
      const why = explain(part);
      if (why) superseded.set(part, why);
      for (const path of CHANGING.has(part.tool) ? readChanged(input) : []) changedLater.add(path);
      if (part.tool === "read") note(readLater, String(input.filePath), readRange(input));
      else if (!CHANGING.has(part.tool)) madeLater.add(nameOf(part));
    }
  }
  return superseded;

  function explain(part: ToolPart): Supersession | undefined {
    const { input = {} } = part.state;
    if (part.tool !== "read") {
      return madeLater.has(nameOf(part)) ? "made again later" : undefined;
    }
    const path = String(input.filePath);
    const ranges = readLater.get(path);
    if (ranges?.has(WHOLE) || ranges?.has(readRange(input))) return "read again later";
    return changedLater.has(path) ? "edited later" : undefined;
  }
}

const WHOLE = "whole";

const readRange = ({ offset, limit }: Readonly<Record<string, unknown>>): string =>
  offset === undefined && limit === undefined ? WHOLE : `${offset ?? 1} ${limit ?? ""}`;

const nameOf = ({ tool, state }: ToolPart): string => `${tool} ${JSON.stringify(state.input ?? {})}`;

/** The files that a call has changed, as it names them. */
function readChanged({ filePath, patchText }: Readonly<Record<string, unknown>>): string[] {
  if (typeof filePath === "string") return [filePath];
  if (typeof patchText !== "string") return [];
  return [...patchText.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(
    (match) => match[1] ?? "",
  );
}

function note(map: Map<string, Set<string>>, key: string, value: string): void {
  map.set(key, (map.get(key) ?? new Set()).add(value));
}
