/** The parts that are always active beside the seven layers: those asked before the layers, then those asked after. */

import { formatError } from "../../src/base/error.js";
import type { Layer } from "../../src/kernel/layer.js";
import type { KernelContext } from "../../src/kernel/layer-context.js";
import { createBreakWatch } from "./break-watch.js";
import { createHousekeeping } from "./housekeeping.js";
import { createMemoryCommand } from "./memory-command.js";
import { createReminder } from "./reminder.js";
import { createReplay } from "./replay.js";
import { createRequestUsage } from "./request-usage.js";
import { createResultRefresh } from "./result-refresh.js";
import { createScreen } from "./screen.js";
import { createSentViews } from "./sent-views.js";
import { createSteering } from "./steering/steering.js";
import { createSyncPull } from "./sync/sync-pull.js";
import { createTakenBack } from "./taken-back/taken-back.js";
import { createTurnEnd } from "./turn-end.js";
import { createTurnFollower } from "./turn-follower.js";
import { createView } from "./view.js";

export function createAlways(context: KernelContext): readonly Layer[] {
  const { background, config, family, folders, log, memories, reading, toasts, trust } = context;
  const sentViews = createSentViews({ ...context, folder: folders.views });
  const screen = createScreen(context);
  const breaks = createBreakWatch({ ...context, policy: config.microCompact, sentViews });
  const takenBack = createTakenBack({ ...context, explain: breaks.explain });
  const steering = createSteering(context);
  return [
    // First: all others may ask the family.
    {
      name: "family",
      phase: "before",
      servesForks: ["event"],
      handlers: { event: (event) => void family.hear(event) },
    },
    createReplay(context),
    takenBack.learns,
    createView({
      ...context,
      breaks,
      savingsFolder: folders.savings,
      usage: createRequestUsage({ ...context, screen }),
      resultRefresh: createResultRefresh(context),
    }),
    // Once the view has compared the request with the last one.
    steering.applies,
    ...(config.autoMemory.enabled ? [createTurnFollower(trust, lookAgain)] : []),
    createHousekeeping(context),
    createSyncPull(context),
    createMemoryCommand({ ...context, screen }),
    ...createReminder(reading, toasts),

    steering.lists,
    screen.layer,
    createTurnEnd(context),
    takenBack.records,
    breaks.layer,
  ];

  function lookAgain(): void {
    void background
      .add(() => memories.list())
      .catch((thrown) => log.error("trust", `cannot read the memories: ${formatError(thrown)}`));
  }
}
