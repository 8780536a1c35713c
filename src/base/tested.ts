/** The versions of OpenCode that the tests run (test/host), which play the same stories in both. */
const TESTED = ["1.18.33", "2.0.15"] as const;
/** In this one 25 of the stories of test/host were played, once. */
const PLAYED_ONCE = "1.18.34";

/** The tested version of the same major version; of a later one, the last. */
export const findTested = (version: string): string => (isSecond(version) ? TESTED[1] : TESTED[0]);

/** What a version that is newer than the tested one is known to change; `undefined` for others. */
export function findChanges(version: string): string | undefined {
  if (compareVersions(version, isSecond(version) ? TESTED[1] : PLAYED_ONCE) <= 0) return undefined;
  const tested = isSecond(version) ? TESTED[1] : `${TESTED[0]}, in part with ${PLAYED_ONCE}`;
  const known = isSecond(version)
    ? "; since 2.2 OpenCode checks failed tool results strictly and plugins get fewer events"
    : "; since 1.19 OpenCode leaves old images out of a request that has more than 25 MiB of them";
  const since = isSecond(version) ? "2.2.0" : "1.19.0";
  return `Strata is tested with ${tested}${compareVersions(version, since) < 0 ? "" : known}`;
}

/** OpenCode 2 and later, which have another API. */
export const isSecond = (version: string): boolean => compareVersions(version, "2.0.0") >= 0;

/** Negative if `a` is the older one. */
export function compareVersions(a: string, b: string): number {
  const [first, second] = [a, b].map((text) => text.split(/[.-]/).slice(0, 3).map(Number));
  for (const [index, part] of (first ?? []).entries()) {
    const difference = part - (second?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
