import { type Command, JSON_OPTION } from "../operations/command.js";
import type { Action } from "../status/context-items.js";

export const SESSION_OPTION = [
  "--session <id>",
  "of this session (default: the one that sent a request last)",
] as const;
export const DRY_STEERING_OPTION = ["--dry-run", "only shows what it frees and costs"] as const;
const loadAsking = (action: Action) => async () => ({
  run: (await import("./steering/ask.js")).askFor(action),
});

/** The commands that show and change what stands in a context. */
export const steeringCommands: readonly Command[] = [
  {
    name: "context",
    summary: "what stands in a session's context, largest first, and what each change would free and cost",
    options: [SESSION_OPTION, ["--limit <count>", "maximum number of items shown (default 20)"], JSON_OPTION],
    example: "strata context --json | jq '.items[0]'",
    reads: true,
    load: () => import("./steering/ask.js"),
  },
  {
    name: "pin",
    summary: "keeps a result, an input or a turn in the context: no layer moves it",
    arguments: "<ids...>",
    options: [SESSION_OPTION, DRY_STEERING_OPTION],
    example: "strata pin r-3fa2b1c",
    load: loadAsking("pin"),
  },
  {
    name: "unpin",
    summary: "lets the layers move it again",
    arguments: "<ids...>",
    options: [SESSION_OPTION, DRY_STEERING_OPTION],
    example: "strata unpin r-3fa2b1c",
    load: loadAsking("unpin"),
  },
  {
    name: "expand",
    summary: "brings back, whole and once, what was dropped, cleared or moved to a file",
    arguments: "<ids...>",
    options: [SESSION_OPTION, DRY_STEERING_OPTION],
    example: "strata expand r-3fa2b1c",
    load: loadAsking("expand"),
  },
  {
    name: "undo-cut",
    summary: "sends the messages again that notes have replaced, while they fit",
    arguments: "[id]",
    options: [SESSION_OPTION, DRY_STEERING_OPTION],
    example: "strata undo-cut --dry-run",
    load: loadAsking("undo-cut"),
  },
];
