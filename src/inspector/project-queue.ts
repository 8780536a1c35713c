/**
 * Runs the inspector's work on a project one task at a time: two stores open at once in one process would each consider
 * the other gone. The queues of other projects open the global memories too, so each queue has its own instance name.
 */
import { randomUUID } from "node:crypto";
import { StrataError } from "../base/error.js";
import { type Core, withCore } from "../operations/core.js";
import { isInAgentsShell, openProject, type Project } from "../operations/project.js";

export interface ProjectQueue {
  /** Opens the project with its current settings. Rejects with StrataError NO_PROJECT if it is gone. */
  inTurn<T>(run: (project: Project) => Promise<T>): Promise<T>;
  /** For the person at the page, if no agent has started the server. */
  withCore<T>(run: (core: Core, project: Project) => Promise<T>): Promise<T>;
}

export function createProjectQueue(given: Project): ProjectQueue {
  let last: Promise<unknown> = Promise.resolve();
  const cli = {
    ...given.cli,
    folder: given.root,
    instance: `inspector-${randomUUID().slice(0, 8)}`,
    say() {},
    // A click in the page counts like input in the terminal that started the server, if there is one.
    ...(given.cli.draw && { draw() {} }),
  };

  return {
    inTurn,
    withCore: (run) =>
      inTurn(async (project) => {
        const caller = (await isInAgentsShell(project.cli)) ? "agent" : "person";
        return withCore(project, caller, (core) => run(core, project));
      }),
  };

  function inTurn<T>(run: (project: Project) => Promise<T>): Promise<T> {
    const done = last.then(async () => run(await open()));
    last = done.catch(() => {});
    return done;
  }

  async function open(): Promise<Project> {
    const project = await openProject(cli);
    if (project.root === given.root) return project;
    throw new StrataError(
      "NO_PROJECT",
      `expected the project ${given.root}, but it is gone, or part of ${project.root} now; start strata serve again`,
    );
  }
}
