/** The list of memories. */
import * as z from "zod";
import { DAY_MS } from "../base/days.js";
import { isWaiting, type Memory } from "../memory/memory.js";
import { type Core, days, defineOperation, flag, memoryType } from "./operation.js";

const listInput = z.object({
  type: memoryType.optional().describe("only memories of this type"),
  archived: flag.default(false).describe("includes archived memories"),
  foreign: flag.default(false).describe("only memories that came with the repository"),
  unused: days.optional().describe("only memories neither used nor changed for this many days"),
});

export const list = defineOperation(listInput, async (core, wanted) => {
  const { clock, memories, style } = core;
  const { unused } = wanted;
  const latestMs = unused === undefined ? Number.POSITIVE_INFINITY : clock.now() - unused * DAY_MS;
  const all = await memories.list({ archived: wanted.archived });
  const shown = all
    .filter(({ type }) => wanted.type === undefined || type === wanted.type)
    .filter(({ isForeign }) => !wanted.foreign || isForeign)
    .filter(({ id, updated }) => Math.max(memories.useOf(id)?.lastMs ?? 0, Date.parse(updated)) <= latestMs)
    .sort((a, b) => a.id.localeCompare(b.id));
  const problems = memories.problems();
  const foreign = all.filter(isWaiting).length;
  const note = `${style.yellow("Not yours")}  ${foreign} came with the repository; ${core.nameOf("trust")} lists them`;
  return {
    text: shown.length === 0 ? "No memories." : formatRows(core, shown).join("\n"),
    data: { memories: shown, problems },
    notes: foreign > 0 ? [note] : [],
    isProblem: problems.length > 0,
  };
});

const MOST_ID_WIDTH = 60;

/** Id, days since the last change, title. */
function formatRows({ clock, style }: Core, memories: readonly Memory[]): string[] {
  const width = Math.min(MOST_ID_WIDTH, Math.max(...memories.map(({ id }) => id.length)));
  return memories.map(({ author, id, isForeign, isPersonal, status, title, updated }) => {
    const age = Math.max(0, Math.floor((clock.now() - Date.parse(updated)) / DAY_MS));
    const marks = [
      ...(status === "active" ? [] : [status]),
      ...(isForeign ? [author === undefined ? "not yours" : `by ${author}`] : []),
      ...(isPersonal ? ["not in git"] : []),
    ];
    const mark = marks.length === 0 ? "" : style.dim(`  (${marks.join(", ")})`);
    return `${id.padEnd(width)}  ${style.dim(`${age} d`.padStart(6))}  ${title}${mark}`;
  });
}
