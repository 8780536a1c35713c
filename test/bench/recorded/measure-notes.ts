/** Plays a recorded session into notes, and asks at every tenth message what the following answers lean on. */
import { dirname, join } from "node:path";
import type { createNotes } from "../../../src/notes/notes.js";
import { allSeen } from "../../support/all-seen.js";
import { createFakeClock } from "../../support/fake-clock.js";
import { createMemoryFiles } from "../../support/memory-files.js";
import { findTokens, KINDS, type Kind } from "./leant-on.js";
import { listMoments, type Moment, type RecordedSession } from "./recorded-session.js";

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
  repo: string;
  /** Of all that is known at the moment. */
  all: Counts;
  /** Of what is not in the tail. */
  hidden: Counts;
  /** Bytes of the longest notes, with and without the requests. */
  bytes: number;
  bytesWithoutRequests: number;
  missing: Map<string, number>;
  last: string;
}

export type CreateNotes = typeof createNotes;

export async function openMeasured(checkout: string): Promise<CreateNotes> {
  const module = (await import(join(checkout, "src/notes/notes.ts"))) as { createNotes: CreateNotes };
  return module.createNotes;
}

export async function measureSession(session: RecordedSession, create: CreateNotes): Promise<Measured> {
  const { cwd, id, source } = session;
  const moments = listMoments(session).map((moment) => ({
    ...moment,
    said: relative(moment.said, cwd),
    returned: relative(moment.returned, cwd),
  }));
  const clock = createFakeClock();
  const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
  const folder = join(cwd, ".opencode/session-memory");
  const notes = create({ files: createMemoryFiles({}, clock.now), clock, log, folder, seen: allSeen });
  const measured = { id, repo: source.repo, all: noCounts(), hidden: noCounts(), missing: new Map() };
  const result: Measured = { ...measured, bytes: 0, bytesWithoutRequests: 0, last: "" };
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
  result.last = (await notes.formatForModel("ses_1", { maxCharacters: MOST_CHARACTERS })) ?? "";
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

export function formatTable(title: string, rows: readonly Measured[]): string {
  const head = ["session", "leant on", "held", ...KINDS, "out of sight", "held", "KB", "KB without requests"];
  const repos = [...new Set(rows.map(({ repo }) => repo))];
  const groups = repos.map((repo) => ({ name: repo, rows: rows.filter((row) => row.repo === repo) }));
  const lines = [...rows.map((row) => ({ name: row.id, rows: [row] })), ...groups, { name: "all", rows }].map(
    ({ name, rows: some }) => {
      const [all, hidden] = [add(some, "all", KINDS), add(some, "hidden", KINDS)];
      const kinds = KINDS.map((kind) => percent(add(some, "all", [kind])));
      const largest = (of: "bytes" | "bytesWithoutRequests"): string =>
        (Math.max(...some.map((row) => row[of])) / 1_000).toFixed(1);
      const sizes = [largest("bytes"), largest("bytesWithoutRequests")];
      return [name, `${all.leant}`, percent(all), ...kinds, `${hidden.leant}`, percent(hidden), ...sizes];
    },
  );
  return [`\n${title}`, ...[head, ...lines].map((row) => `| ${row.join(" | ")} |`)].join("\n");
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
