/** Imports texts from a client: facts as an agent's, rules as candidates, private ones only with `--private`. */
import { formatCount } from "../base/format.js";
import { type MemoryDraft, parseID, usersTypes } from "../memory/memory.js";
import { parseMemoryFile } from "../memory/memory-file.js";
import type { MemoryCopy } from "../memory/store/store.js";
import { OWN_FIELDS } from "../operations/transfer/folders.js";
import type { ClientContext } from "./client-context.js";
import { handOver } from "./hand-over.js";
import { formatRefusal, type McpCall, refuse } from "./tool.js";

export interface TakeIn {
  operation: "import" | "ingest";
  /** Shared by all changes, so that they are undone together. */
  run: string;
  isDry?: boolean | undefined;
}

const MOST_TAKEN = 2_000;
const MOST_NAMED = 10;

/** The result for one draft. */
type Taken = { kind: "kept" | "known" | "waiting" } | { kind: "refused"; why: string };

/** Returns a report for the client. Stops between two drafts if the client cancels. */
export async function takeIn(
  client: ClientContext,
  drafts: readonly MemoryDraft[],
  options: TakeIn,
  call: McpCall,
): Promise<string> {
  if (drafts.length > MOST_TAKEN)
    throw refuse(
      `${drafts.length} memories are too many for one import; split the file into parts of ${MOST_TAKEN}.`,
    );
  const known = new Set((await client.shared.memories.list({ archived: true })).map(({ id }) => id));
  const taken: Taken[] = [];
  for (const draft of drafts) {
    if (call.signal.aborted) break;
    taken.push(await takeOne(client, draft, { ...options, known }, call));
  }
  return format(taken, options);
}

async function takeOne(
  client: ClientContext,
  draft: MemoryDraft,
  { isDry, known, operation, run }: TakeIn & { known: Set<string> },
  call: McpCall,
): Promise<Taken> {
  const { content, title = "", type } = draft;
  const { allowsPrivate, project } = client.shared;
  const isRule = usersTypes.has(type);
  const refused = (why: string): Taken => ({ kind: "refused", why: `${title}: ${why}` });
  if (draft.sensitivity === "private" && !allowsPrivate)
    return { kind: "refused", why: "a private memory; strata mcp --private imports them" };
  if (isDry) return { kind: isRule ? "waiting" : "kept" };
  if (isRule) {
    const rule = { content: content === "" ? title : content, type };
    return handOver(client, rule, call).catch((thrown: unknown) => refused(formatRefusal(thrown)));
  }
  const cause = { operation, run, session: client.session() };
  const written = await client.gate.save(asAgents(draft), project.cli.clock.now(), cause);
  if (written.kind === "refused") return refused(written.why);
  const isKnown = known.has(written.memory.id);
  known.add(written.memory.id);
  return { kind: isKnown ? "known" : "kept" };
}

/** The client is the source, whatever the file says; an import does not confirm a memory. */
function asAgents({ pinned: _, provenance: __, ...draft }: MemoryDraft): MemoryDraft {
  return { ...draft, provenance: { by: "agent", how: "imported" } };
}

function format(taken: readonly Taken[], { isDry, run }: TakeIn): string {
  const count = (kind: Taken["kind"]): number => taken.filter((one) => one.kind === kind).length;
  const refused = taken.flatMap((one) => (one.kind === "refused" ? [`Refused: ${one.why}`] : []));
  const parts = [
    `${isDry ? "Would keep" : "Kept"} ${formatCount(count("kept"))}`,
    `${formatCount(count("known"))} already known`,
    ...(count("waiting") > 0
      ? [`${formatCount(count("waiting"))} ${isDry ? "would " : ""}wait for the user to confirm them`]
      : []),
    ...(refused.length > 0 ? [`${formatCount(refused.length)} refused`] : []),
  ];
  const undo = isDry || count("kept") === 0 ? [] : [`strata undo --run ${run} reverts this.`];
  return [`${parts.join(", ")}.`, ...refused.slice(0, MOST_NAMED), ...undo].join("\n");
}

/** The memory in a line of an export as a draft, or the reason why there is none. */
export function toDraft({ contents, id, isArchived }: MemoryCopy): MemoryDraft | string {
  const place = parseID(id);
  if (!place || isArchived) return `${id} is archived`;
  const reading = parseMemoryFile(new TextEncoder().encode(contents), {
    ...place,
    isArchived,
    modifiedMs: 0,
  });
  if (reading.kind === "problem") return `${id}: ${reading.what}`;
  const { id: _, isPersonal, isUndated, sensitivity, status, ...draft } = reading.memory;
  if (status !== "active") return `${id} is ${status}`;
  const extra = Object.fromEntries(Object.entries(draft.extra).filter(([field]) => !OWN_FIELDS.has(field)));
  const { created, updated, ...undated } = draft;
  return { ...undated, extra, ...(!isPersonal && { sensitivity }), ...(!isUndated && { created, updated }) };
}
