import type { Hooks } from "@opencode-ai/plugin";
import { createForkSessions } from "../../src/host/1/fork-sessions.js";
import { bindHooks } from "../../src/host/1/hooks.js";
import { createLiveConfig, createOwnSessions } from "../../src/host/1/own-sessions.js";
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
    forkSessions: createForkSessions(),
    liveConfig: createLiveConfig(),
    ownSessions: createOwnSessions(),
    titles: { async open() {}, close() {} },
    async show(sessionID, text) {
      if (canShow) shown.push([sessionID, text]);
      return canShow;
    },
  });
  return { hooks, shown };
}
