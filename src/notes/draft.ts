/** The next ledger under construction: maps by key, so that facts are found and replaced quickly. */
import {
  type Answer,
  CAPS,
  type Change,
  type Command,
  type Fact,
  type Failure,
  type Finding,
  findRequestAt,
  type LeasedItem,
  type Ledger,
  type LookedAt,
  type Reason,
  type Rule,
  type Skill,
  type Sought,
  type SubagentRun,
  type TodoList,
  type TouchedFile,
  type UserRequest,
} from "./ledger.js";
import { isTelling } from "./page-state.js";

/** Types of the ledger's lists, by name. */
interface Lists {
  requests: UserRequest;
  rules: Rule;
  reasons: Reason;
  answers: Answer;
  findings: Finding;
  files: TouchedFile;
  changes: Change;
  looked: LookedAt;
  sought: Sought;
  commands: Command;
  failures: Failure;
  skills: Skill;
  leases: LeasedItem;
  subagents: SubagentRun;
}

export type Draft = { [Name in keyof Lists]: Map<string, Lists[Name]> } & {
  droppedRequests: number;
  droppedUntil: number;
  todos: TodoList | undefined;
  plan: Ledger["plan"];
  ended: number;
  callKeys: Set<string>;
  looks: Map<string, number>;
  countedUntil: number;
  hasChanged: boolean;
};

export function openDraft(ledger: Ledger): Draft {
  return {
    requests: byKey(ledger.requests),
    droppedRequests: ledger.droppedRequests,
    droppedUntil: ledger.droppedUntil,
    rules: byKey(ledger.rules),
    reasons: byKey(ledger.reasons),
    answers: byKey(ledger.answers),
    findings: byKey(ledger.findings),
    todos: ledger.todos,
    files: byKey(ledger.files),
    changes: byKey(ledger.changes),
    looked: byKey(ledger.looked),
    sought: byKey(ledger.sought),
    commands: byKey(ledger.commands),
    failures: byKey(ledger.failures),
    skills: byKey(ledger.skills),
    subagents: byKey(ledger.subagents),
    leases: byKey(ledger.leases),
    plan: ledger.plan,
    ended: ledger.calls.ended,
    callKeys: new Set(ledger.calls.keys),
    looks: new Map(Object.entries(ledger.calls.looks ?? {})),
    countedUntil: ledger.calls.countedUntil,
    hasChanged: false,
  };
}

/** Adds a fact, or replaces the one with its key. */
export function put<Name extends keyof Lists>(draft: Draft, name: Name, fact: Lists[Name]): void {
  (draft[name] as Map<string, Lists[Name]>).set(fact.key, fact);
  draft.hasChanged = true;
}

/**
 * Builds the ledger, with every list in chronological order and within its limit. Returns `before` itself if nothing has
 * changed.
 */
export function closeDraft(draft: Draft, before: Ledger): Ledger {
  if (!draft.hasChanged) return before;
  const after = makeLedger(draft, before);
  const names = Object.keys(after) as (keyof Ledger)[];
  return names.every((name) => isSame(after[name], before[name])) ? before : after;
}

/** Identical, or two lists of identical facts. */
function isSame(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && one.every((fact, index) => fact === other[index]);
}

function makeLedger(draft: Draft, before: Ledger): Ledger {
  const requests = keepRequests(draft);
  return {
    requests,
    droppedRequests: draft.droppedRequests,
    droppedUntil: draft.droppedUntil,
    rules: keepNewest(draft.rules, CAPS.rules),
    reasons: keepNewest(draft.reasons, CAPS.reasons),
    answers: keepLastAnswers(draft.answers, requests),
    findings: keepNewest(draft.findings, CAPS.findings),
    todos: draft.todos,
    files: keepNewest(draft.files, CAPS.files, (file) => file.isEdited),
    changes: keepNewest(draft.changes, CAPS.changes),
    looked: keepNewest(draft.looked, CAPS.looked),
    sought: keepNewest(draft.sought, CAPS.sought),
    commands: keepNewest(draft.commands, CAPS.commands, ({ key }) => !isLooking(key)),
    failures: keepNewest(draft.failures, CAPS.failures, (failure) => !failure.laterSucceeded),
    skills: keepNewest(draft.skills, CAPS.skills),
    subagents: keepNewest(draft.subagents, CAPS.subagents),
    leases: keepNewest(draft.leases, CAPS.leases, (item) => item.isHeld),
    plan: draft.plan,
    calls: keepCalls(draft, before),
  };
}

function byKey<F extends Fact>(facts: readonly F[]): Map<string, F> {
  return new Map(facts.map((fact) => [fact.key, fact]));
}

function inOrder<F extends Fact>(facts: ReadonlyMap<string, F>): F[] {
  return [...facts.values()].sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
}

/** The newest `cap` facts, in chronological order. Facts that do not matter are dropped first. */
function keepNewest<F extends Fact>(
  facts: ReadonlyMap<string, F>,
  cap: number,
  matters: (fact: F) => boolean = () => true,
): F[] {
  const ordered = inOrder(facts);
  if (ordered.length <= cap) return ordered;
  const byWeight = [...ordered.filter((fact) => !matters(fact)), ...ordered.filter((fact) => matters(fact))];
  const kept = new Set(byWeight.slice(-cap));
  return ordered.filter((fact) => kept.has(fact));
}

/** The first request and the newest ones. Counts the dropped ones. */
function keepRequests(draft: Draft): UserRequest[] {
  const ordered = inOrder(draft.requests);
  const dropped = ordered.splice(1, Math.max(0, ordered.length - CAPS.requests));
  draft.droppedRequests += dropped.length;
  draft.droppedUntil = Math.max(draft.droppedUntil, ...dropped.map(({ at }) => at));
  return shortenOldest(ordered);
}

/** Characters kept of a long request if all requests together are too long. */
export const SHORTENED = 4_000;

function shortenOldest(requests: UserRequest[]): UserRequest[] {
  let excess = requests.reduce((sum, { text }) => sum + text.length, 0) - CAPS.requestCharacters;
  if (excess <= 0) return requests;
  return requests.map((request) => {
    if (excess <= 0 || request.text.length <= SHORTENED) return request;
    excess -= request.text.length - SHORTENED;
    return { ...request, text: request.text.slice(0, SHORTENED) };
  });
}

/** The last answer to each request and the last one that says something, also before the first request. */
function keepLastAnswers(answers: ReadonlyMap<string, Answer>, requests: readonly UserRequest[]): Answer[] {
  const byRequest = new Map<number, Answer[]>();
  for (const answer of inOrder(answers)) {
    const index = findRequestAt(requests, answer.at);
    const same = byRequest.get(index);
    if (same) same.push(answer);
    else byRequest.set(index, [answer]);
  }
  return [...byRequest.values()].flatMap((same) => {
    const last = same.slice(-1);
    const telling = same.length === 1 ? undefined : same.findLast(({ text }) => isTelling(text));
    return telling && telling !== last[0] ? [telling, ...last] : last;
  });
}

/** Keys begin with the time of the call, by which the oldest are found. */
function keepCalls(draft: Draft, { calls }: Ledger): Ledger["calls"] {
  if (draft.ended === calls.ended) return calls;
  const keys = [...draft.callKeys];
  const looks = draft.looks.size > 0 ? { looks: Object.fromEntries(draft.looks) } : {};
  if (keys.length <= CAPS.callKeys) return { ...calls, ended: draft.ended, keys, ...looks };
  const timeOf = (key: string): number => Number.parseInt(key, 36);
  keys.sort((a, b) => timeOf(a) - timeOf(b) || (a < b ? -1 : 1));
  const dropped = keys.splice(0, keys.length - CAPS.callKeys);
  const countedUntil = Math.max(calls.countedUntil, ...dropped.slice(-1).map(timeOf));
  return { ended: draft.ended, keys, countedUntil, ...looks };
}

/*
 * Tells commands that only look (at files, at history, at the state of a run) from those that do something. The notes
 * count the former. A command that this does not understand does something.
 */

/** Programs that change nothing, whatever their arguments. */
const LOOKERS = new Set(
  `ls cat head tail grep egrep rg find fd wc pwd echo printf which type sed awk sort uniq cut tr jq yq tree stat file du df
  ps date env printenv whoami uname sleep true test [ diff cmp nl less more column tac rev basename dirname realpath readlink
  md5sum sha1sum sha256sum cd export set wait jobs lsof top free history watch xxd od strings hexdump git-log`.split(
    /\s+/,
  ),
);
/** Of programs that also change things, what only looks. */
const LOOKING_PARTS: Readonly<Record<string, RegExp>> = {
  git: /^(?:(?:-C|-c) \S+ |--no-pager )*(?:status|log|diff|show|blame|ls-files|ls-remote|ls-tree|rev-parse|rev-list|describe|grep|shortlog|reflog|cat-file|merge-base|for-each-ref|name-rev|whatchanged|branch(?: (?:-[avr]+|--show-current|--list|--all|--contains)\b.*)?$|remote(?: -v| show\b.*| get-url\b.*)?$|stash list|worktree list|tag(?: -l\b.*| --list\b.*)?$|config --get)/,
  gh: /^(?:(?:pr|issue|run|release|repo|workflow|label|search|gist) (?:view|list|checks|diff|status|watch|issues|prs|code|repos)\b|auth status|status\b|api\b(?!.* (?:-X|--method|-f|-F|--field|--raw-field|--input)\b))/,
  glab: /^(?:mr|issue|ci|pipeline) (?:view|list|status|get|trace|diff)\b/,
  npm: /^(?:ls|view|outdated|root|prefix|bin|list|why|explain|config (?:get|list))\b/,
  docker: /^(?:ps|images|logs|inspect|compose (?:ps|logs))\b/,
  kubectl: /^(?:get|describe|logs|top)\b/,
  curl: /^(?!(?:.* )?(?:-X|--request|-d|--data|-o|-O|--output|-T|-F))/,
};
/** It changes the file that it names, or writes one. */
const WRITES =
  /(?:^|[^<>0-9&-])>{1,2}(?!\s*(?:\/dev\/null|&))\s*\S|\d>{1,2}(?!\s*(?:\/dev\/null|&))|\bsed\s+(?:-\w+\s+)*-\w*i|\bfind\b.*\s-(?:delete|exec)|\btee\b|\bxargs\b/;
/** Also one that a cut has left open. */
const QUOTED = /'[^']*(?:'|$)|"(?:[^"\\]|\\.)*(?:"|$)/g;
const LOOKED_AT = 1_000;
const BETWEEN = /&&|\|\||[;|\n()]|\$\(|`|\b(?:do|done|then|else|fi|if|while|for \w+ in [^;]*)\b/;
const ASSIGNED = /^(?:[A-Za-z_]\w*=\S*\s+)+/;

export function isLooking(command: string): boolean {
  const bare = command.slice(0, LOOKED_AT).replace(QUOTED, '""');
  if (WRITES.test(bare)) return false;
  const parts = bare.split(BETWEEN).map((part) =>
    part
      .replace(ASSIGNED, "")
      .replace(/[&!{}\s]+/g, " ")
      .trim(),
  );
  const said = parts.filter((part) => part !== "" && part !== '""' && !/^[A-Za-z_]\w*=\S*$/.test(part));
  return said.length > 0 && said.every(looks);
}

function looks(part: string): boolean {
  const [name = "", ...rest] = part.replace(/^(?:sudo|time|timeout \S+|command|exec) /, "").split(" ");
  return LOOKERS.has(name) || LOOKING_PARTS[name]?.test(rest.join(" ")) === true;
}

/** Files that a looking command names, as it spells them. */
export function findLookedAt(command: string): string[] {
  const words =
    command.slice(0, LOOKED_AT).match(/(?:[\w@.~-]*\/)*[\w@.-]*\w\.[A-Za-z]\w{0,5}(?=$|[\s"';|)])/g) ?? [];
  return [...new Set(words)].filter((word) => word.includes("/") && !/^\d+\.\d/.test(word));
}
