/** What a bench needs of the plugin to run it without a host. */
export { stack } from "../../layers/index.js";
export { systemClock } from "../../src/io/clock.js";
export { createStrata } from "../../src/strata.js";
