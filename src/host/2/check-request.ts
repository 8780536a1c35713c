/** Checks a request before it is written: would the host or a provider refuse it? Pure. */
import { isRecord } from "../../base/records.js";
import type { TheirMessage, TheirPart } from "./contract.js";

/** The first fault that the change brings in; `undefined` if there is none. */
export function findFault(
  before: readonly TheirMessage[],
  after: readonly TheirMessage[],
): string | undefined {
  if (after.length === 0) return "no message is left";
  if (after.some(({ content }) => content.length === 0)) return "a message is empty";
  const known = new Set<unknown>(before.flatMap(({ content }) => content));
  const strange = after
    .flatMap(({ content }) => content)
    .find((part) => !known.has(part) && !isWellFormed(part));
  if (strange) return `a part of type ${strange.type} has a shape that OpenCode does not document`;
  const first = (messages: readonly TheirMessage[]) => messages.find(({ role }) => role !== "system")?.role;
  if (first(before) === "user" && first(after) !== "user") return "it does not begin with a user's message";
  return findBrokenPair(before, after);
}

function isWellFormed({ id, name, result, text, type, ...part }: TheirPart): boolean {
  if (type === "text") return typeof text === "string";
  if (type === "tool-call") return typeof id === "string" && typeof name === "string" && "input" in part;
  if (type !== "tool-result" || typeof id !== "string" || typeof name !== "string" || !isRecord(result))
    return false;
  const { type: form, value } = result as { type: string; value: unknown };
  return form === "content" ? Array.isArray(value) && value.length > 0 : form === "text" || form === "error";
}

/** Each call that had a result keeps it, and each result its call. */
function findBrokenPair(before: readonly TheirMessage[], after: readonly TheirMessage[]): string | undefined {
  const [were, are] = [readPairs(before), readPairs(after)];
  for (const id of are.calls)
    if (were.results.has(id) && !are.results.has(id)) return `the call ${id} has lost its result`;
  for (const id of are.results)
    if (were.calls.has(id) && !are.calls.has(id)) return `the result ${id} has lost its call`;
  return undefined;
}

function readPairs(messages: readonly TheirMessage[]): { calls: Set<string>; results: Set<string> } {
  const idsOf = (wanted: string): Set<string> =>
    new Set(
      messages.flatMap(({ content }) =>
        content.flatMap(({ id, type }) => (type === wanted && id !== undefined ? [id] : [])),
      ),
    );
  return { calls: idsOf("tool-call"), results: idsOf("tool-result") };
}
