/** Operations that find memories, the one that is named or those that fit words, and their changes. */
import * as z from "zod";
import { formatError, StrataError } from "../base/error.js";
import { countMemories } from "../base/format.js";
import { groupBy } from "../base/shape.js";
import type { Quote } from "../conversations/conversations.js";
import { findProject, formatOpen, formatQuote, readSince } from "../conversations/quotes.js";
import { formatFound, listShownWhole, putNewestFirst, readMemory } from "../memory/found.js";
import { formatJudge } from "../memory/in-words.js";
import { formatOrigin, type Memory, parseID } from "../memory/memory.js";
import type { Found } from "../memory/search/search.js";
import type { LedgerLine } from "../memory/store/ledger.js";
import { readTaken } from "../sources/bootstrap/taken.js";
import { findEntities } from "../text/entities.js";
import { WRONG_ARGUMENT } from "./command.js";
import {
  amount,
  type Core,
  defineOperation,
  flag,
  memoryName,
  memoryType,
  option,
  text,
} from "./operation.js";
import { requireMemory } from "./select.js";

export const show = defineOperation(z.object({ name: memoryName }), async ({ memories, style }, wanted) => {
  const memory = await requireMemory(memories, wanted.name);
  memories.noteUse([memory.id]);
  const { created, entities, id, provenance, status, supersededBy, tags, title, updated, when } = memory;
  const { confidence } = memory.extra;
  const sure = typeof confidence === "number" ? `, confidence ${confidence}` : "";
  const sources = [provenance.by, provenance.session, memory.isForeign && formatOrigin(memory)];
  const rows: [label: string, text: string | undefined][] = [
    ["id", `${id}, ${status}`],
    ["source", sources.filter(Boolean).join(", ")],
    ["taken from", readTaken(memory)?.file],
    ["evidence", provenance.evidence],
    ["judged by", formatJudge(memory)],
    ["dates", `created ${created.slice(0, 10)}, changed ${updated.slice(0, 10)}`],
    ["tags", tags.join(", ")],
    ["about", entities.join(", ")],
    ["importance", `${memory.importance}${sure}`],
    ["shown when", when.join(", ")],
    ["superseded by", supersededBy],
    ...findRelated(memory, await memories.list()),
  ];
  const facts = rows
    .filter(([, fact]) => fact !== undefined && fact !== "")
    .map(([label, fact]) => `${style.dim(label.padEnd(16))}${fact}`);
  return { text: [style.bold(title), "", memory.content, "", ...facts].join("\n"), data: memory };
});

/** A subject shared by more memories does not relate any two of them. */
const MOST_OF_ONE_SUBJECT = 20;
const MOST_BY_SUBJECT = 5;

/** Memories linked by a person or a merge, then those about the same file or issue; each once. */
function findRelated(memory: Memory, all: readonly Memory[]): [how: string, what: string][] {
  const others = all.filter(({ id }) => id !== memory.id);
  const to = others.filter(({ id }) => memory.links.includes(id));
  const from = others.filter((other) => !to.includes(other) && other.links.includes(memory.id));
  const bySubject = [...readSubjects(memory)].flatMap((subject) => {
    const about = others.filter((other) => readSubjects(other).has(subject));
    return about.length > MOST_OF_ONE_SUBJECT ? [] : about;
  });
  const known = new Set([...to, ...from]);
  const shared = [...new Set(bySubject)].filter((other) => other.status === "active" && !known.has(other));
  const related = { links: to, "linked from": from, "same subject": shared.slice(0, MOST_BY_SUBJECT) };
  return Object.entries(related).flatMap(([how, others]) =>
    others.map(({ id, title }): [string, string] => [how, `${id}  ${title}`]),
  );
}

const readSubjects = ({ content, entities, title }: Memory): ReadonlySet<string> =>
  new Set([...entities, ...findEntities(`${title}\n${content}`)]);

const SINCE = "must be a date such as 2026-11-02, or an age such as 2 weeks";
export const since = text(SINCE).refine((given) => readSince(given, 0) !== undefined, SINCE);
export const by = z.enum(["user", "agent"], "must be user or agent");

const recallInput = z.object({
  words: z.string().trim().default(""),
  type: memoryType.optional().describe("only memories of this type; without words, newest first"),
  limit: amount(1_000, 10, "maximum number of results"),
  archived: flag.default(false).describe("includes archived memories"),
  conversations: flag.default(false).describe("only what was said in conversations"),
  since: option(since, "date", "only conversations since this date or age: 2026-11-02, 2 weeks"),
  project: text("must be a project's name or folder, or all")
    .optional()
    .meta({ value: "name" })
    .describe("only conversations of this project: a name, a folder, or all (default: this one)"),
  by: option(by, "user|agent", "only what you, or what the agent, said in conversations"),
});

/** `open`: the command that opens the session. */
export type SaidQuote = Quote & { open: string };

/** Memories first, then what was said, unless only that is asked for. */
export const recall = defineOperation(recallInput, async (core, wanted) => {
  const { by, limit, project, since, type, words } = wanted;
  const isOnlySaid = wanted.conversations || (by ?? project ?? since) !== undefined;
  if (words === "" && isOnlySaid)
    throw new StrataError(WRONG_ARGUMENT, "expected words to find in conversations, got none");
  if (words === "" && type === undefined && !wanted.archived) {
    const overview = planOverview(await core.memories.list());
    return { text: formatOverview(overview, core.nameOf), data: overview };
  }
  const known = isOnlySaid ? { lines: [], data: { found: [] } } : await findKnown(core, wanted);
  const isSaid = isOnlySaid || (words !== "" && type === undefined);
  const notes: string[] = [];
  const complain = (thrown: unknown): SaidQuote[] => {
    // The memories are an answer, too.
    if (isOnlySaid) throw thrown;
    notes.push(`Conversations cannot be searched now: ${formatError(thrown)}`);
    return [];
  };
  const most = isOnlySaid ? limit : Math.ceil(limit / 2);
  const said = isSaid ? await findSaid(core, { ...wanted, limit: most }).catch(complain) : [];
  const heading = known.lines.length > 0 && said.length > 0 ? ["", "Said in conversations:"] : [];
  const lines = [...known.lines, ...heading, ...said.map((one) => formatQuote(one, core.root))];
  const none = words === "" ? "No results." : `Nothing found for "${words}".`;
  return {
    text: lines.length > 0 ? lines.join("\n") : none,
    data: { ...known.data, ...(isSaid && { conversations: said }) },
    notes,
  };
});

/** An agent sees this project only, unless the user has allowed more; another program's agent asks by its own tools. */
async function findSaid(
  core: Core,
  { by, limit, project, since, words }: Omit<z.output<typeof recallInput>, "archived" | "type">,
): Promise<SaidQuote[]> {
  const { caller, root, session } = core;
  if (caller === "client") return [];
  const quotes = await core.quotes();
  const isAll = project === "all";
  const isBound = caller === "agent" && !quotes.isForAgents;
  const bound =
    "an agent finds conversations of its own project only; search.acrossProjects in the user's own configuration allows more";
  if (isBound && isAll) throw new StrataError("AGENT", bound);
  // What other projects there are is nothing for an agent either.
  const projects = async () => [...new Set([root, ...(isBound ? [] : await quotes.listProjects())])];
  const from = core.project?.cli.folder ?? root;
  const place = project === undefined || isAll ? root : findProject(project, await projects(), from);
  const asked = { by, exceptSession: session, limit, project: isAll ? undefined : place, since };
  const found = await quotes.find(words, asked);
  return found.map((one) => ({ ...one, open: formatOpen(one.session, root) }));
}

async function findKnown(core: Core, wanted: z.output<typeof recallInput>) {
  const { clock, memories, session } = core;
  const { limit, type, words } = wanted;
  const search = await core.search();
  if (words !== "") await search.waitForMeaning();
  const hits = await search.find({
    limit,
    ...(words !== "" && { text: words }),
    ...(type !== undefined && { type }),
    ...(wanted.archived && { archived: true }),
    ...(session !== undefined && { exceptSession: session }),
  });
  const { found, newer } = putNewestFirst(hits, readMemory);
  const lineOf = (one: Found): string => formatFound(one, clock.now(), newer.get(readMemory(one)?.id ?? ""));
  memories.noteUse(listShownWhole(found, lineOf));
  await search.onIdle();
  return {
    lines: found.map(lineOf),
    data: { found, ...(newer.size > 0 && { newer: Object.fromEntries(newer) }) },
  };
}

export const history = defineOperation(z.object({ name: memoryName }), async ({ memories }, wanted) => {
  // A full id also finds a memory that no longer exists.
  const id = parseID(wanted.name) ? wanted.name : (await requireMemory(memories, wanted.name)).id;
  const lines = await memories.history(id);
  return {
    text: lines.length === 0 ? `No changes of ${id} are recorded.` : lines.map(formatChange).join("\n"),
    data: lines,
    isProblem: lines.length === 0,
  };
});

function formatChange(line: LedgerLine): string {
  const { after, at, before, by, from, operation, path, reason, run, session } = line;
  const done = before === null ? "created" : after === null ? "removed" : "changed";
  const step = done === "changed" && from !== undefined ? `moved ${from} to ${path}` : `${done} ${path}`;
  const why = [session, run && `run ${run}`, reason].filter(Boolean).join(", ");
  const time = `${at.slice(0, 19).replace("T", " ")} UTC`;
  return `${time}  ${by.padEnd(7)} ${operation.padEnd(10)} ${step}${why === "" ? "" : `  (${why})`}`;
}

/* What memory is about: for a search without words. */

const MOST = { subjects: 20, newest: 5 };

/** Types and subjects, the most frequent first; subjects are tags, files and issues. */
function planOverview(memories: readonly Memory[]) {
  const active = memories.filter(({ status }) => status === "active");
  const newest = [...active].sort((a, b) => (Date.parse(b.updated) || 0) - (Date.parse(a.updated) || 0));
  return {
    memories: active.length,
    types: countAll(active.map(({ type }) => type)).map(([type, count]) => ({ type, count })),
    subjects: countAll(active.flatMap(({ entities, tags }) => [...new Set([...tags, ...entities])]))
      .slice(0, MOST.subjects)
      .map(([subject, count]) => ({ subject, count })),
    newest: newest.slice(0, MOST.newest).map(({ id, title }) => ({ id, title })),
  };
}

function formatOverview(
  { memories, newest, subjects, types }: ReturnType<typeof planOverview>,
  nameOf: (operation: string) => string,
): string {
  if (memories === 0) return "No memories.";
  const counted = types.map(({ count, type }) => `${count} ${type}`).join(", ");
  const about = subjects.map(({ count, subject }) => `${subject} (${count})`);
  return [
    `${countMemories(memories)}: ${counted}`,
    ...(subjects.length > 0 ? [`About: ${about.join(", ")}`] : []),
    "Newest:",
    ...newest.map(({ id, title }) => `  ${id}  ${title}`),
    `${nameOf("recall")} 'which port' searches; ${nameOf("list")} shows all.`,
  ].join("\n");
}

/** Most frequent first, then by name. */
const countAll = <T extends string>(names: readonly T[]) =>
  [...groupBy(names, (name) => name)]
    .map(([name, all]) => [name, all.length] as const)
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
