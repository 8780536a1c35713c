/**
 * Stop words: function words and question words. Without the latter, "when did we decide on the port" would find
 * entries with "when" and "did".
 */
const groups = [
  "a an the this that these those such same other another each every either neither both all any some few more most",
  "i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself",
  "we us our ours ourselves they them their theirs themselves one ones someone somebody something anyone anybody anything",
  "everyone everybody everything nobody nothing",
  "what which who whom whose when where why how whether whatever whichever whoever whenever wherever",
  "am is are was were be been being do does did done doing have has had having can could may might must shall should",
  "will would ought cannot",
  "isn aren wasn weren don doesn didn haven hasn hadn couldn mightn mustn shouldn won wouldn ain s t d ll m re ve",
  "and or but nor so yet if then else because as until while although though unless than",
  "of at by for with without about against between into through during before after above below to from up down in out",
  "on off over under again further once here there upon within along among across toward towards via per",
  "not no only own too very just also even still already ever really quite rather perhaps maybe please ok okay yes",
  "tell know think say said says go going went gone get got gets getting let lets like well much many lot lots etc",
];

export const stopWords: ReadonlySet<string> = new Set(groups.join(" ").split(" "));

/** Chinese function and question words; pairs of characters never span them. */
export const chineseJoints =
  /什么|怎么|怎样|如何|为什么|哪里|哪个|哪些|多少|我们|你们|他们|是否|可以|应该|[的了吗呢吧啊是在和与或就都也把被这那我你他她它]/gu;
