/**
 * The scripted task: what a user asks about this repository, and what an agent does about it. It is one story for
 * both runs, with one rule:
 *
 *     A result that the agent did not get whole, because OpenCode cut it or Strata moved it out, it looks up in the
 *     file that the result names: Grep in it, or Read of 120 lines. A result that it got whole it does not look up.
 *
 * So the run with the plugin has a few requests more, and they count against it.
 */
import { basename, dirname } from "node:path";
import { type CallsStep, call } from "../host/stage/steps.js";
import type { Outcome } from "./outcome.js";

/** What the agent does next, having seen the results so far, by call id. No calls: nothing to do here, go on. */
export type Beat = (seen: ReadonlyMap<string, Outcome>) => CallsStep[];

/** One user message, the agent's work on it, and its answer. */
export interface Turn {
  user: string;
  beats: Beat[];
  answer: string;
}

/** Lines that a look at a place in a large file takes. */
const LOOK_LINES = 120;

/** The story, for a project with these absolute paths. */
export function createStory(pathOf: (relativePath: string) => string): Turn[] {
  return [
    {
      user: "How is it decided which tool results leave the context, and where is that recorded?",
      beats: [
        () => [
          call("glob", { pattern: "src/**/*.ts" }, { id: "sources" }),
          call("grep", { pattern: "decision", include: "*.ts" }, { id: "mentions" }),
        ],
        () => [bash("layer", "cat layers/tool-results/*.ts", "Print the layer")],
        (seen) => search(seen, "layer", "async function gatherFacts"),
        (seen) => readThere(seen, "layer"),
      ],
      answer:
        "The plan picks them by size; what is decided is written under .opencode/strata before it is used.",
    },
    {
      user: "How did that part of the code come about? Look at the history.",
      beats: [
        () => [
          bash("commits", "git log --stat", "List the commits"),
          bash("history", "git log -p", "Show the history"),
        ],
        (seen) => search(seen, "history", "function createDecisions"),
        (seen) => readThere(seen, "history"),
      ],
      answer: "The diff that adds createDecisions shows it: recorded first, used afterwards.",
    },
    {
      user: "Which packages come along when somebody installs this?",
      beats: [
        () => [
          call("read", { filePath: pathOf("package-lock.json") }, { id: "lock" }),
          bash("tree", "npm ls --all --json --package-lock-only", "Print the tree of packages"),
        ],
        (seen) => [
          ...search(seen, "lock", '"node_modules/write-file-atomic"'),
          ...search(seen, "tree", '"write-file-atomic"'),
        ],
        (seen) => readThere(seen, "lock"),
      ],
      answer: "Those under dependencies in package.json, and few beneath them; the rest is for development.",
    },
    {
      user: "Does the issue tracker know about this, and what does the last build log say?",
      beats: [
        () => [
          call("mcp_json", { records: 600 }, { id: "issues" }),
          call("mcp_blob", { bytes: 120_000 }, { id: "build" }),
        ],
        (seen) => [...takePiece(seen, "issues"), ...search(seen, "build", "^1234:")],
      ],
      answer: "Neither of them mentions it.",
    },
  ];
}

function bash(id: string, command: string, description: string): CallsStep {
  return call("bash", { command, description }, { id });
}

/** Grep in the file that holds the whole of a result. */
function search(seen: ReadonlyMap<string, Outcome>, callID: string, pattern: string): CallsStep[] {
  const file = seen.get(callID)?.lookIn;
  if (file === undefined) return [];
  return [
    call("grep", { pattern, path: dirname(file), include: basename(file) }, { id: `${callID}-search` }),
  ];
}

/** Read where the search for it has found something. */
function readThere(seen: ReadonlyMap<string, Outcome>, callID: string): CallsStep[] {
  const filePath = seen.get(callID)?.lookIn;
  if (filePath === undefined) return [];
  const found = /^ *Line (\d+):/m.exec(seen.get(`${callID}-search`)?.text ?? "")?.[1];
  const offset = Math.max(1, Number(found ?? 1) - 10);
  return [call("read", { filePath, offset, limit: LOOK_LINES }, { id: `${callID}-read` })];
}

/** A piece of a result whose one line is too long for Read, as the preview advises. */
function takePiece(seen: ReadonlyMap<string, Outcome>, callID: string): CallsStep[] {
  const file = seen.get(callID)?.lookIn;
  return file === undefined
    ? []
    : [bash(`${callID}-piece`, `tail -c +2049 ${file} | head -c 4000`, "Take a piece")];
}
