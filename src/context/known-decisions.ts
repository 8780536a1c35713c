/**
 * The known decisions of a project, and for which sessions each counts.
 *
 * A session uses its own decisions and those made before it began: a fork inherits its parent's decisions, and from then
 * on neither changes what the other has sent. On each day a session begins with its first line in that day's file.
 *
 *     line    1         2         3          4          5
 *             parent    parent    fork       parent     fork
 *             a, b      c         begins     d          e       the parent uses a b c d, the fork a b c e
 */
import { type DecisionBatch, type Outcome, withoutLate } from "./decision-batch.js";
import type { KnownDecision, RecordedDecisions } from "./replay.js";

interface Entry {
  decision: KnownDecision;
  day: number;
  line: number;
}

/** Outcomes of which the first counts, and where it stands. */
const slots = {
  kept: "judged",
  replaced: "judged",
  shrunk: "judged",
  cleared: "cleared",
  cut: "cut",
  rewritten: "rewritten",
  dropped: "dropped",
} as const satisfies Partial<Record<Outcome, keyof RecordedDecisions>>;

export function createKnownDecisions() {
  const known = new Map<string, Entry[]>();
  const uses = new Set<string>();
  /** Keys of everything that was ever pinned. */
  const pins = new Set<string>();
  /** The first line of each session in a day's file, by `nameDay`. */
  const begun = new Map<string, number>();
  const lines = new Map<number, DecisionBatch[]>();
  let version = 0;

  return {
    takeDay,

    takeLine(day: number, batch: DecisionBatch): void {
      const ofDay = lines.get(day) ?? [];
      // What it withdraws may be known already.
      if (batch.late) takeDay(day, [...ofDay, batch]);
      else {
        version++;
        takeBatch(batch, day, ofDay.length);
        ofDay.push(batch);
        lines.set(day, ofDay);
      }
    },

    linesOf: (day: number): readonly DecisionBatch[] => lines.get(day) ?? [],

    /** Call after deleting a day's file on purpose. Its decisions stay known. */
    forgetLines: (day: number): void => void lines.delete(day),

    /** Adds a decision that is in no file. */
    remember(decision: KnownDecision): void {
      version++;
      add(known, { decision, day: 0, line: -1 });
    },

    find,

    /** Rises with every change of what `find` returns. */
    version: (): number => version,

    hasBegun: (session: string, day: number): boolean => begun.has(nameDay(day, session)),

    isUsing: (session: string, file: string): boolean => uses.has(`${session} ${file}`),

    /** What is pinned for the session, in the order of the first pins. */
    pinned: (session: string): KnownDecision[] =>
      [...pins].flatMap((key) => find(key, session)?.pinned ?? []),
  };

  /** Takes these lines of a day's file in the place of those that are known. */
  function takeDay(day: number, batches: readonly DecisionBatch[]): void {
    version++;
    const before = lines.get(day) ?? [];
    for (const { session } of before) begun.delete(nameDay(day, session));
    for (const { key } of before.flatMap(({ decisions }) => decisions))
      known.set(
        key,
        (known.get(key) ?? []).filter((entry) => entry.day !== day),
      );
    lines.set(day, [...batches]);
    for (const [line, batch] of withoutLate(batches).entries()) takeBatch(batch, day, line);
  }

  /** Of two decisions of a kind the first counts (per layer for extensions). With `byMs`, only decisions made by then. */
  function find(key: string, session: string, byMs?: number): RecordedDecisions | undefined {
    const beginsAt = (day: number): number => begun.get(nameDay(day, session)) ?? Number.POSITIVE_INFINITY;
    const isCounted = ({ decision: { at, session: by }, day, line }: Entry): boolean =>
      (by === session || line < beginsAt(day)) && (byMs === undefined || at <= byMs);
    const counted = (known.get(key) ?? []).filter(isCounted);
    if (counted.length === 0) return undefined;
    const recorded: RecordedDecisions = {};
    for (const { decision } of counted) take(recorded, decision);
    return recorded;
  }

  function takeBatch({ at = 0, session, layer, decisions }: DecisionBatch, day: number, line: number): void {
    if (!begun.has(nameDay(day, session))) begun.set(nameDay(day, session), line);
    for (const decision of decisions) {
      const { file, key, outcome } = decision;
      if (outcome === "used") uses.add(`${session} ${file}`);
      else add(known, { decision: { ...decision, session, layer, at }, day, line });
      if (outcome === "pinned") pins.add(key);
    }
  }
}

export type KnownDecisions = ReturnType<typeof createKnownDecisions>;

const nameDay = (day: number, session: string): string => `${day} ${session}`;

function add(known: Map<string, Entry[]>, entry: Entry): void {
  const { key } = entry.decision;
  known.set(key, [...(known.get(key) ?? []), entry]);
}

/** Of most outcomes the first decision counts. */
function take(recorded: RecordedDecisions, decision: KnownDecision): void {
  const { outcome } = decision;
  if (outcome === "revised") withRevision(recorded, decision);
  else if (outcome === "extended") {
    const { extended = [] } = recorded;
    if (!extended.some(({ layer }) => layer === decision.layer)) recorded.extended = [...extended, decision];
  } else if (outcome === "pinned" || outcome === "expanded") recorded[outcome] = decision;
  else if (outcome === "unpinned") delete recorded.pinned;
  // After one that a person has undone, history may be cut there again.
  else if (outcome === "cut" && recorded.cut?.text === undefined) recorded.cut = decision;
  else if (outcome !== "used") recorded[slots[outcome]] ??= decision;
}

/** Replaces the layer's text by the revised one, and its time by that of the revision. */
function withRevision(recorded: RecordedDecisions, { at, layer, of, text }: KnownDecision): void {
  const renew = (decision: KnownDecision): KnownDecision => {
    if (decision.layer !== layer) return decision;
    const { text: _, ...rest } = decision;
    return { ...rest, at, ...(text !== undefined && { text }) };
  };
  if (of === "extended" && recorded.extended) recorded.extended = recorded.extended.map(renew);
  if (of === "cut" && recorded.cut) recorded.cut = renew(recorded.cut);
  if (of === "rewritten" && recorded.rewritten) recorded.rewritten = renew(recorded.rewritten);
}
