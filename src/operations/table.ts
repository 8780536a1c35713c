/** Every operation, once. A new verb is a row here and its function beside; each door has it then. */
import type { Action } from "../status/context-items.js";
import type { OperationEntry } from "./operation.js";

const everybody = ["person", "agent", "client"] as const;
const local = ["person", "agent"] as const;
const person = ["person"] as const;

const read = () => import("./read.js");
const change = () => import("./change.js");
const context = () => import("./context.js");
const waiting = () => import("./candidates.js");
const deciding = () => import("./decide.js");

const steering = (action: Action, does: string) =>
  ({
    name: `context ${action}`,
    does,
    effect: "writes",
    who: ["person", "agent"],
    takes: "ids",
    load: async () => (await context()).steer(action),
  }) as const satisfies OperationEntry;

export const operations = {
  context: {
    name: "context",
    does: "what stands in a session's context, largest first, and what each change would free and cost",
    effect: "reads",
    who: ["person", "agent"],
    load: async () => (await context()).list,
  },
  "context drop": steering("drop", "takes things out of the context, by the ids that the list shows"),
  "context pin": steering("pin", "keeps a result, an input or a turn in the context: no layer moves it"),
  "context unpin": steering("unpin", "lets the layers move it again"),
  "context expand": steering(
    "expand",
    "brings back, whole and once, what was dropped, cleared or moved to a file",
  ),
  "context undo-cut": steering(
    "undo-cut",
    "sends the messages again that notes have replaced, while they fit",
  ),
  list: {
    name: "list",
    does: "the memories of this project and those that hold everywhere",
    effect: "reads",
    who: everybody,
    load: async () => (await read()).list,
  },
  show: {
    name: "show",
    does: "one memory and its source, by its id, the end of the id, or words of its title",
    effect: "reads",
    who: everybody,
    takes: "name",
    load: async () => (await read()).show,
  },
  recall: {
    name: "recall",
    does: "finds memories and what earlier sessions noted, best first; without words, what memory is about",
    effect: "reads",
    who: everybody,
    takes: "words",
    load: async () => (await read()).recall,
  },
  history: {
    name: "history",
    does: "every change of a memory: when, by whom, why",
    effect: "reads",
    who: everybody,
    takes: "name",
    load: async () => (await read()).history,
  },
  remember: {
    name: "remember",
    does: "stores a memory; without a type it gets the one that it would have in the chat",
    effect: "writes",
    who: everybody,
    takes: "content",
    load: async () => (await change()).remember,
  },
  edit: {
    name: "edit",
    does: "replaces a memory's title, text and tags",
    effect: "writes",
    who: person,
    takes: "name",
    load: async () => (await change()).edit,
  },
  pin: {
    name: "pin",
    does: "keeps a memory in the index always",
    effect: "writes",
    who: person,
    takes: "name",
    load: async () => (await change()).pin,
  },
  unpin: {
    name: "unpin",
    does: "lets a memory leave the index again",
    effect: "writes",
    who: person,
    takes: "name",
    load: async () => (await change()).unpin,
  },
  archive: {
    name: "archive",
    does: "moves a memory, or all that the options select, to the archive in one step",
    effect: "destroys",
    who: everybody,
    takes: "name",
    load: async () => (await change()).archive,
  },
  restore: {
    name: "restore",
    does: "restores a memory from the archive",
    effect: "writes",
    who: everybody,
    takes: "name",
    load: async () => (await change()).restore,
  },
  publish: {
    name: "publish",
    does: "lets git see memories of yours that it ignores: a preference, a correction, a private one",
    effect: "writes",
    who: local,
    takes: "name",
    load: async () => (await change()).publish,
  },
  trust: {
    name: "trust",
    does: "lists memories that came with the repository, accepts them, or takes that back",
    effect: "writes",
    who: local,
    load: async () => (await change()).trust,
  },
  undo: {
    name: "undo",
    does: "undoes the last change to memory, a dream or a single change; again for the one before",
    effect: "writes",
    who: local,
    load: async () => (await change()).undo,
  },
  candidates: {
    name: "candidates",
    does: "lists likely sentences that wait to become memories",
    effect: "reads",
    who: person,
    load: async () => (await waiting()).list,
  },
  keep: {
    name: "keep",
    does: "makes waiting candidates memories, by the ids that the list shows",
    effect: "writes",
    who: person,
    takes: "ids",
    load: async () => (await waiting()).keep,
  },
  drop: {
    name: "drop",
    does: "forgets waiting candidates; they do not come back",
    effect: "destroys",
    who: person,
    takes: "ids",
    load: async () => (await waiting()).drop,
  },
  why: {
    name: "why",
    does: "why what you said was kept or not: who judged it, for what reason, and what to do about it",
    effect: "reads",
    who: person,
    takes: "words",
    load: async () => (await waiting()).why,
  },
  decide: {
    name: "decide",
    does: "decides a conflict between two versions of a memory",
    effect: "writes",
    who: person,
    load: async () => (await deciding()).decide,
  },
  claim: {
    name: "claim",
    does: "claims an item of the agenda for you",
    effect: "writes",
    who: person,
    load: async () => (await deciding()).claim,
  },
  release: {
    name: "release",
    does: "releases an item of the agenda that you have claimed",
    effect: "writes",
    who: person,
    load: async () => (await deciding()).release,
  },
} as const satisfies Readonly<Record<string, OperationEntry>>;
