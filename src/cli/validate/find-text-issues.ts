/** What the files should not contain: secrets, names of private memories, dead links, open conflicts. Pure. */
import { dirname, join } from "node:path";
import { type Conflict, isSettled, parseConflict } from "../../memory/conflict.js";
import { findKeptOutID, findPrivateID } from "../../memory/draft.js";
import { parseID } from "../../memory/id.js";
import type { Memory } from "../../memory/memory.js";
import { HIDDEN_LEDGER } from "../../memory/path.js";
import { findSecrets } from "../../secrets/secrets.js";
import { type Issue, note, problem, rebuildIndex, warning } from "./issue.js";
import type { ShelfState } from "./shelf-state.js";

const REMOVE_SECRET = "remove it; if it was committed, revoke it as well, because git keeps old versions";

export interface TextIssuesOptions {
  /** Of all folders, including archived ones. */
  memories: readonly Memory[];
  /** Ids of those outside of `private/` that git ignores. */
  keptOut: ReadonlySet<string>;
  nowMs: number;
}

export function findTextIssues(shelf: ShelfState, { keptOut, memories, nowMs }: TextIssuesOptions): Issue[] {
  const ids = new Set(memories.map(({ id }) => id));
  const findInText = createTextCheck();
  return [
    ...shelf.looked.flatMap(({ path, reading, text }) => {
      const file = join(shelf.place.folder, path);
      const whole = text ?? shelf.brokenTexts.get(path) ?? "";
      const inText = findInText(whole, { file, isCommitted: isCommitted(shelf) && !shelf.isKeptOut(path) });
      const named = isCommitted(shelf) && !shelf.isKeptOut(path) ? findKeptOutID(whole, keptOut) : undefined;
      return reading.kind === "memory"
        ? [
            ...inText,
            ...(named === undefined ? [] : [namesKeptOut(file, named)]),
            ...findLinkIssues(reading.memory, file, ids),
            ...findExpired(reading.memory, file, nowMs, shelf),
          ]
        : inText;
    }),
    ...shelf.ledger.flatMap(({ lines, path }) =>
      lines.flatMap(({ line, number, text }) =>
        findInText(line?.contents ?? text, {
          file: path,
          isCommitted: isCommitted(shelf) && !dirname(path).endsWith(HIDDEN_LEDGER),
          where: `line ${number}${line ? ` (${line.key}, ${line.at.slice(0, 10)})` : ""}: `,
        }),
      ),
    ),
    ...[...shelf.conflicts].flatMap(([file, text]) => [
      ...findInText(text, { file, isCommitted: isCommitted(shelf) }),
      ...findConflictIssues(file, parseConflict(text), memories),
    ]),
  ];
}

const isCommitted = ({ place }: ShelfState): boolean => place.sensitivity === "internal";

interface Where {
  file: string;
  isCommitted: boolean;
  where?: string;
}

/** Searches each text once, because the ledger repeats the file. */
function createTextCheck(): (text: string, where: Where) => Issue[] {
  const clean = new Set<string>();
  return (text, where) => {
    const [secret] = clean.has(text) ? [] : findSecrets(text);
    if (!secret) clean.add(text);
    return describeText(text, secret, where);
  };
}

function describeText(
  text: string,
  secret: { name: string } | undefined,
  { file, isCommitted: mayBeSeen, where = "" }: Where,
): Issue[] {
  const found: Issue[] = [];
  if (secret)
    found.push(problem({ file, what: `${where}it holds a secret (${secret.name})`, todo: REMOVE_SECRET }));
  const hint = mayBeSeen ? findPrivateID(text) : undefined;
  if (hint !== undefined)
    found.push(
      problem({
        file,
        what: `${where}it names the private memory ${hint} and may be committed`,
        todo: HIDE_NAME,
      }),
    );
  return found;
}

const namesKeptOut = (file: string, id: string): Issue =>
  warning({
    file,
    what: `it names ${id}, which git ignores, and may be committed`,
    todo: `remove the name, or publish that one with strata publish ${id}`,
  });

const HIDE_NAME = "remove the name, or move the file to private/";

function findLinkIssues({ links, supersededBy }: Memory, file: string, ids: ReadonlySet<string>): Issue[] {
  const linked = links.map((id) => ["links", id] as const);
  const named = supersededBy === undefined ? linked : [...linked, ["supersededBy", supersededBy] as const];
  return named
    .filter(([, id]) => !ids.has(id))
    .map(([field, id]) =>
      warning({
        file,
        what: `its ${field} names ${id}, which ${parseID(id) ? "does not exist" : "is not a memory id"}`,
        todo: "correct or remove it; strata list --archived shows all ids",
      }),
    );
}

function findExpired(memory: Memory, file: string, nowMs: number, { place }: ShelfState): Issue[] {
  const { expires, id, status } = memory;
  const isOver = expires !== undefined && Date.parse(expires) <= nowMs;
  if (!isOver || (status !== "active" && status !== "resolved")) return [];
  return [
    note({
      file,
      what: `it expired on ${expires.slice(0, 10)}`,
      todo: "it is no longer shown; archive it, or set another date",
      fixes: [{ kind: "archive", id, says: "move it to the archive" }, rebuildIndex(place)],
    }),
  ];
}

function findConflictIssues(
  file: string,
  conflict: Conflict | undefined,
  memories: readonly Memory[],
): Issue[] {
  if (!conflict)
    return [
      warning({
        file,
        what: "it is in the folder of conflict records, but is not one",
        todo: "restore it from git, or move it elsewhere",
      }),
    ];
  if (isSettled(conflict, memories)) return [];
  return [
    warning({
      file,
      what: `${conflict.id} has two conflicting versions`,
      todo: `change ${conflict.id} to what is right, or archive it`,
    }),
  ];
}
