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
import { type DecisionBatch, nameIn, type Outcome, withoutLate } from "./decision-batch.js";
import type { KnownDecision, RecordedDecisions } from "./replay.js";

export interface KnownDecisions {
  /** Adds all lines of a day's file. Lines that have disappeared from it stay known. */
  takeDay(day: number, batches: readonly DecisionBatch[]): void;
  /** Adds one line of a day's file. */
  takeLine(day: number, batch: DecisionBatch): void;
  /** The known lines of a day's file. */
  linesOf(day: number): readonly DecisionBatch[];
  /** Call after deleting a day's file on purpose. Its decisions stay known. */
  forgetLines(day: number): void;
  /** Adds a decision that is in no file. */
  remember(decision: KnownDecision): void;
  /** Of two decisions of a kind the first counts (per layer for extensions). With `byMs`, only decisions made by then. */
  find(key: string, session: string, byMs?: number): RecordedDecisions | undefined;
  /** Rises with every change of what `find` returns. */
  version(): number;
  hasBegun(session: string, day: number): boolean;
  /** What is pinned for the session, in the order of the first pins. */
  pinned(session: string): KnownDecision[];
  isUsing(session: string, file: string): boolean;
}

interface Entry {
  decision: KnownDecision;
  day: number;
  line: number;
}

/** Outcomes of which the first counts, and where it stands. */
const slots = {
  kept: "judged",
  replaced: "judged",
  cleared: "cleared",
  cut: "cut",
  rewritten: "rewritten",
  dropped: "dropped",
} as const satisfies Partial<Record<Outcome, keyof RecordedDecisions>>;

/** Outcomes that may be decided again. */
const REPEATED: ReadonlySet<Outcome> = new Set(["revised", "cut", "pinned", "unpinned", "expanded"]);

const NONE: readonly Entry[] = [];

export function createKnownDecisions(): KnownDecisions {
  const known = new Map<string, Entry[]>();
  const uses = new Set<string>();
  /** Keys of everything that was ever pinned. */
  const pins = new Set<string>();
  /** By day: the first line of each session, and all lines. */
  const begun = new Map<number, Map<string, number>>();
  const lines = new Map<number, DecisionBatch[]>();
  let version = 0;

  return {
    takeDay(day, batches) {
      version++;
      begun.set(day, new Map());
      const fresh = new Map<string, Entry[]>();
      for (const batch of batches) if (batch.late) withdraw(batch);
      withoutLate(batches).forEach((batch, line) => {
        for (const entry of takeBatch(batch, day, line)) {
          const { key } = entry.decision;
          fresh.set(key, [...(fresh.get(key) ?? []), entry]);
        }
      });
      for (const [key, entries] of fresh) {
        const gone = (known.get(key) ?? []).filter((one) => !entries.some((other) => isSame(one, other)));
        known.set(key, [...gone, ...entries]);
      }
      lines.set(day, [...batches]);
    },

    takeLine(day, batch) {
      version++;
      const ofDay = lines.get(day) ?? [];
      if (batch.late) withdraw(batch);
      else for (const entry of takeBatch(batch, day, ofDay.length)) add(entry);
      ofDay.push(batch);
      lines.set(day, ofDay);
    },

    linesOf: (day) => lines.get(day) ?? [],
    forgetLines: (day) => void lines.delete(day),

    remember(decision) {
      version++;
      add({ decision, day: 0, line: -1 });
    },

    find,

    version: () => version,
    hasBegun: (session, day) => begun.get(day)?.has(session) ?? false,
    isUsing: (session, file) => uses.has(`${session} ${file}`),
    pinned: (session) => [...pins].flatMap((key) => find(key, session)?.pinned ?? []),
  };

  function find(key: string, session: string, byMs?: number): RecordedDecisions | undefined {
    let recorded: RecordedDecisions | undefined;
    for (const { decision, day, line } of known.get(key) ?? NONE) {
      if (decision.session !== session && line >= (begun.get(day)?.get(session) ?? Number.POSITIVE_INFINITY))
        continue;
      if (byMs !== undefined && decision.at > byMs) continue;
      recorded ??= {};
      take(recorded, decision);
    }
    return recorded;
  }

  function takeBatch(
    { at = 0, session, layer, decisions }: DecisionBatch,
    day: number,
    line: number,
  ): Entry[] {
    const ofDay = begun.get(day) ?? new Map<string, number>();
    begun.set(day, ofDay);
    if (!ofDay.has(session)) ofDay.set(session, line);
    for (const { outcome, file, key } of decisions) {
      if (outcome === "used") uses.add(`${session} ${file}`);
      if (outcome === "pinned") pins.add(key);
    }
    return decisions
      .filter(({ outcome }) => outcome !== "used")
      .map((decision) => ({ decision: { ...decision, session, layer, at }, day, line }));
  }

  /** Removes a batch that may have been read before it was known to be late. */
  function withdraw(batch: DecisionBatch): void {
    const late = new Set(batch.decisions.map((one) => nameIn(batch, one)));
    for (const { key } of batch.decisions) {
      const left = (known.get(key) ?? []).filter(({ decision }) => !late.has(nameIn(decision, decision)));
      known.set(key, left);
    }
  }

  function add(entry: Entry): void {
    const { key } = entry.decision;
    known.set(key, [...(known.get(key) ?? []), entry]);
  }
}

/** Of most outcomes the first decision counts. */
function take(recorded: RecordedDecisions, decision: KnownDecision): void {
  const { outcome } = decision;
  if (outcome === "revised") withRevision(recorded, decision);
  else if (outcome === "extended") recorded.extended = withExtension(recorded.extended, decision);
  else if (outcome === "pinned" || outcome === "expanded") recorded[outcome] = decision;
  else if (outcome === "unpinned") delete recorded.pinned;
  // After one that a person has undone, history may be cut there again.
  else if (outcome === "cut" && recorded.cut?.text === undefined) recorded.cut = decision;
  else if (outcome !== "used") recorded[slots[outcome]] ??= decision;
}

function isSame({ decision: one }: Entry, { decision: other }: Entry): boolean {
  const isAlike = one.session === other.session && one.outcome === other.outcome && one.layer === other.layer;
  return isAlike && (!REPEATED.has(one.outcome) || (one.at === other.at && one.of === other.of));
}

function withExtension(
  known: readonly KnownDecision[] = [],
  decision: KnownDecision,
): readonly KnownDecision[] {
  return known.some(({ layer }) => layer === decision.layer) ? known : [...known, decision];
}

/** Has this layer extended the result or message? */
export function isExtendedBy(layer: string, recorded: RecordedDecisions | undefined): boolean {
  return recorded?.extended?.some((one) => one.layer === layer) ?? false;
}

/*
 * Applies revisions: new texts for a message or result, because words behind the old ones were taken back, or because a
 * batch has broken the cache before a reminder, which goes with it.
 */

/** Replaces the layer's text by the revised one, and its time by that of the revision. */
export function withRevision(recorded: RecordedDecisions, { at, layer, of, text }: KnownDecision): void {
  const renew = (decision: KnownDecision): KnownDecision => {
    if (decision.layer !== layer) return decision;
    const { text: _, ...rest } = decision;
    return { ...rest, at, ...(text !== undefined && { text }) };
  };
  if (of === "extended" && recorded.extended) recorded.extended = recorded.extended.map(renew);
  if (of === "cut" && recorded.cut) recorded.cut = renew(recorded.cut);
  if (of === "rewritten" && recorded.rewritten) recorded.rewritten = renew(recorded.rewritten);
}
