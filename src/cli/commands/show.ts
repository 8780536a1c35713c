/** `strata show` */
import type { Memory } from "../../memory/memory.js";
import { exitCodes, type Run } from "../command.js";
import { requireMemory, withMemories } from "../memories.js";
import type { Style } from "../style.js";

export const run: Run = async (surroundings, { json }, args) =>
  withMemories(surroundings, async (memories) => {
    const memory = await requireMemory(memories, args.join(" "));
    surroundings.say(json ? JSON.stringify(memory, null, 2) : formatMemory(memory, surroundings.style));
    return exitCodes.fine;
  });

/** A memory for people: what it says, then where it is from. */
function formatMemory(memory: Memory, style: Style): string {
  const { created, id, links, provenance, status, supersededBy, tags, title, updated, when } = memory;
  const { by, evidence, session } = provenance;
  const rows: [string, string | undefined][] = [
    ["id", `${id}, ${status}`],
    ["told by", [by, session].filter(Boolean).join(", ")],
    ["said", evidence],
    ["dates", `${created.slice(0, 10)}, last changed ${updated.slice(0, 10)}`],
    ["tags", tags.join(", ")],
    ["comes back when", when.join(", ")],
    ["links", links.join(", ")],
    ["superseded by", supersededBy],
  ];
  const facts = rows.filter(([, text]) => text !== undefined && text !== "");
  return [
    style.bold(title),
    "",
    memory.content,
    "",
    ...facts.map(([label, text]) => `${style.dim(label.padEnd(16))}${text}`),
  ].join("\n");
}
