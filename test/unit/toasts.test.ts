import { expect, it } from "vitest";
import { createToasts } from "../../src/io/toasts.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createFakeHost } from "../support/fake-host.js";
import { openWorld } from "../support/world.js";

function open() {
  const clock = createFakeClock();
  const { toast, toasts: shown } = createFakeHost();
  return { clock, shown, toasts: createToasts({ clock, host: { toast } }) };
}

it("toasts with the same text come at most once a minute", () => {
  const { clock, shown, toasts } = open();
  toasts.show("again", "warning");
  toasts.show("again", "warning");
  clock.advance(20_000);
  toasts.show("again", "warning");
  expect(shown).toHaveLength(1);
  clock.advance(60_000);
  toasts.show("again", "warning");
  expect(shown).toHaveLength(2);
});

it("toasts come one at a time and do not pile up: a full queue drops its oldest, and after the end none comes", () => {
  const { clock, shown, toasts } = open();
  for (let n = 0; n < 10; n++) toasts.show(`number ${n}`, "info");
  clock.advance(5_500);
  expect(shown).toEqual(["Strata: number 0", "Strata: number 6"]);
  clock.advance(5_500);
  expect(shown.at(-1)).toBe("Strata: number 7");
  toasts.dispose();
  clock.advance(60_000);
  expect(shown).toHaveLength(3);
});

it("a person is told once a day that the budget for model calls is used up", async () => {
  let generate = (): Promise<unknown> => Promise.resolve();
  const { clock, host } = await openWorld({
    options: { background: { enabled: true, dailyCalls: 1 } },
    layers: [
      ({ generation }) => {
        generate = () => generation.generate({ purpose: "notes", sessionID: "ses_1", prompt: "write" });
        return { name: "asking", handlers: {} };
      },
    ],
  });
  await generate();
  expect(host.toasts).toEqual([]);
  for (let n = 0; n < 3; n++) await generate();
  clock.advance(120_000);
  await generate();
  expect(host.toasts).toEqual([
    "Strata: no more model calls in the background today: background.dailyCalls (1) is used up for today. Everything goes on without them.",
  ]);
});
