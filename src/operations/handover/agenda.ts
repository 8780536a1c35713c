/** `strata agenda`: open work in all sessions and instances. */
import { USUAL_DAYS } from "../../../layers/7-across-agents/agenda/answer-agenda.js";
import { findRecent, formatAgenda } from "../../../layers/7-across-agents/agenda/format-agenda.js";
import { isAgendaID } from "../../../layers/7-across-agents/agenda/plan-agenda.js";
import { type Agenda, createAgenda } from "../../../layers/7-across-agents/agenda/read-agenda.js";
import { HOUR_MS } from "../../base/days.js";
import { StrataError } from "../../base/error.js";
import { PERSON } from "../../project/lease.js";
import { readWhole, WRONG_ARGUMENT } from "../arguments.js";
import { exitCodes, type Run } from "../command.js";
import { withMemories } from "../open-memories.js";
import { openOwnState } from "../open-own.js";
import { openProject } from "../open-project.js";
import type { Project } from "../project.js";
import { openLeases, refuseAgents } from "./open-leases.js";

const MOST_HOURS = 8;

export const run: Run = async (cli, { all, hours, json }, [action, id, ...more]) => {
  const { clock, say } = cli;
  const forMs = readWhole("--hours", hours, { least: 1, most: MOST_HOURS, usual: MOST_HOURS }) * HOUR_MS;
  const isChange = (action === "claim" || action === "release") && id !== undefined && isAgendaID(id);
  if (action !== undefined && (!isChange || more.length > 0))
    throw new StrataError(
      WRONG_ARGUMENT,
      `expected nothing, or claim or release and the id of an item, "${[action, id, ...more].filter(Boolean).join(" ")}" came`,
    );
  const agenda = openAgenda(await openProject(cli));
  if (isChange) {
    await refuseAgents(cli);
    const item =
      action === "claim" ? await agenda.claim(id, PERSON, forMs) : await agenda.release(id, PERSON);
    say(`${action === "claim" ? "Claimed" : "Released"}: ${item.text}`);
    return exitCodes.fine;
  }
  const shown = { nowMs: clock.now(), days: all ? undefined : USUAL_DAYS };
  const items = await agenda.read();
  if (json) say(JSON.stringify(findRecent(items, shown), null, 2));
  else say(formatAgenda(items, { ...shown, command: "strata agenda" }));
  return exitCodes.fine;
};

/** Opens the agenda for a person, who can read and claim its items. */
export function openAgenda(project: Project): Agenda {
  const { cli, folders } = project;
  const { files, sessions } = openOwnState(project);
  return createAgenda({
    ...{ clock: cli.clock, files, folders, sessions },
    ...openLeases(project),
    listMemories: () => withMemories(project, (store) => store.list()),
  });
}
