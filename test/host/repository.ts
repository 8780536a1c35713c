import { fileURLToPath } from "node:url";

/** The folder that the plugin under test is loaded from: this repository, as it was last built. */
export const repository = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
