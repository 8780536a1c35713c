import { createPlaces } from "../../../layers/7-across-agents/edits/places.js";
import { createLeases, type Leases } from "../../../layers/7-across-agents/leases/leases.js";
import { StrataError } from "../../base/error.js";
import type { Instance } from "../../project/instance.js";
import { PERSON } from "../../project/lease.js";
import { createOtherInstances } from "../../project/other-instances.js";
import { isInAgentsShell } from "../agents-shell.js";
import type { CliContext } from "../command.js";
import { openLocks } from "../open-locks.js";
import { openOwnState } from "../open-own.js";
import type { Project } from "../project.js";

export interface PersonsLeases {
  /** Claims for a person. */
  leases: Leases;
  /** The running instances of OpenCode. Rejects with the system's error. */
  living(): Promise<readonly Instance[]>;
}

/** The project's leases, for a person to read and change. */
export function openLeases(project: Project): PersonsLeases {
  const { cli, folders, instance, processes, root } = project;
  const { files } = openOwnState(project);
  const others = createOtherInstances({
    ...{ clock: cli.clock, files, processes },
    folder: folders.instances,
    id: PERSON,
  });
  const living = async (): Promise<readonly Instance[]> => (await others.look()).alive;
  const leases = createLeases({
    ...{ clock: cli.clock, files },
    locks: openLocks(project, `${instance} leases`, files),
    // A person has no instance to announce or clean up.
    instances: { ownID: PERSON, join: async () => {}, living, onEnd: () => {} },
    places: createPlaces({ files, project: root, directory: cli.folder }),
    path: folders.leases,
  });
  return { leases, living };
}

/** @throws StrataError AGENT: agents have their own tool, which cannot take another's lease. */
export async function refuseAgents(cli: CliContext): Promise<void> {
  if (await isInAgentsShell(cli))
    throw new StrataError(
      "AGENT",
      "this shell is an agent's, which has the tool lease; run the command in your own terminal",
    );
}
