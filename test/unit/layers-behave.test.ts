/** What every layer does alike, whatever it is for: those of the stack, and what is always done beside them. */
import { listLayers } from "../support/layer-alone.js";
import { describeLayer } from "../support/layer-suite.js";

for (const layer of await listLayers()) describeLayer(layer);
