import { expect, it } from "vitest";
import { createNews } from "../../src/messages/news.js";
import { createFakeClock } from "../support/fake-clock.js";
import { user } from "../support/messages.js";

it("those who follow the end of a turn share one read of the host, and the next turn's end reads again", async () => {
  const clock = createFakeClock();
  const messages = Array.from({ length: 30 }, (_, n) => user(`word ${n}`));
  const reads: (number | undefined)[] = [];
  const news = createNews({
    clock,
    host: {
      async readMessages(_id, last = Number.POSITIVE_INFINITY) {
        reads.push(last);
        return messages.slice(-last);
      },
    },
  });
  const timeOf = (index: number): number => messages.at(index)?.info.time?.created ?? 0;
  expect(await news.readSince("ses_1", timeOf(-2))).toHaveLength(20);
  expect(await news.readSince("ses_1", timeOf(-3))).toHaveLength(20);
  expect(reads).toEqual([20]);
  expect(await news.readSince("ses_1", timeOf(0))).toHaveLength(30);
  expect(reads).toEqual([20, 120]);

  news.onEvent({ type: "session.idle", properties: {} });
  messages.push(user("the last word"));
  expect((await news.readSince("ses_1", timeOf(-2)))?.at(-1)).toBe(messages.at(-1));
  expect(reads).toEqual([20, 120, 20]);
});

it("of a turn with many answers as many messages are asked for at once", async () => {
  const messages = Array.from({ length: 90 }, (_, n) => user(`word ${n}`));
  const reads: (number | undefined)[] = [];
  const news = createNews({
    clock: createFakeClock(),
    host: {
      async readMessages(_id, last) {
        reads.push(last);
        return messages.slice(-(last ?? 0));
      },
    },
  });
  const tell = (type: string, id?: string): void =>
    news.onEvent({ type, properties: { sessionID: "ses_1", info: { id, sessionID: "ses_1" } } });
  // Each is told of more than once.
  for (let n = 0; n < 82; n++) tell("message.updated", `message ${n % 41}`);
  tell("session.idle");
  expect(await news.readSince("ses_1", messages.at(-42)?.info.time?.created ?? 0)).toHaveLength(43);
  // The next turn has begun.
  tell("message.updated", "asked");
  expect(await news.readSince("ses_1", messages.at(-42)?.info.time?.created ?? 0)).toHaveLength(44);
  expect(reads).toEqual([43, 44]);

  tell("session.idle");
  await news.readSince("ses_1", Number.POSITIVE_INFINITY);
  expect(reads).toEqual([43, 44, 20]);
});

it("what the host did not say in time is asked again", async () => {
  const answers = [undefined, [user("here")]];
  const news = createNews({
    clock: createFakeClock(),
    host: { readMessages: async () => answers.shift() },
  });
  expect(await news.readSince("ses_1", 0)).toBeUndefined();
  expect(await news.readSince("ses_1", 0)).toHaveLength(1);
});
