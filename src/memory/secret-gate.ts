import type { Memory } from "./memory.js";
import { findSecrets } from "./secrets.js";

/** Why a memory with a secret in it is not written, whoever wants to; `undefined` for one without. Pure. */
export function refuseSecrets(memory: Memory): string | undefined {
  const { aliases, content, entities, extra, provenance, tags, title, when } = memory;
  const texts = [title, content, provenance.evidence ?? "", ...aliases, ...tags, ...entities, ...when];
  return refuseWords({ title: "", content: [...texts, JSON.stringify(extra)].join("\n") });
}

/** The same of a title and a text alone. Pure. */
export function refuseWords({ content, title }: Pick<Memory, "content" | "title">): string | undefined {
  const fault = findSecretIn(`${title}\n${content}`);
  return (
    fault &&
    `${fault}, and memories are read by others and may be committed; say where the secret is kept instead`
  );
}

/** Which secret a text holds: "it holds a secret (GitHub token)". Pure. */
export function findSecretIn(text: string): string | undefined {
  const [found] = findSecrets(text);
  return found && `it holds a secret (${found.name})`;
}
