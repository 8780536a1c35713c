/**
 * Stores digests of the messages last sent in each session, `<state>/views/<sessionID>.json`, so that the next request
 * detects what the host has changed meanwhile, also after a restart.
 *
 * Written whole, in the background: a deleted file comes back with the next request. If a request only adds messages, the
 * write waits for the next ones: a file that lacks the newest messages only detects less.
 */
import { join } from "node:path";
import type PQueue from "p-queue";
import { formatError } from "../../src/base/error.js";
import { isRecord, parseJson } from "../../src/base/shape.js";
import type { Deferred } from "../../src/io/deferred.js";
import { type Files, readText } from "../../src/io/files.js";
import type { Log } from "../../src/io/log.js";
import { type Digest, findChange } from "./digest.js";

/** The messages last sent. */
export interface SentView {
  digests: readonly Digest[];
  /** Sent before all earlier decisions were read, so the next view may differ. */
  isUnread?: boolean;
}

export interface SentViews {
  /** `undefined` if unknown; with `again` includes what another instance has sent since. */
  last(session: string, options: { again: boolean }): Promise<SentView | undefined>;
  /** The view is about to be sent. */
  note(session: string, view: SentView): void;
  /** The session was deleted. */
  forget(session: string): void;
}

export interface SentViewsOptions {
  files: Files;
  log: Log;
  writes: PQueue;
  deferred: Pick<Deferred, "add">;
  folder: string;
  instance: string;
}

export function createSentViews(options: SentViewsOptions): SentViews {
  const { deferred, files, folder, instance, log, writes } = options;
  const known = new Map<string, SentView>();
  const waiting = new Set<string>();
  const pathOf = (session: string): string => join(folder, `${session}.json`);

  return {
    async last(session, { again }) {
      if (waiting.has(session) || (known.has(session) && !again)) return known.get(session);
      const text = await readText(files, pathOf(session));
      const stored = text === undefined ? undefined : parseSentView(text);
      if (stored && (stored.instance !== instance || !known.has(session))) known.set(session, stored);
      return known.get(session);
    },

    note(session, view) {
      const before = known.get(session);
      known.set(session, view);
      waiting.add(session);
      if (before && extendsView(before, view)) deferred.add(pathOf(session), () => write(session));
      else void write(session);
    },

    forget(session) {
      known.delete(session);
      void enqueue("remove", session, () => files.remove(pathOf(session)));
    },
  };

  function write(session: string): Promise<void> {
    return enqueue("write", session, () => {
      // Written already, with a view noted later than the one that this write was for.
      if (!waiting.delete(session)) return undefined;
      const latest = known.get(session);
      return latest && files.writeWhole(pathOf(session), formatSentView(latest, instance));
    });
  }

  function enqueue(what: string, session: string, run: () => Promise<void> | undefined): Promise<void> {
    const complain = (thrown: unknown) =>
      log.warn(
        "view",
        `cannot ${what} ${pathOf(session)} (${formatError(thrown)}); the next request tries again`,
      );
    return writes.add(async () => run()?.catch(complain));
  }
}

/** Does the view begin with all messages of the one before? */
function extendsView(before: SentView, view: SentView): boolean {
  return before.isUnread === view.isUnread && findChange(before.digests, view.digests) === undefined;
}

const VERSION = 1;
const WORDS_PER_MESSAGE = 4;

/** A message is four words: its role, and three numbers in base 36. */
export function formatSentView({ digests, isUnread }: SentView, instance: string): string {
  const words = digests.flatMap(({ created, role, sum, tokens }) => [
    role,
    ...[created, sum, tokens].map(digits),
  ]);
  return JSON.stringify({ v: VERSION, instance, ...(isUnread && { isUnread }), messages: words.join(" ") });
}

const digits = (number: number): string => number.toString(36);

/** `undefined` if the text is malformed. */
export function parseSentView(text: string): (SentView & { instance: string }) | undefined {
  const value = parseJson(text);
  if (!isRecord(value)) return undefined;
  const { instance, isUnread, messages, v } = value;
  if (v !== VERSION || typeof instance !== "string" || typeof messages !== "string") return undefined;
  const words = messages === "" ? [] : messages.split(" ");
  if (words.length % WORDS_PER_MESSAGE !== 0) return undefined;
  const digests: Digest[] = [];
  for (let at = 0; at < words.length; at += WORDS_PER_MESSAGE) {
    const [role = "", ...rest] = words.slice(at, at + WORDS_PER_MESSAGE);
    const [created, sum, tokens] = rest.map((word) => Number.parseInt(word, 36));
    if (!isWhole(created) || !isWhole(sum) || !isWhole(tokens)) return undefined;
    digests.push({ role, created, sum, tokens });
  }
  return { instance, digests, ...(isUnread === true && { isUnread }) };
}

const isWhole = (number: number | undefined): number is number => Number.isInteger(number);
