/**
 * A line of `errors.log`. Two spaces separate the fields, and no field contains two in a row:
 *
 *     2026-11-21 09:00:12  failed    bash  npm test  exit 1: npm error Missing script: "test"  attempt 2  [ses_1 x3Kf90aQ 7yTb11Qe 0aB3kd81Zz]
 *     2026-11-21 09:00:40  resolved  bash  npm test  worked as: npm run test:unit  [ses_1 x3Kf90aQ 7yTb11Qe 88fA2mQpLw]
 *
 * Times are UTC. In brackets: the session, the hashes of the call and its message, the key of the result, and the mark of
 * the machine that wrote the line. People may change or delete lines; lines in another format are ignored.
 */

export interface Entry {
  readonly kind: "failed" | "resolved";
  /** Milliseconds since 1970, in whole seconds. */
  readonly at: number;
  readonly tool: string;
  /** The call that failed, on one line. */
  readonly call: string;
  /** How it failed, or how it was resolved. */
  readonly text: string;
  /** From 1; 0 for a resolution. */
  readonly attempt: number;
  readonly session: string;
  readonly callHash: string;
  readonly messageHash: string;
  /** Key of the result that the line is about. */
  readonly key: string;
  /** Authenticates the line to the machine that wrote it; lines of earlier versions have none. */
  readonly mark?: string;
}

/** Formats one line, without the newline. Each text must come from `toField`. */
export function formatEntry(entry: Entry): string {
  const { at, attempt, call, callHash, key, kind, mark, messageHash, session, text, tool } = entry;
  const time = new Date(at).toISOString().slice(0, 19).replace("T", " ");
  const ids = `[${[session, callHash, messageHash, key, ...(mark === undefined ? [] : [mark])].join(" ")}]`;
  const count = kind === "failed" ? [`attempt ${attempt}`] : [];
  return [time, kind.padEnd(8), tool, call, text, ...count, ids].join("  ");
}

const IDS = /^\[([\w-]+) ([\w-]+) ([\w-]+) ([\w-]+)(?: ([\w-]+))?\]$/;
const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
/** In characters; entries are far shorter, so a longer line is not one. */
const LONGEST_LINE = 4_000;

/** `undefined` if the line is not an entry. */
export function parseEntry(line: string): Entry | undefined {
  if (line.length > LONGEST_LINE) return undefined;
  const [time = "", kind, tool, call, ...rest] = line.trim().split(/\s{2,}|\t/);
  const [, session, callHash, messageHash, key, mark] = IDS.exec(rest.pop() ?? "") ?? [];
  const at = TIME.test(time) ? Date.parse(`${time.replace(" ", "T")}Z`) : Number.NaN;
  if (!session || !callHash || !messageHash || !key || !tool || !call || Number.isNaN(at)) return undefined;
  const ids = { session, callHash, messageHash, key, ...(mark !== undefined && { mark }) };
  const known = { at, tool, call, ...ids };
  if (kind === "resolved") return { ...known, kind, text: rest.join(" ") || "-", attempt: 0 };
  if (kind !== "failed") return undefined;
  const attempt = readAttemptNumber(rest.at(-1));
  const text = rest.slice(0, attempt === undefined ? undefined : -1).join(" ") || "-";
  return { ...known, kind, text, attempt: attempt ?? 1 };
}

function readAttemptNumber(field = ""): number | undefined {
  const digits = /^attempt (\d{1,6})$/.exec(field)?.[1];
  return digits === undefined ? undefined : Math.max(1, Number(digits));
}
