/**
 * Letters between sessions, each delivered once.
 *
 *     post      append the letter to the receiver's file
 *     deliver   append a claim → record the decision → append that it is delivered
 *     settle    append that an answer has followed
 *
 * The recorded decision is the truth: its text names the letters. A claim whose end is not written down, because
 * somebody was killed, is looked up there: with a decision the letters are delivered, without one they never were, since
 * a decision is recorded before it is first used. Two instances that have the same session open append their claims
 * to one file, and the first claim in it counts while its instance lives.
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { DecisionKey } from "../../../src/conversation/keys.js";
import { StrataError } from "../../../src/error.js";
import { createLineLog } from "../../../src/record/line-log.js";
import type { Clock } from "../../../src/seams/clock.js";
import type { Files } from "../../../src/seams/files.js";
import type { Decisions } from "../../../src/view/decisions.js";
import { planAddition } from "../../../src/view/extend.js";
import {
  type Claim,
  type CursorLine,
  formatDelivery,
  formatHeading,
  type Letter,
  type LetterState,
  nameOf,
  parseCursorLine,
  parseLetter,
  withoutRepeats,
} from "./letter.js";
import { findOpenClaims, findUnseen, planDelivery, readStates } from "./plan-delivery.js";

/** As whose the decisions are recorded; a layer of its own, so that nothing else takes its place behind a result. */
export const MAIL_LAYER = "across-agents/mail";
export const MOST_LETTER_BYTES = 4_096;
/** Letters that may wait for one receiver. */
const MOST_QUEUED = 200;

/** A letter as it is in somebody's box. */
export interface KnownLetter {
  letter: Letter;
  state: LetterState;
}

/** Every call rejects with the system's error. */
export interface Mail {
  /**
   * Puts a letter into the box, unless one of this name is there already. Its state.
   *
   * @throws StrataError when the id was used for another text, or too many letters wait.
   */
  post(receiver: string, letter: Omit<Letter, "v" | "at">): Promise<LetterState>;
  /** Records the decision that puts the next letters behind what has this key; `undefined` where there are none. */
  deliver(receiver: string, key: DecisionKey, signal: AbortSignal): Promise<readonly Letter[] | undefined>;
  /** Deliveries to this session that no answer is known to have followed. */
  unseen(receiver: string): Promise<Claim[]>;
  settle(receiver: string, claim: Claim): Promise<void>;
  /** What is in the box, in order. */
  read(receiver: string): Promise<KnownLetter[]>;
  /** Sessions with a box. */
  receivers(): Promise<string[]>;
}

export interface MailOptions {
  clock: Clock;
  files: Files;
  decisions: Decisions;
  folder: string;
  /** The own id. */
  instance: string;
  /** Ids of the instances that live. */
  living(): Promise<ReadonlySet<string>>;
}

interface Box {
  letters: Letter[];
  lines: CursorLine[];
  /** Open claims whose decision is there, and those whose is not. */
  recorded: Claim[];
  unrecorded: Claim[];
  states: Map<string, LetterState>;
}

const LETTERS = ".jsonl";
const CURSOR = ".cursor.jsonl";

export function createMail({ clock, decisions, files, folder, instance, living }: MailOptions): Mail {
  const lettersOf = (receiver: string): string => pathOf(receiver, LETTERS);
  const cursorOf = (receiver: string): string => pathOf(receiver, CURSOR);
  const letterLog = createLineLog({ files, parse: parseLetter });
  const cursorLog = createLineLog({ files, parse: parseCursorLine });
  const delivering = new Map<string, Promise<unknown>>();

  return {
    async post(receiver, given) {
      const { letters, states } = await open(receiver);
      const name = nameOf(given);
      const known = letters.find((letter) => nameOf(letter) === name);
      if (known && known.text !== given.text) throw usedID(given.id);
      if (known) return states.get(name) ?? "queued";
      const waiting = [...states.values()].filter((state) => state === "queued").length;
      if (waiting >= MOST_QUEUED) throw fullBox(receiver, waiting);
      const letter: Letter = { v: 1, ...given, at: clock.now() };
      await letterLog.append(lettersOf(receiver), [letter]);
      return "queued";
    },

    /** One at a time: what overran its caller's patience may still be under way. */
    deliver(receiver, key, signal) {
      const before = delivering.get(receiver) ?? Promise.resolve();
      const own = before.catch(() => {}).then(() => deliverNext(receiver, key, signal));
      delivering.set(receiver, own);
      return own;
    },

    async unseen(receiver) {
      const { lines, recorded } = await open(receiver);
      return findUnseen(lines, recorded);
    },

    settle: (receiver, { batch }) => append(receiver, { v: 1, kind: "seen", batch }),

    async read(receiver) {
      const { letters, states } = await open(receiver);
      return letters.map((letter) => ({ letter, state: states.get(nameOf(letter)) ?? "queued" }));
    },

    async receivers() {
      const names = await files.list(folder);
      return names
        .filter((name) => name.endsWith(LETTERS) && !name.endsWith(CURSOR))
        .map((name) => name.slice(0, -LETTERS.length));
    },
  };

  async function deliverNext(
    receiver: string,
    key: DecisionKey,
    signal: AbortSignal,
  ): Promise<readonly Letter[] | undefined> {
    if (!(await files.stat(lettersOf(receiver)))) return undefined;
    const { letters, recorded, states, unrecorded } = await open(receiver);
    const planned = planDelivery(letters, states);
    if (planned.length === 0) return undefined;
    if ((await close(receiver, recorded, unrecorded)).length > 0) return undefined;
    const claim = formatClaim(planned, key);
    signal.throwIfAborted();
    await append(receiver, claim);
    if (await hasLost(receiver, claim)) {
      await append(receiver, { v: 1, kind: "dropped", batch: claim.batch });
      return undefined;
    }
    const delivery = planAddition({ behind: key, text: formatDelivery(planned) });
    await decisions.record(receiver, MAIL_LAYER, [delivery], signal);
    await append(receiver, { v: 1, kind: "delivered", batch: claim.batch });
    return planned;
  }

  function formatClaim(planned: readonly Letter[], { day, key }: DecisionKey): Claim {
    const batch = `${instance}-${randomUUID().slice(0, 8)}`;
    const letters = planned.map(nameOf);
    return { v: 1, kind: "claimed", batch, letters, instance, at: clock.now(), key: { day, key } };
  }

  /** Writes down how claims have ended; those of others who live and are about to deliver are left, and returned. */
  async function close(receiver: string, recorded: Claim[], unrecorded: Claim[]): Promise<Claim[]> {
    for (const { batch } of recorded) await append(receiver, { v: 1, kind: "delivered", batch });
    if (unrecorded.length === 0) return [];
    const alive = await living();
    const isUnderWay = (claim: Claim): boolean => claim.instance !== instance && alive.has(claim.instance);
    for (const claim of unrecorded)
      if (!isUnderWay(claim)) await append(receiver, { v: 1, kind: "dropped", batch: claim.batch });
    return unrecorded.filter(isUnderWay);
  }

  /** Stands an earlier claim on some of the letters before this one? */
  async function hasLost(receiver: string, claim: Claim): Promise<boolean> {
    const lines = await readCursor(receiver);
    const own = lines.findIndex(({ batch }) => batch === claim.batch);
    const names = new Set(claim.letters);
    const rivals = lines
      .slice(0, own)
      .filter((line) => line.kind === "claimed")
      .filter((line) => line.instance !== instance && line.letters.some((name) => names.has(name)));
    const dropped = new Set(lines.filter(({ kind }) => kind === "dropped").map(({ batch }) => batch));
    if (own === -1) return true;
    const open = rivals.filter(({ batch }) => !dropped.has(batch));
    if (open.length === 0) return false;
    const alive = await living();
    const ended = open.filter((one) => !alive.has(one.instance));
    const isDelivered = await Promise.all(ended.map((one) => isRecorded(receiver, one)));
    return ended.length < open.length || isDelivered.includes(true);
  }

  async function open(receiver: string): Promise<Box> {
    const [letters, lines] = await Promise.all([readLetters(receiver), readCursor(receiver)]);
    const claims = findOpenClaims(lines);
    const found = await Promise.all(claims.map((claim) => isRecorded(receiver, claim, letters)));
    const recorded = claims.filter((_, index) => found[index]);
    const unrecorded = claims.filter((_, index) => !found[index]);
    return {
      letters,
      lines,
      recorded,
      unrecorded,
      states: readStates(letters, lines, recorded, clock.now()),
    };
  }

  /** Does the decision that was to be recorded name these letters? */
  async function isRecorded(receiver: string, { key, letters }: Claim, known?: Letter[]): Promise<boolean> {
    const all = known ?? (await readLetters(receiver));
    await decisions.load([key.day], { again: true });
    const extended = decisions.find(key.key, receiver)?.extended ?? [];
    const text = extended.find(({ layer }) => layer === MAIL_LAYER)?.text ?? "";
    const headings = all.filter((letter) => letters.includes(nameOf(letter))).map(formatHeading);
    return headings.length > 0 && headings.every((heading) => text.includes(heading));
  }

  async function readLetters(receiver: string): Promise<Letter[]> {
    return withoutRepeats((await letterLog.read(lettersOf(receiver))).records);
  }

  async function readCursor(receiver: string): Promise<CursorLine[]> {
    return (await cursorLog.read(cursorOf(receiver))).records;
  }

  async function append(receiver: string, line: CursorLine): Promise<void> {
    await cursorLog.append(cursorOf(receiver), [line]);
  }

  function pathOf(receiver: string, ending: string): string {
    if (!/^[\w-]{1,200}$/.test(receiver))
      throw new StrataError("EINVAL", `expected the id of a session, got ${JSON.stringify(receiver)}`);
    return join(folder, `${receiver}${ending}`);
  }
}

const usedID = (id: string): StrataError =>
  new StrataError(
    "EUSED",
    `the id ${id} stands for another text that you have sent; leave it out, or choose another`,
  );

const fullBox = (receiver: string, waiting: number): StrataError =>
  new StrataError(
    "EFULL",
    `${receiver} has not taken ${waiting} messages yet; wait until it has, or put it in a file`,
  );
