/** `strata handoff`: a session or checkpoint as one Markdown file. Changes nothing but the file it writes. */
import { formatHandoffFile } from "../../notes/checkpoints/capsule.js";
import { exitCodes, type Run } from "../../operations/command.js";
import { openProject } from "../../operations/project.js";
import { writeNew } from "../../operations/write-new.js";
import { openProjectsCheckpoints } from "./open-checkpoints.js";

export const run: Run = async (cli, { file, force }, [name]) => {
  const checkpoints = openProjectsCheckpoints(await openProject(cli));
  const { now, source } = await checkpoints.find(name ?? (await checkpoints.findNewestSession()));
  const text = formatHandoffFile(source, now);
  if (typeof file === "string") cli.say(`Written: ${await writeNew(cli, file, text, force === true)}`);
  else cli.say(text.trimEnd());
  return exitCodes.fine;
};
