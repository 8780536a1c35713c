/** What the agent wants to keep of that about which it was asked, by letter. */
import { StrataError } from "../../../src/base/error.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import {
  isHandedOver,
  planDraft,
  readLatest,
  type Saying,
  type WaitingCandidate,
} from "../../../src/memory/candidates/candidate.js";
import type { Judgement } from "../../../src/memory/candidates/judgements.js";
import type { Gate } from "../../../src/memory/gate/gate.js";
import { type MemoryType, memoryTypes, readTypeName } from "../../../src/memory/memory.js";
import { readTime } from "../../../src/messages/call.js";
import { formatPath } from "../tools/remember.js";
import { formatStatement } from "../words/statements.js";
import { quoteCandidate } from "./plan-asked.js";
import { prove } from "./prove.js";

export interface KeepContext extends Pick<LayerContext, "candidates" | "clock" | "folders" | "host"> {
  gate: Pick<Gate, "save">;
}

export interface KeepRequest {
  /** "a c", or with types: "a directive, c decision". */
  letters: string;
  sessionID: string;
  /** By id: what was asked and may not be on disk yet. */
  asked: ReadonlyMap<string, NonNullable<WaitingCandidate["asked"]>>;
}

interface Wanted {
  letter: string;
  type?: MemoryType;
}

type Open = ReadonlyMap<string, WaitingCandidate>;

/** Of an open sentence, in an error. */
const QUOTE_TOKENS = 20;

/** One line for each. Rejects, and keeps nothing, if a letter or type is unknown. */
export async function keepAsked(context: KeepContext, request: KeepRequest): Promise<string> {
  const { candidates } = context;
  const wanted = readWanted(request.letters);
  const open = await findOpen(context, request, wanted);
  const chosen = wanted.flatMap(({ letter, type }) => {
    const one = open.get(letter);
    return one ? [{ letter, one, ...(type && { type }) }] : [];
  });
  if (chosen.length < wanted.length || wanted.length === 0) throw refuseLetters(wanted, open);
  const lines: string[] = [];
  const notes: Judgement[] = [];
  const settled: string[] = [];
  for (const one of chosen) {
    const { line, note } = await keepOne(context, one);
    lines.push(line);
    notes.push(note);
    if (note.outcome === "kept") settled.push(one.one.id);
  }
  await candidates.settle(settled);
  await candidates.note(notes);
  return lines.join("\n");
}

/** Throws if a type is unknown. */
function readWanted(letters: string): Wanted[] {
  const wanted = new Map<string, Wanted>();
  let last: string | undefined;
  for (const [word] of letters.toLowerCase().matchAll(/\p{L}[\p{L}_-]*/gu)) {
    if (word.length <= 2) {
      last = word;
      wanted.set(word, { letter: word });
      continue;
    }
    const type = memoryTypes.find((one) => one === (readTypeName(word) ?? word));
    if (!type || last === undefined)
      throw refuse(`"${word}" is no letter and no type; types: ${memoryTypes.join(", ")}.`);
    wanted.set(last, { letter: last, type });
  }
  return [...wanted.values()];
}

/** What this session was asked, by letter; a fork also has the questions in the history that it begins with. */
async function findOpen(
  { candidates, host }: KeepContext,
  { asked, sessionID }: KeepRequest,
  wanted: readonly Wanted[],
): Promise<Open> {
  const all = (await candidates.list()).flatMap((one) => {
    const how = one.asked ?? asked.get(one.id);
    return how && !isHandedOver(one) ? [{ one, ...how }] : [];
  });
  const toMap = (some: typeof all): Open => new Map(some.map(({ letter, one }) => [letter, one]));
  const own = all.filter(({ session }) => session === sessionID);
  const open = toMap(own);
  if (wanted.every(({ letter }) => open.has(letter))) return open;
  const times = new Set((await host.readMessages(sessionID))?.map(({ info }) => readTime(info)));
  const inherited = all.filter(({ one }) => times.has(readLatest(one)?.saidMs));
  return toMap([...inherited, ...own]);
}

function refuseLetters(wanted: readonly Wanted[], open: Open): StrataError {
  const unknown = wanted.map(({ letter }) => letter).filter((letter) => !open.has(letter));
  const items = [...open].map(([letter, one]) => `${letter} "${quoteCandidate(one, QUOTE_TOKENS)}"`);
  const what = unknown.length === 0 ? "No letter came" : `Nothing is open under ${unknown.join(", ")}`;
  return refuse(`${what}. Open: ${items.join(" ") || "none"}.`);
}

async function keepOne(
  { clock, folders, gate }: KeepContext,
  { letter, one, type = one.type }: { letter: string; one: WaitingCandidate; type?: MemoryType },
): Promise<{ line: string; note: Judgement }> {
  const latest = readLatest(one) as Saying;
  const { message, saidMs, session, text } = latest;
  const base = { atMs: clock.now(), session, message, text, by: "agent" as const };
  const leave = (why: string) => ({
    line: `${letter} was not kept: ${why}.`,
    note: { ...base, outcome: "refused" as const, why },
  });
  const { isQuestion } = latest.statements?.[latest.place ?? 0] ?? {};
  const quote = [{ text, heading: latest.heading, isQuestion }];
  const proved = prove({ type, says: formatStatement(latest), isGlobal: false }, { quote, around: "" });
  if (typeof proved === "string") return leave(`as a ${type}, ${proved}`);
  const draft = planDraft(one, { how: "agent", type });
  if (!draft) return leave("the user has taken it back");
  const cause = { operation: "remember", session, reason: "judged by the agent" };
  const written = await gate.save(draft, saidMs, cause);
  if (written.kind === "refused") return leave(written.why);
  const { id } = written.memory;
  return {
    line: `${letter} is kept as ${id} in ${formatPath(written.path, folders.project)}`,
    note: { ...base, outcome: "kept", why: "asked, it found this worth knowing", id },
  };
}

const refuse = (why: string): StrataError => new StrataError("EMEMORYLETTERS", `Nothing was kept. ${why}`);
