/** How far what a user said reaches: to all projects, to a day. An agent may not make it reach further, or end sooner. Pure. */
import { withAbsoluteDates } from "../../../src/text/language/dates.js";

const EVERYWHERE =
  /\b(all|every|any|each)( of)?( my| our| the)?( other)? (projects?|repos?|repositor(y|ies)|code ?bases?|workspaces?)\b(?! (file|member|folder|setting|config|path|name)s?\b)|\beverywhere\b(?! (in|on|inside|within|across) )|\bglobally\b|\b(for me|for us) in general\b|\bin general for (me|us|all)\b|\bin allen (meinen )?projekten\b|\büberall\b|\bdans tous (mes |les )projets\b|\ben todos (mis |los )?proyectos\b|(所有|全部|每个|任何)的?(项目|仓库|代码库|工程)|全局(都|生效|适用)|すべてのプロジェクト|во всех проектах/iu;
/** "Not in all projects", "only here, not globally". */
const NOT_EVERYWHERE =
  /\b(not|n['’]t|isn['’]t|except|nowhere|never)\b[^.,;]{0,20}\b(all|every|any|each|everywhere|globally)\b[^.,;]{0,30}|\bonly (in|for) this\b|不是(所有|全部|每个)|(只|仅)(在|对)(这个|本)/iu;

/** Does a user's sentence say that it holds in all projects? */
export function saysEverywhere(text: string): boolean {
  return EVERYWHERE.test(text) && !NOT_EVERYWHERE.test(text);
}

const ENDS =
  /\b(until|till?|through|up to|before|no later than|expires?|valid to|bis|jusqu['’]|hasta|até)\b|直到|之前|为止|まで|\bthis (week|month|year|quarter)\b/iu;
const DAY = /\b(20\d\d)-(\d\d)-(\d\d)\b/g;
const DAY_END = "T23:59:59.999Z";

/** The end that an agent names, if it is a day up to which the user's sentence says that it holds. */
export function findEnd(text: string, expires: string, saidMs: number): string | undefined {
  if (!ENDS.test(text)) return undefined;
  const days = new Set([...withAbsoluteDates(text, saidMs).matchAll(DAY)].map(([day]) => day));
  const [day = ""] = expires.split("T");
  return days.has(day) ? `${day}${DAY_END}` : undefined;
}
