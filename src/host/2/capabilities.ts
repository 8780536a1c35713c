/**
 * Looks for each capability of the host before Strata uses it. One that is missing or refuses switches off what needs
 * it; the log, `/memory` and `strata doctor` say so.
 */
import { formatError } from "../../base/error.js";
import { isRecord } from "../../base/shape.js";
import { CHARACTERS_PER_TOKEN } from "../../context/context-size.js";
import { type Clock, waitAtMost } from "../../io/clock.js";
import type { Generated, GenerateRequest, Models, UsedTokens } from "../../io/host.js";
import type { Log } from "../../io/log.js";
import { toLine } from "../../text/text.js";
import type { ModelRef } from "./contract.js";

/** Each capability, by its path in the context, and what is off without it. */
const CAPABILITIES = {
  "session.hook": "nothing works",
  "session.context": "nothing is moved out of the context: messages have no times without it",
  "session.get": "subagents are not told from sessions of yours, and undone turns stay in the notes",
  "session.synthetic": "slash commands cannot show their answers",
  "session.interrupt": "a summary that never ends is not broken off",
  "tool.hook": "edits that clash with those of another instance are not announced",
  "tool.transform": "the agent has no memory tools",
  "command.transform": "there are no slash commands",
  "event.subscribe": "the end of a turn shows only when the next one begins",
  "generate.text": "there are no background model calls",
  "model.list": "prices and window sizes of models are unknown",
  "rpc.register": "messages are in the log only, not on the screen",
} as const;

export type Capability = keyof typeof CAPABILITIES;

export interface Capabilities {
  /** Is it offered, and has it not failed at registration? */
  has(capability: Capability): boolean;
  /**
   * Registers something with the host, in bounded time. A host that throws or hangs counts as one without the
   * capability. Never rejects.
   */
  register(capability: Capability, what: string, run: () => unknown): Promise<unknown>;
  /** A sentence for each that is missing or has failed. */
  missing(): string[];
}

export interface CapabilitiesOptions {
  context: unknown;
  clock: Clock;
  /** Set once the log exists. */
  log(): Pick<Log, "warn"> | undefined;
}

const REGISTER_WITHIN_MS = 5_000;

export function createCapabilities({ clock, context, log }: CapabilitiesOptions): Capabilities {
  const failed = new Map<string, { capability: Capability; why: string }>();
  const isOffered = (capability: Capability): boolean => find(context, capability) !== undefined;

  return {
    has: (capability) => isOffered(capability) && !failed.has(capability),

    async register(capability, what, run) {
      if (!isOffered(capability)) return undefined;
      const waited = await waitAtMost(clock, REGISTER_WITHIN_MS, run);
      if (waited.kind === "done") return waited.value;
      const why =
        waited.kind === "failed"
          ? formatError(waited.thrown)
          : `no answer within ${REGISTER_WITHIN_MS / 1_000} s`;
      failed.set(what, { capability, why });
      log()?.warn("host", `OpenCode refuses ${what} (${toLine(why, 200)}): ${CAPABILITIES[capability]}`);
      return undefined;
    },

    missing() {
      const names = Object.keys(CAPABILITIES) as Capability[];
      const absent = names.filter((name) => !isOffered(name));
      return [
        ...absent.map((name) => `${name} is not offered: ${CAPABILITIES[name]}`),
        ...[...failed].map(
          ([what, { capability, why }]) =>
            `${what} was refused (${toLine(why, 200)}): ${CAPABILITIES[capability]}`,
        ),
      ];
    },
  };
}

/** The function at this path of the context, bound to its domain; `undefined` if there is none. Never throws. */
export function find(context: unknown, path: string): ((...given: unknown[]) => unknown) | undefined {
  try {
    let holder: unknown;
    let value: unknown = context;
    for (const name of path.split(".")) {
      holder = value;
      value = isRecord(value) || typeof value === "function" ? Reflect.get(value, name) : undefined;
    }
    return typeof value === "function"
      ? (...given) => Reflect.apply(value as () => unknown, holder, given)
      : undefined;
  } catch {
    // A getter that throws offers nothing.
    return undefined;
  }
}

/*
 * Background model calls through `generate.text`: a prompt and its answer, without a session, tools or history, so
 * nothing needs a sandbox or cleanup. The host reports no usage: tokens are estimated from characters.
 */

export interface GenerateOptions {
  clock: Clock;
  /** The host's `generate.text`; absent if it is not offered. */
  text: ((input: { model: ModelRef; prompt: string }) => unknown) | undefined;
  models(): Models;
}

const NO_TOKENS: UsedTokens = { input: 0, output: 0, cacheRead: 0 };

/** Never rejects. An aborted call still runs in the host, which cannot cancel it. */
export function createGenerate({ clock, models, text }: GenerateOptions) {
  return async ({ deadlineMs, model, prompt, signal }: GenerateRequest): Promise<Generated> => {
    const name = model ?? models().main;
    const failed = (reason: string, tokens?: UsedTokens): Generated => ({
      kind: "failed",
      reason,
      ...(tokens && { tokens }),
    });
    if (!text) return failed("this OpenCode offers no generate.text", NO_TOKENS);
    if (name === undefined) return failed("no model is named: set background.model", NO_TOKENS);
    if (signal.aborted) return failed("called off before it began", NO_TOKENS);
    const abort = whenAborted(signal);
    const asked = waitAtMost(clock, deadlineMs, () => text({ model: split(name), prompt }));
    const ended = await Promise.race([asked, abort.promise]).finally(abort.stop);
    // Counts what was sent, although the host reports no usage.
    const sent = { ...NO_TOKENS, input: countTokens(prompt) };
    if (ended === "aborted") return failed("called off", sent);
    if (ended.kind === "overran") return failed(`no answer within ${deadlineMs / 1_000} s`, sent);
    // The host's error has no status: a refusal is not told from an answer that broke off.
    if (ended.kind === "failed") return failed(formatError(ended.thrown), sent);
    const answer = isRecord(ended.value) ? ended.value.text : undefined;
    if (typeof answer !== "string" || answer.trim() === "") return failed("the answer is empty", sent);
    return { kind: "text", text: answer, tokens: { ...sent, output: countTokens(answer) } };
  };
}

const countTokens = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

function split(name: string): ModelRef {
  const slash = name.indexOf("/");
  return { providerID: name.slice(0, slash), id: name.slice(slash + 1) };
}

function whenAborted(signal: AbortSignal): { promise: Promise<"aborted">; stop(): void } {
  let stop = (): void => {};
  const promise = new Promise<"aborted">((resolve) => {
    const abort = (): void => resolve("aborted");
    signal.addEventListener("abort", abort, { once: true });
    stop = () => signal.removeEventListener("abort", abort);
  });
  return { promise, stop: () => stop() };
}
