/**
 * A verb of the product, once for all doors: the command line, slash commands, MCP, the inspector and the screen. A door
 * translates what came into the input, calls `perform`, and shows the answer. What an operation may do to whom is decided
 * here and in the operation, never in a door.
 */

import { randomUUID } from "node:crypto";
import * as z from "zod";
import { StrataError } from "../base/error.js";
import type { Quotes } from "../conversations/quotes.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { Log } from "../io/log.js";
import type { Candidates } from "../memory/candidates/candidates.js";
import type { Gate } from "../memory/gate/gate.js";
import { type Memory, type MemoryType, memoryTypes, readTypeName } from "../memory/memory.js";
import type { Cause } from "../memory/store/ledger.js";
import type { OpenMemories, Written } from "../memory/store/store.js";
import type { Folders } from "../project/folders.js";
import type { ContextRequests } from "../status/context-requests.js";
import { type Command, type Style, WRONG_ARGUMENT } from "./command.js";
import type { OpenSearch } from "./open-search.js";
import type { Project } from "./project.js";

/** `reads` changes nothing, `writes` can be undone, `destroys` takes something out of sight. */
export type Effect = "reads" | "writes" | "destroys";

/** What an operation is called and does, without its code. Without an `example` the command line does not have it. */
export interface OperationEntry
  extends Partial<Pick<Command, "aliases" | "arguments" | "example" | "first" | "was" | "wasFor">> {
  /** As the command line calls it. */
  readonly name: string;
  /** For the help: a few words. */
  readonly does: string;
  readonly effect: Effect;
  readonly who: readonly Caller[];
  /** The input field that takes the free words behind the name: a text, or a list. */
  readonly takes?: string;
  /**
   * Only the command line has it, as it reads or writes what the user names by its path. It opens the memories itself if
   * it needs them.
   */
  readonly isForTerminal?: true;
  load(): Promise<Operation>;
}

export interface Operation<Input extends z.ZodObject = z.ZodObject> {
  /** Each field with a description for the help, and a `value` for its placeholder. */
  readonly input: Input;
  run(core: Core, input: z.output<Input>): Promise<Answer>;
}

export interface Answer {
  /** For people, and for a model that asked. */
  text: string;
  /** The same for programs: `--json`, the page, the screen. */
  data?: unknown;
  /** Worth knowing beside the answer: one line each. */
  notes?: readonly string[];
  /** Done, and problems were found. */
  isProblem?: boolean;
  /** The run that takes a change back. */
  run?: string;
}

export const defineOperation = <Input extends z.ZodObject>(
  input: Input,
  run: Operation<Input>["run"],
): Operation => ({ input, run }) as unknown as Operation;

/** One that is only for a terminal. */
export const defineTerminalOperation = <Input extends z.ZodObject>(
  input: Input,
  run: (project: Project, input: z.output<Input>, core: Core) => Promise<Answer>,
): Operation => defineOperation(input, (core, given) => run(requireProject(core), given, core));

/**
 * An answer for a page, where the title says more than id and path: "Saved: Port", then what else is to be known.
 */
export function formatForPage({ data, notes = [], text }: Answer): string {
  const { done, memory } = (data ?? {}) as Partial<WrittenData>;
  const lines = text.split("\n");
  if (done !== undefined && memory) lines[0] = `${done}: ${memory.title}`;
  return [...lines, ...notes].join("\n");
}

/** The operation was not carried out; the message says why. Nothing was changed. */
export const REFUSED = "REFUSED";

/**
 * Runs an operation for the caller of the core.
 *
 * @param nameOf how the door names a field, such as `--older-than`.
 * @throws StrataError WRONG_ARGUMENT, NOT_ALLOWED, REFUSED, and what the operation names
 */
export async function perform(
  core: Core,
  { load, name, who }: OperationEntry,
  given: unknown,
  nameOf: (field: string) => string = (field) => field,
): Promise<Answer> {
  if (!who.includes(core.caller)) throw refuseCaller(name, core.caller);
  const { input, run } = await load();
  return run(core, readInput(input, given, nameOf));
}

export function refuseCaller(name: string, caller: Caller): StrataError {
  if (caller !== "agent")
    return new StrataError("NOT_ALLOWED", `"${name}" is for the user alone; ask the user to run it`);
  const why = `"${name}" is for you alone, and this shell is an agent's; run it in a terminal of your own, or type it in the session`;
  return new StrataError("AGENT", why);
}

/** @throws StrataError WRONG_ARGUMENT */
export function readInput<Input extends z.ZodObject>(
  input: Input,
  given: unknown,
  nameOf: (field: string) => string,
): z.output<Input> {
  const read = input.safeParse(given);
  if (read.success) return read.data;
  const faults = read.error.issues.map((issue) => {
    const [field] = issue.path;
    if (field === undefined) return issue.message;
    const came = (given as Record<PropertyKey, unknown>)[field];
    const what = came === undefined ? "" : `, not ${JSON.stringify(came)}`;
    return `${nameOf(String(field))} ${issue.message}${what}`;
  });
  throw new StrataError(WRONG_ARGUMENT, faults.join("; "));
}

/** Names a change in the ledger, with a run that takes it back. */
export const planCause = ({ session }: Core, operation: string): Cause & { run: string } => ({
  operation,
  run: randomUUID().slice(0, 8),
  ...(session !== undefined && { session }),
});

/** What was written, for programs. */
export interface WrittenData {
  /** "Saved", "Already known". */
  done: string;
  memory: Memory;
  path: string;
}

/** What was written, in words. @throws StrataError REFUSED */
export function answerWritten(written: Written, done: string, run: string): Answer {
  if (written.kind === "refused") throw new StrataError(REFUSED, written.why);
  const { isKnown, kind, memory, path } = written;
  const what = isKnown ? "Already known" : kind === "unchanged" ? "Unchanged" : done;
  return {
    text: `${what}: ${memory.id}  ${path}`,
    data: { done: what, memory, path } satisfies WrittenData,
    ...(kind === "written" && { run }),
  };
}

/* Fields that several operations share. */

const MOST_DAYS = 36_500;

export const wholeNumber = (least: number, most: number): z.ZodNumber => {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.number(error).int(error).min(least, error).max(most, error);
};
export const days = wholeNumber(1, MOST_DAYS).meta({ value: "days" });
/** An option of a command that may be left out. `value` stands for what it is given. */
export const option = <T extends z.ZodType>(given: T, value: string, does: string) =>
  given.optional().meta({ value }).describe(does);
/** A number with a default, which the help names. */
export const amount = (most: number, usual: number, does: string, value = "count") =>
  wholeNumber(1, most).default(usual).meta({ value }).describe(`${does} (default ${usual})`);
const A_SHARE = "must be a number from 0 to 1";
export const share = z.number(A_SHARE).min(0, A_SHARE).max(1, A_SHARE).meta({ value: "number" });
export const flag = z.boolean("must be true or false");
export const text = (error: string) => z.string(error).trim().min(1, error);
/** A memory's type; `fact`, `lesson` and `reflection` are accepted too. */
export const memoryType = z
  .preprocess(
    (given) => (typeof given === "string" ? (readTypeName(given) ?? given) : given),
    z.enum(memoryTypes, `must be one of ${memoryTypes.join(", ")}`),
  )
  .meta({ value: "type" }) as unknown as z.ZodType<MemoryType>;
export const memoryName = text("must name a memory: its id, the end of the id, or words of its title");
export const names = z.array(text("must name something"), "must be a list");

/* What an operation works with: a project's memory, opened for one caller. */

/**
 * Who asks. `person`: typed into a terminal of one's own, a session's prompt or a page. `agent`: the model of a session, or
 * a command in its shell. `client`: another program's agent, over MCP.
 */
export type Caller = "person" | "agent" | "client";

export interface Core {
  caller: Caller;
  /** How the caller types an operation's name: `strata candidates keep`, `/keep`. */
  nameOf(operation: string): string;
  /** The session at hand, named as the source of what is written. */
  session?: string;
  clock: Clock;
  files: Files;
  folders: Folders;
  log: Log;
  root: string;
  /** The project as commands open it; absent in a session of OpenCode. */
  project?: Project;
  style: Style;
  memories: OpenMemories;
  candidates(): Promise<Candidates>;
  gate(): Promise<Gate>;
  search(): Promise<OpenSearch>;
  /** What was said in conversations, of this project and others. */
  quotes(): Promise<Quotes>;
  /** What people have asked for about a session's context. */
  contextRequests(): Promise<ContextRequests>;
  /** Records what contradicts these; returns a line for each contradiction. */
  noteConflicts(changed: readonly Memory[]): Promise<readonly string[]>;
}

/** The project of a door that has one. @throws StrataError REFUSED */
export function requireProject({ project }: Core): Project {
  if (project) return project;
  throw new StrataError("REFUSED", "this is not done in a session; use strata in a terminal, or the page");
}

/** Opens a project for one operation, beside any other process that has it open, and closes it when all is written. */
export async function withCore<T>(
  project: Project,
  caller: Caller,
  run: (core: Core) => Promise<T>,
): Promise<T> {
  const { withMemories } = await import("./open-memories.js");
  return withMemories(project, (memories) => run(createCore(project, caller, memories)));
}

/** For an operation that is only for a terminal: it opens the memories itself if it needs them. */
export const createTerminalCore = (project: Project, caller: Caller): Core => ({
  ...createCore(project, caller, undefined as never),
  get memories(): never {
    throw new Error("an operation for the terminal opens the memories itself");
  },
});

/** The core of a store that is open already. */
export function createCore(project: Project, caller: Caller, memories: OpenMemories): Core {
  const { cli, folders, log, root } = project;
  let search: Promise<OpenSearch> | undefined;
  const openSearch = async () => (await import("./open-search.js")).openSearch(project, memories);
  return {
    ...{ caller, clock: cli.clock, files: cli.files, folders, log, root, memories, project },
    nameOf: (operation) => `strata ${operation}`,
    style: cli.style,
    search: () => (search ??= openSearch()),
    quotes: async () => (await import("./open-search.js")).openProjectQuotes(project),
    candidates: async () => (await import("./own-state.js")).openCandidates(project),
    gate: async () => (await import("./open-search.js")).openGate(project, memories),
    async contextRequests() {
      const { createContextRequests } = await import("../status/context-requests.js");
      const { files, locateRecord } = (await import("./own-state.js")).openOwnState(project);
      const locate = async (): Promise<string> => (await locateRecord()).contextRequests;
      return createContextRequests({ clock: cli.clock, files, locate });
    },
    async noteConflicts(changed) {
      return (await import("./record-rivals.js")).noteConflicts(project, memories, changed);
    },
  };
}
