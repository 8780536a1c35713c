/** Plays a recorded session into notes, and asks at every tenth message what the following answers lean on. */
import { dirname, join } from "node:path";
import type { Message, ToolPart } from "../../src/io/message.js";
import { createNotes } from "../../src/notes/notes.js";
import type { RecordedCall, RecordedSession } from "../sessions/recorded-session.js";
import { allSeen } from "../support/all-seen.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createMemoryFiles } from "../support/memory-files.js";

/** Characters that layer 4 allows at the default budget (layers/4-full-compact/cut.ts). */
const MOST_CHARACTERS = 32_000;
const EVERY = 10;
/** Answers looked at after a moment. */
const LATER = 40;
/** Characters of the 10,000 tokens that stay word for word behind a cut, which the notes need not hold. */
const TAIL = 35_000;

type Counts = Record<Kind, { leant: number; held: number }>;

export interface Measured {
  id: string;
  /** Of all that is known at the moment. */
  all: Counts;
  /** Of what is not in the tail. */
  hidden: Counts;
  /** Bytes of the longest notes, with and without the requests. */
  bytes: number;
  bytesWithoutRequests: number;
  missing: Map<string, number>;
}

export async function measureSession(session: RecordedSession): Promise<Measured> {
  const { cwd, id } = session;
  const moments = listMoments(session).map((moment) => ({
    ...moment,
    said: relative(moment.said, cwd),
    returned: relative(moment.returned, cwd),
  }));
  const clock = createFakeClock();
  const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
  const folder = join(cwd, ".opencode/session-memory");
  const notes = createNotes({ files: createMemoryFiles({}, clock.now), clock, log, folder, seen: allSeen });
  const measured = { id, all: noCounts(), hidden: noCounts(), missing: new Map() };
  const result: Measured = { ...measured, bytes: 0, bytesWithoutRequests: 0 };
  const known = new Set<string>();
  for (const [index, { message, returned, said }] of moments.entries()) {
    if (index > 0 && index % EVERY === 0) {
      const text = (await notes.formatForModel("ses_1", { maxCharacters: MOST_CHARACTERS })) ?? "";
      ask(result, relative(text, cwd), {
        known,
        before: moments.slice(0, index),
        after: moments.slice(index),
      });
    }
    await notes.learn("ses_1", [message]);
    for (const token of [...findTokens(said), ...findTokens(returned)]) known.add(token.text);
  }
  return result;
}

/** Paths as the notes spell them: relative to the project, also beside it. */
function relative(text: string, cwd: string): string {
  if (cwd === "") return text;
  return text.replaceAll(`${cwd}/`, "").replaceAll(`${dirname(cwd)}/`, "../");
}

interface Question {
  known: ReadonlySet<string>;
  before: readonly Moment[];
  after: readonly Moment[];
}

/** What the next answers say that was known, and that nothing since then has brought again. */
function ask(result: Measured, text: string, { after, before, known }: Question): void {
  const held = new Set(findTokens(text).map((token) => token.text));
  const tail = new Set(findTokens(listTail(before)).map((token) => token.text));
  const fresh = new Set<string>();
  for (const { message, returned, said } of after.slice(0, LATER)) {
    for (const { kind, text: token } of findTokens(said)) {
      if (message.info.role === "assistant" && known.has(token) && !fresh.has(token)) {
        const holds = held.has(token) || (kind === "path" && holdsPath(text, token));
        count(result.all[kind], holds);
        if (!tail.has(token)) count(result.hidden[kind], holds);
        if (!holds) result.missing.set(token, (result.missing.get(token) ?? 0) + 1);
      }
      fresh.add(token);
    }
    for (const { text: token } of findTokens(returned)) fresh.add(token);
  }
  const bytes = Buffer.byteLength(text);
  const requests = /\n## Task Specification\n[\s\S]*?(?=\n## |$)/.exec(text)?.[0] ?? "";
  result.bytes = Math.max(result.bytes, bytes);
  result.bytesWithoutRequests = Math.max(result.bytesWithoutRequests, bytes - Buffer.byteLength(requests));
}

function listTail(before: readonly Moment[]): string {
  let text = "";
  for (let index = before.length - 1; index >= 0 && text.length < TAIL; index--)
    text = `${before[index]?.said}\n${before[index]?.returned}\n${text}`;
  return text.slice(-TAIL);
}

/** A line that names the folder and then the file. */
function holdsPath(text: string, path: string): boolean {
  const slash = path.lastIndexOf("/");
  const [folder, name] = [path.slice(0, slash + 1), path.slice(slash + 1)];
  return text.split("\n").some((line) => line.includes(folder) && line.includes(name));
}

const noCounts = (): Counts =>
  Object.fromEntries(KINDS.map((kind) => [kind, { leant: 0, held: 0 }])) as unknown as Counts;

function count(counted: { leant: number; held: number }, holds: boolean): void {
  counted.leant++;
  if (holds) counted.held++;
}

function add(rows: readonly Measured[], of: "all" | "hidden", kinds: readonly Kind[]) {
  const counts = rows.flatMap((row) => kinds.map((kind) => row[of][kind]));
  const sum = (name: "leant" | "held"): number => counts.reduce((total, one) => total + one[name], 0);
  return { leant: sum("leant"), held: sum("held") };
}

export function formatTable(rows: readonly Measured[]): string {
  const head = ["session", "leant on", "held", ...KINDS, "out of sight", "held", "KB", "KB without requests"];
  const lines = [...rows.map((row) => ({ name: row.id, rows: [row] })), { name: "all", rows }].map(
    ({ name, rows: some }) => {
      const [all, hidden] = [add(some, "all", KINDS), add(some, "hidden", KINDS)];
      const kinds = KINDS.map((kind) => percent(add(some, "all", [kind])));
      const largest = (of: "bytes" | "bytesWithoutRequests"): string =>
        (Math.max(...some.map((row) => row[of])) / 1_000).toFixed(1);
      const sizes = [largest("bytes"), largest("bytesWithoutRequests")];
      return [name, `${all.leant}`, percent(all), ...kinds, `${hidden.leant}`, percent(hidden), ...sizes];
    },
  );
  return [head, ...lines].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

const percent = ({ held, leant }: { held: number; leant: number }): string =>
  leant === 0 ? "-" : `${((100 * held) / leant).toFixed(1)} %`;

export function formatMissing(rows: readonly Measured[]): string {
  return rows
    .map(({ id, missing }) => {
      const most = [...missing].sort((a, b) => b[1] - a[1]).slice(0, 60);
      return `${id}: ${most.map(([token, times]) => `${token} ${times}`).join(", ")}`;
    })
    .join("\n");
}

/** The words of an answer that only this session can have taught: identifiers, paths and numbers. */

const KINDS = ["identifier", "path", "number"] as const;
type Kind = (typeof KINDS)[number];

interface Token {
  kind: Kind;
  text: string;
}

/** `camelCase`, `PascalCase`, `snake_case` and `kebab-case-names` of three words; five characters or more. */
const IDENTIFIER = /[A-Za-z_$][\w$]*(?:[a-z\d][A-Z]|_[A-Za-z\d])[\w$]*|\b[a-z][a-z\d]*(?:-[a-z\d]+){2,}\b/g;
const PATH = /(?:[\w@.~-]+\/)+[\w@.-]*\w\.[A-Za-z]\w{0,5}\b/g;
/** Three digits or more, versions, and hashes of commits. */
const NUMBER =
  /(?<![\w.])(?:\d+\.\d+(?:\.\d+)*|\d{3,}|(?=[\da-f]*\d)(?=[\da-f]*[a-f])[\da-f]{7,40})(?![\w.]\w)/g;
const SHORTEST = 5;
/** Lines to be shown, and characters of a pattern, are no knowledge. */
const POSITION = /\bsed -n\s+['"]?[\d,$p;]+['"]?|\b(?:head|tail)\s+(?:-n\s*|-)?\d+|\bnl -ba\b/g;
const ESCAPED = /\\[bBdDnrsStwW]/g;

function findTokens(given: string): Token[] {
  const found = new Map<string, Token>();
  const text = given.replace(POSITION, " ").replace(ESCAPED, " ");
  const take = (kind: Kind, pattern: RegExp, given: string): void => {
    for (const [token] of given.matchAll(pattern)) found.set(token, { kind, text: token });
  };
  for (const [path] of text.matchAll(PATH)) {
    const clean = path.replace(/^(?:\.\/)+/, "");
    found.set(clean, { kind: "path", text: clean });
  }
  // The names in a path are not needed a second time.
  const rest = text.replace(PATH, " ");
  take("number", NUMBER, rest);
  for (const [token] of rest.matchAll(IDENTIFIER))
    if (token.length >= SHORTEST) found.set(token, { kind: "identifier", text: token });
  return [...found.values()];
}

/** Recorded sessions of other agents as messages of the host. */

/** A message, and the texts that came with it; what an answer says comes before what its calls return. */
interface Moment {
  message: Message;
  /** Texts of the user or the agent: its words and its calls' inputs. */
  said: string;
  /** What the calls returned. */
  returned: string;
}

const START = Date.UTC(2026, 0, 5, 9);
const STEP_MS = 10_000;

function listMoments({ turns }: RecordedSession): Moment[] {
  const moments: Moment[] = [];
  const add = (
    role: string,
    parts: Message["parts"],
    texts: Pick<Moment, "said" | "returned">,
    finish?: string,
  ) => {
    const created = START + moments.length * STEP_MS;
    const id = `msg_${moments.length}`;
    const time = { created, completed: created + 1 };
    const info = { id, sessionID: "ses_1", role, time, ...(finish !== undefined && { finish }) };
    moments.push({ message: { info, parts }, ...texts });
  };
  for (const { steps, user } of turns) {
    add("user", [{ type: "text", text: user } as never], { said: user, returned: "" });
    for (const { calls, say = "" } of steps) {
      const at = START + moments.length * STEP_MS;
      const parts = calls.map((call, index) => toPart(call, `call_${moments.length}_${index}`, at + index));
      const said = [say, ...calls.map(({ args }) => listTexts(args))].join("\n");
      const returned = calls.map(({ result }) => (result ?? "").replace(HEADER, "")).join("\n");
      const text = say.trim() === "" ? [] : [{ type: "text", text: say } as never];
      add("assistant", [...text, ...parts], { said, returned }, calls.length > 0 ? "tool-calls" : "stop");
    }
  }
  return moments;
}

/** What the recorded agent's shell says before an output. */
const HEADER = /^Chunk ID: [\s\S]{0,200}?\nOutput:\n/;

/** The host reports a failed command as a success with an exit code. */
function toPart({ args, error, name, result, tool }: RecordedCall, callID: string, start: number): ToolPart {
  const text = (result ?? "").replace(HEADER, "");
  const time = { start, end: start };
  const shown = tool === "other" ? (name ?? tool) : tool;
  if (tool === "bash") {
    const exit = Number(
      /exit(?:ed with)? (?:code|status):? (\d+)/i.exec((result ?? "").slice(0, 400))?.[1] ?? (error ? 1 : 0),
    );
    const state = { status: "completed", input: args, output: text, metadata: { exit }, time };
    return { type: "tool", tool, callID, state };
  }
  const { filePath, newString, oldString } = args;
  // A patch was recorded as the edit of each of its files.
  if (tool === "edit" && !oldString && typeof newString === "string" && /^[-+]/m.test(newString)) {
    const isWhole = newString.startsWith("*** Begin Patch");
    const own = `*** Begin Patch\n*** Update File: ${String(filePath)}\n${newString}\n*** End Patch`;
    const patchText = isWhole ? newString : own;
    const state = { status: "completed", input: { patchText }, output: text, metadata: {}, time };
    return { type: "tool", tool: "apply_patch", callID, state };
  }
  const end = error ? { status: "error", error: text } : { status: "completed", output: text };
  return { type: "tool", tool: shown, callID, state: { ...end, input: args, metadata: {}, time } };
}

/** Numbers that say where to read, and how long to wait, are no knowledge. */
const SETTINGS = new Set(["offset", "limit", "timeout", "head_limit"]);

function listTexts(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(listTexts).join("\n");
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .flatMap(([key, one]) => (SETTINGS.has(key) ? [] : listTexts(one)))
    .join("\n");
}
