import { NO_CLAIMS } from "../../src/config/plugin-entries.js";
import type { Clock } from "../../src/io/clock.js";
import type { Files } from "../../src/io/files.js";
import type { GenerateRequest } from "../../src/io/host.js";
import { createToasts } from "../../src/io/toasts.js";
import { createGeneration } from "../../src/models/generation.js";
import { createFakeHost, written } from "./fake-host.js";
import { createFakeLog } from "./fake-log.js";
import { defaults } from "./settings.js";

/** The host's limit on an answer if nothing else bounds it. */
export const HOST_LIMIT = 32_000;
const PROMPT = "if (row.amount > limit) throw new RangeError(row.id);\n".repeat(600);

export interface GreedyOptions {
  clock: Clock;
  files: Files;
  folder: string;
  instance: string;
}

/** Generates texts of maximum length until a request is refused. Returns the tokens each took. */
export async function* openGreedy({ clock, files, folder, instance }: GreedyOptions): AsyncGenerator<number> {
  const host = createFakeHost();
  let took = 0;
  host.respond = async ({ maxAnswerTokens, prompt }: GenerateRequest) => {
    await clock.pause(1);
    const output = Math.min(HOST_LIMIT, maxAnswerTokens ?? HOST_LIMIT);
    took = 150 + Math.ceil(prompt.length / 3) + output;
    return written("x", [took - output, output, 0]);
  };
  const generation = createGeneration({
    clock,
    files,
    host,
    folder,
    instance,
    log: createFakeLog(),
    config: defaults.background,
    claims: NO_CLAIMS,
    savings: { record() {} },
    toasts: createToasts({ clock, host }),
  });
  for (;;) {
    const result = await generation.generate({ purpose: "notes", sessionID: "ses_1", prompt: PROMPT });
    if (result.kind !== "text") return;
    yield took;
  }
}
