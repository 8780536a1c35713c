/**
 * One host for several tests of a file with equal settings, since starting a host takes most of a small test's time.
 * Each test has its own stage in it: a project, a model and sessions that no other test sees.
 *
 *     const shared = shareHost({ plugin: repository });
 *     test("…", async () => {
 *       await using stage = await shared.openStage({ files: { "a.txt": "one" } });
 *
 * The tests of a file run one after another, so a test may restart or kill the host. To change the settings, which all
 * tests share, it must open its own stage.
 */
import { afterAll } from "vitest";
import type { Client } from "./client.js";
import type { EventStream } from "./event-stream.js";
import { type ModelPort, openModelPort } from "./model-port.js";
import { prepareFolders } from "./opencode.js";
import { createNextProject, type Project } from "./project.js";
import { type ScriptedModel, startScriptedModel } from "./scripted-model.js";
import { openStage, type Stage, type StageOptions } from "./stage.js";

export interface SharedHost {
  openStage(options?: Pick<StageOptions, "files" | "prepare">): Promise<Stage>;
}

/** Starts the host with the first stage and stops it after the file's last test. */
export function shareHost(options: Omit<StageOptions, "files" | "prepare" | "modelPort"> = {}): SharedHost {
  let starting: Promise<Common> | undefined;
  let count = 0;
  const start = async (): Promise<Common> => {
    const modelPort = await openModelPort();
    return { modelPort, stage: await openStage({ ...options, modelPort }) };
  };
  afterAll(async () => {
    const common = await starting;
    await common?.stage.close();
    await common?.modelPort.close();
    starting = undefined;
  });

  return {
    async openStage({ files = {}, prepare } = {}) {
      starting ??= start();
      const { modelPort, stage: common } = await starting;
      const model = await startScriptedModel(options.promptCache, modelPort);
      const project = await createNextProject(common.project, files, ++count);
      await prepare?.(project);
      await prepareFolders(project);
      return present(common, project, model);
    },
  };
}

interface Common {
  stage: Stage;
  modelPort: ModelPort;
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
