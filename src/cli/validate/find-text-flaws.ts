/** What stands in the files and should not: secrets, hints at private memories, links to nothing, open conflicts. Pure. */
import { join } from "node:path";
import { type Conflict, isSettled, parseConflict } from "../../memory/conflict.js";
import { findPrivateID } from "../../memory/draft.js";
import { parseID } from "../../memory/id.js";
import type { Memory } from "../../memory/memory.js";
import { findSecrets } from "../../secrets/secrets.js";
import { type Flaw, note, problem, rebuildIndex, warning } from "./flaw.js";
import type { ShelfState } from "./shelf-state.js";

const OUT_OF_GIT =
  "take it out, and make a secret that was committed worthless where it is used: git keeps what was in a commit";

export interface TextFlawsOptions {
  /** Of all folders, those in the archive too. */
  memories: readonly Memory[];
  nowMs: number;
}

export function findTextFlaws(shelf: ShelfState, { memories, nowMs }: TextFlawsOptions): Flaw[] {
  const ids = new Set(memories.map(({ id }) => id));
  return [
    ...shelf.looked.flatMap(({ path, reading, text }) => {
      const file = join(shelf.place.folder, path);
      const whole = text ?? shelf.brokenTexts.get(path) ?? "";
      const inText = findInText(whole, { file, isCommitted: isCommitted(shelf) });
      return reading.kind === "memory"
        ? [
            ...inText,
            ...findLinkFlaws(reading.memory, file, ids),
            ...findExpired(reading.memory, file, nowMs, shelf),
          ]
        : inText;
    }),
    ...shelf.ledger.flatMap(({ lines, path }) =>
      lines.flatMap(({ line, number, text }) =>
        findInText(line?.contents ?? text, {
          file: path,
          isCommitted: isCommitted(shelf),
          where: `line ${number}${line ? ` (${line.key}, ${line.at.slice(0, 10)})` : ""}: `,
        }),
      ),
    ),
    ...[...shelf.conflicts].flatMap(([file, text]) => [
      ...findInText(text, { file, isCommitted: isCommitted(shelf) }),
      ...findConflictFlaws(file, parseConflict(text), memories),
    ]),
  ];
}

const isCommitted = ({ place }: ShelfState): boolean => place.sensitivity === "internal";

interface Where {
  file: string;
  isCommitted: boolean;
  where?: string;
}

function findInText(text: string, { file, isCommitted: mayBeSeen, where = "" }: Where): Flaw[] {
  const [secret] = findSecrets(text);
  const found: Flaw[] = [];
  if (secret)
    found.push(problem({ file, what: `${where}it holds a secret (${secret.name})`, todo: OUT_OF_GIT }));
  const hint = mayBeSeen ? findPrivateID(text) : undefined;
  if (hint !== undefined)
    found.push(
      problem({
        file,
        what: `${where}it names the private memory ${hint}, and may be committed`,
        todo: HINT,
      }),
    );
  return found;
}

const HINT = "take the name out, or move the file to private/";

function findLinkFlaws({ links, supersededBy }: Memory, file: string, ids: ReadonlySet<string>): Flaw[] {
  const linked = links.map((id) => ["links", id] as const);
  const named = supersededBy === undefined ? linked : [...linked, ["supersededBy", supersededBy] as const];
  return named
    .filter(([, id]) => !ids.has(id))
    .map(([field, id]) =>
      warning({
        file,
        what: `its ${field} names ${id}, which ${parseID(id) ? "there is not" : "is no memory's id"}`,
        todo: "strata list --archived has the ids; take this one out, or put the right one in",
      }),
    );
}

function findExpired(memory: Memory, file: string, nowMs: number, { place }: ShelfState): Flaw[] {
  const { expires, id, status } = memory;
  const isOver = expires !== undefined && Date.parse(expires) <= nowMs;
  if (!isOver || (status !== "active" && status !== "resolved")) return [];
  return [
    note({
      file,
      what: `it expired on ${expires.slice(0, 10)}`,
      todo: "it is not shown any more; put it in the archive, or give it another date",
      mends: [{ kind: "archive", id, says: "moves it to the archive" }, rebuildIndex(place)],
    }),
  ];
}

function findConflictFlaws(
  file: string,
  conflict: Conflict | undefined,
  memories: readonly Memory[],
): Flaw[] {
  if (!conflict)
    return [
      warning({
        file,
        what: "it lies among the records of conflicts and is none",
        todo: "take it from git, or move it elsewhere",
      }),
    ];
  if (isSettled(conflict, memories)) return [];
  return [
    warning({
      file,
      what: `nobody has decided between two versions of ${conflict.id}`,
      todo: `change ${conflict.id} to what holds, or archive it`,
    }),
  ];
}
