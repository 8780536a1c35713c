/** OpenCode behind the Host seam. Every call to it is bounded and none is waited for while the plugin starts. */
import { homedir } from "node:os";
import { parse } from "node:path";
import type { PluginInput } from "@opencode-ai/plugin";
import { type Clock, waitAtMost } from "../seams/clock.js";
import type { Host } from "../seams/host.js";
import { createChildSessions } from "./child-sessions.js";
import { listConfigFiles } from "./config-files.js";
import { createLiveConfig, type LiveConfig } from "./live-config.js";
import { createOwnSessions, type OwnSessions } from "./own-sessions.js";
import { createProcesses, type Processes } from "./processes.js";

/** The host, with what `bindHooks` needs beside the seam. */
export interface OpenCodeHost extends Host {
  readonly liveConfig: LiveConfig;
  readonly ownSessions: OwnSessions;
}

const CALL_DEADLINE_MS = 5_000;

export function createOpenCodeHost(
  { client, directory, worktree }: PluginInput,
  clock: Clock,
  processes: Processes = createProcesses(clock),
): OpenCodeHost {
  const liveConfig = createLiveConfig();
  const ownSessions = createOwnSessions();
  const children = createChildSessions({ client, clock, ownSessions, processes });
  const project = findProject(directory, worktree);
  const { env } = process;

  return {
    project,
    configFiles: listConfigFiles({ directory, project, home: env.HOME || homedir(), env }),
    liveConfig,
    ownSessions,
    models: liveConfig.models,
    setAutoCompaction: liveConfig.setAutoCompaction,
    generate: children.generate,
    isOwnSession: ownSessions.has,
    listOwnSessions: children.list,
    removeSession: children.remove,

    async sessionLastUsedMs(sessionID) {
      const answer = await bounded(() => client.session.get({ path: { id: sessionID } }));
      if (answer?.data) return answer.data.time.updated;
      return answer?.response?.status === 404 ? undefined : "unknown";
    },

    toast(message, variant) {
      void bounded(() => client.tui.showToast({ body: { message, variant } }));
    },

    log(level, message) {
      void bounded(() => client.app.log({ body: { service: "strata", level, message } }));
    },
  };

  /** The answer, or `undefined` when there is none in time. */
  async function bounded<T>(call: () => Promise<T>): Promise<T | undefined> {
    const waited = await waitAtMost(clock, CALL_DEADLINE_MS, call);
    return waited.kind === "done" ? waited.value : undefined;
  }
}

/** The work tree; where there is no version control OpenCode gives the root of the disk for it. */
function findProject(directory: string, worktree: string): string {
  return worktree && parse(worktree).root !== worktree ? worktree : directory;
}
