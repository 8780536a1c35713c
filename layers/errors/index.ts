/**
 * Failed calls: logs failures and what resolved them in `.opencode/memory/errors.log`. Lists open failures with the
 * user's messages. A call that fails the same way again gets a hint after its result, before the result is first sent; the
 * hint goes with the next batch that clears before it.
 */
import { byAnyone, byUser, enabled, oneOf, type Values, whole } from "../../src/config/setting.js";
import type { Handler } from "../../src/kernel/hooks.js";
import type { LayerContext, LayerDefinition, LayerParts } from "../../src/kernel/layer-context.js";
import { countEvents, type Proof } from "../../src/kernel/proof.js";
import type { Hints } from "./hints.js";

const settings = {
  errors: {
    enabled: enabled(
      "Failures are remembered in errors.log, and a repeated failure is answered with what resolved it.",
    ),
    onRepeat: byUser(
      oneOf(["tell", "refuse"]),
      "tell",
      "How to treat a call that is known to fail: tell what worked, or also refuse the call, once in a session.",
    ),
    maxErrorHistory: byAnyone(whole(10, 1_000), 100, "Number of newest lines of errors.log that are used."),
  },
};

declare module "../../src/config/schema.js" {
  interface Config extends Values<typeof settings> {}
}

const failing = { call: "bash", args: { command: "strata-doctor-fails", description: "fails" } };

const proof: Proof = {
  calls: [failing, failing],
  acted: (seen) => countEvents(seen, "extended", "an earlier failure shown", "errors"),
};

export const errors: LayerDefinition = {
  name: "errors",
  settings,
  files: [{ path: ".opencode/memory/errors.log" }, { path: ".opencode/memory/errors.log.1" }],
  proof,
  create,
};

function create(context: LayerContext): LayerParts {
  const mayRefuse = context.config.errors.onRepeat === "refuse";
  let opening: Promise<Hints> | undefined;
  const open = (): Promise<Hints> =>
    (opening ??= import("./hints.js").then(({ createHints }) => createHints(context)));
  const check: Handler<"toolArguments"> = async (call, args) => (await open()).check(call, args);

  return {
    withinMs: { context: 1_500 },
    onIdle: async () => (await opening?.catch(() => undefined))?.onIdle(),
    handlers: {
      async context(request, _messages, signal) {
        if (request.isCompaction) return undefined;
        return (await (await open()).answer(request, signal)) ? request.show() : undefined;
      },

      ...(mayRefuse && { toolArguments: check }),
    },
  };
}
