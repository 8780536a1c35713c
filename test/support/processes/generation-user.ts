/**
 * An instance with a greedy model: generates texts until it is refused, and prints the tokens of each.
 *
 *     tsx generation-user.ts <folder>      prints "ready", waits for a line, then "took <tokens>" for each, and "done"
 */
import { once } from "node:events";
import { systemClock as clock } from "../../../src/io/clock.js";
import { nodeFiles as files } from "../../../src/io/node-files.js";
import { openGreedy } from "../greedy-model.js";

const [folder = ""] = process.argv.slice(2);
process.stdout.write("ready\n");
await once(process.stdin, "data");
for await (const tokens of openGreedy({ clock, files, folder, instance: `p${process.pid}` }))
  process.stdout.write(`took ${tokens}\n`);
process.stdout.write("done\n");
process.exit(0);
