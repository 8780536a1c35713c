/**
 * Follows one session: which failures are still open in it, and what becomes of them. It knows no disk; taking in the
 * same history again in another process comes to the same.
 */
import { isChangingTool } from "../../../src/conversation/call.js";
import type { Attempt, Failure, ReadingOptions } from "./attempt.js";
import { formatCall, readCommand, toField } from "./attempt.js";
import { hashAttempt } from "./fingerprint.js";
import { findChange } from "./resolution.js";

/** What an attempt tells. */
export type Occurrence =
  | {
      kind: "failed";
      attempt: Attempt;
      failure: Failure;
      /** Files were changed since it failed before in this session: it may have been run to see whether that helped. */
      isRetryAfterChange: boolean;
    }
  | { kind: "resolved"; attempt: Attempt; failure: Failure; tool: string; text: string };

export interface Tracker {
  /** Takes in an attempt, once, that is later than all before. */
  take(attempt: Attempt): Occurrence[];
}

interface Open {
  attempt: Attempt;
  failure: Failure;
  /** Calls of any kind since. */
  age: number;
  hasChangedFiles: boolean;
  /** The last calls since that may have made a difference. */
  between: string[];
}

/** More at once nobody comes back to. */
const MOST_OPEN = 20;
/** What works so many calls later may be meant as the same, but not as its correction. */
const LONGEST_WAY = 12;
const MOST_BETWEEN = 3;
const LONGEST_RESOLUTION = 260;
const LONGEST_BETWEEN = 80;
/** Commands that only look. */
const LOOKING =
  /^(cd|ls|cat|head|tail|less|pwd|echo|printf|find|tree|stat|file|wc|ps|env|which|grep|rg|git (status|log|diff|show|branch))\b/;

export function createTracker(options: ReadingOptions): Tracker {
  let open: Open[] = [];

  return {
    take(attempt) {
      const { failure } = attempt;
      return failure ? [fail(attempt, failure)] : succeed(attempt);
    },
  };

  function fail(attempt: Attempt, failure: Failure): Occurrence {
    const isSame = (one: Open): boolean =>
      one.failure.callHash === failure.callHash && one.failure.messageHash === failure.messageHash;
    const earlier = open.find(isSame);
    for (const one of open) one.age++;
    const fresh: Open = { attempt, failure, age: 0, hasChangedFiles: false, between: [] };
    open = [...open.filter((one) => !isSame(one)), fresh].slice(-MOST_OPEN);
    return { kind: "failed", attempt, failure, isRetryAfterChange: earlier?.hasChangedFiles ?? false };
  }

  function succeed(attempt: Attempt): Occurrence[] {
    if (open.length === 0) return [];
    // To take secrets out of arguments takes its time, and most calls are of another tool than those that failed.
    const isTried = open.some((one) => one.attempt.tool === attempt.tool);
    const callHash = isTried ? hashAttempt(attempt.part, options.project, options.redact) : undefined;
    const resolved = open.flatMap((one): { one: Open; text: string }[] => {
      const text = one.failure.callHash === callHash ? formatUnchanged(one) : findChanged(one, attempt);
      return text === undefined ? [] : [{ one, text: toField(text, LONGEST_RESOLUTION) }];
    });
    open = open.filter((one) => !resolved.some((other) => other.one === one));
    note(attempt);
    return resolved.map(({ one: { attempt: before, failure }, text }) => ({
      kind: "resolved",
      attempt,
      failure,
      tool: before.tool,
      text,
    }));
  }

  function findChanged({ age, attempt }: Open, worked: Attempt): string | undefined {
    return age < LONGEST_WAY ? findChange(attempt.part, worked.part, options) : undefined;
  }

  /** What has worked since may be why a call works later as it stands. */
  function note(attempt: Attempt): void {
    const isEdit = isChangingTool(attempt.tool);
    const step = describeStep(attempt);
    for (const one of open) {
      one.age++;
      one.hasChangedFiles ||= isEdit;
      if (step !== undefined)
        one.between = [...one.between.filter((other) => other !== step), step].slice(-MOST_BETWEEN);
    }
  }

  /** In a few words; `undefined` for a call that only looks. */
  function describeStep({ part, tool }: Attempt): string | undefined {
    const command = readCommand(part);
    if (command !== undefined ? LOOKING.test(command.trim()) : !isChangingTool(tool)) return undefined;
    const call = toField(formatCall(part, options), LONGEST_BETWEEN);
    return command === undefined ? `${tool} ${call}` : call;
  }
}

const formatUnchanged = ({ between }: Open): string =>
  between.length > 0 ? `worked unchanged after: ${between.join("; ")}` : "worked unchanged when called again";
