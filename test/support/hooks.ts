import type { Hooks } from "@opencode-ai/plugin";
import { bindHooks } from "../../src/host/1/hooks.js";
import { createLiveConfig } from "../../src/host/1/live-config.js";
import { createPluginSessions } from "../../src/host/1/plugin-sessions.js";
import type { Strata } from "../../src/strata.js";

export interface BoundHooks {
  readonly hooks: Hooks;
  /** Messages added to sessions for people only. */
  readonly shown: [sessionID: string, text: string][];
}

/** The host hooks without a host. `canShow: false`: the host rejects our messages. */
export function bindTestHooks(strata: Strata, { canShow = true } = {}): BoundHooks {
  const shown: [string, string][] = [];
  const hooks = bindHooks(strata, {
    liveConfig: createLiveConfig(),
    sessions: createPluginSessions(),
    shortened: new Map(),
    async show(sessionID, text) {
      if (canShow) shown.push([sessionID, text]);
      return canShow;
    },
  });
  return { hooks, shown };
}
