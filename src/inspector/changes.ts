/** The changes of the API, by the last two parts of the URL. */

import { object, oneOf, string } from "../base/shape.js";
import { openAgenda } from "../operations/handover/agenda.js";
import { refuseAgents } from "../operations/handover/open-leases.js";
import { choices } from "../operations/reconcile.js";
import { PERSON } from "../project/lease.js";
import type { Done } from "./answers.js";
import { memoryChanges } from "./change-memories.js";
import type { ProjectQueue } from "./project-queue.js";
import { decideConflict, dropWaiting, keepWaiting } from "./waiting.js";
import { wanted } from "./wanted.js";

/** @throws StrataError BAD_REQUEST if the body has the wrong shape, REFUSED and others if nothing was changed */
export type RunChange = (queue: ProjectQueue, body: unknown) => Promise<Done>;

const isID = object<{ id: string }>({ id: string });
const candidateID = wanted("a candidate's id", isID);
const itemID = wanted("an agenda item's id", isID);
const decision = wanted(
  `name and keep (${choices.join(", ")})`,
  object<{ name: string; keep: (typeof choices)[number] }>({ name: string, keep: oneOf(choices) }),
);

export const changes: Readonly<Record<string, RunChange>> = {
  ...Object.fromEntries(
    Object.entries(memoryChanges).map(([name, read]): [string, RunChange] => [
      `memories/${name}`,
      async (queue, body) => queue.withStore(read(body)),
    ]),
  ),
  "candidates/keep": async (queue, body) => {
    const { id } = candidateID(body);
    return queue.withStore((memories, project) => keepWaiting(id, memories, project));
  },
  "candidates/drop": async (queue, body) => {
    const { id } = candidateID(body);
    return queue.inTurn((project) => dropWaiting(id, project));
  },
  "conflicts/decide": async (queue, body) => {
    const asked = decision(body);
    return queue.withStore((memories, project) => decideConflict(asked, memories, project));
  },
  "agenda/claim": async (queue, body) => {
    const { id } = itemID(body);
    return queue.inTurn(async (project) => {
      await refuseAgents(project.cli);
      return { what: `Claimed: ${(await openAgenda(project).claim(id, PERSON)).text}` };
    });
  },
  "agenda/release": async (queue, body) => {
    const { id } = itemID(body);
    return queue.inTurn(async (project) => {
      await refuseAgents(project.cli);
      return { what: `Released: ${(await openAgenda(project).release(id, PERSON)).text}` };
    });
  },
};
