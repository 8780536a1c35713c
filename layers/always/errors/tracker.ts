/**
 * Follows one session: which failures are still open in it, and what becomes of them. It knows no disk; taking in the
 * same history again in another process comes to the same.
 */
import { isChangingTool } from "../../../src/conversation/call.js";
import type { EndedCall, Failure, ReadingOptions } from "./ended-call.js";
import { formatCall, readCommand, toField } from "./ended-call.js";
import { hashCall } from "./fingerprint.js";
import { findChange } from "./resolution.js";

/** What an ended tells. */
export type Occurrence =
  | {
      kind: "failed";
      ended: EndedCall;
      failure: Failure;
      /** Files were changed since it failed before in this session: it may have been run to see whether that helped. */
      isRetryAfterChange: boolean;
    }
  | { kind: "resolved"; ended: EndedCall; failure: Failure; tool: string; text: string };

export interface Tracker {
  /** Takes in an ended, once, that is later than all before. */
  take(ended: EndedCall): Occurrence[];
}

interface Open {
  ended: EndedCall;
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
    take(ended) {
      const { failure } = ended;
      return failure ? [fail(ended, failure)] : succeed(ended);
    },
  };

  function fail(ended: EndedCall, failure: Failure): Occurrence {
    const isSame = (one: Open): boolean =>
      one.failure.callHash === failure.callHash && one.failure.messageHash === failure.messageHash;
    const earlier = open.find(isSame);
    for (const one of open) one.age++;
    const fresh: Open = { ended, failure, age: 0, hasChangedFiles: false, between: [] };
    open = [...open.filter((one) => !isSame(one)), fresh].slice(-MOST_OPEN);
    return { kind: "failed", ended, failure, isRetryAfterChange: earlier?.hasChangedFiles ?? false };
  }

  function succeed(ended: EndedCall): Occurrence[] {
    if (open.length === 0) return [];
    // To take secrets out of arguments takes its time, and most calls are of another tool than those that failed.
    const isTried = open.some((one) => one.ended.tool === ended.tool);
    const callHash = isTried ? hashCall(ended.part, options.project, options.redact) : undefined;
    const resolved = open.flatMap((one): { one: Open; text: string }[] => {
      const text = one.failure.callHash === callHash ? formatUnchanged(one) : findChanged(one, ended);
      return text === undefined ? [] : [{ one, text: toField(text, LONGEST_RESOLUTION) }];
    });
    open = open.filter((one) => !resolved.some((other) => other.one === one));
    note(ended);
    return resolved.map(({ one: { ended: before, failure }, text }) => ({
      kind: "resolved",
      ended,
      failure,
      tool: before.tool,
      text,
    }));
  }

  function findChanged({ age, ended }: Open, worked: EndedCall): string | undefined {
    return age < LONGEST_WAY ? findChange(ended.part, worked.part, options) : undefined;
  }

  /** What has worked since may be why a call works later as it stands. */
  function note(ended: EndedCall): void {
    const isEdit = isChangingTool(ended.tool);
    const step = describeStep(ended);
    for (const one of open) {
      one.age++;
      one.hasChangedFiles ||= isEdit;
      if (step !== undefined)
        one.between = [...one.between.filter((other) => other !== step), step].slice(-MOST_BETWEEN);
    }
  }

  /** In a few words; `undefined` for a call that only looks. */
  function describeStep({ part, tool }: EndedCall): string | undefined {
    const command = readCommand(part);
    if (command !== undefined ? LOOKING.test(command.trim()) : !isChangingTool(tool)) return undefined;
    const call = toField(formatCall(part, options), LONGEST_BETWEEN);
    return command === undefined ? `${tool} ${call}` : call;
  }
}

const formatUnchanged = ({ between }: Open): string =>
  between.length > 0 ? `worked unchanged after: ${between.join("; ")}` : "worked unchanged when called again";
