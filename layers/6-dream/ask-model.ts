/**
 * Asks a model about the memories that the rules leave over. The model can read the project and write one file in the
 * staging folder. The host's permissions bound it, each tool call is checked first, and the reader validates the file.
 */

import { dirname, join } from "node:path";
import type { Generation } from "../../src/background/generation.js";
import type { Folders } from "../../src/folders.js";
import type { Prompts } from "../../src/prompts.js";
import type { Clock } from "../../src/seams/clock.js";
import { type Files, readText } from "../../src/seams/files.js";
import { createBounds } from "./bounds.js";
import type { Cluster } from "./clusters.js";
import type { AskModel, ModelAnswer } from "./planning.js";

export interface AskModelOptions {
  clock: Pick<Clock, "now" | "pause">;
  files: Files;
  folders: Folders;
  generation: Pick<Generation, "generate">;
  prompts: Prompts;
  /** Parent of the model's own session. */
  sessionID: string;
  maxTokens: number;
  deadlineMs: number;
}

const PURPOSE = "dream";
/** In bytes; a larger file is refused unread. */
const LARGEST_STAGED = 1_000_000;

export function createAskModel(options: AskModelOptions): AskModel {
  const { clock, deadlineMs, files, folders, generation, maxTokens, prompts, sessionID } = options;
  const { project, staged } = folders;
  const privateFolders = [
    join(folders.memory, "private"),
    folders.strata,
    folders.sessionMemory,
    folders.toolResults,
  ];

  return async (clusters, signal) => {
    const link = await findLink();
    if (link !== undefined) return { kind: "failed", why: `${link} is a link, expected a folder` };
    try {
      await files.remove(staged);
      const hasGit = (await files.stat(join(project, ".git"))) !== undefined;
      const sandbox = { project, stagedFile: staged, privateFolders, hasGit };
      const prompt = (await prompts.read("dream"))
        .replace("{{staged}}", () => staged)
        .replace("{{groups}}", () => formatGroups(clusters));
      const generated = await generation.generate({
        purpose: PURPOSE,
        sessionID,
        prompt,
        tools: {
          ...createBounds({ clock, files }, sandbox),
          maxTokens,
          deadlineMs,
          signal,
        },
      });
      if (generated.kind === "refused") return generated;
      // After a failure the staged file may be incomplete.
      return generated.kind === "failed" ? generated : await readAnswer(generated.text);
    } finally {
      await files.remove(staged).catch(() => {});
    }
  };

  /** A linked folder would lead the write out of the project. */
  async function findLink(): Promise<string | undefined> {
    const above = [dirname(folders.strata), folders.strata, dirname(staged)];
    for (const folder of above) if ((await files.statItself(folder))?.kind === "link") return folder;
    return undefined;
  }

  async function readAnswer(said: string): Promise<ModelAnswer> {
    const stat = await files.statItself(staged);
    if (!stat) return readSaid(said);
    if (stat.kind !== "file" || (await findLink()) !== undefined)
      return { kind: "failed", why: `${staged} is not a regular file, or a folder above it is a link` };
    if (stat.bytes > LARGEST_STAGED) return { kind: "failed", why: `${stat.bytes} bytes were staged` };
    return { kind: "staged", text: (await readText(files, staged)) ?? "" };
  }
}

/** Reads the list from the model's reply, for models without a write tool. */
function readSaid(said: string): ModelAnswer {
  const text = /\[[\s\S]*\]/.exec(said)?.[0];
  return text === undefined ? { kind: "failed", why: "the model staged nothing" } : { kind: "staged", text };
}

function formatGroups(clusters: readonly Cluster[]): string {
  return JSON.stringify(
    clusters.map((cluster) =>
      cluster.map(({ content, created, id, title, updated }) => ({
        id,
        title,
        content,
        created: created.slice(0, 10),
        updated: updated.slice(0, 10),
      })),
    ),
    null,
    1,
  );
}
