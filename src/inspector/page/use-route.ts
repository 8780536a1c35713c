/** The route in the page's URL. */
import { useEffect, useState } from "preact/hooks";
import { formatRoute, parseRoute, type Route, type Section } from "./route.js";

export function go(section: Section, id?: string): void {
  location.hash = formatRoute(section, id);
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const onChange = (): void => setRoute(parseRoute(location.hash));
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return route;
}
