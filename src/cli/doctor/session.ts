/** The session that the doctor plays: short, but it calls every hook. The layers bring what makes them act. */
import { join } from "node:path";
import { StrataError } from "../../base/error.js";
import type { Proof } from "../../kernel/proof.js";
import type { Line, ScriptedModel } from "./scripted-model.js";

/** Files of the project besides those that the layers bring: results to move out of the context. */
export const PLAYED_FILES = {
  "large.txt": Array.from({ length: 400 }, (_, n) => `line ${n} of a large file\n`).join(""),
  "small.txt": Array.from({ length: 60 }, (_, n) => `line ${n} of a small file\n`).join(""),
} as const;

export interface Played {
  /** Was /memory answered without a request to the model? */
  isCommandFree: boolean;
}

export interface PlayOptions {
  url: string;
  project: string;
  model: ScriptedModel;
  signal: AbortSignal;
  /** Told of each step as it begins. */
  onStep(step: string): void;
  /** What the enabled layers bring. */
  proofs: readonly Proof[];
  /** Resolves when these files exist, or will not. */
  whenLeft(paths: readonly string[]): Promise<void>;
}

/** Throws if the host refuses a request or does not answer. */
export async function playSession({
  model,
  onStep,
  project,
  proofs,
  signal,
  url,
  whenLeft,
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
  const calls = proofs.flatMap((proof) => proof.calls ?? []);
  await ask("Try twice what fails, claim something and remember it.", ...calls, { say: "tried" });
  onStep("the session grows too long");
  // Long enough for history to be replaced and for its results to be old.
  for (const topic of ["one", "two", "three"])
    await ask(`Tell me of ${topic}. ${"A long question. ".repeat(400)}`, { say: "An answer. ".repeat(900) });
  onStep("a summary is made");
  await post(`/session/${sessionID}/summarize`, { providerID: "scripted", modelID: "m1" });
  await ask("Go on.");
  onStep("commands are answered");
  const run = (command: string): Promise<unknown> =>
    post(`/session/${sessionID}/command`, { command, arguments: "" }).catch(() => undefined);
  for (const { command } of proofs) if (command !== undefined) await run(command);
  // A command may answer before its work is done, and disposing the instance would stop that.
  await whenLeft(proofs.flatMap(({ leaves }) => leaves ?? []));
  const before = model.requests.length;
  await run("memory");
  const isCommandFree = model.requests.length === before;
  onStep("OpenCode stops, and the results are checked");
  // Makes the plugin write its counts.
  await post("/instance/dispose", {});
  return { isCommandFree };
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
