/**
 * One memory: a fact that outlives the session, in its own file.
 *
 *     id                          file
 *     decision/port-8080          .opencode/memory/decision/port-8080.md
 *     private/preference/tone     .opencode/memory/private/preference/tone.md       git ignores this folder
 *     global/directive/no-force   <user's config folder>/opencode/memory/directive/no-force.md
 *     global/private/…            <user's config folder>/opencode/memory/private/…
 *
 * An archived memory keeps its id; its file moves to `archive/` of the same root (`private/archive/` if private).
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
 * These hold only what the user stated or confirmed, in the user's own words: no agent or model rewords them, and only
 * the user's words archive one.
 */
export const usersTypes: ReadonlySet<MemoryType> = new Set([
  "directive",
  "preference",
  "feedback",
  "pattern",
]);
/** These never lose importance with time; a `procedure` may be a lesson of another memory tool. */
export const lastingTypes: ReadonlySet<MemoryType> = new Set([
  "decision",
  "feedback",
  "directive",
  "procedure",
]);

/** Types whose memories of a project go to `private/` unless the user's settings say otherwise. */
export const privateTypes: readonly MemoryType[] = ["preference", "feedback"];

/** The same by these settings: none if the user commits the whole folder on purpose. */
export function planPrivateTypes(
  config: { autoMemory: { keepOutOfGit: readonly MemoryType[] }; committedFolders: readonly string[] },
  { memory }: { memory: string },
): readonly MemoryType[] {
  return config.committedFolders.includes(memory) ? [] : config.autoMemory.keepOutOfGit;
}

export type MemoryStatus =
  | "active"
  /** A blocker that no longer blocks. */
  | "resolved"
  /** Replaced by another memory: `supersededBy`. */
  | "superseded"
  | "archived";

export interface Memory {
  id: string;
  scope: "project" | "global";
  sensitivity: "internal" | "private";
  type: MemoryType;
  /** One line, shown in the index. */
  title: string;
  /** Markdown. */
  content: string;
  status: MemoryStatus;
  /** Other words people would search for. */
  aliases: readonly string[];
  tags: readonly string[];
  /** `!12`, `#34`, `&5`, and paths relative to the project. */
  entities: readonly string[];
  /** Ids of other memories. */
  links: readonly string[];
  /** 0 to 1, before use and decay. */
  importance: number;
  pinned: boolean;
  /** For rules: shown again when a command or path matches one of these words or globs. */
  when: readonly string[];
  /** ISO date-times. */
  created: string;
  updated: string;
  /** The file does not name its creation time: both are the file's modification time, which a checkout resets. */
  isUndated?: true;
  expires?: string;
  supersededBy?: string;
  provenance: Provenance;
  /** It came with the repository, or an agent wrote the file, and the user has not accepted it: it has no authority. */
  isForeign?: true;
  /** Who wrote it, as git has it, in the user's team: it is foreign, but does not wait for the user. */
  author?: string;
  /**
   * It is in `private/` only because git should not see it: the user's other agents may read it (MCP), and a remote
   * endpoint may embed it. Written as `personal: true`.
   */
  isPersonal?: true;
  /** Frontmatter fields added by a person or a later version; kept as they are. */
  extra: Readonly<Record<string, unknown>>;
}

export const judges = [
  "marked",
  "repeated",
  "model",
  "agent",
  "tool",
  "confirmed",
  "counted",
  "imported",
  "dream",
] as const;

/** The origin of a memory. */
export interface Provenance {
  /** `person`: written or changed with an editor. */
  by: "user" | "agent" | "tool" | "person";
  session?: string;
  message?: string;
  /** The user's words, verbatim: for a rule its content, for a confirmed memory the user's answer. */
  evidence?: string;
  /**
   * Who judged that it is to be kept. `marked`: it says so itself. `repeated`: the user said it in many sessions. `model`,
   * `agent`: a small model, or the running agent by its letter. `tool`: the agent on its own. `confirmed`: the user.
   * `counted`: a command that was run repeatedly, in memories of 0.1.0.
   */
  how?: (typeof judges)[number];
  /** The judge's reason, in a few words. */
  why?: string;
}

/** Did the user call it private? Then it stays in their own sessions. */
export const isConfidential = ({
  isPersonal,
  sensitivity,
}: Pick<Memory, "isPersonal" | "sensitivity">): boolean => sensitivity === "private" && isPersonal !== true;

/** Input for a new memory; the store fills in the rest, and the dates if there are none. */
export type MemoryDraft = Pick<Memory, "type" | "content" | "provenance"> &
  Partial<
    Omit<
      Memory,
      "id" | "type" | "content" | "provenance" | "isUndated" | "isForeign" | "isPersonal" | "status"
    >
  >;

/*
 * Ids of memories: `[global/][private/]<type>/<name>`, the collection's prefix and the file's path without its extension.
 */

/** The parts of a memory's id. */
export type Place = Pick<Memory, "scope" | "sensitivity" | "type"> & {
  /** File name without `.md`. */
  name: string;
};

/** The prefix of these memories' ids. */
export function formatPrefix({ scope, sensitivity }: Pick<Place, "scope" | "sensitivity">): string {
  return `${scope === "global" ? "global/" : ""}${sensitivity === "private" ? "private/" : ""}`;
}

export function formatID(place: Place): string {
  return `${formatPrefix(place)}${place.type}/${place.name}`;
}

/** `undefined` if no memory can have this id: a path that leads elsewhere, an unknown type. */
export function parseID(id: string): Place | undefined {
  const [, global, hidden, type, name = ""] = /^(global\/)?(private\/)?([a-z]+)\/([^/]+)$/s.exec(id) ?? [];
  if (!isType(type) || !isName(name)) return undefined;
  return {
    scope: global ? "global" : "project",
    sensitivity: hidden ? "private" : "internal",
    type,
    name,
  };
}

export function isType(type: string | undefined): type is MemoryType {
  return (memoryTypes as readonly (string | undefined)[]).includes(type);
}

/**
 * Names of other memory tools for our types. A lesson is what was learned by doing, so it becomes a procedure: feedback
 * holds only the user's own sentence.
 */
const ALIASES: Readonly<Record<string, MemoryType>> = {
  fact: "knowledge",
  reflection: "knowledge",
  lesson: "procedure",
};

/** The type that a word names, by its own name or by that of another tool; `undefined` if none. */
export function readTypeName(word: string | undefined): MemoryType | undefined {
  if (isType(word)) return word;
  return word !== undefined && Object.hasOwn(ALIASES, word) ? ALIASES[word] : undefined;
}

/** A file name that stays in its folder on every disk. */
export function isName(name: string): boolean {
  // A UTF-16 unit takes at most three bytes in UTF-8.
  const isShort = name.length <= 80 || new TextEncoder().encode(name).byteLength <= 240;
  return name !== "" && isShort && !name.startsWith(".") && !/[/\\\p{Cc}]/u.test(name);
}

/** Is it neither archived nor replaced? */
export const isCurrent = ({ status }: Pick<Memory, "status">): boolean =>
  status === "active" || status === "resolved";

/** Is the memory active and not expired? */
export function isActive({ expires, status }: Pick<Memory, "expires" | "status">, nowMs: number): boolean {
  return status === "active" && (expires === undefined || !(Date.parse(expires) <= nowMs));
}

/** Is it not the user's until the user accepts it? What their team has written waits for nobody. */
export const isWaiting = ({ author, isForeign }: Pick<Memory, "author" | "isForeign">): boolean =>
  isForeign === true && author === undefined;

/** Where one is from that is not the user's: "by Ada in git", "from the repository". */
export const formatOrigin = ({ author }: Pick<Memory, "author">): string =>
  author === undefined ? "from the repository" : `by ${author} in git`;

/** Did the user say or write it, in a session or with an editor? */
export const isUsers = ({ provenance: { by } }: Pick<Memory, "provenance">): boolean =>
  by === "user" || by === "person";

export const isUsersRule = (memory: Memory): boolean =>
  !memory.isForeign && memory.type === "directive" && isUsers(memory);

/**
 * The tag of findings: quotes from pages, searches and documents that an agent read, kept as private knowledge. They are
 * others' words: never a rule, never in the boot block, and shown with their source and age.
 */
export const FINDING = "finding";

export function isFinding({ provenance, tags }: Pick<Memory, "provenance" | "tags">): boolean {
  return provenance.by === "tool" && tags.includes(FINDING);
}

/* The sessions in which a memory was stated: one that several sessions confirm weighs more. */

/** Maximum number of sessions counted as confirming one memory. */
export const CONFIRMING_SESSIONS = 3;

/** Sessions in which it was stated, oldest first. */
export function readSessions({ extra, provenance }: Pick<Memory, "extra" | "provenance">): string[] {
  const known = Array.isArray(extra.sessions) ? extra.sessions.filter((one) => typeof one === "string") : [];
  return [...new Set([...(provenance.session === undefined ? [] : [provenance.session]), ...known])];
}

/** The memory with this session added; `undefined` if the session is already listed or the maximum is reached. */
export function withSession(memory: Memory, session: string | undefined): Memory | undefined {
  const known = readSessions(memory);
  if (session === undefined || known.includes(session) || known.length >= CONFIRMING_SESSIONS)
    return undefined;
  return { ...memory, extra: { ...memory.extra, sessions: [...known, session] } };
}

/**
 * The memories a person means: the one with this id; else those whose id ends this way; else those with all of the
 * words in their id or title.
 */
export function findMemories(memories: readonly Memory[], words: string): readonly Memory[] {
  const wanted = words.trim().replace(/\.md$/, "");
  if (wanted === "") return [];
  const same = memories.filter(({ id }) => id === wanted);
  if (same.length > 0) return same;
  const ending = memories.filter(({ id }) => id.endsWith(`/${wanted}`));
  if (ending.length > 0) return ending;
  const parts = wanted.toLowerCase().split(/\s+/);
  return memories.filter(({ id, title }) => {
    const text = `${id} ${title}`.toLowerCase();
    return parts.every((part) => text.includes(part));
  });
}
