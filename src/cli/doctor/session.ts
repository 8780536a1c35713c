/** The session that the doctor plays: short, but it calls every hook and gives every layer something to do. */
import { join } from "node:path";
import { StrataError } from "../../error.js";
import type { Line, ScriptedModel } from "./scripted-model.js";

/** Thresholds with which each layer acts within some ten requests; what is off stays off. */
export const TIGHT_SETTINGS = {
  toolResults: { threshold: 4_096 },
  microCompact: { keepRecent: 0, floor: 0 },
  sessionMemory: { goalRefresh: 1 },
  autoCompact: { threshold: 10_000 },
  background: { enabled: false },
  log: { level: "info" },
} as const;

const MEMORY = ".opencode/memory/directive/doctor.md";
const CLAIMED = "strata doctor";
const TWICE =
  "---\ntitle: A bell that rings when the tests are done.\n---\nA bell that rings when the tests are done.\n";

/** Files of the project: results to move out of the context, a memory to show, and a duplicate. */
export const PLAYED_FILES = {
  "large.txt": Array.from({ length: 400 }, (_, n) => `line ${n} of a large file\n`).join(""),
  "small.txt": Array.from({ length: 60 }, (_, n) => `line ${n} of a small file\n`).join(""),
  [MEMORY]: "---\ntitle: Answer in whole sentences.\npinned: true\n---\nAnswer in whole sentences.\n",
  ".opencode/memory/idea/bell.md": TWICE,
  ".opencode/memory/idea/bell-again.md": TWICE,
} as const;

export interface Played {
  sessionID: string;
  /** Was /memory answered without a request to the model? */
  isCommandFree: boolean;
  /** Was the model told that its lease was granted? */
  hasClaimed: boolean;
}

export interface PlayOptions {
  url: string;
  project: string;
  model: ScriptedModel;
  signal: AbortSignal;
  /** Told of each step as it begins. */
  onStep(step: string): void;
  /** Resolves when the dream has written its page, or will not. */
  whenDreamt(): Promise<void>;
}

/** Throws if the host refuses a request or does not answer. */
export async function playSession({
  model,
  onStep,
  project,
  signal,
  url,
  whenDreamt,
}: PlayOptions): Promise<Played> {
  const post = createPost(url, signal);
  const { id: sessionID } = (await post("/session", { title: "strata doctor" })) as { id: string };
  const ask = (text: string, ...lines: Line[]): Promise<unknown> => {
    model.script(...lines);
    return post(`/session/${sessionID}/message`, { parts: [{ type: "text", text }] });
  };
  const read = (name: string): Line => ({ call: "read", args: { filePath: join(project, name) } });
  onStep("large results are moved to files");
  await ask("Always look at both files before you answer.", read("small.txt"), read("large.txt"), {
    say: "seen",
  });
  onStep("a command fails twice, and a memory is stored");
  const fail: Line = { call: "bash", args: { command: "strata-doctor-fails", description: "fails" } };
  const content = "The doctor was here, to see whether memories can be kept.";
  await ask(
    "Try twice what fails, claim something and remember it.",
    fail,
    fail,
    { call: "lease", args: { op: "claim", item: CLAIMED } },
    { call: "memory_remember", args: { type: "knowledge", content } },
    { say: "tried" },
  );
  onStep("the session grows too long");
  // Long enough for history to be replaced and for its results to be old.
  for (const topic of ["one", "two", "three"])
    await ask(`Tell me of ${topic}. ${"A long question. ".repeat(400)}`, { say: "An answer. ".repeat(900) });
  onStep("a summary is made");
  await post(`/session/${sessionID}/summarize`, { providerID: "scripted", modelID: "m1" });
  await ask("Go on.");
  onStep("commands are answered");
  await post(`/session/${sessionID}/command`, { command: "dream", arguments: "" }).catch(() => undefined);
  // The command answers before a slow dream ends, and disposing the instance would stop the dream.
  await whenDreamt();
  const before = model.requests.length;
  await post(`/session/${sessionID}/command`, { command: "memory", arguments: "" }).catch(() => undefined);
  const isCommandFree = model.requests.length === before;
  onStep("OpenCode stops, and the results are checked");
  // Makes the plugin write its counts.
  await post("/instance/dispose", {});
  const hasClaimed = model.requests.some((body) => body.includes(`Claimed: ${CLAIMED}`));
  return { sessionID, isCommandFree, hasClaimed };
}

function createPost(url: string, signal: AbortSignal): (path: string, body: object) => Promise<unknown> {
  return async (path, body) => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal,
    });
    const text = await response.text();
    if (response.ok) return text === "" ? undefined : JSON.parse(text);
    throw new StrataError("HOST_REFUSED", `OpenCode answered POST ${path} with ${response.status}: ${text}`);
  };
}
