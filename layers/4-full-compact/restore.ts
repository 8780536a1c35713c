/** Restores what the agent was working with: the plan, recent files in their current state, and skills. */
import { isUtf8 } from "node:buffer";
import { relative, resolve } from "node:path";
import { formatError } from "../../src/base/error.js";
import { cut } from "../../src/base/text.js";
import { CHARACTERS_PER_TOKEN } from "../../src/context/context-size.js";
import { waitAtMost } from "../../src/io/clock.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { type History, type Result, readHistory } from "../../src/messages/history.js";
import type { SessionFacts } from "../../src/notes/ledger.js";

type RestoreContext = Pick<LayerContext, "clock" | "files" | "folders" | "host" | "log">;

interface RestoreInput {
  sessionID: string;
  facts: SessionFacts;
  history: History;
  /** Index of the first message that stays. */
  from: number;
  mostTokens: number;
  /** Calls whose results are shown beside, such as "read src/app.ts". */
  shown?: ReadonlySet<string>;
}

/** Five files of 5,000 tokens each, 50,000 in all with skills; less for a small window. */
const MOST_FILES = 5;
const FILE_CHARACTERS = 5_000 * CHARACTERS_PER_TOKEN;
const MOST_CHARACTERS = 50_000 * CHARACTERS_PER_TOKEN;

/** How long a turn waits for the host's messages; without them the agent loads the skill again if it needs it. */
const READ_WITHIN_MS = 1_000;

/** Files with secrets, which are not restored: the agent can read them again. */
const SECRET = /(^|\/)(\.env[^/]*|\.npmrc|\.netrc|id_[a-z0-9]+|[^/]*\.(pem|key|p12|pfx|keystore))$/i;

/** Files to restore, most important first: the plan, edited files, read files, each newest first. Pure. */
export function planRestore(
  facts: SessionFacts,
  staying: ReadonlySet<string>,
): { path: string; label: string }[] {
  const plan = facts.plan && { path: facts.plan.path, label: "the plan" };
  const recent = [...facts.files]
    .sort((a, b) => Number(b.isEdited) - Number(a.isEdited) || b.at - a.at)
    .map(({ path, isEdited }) => ({
      path,
      label: isEdited ? "edited in this session" : "read in this session",
    }));
  const seen = new Set<string>();
  return (plan ? [plan, ...recent] : recent)
    .filter(({ path }) => !SECRET.test(path) && !staying.has(path) && !seen.has(path) && seen.add(path))
    .slice(0, MOST_FILES);
}

/** The blocks to show; empty if there are none. Skips files that are missing, not text, or unreadable. */
export async function restore(context: RestoreContext, input: RestoreInput): Promise<string> {
  const { folders } = context;
  const staying = new Set(
    input.history.results(input.from).flatMap((result) => readPath(result, folders.project)),
  );
  let room = Math.min(MOST_CHARACTERS, Math.floor(input.mostTokens * CHARACTERS_PER_TOKEN));
  const blocks: string[] = [];
  const add = (title: string, text: string): void => {
    const limit = Math.min(FILE_CHARACTERS, room);
    if (limit < Math.min(text.length, 400)) return;
    const block = formatBlock(title, text, limit);
    room -= block.length;
    blocks.push(block);
  };
  for (const [name, text] of await findSkills(context, input)) add(`Skill ${name}`, text);
  for (const { path, label } of planRestore(input.facts, staying)) {
    if (input.shown?.has(`read ${relative(folders.project, path)}`)) continue;
    const text = await readText(context, path);
    if (text !== undefined) add(`${relative(folders.project, path) || path} (${label}), as it is now`, text);
  }
  return blocks.join("\n\n");
}

/** Skills missing from the messages that stay, with their texts; only the host has those from before a compaction. */
async function findSkills(
  { clock, host }: Pick<LayerContext, "clock" | "host">,
  { facts, from, history, sessionID }: RestoreInput,
): Promise<[name: string, text: string][]> {
  const shown = readSkills(history.results(from));
  const missing = facts.skills.filter((name) => !shown.has(name));
  let known = readSkills(history.results());
  if (missing.some((name) => !known.has(name))) {
    const waited = await waitAtMost(clock, READ_WITHIN_MS, () => host.readMessages(sessionID));
    const all = waited.kind === "done" ? waited.value : undefined;
    known = readSkills(readHistory(all ?? history.messages).results());
  }
  return missing.flatMap((name): [string, string][] => {
    const text = known.get(name);
    return text === undefined ? [] : [[name, text]];
  });
}

function readSkills(results: readonly Result[]): Map<string, string> {
  const skills = new Map<string, string>();
  for (const { part, text } of results) {
    const name = part.tool === "skill" ? part.state.input?.name : undefined;
    if (typeof name === "string" && part.state.status === "completed") skills.set(name, text);
  }
  return skills;
}

/** The file that a result shows as a whole; an edit or a read of some lines shows only a part. */
function readPath({ part: { state, tool } }: Result, project: string): string[] {
  const { filePath: path, limit, offset } = state.input ?? {};
  const isWhole = tool === "write" || (tool === "read" && limit === undefined && offset === undefined);
  return isWhole && state.status === "completed" && typeof path === "string" ? [resolve(project, path)] : [];
}

/** `undefined` if the file cannot be read; the agent can still try itself and sees why it fails. */
async function readText({ files, log }: RestoreContext, path: string): Promise<string | undefined> {
  try {
    const found = await files.stat(path);
    if (found?.kind !== "file" || found.bytes > MOST_CHARACTERS * 4) return undefined;
    return decodeText(await files.read(path));
  } catch (thrown) {
    log.warn("full-compact", `cannot restore ${path}: ${formatError(thrown)}`);
    return undefined;
  }
}

/** `undefined` if the contents are empty or not text. */
function decodeText(contents: Uint8Array = new Uint8Array()): string | undefined {
  const bytes = Buffer.from(contents.buffer, contents.byteOffset, contents.byteLength);
  const text = bytes.toString();
  const isText = isUtf8(bytes) && !text.includes("\0") && text.trim() !== "";
  return isText ? text : undefined;
}

function formatBlock(title: string, text: string, limit: number): string {
  if (text.length <= limit) return `### ${title}\n${text.trimEnd()}`;
  const whole = cut(text, limit);
  const shown = whole.slice(0, whole.lastIndexOf("\n") + 1 || whole.length).trimEnd();
  const lines = shown.split("\n").length;
  return `### ${title}; the first ${lines} lines\n${shown}`;
}
