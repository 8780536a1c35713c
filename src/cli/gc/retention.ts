/** Reports what is kept for how long, and what the next dream or session archives. Reads only. */

import { findAged } from "../../../layers/5-auto-memory/findings/plan-finding.js";
import { findOldNotes } from "../../../layers/6-dream/archive-notes.js";
import { isBlockerOver } from "../../../layers/6-dream/plan.js";
import { isFinding } from "../../memory/finding.js";
import { createDryFiles } from "../../seams/dry-files.js";
import { readText } from "../../seams/files.js";
import { withMemories } from "../open-memories.js";
import type { Project } from "../project.js";

export interface Retained {
  what: string;
  /** The setting's name. */
  setting: string;
  /** Its value, with the unit. */
  kept: string;
  /** Number of items. */
  count: number;
  /** Number of due items, and what happens to them. */
  due: number;
  next: string;
}

export async function readRetention(project: Project): Promise<Retained[]> {
  const { clock } = project.cli;
  // Discards what opening the store writes: gc changes nothing unasked.
  const files = createDryFiles(project.cli.files, clock);
  const { config } = await project.settings();
  const { notesDays, resolvedBlockersDays } = config.retention;
  const { maxAgeDays } = config.findings;
  const { maxErrorHistory } = config.errors;
  const { aged, blockers, findings } = await withMemories(
    { ...project, cli: { ...project.cli, files } },
    async (memories) => {
      const all = await memories.list();
      const options = { days: maxAgeDays, nowMs: clock.now(), useOf: memories.useOf };
      return {
        aged: findAged(all, options).length,
        findings: all.filter((memory) => isFinding(memory) && !memory.isForeign).length,
        blockers: all.filter(
          ({ scope, status, type }) => scope === "project" && type === "blocker" && status === "resolved",
        ),
      };
    },
  );
  const limits = { nowMs: clock.now(), retention: config.retention };
  const { folders } = project;
  const old = await findOldNotes({ clock, files, folders, retention: config.retention });
  const notes = (await files.list(folders.sessionMemory)).filter((name) => /^[^.]+\.md$/.test(name));
  const lines = await countLines(project);
  return [
    {
      ...{ what: "resolved blockers", setting: "retention.resolvedBlockersDays", count: blockers.length },
      kept: `${resolvedBlockersDays} days`,
      due: blockers.filter((memory) => isBlockerOver(memory, limits)).length,
      next: "the next dream archives them",
    },
    {
      ...{ what: "notes of sessions", setting: "retention.notesDays", count: notes.length },
      kept: `${notesDays} days without use`,
      due: old.length,
      next: "the next dream archives them",
    },
    {
      ...{ what: "findings", setting: "findings.maxAgeDays", count: findings },
      kept: `${maxAgeDays} days without use`,
      due: aged,
      next: "the next session archives them",
    },
    {
      ...{ what: "lines of errors.log", setting: "errors.maxErrorHistory", count: lines },
      kept: `the newest ${maxErrorHistory}`,
      due: Math.max(0, lines - maxErrorHistory),
      next: "they are no longer used",
    },
  ];
}

/** "resolved blockers: 3, kept for 90 days (…); 1 is due, the next dream archives them" */
export function formatRetained({ count, due, kept, setting, next, what }: Retained): string {
  const dues = due === 0 ? "" : `; ${due} due, ${next}`;
  return `${what}: ${count}, kept: ${kept} (${setting})${dues}`;
}

async function countLines({ cli: { files }, folders }: Project): Promise<number> {
  const texts = await Promise.all([
    readText(files, `${folders.errorLog}.1`),
    readText(files, folders.errorLog),
  ]);
  return texts.reduce(
    (sum, text) => sum + (text?.split("\n").filter((line) => line.trim() !== "").length ?? 0),
    0,
  );
}
