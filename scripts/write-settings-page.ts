// Writes docs/settings.md from src/config/schema.ts. A test fails when the committed one is not current.
import { writeFileSync } from "node:fs";
import { formatSettingsPage } from "./settings-page.js";

writeFileSync(new URL("../docs/settings.md", import.meta.url), formatSettingsPage());
