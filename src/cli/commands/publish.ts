/** `strata publish`: shows git memories that it ignores: one, or all that a type, an age or words select. */
import { randomUUID } from "node:crypto";
import { countMemories } from "../../base/format.js";
import { isConfidential, type Memory } from "../../memory/memory.js";
import type { OpenMemories } from "../../memory/store/store.js";
import { type CliContext, type ExitCode, exitCodes, type Run } from "../../operations/command.js";
import { reportWritten, requireMemory, withMemories } from "../../operations/open-memories.js";
import { openProject } from "../../operations/project.js";
import { listSelected, readSelection, selectMemories } from "../../operations/select.js";

export const run: Run = async (cli, options, args) => {
  const { dryRun, includePrivate } = options;
  const selection = readSelection(options, args);
  const project = await openProject(cli);
  return withMemories(project, async (memories) => {
    if (selection) {
      const hidden = (await memories.list()).filter(
        (memory) =>
          memory.scope === "project" &&
          memory.sensitivity === "private" &&
          (includePrivate === true || !isConfidential(memory)),
      );
      const going = selectMemories(hidden, selection, cli.clock.now());
      return publishAll(cli, memories, { going, isDry: dryRun === true });
    }
    const { id, title } = await requireMemory(memories, args.join(" "));
    if (dryRun) {
      cli.say(`Would publish ${id}  ${title}`);
      return exitCodes.fine;
    }
    const run = randomUUID().slice(0, 8);
    const written = await memories.publish(id, { run });
    const code = reportWritten(cli, written, "Published");
    if (code === exitCodes.fine && written.kind === "written") cli.say(formatSeen("it", run));
    return code;
  });
};

const formatSeen = (what: string, run: string): string =>
  `git sees ${what} from now on; strata undo --run ${run} takes that back until it is committed`;

/** One after the other; reports refused memories, which stay as they are. */
async function publishAll(
  cli: CliContext,
  memories: Pick<OpenMemories, "publish">,
  { going, isDry }: { going: readonly Memory[]; isDry: boolean },
): Promise<ExitCode> {
  const { say, style, warn } = cli;
  if (going.length === 0) {
    say("No memory that git ignores matches.");
    return exitCodes.fine;
  }
  if (isDry) {
    listSelected(cli, going);
    say(`Would publish ${countMemories(going.length)}. Nothing was changed: this was a dry run.`);
    return exitCodes.fine;
  }
  const run = randomUUID().slice(0, 8);
  let published = 0;
  for (const { id } of going) {
    const written = await memories.publish(id, { run });
    if (written.kind === "refused") warn(`${style.yellow("Refused")}  ${id}: ${written.why}`);
    else {
      published++;
      say(`Published: ${written.memory.id}  ${written.path}`);
    }
  }
  if (published > 0) say(formatSeen("them", run));
  return published === going.length ? exitCodes.fine : exitCodes.problems;
}
