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
  const [found] = findSecrets(`${title}\n${content}`);
  if (!found) return undefined;
  return `it holds a secret (${found.name}), and memories are read by others and may be committed; say where the secret is kept instead`;
}
