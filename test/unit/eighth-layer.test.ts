/** An eighth layer is a folder and a line: everything the rest must know of it comes with its definition. */
import { expect, it } from "vitest";
import { layers } from "../../layers/index.js";
import { formatSettingsPage } from "../../scripts/settings-page.js";
import { DAY_MS } from "../../src/base/days.js";
import { readConfig } from "../../src/config/config.js";
import { composeSettings, formatConfigSchema } from "../../src/config/schema.js";
import { byAnyone, enabled, whole } from "../../src/config/setting.js";
import type { LayerDefinition } from "../../src/kernel/layer-context.js";
import { createFakeClock } from "../support/fake-clock.js";
import { PROJECT, usersOptions } from "../support/fake-host.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { answer, user } from "../support/messages.js";
import { runStrata } from "../support/shell.js";
import { openWorld } from "../support/world.js";

const toy: LayerDefinition = {
  name: "toy-layer",
  settings: {
    toy: {
      enabled: enabled("Layer 8: says hello."),
      greetings: byAnyone(whole(1, 9), 2, "Greetings in a session."),
    },
  },
  files: [
    { path: ".opencode/strata/state/toy/<id>.txt", expiry: { what: "a greeting of long ago", days: 3 } },
  ],
  proof: {
    settings: { toy: { greetings: 1 } },
    acted: ({ paths }) =>
      paths.some((path) => path.startsWith(".opencode/strata/state/toy/")) ? "said hello" : undefined,
  },
  create: ({ files, folders }) => ({
    handlers: {
      async context({ sessionID }) {
        await files.writeWhole(`${folders.strata}/state/toy/${sessionID}.txt`, "hello\n");
        return undefined;
      },
    },
    events: ["file.edited"],
    commands: [{ name: "toy", description: "says hello", execute: async () => "hello" }],
  }),
};
const all = [...layers, toy];
const parts = all.map(({ settings }) => settings);

it("the toy layer has settings with limits, in the schema, on the page and checked like all others", async () => {
  const settings = composeSettings(parts);
  expect(JSON.parse(formatConfigSchema(settings)).properties.toy.properties.greetings.maximum).toBe(9);
  expect(formatSettingsPage(settings)).toContain(
    "| `toy.greetings` | `2` | 1 to 9 | Greetings in a session. |",
  );
  const read = (toyOptions: object) => {
    const options = { toy: toyOptions };
    const files = createMemoryFiles();
    return readConfig({ files, configFiles: usersOptions(options), options, parts });
  };
  expect((await read({ greetings: 5 })).config).toMatchObject({ toy: { enabled: true, greetings: 5 } });
  const wrong = await read({ greetings: 10 });
  expect(wrong.config).toMatchObject({ toy: { greetings: 2 } });
  expect(wrong.problems).toEqual([
    expect.stringContaining(
      "toy.greetings is 10, expected a whole number from 1 to 9 (Greetings in a session)",
    ),
  ]);
});

it("the toy layer acts and has its command when it is on, and is not made when it is off", async () => {
  const history = [user("go"), answer([])];
  const on = await openWorld({ layers: all });
  await on.request(history);
  expect(on.files.text(`${PROJECT}/.opencode/strata/state/toy/ses_1.txt`)).toBe("hello\n");
  expect(on.strata.dispatcher.commands.map(({ name }) => name)).toContain("toy");
  const off = await openWorld({ layers: all, options: { toy: { enabled: false } } });
  await off.request(history);
  expect(off.files.text(`${PROJECT}/.opencode/strata/state/toy/ses_1.txt`)).toBeUndefined();
  expect(off.strata.dispatcher.commands.map(({ name }) => name)).not.toContain("toy");
  expect(await off.log()).not.toContain("ERROR");
});

it("the toy layer hears the host's events that it names", async () => {
  const { strata } = await openWorld({ layers: all });
  expect(strata.dispatcher.handlesEvent("file.edited")).toBe(true);
  expect((await openWorld()).strata.dispatcher.handlesEvent("file.edited")).toBe(false);
});

it("a dream puts files of the toy layer away once they are old enough", async () => {
  const clock = createFakeClock();
  const path = `${PROJECT}/.opencode/strata/state/toy/ses_1.txt`;
  const files = createMemoryFiles({}, clock.now);
  await files.writeWhole(`${PROJECT}/opencode.json`, "{}");
  const dream = () => runStrata(files, "dream", { layers: all, clock });
  // From then on the state is this machine's.
  await dream();
  await files.writeWhole(path, "hello\n");
  clock.advance(30 * DAY_MS);
  expect((await dream()).out).toBe("Nothing to change.");
  clock.advance(2 * DAY_MS);
  expect((await dream()).out).toContain("put away `.opencode/strata/state/toy/ses_1.txt`");
  expect(files.text(path)).toBeUndefined();
});
