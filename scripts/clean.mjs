// Removes what the last build left, so that a deleted source file leaves no module behind in the package.
import { rmSync } from "node:fs";

rmSync(new URL("../dist", import.meta.url), { recursive: true, force: true });
