/**
 * Does a person's post ask for something? Thanks, approvals, emoji, commands to bots and notes on one's own progress don't.
 * In doubt it does: a point that nobody sees is worse than one that is answered with a sentence.
 */
import { parseBody } from "../bodies/parse.js";
import { plain } from "../bodies/text.js";

/** A sentence that is only kindness, agreement or approval. */
const KIND_WORDS =
  /^(?:(?:lgtm|(?:(?:this|that|it|(?:all|everything)(?: of (?:it|this))?|the (?:code|change|fix|patch|pr)s?)(?: all)? )?looks? (?:really |very )?(?:good|great|fine|nice|solid)(?: (?:to me|now|overall|so far))?|(?:i )?approved?|approving|ship it|merge it|(?:very |really |so )?(?:nice|great|good|awesome|excellent|amazing|cool|perfect|fantastic)(?: (?:work|job|stuff|catch|one|point|find|fix|idea|change|cleanup|pr|addition|improvement))?|well done|thanks?(?: (?:you|a lot|so much|very much|again))*(?: for (?:the|your|this|that|fixing|doing|working|looking|reviewing|taking)\b[^.!?]*)?|many thanks|thx|ty|tysm|cheers|\+1|-1|same here|agreed?|i agree|me too|makes sense|sounds good|fair enough|got it|understood|ack(?:nowledged)?|ok(?:ay)?|sure|yes|yep|yeah|no|nope|great|done|bump|ping|welcome|congrats(?:ulations)?|love (?:it|this)|lovely|sorry|no worries|no problem|you'?re welcome|will do|nvm|never ?mind|(?:(?:fine|good|ok(?:ay)?|works|all good) (?:with|by|for) me|no (?:objections?|concerns?|further comments?)(?: from (?:me|my side))?)(?: (?:so far|either|too|now))?)(?:[ ,]+(?:@[\w-]+|all|everyone|team|folks|again|then|too|thanks?|lgtm))*)$/i;

/** A sentence about what its writer did, does or will do. */
const STATUS =
  /^(?:(?:i(?:'ve| have|'m| am|'ll| will)?|we(?:'ve| have|'re| are|'ll| will)?) (?:just |now |also |already |have |am |are |be )*)?(?:done|fixed|addressed|rebased?|rebasing|merged?|merging|pushed|pushing|updated|updating|resolved|implemented|implementing|added|adding|removed|removing|renamed|reverted|reverting|squashed|retriggered|re-?ran|re-?running|running|restarted|restarting|closing|closed|reopened|reopening|working on|looking into|look(?:ing)? at|taking a look|take a look|started|starting|waiting (?:for|on)|will (?:report|fix|do|look|address|update|push|rebase|check|merge|take)|report back|report|on it|wip|work in progress|status|update|draft|superseded by|supersedes|depends on|blocked by|follow(?:ed)? up in|backported|cherry-picked|tested|verified|confirmed|deployed|deploying|released)\b/i;

/** A sentence that only announces what stands elsewhere in the same review. */
const ANNOUNCES =
  /^(?:(?:i |i've |i have |just )?(?:left|added|posted|have|see|got)?\s*(?:my |the |some |a few |several |a couple(?: of)? |two |three |one )?(?:very |really )?(?:small |minor |more |quick |tiny )?(?:comments?|nits?|nitpicks?|suggestions?|questions?|notes?|remarks?|thoughts?)(?: (?:inline|in-line|below|above|on the diff|in the code))?)$/i;

/** Words that ask, wherever they stand. */
const ASKING =
  /\?|\b(?:please|pls|plz|can you|could you|would you|can we|could we|should we|shall we|need(?:s|ed)? to|must|should|shouldn'?t|have to|has to|ought to|don'?t|do not|instead|consider|suggest(?:ion)?|prefer|rather|wrong|bug|broken|breaks?|fails?|missing|nit|todo|why|how about|what about|what if|but|however|except|unless|before merging|i(?:'d| would) (?:like|prefer|expect))\b/i;

const COMMAND = /^(?:\/[a-z][\w-]*(?:\s.*)?|(?:bugbot|cursor) (?:run|review)\b.*)$/i;
/** A bare mention with a command word or two: how bots are called. */
const CALL =
  /^@[\w-]+(?:\[bot\])?:?(?:\s+(?:full\s+|incremental\s+)?(?:review|re-?review|run|resume|pause|resolve|help|summary|summari[sz]e|ignore|unignore|plan|config(?:uration)?|rebase|recreate|merge|squash|close|reopen|retry|again|once|this|the|pr|pull|request|draft|now|please|security|generate|docstrings|rate|limit|approve|dismiss|describe|improve|ask|fix|address|that|feedback|it|all|comments?|and)[.!]?)*$/i;

const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Component}\u{fe0f}\u{200d}]/gu;

const END = ".!,;:~ \t";

/** Not a regular expression: a long run of dots in the middle would make one quadratic. */
const withoutEnd = (sentence: string): string => {
  let end = sentence.length;
  while (end > 0 && END.includes(sentence[end - 1] ?? "x")) end -= 1;
  return sentence.slice(0, end).trim();
};

const sentencesOf = (line: string): readonly string[] =>
  line
    .split(/(?<=[.!?;])\s+|\s+(?:—|–)\s+/)
    .map(withoutEnd)
    .filter((sentence) => sentence !== "");

const withoutEmoji = (text: string): string =>
  text
    .replace(/:(?:[a-z][\w+-]{1,40}|[+-]1):/g, " ")
    .replace(/[\p{L}\p{N}#*]+|[^\p{L}\p{N}]+/gu, (part) => (/[\p{L}\p{N}]/u.test(part) ? part : part.replace(EMOJI, " ")))
    .replace(/\s+/g, " ")
    .trim();

/** Pure and linear. */
export const asksForSomething = (body: string): boolean => {
  const parsed = parseBody(body);
  const suggestion = parsed.fences.some((fence) => fence.quote === 0 && fence.info === "suggestion");
  if (suggestion) return true;
  const lines = parsed.lines
    .filter((line) => line.quote === 0 && !line.fenced)
    .map((line) => withoutEmoji(plain(line.text)))
    .filter((line) => /[\p{L}\p{N}+]/u.test(line));
  if (lines.length === 0) return false;
  if (lines.every((line) => COMMAND.test(line) || CALL.test(line))) return false;
  const sentences = lines.filter((line) => !COMMAND.test(line) && !CALL.test(line)).flatMap(sentencesOf);
  return !sentences.every((sentence) => {
    const said = sentence.replace(/^(?:@[\w-]+[,:]?\s+)+/, "");
    return (
      said.split(/,\s*/).every((part) => KIND_WORDS.test(part) || ANNOUNCES.test(part)) || (!ASKING.test(sentence) && STATUS.test(said))
    );
  });
};
