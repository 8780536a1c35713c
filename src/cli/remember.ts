/** `strata remember` */
import { StrataError } from "../error.js";
import { planRemembered } from "../memory/said.js";
import { exitCodes, type Run } from "./command.js";
import { reportWritten, withMemories } from "./memories.js";

export const run: Run = async (surroundings, options, args) => {
  const content = args.join(" ").trim();
  if (content === "") {
    surroundings.warn("strata: say what is to be remembered: strata remember 'we deploy on Fridays'");
    return exitCodes.usage;
  }
  const { global: isGlobal, pin, private: isPrivate, title, type } = options;
  const said = planRemembered(typeof type === "string" ? `${type}: ${content}` : content);
  if (typeof type === "string" && said.type !== type)
    throw new StrataError("NO_TYPE", `"${type}" is no type of memory; strata remember --help has them`);
  return withMemories(surroundings, async (memories) => {
    const draft = {
      ...said,
      provenance: { by: "user" as const },
      ...(typeof title === "string" && { title }),
      ...(isPrivate === true && { sensitivity: "private" as const }),
      ...(isGlobal === true && { scope: "global" as const }),
      ...(pin === true && { pinned: true }),
    };
    return reportWritten(
      surroundings,
      await memories.remember(draft, { operation: "remember" }),
      "Remembered",
    );
  });
};
