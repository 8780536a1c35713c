/** Operations that change memories. Each is a step in the ledger, with a run that takes it back. */
import * as z from "zod";
import { planRemembered } from "../../layers/5-auto-memory/words/marked.js";
import { StrataError } from "../base/error.js";
import { countMemories } from "../base/format.js";
import { hashOf } from "../base/hash.js";
import { formatContradicted } from "../memory/gate/gate.js";
import { formatAccepted, formatRevoked, formatTeamQuestion, formatWaiting } from "../memory/in-words.js";
import type { Memory, MemoryDraft } from "../memory/memory.js";
import { redactSecrets } from "../text/secrets/secrets.js";
import { WRONG_ARGUMENT } from "./command.js";
import {
  type Answer,
  answerWritten,
  type Core,
  days,
  defineOperation,
  flag,
  memoryName,
  memoryType,
  names,
  option,
  planCause,
  REFUSED,
  share,
  text,
} from "./operation.js";
import { addForClient, answerAdded, findRefusal, requirePermit } from "./permit.js";
import { formatSelected, requireMemory, selectMemories } from "./select.js";

const dryRun = flag.default(false);
const reason = z.string().trim().optional().describe("recorded in the memory's history");

const rememberInput = z.object({
  content: text("must say what to remember: we deploy on Fridays"),
  type: memoryType.optional().describe("its type (default: the one that it would get in OpenCode)"),
  title: z.string().trim().optional().describe("title in the index (default: the first line)"),
  private: flag.default(false).describe("keeps it out of git"),
  global: flag.default(false).describe("makes it global, for every project"),
  pin: flag.default(false).describe("always in the index"),
  tag: option(names, "tags", "tags, separated by commas"),
  entity: option(names, "names", "what it is about, such as !12 or src/a.ts, separated by commas"),
  alias: option(names, "words", "other words to find it by, separated by commas"),
  importance: share.optional().describe("0 to 1 (default 0.5)"),
  confidence: share.optional().describe("how sure you are, 0 to 1; shown with it"),
});

export const remember = defineOperation(rememberInput, async (core, wanted) => {
  const { confidence, content, importance, tag, title, type } = wanted;
  const draft: MemoryDraft = {
    ...(type === undefined ? planRemembered(content) : { type, content }),
    provenance: {
      by: "user",
      ...(core.session !== undefined && { session: core.session, evidence: content.split("\n")[0] ?? "" }),
    },
    ...(title !== undefined && title !== "" && { title }),
    ...(wanted.private && { sensitivity: "private" as const }),
    ...(wanted.global && { scope: "global" as const }),
    ...(wanted.pin && { pinned: true }),
    ...(tag && { tags: tag }),
    ...(wanted.entity && { entities: wanted.entity }),
    ...(wanted.alias && { aliases: wanted.alias }),
    ...(importance !== undefined && { importance }),
    ...(confidence !== undefined && { extra: { confidence } }),
  };
  const cause = planCause(core, "remember");
  if (core.caller === "client") {
    const session = core.session === undefined ? {} : { session: core.session };
    const noted = { ...draft, provenance: { by: "agent" as const, ...session, how: "tool" as const } };
    return answerAdded(core, await addForClient(core, noted, cause), cause.run);
  }
  const written = await (await core.gate()).keep(draft, cause);
  const answer = answerWritten(written, "Remembered", cause.run);
  const isNew = written.kind === "written" && !written.isKnown;
  return {
    ...answer,
    text: [answer.text, ...formatContradicted(written)].join("\n"),
    ...(isNew && { notes: await noteNew(core, written.memory) }),
  };
});

/** Whether a new memory counts as the user's, and what contradicts it. */
export async function noteNew(core: Core, { id }: Memory): Promise<string[]> {
  const now = (await core.memories.list()).find((one) => one.id === id);
  if (!now) return [];
  const foreign = `${id} does not count as yours, since an agent ran this, or one works and this command has no terminal; ${core.nameOf("trust")} --yes in your terminal accepts it`;
  return [...(now.isForeign ? [foreign] : []), ...(await core.noteConflicts([now]))];
}

const editInput = z.object({
  name: memoryName,
  revision: text("must be the revision that you have read"),
  title: text("must not be empty; archive the memory if it no longer holds"),
  content: text("must not be empty; archive the memory if it no longer holds"),
  tags: z.array(z.string()),
});

/** Replaces title, text and tags, based on the revision that was read. */
export const edit = defineOperation(editInput, async (core, { content, name: id, revision, tags, title }) => {
  const { memories } = core;
  const cause = planCause(core, "edit");
  let isStale = false;
  const written = await memories.update(
    id,
    (current) => {
      isStale = findRevision(current) !== revision;
      if (isStale) return undefined;
      const isReworded = current.title !== title || current.content !== content;
      // The same source as after an edit in a text editor: the quote no longer matches the text.
      const provenance = isReworded ? { by: "person" as const } : current.provenance;
      const named = tags.map((tag) => tag.trim()).filter(Boolean);
      return { ...current, title, content, tags: named, provenance };
    },
    cause,
  );
  const why =
    "the memory changed while you edited it; copy your text, and open the memory again to see the new version";
  if (isStale) throw new StrataError("STALE", why);
  const answer = answerWritten(written, "Saved", cause.run);
  if (written.kind !== "written") return answer;
  const now = (await memories.list()).find((one) => one.id === written.memory.id) ?? written.memory;
  // To read and save a foreign memory is to accept it.
  const refusal = now.isForeign ? await tryAccept(core, now.id) : undefined;
  return {
    ...answer,
    notes: [
      ...(refusal === undefined ? [] : [`It is not yours yet: ${refusal}`]),
      ...(await core.noteConflicts([now])),
    ],
  };
});

/** Returns the reason of a refusal. */
async function tryAccept({ memories, nameOf }: Core, id: string): Promise<string | undefined> {
  try {
    await memories.accept([id], nameOf("edit"));
    return undefined;
  } catch (thrown) {
    if (thrown instanceof StrataError) return thrown.message;
    throw thrown;
  }
}

/** Changes with the memory's content. */
export const findRevision = ({ content, pinned, status, tags, title }: Memory): string =>
  hashOf(JSON.stringify([title, content, tags, pinned, status]));

const setPinned = (pinned: boolean) =>
  defineOperation(z.object({ name: memoryName }), async (core, wanted) => {
    const { id } = await requireMemory(core.memories, wanted.name, { archived: false });
    const cause = planCause(core, pinned ? "pin" : "unpin");
    const written = await core.memories.update(id, (current) => ({ ...current, pinned }), cause);
    return answerWritten(written, pinned ? "Pinned" : "Unpinned", cause.run);
  });

export const pin = setPinned(true);
export const unpin = setPinned(false);

const archiveInput = z.object({
  name: z.string().trim().default(""),
  type: memoryType.optional().describe("all of this type"),
  olderThan: days.optional().describe("all unchanged for this many days"),
  match: option(z.string().trim(), "words", "all with these words in id, title, tags or text"),
  /** These, by their ids, instead of a selection. */
  ids: names.optional(),
  reason,
  global: flag.default(false).describe("includes global memories"),
  dryRun: dryRun.describe("shows what would be archived"),
});

export const archive = defineOperation(archiveInput, async (core, wanted) => {
  const { memories } = core;
  const { ids, match, olderThan, type } = wanted;
  const isMany = ids !== undefined || Boolean(type ?? olderThan ?? match);
  const both = "name one memory, or select many by options, not both";
  if (isMany === (wanted.name !== ""))
    throw new StrataError(WRONG_ARGUMENT, isMany ? both : "name a memory, or select by options");
  const cause = {
    ...planCause(core, "archive"),
    // The ledger keeps it for ever.
    ...(wanted.reason !== undefined && { reason: redactSecrets(wanted.reason).text }),
  };
  if (!isMany) {
    const memory = await requireMemory(memories, wanted.name, { archived: false });
    requirePermit(core, "archive", memory);
    if (wanted.dryRun) return describeDry([memory], "archive");
    return answerWritten(await memories.archive(memory.id, cause), "Archived", cause.run);
  }
  const all = (await memories.list()).filter(({ id, scope }) =>
    ids ? ids.includes(id) : wanted.global || scope === "project",
  );
  const selected = selectMemories(all, ids ? {} : wanted, core.clock.now());
  const going = selected.filter(
    (memory) => !memory.pinned && findRefusal(core.caller, "archive", memory) === undefined,
  );
  const left = selected.length - going.length;
  const why = core.caller === "person" ? "pinned" : "pinned, or the user's words";
  const notes = left > 0 ? [`${core.style.yellow("Skipped")}  ${countMemories(left)}: ${why}`] : [];
  if (going.length === 0) return { text: "No memory matches.", notes };
  if (wanted.dryRun) return { ...describeDry(going, "archive"), notes };
  // All or none: if any memory changes meanwhile, nothing is archived.
  const changes = going.map((before) => ({ before, after: { ...before, status: "archived" as const } }));
  const changed = await memories.changeAll(changes, cause);
  if (changed.kind === "refused") throw new StrataError(REFUSED, changed.why);
  const undo = `${core.nameOf("undo")} --run ${cause.run} brings them back.`;
  const lines = [...formatSelected(going), `Archived ${countMemories(going.length)}; ${undo}`];
  return { text: lines.join("\n"), data: { archived: changed.ids }, notes, run: cause.run };
});

function describeDry(going: readonly Memory[], verb: string): Answer {
  const count = `Would ${verb} ${countMemories(going.length)}. Nothing was changed: this was a dry run.`;
  return { text: [...formatSelected(going), count].join("\n"), data: { would: going.map(({ id }) => id) } };
}

const restoreInput = z.object({ name: memoryName, dryRun: dryRun.describe("shows what would be restored") });

export const restore = defineOperation(restoreInput, async (core, wanted) => {
  const { memories } = core;
  const memory = await requireMemory(memories, wanted.name, { archived: true });
  const { id } = memory;
  requirePermit(core, "restore", memory);
  if (wanted.dryRun) return { text: `Would restore ${id}` };
  const cause = planCause(core, "restore");
  const written = await memories.restore(id, cause);
  const answer = answerWritten(written, "Restored", cause.run);
  if (written.kind !== "written") return answer;
  return { ...answer, notes: await core.noteConflicts([written.memory]) };
});

const publishInput = z.object({ name: memoryName, dryRun: dryRun.describe("shows what would be published") });

export const publish = defineOperation(publishInput, async (core, wanted) => {
  const { memories } = core;
  const memory = await requireMemory(memories, wanted.name);
  if (wanted.dryRun) return describeDry([memory], "publish");
  const cause = planCause(core, "publish");
  const written = await memories.publish(memory.id, cause);
  const { run: _, ...answer } = answerWritten(written, "Published", cause.run);
  const notes = ["git sees it from now on; that is not undone, but it can be archived"];
  return written.kind === "written" ? { ...answer, notes } : answer;
});

const address = text("must be the address of a remote").meta({ value: "address" }).optional();
const trustInput = z.object({
  yes: flag.default(false).describe("accepts them as yours"),
  undo: flag.default(false).describe("undoes the last --yes"),
  team: address.describe("what comes from the git remote at this address is your team's"),
  notTeam: address.describe("what comes from there is not"),
  /** One memory, in the revision that was read. */
  name: z.string().trim().optional(),
  revision: z.string().optional(),
});

export const trust = defineOperation(trustInput, async (core, wanted) => {
  const { memories } = core;
  await memories.list({ archived: true });
  if (wanted.undo) return { text: formatRevoked(await memories.revoke()) };
  const given = wanted.team ?? wanted.notTeam;
  const isAnswered = wanted.yes || wanted.name !== undefined || given !== undefined;
  const asked = isAnswered ? undefined : memories.team?.question();
  const key = asked && (await core.project?.cli.press?.(`${formatTeamQuestion(asked)} y/n`));
  const to = given ?? (key === "y" || key === "n" ? asked?.address : undefined);
  if (to !== undefined && memories.team)
    return { text: await memories.team.answer(to, wanted.team !== undefined || key === "y") };
  const only = wanted.name === undefined ? undefined : await requireMemory(memories, wanted.name);
  const isStale = only && wanted.revision !== undefined && findRevision(only) !== wanted.revision;
  if (isStale)
    throw new StrataError("STALE", "the memory has changed since you read it; read it again, then accept it");
  const foreign = memories.foreign();
  const waiting = only ? foreign.filter(({ id }) => id === only.id) : foreign;
  if (!wanted.yes)
    return {
      text: formatWaiting(waiting, `${core.nameOf("trust")} --yes`),
      data: { foreign: waiting, ...(asked && { team: asked }) },
      ...(asked && { notes: [`${formatTeamQuestion(asked)} --team ${asked.address} or --not-team`] }),
      isProblem: waiting.length > 0,
    };
  const accepted = await memories.accept(only && [only.id], core.nameOf("trust"));
  if (only && accepted.length === 0)
    throw new StrataError(REFUSED, `${only.id} was not accepted: it is already yours, or it is gone`);
  return { text: formatAccepted(accepted), data: { accepted: accepted.map(({ id }) => id) } };
});
