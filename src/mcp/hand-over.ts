/** Turns a client's rules into candidates: the client cannot prove that the user said them, so the user decides. */

import { formatTitle } from "../../layers/5-auto-memory/words/title.js";
import { findWhen } from "../../layers/5-auto-memory/words/when.js";
import { inSlices } from "../base/slices.js";
import type { WaitingCandidate } from "../memory/candidates/candidate.js";
import { refuseWords } from "../memory/draft.js";
import { TAKES_OVER } from "../memory/gate/gate.js";
import { type MemoryType, usersTypes } from "../memory/memory.js";
import { createComparison } from "../text/compare.js";
import { toLine } from "../text/text.js";
import type { ClientContext } from "./client-context.js";
import { type McpCall, refuse } from "./tool.js";

/** A user could not confirm a longer rule at a glance. */
const LONGEST_RULE = 1_000;

export interface HandedOver {
  /** `known`: a memory of the user's already says the same. */
  kind: "known" | "waiting";
  /** Answer for the client. */
  text: string;
}

/** @throws StrataError if the rule was not accepted as a candidate */
export async function handOver(
  { shared, session }: Pick<ClientContext, "shared" | "session">,
  { content, type }: { content: string; type: MemoryType },
  { id }: Pick<McpCall, "id">,
): Promise<HandedOver> {
  const { candidates, memories, project } = shared;
  const { clock } = project.cli;
  const text = toLine(content, LONGEST_RULE + 1);
  const fault = findFault(text) ?? (await inSlices(clock, refuseWords({ title: "", content: text })));
  if (fault !== undefined) throw refuse(`Nothing was kept. ${fault}`);
  const compare = createComparison();
  const isSame = (other: string): boolean => compare(text, other) === "same";
  const known = (await memories.list()).find(
    (one) => usersTypes.has(one.type) && !one.isForeign && one.status === "active" && isSame(one.content),
  );
  if (known) return { kind: "known", text: `Known already: ${known.id}` };
  const saidMs = clock.now();
  const title = formatTitle(text);
  const said = [{ session: session(), message: id, saidMs, title, text, isHandedOver: true as const }];
  await candidates.offer([{ type, when: findWhen(text), worth: 0, said }]);
  const waiting = (await candidates.list()).find((one) => one.said.some((saying) => isSame(saying.text)));
  if (!waiting)
    throw refuse("Nothing was kept: the user dropped this sentence before, or no candidate can wait here.");
  return { kind: "waiting", text: formatWaiting({ id: waiting.id, type }) };
}

function findFault(text: string): string | undefined {
  if (text.length > LONGEST_RULE) return `A rule is one sentence of at most ${LONGEST_RULE} characters.`;
  if (TAKES_OVER.test(text)) return "Text that gives the model orders about itself is not a memory.";
  return undefined;
}

const formatWaiting = ({ id, type }: Pick<WaitingCandidate, "id" | "type">): string =>
  `Waits as candidate ${id}: a ${type} records what the user said, so only the user can confirm it: in a terminal with strata candidates keep ${id}, or in OpenCode with /keep ${id}. Ask the user if it matters now.`;
