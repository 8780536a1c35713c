/** Recorded sessions of other agents as messages of the host. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Message, ToolPart } from "../../../src/io/message.js";

export interface RecordedSession {
  id: string;
  source: { repo: string };
  cwd: string;
  turns: { user: string; steps: RecordedStep[] }[];
}

export interface RecordedStep {
  say?: string;
  calls: RecordedCall[];
}

export interface RecordedCall {
  tool: string;
  name?: string;
  args: Record<string, unknown>;
  result: string;
  error?: boolean;
}

/** A message, and the texts that came with it; what an answer says comes before what its calls return. */
export interface Moment {
  message: Message;
  /** Texts of the user or the agent: its words and its calls' inputs. */
  said: string;
  /** What the calls returned. */
  returned: string;
}

export function readRecorded(folder: string): RecordedSession[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as RecordedSession);
}

const START = Date.UTC(2026, 0, 5, 9);
const STEP_MS = 10_000;

export function listMoments({ turns }: RecordedSession): Moment[] {
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
