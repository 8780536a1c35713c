/**
 * Layer 1: moves large tool results to files and leaves a preview in the context. Costs no model call.
 *
 * All new results of an answer are decided together, to move or to stay. The decision is recorded before the request is
 * sent and is final:
 *
 *     decide → write the file → record the decision → show the preview
 *
 * On a failure or timeout the original stays in the context. The host's stored messages are never changed.
 */

import { basename } from "node:path";
import PQueue from "p-queue";
import { formatError } from "../../src/base/error.js";
import { byAnyone, byName, either, enabled, only, type Values, whole } from "../../src/config/setting.js";
import { createDecisions } from "../../src/context/decisions.js";
import type { ContextRequest } from "../../src/context/request.js";
import { isResultPath } from "../../src/context/result-files.js";
import { type ExpiryWorld, type FileKind, STATE_DAYS } from "../../src/kernel/file-kinds.js";
import type { LayerContext, LayerDefinition, LayerParts } from "../../src/kernel/layer-context.js";
import { countEvents, type Proof, type ProofSeen } from "../../src/kernel/proof.js";
import {
  type Answer,
  createDecideResults,
  findAnswers,
  isUndecided,
  LAYER,
  type Result,
} from "./decide-results.js";
import { createSweep } from "./sweep.js";

export const files: readonly FileKind[] = [
  {
    path: ".opencode/tool-results/<id>.txt",
    expiry: { what: "a tool result that no session refers to", days: STATE_DAYS, openNeeds: openReferred },
  },
  { path: ".opencode/tool-results/.gitignore" },
];

/** Whether the file is not ours, or a recorded decision refers to it. */
function openReferred({ clock, files, folders }: ExpiryWorld): (path: string) => Promise<boolean> {
  let referred: Promise<ReadonlySet<string>> | undefined;
  return async (path) => {
    referred ??= readReferred();
    return !isResultPath(path) || (await referred).has(path);
  };

  async function readReferred(): Promise<ReadonlySet<string>> {
    const log = { error() {}, warn() {}, info() {}, debug() {} };
    const { decisions: folder, toolResults: resultsFolder } = folders;
    const decisions = createDecisions({ clock, files, log, folder, resultsFolder });
    const paths = new Set<string>();
    for (const day of await decisions.days())
      for (const { file } of await decisions.read(day)) if (file !== undefined) paths.add(file);
    return paths;
  }
}

/** Answers decided concurrently: at the first start with this plugin a long session can have hundreds. */
const ANSWERS_AT_A_TIME = 8;

const thresholdBytes = whole(4_096, 10_000_000);

const settings = {
  toolResults: {
    enabled: enabled("Layer 1: large tool results are moved to a file, and a preview stays in the context."),
    threshold: byAnyone(thresholdBytes, 30_000, "Bytes. A larger result is moved to a file."),
    perTool: byAnyone(
      byName(either(thresholdBytes, only(false))),
      {},
      'The threshold by tool name, in bytes, where * stands for any characters, for example {"read": 50000, "github_*": 16000}. false: results of the tool are never moved.',
    ),
    turnBudget: byAnyone(
      whole(20_000, 10_000_000),
      200_000,
      "Characters that the results of one answer's calls may take together in the context. Above this the largest are moved.",
    ),
    maxAgeDays: byAnyone(
      whole(1, 3_650),
      30,
      "Days. A file that no context has used for longer is removed at the next start.",
    ),
    maxTotalMegabytes: byAnyone(
      whole(10, 1_000_000),
      1_000,
      "Megabytes. Above this the least recently used files are removed at the next start, except those of sessions used in the last seven days.",
    ),
  },
};

declare module "../../src/config/schema.js" {
  interface Config extends Values<typeof settings> {}
}

/** A host that ends at once on a busy machine may lose the ledger's line, but not the file and what was sent. */
const proof: Proof = {
  settings: { toolResults: { threshold: 4_096 } },
  acted: (seen) => countEvents(seen, "spilled", "moved to a file") ?? countSent(seen),
};

/** Files with results that a request names. */
function countSent({ paths, requests }: ProofSeen): string | undefined {
  const moved = paths.filter((path) => /\.opencode\/tool-results\/[^/]+\.txt$/.test(path));
  const sent = moved.filter((path) => requests.some((body) => body.includes(path)));
  return sent.length === 0 ? undefined : `${sent.length} × moved to a file`;
}

export const toolResults: LayerDefinition = { name: LAYER, settings, files, proof, create };

function create(context: LayerContext): LayerParts {
  const { background, decisions, folders, log } = context;
  const decideResults = createDecideResults(context);
  const sweep = createSweep(context);
  let hasSwept = false;

  return {
    servesForks: ["context", "toolArguments"],
    withinMs: { context: 2_000 },
    passedOver: { context: keepOpen },
    handlers: {
      async context(request, _messages, signal) {
        const open = findOpen(request);
        if (open.length === 0) return undefined;
        const lanes = new PQueue({ concurrency: ANSWERS_AT_A_TIME });
        await lanes.addAll(open.map((answer) => () => decideResults(request, answer, signal)));
        const hasMoved = ({ key }: Result) => request.find(key)?.judged?.text !== undefined;
        return open.some(({ results }) => results.some(hasMoved)) ? request.show() : undefined;
      },

      /** The host's Grep finds nothing in a file that git ignores when `path` names the file itself. */
      toolArguments({ tool }, args) {
        const { path } = args;
        if (tool !== "grep" || typeof path !== "string" || !isResultPath(path)) return undefined;
        return { ...args, path: folders.toolResults, include: basename(path) };
      },

      event() {
        if (hasSwept) return undefined;
        hasSwept = true;
        void background.add(() =>
          sweep().catch((thrown) => log.warn(LAYER, `sweep: ${formatError(thrown)}`)),
        );
        return undefined;
      },
    },
  };

  /** After a timeout, undecided results stay, since the request is about to send them. */
  function keepOpen(request: ContextRequest): void {
    const left = findOpen(request).flatMap(({ results }) => results.filter(isUndecided(request)));
    if (left.length > 0)
      log.error(LAYER, `no time to check ${left.length} results; they stay in the context`);
    // Results of a day whose records are not loaded may be decided already.
    const sent = left.filter(({ day }) => decisions.isLoaded(day));
    for (const { key } of sent) decisions.remember(request.sessionID, { key, outcome: "kept" });
  }
}

const findOpen = (request: ContextRequest): Answer[] =>
  findAnswers(request.history, request.shownFrom()).filter(({ results }) =>
    results.some(isUndecided(request)),
  );
