/**
 * Running hosts that tests share, since starting one takes most of a small test's time. A worker of the test runner has
 * one host for each profile, a set of options, and keeps it from file to file; what is left of it ends with the worker.
 * Each test has its own stage in it: a project, a model and sessions that no other test sees.
 *
 *     const shared = shareHost({ plugin: repository });
 *     test("…", async () => {
 *       await using stage = await shared.openStage({ files: { "a.txt": "one" }, settings: { … } });
 *
 * The tests of a worker run one after another, so a test may restart or kill the host. A test that changes what the
 * user has, the host's configuration or the global memories, must open its own stage.
 */
import type { Client } from "./client.js";
import type { EventStream } from "./event-stream.js";
import { type ModelPort, openModelPort } from "./model-port.js";
import { prepareFolders } from "./opencode.js";
import { createNextProject, type Project } from "./project.js";
import { type ScriptedModel, startScriptedModel } from "./scripted-model.js";
import { openStage, type Stage, type StageOptions } from "./stage.js";

/** What may differ between the stages of a host. */
export interface SharedStageOptions extends Pick<StageOptions, "files" | "prepare"> {
  /** Settings of Strata that any file may set; they are in the project's `opencode.json`. */
  settings?: Record<string, unknown>;
}

export interface SharedHost {
  openStage(options?: SharedStageOptions): Promise<Stage>;
}

type Profile = Omit<StageOptions, "files" | "prepare" | "modelPort" | "env" | "isCloned">;

interface Common {
  stage: Stage;
  modelPort: ModelPort;
  /** Projects so far. */
  count: number;
}

/** The running hosts of this worker, by profile. */
const hosts = new Map<string, Promise<Common>>();

/** The host of this profile, which starts with its first stage. */
export function shareHost(profile: Profile = {}): SharedHost {
  const key = JSON.stringify({ ...profile, plugin: [profile.plugin ?? []].flat() });
  const start = async (): Promise<Common> => {
    const modelPort = await openModelPort();
    return { modelPort, stage: await openStage({ ...profile, modelPort }), count: 0 };
  };

  return {
    async openStage({ files = {}, prepare, settings } = {}) {
      let starting = hosts.get(key);
      if (!starting) {
        starting = start();
        hosts.set(key, starting);
        starting.catch(() => hosts.delete(key));
      }
      const common = await starting;
      const model = await startScriptedModel(profile.promptCache, common.modelPort);
      const config = settings && { "opencode.json": `${JSON.stringify({ memory: settings }, null, 2)}\n` };
      const project = await createNextProject(common.stage.project, { ...files, ...config }, ++common.count);
      await prepare?.(project);
      await prepareFolders(project);
      return present(common.stage, project, model);
    },
  };
}

/** The host as seen from this project only. */
function present(common: Stage, project: Project, model: ScriptedModel): Stage {
  const client = (): Client => common.host.at(project.path);
  const begun = { host: common.host, at: common.host.log().length };
  const streams: EventStream[] = [];
  const events = async () => {
    const stream = await client().events();
    streams.push(stream);
    return stream;
  };
  const close = async (): Promise<void> => {
    for (const stream of streams) stream.close();
    await client().leave();
    await model.close();
    await project.remove();
  };

  return {
    project,
    model,
    get host() {
      const { host } = common;
      const log = () => host.log().slice(host === begun.host ? begun.at : 0);
      return { ...host, ...client(), log, events };
    },
    newSession: (title) => client().newSession(title),
    session: (id) => client().session(id),
    events,
    read: project.read,
    restart({ kill = false, config, meanwhile } = {}) {
      if (config)
        throw new Error("A shared host cannot change its settings; use a separate openStage for that");
      return common.restart({ kill, meanwhile: async () => meanwhile?.(project) });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
