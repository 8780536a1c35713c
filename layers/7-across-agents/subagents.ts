/** Briefs a subagent when it begins, and notes the files it touched for its parent when it has ended. */

import { formatError } from "../../src/base/error.js";
import type { Addition } from "../../src/context/extend.js";
import { isExtendedBy } from "../../src/context/known-decisions.js";
import type { ContextRequest } from "../../src/context/request.js";
import type { ToolPart } from "../../src/io/message.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import type { SessionFacts } from "../../src/notes/facts.js";
import type { FileTouch } from "../../src/notes/ledger.js";
import { formatBrief } from "./brief.js";

export interface Subagents {
  /** The brief after a subagent's first message; empty for any other request. */
  brief(request: ContextRequest): Promise<Addition[]>;
  /** Notes the files touched by the subagents whose results are new in this request. */
  noteEnded(request: ContextRequest): Promise<void>;
}

/** `layer` names the layer in the recorded decisions. */
export function createSubagents(context: LayerContext, layer: string): Subagents {
  const { background, config, family, host, log, notes } = context;

  return {
    async brief({ find, history, sessionID }) {
      const key = history.messages.length === 1 ? history.keyOf(0) : undefined;
      if (!key || isExtendedBy(layer, find(key.key))) return [];
      const ancestors = await family.findAncestors(sessionID);
      const root = ancestors.at(-1);
      if (root === undefined) return [];
      const known = await Promise.all(ancestors.map(learn));
      const text = formatBrief({
        ancestors: known.filter((facts) => facts !== undefined),
        notesPath: notes.pathOf(root),
      });
      return text === undefined ? [] : [{ behind: key, text }];
    },

    async noteEnded({ history, sessionID }) {
      const fresh = history.results(Math.max(0, history.lastAnswer)).map(({ part }) => part);
      const ended = fresh.flatMap((part) => {
        const childID = part.tool === "task" ? part.state.metadata?.sessionId : undefined;
        return typeof childID === "string" ? { part, childID } : [];
      });
      if (ended.length === 0) return;
      for (const { childID, part } of ended) await noteTouched(sessionID, part, childID);
      if (config.sessionMemory.enabled && (await family.findParent(sessionID)) === undefined)
        void background
          .add(() => notes.write(sessionID))
          .catch((thrown) => log.error(layer, `cannot write the notes: ${formatError(thrown)}`));
    },
  };

  async function noteTouched(sessionID: string, part: ToolPart, childID: string): Promise<void> {
    await notes.learn(childID, (await host.readMessages(childID)) ?? []);
    const facts = notes.facts(childID);
    if (facts) await notes.noteTouched(sessionID, part, listTouched(facts));
  }

  /** Asks the host if the notes lack the session: notes are not stored for subagents, or when they are disabled. */
  async function learn(sessionID: string): Promise<SessionFacts | undefined> {
    if (host.isFork(sessionID)) return undefined;
    await notes.learn(sessionID, []);
    if (!notes.facts(sessionID)) await notes.learn(sessionID, (await host.readMessages(sessionID)) ?? []);
    return notes.facts(sessionID);
  }
}

/** The session's files and those of its subagents, the changed ones first. Pure. */
export function listTouched({ files, subagents }: Pick<SessionFacts, "files" | "subagents">): FileTouch[] {
  const touched = new Map<string, boolean>();
  const all = [...files, ...subagents.flatMap((run) => run.files)];
  for (const { isEdited, name } of all) touched.set(name, isEdited || touched.get(name) === true);
  const list = [...touched].map(([name, isEdited]) => ({ name, isEdited }));
  return [...list.filter((file) => file.isEdited), ...list.filter((file) => !file.isEdited)];
}
