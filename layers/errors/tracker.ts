/**
 * Tracks the open failures of one session and their resolutions. Does not use the disk: the same history gives the same
 * result in another process.
 */
import { isChangingTool } from "../../src/conversation/call.js";
import type { EndedCall, Failure, ReadingOptions } from "./ended-call.js";
import { formatCall, readCommand, toField } from "./ended-call.js";
import { hashCall } from "./fingerprint.js";
import { findChange } from "./resolution.js";

/** What follows from an ended call. */
export type Occurrence =
  | {
      kind: "failed";
      ended: EndedCall;
      failure: Failure;
      /** Files were changed since it failed before in this session, so it may have been a test of that change. */
      isRetryAfterChange: boolean;
    }
  | { kind: "resolved"; ended: EndedCall; failure: Failure; tool: string; text: string }
  /** A command that worked. It may have failed in another session, unknown to the tracker. */
  | { kind: "worked"; ended: EndedCall };

export interface Tracker {
  /** Adds an ended call, once, in order of time. */
  take(ended: EndedCall): Occurrence[];
}

interface Open {
  ended: EndedCall;
  failure: Failure;
  /** Number of calls since. */
  age: number;
  hasChangedFiles: boolean;
  /** The last calls since that may have resolved it. */
  between: string[];
}

/** Number of failures followed at once; older ones are rarely tried again. */
const MOST_OPEN = 20;
/** A different call counts as a correction only within this number of calls. */
const CORRECTION_WITHIN_CALLS = 12;
const MOST_BETWEEN = 3;
const LONGEST_RESOLUTION = 260;
const LONGEST_BETWEEN = 80;
/** Commands that change nothing. */
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
    const worked: Occurrence[] = ended.tool === "bash" ? [{ kind: "worked", ended }] : [];
    if (open.length === 0) return worked;
    // Removing secrets from arguments is slow, and most calls use another tool than those that failed.
    const isTried = open.some((one) => one.ended.tool === ended.tool);
    const callHash = isTried ? hashCall(ended.part, options.project, options.redact) : undefined;
    const resolved = open.flatMap((one): { one: Open; text: string }[] => {
      const text = one.failure.callHash === callHash ? formatUnchanged(one) : findChanged(one, ended);
      return text === undefined ? [] : [{ one, text: toField(text, LONGEST_RESOLUTION) }];
    });
    open = open.filter((one) => !resolved.some((other) => other.one === one));
    note(ended);
    const resolutions = resolved.map(({ one: { ended: before, failure }, text }): Occurrence => {
      return { kind: "resolved", ended, failure, tool: before.tool, text };
    });
    return [...resolutions, ...worked];
  }

  function findChanged({ age, ended }: Open, worked: EndedCall): string | undefined {
    return age < CORRECTION_WITHIN_CALLS ? findChange(ended.part, worked.part, options) : undefined;
  }

  /** A call that worked in between may be why the failed one works later unchanged. */
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

  /** A short description; `undefined` for a call that changes nothing. */
  function describeStep({ part, tool }: EndedCall): string | undefined {
    const command = readCommand(part);
    if (command !== undefined ? isLooking(command) : !isChangingTool(tool)) return undefined;
    const call = toField(formatCall(part, options), LONGEST_BETWEEN);
    return command === undefined ? `${tool} ${call}` : call;
  }
}

/** Does the command begin with one that changes nothing? */
export const isLooking = (command: string): boolean => LOOKING.test(command.trim());

/** Resolution of a failure whose call later worked unchanged. */
export const UNCHANGED = "worked unchanged when called again";

const formatUnchanged = ({ between }: Open): string =>
  between.length > 0 ? `worked unchanged after: ${between.join("; ")}` : UNCHANGED;
