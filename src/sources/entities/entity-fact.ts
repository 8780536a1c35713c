/** A forge's facts about a merge request, issue or epic. Untrusted text: bounded, on one line, without secrets. */
import { count, isRecord, list, object, oneOf, optional, parserOf, string } from "../../base/shape.js";
import { toSafeLine, withoutMark } from "../../text/text.js";

export interface EntityFact {
  /** `github.com/acme/shop#34` */
  id: string;
  kind: EntityKind;
  /** "none": it does not exist, or the token may not see it. */
  state: EntityState;
  title: string;
  author?: string;
  labels: string[];
  /** When the forge answered. */
  askedMs: number;
}

export const kinds = ["issue", "merge request", "pull request", "epic"] as const;
export type EntityKind = (typeof kinds)[number];

export const states = ["open", "draft", "merged", "closed", "not planned", "duplicate", "none"] as const;
export type EntityState = (typeof states)[number];

const LONGEST_TITLE = 200;
const LONGEST_NAME = 60;
const MOST_LABELS = 10;

/**
 * The fact with bounded texts of one line, without secrets. Also for facts from the state file, which another program may
 * have written.
 */
export const boundFact = ({ author, labels, title, ...fact }: EntityFact): EntityFact => ({
  ...fact,
  title: clean(title, LONGEST_TITLE),
  ...(author !== undefined && { author: clean(author, LONGEST_NAME) }),
  labels: labels.slice(0, MOST_LABELS).map((label) => clean(label, LONGEST_NAME)),
});

const clean = (text: string, limit: number): string => withoutMark(toSafeLine(text, limit));

/** Maximum number of facts on disk. */
export const MOST_FACTS = 1_000;

const parseFact = parserOf(
  object<EntityFact>({
    id: string,
    kind: oneOf(kinds),
    state: oneOf(states),
    title: string,
    author: optional(string),
    labels: list(string),
    askedMs: count,
  }),
);

/** The newest facts in the text of a state file, by id, unchanged. Skips invalid records. */
export function parseFacts(text: string): ReadonlyMap<string, EntityFact> | undefined {
  const state: unknown = JSON.parse(text);
  if (!isRecord(state) || !Array.isArray(state.facts)) return undefined;
  const facts = state.facts.slice(-MOST_FACTS).flatMap((given) => parseFact(given) ?? []);
  return new Map(facts.map((fact) => [fact.id, fact]));
}

/** `issue, open, by alice, labels bug, api: "Login fails"`; the caller adds the age. */
export function formatFact({ author, kind, labels, state, title }: EntityFact): string {
  if (state === "none") return `${kind}, not there or not visible`;
  const by = author === undefined ? "" : `, by ${author}`;
  const labelled = labels.length === 0 ? "" : `, labels ${labels.join(", ")}`;
  return `${kind}, ${state}${by}${labelled}: ${JSON.stringify(title)}`;
}
