import type { EntityFact } from "./entity-fact.js";

/** `issue, open, by alice, labels bug, api: "Login fails"`; the caller adds the age. */
export function formatFact({ author, kind, labels, state, title }: EntityFact): string {
  if (state === "none") return `${kind}, not there or not visible`;
  const parts = [
    kind,
    state,
    ...(author === undefined ? [] : [`by ${author}`]),
    ...(labels.length === 0 ? [] : [`labels ${labels.join(", ")}`]),
  ];
  return `${parts.join(", ")}: ${JSON.stringify(title)}`;
}
