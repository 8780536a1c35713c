/** The parts that are always active beside the seven layers. They are called in order of cost, as layers are. */
import type { Layer } from "../../src/dispatcher/layer.js";
import { formatError } from "../../src/error.js";
import type { KernelContext } from "../../src/layer-context.js";
import { planCachePolicy } from "../../src/view/cold.js";
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
  const breaks = createBreakWatch({ ...context, policy: planCachePolicy(config), sentViews });
  return [
    // Cost 0: every other layer may ask the family.
    {
      name: "family",
      cost: 0,
      servesForks: ["event"],
      handlers: { event: (event) => void family.hear(event) },
    },
    createReplay(context),
    createView({
      ...context,
      breaks,
      savingsFolder: folders.savings,
      usage: createRequestUsage({ ...context, screen }),
      resultRefresh: createResultRefresh(context),
    }),
    breaks.layer,
    ...createSteering(context),
    screen.layer,
    createTurnEnd(context),
    ...createReminder(reading, toasts),
    ...createTakenBack({ ...context, explain: breaks.explain }),
    createHousekeeping(context),
    createSyncPull(context),
    createMemoryCommand({ ...context, screen }),
    ...(config.autoMemory.enabled ? [createTurnFollower(trust, lookAgain)] : []),
  ];

  function lookAgain(): void {
    void background
      .add(() => memories.list())
      .catch((thrown) => log.error("trust", `cannot read the memories: ${formatError(thrown)}`));
  }
}
