/**
 * Background model calls in OpenCode 2: a prompt and its answer, without a session, tools or history, so nothing needs a
 * sandbox or cleanup. The host reports no usage: tokens are estimated from characters.
 */
import { formatError } from "../../base/error.js";
import { isRecord } from "../../base/shape.js";
import { CHARACTERS_PER_TOKEN } from "../../context/context-size.js";
import { type Clock, waitAtMost } from "../../io/clock.js";
import type { Generated, GenerateRequest, Models } from "../../io/host.js";
import { failed, NO_TOKENS, splitModel } from "../readings.js";
import type { SetupContext } from "./contract.js";

interface GenerateOptions {
  clock: Clock;
  /** The host's `generate.text`. */
  text: SetupContext["generate"]["text"];
  models(): Models;
}

/** Never rejects. An aborted call still runs in the host, which cannot cancel it. */
export function createGenerate({ clock, models, text }: GenerateOptions) {
  return async ({ deadlineMs, model, prompt, signal }: GenerateRequest): Promise<Generated> => {
    const name = model ?? models().main;
    if (name === undefined) return failed("no model is named: set background.model", NO_TOKENS);
    if (signal.aborted) return failed("called off before it began", NO_TOKENS);
    const aborted = new Promise<"aborted">((resolve) => {
      signal.addEventListener("abort", () => resolve("aborted"), { once: true });
    });
    const { modelID: id, providerID } = splitModel(name);
    const asked = waitAtMost(clock, deadlineMs, () => text({ model: { providerID, id }, prompt }));
    const ended = await Promise.race([asked, aborted]);
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
