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
import type { DecisionKey } from "../../../src/conversation/keys.js";
import { StrataError } from "../../../src/error.js";
import type { Clock } from "../../../src/seams/clock.js";
import type { Files } from "../../../src/seams/files.js";
import type { Decisions } from "../../../src/view/decisions.js";
import { planAddition } from "../../../src/view/extend.js";
import { createBoxes, MAIL_LAYER } from "./boxes.js";
import {
  type Claim,
  type CursorLine,
  formatDelivery,
  type Letter,
  type LetterState,
  nameOf,
} from "./letter.js";
import { findUnseen, planDelivery } from "./plan-delivery.js";

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

export function createMail({ clock, decisions, files, folder, instance, living }: MailOptions): Mail {
  const boxes = createBoxes({ clock, decisions, files, folder });
  const delivering = new Map<string, Promise<unknown>>();

  return {
    async post(receiver, given) {
      const { letters, states } = await boxes.open(receiver);
      const name = nameOf(given);
      const known = letters.find((letter) => nameOf(letter) === name);
      if (known && known.text !== given.text) throw usedID(given.id);
      if (known) return states.get(name) ?? "queued";
      const waiting = [...states.values()].filter((state) => state === "queued").length;
      if (waiting >= MOST_QUEUED) throw fullBox(receiver, waiting);
      const letter: Letter = { v: 1, ...given, at: clock.now() };
      await boxes.addLetter(receiver, letter);
      return "queued";
    },

    /** One at a time: a delivery that overran its caller's bound may still be under way. */
    deliver(receiver, key, signal) {
      const before = delivering.get(receiver) ?? Promise.resolve();
      const own = before.catch(() => {}).then(() => deliverNext(receiver, key, signal));
      delivering.set(receiver, own);
      return own;
    },

    async unseen(receiver) {
      const { lines, recorded } = await boxes.open(receiver);
      return findUnseen(lines, recorded);
    },

    settle: (receiver, { batch }) => boxes.append(receiver, { v: 1, kind: "seen", batch }),

    async read(receiver) {
      const { letters, states } = await boxes.open(receiver);
      return letters.map((letter) => ({ letter, state: states.get(nameOf(letter)) ?? "queued" }));
    },

    receivers: boxes.receivers,
  };

  async function deliverNext(
    receiver: string,
    key: DecisionKey,
    signal: AbortSignal,
  ): Promise<readonly Letter[] | undefined> {
    if (!(await boxes.exists(receiver))) return undefined;
    const { letters, recorded, states, unrecorded } = await boxes.open(receiver);
    const planned = planDelivery(letters, states);
    if (planned.length === 0) return undefined;
    if ((await close(receiver, recorded, unrecorded)).length > 0) return undefined;
    const claim = formatClaim(planned, key);
    signal.throwIfAborted();
    await boxes.append(receiver, claim);
    if (await hasLost(receiver, claim)) {
      await boxes.append(receiver, { v: 1, kind: "dropped", batch: claim.batch });
      return undefined;
    }
    const delivery = planAddition({ behind: key, text: formatDelivery(planned) });
    await decisions.record(receiver, MAIL_LAYER, [delivery], signal);
    await boxes.append(receiver, { v: 1, kind: "delivered", batch: claim.batch });
    return planned;
  }

  function formatClaim(planned: readonly Letter[], { day, key }: DecisionKey): Claim {
    const batch = `${instance}-${randomUUID().slice(0, 8)}`;
    const letters = planned.map(nameOf);
    return { v: 1, kind: "claimed", batch, letters, instance, at: clock.now(), key: { day, key } };
  }

  /** Records how claims ended; returns those that a living instance is about to deliver. */
  async function close(receiver: string, recorded: Claim[], unrecorded: Claim[]): Promise<Claim[]> {
    for (const { batch } of recorded) await boxes.append(receiver, { v: 1, kind: "delivered", batch });
    if (unrecorded.length === 0) return [];
    const alive = await living();
    const isUnderWay = (claim: Claim): boolean => claim.instance !== instance && alive.has(claim.instance);
    for (const claim of unrecorded)
      if (!isUnderWay(claim)) await boxes.append(receiver, { v: 1, kind: "dropped", batch: claim.batch });
    return unrecorded.filter(isUnderWay);
  }

  /** Does an earlier claim hold some of the letters? */
  async function hasLost(receiver: string, claim: Claim): Promise<boolean> {
    const open = findRivals(await boxes.readCursor(receiver), claim);
    if (!open) return true;
    if (open.length === 0) return false;
    const alive = await living();
    const ended = open.filter((one) => !alive.has(one.instance));
    const isDelivered = await Promise.all(ended.map((one) => boxes.isRecorded(receiver, one)));
    return ended.length < open.length || isDelivered.includes(true);
  }
}

/** Earlier claims of other instances on some of the letters, not dropped; `undefined` where this claim is gone. */
function findRivals(lines: readonly CursorLine[], claim: Claim): Claim[] | undefined {
  const own = lines.findIndex(({ batch }) => batch === claim.batch);
  if (own === -1) return undefined;
  const names = new Set(claim.letters);
  const dropped = new Set(lines.filter(({ kind }) => kind === "dropped").map(({ batch }) => batch));
  return lines
    .slice(0, own)
    .filter((line) => line.kind === "claimed")
    .filter((line) => line.instance !== claim.instance && line.letters.some((name) => names.has(name)))
    .filter(({ batch }) => !dropped.has(batch));
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
