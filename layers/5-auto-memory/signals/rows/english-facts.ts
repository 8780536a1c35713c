/** English patterns for facts, decisions and plans. The most explicit first. */
import type { SignalRow } from "./row.js";

export const englishFacts: readonly SignalRow[] = [
  // Explicit requests to remember.
  {
    type: "knowledge",
    patterns: [
      /^((please|pls|also|and|oh|ok|so|just|one|an?|another|some|big|small|known|quick|little)[,:]? )*(remember|note|keep in mind|bear in mind|be aware|don'?t forget|fyi|for the record|for future reference|heads[- ]?up|good to know|for your info(rmation)?|important|psa|for context|context|background|memo|save this|make a note|store this|til|gotcha|caveat|warning|hint|tip)\b\s*([:,;—–-]\s*)*(that |this |of |is |for (later|next time)[:,]? )*(?!(to|i('m| am|'ll| will)|it'?s done|the (test|build)s? (is|are) (failing|broken|red))\b)\S/i,
    ],
    despite: ["state", "reported"],
    isExplicit: true,
  },
  // Facts that correct others.
  {
    type: "feedback",
    patterns: [
      /^(no(?=[,.!:;—–-]|\s+(the|it|that|we|this|our|you|i|they|there|its|no|actually|wrong)\b)|nope|nah|wrong|incorrect|not quite|not true|actually|correction|careful|wait|sorry|hm+|uh|um|again)[,.!:;—–-]*\s+(no[,.]? |that'?s (wrong|not (true|right|correct))[,.;:—–-]* |actually,? |wrong \w+[.,:;—–-]+ )*(?!(it (is|was) (fine|ok)|(that|it|this)('s| is| was)? (fine|ok|okay|good|enough|all|great|right|correct|not (it|needed|necessary|what|true|right))|it (now )?(works?|seems|looks|passes)|i('m| am|'ll| will| think| guess| want| need)|we (need|want|can|could|should (just|do|try))|leave|use|do|make|let'?s|let|try|go|keep|forget|just|don'?t|wait|stop|revert|undo|put|move|take|change|please|can|could|the (other|first|second|last|previous|next) )\b).*\b(is|are|was|were|lives?|goes|go|should|must|uses?|called|named|belongs?|runs?|comes?|lie|lies|expects?|takes?|needs?|has|have|returns?|starts?|means?|listens?|'s|it'?s|that'?s|we'?re|they'?re)\b/i,
    ],
    despite: ["sarcasm"],
  },
  {
    type: "feedback",
    patterns: [
      /^((one|a|another|small|quick|minor|tiny|slight|little|important) )*(?!.*\b(still|again)\b)(correction|not quite|not exactly|that'?s (not (right|correct|true|quite right)|wrong|incorrect)|you('re| are) (wrong|mistaken)|incorrect|i misspoke( earlier)?|my (mistake|bad))\b[^\w]+(?!(can|could|please|fix|try|let'?s|i'?ll|it'?s (fine|ok))\b)(?=.*\b(is|are|was|were|'s|uses?|returns?|lives?|runs?|takes?|needs?|has|have|goes|comes|should|must|means?|throws?|accepts?|expects?|starts?|called|named)\b)\S+ \S+ \S/i,
    ],
    despite: ["sarcasm", "state", "reported", "chat"],
  },
  {
    type: "feedback",
    patterns: [
      /^(?!(we|our|in (this|our|the))\b).*\b(is|are|it'?s|lives?|runs?|uses?|called|named|means|stands for|goes|belongs?|reads?|comes|listens|starts?|ends?|expects?|takes?|points?|should be|must be)\b[^?]*?(,| and| —| -) not (?!(sure|yet|working|a (bug|problem)|so|too|only|just|bad)\b)\S/i,
      /^it'?s (called )?[\w.\uE000-\uF8FF-]+, not\b/i,
      /^(it'?s|that'?s|this is|they'?re) (actually )?(spelled|spelt|written|called|named|pronounced|capitali[sz]ed) (?!(by|in|from|when|with)\b)\S/i,
      /^((no|nope|nah|wrong|not that|hm+)[,.!:;—–-]+ ?)+(please |just )?(use|call it|name it|go with) (?!(it|this|that|the (other|first|second|last|previous|same)|both|an?)\b)\S/i,
      /^((no|sorry|nope)[,.!]? )*(i|we) (meant|was talking about|were talking about|was referring to) (the|our|an?|my) (?!(first|second|other|last|same|one)\b)[\w-]+ [\w-]+( [\w-]+)?[.!]*$/i,
      /^(i|we) (meant|mean|was talking about|was referring to|were talking about) (?!(it|that|this|to|the (first|second|other|last))\b)\S.*(,| and| —| -) not \S/i,
      /^(that|this|it|those|these|the [\w-]+)('s| is| are| was)?(n'?t| not| no longer) (the |an? |our )?(right|correct|actual|real|current|proper|latest) [\w-]+( [\w-]+)?([,;:]| [—–-]) ?(?!(is|right|can|could|please|fix|so|what|but i|try|use)\b)\S+ (\S+ )+\S/i,
      /^(?!(it|this|that|he|she|there)\b)[^,;]*\b(is|are|returns?|uses?|takes?|expects?|lives?|runs?|sits?|comes?|goes|has|have|throws?|accepts?|means?|starts?|writes?|reads?)\b[^,;]*([,;]| [—–-]) ?(it|they|we) (doesn'?t|don'?t|isn'?t|aren'?t|does not|do not|is not|are not|never|no longer) (?!(work|matter|know|seem|look|want|need to|have to|like)\b)\w/i,
      /^(that|this|it|those|these)('s|'re| is| was| are| were) (the |an? )?(old|wrong|outdated|dead|deprecated|stale|former|previous|abandoned) [\w-]+( \w+)?[,;:—–-]+ .*\b(is|are|lives?|uses?|called|named|moved|goes|belongs?|in|at)\b/i,
      /^(?!(please |pls |just |so |and )*(don'?t|do not)\b).*\b(isn'?t|is not|'s not|aren'?t|are not|'re not|wasn'?t|doesn'?t|don'?t) (?!(that|sure|just|only|about|bad|so|too)\b)[^,;—–]{2,60}([,;]| [—–-]) ?(but |rather |instead )?(it'?s|it is|they'?re|they are|that'?s|this is|we'?re|we are|(it|we|they) (uses?|runs?|lives?|goes?|has|have|comes?|belongs?|reads?|keeps?|returns?|works?|sits?|stands?|takes?|needs?|expects?|means?|starts?|ends?|gets?|writes?|calls?|sends?|stays?|points?|throws?|listens?|accepts?|only|all)) (?!(fine|ok|okay|just|only|fault|good|better|still|because|so|too|all)\b)\S/i,
      /\b(you (had|got|have|'ve got|mixed|swapped|confused|misread|misunderstood) (it|that|this|them|the \w+)( all)?( completely)? ?(wrong|up|backwards?)|(is|was) (wrong|outdated|incorrect|out of date)[,;:—–-]+ (it|the|we|they|should|correct))\b/i,
    ],
  },
  {
    type: "feedback",
    patterns: [
      /^((no|nope|hm+|sorry|wait|well|actually|uh|um),? )*(?!.*\b(still|again)\b)(that'?s|this is|it'?s|that is|that was|you('re| are)|your \w+ is) (not (right|correct|true|quite right|quite true|accurate|the case)|wrong|incorrect|false|mistaken|inaccurate|off)( there| here)?([,;:.]| [—–-]) ?(?!(can|could|please|pls|fix|so|revert|undo|redo|try|change|remove|make|do|go|put|add|look|check|run|let|start|stop|again|i|why|what|but why|and|it'?s (fine|ok))\b)\S+ \S+ \S/i,
    ],
    despite: ["sarcasm", "state", "reported", "chat", "spec"],
  },
  {
    type: "feedback",
    patterns: [
      /^(?!(it|this|that|i|he|she|there)\b)[^,;?]*\b(isn'?t|aren'?t|is not|are not|don'?t|doesn'?t|not|no longer) [^,;?]{1,40}\b(any ?more|any longer|these days|nowadays)\b/i,
      /^[^,;?]{2,40}(:| is| are| was|=) ?\S+( \S+){0,4}[,;.]? ([—–-] )?(but |and )?you (put|wrote|said|had|typed|listed|used|have|set|called|named|hard-?coded)\b/i,
      /^there('s| is| are|'re) no (such )?[\w\uE000-\uF8FF.-]+( \w+){0,2}?( in (this|our|the) \w+| here)?([,;:]| [—–-]) ?(what|it'?s|use|you|the|we|that'?s|they|ours)\b/i,
      /\b(whoever|if (anyone|somebody|someone)) (told|said|wrote|documented)\b.*\b(mistaken|wrong|incorrect|lied|out of date|outdated)\b/i,
      /\b(stale|outdated|out of date|obsolete|misleading|wrong|incorrect|mistaken)( on (that|this)( point)?| there| about (that|this|it))[.!,;]/i,
      /^(people|everyone|everybody|most|newcomers|agents?|models?)\b.*\b(look|assume|think|expect|confuse|forget)\b.*[,;:—–-] (ours?|it|they|we|but|actually|in fact)\b/i,
    ],
    despite: ["chat", "reported"],
  },
  // Plans.
  {
    type: "plan",
    patterns: [
      /\b(the (plan|roadmap) (is|says|for)|we('re| are)? (plan|planning|scheduled|aiming|going) to\b.*\b(in|by|next|until|after|before|once) \w+|planned for|scheduled for|^by (the end of|end of|q[1-4]|next|monday|tuesday|wednesday|thursday|friday|january|february|march|april|may|june|july|august|september|october|november|december)\b|(code|feature) freeze|deadline|(we|it|this|that|they) (will|have to|need to|must|should|'ll|want to) .*\bby (the end|end of|q[1-4]|monday|tuesday|wednesday|thursday|friday|january|february|march|april|may|june|july|august|september|october|november|december|next)|(next|this|the coming) (week|sprint|month|quarter|year|release|iteration|milestone),? (we|i|the|our)|(we|i|the team)('ll| will|'re| are)? .*\b(next (week|sprint|month|quarter|year|release)|in (q[1-4]|january|february|march|april|june|july|august|september|october|november|december)|after the (release|launch|freeze|holidays)))\b/i,
    ],
    despite: ["state", "task"],
  },
  // Decisions.
  {
    type: "decision",
    patterns: [
      /\b(we|i|the team|our team|management|the board|legal|product|design|security|everyone|team)(('ve)| have| has| had| both| all| just| finally| now| also| already)* (decided|agreed|chose|chosen|settled|opted|picked(?! up)|committed to|standardi[sz]ed|voted|concluded|ruled out|rejected|went (with|for)|signed off|landed on)\b/i,
      /\b(was|were|has been|have been|it'?s|is) (finally )?(decided|agreed)\b/i,
      /\b(on purpose|deliberately|intentionally)\b.*(:|because|since|so that)/i,
    ],
    despite: ["task", "state", "once"],
  },
  {
    type: "decision",
    patterns: [
      /\b((we('re| are| will|'ll| should| have to)?|i('m| am|'ll| will)?|let'?s|let us|team is)( all| just| now| also| still| only)* )(going (with|for)|go (with|for)|sticking (with|to)|stick (with|to)|staying (with|on)|stay (with|on)|mov(e|ing) (from|to|away|off)|switch(ing)? (from|to|over)|migrat(e|ing) (from|to|off|away)|standardi[sz](e|ing) on|drop(ping)?|keep(ing)?|us(e|ing)|not us(e|ing)|replac(e|ing)|adopt(ing)?|build(ing)? (on|it on)|writ(e|ing) (it|the \w+) in|choos(e|ing)|pick(ing)?|ditch(ing)?)\b.*(\b(because|since|so that|due to|given that|given|as (we|it|they|the|our|nobody|no one|there|this|i|that) (\w+ )?(\w+s|\w+ed|are|is|have|has|can'?t|don'?t|already|would)|seeing that|which (means|gives|keeps|lets)|otherwise|the reason|overkill|not worth|makes? (no|little|more|much more) sense|a waste|too (much|slow|expensive|complex|complicated|heavy|risky|many|few|big|fragile))\b|[;—–] |: )/i,
      /\bwe('re| are)? (not going to|won'?t( be)?|will not( be)?|no longer) (support|ship|us|build|add|offer|maintain|run|accept|migrat|adopt|do|keep|host|writ|allow|tak|mov)\w*\b/i,
    ],
  },
  {
    type: "decision",
    patterns: [
      /\blet'?s (just )?(use|take|go with|pick|choose|have|stay with|adopt) (?!(an?|the|this|that|these|those|your|my|one)\b)\S.*\b(rather than|instead of|over|and not|not) .*[,;] (they|it|that|this|those|we|nobody|everyone|everybody|all)\b/i,
      /\bi want (us|this project|the team|everyone) to\b.*\b(because|since|so that|due to)\b/i,
      /\b(we|i)('ve| have)? (ended up|finally|eventually) (choos|us|pick|go|went|chose|with|tak|switch|settl)\w*/i,
      /^(because of|due to|given|since|as) .*\b(we|i)('ve|'re|'ll| have| are| will)? (only |always |still |never )?(use|keep|kept|chose|choose|stay|stick|went|go|run|pin|store|don'?t|do not|avoid|need|had to|have to)\b/i,
      /\b(we|i)('ll| will)? (stay|stick|remain|keep) (on|with|at|to) /i,
      /\bwe('re| are)? (now |finally |gradually )?(sticking|staying|moving|switching|migrating|moved|switched|migrated|replacing|replaced|dropping|dropped|going|went|standardi[sz]ing|retiring|sunsetting|deprecating|phasing out) (?!(to (fix|need|have|do|be|add|see|try)|through|over|back|out|ahead|home|the (meeting|call|demo|standup|date))\b)(away |off |over |from |to |with |on |support )*\S/i,
      /^(going|sticking|staying) with\b/i,
      /\b(is|was) (the|our) (reason|rationale) (we|for|why)/i,
      /\bthat('s| is) why we (use|chose|have|keep|went|don'?t|do|picked|still)\b/i,
      /\b(instead of|over|rather than|not) \S+( \S+){0,3} (because|since|so that|as (we|it))\b/i,
    ],
    despite: ["state", "once"],
  },
  {
    type: "decision",
    patterns: [
      /^((ok(ay)?|so|alright|then|and),? )*(let'?s|we('ll| will)|i('ll)?|we|use|using|the team) .*\b(instead of|over|rather than|not) \S+( \S+){0,4}?,? (because|since|so that|as (we|it|they|the|our|nobody))\b/i,
      /^((and|so|but|also),? )*(for|out of) ([\w-]+ ){0,4}(reasons?|purposes|sake|compliance|simplicity|consistency|compatibility|safety|security|performance),? (we|i|everything|all)\b/i,
      /^((and|so|but|also),? )*(in order )?to (keep|avoid|prevent|reduce|save|stay|make|ensure|minimi[sz]e|simplify|improve|be|support|comply|speed|cut) .{3,60}, (we|i|let'?s)('ll|'re|'ve| will| are| have)? (?!(need|should|could|might)\b)\w+/i,
      /\bwe (have to|need to|must|had to) (use|support|stay|keep|run|target|avoid|stick|deploy|host|ship|pin|store|log|build|write) .*\b(because|since|as (the|our|we|it)|due to)\b/i,
      /^we (want|aim|try) to .*[,;—–-] (so|hence|therefore) (we|no|never|everything|nothing|all|every|only)\b/i,
      // A product's name has a capital: "let's use Postgres", not "let's use a map".
      /^(?:(?:[Oo][Kk](?:ay)?|[Ss]o|[Aa]lright|[Tt]hen|[Aa]nd|[Ff]ine),? )*(?:[Ll]et'?s|[Ww]e(?:'ll| will|'re going to| are going to)|I(?:'ll| will)) (?:just |now |all )?(?:use|go with|adopt|build on|rely on|deploy (?:to|on)|host (?:it )?on|switch to|move to|settle on|stick with|take) (?!I\b)[A-Z][\w.+#-]*(?![\w.+#-])(?! to (?:test|check|see|debug|try|reproduce|find|look)\b| (?:component|class|function|method|file|test)\b)/,
      /^(rather than|instead of) .{3,40}?,? we(('ve|'ll|'re| are| will| have| just| simply| now))* (?!(should|could|need|might)\b)\w+/i,
      /^((ok(ay)?|so|alright|then|and),? )*let'?s make (?!(it|this|that|sure)\b).*([,;—–-] ?(that|it|which|this) (keeps|gives|makes|avoids|saves|lets|allows|spares|prevents)|\b(because|since)) /i,
      /\b(was|were|has been|have been|got|gets?) (chosen|selected|picked|preferred|rejected|dropped|ruled out|adopted|favou?red)\b/i,
    ],
    despite: ["state", "once", "reported", "spec", "task"],
  },
  {
    // Choices without a verb of deciding.
    type: "decision",
    patterns: [
      /(^|[,;:—–-] ?)(hence|therefore|thus|consequently) (we|i)('re|'ll| are| will)? \w/i,
      /[,;—–-] so (we|i)('re|'ll| are| will)? ((now|only|always|all|still|just) )*(keep|use|stay|stick|go(ing)? with|mov(e|ing)|migrat(e|ing)|switch(ing)?|dropp?(ing)?|went|chose|pick(ed)?|built|build|avoid|store|run|pin|vendor|host)\b/i,
      /^(?!(use|take|do|make|put|show|give|return|render|display|pick|set|write|it|this|that|i|you|he|she|they|why|how|what)\b)[\w.@/+-]+( [\w.@/+-]+){0,3} (over|instead of|rather than|beats?|trumps?) [\w.@/+-]+( [\w.@/+-]+){0,3}( here| for us| in \w+)?([,:;]| [—–-]) \S+ (\S+ )*\S/i,
      /^(?!(it|this|that|there|he|she|everything|nothing|stdout|time|page|button)\b)(the )?[\w.@/+-]+( [\w.@/+-]+){0,3} (is|are) (out|ruled out|off the table|history|the winner|our (choice|pick|choices)|my (choice|pick)|the way to go|what we('re| are) going with)\b/i,
      /\b(my|our|the|team'?s) (final |clear |obvious |first )?(choice|pick|winner|verdict|bet|vote|conclusion)s?( (for|of|on|from) [^,;:]{2,30})? (fell|falls|went|goes|is|was|remains|stays)\b/i,
      /\b(conclusion|outcome|result|verdict|upshot) of (the|our|my) [\w-]+( [\w-]+)?( is| was)?: /i,
      /\b(we('re| are)|i('m| am)|we|i|the team('s| is)?|(the )?(board|cto|management))( have| has|'ve)? (all in on|betting on|bet on|committed to|committing to|set on|done with|through with|parting ways with|saying goodbye to|doubling down on|greenlit|vetoed|rejected|approved|shelved|scrapped|abandoned|gave up on|giving up on) \S/i,
      /\b(deliberate|conscious|intentional|explicit|considered|informed) (call|choice|decision|compromise|trade-?off)\b/i,
      /\b(was|is|as) (the|a|our|an? \w+) (compromise|trade-?off) (between|for|we)\b/i,
      /\b(won|wins|lost) (on|because|since|due to|by|over)\b.*\w/i,
      /^no [\w-]+( [\w-]+){0,2} for (us|now|this project|the mvp|v1)\b[,;:—–-]/i,
      /\b(for now|for the time being|until further notice|initially|in v1|for the mvp)\b.*([,;:—–-]|\bbecause\b|\bsince\b).*\b(too (much|many|big|complex|heavy|early|expensive)|overkill|not worth|enough for|more than we need|premature|makes? no sense|can'?t (justify|afford))\b/i,
      /\bi('d| would) (like|want|prefer|love) (us|the team|everyone|this project) to\b.*\b(because|since|so that|as (it|we|they))\b/i,
    ],
    despite: ["state", "once", "reported", "spec"],
  },
  {
    // An instruction with its reason.
    type: "decision",
    patterns: [
      /\b(let'?s|let us|we('ll| will|'re| are)?( going to)?|i('ll| will|'m| am)( going to)?) ((just|now|all|also|definitely|simply|only|rather|probably|still|better|not) )*(us(e|ing)|do(ing)?|go(ing)? (with|for)|keep(ing)?|stay(ing)?|stick(ing)?|settl(e|ing) (on|for)|adopt(ing)?|pick(ing)?|choos(e|ing)|sav(e|ing)|stor(e|ing)|standardi[sz](e|ing)|drop(ping)?|skip(ping)?|defer(ring)?|postpon(e|ing)|avoid(ing)?|mov(e|ing)|run(ning)?|host(ing)?|build(ing)?|writ(e|ing)|put(ting)?|leav(e|ing)|tak(e|ing)) (?!(it|this|that|these|those|on|forward|ahead|back|going|trying|working|an? (look|break|quick|test|bug|fix)|the (first|second|other|latter|former|same)|on this|doing)\b)(?!.*\b(first|(?<!for )now|together|again|next|then|today|tomorrow)\b)[^?,;]*([,;:—–]| -) ?(?!(then|and|but|or|please|which one|can|could|i (think|guess)|ok|right)\b)(it'?s|that'?s|they'?re|there'?s|we'?re|the|our|it|that|this|they|we|nobody|no one|everyone|most|one less|one fewer|less|fewer|no need|no point|otherwise|easier|simpler|cheaper|faster|safer|overkill|[\w-]+( [\w-]+)? (is|are|was|were|has|have|gets?|can'?t|doesn'?t|don'?t|isn'?t|aren'?t|would|will|gives?|makes?|already|all|only|needs?|\w+s)\b)/i,
      /\b(let'?s|we('ll| will| shall|'re going to| are going to)|i('ll|'m going to)) (?!(need|have to|see|fix|look|get back|try|discuss|talk|check|ask|wait|be (late|away|back|there)|know|find)\b)\w+ .*\b(because|so (that )?(we|it|they|users?|customers?|clients?|everyone|nobody|restarts|[\w-]+s) (\w+ )?(don'?t|can|can'?t|won'?t|doesn'?t|stays?|gets?|keeps?|never|only|will)|so that|to (avoid|prevent|reduce|minimi[sz]e|simplify|keep|stay|be able|save|support|comply|cut|make sure)|in order to|for (its|the|better|easier) \w+)\b/i,
      /^((ok(ay)?|so|alright|right|fine|well|then|and),? )*(the )?(plan|idea|call|consensus|verdict|conclusion|outcome|upshot|agreement)( from .{2,30}?)? (is|was)( now)? (to|that|for us to|:) .*(\b(because|since|so that|as (we|it|they|the|our)|given|due to)\b|[;—–]| - )/i,
      /^((ok(ay)?|so|alright|right|fine|well|then|and|sold|good),? )*(?!(that|what|here|there|this|so|how|where|as|who|maybe|whatever|think|if|leave|keep|like|let)\b)(?!.*\bas it is)[\w.@/+\uE000-\uF8FF-]+( [\w.@/+-]+){0,3} it is(,| then|[.!]*$| [—–-])/i,
      /\bthe (main |only |whole |real )?reason (why |that |for which )?(we|i) (?!(ask|am|'m|can'?t|need|want to)\b).{3,80}? (is|was)\b/i,
      /\b(we|i)('ve| have)? (gone|went|settled) (with|for|that way|this way|that route|this route|down (that|this) (road|path|route))\b/i,
      /\b(we('re| are)? (not|never) (going to|gonna)|we (won'?t|will not|are not|aren'?t|'re not)( going to| gonna)?) (?!(be able|have time|make it|know|see|find|need|going)\b)\w+ .*?([;:—–]| - |, (?!(but|and|right|then|so)\b)|\b(because|since|as long as|until|unless|before)\b).*\b(is|are|has|have|was|were|would|can|can'?t|don'?t|doesn'?t|\w+s|\w+ed)\b/i,
      /^(chose|picked|decided|settled|opted|went|switched|switching|moved|moving|dropped|dropping|replaced|replacing|adopting|standardi[sz]ing) (to |on |for |with |against |from |off |away |over )?.*(\b(because|since|so that|due to|as (it|we|they|the|our)|for (its|the)|given)\b|[;—–]| - )/i,
    ],
    despite: ["state", "once", "reported", "task"],
  },
  // Blockers, present and past.
  {
    type: "blocker",
    patterns: [
      /\b(we('re| are)?|is|are|it'?s|still|am|i'm|everything|release|work) (currently |still |completely |totally )*(blocked|stuck waiting|on hold)\b/i,
      /\bblocked (by|on|until)\b/i,
      /\b(is|are|am|'m|'re|'s|still) stuck (because|on|until|since|waiting|as long as)\b/i,
      /\b(we('re| are)|is|are|still) (still )?waiting (for|on)\b/i,
      /^(until|as long as|before|without) .*\b(we|nobody|the \w+) (can'?t|cannot|are blocked|must wait|have to wait)\b/i,
      /(^|\b(we|it|this|that|nobody|release|deploy\w*|launch|checkout|migration)( still)? )(can'?t|cannot|can not|won'?t be able to) (be )?(ship|shipped|release|released|deploy|deployed|continue|merge|merged|start|started|proceed|go live|finish|finished|launch)\w*\b.*\b(until|before|without|unless|because)\b/i,
    ],
    despite: ["state", "once", "task"],
  },
  {
    type: "event",
    patterns: [
      /\b(we|they|i|ops|the team|prod(uction)?|v?\d+\.\d+(\.\d+)?)( was| were| have| has|'ve)? (just |finally |also )?(released|shipped|launched|deployed|rolled (out|back)|went (live|down)|had an? (outage|incident|data loss|security)|cut|tagged|upgraded|migrated|moved|switched|lost)\b.*\b(on (mon|tues|wednes|thurs|fri|satur|sun)day|yesterday|last (week|night|month|year|friday|monday)|this (morning|week)|in (january|february|march|april|may|june|july|august|september|october|november|december|20\d\d)|\d{4}-\d\d-\d\d|v?\d+\.\d+)/i,
      /^(yesterday|last (week|night|month|year|\w+day)|on (mon|tues|wednes|thurs|fri)day|this (morning|week)|in (january|february|march|april|may|june|july|august|september|october|november|december|20\d\d)),? (we|they|i|ops|prod\w*) (\w+ )?(released|shipped|launched|deployed|rolled|migrated|moved|switched|upgraded|had an?|lost|removed|turned|retired|renamed)\b/i,
    ],
    despite: ["state", "once"],
  },
  {
    type: "idea",
    patterns: [
      /\b(some ?day|at some point|one day|in the long (run|term)|down the (road|line)|eventually|longer term|nice[- ]to[- ]have)\b.*\b(could|might|should|would|we|be)\b/i,
      /\b(could|might|would be (nice|cool|great)|should)\b.*\b(some ?day|at some point|one day|in the long (run|term)|down the (road|line)|eventually|later on)\b/i,
    ],
    despite: ["once"],
  },
  // Procedures.
  {
    type: "procedure",
    patterns: [
      /^(btw,? |fyi,? |note:? |and |in order |(if|when) you (want|need) )*to (deploy|release|build|run|start|test|seed|reset|regenerate|migrate|publish|debug|lint|log ?in|connect|install|restart|bump|roll ?back|set ?up|update|get|ship|cut|create|rotate|sync|clear|reproduce|generate|sign|verify|access|load|import|export|reload|compile|switch|enable|add)\b(?! (this|that|it|these)\b).*?((,|:| you| we) *(you |we |just |first |always |please |have |need |to |simply |then )*(run|use|call|execute|do|type|start|set|go|bump|open|ssh|edit|copy|source|export|tag|push|create|log|stop|kill|make|click|[\uE000-\uF8FF])|\b(run|use|call|execute|type) )/i,
    ],
    despite: ["task"],
  },
  {
    type: "procedure",
    patterns: [
      /\b(go|goes|works?|is done|are done|run) like (this|so)\b/i,
      /^(here('s| is)|this is) how (we|to|you|i) /i,
      /^how (we|to|i) [^:?]{2,60}: \S/i,
      /\bif you (get|see|hit|run into) .*, (?!(it|that|i)\b)/i,
      /\b(release|deploy(ment)?|build|set-?up|migration|rollback|onboarding|test(ing)?|review|publish(ing)?|hotfix|upgrade|backup) (process|procedure|steps?|workflow|routine|checklist|flow|order|sequence) (is|are|goes|works|here|:)/i,
      /\bthe (right |correct |only |usual |official |proper )?(way|steps|order|command|trick|recipe) (we|to|you|for) .*\b(is|are|:)/i,
      /\b(deploys?|releases?|builds?|backups?|migrations?|tests|the (app|site|docs|server|database|schema|client|types)) (is|are|get|gets|happens?|happen|work|works) (\w+ed |run |done |built )?(with|by|via|using|through|from)\b/i,
      /\bfirst\b.*\bthen (?!(the|it|we (can|could|see)|maybe)\b).*\b(to (deploy|release|publish|start|run|build|set)|(deploy|release|publish|migrat|restart)\w*)\b/i,
    ],
  },
  // Facts.
  {
    type: "knowledge",
    patterns: [
      /\b(it )?turns? out\b/i,
      /\b(the )?(root )?(cause|reason|culprit)\b.*\b(is|was)\b/i,
      /\bthat('s| is) (why|because|by design|intentional|on purpose|a known)\b/i,
      /\bthe (trick|fix|workaround|solution|catch|gotcha) (is|was|here|for)\b/i,
      /\bwhat (fixed|solved|helped|worked)\b.*\bwas\b/i,
      /\b(is|are|it'?s) (a )?(known (issue|bug|problem|limitation)|known|intentional|by design|on purpose|deliberate(ly)?)\b/i,
      /\b(fixed|solved|resolved) (it|that|this) (by|with|via|through)\b/i,
      /(?<!\bi |\bi've |\bi just |\bi already |\byou )\b(fix(ed|es)|solved|resolved|cured|unblocked) (it|that|this|the (\w+ )?(problem|issue|error|crash|hang|flake|bug|build|leak|timeouts?))\b/i,
      /\b(it )?(helps|helped|was enough|is enough) to \w+/i,
      /\b(only )?(goes|went) away (after|when|if|once)\b/i,
    ],
    despite: ["state", "once"],
  },
  {
    type: "knowledge",
    patterns: [
      /\b(only (works?|runs?|supports?|accepts?|builds?|allows?|compiles?|understands?|has|have)|(works?|runs?|builds?|compiles?) only|(doesn'?t|does not|can'?t|cannot) (support|handle|run on|work (on|with|under)|accept|go above|exceed))\b/i,
      /\b(owns?|maintains?|is responsible for|is in charge of|are responsible for|takes care of|looks after|knows (most|everything|all)) (the|our|all|every)\b/i,
      /\bask \w+ (before|about|first|for)\b/i,
      /\b(lives?|is located|are located|is hosted|is deployed|are deployed|are stored|is stored|is kept|are kept|is defined|are defined|can be found|sits|resides?|is generated|are generated|is mounted|is documented|are documented|gets generated|is managed|are managed|is configured|are configured|is owned|are owned|is maintained|is run|is licensed) (in|at|on|under|by|from|with|via|through|behind|as|inside)\b/i,
      /\b(listens|runs|serves) (on|at|under|behind)\b/i,
      /\b(is|are) (called|named|spelled|pronounced|short for)\b/i,
      /^\S+( \S+){0,4} means? (?!(that|it|the|we|you|i)\b)/i,
      /\b(stands for|is short for|is an? (abbreviation|alias) (of|for))\b/i,
    ],
  },
  {
    type: "knowledge",
    patterns: [
      /\bwe( also| still| only| just| currently| all| mostly|'re| are)* (use|using|run|running|deploy|host|store|ship|support|target|write|release|keep|name|version|build|generate|pin|vendor|cache|track|manage|follow|rely|depend|work|authenticate|charge|bill|serve|sell|log|test|(have|got) (a|an|two|three|four|five|\d+|our own|no|strict) (?!(bug|problem|issue|error|look|failing|regression|meeting)\b)|are (a|an|on|using|in)|(don'?t|do not) (use|support|ship|allow|deploy|merge|store|have a|mock|write|do|accept|run|log|commit|want))\b(?! (it|that|this|for now)\b)/i,
    ],
  },
  {
    type: "knowledge",
    patterns: [
      /\b(these days|nowadays|as of (last|this|v?\d|january|february|march|april|may|june|july|august|september|october|november|december)|since (last (year|month|quarter|spring|summer|autumn|fall|winter)|january|february|march|april|may|june|july|august|september|october|november|december|v?\d))\b/i,
    ],
  },
  {
    type: "knowledge",
    patterns: [
      /\bour ([\w/-]+ ){1,5}(is|are|runs?|lives?|uses?|times? out|needs?|requires?|has|have|expects?|sits|goes|comes|deploys?|supports?|can'?t|doesn'?t|returns?|works?|speaks?|sends?|caps?|limits?|allows?|only|must|costs?|belongs?)\b/i,
      /^(\w+:\s+)?(the|an?) (\w+ )?(staging|production|prod|dev|test|qa|ci|legacy|internal|main|primary|vendor'?s?|upstream|customers?|clients?|company|partner'?s?|old|new|real|default|demo|payment|auth|mobile) ?([\w/-]+ ){0,4}(is|are|lives?|runs?|uses?|sits|needs?|requires?|expects?|listens|only|has|have|accepts?|times out|must|goes|comes|returns?|speaks?|sends?|costs?)\b/i,
    ],
  },
  {
    type: "knowledge",
    patterns: [
      /^(and |also |btw,? |by the way,? )?(the|our|its|my) ([\w/-]+ ){0,3}(port|timeout|limit|deadline|urls?|host|hostname|address|endpoint|version|branch|region|bucket|tables?|database|db|server|cluster|schema|env(ironment)? var(iable)?|flag|quota|budget|licen[cs]e|customer|client|vendor|owner|account|tenant|channel|repo|repository|registry|domain|prefix|convention|api|backend|frontend|mono ?repo|package manager|stack|language|encoding|currency|time ?zone|retention|sla)( \w+)? (is|are|=|starts?|ends?|expires?|lives?|changed to|was moved to)\b(?! (it|this|that|too|very|so|not (set|found|there|working)|being|unreachable|full|unknown|invalid)\b)/i,
    ],
  },
];
