/** Restores what the agent was working with: the plan, recent files in their current state, and skills. */
import { relative, resolve } from "node:path";
import { formatError } from "../../src/base/error.js";
import { cut } from "../../src/base/text.js";
import { CHARACTERS_PER_TOKEN } from "../../src/context/context-size.js";
import type { ContextRequest } from "../../src/context/request.js";
import { waitAtMost } from "../../src/io/clock.js";
import { decodeStrictly } from "../../src/io/files.js";
import { isToolPart, type Message, readResultText } from "../../src/io/message.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { type History, type Result, readHistory } from "../../src/messages/history.js";
import type { Ledger } from "../../src/notes/stored.js";

type RestoreContext = Pick<LayerContext, "files" | "folders" | "log">;

/** All messages that the host stores, those before its summary included; the request's if the host is too slow. */
export type ReadAll = () => Promise<readonly Message[]>;

interface RestoreInput {
  readAll: ReadAll;
  facts: Ledger;
  history: History;
  /** Index of the first message that stays. */
  from: number;
  mostTokens: number;
  /** The messages that stay, as they are shown. */
  tail: readonly Message[];
  /** What is pinned, which is shown beside. */
  pinned: string;
}

/** Five files of 5,000 tokens each, 50,000 in all with skills; less for a small window. */
const MOST_FILES = 5;
const FILE_CHARACTERS = 5_000 * CHARACTERS_PER_TOKEN;
export const MOST_RESTORED_TOKENS = 50_000;
const MOST_CHARACTERS = MOST_RESTORED_TOKENS * CHARACTERS_PER_TOKEN;

/** How long a turn waits for the host's messages. */
const READ_WITHIN_MS = 1_000;

/** Reads at most once. */
export function createReadAll(
  { clock, host }: LayerContext,
  { history, sessionID }: ContextRequest,
): ReadAll {
  let reading: Promise<readonly Message[]> | undefined;
  const read = async (): Promise<readonly Message[]> => {
    const waited = await waitAtMost(clock, READ_WITHIN_MS, () => host.readMessages(sessionID));
    return (waited.kind === "done" ? waited.value : undefined) ?? history.messages;
  };
  return () => (reading ??= read());
}

/** Files with secrets, which are not restored: the agent can read them again. */
const SECRET = /(^|\/)(\.env[^/]*|\.npmrc|\.netrc|id_[a-z0-9]+|[^/]*\.(pem|key|p12|pfx|keystore))$/i;

/** Files to restore, most important first: the plan, edited files, read files, each newest first. Pure. */
export function planRestore(facts: Ledger, project: string): { path: string; label: string }[] {
  const plan = facts.plan && { path: resolve(project, facts.plan.path), label: "the plan" };
  const recent = [...facts.files]
    .sort((a, b) => Number(b.isEdited) - Number(a.isEdited) || b.at - a.at)
    .map(({ key, isEdited }) => ({
      path: resolve(project, key),
      label: isEdited ? "edited in this session" : "read in this session",
    }));
  const seen = new Set<string>();
  return (plan ? [plan, ...recent] : recent).filter(
    ({ path }) => !SECRET.test(path) && !seen.has(path) && seen.add(path),
  );
}

/**
 * The blocks to show; empty if there are none. Skips files that are missing, not text, or unreadable, and those that the
 * messages that stay show anyway.
 */
export async function restore(context: RestoreContext, input: RestoreInput): Promise<string> {
  const { folders } = context;
  const isShown = createSight([...input.tail.flatMap(listTexts), input.pinned]);
  let room = Math.min(MOST_CHARACTERS, Math.floor(input.mostTokens * CHARACTERS_PER_TOKEN));
  const blocks: string[] = [];
  const limit = (): number => Math.max(0, Math.min(FILE_CHARACTERS, room));
  const add = (title: string, text: string): void => {
    if (limit() < Math.min(text.length, 400)) return;
    const block = formatBlock(title, text, limit());
    room -= block.length;
    blocks.push(block);
  };
  for (const [name, text] of await findSkills(input)) add(`Skill ${name}`, text);
  let left = MOST_FILES;
  for (const { path, label } of planRestore(input.facts, folders.project)) {
    if (left === 0 || room <= 0) break;
    const text = await readText(context, path);
    if (text === undefined || isShown(text.slice(0, limit()))) continue;
    add(`${relative(folders.project, path) || path} (${label}), as it is now`, text);
    left--;
  }
  return blocks.join("\n\n");
}

/** Skills missing from the messages that stay, with their texts; only the host has those from before a compaction. */
async function findSkills({ facts, from, history, readAll }: RestoreInput): Promise<[string, string][]> {
  const shown = readSkills(history.results(from));
  const missing = facts.skills.map(({ key }) => key).filter((name) => !shown.has(name));
  let known = readSkills(history.results());
  if (missing.some((name) => !known.has(name))) known = readSkills(readHistory(await readAll()).results());
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

/* Whether a text is in sight already, whichever calls have brought it. */

/** Share of the characters of its lines. A file that was edited since differs in a few of them. */
const ENOUGH_IN_SIGHT = 0.9;

/** Result, and texts of the call, of each call; else what was said. */
const listTexts = ({ parts }: Message): string[] =>
  parts.flatMap((part) => {
    if (!isToolPart(part)) return part.text ?? [];
    const inputs = Object.values(part.state.input ?? {}).filter((value) => typeof value === "string");
    return [readResultText(part) ?? "", ...inputs];
  });

function createSight(texts: readonly string[]): (text: string) => boolean {
  const linesOf = (text: string): string[] => text.split("\n").map(bare);
  const inSight = new Set(texts.flatMap(linesOf));
  const count = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length, 0);
  return (text) => {
    const lines = linesOf(text);
    return count(lines.filter((line) => inSight.has(line))) >= ENOUGH_IN_SIGHT * count(lines);
  };
}

/** A line without its number, as the read tool writes it, and without its indentation. */
const bare = (line: string): string => line.replace(/^\s*\d+(?:[:|→]|\t)/, "").trim();

/** `undefined` if it is empty, not text, or cannot be read; the agent can still try itself and sees why it fails. */
async function readText({ files, log }: RestoreContext, path: string): Promise<string | undefined> {
  try {
    const found = await files.stat(path);
    if (found?.kind !== "file" || found.bytes > MOST_CHARACTERS * 4) return undefined;
    const text = decodeStrictly((await files.read(path)) ?? new Uint8Array());
    return text === undefined || text.includes("\0") || text.trim() === "" ? undefined : text;
  } catch (thrown) {
    log.warn("full-compact", `cannot restore ${path}: ${formatError(thrown)}`);
    return undefined;
  }
}

function formatBlock(title: string, text: string, limit: number): string {
  if (text.length <= limit) return `### ${title}\n${text.trimEnd()}`;
  const whole = cut(text, limit);
  const shown = whole.slice(0, whole.lastIndexOf("\n") + 1 || whole.length).trimEnd();
  const lines = shown.split("\n").length;
  return `### ${title}; the first ${lines} lines\n${shown}`;
}
