/** The agenda for people. Pure. */
import { DAY_MS } from "../../../src/base/days.js";
import { StrataError } from "../../../src/base/error.js";
import { formatAge } from "../../../src/base/format.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import { PERSON } from "../../../src/project/other-instances.js";
import type { Leases } from "../leases/leases.js";
import type { AgendaItem, AgendaKind } from "./plan-agenda.js";
import { createAgenda } from "./read-agenda.js";

export const HEADINGS: Readonly<Record<AgendaKind, string>> = {
  request: "Unanswered requests",
  question: "Questions for you",
  todo: "Todos",
  next: "Announced, not done",
  plan: "Plans",
  blocker: "Blockers",
  conflict: "Conflicting memories",
  held: "Claimed",
};

export interface FormatAgendaOptions {
  nowMs: number;
  /** Older items are only counted; `undefined` shows all. */
  days: number | undefined;
  /** How a person claims an item, as in `/agenda claim`. */
  command: string;
}

/** Items that are not too old. Items without a time, claimed items, blockers and conflicts never are. */
export function findRecent(
  items: readonly AgendaItem[],
  { days, nowMs }: Pick<FormatAgendaOptions, "days" | "nowMs">,
): AgendaItem[] {
  if (days === undefined) return [...items];
  return items.filter(
    ({ atMs, claim, kind }) =>
      claim || atMs === 0 || kind === "blocker" || kind === "conflict" || nowMs - atMs <= days * DAY_MS,
  );
}

export function formatAgenda(items: readonly AgendaItem[], options: FormatAgendaOptions): string {
  const shown = findRecent(items, options);
  const older = items.length - shown.length;
  const left = older > 0 ? [`${older} older than ${options.days} days; --all shows them, too.`] : [];
  if (shown.length === 0) return ["Nothing is open.", ...left].join("\n");
  const kinds = [...new Set(shown.map(({ kind }) => kind))];
  const groups = kinds.flatMap((kind) => [
    `${HEADINGS[kind]}:`,
    ...shown.filter((item) => item.kind === kind).map((item) => formatItem(item, options.nowMs)),
  ]);
  return [
    ...groups,
    ...left,
    `${options.command} claim ID tells the others that it is yours; release ID gives it back.`,
  ].join("\n");
}

function formatItem(item: AgendaItem, nowMs: number): string {
  const { atMs, id, isForeign, isInProgress, text } = item;
  const marks = [
    ...(isInProgress ? ["in progress"] : []),
    ...(isForeign ? ["from the repository, not said by you"] : []),
    ...formatOwner(item),
    ...(atMs > 0 ? [formatAge(atMs, nowMs)] : []),
    ...formatClaim(item),
  ];
  return `  ${id}  ${text}${marks.length === 0 ? "" : `  (${marks.join(", ")})`}`;
}

function formatOwner({ instance, isBusy, kind, session }: AgendaItem): string[] {
  if (session === undefined || kind === "held") return [];
  if (instance === undefined) return [session];
  return [`${session} ${isBusy ? "at work" : "open"} in instance ${instance}`];
}

function formatClaim({ claim }: AgendaItem): string[] {
  if (!claim) return [];
  const { instance, session, untilMs } = claim;
  const who = instance === PERSON ? "you" : `${session} of instance ${instance}`;
  return [`claimed by ${who} until ${new Date(untilMs).toISOString().slice(11, 16)} UTC`];
}

/* `/agenda`; loaded at the first use. */

export interface AgendaAnswerOptions
  extends Pick<LayerContext, "clock" | "files" | "folders" | "instances" | "memories" | "sessions"> {
  leases: Leases;
}

/** Older items are only counted, unless `--all` is given. */
export const USUAL_DAYS = 30;

export async function answerAgenda(
  options: AgendaAnswerOptions,
  { sessionID, words }: { sessionID: string; words: string },
): Promise<string> {
  const { clock, instances, memories } = options;
  const agenda = createAgenda({
    ...options,
    listMemories: () => memories.list(),
    living: instances.living,
  });
  const [action = "", id, ...more] = words.trim().split(/\s+/);
  if (action === "" || action === "--all") {
    const days = action === "" ? USUAL_DAYS : undefined;
    return formatAgenda(await agenda.read(), { nowMs: clock.now(), days, command: "/agenda" });
  }
  if ((action !== "claim" && action !== "release") || id === undefined || more.length > 0)
    throw new StrataError(
      "WRONG_WORDS",
      `expected nothing, --all, or claim or release and an id, "${words.trim()}" came. /agenda lists the ids`,
    );
  const item = await agenda[action](id, sessionID);
  return action === "claim" ? `Claimed for this session: ${item.text}` : `Released: ${item.text}`;
}
