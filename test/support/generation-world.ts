import type { ModelClaims } from "../../src/config/plugin-entries.js";
import type { Config } from "../../src/config/schema.js";
import { type NewSavingsRecord, PRICE } from "../../src/costs/savings.js";
import type { Files } from "../../src/io/files.js";
import { createToasts } from "../../src/io/toasts.js";
import { createBudget } from "../../src/models/budget.js";
import { createGeneration } from "../../src/models/generation.js";
import { createFakeClock } from "./fake-clock.js";
import { createFakeHost } from "./fake-host.js";
import { createFakeLog } from "./fake-log.js";
import { createMemoryFiles } from "./memory-files.js";
import { NO_CLAIMS } from "./no-claims.js";
import { defaults } from "./settings.js";

export const FOLDER = "/project/state/background";
export const TODAY = `${FOLDER}/2026-11-21.jsonl`;
export const notes = { purpose: "session notes", sessionID: "ses_1", prompt: "write" };

export function openGeneration(
  settings: Partial<Config["background"]> = {},
  wrap = (files: Files) => files,
  claims: ModelClaims = NO_CLAIMS,
) {
  const clock = createFakeClock();
  const host = createFakeHost();
  const log = createFakeLog();
  const files = createMemoryFiles();
  const config = { ...defaults.background, ...settings };
  const seams = { clock, host, log, files: wrap(files) };
  const recorded: NewSavingsRecord[] = [];
  const savings = { record: (record: NewSavingsRecord) => void recorded.push(record) };
  const toasts = createToasts({ clock, host });
  const generation = createGeneration({
    ...seams,
    config,
    claims,
    prices: { rates: () => PRICE },
    savings,
    toasts,
    folder: FOLDER,
    instance: "one",
  });
  const { today: readSpent } = createBudget({ ...seams, config, folder: FOLDER, instance: "two" });
  return { clock, host, log, files, generation, recorded, readSpent };
}
