import { fileURLToPath } from "node:url";

/** This repository: its sources, its history, and what is built of it in `dist/`. */
export const sources = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** Names the unpacked package to the tests; set by `unpack-once.ts`. */
export const PACKAGE_VARIABLE = "STRATA_UNPACKED_PACKAGE";

/** The folder that the plugin under test is loaded from: the package that was packed for this run, else `sources`. */
export const repository = process.env[PACKAGE_VARIABLE] ?? sources;
