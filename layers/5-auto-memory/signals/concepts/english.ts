/** English concepts: weak signs with learned weights. */
import type { Concepts } from "./concepts.js";

export const english: Concepts = {
  always: /\b(always|every ?time|each time|at all times|consistently|by default)\b/,
  never: /\b(never|no longer|not ever|ever again|at no point|under no circumstances)\b/,
  must: /\b(must|have to|has to|need to be|needs to be|required|mandatory|shall|essential|crucial|critical|important|non-negotiable)\b/,
  should: /\b(should|shouldn'?t|ought to|supposed to)\b/,
  dont: /\b(don'?t|do not|dont|avoid|stop|without)\b/,
  no: /\b(no|not|none|nothing|nobody|neither|nor)\b/,
  only: /\b(only|just|exclusively|solely|at most|at least|maximum|minimum|limit(ed)?)\b/,
  each: /\b(all|every|each|any|whenever|everything|everyone|anything|both)\b/,
  fromNow: /\b(from now on|going forward|in (the )?future|from here on|henceforth|for future)\b/,
  remember:
    /\b(remember|keep in mind|note that|be aware|don'?t forget|make sure|ensure|fyi|btw|by the way)\b/,
  prefer:
    /\b(prefer\w*|rather|favou?rite|i (really )?(like|love|hate|dislike)|i (don'?t|do not) (like|want)|not a fan|taste|preference)\b/,
  want: /\b(i|we) (really |also |just |still )?(want|need|would like|'d like|wish|hope)\b|\bi'?d like\b/,
  let: /\blet'?s\b|\blets\b|\blet us\b/,
  weUse:
    /\bwe('re| are)? (use|using|have|run|running|keep|work|store|deploy|support|do|already|currently|always|only|don'?t|never)\b/,
  our: /\b(our|ours)\b/,
  my: /\b(my|mine)\b/,
  iHave: /\bi('ve| have|'m| am| use| run| work| own| got| already)\b/,
  iAmUser:
    /\bi('m| am) (a |an |on |using |not |new )|\bi (don'?t|do not) (know|have|use)\b|\bi (know|have|use|work)\b/,
  youDid:
    /\byou (keep|still|again|always|never|forgot|didn'?t|did not|don'?t|broke|removed|deleted|changed|added|missed|ignored|just)\b|\byou('re| are| have|'ve)\b/,
  told: /\bi (already )?(told|said|asked|mentioned|meant)\b|\b(over and over|as i said|again and again|how many times)\b/,
  decided:
    /\b(decided|decision|chose|chosen|agreed|settled|approved|final(ized)?|confirmed|go(ing)? with|stick(ing)? with|switch(ing|ed)? to|migrat\w+|drop(ping|ped)?|replac\w+)\b/,
  instead: /\b(instead of|rather than|in favou?r of|not the|over the)\b/,
  because: /\b(because|since|so that|bcus|cuz|due to|reason|otherwise|as it)\b/,
  plan: /\b(plan|phase|later|eventually|next|after that|first|roadmap|mvp|v1|v2|milestone|future|step)\b/,
  isA: /\b(is|are|was|were|isn'?t|aren'?t|'s|it's)\b/,
  thereIs: /\bthere('s| is| are|'re| will be| should be| isn'?t| aren'?t)\b/,
  means:
    /\b(means?|stands for|called|named|represents?|refers? to|defined|definition|contains?|consists?|includes?|identif\w+|based on|depends on)\b/,
  cannot:
    /\b(can'?t|cannot|can not|unable|impossible|doesn'?t (support|have|work with|allow)|does not (support|have|allow)|not (support|allow|possible)\w*)\b/,
  can: /\b(can|could|may|might|able to|allowed to|possible)\b/,
  located:
    /\b(located|location|stored|lives?|resides?|is in|are in|is at|under|folder|directory|path|file|files|repo|repository|branch)\b/,
  env: /\b(windows|mac(os)?|linux|ubuntu|wsl|server|vm|vps|docker|hosted|hosting|domain|api|endpoints?|url|database|db|supabase|vercel|aws|azure|github|token|key|account|root access|installed|version|port)\b/,
  domain:
    /\b(users?|admins?|players?|customers?|clients?|teachers?|students?|members?|owners?|visitors?|team|teams|company|business|product|project|app|game|system|platform|site|website)\b/,
  correction:
    /^(no|nope|wrong|actually|not quite|incorrect|wait)\b|\b(is wrong|was wrong|that'?s not|incorrect|not correct|mistake)\b/,
  please: /\b(please|pls|plz|kindly)\b/,
  canYou: /\b(can|could|would|will) (you|u|we)\b|\b(i|we) (want|need|would like|'d like) you to\b/,
  asks: /^(and |but |so |ok |also |or )?(what|why|how|where|when|which|who|is|are|do|does|did|should|shall|can|could|would|will|has|have|am|was|were)\b/,
  order:
    /^(ok,? |okay,? |and |also,? |now,? |then,? |please,? |just |so,? |next,? )*(add|fix|write|implement|create|make|refactor|rename|update|remove|delete|move|change|show|run|try|check|look|find|explain|tell|give|open|build|debug|review|help|list|search|generate|set|install|convert|replace|commit|push|merge|revert|undo|deploy|continue|finish|start|read|analy[sz]e|go|do|put|get|test|see|let me know|clean|redo|proceed|improve|integrate|copy|ensure|compare|propose|investigate|output|apply|increase|reduce|consider|work|ask|design)\b/,
  rule: /^(ok,? |okay,? |and |also,? |please,? |just |so,? |but )*(use|keep|avoid|never|always|don'?t|do not|no|only|prefer|stick|follow|rely|reuse|stop|treat|leave|ignore|assume|ask)\b/,
  state:
    /\b(broken|failing|fails?|failed|error|errors|crash\w*|bug|issue|problem|not working|doesn'?t work|didn'?t work|does not work|stuck|missing|wrong|weird|still|again|slow|stopped|works now|working|happen\w*|seems?|looks?|appears?|shows?|showing|getting|got|blank|empty|truncated|gone)\b/,
  now: /\b(now|currently|at the moment|right now|today|yesterday|tomorrow|this time|for now|just now|yet|already|so far|up to now|temporar\w+|this session|this chat|last chat)\b/,
  here: /\b(here|there|above|below|this (one|page|file|function|error|issue|step|button|line|part|code|change|way|branch|commit)|that (one|page|file|function|error|issue|step|button|line|part|way)|these|those|the (first|second|third|last|same|other|following))\b/,
  did: /\b(i|we) (just |also |already |have |then )?(tried|ran|did|made|added|changed|tested|clicked|opened|updated|removed|got|went|created|moved|installed|put|pushed|restarted|see|saw|noticed|notice|get)\b/,
  hedge:
    /\b(maybe|perhaps|i think|i guess|i believe|probably|not sure|i assume|i suppose|might|wonder\w*|seems?|kind of|sort of|possibly|i feel|what if|if possible)\b/,
  chat: /\b(thanks?|thank you|great|nice|cool|perfect|awesome|good job|looks good|lgtm|ok|okay|yes|yeah|yep|sure|sorry|hi|hello|hey|lol|wow|love it|amazing)\b/,
  if: /\b(if|unless|when|whenever|once|while|until)\b/,
  anaphora:
    /^(and |but |so |also |then )*(it|this|that|these|those|they|he|she|them|its|the (one|other|same))\b/,
  anaphoraIn: /\b(it|this|that|these|those|them|its)\b/,
  weSubject: /^(and |but |so |also |then |ok |yes |no )*,? ?(we|our)\b/,
  iSubject: /^(and |but |so |also |then |ok |yes |no |yeah )*,? ?(i|my)\b/,
  youSubject: /^(and |but |so |also |then |ok |yes |no )*,? ?(you|your)\b/,
  theSubject: /^(and |but |so |also |then |btw |ok )*,? ?(the|a|an|each|every|all|any|only|no)\b/,
  look: /\b(button|color|colour|font|icon|icons|screen|modal|header|footer|text|background|column|row|widget|layout|image|logo|bold|border|padding|top|bottom|left|right|center|animation|page|menu|tab|card|title|link|tooltip|theme|dark|light|size|bigger|smaller)\b/,
  process:
    /\b(before|after|commit|commits|push|tests?|testing|review|docs?|documentation|changelog|comments?|plan|approval|ask me|discuss|explain|answer|answers|code|style|naming|convention|format|language)\b/,
};
