import * as z from "zod";
import { enabled, whole } from "../../src/config/fields.js";
import { byAnyone, byUser } from "../../src/config/owners.js";
import { memoryTypes } from "../../src/memory/memory.js";
import { defaults } from "./defaults.js";

const { keepOutOfGit, maxLines, maxSize } = defaults.autoMemory;

const autoMemory = z.strictObject({
  enabled: enabled("Layer 5: decisions, preferences and lessons are remembered."),
  keepOutOfGit: byUser(
    z
      .array(z.enum(memoryTypes))
      .readonly()
      .default(keepOutOfGit)
      .describe("Types of project memories that git ignores until strata publish; [] for none."),
  ),
  maxLines: byAnyone(whole(10, 2_000, maxLines, "Maximum number of lines of the index MEMORY.md.")),
  maxSize: byAnyone(whole(1_000, 250_000, maxSize, "Maximum size of the index MEMORY.md, in bytes.")),
});
const recall = z.strictObject({ enabled: enabled("Memories that match a message are shown with it.") });

export const schemas = { autoMemory, recall };

declare module "../../src/config/schema.js" {
  interface Config {
    autoMemory: z.output<typeof autoMemory>;
    recall: z.output<typeof recall>;
  }
  interface StrataOptions {
    autoMemory?: z.input<typeof autoMemory>;
    recall?: z.input<typeof recall>;
  }
}
