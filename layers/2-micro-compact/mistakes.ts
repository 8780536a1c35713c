/** Results that were cleared and looked up again soon after: they should have stayed. Pure. */
import type { History, Result } from "../../src/conversation/history.js";
import type { Find } from "../../src/view/replay.js";
import type { SessionUses } from "./uses.js";

const SOON = 10;

/** How many results were looked up again within ten requests, by the same call or by reading their file. */
export function countMistakes(
  { find, history, shownFrom }: { find: Find; history: History; shownFrom(): number },
  uses: SessionUses,
): number {
  /** Answers at the time at which what a call shows was cleared. */
  const clearedAt = new Map<string, number>();
  let mistakes = 0;
  const results = history.results(shownFrom());
  const tools = new Set(results.filter(({ key }) => find(key)?.cleared).map(({ part }) => part.tool));
  if (tools.size === 0) return 0;
  // Their whole results are read as files.
  tools.add("read");
  for (const result of results) {
    // The inputs of other calls, such as edits, are long, and naming those calls would serve nothing.
    if (!tools.has(result.part.tool)) continue;
    const name = nameCall(result);
    const [made, from] = [uses.madeBy(result.part.callID), clearedAt.get(name)];
    if (made !== undefined && from !== undefined && made >= from && made < from + SOON) mistakes++;
    clearedAt.delete(name);
    const cleared = find(result.key)?.cleared;
    if (!cleared) continue;
    const answers = uses.answersAt(cleared.at);
    clearedAt.set(name, answers);
    if (cleared.file !== undefined) clearedAt.set(`read ${cleared.file}`, answers);
  }
  return mistakes;
}

/** Other lines of a file are looked up in the same file. */
function nameCall({ part: { state, tool } }: Result): string {
  const { input = {} } = state;
  return tool === "read" ? `read ${String(input.filePath)}` : `${tool} ${JSON.stringify(input)}`;
}
