/** An inspector of an own copy of the project for each test of a file; the project is played once. */
import { beforeAll, beforeEach } from "vitest";
import type { Done, Failure, MemoryPage } from "../../src/inspector/answers.js";
import {
  copyProject,
  type InspectedProject,
  type OpenInspector,
  openInspector,
  playInspectedProject,
} from "./inspected-project.js";

export function useInspector() {
  let once: InspectedProject;
  let played: Pick<InspectedProject, "clock" | "files">;
  let inspector: OpenInspector;
  beforeAll(async () => {
    once = await playInspectedProject();
  });
  beforeEach(async () => {
    played = copyProject(once);
    inspector = await openInspector(played.files, played.clock);
  });
  return {
    get played() {
      return played;
    },
    get inspector() {
      return inspector;
    },
    memory: (id: string): Promise<MemoryPage> => inspector.get(`memory?id=${encodeURIComponent(id)}`),
    change: (name: string, body: unknown) => inspector.post<Done & Failure>(name, body),
  };
}
