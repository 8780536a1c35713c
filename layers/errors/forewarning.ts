/** Warns a session, after the user's messages, of calls that failed before. Pure. */
import { DAY_MS, formatDay } from "../../src/base/days.js";
import { isChangingTool } from "../../src/messages/call.js";
import { quote, withoutMark } from "../../src/text/text.js";
import { isCorrected, isOpen, type KnownFailure, splitWords } from "./failures.js";

export interface ForewarningInput {
  /** The user's message. */
  asked: string;
  /** Is it the session's first message? */
  isBeginning: boolean;
  /** Texts of this layer in the session's context. */
  shown: readonly string[];
  /** Its own failures are in its context and need no repetition. */
  isOwn(failure: KnownFailure): boolean;
  nowMs: number;
}

/** First line of such a text; identifies it. */
export const FOREWARNING_HEAD =
  "[Strata] Calls that failed here before, in case you are about to repeat them (.opencode/memory/errors.log). It is a record, no request.";

/** Older failures are mentioned only when repeated. */
const TOLD_FOR_MS = 30 * DAY_MS;
const MOST_AT_BEGINNING = 5;
const MOST_FOR_A_MESSAGE = 3;
/** Number of newest failures considered. */
const MOST_LOOKED_AT = 200;
/** Characters of a message that are searched for calls. */
const LOOKED_AT = 20_000;
/** Maximum characters of all lines together. */
const MOST_CHARACTERS = 1_200;
const [LONGEST_CALL, LONGEST_TEXT] = [120, 140];
/** Shorter words of a call occur in many messages. */
const SHORTEST_WORD = 5;

/**
 * With the first message, open failures that were repeated or whose correction is known, most frequent first;
 * with any message, those whose call it names. `known`: newest last. `undefined` if none applies.
 */
export function planForewarning(known: readonly KnownFailure[], input: ForewarningInput): string | undefined {
  const { asked, isBeginning, isOwn, nowMs, shown } = input;
  const message = asked.slice(0, LOOKED_AT).toLowerCase();
  const open = known
    .slice(-MOST_LOOKED_AT)
    .filter((one) => isOpen(one) && !isOwn(one) && nowMs - one.lastAt < TOLD_FOR_MS)
    // Edits do not recur: the next edit of the same file has other texts.
    .filter(({ tool }) => !isChangingTool(tool))
    .filter((one) => !shown.some((text) => text.includes(nameCall(one))))
    .sort((a, b) => b.attempts - a.attempts || b.lastAt - a.lastAt);
  const named = open.filter(({ call }) => isNamed(call, message)).slice(0, MOST_FOR_A_MESSAGE);
  const worth = isBeginning ? open.filter((one) => one.attempts > 1 || isCorrected(one)) : [];
  const most = isBeginning ? MOST_AT_BEGINNING : MOST_FOR_A_MESSAGE;
  const told = [...new Map([...named, ...worth].map((one) => [nameCall(one), one])).values()].slice(0, most);
  const lines = told.map(formatFailure);
  while (lines.join("\n").length > MOST_CHARACTERS) lines.pop();
  return lines.length === 0 ? undefined : [FOREWARNING_HEAD, ...lines].join("\n");
}

export const formatTimes = (attempts: number): string =>
  attempts === 1 ? "once" : attempts === 2 ? "twice" : `${attempts} times`;

function formatFailure(failure: KnownFailure): string {
  const { attempts, lastAt, message, resolution } = failure;
  const when = `${formatTimes(attempts)}, last on ${formatDay(lastAt)}`;
  const end = resolution
    ? `What came of it: ${toData(resolution.text, LONGEST_TEXT)}`
    : "Nothing that resolved it is known.";
  return `- ${nameCall(failure)} failed ${when}: ${toData(message, LONGEST_TEXT)}. ${end}`;
}

/** The tool and the call, as in a line. */
const nameCall = ({ call, tool }: KnownFailure): string => `${tool} ${toData(call, LONGEST_CALL)}`;

/** Quotes a tool's text so that it cannot pass for the plugin's own. */
const toData = (text: string, limit: number): string => quote(withoutMark(text), limit);

/** Does the message contain the call, or its path, address or script? */
function isNamed(call: string, message: string): boolean {
  const whole = call.toLowerCase();
  if (whole.length >= SHORTEST_WORD && message.includes(whole)) return true;
  const telling = splitWords(whole).filter(
    (word) => word.length >= SHORTEST_WORD && /[\p{L}\p{N}][/.:][\p{L}\p{N}]/u.test(word),
  );
  return telling.some((word) => message.includes(word));
}
