/**
 * Sessions of one stage that are worked in, each with answers of its own, in the order in which they are asked for.
 * A request to summarise gets a summary, one of which nobody has said anything "ok".
 */
import { isSummarizing, type ModelRequest } from "../stage/model-request.js";
import type { Stage } from "../stage/stage.js";
import { type Step, say } from "../stage/steps.js";

export interface WorkedSessions {
  /** Asks, and has the model answer so; the text of the last answer. */
  turn(sessionID: string, user: string, answers: readonly Step[], model?: string): Promise<string>;
}

/** Takes over what the model of the stage does; `before` decides first. */
export function createWorkedSessions(
  stage: Stage,
  before?: (request: ModelRequest) => Step | undefined,
): WorkedSessions {
  const waiting = new Map<string | undefined, Step[]>();
  stage.model.respond((request) => {
    const step = before?.(request);
    if (step) return step;
    return isSummarizing(request) ? say(SUMMARY) : waiting.get(request.sessionID)?.shift();
  });

  return {
    async turn(sessionID, user, answers, model) {
      waiting.set(sessionID, [...answers]);
      const { info, text } = await stage.session(sessionID).ask(user, model === undefined ? {} : { model });
      if (info.error) throw new Error(`the host ended a turn with ${JSON.stringify(info.error)}`);
      return text;
    },
  };
}

const SUMMARY = [
  "## Request and Intent\nParts are seen to, one after the other, as the user asks for them, turn by turn.",
  "## Files and Code\nsrc/part-0.ts to src/part-11.ts, each with a revision and some values.",
  "## Current Work\nThe part that was named last.",
].join("\n\n");
