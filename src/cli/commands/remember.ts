/** `strata remember` */
import { randomUUID } from "node:crypto";
import { planRemembered } from "../../../layers/5-auto-memory/commands/remembered.js";
import { formatContradicted } from "../../memory/gate/gate.js";
import { exitCodes, type Run, readList, readShare, readType } from "../../operations/command.js";
import { openGate, reportWritten, warnIfForeign, withMemories } from "../../operations/open-memories.js";
import { openProject } from "../../operations/project.js";
import { recordRivals } from "../../operations/record-rivals.js";

export const run: Run = async (cli, options, args) => {
  const content = args.join(" ").trim();
  if (content === "") {
    cli.warn("strata: nothing to remember; for example: strata remember 'we deploy on Fridays'");
    return exitCodes.usage;
  }
  const { alias, confidence: sure, entity, global: isGlobal, pin, private: isPrivate, tag, title } = options;
  const type = readType(options.type);
  const importance = readShare("--importance", options.importance);
  const confidence = readShare("--confidence", sure);
  const said = type === undefined ? planRemembered(content) : { type, content };
  const project = await openProject(cli);
  return withMemories(project, async (memories) => {
    const draft = {
      ...said,
      provenance: { by: "user" as const },
      ...(typeof title === "string" && { title }),
      ...(isPrivate === true && { sensitivity: "private" as const }),
      ...(isGlobal === true && { scope: "global" as const }),
      ...(pin === true && { pinned: true }),
      ...(typeof tag === "string" && { tags: readList(tag) }),
      ...(typeof entity === "string" && { entities: readList(entity) }),
      ...(typeof alias === "string" && { aliases: readList(alias) }),
      ...(importance !== undefined && { importance }),
      ...(confidence !== undefined && { extra: { confidence } }),
    };
    const cause = { operation: "remember", run: randomUUID().slice(0, 8) };
    const { contradicted, written } = await (await openGate(project, memories)).keep(draft, cause);
    const code = reportWritten(cli, written, "Remembered");
    for (const line of formatContradicted(contradicted)) cli.say(line);
    if (written.kind === "written" && !written.isKnown) {
      await warnIfForeign(cli, memories, written.memory);
      await recordRivals(project, memories, [written.memory]);
    }
    return code;
  });
};
