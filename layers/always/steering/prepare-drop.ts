/** What a person drops: the file with the whole is written, and the line planned that stands for it. */
import { findLongInput } from "../../../src/context/clear-input.js";
import { type DatedDecision, decide } from "../../../src/context/decisions.js";
import { formatPath } from "../../../src/context/marker.js";
import { findText } from "../../../src/context/replay.js";
import type { ContextRequest } from "../../../src/context/request.js";
import { createStore } from "../../../src/context/store.js";
import { formatTurn, formatTurnMarker } from "./format-turn.js";
import type { PrepareContext } from "./prepared.js";
import type { Surroundings } from "./surroundings.js";
import type { InputThing, ResultThing, TurnThing } from "./things.js";

/** A result or an input, as layer 2 clears it, in words that say who did. Empty if the line would be no shorter. */
export async function prepareClear(
  context: PrepareContext,
  { find }: ContextRequest,
  { superseded, thing }: { thing: ResultThing | InputThing; superseded: Surroundings["superseded"] },
): Promise<DatedDecision[]> {
  const { kind, result } = thing;
  const store = createStore({ ...context, verb: "Dropped by the user" });
  if (kind === "input") {
    const long = findLongInput(result.part);
    return long ? asList(await store({ kind, result, ...long })) : [];
  }
  const standing = find(result.key);
  const shown = findText(result, standing) ?? result.text;
  const why = superseded.get(result.part);
  return asList(await store({ kind, result, shown, judged: standing?.judged, superseded: why }));
}

const asList = (decided: DatedDecision | undefined): DatedDecision[] => (decided ? [decided] : []);

/** All answers of a turn: a line stands for the first of them that the host sends, nothing for the others. */
export async function prepareTurn(
  { host, resultFiles }: PrepareContext,
  { find, history }: ContextRequest,
  { tokens, turn }: { turn: TurnThing; tokens: number },
): Promise<DatedDecision[]> {
  const file = await resultFiles.store(Buffer.from(formatTurn({ find, history }, turn)));
  const answers = history.messages.slice(turn.index, turn.end);
  const text = formatTurnMarker(answers, { file: formatPath(file, host.directory), tokens });
  // The host does not send an answer that failed, whatever it contains.
  const sent = answers.findIndex(({ info }) => !info.error);
  return answers.flatMap((_, at) => {
    const key = history.keyOf(turn.index + at);
    const said = { ...(at === Math.max(0, sent) && { text }), ...(at === 0 && { file }) };
    return key ? decide(key, { outcome: "dropped", ...said }) : [];
  });
}
