/** `strata show` */
import { formatJudge } from "../../memory/judge.js";
import type { Memory } from "../../memory/memory.js";
import { exitCodes, type Run, type Style } from "../../operations/command.js";
import { requireMemory, withMemories } from "../../operations/open-memories.js";
import { openProject } from "../../operations/project.js";
import { readTaken } from "../../sources/bootstrap/taken.js";
import { findRelated } from "../related.js";

export const run: Run = async (cli, { json }, args) => {
  const project = await openProject(cli);
  return withMemories(project, async (memories) => {
    const memory = await requireMemory(memories, args.join(" "));
    memories.noteUse([memory.id]);
    if (json) cli.say(JSON.stringify(memory, null, 2));
    else cli.say(formatMemory(memory, { all: await memories.list(), style: cli.style }));
    return exitCodes.fine;
  });
};

/** The memory's text, then its fields and related memories. */
function formatMemory(memory: Memory, { all, style }: { all: readonly Memory[]; style: Style }): string {
  const { created, entities, id, provenance, status, supersededBy, tags, title, updated, when } = memory;
  const { by, evidence, session } = provenance;
  const rows: [string, string | undefined][] = [
    ["id", `${id}, ${status}`],
    ["source", [by, session, memory.isForeign && "came with the repository"].filter(Boolean).join(", ")],
    ["taken from", readTaken(memory)?.file],
    ["evidence", evidence],
    ["judged by", formatJudge(memory)],
    ["dates", `created ${created.slice(0, 10)}, changed ${updated.slice(0, 10)}`],
    ["tags", tags.join(", ")],
    ["about", entities.join(", ")],
    ["importance", formatWeight(memory)],
    ["shown when", when.join(", ")],
    ["superseded by", supersededBy],
    ...findRelated(memory, all).map(({ how, other }): [string, string] => [
      how,
      `${other.id}  ${other.title}`,
    ]),
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

/** Includes the author's confidence, if stated. */
function formatWeight({ extra: { confidence }, importance }: Memory): string {
  return `${importance}${typeof confidence === "number" ? `, confidence ${confidence}` : ""}`;
}
