/**
 * One memory: a fact that outlives the session, in a file of its own.
 *
 *     id                          file
 *     decision/port-8080          .opencode/memory/decision/port-8080.md
 *     private/preference/tone     .opencode/memory/private/preference/tone.md       git ignores this folder
 *     global/directive/no-force   <user's config folder>/opencode/memory/directive/no-force.md
 *     global/private/…            <user's config folder>/opencode/memory/private/…
 *
 * An archived memory keeps its id; its file lies in `archive/` of the same root (private ones in `private/archive/`).
 */

export const memoryTypes = [
  "directive",
  "preference",
  "feedback",
  "pattern",
  "decision",
  "blocker",
  "knowledge",
  "procedure",
  "plan",
  "idea",
  "event",
] as const;
export type MemoryType = (typeof memoryTypes)[number];

/**
 * These hold only what the user has said or confirmed, in the user's own words: nobody rewords them, neither an agent nor
 * a model, and it takes the user's words to put one away.
 */
export const usersTypes: ReadonlySet<MemoryType> = new Set([
  "directive",
  "preference",
  "feedback",
  "pattern",
]);
/** These never lose importance with time. */
export const lastingTypes: ReadonlySet<MemoryType> = new Set(["decision", "feedback", "directive"]);

export type MemoryStatus =
  | "active"
  /** A blocker that is none any more. */
  | "resolved"
  /** Another one has taken its place: `supersededBy`. */
  | "superseded"
  | "archived";

export interface Memory {
  id: string;
  scope: "project" | "global";
  sensitivity: "internal" | "private";
  type: MemoryType;
  /** One line, in the index. */
  title: string;
  /** Markdown. */
  content: string;
  status: MemoryStatus;
  /** Other words under which one would look for it. */
  aliases: readonly string[];
  tags: readonly string[];
  /** `!12`, `#34`, `&5`, paths as seen from the project. */
  entities: readonly string[];
  /** Ids of others. */
  links: readonly string[];
  /** 0 to 1, before use and decay. */
  importance: number;
  pinned: boolean;
  /** For rules: comes back when a command or path matches one of these words or globs. */
  when: readonly string[];
  /** ISO date-times. */
  created: string;
  updated: string;
  /** The file does not say when it was made: both are the time of the file, which a checkout sets anew. */
  isUndated?: true;
  expires?: string;
  supersededBy?: string;
  provenance: Provenance;
  /** It came with the repository or from an agent's own hand, and the user has not accepted it: it speaks for nobody. */
  isForeign?: true;
  /** Fields of the frontmatter that a person or a later version has added; kept as they are. */
  extra: Readonly<Record<string, unknown>>;
}

/** Where a memory comes from. */
export interface Provenance {
  /** `person`: written or changed with an editor. */
  by: "user" | "agent" | "tool" | "person";
  session?: string;
  message?: string;
  /** What the user said, letter by letter: of a rule its content, of one that was confirmed their answer. */
  evidence?: string;
  /**
   * `signal`: the user's own sentence, taken without a model. `model`: worded by a small model. `confirmed`: the agent's
   * question, to which the user said yes. `counted`: a command that was run again and again; nobody has said so.
   */
  how?: "signal" | "model" | "tool" | "confirmed" | "counted" | "imported" | "dream";
}

/** What one gives to have something remembered; the rest is filled in. */
export type MemoryDraft = Pick<Memory, "type" | "content" | "provenance"> &
  Partial<
    Omit<
      Memory,
      "id" | "type" | "content" | "provenance" | "created" | "updated" | "isUndated" | "isForeign" | "status"
    >
  >;
