/** English patterns for how this person wants the agent to talk and work. Tried first. */
import type { SignalRow } from "./row.js";

export const englishPerson: readonly SignalRow[] = [
  // Statements that the user labels.
  {
    type: "idea",
    patterns: [/^(an? )?(idea|thought|feature idea)( for (later|the future|some ?day|v\d+))?\s*[:—–-]/i],
    despite: ["hypothetical", "once", "task"],
  },
  {
    type: "decision",
    patterns: [
      /^(final )?(decision|decided|agreed|settled)\s*[:—–-]/i,
      /\b(the|our|my) (final )?decision (is|was|stands)\b/i,
      /^(ok(ay)?,? |so,? )?((final|last) (call|word|answer)|decision (made|taken)|it'?s (decided|settled))\s*[:,—–-]/i,
    ],
    despite: ["task", "state"],
    isExplicit: true,
  },
  {
    type: "pattern",
    patterns: [
      /\b(when(ever)?|if|each time|every time|once) i (just |only |ever )*(say|write|type|ask|mention|mean|send|post|paste|answer|reply|respond|react|start|end|prefix|tag|comment)\b.*\b(i mean|i('m| am)|i want|it means|that means|means|you|do|run|use|just|don'?t|answer|treat|then|that'?s|it'?s|assume|go ahead)\b/i,
      /\bby \S+ i (always )?mean\b/i,
    ],
    despite: ["reported", "once", "hypothetical"],
    isExplicit: true,
  },
  // How the agent should talk and work with this person.
  {
    type: "preference",
    patterns: [
      /^(from now on|going forward|in (the )?future|please|pls|and|also|so|always|never)?,?\s*(please |pls |always |never |just )*((call|address) me|refer to me as|(speak|talk|answer|reply|respond|write|explain|report|summari[sz]e)( everything| things| always| only| to me| me| back)* (in|like|as|with|without|using|brief|short|concise|terse)|(be|stay) (more |very |as |less )*(concise|brief|terse|direct|blunt|honest|verbose|formal|polite|short|careful|chatty|talkative|wordy|proactive|patient|explicit|precise|specific|critical|detailed|succinct|casual|friendly|thorough|straightforward|strict|accurate|neutral)|keep (your |the |all )?(answers?|responses?|repl(y|ies)|explanations?|messages|summaries) )\b/i,
    ],
    despite: ["task"],
  },
  {
    type: "preference",
    patterns: [
      /^(?!if (we|i|it|they|there|money|time|this) (had|were|could|was|wasn'?t|weren'?t|hadn'?t)\b).*\bi('d| would)? (strongly |really |much |generally |usually |always |personally |still |clearly |just |tend to |also )*(prefer|favou?r)\b(?! (option|the (first|second|other|latter|former|new|old|current|previous|original)|th(at|is|ese|ose)|yours?|it)\b)/i,
      /\bi('d| would) (much |really )?rather (you|have|see|use|get|not|read|be|write|keep|pay|wait)\b/i,
    ],
    despite: ["hypothetical"],
  },
  {
    type: "preference",
    patterns: [
      /\bi (strongly |really |absolutely |generally |usually |always |personally |also |just |simply )*(like|love|enjoy|hate|dislike|despise|loathe|detest|can'?t stand|cannot stand|am (not )?a (big |huge )?fan of|am allergic to|care (a lot |deeply )?about|(don'?t|do not) (really |particularly )?(like|want|need|care for|enjoy))\b(?! (it|that|this|these|those|how|where|the (look|idea|way|change|result|new|sound|first|second|third|other|old|last|previous|latter|former)\b|you to (fix|add|do|change|make|run|touch|write)|to (do|see|know|touch|change|break|be|think|wait|have to)|when (it|that|the|this|tests|you)|another)\b)/i,
      /\bi (really |absolutely |just |simply )*((don'?t|do not|never) (really |particularly )?(like|want|enjoy|appreciate)( it)?|hate( it)?|dislike( it)?|can'?t stand( it)?) (when|if) (you|u|people|someone|an agent|files?|tests?|code|functions?|answers?|comments?)\b/i,
      /\b(it|that) (really |always |just |kind of )*(bugs|annoys|bothers|irritates|distracts|confuses|frustrates|helps|drives) me( \w+)? (when|if|that|to)\b/i,
      /\bi (really |also |always |usually |generally |just |only |do )*(like|love|prefer|hate) to (?!(think|believe|imagine|say|add|point|know if)\b)\w+/i,
      /\bi('d| would) (really |also |much )?like (you to |(your|all|my|the) )?(answers?|responses?|repl(y|ies)|explanations?|summaries|code|commits?|messages?|comments|prs|diffs|docs) (in|as|with|to be|short|shorter|concise|without)\b/i,
      /\b(when(ever)?|if) you (answer|reply|respond|explain|talk|write|report)( to)?( me| us)?[.!]*$/i,
      /\bi('d| would)( always| usually| rather)? (go|pick|choose|take) .*\b(every time|any day|over|always)\b/i,
      /\bi (generally|usually|always|normally|typically|mostly|in general) (want|need|expect|like|ask) (you|everyone|people|it) to\b/i,
    ],
  },
  // Preferences, in people's many ways of stating them, often without "I".
  {
    type: "preference",
    patterns: [
      /^(i('m| am)? )?((really|honestly|personally|generally|still|just|also|absolutely|definitely) )*(not (a |an )?((big|huge|great|massive|real) )?fan of|no fan of|(a )?((big|huge|great|massive) )?fan of|not ((too|very|really|that|particularly|so) )?(keen on|fond of|into|crazy about|wild about|comfortable with)|(partial|allergic|averse) to|(can'?t|cannot|cant|could ?n'?t) (stand|bear|abide|stomach|deal with))\s+(?!(it|this|that|these|those|how|the (look|idea|change|result))\b)\S/i,
      /^(really |absolutely |just |totally )*(love|hate|loathe|dislike|despise|detest) (?!(it|this|that|these|those|how|when|where|you|to (say|see|break|admit|bother|ask)|the)\b)\S+/i,
      /\b((suits?|serves) me|works? (so )?(much )?(best|better|fine|well) for me|(easier|harder|nicer|better|best|clearer|simpler|difficult|hard|more \w+) (to \w+ )?for me|(easier|harder|hard|nicer|gentler) on (my|the) eyes|(how|the way|just as) i (like|prefer) (it|them|things|my)|to my (taste|liking)|drives? me (nuts|crazy|mad|insane|up the wall)|gives? me headaches?|hurts? my (eyes|head|brain)|is(n'?t| not)? (really )?my (cup of tea|jam|thing|style|taste)|(is|are) (a |my )?(personal |big |huge )?(pet peeves?|bugbear))\b/i,
      /\bi('m| am| consider myself) ((more|mostly|much|very much|definitely|pretty much|rather|firmly|just) )*(of )?an? (?!(bit|little|lucky|happy)\b)[\w-]+( [\w-]+){0,4}? (person|guy|gal|man|woman|fan|believer|learner|thinker|reader|perfectionist|minimalist|purist|stickler for \w+|type of (dev\w*|person|guy)|kind of (dev\w*|person|guy))\b/i,
      /\bi (do |really |genuinely |deeply |strongly )*(believe in|swear by|gravitate towards?|lean (more )?towards?|am partial to|have a (soft spot|weakness|strong preference|preference|slight preference) for|have a thing (for|about|against))\b/i,
      /\b(given the choice|if i have the choice|all else (being )?equal|left to my own devices|where there'?s a choice)\b.*\b(i|use|choose|go|pick|take|prefer)\b/i,
      /\b(over|instead of|rather than) .{2,50},? (any day|any time|every time|all day)\b/i,
    ],
    despite: ["task"],
  },
  {
    type: "preference",
    patterns: [
      /\bi('d| would) (really |much |strongly )?(prefer|rather|appreciate|like|love|be happier) (it )?(if|when) (?!(it|this|that|we could|you could|you can|i could|someone could)\b)\w+ \w+/i,
      /\bmy (personal |general |strong |clear )?(preference|favou?rite|taste|vote|default|go-to) (would be|is|are|goes to|lies with|has always been)\b/i,
      /\bwe (all |usually |generally |really |strongly |always |do |don'?t |do not )*(like|prefer|love|hate|dislike|favou?r|value|tend to|try to|aim for|insist on|care about|avoid|stay away from|steer clear of)\b(?! (it|this|that|to (get|see|know|finish|go|fix)|the (idea|look|new|change)))/i,
      /\bi('d| would) (really |much |strongly )?(prefer|rather|appreciate|like|love|be happier) (it )?(if|when) (you|we|your|the|all|every\w*|tests|code|comments|commits) .*?\b(\w+ed|kept|wrote|did|didn'?t|wouldn'?t|left|gave|were|was|used|always|never|stuck|not|had|put|made|told|came|went|said|spoke|ran|chose|took)\b/i,
      /\bi('d| would) (really |much |strongly )?(prefer|rather) (that )?(you|we|your|the|all|every\w*|tests|code|comments|commits) \w+/i,
      /\bi('d| would) (really |also |always )?like (?!(an?|the|to|you|this|that|it|another|some|one|more|less)\b)([\w-]+ ){1,3}(in|as|with|to be|without|short\w*|sorted|named|written|kept|grouped)\b/i,
      /\bi (usually|normally|generally|typically|mostly|tend to|almost always|as a rule) (?!(see|get|have|find|know|forget|remember|wonder|fail|feel|end|think)\b)\w+ \w/i,
      /\bi('d| would)? (really |just |also )?(want|like|need|prefer) you to be \w+/i,
      /^(for|in|with|on|as for|when it comes to|regarding|about) (?!(the|this|that|my|an?|your|now|it|me)\b).{2,40}?,? i('d| would)? (always |usually |really |much |strongly |generally )?(like|want|prefer|need|expect|go (for|with)|use|rather|love|hate|favou?r)\b/i,
      /\bi (really |honestly |genuinely |truly |just )?(don'?t|do not|couldn'?t) (really )?care (much )?(about|for) (?!.*\b(vs|versus|or|whether|which)\b)\w/i,
      /\bi (really |absolutely |just |simply |strongly )*(like|love|hate|dislike|prefer|enjoy|appreciate) it (when|if) (?!(it|the (build|tests?|ci|deploy\w*|server))\b)(\w+ )?(\w+)/i,
    ],
    despite: ["task", "hypothetical", "spec"],
  },
  {
    type: "preference",
    patterns: [
      /\b(matters?|means?|is|are) (a lot|a great deal|very important|really important|important|everything|much|more|key|crucial|essential) (to|for) me\b/i,
      /\bfeels? (\w+ )?(natural|right|wrong|odd|better|clunky|cleaner|safer|nicer|weird|clumsy|familiar|foreign|idiomatic) to me\b/i,
      /\b(nothing|few things|not much|little) (\w+s) me (more|as much|so much) (than|as)\b/i,
      /\bi('d| would) (much )?sooner \w+/i,
      /^the (less|more|fewer|shorter|simpler|smaller|bigger|stricter|longer|earlier) .*\bthe (better|happier|merrier|nicer|less|more)\b/i,
      /^[a-z][\w -]{2,30} (>{1,3}|beats?|trumps?) (?!me\b)[a-z][\w -]{2,30}[.!]*$/i,
      /\b(as far as i('m| am) concerned|in my book|by my lights|for my taste|if you ask me|call me (old[- ]fashioned|picky|pedantic|a purist|crazy|boring))\b/i,
      /\b(you can|feel free to|please) (safely )?(assume|expect|take for granted) (that )?i\b/i,
      /\bmy (brain|head|eyes|mind) (doesn'?t|don'?t|can'?t|hurts?|struggles?|needs?|works?|thinks?) /i,
      /\bi('m| am) (perfectly |totally |quite )?(fine|ok|okay|good|happy|cool) with .* (as long as|if|provided|unless|but)\b/i,
      /\bi (think|work|learn|read|concentrate|focus) (best|better) (in|with|by|from|when|on)\b/i,
      /^if there('s| is| are|'re) (two|several|multiple|more than one|a choice|many|different|alternatives?|options?)\b.*, (show|use|pick|take|prefer|choose|give|suggest|go|tell)\b/i,
      /\b(no|zero|cut the|drop the|without the|spare (me )?the|skip the|enough) (nonsense|fluff|filler|flattery|emojis?|exclamation marks|small ?talk|pleasantries|marketing|buzzwords)\b/i,
      /\b(feel free to|don'?t hesitate to|don'?t be afraid to) (push back|disagree|contradict|correct|criticize|criticise|challenge|ask|say no|tell me)\b/i,
    ],
    despite: ["task", "hypothetical", "state", "once"],
  },
  {
    type: "feedback",
    patterns: [
      /\bi (didn'?t|did not|never|haven'?t) (ask|asked|want|wanted|request|requested|tell|told)( you)? (for|to)\b/i,
      /\b(this is|for|it'?s) the (second|third|fourth|fifth|sixth|tenth|hundredth|nth|\d+(nd|rd|th)) time\b/i,
      /^(please |and |but |ok,? )*next time,? (please |just |maybe )?(?!(we|i|it|you see|that|this)\b)\w+ \w/i,
      /^(oh |ugh,? |and )*again with the \w+/i,
      /^(please |and )*(don'?t|do not|stop|quit|no need to) (give|show|send|tell|hand|offer|feed|giving|showing|sending|telling|offering|feeding) me (?!(that|this|the|it|these|those|yet)\b)\w/i,
      /\b(you|u) (forgot|missed|overlooked|ignored|didn'?t (consider|notice|reali[sz]e|know|account for)) (that|the fact) \S/i,
      /\bi (told|said to) (you|u) (that )?(it'?s|its|the|we|that'?s|there|our|never|always|not)\b/i,
      /^((please|and|but),? )*((don'?t|do not|stop being|quit being|try not to) (be )?|be less )(so|too|overly|that) [a-z]+[.!]*$/i,
      /^you (don'?t|do not|needn'?t) ((need|have) to )?(\w+ ){1,3}?(every|each|all|any|me|so much|again|always|before|after|whenever)\b/i,
      /^you('re| are) (mixing|confusing|assuming|overcomplicating|over-?engineering|ignoring|missing the|forgetting|misreading|conflating|being too|(way |far |much )?too (verbose|wordy|chatty|fast|slow|eager|careful|cautious|polite|long)|making (this|it|things) (too|more|over))/i,
      /^(that'?s|this is|your [\w-]+ (is|are)) (way |far |much |a bit |a little )?too (much|many|long|verbose|complicated|complex|clever|wordy|abstract|chatty|fancy|generic|detailed)\b.*([,;:—–-] ?|\. )(keep|please|less|short|just|be|i|next)/i,
      /^(?!(we|i|let'?s|they)\b).*\b(next time|in (the )?future)[.!]*$/i,
      /\bi (really )?(don'?t|do not|didn'?t|never) (really )?(like|appreciate|want|enjoy) (that|how|it that|the way) you \w+/i,
      /\b(we|i)('ve| have)? (talked|spoke|spoken|went over|discussed|agreed|been over) (about |on |over )?(this|that)( already| before| yesterday| many times)?\s*[:,;—–-] ?\S+ \S/i,
      /\b(it )?would (help|be (nice|great|better|good|nicer)) if you (stopped|quit|didn'?t|wouldn'?t|could stop|would stop|always|never|actually|first|\w+ed .* (before|instead|every|first))\b/i,
      /\b(if|when(ever)?) i ask (you )?(for|to|about) [^,]{2,40}, (just |only |please |then )*(?!(it|you|that|the|there|why|what)\b)\w+/i,
      /\bhands off\b/i,
    ],
    despite: ["task", "once", "state", "hypothetical", "reported", "spec"],
  },
  {
    type: "preference",
    patterns: [
      /^what (works|suits|fits|helps) (me )?(best |better |most |well )?(for )?me( (best|most|better))?( is|:| are)/i,
      /^((please|just|always|only),? )*(explain|show|tell|give|walk) (me )?((through )?things|everything|your (reasoning|thinking|changes)|it all|answers?|the answer)( only)?,? .*?\b(step by step|in detail|without|in simple|simply|briefly|line by line|only)\b/i,
      /\b(my|our|the) (whole )?(team|company|org|department|lead)( here)? (prefers|likes|favou?rs|hates|dislikes|insists on|follows|values|expects)\b/i,
      /^(please |always )?(give|show|send) me [\w-]+s (i can|without|with no|instead of) /i,
      /\bi always (want|need|like|expect) /i,
      /^i (want|need|like|expect|have) to (approve|see|review|confirm|check|sign off on|know|read|be asked) .* before (you|anything|any|every) \w+/i,
      /\bi('m| am) (on )?(team [\w-]+|in the [\w-]+ camp)/i,
      /^(speaking )?as an? .{3,40}?,? i (always |really |also )?(need|like|prefer|want|expect|appreciate|find|know|can'?t|don'?t)\b/i,
      /\b(don'?t|doesn'?t|do not|does not) (bother|annoy|irritate|scare) me\b/i,
      /^what i (like|prefer|want|hate|dislike|need|expect|care about)( (best|most|more|to see|from you|here|in \w+))? ?(is|are|:)/i,
      /^([\w\uE000-\uF8FF-]+ ){1,4}by default (in|for|on|with|unless|please|everywhere|whenever|when)\b/i,
      /^[\w\s-]{2,60}[,;—–-] (please |so (please )?)?(use|reach for|go with|choose|pick|go for|default to|stick (to|with)|opt for|favou?r|prefer) .*\b(rather than|instead of|over)\b/i,
    ],
    despite: ["question", "task"],
  },
  {
    type: "preference",
    patterns: [
      /\bmy (go-to|(\w+ )?of choice|usual|preferred|favou?rite|preference|editor|ide|shell|terminal|time ?zone|os|operating system|name|pronouns|keyboard layout|workflow|setup|native language|github (user|handle)\w*|style|default)\b.*\b(is|are|runs|has)\b/i,
      /\bi('m| am) (a |an )?(\w+ )?(colou?r[- ]?blind|dyslexic|left-handed|(neo)?vim user|emacs user|beginner|new to|not (a fan|a native)|on (a )?(mac|macos|linux|windows|wsl|arch|ubuntu|nixos)|based in|in (cet|utc|gmt|est|pst))/i,
    ],
  },
  {
    type: "preference",
    patterns: [
      /^(and |also |usually |normally |personally,? )?i (only |always |never |usually |mostly |generally |typically |normally |mainly |exclusively |almost always )?(use|work (in|on|with|from)|write|speak|live in|review|read|squash|rebase|commit|merge|run|test|develop|code|deploy|want (concise|brief|detailed|clean|simple|minimal|small|strict|explicit|readable|typed|tested|all|every|my|your|only|no|short|long|small|the worst|plain|full|tests|code|commits|comments|answers)|want you to always|only want)\b(?! (it|this|that|the same|to)\b)/i,
      /\bwhen(ever)? (you |i('m| am) |reviewing|explaining|answering|naming|writing|refactoring|showing|proposing|summari[sz]ing|debugging)\b.*,\s*(i want|i like|i need|give me|tell me|show me|keep|be|don'?t)\b/i,
    ],
    despite: ["task"],
  },
  {
    type: "preference",
    patterns: [
      /\bi('m| am) (an? )?(?!(bit|fan of this)\b)([\w-]+[ -]){0,4}?(dev(eloper)?|engineer|designer|user|beginner|student|team lead|tech lead|scientist|admin|architect|founder|speaker|analyst|sre|tester|freelancer|contractor|newbie|maintainer|expert|deaf|blind)\b/i,
      /\b(my name('s| is)|i go by|i('m| am) called)\b/i,
      /\bi (find|consider) .*\b(hard|easier|easy|difficult|annoying|ugly|confusing|unreadable|readable|helpful|useless|distracting|cleaner|clearer|nicer|noisy)\b/i,
      /\bi (really |do |also |still |strongly |deeply |generally |always )*(know|speak|understand|learn|read|think|struggle|care|insist|value|expect|appreciate) (?!(it|that|this|what|how|why|about|you|so|i|we|there)\b).*\b(well|best|by heart|better|fluently|on my (phone|tablet|laptop)|with|in|every|each|all|always|before|a lot|for years|inside out|nothing about|little|over|more than)\b/i,
      /\bi('m| am)( much| far| way| a lot| really| very)* (more |most |less )?(used to|accustomed to|(comfortable|familiar|at home|fluent|experienced|happy|happiest)( \w+)? (with|in|when|if))\b(?! (this|that|it|the (change|result|diff))\b)/i,
    ],
    despite: ["state"],
  },
  {
    type: "preference",
    patterns: [
      /\bi('d| would)? (always |really |also |only )*(want|like|need|expect|ask|prefer) you to\b.*\b(always|never|before|when|whenever|every|any|each|in (the )?future|by default|from now on|instead of|rather than)\b/i,
      /^((less|more|fewer|no) [\w-]+( [\w-]+)?, (less|more|fewer|no|just|only) |no need to (explain|ask|summari[sz]e|thank|apologi[sz]e|repeat|tell|say|be|show|comment)|assume (that )?(i|we|you)('m|'ve)? |skip the (basics|intro\w*|preamble|explanations?|pleasantries|small ?talk|summary|summaries|fluff|disclaimers?)|spare me )/i,
      /\b(your|each|every|all) (answers?|responses?|repl(y|ies)|explanations?|summaries)\b/i,
      /\bi (don'?t|do not) need (an? |any |the )?(summar|explanation|introduction|comment|preamble|disclaimer|lecture|apolog|praise|reminder)\w*/i,
    ],
    despite: ["task", "once"],
  },
  {
    type: "preference",
    patterns: [
      /^(show|give|send|tell|ask) me .*(, not |\binstead of\b|\brather than\b|\balways\b|\bonly\b(?! the (failing|first|last|errors?|new|broken|latest|relevant)\b)|\bfirst, .*\b(after|later|second|then|afterwards|last)\b|\b(before|when|whenever) you \w+ (any(thing)?|every\w*|files?|code)\b)/i,
      /^when(ever)? (?!(click|hover|scroll|press|drag|submitt|load|upload|download|sav|resiz|select|dropp|tapp|swip|logg|fetch)ing)\w+ing [^,]{3,50}, (just|only|please|always|never|don'?t|do not|first|make sure|keep|use|give|show|write|add|prefer|include|avoid|start|ask|stick|put)\b/i,
      /^when(ever)? you (explain|answer|reply|respond|show|present|review|report|summari[sz]e|suggest|propose|describe|talk|give|send|list)\b.*,/i,
    ],
    despite: ["task"],
  },
  // Corrections of how the agent works.
  {
    type: "feedback",
    patterns: [
      /(?<!\b(make sure|ensure|sure|that|when|whenever|if|before|every time|each time|where) )\b(you|u) (keep|constantly|still|again|repeatedly|(?<!\b(why|when|would|do|did|will|should|could|can|how)( do| does| did| would)? (you|u) )(always|never)) (\w+ing|forg[eo]t|ignor|mak|put|add|us|writ|do|break|skip|miss|assum|delet|remov|chang|leav|try|tell|sa[iy])\w*\b/i,
      /(?<!\b(if|when|before|after|until|once|that) )\byou (\w+ed|forgot|did|broke|wrote|put|left|made|took|went|got|ran|threw|cut|hid|set) .*\b(again|once more|every time|each time|as always|like last time|for the \w+ time)\b/i,
      /\bi (said|asked for|told you|wanted|wrote|explicitly \w+) .*[,;—–-] (but |and )?(you('ve)?|not)\b/i,
      /\bi('ve| have)? (already |just )?(told|said|asked|explained|mentioned)( (you|this|that|it|to you))? .*\b(before|already|again|twice|many times|times|last time|yesterday|never|not to|always)\b/i,
      /\b(as|like) i('ve| have)? (already )?(said|told you|mentioned|explained)\b/i,
      /\bi('ve| have)? already (told|said|asked|explained)\b/i,
      /\bhow (many times|often) (do|have|must) i\b/i,
      /^(and |but |again,? )?i (told|asked) you (not to|to (use|never|always|not|stop|avoid|keep|write|put|follow|ask|leave|prefer|stick|name|call))\b/i,
    ],
    despite: ["reported", "question", "task", "state", "spec", "once"],
  },
  {
    type: "feedback",
    patterns: [
      /^(please |and |also )*(stop (?!(it|that|this|the|here|now|for|watching|working|running)\b)\w+ing\b|don'?t (ever )?(say|tell me|apologi[sz]e|thank|repeat|summari[sz]e|explain|compliment|praise|assume|guess|invent|make up|hallucinate|ask me|over-?engineer|start (every|each|your|with)|end (every|each|your|with))(?! (this|that) (line|function|file|one))\b|quit \w+ing\b|you should(n'?t| not)? have \w+)/i,
    ],
    despite: ["reported", "task", "sarcasm"],
  },
  {
    type: "feedback",
    patterns: [
      /\byou('re|'ve| are| were| have)?( been)? (\w+ing|used|chose|picked|took|opened|changed|edited|put|in|on)( in| at| on| to| with| from)? the (wrong|old|outdated) \w+/i,
      /\byou('ve| have)? (mixed up|confused|mistook|misread|misunderstood|swapped|conflated|misspelled|mistyped|mixed)\b.*?([,;:]| [—–-]) ?(?!(can|could|please|fix|but why|right)\b)\S+ \S/i,
      /\byou('ve)? (got|had|have|mixed|put|did|swapped|called|named|used|wrote|read|took) .*\b(wrong|backwards?|the wrong way|mixed up|swapped|upside down|incorrectly|reversed|inverted|flipped|confused|crossed)\b/i,
    ],
    despite: ["state", "once", "spec", "hypothetical"],
  },
  {
    type: "feedback",
    patterns: [
      /^((please|and|also|ok|now|but|seriously),? )*(enough (with|of)|enough \w+ing|no more|cut (out|back on|down on)|lay off|go easy on|knock off|quit|spare me|spare us|less|fewer) (?!(than|it|that|this|of an?)\b)((with|the|all|your|those|these) )*[\w-]{3,}/i,
    ],
    despite: ["task"],
  },
  {
    type: "feedback",
    patterns: [
      /\b(is|are|was|were|that'?s) (wrong|incorrect|outdated|out of date|obsolete)([,;:]| [—–-]) ?(and |but )?(?!(but|i think|right|isn'?t|and|can|please|could|fix)\b)\S+ \S+ \S/i,
      /\byou ('ve )?(assumed?|thought|think|guess(ed)?|figured|seem to think|take|took)\b.*(,|;| [—–-]) (but |no,? )?(they|it|that|we|there|he|she)('s|'re)? \S/i,
      /\b(no longer|not? .{2,50} any ?more)([,;:]| [—–-]) ?\S+ (\S+ ){1,}\S/i,
    ],
    despite: ["state"],
  },
];
