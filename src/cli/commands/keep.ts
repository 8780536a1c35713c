/** `strata keep`: candidates become memories. */
import { randomUUID } from "node:crypto";
import { findCandidates, keepCandidate } from "../../memory/candidates/choose-candidates.js";
import { type ExitCode, exitCodes, type Run, readType } from "../../operations/command.js";
import { openPersonsCandidates } from "../../operations/open-candidates.js";
import { openGate, reportWritten, warnIfForeign, withMemories } from "../../operations/open-memories.js";
import { openProject } from "../../operations/project.js";

export const run: Run = async (cli, { type: wanted }, args) => {
  const type = readType(wanted);
  const project = await openProject(cli);
  const candidates = await openPersonsCandidates(project);
  const chosen = findCandidates(await candidates.list(), args, "strata list --candidates");
  return withMemories(project, async (memories) => {
    const gate = await openGate(project, memories);
    const cause = { operation: "keep", run: randomUUID().slice(0, 8) };
    let code: ExitCode = exitCodes.fine;
    for (const one of chosen) {
      const nowMs = cli.clock.now();
      const kept = await keepCandidate(one, { candidates, cause, gate, memories, nowMs, type });
      const { contradicted, written } = kept;
      const ended = reportWritten(cli, written, "Remembered");
      if (written.kind === "written" && !written.isKnown) await warnIfForeign(cli, memories, written.memory);
      if (ended !== exitCodes.fine) cli.warn(`strata: ${one.id} still waits`);
      code = ended === exitCodes.fine ? code : ended;
      for (const line of contradicted) cli.say(line);
    }
    return code;
  });
};
