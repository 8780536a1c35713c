import { inSlices, type Sliced } from "../base/slices.js";
import type { Clock } from "../io/clock.js";
import { lookForSecrets } from "../text/secrets/secrets.js";
import type { Memory } from "./memory.js";

/** Why a memory may not be written or shown; `undefined` if it may. */
export type MemoryGate = (memory: Memory) => Promise<string | undefined>;

/** The gate that keeps secrets out. Scans long memories in slices. */
export function createSecretGate(clock: Pick<Clock, "now" | "pause">): MemoryGate {
  return (memory) => inSlices(clock, refuseSecrets(memory));
}

/** Why a memory that holds a secret is not written, for any writer; `undefined` if it holds none. Pure. */
export function* refuseSecrets(memory: Memory): Sliced<string | undefined> {
  const { aliases, content, entities, extra, provenance, tags, title, when } = memory;
  const texts = [title, content, provenance.evidence ?? "", ...aliases, ...tags, ...entities, ...when];
  return yield* refuseWords({ title: "", content: [...texts, JSON.stringify(extra)].join("\n") });
}

/** The same for a title and a text alone. Pure. */
export function* refuseWords({
  content,
  title,
}: Pick<Memory, "content" | "title">): Sliced<string | undefined> {
  const fault = yield* findSecretIn(`${title}\n${content}`);
  return (
    fault &&
    `${fault}, and memories are read by others and may be committed; say where the secret is kept instead`
  );
}

/** Names the secret in a text: "it holds a secret (GitHub token)". Pure. */
export function* findSecretIn(text: string): Sliced<string | undefined> {
  const [found] = yield* lookForSecrets(text);
  return found && `it holds a secret (${found.name})`;
}
